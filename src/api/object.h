/* What the opaque types of include/confound hold, and how a room's error becomes a caller's. */
#ifndef CF_API_OBJECT_H
#define CF_API_OBJECT_H

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "confound/judge.h"
#include "confound/run.h"
#include "record/record.h"
#include "verdict/verdict.h"

struct confound_record {
    cf_record record;
    char sha256_hex[CF_HASH_TEXT_BYTES]; /* of the file's bytes: as read, or as they would be written */
};

/* Names are copied, so that a judgement outlives its record. */
struct confound_judgement {
    cf_judgement judgement;
    cf_text json;
    char *names[CF_MAX_VARIANTS];
};

/* Hands status on; err (may be NULL) takes what error says unless status is CF_OK. */
confound_status cf_api_status(cf_status status, const cf_error *error, confound_error *err);
/* An error that the API itself notices. Returns its status. */
confound_status cf_api_fail(confound_error *err, cf_status status, const char *fmt, ...) CF_PRINTF(3, 4);
/* Whether a text that must be there is; else err says that `what` is not. */
bool cf_api_given(const char *text, const char *what, confound_error *err);

/* Hands out text, which is emptied, unless status is not CF_OK; the caller frees *ret_text with confound_text_free. */
confound_status cf_api_text(cf_status status, cf_text *text, char **ret_text, size_t *ret_size_bytes,
                            const cf_error *error, confound_error *err);

/* Sets sha256_hex to that of the file that confound_record_write would write, so that a judgement made before it was
   written is the one made after. */
cf_status cf_api_hash(confound_record *record, cf_error *error) CF_MUST_CHECK;

#endif
