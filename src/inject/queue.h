/* A queue that the program made, and its twin that is profiled if it is not, and is not if it is. The program holds its
   own; its commands go to one of the two, and change over between steps in the order in which they were submitted. */
#ifndef CF_INJECT_QUEUE_H
#define CF_INJECT_QUEUE_H

#include <pthread.h>

#include "inject/known.h"
#include "inject/table.h"

#define CF_QUEUE_TYPES CF_KNOWN_TYPES /* of commands: 0x11F0 and on, by what is left over */

typedef struct cf_queue {
    cf_cl own, twin; /* no twin: NULL */
    bool profiled;   /* own is */
    bool in_order;
    unsigned slot;              /* its own for ever; 0: there was none left */
    char *place;                /* the first that none had when it was made; NULL: there was none left */
    _Atomic uint32_t users;     /* the program's references */
    cf_cl _Atomic active;       /* gets the commands */
    _Atomic bool pinned;        /* to own */
    _Atomic uint64_t waits;     /* for everything in the queue that began, from 1 */
    _Atomic uint64_t drained;   /* the last of them that came back */
    _Atomic uint64_t submitted; /* waits, when the last command came: they are not before it */
    _Atomic uint64_t times[CF_QUEUE_TYPES][CF_CL_PROFILING_COUNT]; /* the last that were taken, for each type */
    pthread_mutex_t lock;
    unsigned gone; /* of own and twin, those that the program released and that no new queue has yet */
    struct cf_queue *next_free;
} cf_queue;

extern cf_table cf_queues; /* by own and by twin */
extern cf_queue *_Atomic cf_queue_slots[CF_KNOWN_SLOTS];

/* What is kept of a queue, of the program's or a twin; NULL = it is not ours. */
static inline cf_queue *cf_queue_of(const void *queue)
{
    return cf_table_get(&cf_queues, queue);
}
/* The same for who asks about an event: it may outlive the program's references to its queue. */
cf_queue *cf_queue_of_event(const void *queue);
static inline cf_queue *cf_queue_at(unsigned slot)
{
    return atomic_load_explicit(&cf_queue_slots[slot], memory_order_acquire);
}
/* What a wait for it is told by. Of a program that makes its queues anew in every step, handles recur as the driver's
   allocator has it, places as the program has it. */
static inline const void *cf_queue_told_by(const cf_queue *queue)
{
    return queue->place ? queue->place : queue->own;
}
cf_queue *cf_queue_add(cf_cl own, cf_cl twin, bool profiled, bool in_order);
void cf_queue_remove(cf_queue *queue);
/* The queue that the next command goes to. */
cf_cl cf_queue_route(cf_queue *queue);

/* To be called around a command's submission: a wait that began before its end may not be for it. */
static inline void cf_queue_submits(cf_queue *queue)
{
    uint64_t waits = atomic_load(&queue->waits);
    if (atomic_load_explicit(&queue->submitted, memory_order_relaxed) != waits)
        atomic_store_explicit(&queue->submitted, waits, memory_order_release);
}
/* No command came since the last wait that came back began. */
static inline bool cf_queue_idle(cf_queue *queue)
{
    return atomic_load(&queue->submitted) < atomic_load(&queue->drained);
}
/* To be called around a wait that leaves nothing in the queue; what the first returned is for the second. 0: there is
   nothing to wait for. */
static inline uint64_t cf_queue_wait_begin(cf_queue *queue)
{
    return cf_queue_idle(queue) ? 0 : atomic_fetch_add(&queue->waits, 1) + 1;
}
static inline void cf_queue_wait_end(cf_queue *queue, uint64_t wait)
{
    if (atomic_load_explicit(&queue->drained, memory_order_relaxed) < wait)
        atomic_store_explicit(&queue->drained, wait, memory_order_release);
}
/* To own, from here on. */
void cf_queue_pin(cf_queue *queue);
void cf_queues_pin(void);    /* all of them, and those that are made later */
void cf_queues_forked(void); /* in a child, with CF_LOCK_QUEUES taken: their own locks are free */

#endif
