#include "plan/attach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "plan/escape.h"

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

cf_status cf_plan_named_file(cf_plan *plan, const char *given, bool as_record, const cf_plan_record **ret_file,
                             cf_error *err)
{
    char *path = NULL;
    cf_status status = cf_plan_place_name(&plan->place, given, &path, err);
    if (status)
        return status;
    const char *why = cf_plan_place_why_not(path);
    if (why)
        status = cf_error_set(err, CF_INPUT, "%s: %s", given, path[0] ? why : "it is a folder");
    if (!status)
        status = cf_plan_records_get(&plan->records, path, as_record, ret_file, err);
    free(path);
    if (status || !(*ret_file)->why[0])
        return status;
    return cf_error_set(err, CF_INPUT, "%s: %s%s", given,
                        (*ret_file)->found == CF_PLAN_FOUND ? "it is no record: " : "", (*ret_file)->why);
}

cf_status cf_plan_named_variant(const cf_plan_record *record, const char *variant,
                                const cf_variant_judgement **ret_judged, cf_error *err)
{
    *ret_judged = cf_plan_record_variant(record, variant, NULL);
    if (*ret_judged)
        return CF_OK;
    const char *names[CF_MAX_VARIANTS + 1] = {NULL};
    char list[512];
    for (int i = 0; i < record->record.variant_count && i < CF_MAX_VARIANTS; i++)
        names[i] = record->record.variants[i].name;
    return cf_error_set(err, CF_INPUT, "%s has no variant '%s'; it has %s", record->path, variant,
                        cf_text_list(names, list, sizeof list));
}

/* A mapping of words, values NULL = left out; NULL out of memory. */
static cf_yaml_node *mapping_of(const char *const (*pairs)[2], size_t count)
{
    cf_yaml_node *node = cf_yaml_mapping();
    for (size_t i = 0; node && i < count; i++) {
        if (pairs[i][1] && cf_yaml_put(node, pairs[i][0], cf_yaml_word(pairs[i][1]), NULL)) {
            cf_yaml_free(node);
            return NULL;
        }
    }
    return node;
}

#define MAPPING_OF(pairs) mapping_of(pairs, sizeof(pairs) / sizeof(pairs)[0])

cf_yaml_node *cf_plan_evidence_node(const cf_plan_record *file, bool is_trace, const char *variant)
{
    const char *const pairs[][2] = {{"kind", is_trace ? "trace" : "record"},
                                    {"path", file->path},
                                    {"sha256", file->sha256},
                                    {"variant", is_trace ? NULL : variant}};
    return MAPPING_OF(pairs);
}

cf_yaml_node *cf_plan_file_node(const cf_plan_record *file)
{
    const char *const pairs[][2] = {{"path", file->path}, {"sha256", file->sha256}};
    return MAPPING_OF(pairs);
}

cf_yaml_node *cf_plan_scope_node(const cf_plan_record *record)
{
    const char *const pairs[][2] = {{"device", record->record.device_name}, {"driver", record->record.driver}};
    cf_yaml_node *node = MAPPING_OF(pairs);
    if (node && record->record.simulated && cf_yaml_put(node, "simulated", cf_yaml_plain("true"), NULL)) {
        cf_yaml_free(node);
        return NULL;
    }
    return node;
}

/* Of a whole program its command line stands in the place of lane a. */
static cf_yaml_node *program_node(const cf_plan_record *record)
{
    char *line = cf_plan_program(&record->record);
    cf_yaml_node *node = line ? cf_yaml_mapping() : NULL;
    if (node && cf_yaml_put(node, "a", cf_yaml_word(line), NULL)) {
        cf_yaml_free(node);
        node = NULL;
    }
    free(line);
    return node;
}

cf_yaml_node *cf_plan_lanes_node(const cf_plan_record *record)
{
    if (record->judgement.metric)
        return program_node(record);
    static const char *const keys[] = {"a", "b"};
    cf_yaml_node *node = cf_yaml_mapping();
    for (int lane = 0; node && lane < 2; lane++) {
        const cf_record_lane *facts = &record->record.job.lane[lane];
        char *text = cf_text_format("%lld x %s", (long long)facts->count, cf_record_lane_what(facts));
        bool failed = !text || cf_yaml_put(node, keys[lane], cf_yaml_word(text), NULL);
        free(text);
        if (failed) {
            cf_yaml_free(node);
            return NULL;
        }
    }
    return node;
}

cf_yaml_node *cf_plan_work_node(const char *what, const char *since)
{
    cf_yaml_node *node = cf_yaml_mapping();
    bool ok = node && !cf_yaml_put(node, "what", cf_yaml_prose(what), NULL) &&
              !cf_yaml_put(node, "since", cf_yaml_plain(since), NULL) &&
              !cf_yaml_put(node, "state", cf_yaml_plain("begun"), NULL);
    if (ok)
        return node;
    cf_yaml_free(node);
    return NULL;
}

