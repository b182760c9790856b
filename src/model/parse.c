#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/keys.h"

#define WHERE_BYTES 320
#define LIST_BYTES  400

typedef struct reading {
    const cf_ini *ini;
    cf_model *model;
    cf_error *err;
    bool opened[CF_MODEL_MAX_ENGINES]; /* the engine's header was seen */
} reading;

static cf_status fail(const reading *r, const cf_ini_item *item, const char *fmt, ...) CF_PRINTF(3, 4);

static cf_status fail(const reading *r, const cf_ini_item *item, const char *fmt, ...)
{
    char where[WHERE_BYTES], text[640];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return cf_error_set(r->err, CF_INPUT, "%s%s", cf_ini_where(r->ini, item, where, sizeof where), text);
}

/* Length of the first word of a section's name, and what follows the blank ("" if nothing does). */
static size_t split(const char *section, const char **ret_subject)
{
    const size_t length = strcspn(section, " ");
    *ret_subject = section + length + (section[length] == ' ');
    return length;
}

static bool has_word(const cf_model_section *s, const char *section, size_t length)
{
    return strlen(s->word) == length && memcmp(s->word, section, length) == 0;
}

bool cf_model_owns_section(const char *section)
{
    const char *subject;
    const size_t length = split(section, &subject);
    for (const cf_model_section *s = cf_model_sections; s->word; s++) {
        if (has_word(s, section, length))
            return true;
    }
    return false;
}

/* "[engine NAME]" and its like, for messages. */
static const char *section_list(char *buf, size_t buf_bytes)
{
    char texts[16][32];
    const char *names[17] = {NULL};
    for (size_t i = 0; i < 16 && cf_model_sections[i].word; i++) {
        const cf_model_section *s = &cf_model_sections[i];
        snprintf(texts[i], sizeof texts[i], "[%s%s%s]", s->word, s->subject[0] ? " " : "", s->subject);
        names[i] = texts[i];
    }
    return cf_text_list(names, buf, buf_bytes);
}

static cf_status unknown_section(const reading *r, const cf_ini_item *item)
{
    const char *words[16] = {NULL};
    for (size_t i = 0; i < 15 && cf_model_sections[i].word; i++)
        words[i] = cf_model_sections[i].word;
    char word[64], list[LIST_BYTES];
    const char *subject;
    const size_t length = split(item->section, &subject);
    snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), item->section);
    const char *near = cf_text_nearest(words, word);
    const bool misspelt = near && strcmp(near, word) != 0;
    return fail(r, item, "a model has no section [%s]%s%s%s; accepted: %s", item->section,
                misspelt ? ", did you mean '" : "", misspelt ? near : "", misspelt ? "'?" : "",
                section_list(list, sizeof list));
}

static bool is_engine_name(const char *name)
{
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return length > 0 && !name[length] && length < CF_MODEL_NAME_BYTES && strcmp(name, "own") != 0 &&
           strcmp(name, "none") != 0;
}

/* The section's description, and the engine or event that it speaks of. NULL: it is not a model's, and err says so. */
static const cf_model_section *find_section(const reading *r, const cf_ini_item *item, const char **ret_subject)
{
    const size_t length = split(item->section, ret_subject);
    if (!item->section[0]) {
        (void)fail(r, item, "'%s' stands before the first section; accepted: [model] or [engine NAME] first",
                   item->key ? item->key : "");
        return NULL;
    }
    for (const cf_model_section *s = cf_model_sections; s->word; s++) {
        if (!has_word(s, item->section, length))
            continue;
        if (s->engine && !is_engine_name(*ret_subject)) {
            (void)fail(r, item,
                       "[%s] needs an engine's name; accepted: 1 to 47 letters, digits, '-' or '_', but not 'own' or "
                       "'none'",
                       item->section);
            return NULL;
        }
        if (s->engine || strcmp(s->subject, *ret_subject) == 0)
            return s;
    }
    (void)unknown_section(r, item);
    return NULL;
}

static cf_status add_engine(reading *r, const cf_ini_item *item, const char *name)
{
    cf_model *model = r->model;
    int index = cf_model_engine_named(model, name);
    if (index >= 0 && !item->key && r->opened[index])
        return fail(r, item, "engine '%s' is described twice; accepted: each engine once", name);
    if (index < 0) {
        if (model->engine_count == CF_MODEL_MAX_ENGINES)
            return fail(r, item, "too many engines; at most %d are accepted", CF_MODEL_MAX_ENGINES);
        index = (int)model->engine_count++;
        model->engines[index] = (cf_model_engine){.ready = true, .width = 1, .stamp_rate = 1.0};
        snprintf(model->engines[index].name, CF_MODEL_NAME_BYTES, "%s", name);
    }
    r->opened[index] = r->opened[index] || !item->key;
    return CF_OK;
}

/* Engines first: an event, a clock or a fault may name an engine that the file describes further down. */
static cf_status read_engines(reading *r)
{
    for (size_t i = 0; i < r->ini->count; i++) {
        const cf_ini_item *item = &r->ini->items[i];
        const char *subject;
        const cf_model_section *section = find_section(r, item, &subject);
        if (!section)
            return CF_INPUT;
        if (strcmp(section->word, "engine") != 0)
            continue;
        const cf_status status = add_engine(r, item, subject);
        if (status)
            return status;
    }
    return CF_OK;
}

