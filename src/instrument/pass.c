#include "instrument/pass.h"

#include <stdlib.h>

void cf_pass_close(cf_device *device)
{
    free(device->state);
}

void cf_pass_info(const cf_device *device, cf_device_info *ret_info)
{
    cf_device_info_get(device->next, ret_info);
}

cf_status cf_pass_stream_open(cf_device *device, const cf_stream_desc *desc, cf_stream **ret_stream, cf_error *err)
{
    return cf_device_stream_open(device->next, desc, ret_stream, err);
}

void cf_pass_stream_close(cf_device *device, cf_stream *stream)
{
    cf_device_stream_close(device->next, stream);
}

cf_status cf_pass_block_new(cf_device *device, cf_place place, uint64_t size_bytes, cf_block **ret_block, cf_error *err)
{
    return cf_device_block_new(device->next, place, size_bytes, ret_block, err);
}

void cf_pass_block_free(cf_device *device, cf_block *block)
{
    cf_device_block_free(device->next, block);
}

cf_status cf_pass_block_write(cf_device *device, cf_block *block, uint64_t offset_bytes, const void *data,
                              uint64_t size_bytes, cf_error *err)
{
    return cf_device_block_write(device->next, block, offset_bytes, data, size_bytes, err);
}

cf_status cf_pass_block_read(cf_device *device, cf_block *block, uint64_t offset_bytes, void *ret_data,
                             uint64_t size_bytes, cf_error *err)
{
    return cf_device_block_read(device->next, block, offset_bytes, ret_data, size_bytes, err);
}

cf_status cf_pass_submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    return cf_device_submit(device->next, stream, op, err);
}

cf_status cf_pass_wait(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err)
{
    return cf_device_wait(device->next, stream, how, err);
}

cf_status cf_pass_event_new(cf_device *device, cf_event_kind kind, cf_event **ret_event, cf_error *err)
{
    return cf_device_event_new(device->next, kind, ret_event, err);
}

void cf_pass_event_free(cf_device *device, cf_event *event)
{
    cf_device_event_free(device->next, event);
}

cf_status cf_pass_record(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                         cf_error *err)
{
    return cf_device_record(device->next, stream, event, op, side, err);
}

cf_status cf_pass_event_read(cf_device *device, cf_event *event, cf_event_reading *ret_reading, cf_error *err)
{
    return cf_device_event_read(device->next, event, ret_reading, err);
}

cf_status cf_pass_step_begin(cf_device *device, double position, cf_error *err)
{
    return cf_device_step_begin(device->next, position, err);
}
