/* `one-queue`: both lanes on one in-order queue. The reference that must read as serialising. */
#ifndef CF_INSTRUMENT_ONE_QUEUE_H
#define CF_INSTRUMENT_ONE_QUEUE_H

#include "instrument/instrument.h"

cf_status cf_one_queue_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device, cf_error *err);
cf_status cf_one_queue_collect(cf_device *device, cf_instrument_reading *ret_reading, cf_error *err);

#endif