static cf_status unknown_key(const reading *r, const cf_ini_item *item, const cf_model_section *section)
{
    const char *names[CF_MODEL_MAX_KEYS + 1] = {NULL};
    for (size_t i = 0; i < CF_MODEL_MAX_KEYS && section->keys[i].name; i++)
        names[i] = section->keys[i].name;
    char list[LIST_BYTES];
    const char *near = cf_text_nearest(names, item->key);
    return fail(r, item, "[%s] has no key '%s'%s%s%s; accepted: %s", item->section, item->key,
                near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "",
                cf_text_list(names, list, sizeof list));
}

static cf_status find_base(const reading *r, const cf_ini_item *item, const cf_model_section *section,
                           const char *subject, void **ret_base)
{
    cf_model *model = r->model;
    if (section->base == CF_BASE_EVENT)
        *ret_base = &model->events[cf_text_find(cf_event_names, subject)];
    if (section->base != CF_BASE_ENGINE)
        return CF_OK;
    const int engine = cf_model_engine_named(model, subject);
    if (engine < 0) {
        const char *names[CF_MODEL_MAX_ENGINES + 1] = {NULL};
        for (size_t i = 0; i < model->engine_count; i++)
            names[i] = model->engines[i].name;
        char list[LIST_BYTES];
        return fail(r, item, "no engine is called '%s'; accepted: %s", subject,
                    model->engine_count ? cf_text_list(names, list, sizeof list) : "an engine with a section");
    }
    *ret_base = &model->engines[engine];
    return CF_OK;
}

static cf_status read_item(reading *r, const cf_ini_item *item)
{
    const char *subject;
    void *base = r->model;
    const cf_model_section *section = find_section(r, item, &subject);
    if (!section)
        return CF_INPUT;
    cf_status status = find_base(r, item, section, subject, &base);
    if (status || !item->key)
        return status;
    for (size_t i = 0; i < CF_MODEL_MAX_KEYS && section->keys[i].name; i++) {
        const cf_model_key *key = &section->keys[i];
        if (strcmp(key->name, item->key) != 0)
            continue;
        status = cf_model_key_read(key, r->model, item->value, base);
        if (status == CF_MEMORY)
            return cf_error_set(r->err, CF_MEMORY, "%s: out of memory", r->ini->name);
        char accepted[LIST_BYTES];
        return status == CF_OK ? CF_OK
                               : fail(r, item, "%s = '%.80s' is not right; accepted: %s", item->key, item->value,
                                      cf_model_key_accepts(key, r->model, accepted, sizeof accepted));
    }
    return unknown_key(r, item, section);
}

/* A model without a name of its own is called as its file is. */
static void name_from_file(cf_model *model, const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : file;
    size_t length = strlen(base);
    if (length > 4 && strcmp(base + length - 4, ".ini") == 0)
        length -= 4;
    snprintf(model->name, sizeof model->name, "%.*s", (int)(length < 47 ? length : 47), base);
}

static cf_status finish(reading *r)
{
    cf_model *model = r->model;
    cf_model_noise *noise = &model->noise;
    if (!model->engine_count) {
        const cf_ini_item top = {.section = (char *)"", .line = r->ini->count ? r->ini->items[0].line : 1};
        return fail(r, &top, "the model has no engine; accepted: at least one [engine NAME]");
    }
    if (!model->name[0])
        name_from_file(model, r->ini->name);
    noise->on = noise->iid > 0 || noise->ar > 0 || noise->spike_probability > 0 || noise->drift < 0 || noise->drift > 0;
    return CF_OK;
}

cf_status cf_model_from_ini(const cf_ini *ini, cf_model *ret_model, cf_error *err)
{
    cf_model model = {.contention_p = 1,
                      .contention_q = 1,
                      .events = {{.engine = -1}, {.engine = -1}},
                      .noise = {.spike_factor = 1.0},
                      .fault = {.stall_engine = -1}};
    reading r = {.ini = ini, .model = &model, .err = err};
    cf_status status = read_engines(&r);
    for (size_t i = 0; !status && i < ini->count; i++)
        status = read_item(&r, &ini->items[i]);
    if (!status)
        status = finish(&r);
    if (status)
        cf_model_done(&model);
    else
        *ret_model = model;
    return status;
}

/* The comment on the first line stands in for `about`. NULL where there is none, or out of memory. */
static char *leading_comment(const char *text, size_t size_bytes)
{
    if (!size_bytes || (text[0] != ';' && text[0] != '#'))
        return NULL;
    const char *end = memchr(text, '\n', size_bytes);
    size_t length = end ? (size_t)(end - text) : size_bytes;
    size_t begin = 0;
    while (begin < length && strchr(";# \t", text[begin]))
        begin++;
    while (length > begin && strchr(" \t\r", text[length - 1]))
        length--;
    char line[256], safe[256];
    snprintf(line, sizeof line, "%.*s", (int)(length - begin < 200 ? length - begin : 200), text + begin);
    return length == begin ? NULL : cf_text_dup(cf_text_safe(line, safe, sizeof safe));
}

cf_status cf_model_parse(const char *name, const char *text, size_t size_bytes, cf_model *ret_model, cf_error *err)
{
    cf_ini ini;
    cf_status status = cf_ini_parse(name, text, size_bytes, &ini, err);
    if (status)
        return status;
    cf_model model;
    status = cf_model_from_ini(&ini, &model, err);
    cf_ini_done(&ini);
    if (status)
        return status;
    if (!model.about)
        model.about = leading_comment(text, size_bytes);
    *ret_model = model;
    return CF_OK;
}
