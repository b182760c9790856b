/* Operations, in the clock. */
#include "device/cuda/state.h"

#include <stdlib.h>

#include "base/clock.h"
#include "device/op.h"

#define KERNEL_SHARE       0.25 /* two kernels of this share run on multiprocessors of their own */
#define COPY_KERNEL_PART   8    /* a kernel-copy takes this part of the multiprocessors: what a bus needs */
#define BATCH_ROOM         4096
#define SLOW_CALL          4  /* a call that takes this many times the shortest one is looked at */
#define LONG_CALL          16 /* … and this many times it, and its work is over, it waited for that */
#define FULL_QUEUE         64 /* … and this many times it, while work is queued, it waited for room */
#define KERNEL_NEVER_VALUE UINT64_C(0x9e3779b97f4a7c15)

static cf_status check(const cf_op *op, cf_error *err)
{
    cf_op_places places = {0};
    if (op->src != NULL && op->dst != NULL)
        places = (cf_op_places){.src_bytes = op->src->size_bytes,
                                .dst_bytes = op->dst->size_bytes,
                                .from_host = op->src->host != NULL,
                                .to_host = op->dst->host != NULL,
                                .kernel_reaches = op->src->device != 0 && op->dst->device != 0};
    return cf_op_check(op, &places, op->waits == NULL || op->waits->signalled, err);
}

static uint64_t bytes_of(const cf_op *op)
{
    return cf_op_copy_bytes(op, op->src->size_bytes, op->dst->size_bytes);
}

static unsigned blocks_of(const cf_cuda *cuda, const cf_op *op)
{
    bool copies = op->kind == CF_OP_KERNEL_COPY;
    double full = cuda->full[copies];
    int bus = cuda->sms / COPY_KERNEL_PART;
    double blocks = copies ? bus : KERNEL_SHARE * full;
    if (op->share > 0)
        blocks = op->share * full;
    return blocks < 1 ? 1 : blocks > full ? (unsigned)full : (unsigned)blocks;
}

static cf_status launch(const cf_cuda *cuda, const cf_stream *stream, const cf_op *op, cf_error *err)
{
    bool copies = op->kind == CF_OP_KERNEL_COPY;
    uint64_t bytes = copies ? bytes_of(op) : 0;
    cf_cu_pointer src = op->src->device + op->src_offset_bytes;
    cf_cu_pointer dst = copies ? op->dst->device : op->dst->device + (uint64_t)op->index * CF_OP_WORD;
    uint64_t third = copies ? bytes / CF_OP_WORD : op->trips;
    uint64_t fourth = copies ? bytes % CF_OP_WORD : KERNEL_NEVER_VALUE;
    void *parameters[] = {&src, &dst, &third, &fourth};
    return CF_CUDA_TRY(&cuda->api, err, "cuLaunchKernel",
                       cuda->api.launch(copies ? cuda->copy : cuda->kernel, blocks_of(cuda, op), 1, 1, CF_CUDA_THREADS,
                                        1, 1, 0, stream->handle, parameters, NULL));
}

bool cf_cuda_batches(const cf_cuda *cuda)
{
    return cuda->api.batch != NULL || cuda->api.batch_v1 != NULL;
}

void cf_cuda_batch_done(cf_cuda_batch *batch)
{
    free(batch->to);
    free(batch->from);
    free(batch->bytes);
    *batch = (cf_cuda_batch){0};
}

