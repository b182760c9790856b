/* The writer: nodes made here, and nodes that were read, by libyaml's emitter. */
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/utf8.h"
#include "plan/yaml.h"

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

static cf_yaml_node *scalar(const char *text, yaml_scalar_style_t style)
{
    cf_yaml_node *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    *node = (cf_yaml_node){.kind = CF_YAML_SCALAR, .style = (int)style, .text = cf_text_dup(text)};
    if (node->text)
        return node;
    free(node);
    return NULL;
}

cf_yaml_node *cf_yaml_plain(const char *text)
{
    return scalar(text ? text : "null", YAML_PLAIN_SCALAR_STYLE);
}

cf_yaml_node *cf_yaml_prose(const char *text)
{
    return scalar(text, YAML_DOUBLE_QUOTED_SCALAR_STYLE);
}

/* No number, date, boolean or null in any YAML version: made of harmless characters, with a letter that is in no number
   among them. */
static bool is_text_to_all(const char *text)
{
    static const char *const reserved[] = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"};
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+-";
    if (strspn(text, harmless) != strlen(text) || !strpbrk(text, "abcdfghijklmnpqrstuvwyzABCDFGHIJKLMNPQRSTUVWYZ"))
        return false;
    if (strchr("._/+-", text[0]))
        return false;
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (!strcasecmp(text, reserved[i]))
            return false;
    }
    return true;
}

cf_yaml_node *cf_yaml_word(const char *text)
{
    return is_text_to_all(text) ? cf_yaml_plain(text) : cf_yaml_prose(text);
}

static cf_yaml_node *container(cf_yaml_kind kind)
{
    cf_yaml_node *node = calloc(1, sizeof *node);
    if (node)
        node->kind = kind;
    return node;
}

cf_yaml_node *cf_yaml_mapping(void)
{
    return container(CF_YAML_MAPPING);
}

cf_yaml_node *cf_yaml_sequence(void)
{
    return container(CF_YAML_SEQUENCE);
}

cf_status cf_yaml_push(cf_yaml_node *sequence, cf_yaml_node *value, cf_error *err)
{
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers is meant */
    cf_yaml_node **items = value ? realloc(sequence->items, (sequence->count + 2) * sizeof *items) : NULL;
    if (!items) {
        cf_yaml_free(value);
        return no_memory(err);
    }
    sequence->items = items;
    items[sequence->count++] = value;
    return CF_OK;
}

static cf_yaml_node **place_of(cf_yaml_node *mapping, const char *key)
{
    const cf_yaml_node *value = cf_yaml_get(mapping, key);
    for (size_t i = 1; value && i < mapping->count; i += 2) {
        if (mapping->items[i] == value)
            return &mapping->items[i];
    }
    return NULL;
}

cf_status cf_yaml_put(cf_yaml_node *mapping, const char *key, cf_yaml_node *value, cf_error *err)
{
    cf_yaml_node **place = value ? place_of(mapping, key) : NULL;
    if (place) {
        cf_yaml_free(*place);
        *place = value;
        return CF_OK;
    }
    cf_status status = value ? cf_yaml_push(mapping, cf_yaml_plain(key), err) : no_memory(err);
    if (status) {
        cf_yaml_free(value);
        return status;
    }
    return cf_yaml_push(mapping, value, err);
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

typedef struct writer {
    yaml_emitter_t emitter;
    cf_text *out;
} writer;

static int take(void *data, unsigned char *buffer, size_t size)
{
    writer *w = data;
    cf_text_add_bytes(w->out, buffer, size);
    return !w->out->failed;
}

/* Frees the event whatever happens. */
static bool emit(writer *w, yaml_event_t *event, int made)
{
    return made && yaml_emitter_emit(&w->emitter, event);
}

static bool emit_scalar(writer *w, const char *text, int style)
{
    yaml_event_t event;
    return emit(w, &event,
                yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text, (int)strlen(text), 1, 1,
                                             (yaml_scalar_style_t)style));
}

static bool emit_node(writer *w, const cf_yaml_node *node)
{
    yaml_event_t event;
    if (node->kind == CF_YAML_SCALAR)
        return emit_scalar(w, node->text, node->style);
    bool mapping = node->kind == CF_YAML_MAPPING;
    int made = mapping
                   ? yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, (yaml_mapping_style_t)node->style)
                   : yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, (yaml_sequence_style_t)node->style);
    bool ok = emit(w, &event, made);
    for (size_t i = 0; ok && i < node->count; i++)
        ok = emit_node(w, node->items[i]);
    if (!ok)
        return false;
    return emit(w, &event,
                mapping ? yaml_mapping_end_event_initialize(&event) : yaml_sequence_end_event_initialize(&event));
}

static bool emit_document(writer *w, const char *key, const cf_yaml_node *value)
{
    yaml_event_t event;
    return emit(w, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING)) &&
           emit(w, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1)) &&
           emit(w, &event, yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE)) &&
           emit_scalar(w, key, YAML_PLAIN_SCALAR_STYLE) && emit_node(w, value) &&
           emit(w, &event, yaml_mapping_end_event_initialize(&event)) &&
           emit(w, &event, yaml_document_end_event_initialize(&event, 1)) &&
           emit(w, &event, yaml_stream_end_event_initialize(&event)) && yaml_emitter_flush(&w->emitter);
}

/* Characters that turn the direction of a line are printable to libyaml; a reviewer must see them. */
static bool turns_direction(const cf_yaml_node *node)
{
    for (size_t i = 0; i < node->count; i++) {
        if (turns_direction(node->items[i]))
            return true;
    }
    uint32_t code = 0;
    for (const char *s = node->text; s && *s;) {
        size_t length = cf_utf8_decode(s, &code);
        bool turns = code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                     (code >= 0x2066 && code <= 0x2069);
        if (length && turns)
            return true;
        s += length ? length : 1;
    }
    return false;
}

/* libyaml closes a document that ends in an open scalar with "...". */
static void drop_end_mark(cf_text *out, size_t begin)
{
    static const char *const marks[] = {"...\n", "...\r\n"};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(marks[i]);
        bool ends = out->size_bytes - begin > length && !memcmp(out->data + out->size_bytes - length, marks[i], length);
        if (ends && out->data[out->size_bytes - length - 1] == '\n') {
            out->size_bytes -= length;
            out->data[out->size_bytes] = '\0';
        }
    }
}

cf_status cf_yaml_print(const char *key, const cf_yaml_node *value, bool crlf, cf_text *out, cf_error *err)
{
    writer w = {.out = out};
    size_t begin = out->size_bytes;
    if (!yaml_emitter_initialize(&w.emitter))
        return no_memory(err);
    yaml_emitter_set_output(&w.emitter, take, &w);
    yaml_emitter_set_width(&w.emitter, -1);
    yaml_emitter_set_unicode(&w.emitter, !turns_direction(value));
    yaml_emitter_set_break(&w.emitter, crlf ? YAML_CRLN_BREAK : YAML_LN_BREAK);
    bool ok = emit_document(&w, key, value);
    bool memory = w.emitter.error == YAML_MEMORY_ERROR || out->failed;
    yaml_emitter_delete(&w.emitter);
    if (!ok)
        return memory ? no_memory(err) : cf_error_set(err, CF_INPUT, "%s: its text is not valid UTF-8", key);
    drop_end_mark(out, begin);
    return CF_OK;
}
