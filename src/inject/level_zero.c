/* The hooks of Level Zero's functions. Each calls the loader's own function with the event or its twin, and returns
   what that returned. Only what is appended to immediate lists is toggled: another list is recorded once and executed
   in steps of any arm, so what is in it is the program's own. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "inject/level_zero_event.h"
#include "inject/table.h"

#define FROM     __builtin_return_address(0)
#define ON_STACK 16u
#define PIN_NS   UINT64_C(1000000000)

typedef struct pool {
    void *own, *twin; /* no twin: NULL */
    bool timed, counter;
    struct pool *next;
} pool;

static cf_table pools, lists; /* a list's value is one of: */
static char in_order_list, unordered_list;
static pool *free_pools;
static void *_Atomic first_device;
static _Atomic uint64_t last_times[4]; /* of any event */

/* ---- pools ------------------------------------------------------------------------------------------------------- */

static bool counts(const cf_ze_head *desc)
{
    for (desc = desc->next; desc; desc = desc->next)
        if (desc->type == CF_ZE_TYPE_COUNTER_POOL)
            return true;
    return false;
}

static void keep_pool(void *own, void *twin, const cf_ze_pool_desc *desc)
{
    cf_inject_lock_take(CF_LOCK_ZE_LISTS);
    pool *kept = free_pools;
    if (kept)
        free_pools = kept->next;
    else
        kept = cf_inject_alloc(sizeof *kept);
    if (kept) {
        *kept = (pool){own, twin, (desc->flags & CF_ZE_POOL_TIMES) != 0, counts(&desc->head), NULL};
        if (!cf_table_set(&pools, own, kept)) {
            kept->next = free_pools;
            free_pools = kept;
        }
    }
    cf_inject_lock_give(CF_LOCK_ZE_LISTS);
}

int zeEventPoolCreate(void *context, const cf_ze_pool_desc *desc, uint32_t device_count, void **devices, void **ret)
{
    int result = CF_ZE_NEXT(zeEventPoolCreate)(context, desc, device_count, devices, ret);
    if (result != CF_ZE_SUCCESS || !cf_inject_begin())
        return result;
    cf_inject_seen(CF_INJECT_LEVEL_ZERO);
    CF_INJECT_COUNT(calls);
    if (desc->flags & CF_ZE_POOL_IPC) {
        CF_INJECT_NOTE(shared);
        return result;
    }
    cf_ze_pool_desc other = *desc;
    void *twin = NULL;
    bool timed = (desc->flags & CF_ZE_POOL_TIMES) != 0;
    other.flags = timed ? desc->flags & ~CF_ZE_POOL_TIMES : desc->flags | CF_ZE_POOL_TIME;
    if (CF_ZE_NEXT(zeEventPoolCreate)(context, &other, device_count, devices, &twin) == CF_ZE_SUCCESS)
        keep_pool(*ret, twin, desc);
    else
        CF_INJECT_NOTE(no_twin);
    return result;
}

