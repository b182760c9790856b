#include "inject/queue.h"

#include <string.h>

#define PLACES_MAX 1024u

typedef int enqueue_list(cf_cl queue, cf_cl_uint count, const cf_cl *events, cf_cl *ret);
typedef int with_queue(cf_cl queue);
typedef int with_event(cf_cl event);

const cf_inject_function *cf_cl_next;
cf_table cf_queues;
cf_queue *_Atomic cf_queue_slots[CF_KNOWN_SLOTS];
static cf_table gone; /* as they were, until the driver gives the handle to another queue: then no event is of them */
static cf_queue *free_queues;
static unsigned slots_used = 1;
static char taken[PLACES_MAX]; /* not 0: a queue has it */
static _Atomic bool all_pinned;

cf_queue *cf_queue_of_event(const void *queue)
{
    cf_queue *found = cf_queue_of(queue);
    return found ? found : cf_table_get(&gone, queue);
}

static void free_queue(cf_queue *queue)
{
    queue->next_free = free_queues;
    free_queues = queue;
}

static cf_queue *take(void)
{
    cf_queue *queue = free_queues;
    if (queue) {
        free_queues = queue->next_free;
        return queue;
    }
    queue = cf_inject_alloc(sizeof *queue);
    if (queue && slots_used < CF_KNOWN_SLOTS) {
        queue->slot = slots_used++;
        atomic_store_explicit(&cf_queue_slots[queue->slot], queue, memory_order_release);
    }
    return queue;
}

static char *take_place(void)
{
    char *place = memchr(taken, 0, sizeof taken);
    if (place)
        *place = 1;
    return place;
}

static void give_place(const cf_queue *queue)
{
    if (queue->place)
        *queue->place = 0;
}

static void forget_gone(cf_cl handle)
{
    cf_queue *queue = cf_table_get(&gone, handle);
    if (!queue)
        return;
    cf_table_set(&gone, handle, NULL);
    if (--queue->gone == 0)
        free_queue(queue);
}

cf_queue *cf_queue_add(cf_cl own, cf_cl twin, bool profiled, bool in_order)
{
    cf_inject_lock_take(CF_LOCK_QUEUES);
    forget_gone(own);
    if (twin)
        forget_gone(twin);
    cf_queue *queue = take();
    if (queue) {
        *queue = (cf_queue){.own = own,
                            .twin = twin,
                            .profiled = profiled,
                            .in_order = in_order,
                            .slot = queue->slot,
                            .place = take_place(),
                            .users = 1,
                            .waits = 1,
                            .drained = 1};
        pthread_mutex_init(&queue->lock, NULL);
        atomic_store(&queue->active, own);
        if (!cf_table_set(&cf_queues, own, queue) || (twin && !cf_table_set(&cf_queues, twin, queue))) {
            cf_table_set(&cf_queues, own, NULL);
            give_place(queue);
            free_queue(queue);
            queue = NULL;
        }
    }
    cf_inject_lock_give(CF_LOCK_QUEUES);
    return queue;
}

/* Under the lock. */
static void leave(cf_queue *queue, cf_cl handle)
{
    if (!handle)
        return;
    queue->gone += cf_table_set(&gone, handle, queue);
    cf_table_set(&cf_queues, handle, NULL);
}

void cf_queue_remove(cf_queue *queue)
{
    cf_inject_lock_take(CF_LOCK_QUEUES);
    leave(queue, queue->own);
    leave(queue, queue->twin);
    give_place(queue);
    if (queue->gone == 0)
        free_queue(queue);
    cf_inject_lock_give(CF_LOCK_QUEUES);
}

/* What is submitted to `to` begins after everything in `from`; where the driver refuses that, the host waits. */
static void put_in_order(cf_cl from, cf_cl to)
{
    cf_cl all = NULL;
    CF_INJECT_NOTE(undrained);
    if (CF_CL_NEXT(clEnqueueMarkerWithWaitList, enqueue_list *)(from, 0, NULL, &all) != CF_CL_SUCCESS || !all) {
        CF_CL_NEXT(clFinish, with_queue *)(from);
        return;
    }
    if (CF_CL_NEXT(clEnqueueBarrierWithWaitList, enqueue_list *)(to, 1, &all, NULL) != CF_CL_SUCCESS)
        CF_CL_NEXT(clFinish, with_queue *)(from);
    else
        CF_CL_NEXT(clFlush, with_queue *)(from); /* who waits across queues has to send off what is waited for */
    CF_CL_NEXT(clReleaseEvent, with_event *)(all);
}

static void change_over(cf_queue *queue, cf_cl to)
{
    pthread_mutex_lock(&queue->lock);
    cf_cl from = atomic_load(&queue->active);
    if (from != to) {
        if (!cf_queue_idle(queue))
            put_in_order(from, to);
        atomic_store(&queue->active, to);
    }
    pthread_mutex_unlock(&queue->lock);
}

static bool turns(const cf_queue *queue)
{
    return queue->twin && !atomic_load_explicit(&queue->pinned, memory_order_relaxed) &&
           !atomic_load_explicit(&all_pinned, memory_order_relaxed);
}

static cf_cl pick(const cf_queue *queue)
{
    cf_arm arm = cf_inject_arm();
    bool profiled = arm == CF_ARM_SHIPPED ? queue->profiled : arm == CF_ARM_ADDED;
    return profiled == queue->profiled ? queue->own : queue->twin;
}

/* What cannot be toggled is not counted among what is: the arms would not differ in it. */
cf_cl cf_queue_route(cf_queue *queue)
{
    cf_cl to = queue->own;
    if (turns(queue)) {
        to = pick(queue);
        CF_INJECT_COUNT(commands[queue->profiled][to != queue->own]);
    } else
        CF_INJECT_COUNT(calls);
    if (__builtin_expect(atomic_load_explicit(&queue->active, memory_order_relaxed) != to, 0))
        change_over(queue, to);
    cf_queue_submits(queue);
    return to;
}

void cf_queue_pin(cf_queue *queue)
{
    atomic_store(&queue->pinned, true);
    change_over(queue, queue->own);
}

/* Under the lock, in a child: no thread of its own holds any. */
static void free_lock(void *user, const void *handle, void *value)
{
    (void)user;
    cf_queue *queue = value;
    if (queue->own == handle)
        pthread_mutex_init(&queue->lock, NULL);
}

void cf_queues_forked(void)
{
    cf_table_each(&cf_queues, free_lock, NULL);
}

static void pin_each(void *user, const void *handle, void *value)
{
    (void)user;
    cf_queue *queue = value;
    if (queue->own == handle)
        cf_queue_pin(queue);
}

void cf_queues_pin(void)
{
    atomic_store(&all_pinned, true);
    cf_inject_lock_take(CF_LOCK_QUEUES);
    cf_table_each(&cf_queues, pin_each, NULL);
    cf_inject_lock_give(CF_LOCK_QUEUES);
}
