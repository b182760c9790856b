/* `profiling-queue`: queues that take timestamps, and nobody who reads them. The property alone. */
#ifndef CF_INSTRUMENT_PROFILING_QUEUE_H
#define CF_INSTRUMENT_PROFILING_QUEUE_H

#include "instrument/instrument.h"

cf_status cf_profiling_queue_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device,
                                  cf_error *err);
cf_status cf_profiling_queue_collect(cf_device *device, cf_instrument_reading *ret_reading, cf_error *err);

#endif
