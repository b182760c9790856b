/* The help texts, made from the table in 80 columns. */
#ifndef CF_CLI_HELP_H
#define CF_CLI_HELP_H

#include "base/text.h"
#include "cli/options.h"
#include "cli/spec.h"
#include "instrument/instrument.h"

/* "confound judge RECORD.json [options]"; the options stand before a command line. Adds to out. */
void cf_help_synopsis(const cf_command_spec *spec, cf_text *out);
/* "-o, --output RECORD.json" into buf. Returns buf. */
const char *cf_help_option_form(const cf_option_spec *option, char *buf, size_t buf_bytes);
/* The meanings of all statuses that a program exits with `code`, joined by "; "; "" if there is none. Returns buf. */
const char *cf_help_exit_meaning(int code, char *buf, size_t buf_bytes);

/* True for the instruments and controls that a job may name; the others are in every run. */
bool cf_help_is_choice(const cf_instrument_type *type);

void cf_help_program(cf_text *out);
void cf_help_command(cf_command command, cf_text *out);

#endif
