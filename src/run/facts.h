/* What a record says of the machine, the device and the environment it was measured in. */
#ifndef CF_RUN_FACTS_H
#define CF_RUN_FACTS_H

#include "run/run.h"

/* Fills tool, created, host, device, driver, clock, environment and simulated. record_variable: named in the
   environment beside those that matter; NULL = none. */
cf_status cf_facts_fill(cf_record *record, cf_device *device, const cf_job *job, const char *record_variable,
                        cf_error *err) CF_MUST_CHECK;
/* Name of a variable that is set and shows that something may be observing us; NULL if none is. */
const char *cf_facts_injection(void);

#endif
