/* The one table of commands, options and environment variables. The parser, the help, the man pages, the completions
   and docs/commands.md are made from it. */
#ifndef CF_CLI_SPEC_H
#define CF_CLI_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/options.h"

#define CF_ENV_PREFIX      "CONFOUND_"
#define CF_OPTION_SPEC_MAX 64

/* How an option's value is read, and the type of its field in cf_options. */
typedef enum cf_value_kind {
    CF_VALUE_FLAG,    /* bool; takes no value */
    CF_VALUE_STRING,  /* const char * */
    CF_VALUE_STRINGS, /* cf_option_strings; may be repeated; in the environment separated by ';' */
    CF_VALUE_U64,     /* cf_option_u64, min..max */
    CF_VALUE_DOUBLE,  /* cf_option_double, low..high */
    CF_VALUE_CHOICE   /* cf_option_choice, one of `words` */
} cf_value_kind;

/* What a shell offers for a value. */
typedef enum cf_complete {
    CF_COMPLETE_NONE,
    CF_COMPLETE_FILE,
    CF_COMPLETE_DEVICE,     /* the registry's backends */
    CF_COMPLETE_MODEL,      /* built-in models, and files */
    CF_COMPLETE_JOB,        /* ready jobs, and files */
    CF_COMPLETE_INSTRUMENT, /* those that a job may name */
    CF_COMPLETE_COMMAND,
    CF_COMPLETE_WORDS /* `words` of the option */
} cf_complete;

typedef struct cf_option_spec {
    const char *name;     /* long name without dashes */
    char letter;          /* short name, 0 = none */
    const char *argument; /* "N", "FILE|-"; NULL for a flag */
    const char *alone;    /* a string's value where the option stands alone; another one then needs a '='. NULL = it
                             needs a value */
    unsigned commands;    /* bit set: 1u << cf_command */
    const char *variable; /* in the environment, NULL = none (what is asked of the program itself: --help, --version) */
    cf_value_kind kind;
    size_t field; /* offset in cf_options */
    uint64_t min, max;
    double low, high;
    const char *const *words; /* NULL-terminated */
    cf_complete complete;
    const char *help; /* one line, no full stop */
} cf_option_spec;

typedef struct cf_command_spec {
    const char *name;
    const char *argument; /* the positional as in a synopsis: "[JOB.ini]"; NULL = takes none */
    const char *what;     /* the positional in a message: "a record" */
    bool required;
    bool rest;    /* many, and from the first on all arguments are its own: a command line */
    bool many;    /* it may be repeated: its field is a cf_option_strings */
    size_t field; /* of the positional, a const char * in cf_options */
    cf_complete complete;
    const char *summary; /* one line, no full stop */
    const char *detail;  /* paragraphs for help and manual, separated by '\n' */
    const char *example; /* a command line that works */
} cf_command_spec;

extern const cf_command_spec cf_command_specs[CF_COMMAND_COUNT];
extern const cf_option_spec cf_option_specs[];
extern const size_t cf_option_spec_count;
/* Names of the commands that are words (all but --version), NULL-terminated, in the order of cf_command. */
extern const char *const cf_command_names[];
/* Second words, after plan, in the order of cf_command from CF_COMMAND_PLAN_INIT on. */
extern const char *const cf_plan_command_names[];

/* Variables that are no option's. */
typedef struct cf_word_meaning {
    const char *word, *meaning;
} cf_word_meaning;
extern const cf_word_meaning cf_other_environment[]; /* ends with word NULL */
extern const char cf_program_summary[];
extern const char cf_program_detail[]; /* paragraphs, separated by '\n' */

static inline bool cf_option_taken_by(const cf_option_spec *option, cf_command command)
{
    return (option->commands & (1u << (unsigned)command)) != 0;
}

#endif
