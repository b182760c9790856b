#include "base/ini.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ini.h>

#include "base/text.h"
#include "base/utf8.h"

/* inih's own limits, as packaged: its line buffer holds 200 bytes (newline and NUL included), its section and name
   buffers 50. It cuts what is longer without a word, so longer text is refused before it gets there. */
#define MAX_LINE_BYTES 198
#define MAX_NAME_BYTES 49
/* Every settings file of ours has a few dozen; duplicates are looked for by comparing all pairs. */
#define MAX_ITEMS 4096

#define WHITE " \t\r\f\v"

typedef struct reading {
    cf_ini *ini;
    cf_error *err;
    const char *next, *end;
    int line;
    char *section; /* of the header seen last, squeezed; owned */
    cf_status status;
} reading;

static cf_status fail(reading *r, cf_status status, const char *fmt, ...) CF_PRINTF(3, 4);

static cf_status fail(reading *r, cf_status status, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    r->status = cf_error_set(r->err, status, "%s:%d: %s", r->ini->name, r->line, text);
    return r->status;
}

static cf_status out_of_memory(reading *r)
{
    return fail(r, CF_MEMORY, "out of memory");
}

static bool is_white(char c)
{
    return c && strchr(WHITE, c);
}

/* A new string: text without white space at its ends, inner white space squeezed to one blank. */
static char *squeeze(const char *text, size_t length)
{
    char *out = malloc(length + 1);
    size_t used = 0;
    for (size_t i = 0; out && i < length; i++) {
        if (!is_white(text[i]))
            out[used++] = text[i];
        else if (used && out[used - 1] != ' ')
            out[used++] = ' ';
    }
    if (out)
        out[used - (used && out[used - 1] == ' ')] = 0;
    return out;
}

/* First byte of a comment within a line: inih's rule is a ';' after white space. length if there is none. */
static size_t before_comment(const char *text, size_t length)
{
    for (size_t i = 1; i < length; i++) {
        if (text[i] == ';' && is_white(text[i - 1]))
            return i;
    }
    return length;
}

static const char *control_character(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] == 0x7f || ((unsigned char)text[i] < 0x20 && text[i] != '\t'))
            return text + i;
    }
    return NULL;
}

/* Length of the character at text, of whose bytes only `length` may be read; 0 where it is broken. The decoder stops at
   a NUL, and the last line of a text need not end with one. */
static size_t character(const char *text, size_t length)
{
    uint32_t code = 0;
    char last[4] = {0};
    if (length >= sizeof last)
        return cf_utf8_decode(text, &code);
    memcpy(last, text, length);
    return cf_utf8_decode(last, &code);
}

/* The first byte that belongs to no character, NULL if there is none. */
static const char *broken_byte(const char *text, size_t length)
{
    for (const char *at = text; at < text + length;) {
        const size_t size = character(at, (size_t)(text + length - at));
        if (size == 0)
            return at;
        at += size;
    }
    return NULL;
}

static cf_status check_count(reading *r)
{
    if (r->ini->count < MAX_ITEMS)
        return CF_OK;
    return fail(r, CF_INPUT, "too many settings; at most %d are accepted", MAX_ITEMS);
}

/* Takes section, key and value over, also when it fails. */
static bool push(cf_ini *ini, char *section, char *key, char *value, int line)
{
    cf_ini_item *items = ini->items;
    if ((ini->count & (ini->count - 1)) == 0) /* full at every power of two */
        items = realloc(ini->items, (ini->count ? 2 * ini->count : 1) * sizeof *items);
    if (items)
        ini->items = items;
    if (!items || !section) {
        free(section);
        free(key);
        free(value);
        return false;
    }
    items[ini->count++] = (cf_ini_item){.section = section, .key = key, .value = value, .line = line};
    return true;
}

static cf_status take_header(reading *r, const char *text, size_t length)
{
    const char *close = memchr(text, ']', length);
    if (!close)
        return fail(r, CF_INPUT, "the header '%.*s' has no ']'; [section] is accepted",
                    (int)(length < 40 ? length : 40), text);
    if (close + 1 != text + length)
        return fail(r, CF_INPUT, "text after the header; [section] on a line of its own is accepted");
    if ((size_t)(close - text) - 1 > MAX_NAME_BYTES)
        return fail(r, CF_INPUT, "the section's name is too long; at most %d bytes are accepted", MAX_NAME_BYTES);
    char *section = squeeze(text + 1, (size_t)(close - text) - 1);
    if (!section)
        return out_of_memory(r);
    free(r->section);
    r->section = section;
    if (!section[0])
        return fail(r, CF_INPUT, "the section has no name; [section] is accepted");
    if (check_count(r))
        return r->status;
    return push(r->ini, cf_text_dup(section), NULL, NULL, r->line) ? CF_OK : out_of_memory(r);
}

