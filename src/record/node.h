/* Values of a parsed JSON document that know where they stand, so that an error says file, line and path. Getters write
   on success only; a node whose json is NULL is a member that is not there. */
#ifndef CF_RECORD_NODE_H
#define CF_RECORD_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/error.h"
#include "record/locate.h"
#include "record/record.h"

/* What is read: the text of the whole file for line numbers, and the value in it that the root node stands for. */
typedef struct cf_node_doc {
    const char *name;  /* of the file, for messages */
    cf_json_text file; /* whole */
    size_t value;      /* offset of the root's text */
    const char *list;  /* the list that the root is an element of; NULL: the root is what it is */
    size_t list_index;
    cf_error *err;
} cf_node_doc;

typedef struct cf_node {
    const cf_node_doc *doc;
    const struct cf_node *up; /* NULL: the root. Borrowed: a node lives no longer than the one above it */
    const char *key;          /* NULL: an element */
    size_t index;
    json_t *json; /* borrowed */
} cf_node;

cf_node cf_node_member(const cf_node *object, const char *key);
cf_node cf_node_element(const cf_node *array, size_t index);
bool cf_node_exists(const cf_node *object, const char *key);

/* "NAME:LINE: PATH text", INPUT. */
cf_status cf_node_fail(const cf_node *node, const char *fmt, ...) CF_PRINTF(2, 3);
/* "NAME:LINE: PATH is what it is; `accepted` is accepted" */
cf_status cf_node_refuse(const cf_node *node, const char *accepted);

/* The node's own value. */
cf_status cf_node_int(const cf_node *node, int64_t min, int64_t max, int64_t *ret) CF_MUST_CHECK;
cf_status cf_node_name(const cf_node *node, const char *const *names, int *ret) CF_MUST_CHECK; /* index in names */
cf_status cf_node_object(const cf_node *node) CF_MUST_CHECK;
cf_status cf_node_array(const cf_node *node, size_t min, size_t max) CF_MUST_CHECK; /* length within [min, max] */
/* Strings are the caller's to free; *ret must be NULL before. */
cf_status cf_node_string(const cf_node *node, char **ret) CF_MUST_CHECK;
cf_status cf_node_pairs(const cf_node *node, cf_pairs *ret) CF_MUST_CHECK;

/* The value of a member. */
cf_status cf_node_get_int(const cf_node *up, const char *key, int64_t min, int64_t max, int64_t *ret) CF_MUST_CHECK;
cf_status cf_node_get_double(const cf_node *up, const char *key, double above, double most, double *ret) CF_MUST_CHECK;
cf_status cf_node_get_bool(const cf_node *up, const char *key, bool *ret) CF_MUST_CHECK;
cf_status cf_node_get_string(const cf_node *up, const char *key, char **ret) CF_MUST_CHECK;
cf_status cf_node_get_string_or_null(const cf_node *up, const char *key, char **ret) CF_MUST_CHECK;
cf_status cf_node_get_name(const cf_node *up, const char *key, const char *const *names, int *ret) CF_MUST_CHECK;
cf_status cf_node_get_object(const cf_node *up, const char *key, cf_node *ret) CF_MUST_CHECK;
cf_status cf_node_get_array(const cf_node *up, const char *key, size_t min, size_t max, cf_node *ret) CF_MUST_CHECK;
cf_status cf_node_get_pairs(const cf_node *up, const char *key, cf_pairs *ret) CF_MUST_CHECK;

/* Parses the value_bytes of doc's root; INPUT with its line where the JSON is not well formed. ret: json_decref it. */
cf_status cf_node_load(const cf_node_doc *doc, const char *text, size_t size_bytes, json_t **ret) CF_MUST_CHECK;

#endif
