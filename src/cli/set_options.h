/* The arguments of a set's processes. */
#ifndef CF_CLI_SET_OPTIONS_H
#define CF_CLI_SET_OPTIONS_H

#include <stdbool.h>

#include "cli/options.h"
#include "record/set.h"

/* What every process is given: the job, and all that was asked for on the command line or in our variables, less what
   is the set's own, each process's own (device, seed, record), or about what is shown at the end. */
cf_status cf_set_options_gather(const cf_options *options, cf_set_strings *to, cf_error *err) CF_MUST_CHECK;

/* The arguments of a member's process, argv[0] first. path: of the set's document. goes_on: from what its record or its
   part file holds. */
cf_status cf_set_arguments(const cf_set *set, const char *path, const cf_set_member *member, bool goes_on,
                           cf_set_strings *ret_argv, cf_error *err) CF_MUST_CHECK;

#endif
