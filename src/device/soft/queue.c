/* The queue discipline: rules 2, 3, 4 and 6 of docs/model.md, by planned times. Whichever engine thread holds the lock
   drains what the host handed over, issues what may go, and assigns commands to engine slots.

   A command's planned begin is the planned time of what released it, not the time at which a thread noticed: so a
   thread that wakes a little late makes up for it by shorter sleeps instead of passing its lateness on. */
#include "device/soft/state.h"

#include "base/clock.h"

#define MASK (CF_SOFT_COMMANDS - 1)
_Static_assert((CF_SOFT_COMMANDS & MASK) == 0, "the ring is indexed by a mask");

static void list_push(cf_soft_list *list, cf_soft_command *c)
{
    c->next = NULL;
    if (list->head == NULL)
        list->head = c;
    else
        list->tail->next = c;
    list->tail = c;
}

static cf_soft_command *list_pop(cf_soft_list *list)
{
    cf_soft_command *c = list->head;
    list->head = c->next;
    return c;
}

static cf_soft_queue *queue_of(cf_soft *soft, const cf_soft_command *c)
{
    return &soft->engines[c->engine].queues[c->stream->queue[c->engine]];
}

static void complete_event(const cf_soft *soft, const cf_soft_command *c, uint64_t at_ns)
{
    if (c->event == NULL)
        return;
    c->event->completed = c->ticket;
    c->event->stamp_raw = cf_model_stamp(soft->engines[c->engine].model, at_ns);
}

static void free_slot(cf_soft *soft, cf_soft_command *c, cf_soft_past past)
{
    soft->ends[c->ticket & MASK] = (cf_soft_end){c->ticket, past};
    atomic_store_explicit(&c->turn, 0, memory_order_release);
}

/* A record lowered to no work completes with the stream's previous command, or at once if that has ended. */
static uint64_t effortless_end_ns(const cf_soft_command *c)
{
    return c->stream->end_ns > c->visible_ns ? c->stream->end_ns : c->visible_ns;
}

static void complete_mark(cf_soft *soft, cf_soft_command *mark)
{
    complete_event(soft, mark, effortless_end_ns(mark));
    free_slot(soft, mark, mark->stream->ended_past);
}

static void take_in(cf_soft *soft, cf_soft_command *c)
{
    cf_soft_stream *stream = c->stream;
    c->marks = NULL;
    if (c->kind != CF_SOFT_MARK) {
        c->place = stream->drained++;
        stream->last = c;
        list_push(&queue_of(soft, c)->list, c);
    } else if (stream->last == NULL) {
        complete_mark(soft, c);
    } else {
        c->next = stream->last->marks;
        stream->last->marks = c;
    }
}

bool cf_soft_queue_waiting(cf_soft *soft)
{
    uint64_t drained = atomic_load_explicit(&soft->drained, memory_order_relaxed);
    return atomic_load(&soft->ring[(drained + 1) & MASK].turn) == drained + 1;
}

static void drain(cf_soft *soft)
{
    while (cf_soft_queue_waiting(soft)) {
        uint64_t ticket = atomic_load_explicit(&soft->drained, memory_order_relaxed) + 1;
        take_in(soft, &soft->ring[ticket & MASK]);
        atomic_store_explicit(&soft->drained, ticket, memory_order_relaxed);
    }
}

/* Rule 2. */
static bool may_go(const cf_soft *soft, const cf_soft_command *c)
{
    return c->stream->ended == c->place && (c->wait_for == 0 || soft->ends[c->wait_for & MASK].ticket >= c->wait_for);
}

static void later(cf_soft_command *c, cf_soft_past past)
{
    if (past.at_ns <= c->ready_ns)
        return;
    c->ready_ns = past.at_ns;
    c->cause = past.by;
}

/* Sets the planned time at which a head that may go was free to. */
static void set_ready(cf_soft *soft, cf_soft_command *c)
{
    c->ready_ns = c->visible_ns;
    c->cause.set = false;
    later(c, c->stream->ended_past);
    const cf_soft_end *end = &soft->ends[c->wait_for & MASK];
    if (c->wait_for != 0 && end->ticket == c->wait_for)
        later(c, end->past);
    later(c, queue_of(soft, c)->head);
}

