/* Why the arithmetic is exact: all commands that run progress at the same rate, so one count of work done since the
   beginning, in units of 1/q ns, serves for all of them. A command ends at the first whole ns at which that count has
   reached what it was at the command's begin plus the command's length.

   Why a stream's first command is enough to follow: a stream is in order, so nothing behind it can move before it has
   ended. The queues of engines hold stream numbers alone; the commands themselves lie in their streams until they end,
   and a head means the first of its stream, or else something that may not go yet. */
#include "device/sim/solve.h"

#include <stdlib.h>

#include "device/sim/ring.h"

#define STREAMS CF_SOLVER_MAX_STREAMS
#define NEVER   UINT64_MAX
#define LAST_NS (UINT64_C(1) << 62) /* 146 years: the clock goes no further */

__extension__ typedef unsigned __int128 wide;

typedef struct command {
    uint64_t number; /* of submission, over all streams */
    uint64_t visible_ns, ns, tag;
    uint64_t wait_index; /* wait_stream's command that must have ended, counted from 1; 0 = none */
    uint16_t queue;      /* index in cf_solver.queues */
    uint8_t engine, wait_stream;
    bool hold, needs_idle;
} command;

typedef struct stream {
    cf_ring commands; /* of command, those that have not ended: head = ended so far, tail = submitted so far */
    bool on_its_way;  /* the first of them has left its queue: it is issued or runs */
    uint64_t begin_ns, last_end_ns;
    wide target; /* work at which the one that runs has ended */
} stream;

typedef struct engine {
    bool ready;
    uint32_t width, running;
    uint8_t issued[STREAMS]; /* ready: streams whose current waits for a slot, a ring */
    uint32_t issued_head, issued_tail;
} engine;

struct cf_solver {
    const cf_model *model;
    cf_solver_on_end *on_end;
    void *user;
    uint64_t now_ns;  /* of the device: every earlier instant is settled */
    uint64_t next_ns; /* at which there is something to settle; now_ns where this instant is not done with */
    uint64_t host_ns, blocked_ns;
    uint64_t numbers; /* commands submitted so far */
    wide work;        /* done since the beginning, in 1/q ns */
    engine engines[CF_MODEL_MAX_ENGINES];
    uint32_t issued_count; /* over all engines */
    uint32_t busy;         /* commands issued or running */
    uint8_t running[STREAMS];
    uint32_t running_count;
    uint8_t used[STREAMS]; /* streams that ever had a command */
    uint32_t used_count;
    stream streams[STREAMS];
    cf_ring queues[CF_MODEL_MAX_ENGINES * STREAMS]; /* of uint8_t: stream numbers */
};

static uint64_t rate_of(const cf_solver *s)
{
    return s->running_count >= 2 ? s->model->contention_p : s->model->contention_q;
}

static command *front_of(const stream *st)
{
    return (command *)st->commands.items + cf_ring_at(&st->commands, st->commands.head);
}

/* Its first command has not left its queue, and nothing in the stream is in the way. */
static bool has_front(const stream *st)
{
    return !st->on_its_way && st->commands.head != st->commands.tail;
}

static void pass_time(cf_solver *s, uint64_t to_ns)
{
    s->work += (wide)(to_ns - s->now_ns) * rate_of(s);
    s->now_ns = to_ns;
}

static uint64_t first_end_ns(const cf_solver *s)
{
    if (!s->running_count)
        return NEVER;
    wide target = s->streams[s->running[0]].target;
    for (uint32_t i = 1; i < s->running_count; i++) {
        const wide other = s->streams[s->running[i]].target;
        target = other < target ? other : target;
    }
    if (target <= s->work)
        return s->now_ns;
    const wide left = target - s->work;
    const uint64_t rate = rate_of(s);
    if (rate == 1)
        return left > LAST_NS ? NEVER - 1 : s->now_ns + (uint64_t)left;
    const wide ns = left >> 63 ? (left + rate - 1) / rate : ((uint64_t)left + rate - 1) / rate;
    return ns > LAST_NS ? NEVER - 1 : s->now_ns + (uint64_t)ns;
}

