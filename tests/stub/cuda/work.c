/* Streams, events, copies and kernels, on the embedded device. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "stub.h"

#define RATE_IN     2000000000ull /* bytes/s, as in the model */
#define RATE_KERNEL 1000000000ull
#define CBID_LAUNCH 307
#define CBID_H2D    277
#define CBID_D2H    279
#define CBID_D2D    281
#define CBID_BATCH  796
#define COPY_H2D    1 /* CUpti_ActivityMemcpyKind */
#define COPY_D2H    2
#define COPY_D2D    8

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

bool stub_idle(const struct cf_cu_stream_st *stream)
{
    return atomic_load(&stream->soft->state->pending.count) == 0;
}

static void wait_stream(const struct cf_cu_stream_st *stream)
{
    while (!stub_idle(stream))
        nap();
}

void stub_wait_all(void)
{
    for (int i = 0; i < STUB_STREAMS; i++)
        if (stub.streams[i] != NULL)
            wait_stream(stub.streams[i]);
}

void stub_works_done(void)
{
    while (stub.works != NULL) {
        stub_work *next = stub.works->next;
        free(stub.works);
        stub.works = next;
    }
}

static cf_cu_result make_stream(int number, unsigned flags, cf_cu_stream *ret_stream)
{
    cf_cu_stream stream = calloc(1, sizeof *stream);
    if (stream == NULL || stub.soft == NULL)
        return STUB_OUT_OF_MEMORY;
    if (cf_device_stream_open(stub.soft, &(cf_stream_desc){.number = (uint32_t)number}, &stream->soft, NULL) != CF_OK) {
        free(stream);
        return STUB_OUT_OF_MEMORY;
    }
    stream->flags = flags;
    stream->id = STUB_DEFAULT_ID + (uint32_t)number;
    stub.streams[number] = stream;
    *ret_stream = stream;
    return 0;
}

struct cf_cu_stream_st *stub_stream(cf_cu_stream handle)
{
    cf_cu_stream made = NULL;
    if (handle == NULL || handle == CF_CU_STREAM_LEGACY)
        return stub.streams[0] != NULL || make_stream(0, CF_CU_STREAM_DEFAULT, &made) == 0 ? stub.streams[0] : NULL;
    for (int i = 1; i < STUB_STREAMS; i++)
        if (stub.streams[i] == handle)
            return handle;
    return NULL;
}

ENTRY cf_cu_result cuStreamCreateWithPriority(cf_cu_stream *ret_stream, unsigned flags, int priority)
{
    STUB_BEGIN("cuStreamCreateWithPriority");
    if (priority > 0 || priority < -5)
        return STUB_INVALID_VALUE;
    for (int i = 1; i < STUB_STREAMS; i++)
        if (stub.streams[i] == NULL) {
            cf_cu_result code = make_stream(i, flags, ret_stream);
            stub.alive += code == 0;
            return code;
        }
    return STUB_OUT_OF_MEMORY;
}

static cf_cu_result destroy_custreamdestroy(cf_cu_stream handle)
{
    for (int i = 1; i < STUB_STREAMS; i++)
        if (handle != NULL && stub.streams[i] == handle) {
            wait_stream(handle);
            cf_device_stream_close(stub.soft, handle->soft);
            free(handle);
            stub.streams[i] = NULL;
            stub.alive--;
            return 0;
        }
    return STUB_INVALID_HANDLE;
}

ENTRY cf_cu_result cuStreamDestroy_v2(cf_cu_stream handle)
{
    int planned = stub_failure("cuStreamDestroy_v2");
    cf_cu_result code = destroy_custreamdestroy(handle);
    return planned != 0 ? planned : code;
}

ENTRY cf_cu_result cuStreamQuery(cf_cu_stream handle)
{
    STUB_BEGIN("cuStreamQuery");
    const struct cf_cu_stream_st *stream = stub_stream(handle);
    if (stream == NULL)
        return STUB_INVALID_HANDLE;
    return stub_idle(stream) ? 0 : STUB_NOT_READY;
}

ENTRY cf_cu_result cuStreamSynchronize(cf_cu_stream handle)
{
    STUB_BEGIN("cuStreamSynchronize");
    const struct cf_cu_stream_st *stream = stub_stream(handle);
    if (stream == NULL)
        return STUB_INVALID_HANDLE;
    return cf_device_wait(stub.soft, stream->soft, CF_WAIT_BLOCK, NULL) == CF_OK ? 0 : 999;
}

ENTRY cf_cu_result cuCtxSynchronize(void)
{
    STUB_BEGIN("cuCtxSynchronize");
    if (stub.soft == NULL || !stub.current)
        return STUB_INVALID_CONTEXT;
    cf_status status = cf_device_wait(stub.soft, NULL, CF_WAIT_BLOCK, NULL);
    stub_works_done();
    return status == CF_OK ? 0 : 999;
}

