/* The part of Level Zero's loader that the preloaded library stands in front of, from its public specification. Handles
   are pointers; a result is an int. */
#ifndef CF_INJECT_LEVEL_ZERO_API_H
#define CF_INJECT_LEVEL_ZERO_API_H

#include <stddef.h>
#include <stdint.h>

#include "inject/inject.h"

#define CF_ZE_SUCCESS           0
#define CF_ZE_UNSUPPORTED       0x78000003
#define CF_ZE_IN_ORDER          2u  /* ZE_COMMAND_QUEUE_FLAG_IN_ORDER */
#define CF_ZE_POOL_IPC          2u  /* ZE_EVENT_POOL_FLAG_IPC */
#define CF_ZE_POOL_TIME         4u  /* ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP */
#define CF_ZE_POOL_TIMES        12u /* that, and ..._MAPPED_TIMESTAMP */
#define CF_ZE_COUNTER_LISTS     3u  /* ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE, _NON_IMMEDIATE */
#define CF_ZE_COUNTER_IMMEDIATE 1u
#define CF_ZE_COUNTER_SHARED    72u /* _IPC, _GRAPH_EXTERNAL */
#define CF_ZE_COUNTER_TIME      16u /* _DEVICE_TIMESTAMP */
#define CF_ZE_COUNTER_TIMES     48u /* that, and _HOST_TIMESTAMP */
#define CF_ZE_TYPE_COUNTER_POOL 0x00020014u
#define CF_ZE_TYPE_DEVICE       0x00020006u

typedef struct cf_ze_head { /* of every descriptor */
    uint32_t type;
    const struct cf_ze_head *next;
} cf_ze_head;

typedef struct cf_ze_pool_desc {
    cf_ze_head head;
    uint32_t flags, count;
} cf_ze_pool_desc;

typedef struct cf_ze_counter_desc {
    cf_ze_head head;
    uint32_t flags, signal, wait;
} cf_ze_counter_desc;

typedef struct cf_ze_queue_desc {
    cf_ze_head head;
    uint32_t ordinal, index, flags;
    int mode, priority;
} cf_ze_queue_desc;

typedef struct cf_ze_sizes { /* ze_group_count_t, ze_group_size_t */
    uint32_t x, y, z;
} cf_ze_sizes;

typedef struct cf_ze_times { /* ze_kernel_timestamp_result_t */
    uint64_t global_begin, global_end, context_begin, context_end;
} cf_ze_times;

typedef struct cf_ze_device_properties {
    cf_ze_head head;
    char before[96];
    char name[256];
    char room[256]; /* for a later version */
} cf_ze_device_properties;
_Static_assert(offsetof(cf_ze_device_properties, name) == 112, "the loader's layout");

/* What is appended to a list, with parameters that end with the event that it signals and those that it waits for:
   name, arguments between, their types. */
#define CF_ZE_APPENDS(X)                                                                                               \
    X(zeCommandListAppendMemoryRangesBarrier, (a, b, c), uint32_t a, const size_t *b, const void **c)                  \
    X(zeCommandListAppendMemoryCopy, (a, b, c), void *a, const void *b, size_t c)                                      \
    X(zeCommandListAppendMemoryCopyWithParameters, (a, b, c, d), void *a, const void *b, size_t c, const void *d)      \
    X(zeCommandListAppendMemoryFill, (a, b, c, d), void *a, const void *b, size_t c, size_t d)                         \
    X(zeCommandListAppendMemoryFillWithParameters, (a, b, c, d, f), void *a, const void *b, size_t c, size_t d,        \
      const void *f)                                                                                                   \
    X(zeCommandListAppendMemoryCopyRegion, (a, b, c, d, f, g, h, i), void *a, const void *b, uint32_t c, uint32_t d,   \
      const void *f, const void *g, uint32_t h, uint32_t i)                                                            \
    X(zeCommandListAppendMemoryCopyFromContext, (a, b, c, d), void *a, void *b, const void *c, size_t d)               \
    X(zeCommandListAppendImageCopy, (a, b), void *a, void *b)                                                          \
    X(zeCommandListAppendImageCopyRegion, (a, b, c, d), void *a, void *b, const void *c, const void *d)                \
    X(zeCommandListAppendImageCopyToMemory, (a, b, c), void *a, void *b, const void *c)                                \
    X(zeCommandListAppendImageCopyFromMemory, (a, b, c), void *a, const void *b, const void *c)                        \
    X(zeCommandListAppendImageCopyToMemoryExt, (a, b, c, d, f), void *a, void *b, const void *c, uint32_t d,           \
      uint32_t f)                                                                                                      \
    X(zeCommandListAppendImageCopyFromMemoryExt, (a, b, c, d, f), void *a, const void *b, const void *c, uint32_t d,   \
      uint32_t f)                                                                                                      \
    X(zeCommandListAppendLaunchKernel, (a, b), void *a, const cf_ze_sizes *b)                                          \
    X(zeCommandListAppendLaunchKernelWithParameters, (a, b, c), void *a, const cf_ze_sizes *b, const void *c)          \
    X(zeCommandListAppendLaunchKernelWithArguments, (a, b, c, d, f), void *a, cf_ze_sizes b, cf_ze_sizes c, void **d,  \
      const void *f)                                                                                                   \
    X(zeCommandListAppendLaunchCooperativeKernel, (a, b), void *a, const cf_ze_sizes *b)                               \
    X(zeCommandListAppendLaunchKernelIndirect, (a, b), void *a, const cf_ze_sizes *b)                                  \
    X(zeCommandListAppendLaunchMultipleKernelsIndirect, (a, b, c, d), uint32_t a, void **b, const uint32_t *c,         \
      const cf_ze_sizes *d)                                                                                            \
    X(zeCommandListImmediateAppendCommandListsExp, (a, b), uint32_t a, void **b)                                       \
    X(zeCommandListImmediateAppendCommandListsWithParameters, (a, b, c), uint32_t a, void **b, const void *c)          \
    X(zeCommandListAppendSignalExternalSemaphoreExt, (a, b, c), uint32_t a, void **b, void *c)                         \
    X(zeCommandListAppendWaitExternalSemaphoreExt, (a, b, c), uint32_t a, void **b, void *c)                           \
    X(zeRTASBuilderCommandListAppendCopyExt, (a, b, c), void *a, const void *b, size_t c)                              \
    X(zeCommandListAppendGraphExt, (a, b), void *a, const void *b)                                                     \
    X(zeCommandListAppendHostFunction, (a, b, c), void *a, void *b, const void *c)

