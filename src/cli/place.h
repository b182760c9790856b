/* Where a record and its part file go. Strings are the caller's to free; NULL only out of memory. */
#ifndef CF_CLI_PLACE_H
#define CF_CLI_PLACE_H

#include <stdbool.h>

#include "base/error.h"

bool cf_place_is_part(const char *path);
char *cf_place_part(const char *output);   /* RECORD.json.part */
char *cf_place_record(const char *path);   /* of either */
char *cf_place_fresh(const char *backend); /* a name that nothing has yet: confound-BACKEND-TIME.json */
/* INPUT where part holds rounds of a run that did not end. */
cf_status cf_place_check_part(const char *part, const char *output, cf_error *err) CF_MUST_CHECK;

#endif