stub_memory *stub_find(const void *pointer, size_t bytes)
{
    const char *at = pointer;
    for (stub_memory *memory = stub.memory; memory != NULL; memory = memory->next)
        if (at >= memory->data && bytes <= memory->bytes && (size_t)(at - memory->data) <= memory->bytes - bytes)
            return memory;
    return NULL;
}

/* The default stream and blocking streams wait for each other; here it is the host that does. */
static void synchronise_with_default(const struct cf_cu_stream_st *stream)
{
    if (stream->flags & CF_CU_STREAM_NON_BLOCKING)
        return;
    for (int i = 0; i < STUB_STREAMS; i++) {
        const struct cf_cu_stream_st *other = stub.streams[i];
        if (other == NULL || other == stream || (other->flags & CF_CU_STREAM_NON_BLOCKING))
            continue;
        if (stream == stub.streams[0] || i == 0)
            wait_stream(other);
    }
}

static cf_block view(const void *data, size_t bytes)
{
    return (cf_block){.size_bytes = bytes, .words = bytes / 8 + 1, .data = (uint64_t *)(uintptr_t)data};
}

static cf_cu_result submit(struct cf_cu_stream_st *stream, cf_op op, const void *to, size_t to_bytes, const void *from,
                           size_t from_bytes)
{
    stub_work *work = calloc(1, sizeof *work);
    if (work == NULL)
        return STUB_OUT_OF_MEMORY;
    synchronise_with_default(stream);
    *work = (stub_work){.src = view(from, from_bytes), .dst = view(to, to_bytes), .next = stub.works};
    stub.works = work;
    op.src = &work->src;
    op.dst = &work->dst;
    op.waits = stream->wait.ticket != 0 ? &stream->wait : NULL;
    cf_status status = cf_device_submit(stub.soft, stream->soft, &op, NULL);
    stream->wait.ticket = 0;
    return status == CF_OK ? 0 : 719;
}

/* Pageable memory: the host is inside the call until it has been read or written. */
static cf_cu_result copy_now(struct cf_cu_stream_st *stream, void *to, const void *from, size_t bytes, int copy_kind)
{
    synchronise_with_default(stream);
    wait_stream(stream);
    uint64_t until_ns = cf_clock_now_ns() + bytes * CF_NS_PER_S / RATE_IN;
    memcpy(to, from, bytes);
    while (cf_clock_now_ns() < until_ns)
        nap();
    stub_trace_now(stream->id, copy_kind, bytes);
    return 0;
}

static cf_cu_result copy(cf_cu_stream handle, cf_op_kind kind, int copy_kind, void *to, const void *from, size_t bytes)
{
    struct cf_cu_stream_st *stream = stub_stream(handle);
    const stub_memory *source = stub_find(from, bytes);
    const stub_memory *target = stub_find(to, bytes);
    bool host_source = kind == CF_OP_H2D || kind == CF_OP_BATCH_COPY;
    if (stream == NULL)
        return STUB_INVALID_HANDLE;
    if (host_source ? target == NULL || target->on_host || (source != NULL && !source->on_host)
                    : source == NULL || source->on_host)
        return STUB_INVALID_VALUE;
    if (kind == CF_OP_D2D && (target == NULL || target->on_host))
        return STUB_INVALID_VALUE;
    bool aligned = (uintptr_t)to % 8 == 0 && (uintptr_t)from % 8 == 0;
    if (source == NULL || target == NULL || !aligned || bytes == 0)
        return copy_now(stream, to, from, bytes, copy_kind);
    cf_op op = {.kind = kind, .bytes = bytes};
    op.signals = stub_trace(stream, copy_kind, bytes, bytes * CF_NS_PER_S / RATE_IN);
    return submit(stream, op, to, bytes, from, bytes);
}

ENTRY cf_cu_result cuMemcpyHtoDAsync_v2(cf_cu_pointer to, const void *from, size_t bytes, cf_cu_stream stream)
{
    STUB_BEGIN("cuMemcpyHtoDAsync_v2");
    stub_call(CBID_H2D, true);
    cf_cu_result code = copy(stream, CF_OP_H2D, COPY_H2D, (void *)(uintptr_t)to, from, bytes);
    stub_call(CBID_H2D, false);
    return code;
}

ENTRY cf_cu_result cuMemcpyDtoHAsync_v2(void *to, cf_cu_pointer from, size_t bytes, cf_cu_stream stream)
{
    STUB_BEGIN("cuMemcpyDtoHAsync_v2");
    stub_call(CBID_D2H, true);
    cf_cu_result code = copy(stream, CF_OP_D2H, COPY_D2H, to, (const void *)(uintptr_t)from, bytes);
    stub_call(CBID_D2H, false);
    return code;
}

