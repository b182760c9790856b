#include "record/node.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define MAX_PATH_BYTES 200
#define MAX_PAIRS      4096

cf_node cf_node_member(const cf_node *object, const char *key)
{
    return (cf_node){.doc = object->doc, .up = object, .key = key, .json = json_object_get(object->json, key)};
}

cf_node cf_node_element(const cf_node *array, size_t index)
{
    return (cf_node){.doc = array->doc, .up = array, .index = index, .json = json_array_get(array->json, index)};
}

bool cf_node_exists(const cf_node *object, const char *key)
{
    return json_object_get(object->json, key) != NULL;
}

/* The path of node, the root's part first. */
static void put_path(const cf_node *node, char *buf, size_t buf_bytes)
{
    buf[0] = 0;
    if (!node->up) {
        if (node->doc->list)
            snprintf(buf, buf_bytes, "%s[%zu]", node->doc->list, node->doc->list_index);
        return;
    }
    put_path(node->up, buf, buf_bytes);
    const size_t used = strlen(buf);
    if (node->key)
        snprintf(buf + used, buf_bytes - used, "%s%s", used ? "." : "", node->key);
    else
        snprintf(buf + used, buf_bytes - used, "[%zu]", node->index);
}

/* Where node's text begins; of the nearest one above that is there, if it is missing. */
static size_t offset_of(const cf_node *node)
{
    if (!node->up)
        return node->doc->value;
    const size_t up = offset_of(node->up);
    const size_t at = node->key ? cf_json_find_member(node->doc->file, up, node->key)
                                : cf_json_find_element(node->doc->file, up, node->index);
    return at == CF_JSON_NOWHERE ? up : at;
}

cf_status cf_node_fail(const cf_node *node, const char *fmt, ...)
{
    char text[400], path[MAX_PATH_BYTES];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    put_path(node, path, sizeof path);
    const int line = cf_json_line(node->doc->file, offset_of(node));
    return cf_error_set(node->doc->err, CF_INPUT, "%s:%d: %s %s", node->doc->name, line,
                        path[0] ? path : "the JSON value", text);
}

cf_status cf_node_refuse(const cf_node *node, const char *accepted)
{
    const json_t *json = node->json;
    if (!json)
        return cf_node_fail(node, "is missing; %s is accepted", accepted);
    if (json_is_integer(json))
        return cf_node_fail(node, "is %lld; %s is accepted", (long long)json_integer_value(json), accepted);
    if (json_is_real(json)) {
        char number[32];
        return cf_node_fail(node, "is %s; %s is accepted",
                            cf_text_shortest(json_real_value(json), number, sizeof number), accepted);
    }
    if (json_is_string(json))
        return cf_node_fail(node, "is '%.60s'; %s is accepted", json_string_value(json), accepted);
    const char *what = json_is_object(json)  ? "an object"
                       : json_is_array(json) ? "a list"
                       : json_is_true(json)  ? "true"
                       : json_is_false(json) ? "false"
                                             : "null";
    return cf_node_fail(node, "is %s; %s is accepted", what, accepted);
}

static cf_status out_of_memory(const cf_node *node)
{
    return cf_error_set(node->doc->err, CF_MEMORY, "%s: out of memory", node->doc->name);
}

cf_status cf_node_int(const cf_node *node, int64_t min, int64_t max, int64_t *ret)
{
    const int64_t value = json_integer_value(node->json);
    if (!json_is_integer(node->json) || value < min || value > max) {
        char accepted[96];
        snprintf(accepted, sizeof accepted, "a whole number from %" PRId64 " to %" PRId64, min, max);
        return cf_node_refuse(node, accepted);
    }
    *ret = value;
    return CF_OK;
}

cf_status cf_node_name(const cf_node *node, const char *const *names, int *ret)
{
    const char *value = json_string_value(node->json);
    const int found = value ? cf_text_find(names, value) : -1;
    if (found < 0) {
        char accepted[160];
        return cf_node_refuse(node, cf_text_list(names, accepted, sizeof accepted));
    }
    *ret = found;
    return CF_OK;
}

cf_status cf_node_object(const cf_node *node)
{
    return json_is_object(node->json) ? CF_OK : cf_node_refuse(node, "an object");
}

cf_status cf_node_array(const cf_node *node, size_t min, size_t max)
{
    if (!json_is_array(node->json))
        return cf_node_refuse(node, "a list");
    const size_t length = json_array_size(node->json);
    if (length >= min && length <= max)
        return CF_OK;
    if (min == max)
        return cf_node_fail(node, "has %zu elements; %zu are accepted", length, min);
    return cf_node_fail(node, "has %zu elements; from %zu to %zu are accepted", length, min, max);
}

