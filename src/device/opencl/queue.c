#include <stdlib.h>
#include <time.h>

#include "device/op.h"
#include "device/opencl/state.h"

#define LOCAL_ITEMS     64u
#define GROUPS_PER_UNIT 4u /* a whole GPU: so many groups of 64 a compute unit */
#define SHARE_DEFAULT   0.25
#define COPY_ITEMS      16384u
#define POLL_NS         20000

/* ---- streams ---- */

static cf_status open_parts(cf_opencl *o, const cf_stream_desc *desc, cf_stream *s, cf_error *err)
{
    cl_int code = CL_SUCCESS;
    s->queue =
        o->cl.clCreateCommandQueue(o->context, o->device, desc->profiling ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    cf_status status = cf_cl_check(code, "clCreateCommandQueue", err);
    if (status != CF_OK)
        return status;
    s->kernel = o->cl.clCreateKernel(o->program, "cf_work", &code);
    status = cf_cl_check(code, "clCreateKernel", err);
    if (status != CF_OK)
        return status;
    s->copier = o->cl.clCreateKernel(o->program, "cf_copy", &code);
    return cf_cl_check(code, "clCreateKernel", err);
}

static void close_parts(cf_opencl *o, cf_stream *s)
{
    if (s->copier != NULL)
        (void)o->cl.clReleaseKernel(s->copier);
    if (s->kernel != NULL)
        (void)o->cl.clReleaseKernel(s->kernel);
    if (s->queue != NULL)
        (void)o->cl.clReleaseCommandQueue(s->queue);
    free(s);
}

cf_status cf_cl_stream_open(cf_device *device, const cf_stream_desc *desc, cf_stream **ret_stream, cf_error *err)
{
    cf_opencl *o = device->state;
    if (o->stream_count == CF_CL_MAX_STREAMS)
        return cf_error_set(err, CF_UNSUPPORTED, "more than %d streams", CF_CL_MAX_STREAMS);
    cf_stream *s = calloc(1, sizeof *s);
    if (s == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    cf_status status = open_parts(o, desc, s, err);
    if (status != CF_OK) {
        close_parts(o, s);
        return status;
    }
    o->streams[o->stream_count++] = s;
    *ret_stream = s;
    return CF_OK;
}

void cf_cl_stream_close(cf_device *device, cf_stream *stream)
{
    cf_opencl *o = device->state;
    for (size_t i = 0; i < o->stream_count; i++)
        if (o->streams[i] == stream)
            o->streams[i] = o->streams[--o->stream_count];
    (void)o->cl.clFinish(stream->queue);
    close_parts(o, stream);
}

bool cf_cl_stream_profiles(cf_device *device, cf_stream *stream)
{
    cf_opencl *o = device->state;
    cl_bits properties = 0;
    return o->cl.clGetCommandQueueInfo(stream->queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL) ==
               CL_SUCCESS &&
           (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
}

/* ---- operations ---- */

typedef struct call { /* what an enqueue takes beside its work */
    cf_opencl *o;
    cf_stream *stream;
    const cf_op *op;
    cl_uint wait_count;
    cl_event waits;
    cl_event *made; /* NULL: nobody wants an event */
} call;

static uint64_t copy_bytes(const cf_op *op)
{
    return cf_op_copy_bytes(op, op->src->size_bytes, op->dst->size_bytes);
}

static cf_status set_arg(cf_opencl *o, cl_kernel kernel, cl_uint at, size_t size, const void *value, cf_error *err)
{
    return cf_cl_check(o->cl.clSetKernelArg(kernel, at, size, value), "clSetKernelArg", err);
}

static size_t kernel_items(const cf_opencl *o, const cf_op *op)
{
    double share = op->share > 0 ? op->share : SHARE_DEFAULT;
    double groups = share * (double)o->units * (o->is_cpu ? 1 : GROUPS_PER_UNIT);
    return (groups < 1 ? 1 : (size_t)groups) * (o->is_cpu ? 1 : LOCAL_ITEMS);
}

static cf_status enqueue_range(const call *c, cl_kernel kernel, size_t items, size_t local, cf_error *err)
{
    return cf_cl_check(c->o->cl.clEnqueueNDRangeKernel(c->stream->queue, kernel, 1, NULL, &items, &local, c->wait_count,
                                                       c->wait_count ? &c->waits : NULL, c->made),
                       "clEnqueueNDRangeKernel", err);
}

static cf_status enqueue_kernel(const call *c, cf_error *err)
{
    const cf_op *op = c->op;
    const cl_ulong numbers[] = {op->src_offset_bytes / CF_OP_WORD, op->index, CF_EMULATED_TRIPS_KEY, op->trips};
    cl_kernel kernel = c->stream->kernel;
    cf_status status = set_arg(c->o, kernel, 0, sizeof(cl_mem), &op->src->mem, err);
    if (status == CF_OK)
        status = set_arg(c->o, kernel, 1, sizeof(cl_mem), &op->dst->mem, err);
    for (cl_uint i = 0; i < sizeof numbers / sizeof *numbers && status == CF_OK; i++)
        status = set_arg(c->o, kernel, 2 + i, sizeof numbers[i], &numbers[i], err);
    return status == CF_OK ? enqueue_range(c, kernel, kernel_items(c->o, op), c->o->is_cpu ? 1 : LOCAL_ITEMS, err)
                           : status;
}

static cf_status enqueue_kernel_copy(const call *c, cf_error *err)
{
    const cf_op *op = c->op;
    const cl_ulong numbers[] = {op->src_offset_bytes / CF_OP_WORD, copy_bytes(op) / CF_OP_WORD};
    cl_kernel kernel = c->stream->copier;
    cf_status status = cf_cl_block_give(c->o, op->src, err);
    if (status == CF_OK)
        status = set_arg(c->o, kernel, 0, sizeof(cl_mem), &op->src->mem, err);
    if (status == CF_OK)
        status = set_arg(c->o, kernel, 1, sizeof(cl_mem), &op->dst->mem, err);
    for (cl_uint i = 0; i < 2 && status == CF_OK; i++)
        status = set_arg(c->o, kernel, 2 + i, sizeof numbers[i], &numbers[i], err);
    return status == CF_OK ? enqueue_range(c, kernel, COPY_ITEMS, LOCAL_ITEMS, err) : status;
}

static cf_status write_piece(const call *c, uint64_t at, uint64_t bytes, bool first, bool last, cf_error *err)
{
    const cf_op *op = c->op;
    const unsigned char *host = op->src->host + op->src_offset_bytes + at;
    return cf_cl_check(c->o->cl.clEnqueueWriteBuffer(c->stream->queue, op->dst->mem, 0, at, bytes, host,
                                                     first ? c->wait_count : 0,
                                                     first && c->wait_count ? &c->waits : NULL, last ? c->made : NULL),
                       "clEnqueueWriteBuffer", err);
}

/* OpenCL has no call for many blocks: pieces are a loop, and the record says so. */
static cf_status enqueue_write(const call *c, uint32_t pieces, cf_error *err)
{
    uint64_t bytes = copy_bytes(c->op);
    if (c->op->src->host == NULL)
        return cf_error_set(err, CF_UNSUPPORTED, "this host block was given to a kernel");
    for (uint32_t i = 0; i < pieces; i++) {
        uint64_t from = bytes * i / pieces;
        uint64_t to = bytes * (i + 1) / pieces;
        cf_status status = to > from ? write_piece(c, from, to - from, i == 0, i + 1 == pieces, err) : CF_OK;
        if (status != CF_OK)
            return status;
    }
    return CF_OK;
}

static cf_status enqueue(const call *c, cf_error *err)
{
    const cf_op *op = c->op;
    cf_cl *cl = &c->o->cl;
    const cl_event *waits = c->wait_count ? &c->waits : NULL;
    switch (op->kind) {
    case CF_OP_KERNEL:
        return enqueue_kernel(c, err);
    case CF_OP_KERNEL_COPY:
        return enqueue_kernel_copy(c, err);
    case CF_OP_H2D:
        return enqueue_write(c, 1, err);
    case CF_OP_BATCH_COPY: {
        uint64_t words = copy_bytes(op) / CF_OP_WORD;
        uint64_t pieces = op->pieces < 1 ? 1 : op->pieces < words ? op->pieces : words;
        return enqueue_write(c, (uint32_t)pieces, err);
    }
    case CF_OP_D2H:
        return cf_cl_check(cl->clEnqueueReadBuffer(c->stream->queue, op->src->mem, 0, op->src_offset_bytes,
                                                   copy_bytes(op), op->dst->host, c->wait_count, waits, c->made),
                           "clEnqueueReadBuffer", err);
    default:
        return cf_cl_check(cl->clEnqueueCopyBuffer(c->stream->queue, op->src->mem, op->dst->mem, op->src_offset_bytes,
                                                   0, copy_bytes(op), c->wait_count, waits, c->made),
                           "clEnqueueCopyBuffer", err);
    }
}

static void drop(cf_opencl *o, cf_event *event)
{
    if (event->handle != NULL)
        (void)o->cl.clReleaseEvent(event->handle);
    event->handle = NULL;
}

static cf_status hand_out(cf_opencl *o, cf_event *event, cl_event made, cf_error *err)
{
    cf_status status = cf_cl_check(o->cl.clRetainEvent(made), "clRetainEvent", err);
    if (status != CF_OK)
        return status;
    drop(o, event);
    event->handle = made;
    event->fresh = true;
    return CF_OK;
}

static cf_status give_events(cf_opencl *o, const cf_op *op, cl_event made, cf_error *err)
{
    cf_status status = CF_OK;
    if (made == NULL)
        return CF_OK;
    if (op->signals != NULL)
        status = hand_out(o, op->signals, made, err);
    if (status == CF_OK && op->observer != NULL)
        status = hand_out(o, op->observer, made, err);
    (void)o->cl.clReleaseEvent(made);
    return status;
}

cf_status cf_cl_submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    cf_opencl *o = device->state;
    cl_event made = NULL;
    call c = {.o = o, .stream = stream, .op = op};
    if (op->signals != NULL || op->observer != NULL)
        c.made = &made;
    if (op->waits != NULL && op->waits->handle != NULL) {
        c.wait_count = 1;
        c.waits = op->waits->handle;
    }
    cf_status status = enqueue(&c, err);
    if (status == CF_OK)
        status = give_events(o, op, made, err);
    return status == CF_OK && o->flush_each ? cf_cl_check(o->cl.clFlush(stream->queue), "clFlush", err) : status;
}

/* ---- waits ---- */

/* A queue cannot be asked whether it is idle: a marker at its end can. */
static cf_status watch(cf_opencl *o, cf_stream *stream, cf_wait how, cf_error *err)
{
    cl_event end = NULL;
    cf_status status = cf_cl_check(o->cl.clEnqueueMarkerWithWaitList(stream->queue, 0, NULL, &end),
                                   "clEnqueueMarkerWithWaitList", err);
    if (status == CF_OK)
        status = cf_cl_check(o->cl.clFlush(stream->queue), "clFlush", err);
    cl_int state = 1;
    while (status == CF_OK && state > CL_COMPLETE) {
        status = cf_cl_check(o->cl.clGetEventInfo(end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL),
                             "clGetEventInfo", err);
        if (state > CL_COMPLETE && how == CF_WAIT_POLL)
            nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    }
    if (end != NULL)
        (void)o->cl.clReleaseEvent(end);
    return status == CF_OK ? cf_cl_check(state < 0 ? state : CL_SUCCESS, "a command in the queue", err) : status;
}

static cf_status wait_one(cf_opencl *o, cf_stream *stream, cf_wait how, cf_error *err)
{
    if (how == CF_WAIT_BLOCK)
        return cf_cl_check(o->cl.clFinish(stream->queue), "clFinish", err);
    return watch(o, stream, how, err);
}

cf_status cf_cl_wait(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err)
{
    cf_opencl *o = device->state;
    cf_status status = CF_OK;
    /* All are given to the driver before the first is waited for: they may depend on one another. */
    for (size_t i = 0; i < o->stream_count && status == CF_OK && !o->flush_each; i++)
        status = cf_cl_check(o->cl.clFlush(o->streams[i]->queue), "clFlush", err);
    if (status != CF_OK || stream != NULL)
        return status == CF_OK ? wait_one(o, stream, how, err) : status;
    for (size_t i = 0; i < o->stream_count && status == CF_OK; i++)
        status = wait_one(o, o->streams[i], how, err);
    return status;
}

/* ---- events ---- */

cf_status cf_cl_event_new(cf_device *device, cf_event_kind kind, cf_event **ret_event, cf_error *err)
{
    (void)device;
    cf_event *event = calloc(1, sizeof *event);
    if (event == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    event->kind = kind;
    *ret_event = event;
    return CF_OK;
}

void cf_cl_event_free(cf_device *device, cf_event *event)
{
    drop(device->state, event);
    free(event);
}

cf_status cf_cl_record(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                       cf_error *err)
{
    (void)op;
    (void)side;
    cf_opencl *o = device->state;
    cl_event made = NULL;
    cf_status status = cf_cl_check(o->cl.clEnqueueMarkerWithWaitList(stream->queue, 0, NULL, &made),
                                   "clEnqueueMarkerWithWaitList", err);
    if (status != CF_OK)
        return status;
    status = hand_out(o, event, made, err);
    (void)o->cl.clReleaseEvent(made);
    return status;
}

static cf_status stamp(cf_opencl *o, const cf_event *event, cl_uint which, int64_t *ret_ns, bool *has, cf_error *err)
{
    cl_ulong ns = 0;
    cl_int code = o->cl.clGetEventProfilingInfo(event->handle, which, sizeof ns, &ns, NULL);
    *ret_ns = (int64_t)ns;
    if (code == CL_PROFILING_INFO_NOT_AVAILABLE)
        *has = false; /* the queue does not profile */
    return code == CL_PROFILING_INFO_NOT_AVAILABLE ? CF_OK : cf_cl_check(code, "clGetEventProfilingInfo", err);
}

cf_status cf_cl_event_read(cf_device *device, cf_event *event, cf_event_reading *ret_reading, cf_error *err)
{
    cf_opencl *o = device->state;
    cf_event_reading reading = {0};
    cl_int state = 1;
    cf_status status = CF_OK;
    if (event->fresh)
        status = cf_cl_check(
            o->cl.clGetEventInfo(event->handle, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL),
            "clGetEventInfo", err);
    reading.completed = state == CL_COMPLETE;
    reading.has_stamp = reading.completed && event->kind == CF_EVENT_TIMING;
    if (status == CF_OK && reading.has_stamp)
        status = stamp(o, event, CL_PROFILING_COMMAND_START, &reading.begin_ns, &reading.has_stamp, err);
    if (status == CF_OK && reading.has_stamp)
        status = stamp(o, event, CL_PROFILING_COMMAND_END, &reading.stamp_ns, &reading.has_stamp, err);
    event->fresh = false;
    if (status == CF_OK)
        *ret_reading = reading;
    return status;
}