/* The last thing that ends leaves nobody to make up for its lateness: the host's wall has it. What is usual for a
   thread to wake up is the device's own speed and no lateness. */
static void charge_idle(cf_soft *soft, uint64_t now_ns, uint64_t end_plan_ns)
{
    if (atomic_load(&soft->pending.count) == 1 && now_ns > end_plan_ns + CF_SOFT_IDLE_LATENESS_NS)
        cf_soft_late_add(soft, now_ns - end_plan_ns);
}

/* All is written before the gates go down: the host may read, free or reuse anything from then on. */
static void end(cf_soft *soft, cf_soft_command *c, uint64_t begin_ns, uint64_t end_ns, cf_soft_wakes *wakes)
{
    cf_soft_stream *stream = c->stream;
    cf_soft_past past = {c->end_plan_ns, cf_soft_label_of(c)};
    cf_soft_span_add(soft, c, begin_ns, end_ns);
    complete_event(soft, c, c->kind == CF_SOFT_HOLD ? effortless_end_ns(c) : end_ns);
    stream->ended++;
    stream->end_ns = end_ns;
    stream->ended_past = past;
    if (stream->last == c)
        stream->last = NULL;
    if (past.at_ns > soft->idle.at_ns)
        soft->idle = past;
    for (cf_soft_command *mark = c->marks, *next; mark != NULL; mark = next) {
        next = mark->next;
        complete_mark(soft, mark);
    }
    charge_idle(soft, end_ns, c->end_plan_ns);
    free_slot(soft, c, past);
    cf_soft_gate_down(&stream->pending, wakes);
    cf_soft_gate_down(&soft->pending, wakes);
}

static void end_hold(cf_soft *soft, cf_soft_command *c, uint64_t now_ns, cf_soft_wakes *wakes)
{
    c->begin_plan_ns = c->end_plan_ns = c->ready_ns;
    end(soft, c, now_ns, now_ns, wakes);
}

/* The idle slot whose last command was planned to end first; but the thread that is awake if that makes the command
   begin no later. */
static cf_soft_worker *free_worker(cf_soft_engine *engine, const cf_soft_command *c, const cf_soft_worker *self)
{
    cf_soft_worker *found = NULL;
    for (uint32_t i = 0; i < engine->worker_count; i++) {
        cf_soft_worker *worker = &engine->workers[i];
        if (atomic_load_explicit(&worker->current, memory_order_relaxed) != NULL)
            continue;
        if (worker == self && worker->free.at_ns <= c->ready_ns)
            return worker;
        if (found == NULL || worker->free.at_ns < found->free.at_ns)
            found = worker;
    }
    return found;
}

static bool may_start(const cf_soft *soft, const cf_soft_command *c)
{
    return !c->needs_idle || soft->running_count == 0;
}

static void start(cf_soft *soft, cf_soft_worker *worker, cf_soft_command *c, uint64_t now_ns,
                  const cf_soft_worker *self, cf_soft_wakes *wakes)
{
    cf_soft_engine *engine = &soft->engines[c->engine];
    const cf_model_fault *fault = &soft->model.fault;
    later(c, worker->free);
    later(c, engine->last);
    if (c->needs_idle)
        later(c, soft->idle);
    if (now_ns > c->ready_ns + CF_SOFT_ALLOWANCE_NS) {
        cf_soft_late_add(soft, now_ns - CF_SOFT_ALLOWANCE_NS - c->ready_ns);
        c->ready_ns = now_ns - CF_SOFT_ALLOWANCE_NS;
    }
    c->begin_plan_ns = c->ready_ns;
    engine->last = (cf_soft_past){c->begin_plan_ns, cf_soft_label_of(c)};
    engine->started++;
    c->stalls = fault->stall_engine == c->engine && fault->stall_at == engine->started;
    c->worker = worker;
    cf_soft_pace_begin(soft, c);
    atomic_store_explicit(&worker->current, c, memory_order_release);
    if (worker == self)
        return;
    atomic_fetch_add(&worker->bell, 1);
    cf_soft_wakes_add(wakes, &worker->bell);
}

