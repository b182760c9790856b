/* CUPTI: the callbacks and activity records that src/instrument/cupti.c uses. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stub.h"

#define KIND_MEMCPY     1u
#define KIND_KERNEL     3u
#define KIND_CONCURRENT 10u
#define KINDS           64
#define LIMIT_REACHED   12
#define NOT_COMPATIBLE  14
#define MEMCPY_BYTES    96u
#define KERNEL_BYTES    216u
#define DOMAIN_DRIVER   1

typedef void callback(void *user, int domain, uint32_t cbid, const void *data);
typedef void buffer_request(uint8_t **ret_buffer, size_t *ret_bytes, size_t *ret_most);
typedef void buffer_complete(cf_cu_context context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid);

typedef struct trace {
    cf_event *end; /* NULL: it is over, at end_ns */
    int copy_kind; /* 0 = a kernel */
    uint32_t stream_id;
    uint64_t bytes, length_ns, end_ns;
    struct trace *next;
} trace;

static struct {
    bool enabled[KINDS];
    buffer_request *request;
    buffer_complete *complete;
    trace *first, **last;
    callback *subscriber;
    void *user;
    bool driver_calls;
} cupti;

static bool traced(int copy_kind)
{
    return copy_kind == 0 ? cupti.enabled[KIND_KERNEL] || cupti.enabled[KIND_CONCURRENT] : cupti.enabled[KIND_MEMCPY];
}

static trace *add(uint32_t stream_id, int copy_kind, uint64_t bytes)
{
    trace *t = traced(copy_kind) ? calloc(1, sizeof *t) : NULL;
    if (t == NULL)
        return NULL;
    *t = (trace){.copy_kind = copy_kind, .stream_id = stream_id, .bytes = bytes};
    if (cupti.first == NULL)
        cupti.last = &cupti.first;
    *cupti.last = t;
    cupti.last = &t->next;
    return t;
}

static bool over(const trace *t, uint64_t *ret_end_ns)
{
    cf_event_reading reading = {.completed = true, .stamp_ns = (int64_t)t->end_ns};
    if (t->end != NULL && cf_device_event_read(stub.soft, t->end, &reading, NULL) != CF_OK)
        return false;
    *ret_end_ns = (uint64_t)reading.stamp_ns;
    return reading.completed;
}

/* CUPTI_ACTIVITY_KIND_KERNEL lets one kernel run at a time. */
static void wait_for_kernels(void)
{
    uint64_t end_ns;
    for (const trace *t = cupti.first; t != NULL; t = t->next)
        while (t->copy_kind == 0 && !over(t, &end_ns))
            nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

cf_event *stub_trace(const struct cf_cu_stream_st *stream, int copy_kind, uint64_t bytes, uint64_t length_ns)
{
    if (copy_kind == 0 && cupti.enabled[KIND_KERNEL])
        wait_for_kernels();
    trace *t = add(stream->id, copy_kind, bytes);
    if (t == NULL || cf_device_event_new(stub.soft, CF_EVENT_TIMING, &t->end, NULL) != CF_OK)
        return NULL;
    t->length_ns = length_ns;
    return t->end;
}

void stub_trace_now(uint32_t stream_id, int copy_kind, uint64_t bytes)
{
    trace *t = add(stream_id, copy_kind, bytes);
    if (t != NULL)
        t->end_ns = 1;
}

static void drop(trace *t)
{
    if (t->end != NULL)
        cf_device_event_free(stub.soft, t->end);
    free(t);
}

void stub_traces_done(void)
{
    while (cupti.first != NULL) {
        trace *next = cupti.first->next;
        drop(cupti.first);
        cupti.first = next;
    }
}

/* CUpti_ActivityMemcpy6 and CUpti_ActivityKernel10, as far as they are read. */
static size_t write_record(uint8_t *at, const trace *t, uint64_t end_ns)
{
    uint64_t begin_ns = end_ns - t->length_ns;
    bool kernel = t->copy_kind == 0;
    uint32_t kind = !kernel ? KIND_MEMCPY : cupti.enabled[KIND_KERNEL] ? KIND_KERNEL : KIND_CONCURRENT;
    memset(at, 0, kernel ? KERNEL_BYTES : MEMCPY_BYTES);
    memcpy(at, &kind, sizeof kind);
    memcpy(at + 16, &begin_ns, sizeof begin_ns);
    memcpy(at + 24, &end_ns, sizeof end_ns);
    memcpy(at + (kernel ? 48 : 40), &t->stream_id, sizeof t->stream_id);
    if (!kernel) {
        at[4] = (uint8_t)t->copy_kind;
        memcpy(at + 8, &t->bytes, sizeof t->bytes);
    }
    return kernel ? KERNEL_BYTES : MEMCPY_BYTES;
}

ENTRY int cuptiActivityFlushAll(uint32_t flag)
{
    STUB_BEGIN("cuptiActivityFlushAll");
    (void)flag;
    uint8_t *buffer = NULL;
    size_t bytes = 0, most = 0, used = 0;
    uint64_t end_ns = 0;
    while (cupti.first != NULL && over(cupti.first, &end_ns)) {
        if (buffer == NULL)
            cupti.request(&buffer, &bytes, &most);
        if (buffer != NULL && used + KERNEL_BYTES <= bytes)
            used += write_record(buffer + used, cupti.first, end_ns);
        trace *next = cupti.first->next;
        drop(cupti.first);
        cupti.first = next;
        if (buffer != NULL && used + KERNEL_BYTES > bytes) {
            cupti.complete(NULL, 0, buffer, bytes, used);
            buffer = NULL;
            used = 0;
        }
    }
    if (buffer != NULL)
        cupti.complete(NULL, 0, buffer, bytes, used);
    return 0;
}

ENTRY int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record)
{
    STUB_BEGIN("cuptiActivityGetNextRecord");
    uint8_t *next = buffer;
    if (*record != NULL) {
        uint32_t kind;
        memcpy(&kind, *record, sizeof kind);
        next = *record + (kind == KIND_MEMCPY ? MEMCPY_BYTES : KERNEL_BYTES);
    }
    if (next >= buffer + valid)
        return LIMIT_REACHED;
    *record = next;
    return 0;
}

