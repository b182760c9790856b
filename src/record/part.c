/* RECORD.part: one JSON object with one member a line, appended in one write each, so that only the last line can be
   torn.
     {"head": {...}}                                     the record without its rounds; the first line
     {"prologue": {...}} {"warmup": {...}} {"rounds": {...}}   a round
     {"proofs": {"variants": [...], "data_check": {...}, "skipped": {...}}}   replaces what was known before
     {"process": 1}                                      another process goes on from here
     {"steps": {...}}                                    where a library keeps the steps of a program that is toggled
   It is written in place, and keeps its lock (src/cli/place.h). */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_out.h"
#include "record/file.h"
#include "record/metric.h"
#include "record/names.h"
#include "record/part.h"
#include "record/read.h"
#include "record/write.h"

#define MAX_FILE_BYTES ((size_t)1 << 30)
#define START_MAX      ((int64_t)1 << 53)

static void add_head(cf_text *out, const cf_record *record)
{
    cf_json json = {.out = out};
    cf_json_object_begin(&json, NULL, true);
    cf_json_object_begin(&json, "head", true);
    cf_write_head(&json, record);
    cf_write_tail(&json, record);
    cf_json_object_end(&json);
    cf_json_object_end(&json);
}

static void add_round(cf_text *out, const cf_record *record, int list, const cf_round *round)
{
    cf_text_add(out, "{\"%s\":", cf_list_names[list]);
    cf_write_round(out, round, list == CF_PART_PROLOGUE ? 1 : record->variant_count);
    cf_text_add(out, "}\n");
}

static void add_rounds(cf_text *out, const cf_record *record)
{
    const cf_rounds *const lists[CF_LIST_COUNT] = {&record->prologue, &record->warmup, &record->rounds};
    for (int list = 0; list < CF_LIST_COUNT; list++) {
        for (size_t i = 0; i < lists[list]->count; i++)
            add_round(out, record, list, &lists[list]->items[i]);
    }
}

/* The index of the process that goes on: one more than any round has. */
static int next_process(const cf_record *record)
{
    const cf_rounds *const lists[CF_LIST_COUNT] = {&record->prologue, &record->warmup, &record->rounds};
    int next = 0;
    for (int list = 0; list < CF_LIST_COUNT; list++) {
        for (size_t i = 0; i < lists[list]->count; i++) {
            if (lists[list]->items[i].process >= next && lists[list]->items[i].process < INT_MAX)
                next = lists[list]->items[i].process + 1;
        }
    }
    return next;
}

static cf_status put(const char *path, cf_text *out, bool append, cf_error *err)
{
    cf_status status;
    if (out->failed)
        status = cf_error_set(err, CF_MEMORY, "%s: out of memory", path);
    else if (!append && truncate(path, 0) != 0 && errno != ENOENT && errno != EINVAL) /* a device has no length */
        status = cf_error_set(err, CF_IO, "%s: cannot be written: %s", path, strerror(errno));
    else
        status = cf_file_append(path, out->data, out->size_bytes, err);
    cf_text_done(out);
    return status;
}

/* Cuts off a last line that has no end; ret_bytes is the size of what stays, 0 for a file that is not there. */
static cf_status drop_torn_line(const char *path, size_t *ret_bytes, cf_error *err)
{
    *ret_bytes = 0;
    if (!cf_file_exists(path))
        return CF_OK;
    char *data;
    size_t size_bytes;
    const cf_status status = cf_file_read(path, MAX_FILE_BYTES, &data, &size_bytes, err);
    if (status)
        return status;
    const char *last = memrchr(data, '\n', size_bytes);
    *ret_bytes = last ? (size_t)(last - data) + 1 : 0;
    free(data);
    if (*ret_bytes < size_bytes && truncate(path, (off_t)*ret_bytes) != 0)
        return cf_error_set(err, CF_IO, "%s: cannot be written: %s", path, strerror(errno));
    return CF_OK;
}

cf_status cf_part_begin(const char *path, const cf_record *record, bool resume, cf_error *err)
{
    size_t kept_bytes = 0;
    const cf_status status = resume ? drop_torn_line(path, &kept_bytes, err) : CF_OK;
    if (status)
        return status;
    cf_text out = {0};
    if (!kept_bytes)
        add_head(&out, record);
    if (resume && !kept_bytes)
        add_rounds(&out, record);
    if (resume)
        cf_text_add(&out, "{\"process\": %d}\n", next_process(record));
    return put(path, &out, kept_bytes > 0, err);
}

