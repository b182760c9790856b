/* CUPTI's own ways to observe, on the device cuda:
   `cupti-concurrent`  activity records of kernels and copies, in the mode that leaves kernels concurrent;
   `cupti-kernel`      the same in the mode that runs one kernel at a time;
   `cupti-callbacks`   a subscriber to every call of the driver.
   Proof: records whose timestamps are set, counted by lane after a flush outside the clock, or operations in whose call
   the subscriber was called.

   Closing disables what was enabled, flushes and unsubscribes. cuptiFinalize is not called: it takes CUPTI out of the
   process for good measure, is meant for a tool that leaves, and is documented for the exit of a callback or a moment
   without any CUDA call in flight; a run would load and unload the tool hundreds of times. So CUPTI stays attached,
   with everything disabled, from the first of these variants on: whether that is felt is what the sticky check looks
   at. */
#ifndef CF_INSTRUMENT_CUPTI_H
#define CF_INSTRUMENT_CUPTI_H

#include "instrument/instrument.h"

cf_status cf_cupti_concurrent_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device,
                                   cf_error *err);
cf_status cf_cupti_kernel_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device,
                               cf_error *err);
cf_status cf_cupti_activity_collect(cf_device *device, cf_instrument_reading *ret_reading, cf_error *err);
cf_status cf_cupti_activity_spans(cf_device *device, cf_span_sink *sink, void *user, cf_error *err);
cf_status cf_cupti_callbacks_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device,
                                  cf_error *err);
cf_status cf_cupti_callbacks_collect(cf_device *device, cf_instrument_reading *ret_reading, cf_error *err);
uint64_t cf_cupti_owed(const cf_instrument_config *config, const uint64_t submitted[2]); /* one an operation */

#endif
