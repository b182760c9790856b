/* Operations, in the clock. */
#include "base/clock.h"
#include "device/level_zero/state.h"
#include "device/op.h"

#define KERNEL_SHARE     0.25
#define COPY_KERNEL_PART 8  /* a kernel-copy takes this part of the device: what a bus needs */
#define SLOW_CALL        4  /* a call that takes this many times the shortest one is looked at */
#define LONG_CALL        16 /* … and this many times it, and its work is over, it waited for that */
#define FULL_QUEUE       64 /* … and this many times it, while work is queued, it waited for room */

static cf_status check(const cf_ze *ze, const cf_op *op, cf_error *err)
{
    cf_op_places places = {0};
    if (op->src != NULL && op->dst != NULL) {
        bool from_host = op->src->place == CF_PLACE_HOST, to_host = op->dst->place == CF_PLACE_HOST;
        places = (cf_op_places){.src_bytes = op->src->size_bytes,
                                .dst_bytes = op->dst->size_bytes,
                                .from_host = from_host,
                                .to_host = to_host,
                                .kernel_reaches = !ze->pageable || (!from_host && !to_host)};
    }
    return cf_op_check(op, &places, op->waits == NULL || op->waits->signalled, err);
}

static uint64_t bytes_of(const cf_op *op)
{
    return cf_op_copy_bytes(op, op->src->size_bytes, op->dst->size_bytes);
}

static uint32_t groups_of(const cf_ze *ze, const cf_op *op)
{
    double full = ze->full;
    double groups = op->kind == CF_OP_KERNEL_COPY ? full / COPY_KERNEL_PART : KERNEL_SHARE * full;
    if (op->share > 0)
        groups = op->share * full;
    return groups < 1 ? 1 : groups > full ? ze->full : (uint32_t)groups;
}

typedef struct call { /* what an append takes beside its work */
    cf_ze *ze;
    cf_stream *stream;
    const cf_op *op;
    cf_ze_list list;
    cf_ze_event signal;
    uint32_t wait_count;
    cf_ze_event *waits;
} call;

static cf_status set_arguments(const cf_ze_api *api, cf_ze_kernel kernel, const uint64_t values[4], cf_error *err)
{
    cf_status status = CF_OK;
    for (uint32_t i = 0; i < 4 && status == CF_OK; i++)
        status =
            CF_ZE_TRY(err, "zeKernelSetArgumentValue", api->kernel_argument(kernel, i, sizeof values[i], &values[i]));
    return status;
}

/* Addresses of the host and of the device are one space, and 64 bits wide, as a kernel's arguments are. */
static cf_status launch(const call *c, cf_error *err)
{
    const cf_op *op = c->op;
    bool copies = op->kind == CF_OP_KERNEL_COPY;
    uint64_t src = (uint64_t)(uintptr_t)op->src->data + op->src_offset_bytes;
    uint64_t dst = (uint64_t)(uintptr_t)op->dst->data + (copies ? 0 : (uint64_t)op->index * CF_OP_WORD);
    uint64_t bytes = copies ? bytes_of(op) : 0;
    const uint64_t work[4] = {src, dst, CF_EMULATED_TRIPS_KEY, op->trips};
    const uint64_t copy[4] = {src, dst, bytes / CF_OP_WORD, bytes % CF_OP_WORD};
    const cf_ze_groups groups = {groups_of(c->ze, op), 1, 1};
    cf_ze_kernel kernel = copies ? c->stream->copier : c->stream->kernel;
    cf_status status = set_arguments(&c->ze->api, kernel, copies ? copy : work, err);
    return status == CF_OK
               ? CF_ZE_TRY(err, "zeCommandListAppendLaunchKernel",
                           c->ze->api.append_launch(c->list, kernel, &groups, c->signal, c->wait_count, c->waits))
               : status;
}

