/* The only file that calls through a device's table. */
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "device/cuda/cuda.h"
#include "device/level_zero/level_zero.h"
#include "device/opencl/opencl.h"
#include "device/sim/sim.h"
#include "device/soft/soft.h"

const char *const cf_wait_names[] = {"block", "poll", "spin", NULL};
const char *const cf_unit_names[] = {"ns", "bytes", "trips", NULL};

const cf_device_ops *const cf_device_backends[] = {&cf_device_cuda, &cf_device_level_zero, &cf_device_opencl,
                                                   &cf_device_sim,  &cf_device_soft,       NULL};

/* One step of the recurrence is an affine map modulo 2^64; squaring the map gives any power in O(log trips). */
uint64_t cf_kernel_result(uint64_t nonce, uint64_t trips)
{
    uint64_t factor = UINT64_C(6364136223846793005);
    uint64_t offset = UINT64_C(1442695040888963407);
    uint64_t x = nonce;
    for (uint64_t left = trips; left != 0; left >>= 1) {
        if (left & 1)
            x = x * factor + offset;
        offset = (factor + 1) * offset;
        factor *= factor;
    }
    return x;
}

const cf_device_ops *cf_device_backend(const char *name)
{
    for (size_t i = 0; cf_device_backends[i] != NULL; i++)
        if (strcmp(cf_device_backends[i]->name, name) == 0)
            return cf_device_backends[i];
    return NULL;
}

cf_status cf_device_open(const cf_device_ops *ops, const cf_device_config *config, cf_device **ret_device,
                         cf_error *err)
{
    cf_device *device = calloc(1, sizeof *device);
    if (device == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    device->ops = ops;
    cf_status status = ops->open(config, device, err);
    if (status != CF_OK) {
        ops->close(device);
        free(device);
        return status;
    }
    *ret_device = device;
    return CF_OK;
}

cf_status cf_device_wrap(cf_device *next, const cf_device_ops *ops, void *state, cf_device **ret_device, cf_error *err)
{
    cf_device *device = calloc(1, sizeof *device);
    if (device == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    *device = (cf_device){.ops = ops, .next = next, .state = state};
    *ret_device = device;
    return CF_OK;
}

void cf_device_close(cf_device *device)
{
    if (device == NULL)
        return;
    device->ops->close(device);
    free(device);
}

cf_device *cf_device_bottom(cf_device *device)
{
    while (device->next != NULL)
        device = device->next;
    return device;
}

void cf_device_info_get(const cf_device *device, cf_device_info *ret_info)
{
    while (device->next != NULL)
        device = device->next;
    device->ops->info(device, ret_info);
}

cf_status cf_device_stream_open(cf_device *device, const cf_stream_desc *desc, cf_stream **ret_stream, cf_error *err)
{
    return device->ops->stream_open(device, desc, ret_stream, err);
}

void cf_device_stream_close(cf_device *device, cf_stream *stream)
{
    if (stream != NULL)
        device->ops->stream_close(device, stream);
}

bool cf_device_stream_profiles(cf_device *device, cf_stream *stream)
{
    cf_device *bottom = cf_device_bottom(device);
    return bottom->ops->stream_profiles != NULL && bottom->ops->stream_profiles(bottom, stream);
}

cf_status cf_device_block_new(cf_device *device, cf_place place, uint64_t size_bytes, cf_block **ret_block,
                              cf_error *err)
{
    return device->ops->block_new(device, place, size_bytes, ret_block, err);
}

void cf_device_block_free(cf_device *device, cf_block *block)
{
    if (block != NULL)
        device->ops->block_free(device, block);
}

cf_status cf_device_block_write(cf_device *device, cf_block *block, uint64_t offset_bytes, const void *data,
                                uint64_t size_bytes, cf_error *err)
{
    return device->ops->block_write(device, block, offset_bytes, data, size_bytes, err);
}

cf_status cf_device_block_read(cf_device *device, cf_block *block, uint64_t offset_bytes, void *ret_data,
                               uint64_t size_bytes, cf_error *err)
{
    return device->ops->block_read(device, block, offset_bytes, ret_data, size_bytes, err);
}

cf_status cf_device_submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    device->counts.submits[op->lane]++;
    return device->ops->submit(device, stream, op, err);
}

cf_status cf_device_wait(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err)
{
    device->counts.waits++;
    uint64_t begin_ns = cf_device_now_ns(device);
    cf_status status = device->ops->wait(device, stream, how, err);
    device->waited_ns += cf_device_now_ns(device) - begin_ns;
    return status;
}

cf_status cf_device_event_new(cf_device *device, cf_event_kind kind, cf_event **ret_event, cf_error *err)
{
    cf_device_info info;
    cf_device_info_get(device, &info);
    if (kind == CF_EVENT_STAMPED && !info.stamped_events)
        return cf_error_set(err, CF_UNSUPPORTED, "%s has no events that are signalled with timestamps", info.backend);
    return device->ops->event_new(device, kind, ret_event, err);
}

void cf_device_event_free(cf_device *device, cf_event *event)
{
    if (event != NULL)
        device->ops->event_free(device, event);
}

cf_status cf_device_record(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                           cf_error *err)
{
    device->counts.records[op->lane][side]++;
    return device->ops->record(device, stream, event, op, side, err);
}

cf_status cf_device_event_read(cf_device *device, cf_event *event, cf_event_reading *ret_reading, cf_error *err)
{
    return device->ops->event_read(device, event, ret_reading, err);
}

/* Clock and accounts belong to the device at the bottom, whatever wraps it. */

uint64_t cf_device_now_ns(cf_device *device)
{
    cf_device *bottom = cf_device_bottom(device);
    return bottom->ops->now_ns != NULL ? bottom->ops->now_ns(bottom) : cf_clock_now_ns();
}

bool cf_device_blocked_ns(cf_device *device, uint64_t *ret_ns)
{
    cf_device *bottom = cf_device_bottom(device);
    if (bottom->ops->blocked_ns == NULL)
        return false;
    *ret_ns = bottom->ops->blocked_ns(bottom);
    return true;
}

bool cf_device_late_ns(cf_device *device, uint64_t *ret_ns)
{
    cf_device *bottom = cf_device_bottom(device);
    if (bottom->ops->late_ns == NULL)
        return false;
    *ret_ns = bottom->ops->late_ns(bottom);
    return *ret_ns != UINT64_MAX;
}

cf_status cf_device_step_begin(cf_device *device, double position, cf_error *err)
{
    return device->ops->step_begin != NULL ? device->ops->step_begin(device, position, err) : CF_OK;
}

cf_status cf_device_facts(cf_device *device, cf_pairs *facts, cf_error *err)
{
    cf_device *bottom = cf_device_bottom(device);
    return bottom->ops->facts != NULL ? bottom->ops->facts(bottom, facts, err) : CF_OK;
}

cf_status cf_device_conditions(cf_device *device, unsigned *ret_marks, cf_error *err)
{
    cf_device *bottom = cf_device_bottom(device);
    *ret_marks = 0;
    return bottom->ops->conditions != NULL ? bottom->ops->conditions(bottom, ret_marks, err) : CF_OK;
}

cf_status cf_device_spans(cf_device *device, cf_span_sink *sink, void *user, cf_error *err)
{
    cf_device *bottom = cf_device_bottom(device);
    if (bottom->ops->spans == NULL)
        return cf_error_set(err, CF_UNSUPPORTED, "%s cannot tell when its commands ran", bottom->ops->name);
    return bottom->ops->spans(bottom, sink, user, err);
}