cf_status cf_node_string(const cf_node *node, char **ret)
{
    if (!json_is_string(node->json))
        return cf_node_refuse(node, "a string");
    *ret = cf_text_dup(json_string_value(node->json));
    return *ret ? CF_OK : out_of_memory(node);
}

cf_status cf_node_pairs(const cf_node *node, cf_pairs *ret)
{
    cf_status status = cf_node_object(node);
    if (json_object_size(node->json) > MAX_PAIRS) /* each is compared with all before it */
        return cf_node_fail(node, "has %zu members; at most %d are accepted", json_object_size(node->json), MAX_PAIRS);
    const char *key;
    json_t *value;
    json_object_foreach(node->json, key, value)
    {
        if (!json_is_string(value) && !json_is_null(value)) {
            const cf_node member = cf_node_member(node, key);
            return cf_node_refuse(&member, "a string or null");
        }
        if (!status)
            status = cf_pairs_add(ret, key, json_string_value(value), node->doc->err);
    }
    return status;
}

cf_status cf_node_get_int(const cf_node *up, const char *key, int64_t min, int64_t max, int64_t *ret)
{
    const cf_node node = cf_node_member(up, key);
    return cf_node_int(&node, min, max, ret);
}

cf_status cf_node_get_double(const cf_node *up, const char *key, double above, double most, double *ret)
{
    const cf_node node = cf_node_member(up, key);
    const double value = json_number_value(node.json);
    if (!json_is_number(node.json) || !(value > above) || !(value <= most)) {
        char accepted[96], low[32], high[32];
        snprintf(accepted, sizeof accepted, "a number above %s, at most %s", cf_text_shortest(above, low, sizeof low),
                 cf_text_shortest(most, high, sizeof high));
        return cf_node_refuse(&node, accepted);
    }
    *ret = value;
    return CF_OK;
}

cf_status cf_node_get_bool(const cf_node *up, const char *key, bool *ret)
{
    const cf_node node = cf_node_member(up, key);
    if (!json_is_boolean(node.json))
        return cf_node_refuse(&node, "true or false");
    *ret = json_is_true(node.json);
    return CF_OK;
}

cf_status cf_node_get_string(const cf_node *up, const char *key, char **ret)
{
    const cf_node node = cf_node_member(up, key);
    return cf_node_string(&node, ret);
}

cf_status cf_node_get_string_or_null(const cf_node *up, const char *key, char **ret)
{
    const cf_node node = cf_node_member(up, key);
    if (json_is_null(node.json))
        return CF_OK;
    return json_is_string(node.json) ? cf_node_string(&node, ret) : cf_node_refuse(&node, "a string or null");
}

cf_status cf_node_get_name(const cf_node *up, const char *key, const char *const *names, int *ret)
{
    const cf_node node = cf_node_member(up, key);
    return cf_node_name(&node, names, ret);
}

cf_status cf_node_get_object(const cf_node *up, const char *key, cf_node *ret)
{
    const cf_node node = cf_node_member(up, key);
    const cf_status status = cf_node_object(&node);
    if (!status)
        *ret = node;
    return status;
}

cf_status cf_node_get_array(const cf_node *up, const char *key, size_t min, size_t max, cf_node *ret)
{
    const cf_node node = cf_node_member(up, key);
    const cf_status status = cf_node_array(&node, min, max);
    if (!status)
        *ret = node;
    return status;
}

cf_status cf_node_get_pairs(const cf_node *up, const char *key, cf_pairs *ret)
{
    const cf_node node = cf_node_member(up, key);
    return cf_node_pairs(&node, ret);
}

cf_status cf_node_load(const cf_node_doc *doc, const char *text, size_t size_bytes, json_t **ret)
{
    json_error_t error;
    json_t *json = json_loadb(text, size_bytes, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (json) {
        *ret = json;
        return CF_OK;
    }
    if (json_error_code(&error) == json_error_out_of_memory)
        return cf_error_set(doc->err, CF_MEMORY, "%s: out of memory", doc->name);
    const int line = cf_json_line(doc->file, doc->value) + (error.line > 0 ? error.line - 1 : 0);
    if (json_error_code(&error) == json_error_premature_end_of_input)
        return cf_error_set(doc->err, CF_INPUT, "%s:%d: not JSON: the text ends in the middle; %s", doc->name, line,
                            "one whole JSON object is accepted");
    return cf_error_set(doc->err, CF_INPUT, "%s:%d: not JSON: %.120s; one JSON object is accepted", doc->name, line,
                        error.text);
}
