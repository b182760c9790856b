/* `tracing-layer`: the Level Zero loader's own tracer, with a callback before and after each call that this program
   makes. The layer is switched on when the instrument is opened and off when it is closed: loaders from 1.16 on can do
   that in a running process. With an older one it has to be switched on by ZE_ENABLE_TRACING_LAYER=1 when the process
   starts, and then it is on in the control as well, which the report says.
   Proof: operations in whose call both callbacks were called. */
#ifndef CF_INSTRUMENT_TRACER_H
#define CF_INSTRUMENT_TRACER_H

#include "instrument/instrument.h"

cf_status cf_tracer_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device, cf_error *err);
cf_status cf_tracer_collect(cf_device *device, cf_instrument_reading *ret_reading, cf_error *err);
uint64_t cf_tracer_owed(const cf_instrument_config *config, const uint64_t submitted[2]); /* one an operation */

#endif
