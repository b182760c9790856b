#include "inject/level_zero_event.h"

#include "inject/table.h"

enum {
    TWIN = 1,      /* stands for the event */
    SIGNALLED = 2, /* something was to signal it since it was reset */
    PROMISED = 4,  /* somebody waits for the one that stands for it, and nothing was to signal it yet */
    OWN_DIRTY = 8, /* own was to be signalled, and not reset */
    TWIN_DIRTY = 16,
    PINNED = 32
};

static cf_table table;
static cf_ze_event *free_events;
static _Atomic bool all_pinned, lists_seen;

cf_ze_event *cf_ze_event_of(const void *event)
{
    return cf_table_get(&table, event);
}

static void release(cf_ze_event *e)
{
    e->next = free_events;
    free_events = e;
}

static cf_ze_event *take(void)
{
    cf_ze_event *e = free_events;
    if (!e)
        return cf_inject_alloc(sizeof *e);
    free_events = e->next;
    return e;
}

cf_ze_event *cf_ze_event_add(void *own, void *twin, bool timed, bool counter)
{
    cf_inject_lock_take(CF_LOCK_ZE_EVENTS);
    cf_ze_event *e = cf_table_get(&table, own);
    bool fresh = e == NULL;
    if (fresh)
        e = take();
    if (e) {
        e->own = own;
        e->twin = twin;
        e->timed = timed;
        e->counter = counter;
        atomic_store(&e->state, 0);
        atomic_store(&e->has_times, false);
    }
    if (e && fresh && !cf_table_set(&table, own, e)) {
        release(e);
        e = NULL;
    }
    cf_inject_lock_give(CF_LOCK_ZE_EVENTS);
    return e;
}

void *cf_ze_event_remove(void *own)
{
    cf_inject_lock_take(CF_LOCK_ZE_EVENTS);
    cf_ze_event *e = cf_table_get(&table, own);
    void *twin = e ? e->twin : NULL;
    if (e) {
        cf_table_set(&table, own, NULL);
        release(e);
    }
    cf_inject_lock_give(CF_LOCK_ZE_EVENTS);
    return twin;
}

bool cf_ze_event_turns(const cf_ze_event *e)
{
    return !(atomic_load_explicit(&e->state, memory_order_relaxed) & PINNED) &&
           !atomic_load_explicit(&all_pinned, memory_order_relaxed);
}

static uint32_t pick(const cf_ze_event *e)
{
    cf_arm arm = cf_inject_arm();
    bool timed = arm == CF_ARM_SHIPPED ? e->timed : arm == CF_ARM_ADDED;
    return timed != e->timed && cf_ze_event_turns(e) ? TWIN : 0;
}

static void *of(const cf_ze_event *e, uint32_t state)
{
    return state & TWIN ? e->twin : e->own;
}

void *cf_ze_event_signal(cf_ze_event *e)
{
    uint32_t was = atomic_load(&e->state), is;
    do {
        is = was & PROMISED ? was : (was & ~(uint32_t)TWIN) | pick(e);
        is = (is & ~(uint32_t)PROMISED) | SIGNALLED | (is & TWIN ? TWIN_DIRTY : OWN_DIRTY);
    } while (!atomic_compare_exchange_weak(&e->state, &was, is));
    return of(e, is);
}

void *cf_ze_event_wait(cf_ze_event *e)
{
    uint32_t was = atomic_load(&e->state), is;
    do {
        if (e->counter || (was & (SIGNALLED | PROMISED)))
            return of(e, was);
        is = (was & ~(uint32_t)TWIN) | PROMISED | (atomic_load(&lists_seen) ? 0 : pick(e));
    } while (!atomic_compare_exchange_weak(&e->state, &was, is));
    return of(e, is);
}

void *cf_ze_event_now(const cf_ze_event *e)
{
    return of(e, atomic_load(&e->state));
}

/* A promise outlives a reset: its waiter still waits. */
unsigned cf_ze_event_reset(cf_ze_event *e, void *ret[2])
{
    uint32_t was = atomic_load(&e->state);
    while (!atomic_compare_exchange_weak(&e->state, &was, was & ~(uint32_t)(SIGNALLED | OWN_DIRTY | TWIN_DIRTY)))
        ;
    unsigned count = 0;
    if (was & OWN_DIRTY || !(was & TWIN_DIRTY))
        ret[count++] = e->own;
    if (was & TWIN_DIRTY)
        ret[count++] = e->twin;
    return count;
}

bool cf_ze_event_pin(cf_ze_event *e)
{
    uint32_t was = atomic_load(&e->state);
    while (!atomic_compare_exchange_weak(&e->state, &was, (was & ~(uint32_t)TWIN) | PINNED))
        ;
    return (was & (TWIN | SIGNALLED)) == (TWIN | SIGNALLED);
}

void cf_ze_events_expect_lists(void)
{
    atomic_store_explicit(&lists_seen, true, memory_order_relaxed);
}

static void count_each(void *user, const void *handle, void *value)
{
    (void)handle;
    (void)value;
    ++*(size_t *)user;
}

size_t cf_ze_events_pin(void)
{
    size_t count = 0;
    cf_inject_lock_take(CF_LOCK_ZE_EVENTS);
    if (!atomic_exchange(&all_pinned, true))
        cf_table_each(&table, count_each, &count);
    cf_inject_lock_give(CF_LOCK_ZE_EVENTS);
    return count;
}
