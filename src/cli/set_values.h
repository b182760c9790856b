/* What --sweep and --vary-env say, as lists of values. */
#ifndef CF_CLI_SET_VALUES_H
#define CF_CLI_SET_VALUES_H

#include "record/set.h"

/* "KEY=FROM..TO[:STEPS]" or "KEY=V1,V2,…". Points of a range lie in even ratios, both ends included; without STEPS each
   is twice the one before, or four times where that is more than 9 points, else 9 points. INPUT with one line. The
   caller frees both, also after a failure. */
cf_status cf_set_values_sweep(const char *text, char **ret_key, cf_set_strings *ret_values,
                              cf_error *err) CF_MUST_CHECK;
/* "NAME=V1,V2,…"; an empty value means that the variable is not set. */
cf_status cf_set_values_env(const char *text, char **ret_name, cf_set_strings *ret_values, cf_error *err) CF_MUST_CHECK;

#endif