cf_status cf_part_round(const char *path, const cf_record *record, cf_part_list list, const cf_round *round,
                        cf_error *err)
{
    cf_text out = {0};
    add_round(&out, record, (int)list, round);
    return put(path, &out, true, err);
}

cf_status cf_part_proofs(const char *path, const cf_record *record, cf_error *err)
{
    cf_text out = {0};
    cf_json json = {.out = &out};
    cf_json_object_begin(&json, NULL, true);
    cf_json_object_begin(&json, "proofs", true);
    cf_json_array_begin(&json, "variants", true);
    for (int i = 0; i < record->variant_count; i++) {
        cf_json_object_begin(&json, NULL, true);
        cf_write_proof(&json, &record->variants[i]);
        if (record->metric.on)
            cf_write_ended(&json, &record->variants[i]);
        cf_json_object_end(&json);
    }
    cf_json_array_end(&json);
    cf_write_data_check(&json, record);
    cf_write_pairs(&json, "skipped", &record->skipped);
    cf_json_object_end(&json);
    cf_json_object_end(&json);
    return put(path, &out, true, err);
}

cf_status cf_part_add_steps(const char *path, const cf_part_steps *steps, cf_error *err)
{
    cf_text out = {0};
    cf_json json = {.out = &out};
    cf_json_object_begin(&json, NULL, true);
    cf_json_object_begin(&json, "steps", true);
    cf_json_string(&json, "folder", steps->folder);
    cf_json_string(&json, "host", steps->host);
    cf_json_string(&json, "boot", steps->boot);
    cf_json_int(&json, "pid", steps->pid);
    cf_json_int(&json, "start", steps->start);
    cf_json_object_end(&json);
    cf_json_object_end(&json);
    return put(path, &out, true, err);
}

static cf_status read_text(const cf_node *up, const char *key, char *ret, size_t ret_bytes)
{
    char *text = NULL;
    cf_status status = cf_node_get_string(up, key, &text);
    if (status || !text)
        return status;
    const size_t length = strlen(text);
    if (length < ret_bytes)
        memcpy(ret, text, length + 1);
    else
        status = cf_node_fail(up, "has a text of %zu bytes; at most %zu are accepted", length, ret_bytes - 1);
    free(text);
    return status;
}

/* A folder beside the part file and nowhere else: what is in it goes with the part file. */
static cf_status read_steps(const cf_node *line, cf_part_steps *ret)
{
    cf_part_steps read = {.pid = 0};
    cf_node steps;
    cf_status status = cf_node_get_object(line, "steps", &steps);
    if (!status)
        status = read_text(&steps, "folder", read.folder, sizeof read.folder);
    if (!status && (strncmp(read.folder, CF_PART_STEPS, sizeof CF_PART_STEPS - 1) != 0 || strchr(read.folder, '/')))
        status = cf_node_fail(&steps, "names another folder than " CF_PART_STEPS "… beside the part file");
    if (!status)
        status = read_text(&steps, "host", read.host, sizeof read.host);
    if (!status)
        status = read_text(&steps, "boot", read.boot, sizeof read.boot);
    if (!status)
        status = cf_node_get_int(&steps, "pid", 0, INT32_MAX, &read.pid);
    if (!status)
        status = cf_node_get_int(&steps, "start", 0, START_MAX, &read.start);
    if (!status && ret)
        *ret = read;
    return status;
}

static cf_status read_proofs(const cf_node *line, cf_record *record)
{
    cf_node proofs, variants;
    cf_status status = cf_node_get_object(line, "proofs", &proofs);
    if (!status)
        status = cf_node_get_array(&proofs, "variants", (size_t)record->variant_count, (size_t)record->variant_count,
                                   &variants);
    for (int i = 0; !status && i < record->variant_count; i++) {
        const cf_node proof = cf_node_element(&variants, (size_t)i);
        status = cf_node_object(&proof);
        if (!status)
            status = cf_read_proof(&proof, &record->variants[i]);
        if (!status && record->metric.on)
            status = cf_read_ended(&proof, &record->variants[i]);
    }
    if (!status)
        status = cf_read_data_check(&proofs, record);
    return status ? status : cf_read_skipped(&proofs, record);
}

