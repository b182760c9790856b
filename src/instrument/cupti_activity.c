/* `cupti-concurrent` and `cupti-kernel`: activity records. */
#include <stdlib.h>
#include <string.h>

#include "device/cuda/cuda.h"
#include "instrument/cupti.h"
#include "instrument/cupti_api.h"
#include "instrument/cupti_pool.h"
#include "instrument/pass.h"
#include "instrument/seen.h"

/* Where fields of a record stand: the same in CUpti_ActivityKernel3 to 10 and in CUpti_ActivityMemcpy to Memcpy6, which
   is CUDA 7.0 to 13.0. */
#define AT_KIND          0u
#define AT_BYTES         8u /* memcpy */
#define AT_START         16u
#define AT_END           24u
#define AT_MEMCPY_STREAM 40u
#define AT_KERNEL_STREAM 48u

typedef struct lane {
    cf_stream *stream; /* what its operations went to */
    uint32_t id;       /* of that stream, to CUPTI */
    bool kernels, batches;
    uint64_t operations, bytes; /* passed in this window; bytes of batches */
    cf_op_kind kind;
    uint64_t records, record_bytes;
    cf_seen_interval *seen, *told; /* told: of the window that was collected last, each by itself */
    size_t seen_count, seen_capacity, told_count;
    cf_op_kind told_kind;
} lane;

typedef struct activity {
    const cf_cupti *cupti;
    int kernel_kind;
    bool enabled[2]; /* kernels, copies */
    bool out_of_memory;
    lane lanes[2];
} activity;

static uint32_t u32_at(const uint8_t *record, size_t at)
{
    uint32_t value;
    memcpy(&value, record + at, sizeof value);
    return value;
}

static uint64_t u64_at(const uint8_t *record, size_t at)
{
    uint64_t value;
    memcpy(&value, record + at, sizeof value);
    return value;
}

static void keep_interval(activity *a, lane *l, int64_t begin_ns, int64_t end_ns)
{
    if (l->seen_count == l->seen_capacity) {
        size_t capacity = l->seen_capacity != 0 ? 2 * l->seen_capacity : 64;
        cf_seen_interval *grown = realloc(l->seen, capacity * sizeof *grown);
        if (grown == NULL) {
            a->out_of_memory = true;
            return;
        }
        l->seen = grown;
        l->seen_capacity = capacity;
    }
    l->seen[l->seen_count++] = (cf_seen_interval){begin_ns, end_ns};
}

/* A record without timestamps tells that CUPTI had no room on the device: it proves nothing. */
static void take(activity *a, const uint8_t *record)
{
    uint32_t kind = u32_at(record, AT_KIND);
    bool kernel = kind == CF_CUPTI_KERNEL || kind == CF_CUPTI_CONCURRENT_KERNEL;
    if (!kernel && kind != CF_CUPTI_MEMCPY)
        return;
    uint32_t id = u32_at(record, kernel ? AT_KERNEL_STREAM : AT_MEMCPY_STREAM);
    uint64_t begin_ns = u64_at(record, AT_START);
    uint64_t end_ns = u64_at(record, AT_END);
    for (int i = 0; i < 2; i++) {
        lane *l = &a->lanes[i];
        if (l->stream == NULL || l->id != id || l->kernels != kernel || begin_ns == 0 || end_ns == 0)
            continue;
        l->records++;
        l->record_bytes += kernel ? 0 : u64_at(record, AT_BYTES);
        keep_interval(a, l, (int64_t)begin_ns, (int64_t)end_ns);
        return;
    }
}

static void visit(void *user, uint8_t *buffer, size_t valid_bytes)
{
    activity *a = user;
    uint8_t *record = NULL;
    while (a->cupti->next(buffer, valid_bytes, &record) == 0)
        take(a, record);
}

static cf_status flush(const activity *a, cf_error *err)
{
    return cf_cupti_check(a->cupti, "cuptiActivityFlushAll", a->cupti->flush(CF_CUPTI_FLUSH_FORCED), err);
}

static void forget(activity *a)
{
    for (int i = 0; i < 2; i++) {
        lane *l = &a->lanes[i];
        *l = (lane){.seen = l->seen,
                    .seen_capacity = l->seen_capacity,
                    .told = l->told,
                    .told_count = l->told_count,
                    .told_kind = l->told_kind};
    }
}

