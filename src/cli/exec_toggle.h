/* confound exec --toggle: a program whose timing flags a preloaded library turns from step to step. */
#ifndef CF_CLI_EXEC_TOGGLE_H
#define CF_CLI_EXEC_TOGGLE_H

#include <sys/types.h>

#include "cli/options.h"
#include "record/record.h"
#include "toggle/read.h"

typedef struct cf_toggle_end {
    bool unknown;                /* confound was killed before the program ended */
    uint64_t began_ns, ended_ns; /* the program, by the steps' clock; 0 = not known */
    bool interrupted;            /* the user ended the program, or asked it to end */
    bool timed_out;
    int exit_status; /* where no signal ended it */
    int signal;      /* 0 = none */
} cf_toggle_end;

typedef struct cf_toggle_start {
    const char *library;
    const char *folder; /* gets what the library writes; absolute */
    const char *links;  /* gets a link to the library, where its own path cannot be preloaded */
    uint64_t seed;
    uint32_t rounds;
    void (*started)(void *user, pid_t pid);
    void *user;
} cf_toggle_start;

/* Path of the library. UNSUPPORTED: it is not where the program's parts are. Caller frees. */
cf_status cf_toggle_library(char **ret_path, cf_error *err) CF_MUST_CHECK;
/* Whether the library can be preloaded from there, or by a link there: the loader's lists have no way to write a blank
   or a colon, and leave out a path that is too long without a word. */
bool cf_toggle_can_preload(const char *folder);

/* Runs options->program with the library preloaded, in our process group and with our streams; with keep, what it
   prints goes into files there. INPUT: it could not be started. */
cf_status cf_toggle_run(const cf_options *options, const cf_toggle_start *start, cf_toggle_end *ret,
                        cf_error *err) CF_MUST_CHECK;

/* Describes the experiment, but for its rounds. */
cf_status cf_toggle_describe(const cf_options *options, cf_record *record, cf_error *err) CF_MUST_CHECK;
/* Adds what the library measured. INCONCLUSIVE: the program ended before there was a round. */
cf_status cf_toggle_fill(cf_record *record, const cf_toggled *toggled, cf_error *err) CF_MUST_CHECK;
uint32_t cf_toggle_whole_rounds(const cf_wire *wire);

/* Adds which part of the program's run the steps are. */
cf_status cf_toggle_add_span(cf_record *record, const cf_wire *wire, const cf_toggle_end *end,
                             cf_error *err) CF_MUST_CHECK;

/* Adds what the libraries left in folder, and how the program ended. UNSUPPORTED: they had nothing to toggle.
   INPUT: they left nothing and it is not known why, or what is there is not theirs. */
cf_status cf_toggle_read_steps(const char *folder, const cf_toggle_end *end, cf_record *record,
                               cf_error *err) CF_MUST_CHECK;
/* --resume: the record of a run whose confound was killed, from what is beside it. Prints its own error line; returns
   the exit status. */
int cf_toggle_resume(const cf_options *options);
/* Judges and shows a record that is written. What the program did wrong is said after what was found. Returns the exit
   status: the fault's where the rounds were not all there; else nothing was taken from the measurement, and it is the
   judgement's. */
int cf_toggle_conclude(const cf_options *options, const cf_record *record, const char *sha256, const char *output,
                       const cf_toggle_end *end);

#endif
