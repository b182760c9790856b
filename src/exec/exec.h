/* Whole programs under whole tools: a process an arm and round, in random order. docs/exec.md. */
#ifndef CF_EXEC_EXEC_H
#define CF_EXEC_EXEC_H

#include "exec/arm.h"
#include "exec/number.h"
#include "run/run.h"

typedef struct cf_exec_options {
    const cf_arms *arms;
    const cf_number *number;
    const char *part_path;
    const char *outputs; /* the folder, made by the caller */
    bool resume;         /* record holds what to go on from, and part_path its rounds */
    int64_t timeout_ms;  /* of one process; 0 = none */
    cf_run_callbacks callbacks;
    bool *ret_not_started; /* [CF_MAX_VARIANTS]: set for an arm that the warm-up could not start at all; may be NULL */
    void (*running)(void *user, pid_t pid); /* of callbacks.user; may be NULL */
} cf_exec_options;

/* Fills what a record says before anything was measured: the machine, the arms, the metric (spec: name, unit, better,
   outputs, program; source and detail are number's). settings and seed of the record are the caller's. */
cf_status cf_exec_describe(cf_record *record, const cf_exec_options *options, const cf_record_metric *spec,
                           cf_error *err) CF_MUST_CHECK;

/* Runs the experiment. record: described, or read to be gone on with; the caller's, also after a failure, with every
   whole round. An arm that fails ends alone, and the record says why. The control's failure ends it all: INPUT in the
   warm-up, DEVICE later. IO: an output or the part file; MEMORY. CANCELLED is no failure: the round that was not whole
   is dropped, and record says interrupted. */
cf_status cf_exec_run(const cf_exec_options *options, cf_record *record, cf_error *err) CF_MUST_CHECK;

#endif