static cf_status submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    lane *l = &((activity *)device->state)->lanes[op->lane];
    l->stream = stream;
    l->kernels = op->kind == CF_OP_KERNEL || op->kind == CF_OP_KERNEL_COPY;
    l->batches = op->kind == CF_OP_BATCH_COPY;
    l->kind = op->kind;
    l->operations++;
    l->bytes += op->bytes;
    return cf_device_submit(device->next, stream, op, err);
}

/* What the harness itself copied to prepare the step is recorded, too, and has nothing to do here. */
static cf_status step_begin(cf_device *device, double position, cf_error *err)
{
    activity *a = device->state;
    cf_status status = cf_device_step_begin(device->next, position, err);
    if (status == CF_OK)
        status = flush(a, err);
    cf_cupti_pool_drain(NULL, NULL);
    forget(a);
    return status;
}

static cf_status stop(activity *a, cf_error *err)
{
    const int kinds[2] = {a->kernel_kind, CF_CUPTI_MEMCPY};
    cf_status status = CF_OK;
    for (int i = 0; i < 2; i++) {
        int code = a->enabled[i] ? a->cupti->disable(kinds[i]) : 0;
        a->enabled[i] = false;
        if (status == CF_OK)
            status = cf_cupti_check(a->cupti, "cuptiActivityDisable", code, err);
    }
    cf_status flushed = flush(a, status == CF_OK ? err : NULL);
    cf_cupti_pool_drain(NULL, NULL);
    return status == CF_OK ? flushed : status;
}

static void close_activity(cf_device *device)
{
    activity *a = device->state;
    (void)stop(a, NULL);
    for (int i = 0; i < 2; i++) {
        free(a->lanes[i].seen);
        free(a->lanes[i].told);
    }
    free(a);
}

static const cf_device_ops ops = {.name = "cupti-activity",
                                  .about = "CUPTI's activity records",
                                  .close = close_activity,
                                  .info = cf_pass_info,
                                  .stream_open = cf_pass_stream_open,
                                  .stream_close = cf_pass_stream_close,
                                  .block_new = cf_pass_block_new,
                                  .block_free = cf_pass_block_free,
                                  .block_write = cf_pass_block_write,
                                  .block_read = cf_pass_block_read,
                                  .submit = submit,
                                  .wait = cf_pass_wait,
                                  .event_new = cf_pass_event_new,
                                  .event_free = cf_pass_event_free,
                                  .record = cf_pass_record,
                                  .event_read = cf_pass_event_read,
                                  .step_begin = step_begin};

static cf_status start(activity *a, const cf_instrument_config *config, cf_error *err)
{
    static bool registered;
    const cf_cupti *cupti = a->cupti;
    cf_status status = cf_cupti_pool_reserve((uint64_t)config->capacity[0] + config->capacity[1], err);
    if (status == CF_OK && !registered)
        status = cf_cupti_check(cupti, "cuptiActivityRegisterCallbacks",
                                cupti->register_callbacks(cf_cupti_pool_request, cf_cupti_pool_complete), err);
    if (status != CF_OK)
        return status;
    registered = true;
    status = cf_cupti_check(cupti, "cuptiActivityEnable", cupti->enable(a->kernel_kind), err);
    a->enabled[0] = status == CF_OK;
    if (status == CF_OK)
        status = cf_cupti_check(cupti, "cuptiActivityEnable", cupti->enable(CF_CUPTI_MEMCPY), err);
    a->enabled[1] = status == CF_OK && a->enabled[0];
    return status;
}

static cf_status open_kind(int kernel_kind, const cf_instrument_config *config, cf_device *next, cf_device **ret_device,
                           cf_error *err)
{
    const cf_cupti *cupti = NULL;
    cf_status status = cf_cupti_for(next, &cupti, err);
    if (status != CF_OK)
        return status;
    activity *a = calloc(1, sizeof *a);
    if (a == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    *a = (activity){.cupti = cupti, .kernel_kind = kernel_kind};
    cf_device *device = NULL;
    status = cf_device_wrap(next, &ops, a, &device, err);
    if (status != CF_OK) {
        free(a);
        return status;
    }
    status = start(a, config, err);
    if (status != CF_OK) {
        cf_device_close(device);
        return status;
    }
    *ret_device = device;
    return CF_OK;
}

cf_status cf_cupti_concurrent_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device,
                                   cf_error *err)
{
    return open_kind(CF_CUPTI_CONCURRENT_KERNEL, config, next, ret_device, err);
}

