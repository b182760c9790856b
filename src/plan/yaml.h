/* YAML as a small tree: what front matter needs and nothing else. libyaml reads and writes; the limits are here,
   because the file is written by anyone. Refused: anchors, aliases, tags, directives, a second document, keys that are
   not plain words, a key given twice, control characters, and what is too deep or too large. */
#ifndef CF_PLAN_YAML_H
#define CF_PLAN_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

#define CF_YAML_MAX_BYTES  ((size_t)128 << 10)
#define CF_YAML_MAX_DEPTH  8
#define CF_YAML_MAX_EVENTS 16384

typedef enum cf_yaml_kind { CF_YAML_SCALAR, CF_YAML_SEQUENCE, CF_YAML_MAPPING } cf_yaml_kind;

typedef struct cf_yaml_node cf_yaml_node;
struct cf_yaml_node {
    cf_yaml_kind kind;
    int style;            /* libyaml's, kept for writing; 0 = any */
    char *text;           /* scalar: owned, valid UTF-8 without NUL */
    int line, column;     /* 1-based line, 0-based column in the text that was parsed; 0 = made here */
    cf_yaml_node **items; /* sequence: its items; mapping: key, value, key, value, … */
    size_t count;         /* of items */
};

/* The root is a mapping in block style whose keys begin at column 0. INPUT: err says what was wrong, ret_line (1-based)
   where. Caller frees with cf_yaml_free. */
cf_status cf_yaml_parse(const char *text, size_t size_bytes, cf_yaml_node **ret_root, int *ret_line,
                        cf_error *err) CF_MUST_CHECK;
void cf_yaml_free(cf_yaml_node *node); /* takes NULL */

/* NULL where node is no mapping or has no such key. '-', '_' and ' ' in keys are the same. Borrowed. */
cf_yaml_node *cf_yaml_get(const cf_yaml_node *mapping, const char *key);
bool cf_yaml_is_null(const cf_yaml_node *node); /* NULL, or a plain "", "~" or "null" */
/* The text of a scalar that is not null, NULL otherwise. Borrowed. */
const char *cf_yaml_text(const cf_yaml_node *node);

/* Makers; NULL only out of memory. */
cf_yaml_node *cf_yaml_plain(const char *text); /* a word or a date of ours, as it is; NULL = null */
cf_yaml_node *cf_yaml_word(const char *text);  /* a path, a name: quoted unless any YAML reader takes it as text */
cf_yaml_node *cf_yaml_prose(const char *text); /* in double quotes */
cf_yaml_node *cf_yaml_mapping(void);
cf_yaml_node *cf_yaml_sequence(void);
/* Both own `value` from here on, also on failure; a NULL value (out of memory before) is MEMORY. cf_yaml_put replaces
   the value of a key that is there. */
cf_status cf_yaml_put(cf_yaml_node *mapping, const char *key, cf_yaml_node *value, cf_error *err) CF_MUST_CHECK;
cf_status cf_yaml_push(cf_yaml_node *sequence, cf_yaml_node *value, cf_error *err) CF_MUST_CHECK;

/* "key: value\n" in block style, lines ended as crlf says. */
cf_status cf_yaml_print(const char *key, const cf_yaml_node *value, bool crlf, cf_text *out,
                        cf_error *err) CF_MUST_CHECK;

#endif
