/* JSON text, written in order into a cf_text. Reading is jansson's; writing is ours because jansson 2.14 cannot print
   the shortest decimal that reads back as the same double, and the judgement's bytes must be the same everywhere. */
#ifndef CF_BASE_JSON_OUT_H
#define CF_BASE_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define CF_JSON_DEPTH 32

/* Zero-initialise with .out set. key is NULL inside arrays. Between begin/end pairs commas and indents are ours;
   a compact container (and all in it) is on one line. */
typedef struct cf_json {
    cf_text *out;
    int depth;
    int compact_from; /* depth at which one-line mode began, 0 = not in it */
    bool has_items[CF_JSON_DEPTH];
} cf_json;

void cf_json_object_begin(cf_json *json, const char *key, bool compact);
void cf_json_object_end(cf_json *json);
void cf_json_array_begin(cf_json *json, const char *key, bool compact);
void cf_json_array_end(cf_json *json);
void cf_json_string(cf_json *json, const char *key, const char *value); /* NULL = null; broken UTF-8 is replaced */
void cf_json_int(cf_json *json, const char *key, int64_t value);
void cf_json_uint(cf_json *json, const char *key, uint64_t value);
void cf_json_double(cf_json *json, const char *key, double value); /* NaN and infinities = null; 16 reads 16.0 */
void cf_json_bool(cf_json *json, const char *key, bool value);
void cf_json_null(cf_json *json, const char *key);
void cf_json_raw(cf_json *json, const char *key, const void *value, size_t size_bytes); /* JSON text made elsewhere */

#endif