static void end_first(cf_solver *s, stream *st, uint64_t begin_ns)
{
    const command *c = front_of(st);
    const uint64_t tag = c->tag, visible_ns = c->visible_ns;
    st->commands.head++;
    st->last_end_ns = s->now_ns;
    if (s->on_end)
        s->on_end(s->user, tag, visible_ns, begin_ns, s->now_ns);
}

static bool end_finished(cf_solver *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->running_count; i++) {
        stream *st = &s->streams[s->running[i]];
        if (st->target > s->work) {
            s->running[kept++] = s->running[i];
            continue;
        }
        s->engines[front_of(st)->engine].running--;
        s->busy--;
        st->on_its_way = false;
        end_first(s, st, st->begin_ns);
    }
    const bool any = kept < s->running_count;
    s->running_count = kept;
    return any;
}

static void begin(cf_solver *s, uint8_t number)
{
    stream *st = &s->streams[number];
    s->engines[front_of(st)->engine].running++;
    s->running[s->running_count++] = number;
    st->begin_ns = s->now_ns;
    st->target = s->work + (wide)front_of(st)->ns * s->model->contention_q;
}

/* Rules 2 and 3 for a visible command, the first of its stream. */
static bool may_leave(const cf_solver *s, const command *c, uint8_t number)
{
    const cf_ring *queue = &s->queues[c->queue];
    if (((const uint8_t *)queue->items)[cf_ring_at(queue, queue->head)] != number)
        return false;
    if (c->wait_index > s->streams[c->wait_stream].commands.head || (c->needs_idle && s->busy))
        return false;
    const engine *e = &s->engines[c->engine];
    return c->hold || e->ready || e->running < e->width;
}

static void leave(cf_solver *s, uint8_t number)
{
    stream *st = &s->streams[number];
    const command *c = front_of(st);
    engine *e = &s->engines[c->engine];
    s->queues[c->queue].head++;
    if (c->hold) {
        end_first(s, st, s->now_ns);
        return;
    }
    st->on_its_way = true;
    s->busy++;
    if (!e->ready) {
        begin(s, number);
        return;
    }
    e->issued[e->issued_tail++ % STREAMS] = number;
    s->issued_count++;
}

/* The stream whose first command may leave, of several the one submitted first, so that no queue is preferred for its
   place in a table; -1 if there is none. Lowers ret_visible_ns to when a first command becomes visible that is not. */
static int find_leaver(const cf_solver *s, uint64_t *ret_visible_ns)
{
    uint64_t first = NEVER;
    int found = -1;
    for (uint32_t i = 0; i < s->used_count; i++) {
        const uint8_t number = s->used[i];
        const stream *st = &s->streams[number];
        if (!has_front(st))
            continue;
        const command *c = front_of(st);
        if (c->visible_ns > s->now_ns) {
            *ret_visible_ns = c->visible_ns < *ret_visible_ns ? c->visible_ns : *ret_visible_ns;
        } else if (c->number < first && may_leave(s, c, number)) {
            first = c->number;
            found = number;
        }
    }
    return found;
}

/* Returns when the first of the commands that are not visible yet becomes so, NEVER if there is none. */
static uint64_t leave_queues(cf_solver *s)
{
    for (;;) {
        uint64_t visible_ns = NEVER;
        const int number = find_leaver(s, &visible_ns);
        if (number < 0)
            return visible_ns;
        leave(s, (uint8_t)number);
    }
}

static void start_issued(cf_solver *s)
{
    for (size_t i = 0; s->issued_count && i < s->model->engine_count; i++) {
        engine *e = &s->engines[i];
        while (e->issued_head != e->issued_tail && e->running < e->width) {
            begin(s, e->issued[e->issued_head++ % STREAMS]);
            s->issued_count--;
        }
    }
}