/* Rule 3, ring: only the head may start. */
static bool advance_ring(cf_soft *soft, cf_soft_engine *engine, uint64_t now_ns, const cf_soft_worker *self,
                         cf_soft_wakes *wakes)
{
    bool changed = false;
    cf_soft_queue *queue = &engine->queues[0];
    while (queue->list.head != NULL && may_go(soft, queue->list.head)) {
        cf_soft_command *c = queue->list.head;
        bool hold = c->kind == CF_SOFT_HOLD;
        set_ready(soft, c);
        cf_soft_worker *worker = hold ? NULL : free_worker(engine, c, self);
        if (!hold && (worker == NULL || !may_start(soft, c)))
            return changed;
        list_pop(&queue->list);
        if (hold) {
            queue->head = (cf_soft_past){c->ready_ns, cf_soft_label_of(c)};
            end_hold(soft, c, now_ns, wakes);
        } else {
            start(soft, worker, c, now_ns, self, wakes);
            queue->head = engine->last;
        }
        changed = true;
    }
    return changed;
}

/* The head that may go and was free to first; of those free at one instant, the one submitted first. */
static cf_soft_queue *next_to_issue(cf_soft *soft, cf_soft_engine *engine)
{
    cf_soft_queue *found = NULL;
    for (uint32_t i = 0; i < engine->queue_count; i++) {
        cf_soft_command *c = engine->queues[i].list.head;
        if (c == NULL || !may_go(soft, c))
            continue;
        set_ready(soft, c);
        const cf_soft_command *best = found != NULL ? found->list.head : NULL;
        if (best == NULL || c->ready_ns < best->ready_ns || (c->ready_ns == best->ready_ns && c->ticket < best->ticket))
            found = &engine->queues[i];
    }
    return found;
}

/* Rule 3, ready: heads are issued, and start in that order. */
static bool advance_ready(cf_soft *soft, cf_soft_engine *engine, uint64_t now_ns, const cf_soft_worker *self,
                          cf_soft_wakes *wakes)
{
    bool changed = false;
    for (cf_soft_queue *queue; (queue = next_to_issue(soft, engine)) != NULL; changed = true) {
        cf_soft_command *c = list_pop(&queue->list);
        queue->head = (cf_soft_past){c->ready_ns, cf_soft_label_of(c)};
        if (c->kind == CF_SOFT_HOLD)
            end_hold(soft, c, now_ns, wakes);
        else
            list_push(&engine->issued, c);
    }
    while (engine->issued.head != NULL && may_start(soft, engine->issued.head)) {
        cf_soft_worker *worker = free_worker(engine, engine->issued.head, self);
        if (worker == NULL)
            break;
        start(soft, worker, list_pop(&engine->issued), now_ns, self, wakes);
        changed = true;
    }
    return changed;
}

void cf_soft_queue_advance(cf_soft *soft, const cf_soft_worker *self, cf_soft_wakes *wakes)
{
    drain(soft);
    uint64_t now_ns = cf_clock_now_ns();
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < soft->model.engine_count; i++) {
            cf_soft_engine *engine = &soft->engines[i];
            changed |= engine->model->ready ? advance_ready(soft, engine, now_ns, self, wakes)
                                            : advance_ring(soft, engine, now_ns, self, wakes);
        }
    }
}

void cf_soft_queue_finish(cf_soft *soft, cf_soft_worker *worker, cf_soft_command *c, uint64_t begin_ns,
                          cf_soft_wakes *wakes)
{
    cf_soft_pace_end(soft, c, wakes);
    uint64_t now_ns = cf_clock_now_ns();
    if (now_ns > c->end_plan_ns + CF_SOFT_ALLOWANCE_NS) {
        cf_soft_late_add(soft, now_ns - CF_SOFT_ALLOWANCE_NS - c->end_plan_ns);
        c->end_plan_ns = now_ns - CF_SOFT_ALLOWANCE_NS;
    }
    worker->free = (cf_soft_past){c->end_plan_ns, cf_soft_label_of(c)};
    atomic_store_explicit(&worker->current, NULL, memory_order_relaxed);
    end(soft, c, begin_ns, now_ns, wakes);
}