int zeEventPoolDestroy(void *own)
{
    void *twin = NULL;
    cf_inject_lock_take(CF_LOCK_ZE_LISTS);
    pool *kept = cf_table_get(&pools, own);
    if (kept) {
        twin = kept->twin;
        cf_table_set(&pools, own, NULL);
        kept->next = free_pools;
        free_pools = kept;
    }
    cf_inject_lock_give(CF_LOCK_ZE_LISTS);
    int result = CF_ZE_NEXT(zeEventPoolDestroy)(own);
    if (twin)
        CF_ZE_NEXT(zeEventPoolDestroy)(twin);
    return result;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* What cannot be kept has no twin either. */
static void keep(void *own, void *twin, bool timed, bool counter)
{
    const cf_ze_event *e = cf_ze_event_add(own, twin, timed, counter);
    if (!e)
        CF_ZE_NEXT(zeEventDestroy)(twin);
    else if (!cf_ze_event_turns(e))
        CF_INJECT_NOTE(past_us);
}

void cf_ze_past_us(void)
{
    for (size_t left = cf_ze_events_pin(); left > 0; left--)
        CF_INJECT_NOTE(past_us);
}

int zeEventCreate(void *from, const void *desc, void **ret)
{
    void *twin = NULL;
    int result = CF_ZE_NEXT(zeEventCreate)(from, desc, ret);
    const pool *kept = cf_table_get(&pools, from);
    if (result != CF_ZE_SUCCESS || !kept)
        return result;
    CF_INJECT_COUNT(calls);
    if (CF_ZE_NEXT(zeEventCreate)(kept->twin, desc, &twin) == CF_ZE_SUCCESS)
        keep(*ret, twin, kept->timed, kept->counter);
    else
        CF_INJECT_NOTE(no_twin);
    return result;
}

int zeEventCounterBasedCreate(void *context, void *device, const cf_ze_counter_desc *desc, void **ret)
{
    void *twin = NULL;
    int result = CF_ZE_NEXT(zeEventCounterBasedCreate)(context, device, desc, ret);
    if (result != CF_ZE_SUCCESS || !cf_inject_begin())
        return result;
    cf_inject_seen(CF_INJECT_LEVEL_ZERO);
    CF_INJECT_COUNT(calls);
    if (!desc || desc->head.next || (desc->flags & CF_ZE_COUNTER_SHARED)) {
        CF_INJECT_NOTE(shared);
        return result;
    }
    cf_ze_counter_desc other = *desc;
    bool timed = (desc->flags & CF_ZE_COUNTER_TIMES) != 0;
    other.flags = timed ? desc->flags & ~CF_ZE_COUNTER_TIMES : desc->flags | CF_ZE_COUNTER_TIME;
    if (!(other.flags & CF_ZE_COUNTER_LISTS))
        other.flags |= CF_ZE_COUNTER_IMMEDIATE; /* what none of them means */
    if (CF_ZE_NEXT(zeEventCounterBasedCreate)(context, device, &other, &twin) == CF_ZE_SUCCESS)
        keep(*ret, twin, timed, true);
    else
        CF_INJECT_NOTE(no_twin);
    return result;
}

/* It is forgotten before it goes: from then on another thread's new event may have its handle. */
int zeEventDestroy(void *event)
{
    void *twin = cf_ze_event_of(event) ? cf_ze_event_remove(event) : NULL;
    int result = CF_ZE_NEXT(zeEventDestroy)(event);
    if (twin)
        CF_ZE_NEXT(zeEventDestroy)(twin);
    return result;
}

/* Own stands for the event from here on. Where its twin was to be signalled, own is when that was. */
static void *pinned(void *event)
{
    cf_ze_event *e = cf_ze_event_of(event);
    if (!e)
        return event;
    if (cf_ze_event_turns(e))
        CF_INJECT_NOTE(left);
    if (cf_ze_event_pin(e) && CF_ZE_NEXT(zeEventHostSynchronize)(e->twin, PIN_NS) == CF_ZE_SUCCESS && !e->counter)
        CF_ZE_NEXT(zeEventHostSignal)(e->own);
    return event;
}

/* ---- what is appended -------------------------------------------------------------------------------------------- */

typedef struct use {
    void *signal, **waits; /* in the program's stead */
    cf_ze_event *event;    /* that is signalled; NULL = it is not known */
    bool turns;            /* it can be toggled */
    bool looked_at;
    uint64_t begin_ns;
    size_t map_bytes;
    void *few[ON_STACK];
} use;

static bool any_known(void *const *events, uint32_t count)
{
    for (uint32_t i = 0; events && i < count; i++)
        if (cf_ze_event_of(events[i]))
            return true;
    return false;
}

/* Room for count events; NULL = there is none. */
static void **room_for(use *u, uint32_t count)
{
    if (count <= ON_STACK)
        return u->few;
    /* cppcheck-suppress invalidFunctionArg ; no file: -1, as mmap wants it */
    void *map = mmap(NULL, count * sizeof *u->waits, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    u->map_bytes = count * sizeof *u->waits;
    return map;
}

static void choose_waits(use *u, void *const *waits, uint32_t count)
{
    void **room = any_known(waits, count) ? room_for(u, count) : NULL;
    for (uint32_t i = 0; room && i < count; i++) {
        cf_ze_event *e = cf_ze_event_of(waits[i]);
        room[i] = e ? cf_ze_event_wait(e) : waits[i];
    }
    if (room)
        u->waits = room;
}

static void choose_signal(use *u, void *signal)
{
    u->event = cf_ze_event_of(signal);
    if (!u->event)
        return;
    u->turns = cf_ze_event_turns(u->event);
    u->looked_at = u->event->timed && cf_inject_looking();
    if (u->looked_at)
        u->begin_ns = cf_clock_now_ns();
    u->signal = cf_ze_event_signal(u->event);
}

static inline void begin(use *u, const void *list, void *signal, void **waits, uint32_t count)
{
    u->signal = signal;
    u->waits = waits;
    u->event = NULL;
    u->turns = false;
    u->looked_at = false;
    u->map_bytes = 0;
    if (!signal && count == 0)
        return;
    if (cf_table_get(&lists, list)) {
        choose_waits(u, waits, count);
        choose_signal(u, signal);
        return;
    }
    cf_ze_events_expect_lists();
    pinned(signal);
    for (uint32_t i = 0; waits && i < count; i++)
        pinned(waits[i]);
}

/* A twin that the driver refuses is no reason to fail. True: to be tried again with the program's own. */
static inline bool refused(use *u, int result)
{
    if (__builtin_expect(result == CF_ZE_SUCCESS || !u->event || u->signal == u->event->own, 1))
        return false;
    CF_INJECT_NOTE(no_twin);
    cf_ze_event_pin(u->event);
    u->signal = u->event->own;
    return true;
}

static inline int end(use *u, int result)
{
    if (u->turns)
        CF_INJECT_COUNT(commands[u->event->timed][u->signal != u->event->own]);
    else if (u->signal || u->waits)
        CF_INJECT_COUNT(calls);
    if (u->looked_at)
        cf_inject_site(cf_clock_now_ns() - u->begin_ns);
    if (u->map_bytes)
        munmap(u->waits, u->map_bytes);
    return result;
}

#define APPEND(list, signal, waits, count, call)                                                                       \
    do {                                                                                                               \
        use u;                                                                                                         \
        begin(&u, list, signal, waits, count);                                                                         \
        int result = (call);                                                                                           \
        if (refused(&u, result))                                                                                       \
            result = (call);                                                                                           \
        return end(&u, result);                                                                                        \
    } while (0)

#define OPEN(...)              __VA_ARGS__
#define CALL_APPEND(name, ...) CF_ZE_NEXT(name)(__VA_ARGS__)
#define X(name, arguments, ...)                                                                                        \
    int name(void *list, __VA_ARGS__, void *signal, uint32_t count, void **waits)                                      \
    {                                                                                                                  \
        APPEND(list, signal, waits, count, CALL_APPEND(name, list, OPEN arguments, u.signal, count, u.waits));         \
    }
/* NOLINTNEXTLINE(readability-function-size): as many parameters as the loader's */
CF_ZE_APPENDS(X)
#undef X

int zeCommandListAppendBarrier(void *list, void *signal, uint32_t count, void **waits)
{
    APPEND(list, signal, waits, count, CF_ZE_NEXT(zeCommandListAppendBarrier)(list, u.signal, count, u.waits));
}

int zeCommandListAppendSignalEvent(void *list, void *event)
{
    APPEND(list, event, NULL, 0, CF_ZE_NEXT(zeCommandListAppendSignalEvent)(list, u.signal));
}

int zeCommandListAppendWaitOnEvents(void *list, uint32_t count, void **waits)
{
    APPEND(list, NULL, waits, count, CF_ZE_NEXT(zeCommandListAppendWaitOnEvents)(list, count, u.waits));
}

int zeCommandListAppendEventReset(void *list, void *event)
{
    cf_ze_event *e = cf_ze_event_of(event);
    void *both[2] = {event, NULL};
    if (e)
        CF_INJECT_COUNT(calls);
    if (e && !cf_table_get(&lists, list))
        pinned(event);
    unsigned count = e ? cf_ze_event_reset(e, both) : 1;
    int result = CF_ZE_NEXT(zeCommandListAppendEventReset)(list, both[0]);
    if (count > 1 && result == CF_ZE_SUCCESS)
        result = CF_ZE_NEXT(zeCommandListAppendEventReset)(list, both[1]);
    return result;
}

/* The times of events, written by the device. */
int zeCommandListAppendQueryKernelTimestamps(void *list, uint32_t event_count, void **events, void *to,
                                             const size_t *offsets, void *signal, uint32_t count, void **waits)
{
    for (uint32_t i = 0; events && i < event_count; i++)
        pinned(events[i]);
    APPEND(list, signal, waits, count,
           CF_ZE_NEXT(zeCommandListAppendQueryKernelTimestamps)(list, event_count, events, to, offsets, u.signal, count,
                                                                u.waits));
}

/* What keeps the order of the program where the timestamp is left out. In order, a list goes on by itself. */
static int append_order(void *list, void *signal, uint32_t count, void **waits)
{
    if (signal)
        APPEND(list, signal, waits, count, CF_ZE_NEXT(zeCommandListAppendBarrier)(list, u.signal, count, u.waits));
    if (count > 0)
        return zeCommandListAppendWaitOnEvents(list, count, waits);
    return CF_ZE_SUCCESS;
}

static int append_stamp(void *list, uint64_t *to, void *signal, uint32_t count, void **waits)
{
    APPEND(list, signal, waits, count,
           CF_ZE_NEXT(zeCommandListAppendWriteGlobalTimestamp)(list, to, u.signal, count, u.waits));
}

/* A list that is not in order has no command that does what this one does and nothing else. */
static bool stamp_turns(const void *kind, const void *signal, uint32_t count)
{
    if (kind == &in_order_list || (kind == &unordered_list && !signal && count == 0))
        return true;
    if (cf_inject_begin())
        CF_INJECT_NOTE(stamps);
    return false;
}

int zeCommandListAppendWriteGlobalTimestamp(void *list, uint64_t *to, void *signal, uint32_t count, void **waits)
{
    const void *kind = cf_table_get(&lists, list);
    if (!to || !stamp_turns(kind, signal, count))
        return append_stamp(list, to, signal, count, waits);
    CF_INJECT_COUNT(commands[1][cf_inject_arm() == CF_ARM_STRIPPED]);
    if (cf_inject_arm() == CF_ARM_STRIPPED) {
        CF_INJECT_COUNT(answered);
        return append_order(list, signal, count, waits);
    }
    bool looked_at = cf_inject_looking();
    uint64_t begin_ns = looked_at ? cf_clock_now_ns() : 0;
    int result = append_stamp(list, to, signal, count, waits);
    if (looked_at)
        cf_inject_site(cf_clock_now_ns() - begin_ns);
    return result;
}

int zeCommandListUpdateMutableCommandSignalEventExp(void *list, uint64_t command, void *event)
{
    return CF_ZE_NEXT(zeCommandListUpdateMutableCommandSignalEventExp)(list, command, pinned(event));
}

int zeCommandListUpdateMutableCommandWaitEventsExp(void *list, uint64_t command, uint32_t count, void **waits)
{
    for (uint32_t i = 0; waits && i < count; i++)
        pinned(waits[i]);
    return CF_ZE_NEXT(zeCommandListUpdateMutableCommandWaitEventsExp)(list, command, count, waits);
}

/* ---- the host's part --------------------------------------------------------------------------------------------- */

int zeEventHostSignal(void *event)
{
    cf_ze_event *e = cf_ze_event_of(event);
    return CF_ZE_NEXT(zeEventHostSignal)(e ? cf_ze_event_signal(e) : event);
}

int zeEventHostReset(void *event)
{
    cf_ze_event *e = cf_ze_event_of(event);
    void *both[2] = {event, NULL};
    if (e)
        CF_INJECT_COUNT(calls);
    unsigned count = e ? cf_ze_event_reset(e, both) : 1;
    int result = CF_ZE_NEXT(zeEventHostReset)(both[0]);
    if (count > 1 && result == CF_ZE_SUCCESS)
        result = CF_ZE_NEXT(zeEventHostReset)(both[1]);
    return result;
}

int zeEventQueryStatus(void *event)
{
    const cf_ze_event *e = cf_ze_event_of(event);
    if (e)
        CF_INJECT_COUNT(calls);
    return CF_ZE_NEXT(zeEventQueryStatus)(e ? cf_ze_event_now(e) : event);
}

/* Who only looks does not promise. */
int zeEventHostSynchronize(void *event, uint64_t timeout_ns)
{
    cf_ze_event *e = cf_ze_event_of(event);
    if (e)
        CF_INJECT_COUNT(calls);
    void *now = e && timeout_ns > 0 ? cf_ze_event_wait(e) : e ? cf_ze_event_now(e) : event;
    int result = CF_ZE_NEXT(zeEventHostSynchronize)(now, timeout_ns);
    if (result == CF_ZE_SUCCESS)
        cf_inject_waited(CF_WAIT_EVENT, NULL, FROM);
    return result;
}

static void keep_times(cf_ze_event *e, const cf_ze_times *times)
{
    const uint64_t all[4] = {times->global_begin, times->global_end, times->context_begin, times->context_end};
    for (int i = 0; i < 4; i++) {
        atomic_store_explicit(&e->times[i], all[i], memory_order_relaxed);
        atomic_store_explicit(&last_times[i], all[i], memory_order_relaxed);
    }
    atomic_store_explicit(&e->has_times, true, memory_order_release);
    cf_inject_answer_keep(all, 4);
}

/* The twin has none: once it is over, times stand in, the event's own last ones, else those of this place of a step,
   else the last of any. Before that the driver says of own what it would have said. */
static int answer(cf_ze_event *e, cf_ze_times *ret)
{
    int result = CF_ZE_NEXT(zeEventQueryStatus)(e->twin);
    if (result != CF_ZE_SUCCESS || !ret)
        return CF_ZE_NEXT(zeEventQueryKernelTimestamp)(e->own, ret);
    bool has_own = atomic_load_explicit(&e->has_times, memory_order_acquire);
    _Atomic uint64_t *from = has_own ? e->times : last_times;
    uint64_t all[4];
    bool has_kept = cf_inject_answer_find(all, 4);
    for (int i = 0; i < 4 && (has_own || !has_kept); i++)
        all[i] = atomic_load_explicit(&from[i], memory_order_relaxed);
    if (all[0] == 0 && all[1] == 0) /* nothing was timed yet: a program may divide by it */
        all[1] = all[3] = all[0] + 1;
    *ret = (cf_ze_times){all[0], all[1], all[2], all[3]};
    CF_INJECT_COUNT(answered);
    return result;
}

int zeEventQueryKernelTimestamp(void *event, cf_ze_times *ret)
{
    cf_ze_event *e = cf_ze_event_of(event);
    if (!e || !e->timed)
        return CF_ZE_NEXT(zeEventQueryKernelTimestamp)(event, ret);
    CF_INJECT_COUNT(calls);
    if (cf_ze_event_now(e) != e->own)
        return answer(e, ret);
    int result = CF_ZE_NEXT(zeEventQueryKernelTimestamp)(event, ret);
    if (result == CF_ZE_SUCCESS && ret)
        keep_times(e, ret);
    return result;
}

int zeEventQueryTimestampsExp(void *event, void *device, uint32_t *count, void *ret)
{
    return CF_ZE_NEXT(zeEventQueryTimestampsExp)(pinned(event), device, count, ret);
}

int zeEventQueryKernelTimestampsExt(void *event, void *device, uint32_t *count, void *ret)
{
    return CF_ZE_NEXT(zeEventQueryKernelTimestampsExt)(pinned(event), device, count, ret);
}

int zeEventCounterBasedGetIpcHandle(void *event, void *ret)
{
    return CF_ZE_NEXT(zeEventCounterBasedGetIpcHandle)(pinned(event), ret);
}

int zeEventCounterBasedGetDeviceAddress(void *event, uint64_t *ret_value, uint64_t *ret_address)
{
    return CF_ZE_NEXT(zeEventCounterBasedGetDeviceAddress)(pinned(event), ret_value, ret_address);
}

/* ---- lists and waits --------------------------------------------------------------------------------------------- */

int zeCommandListCreateImmediate(void *context, void *device, const cf_ze_queue_desc *desc, void **ret)
{
    void *none = NULL;
    int result = CF_ZE_NEXT(zeCommandListCreateImmediate)(context, device, desc, ret);
    if (result != CF_ZE_SUCCESS || !cf_inject_begin())
        return result;
    cf_inject_seen(CF_INJECT_LEVEL_ZERO);
    atomic_compare_exchange_strong(&first_device, &none, device);
    cf_inject_lock_take(CF_LOCK_ZE_LISTS);
    cf_table_set(&lists, *ret, desc->flags & CF_ZE_IN_ORDER ? &in_order_list : &unordered_list);
    cf_inject_lock_give(CF_LOCK_ZE_LISTS);
    return result;
}

int zeCommandListDestroy(void *list)
{
    cf_inject_lock_take(CF_LOCK_ZE_LISTS);
    if (cf_table_get(&lists, list))
        cf_table_set(&lists, list, NULL);
    cf_inject_lock_give(CF_LOCK_ZE_LISTS);
    return CF_ZE_NEXT(zeCommandListDestroy)(list);
}

#define WAIT(kind, object, call)                                                                                       \
    do {                                                                                                               \
        int result = (call);                                                                                           \
        if (result == CF_ZE_SUCCESS)                                                                                   \
            cf_inject_waited(kind, object, FROM);                                                                      \
        return result;                                                                                                 \
    } while (0)

int zeCommandListHostSynchronize(void *list, uint64_t timeout_ns)
{
    WAIT(CF_WAIT_QUEUE, list, CF_ZE_NEXT(zeCommandListHostSynchronize)(list, timeout_ns));
}

int zeCommandQueueSynchronize(void *queue, uint64_t timeout_ns)
{
    WAIT(CF_WAIT_QUEUE, queue, CF_ZE_NEXT(zeCommandQueueSynchronize)(queue, timeout_ns));
}

int zeFenceHostSynchronize(void *fence, uint64_t timeout_ns)
{
    WAIT(CF_WAIT_EVENT, fence, CF_ZE_NEXT(zeFenceHostSynchronize)(fence, timeout_ns));
}

/* ---- what else --------------------------------------------------------------------------------------------------- */

/* A function of the driver's own that takes events or lists gets the program's handles, past us. One that makes an
   event makes one that is not known here. */
int zeDriverGetExtensionFunctionAddress(void *driver, const char *name, void **ret)
{
    int result = CF_ZE_NEXT(zeDriverGetExtensionFunctionAddress)(driver, name, ret);
    if (result == CF_ZE_SUCCESS && name && (strstr(name, "CommandList") || strstr(name, "Event")) &&
        !strstr(name, "EventCreate"))
        cf_ze_past_us();
    return result;
}

void cf_ze_describe(cf_wire *wire)
{
    void *device = atomic_load(&first_device);
    cf_ze_device_properties properties = {.head = {.type = CF_ZE_TYPE_DEVICE}};
    if (!device ||
        CF_ZE_USE(zeDeviceGetProperties, (void *, cf_ze_device_properties *))(device, &properties) != CF_ZE_SUCCESS)
        return;
    properties.name[sizeof properties.name - 1] = '\0';
    snprintf(wire->device, sizeof wire->device, "%.*s", (int)sizeof wire->device - 1, properties.name);
    cf_inject_describe_emulated(wire);
}
