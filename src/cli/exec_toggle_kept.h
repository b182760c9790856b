/* What outlives a killed confound: beside the record a part file, and the folder with the program's steps that it
 * names. */
#ifndef CF_CLI_EXEC_TOGGLE_KEPT_H
#define CF_CLI_EXEC_TOGGLE_KEPT_H

#include <sys/types.h>

#include "cli/place.h"
#include "record/file.h"

typedef struct cf_toggle_kept {
    char *part;   /* NULL = nothing is kept */
    char *folder; /* absolute */
    cf_part_steps steps;
} cf_toggle_kept;

/* Begins a part file, which the caller holds, and makes the folder. IO: the folder cannot be had there (then nothing is
   kept: part NULL), or the part file cannot be written (then it is set). */
cf_status cf_toggle_kept_begin(const char *part, const char *output, const cf_record *record, cf_toggle_kept *ret,
                               cf_error *err) CF_MUST_CHECK;
/* Which process the program is: a cf_toggle_start's. user: what is kept. */
void cf_toggle_kept_started(void *user, pid_t pid);
void cf_toggle_kept_remove(
    const cf_toggle_kept *kept); /* from the disk: the record is there, or nothing was measured */
void cf_toggle_kept_done(cf_toggle_kept *kept);

/* Whether a record, or the head of a part file, is of a program that was toggled. */
bool cf_toggle_is_of(const cf_record *record);
/* The folder that a part file names. Caller frees; NULL out of memory. */
char *cf_toggle_kept_folder(const char *part, const cf_part_steps *steps);
/* INPUT: the program still runs, or it ran where that cannot be seen from here. */
cf_status cf_toggle_kept_check_ended(const char *part, const char *folder, const cf_part_steps *steps,
                                     cf_error *err) CF_MUST_CHECK;
/* Before another run takes the place: INPUT where there are whole rounds, or may be. A folder with none goes. */
cf_status cf_toggle_kept_check(const char *part, const char *output, const cf_part_steps *steps,
                               cf_error *err) CF_MUST_CHECK;

#endif
