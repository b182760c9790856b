/* What a driver makes of calls. Its habits live here and not in the solver, which knows commands and calls alone. */
#include <stdlib.h>

#include "device/sim/state.h"

static bool same_op(const cf_sim_label *label, const cf_op *op)
{
    return label->what && label->lane == op->lane && label->index == op->index;
}

static const char *record_name(bool hold, cf_side side)
{
    static const char *const names[2][2] = {{"record before", "record after"}, {"hold before", "hold after"}};
    return names[hold][side];
}

static cf_status engine_of(const cf_sim *sim, cf_op_kind kind, int *ret_engine, cf_error *err)
{
    const int engine = cf_model_engine_of(sim->model, kind);
    if (engine < 0)
        return cf_error_set(err, CF_INPUT, "no engine of model '%s' runs %s; 'runs' of an [engine NAME] must name it",
                            sim->model->name, cf_op_names[kind]);
    *ret_engine = engine;
    return CF_OK;
}

/* The fault changes where an operation runs, not how long it takes. */
static int run_engine(const cf_sim *sim, cf_op_kind kind, int engine)
{
    const int kernels = cf_model_engine_of(sim->model, CF_OP_KERNEL);
    return sim->model->fault.wrong_engine && cf_op_is_copy(kind) && kernels >= 0 ? kernels : engine;
}

/* Submits a command and its entry, which must be there before the solver may end it. */
static cf_status put(cf_sim *sim, const cf_solver_command *command, cf_sim_entry *entry, uint64_t host_ns,
                     bool blocking, uint64_t *ret_ticket, cf_error *err)
{
    cf_sim_track *track = &sim->tracks[command->stream];
    if (!cf_ring_room(&track->entries, sizeof *entry))
        return cf_error_set(err, CF_MEMORY, "out of memory: too many commands in flight");
    cf_status status = cf_sim_span_begin(sim, command->stream, entry, err);
    if (status)
        return status;
    *cf_sim_entry_at(track, track->entries.tail++) = *entry;
    status = cf_solver_call(sim->solver, command, host_ns, blocking, ret_ticket, err);
    if (status) {
        track->entries.tail--;
        cf_sim_span_drop(sim, entry);
    }
    return status;
}

/* One call that records: a command, or nothing but the call's cost. */
static cf_status lower(cf_sim *sim, uint32_t stream, cf_event_kind kind, bool late, const cf_op *op, cf_side side,
                       int engine, cf_error *err)
{
    const cf_model_event *how = &sim->model->events[kind];
    if (how->lowering == CF_LOWER_NONE || late)
        return cf_solver_call(sim->solver, NULL, how->host_ns, false, NULL, err);
    const bool hold = how->lowering == CF_LOWER_HOLD;
    const cf_solver_command command = {
        .stream = stream, .engine = engine, .ns = hold ? 0 : how->cost_ns, .hold = hold, .tag = stream};
    cf_sim_entry entry = {.label = {record_name(hold, side), op->lane, op->index}, .engine = engine, .hold = hold};
    return put(sim, &command, &entry, how->host_ns, false, NULL, err);
}

/* Engine of a record: its own, or the one that its operation really runs on. */
static cf_status record_engine(const cf_sim *sim, cf_event_kind kind, const cf_op *op, int *ret_engine, cf_error *err)
{
    int engine = -1;
    const cf_status status = engine_of(sim, op->kind, &engine, err);
    if (!status)
        *ret_engine = cf_model_record_engine(sim->model, kind, run_engine(sim, op->kind, engine));
    return status;
}

/* True once for the record after an operation that has one already, because timing is stuck. */
static bool take_after(cf_sim *sim, uint32_t stream, const cf_op *op)
{
    if (!same_op(&sim->after.op, op) || sim->after.stream != stream)
        return false;
    sim->after.op.what = NULL;
    return true;
}

cf_status cf_sim_record(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                        cf_error *err)
{
    cf_sim *sim = device->state;
    const bool timing = event->kind == CF_EVENT_TIMING;
    int engine = -1;
    cf_status status = cf_sim_event_check(event, op, err);
    if (!status)
        status = record_engine(sim, event->kind, op, &engine, err);
    if (status)
        return status;
    if (timing && !sim->submitted)
        sim->armed_in_time = true;
    event->late = timing && sim->model->events[event->kind].arm_late_ignored && !sim->armed_in_time;
    if (timing && side == CF_SIDE_AFTER && take_after(sim, stream->number, op)) {
        cf_sim_event_attach(sim, event, stream->number, sim->after.index, engine);
        return CF_OK;
    }
    status = lower(sim, stream->number, event->kind, event->late, op, side, engine, err);
    if (status)
        return status;
    cf_sim_event_attach(sim, event, stream->number, sim->tracks[stream->number].entries.tail, engine);
    if (timing && side == CF_SIDE_BEFORE)
        sim->before = cf_sim_label_of(op);
    if (timing && !event->late && sim->model->events[event->kind].sticky)
        sim->stuck = true;
    return CF_OK;
}

