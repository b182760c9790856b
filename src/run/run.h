/* Calibrate, schedule, measure, write the record. docs/method.md, "Design". */
#ifndef CF_RUN_RUN_H
#define CF_RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "record/record.h"
#include "run/job.h"
#include "run/rig.h"

#define CF_RUN_AGAINST_NAME "against" /* the variant that the second job's control is */

typedef enum cf_phase {
    CF_PHASE_CALIBRATE,
    CF_PHASE_PROLOGUE,
    CF_PHASE_WARMUP,
    CF_PHASE_ROUNDS,
    CF_PHASE_EXPLAIN
} cf_phase;

typedef struct cf_progress {
    cf_phase phase;
    int64_t done, most; /* rounds of the phase (tries, for calibration) */
} cf_progress;

/* Called between rounds, outside every clock, from the thread that runs. All may be NULL. */
typedef struct cf_run_callbacks {
    void *user;
    void (*progress)(void *user, const cf_progress *progress, const cf_record *record);
    /* Early stopping: pure, true = nothing is left to measure for. Asked after each round from min_rounds on. */
    bool (*enough)(void *user, const cf_record *record);
    /* Whose commands are to be told once the rounds are over: two variants by index, -1 = none. can: whose can be, one
       a variant. NULL: nobody's. */
    void (*explain)(void *user, const cf_record *record, const bool *can, int ret_variants[2]);
    /* True = end after this round. */
    bool (*cancelled)(void *user);
} cf_run_callbacks;

typedef struct cf_run_options {
    const cf_device_ops *backend;
    int device_index; /* which of the backend's devices */
    const cf_job *job;
    const cf_job *against; /* NULL = none; runs on the same device */
    uint64_t seed;         /* below 2^53 */
    double alpha;          /* 0 = the record's own */
    cf_agree *agree;       /* NULL = this process is alone */
    void *agree_user;
    const char *part_path;       /* NULL = no part file is kept */
    bool resume;                 /* ret_record holds what to go on from, and part_path its rounds */
    const char *record_variable; /* a variable of the environment that the record names besides those that matter; NULL
                                    = none */
    cf_run_callbacks callbacks;
} cf_run_options;

/* Runs the experiment. ret_record: initialised by the caller (cf_record_init, or read from a part file to resume),
   owned by the caller; on failure it keeps every whole round that was measured. CANCELLED is not a failure: interrupted
   is set in the record. INPUT: the job cannot run there. DEVICE, IO (the part file), MEMORY. */
cf_status cf_run(const cf_run_options *options, cf_record *record, cf_error *err) CF_MUST_CHECK;

#endif
