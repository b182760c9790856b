/* The host's side: calls cost what the model says, commands are handed over without a lock, waits. */
#include "device/soft/state.h"

#include <inttypes.h>
#include <time.h>

#include "base/clock.h"

#define MASK        (CF_SOFT_COMMANDS - 1)
#define FULL_NAP_NS 50000

/* The host works for this long: what a driver's call costs it. */
static void spend(uint64_t cost_ns)
{
    if (cost_ns == 0)
        return;
    uint64_t until_ns = cf_clock_now_ns() + cost_ns;
    while (cf_clock_now_ns() < until_ns)
        continue;
}

static void wait_until_at_most(cf_soft *soft, cf_soft_gate *gate, uint32_t at_most)
{
    if (atomic_load(&gate->count) <= at_most)
        return;
    uint64_t begin_ns = cf_clock_now_ns();
    cf_soft_gate_wait(gate, at_most, CF_WAIT_BLOCK);
    soft->blocked_ns += cf_clock_now_ns() - begin_ns;
}

/* Rule 6: before the call's own cost. */
static void wait_for_depth(cf_soft *soft, cf_soft_stream *stream)
{
    uint64_t depth = soft->model.queue_depth;
    if (depth != 0 && depth <= UINT32_MAX)
        wait_until_at_most(soft, &stream->pending, (uint32_t)(depth - 1));
}

static bool ring_idle(cf_soft_worker *worker)
{
    if (atomic_load(&worker->idle) == 0 || atomic_exchange(&worker->idle, 0) == 0)
        return false;
    cf_soft_worker_ring(worker);
    return true;
}

static bool ring_any(cf_soft_worker *workers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (ring_idle(&workers[i]))
            return true;
    return false;
}

/* A busy engine looks for itself when its command ends. A hold needs no slot, so anybody may see to it. */
static void ring(cf_soft *soft, const cf_soft_engine *engine, cf_soft_kind kind)
{
    if (!ring_any(engine->workers, engine->worker_count) && kind == CF_SOFT_HOLD)
        (void)ring_any(soft->workers, soft->worker_count);
}

/* The next slot of the ring; blocks while it is in use. Nobody drains a ring full of marks but who is rung. */
static cf_soft_command *claim(cf_soft *soft)
{
    cf_soft_command *c = &soft->ring[(soft->submitted + 1) & MASK];
    if (atomic_load_explicit(&c->turn, memory_order_acquire) == 0)
        return c;
    uint64_t begin_ns = cf_clock_now_ns();
    while (atomic_load_explicit(&c->turn, memory_order_acquire) != 0) {
        (void)ring_any(soft->workers, soft->worker_count);
        nanosleep(&(struct timespec){.tv_nsec = FULL_NAP_NS}, NULL);
    }
    soft->blocked_ns += cf_clock_now_ns() - begin_ns;
    return c;
}

typedef struct request {
    cf_soft_kind kind;
    const cf_op *op;
    cf_side side;
    int engine;
    uint64_t length_ns, wait_for;
    bool needs_idle;
    cf_event *event;
} request;

static void publish(cf_soft *soft, cf_soft_stream *stream, const request *r)
{
    cf_soft_command *c = claim(soft);
    uint64_t ticket = ++soft->submitted;
    c->ticket = ticket;
    c->kind = r->kind;
    c->op = *r->op;
    c->side = r->side;
    c->stream = stream;
    c->engine = r->engine;
    c->length_ns = r->length_ns;
    c->wait_for = r->wait_for;
    c->needs_idle = r->needs_idle;
    c->event = r->event;
    c->visible_ns = cf_clock_now_ns();
    if (r->event != NULL)
        r->event->ticket = ticket;
    if (r->kind != CF_SOFT_MARK) {
        atomic_fetch_add(&stream->pending.count, 1);
        atomic_fetch_add(&soft->pending.count, 1);
    }
    atomic_store(&c->turn, ticket);
    if (r->kind != CF_SOFT_MARK)
        ring(soft, &soft->engines[r->engine], r->kind);
}

