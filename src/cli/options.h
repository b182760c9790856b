/* What a command line says, as typed values. The table of commands and options is in cli/spec.h; this is what a command
   reads. An option that was given in the environment (CONFOUND_…) looks like one given on the command line; the
   command line wins, and both win over the job file. */
#ifndef CF_CLI_OPTIONS_H
#define CF_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef enum cf_command {
    CF_COMMAND_RUN,
    CF_COMMAND_EXEC,
    CF_COMMAND_JUDGE,
    CF_COMMAND_REPORT,
    CF_COMMAND_DEVICES,
    CF_COMMAND_MODELS,
    CF_COMMAND_JOBS,
    CF_COMMAND_PLAN, /* alone it is no command: one of those below follows */
    CF_COMMAND_HELP,
    CF_COMMAND_VERSION,   /* --version; not a word of its own */
    CF_COMMAND_PLAN_INIT, /* plan init, … in the order of cf_plan_command_names */
    CF_COMMAND_PLAN_CLAIM,
    CF_COMMAND_PLAN_ACCEPT,
    CF_COMMAND_PLAN_ACT,
    CF_COMMAND_PLAN_RETRACT,
    CF_COMMAND_PLAN_SHOW,
    CF_COMMAND_PLAN_QUOTE,
    CF_COMMAND_PLAN_CHECK,
    CF_COMMAND_COUNT
} cf_command;

typedef enum cf_expect { CF_EXPECT_CLEAR, CF_EXPECT_CONFOUNDED, CF_EXPECT_INCONCLUSIVE } cf_expect;
typedef enum cf_color { CF_COLOR_AUTO, CF_COLOR_ALWAYS, CF_COLOR_NEVER } cf_color;
typedef enum cf_format { CF_FORMAT_TEXT, CF_FORMAT_MARKDOWN, CF_FORMAT_CSV, CF_FORMAT_JSON } cf_format;

typedef enum cf_exec_toggled { CF_EXEC_TIMING } cf_exec_toggled;
typedef enum cf_exec_better { CF_EXEC_LOWER, CF_EXEC_HIGHER } cf_exec_better;

typedef enum cf_show_format { CF_SHOW_TEXT, CF_SHOW_MARKDOWN, CF_SHOW_JSON } cf_show_format;
typedef enum cf_check_format { CF_CHECK_TEXT, CF_CHECK_JSON, CF_CHECK_SARIF, CF_CHECK_GITHUB } cf_check_format;

/* `set`: it was given; value means nothing otherwise. */
typedef struct cf_option_u64 {
    bool set;
    uint64_t value;
} cf_option_u64;
typedef struct cf_option_double {
    bool set;
    double value;
} cf_option_double;
typedef struct cf_option_choice { /* value: the enum of the field's comment */
    bool set;
    int value;
} cf_option_choice;
typedef struct cf_option_strings { /* in the order in which they apply */
    char **items;
    size_t count;
} cf_option_strings;

/* Strings are NULL where nothing was given, never empty, and borrowed from argv and the environment. */
typedef struct cf_options {
    cf_command command;
    bool help;               /* --help: print the command's help and do nothing else */
    const char *job_path;    /* run: file or built-in name; NULL = the built-in job `default` */
    const char *record_path; /* judge, report: the first of records; "-" = standard input */
    const char *name;        /* models NAME, jobs NAME, help COMMAND */

    const char *device, *model;
    cf_option_strings sets; /* each "SECTION.KEY=VALUE", for cf_ini_set; owned */
    const char *instruments;
    cf_option_u64 rounds;     /* at most this many */
    cf_option_u64 min_rounds; /* at least this many before any decision */
    cf_option_double margin;
    cf_option_u64 seed; /* below 2^53 */
    const char *output; /* run: the record; report: the report */
    const char *json;   /* run, judge: where the judgement goes; "-" = standard output, and then nothing else there */
    cf_option_choice expect; /* cf_expect */
    const char *resume;      /* the record to go on with */
    const char *against;
    cf_option_u64 processes;
    const char *vary_env, *sweep; /* as given */
    const char *csv;              /* where a set's table goes */
    const char *record_env;
    cf_option_strings records; /* report; owned */
    const char *html;          /* report: where the page goes */
    const char *trace;         /* report: where the trace goes */
    const char *explain;       /* run, report: "auto", or the variants */
    bool quiet, verbose;       /* never both */
    cf_option_choice color;    /* cf_color; not set = auto */
    cf_option_choice format;   /* cf_format; not set = text */
    bool list_json;            /* devices --json */

    /* exec */
    cf_option_strings program; /* with its arguments; owned */
    cf_option_strings arms;    /* each "NAME=PREFIX"; owned */
    const char *metric, *unit, *keep;
    cf_option_choice better;  /* cf_exec_better; not set = lower */
    cf_option_double percent; /* its margin */
    cf_option_double timeout_s;
    cf_option_double after_s;
    cf_option_choice toggle; /* cf_exec_toggled */
    const char *step;

    /* plan */
    const char *subname;      /* help plan COMMAND */
    const char *sentence;     /* claim */
    const char *id;           /* accept, act, retract, show */
    cf_option_strings paths;  /* check; owned */
    cf_option_choice reading; /* claim --verdict: cf_reading */
    cf_option_choice about;   /* cf_plan_about */
    const char *evidence, *variant, *source;
    const char *acted_on, *since;
    cf_option_strings work; /* owned */
    const char *because, *date;
    cf_option_choice figure; /* cf_plan_figure */
    bool as_instrumented;
    cf_option_choice show_format;  /* cf_show_format; not set = text */
    cf_option_choice check_format; /* cf_check_format; not set = text */
} cf_options;

/* Reads argv[1..] and, for every option of the command that argv leaves out, its variable in `environ_lookup` (NULL =
   getenv). INPUT with one line: what was wrong, the nearest known word or what is accepted. ret_options: the caller
   frees with cf_options_done, also after a failure. */
typedef const char *cf_environ_lookup(const char *name);
cf_status cf_options_parse(int argc, char **argv, cf_environ_lookup *environ_lookup, cf_options *ret_options,
                           cf_error *err) CF_MUST_CHECK;
void cf_options_done(cf_options *options); /* takes NULL */

#endif
