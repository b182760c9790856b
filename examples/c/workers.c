/* A device of one's own, outside the library: a stream is a thread that copies and computes, in order, what is
   submitted to it. The experiment, its workload and its instruments run on it as they do on a GPU: copies beside
   kernels, under events without and with timing.

       workers [ROUNDS]     at most so many rounds, from 12 */
#include <confound/device.h>
#include <confound/judge.h>
#include <confound/report.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RING 512 /* commands that a stream takes before submit blocks */

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

typedef struct device { /* one lock for everything: a command is long against it */
    pthread_mutex_t lock;
    pthread_cond_t ended; /* an operation that signals an event, for those who wait for it */
    pthread_cond_t room;  /* a stream has nothing left, or has room again, for the host */
    struct stream *streams[2];
    int64_t late_before_ns; /* of streams that were closed */
    uint64_t blocked_ns;
} device;

typedef struct block {
    uint64_t size_bytes;
    unsigned char bytes[];
} block;

typedef struct event {
    int done;
    int64_t stamp_ns;
} event;

typedef struct command {
    confound_op op;
    event *event; /* a record; NULL = an operation */
} command;

typedef struct stream {
    device *device;
    pthread_t thread;
    pthread_cond_t given; /* a command */
    int64_t thread_id;
    command ring[RING];
    uint64_t head, tail; /* submitted, done */
    int closing;
} stream;

static int fail(confound_error *err, const char *what)
{
    (void)snprintf(err->text, sizeof err->text, "%s", what);
    return CONFOUND_MEMORY;
}

/* ---- the threads ---- */

static void copy(const confound_op *op)
{
    const block *src = op->src;
    block *dst = op->dst;
    uint64_t bytes = src->size_bytes - op->src_offset_bytes;
    bytes = bytes < dst->size_bytes ? bytes : dst->size_bytes;
    bytes = op->bytes != 0 && op->bytes < bytes ? op->bytes : bytes;
    memcpy(dst->bytes, src->bytes + op->src_offset_bytes, bytes);
}

