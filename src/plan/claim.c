/* From a file's bytes to a claim. */
#include "plan/claim.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/place.h"

const char *const cf_plan_status_names[] = {
#define X(name, text) text,
    CF_PLAN_STATUS_TABLE(X)
#undef X
        NULL};
const char *const cf_plan_about_names[] = {
#define X(name, text) text,
    CF_PLAN_ABOUT_TABLE(X)
#undef X
        NULL};
const char *const cf_plan_reading_names[] = {
#define X(name, text) text,
    CF_READING_TABLE(X)
#undef X
        [CF_PLAN_SLOWER] = "slower",
    [CF_PLAN_FASTER] = "faster", [CF_PLAN_SAME] = "same", [CF_PLAN_VERDICT_COUNT] = NULL};

typedef struct form {
    cf_plan_claim *claim;
    int *line;
    cf_error *err;
} form;

/* The first line of the file is the fence, so line n of the front matter is line n + 1 of the file. */
static int file_line(const cf_yaml_node *node)
{
    return node ? node->line + 1 : 1;
}

static cf_status wrong(const form *f, const cf_yaml_node *node, const char *fmt, ...) CF_PRINTF(3, 4);
static cf_status wrong(const form *f, const cf_yaml_node *node, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (node)
        *f->line = file_line(node);
    return cf_error_set(f->err, CF_INPUT, "%s", text);
}

static int key_line(const form *f, const cf_yaml_node *value)
{
    const cf_yaml_node *root = f->claim->root;
    for (size_t i = 0; value && i + 1 < root->count; i += 2) {
        if (root->items[i + 1] == value)
            return file_line(root->items[i]);
    }
    return 1;
}

static const cf_yaml_node *get(const form *f, const char *key)
{
    return cf_yaml_get(f->claim->root, key);
}

/* A text of at most max_bytes that has to be there. */
static cf_status need_text(const form *f, const cf_yaml_node *node, const char *key, size_t max_bytes,
                           const char **ret_text)
{
    const char *text = cf_yaml_text(node);
    if (!text || !text[strspn(text, " \t\r\n")])
        return wrong(f, node, "'%s' is missing or empty", key);
    if (strlen(text) > max_bytes)
        return wrong(f, node, "'%s' is longer than %zu bytes", key, max_bytes);
    *ret_text = text;
    return CF_OK;
}

static cf_status need_word(const form *f, const char *key, const char *const *words, int *ret_index, int *ret_line)
{
    const cf_yaml_node *node = get(f, key);
    const char *text = NULL;
    cf_status status = need_text(f, node, key, CF_PLAN_MAX_SENTENCE, &text);
    if (status)
        return status;
    *ret_index = cf_text_find(words, text);
    if (ret_line)
        *ret_line = file_line(node);
    char list[128];
    return *ret_index >= 0 ? CF_OK
                           : wrong(f, node, "'%s: %.60s' is not %s", key, text, cf_text_list(words, list, sizeof list));
}

static cf_status need_date(const form *f, const cf_yaml_node *node, const char *key, const char **ret_date)
{
    cf_status status = need_text(f, node, key, CF_PLAN_MAX_SENTENCE, ret_date);
    if (!status && !cf_plan_is_date(*ret_date))
        status = wrong(f, node, "'%s: %.40s' is not a day such as 2026-01-31", key, *ret_date);
    return status;
}

