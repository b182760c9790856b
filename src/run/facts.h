/* What a record says of the machine, the device and the environment it was measured in. */
#ifndef CF_RUN_FACTS_H
#define CF_RUN_FACTS_H

#include <stdbool.h>

#include "base/error.h"
#include "record/record.h"

typedef struct cf_facts_place { /* where it is measured */
    const char *backend, *name;
    const char *driver; /* NULL = none */
    const char *clock_name;
    int64_t clock_resolution_ns;
    bool simulated;
} cf_facts_place;

/* Fills tool, created, host, device's backend and name, driver, clock, environment and simulated. record_variable:
   named in the environment beside those that matter; NULL = none. What record->environment has already stays. */
cf_status cf_facts_fill(cf_record *record, const cf_facts_place *place, const char *record_variable,
                        cf_error *err) CF_MUST_CHECK;
/* Name of a variable that is set and shows that something may be observing us; NULL if none is. */
const char *cf_facts_injection(void);

#endif
