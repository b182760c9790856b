/* The reader: libyaml's events into a tree, with limits. */
#include "plan/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/utf8.h"

typedef struct reader {
    yaml_parser_t parser;
    int events, depth;
    int line; /* of the event at hand, for errors */
    cf_error *err;
} reader;

static cf_status refuse(const reader *r, const char *what)
{
    return cf_error_set(r->err, CF_INPUT, "%s", what);
}

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

static int one_based(size_t line)
{
    return line < 1000000 ? (int)line + 1 : 0;
}

static cf_yaml_node *node_new(cf_yaml_kind kind, int style)
{
    cf_yaml_node *node = calloc(1, sizeof *node);
    if (node)
        *node = (cf_yaml_node){.kind = kind, .style = style};
    return node;
}

void cf_yaml_free(cf_yaml_node *node)
{
    if (!node)
        return;
    for (size_t i = 0; i < node->count; i++)
        cf_yaml_free(node->items[i]);
    free(node->items);
    free(node->text);
    free(node);
}

static cf_status next_event(reader *r, yaml_event_t *event)
{
    if (!yaml_parser_parse(&r->parser, event)) {
        r->line = one_based(r->parser.problem_mark.line);
        if (r->parser.error == YAML_MEMORY_ERROR)
            return no_memory(r->err);
        return cf_error_set(r->err, CF_INPUT, "no YAML: %s", r->parser.problem ? r->parser.problem : "it is broken");
    }
    r->line = one_based(event->start_mark.line);
    if (++r->events > CF_YAML_MAX_EVENTS) {
        yaml_event_delete(event);
        return refuse(r, "too many values");
    }
    return CF_OK;
}

static cf_status scalar_node(reader *r, const yaml_event_t *event, cf_yaml_node **ret_node)
{
    if (event->data.scalar.anchor || event->data.scalar.tag)
        return refuse(r, "anchors (&) and tags (!) are not accepted");
    const char *value = (const char *)event->data.scalar.value;
    if (strlen(value) != event->data.scalar.length)
        return refuse(r, "a NUL in a value");
    cf_yaml_node *node = node_new(CF_YAML_SCALAR, (int)event->data.scalar.style);
    if (!node || !(node->text = cf_text_dup(value))) {
        cf_yaml_free(node);
        return no_memory(r->err);
    }
    *ret_node = node;
    return CF_OK;
}

static cf_status read_value(reader *r, const yaml_event_t *event, cf_yaml_node **ret_node);

static cf_status check_key(const reader *r, const cf_yaml_node *mapping, const cf_yaml_node *key)
{
    if (key->kind != CF_YAML_SCALAR || !key->text[0])
        return refuse(r, "a key is a word");
    if (cf_yaml_get(mapping, key->text))
        return cf_error_set(r->err, CF_INPUT, "the key '%s' is given twice", key->text);
    return CF_OK;
}

/* Items up to the event that ends the container. */
static cf_status read_items(reader *r, cf_yaml_node *node)
{
    yaml_event_type_t last = node->kind == CF_YAML_MAPPING ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    for (;;) {
        yaml_event_t event;
        cf_status status = next_event(r, &event);
        if (status)
            return status;
        yaml_event_type_t type = event.type;
        cf_yaml_node *item = NULL;
        if (type != last)
            status = read_value(r, &event, &item);
        yaml_event_delete(&event);
        if (status || type == last)
            return status;
        bool is_key = node->kind == CF_YAML_MAPPING && node->count % 2 == 0;
        status = is_key ? check_key(r, node, item) : CF_OK;
        if (status) {
            cf_yaml_free(item);
            return status;
        }
        status = cf_yaml_push(node, item, r->err);
        if (status)
            return status;
    }
}

static cf_status read_container(reader *r, cf_yaml_kind kind, int style, const yaml_char_t *anchor,
                                const yaml_char_t *tag, cf_yaml_node **ret_node)
{
    if (anchor || tag)
        return refuse(r, "anchors (&) and tags (!) are not accepted");
    if (r->depth >= CF_YAML_MAX_DEPTH)
        return refuse(r, "nested too deep");
    cf_yaml_node *node = node_new(kind, style);
    if (!node)
        return no_memory(r->err);
    r->depth++;
    cf_status status = read_items(r, node);
    r->depth--;
    if (status) {
        cf_yaml_free(node);
        return status;
    }
    *ret_node = node;
    return CF_OK;
}

static cf_status read_value(reader *r, const yaml_event_t *event, cf_yaml_node **ret_node)
{
    cf_status status;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        status = scalar_node(r, event, ret_node);
        break;
    case YAML_SEQUENCE_START_EVENT:
        status = read_container(r, CF_YAML_SEQUENCE, (int)event->data.sequence_start.style,
                                event->data.sequence_start.anchor, event->data.sequence_start.tag, ret_node);
        break;
    case YAML_MAPPING_START_EVENT:
        status = read_container(r, CF_YAML_MAPPING, (int)event->data.mapping_start.style,
                                event->data.mapping_start.anchor, event->data.mapping_start.tag, ret_node);
        break;
    case YAML_ALIAS_EVENT:
        return refuse(r, "aliases (*) are not accepted");
    default:
        return refuse(r, "one mapping of keys and values is accepted");
    }
    if (!status) {
        (*ret_node)->line = one_based(event->start_mark.line);
        (*ret_node)->column = (int)event->start_mark.column;
    }
    return status;
}

