/* An instrument's table begins as one that passes everything on to what it wraps; it replaces what it observes. */
#ifndef CF_INSTRUMENT_PASS_H
#define CF_INSTRUMENT_PASS_H

#include "device/device.h"

void cf_pass_close(cf_device *device); /* frees state with free() */
void cf_pass_info(const cf_device *device, cf_device_info *ret_info);
cf_status cf_pass_stream_open(cf_device *device, const cf_stream_desc *desc, cf_stream **ret_stream, cf_error *err);
void cf_pass_stream_close(cf_device *device, cf_stream *stream);
cf_status cf_pass_block_new(cf_device *device, cf_place place, uint64_t size_bytes, cf_block **ret_block,
                            cf_error *err);
void cf_pass_block_free(cf_device *device, cf_block *block);
cf_status cf_pass_block_write(cf_device *device, cf_block *block, uint64_t offset_bytes, const void *data,
                              uint64_t size_bytes, cf_error *err);
cf_status cf_pass_block_read(cf_device *device, cf_block *block, uint64_t offset_bytes, void *ret_data,
                             uint64_t size_bytes, cf_error *err);
cf_status cf_pass_submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err);
cf_status cf_pass_wait(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err);
cf_status cf_pass_event_new(cf_device *device, cf_event_kind kind, cf_event **ret_event, cf_error *err);
void cf_pass_event_free(cf_device *device, cf_event *event);
cf_status cf_pass_record(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                         cf_error *err);
cf_status cf_pass_event_read(cf_device *device, cf_event *event, cf_event_reading *ret_reading, cf_error *err);
cf_status cf_pass_step_begin(cf_device *device, double position, cf_error *err);

/* Designated initialisers of what instruments never replace; close, streams, submit and wait are named by each. */
#define CF_PASS_OPS                                                                                                    \
    .info = cf_pass_info, .block_new = cf_pass_block_new, .block_free = cf_pass_block_free,                            \
    .block_write = cf_pass_block_write, .block_read = cf_pass_block_read, .event_new = cf_pass_event_new,              \
    .event_free = cf_pass_event_free, .record = cf_pass_record, .event_read = cf_pass_event_read,                      \
    .step_begin = cf_pass_step_begin

#endif
