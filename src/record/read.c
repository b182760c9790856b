/* A record is cut before it is parsed: the three lists of rounds are taken out of the text, jansson parses the rest,
   and each round is read by itself, by the fast way where it has the form in which it was written. */
#include "record/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "record/file.h"
#include "record/names.h"
#include "record/round_in.h"

#define MAX_FILE_BYTES ((size_t)1 << 30)
/* A broken text up to this size is given to jansson whole, which knows best what is wrong with it. */
#define MAX_EXPLAINED_BYTES ((size_t)16 << 20)

typedef struct cut {
    bool found[CF_LIST_COUNT];
    size_t at[CF_LIST_COUNT]; /* of the list's bracket */
    cf_text rest;             /* the text with those lists emptied; their line breaks stay */
} cut;

static int list_of(const cf_json_walk *walk)
{
    if (walk->json.text[walk->value] != '[')
        return -1;
    for (int list = 0; list < CF_LIST_COUNT; list++) {
        if (strlen(cf_list_names[list]) == walk->key_bytes &&
            memcmp(cf_list_names[list], walk->json.text + walk->key, walk->key_bytes) == 0)
            return list;
    }
    return -1;
}

static void add_line_breaks(cf_text *rest, const char *text, size_t size_bytes)
{
    for (const char *end = text + size_bytes; (text = memchr(text, '\n', (size_t)(end - text))); text++)
        cf_text_add_bytes(rest, "\n", 1);
}

/* False with walk->broken set where the text cannot be walked through. */
static bool cut_lists(cf_json_walk *walk, cut *ret)
{
    size_t copied = 0;
    while (cf_json_walk_next(walk)) {
        const int list = list_of(walk);
        if (list < 0)
            continue;
        ret->found[list] = true;
        ret->at[list] = walk->value;
        cf_text_add_bytes(&ret->rest, walk->json.text + copied, walk->value - copied);
        cf_text_add_bytes(&ret->rest, "[", 1);
        add_line_breaks(&ret->rest, walk->json.text + walk->value, walk->value_bytes);
        cf_text_add_bytes(&ret->rest, "]", 1);
        copied = walk->value + walk->value_bytes;
    }
    cf_text_add_bytes(&ret->rest, walk->json.text + copied, walk->json.size_bytes - copied);
    return walk->at != CF_JSON_NOWHERE;
}

static cf_status explain(const cf_node_doc *doc, size_t broken)
{
    const cf_node_doc whole = {.name = doc->name, .file = doc->file, .err = doc->err};
    json_t *json = NULL;
    if (doc->file.size_bytes <= MAX_EXPLAINED_BYTES) {
        const cf_status status = cf_node_load(&whole, doc->file.text, doc->file.size_bytes, &json);
        json_decref(json);
        if (status)
            return status;
    }
    return cf_error_set(doc->err, CF_INPUT, "%s:%d: not JSON: %s; one whole JSON object is accepted", doc->name,
                        cf_json_line(doc->file, broken),
                        broken < doc->file.size_bytes ? "unexpected text" : "the text ends in the middle");
}

static cf_status check_text(const cf_node_doc *doc, cf_json_walk *ret_walk)
{
    const cf_json_text file = doc->file;
    const size_t first = cf_json_skip_space(file, 0);
    if (first == file.size_bytes)
        return cf_error_set(doc->err, CF_INPUT, "%s:1: the file is empty; a record (%s) is accepted", doc->name,
                            CF_RECORD_SCHEMA);
    const char *nul = memchr(file.text, 0, file.size_bytes);
    if (nul)
        return cf_error_set(doc->err, CF_INPUT, "%s:%d: byte 0x00; a record (%s) is text", doc->name,
                            cf_json_line(file, (size_t)(nul - file.text)), CF_RECORD_SCHEMA);
    if (file.text[first] != '{')
        return cf_error_set(doc->err, CF_INPUT, "%s:%d: is no JSON object; a record (%s) is accepted", doc->name,
                            cf_json_line(file, first), CF_RECORD_SCHEMA);
    *ret_walk = cf_json_walk_begin(file, first);
    return CF_OK;
}

static cf_round *add_round(const cf_node_doc *doc, int list, cf_record *record, int *ret_variant_count)
{
    *ret_variant_count = list == CF_PART_PROLOGUE ? 1 : record->variant_count;
    cf_rounds *rounds = cf_record_list(record, list);
    cf_round *round = record->metric.on ? cf_rounds_add_metric(rounds, *ret_variant_count, true)
                                        : cf_rounds_add(rounds, *ret_variant_count);
    if (!round)
        (void)cf_error_set(doc->err, CF_MEMORY, "%s: out of memory", doc->name);
    return round;
}