/* Takes the next event, which has to be of that type. */
static cf_status expect(reader *r, yaml_event_type_t type, const char *otherwise)
{
    yaml_event_t event;
    cf_status status = next_event(r, &event);
    if (status)
        return status;
    /* Directives need an explicit start, and what is written behind an explicit end would be another document. */
    bool start = event.type == YAML_DOCUMENT_START_EVENT && !event.data.document_start.implicit;
    bool end = event.type == YAML_DOCUMENT_END_EVENT && !event.data.document_end.implicit;
    if (start || end)
        status = refuse(r, "marks of documents (---, ...) and directives (%) are not accepted");
    else if (event.type != type)
        status = refuse(r, otherwise);
    yaml_event_delete(&event);
    return status;
}

static cf_status read_root(reader *r, cf_yaml_node **ret_root)
{
    yaml_event_t event;
    cf_status status = next_event(r, &event);
    if (status)
        return status;
    if (event.type != YAML_MAPPING_START_EVENT || event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE)
        status = refuse(r, "lines of 'key: value' are accepted");
    else
        status = read_value(r, &event, ret_root);
    yaml_event_delete(&event);
    return status;
}

/* Each key of the root begins its own line, so that one key can be written anew without touching the others. */
static cf_status check_columns(reader *r, const cf_yaml_node *root)
{
    for (size_t i = 0; i < root->count; i += 2) {
        r->line = root->items[i]->line;
        if (root->items[i]->column != 0)
            return refuse(r, "the keys of front matter begin at the start of a line");
    }
    return CF_OK;
}

static cf_status read_document(reader *r, cf_yaml_node **ret_root)
{
    cf_status status = expect(r, YAML_STREAM_START_EVENT, "no YAML");
    if (!status)
        status = expect(r, YAML_DOCUMENT_START_EVENT, "front matter is empty; lines of 'key: value' are accepted");
    if (!status)
        status = read_root(r, ret_root);
    if (!status)
        status = expect(r, YAML_DOCUMENT_END_EVENT, "one document is accepted");
    if (!status)
        status = expect(r, YAML_STREAM_END_EVENT, "one document is accepted");
    return status ? status : check_columns(r, *ret_root);
}

/* Line ends that only YAML knows (a lone CR, NEL, LS, PS) would hide lines from those who review the file, and
   libyaml's line numbers would not be ours. */
static const char *why_not_plain(const char *text, size_t size_bytes, int *ret_line)
{
    *ret_line = 1;
    for (size_t i = 0; i < size_bytes;) {
        uint32_t code = 0;
        size_t length = cf_utf8_decode(text + i, &code); /* text ends with a NUL */
        if (!length || length > size_bytes - i)
            return text[i] ? "it is not valid UTF-8" : "it holds a NUL";
        bool cr = code == '\r' && (i + 1 >= size_bytes || text[i + 1] != '\n');
        if (cr || code == 0x85 || code == 0x2028 || code == 0x2029)
            return "it holds a line end that is not a newline";
        if ((code < 0x20 && code != '\n' && code != '\r' && code != '\t') || (code >= 0x7f && code < 0xa0))
            return "it holds a control character";
        *ret_line += code == '\n';
        i += length;
    }
    return NULL;
}

static cf_status parse(const char *text, size_t size_bytes, cf_yaml_node **ret_root, int *ret_line, cf_error *err)
{
    reader r = {.err = err};
    if (!yaml_parser_initialize(&r.parser))
        return no_memory(err);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size_bytes);
    cf_yaml_node *root = NULL;
    cf_status status = read_document(&r, &root);
    yaml_parser_delete(&r.parser);
    *ret_line = r.line;
    if (status)
        cf_yaml_free(root);
    else
        *ret_root = root;
    return status;
}

cf_status cf_yaml_parse(const char *text, size_t size_bytes, cf_yaml_node **ret_root, int *ret_line, cf_error *err)
{
    *ret_line = 1;
    if (size_bytes > CF_YAML_MAX_BYTES)
        return cf_error_set(err, CF_INPUT, "front matter of more than %zu bytes", CF_YAML_MAX_BYTES);
    char *copy = malloc(size_bytes + 1); /* the checks below read up to a NUL */
    if (!copy)
        return no_memory(err);
    memcpy(copy, text, size_bytes);
    copy[size_bytes] = '\0';
    const char *why = why_not_plain(copy, size_bytes, ret_line);
    cf_status status = why ? cf_error_set(err, CF_INPUT, "%s", why) : parse(copy, size_bytes, ret_root, ret_line, err);
    free(copy);
    return status;
}

static char folded(char c)
{
    return c == '_' || c == ' ' ? '-' : c;
}

static bool same_key(const char *a, const char *b)
{
    while (*a && folded(*a) == folded(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

cf_yaml_node *cf_yaml_get(const cf_yaml_node *mapping, const char *key)
{
    if (!mapping || mapping->kind != CF_YAML_MAPPING)
        return NULL;
    for (size_t i = 0; i + 1 < mapping->count; i += 2) {
        if (same_key(mapping->items[i]->text, key))
            return mapping->items[i + 1];
    }
    return NULL;
}

bool cf_yaml_is_null(const cf_yaml_node *node)
{
    if (!node)
        return true;
    if (node->kind != CF_YAML_SCALAR || node->style > (int)YAML_PLAIN_SCALAR_STYLE)
        return false;
    return !node->text[0] || !strcmp(node->text, "~") || !strcmp(node->text, "null");
}

const char *cf_yaml_text(const cf_yaml_node *node)
{
    return cf_yaml_is_null(node) || node->kind != CF_YAML_SCALAR ? NULL : node->text;
}