/* Equal pieces, the last one takes what is left; the first waits and the last signals. */
static cf_status copy(const call *c, uint64_t pieces, cf_error *err)
{
    const cf_op *op = c->op;
    const unsigned char *from = (const unsigned char *)op->src->data + op->src_offset_bytes;
    unsigned char *to = op->dst->data;
    uint64_t bytes = bytes_of(op);
    cf_status status = CF_OK;
    for (uint64_t i = 0; i < pieces && status == CF_OK; i++) {
        uint64_t at = bytes / pieces * i;
        uint64_t size = i + 1 < pieces ? bytes / pieces : bytes - at;
        bool last = i + 1 == pieces;
        status = CF_ZE_TRY(err, "zeCommandListAppendMemoryCopy",
                           c->ze->api.append_copy(c->list, to + at, from + at, size, last ? c->signal : NULL,
                                                  i == 0 ? c->wait_count : 0, i == 0 ? c->waits : NULL));
    }
    return status;
}

static cf_status append(const call *c, cf_error *err)
{
    uint64_t bytes = bytes_of(c->op);
    uint64_t pieces = c->op->kind == CF_OP_BATCH_COPY && c->op->pieces > 1 ? c->op->pieces : 1;
    if (c->op->kind == CF_OP_KERNEL || c->op->kind == CF_OP_KERNEL_COPY)
        return launch(c, err);
    return copy(c, pieces < bytes ? pieces : bytes > 0 ? bytes : 1, err);
}

cf_status cf_ze_barrier(const cf_ze *ze, cf_ze_list list, cf_error *err)
{
    return CF_ZE_TRY(err, "zeCommandListAppendBarrier", ze->api.append_barrier(list, NULL, 0, NULL));
}

/* An operation has one signal event. Where an instrument gives it its own, the dependency follows that one. */
static void choose_signal(call *c)
{
    const cf_op *op = c->op;
    if (op->observer != NULL)
        c->signal = op->observer->handle;
    else if (op->signals != NULL)
        c->signal = op->signals->handle;
    if (op->waits != NULL) {
        c->wait_count = 1;
        c->waits = &op->waits->current;
    }
}

static void note_signal(const call *c)
{
    const cf_op *op = c->op;
    if (op->observer != NULL)
        cf_ze_event_given(op->observer);
    if (op->signals == NULL)
        return;
    op->signals->current = c->signal;
    op->signals->signalled = true;
    if (op->observer == NULL)
        cf_ze_event_given(op->signals);
}

/* Was the host held up inside a call that took spent_ns? Level Zero does not tell. Where the stream is idle when the
   call returns, the operation ended inside it; where work is queued and the call took far longer than a call does, it
   waited for room. */
static cf_status account(cf_ze *ze, const cf_stream *stream, const cf_op *op, uint64_t spent_ns, cf_error *err)
{
    bool host = op->src->place == CF_PLACE_HOST || op->dst->place == CF_PLACE_HOST;
    bool blocked = false;
    cf_status status = CF_OK;
    if (spent_ns < ze->call_ns)
        ze->call_ns = spent_ns;
    else if (ze->pageable && host)
        blocked = spent_ns > SLOW_CALL * ze->call_ns;
    else if (spent_ns > FULL_QUEUE * ze->call_ns)
        blocked = true;
    else if (spent_ns > LONG_CALL * ze->call_ns)
        status = cf_ze_stream_idle(ze, stream, &blocked, err);
    if (blocked)
        ze->blocked_ns += spent_ns - ze->call_ns;
    return status;
}

cf_status cf_level_zero_submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    cf_ze *ze = device->state;
    call c = {.ze = ze, .stream = stream, .op = op};
    cf_status status = check(ze, op, err);
    if (status == CF_OK)
        status = cf_ze_list_begin(ze, stream, op->kind, &c.list, err);
    if (status != CF_OK)
        return status;
    choose_signal(&c);
    uint64_t begin_ns = cf_clock_now_ns();
    status = append(&c, err);
    if (status == CF_OK)
        status = cf_ze_list_end(ze, stream, c.list, err);
    if (status != CF_OK)
        return status;
    note_signal(&c);
    cf_ze_note_op(ze, stream, op, bytes_of(op));
    return account(ze, stream, op, cf_clock_now_ns() - begin_ns, err);
}
