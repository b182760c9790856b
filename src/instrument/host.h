/* What changes the host's side alone: a wait after each operation, and other ways to wait for a step. */
#ifndef CF_INSTRUMENT_HOST_H
#define CF_INSTRUMENT_HOST_H

#include "instrument/instrument.h"

cf_status cf_host_sync_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device, cf_error *err);
cf_status cf_host_poll_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device, cf_error *err);
cf_status cf_host_block_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device,
                             cf_error *err);
cf_status cf_host_collect(cf_device *device, cf_instrument_reading *ret_reading, cf_error *err);
uint64_t cf_host_sync_owed(const cf_instrument_config *config, const uint64_t submitted[2]);

#endif
