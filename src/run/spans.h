/* Commands as they were executed, for the record: taken in steps of their own, outside every judged cell. */
#ifndef CF_RUN_SPANS_H
#define CF_RUN_SPANS_H

#include <stdbool.h>

#include "base/error.h"
#include "record/record.h"
#include "run/bench.h"

/* Whether the device itself tells its commands. ret_why (may be NULL) is written where it does not. */
bool cf_spans_by_device(cf_bench *bench, char *ret_why, size_t why_bytes);

/* Runs one step of both lanes of variant, with one before it, and adds its commands to the record. by_device: the
   device tells them, else the instrument by its own timestamps (its type has `spans`). Neither step counts for anything
   else. */
cf_status cf_spans_take(cf_bench *bench, int variant, bool by_device, cf_record *record, cf_error *err) CF_MUST_CHECK;
/* In order of variant, begin and number; and how they were taken. */
cf_status cf_spans_finish(cf_record *record, bool by_device, cf_error *err) CF_MUST_CHECK;
/* Those of an earlier process. */
void cf_spans_drop(cf_record *record);

#endif