cf_status cf_plan_append(cf_plan_claim *claim, const char *key, cf_yaml_node *item, cf_error *err)
{
    cf_yaml_node *list = cf_yaml_get(claim->root, key);
    if (!cf_yaml_is_null(list)) {
        if (list->count == 0)
            list->style = 0; /* "[]" becomes lines */
        cf_status status = cf_yaml_push(list, item, err);
        return status ? status : cf_plan_claim_rewrite(claim, key, err);
    }
    cf_yaml_node *fresh = cf_yaml_sequence();
    if (!fresh) {
        cf_yaml_free(item);
        return no_memory(err);
    }
    cf_status status = cf_yaml_push(fresh, item, err);
    if (status) {
        cf_yaml_free(fresh);
        return status;
    }
    return cf_plan_claim_set(claim, key, fresh, err);
}

/* ---- a record into a claim
 * ------------------------------------------------------------------------------------------- */

static void note_simulated(const cf_plan_record *record, cf_plan_outcome *outcome)
{
    cf_text_add(&outcome->notes,
                "%s is of a simulated device: the claim's scope says so, and it holds for nothing else\n",
                record->path);
}

/* A scope that names a device or a driver stays as it is, and a simulated record makes no claim about a real device
   simulated. */
static cf_status set_scope(cf_plan_claim *claim, const cf_plan_record *record, cf_plan_outcome *outcome, cf_error *err)
{
    const cf_plan_scope *scope = &claim->scope;
    if (scope->device || scope->driver || (scope->simulated && !record->record.simulated))
        return CF_OK;
    if (!scope->simulated && record->record.simulated)
        note_simulated(record, outcome);
    return cf_plan_claim_set(claim, "scope", cf_plan_scope_node(record), err);
}

static cf_status is_there(const cf_plan_claim *claim, const cf_plan_record *record, bool *ret_there, cf_error *err)
{
    *ret_there = false;
    for (size_t i = 0; i < claim->evidence_count; i++) {
        const cf_plan_evidence *evidence = &claim->evidence[i];
        if (strcmp(evidence->path, record->path) != 0)
            continue;
        if (strcmp(evidence->sha256, record->sha256) != 0)
            return cf_error_set(err, CF_INPUT,
                                "%s: the claim already names this file with another SHA-256; give the "
                                "new record a name of its own",
                                record->path);
        *ret_there = !evidence->is_trace;
    }
    return CF_OK;
}

cf_status cf_plan_attach(cf_plan_claim *claim, const cf_plan_record *record, const char *variant,
                         cf_plan_outcome *outcome, cf_error *err)
{
    const cf_variant_judgement *judged = NULL;
    bool there = false;
    cf_status status = cf_plan_named_variant(record, variant, &judged, err);
    if (!status)
        status = is_there(claim, record, &there, err);
    if (!status && !there)
        status = cf_plan_append(claim, "evidence", cf_plan_evidence_node(record, false, variant), err);
    if (!status && cf_yaml_is_null(cf_yaml_get(claim->root, "lanes")))
        status = cf_plan_claim_set(claim, "lanes", cf_plan_lanes_node(record), err);
    return status ? status : set_scope(claim, record, outcome, err);
}

/* ---- what is written
 * ------------------------------------------------------------------------------------------------- */

cf_status cf_plan_check_sentence(const char *what, const char *text, size_t max_bytes, cf_error *err)
{
    uint32_t code = 0;
    size_t length = 0;
    for (const char *at = text; *at; at += length) {
        length = cf_utf8_decode(at, &code);
        if (!length)
            return cf_error_set(err, CF_INPUT, "%s: it is not valid UTF-8", what);
    }
    if (!text[strspn(text, " \t\r\n")])
        return cf_error_set(err, CF_INPUT, "%s: it is empty", what);
    if (strlen(text) > max_bytes)
        return cf_error_set(err, CF_INPUT,
                            "%s: it is longer than %zu bytes; the file has room for more, below its front "
                            "matter",
                            what, max_bytes);
    return CF_OK;
}

cf_status cf_plan_day(const char *option, const char *given, char ret_date[CF_PLAN_DATE_BYTES], cf_error *err)
{
    char today[CF_PLAN_DATE_BYTES];
    cf_status status = cf_plan_today(today, err);
    if (status)
        return status;
    if (!given)
        given = today;
    if (!cf_plan_is_date(given))
        return cf_error_set(err, CF_INPUT, "%s: '%s' is not a day such as 2026-01-31", option, given);
    if (strcmp(given, today) > 0)
        return cf_error_set(err, CF_INPUT, "%s: %s is yet to come; today is %s (UTC)", option, given, today);
    snprintf(ret_date, CF_PLAN_DATE_BYTES, "%s", given);
    return CF_OK;
}

cf_status cf_plan_save(cf_plan *plan, const cf_plan_claim *claim, cf_plan_outcome *outcome, cf_error *err)
{
    outcome->path = cf_text_dup(claim->path);
    if (!outcome->path)
        return no_memory(err);
    cf_status status = cf_plan_place_write(&plan->place, claim->path, claim->text, claim->size_bytes, err);
    return status ? status : cf_plan_index_update(plan, err);
}