ENTRY int cuptiActivityRegisterCallbacks(buffer_request *request, buffer_complete *complete)
{
    STUB_BEGIN("cuptiActivityRegisterCallbacks");
    cupti.request = request;
    cupti.complete = complete;
    return 0;
}

ENTRY int cuptiActivityEnable(int kind)
{
    STUB_BEGIN("cuptiActivityEnable");
    if (kind < 0 || kind >= KINDS)
        return 21;
    if ((kind == (int)KIND_KERNEL && cupti.enabled[KIND_CONCURRENT]) ||
        (kind == (int)KIND_CONCURRENT && cupti.enabled[KIND_KERNEL]))
        return NOT_COMPATIBLE;
    cupti.enabled[kind] = true;
    return 0;
}

ENTRY int cuptiActivityDisable(int kind)
{
    STUB_BEGIN("cuptiActivityDisable");
    if (kind >= 0 && kind < KINDS)
        cupti.enabled[kind] = false;
    return 0;
}

ENTRY int cuptiGetStreamId(cf_cu_context context, cf_cu_stream handle, uint32_t *ret_id)
{
    STUB_BEGIN("cuptiGetStreamId");
    (void)context;
    const struct cf_cu_stream_st *stream = stub_stream(handle);
    if (stream == NULL)
        return 20;
    *ret_id = stream->id;
    return 0;
}

ENTRY int cuptiGetVersion(uint32_t *ret_version)
{
    STUB_BEGIN("cuptiGetVersion");
    *ret_version = 130001;
    return 0;
}

ENTRY int cuptiGetResultString(int code, const char **ret_text)
{
    *ret_text = code == NOT_COMPATIBLE ? "CUPTI_ERROR_NOT_COMPATIBLE" : "CUPTI_ERROR_OF_THE_STUB";
    return 0;
}

ENTRY int cuptiSubscribe(void **ret_subscriber, callback *function, void *user)
{
    STUB_BEGIN("cuptiSubscribe");
    if (cupti.subscriber != NULL)
        return 39; /* CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED */
    cupti.subscriber = function;
    cupti.user = user;
    *ret_subscriber = &cupti;
    stub.alive++;
    return 0;
}

ENTRY int cuptiUnsubscribe(void *subscriber)
{
    STUB_BEGIN("cuptiUnsubscribe");
    if (subscriber != &cupti || cupti.subscriber == NULL)
        return 1;
    cupti.subscriber = NULL;
    cupti.driver_calls = false;
    stub.alive--;
    return 0;
}

ENTRY int cuptiEnableDomain(uint32_t enable, void *subscriber, int domain)
{
    STUB_BEGIN("cuptiEnableDomain");
    if (subscriber != &cupti || domain != DOMAIN_DRIVER)
        return 1;
    cupti.driver_calls = enable != 0;
    return 0;
}

/* CUpti_CallbackData begins with the side: 0 = enter, 1 = exit. */
void stub_call(uint32_t cbid, bool enter)
{
    const int64_t data[9] = {enter ? 0 : 1};
    if (cupti.subscriber != NULL && cupti.driver_calls)
        cupti.subscriber(cupti.user, DOMAIN_DRIVER, cbid, data);
}
