/* One cell: wait for idle, one untimed step, three timed ones. The only place where the clock is read. */
#ifndef CF_RUN_CELL_H
#define CF_RUN_CELL_H

#include <stdbool.h>

#include "base/error.h"
#include "device/device.h"
#include "record/record.h"
#include "run/job.h"
#include "workload/workload.h"

/* What all cells of a run share. */
typedef struct cf_bench {
    cf_device *device; /* the bottom one */
    cf_device_info info;
    cf_wait wait;
    uint64_t nonce;  /* of the next window */
    double position; /* how far the run is, 0 to 1 */
    bool data_wrong; /* since the run began */
    char data_text[256];
} cf_bench;

/* What a cell proved of its variant. */
typedef struct cf_cell_proof {
    uint64_t owed, shown;
    bool stray; /* of a control: an instrument was alive */
} cf_cell_proof;

/* Runs cell of variant on workload. ret_seen->shorter_ns is 0 where the instrument saw nothing. */
cf_status cf_cell_run(cf_bench *bench, cf_workload *workload, const cf_job_variant *variant, cf_cell cell,
                      cf_sample *ret_sample, cf_seen *ret_seen, cf_cell_proof *ret_proof, cf_error *err) CF_MUST_CHECK;
/* Wall of one step with nothing before it: first use, when called first. */
cf_status cf_cell_first_ns(cf_bench *bench, cf_workload *workload, const cf_job_variant *variant, cf_cell cell,
                           int64_t *ret_ns, cf_error *err) CF_MUST_CHECK;
/* Wall of a step in which nothing is submitted, median of nine. */
cf_status cf_cell_empty_ns(cf_bench *bench, int64_t *ret_ns, cf_error *err) CF_MUST_CHECK;

#endif