cf_status cf_cuda_batch_make(cf_cuda_batch *batch, size_t pieces, cf_error *err)
{
    cf_cuda_batch_done(batch);
    batch->capacity = pieces > BATCH_ROOM ? pieces : BATCH_ROOM;
    batch->to = calloc(batch->capacity, sizeof *batch->to);
    batch->from = calloc(batch->capacity, sizeof *batch->from);
    batch->bytes = calloc(batch->capacity, sizeof *batch->bytes);
    if (batch->to != NULL && batch->from != NULL && batch->bytes != NULL)
        return CF_OK;
    cf_cuda_batch_done(batch);
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

/* Equal pieces; the last one takes what is left. */
static size_t split(cf_cuda_batch *batch, const cf_op *op)
{
    uint64_t left = bytes_of(op);
    uint64_t pieces = op->pieces == 0 ? 1 : cf_min_u64(op->pieces, left == 0 ? 1 : left);
    uint64_t piece = left / pieces;
    const char *from = (const char *)op->src->host + op->src_offset_bytes;
    for (uint64_t i = 0; i < pieces; i++) {
        batch->to[i] = op->dst->device + i * piece;
        batch->from[i] = (cf_cu_pointer)(uintptr_t)(from + i * piece);
        batch->bytes[i] = i + 1 < pieces ? piece : left;
        left -= batch->bytes[i];
    }
    return (size_t)pieces;
}

static cf_status copy_each(const cf_cuda *cuda, const cf_stream *stream, const cf_op *op, size_t pieces, cf_error *err)
{
    const cf_cuda_batch *b = &cuda->batch;
    const char *from = (const char *)op->src->host + op->src_offset_bytes;
    cf_status status = CF_OK;
    for (size_t i = 0; i < pieces && status == CF_OK; i++)
        status = CF_CUDA_TRY(&cuda->api, err, "cuMemcpyHtoDAsync",
                             cuda->api.h2d(b->to[i], from + (b->to[i] - b->to[0]), b->bytes[i], stream->handle));
    return status;
}

/* The default stream takes no batch. */
static cf_status copy_batch(cf_cuda *cuda, const cf_stream *stream, const cf_op *op, cf_error *err)
{
    /* More pieces than there is room for: it grows in a lane's first step, which is never one of the timed. */
    if (op->pieces > cuda->batch.capacity && cf_cuda_batch_make(&cuda->batch, op->pieces, err) != CF_OK)
        return CF_MEMORY;
    cf_cuda_batch *b = &cuda->batch;
    size_t pieces = split(b, op);
    if (stream->is_default || !cf_cuda_batches(cuda))
        return copy_each(cuda, stream, op, pieces, err);
    cf_cu_copy_attributes all = {.source_order = CF_CU_ACCESS_ORDER_STREAM, .flags = CF_CU_PREFER_OVERLAP};
    size_t first = 0;
    size_t failed = 0;
    cf_cu_result code =
        cuda->api.batch != NULL
            ? cuda->api.batch(b->to, b->from, b->bytes, pieces, &all, &first, 1, stream->handle)
            : cuda->api.batch_v1(b->to, b->from, b->bytes, pieces, &all, &first, 1, &failed, stream->handle);
    return CF_CUDA_TRY(&cuda->api, err, "cuMemcpyBatchAsync", code);
}

static cf_status issue(cf_cuda *cuda, const cf_stream *stream, const cf_op *op, cf_error *err)
{
    const cf_cuda_api *api = &cuda->api;
    char *from = op->src->host != NULL ? (char *)op->src->host + op->src_offset_bytes : NULL;
    cf_cu_pointer src = op->src->device + op->src_offset_bytes;
    switch (op->kind) {
    case CF_OP_H2D:
        return CF_CUDA_TRY(api, err, "cuMemcpyHtoDAsync",
                           api->h2d(op->dst->device, from, bytes_of(op), stream->handle));
    case CF_OP_D2H:
        return CF_CUDA_TRY(api, err, "cuMemcpyDtoHAsync", api->d2h(op->dst->host, src, bytes_of(op), stream->handle));
    case CF_OP_D2D:
        return CF_CUDA_TRY(api, err, "cuMemcpyDtoDAsync", api->d2d(op->dst->device, src, bytes_of(op), stream->handle));
    case CF_OP_BATCH_COPY:
        return copy_batch(cuda, stream, op, err);
    case CF_OP_KERNEL:
    case CF_OP_KERNEL_COPY:
        return launch(cuda, stream, op, err);
    case CF_OP_COUNT:
        break;
    }
    return cf_error_set(err, CF_UNSUPPORTED, "device cuda does not know this kind of operation");
}

/* Was the host held up inside a call that took spent_ns? The documentation says so of copies of pageable memory. Of the
   rest, the device knows: where the stream is empty when the call returns, the operation ended inside it; and where
   work is queued and the call took far longer than a call does, it waited for room in the queue. */
static cf_status was_blocked(const cf_cuda *cuda, const cf_stream *stream, const cf_op *op, uint64_t spent_ns,
                             bool *ret_blocked, cf_error *err)
{
    *ret_blocked = cuda->pageable && (op->src->host != NULL || op->dst->host != NULL);
    if (*ret_blocked || spent_ns <= LONG_CALL * cuda->call_ns)
        return CF_OK;
    cf_cu_result code = cuda->api.stream_query(stream->handle);
    uint64_t least = code == CF_CU_SUCCESS ? LONG_CALL : FULL_QUEUE;
    *ret_blocked = spent_ns > least * cuda->call_ns;
    return code == CF_CU_ERROR_NOT_READY ? CF_OK : CF_CUDA_TRY(&cuda->api, err, "cuStreamQuery", code);
}

static cf_status account(cf_cuda *cuda, const cf_stream *stream, const cf_op *op, uint64_t spent_ns, cf_error *err)
{
    bool blocked = false;
    cf_status status = CF_OK;
    if (spent_ns < cuda->call_ns)
        cuda->call_ns = spent_ns;
    else if (spent_ns > SLOW_CALL * cuda->call_ns)
        status = was_blocked(cuda, stream, op, spent_ns, &blocked, err);
    if (blocked)
        cuda->blocked_ns += spent_ns - cuda->call_ns;
    return status;
}

cf_status cf_cuda_submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    cf_cuda *cuda = device->state;
    const cf_cuda_api *api = &cuda->api;
    cf_status status = check(op, err);
    if (status == CF_OK)
        status = cf_cuda_enter(cuda, err);
    if (status == CF_OK && op->waits != NULL)
        status =
            CF_CUDA_TRY(api, err, "cuStreamWaitEvent", api->stream_wait_event(stream->handle, op->waits->handle, 0));
    if (status != CF_OK)
        return status;
    uint64_t begin_ns = cf_clock_now_ns();
    status = issue(cuda, stream, op, err);
    if (status != CF_OK)
        return status;
    status = account(cuda, stream, op, cf_clock_now_ns() - begin_ns, err);
    if (status != CF_OK)
        return status;
    return op->signals != NULL ? cf_cuda_record(device, stream, op->signals, op, CF_SIDE_AFTER, err) : CF_OK;
}