static cf_status read_slowly(const cf_node_doc *doc, const cf_json_walk *walk, int variant_count, cf_round *round)
{
    json_t *json = NULL;
    cf_status status = cf_node_load(doc, walk->json.text + walk->value, walk->value_bytes, &json);
    if (!status) {
        const cf_node root = {.doc = doc, .json = json};
        status = cf_round_read(&root, variant_count, round);
    }
    json_decref(json);
    return status;
}

cf_status cf_read_round(const cf_node_doc *doc, cf_json_walk *walk, int list, cf_record *record)
{
    int variant_count;
    cf_round *round = add_round(doc, list, record, &variant_count);
    if (!round)
        return CF_MEMORY;
    size_t end = walk->value;
    if (cf_round_scan(walk->json, &end, variant_count, round)) {
        walk->at = end;
        return CF_OK;
    }
    if (!cf_json_walk_skip(walk))
        return explain(doc, walk->broken);
    return read_slowly(doc, walk, variant_count, round);
}

static cf_status read_cut_list(const cf_node_doc *whole, size_t at, int list, cf_record *record)
{
    cf_json_walk walk = cf_json_walk_begin(whole->file, at);
    cf_node_doc doc = *whole;
    doc.list = cf_list_names[list];
    for (doc.list_index = 0; cf_json_walk_enter(&walk); doc.list_index++) {
        doc.value = walk.value;
        const cf_status status = cf_read_round(&doc, &walk, list, record);
        if (status)
            return status;
    }
    return walk.at == CF_JSON_NOWHERE ? explain(whole, walk.broken) : CF_OK;
}

/* A list that was not cut: absent, no list, or its key is written with escapes. */
static cf_status read_list(const cf_node *root, int list, cf_record *record)
{
    cf_node array;
    cf_status status = cf_node_get_array(root, cf_list_names[list], 0, SIZE_MAX, &array);
    for (size_t i = 0; !status && i < json_array_size(array.json); i++) {
        int variant_count;
        cf_round *round = add_round(root->doc, list, record, &variant_count);
        if (!round)
            return CF_MEMORY;
        const cf_node node = cf_node_element(&array, i);
        status = cf_round_read(&node, variant_count, round);
    }
    return status;
}

static cf_status read_rest(const cf_node_doc *doc, const cut *parts, cf_record *record)
{
    json_t *json = NULL;
    cf_status status = cf_node_load(doc, parts->rest.data, parts->rest.size_bytes, &json);
    if (status)
        return status;
    const cf_node root = {.doc = doc, .json = json};
    status = cf_read_head(&root, record);
    for (int list = 0; !status && list < CF_LIST_COUNT; list++)
        status =
            parts->found[list] ? read_cut_list(doc, parts->at[list], list, record) : read_list(&root, list, record);
    json_decref(json);
    return status;
}

cf_status cf_record_parse(const char *name, const char *json, size_t size_bytes, cf_record *ret_record, cf_error *err)
{
    const cf_node_doc doc = {.name = name, .file = {.text = json, .size_bytes = size_bytes}, .err = err};
    cf_json_walk walk;
    cf_status status = check_text(&doc, &walk);
    if (status)
        return status;
    cf_record record;
    cf_record_init(&record);
    cut parts = {0};
    if (!cut_lists(&walk, &parts))
        status = explain(&doc, walk.broken);
    else if (parts.rest.failed)
        status = cf_error_set(err, CF_MEMORY, "%s: out of memory", name);
    else
        status = read_rest(&doc, &parts, &record);
    cf_text_done(&parts.rest);
    if (status)
        cf_record_done(&record);
    else
        *ret_record = record;
    return status;
}

cf_status cf_record_read(const char *path, cf_record *ret_record, char ret_sha256_hex[65], cf_error *err)
{
    char *data;
    size_t size_bytes;
    cf_status status = cf_file_read(path, MAX_FILE_BYTES, &data, &size_bytes, err);
    if (status)
        return status;
    status = cf_record_parse(strcmp(path, "-") == 0 ? "standard input" : path, data, size_bytes, ret_record, err);
    if (!status && ret_sha256_hex)
        cf_hash_sha256(data, size_bytes, ret_sha256_hex);
    free(data);
    return status;
}