/* The recurrence, trip by trip: that is the work. */
static void compute(const confound_op *op)
{
    const block *src = op->src;
    block *dst = op->dst;
    uint64_t x;
    memcpy(&x, src->bytes + op->src_offset_bytes, sizeof x);
    for (uint64_t i = 0; i < op->trips; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    memcpy(dst->bytes + 8 * op->index, &x, sizeof x);
}

/* With the lock held, which is let go while the work is done. */
static void execute(device *d, const command *c)
{
    const event *waits = c->op.waits;
    event *signals = c->op.signals;
    if (c->event) {
        *c->event = (event){1, now_ns()};
        return;
    }
    while (waits && !waits->done)
        pthread_cond_wait(&d->ended, &d->lock);
    pthread_mutex_unlock(&d->lock);
    if (c->op.kind == CONFOUND_OP_KERNEL)
        compute(&c->op);
    else
        copy(&c->op);
    pthread_mutex_lock(&d->lock);
    if (!signals)
        return;
    *signals = (event){1, now_ns()};
    pthread_cond_broadcast(&d->ended);
}

static void *serve(void *user)
{
    stream *s = user;
    device *d = s->device;
    pthread_mutex_lock(&d->lock);
    s->thread_id = confound_thread_id();
    pthread_cond_signal(&d->room);
    while (s->tail < s->head || !s->closing) {
        if (s->tail == s->head) {
            pthread_cond_wait(&s->given, &d->lock);
            continue;
        }
        execute(d, &s->ring[s->tail % RING]);
        if (++s->tail == s->head || s->head - s->tail == RING - 1)
            pthread_cond_signal(&d->room);
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

/* ---- the operations ---- */

static int open_device(void *user, uint64_t seed, void **ret_device, confound_error *err)
{
    device *d = calloc(1, sizeof *d);
    (void)user, (void)seed;
    if (!d)
        return fail(err, "no memory for the device");
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->ended, NULL);
    pthread_cond_init(&d->room, NULL);
    *ret_device = d;
    return 0;
}

static void close_device(void *of)
{
    device *d = of;
    pthread_cond_destroy(&d->ended);
    pthread_cond_destroy(&d->room);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

static void info(void *of, confound_device_info *ret_info)
{
    (void)of;
    (void)snprintf(ret_info->name, sizeof ret_info->name, "a thread for each stream");
    ret_info->simulated = 1; /* no hardware: it says nothing about anyone's */
    ret_info->moves = 1;
    ret_info->computes = 1;
    ret_info->copy_unit = CONFOUND_UNIT_BYTES;
    ret_info->kernel_unit = CONFOUND_UNIT_TRIPS;
    ret_info->copy_start = 1 << 20;
    ret_info->kernel_start = 100000;
    ret_info->step_target_ns = 8000000;
}

static int stream_open(void *of, int lane, int profiling, void **ret_stream, confound_error *err)
{
    device *d = of;
    stream *s = calloc(1, sizeof *s);
    (void)profiling;
    if (!s)
        return fail(err, "no memory for a stream");
    s->device = d;
    pthread_cond_init(&s->given, NULL);
    if (pthread_create(&s->thread, NULL, serve, s) != 0) {
        free(s);
        return fail(err, "no thread for a stream");
    }
    pthread_mutex_lock(&d->lock);
    while (s->thread_id == 0)
        pthread_cond_wait(&d->room, &d->lock);
    d->streams[lane] = s;
    pthread_mutex_unlock(&d->lock);
    *ret_stream = s;
    return 0;
}

static void stream_close(void *of, void *closed)
{
    device *d = of;
    stream *s = closed;
    int64_t late_ns = confound_thread_delay_ns(s->thread_id);
    pthread_mutex_lock(&d->lock);
    s->closing = 1;
    d->late_before_ns += late_ns > 0 ? late_ns : 0;
    for (int lane = 0; lane < 2; lane++)
        if (d->streams[lane] == s)
            d->streams[lane] = NULL;
    pthread_cond_signal(&s->given);
    pthread_mutex_unlock(&d->lock);
    pthread_join(s->thread, NULL);
    pthread_cond_destroy(&s->given);
    free(s);
}

static int block_new(void *of, confound_place place, uint64_t size_bytes, void **ret_block, confound_error *err)
{
    (void)of, (void)place;
    block *b = calloc(1, sizeof *b + size_bytes);
    if (!b)
        return fail(err, "no memory for a block");
    b->size_bytes = size_bytes;
    *ret_block = b;
    return 0;
}

static void block_free(void *of, void *freed)
{
    (void)of;
    free(freed);
}

static int block_write(void *of, void *to, uint64_t offset_bytes, const void *data, uint64_t size_bytes,
                       confound_error *err)
{
    (void)of, (void)err;
    memcpy(((block *)to)->bytes + offset_bytes, data, size_bytes);
    return 0;
}

static int block_read(void *of, void *from, uint64_t offset_bytes, void *ret_data, uint64_t size_bytes,
                      confound_error *err)
{
    (void)of, (void)err;
    memcpy(ret_data, ((block *)from)->bytes + offset_bytes, size_bytes);
    return 0;
}

static void put(stream *s, const confound_op *op, event *recorded)
{
    device *d = s->device;
    pthread_mutex_lock(&d->lock);
    for (int64_t begin_ns = now_ns(); s->head - s->tail == RING; begin_ns = now_ns()) {
        pthread_cond_wait(&d->room, &d->lock);
        d->blocked_ns += (uint64_t)(now_ns() - begin_ns);
    }
    if (!recorded && op->signals)
        ((event *)op->signals)->done = 0;
    if (recorded)
        recorded->done = 0;
    s->ring[s->head++ % RING] = (command){*op, recorded};
    pthread_cond_signal(&s->given);
    pthread_mutex_unlock(&d->lock);
}

static int submit(void *of, void *to, const confound_op *op, confound_error *err)
{
    (void)of, (void)err;
    put(to, op, NULL);
    return 0;
}

static int record(void *of, void *in, void *recorded, const confound_op *op, confound_side side, confound_error *err)
{
    (void)of, (void)side, (void)err;
    put(in, op, recorded);
    return 0;
}

/* Blocks, whatever it is asked: a host that spins would take a core from the streams. */
static int wait_for(void *of, void *only, confound_wait how, confound_error *err)
{
    device *d = of;
    (void)how, (void)err;
    pthread_mutex_lock(&d->lock);
    for (int lane = 0; lane < 2; lane++) {
        const stream *s = d->streams[lane];
        while (s && (!only || s == only) && s->tail < s->head)
            pthread_cond_wait(&d->room, &d->lock);
    }
    pthread_mutex_unlock(&d->lock);
    return 0;
}

static int event_new(void *of, confound_event kind, void **ret_event, confound_error *err)
{
    (void)of, (void)kind;
    *ret_event = calloc(1, sizeof(event));
    return *ret_event ? 0 : fail(err, "no memory for an event");
}

static void event_free(void *of, void *freed)
{
    (void)of;
    free(freed);
}

static int event_read(void *of, void *read, confound_event_reading *ret_reading, confound_error *err)
{
    const event *e = read;
    (void)of, (void)err;
    ret_reading->completed = e->done;
    ret_reading->has_stamp = e->done;
    ret_reading->stamp_ns = e->stamp_ns;
    return 0;
}

static uint64_t blocked_ns(void *of)
{
    return ((const device *)of)->blocked_ns;
}

/* On a busy machine the threads are late, and the answer is then `inconclusive`, because `host-starved`. */
static uint64_t late_ns(void *of)
{
    const device *d = of;
    int64_t ns = d->late_before_ns;
    for (int lane = 0; lane < 2; lane++) {
        int64_t own_ns = d->streams[lane] ? confound_thread_delay_ns(d->streams[lane]->thread_id) : 0;
        ns += own_ns > 0 ? own_ns : 0;
    }
    return (uint64_t)ns;
}

static const confound_device_ops workers = {
    .size = sizeof(confound_device_ops),
    .name = "workers",
    .open = open_device,
    .close = close_device,
    .info = info,
    .stream_open = stream_open,
    .stream_close = stream_close,
    .block_new = block_new,
    .block_free = block_free,
    .block_write = block_write,
    .block_read = block_read,
    .submit = submit,
    .wait = wait_for,
    .event_new = event_new,
    .event_free = event_free,
    .record = record,
    .event_read = event_read,
    .blocked_ns = blocked_ns,
    .late_ns = late_ns,
};

int main(int argc, char *argv[])
{
    static const char job[] =
        "[lane a]\nop = h2d\ncount = 8\n[lane b]\nop = kernel\ncount = 8\n[order]\ndepends = each\n";
    confound_options *options = NULL;
    confound_record *found = NULL;
    confound_judgement *judgement = NULL;
    confound_error err;
    char *text = NULL;
    int failed = confound_options_new(&options, &err) ||
                 confound_options_set_rounds(options, 12, argc > 1 ? atoi(argv[1]) : 120, &err) ||
                 confound_options_set_custom_device(options, &workers, NULL, &err) ||
                 confound_run_job(job, options, &found, &err) || confound_judge(found, 0, &judgement, &err) ||
                 confound_report(found, judgement, CONFOUND_FORMAT_TEXT, 0, 0, NULL, &text, NULL, &err);
    if (failed)
        fprintf(stderr, "%s\n", err.text);
    else
        fputs(text, stdout);
    confound_text_free(text);
    confound_judgement_free(judgement);
    confound_record_free(found);
    confound_options_free(options);
    return failed;
}
