#include "record/set.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"
#include "record/node.h"

#define DOCUMENT_BYTES ((size_t)64 << 20)
#define HEAD_BYTES     256
#define SEED_MAX       ((INT64_C(1) << 53) - 1)

const char *const cf_set_kind_names[] = {"processes", "env", "sweep", "records", NULL};
static const char *const document_kinds[] = {"processes", "env", "sweep", NULL}; /* in the same order */
const char *const cf_set_state_names[] = {"missing", "done", "interrupted", "failed", NULL};

cf_status cf_set_strings_add(cf_set_strings *strings, const char *text, cf_error *err)
{
    char **items = realloc(strings->items, (strings->count + 1) * sizeof *items);
    if (items == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    strings->items = items;
    items[strings->count] = cf_text_dup(text);
    if (items[strings->count] == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    strings->count++;
    return CF_OK;
}

void cf_set_strings_done(cf_set_strings *strings)
{
    for (size_t i = 0; i < strings->count; i++)
        free(strings->items[i]);
    free(strings->items);
    *strings = (cf_set_strings){0};
}

void cf_set_done(cf_set *set)
{
    if (set == NULL)
        return;
    for (int i = 0; i < set->member_count; i++) {
        free(set->members[i].path);
        free(set->members[i].record);
        free(set->members[i].why);
    }
    free(set->members);
    free(set->tool_version);
    free(set->created_utc);
    free(set->key);
    free(set->device);
    free(set->job_name);
    free(set->job_text);
    cf_set_strings_done(&set->options);
    cf_set_strings_done(&set->values);
    *set = (cf_set){0};
}

bool cf_set_is_document(const char *path)
{
    struct stat about;
    if (path == NULL || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    char head[HEAD_BYTES + 1];
    size_t size_bytes = fread(head, 1, HEAD_BYTES, file);
    head[size_bytes] = '\0';
    (void)fclose(file);
    return strstr(head, "\"" CF_SET_SCHEMA "\"") != NULL;
}

char *cf_set_member_path(const char *path, const cf_set_member *member)
{
    const char *slash = strrchr(path, '/');
    int folder = slash != NULL && member->path[0] != '/' ? (int)(slash - path) + 1 : 0;
    return cf_text_format("%.*s%s", folder, path, member->path);
}

/* ---- reading ---- */

static cf_status read_strings(const cf_node *up, const char *key, size_t min, cf_set_strings *ret)
{
    cf_node list;
    cf_status status = cf_node_get_array(up, key, min, CF_SET_MEMBERS_MAX, &list);
    for (size_t i = 0; status == CF_OK && i < json_array_size(list.json); i++) {
        const cf_node item = cf_node_element(&list, i);
        char *text = NULL;
        status = cf_node_string(&item, &text);
        if (status == CF_OK)
            status = cf_set_strings_add(ret, text, up->doc->err);
        free(text);
    }
    return status;
}

static cf_status read_member(const cf_node *node, const cf_set *set, cf_set_member *member)
{
    int64_t group = 0, process = 0, seed = 0, exit_status = 0;
    int state = 0;
    cf_status status = cf_node_object(node);
    if (status == CF_OK)
        status = cf_node_get_int(node, "group", 0, (int64_t)set->values.count - 1, &group);
    if (status == CF_OK)
        status = cf_node_get_int(node, "process", 1, CF_SET_MEMBERS_MAX, &process);
    if (status == CF_OK)
        status = cf_node_get_int(node, "seed", 0, SEED_MAX, &seed);
    if (status == CF_OK)
        status = cf_node_get_string(node, "path", &member->path);
    if (status == CF_OK)
        status = cf_node_get_string_or_null(node, "record", &member->record);
    if (status == CF_OK)
        status = cf_node_get_name(node, "state", cf_set_state_names, &state);
    if (status == CF_OK)
        status = cf_node_get_string_or_null(node, "why", &member->why);
    if (status == CF_OK)
        status = cf_node_get_int(node, "exit_status", 0, 255, &exit_status);
    member->group = (int)group;
    member->process = (int)process;
    member->seed = (uint64_t)seed;
    member->state = (cf_set_state)state;
    member->exit_status = (int)exit_status;
    return status;
}

static cf_status read_members(const cf_node *root, cf_set *set)
{
    cf_node list;
    cf_status status = cf_node_get_array(root, "members", 1, CF_SET_MEMBERS_MAX, &list);
    if (status != CF_OK)
        return status;
    size_t count = json_array_size(list.json);
    set->members = calloc(count, sizeof *set->members);
    if (set->members == NULL)
        return cf_error_set(root->doc->err, CF_MEMORY, "out of memory");
    set->member_count = (int)count;
    for (size_t i = 0; i < count && status == CF_OK; i++) {
        const cf_node item = cf_node_element(&list, i);
        status = read_member(&item, set, &set->members[i]);
    }
    return status;
}

static cf_status check_schema(const cf_node *root)
{
    const cf_node schema = cf_node_member(root, "schema");
    const char *value = json_string_value(schema.json);
    return value != NULL && strcmp(value, CF_SET_SCHEMA) == 0 ? CF_OK : cf_node_refuse(&schema, "'" CF_SET_SCHEMA "'");
}

static cf_status read_head(const cf_node *root, cf_set *set)
{
    cf_node tool, job;
    int kind = 0;
    int64_t seed = 0;
    cf_status status = check_schema(root);
    if (status == CF_OK)
        status = cf_node_get_object(root, "tool", &tool);
    if (status == CF_OK)
        status = cf_node_get_string(&tool, "version", &set->tool_version);
    if (status == CF_OK)
        status = cf_node_get_string(root, "created", &set->created_utc);
    if (status == CF_OK)
        status = cf_node_get_name(root, "kind", document_kinds, &kind);
    if (status == CF_OK)
        status = cf_node_get_string_or_null(root, "key", &set->key);
    if (status == CF_OK)
        status = cf_node_get_string(root, "device", &set->device);
    if (status == CF_OK)
        status = cf_node_get_int(root, "seed", 0, SEED_MAX, &seed);
    if (status == CF_OK)
        status = cf_node_get_int(root, "processes", 1, CF_SET_MEMBERS_MAX, &set->processes);
    if (status == CF_OK)
        status = cf_node_get_object(root, "job", &job);
    if (status == CF_OK)
        status = cf_node_get_string(&job, "name", &set->job_name);
    if (status == CF_OK)
        status = cf_node_get_string(&job, "text", &set->job_text);
    set->kind = (cf_set_kind)kind;
    set->seed = (uint64_t)seed;
    return status;
}

static cf_status read_root(const cf_node *root, cf_set *set)
{
    cf_status status = cf_node_object(root);
    if (status == CF_OK)
        status = read_head(root, set);
    if (status == CF_OK)
        status = read_strings(root, "options", 0, &set->options);
    if (status == CF_OK)
        status = read_strings(root, "values", 1, &set->values);
    if (status == CF_OK && set->kind != CF_SET_PROCESSES && set->key == NULL) {
        const cf_node key = cf_node_member(root, "key");
        status = cf_node_refuse(&key, "what was varied, a string");
    }
    return status == CF_OK ? read_members(root, set) : status;
}

cf_status cf_set_read(const char *path, cf_set *ret_set, cf_error *err)
{
    char *data = NULL;
    size_t size_bytes = 0;
    *ret_set = (cf_set){0};
    cf_status status = cf_file_read(path, DOCUMENT_BYTES, &data, &size_bytes, err);
    if (status != CF_OK)
        return status;
    const cf_node_doc doc = {.name = path, .file = {.text = data, .size_bytes = size_bytes}, .err = err};
    json_t *json = NULL;
    status = cf_node_load(&doc, data, size_bytes, &json);
    if (status == CF_OK) {
        const cf_node root = {.doc = &doc, .json = json};
        status = read_root(&root, ret_set);
    }
    json_decref(json);
    free(data);
    return status;
}
