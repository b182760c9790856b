/* From a command line to jobs that can run, and to where their record goes. */
#ifndef CF_CLI_RUN_JOB_H
#define CF_CLI_RUN_JOB_H

#include "cli/explain.h"
#include "cli/options.h"
#include "cli/pick.h"
#include "cli/place.h"
#include "record/record.h"
#include "run/job.h"

typedef struct cf_run_plan {
    cf_job job, against;
    bool has_against;
    cf_pick pick;
    cf_explain explain; /* where options->explain is given */
    char *output;       /* the record */
    char *part;         /* its rounds, until it is written */
    bool resume;
    bool has_part;          /* resume: `part` holds what `record` was read from */
    cf_place_hold from, to; /* part files of what is gone on with, and where it goes if that is another place */
} cf_run_plan;

/* Reads the job files and picks the device. With --resume, record is read too; else it is initialised. Prints
   nothing. The part file is ours alone until the plan is done with. ret_plan: the caller frees with cf_run_plan_done,
   also after a failure. */
cf_status cf_run_plan_make(const cf_options *options, cf_run_plan *ret_plan, cf_record *ret_record,
                           cf_error *err) CF_MUST_CHECK;
void cf_run_plan_done(cf_run_plan *plan);

#endif
