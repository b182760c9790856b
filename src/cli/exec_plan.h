/* From the command line of `exec` to what can be run, and to where its record and its outputs go. */
#ifndef CF_CLI_EXEC_PLAN_H
#define CF_CLI_EXEC_PLAN_H

#include "cli/options.h"
#include "cli/place.h"
#include "exec/exec.h"

typedef struct cf_exec_plan {
    cf_arms arms;
    cf_number number;
    char *output;  /* the record */
    char *part;    /* its rounds, until it is written */
    char *outputs; /* the folder with what each run printed; made */
    char *shown;   /* the same, relative to the record's folder where it lies in it */
    bool resume;
    bool has_part; /* resume: `part` holds what the record was read from */
    cf_place_hold hold;
} cf_exec_plan;

/* ret_record: described, or with --resume read. Makes the folder for outputs, and the part file,
   which is ours alone until the plan is done with. ret_plan: the caller
   frees with cf_exec_plan_done, also after a failure. */
cf_status cf_exec_plan_make(const cf_options *options, cf_exec_plan *ret_plan, cf_record *ret_record,
                            cf_error *err) CF_MUST_CHECK;
void cf_exec_plan_done(cf_exec_plan *plan);

#endif