static cf_status op_engine(const cf_soft *soft, cf_op_kind kind, int *ret_engine, cf_error *err)
{
    *ret_engine = cf_model_engine_of(&soft->model, kind);
    if (*ret_engine >= 0)
        return CF_OK;
    return cf_error_set(err, CF_INPUT, "no engine of model '%s' runs %s; 'runs' of an [engine NAME] must name it",
                        soft->model.name, cf_op_names[kind]);
}

/* The fault changes where an operation runs, not how long it takes. */
static int run_engine(const cf_soft *soft, cf_op_kind kind, int engine)
{
    int kernels = cf_model_engine_of(&soft->model, CF_OP_KERNEL);
    return soft->model.fault.wrong_engine && kind != CF_OP_KERNEL && kernels >= 0 ? kernels : engine;
}

static cf_status check_blocks(const cf_op *op, cf_error *err)
{
    if (op->src_offset_bytes % sizeof(uint64_t) != 0)
        return cf_error_set(err, CF_INPUT,
                            "an operation begins at byte %" PRIu64 " of its source; a multiple of 8 is accepted",
                            op->src_offset_bytes);
    uint64_t least_bytes = op->kind == CF_OP_KERNEL ? sizeof(uint64_t) : 0;
    if (op->src != NULL &&
        (op->src->size_bytes < least_bytes || op->src->size_bytes - least_bytes < op->src_offset_bytes))
        return cf_error_set(err, CF_INPUT, "an operation reads beyond the %" PRIu64 " bytes of its source",
                            op->src->size_bytes);
    if (op->kind == CF_OP_KERNEL && op->dst != NULL && op->index >= op->dst->size_bytes / sizeof(uint64_t))
        return cf_error_set(err, CF_INPUT, "a kernel's result %u is beyond the %" PRIu64 " bytes of its destination",
                            op->index, op->dst->size_bytes);
    return CF_OK;
}

/* A kernel in trips is as long as they take at our pace. */
static cf_status op_length(const cf_soft *soft, int engine, cf_op *op, uint64_t *ret_ns, cf_error *err)
{
    uint64_t ns = op->ns;
    if (op->trips > CF_MODEL_MAX_NS)
        return cf_error_set(err, CF_INPUT, "%c[%u] has %" PRIu64 " trips; at most 2^50 are accepted", 'a' + op->lane,
                            op->index, op->trips);
    if (op->kind == CF_OP_KERNEL && ns == 0)
        ns = cf_soft_share(op->trips, 1000, CF_SOFT_TRIPS_PER_US);
    if (op->kind == CF_OP_KERNEL && op->trips == 0)
        op->trips = cf_soft_share(ns, CF_SOFT_TRIPS_PER_US, 1000);
    cf_status status =
        cf_model_length_ns(&soft->model, engine, ns, op->kind == CF_OP_KERNEL ? 0 : op->bytes, ret_ns, err);
    if (status == CF_OK && soft->model.noise.on)
        *ret_ns = cf_soft_noise_apply(&soft->noise, *ret_ns);
    return status;
}

static cf_status op_wait(const cf_soft *soft, const cf_op *op, uint64_t *ret_ticket, cf_error *err)
{
    *ret_ticket = 0;
    if (op->waits == NULL || soft->model.fault.ignore_waits)
        return CF_OK;
    if (op->waits->ticket == 0)
        return cf_error_set(err, CF_INPUT,
                            "%c[%u] waits for an event that no operation has signalled: it could never start",
                            'a' + op->lane, op->index);
    *ret_ticket = op->waits->ticket;
    return CF_OK;
}

