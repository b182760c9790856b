/* Markers found and taken apart. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plan/escape.h"
#include "plan/figure.h"

#define MAX_MARKER 8192

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* ---- one marker
 * ------------------------------------------------------------------------------------------------------ */

static const char *take_value(char *value, char *field, size_t field_bytes, const char *too_long)
{
    if (field[0])
        return "a key is given twice";
    if (!cf_plan_decode(value) || !value[0])
        return "a value is empty or not percent-encoded";
    if (strlen(value) >= field_bytes)
        return too_long;
    memcpy(field, value, strlen(value) + 1);
    return NULL;
}

static const char *take_word(char *word, cf_plan_marker *marker, bool *has_figure)
{
    if (!strcmp(word, "as-instrumented")) {
        marker->as_instrumented = true;
        return NULL;
    }
    char *value = strchr(word, '=');
    if (!value)
        return "it is made of record=, sha256=, variant=, figure= and as-instrumented";
    *value++ = '\0';
    if (!strcmp(word, "record"))
        return take_value(value, marker->record, sizeof marker->record, "the path is too long");
    if (!strcmp(word, "sha256"))
        return take_value(value, marker->sha256, sizeof marker->sha256, "sha256 has 64 digits");
    if (!strcmp(word, "variant"))
        return take_value(value, marker->variant, sizeof marker->variant, "the variant's name is too long");
    if (strcmp(word, "figure") != 0)
        return "it is made of record=, sha256=, variant=, figure= and as-instrumented";
    int found = cf_text_find(cf_plan_figure_names, value);
    if (found < 0)
        return "figure is overlap, a_ms, b_ms, ab_ms or rate";
    marker->figure = (cf_plan_figure)found;
    *has_figure = true;
    return NULL;
}

const char *cf_plan_marker_parse(const char *text, size_t size_bytes, cf_plan_marker *ret_marker)
{
    char words[MAX_MARKER];
    bool has_figure = false;
    *ret_marker = (cf_plan_marker){.as_instrumented = false};
    if (size_bytes >= sizeof words)
        return "it is too long";
    if (memchr(text, '\0', size_bytes))
        return "it holds a NUL";
    memcpy(words, text, size_bytes);
    words[size_bytes] = '\0';
    char *rest = NULL;
    for (char *word = strtok_r(words, " \t\r", &rest); word; word = strtok_r(NULL, " \t\r", &rest)) {
        const char *wrong = take_word(word, ret_marker, &has_figure);
        if (wrong)
            return wrong;
    }
    bool whole = ret_marker->record[0] && ret_marker->sha256[0] && ret_marker->variant[0] && has_figure;
    return whole ? NULL : "record=, sha256=, variant= or figure= is missing";
}

/* ---- finding them
 * ---------------------------------------------------------------------------------------------------- */

static size_t run_of(const char *line, size_t bytes, size_t at, char c)
{
    size_t length = 0;
    while (at + length < bytes && line[at + length] == c)
        length++;
    return length;
}

/* Behind the code span that begins at `at`, or behind its backticks where it does not end in the line. */
static size_t skip_code(const char *line, size_t bytes, size_t at)
{
    size_t ticks = run_of(line, bytes, at, '`'), begin = at + ticks;
    for (size_t i = begin; i < bytes;) {
        size_t run = run_of(line, bytes, i, '`');
        if (run == ticks)
            return i + run;
        i += run ? run : 1;
    }
    return begin;
}

static bool begins(const char *line, size_t bytes, size_t at, const char *text)
{
    size_t length = strlen(text);
    return bytes - at >= length && !memcmp(line + at, text, length);
}

/* Offset of what follows "<!-- confound:" at `at`, 0 where something else stands there. */
static size_t marker_at(const char *line, size_t bytes, size_t at)
{
    if (!begins(line, bytes, at, "<!--"))
        return 0;
    at += 4;
    while (at < bytes && is_blank(line[at]))
        at++;
    return begins(line, bytes, at, "confound:") ? at + strlen("confound:") : 0;
}

bool cf_plan_marker_next(const char *line, size_t line_bytes, size_t *at, size_t *ret_before, const char **ret_text,
                         size_t *ret_bytes)
{
    size_t i = *at;
    while (i < line_bytes) {
        if (line[i] == '\\') {
            i += 2; /* an escaped backtick begins no code */
            continue;
        }
        if (line[i] == '`') {
            i = skip_code(line, line_bytes, i);
            continue;
        }
        size_t inside = line[i] == '<' ? marker_at(line, line_bytes, i) : 0;
        if (!inside) {
            i++;
            continue;
        }
        const char *end = memmem(line + inside, line_bytes - inside, "-->", 3);
        *ret_before = i;
        *ret_text = line + inside;
        *ret_bytes = end ? (size_t)(end - *ret_text) : SIZE_MAX;
        *at = end ? (size_t)(end - line) + 3 : line_bytes;
        return true;
    }
    *at = line_bytes;
    return false;
}
