/* confound exec --toggle: a program whose timing flags a preloaded library turns from step to step. */
#ifndef CF_CLI_EXEC_TOGGLE_H
#define CF_CLI_EXEC_TOGGLE_H

#include "cli/options.h"
#include "record/record.h"
#include "toggle/read.h"

typedef struct cf_toggle_end {
    bool interrupted; /* the user ended the program, or asked it to end */
    bool timed_out;
    int exit_status; /* where no signal ended it */
    int signal;      /* 0 = none */
} cf_toggle_end;

/* Path of the library. UNSUPPORTED: it is not where the program's parts are. Caller frees. */
cf_status cf_toggle_library(char **ret_path, cf_error *err) CF_MUST_CHECK;

/* Runs options->program with the library preloaded, in our process group and with our streams; with keep, what it
   prints goes into files there. folder: gets what the library writes. INPUT: it could not be started. */
cf_status cf_toggle_run(const cf_options *options, const char *library, const char *folder, uint64_t seed,
                        uint32_t rounds, cf_toggle_end *ret, cf_error *err) CF_MUST_CHECK;

/* Describes the experiment, but for its rounds. */
cf_status cf_toggle_describe(const cf_options *options, cf_record *record, cf_error *err) CF_MUST_CHECK;
/* Adds what the library measured. INCONCLUSIVE: the program ended before there was a round. */
cf_status cf_toggle_fill(cf_record *record, const cf_toggled *toggled, cf_error *err) CF_MUST_CHECK;

#endif