static cf_status check_pair(reading *r, const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length);
    const char *colon = memchr(text, ':', length);
    if (!equals || (colon && colon < equals)) { /* inih would take a ':' for '=' */
        char line[64];
        snprintf(line, sizeof line, "%.*s", (int)(length < 40 ? length : 40), text);
        return fail(r, CF_INPUT, "'%s%s' is not a setting; [section], key = value or ; comment are accepted", line,
                    length > 40 ? "..." : "");
    }
    if (equals == text)
        return fail(r, CF_INPUT, "nothing stands before '='; key = value is accepted");
    if ((size_t)(equals - text) > MAX_NAME_BYTES)
        return fail(r, CF_INPUT, "the key is too long; at most %d bytes are accepted", MAX_NAME_BYTES);
    return CF_OK;
}

/* One line as inih may see it: without the white space before it (inih would take it for a continuation) and without
   comments, which may be of any length. Headers are taken here, because inih does not report them. */
static cf_status prepare(reading *r, const char *text, size_t length, size_t *ret_length)
{
    *ret_length = 0;
    if (memchr(text, 0, length))
        return fail(r, CF_INPUT, "byte 0x00 in the line; text is accepted");
    if (length == 0 || text[0] == ';' || text[0] == '#')
        return CF_OK;
    length = before_comment(text, length);
    while (length && is_white(text[length - 1]))
        length--;
    if (length > MAX_LINE_BYTES)
        return fail(r, CF_INPUT, "the line is too long; at most %d bytes are accepted", MAX_LINE_BYTES);
    const char *control = control_character(text, length);
    if (control)
        return fail(r, CF_INPUT, "byte 0x%02x in the line; text without control characters is accepted",
                    (unsigned)(unsigned char)*control);
    const char *broken = broken_byte(text, length);
    if (broken)
        return fail(r, CF_INPUT, "byte 0x%02x in the line is no UTF-8; UTF-8 text is accepted",
                    (unsigned)(unsigned char)*broken);
    *ret_length = length;
    return text[0] == '[' ? take_header(r, text, length) : check_pair(r, text, length);
}

/* inih's reader: one line into line, NULL at the end or once something was wrong. */
static char *next_line(char *line, int line_bytes, void *stream)
{
    reading *r = stream;
    if (r->status || r->next == r->end)
        return NULL;
    r->line++;
    const char *text = r->next;
    const char *newline = memchr(text, '\n', (size_t)(r->end - text));
    const char *stop = newline ? newline : r->end;
    r->next = newline ? newline + 1 : r->end;
    while (text < stop && is_white(*text))
        text++;
    size_t length;
    if (prepare(r, text, (size_t)(stop - text), &length) || length + 2 > (size_t)line_bytes) {
        if (!r->status)
            (void)fail(r, CF_INPUT, "the line is too long; at most %d bytes are accepted", line_bytes - 2);
        return NULL;
    }
    memcpy(line, text, length);
    line[length] = '\n';
    line[length + 1] = 0;
    return line;
}

static cf_ini_item *find_from(const cf_ini *ini, const char *section, const char *key)
{
    for (size_t i = ini->count; i-- > 0;) {
        cf_ini_item *item = &ini->items[i];
        if (item->key && strcmp(item->key, key) == 0 && strcmp(item->section, section) == 0)
            return item;
    }
    return NULL;
}

/* inih's handler: 1 to go on. */
static int take_pair(void *user, const char *section, const char *name, const char *value)
{
    reading *r = user;
    (void)section; /* as written; ours is squeezed */
    const cf_ini_item *earlier = find_from(r->ini, r->section, name);
    if (earlier)
        return fail(r, CF_INPUT, "'%s' was given in line %d already; each key once in a section is accepted", name,
                    earlier->line) == CF_OK;
    if (check_count(r))
        return 0;
    char *key = cf_text_dup(name);
    char *copy = cf_text_dup(value);
    if (!key || !copy || !push(r->ini, cf_text_dup(r->section), key, copy, r->line)) {
        if (!key || !copy) {
            free(key);
            free(copy);
        }
        return out_of_memory(r) == CF_OK;
    }
    return 1;
}

static cf_status parse_lines(reading *r)
{
    const int line = ini_parse_stream(next_line, r, take_pair, r);
    if (r->status)
        return r->status;
    if (line < 0)
        return out_of_memory(r);
    if (line > 0) {
        r->line = line;
        return fail(r, CF_INPUT, "the line cannot be read; [section], key = value or ; comment are accepted");
    }
    return CF_OK;
}