/* Settles the next instant, or a part of it: ends come first, and where they release the host, what it submits at that
   very instant is looked at together with what is there already. Commands of no length end in a step of their own. */
static void step(cf_solver *s, const stream *wanted, uint64_t wanted_ended)
{
    pass_time(s, s->next_ns);
    if (end_finished(s) && wanted && wanted->commands.head >= wanted_ended) {
        s->next_ns = s->now_ns;
        return;
    }
    const uint64_t visible_ns = leave_queues(s);
    start_issued(s);
    const uint64_t end_ns = first_end_ns(s);
    s->next_ns = end_ns < visible_ns ? end_ns : visible_ns;
}

static cf_status too_late(cf_error *err)
{
    return cf_error_set(err, CF_DEVICE, "the virtual clock went past 2^62 ns; shorter operations are accepted");
}

/* The first submitted of what has not left its queue is at the head there, so only a wait can keep it. */
static cf_status deadlock(const cf_solver *s, cf_error *err)
{
    const command *first = NULL;
    uint32_t number = 0;
    for (uint32_t i = 0; i < s->used_count; i++) {
        const stream *st = &s->streams[s->used[i]];
        if (has_front(st) && (!first || front_of(st)->number < first->number)) {
            first = front_of(st);
            number = s->used[i];
        }
    }
    if (!first)
        return cf_error_set(err, CF_DEVICE, "a wait for work that was never submitted can never end");
    return cf_error_set(err, CF_DEVICE,
                        "deadlock: command %llu of stream %u, at the head of engine '%s', waits for command %llu of "
                        "stream %u, which can never end before it",
                        (unsigned long long)s->streams[number].commands.head + 1, number,
                        s->model->engines[first->engine].name, (unsigned long long)first->wait_index,
                        first->wait_stream);
}

/* Until that many commands of the stream have ended; the host's clock follows. */
static cf_status await(cf_solver *s, const stream *st, uint64_t ended, cf_error *err)
{
    while (st->commands.head < ended) {
        if (s->next_ns == NEVER)
            return deadlock(s, err);
        if (s->next_ns > LAST_NS)
            return too_late(err);
        step(s, st, ended);
    }
    if (s->now_ns > s->host_ns)
        s->host_ns = s->now_ns;
    return CF_OK;
}

static cf_status await_blocked(cf_solver *s, const stream *st, uint64_t ended, cf_error *err)
{
    const uint64_t before_ns = s->host_ns;
    const cf_status status = await(s, st, ended, err);
    s->blocked_ns += s->host_ns - before_ns;
    return status;
}

static cf_status check(const cf_solver *s, const cf_solver_command *c, uint64_t host_ns, cf_error *err)
{
    if (host_ns > LAST_NS - s->host_ns)
        return too_late(err);
    if (!c)
        return CF_OK;
    if (c->stream >= STREAMS)
        return cf_error_set(err, CF_INPUT, "stream %u; 0 to %d are accepted", c->stream, STREAMS - 1);
    if (c->engine < 0 || (size_t)c->engine >= s->model->engine_count)
        return cf_error_set(err, CF_INPUT, "engine %d; 0 to %zu are accepted", c->engine, s->model->engine_count - 1);
    if (c->ns > CF_MODEL_MAX_NS)
        return cf_error_set(err, CF_INPUT, "a command of %llu ns; at most 2^50 ns are accepted",
                            (unsigned long long)c->ns);
    return CF_OK;
}

/* A ticket names a stream and a count in it, so that it can be asked after for ever without being kept. */
static uint64_t ticket_of(uint32_t number, uint64_t index)
{
    return (index - 1) * STREAMS + number + 1;
}

