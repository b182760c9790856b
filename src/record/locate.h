/* Where in JSON text a value stands. jansson parses, but keeps no positions; this walks the text to a path for the line
   number in an error, and cuts the lists of rounds out of a record, so that they need not be parsed as one tree (a
   million small objects cost more in page faults than in parsing).
   The walk checks brackets and quotes only as far as it needs them to go on: what it steps over is jansson's to judge.
 */
#ifndef CF_RECORD_LOCATE_H
#define CF_RECORD_LOCATE_H

#include <stdbool.h>
#include <stddef.h>

#define CF_JSON_NOWHERE ((size_t)-1)

typedef struct cf_json_text {
    const char *text; /* need not be NUL-terminated */
    size_t size_bytes;
} cf_json_text;

/* Offsets of the first byte that is no white space from at on, and of the first byte behind the value that begins at at
   (NOWHERE where the text ends inside the value or where there is none). */
size_t cf_json_skip_space(cf_json_text json, size_t at);
size_t cf_json_skip_value(cf_json_text json, size_t at);

/* Steps through the members of an object or the elements of an array: begin at the offset of its bracket. `key` and
   `value` are offsets; key is NOWHERE in arrays. next returns false at the end, with `at` behind the closing bracket,
   or NOWHERE where the text is broken. */
typedef struct cf_json_walk {
    cf_json_text json;
    size_t at;
    size_t key, key_bytes; /* without its quotes, as written */
    size_t value, value_bytes;
    size_t broken; /* once `at` is NOWHERE: the offset at which something else was expected; the size where text ends */
    bool began;
    char close;
} cf_json_walk;
cf_json_walk cf_json_walk_begin(cf_json_text json, size_t at);
bool cf_json_walk_next(cf_json_walk *walk);
/* The two halves of next: up to the value; over it. Between them a caller who knows where the value ends may set `at`.
 */
bool cf_json_walk_enter(cf_json_walk *walk);
bool cf_json_walk_skip(cf_json_walk *walk);

/* The value of a member or an element of the container at `at`; NOWHERE if absent. */
size_t cf_json_find_member(cf_json_text json, size_t at, const char *key);
size_t cf_json_find_element(cf_json_text json, size_t at, size_t index);

/* 1-based line of an offset. */
int cf_json_line(cf_json_text json, size_t at);

#endif