/* One call that records: a command, or a mark and the call's cost. event NULL: nobody asked for it. */
static void lower(cf_soft *soft, cf_soft_stream *stream, cf_event_kind kind, cf_event *event, const cf_op *op,
                  cf_side side, int engine)
{
    const cf_model_event *how = &soft->model.events[kind];
    request r = {.kind = CF_SOFT_MARK, .op = op, .side = side, .event = event};
    r.engine = cf_model_record_engine(&soft->model, kind, engine);
    if (how->lowering == CF_LOWER_COMMAND) {
        r.kind = CF_SOFT_RECORD;
        r.length_ns = how->cost_ns;
    } else if (how->lowering == CF_LOWER_HOLD) {
        r.kind = CF_SOFT_HOLD;
    }
    if (event != NULL && event->ignored)
        r.kind = CF_SOFT_MARK;
    if (r.kind != CF_SOFT_MARK)
        wait_for_depth(soft, stream);
    spend(how->host_ns);
    if (r.kind != CF_SOFT_MARK || event != NULL)
        publish(soft, stream, &r);
}

static void submit_op(cf_soft *soft, cf_soft_stream *stream, request *r)
{
    bool copy = r->op->kind != CF_OP_KERNEL;
    if (!copy && !stream->had_kernel) {
        stream->had_kernel = true;
        r->length_ns += soft->model.first_use_ns;
        r->needs_idle = soft->model.first_use_drains;
    }
    wait_for_depth(soft, stream);
    spend(copy ? soft->model.copy_ns : soft->model.kernel_ns);
    publish(soft, stream, r);
    /* The stream is in order and the host is in this call: when the stream is empty the copy has ended. */
    if (copy && soft->model.blocking_copy)
        wait_until_at_most(soft, &stream->pending, 0);
}

cf_status cf_soft_submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    cf_soft *soft = device->state;
    cf_soft_stream *state = stream->state;
    cf_op own = *op;
    request r = {.kind = CF_SOFT_OP, .op = &own, .event = op->signals};
    int engine;
    cf_status status = op_engine(soft, op->kind, &engine, err);
    if (status == CF_OK)
        status = check_blocks(op, err);
    if (status == CF_OK)
        status = op_length(soft, engine, &own, &r.length_ns, err);
    if (status == CF_OK)
        status = op_wait(soft, op, &r.wait_for, err);
    if (status != CF_OK)
        return status;
    soft->worked = true;
    r.engine = run_engine(soft, op->kind, engine);
    /* Timing that is stuck records on both sides of each operation that nobody else does so for. */
    if (soft->stuck && !state->recorded_before)
        lower(soft, state, CF_EVENT_TIMING, NULL, op, CF_SIDE_BEFORE, r.engine);
    state->recorded_before = false;
    submit_op(soft, state, &r);
    if (soft->stuck)
        lower(soft, state, CF_EVENT_TIMING, NULL, op, CF_SIDE_AFTER, r.engine);
    state->recorded_after = soft->stuck;
    return CF_OK;
}

cf_status cf_soft_record(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                         cf_error *err)
{
    cf_soft *soft = device->state;
    cf_soft_stream *state = stream->state;
    bool timing = event->kind == CF_EVENT_TIMING;
    int engine;
    cf_status status = op_engine(soft, op->kind, &engine, err);
    if (status != CF_OK)
        return status;
    engine = run_engine(soft, op->kind, engine);
    if (timing && side == CF_SIDE_AFTER && state->recorded_after) {
        request mark = {.kind = CF_SOFT_MARK, .op = op, .side = side, .event = event};
        mark.engine = cf_model_record_engine(&soft->model, event->kind, engine);
        publish(soft, state, &mark);
        state->recorded_after = false;
        return CF_OK;
    }
    lower(soft, state, event->kind, event, op, side, engine);
    if (timing && side == CF_SIDE_BEFORE)
        state->recorded_before = true;
    if (timing && !event->ignored && soft->model.events[event->kind].sticky)
        soft->stuck = true;
    return CF_OK;
}

cf_status cf_soft_wait(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err)
{
    (void)err;
    cf_soft *soft = device->state;
    cf_soft_gate_wait(stream != NULL ? &stream->state->pending : &soft->pending, 0, how);
    return CF_OK;
}
