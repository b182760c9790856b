/* The staging loop of an offload layer: blocks that live in host memory are copied into a few slots, and a layer
   computes on each slot as soon as its block is there. One thread copies and one computes, each its queue in order.

   Two questions. Does the loop overlap, with two slots (double buffering), and does it pay against one slot? And what
   does a tracer do to it that puts a time stamp into the queue of the layers before each copy, as some drivers do with
   timing events: the copy then waits for the stamp, which waits for the layers before it.

       staging [ROUNDS]     at most so many rounds, from 12 */
#include <confound/judge.h>
#include <confound/report.h>
#include <confound/step.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLOCKS      8
#define BLOCK_WORDS (512 * 1024)
#define RING        128

/* ---- queues ---- */

typedef struct command {
    sem_t *waits[2], *posts[2]; /* NULL = none */
    const uint64_t *from;
    uint64_t *to;   /* a copy */
    uint64_t *sum;  /* a layer */
    int64_t *stamp; /* the tracer's */
} command;

typedef struct queue {
    command ring[RING];
    unsigned head, tail; /* of the host, of the thread */
    sem_t filled, drained;
    int64_t thread_id;
} queue;

/* Arithmetic on a part of the block, so that the two queues do not only share the memory's speed. */
static uint64_t layer(const uint64_t *block)
{
    uint64_t x = 1;
    for (size_t i = 0; i < BLOCK_WORDS; i += 64)
        for (int r = 0; r < 44; r++)
            x = (x >> 7 ^ x ^ block[i]) * 6364136223846793005u;
    return x;
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void execute(const command *c)
{
    for (int i = 0; i < 2; i++)
        if (c->waits[i])
            sem_wait(c->waits[i]);
    if (c->to)
        memcpy(c->to, c->from, BLOCK_WORDS * sizeof(uint64_t));
    if (c->sum)
        *c->sum = layer(c->from);
    if (c->stamp)
        *c->stamp = now_ns();
    for (int i = 0; i < 2; i++)
        if (c->posts[i])
            sem_post(c->posts[i]);
}

static void *serve(void *user)
{
    queue *q = user;
    q->thread_id = confound_thread_id();
    sem_post(&q->drained);
    for (;;) {
        sem_wait(&q->filled);
        execute(&q->ring[q->tail++ % RING]);
    }
    return NULL;
}

static void put(queue *q, command c)
{
    q->ring[q->head++ % RING] = c;
    sem_post(&q->filled);
}

/* ---- the loop ---- */

typedef struct staging {
    queue queues[2]; /* copies, layers */
    sem_t staged, free_slots, stamped;
    uint64_t *host[BLOCKS], *slots[2];
    uint64_t sums[BLOCKS], right[BLOCKS];
    int64_t stamps[BLOCKS];
} staging;

typedef struct design { /* what the callbacks get */
    staging *s;
    int slots;
} design;

enum { TRACER = 1 };

/* free_slots is what a step finds and leaves: the design's slots. */
static void set_slots(staging *s, int slots)
{
    while (sem_trywait(&s->free_slots) == 0)
        continue;
    for (int i = 0; i < slots; i++)
        sem_post(&s->free_slots);
}

static void put_copy(const design *d, int i, int variant, int with_layers)
{
    staging *s = d->s;
    command c = {.from = s->host[i], .to = s->slots[i % d->slots]};
    if (variant == TRACER) {
        put(&s->queues[1], (command){.stamp = &s->stamps[i], .posts = {&s->stamped}});
        c.waits[0] = &s->stamped;
    }
    if (with_layers) {
        c.waits[1] = &s->free_slots;
        c.posts[0] = &s->staged;
    }
    if (i == BLOCKS - 1)
        c.posts[1] = &s->queues[0].drained;
    put(&s->queues[0], c);
}

/* Without copies a layer computes on what a slot has, so that it is the same work. */
static void put_layer(const design *d, int i, int with_copies)
{
    staging *s = d->s;
    command c = {.from = s->slots[i % d->slots], .sum = &s->sums[i]};
    if (with_copies) {
        c.waits[0] = &s->staged;
        c.posts[0] = &s->free_slots;
    }
    if (i == BLOCKS - 1)
        c.posts[1] = &s->queues[1].drained;
    put(&s->queues[1], c);
}

static int submit(void *user, int variant, int lanes, confound_error *err)
{
    const design *d = user;
    (void)err;
    set_slots(d->s, d->slots);
    for (int i = 0; i < BLOCKS; i++) {
        if (lanes & CONFOUND_LANE_A)
            put_copy(d, i, variant, lanes == CONFOUND_LANE_AB);
        if (lanes & CONFOUND_LANE_B)
            put_layer(d, i, lanes == CONFOUND_LANE_AB);
    }
    return 0;
}

static int wait_for(void *user, int variant, int lanes, confound_error *err)
{
    const design *d = user;
    (void)variant, (void)err;
    for (int lane = 0; lane < 2; lane++)
        if (lanes >> lane & 1)
            sem_wait(&d->s->queues[lane].drained);
    return 0;
}

/* A slot that was overwritten too early, or read too early, gives another sum. */
static int check(void *user, int variant, int lanes, confound_error *err)
{
    const staging *s = ((const design *)user)->s;
    (void)variant;
    for (int i = 0; lanes == CONFOUND_LANE_AB && i < BLOCKS; i++)
        if (s->sums[i] != s->right[i])
            return snprintf(err->text, sizeof err->text, "layer %d read another block than its own", i), 1;
    memset(((design *)user)->s->sums, 0, sizeof s->sums);
    return 0;
}

/* The tracer owes a stamp for each copy; without it there is none. */
static int prove(void *user, int variant, int lanes, confound_proof *proof, confound_error *err)
{
    staging *s = ((design *)user)->s;
    int64_t taken = 0;
    (void)err;
    for (int i = 0; i < BLOCKS; i++)
        taken += s->stamps[i] != 0;
    memset(s->stamps, 0, sizeof s->stamps);
    confound_proof_armed(proof, taken || variant == TRACER ? CONFOUND_ARMED_YES : CONFOUND_ARMED_NO, "stamps taken");
    if (variant == TRACER)
        confound_proof_count(proof, lanes & CONFOUND_LANE_A ? BLOCKS : 0, taken);
    return 0;
}

/* ---- set-up ---- */

static int fill(staging *s)
{
    uint64_t x = 1;
    for (int b = 0; b < BLOCKS + 2; b++) {
        uint64_t *block = malloc(BLOCK_WORDS * sizeof *block);
        if (!block)
            return 0;
        for (size_t i = 0; i < BLOCK_WORDS; i++)
            block[i] = x = x * 6364136223846793005u + 1442695040888963407u;
        if (b < BLOCKS)
            s->right[b] = layer(s->host[b] = block);
        else
            s->slots[b - BLOCKS] = block;
    }
    sem_init(&s->staged, 0, 0), sem_init(&s->free_slots, 0, 0), sem_init(&s->stamped, 0, 0);
    return 1;
}

static int describe(confound_steps *steps, design *d, confound_error *err)
{
    confound_steps_set_submit(steps, submit, d);
    confound_steps_set_wait(steps, wait_for, d);
    confound_steps_set_check(steps, check, d);
    confound_steps_set_depends(steps, 1);
    for (int lane = 0; lane < 2; lane++)
        if (confound_steps_add_thread(steps, d->s->queues[lane].thread_id, err))
            return 1;
    return confound_steps_set_name(steps, d->slots == 2 ? "two slots" : "one slot", err) ||
           confound_steps_set_lane(steps, CONFOUND_LANE_A, "copies of 4 MiB", BLOCKS, err) ||
           confound_steps_set_lane(steps, CONFOUND_LANE_B, "layers", BLOCKS, err);
}

static int measure(confound_steps *two, const confound_steps *one, design *d, int64_t most_rounds, char **ret_text,
                   confound_error *err)
{
    confound_options *options = NULL;
    confound_record *record = NULL;
    confound_judgement *judgement = NULL;
    confound_steps_set_prove(two, prove, d);
    confound_steps_set_against(two, one);
    int failed = confound_options_new(&options, err) || confound_options_set_rounds(options, 12, most_rounds, err) ||
                 confound_steps_add_instrument(two, "tracer", "before", "a", NULL, err) ||
                 confound_run_steps(two, options, &record, err) || confound_judge(record, 0, &judgement, err) ||
                 confound_report(record, judgement, CONFOUND_FORMAT_TEXT, 0, 0, NULL, ret_text, NULL, err);
    confound_judgement_free(judgement);
    confound_record_free(record);
    confound_options_free(options);
    return failed;
}

int main(int argc, char *argv[])
{
    static staging s;
    int64_t most_rounds = argc > 1 ? atoi(argv[1]) : 120;
    design double_buffered = {&s, 2}, single_buffered = {&s, 1};
    confound_steps *two = NULL, *one = NULL;
    confound_error err = {.text = "no memory or no thread"};
    char *text = NULL;
    pthread_t thread;
    int failed = !fill(&s);
    for (int i = 0; i < 2 && !failed; i++) {
        sem_init(&s.queues[i].filled, 0, 0), sem_init(&s.queues[i].drained, 0, 0);
        failed = pthread_create(&thread, NULL, serve, &s.queues[i]) || sem_wait(&s.queues[i].drained);
    }
    failed = failed || confound_steps_new(&two, &err) || confound_steps_new(&one, &err) ||
             describe(two, &double_buffered, &err) || describe(one, &single_buffered, &err) ||
             measure(two, one, &double_buffered, most_rounds, &text, &err);
    if (failed)
        fprintf(stderr, "%s\n", err.text);
    else
        fputs(text, stdout);
    confound_text_free(text);
    confound_steps_free(two);
    confound_steps_free(one);
    return failed;
}
