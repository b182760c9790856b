/* Lists, queues, and what is appended to them. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "stub.h"

#define RATE_COPY UINT64_C(2000000000) /* bytes/s */
#define TRIP_NS   10u
#define STAMP_NS  2000u
#define RATE_FILL UINT64_C(8000000000)

static cf_ze_result make_list(cf_ze_list *ret_list)
{
    cf_ze_list list = calloc(1, sizeof *list);
    if (list == NULL)
        return STUB_OUT_OF_MEMORY;
    list->last = &list->first;
    stub_alive++;
    *ret_list = list;
    return CF_ZE_SUCCESS;
}

static bool hinted(const cf_ze_queue_desc *desc)
{
    const cf_ze_flags_desc *next = desc->next;
    return (desc->flags & CF_ZE_QUEUE_COPY_OFFLOAD) ||
           (next != NULL && next->type == CF_ZE_TYPE_OFFLOAD_HINT && next->flags == 1);
}

ENTRY cf_ze_result zeCommandListCreateImmediate(cf_ze_context context, cf_ze_device device,
                                                const cf_ze_queue_desc *desc, cf_ze_list *ret_list)
{
    STUB_BEGIN("zeCommandListCreateImmediate");
    (void)context;
    (void)device;
    if (desc->type != CF_ZE_TYPE_QUEUE || desc->ordinal > 1)
        return CF_ZE_INVALID_ARGUMENT;
    cf_ze_result code = make_list(ret_list);
    if (code != CF_ZE_SUCCESS)
        return code;
    cf_ze_list list = *ret_list;
    list->worker = stub_worker_new();
    list->ordinal = desc->ordinal;
    list->in_order = desc->flags & CF_ZE_QUEUE_IN_ORDER;
    list->offloads = list->in_order && hinted(desc);
    list->synchronous = desc->mode == CF_ZE_MODE_SYNCHRONOUS;
    return list->worker != NULL ? CF_ZE_SUCCESS : STUB_OUT_OF_MEMORY;
}

ENTRY cf_ze_result zeCommandListCreate(cf_ze_context context, cf_ze_device device, const cf_ze_list_desc *desc,
                                       cf_ze_list *ret_list)
{
    STUB_BEGIN("zeCommandListCreate");
    (void)context;
    (void)device;
    cf_ze_result code = desc->type == CF_ZE_TYPE_LIST ? make_list(ret_list) : CF_ZE_INVALID_ARGUMENT;
    if (code == CF_ZE_SUCCESS)
        (*ret_list)->ordinal = desc->ordinal;
    return code;
}

static void forget(cf_ze_list list)
{
    while (list->first != NULL) {
        stub_command *next = list->first->next;
        free(list->first);
        list->first = next;
    }
    list->last = &list->first;
}

