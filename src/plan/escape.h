/* Text from anywhere, put where it means nothing: every output of this room goes through one of these. */
#ifndef CF_PLAN_ESCAPE_H
#define CF_PLAN_ESCAPE_H

#include "base/json_out.h"
#include "base/text.h"

/* One line without control characters (cf_text_safe, without its limit of length). */
void cf_plan_add_safe(cf_text *out, const char *s);
/* The same as Markdown that reads as it is: no markup, no HTML, no link, no mention. */
void cf_plan_add_markdown(cf_text *out, const char *s);
/* Percent-encoded, but for '/', letters, digits and "._~+@" and single '-': for a relative link, a URI, a marker. */
void cf_plan_add_encoded(cf_text *out, const char *s);
/* The way back, in place; false where a '%' is not followed by two hexadecimal digits, or hides a NUL. */
bool cf_plan_decode(char *s);
/* A value in a workflow command of GitHub Actions; property: of a property, else of the message. */
void cf_plan_add_github(cf_text *out, const char *s, bool property);
/* A JSON string that is safe on a terminal, too; NULL = null. */
void cf_plan_json_text(cf_json *json, const char *key, const char *s);
/* s into a new string by cf_plan_add_safe; NULL out of memory. Caller frees. */
char *cf_plan_safe(const char *s);

#endif