static bool is_sha256(const char *text)
{
    return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static cf_status need_file(const form *f, const cf_yaml_node *node, const char **ret_path, const char **ret_sha256)
{
    cf_status status = need_text(f, cf_yaml_get(node, "path"), "path", CF_PLAN_MAX_PATH, ret_path);
    if (!status)
        status = need_text(f, cf_yaml_get(node, "sha256"), "sha256", CF_PLAN_MAX_SENTENCE, ret_sha256);
    const char *why = status ? NULL : cf_plan_place_why_not(*ret_path);
    if (why)
        return wrong(f, cf_yaml_get(node, "path"), "'path: %.200s': %s", *ret_path, why);
    if (!status && !is_sha256(*ret_sha256))
        return wrong(f, cf_yaml_get(node, "sha256"), "'sha256' is 64 digits of 0-9 and a-f");
    return status;
}

/* The number of items in a list of mappings; NULL or null = none. */
static cf_status count_list(const form *f, const cf_yaml_node *node, const char *key, size_t *ret_count)
{
    *ret_count = 0;
    if (!node || cf_yaml_is_null(node))
        return CF_OK;
    if (node->kind != CF_YAML_SEQUENCE)
        return wrong(f, node, "'%s' is a list", key);
    for (size_t i = 0; i < node->count; i++) {
        if (node->items[i]->kind != CF_YAML_MAPPING)
            return wrong(f, node->items[i], "an item of '%s' is keys and values", key);
    }
    *ret_count = node->count;
    return CF_OK;
}

static cf_status no_memory(const form *f)
{
    return cf_error_set(f->err, CF_MEMORY, "out of memory");
}

static cf_status read_evidence(const form *f, const cf_yaml_node *node, cf_plan_evidence *ret_evidence)
{
    static const char *const kinds[] = {"record", "trace", NULL};
    const cf_yaml_node *kind = cf_yaml_get(node, "kind");
    const char *word = NULL;
    cf_status status = need_text(f, kind, "kind", CF_PLAN_MAX_SENTENCE, &word);
    if (!status && cf_text_find(kinds, word) < 0)
        status = wrong(f, kind, "'kind: %.40s' is not record or trace", word);
    if (!status)
        status = need_file(f, node, &ret_evidence->path, &ret_evidence->sha256);
    if (status)
        return status;
    ret_evidence->is_trace = !strcmp(word, "trace");
    ret_evidence->variant = cf_yaml_text(cf_yaml_get(node, "variant"));
    if (!ret_evidence->is_trace && !ret_evidence->variant)
        ret_evidence->variant = "none";
    ret_evidence->line = file_line(node);
    return CF_OK;
}

static cf_status read_all_evidence(const form *f)
{
    cf_plan_claim *claim = f->claim;
    const cf_yaml_node *node = get(f, "evidence");
    size_t count = 0;
    cf_status status = count_list(f, node, "evidence", &count);
    if (status || !count)
        return status;
    claim->evidence = calloc(count, sizeof *claim->evidence);
    if (!claim->evidence)
        return no_memory(f);
    claim->evidence_count = count;
    for (size_t i = 0; !status && i < count; i++)
        status = read_evidence(f, node->items[i], &claim->evidence[i]);
    return status;
}

static cf_status read_one_work(const form *f, const cf_yaml_node *item, cf_plan_work *ret_work)
{
    ret_work->line = file_line(item);
    ret_work->state = cf_yaml_text(cf_yaml_get(item, "state"));
    cf_status status = need_text(f, cf_yaml_get(item, "what"), "what", CF_PLAN_MAX_SENTENCE, &ret_work->what);
    return status ? status : need_date(f, cf_yaml_get(item, "since"), "since", &ret_work->since);
}

static cf_status read_work(const form *f)
{
    cf_plan_claim *claim = f->claim;
    const cf_yaml_node *node = get(f, "work");
    size_t count = 0;
    cf_status status = count_list(f, node, "work", &count);
    if (status || !count)
        return status;
    claim->work = calloc(count, sizeof *claim->work);
    if (!claim->work)
        return no_memory(f);
    claim->work_count = count;
    for (size_t i = 0; !status && i < count; i++)
        status = read_one_work(f, node->items[i], &claim->work[i]);
    return status;
}

static cf_status read_fates(const form *f, const cf_yaml_node *node, cf_plan_retraction *retraction)
{
    size_t count = 0;
    cf_status status = count_list(f, node, "work", &count);
    if (status || !count)
        return status;
    retraction->fates = calloc(count, sizeof *retraction->fates);
    if (!retraction->fates)
        return no_memory(f);
    retraction->fate_count = count;
    for (size_t i = 0; !status && i < count; i++) {
        cf_plan_fate *fate = &retraction->fates[i];
        fate->line = file_line(node->items[i]);
        fate->became = cf_yaml_text(cf_yaml_get(node->items[i], "became"));
        status = need_text(f, cf_yaml_get(node->items[i], "what"), "what", CF_PLAN_MAX_SENTENCE, &fate->what);
    }
    return status;
}

/* A retraction that is half there is read: what it lacks is the gate's to say. */
static cf_status read_retraction(const form *f)
{
    const cf_yaml_node *node = get(f, "retraction");
    cf_plan_retraction *retraction = &f->claim->retraction;
    if (!node || cf_yaml_is_null(node))
        return CF_OK;
    if (node->kind != CF_YAML_MAPPING)
        return wrong(f, node, "'retraction' is keys and values");
    const cf_yaml_node *overturned = cf_yaml_get(node, "overturned-by"), *date = cf_yaml_get(node, "date");
    retraction->present = true;
    retraction->line = key_line(f, node);
    retraction->earlier_verdict = cf_yaml_text(cf_yaml_get(node, "earlier-verdict"));
    retraction->because = cf_yaml_text(cf_yaml_get(node, "because"));
    cf_status status = CF_OK;
    if (!cf_yaml_is_null(date))
        status = need_date(f, date, "date", &retraction->date);
    if (!status && !cf_yaml_is_null(overturned))
        status = need_file(f, overturned, &retraction->path, &retraction->sha256);
    return status ? status : read_fates(f, cf_yaml_get(node, "work"), retraction);
}

/* `simulated`, or a mapping of device, driver and simulated. */
static cf_status read_scope(const form *f)
{
    const cf_yaml_node *node = get(f, "scope");
    cf_plan_scope *scope = &f->claim->scope;
    scope->line = node ? key_line(f, node) : f->claim->status_line;
    if (!node || cf_yaml_is_null(node))
        return CF_OK;
    if (node->kind == CF_YAML_SEQUENCE)
        return wrong(f, node, "'scope' is 'simulated', or keys and values: device, driver");
    if (node->kind == CF_YAML_SCALAR) {
        scope->simulated = !strcmp(node->text, "simulated");
        scope->device = scope->simulated ? NULL : node->text;
        return CF_OK;
    }
    const cf_yaml_node *simulated = cf_yaml_get(node, "simulated");
    scope->device = cf_yaml_text(cf_yaml_get(node, "device"));
    scope->driver = cf_yaml_text(cf_yaml_get(node, "driver"));
    if (cf_yaml_is_null(simulated))
        return CF_OK;
    if (!cf_yaml_text(simulated) || !cf_text_parse_bool(cf_yaml_text(simulated), &scope->simulated))
        return wrong(f, simulated, "'simulated' is true or false");
    return CF_OK;
}

/* Lanes in any other form are a person's own words, which nothing is held against. */
static void read_lanes(const form *f)
{
    const cf_yaml_node *node = get(f, "lanes");
    f->claim->lanes[0] = cf_yaml_text(cf_yaml_get(node, "a"));
    f->claim->lanes[1] = cf_yaml_text(cf_yaml_get(node, "b"));
    f->claim->lanes_line = node ? key_line(f, node) : f->claim->status_line;
}

static cf_status read_id(const form *f)
{
    const cf_yaml_node *node = get(f, "id");
    cf_status status = need_text(f, node, "id", CF_PLAN_MAX_ID, &f->claim->id);
    static const char accepted[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    if (!status && strspn(f->claim->id, accepted) != strlen(f->claim->id))
        status = wrong(f, node, "'id' is made of letters, digits, '-', '_' and '.'");
    return status;
}

static cf_status read_keys(const form *f)
{
    cf_plan_claim *claim = f->claim;
    int about = 0, status_word = 0, verdict = 0;
    cf_status status = read_id(f);
    if (!status)
        status = need_text(f, get(f, "claim"), "claim", CF_PLAN_MAX_SENTENCE, &claim->sentence);
    claim->sentence_line = file_line(get(f, "claim"));
    if (!status)
        status = need_word(f, "about", cf_plan_about_names, &about, NULL);
    if (!status)
        status = need_word(f, "status", cf_plan_status_names, &status_word, &claim->status_line);
    if (!status)
        status = need_word(f, "verdict", cf_plan_reading_names, &verdict, &claim->verdict_line);
    claim->about = (cf_plan_about)about;
    claim->status = (cf_plan_status)status_word;
    claim->verdict = verdict;
    claim->superseded_by = cf_yaml_text(get(f, "superseded-by"));
    read_lanes(f);
    if (!status)
        status = read_scope(f);
    if (!status)
        status = read_all_evidence(f);
    if (!status)
        status = read_work(f);
    return status ? status : read_retraction(f);
}

/* Length of the line at text, its end included; 0 at the end of the text. */
static size_t line_length(const char *text, size_t left)
{
    const char *end = memchr(text, '\n', left);
    return end ? (size_t)(end - text) + 1 : left;
}

static bool is_fence(const char *text, size_t length)
{
    while (length > 3 && strchr("\r\n \t", text[length - 1]))
        length--;
    return length == 3 && !memcmp(text, "---", 3);
}

bool cf_plan_claim_has_matter(const char *text, size_t size_bytes)
{
    return size_bytes && is_fence(text, line_length(text, size_bytes));
}

/* Finds what is between the first line "---" and the next. */
static bool find_matter(cf_plan_claim *claim)
{
    if (!cf_plan_claim_has_matter(claim->text, claim->size_bytes))
        return false;
    size_t first = line_length(claim->text, claim->size_bytes), at = first;
    claim->crlf = first > 1 && claim->text[first - 2] == '\r';
    while (at < claim->size_bytes) {
        size_t length = line_length(claim->text + at, claim->size_bytes - at);
        if (is_fence(claim->text + at, length)) {
            claim->matter_at = first;
            claim->matter_bytes = at - first;
            return true;
        }
        at += length;
    }
    return false;
}

static cf_status parse_claim(cf_plan_claim *claim, int *ret_line, cf_error *err)
{
    *ret_line = 1;
    if (claim->size_bytes > CF_PLAN_MAX_CLAIM)
        return cf_error_set(err, CF_INPUT, "a claim of more than %zu bytes", CF_PLAN_MAX_CLAIM);
    if (!find_matter(claim))
        return cf_error_set(err, CF_INPUT,
                            "no front matter: a claim begins with a line '---', its keys and a line '---'");
    cf_status status = cf_yaml_parse(claim->text + claim->matter_at, claim->matter_bytes, &claim->root, ret_line, err);
    if (status) {
        ++*ret_line;
        return status;
    }
    *ret_line = 1;
    form f = {.claim = claim, .line = ret_line, .err = err};
    return read_keys(&f);
}

cf_status cf_plan_claim_parse(const char *path, const char *text, size_t size_bytes, cf_plan_claim *ret_claim,
                              int *ret_line, cf_error *err)
{
    *ret_claim = (cf_plan_claim){.path = cf_text_dup(path), .text = malloc(size_bytes + 1), .size_bytes = size_bytes};
    *ret_line = 1;
    if (!ret_claim->path || !ret_claim->text)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    memcpy(ret_claim->text, text, size_bytes);
    ret_claim->text[size_bytes] = '\0';
    return parse_claim(ret_claim, ret_line, err);
}

void cf_plan_claim_done(cf_plan_claim *claim)
{
    if (!claim)
        return;
    free(claim->path);
    free(claim->text);
    cf_yaml_free(claim->root);
    free(claim->evidence);
    free(claim->work);
    free(claim->retraction.fates);
    *claim = (cf_plan_claim){0};
}
