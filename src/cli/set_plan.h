/* From a command line to a set: its values, its members with their seeds and places, in the order in which they are
   measured; or the set that --resume names. */
#ifndef CF_CLI_SET_PLAN_H
#define CF_CLI_SET_PLAN_H

#include "cli/options.h"
#include "cli/place.h"
#include "record/set.h"

/* Whether the command line asks for a set: one of its options, or --resume with a set's document. */
bool cf_set_is_wanted(const cf_options *options);

/* ret_path: of the document; ret_hold: that place is ours alone, the caller releases it. Everything that a process
   would refuse is refused here, before the first one runs. why: a line that says which device was chosen, "" where it
   was named; at least 512 bytes. The caller frees set with cf_set_done and path, also after a failure. */
cf_status cf_set_plan(const cf_options *options, cf_set *ret_set, char **ret_path, cf_place_hold *ret_hold, char *why,
                      cf_error *err) CF_MUST_CHECK;

#endif