/* Any line that is no round. `first`: the head is wanted, and only there. */
static cf_status read_other(const cf_node *line, bool first, cf_record *record, cf_part_steps *steps)
{
    if (first) {
        cf_node head;
        const cf_status status = cf_node_get_object(line, "head", &head);
        return status ? status : cf_read_head(&head, record);
    }
    if (cf_node_exists(line, "proofs"))
        return read_proofs(line, record);
    if (cf_node_exists(line, "steps"))
        return read_steps(line, steps);
    int64_t process;
    if (cf_node_exists(line, "process"))
        return cf_node_get_int(line, "process", 0, INT_MAX, &process);
    return cf_node_fail(line,
                        "is no line of a part file; prologue, warmup, rounds, proofs, process or steps is accepted");
}

/* The list of a line that is exactly one round; the round is the walk's value. -1: it is something else. */
static int round_list(cf_json_walk *walk)
{
    if (!cf_json_walk_next(walk))
        return -1;
    cf_json_walk rest = *walk;
    if (cf_json_walk_next(&rest) || rest.at != walk->json.size_bytes)
        return -1;
    for (int list = 0; list < CF_LIST_COUNT; list++) {
        if (strlen(cf_list_names[list]) == walk->key_bytes &&
            memcmp(cf_list_names[list], walk->json.text + walk->key, walk->key_bytes) == 0)
            return list;
    }
    return -1;
}

static cf_status read_line(const cf_node_doc *file, size_t at, size_t size_bytes, cf_record *record,
                           cf_part_steps *steps)
{
    const char *text = file->file.text + at;
    const bool first = at == 0;
    cf_node_doc doc = *file;
    cf_json_walk walk = cf_json_walk_begin((cf_json_text){.text = text, .size_bytes = size_bytes}, 0);
    const int list = first ? -1 : round_list(&walk);
    if (list >= 0) {
        doc.list = cf_list_names[list];
        doc.list_index = cf_record_list(record, list)->count;
        doc.value = at + walk.value;
        return cf_read_round(&doc, &walk, list, record);
    }
    json_t *json = NULL;
    doc.value = at;
    cf_status status = cf_node_load(&doc, text, size_bytes, &json);
    if (!status) {
        const cf_node line = {.doc = &doc, .json = json};
        status = read_other(&line, first, record, steps);
    }
    json_decref(json);
    return status;
}

static cf_status read_lines(const cf_node_doc *file, cf_record *record, cf_part_steps *steps)
{
    const char *text = file->file.text;
    size_t at = 0;
    cf_status status = CF_OK;
    while (!status && at < file->file.size_bytes) {
        const char *newline = memchr(text + at, '\n', file->file.size_bytes - at);
        if (!newline)
            break; /* torn by a crash */
        const size_t size_bytes = (size_t)(newline - text) - at;
        status = read_line(file, at, size_bytes, record, steps);
        at += size_bytes + 1;
    }
    if (!status && at == 0)
        return cf_error_set(file->err, CF_INPUT,
                            "%s:1: holds no whole line; a part file that begins with its head is %s", file->name,
                            "accepted");
    return status;
}

static cf_status parse(const char *name, const char *text, size_t size_bytes, cf_record *ret_record,
                       cf_part_steps *steps, cf_error *err)
{
    const cf_node_doc file = {.name = name, .file = {.text = text, .size_bytes = size_bytes}, .err = err};
    cf_record record;
    cf_record_init(&record);
    const cf_status status = read_lines(&file, &record, steps);
    if (status)
        cf_record_done(&record);
    else
        *ret_record = record;
    return status;
}

cf_status cf_part_parse(const char *name, const char *text, size_t size_bytes, cf_record *ret_record, cf_error *err)
{
    return parse(name, text, size_bytes, ret_record, NULL, err);
}

static cf_status read_file(const char *path, cf_record *ret_record, cf_part_steps *steps, cf_error *err)
{
    char *data;
    size_t size_bytes;
    cf_status status = cf_file_read(path, MAX_FILE_BYTES, &data, &size_bytes, err);
    if (status)
        return status;
    status = parse(path, data, size_bytes, ret_record, steps, err);
    free(data);
    return status;
}

cf_status cf_part_read(const char *path, cf_record *ret_record, cf_error *err)
{
    return read_file(path, ret_record, NULL, err);
}

cf_status cf_part_read_steps(const char *path, cf_record *ret_record, cf_part_steps *ret, cf_error *err)
{
    cf_part_steps steps = {.pid = 0};
    const cf_status status = read_file(path, ret_record, &steps, err);
    if (!status)
        *ret = steps;
    return status;
}
