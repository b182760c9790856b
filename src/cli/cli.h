/* What the commands share: the error line, output that is checked, the style of a terminal, --expect, ready jobs. */
#ifndef CF_CLI_CLI_H
#define CF_CLI_CLI_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/options.h"
#include "record/record.h"
#include "report/report.h"
#include "verdict/verdict.h"

/* The device of a run that names none, on a machine with no GPU. */
#define CF_CLI_DEVICE_DEFAULT "soft"

/* Writes "confound: TEXT" on standard error and returns the exit status of err's status. An error without text (the
   reader of our output went away) prints nothing. */
int cf_cli_fail(const cf_error *err);
/* "confound: TEXT" on standard error, for what a person should know and no status says. */
void cf_cli_note(const char *fmt, ...) CF_PRINTF(1, 2);

/* Writes everything to path, "-" or NULL being standard output; a file is written whole or not at all. IO when a byte
   was not taken; without text when standard output is a pipe that was closed. text->failed is MEMORY. */
cf_status cf_cli_write(const char *path, const cf_text *text, cf_error *err) CF_MUST_CHECK;
/* The same for standard output; frees text; prints its error line. Returns exit_status, or the failure's own. */
int cf_cli_finish(cf_text *text, int exit_status);

bool cf_cli_is_stdout(const char *path); /* NULL or "-" */
/* Those that we ignore and whoever started us did not: a program that is to be as if started by itself gets their
   default. */
void cf_cli_signals_passed_on(sigset_t *ret);
/* INPUT when out is the very file `in`, which would be lost. */
cf_status cf_cli_check_apart(const char *in, const char *out, cf_error *err) CF_MUST_CHECK;

/* How to print on stream (NULL = a file): colour as --color, NO_COLOR and the terminal say, UTF-8 as the locale says,
 * 80 columns. */
void cf_cli_style(const cf_options *options, FILE *stream, const char *record_path, cf_report_style *ret_style);

/* `report`: what goes where. apart: html, trace, output and the records name different files, and only one of them is
   standard output. */
bool cf_cli_wants_text(const cf_options *options); /* beside the page or the trace, or alone */
cf_status cf_cli_check_places(const cf_options *options, cf_error *err) CF_MUST_CHECK;
typedef struct cf_cli_parts {
    cf_text text, page, trace;
} cf_cli_parts;
/* Writes those that are wanted to where they go; a note says so where the page has no charts. */
cf_status cf_cli_write_report(const cf_options *options, const cf_cli_parts *parts, cf_error *err) CF_MUST_CHECK;

/* Reads and judges options->record_path with options->margin; the caller frees both, also after a failure (pass them
   zeroed). */
cf_status cf_cli_judge(const cf_options *options, cf_record *ret_record, cf_judgement *ret_judgement,
                       cf_error *err) CF_MUST_CHECK;

/* Exit status of a verdict under --expect (0 where nothing is expected); on a failed expectation one line on standard
   error says what was expected and what was found. */
int cf_cli_expect(const cf_options *options, const cf_judgement *judgement);

/* The report in options->format (text where it is not set). */
cf_status cf_cli_report(const cf_options *options, const cf_record *record, const cf_judgement *judgement,
                        const cf_report_style *style, cf_text *out, cf_error *err) CF_MUST_CHECK;

/* The end of `run` and `judge`: writes the judgement to options->json and, unless standard output is taken by it, the
   text report to standard output (with --quiet: the verdict alone); prints its own error line. Returns the exit status,
   --expect included. record_path may be NULL (not written) or "-". */
int cf_cli_conclude(const cf_options *options, const cf_record *record, const cf_judgement *judgement,
                    const char *record_path);

/* --resume of a record with nothing left to measure, which keeps its bytes and its hash: whether it is one, and what is
   done with it instead. Returns the exit status. */
bool cf_cli_is_complete(const cf_record *record, int64_t min_rounds, int64_t max_rounds);
int cf_cli_show_complete(const cf_options *options, const char *path);

/* Ready jobs, embedded from jobs/ at build time, `default` first. NULL-terminated. */
typedef struct cf_job_builtin {
    const char *name, *text;
} cf_job_builtin;
extern const cf_job_builtin cf_job_builtins[];
const cf_job_builtin *cf_job_builtin_find(const char *name); /* NULL if unknown */

#endif