cf_status cf_cupti_kernel_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device,
                               cf_error *err)
{
    return open_kind(CF_CUPTI_KERNEL, config, next, ret_device, err);
}

static cf_status find_ids(const cf_device *device, activity *a, cf_error *err)
{
    void *context = cf_cuda_context_handle(cf_device_bottom(device->next));
    cf_status status = CF_OK;
    for (int i = 0; i < 2 && status == CF_OK; i++)
        if (a->lanes[i].stream != NULL)
            status = cf_cupti_check(
                a->cupti, "cuptiGetStreamId",
                a->cupti->stream_id(context, cf_cuda_stream_handle(a->lanes[i].stream), &a->lanes[i].id), err);
    return status;
}

/* One an operation. A batch may be recorded as one copy or as many: the bytes tell, and a lane's operations are equal.
 */
static uint64_t proofs_of(const lane *l)
{
    if (l->batches && l->operations != 0 && l->bytes >= l->operations)
        return l->record_bytes / (l->bytes / l->operations);
    return l->records;
}

/* Before they are merged. */
static cf_status keep_told(lane *l, cf_error *err)
{
    free(l->told);
    l->told_count = 0;
    l->told_kind = l->kind;
    l->told = calloc(l->seen_count + 1, sizeof *l->told);
    if (l->told == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    if (l->seen_count > 0)
        memcpy(l->told, l->seen, l->seen_count * sizeof *l->told);
    l->told_count = l->seen_count;
    return CF_OK;
}

static int by_begin(const void *left, const void *right)
{
    const cf_seen_interval *x = left;
    const cf_seen_interval *y = right;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* A stream is in order, so its records in order of their begin are its operations. */
cf_status cf_cupti_activity_spans(cf_device *device, cf_span_sink *sink, void *user, cf_error *err)
{
    activity *a = device->state;
    int64_t first_ns = INT64_MAX;
    for (int i = 0; i < 2; i++) {
        lane *l = &a->lanes[i];
        if (l->told_count > 0)
            qsort(l->told, l->told_count, sizeof *l->told, by_begin);
        if (l->told_count > 0 && l->told[0].begin_ns < first_ns)
            first_ns = l->told[0].begin_ns;
    }
    if (first_ns == INT64_MAX)
        return cf_error_set(err, CF_UNSUPPORTED, "CUPTI recorded no operation of the step");
    for (int i = 0; i < 2; i++)
        for (size_t at = 0; at < a->lanes[i].told_count; at++)
            if (a->lanes[i].told[at].end_ns >= a->lanes[i].told[at].begin_ns)
                cf_seen_tell(sink, user, &a->lanes[i].told[at], first_ns, i, (int64_t)at, a->lanes[i].told_kind);
    return CF_OK;
}

cf_status cf_cupti_activity_collect(cf_device *device, cf_instrument_reading *ret_reading, cf_error *err)
{
    activity *a = device->state;
    cf_status status = flush(a, err);
    if (status == CF_OK)
        status = find_ids(device, a, err);
    if (status != CF_OK)
        return status;
    cf_cupti_pool_drain(visit, a);
    if (a->out_of_memory)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    cf_instrument_reading reading = {.proofs = proofs_of(&a->lanes[0]) + proofs_of(&a->lanes[1])};
    size_t count[2];
    for (int i = 0; i < 2 && status == CF_OK; i++)
        status = keep_told(&a->lanes[i], err);
    if (status != CF_OK)
        return status;
    for (int i = 0; i < 2; i++)
        count[i] = cf_seen_merge(a->lanes[i].seen, a->lanes[i].seen_count);
    if (count[0] > 0 && count[1] > 0) {
        int64_t a_ns = cf_seen_busy_ns(a->lanes[0].seen, count[0]);
        int64_t b_ns = cf_seen_busy_ns(a->lanes[1].seen, count[1]);
        reading.shorter_ns = a_ns < b_ns ? a_ns : b_ns;
        reading.overlap_ns = cf_seen_both_ns(a->lanes[0].seen, count[0], a->lanes[1].seen, count[1]);
    }
    forget(a);
    *ret_reading = reading;
    return CF_OK;
}

uint64_t cf_cupti_owed(const cf_instrument_config *config, const uint64_t submitted[2])
{
    (void)config;
    return submitted[0] + submitted[1];
}
