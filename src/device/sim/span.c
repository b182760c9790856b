/* Commands as they were executed. They are told once the device is idle, since what kept a command may end after it.
   The clock is virtual, so keeping them delays nothing. */
#include <stdio.h>
#include <stdlib.h>

#include "device/sim/state.h"

static cf_status grow(cf_sim_log *log, cf_error *err)
{
    const size_t capacity = log->capacity ? 2 * log->capacity : 256;
    cf_sim_span *items = realloc(log->items, capacity * sizeof *items);
    if (items)
        log->items = items;
    uint64_t *ended = realloc(log->ended, capacity * sizeof *ended);
    if (ended)
        log->ended = ended;
    if (!items || !ended)
        return cf_error_set(err, CF_MEMORY, "out of memory: too many commands are to be told");
    log->capacity = capacity;
    return CF_OK;
}

static uint64_t *last_of_queue(cf_sim *sim, int engine, uint32_t stream)
{
    return &sim->log.last_of_queue[engine][cf_model_queue_of(&sim->model->engines[engine], stream)];
}

cf_status cf_sim_span_begin(cf_sim *sim, uint32_t stream, cf_sim_entry *entry, cf_error *err)
{
    cf_sim_log *log = &sim->log;
    if (!log->sink)
        return CF_OK;
    if (log->count == log->capacity && grow(log, err) != CF_OK)
        return CF_MEMORY;
    uint64_t *in_queue = last_of_queue(sim, entry->engine, stream);
    entry->span = log->first + log->count;
    log->items[log->count++] = (cf_sim_span){.label = entry->label,
                                             .engine = entry->engine,
                                             .stream = stream,
                                             .drains = entry->drains,
                                             .before_stream = log->last_of_stream[stream],
                                             .before_event = entry->waits,
                                             .before_queue = *in_queue};
    *in_queue = log->last_of_stream[stream] = entry->span;
    return CF_OK;
}

void cf_sim_span_drop(cf_sim *sim, const cf_sim_entry *entry)
{
    if (!entry->span)
        return;
    const cf_sim_span *span = &sim->log.items[--sim->log.count];
    sim->log.last_of_stream[span->stream] = span->before_stream;
    *last_of_queue(sim, span->engine, span->stream) = span->before_queue;
}

static cf_sim_span *span_of(const cf_sim_log *log, uint64_t number)
{
    return number >= log->first && number - log->first < log->count ? &log->items[number - log->first] : NULL;
}

void cf_sim_span_end(cf_sim *sim, const cf_sim_entry *entry, uint64_t visible_ns, uint64_t begin_ns, uint64_t end_ns)
{
    cf_sim_log *log = &sim->log;
    cf_sim_span *span = entry->span ? span_of(log, entry->span) : NULL;
    if (!span)
        return;
    span->ended = true;
    span->visible_ns = visible_ns;
    span->begin_ns = begin_ns;
    span->end_ns = end_ns;
    log->ended[log->ended_count++] = entry->span;
}

static int by_end(const cf_sim_log *log, size_t at, uint64_t end_ns)
{
    const uint64_t found_ns = span_of(log, log->ended[at])->end_ns;
    return (found_ns > end_ns) - (found_ns < end_ns);
}

/* What left a slot of the engine at that instant, or else what left the device idle. */
static uint64_t ended_at(const cf_sim_log *log, int engine, uint64_t end_ns)
{
    size_t low = 0, high = log->ended_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_end(log, middle, end_ns) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    uint64_t found = 0;
    for (size_t i = low; i < log->ended_count && by_end(log, i, end_ns) == 0; i++) {
        if (!found || span_of(log, log->ended[i])->engine == engine)
            found = log->ended[i];
    }
    return found;
}

static void later(const cf_sim_log *log, uint64_t number, bool left, uint64_t *at_ns, uint64_t *cause)
{
    const cf_sim_span *span = number ? span_of(log, number) : NULL;
    const uint64_t then_ns = !span || !span->ended ? 0 : left ? span->left_ns : span->end_ns;
    if (then_ns <= *at_ns)
        return;
    *at_ns = then_ns;
    *cause = number;
}

/* The last of what a command had to wait for, by rules 2 and 3; 0 where nothing kept it. In order of submission: a
   queue's earlier commands have been through here. */
static uint64_t find_cause(const cf_sim *sim, cf_sim_span *span)
{
    uint64_t ready_ns = span->visible_ns, cause = 0;
    later(&sim->log, span->before_stream, false, &ready_ns, &cause);
    later(&sim->log, span->before_event, false, &ready_ns, &cause);
    later(&sim->log, span->before_queue, true, &ready_ns, &cause);
    /* A queue of a ready engine lets go of a command that then waits for a slot. */
    const bool issued = sim->model->engines[span->engine].ready && !span->drains;
    span->left_ns = issued ? ready_ns : span->begin_ns;
    return span->begin_ns > ready_ns ? ended_at(&sim->log, span->engine, span->begin_ns) : cause;
}

static int64_t since(const cf_sim *sim, uint64_t at_ns)
{
    return (int64_t)(at_ns - sim->step_ns);
}

static void tell(const cf_sim *sim, cf_sim_span *span, uint64_t number)
{
    const cf_sim_log *log = &sim->log;
    const uint64_t found = find_cause(sim, span);
    const cf_sim_span *cause = found ? span_of(log, found) : NULL;
    char text[48];
    if (cause)
        snprintf(text, sizeof text, "%s %c[%u]", cause->label.what, 'a' + cause->label.lane, cause->label.index);
    /* The record's strings are not const; the sink only reads them. */
    const cf_record_span told = {.id = (int64_t)(number - log->first) + 1,
                                 .waits_for = cause ? (int64_t)(found - log->first) + 1 : 0,
                                 .begin_ns = since(sim, span->begin_ns),
                                 .end_ns = since(sim, span->end_ns),
                                 .queued_ns = since(sim, span->visible_ns),
                                 .engine = (char *)sim->model->engines[span->engine].name,
                                 .stream = (int)span->stream,
                                 .lane = span->label.lane,
                                 .index = span->label.index,
                                 .what = (char *)span->label.what,
                                 .waited_for = cause ? text : NULL};
    log->sink(log->sink_user, &told);
}

void cf_sim_spans_deliver(cf_sim *sim)
{
    cf_sim_log *log = &sim->log;
    for (size_t i = 0; log->sink && i < log->count; i++) {
        if (log->items[i].ended)
            tell(sim, &log->items[i], log->first + i);
    }
    log->first += log->count;
    log->count = log->ended_count = 0;
}

cf_status cf_sim_spans(cf_device *device, cf_span_sink *sink, void *user, cf_error *err)
{
    (void)err;
    cf_sim *sim = device->state;
    cf_sim_spans_deliver(sim);
    sim->log.sink = sink;
    sim->log.sink_user = user;
    return CF_OK;
}
