/* What a record says of the emulated GPU that a backend found itself on. */
#ifndef CF_DEVICE_EMULATED_H
#define CF_DEVICE_EMULATED_H

#include "base/emulated.h"
#include "record/record.h"

/* Its model, everything that is assumed and was never seen on hardware, and what was taken away. Outside the clock. */
cf_status cf_emulated_facts(const cf_emulated *emulated, cf_pairs *facts, cf_error *err) CF_MUST_CHECK;

#endif
