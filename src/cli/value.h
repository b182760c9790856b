/* Values of options: text from the command line or the environment into a field of cf_options. */
#ifndef CF_CLI_VALUE_H
#define CF_CLI_VALUE_H

#include "cli/options.h"
#include "cli/spec.h"

static inline void *cf_option_field(cf_options *options, size_t offset)
{
    return (char *)options + offset;
}

/* Appends a copy of the text. */
cf_status cf_option_strings_add(cf_option_strings *strings, const char *text, size_t size_bytes,
                                cf_error *err) CF_MUST_CHECK;
/* source names the value in messages: "--margin". Not for flags. INPUT, MEMORY. */
cf_status cf_option_store(cf_options *options, const cf_option_spec *spec, const char *source, const char *value,
                          cf_error *err) CF_MUST_CHECK;
/* A value from spec's variable. Strings that may be repeated go before those that are there, so that the command line,
   which was read first, wins. INPUT, MEMORY. */
cf_status cf_option_store_variable(cf_options *options, const cf_option_spec *spec, const char *value,
                                   cf_error *err) CF_MUST_CHECK;

#endif