ENTRY cf_cu_result cuMemcpyDtoDAsync_v2(cf_cu_pointer to, cf_cu_pointer from, size_t bytes, cf_cu_stream stream)
{
    STUB_BEGIN("cuMemcpyDtoDAsync_v2");
    stub_call(CBID_D2D, true);
    cf_cu_result code = copy(stream, CF_OP_D2D, COPY_D2D, (void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
    stub_call(CBID_D2D, false);
    return code;
}

#if STUB_VERSION >= 12080
static cf_cu_result copy_batch(const cf_cu_pointer *to, const cf_cu_pointer *from, const size_t *bytes, size_t count,
                               const cf_cu_copy_attributes *attributes, const size_t *firsts, size_t attribute_count,
                               cf_cu_stream stream)
{
    if (count == 0 || attribute_count != 1 || firsts[0] != 0 || attributes->source_order != CF_CU_ACCESS_ORDER_STREAM ||
        stream == NULL || stream == CF_CU_STREAM_LEGACY)
        return STUB_INVALID_VALUE;
    cf_cu_result code = 0;
    stub_call(CBID_BATCH, true);
    for (size_t i = 0; i < count && code == 0; i++)
        code = copy(stream, CF_OP_BATCH_COPY, COPY_H2D, (void *)(uintptr_t)to[i], (const void *)(uintptr_t)from[i],
                    bytes[i]);
    stub_call(CBID_BATCH, false);
    return code;
}
#endif

#if STUB_VERSION >= 13000
ENTRY cf_cu_result cuMemcpyBatchAsync_v2(cf_cu_pointer *to, cf_cu_pointer *from, size_t *bytes, size_t count,
                                         cf_cu_copy_attributes *attributes, size_t *firsts, size_t attribute_count,
                                         cf_cu_stream stream)
{
    STUB_BEGIN("cuMemcpyBatchAsync_v2");
    return copy_batch(to, from, bytes, count, attributes, firsts, attribute_count, stream);
}
#elif STUB_VERSION >= 12080
ENTRY cf_cu_result cuMemcpyBatchAsync(cf_cu_pointer *to, cf_cu_pointer *from, size_t *bytes, size_t count,
                                      cf_cu_copy_attributes *attributes, size_t *firsts, size_t attribute_count,
                                      size_t *ret_failed, cf_cu_stream stream)
{
    STUB_BEGIN("cuMemcpyBatchAsync");
    *ret_failed = 0;
    return copy_batch(to, from, bytes, count, attributes, firsts, attribute_count, stream);
}
#endif

static cf_cu_result launch_kernel(struct cf_cu_stream_st *stream, void **parameters)
{
    const uint64_t *values[3] = {parameters[0], parameters[1], parameters[2]};
    const void *from = (const void *)(uintptr_t)*values[0];
    void *to = (void *)(uintptr_t)*values[1];
    if (stub_find(from, 8) == NULL || stub_find(to, 8) == NULL)
        return 700;
    cf_op op = {.kind = CF_OP_KERNEL, .trips = *values[2]};
    op.signals = stub_trace(stream, 0, 0, op.trips * 1000 / CF_SOFT_TRIPS_PER_US);
    return submit(stream, op, to, 8, from, 8);
}

static cf_cu_result launch_copy(struct cf_cu_stream_st *stream, void **parameters)
{
    const uint64_t *values[4] = {parameters[0], parameters[1], parameters[2], parameters[3]};
    const void *from = (const void *)(uintptr_t)*values[0];
    void *to = (void *)(uintptr_t)*values[1];
    size_t bytes = *values[2] * 8 + *values[3];
    if (*values[3] > 7 || stub_find(from, bytes) == NULL || stub_find(to, bytes) == NULL)
        return 700;
    cf_op op = {.kind = CF_OP_KERNEL_COPY, .bytes = bytes};
    op.signals = stub_trace(stream, 0, 0, bytes * CF_NS_PER_S / RATE_KERNEL);
    return submit(stream, op, to, bytes, from, bytes);
}

ENTRY cf_cu_result cuLaunchKernel(cf_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                  cf_cu_stream handle, void **parameters, void **extra)
{
    STUB_BEGIN("cuLaunchKernel");
    struct cf_cu_stream_st *stream = stub_stream(handle);
    const char *entry = (const char *)(void *)function;
    if (stream == NULL || function == NULL || extra != NULL || shared_bytes != 0 || grid_x == 0 ||
        grid_y * grid_z * block_y * block_z != 1 || block_x == 0 || block_x > 1024)
        return STUB_INVALID_VALUE;
    stub.grid = grid_x;
    stub_call(CBID_LAUNCH, true);
    bool kernel = strncmp(entry, ".entry confound_kernel(", 23) == 0;
    cf_cu_result code = kernel ? launch_kernel(stream, parameters) : launch_copy(stream, parameters);
    stub_call(CBID_LAUNCH, false);
    return code;
}

ENTRY cf_cu_result cuEventCreate(cf_cu_event *ret_event, unsigned flags)
{
    STUB_BEGIN("cuEventCreate");
    cf_cu_event event = calloc(1, sizeof *event);
    cf_event_kind kind = flags & CF_CU_EVENT_NO_TIMING ? CF_EVENT_SYNC : CF_EVENT_TIMING;
    if (event == NULL || stub.soft == NULL || cf_device_event_new(stub.soft, kind, &event->soft, NULL) != CF_OK) {
        free(event);
        return STUB_OUT_OF_MEMORY;
    }
    event->flags = flags;
    stub.alive++;
    *ret_event = event;
    return 0;
}

static cf_cu_result destroy_cueventdestroy(cf_cu_event event)
{
    if (event == NULL)
        return STUB_INVALID_HANDLE;
    cf_device_event_free(stub.soft, event->soft);
    free(event);
    stub.alive--;
    return 0;
}

ENTRY cf_cu_result cuEventDestroy_v2(cf_cu_event event)
{
    int planned = stub_failure("cuEventDestroy_v2");
    cf_cu_result code = destroy_cueventdestroy(event);
    return planned != 0 ? planned : code;
}

ENTRY cf_cu_result cuEventRecord(cf_cu_event event, cf_cu_stream handle)
{
    STUB_BEGIN("cuEventRecord");
    struct cf_cu_stream_st *stream = stub_stream(handle);
    if (event == NULL || stream == NULL)
        return STUB_INVALID_HANDLE;
    const cf_op op = {.kind = CF_OP_KERNEL};
    return cf_device_record(stub.soft, stream->soft, event->soft, &op, CF_SIDE_AFTER, NULL) == CF_OK ? 0 : 999;
}

static cf_cu_result state_of(cf_cu_event event, cf_event_reading *ret_reading)
{
    if (event == NULL || cf_device_event_read(stub.soft, event->soft, ret_reading, NULL) != CF_OK)
        return STUB_INVALID_HANDLE;
    return ret_reading->completed || event->soft->ticket == 0 ? 0 : STUB_NOT_READY;
}

ENTRY cf_cu_result cuEventQuery(cf_cu_event event)
{
    STUB_BEGIN("cuEventQuery");
    cf_event_reading reading;
    return state_of(event, &reading);
}

ENTRY cf_cu_result cuEventSynchronize(cf_cu_event event)
{
    STUB_BEGIN("cuEventSynchronize");
    cf_event_reading reading;
    cf_cu_result code;
    while ((code = state_of(event, &reading)) == STUB_NOT_READY)
        nap();
    return code;
}

#if STUB_VERSION >= 12080
#define ELAPSED_NAME "cuEventElapsedTime_v2"
#define ELAPSED      cuEventElapsedTime_v2
#else
#define ELAPSED_NAME "cuEventElapsedTime"
#define ELAPSED      cuEventElapsedTime
#endif
ENTRY cf_cu_result ELAPSED(float *ret_ms, cf_cu_event begin, cf_cu_event end)
{
    STUB_BEGIN(ELAPSED_NAME);
    cf_event_reading from, to;
    if (begin == NULL || end == NULL || ((begin->flags | end->flags) & CF_CU_EVENT_NO_TIMING))
        return STUB_INVALID_HANDLE;
    cf_cu_result code = state_of(begin, &from);
    if (code == 0)
        code = state_of(end, &to);
    if (code == 0 && (!from.has_stamp || !to.has_stamp))
        code = STUB_INVALID_HANDLE;
    if (code == 0)
        *ret_ms = (float)((double)(to.stamp_ns - from.stamp_ns) / 1e6);
    return code;
}

ENTRY cf_cu_result cuStreamWaitEvent(cf_cu_stream handle, cf_cu_event event, unsigned flags)
{
    STUB_BEGIN("cuStreamWaitEvent");
    struct cf_cu_stream_st *stream = stub_stream(handle);
    if (stream == NULL || event == NULL || flags != 0)
        return STUB_INVALID_HANDLE;
    /* As it is recorded now; what the engines write in it is theirs. */
    stream->wait = (cf_event){.kind = event->soft->kind, .ticket = event->soft->ticket};
    return 0;
}
