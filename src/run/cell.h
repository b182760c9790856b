/* One cell: wait for idle, one untimed step, three timed ones. The only place where the clock is read. */
#ifndef CF_RUN_CELL_H
#define CF_RUN_CELL_H

#include "run/rig.h"

/* Runs cell of variant. ret_seen->shorter_ns is 0 where the instrument saw nothing. */
cf_status cf_cell_run(cf_rig *rig, int variant, cf_cell cell, cf_sample *ret_sample, cf_seen *ret_seen,
                      cf_cell_proof *ret_proof, cf_error *err) CF_MUST_CHECK;
/* Wall of one step of the control with nothing before it: first use, when called first. */
cf_status cf_cell_first_ns(cf_rig *rig, cf_cell cell, int64_t *ret_ns, cf_error *err) CF_MUST_CHECK;
/* Wall of a step in which nothing is done, median of nine. */
cf_status cf_cell_empty_ns(cf_rig *rig, int64_t *ret_ns, cf_error *err) CF_MUST_CHECK;

#endif
