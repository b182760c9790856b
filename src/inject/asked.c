#include "inject/asked.h"

#include "inject/table.h"

#define PLACES 1024u /* a power of two */

/* Odd turns are those in which a thread writes; a reader that sees one, or another one after than before, knows
   nothing. No fences, which ThreadSanitizer does not follow: loads acquire and stores release, free of charge on x86.
 */
typedef struct place {
    _Atomic uint32_t turn;
    _Atomic uint32_t type; /* twice, and whether it is over */
    cf_cl _Atomic event;   /* NULL = free */
    cf_cl _Atomic queue;
} place;

static place asked[PLACES];

static place *place_of(cf_cl event)
{
    return &asked[cf_table_hash((uintptr_t)event) & (PLACES - 1)];
}

bool cf_asked_find(cf_cl event, cf_asked *ret)
{
    place *at = place_of(event);
    uint32_t turn = atomic_load_explicit(&at->turn, memory_order_acquire);
    if (!event || (turn & 1) || atomic_load_explicit(&at->event, memory_order_acquire) != event)
        return false;
    ret->queue = atomic_load_explicit(&at->queue, memory_order_acquire);
    uint32_t type = atomic_load_explicit(&at->type, memory_order_acquire);
    ret->type = type / 2;
    ret->over = type % 2 != 0;
    return atomic_load_explicit(&at->turn, memory_order_relaxed) == turn;
}

void cf_asked_keep(cf_cl event, const cf_asked *about)
{
    place *at = place_of(event);
    uint32_t turn = atomic_load_explicit(&at->turn, memory_order_relaxed);
    if ((turn & 1) || !atomic_compare_exchange_strong(&at->turn, &turn, turn + 1))
        return; /* another thread writes: this one need not */
    atomic_store_explicit(&at->event, event, memory_order_release);
    atomic_store_explicit(&at->queue, about->queue, memory_order_release);
    atomic_store_explicit(&at->type, about->type * 2 + about->over, memory_order_release);
    atomic_store_explicit(&at->turn, turn + 2, memory_order_release);
}

/* Nobody is just writing this event: who does holds a reference of its own, and that one's release comes here, too. */
void cf_asked_forget(cf_cl event)
{
    cf_cl wanted = event;
    place *at = place_of(event);
    if (event && atomic_load_explicit(&at->event, memory_order_acquire) == event)
        atomic_compare_exchange_strong(&at->event, &wanted, NULL);
}