static cf_status insert(cf_solver *s, const cf_solver_command *given, cf_error *err)
{
    stream *st = &s->streams[given->stream];
    const uint64_t queue =
        (uint64_t)given->engine * STREAMS + cf_model_queue_of(&s->model->engines[given->engine], given->stream);
    cf_ring *places = &s->queues[queue];
    if (!cf_ring_room(&st->commands, sizeof(command)) || !cf_ring_room(places, 1))
        return cf_error_set(err, CF_MEMORY, "out of memory: too many commands in flight");
    if (!st->commands.tail)
        s->used[s->used_count++] = (uint8_t)given->stream;
    ((uint8_t *)places->items)[cf_ring_at(places, places->tail++)] = (uint8_t)given->stream;
    ((command *)st->commands.items)[cf_ring_at(&st->commands, st->commands.tail++)] =
        (command){.number = s->numbers++,
                  .visible_ns = s->host_ns,
                  .ns = given->ns,
                  .tag = given->tag,
                  .wait_index = given->wait_for ? (given->wait_for - 1) / STREAMS + 1 : 0,
                  .queue = (uint16_t)queue,
                  .engine = (uint8_t)given->engine,
                  .wait_stream = given->wait_for ? (uint8_t)((given->wait_for - 1) % STREAMS) : 0,
                  .hold = given->hold,
                  .needs_idle = given->needs_idle};
    /* Behind another command it changes nothing before that one has ended, which is an instant of its own. */
    const bool is_front = st->commands.tail == st->commands.head + 1;
    if (is_front && s->host_ns < s->next_ns)
        s->next_ns = s->host_ns;
    return CF_OK;
}

cf_status cf_solver_new(const cf_model *model, cf_solver_on_end *on_end, void *user, cf_solver **ret_solver,
                        cf_error *err)
{
    cf_solver *s = calloc(1, sizeof *s);
    if (!s)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    s->model = model;
    s->on_end = on_end;
    s->user = user;
    s->next_ns = NEVER;
    for (size_t i = 0; i < model->engine_count; i++) {
        s->engines[i].ready = model->engines[i].ready;
        s->engines[i].width = model->engines[i].width;
    }
    *ret_solver = s;
    return CF_OK;
}

void cf_solver_free(cf_solver *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < STREAMS; i++)
        cf_ring_done(&s->streams[i].commands);
    for (size_t i = 0; i < CF_MODEL_MAX_ENGINES * STREAMS; i++)
        cf_ring_done(&s->queues[i]);
    free(s);
}

cf_status cf_solver_call(cf_solver *s, const cf_solver_command *given, uint64_t host_ns, bool blocking,
                         uint64_t *ret_ticket, cf_error *err)
{
    cf_status status = check(s, given, host_ns, err);
    if (status)
        return status;
    stream *st = given ? &s->streams[given->stream] : NULL;
    const uint64_t depth = s->model->queue_depth;
    if (st && depth && st->commands.tail >= depth)
        status = await_blocked(s, st, st->commands.tail - depth + 1, err);
    if (status)
        return status;
    s->host_ns += host_ns;
    if (!st)
        return CF_OK;
    while (s->next_ns < s->host_ns) /* strictly: other calls may become visible at this instant */
        step(s, NULL, 0);
    status = insert(s, given, err);
    if (!status && blocking)
        status = await_blocked(s, st, st->commands.tail, err);
    if (!status && ret_ticket)
        *ret_ticket = ticket_of(given->stream, st->commands.tail);
    return status;
}

cf_status cf_solver_wait(cf_solver *s, uint32_t number, cf_error *err)
{
    cf_status status = CF_OK;
    for (uint32_t i = 0; !status && i < s->used_count; i++) {
        const stream *st = &s->streams[s->used[i]];
        if (number == UINT32_MAX || number == s->used[i])
            status = await(s, st, st->commands.tail, err);
    }
    return status;
}

uint64_t cf_solver_now_ns(const cf_solver *s)
{
    return s->host_ns;
}

uint64_t cf_solver_blocked_ns(const cf_solver *s)
{
    return s->blocked_ns;
}

uint64_t cf_solver_last_end_ns(const cf_solver *s, uint32_t number)
{
    return number < STREAMS ? s->streams[number].last_end_ns : 0;
}