/* Timing that is stuck records before each operation that nobody else does so for. */
static cf_status stick_before(cf_sim *sim, uint32_t stream, const cf_op *op, int engine, cf_error *err)
{
    const bool has_its_own = same_op(&sim->before, op);
    sim->before.what = NULL;
    if (!sim->stuck || has_its_own)
        return CF_OK;
    return lower(sim, stream, CF_EVENT_TIMING, false, op, CF_SIDE_BEFORE, engine, err);
}

static cf_status stick_after(cf_sim *sim, uint32_t stream, const cf_op *op, int engine, cf_error *err)
{
    if (!sim->stuck)
        return CF_OK;
    const cf_status status = lower(sim, stream, CF_EVENT_TIMING, false, op, CF_SIDE_AFTER, engine, err);
    sim->after.op = cf_sim_label_of(op);
    sim->after.stream = stream;
    sim->after.index = sim->tracks[stream].entries.tail;
    return status;
}

static cf_status length_of(const cf_sim *sim, const cf_op *op, int engine, uint64_t *ret_ns, cf_error *err)
{
    if (op->kind == CF_OP_KERNEL && !op->ns)
        return cf_error_set(err, CF_INPUT, "%c[%u]: a kernel has no length; on sim ns is accepted, and trips are not",
                            'a' + op->lane, op->index);
    uint64_t ns = 0;
    const cf_status status = cf_model_length_ns(sim->model, engine, op->ns, op->bytes, &ns, err);
    if (status)
        return status;
    *ret_ns = sim->model->noise.on ? cf_sim_noise_scale(sim->factor, ns) : ns;
    return CF_OK;
}

static cf_status wait_of(const cf_sim *sim, const cf_op *op, cf_solver_command *command, cf_sim_entry *entry,
                         cf_error *err)
{
    if (!op->waits || sim->model->fault.ignore_waits)
        return CF_OK;
    if (!op->waits->ticket)
        return cf_error_set(err, CF_INPUT,
                            "%c[%u] waits for an event that no operation has signalled: it could never start",
                            'a' + op->lane, op->index);
    command->wait_for = op->waits->ticket;
    entry->waits = op->waits->span;
    return CF_OK;
}

static void first_use(cf_sim *sim, const cf_op *op, cf_solver_command *command)
{
    cf_sim_track *track = &sim->tracks[command->stream];
    if (op->kind != CF_OP_KERNEL || track->had_kernel)
        return;
    track->had_kernel = true;
    command->ns += sim->model->first_use_ns;
    command->needs_idle = sim->model->first_use_drains;
}

static cf_status submit_op(cf_sim *sim, uint32_t stream, const cf_op *op, int engine, int runs_on, cf_error *err)
{
    const cf_model *model = sim->model;
    const bool copy = cf_op_is_copy(op->kind);
    cf_solver_command command = {.stream = stream, .engine = runs_on, .tag = stream};
    cf_sim_entry entry = {.label = cf_sim_label_of(op), .engine = runs_on};
    cf_status status = length_of(sim, op, engine, &command.ns, err);
    if (!status)
        status = wait_of(sim, op, &command, &entry, err);
    if (!status && op->signals)
        status = cf_sim_event_check(op->signals, op, err);
    if (status)
        return status;
    first_use(sim, op, &command);
    entry.drains = command.needs_idle;
    uint64_t ticket = 0;
    status = put(sim, &command, &entry, copy ? model->copy_ns : model->kernel_ns, copy && model->blocking_copy, &ticket,
                 err);
    if (status || !op->signals)
        return status;
    cf_event *event = op->signals;
    cf_sim_event_attach(sim, event, stream, sim->tracks[stream].entries.tail, runs_on);
    event->ticket = ticket;
    event->span = entry.span;
    return CF_OK;
}

cf_status cf_sim_submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    cf_sim *sim = device->state;
    sim->submitted = true;
    int engine = -1;
    cf_status status = engine_of(sim, op->kind, &engine, err);
    if (status)
        return status;
    const int runs_on = run_engine(sim, op->kind, engine);
    const int stamps_on = cf_model_record_engine(sim->model, CF_EVENT_TIMING, runs_on);
    status = stick_before(sim, stream->number, op, stamps_on, err);
    if (!status)
        status = submit_op(sim, stream->number, op, engine, runs_on, err);
    return status ? status : stick_after(sim, stream->number, op, stamps_on, err);
}
