#include "device/sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/sim/state.h"

#define START_NS UINT64_C(1000000) /* calibration begins with operations of 1 ms */

struct cf_block {
    uint64_t size_bytes;
};

static void on_end(void *user, uint64_t tag, uint64_t visible_ns, uint64_t begin_ns, uint64_t end_ns)
{
    cf_sim *sim = user;
    cf_sim_track *track = &sim->tracks[tag];
    const cf_sim_entry *entry = cf_sim_entry_at(track, track->entries.head);
    /* A hold may stand in its queue for longer; the event is complete with the command before it. */
    cf_sim_event_stamp(entry->events, entry->hold ? track->latest_end_ns : end_ns);
    cf_sim_span_end(sim, entry, visible_ns, begin_ns, end_ns);
    track->latest_end_ns = end_ns;
    track->entries.head++;
}

static cf_status sim_open(const cf_device_config *config, cf_device *device, cf_error *err)
{
    if (!config->model)
        return cf_error_set(err, CF_INPUT, "the device sim needs a model");
    cf_sim *sim = calloc(1, sizeof *sim);
    if (!sim)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    device->state = sim;
    sim->model = config->model;
    sim->factor = 1.0;
    sim->log.first = 1;
    cf_sim_noise_init(&sim->noise, &config->model->noise, config->seed);
    return cf_solver_new(config->model, on_end, sim, &sim->solver, err);
}

static void sim_close(cf_device *device)
{
    cf_sim *sim = device->state;
    if (!sim)
        return;
    cf_solver_free(sim->solver);
    for (size_t i = 0; i < CF_SOLVER_MAX_STREAMS; i++) {
        cf_sim_event_drop(&sim->tracks[i]);
        cf_ring_done(&sim->tracks[i].entries);
    }
    free(sim->log.items);
    free(sim->log.ended);
    free(sim);
    device->state = NULL;
}

static void sim_info(const cf_device *device, cf_device_info *ret_info)
{
    const cf_sim *sim = device->state;
    *ret_info = (cf_device_info){.backend = "sim",
                                 .simulated = true,
                                 .virtual_clock = true,
                                 .copy_unit = CF_UNIT_NS,
                                 .kernel_unit = CF_UNIT_NS,
                                 .copy_start = START_NS,
                                 .kernel_start = START_NS,
                                 .clock_name = "virtual"};
    snprintf(ret_info->name, sizeof ret_info->name, "model %s under a virtual clock", sim->model->name);
}

static cf_status sim_stream_open(cf_device *device, const cf_stream_desc *desc, cf_stream **ret_stream, cf_error *err)
{
    (void)device;
    if (desc->number >= CF_SOLVER_MAX_STREAMS)
        return cf_error_set(err, CF_INPUT, "stream %u; 0 to %d are accepted", desc->number, CF_SOLVER_MAX_STREAMS - 1);
    cf_stream *stream = malloc(sizeof *stream);
    if (!stream)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    stream->number = desc->number;
    *ret_stream = stream;
    return CF_OK;
}

static void sim_stream_close(cf_device *device, cf_stream *stream)
{
    (void)device;
    free(stream);
}

static cf_status sim_block_new(cf_device *device, cf_place place, uint64_t size_bytes, cf_block **ret_block,
                               cf_error *err)
{
    (void)device;
    (void)place;
    cf_block *block = malloc(sizeof *block);
    if (!block)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    block->size_bytes = size_bytes;
    *ret_block = block;
    return CF_OK;
}

static void sim_block_free(cf_device *device, cf_block *block)
{
    (void)device;
    free(block);
}

static cf_status check_range(const cf_block *block, uint64_t offset_bytes, uint64_t size_bytes, cf_error *err)
{
    if (offset_bytes <= block->size_bytes && size_bytes <= block->size_bytes - offset_bytes)
        return CF_OK;
    return cf_error_set(err, CF_INPUT, "%llu bytes from byte %llu on do not lie in a block of %llu bytes",
                        (unsigned long long)size_bytes, (unsigned long long)offset_bytes,
                        (unsigned long long)block->size_bytes);
}

/* Nothing is kept: there is nobody who could read it. */
static cf_status sim_block_write(cf_device *device, cf_block *block, uint64_t offset_bytes, const void *data,
                                 uint64_t size_bytes, cf_error *err)
{
    (void)device;
    (void)data;
    return check_range(block, offset_bytes, size_bytes, err);
}

static cf_status sim_block_read(cf_device *device, cf_block *block, uint64_t offset_bytes, void *ret_data,
                                uint64_t size_bytes, cf_error *err)
{
    (void)device;
    (void)ret_data;
    const cf_status status = check_range(block, offset_bytes, size_bytes, err);
    return status ? status : cf_error_set(err, CF_UNSUPPORTED, "the device sim moves no bytes, so none can be read");
}

static cf_status sim_wait(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err)
{
    (void)how; /* a virtual clock makes no difference between them */
    cf_sim *sim = device->state;
    return cf_solver_wait(sim->solver, stream ? stream->number : UINT32_MAX, err);
}

static uint64_t sim_now_ns(cf_device *device)
{
    const cf_sim *sim = device->state;
    return cf_solver_now_ns(sim->solver);
}

static uint64_t sim_blocked_ns(cf_device *device)
{
    const cf_sim *sim = device->state;
    return cf_solver_blocked_ns(sim->solver);
}

static cf_status sim_step_begin(cf_device *device, double position, cf_error *err)
{
    (void)err;
    cf_sim *sim = device->state;
    cf_sim_spans_deliver(sim);
    sim->factor = cf_sim_noise_next(&sim->noise, position);
    sim->step_ns = cf_solver_now_ns(sim->solver);
    return CF_OK;
}

const cf_device_ops cf_device_sim = {
    .name = "sim",
    .about = "the queueing model under a virtual clock: exact and the same on every machine",
    .open = sim_open,
    .close = sim_close,
    .info = sim_info,
    .stream_open = sim_stream_open,
    .stream_close = sim_stream_close,
    .block_new = sim_block_new,
    .block_free = sim_block_free,
    .block_write = sim_block_write,
    .block_read = sim_block_read,
    .submit = cf_sim_submit,
    .wait = sim_wait,
    .event_new = cf_sim_event_new,
    .event_free = cf_sim_event_free,
    .record = cf_sim_record,
    .event_read = cf_sim_event_read,
    .now_ns = sim_now_ns,
    .blocked_ns = sim_blocked_ns,
    .step_begin = sim_step_begin,
    .spans = cf_sim_spans,
};
