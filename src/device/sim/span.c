/* Commands as they were executed. The clock is virtual, so telling them as they end delays nothing. */
#include <stdio.h>

#include "device/sim/state.h"

cf_status cf_sim_spans(cf_device *device, cf_span_sink *sink, void *user, cf_error *err)
{
    (void)err;
    cf_sim *sim = device->state;
    sim->sink = sink;
    sim->sink_user = user;
    return CF_OK;
}

/* What ended at the instant at which it began, if that is not when it became visible: its stream's previous command,
   what its engine ran before, or else the operation that it waits for. */
static const cf_sim_label *waited_for(const cf_sim *sim, const cf_sim_entry *entry, const cf_sim_latest *latest,
                                      uint64_t visible_ns, uint64_t begin_ns)
{
    const cf_sim_latest *engine = &sim->engines[entry->engine];
    if (begin_ns == visible_ns)
        return NULL;
    if (latest->label.what && latest->end_ns == begin_ns)
        return &latest->label;
    if (engine->label.what && engine->end_ns == begin_ns)
        return &engine->label;
    return entry->waits.what ? &entry->waits : NULL;
}

static int64_t since(const cf_sim *sim, uint64_t at_ns)
{
    return (int64_t)(at_ns - sim->step_ns);
}

void cf_sim_span_tell(cf_sim *sim, uint32_t stream, const cf_sim_entry *entry, const cf_sim_latest *latest,
                      uint64_t visible_ns, uint64_t begin_ns, uint64_t end_ns)
{
    if (sim->sink) {
        const cf_sim_label *cause = waited_for(sim, entry, latest, visible_ns, begin_ns);
        char text[48];
        if (cause)
            snprintf(text, sizeof text, "%s %c[%u]", cause->what, 'a' + cause->lane, cause->index);
        /* The record's strings are not const; the sink only reads them. */
        const cf_record_span span = {.begin_ns = since(sim, begin_ns),
                                     .end_ns = since(sim, end_ns),
                                     .queued_ns = since(sim, visible_ns),
                                     .engine = (char *)sim->model->engines[entry->engine].name,
                                     .stream = (int)stream,
                                     .lane = entry->label.lane,
                                     .index = entry->label.index,
                                     .what = (char *)entry->label.what,
                                     .waited_for = cause ? text : NULL};
        sim->sink(sim->sink_user, &span);
    }
    sim->engines[entry->engine] = (cf_sim_latest){.label = entry->label, .end_ns = end_ns};
}