#define CF_ZE_EVENTS void *signal, uint32_t count, void **waits
/* The other hooks: name, parameters. */
#define CF_ZE_HOOKS(X)                                                                                                 \
    X(zeDriverGetExtensionFunctionAddress, (void *driver, const char *name, void **ret))                               \
    X(zeCommandListCreateImmediate, (void *context, void *device, const cf_ze_queue_desc *desc, void **ret))           \
    X(zeCommandListDestroy, (void *list))                                                                              \
    X(zeCommandListHostSynchronize, (void *list, uint64_t timeout_ns))                                                 \
    X(zeCommandQueueSynchronize, (void *queue, uint64_t timeout_ns))                                                   \
    X(zeFenceHostSynchronize, (void *fence, uint64_t timeout_ns))                                                      \
    X(zeEventPoolCreate,                                                                                               \
      (void *context, const cf_ze_pool_desc *desc, uint32_t device_count, void **devices, void **ret))                 \
    X(zeEventPoolDestroy, (void *pool))                                                                                \
    X(zeEventCreate, (void *pool, const void *desc, void **ret))                                                       \
    X(zeEventCounterBasedCreate, (void *context, void *device, const cf_ze_counter_desc *desc, void **ret))            \
    X(zeEventDestroy, (void *event))                                                                                   \
    X(zeEventHostSignal, (void *event))                                                                                \
    X(zeEventHostSynchronize, (void *event, uint64_t timeout_ns))                                                      \
    X(zeEventHostReset, (void *event))                                                                                 \
    X(zeEventQueryStatus, (void *event))                                                                               \
    X(zeEventQueryKernelTimestamp, (void *event, cf_ze_times *ret))                                                    \
    X(zeEventQueryTimestampsExp, (void *event, void *device, uint32_t *count, void *ret))                              \
    X(zeEventQueryKernelTimestampsExt, (void *event, void *device, uint32_t *count, void *ret))                        \
    X(zeEventCounterBasedGetIpcHandle, (void *event, void *ret))                                                       \
    X(zeEventCounterBasedGetDeviceAddress, (void *event, uint64_t *ret_value, uint64_t *ret_address))                  \
    X(zeCommandListAppendBarrier, (void *list, CF_ZE_EVENTS))                                                          \
    X(zeCommandListAppendSignalEvent, (void *list, void *event))                                                       \
    X(zeCommandListAppendWaitOnEvents, (void *list, uint32_t count, void **waits))                                     \
    X(zeCommandListAppendEventReset, (void *list, void *event))                                                        \
    X(zeCommandListAppendWriteGlobalTimestamp, (void *list, uint64_t *to, CF_ZE_EVENTS))                               \
    X(zeCommandListAppendQueryKernelTimestamps,                                                                        \
      (void *list, uint32_t event_count, void **events, void *to, const size_t *offsets, CF_ZE_EVENTS))                \
    X(zeCommandListUpdateMutableCommandSignalEventExp, (void *list, uint64_t command, void *event))                    \
    X(zeCommandListUpdateMutableCommandWaitEventsExp, (void *list, uint64_t command, uint32_t count, void **waits))

/* Called, and not stood in front of. */
#define CF_ZE_USED(X) X(zeDeviceGetProperties, (void *device, cf_ze_device_properties *ret))

enum {
#define X(name, ...) CF_ZE_HOOK_##name,
    CF_ZE_HOOKS(X) CF_ZE_APPENDS(X) CF_ZE_USED(X)
#undef X
        CF_ZE_HOOK_COUNT
};

#define X(name, parameters) CF_INJECT_EXPORT int name parameters;
CF_ZE_HOOKS(X)
#undef X
#define X(name, arguments, ...) CF_INJECT_EXPORT int name(void *list, __VA_ARGS__, CF_ZE_EVENTS);
CF_ZE_APPENDS(X)
#undef X

/* The program has functions that take events and that we do not stand in front of. */
void cf_ze_past_us(void);
/* The loader's own function; where there is none, one that says CF_ZE_UNSUPPORTED. */
extern cf_inject_function cf_ze_nexts[CF_ZE_HOOK_COUNT]; /* NULL: not looked up yet */
cf_inject_function cf_ze_next_found(int hook);
static inline cf_inject_function cf_ze_next(int hook)
{
    cf_inject_function next = __atomic_load_n(&cf_ze_nexts[hook], __ATOMIC_ACQUIRE);
    return __builtin_expect(next != NULL, 1) ? next : cf_ze_next_found(hook);
}
#define CF_ZE_NEXT(name)     ((__typeof__(&name))cf_ze_next(CF_ZE_HOOK_##name))
#define CF_ZE_USE(name, ...) ((int(*) __VA_ARGS__)cf_ze_next(CF_ZE_HOOK_##name))

#endif