cf_status cf_ini_parse(const char *name, const char *text, size_t size_bytes, cf_ini *ret_ini, cf_error *err)
{
    cf_ini ini = {.name = cf_text_dup(name)};
    reading r = {.ini = &ini, .err = err, .next = text, .end = text + size_bytes, .section = cf_text_dup("")};
    if (!ini.name || !r.section) {
        free(ini.name);
        free(r.section);
        return cf_error_set(err, CF_MEMORY, "%s: out of memory", name);
    }
    if (size_bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        r.next += 3;
    const cf_status status = parse_lines(&r);
    free(r.section);
    if (status)
        cf_ini_done(&ini);
    else
        *ret_ini = ini;
    return status;
}

const cf_ini_item *cf_ini_find(const cf_ini *ini, const char *section, const char *key)
{
    return find_from(ini, section, key);
}

/* "lane.a.count" in front of '=': the last dot ends the section, the others stand for blanks. */
static bool split(const char *assignment, char **ret_section, char **ret_key, char **ret_value)
{
    const char *equals = strchr(assignment, '=');
    const char *dot = equals ? memrchr(assignment, '.', (size_t)(equals - assignment)) : NULL;
    if (!dot)
        return false;
    char *section = squeeze(assignment, (size_t)(dot - assignment));
    char *key = squeeze(dot + 1, (size_t)(equals - dot) - 1);
    const char *value = equals + 1 + strspn(equals + 1, WHITE);
    size_t length = strlen(value);
    while (length && is_white(value[length - 1]))
        length--;
    for (char *c = section; c && *c; c++)
        *c = *c == '.' ? ' ' : *c;
    *ret_section = section;
    *ret_key = key;
    *ret_value = cf_text_format("%.*s", (int)length, value);
    return true;
}

/* What is set must be writable as a line of a file, and read back as the same. */
static cf_status check_set(const char *assignment, const char *section, const char *key, const char *value,
                           cf_error *err)
{
    if (!section || !key || !value)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    if (!section[0] || !key[0])
        return cf_error_set(err, CF_INPUT, "--set '%s': SECTION.KEY=VALUE is accepted (lane.a.count=4)", assignment);
    if (strlen(section) > MAX_NAME_BYTES || strlen(key) > MAX_NAME_BYTES)
        return cf_error_set(err, CF_INPUT, "--set '%s': the name is too long; at most %d bytes are accepted",
                            assignment, MAX_NAME_BYTES);
    if (strlen(key) + 3 + strlen(value) > MAX_LINE_BYTES)
        return cf_error_set(err, CF_INPUT,
                            "--set %.80s: the value is too long; at most %d bytes with its key are accepted",
                            assignment, MAX_LINE_BYTES - 3);
    const bool comment = value[0] == ';' || before_comment(value, strlen(value)) < strlen(value) ||
                         strchr(";#[", key[0]) || strchr(key, ':') || strpbrk(section, "];");
    if (comment || control_character(assignment, strlen(assignment)))
        return cf_error_set(err, CF_INPUT,
                            "--set '%s': holds a comment, a bracket or a control character; plain text is accepted",
                            assignment);
    return CF_OK;
}

cf_status cf_ini_set(cf_ini *ini, const char *assignment, cf_error *err)
{
    char *section, *key, *value;
    if (!split(assignment, &section, &key, &value))
        return cf_error_set(err, CF_INPUT, "--set '%s': SECTION.KEY=VALUE is accepted (lane.a.count=4)", assignment);
    cf_status status = check_set(assignment, section, key, value, err);
    cf_ini_item *old = status ? NULL : find_from(ini, section, key);
    if (old) {
        free(old->value);
        old->value = value;
        old->line = 0;
        value = NULL;
    }
    if (status || old) {
        free(section);
        free(key);
        free(value);
        return status;
    }
    return push(ini, section, key, value, 0) ? CF_OK : cf_error_set(err, CF_MEMORY, "out of memory");
}

void cf_ini_done(cf_ini *ini)
{
    if (!ini)
        return;
    for (size_t i = 0; i < ini->count; i++) {
        free(ini->items[i].section);
        free(ini->items[i].key);
        free(ini->items[i].value);
    }
    free(ini->items);
    free(ini->name);
    *ini = (cf_ini){0};
}

const char *cf_ini_where(const cf_ini *ini, const cf_ini_item *item, char *buf, size_t buf_bytes)
{
    if (item->line > 0 || !item->key) {
        snprintf(buf, buf_bytes, "%s:%d: ", ini->name, item->line);
        return buf;
    }
    char section[MAX_NAME_BYTES + 1];
    snprintf(section, sizeof section, "%s", item->section);
    for (char *c = section; *c; c++)
        *c = *c == ' ' ? '.' : *c;
    snprintf(buf, buf_bytes, "--set %s.%s: ", section, item->key);
    return buf;
}
