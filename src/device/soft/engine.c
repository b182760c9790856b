/* Engine threads: one for each slot of an engine. A command's work is done in pieces, each at its planned time, so that
   a transfer is seen in progress and a thread is busy for a small part of the time only. */
#include "device/soft/state.h"

#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "device/op.h"

#define PIECE_NS     120000u /* short enough to show progress, long enough to cost a few percent of a core */
#define PIECES_LONG  64u     /* a longer command has this many pieces … */
#define PIECE_MAX_NS 500000u /* … or pieces of this length */
#define SPIN_NS      4000u   /* a shorter wait than a sleep can be */
#define WORD_BYTES   sizeof(uint64_t)
#define FACTOR       UINT64_C(6364136223846793005)
#define OFFSET       UINT64_C(1442695040888963407)

/* What a command does, apart from taking time. */
typedef struct job {
    uint64_t *dst, *src;
    uint64_t words, tail_bytes; /* of a copy */
    uint64_t x, trips;          /* of a kernel */
    uint64_t pieces;
} job;

static uint64_t load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): it is written through */
static void store(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static uint64_t piece_count(const cf_soft_command *c)
{
    uint64_t pieces = c->length_ns / PIECE_NS + 1;
    if (pieces > PIECES_LONG)
        pieces = c->length_ns / PIECE_MAX_NS > PIECES_LONG ? c->length_ns / PIECE_MAX_NS : PIECES_LONG;
    return c->stalls || c->kind == CF_SOFT_OP ? (pieces + 1) / 2 * 2 : pieces; /* even: it has a middle */
}

static job job_of(const cf_soft_command *c)
{
    job work = {.pieces = piece_count(c)};
    const cf_op *op = &c->op;
    if (c->kind != CF_SOFT_OP)
        return work;
    uint64_t offset_words = op->src_offset_bytes / WORD_BYTES;
    if (op->kind == CF_OP_KERNEL) {
        work.x = op->src != NULL ? load(&op->src->data[offset_words]) : 0;
        work.trips = op->trips;
        work.dst = op->dst != NULL ? &op->dst->data[op->index] : NULL;
        return work;
    }
    if (op->src == NULL || op->dst == NULL)
        return work;
    uint64_t bytes = cf_op_copy_bytes(op, op->src->size_bytes, op->dst->size_bytes);
    work.src = &op->src->data[offset_words];
    work.dst = op->dst->data;
    work.words = bytes / WORD_BYTES;
    work.tail_bytes = bytes % WORD_BYTES;
    return work;
}

static void copy_tail(const job *work)
{
    if (work->tail_bytes == 0)
        return;
    uint64_t value = load(&work->dst[work->words]);
    uint64_t source = load(&work->src[work->words]);
    memcpy(&value, &source, work->tail_bytes);
    store(&work->dst[work->words], value);
}

/* From the last word down to the first: what is read first of a block arrives last, so that whoever does not wait for
   the whole of a copy reads what was there before. */
static void copy_piece(const job *work, uint64_t piece)
{
    if (work->src == NULL)
        return;
    if (piece == 1)
        copy_tail(work);
    uint64_t from = work->words - cf_soft_share(work->words, piece - 1, work->pieces);
    uint64_t to = work->words - cf_soft_share(work->words, piece, work->pieces);
    while (from > to) {
        from--;
        store(&work->dst[from], load(&work->src[from]));
    }
}

static void kernel_piece(job *work, uint64_t piece)
{
    uint64_t trips =
        cf_soft_share(work->trips, piece, work->pieces) - cf_soft_share(work->trips, piece - 1, work->pieces);
    uint64_t x = work->x;
    for (; trips != 0; trips--)
        x = x * FACTOR + OFFSET;
    work->x = x;
    if (piece == work->pieces && work->dst != NULL)
        store(work->dst, x);
}

static bool stopping(cf_soft *soft)
{
    return atomic_load(&soft->stop);
}

/* The bell ends a sleep early: the device stops, or what ran beside this command has ended. It is heard before the
   reason for it is looked at, and rung after. */
static void sleep_until_part(cf_soft_worker *worker, const cf_soft_command *c, uint64_t part, uint64_t parts)
{
    for (;;) {
        uint32_t heard = atomic_load(&worker->bell);
        uint64_t at_ns = cf_soft_pace_when_ns(worker->soft, c, part, parts);
        uint64_t now_ns = cf_clock_now_ns();
        if (now_ns >= at_ns || stopping(worker->soft))
            return;
        if (at_ns - now_ns > SPIN_NS)
            cf_soft_futex_wait_until(&worker->bell, heard, at_ns);
    }
}

static void stall(cf_soft_worker *worker)
{
    uint64_t until_ns = cf_clock_now_ns() + worker->soft->model.fault.stall_ns;
    for (;;) {
        uint32_t heard = atomic_load(&worker->bell);
        if (cf_clock_now_ns() >= until_ns || stopping(worker->soft))
            return;
        cf_soft_futex_wait_until(&worker->bell, heard, until_ns);
    }
}

/* What was handed over while all threads were busy must not wait for the end of a long command. */
static void look_around(cf_soft_worker *worker)
{
    cf_soft *soft = worker->soft;
    if (!cf_soft_queue_waiting(soft))
        return;
    cf_soft_wakes wakes = {0};
    pthread_mutex_lock(&soft->lock);
    cf_soft_queue_advance(soft, worker, &wakes);
    pthread_mutex_unlock(&soft->lock);
    cf_soft_wakes_send(&wakes);
}

static void execute(cf_soft_worker *worker, const cf_soft_command *c)
{
    cf_soft *soft = worker->soft;
    job work = job_of(c);
    for (uint64_t piece = 1; piece <= work.pieces && !stopping(soft); piece++) {
        sleep_until_part(worker, c, piece, work.pieces);
        if (c->kind == CF_SOFT_OP && c->op.kind == CF_OP_KERNEL)
            kernel_piece(&work, piece);
        else
            copy_piece(&work, piece);
        if (c->stalls && piece == work.pieces / 2)
            stall(worker);
        if (piece < work.pieces)
            look_around(worker);
    }
}

/* Idle is announced before the last look at what was handed over, and the host looks at idle after it handed over: one
   of the two sees the other. */
static void wait_for_bell(cf_soft_worker *worker, uint32_t heard)
{
    cf_soft *soft = worker->soft;
    if (!cf_soft_queue_waiting(soft) && !stopping(soft))
        cf_soft_futex_wait(&worker->bell, heard);
    atomic_store(&worker->idle, 0);
}

/* Under the lock, which it lets go while it works or waits. */
static void turn(cf_soft_worker *worker, cf_soft_wakes *wakes)
{
    cf_soft *soft = worker->soft;
    uint32_t heard = atomic_load(&worker->bell);
    cf_soft_queue_advance(soft, worker, wakes);
    cf_soft_command *c = atomic_load_explicit(&worker->current, memory_order_relaxed);
    if (c == NULL)
        atomic_store(&worker->idle, 1);
    pthread_mutex_unlock(&soft->lock);
    cf_soft_wakes_send(wakes);
    uint64_t begin_ns = cf_clock_now_ns();
    if (c != NULL)
        execute(worker, c);
    else
        wait_for_bell(worker, heard);
    pthread_mutex_lock(&soft->lock);
    if (c != NULL && !stopping(soft))
        cf_soft_queue_finish(soft, worker, c, begin_ns, wakes);
}

static void *work(void *argument)
{
    cf_soft_worker *worker = argument;
    cf_soft *soft = worker->soft;
    cf_soft_wakes wakes = {0};
    cf_soft_thread_prepare(soft->model.engines[worker->engine].name);
    pthread_mutex_lock(&soft->lock);
    while (!stopping(soft))
        turn(worker, &wakes);
    pthread_mutex_unlock(&soft->lock);
    cf_soft_wakes_send(&wakes);
    return NULL;
}

static cf_status start_all(cf_soft *soft, cf_error *err)
{
    for (; soft->started_count < soft->worker_count; soft->started_count++) {
        cf_soft_worker *worker = &soft->workers[soft->started_count];
        int failed = pthread_create(&worker->thread, NULL, work, worker);
        if (failed)
            return cf_error_set(err, CF_DEVICE, "cannot start thread %u of %u for the engines: %s",
                                soft->started_count + 1, soft->worker_count, strerror(failed));
    }
    return CF_OK;
}

/* Signals are for the threads of the program, so they are blocked while ours begin. */
cf_status cf_soft_engines_start(cf_soft *soft, cf_error *err)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    cf_status status = start_all(soft, err);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

void cf_soft_engines_stop(cf_soft *soft)
{
    atomic_store(&soft->stop, true);
    for (uint32_t i = 0; i < soft->started_count; i++)
        cf_soft_worker_ring(&soft->workers[i]);
    for (uint32_t i = 0; i < soft->started_count; i++)
        pthread_join(soft->workers[i].thread, NULL);
    soft->started_count = 0;
}
