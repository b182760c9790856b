/* Events complete with a command of their stream, known by its count. Only a timing event needs more: the end of that
   command as its stamp, so it waits in the command's entry. */
#include <stdlib.h>

#include "device/sim/state.h"

cf_status cf_sim_event_new(cf_device *device, cf_event_kind kind, cf_event **ret_event, cf_error *err)
{
    cf_sim *sim = device->state;
    cf_event *event = calloc(1, sizeof *event);
    if (!event)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    event->kind = kind;
    if (kind == CF_EVENT_TIMING && !sim->submitted)
        sim->armed_in_time = true;
    *ret_event = event;
    return CF_OK;
}

void cf_sim_event_free(cf_device *device, cf_event *event)
{
    (void)device;
    if (event->pending)
        event->orphan = true;
    else
        free(event);
}

cf_status cf_sim_event_read(cf_device *device, cf_event *event, cf_event_reading *ret_reading, cf_error *err)
{
    (void)err;
    const cf_sim *sim = device->state;
    const bool completed = event->recorded && sim->tracks[event->stream].entries.head >= event->index;
    const bool stamped = completed && event->kind == CF_EVENT_TIMING && !event->late;
    *ret_reading = (cf_event_reading){.completed = completed, .has_stamp = stamped};
    if (stamped)
        ret_reading->stamp_ns = (int64_t)cf_model_stamp(&sim->model->engines[event->engine], event->at_ns);
    return CF_OK;
}

cf_status cf_sim_event_check(const cf_event *event, const cf_op *op, cf_error *err)
{
    if (!event->pending)
        return CF_OK;
    return cf_error_set(err, CF_INPUT,
                        "the timing event of %c[%u] is recorded again before it has completed; a wait in between is "
                        "accepted",
                        'a' + op->lane, op->index);
}

void cf_sim_event_attach(cf_sim *sim, cf_event *event, uint32_t stream, uint64_t index, int engine)
{
    cf_sim_track *track = &sim->tracks[stream];
    event->recorded = true;
    event->stream = stream;
    event->index = index;
    event->engine = engine;
    event->visible_ns = cf_solver_now_ns(sim->solver);
    if (event->kind != CF_EVENT_TIMING || event->late)
        return;
    if (index <= track->entries.head) {
        event->at_ns = event->visible_ns;
        return;
    }
    cf_sim_entry *entry = cf_sim_entry_at(track, index - 1);
    event->pending = true;
    event->next = entry->events;
    entry->events = event;
}

static void settle(cf_event *event)
{
    event->pending = false;
    if (event->orphan)
        free(event);
}

void cf_sim_event_stamp(cf_event *events, uint64_t at_ns)
{
    while (events) {
        cf_event *event = events;
        events = event->next;
        event->at_ns = at_ns > event->visible_ns ? at_ns : event->visible_ns;
        settle(event);
    }
}

void cf_sim_event_drop(cf_sim_track *track)
{
    for (uint64_t i = track->entries.head; i < track->entries.tail; i++) {
        cf_event *events = cf_sim_entry_at(track, i)->events;
        while (events) {
            cf_event *event = events;
            events = event->next;
            settle(event);
        }
    }
}
