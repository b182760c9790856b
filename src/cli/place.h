/* Where a record and its part file go, and that one run at a time writes there. Strings are the caller's to free; NULL
 * only out of memory. */
#ifndef CF_CLI_PLACE_H
#define CF_CLI_PLACE_H

#include <stdbool.h>

#include "base/error.h"

bool cf_place_is_part(const char *path);
char *cf_place_part(const char *output);   /* RECORD.json.part */
char *cf_place_record(const char *path);   /* of either */
char *cf_place_fresh(const char *backend); /* a name that nothing has yet: confound-BACKEND-TIME.json */
/* INPUT where part holds rounds of a run that did not end, or cannot be read. */
cf_status cf_place_check_part(const char *part, const char *output, cf_error *err) CF_MUST_CHECK;

/* A part file that is ours alone from when a run is planned until it has ended. Zeroed: none is. */
typedef struct cf_place_hold {
    char *part; /* NULL = nothing is held */
    int fd;
    bool made; /* it may have been made for this alone */
} cf_place_hold;
/* Makes the file where there is none and create says so. INPUT: another run has it; IO. */
cf_status cf_place_hold_part(const char *part, bool create, cf_place_hold *ret, cf_error *err) CF_MUST_CHECK;
/* The same for --resume of a record or of its part file, before either is read: only one goes on with it. stays: the
   record keeps its place. ret_has_part: the part file is what there is to be gone on with. */
cf_status cf_place_hold_old(const char *resume, bool stays, cf_place_hold *ret, bool *ret_has_part,
                            cf_error *err) CF_MUST_CHECK;
bool cf_place_holds(const cf_place_hold *hold, const char *part); /* by whatever name */
/* A part file that was made, and in which nothing was written, goes. */
void cf_place_release(cf_place_hold *hold);

#endif
