#include "inject/queue.h"

typedef int enqueue_list(cf_cl queue, cf_cl_uint count, const cf_cl *events, cf_cl *ret);
typedef int with_queue(cf_cl queue);
typedef int with_event(cf_cl event);

static cf_table table; /* by own and by twin */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cf_queue *free_queues;
static _Atomic bool all_pinned;

cf_queue *cf_queue_of(cf_cl queue)
{
    return cf_table_get(&table, queue);
}

static cf_queue *take(void)
{
    cf_queue *queue = free_queues;
    if (queue)
        free_queues = queue->next_free;
    else
        queue = cf_inject_alloc(sizeof *queue);
    return queue;
}

cf_queue *cf_queue_add(cf_cl own, cf_cl twin, bool profiled, bool in_order)
{
    pthread_mutex_lock(&lock);
    cf_queue *queue = take();
    if (queue) {
        *queue = (cf_queue){.own = own, .twin = twin, .profiled = profiled, .in_order = in_order, .users = 1};
        pthread_mutex_init(&queue->lock, NULL);
        atomic_store(&queue->active, own);
        if (!cf_table_set(&table, own, queue) || (twin && !cf_table_set(&table, twin, queue))) {
            cf_table_set(&table, own, NULL);
            queue->next_free = free_queues;
            free_queues = queue;
            queue = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    return queue;
}

void cf_queue_remove(cf_queue *queue)
{
    pthread_mutex_lock(&lock);
    cf_table_set(&table, queue->own, NULL);
    if (queue->twin)
        cf_table_set(&table, queue->twin, NULL);
    queue->next_free = free_queues;
    free_queues = queue;
    pthread_mutex_unlock(&lock);
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
        if (atomic_load(&queue->submitted) != atomic_load(&queue->drained))
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
    atomic_fetch_add_explicit(&queue->submitted, 1, memory_order_relaxed);
    return to;
}

uint64_t cf_queue_submitted(cf_queue *queue)
{
    return atomic_load_explicit(&queue->submitted, memory_order_acquire);
}

void cf_queue_drained(cf_queue *queue, uint64_t submitted)
{
    atomic_store_explicit(&queue->drained, submitted, memory_order_release);
}

void cf_queue_pin(cf_queue *queue)
{
    atomic_store(&queue->pinned, true);
    change_over(queue, queue->own);
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
    pthread_mutex_lock(&lock);
    cf_table_each(&table, pin_each, NULL);
    pthread_mutex_unlock(&lock);
}
