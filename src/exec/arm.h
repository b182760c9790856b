/* An arm: what stands before the program. NAME=PREFIX, where PREFIX is a command line whose first words may be
   VAR=value, as env takes them. */
#ifndef CF_EXEC_ARM_H
#define CF_EXEC_ARM_H

#include "base/error.h"
#include "record/record.h"

#define CF_ARM_CONTROL "none"
#define CF_ARM_AGAIN   "none-again"

typedef struct cf_arm {
    char *name;
    char *prefix;       /* as it was given; NULL = nothing */
    cf_strings sets;    /* VAR=value, before all others of the environment */
    cf_strings command; /* the prefix's words, then the program's; never empty */
} cf_arm;

typedef struct cf_arms { /* the control first, then the control again, then the arms as they were named */
    cf_arm items[CF_MAX_VARIANTS];
    int count;
} cf_arms;

/* Reads `given` ("NAME=PREFIX" each; none= may be left out). INPUT: a name that is no name or is taken, a prefix that
   is no command line, no arm at all, too many. ret: the caller frees with cf_arms_done, also after a failure. */
cf_status cf_arms_read(char *const *given, size_t count, const cf_strings *program, cf_arms *ret,
                       cf_error *err) CF_MUST_CHECK;
/* The arms of a record, to go on with it. */
cf_status cf_arms_of_record(const cf_record *record, cf_arms *ret, cf_error *err) CF_MUST_CHECK;
void cf_arms_done(cf_arms *arms);

#endif
