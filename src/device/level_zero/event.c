/* Events and timestamps. */
#include <stdlib.h>

#include "base/clock.h"
#include "device/level_zero/state.h"

/* What Intel's driver leaves in an event's timestamps until a command writes them. */
#define NEVER_WRITTEN UINT64_C(0xffffffff)

/* ---- making ---- */

/* Both descriptors have one shape: flags, and the scopes of a signal and of a wait. */
cf_ze_result cf_ze_event_counter(const cf_ze *ze, cf_ze_event_path path, bool stamped, cf_ze_event *ret_event)
{
    const cf_ze_event_desc desc = {
        .type = path == CF_ZE_EVENT_CORE ? CF_ZE_TYPE_COUNTER_EVENT : CF_ZE_TYPE_ZEX_COUNTER_EVENT,
        .index = CF_ZE_COUNTER_IMMEDIATE | CF_ZE_COUNTER_HOST_VISIBLE | (stamped ? CF_ZE_COUNTER_TIMESTAMP : 0),
        .signal = CF_ZE_SCOPE_HOST};
    return path == CF_ZE_EVENT_CORE ? ze->api.event_counter(ze->context, ze->device, &desc, ret_event)
                                    : ze->paths.zex(ze->context, ze->device, &desc, ret_event);
}

static cf_status make_slab(cf_ze *ze, bool stamped, bool counter, cf_ze_slab **ret_slab, cf_error *err)
{
    const cf_ze_flags_desc count = {.type = CF_ZE_TYPE_COUNTER_POOL, .flags = CF_ZE_COUNTER_IMMEDIATE};
    const cf_ze_pool_desc desc = {.type = CF_ZE_TYPE_POOL,
                                  .next = counter ? &count : NULL,
                                  .flags = CF_ZE_POOL_HOST_VISIBLE | (stamped ? CF_ZE_POOL_KERNEL_TIMESTAMP : 0),
                                  .count = CF_ZE_SLOTS};
    cf_ze_slab *slab = calloc(1, sizeof *slab);
    if (slab == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    *slab = (cf_ze_slab){.stamped = stamped, .counter = counter, .next = ze->slabs};
    cf_status status =
        CF_ZE_TRY(err, "zeEventPoolCreate", ze->api.pool_create(ze->context, &desc, 1, &ze->device, &slab->pool));
    if (status != CF_OK) {
        free(slab);
        return status;
    }
    ze->slabs = slab;
    *ret_slab = slab;
    return CF_OK;
}

static int free_slot(uint64_t used)
{
    return used == UINT64_MAX ? -1 : __builtin_ctzll(~used);
}

static cf_status from_pool(cf_ze *ze, cf_event *event, bool stamped, bool counter, cf_error *err)
{
    cf_ze_slab *slab = ze->slabs;
    int slot = 0;
    for (; slab != NULL; slab = slab->next)
        if (slab->stamped == stamped && slab->counter == counter && (slot = free_slot(slab->used)) >= 0)
            break;
    cf_status status = slab == NULL ? make_slab(ze, stamped, counter, &slab, err) : CF_OK;
    if (status != CF_OK)
        return status;
    slot = slot < 0 ? 0 : slot; /* of a new one the first */
    const cf_ze_event_desc desc = {.type = CF_ZE_TYPE_EVENT, .index = (uint32_t)slot, .signal = CF_ZE_SCOPE_HOST};
    status = CF_ZE_TRY(err, "zeEventCreate", ze->api.event_create(slab->pool, &desc, &event->handle));
    if (status != CF_OK)
        return status;
    event->slab = slab;
    event->slot = slot;
    slab->used |= UINT64_C(1) << slot;
    return CF_OK;
}

static cf_status make_handle(cf_ze *ze, cf_event *event, bool stamped, cf_error *err)
{
    event->counter = cf_ze_counts(ze);
    switch (ze->paths.event) {
    case CF_ZE_EVENT_CORE:
        return CF_ZE_TRY(err, "zeEventCounterBasedCreate",
                         cf_ze_event_counter(ze, CF_ZE_EVENT_CORE, stamped, &event->handle));
    case CF_ZE_EVENT_ZEX:
        return CF_ZE_TRY(err, "zexCounterBasedEventCreate2",
                         cf_ze_event_counter(ze, CF_ZE_EVENT_ZEX, stamped, &event->handle));
    case CF_ZE_EVENT_POOL:
    case CF_ZE_EVENT_PLAIN:
        break;
    }
    return from_pool(ze, event, stamped, ze->paths.event == CF_ZE_EVENT_POOL, err);
}

static cf_status make_stamp(cf_ze *ze, cf_event *event, cf_error *err)
{
    cf_ze_page *page = ze->pages;
    while (page != NULL && free_slot(page->used) < 0)
        page = page->next;
    if (page == NULL) {
        void *stamps = NULL;
        cf_status status = cf_ze_host_memory(ze, CF_ZE_SLOTS * CF_ZE_STAMP_WORDS * sizeof(uint64_t), &stamps, err);
        if (status != CF_OK)
            return status;
        page = calloc(1, sizeof *page);
        if (page == NULL) {
            (void)ze->api.memory_free(ze->context, stamps);
            return cf_error_set(err, CF_MEMORY, "out of memory");
        }
        *page = (cf_ze_page){.stamps = stamps, .next = ze->pages};
        ze->pages = page;
    }
    event->page = page;
    event->stamp_slot = free_slot(page->used);
    event->stamp = page->stamps + (size_t)event->stamp_slot * CF_ZE_STAMP_WORDS;
    page->used |= UINT64_C(1) << event->stamp_slot;
    *event->stamp = 0;
    return CF_OK;
}

static void end_event(cf_ze *ze, cf_event *event)
{
    if (event->handle != NULL)
        (void)ze->api.event_destroy(event->handle);
    if (event->slab != NULL)
        event->slab->used &= ~(UINT64_C(1) << event->slot);
    if (event->page != NULL)
        event->page->used &= ~(UINT64_C(1) << event->stamp_slot);
    free(event);
}

cf_status cf_level_zero_event_new(cf_device *device, cf_event_kind kind, cf_event **ret_event, cf_error *err)
{
    cf_ze *ze = device->state;
    cf_event *event = calloc(1, sizeof *event);
    if (event == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    event->kind = kind;
    cf_status status = make_handle(ze, event, kind == CF_EVENT_STAMPED, err);
    if (status == CF_OK && kind == CF_EVENT_TIMING)
        status = make_stamp(ze, event, err);
    if (status != CF_OK) {
        end_event(ze, event);
        return status;
    }
    event->next = ze->events;
    ze->events = event;
    *ret_event = event;
    return CF_OK;
}

void cf_level_zero_event_free(cf_device *device, cf_event *event)
{
    cf_ze *ze = device->state;
    cf_ze_rest(ze);
    for (cf_event **at = &ze->events; *at != NULL; at = &(*at)->next)
        if (*at == event) {
            *at = event->next;
            break;
        }
    end_event(ze, event);
}

/* The events themselves are their makers'; the pools and pages that they came from are ours. */
void cf_ze_events_done(cf_ze *ze)
{
    while (ze->slabs != NULL) {
        cf_ze_slab *next = ze->slabs->next;
        (void)ze->api.pool_destroy(ze->slabs->pool);
        free(ze->slabs);
        ze->slabs = next;
    }
    while (ze->pages != NULL) {
        cf_ze_page *next = ze->pages->next;
        (void)ze->api.memory_free(ze->context, ze->pages->stamps);
        free(ze->pages);
        ze->pages = next;
    }
}

/* One that is reset serves lists with and without an order. */
cf_status cf_ze_tail_make(cf_ze *ze, cf_event **ret_tail, cf_error *err)
{
    cf_event *tail = calloc(1, sizeof *tail);
    if (tail == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    cf_status status = from_pool(ze, tail, false, false, err);
    if (status != CF_OK) {
        free(tail);
        return status;
    }
    *ret_tail = tail;
    return CF_OK;
}

void cf_ze_tail_end(cf_ze *ze, cf_event *tail)
{
    if (tail != NULL)
        end_event(ze, tail);
}

/* ---- recording ---- */

cf_status cf_level_zero_record(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                               cf_error *err)
{
    cf_ze *ze = device->state;
    cf_ze_list list = NULL;
    cf_status status = cf_ze_list_begin(ze, stream, op->kind, &list, err);
    if (status == CF_OK && event->kind == CF_EVENT_TIMING)
        status = CF_ZE_TRY(err, "zeCommandListAppendWriteGlobalTimestamp",
                           ze->api.append_stamp(list, event->stamp, event->handle, 0, NULL));
    else if (status == CF_OK)
        status = CF_ZE_TRY(err, "zeCommandListAppendSignalEvent", ze->api.append_signal(list, event->handle));
    if (status == CF_OK)
        status = cf_ze_list_end(ze, stream, list, err);
    if (status != CF_OK)
        return status;
    cf_ze_event_given(event);
    if (event->stamp != NULL)
        cf_ze_note_stamp(ze, stream, op, side, event->stamp);
    return CF_OK;
}

void cf_ze_event_given(cf_event *event)
{
    event->recorded = event->signalled = true;
    event->needs_reset = !event->counter;
}

static cf_status reset(const cf_ze *ze, cf_event *event, cf_error *err)
{
    cf_status status =
        event->needs_reset ? CF_ZE_TRY(err, "zeEventHostReset", ze->api.event_reset(event->handle)) : CF_OK;
    if (status == CF_OK)
        event->needs_reset = false;
    return status;
}

/* ---- reading ---- */

static uint64_t held_to(uint64_t value, uint32_t bits)
{
    return bits > 0 && bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

/* Whole seconds first: a product of ticks and 10^9 would overflow within minutes. */
static int64_t to_ns(const cf_ze *ze, uint64_t ticks)
{
    uint64_t hz = ze->properties.timer_hz > 0 ? ze->properties.timer_hz : CF_NS_PER_S;
    return (int64_t)(ticks / hz * CF_NS_PER_S + ticks % hz * CF_NS_PER_S / hz);
}

static void read_stamp(const cf_ze *ze, const cf_event *event, cf_event_reading *reading)
{
    uint64_t ticks = *(volatile uint64_t *)event->stamp;
    reading->has_stamp = ticks != 0;
    reading->stamp_ns = to_ns(ze, held_to(ticks, ze->properties.timestamp_bits));
    reading->begin_ns = reading->stamp_ns;
    *event->stamp = 0;
}

static cf_status read_stamps(const cf_ze *ze, const cf_event *event, cf_event_reading *reading, cf_error *err)
{
    cf_ze_kernel_stamps stamps = {0};
    uint32_t bits = ze->properties.kernel_timestamp_bits;
    cf_status status = CF_ZE_TRY(err, "zeEventQueryKernelTimestamp", ze->api.event_stamps(event->handle, &stamps));
    if (status != CF_OK)
        return status;
    uint64_t begin = held_to(stamps.global_begin, bits);
    uint64_t end = held_to(stamps.global_end, bits);
    if (end < begin && bits > 0 && bits < 64) /* the counter began anew in between */
        end += UINT64_C(1) << bits;
    reading->has_stamp = stamps.global_end != 0 && stamps.global_end != NEVER_WRITTEN;
    reading->begin_ns = to_ns(ze, begin);
    reading->stamp_ns = to_ns(ze, end);
    return CF_OK;
}

/* An event that a driver holds for complete need not have been recorded: so what was recorded is kept here, until it is
   read. */
cf_status cf_level_zero_event_read(cf_device *device, cf_event *event, cf_event_reading *ret_reading, cf_error *err)
{
    const cf_ze *ze = device->state;
    cf_event_reading reading = {0};
    cf_status status = CF_OK;
    if (event->recorded) {
        cf_ze_result code = ze->api.event_query(event->handle);
        reading.completed = code == CF_ZE_SUCCESS;
        if (code != CF_ZE_NOT_READY)
            status = CF_ZE_TRY(err, "zeEventQueryStatus", code);
    }
    if (status == CF_OK && reading.completed && event->kind == CF_EVENT_TIMING)
        read_stamp(ze, event, &reading);
    if (status == CF_OK && reading.completed && event->kind == CF_EVENT_STAMPED)
        status = read_stamps(ze, event, &reading, err);
    if (status == CF_OK && reading.completed)
        status = reset(ze, event, err);
    if (status != CF_OK)
        return status;
    event->recorded = false;
    *ret_reading = reading;
    return CF_OK;
}

/* Those that nobody reads, the workload's own, are reset before the step that signals them again. */
cf_status cf_level_zero_step_begin(cf_device *device, double position, cf_error *err)
{
    (void)position;
    cf_ze *ze = device->state;
    cf_status status = cf_ze_streams_reset(ze, err);
    for (cf_event *event = ze->events; event != NULL && status == CF_OK; event = event->next)
        status = reset(ze, event, err);
    ze->notes.count = 0;
    ze->step_ns = cf_clock_now_ns();
    return status;
}