ENTRY cf_ze_result zeCommandListClose(cf_ze_list list)
{
    STUB_BEGIN("zeCommandListClose");
    list->closed = true;
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeCommandListReset(cf_ze_list list)
{
    STUB_BEGIN("zeCommandListReset");
    forget(list);
    list->closed = false;
    return CF_ZE_SUCCESS;
}

static void destroy_list(cf_ze_list list)
{
    forget(list);
    if (list->worker != NULL)
        stub_worker_free(list->worker);
    free(list);
    stub_alive--;
}

ENTRY cf_ze_result zeCommandListDestroy(cf_ze_list list)
{
    STUB_END("zeCommandListDestroy", destroy_list(list));
}

#ifndef STUB_OLD
ENTRY cf_ze_result zeCommandListHostSynchronize(cf_ze_list list, uint64_t timeout_ns)
{
    STUB_BEGIN("zeCommandListHostSynchronize");
    return list->worker != NULL ? stub_worker_wait(list->worker, timeout_ns) : CF_ZE_INVALID_ARGUMENT;
}
#endif

ENTRY cf_ze_result zeCommandQueueCreate(cf_ze_context context, cf_ze_device device, const cf_ze_queue_desc *desc,
                                        cf_ze_queue *ret_queue)
{
    STUB_BEGIN("zeCommandQueueCreate");
    (void)context;
    (void)device;
    cf_ze_queue queue = calloc(1, sizeof *queue);
    if (queue == NULL || desc->type != CF_ZE_TYPE_QUEUE) {
        free(queue);
        return CF_ZE_INVALID_ARGUMENT;
    }
    queue->worker = stub_worker_new();
    queue->ordinal = desc->ordinal;
    stub_alive++;
    *ret_queue = queue;
    return CF_ZE_SUCCESS;
}

static void destroy_queue(cf_ze_queue queue)
{
    stub_worker_free(queue->worker);
    free(queue);
    stub_alive--;
}

ENTRY cf_ze_result zeCommandQueueDestroy(cf_ze_queue queue)
{
    STUB_END("zeCommandQueueDestroy", destroy_queue(queue));
}

ENTRY cf_ze_result zeCommandQueueExecuteCommandLists(cf_ze_queue queue, uint32_t count, cf_ze_list *lists, void *fence)
{
    STUB_BEGIN("zeCommandQueueExecuteCommandLists");
    (void)fence;
    for (uint32_t i = 0; i < count; i++) {
        if (lists[i]->worker != NULL || !lists[i]->closed || lists[i]->ordinal != queue->ordinal)
            return CF_ZE_INVALID_ARGUMENT;
        for (const stub_command *c = lists[i]->first; c != NULL; c = c->next)
            stub_worker_push(queue->worker, c);
    }
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeCommandQueueSynchronize(cf_ze_queue queue, uint64_t timeout_ns)
{
    STUB_BEGIN("zeCommandQueueSynchronize");
    return stub_worker_wait(queue->worker, timeout_ns);
}

/* ---- appending ---- */

/* Events that count do so in lists with an order; raw ones the loader does not know. */
static bool fits(const struct cf_ze_list_st *list, const struct cf_ze_event_st *event)
{
    return event == NULL || (!event->raw && (!event->counter || list->in_order));
}

static cf_ze_result append(cf_ze_list list, stub_command c, cf_ze_event signal, uint32_t wait_count, cf_ze_event *waits)
{
    if (list->closed || wait_count > STUB_MOST_WAITS)
        return CF_ZE_INVALID_ARGUMENT;
    c.signal = signal;
    c.wait_count = wait_count;
    bool right = fits(list, signal);
    for (uint32_t i = 0; i < wait_count; i++) {
        c.waits[i] = waits[i];
        right = right && waits[i] != NULL && !waits[i]->raw;
    }
    if (!right)
        return STUB_INVALID_HANDLE;
    stub_appended++;
    if (list->worker != NULL) {
        stub_worker_push(list->worker, &c);
        return list->synchronous ? stub_worker_wait(list->worker, CF_ZE_FOREVER) : CF_ZE_SUCCESS;
    }
    stub_command *kept = malloc(sizeof *kept);
    if (kept == NULL)
        return STUB_OUT_OF_MEMORY;
    *kept = c;
    kept->next = NULL;
    *list->last = kept;
    list->last = &kept->next;
    return CF_ZE_SUCCESS;
}

static stub_engine engine_of(const struct cf_ze_list_st *list, bool copies)
{
    return list->ordinal == 1 || (copies && list->offloads) ? STUB_BCS : STUB_CCS;
}

static uint64_t ns_of(size_t bytes, uint64_t rate)
{
    return (uint64_t)bytes * CF_NS_PER_S / rate;
}

ENTRY cf_ze_result zeCommandListAppendMemoryCopy(cf_ze_list list, void *to, const void *from, size_t bytes, CF_ZE_WAITS)
{
    STUB_BEGIN("zeCommandListAppendMemoryCopy");
    if (to == NULL || from == NULL)
        return STUB_INVALID_NULL;
    stub_trace("zeCommandListAppendMemoryCopy", true);
    cf_ze_result code = append(list,
                               (stub_command){.kind = STUB_COPY,
                                              .engine = engine_of(list, true),
                                              .to = to,
                                              .from = from,
                                              .bytes = bytes,
                                              .length_ns = list->synchronous ? 0 : ns_of(bytes, RATE_COPY)},
                               signal, wait_count, waits);
    stub_trace("zeCommandListAppendMemoryCopy", false);
    return code;
}

ENTRY cf_ze_result zeCommandListAppendMemoryFill(cf_ze_list list, void *at, const void *pattern, size_t pattern_bytes,
                                                 size_t bytes, CF_ZE_WAITS)
{
    STUB_BEGIN("zeCommandListAppendMemoryFill");
    if (pattern_bytes != 1)
        return CF_ZE_INVALID_ARGUMENT;
    return append(list,
                  (stub_command){.kind = STUB_FILL,
                                 .engine = engine_of(list, true),
                                 .to = at,
                                 .bytes = bytes,
                                 .pattern = *(const uint8_t *)pattern,
                                 .length_ns = ns_of(bytes, RATE_FILL)},
                  signal, wait_count, waits);
}

ENTRY cf_ze_result zeCommandListAppendLaunchKernel(cf_ze_list list, cf_ze_kernel kernel, const cf_ze_groups *groups,
                                                   CF_ZE_WAITS)
{
    STUB_BEGIN("zeCommandListAppendLaunchKernel");
    if (list->ordinal != 0 || kernel->items == 0 || groups->x == 0 || groups->y * groups->z != 1)
        return CF_ZE_INVALID_ARGUMENT;
    stub_command c = {.kind = STUB_KERNEL, .engine = STUB_CCS, .computes = kernel->computes};
    memcpy(c.arguments, kernel->arguments, sizeof c.arguments);
    c.length_ns = kernel->computes ? c.arguments[3] * TRIP_NS : ns_of(c.arguments[2] * 8, RATE_COPY);
    stub_groups = groups->x;
    stub_trace("zeCommandListAppendLaunchKernel", true);
    cf_ze_result code = append(list, c, signal, wait_count, waits);
    stub_trace("zeCommandListAppendLaunchKernel", false);
    return code;
}

ENTRY cf_ze_result zeCommandListAppendBarrier(cf_ze_list list, CF_ZE_WAITS)
{
    STUB_BEGIN("zeCommandListAppendBarrier");
    return append(list, (stub_command){.kind = STUB_BARRIER, .engine = STUB_NONE}, signal, wait_count, waits);
}

/* One of a plain event is no command of an engine; one with timestamps is, as a timestamp itself. */
ENTRY cf_ze_result zeCommandListAppendSignalEvent(cf_ze_list list, cf_ze_event event)
{
    STUB_BEGIN("zeCommandListAppendSignalEvent");
    stub_command c = {.kind = STUB_SIGNAL, .engine = event->stamped ? engine_of(list, false) : STUB_NONE};
    c.length_ns = event->stamped ? STAMP_NS : 0;
    return append(list, c, event, 0, NULL);
}

ENTRY cf_ze_result zeCommandListAppendWriteGlobalTimestamp(cf_ze_list list, uint64_t *at, CF_ZE_WAITS)
{
    STUB_BEGIN("zeCommandListAppendWriteGlobalTimestamp");
    return append(list,
                  (stub_command){.kind = STUB_STAMP, .engine = engine_of(list, false), .to = at, .length_ns = STAMP_NS},
                  signal, wait_count, waits);
}

ENTRY cf_ze_result zeCommandListAppendWaitOnEvents(cf_ze_list list, uint32_t count, cf_ze_event *events);
ENTRY cf_ze_result zeCommandListAppendWaitOnEvents(cf_ze_list list, uint32_t count, cf_ze_event *events)
{
    STUB_BEGIN("zeCommandListAppendWaitOnEvents");
    return append(list, (stub_command){.kind = STUB_BARRIER, .engine = STUB_NONE}, NULL, count, events);
}

ENTRY cf_ze_result zeCommandListAppendEventReset(cf_ze_list list, cf_ze_event event);
ENTRY cf_ze_result zeCommandListAppendEventReset(cf_ze_list list, cf_ze_event event)
{
    STUB_BEGIN("zeCommandListAppendEventReset");
    if (event->counter)
        return CF_ZE_INVALID_ARGUMENT;
    return append(list, (stub_command){.kind = STUB_RESET, .engine = STUB_NONE}, NULL, 1, &event);
}
