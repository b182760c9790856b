/* `sync` and `timing`: an event recorded before and after the operations that pass, or their own. On devices that have
   both, `sync-signal` is a sync event recorded beside them, `timing-event` and `timing-signal` an event that is
   signalled with timestamps, as their own and recorded. */
#ifndef CF_INSTRUMENT_RECORDER_H
#define CF_INSTRUMENT_RECORDER_H

#include "instrument/instrument.h"

cf_status cf_recorder_open_sync(const cf_instrument_config *config, cf_device *next, cf_device **ret_device,
                                cf_error *err);
cf_status cf_recorder_open_timing(const cf_instrument_config *config, cf_device *next, cf_device **ret_device,
                                  cf_error *err);
cf_status cf_recorder_open_stamped(const cf_instrument_config *config, cf_device *next, cf_device **ret_device,
                                   cf_error *err);
cf_status cf_recorder_collect(cf_device *device, cf_instrument_reading *ret_reading, cf_error *err);
cf_status cf_recorder_spans(cf_device *device, cf_span_sink *sink, void *user, cf_error *err);
uint64_t cf_recorder_owed(const cf_instrument_config *config, const uint64_t submitted[2]);

#endif
