/* The number that a run is judged by: its wall time, what it prints, what it writes into a file. */
#ifndef CF_EXEC_NUMBER_H
#define CF_EXEC_NUMBER_H

#include <regex.h>
#include <sys/stat.h>

#include "base/error.h"
#include "record/record.h"

typedef struct cf_number {
    cf_source source; /* WALL, CPU, REGEX, FILE */
    char *detail;     /* the expression, "PATH:KEY"; NULL for WALL and CPU */
    char *path;       /* FILE: where the program writes it */
    const char *key;  /* FILE: in detail */
    regex_t regex;    /* REGEX */
    bool compiled;
} cf_number;

/* "wall", "cpu", "file:PATH:KEY", or a POSIX extended regular expression with exactly one group. INPUT where it is
   none. ret: the caller frees with cf_number_done, also after a failure. */
cf_status cf_number_parse(const char *text, cf_number *ret, cf_error *err) CF_MUST_CHECK;
/* As it stands in a record. */
cf_status cf_number_of_record(const cf_record_metric *metric, cf_number *ret, cf_error *err) CF_MUST_CHECK;
void cf_number_done(cf_number *number);
/* What it is called where nobody named it: "wall", "cpu", "number", the key. */
const char *cf_number_name(const cf_number *number);

/* The word behind the first number that was found in a text, of all runs; "" = none yet. */
typedef struct cf_number_unit {
    char word[24];
} cf_number_unit;

typedef struct cf_numbers { /* in the order in which they were found */
    double *items;
    size_t count;
} cf_numbers;

/* The file as it was before a run: it must be another one after it. Does nothing for other sources. */
void cf_number_before(const cf_number *number, struct stat *ret_before);
/* Finds the numbers of one run: of what it printed into out_path, or where there is none, into err_path; or in its
   file. GATE: there is none, or it is no number above 0, or it stands before another multiple of the unit ("kH/s") than
   one that was found before ("MH/s"); the text of err says so. ret_numbers: the caller frees items. */
cf_status cf_number_find(const cf_number *number, const char *out_path, const char *err_path, const struct stat *before,
                         cf_number_unit *unit, cf_numbers *ret_numbers, cf_error *err) CF_MUST_CHECK;
/* The same of text that was read already. False where there is no match. */
cf_status cf_number_find_in_text(const cf_number *number, const char *text, cf_number_unit *unit,
                                 cf_numbers *ret_numbers, cf_error *err) CF_MUST_CHECK;
cf_status cf_number_find_in_file(const char *name, const char *text, const char *key, cf_numbers *ret_numbers,
                                 cf_error *err) CF_MUST_CHECK;

#endif
