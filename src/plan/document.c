/* One document: each marker in it against its record. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plan/figure_text.h"

#define SHOWN_BYTES 80

typedef struct page {
    cf_plan *plan;
    cf_plan_findings *findings;
    const char *path;
    int line;
} page;

/* What stands before a marker: the text from the marker before it, or from the line's start. */
typedef struct before {
    const char *text;
    size_t bytes;
} before;

static void say(const page *p, cf_plan_rule rule, const char *text)
{
    cf_plan_find(p->findings, rule, p->path, p->line, NULL, "%s", text);
}

/* Blanks and the marks of emphasis and code that may stand around a figure. */
static void trim_end(before *b)
{
    while (b->bytes && strchr(" \t\r*_`", b->text[b->bytes - 1]))
        b->bytes--;
}

/* Takes word off the end; false where it does not stand there. */
static bool take_end(before *b, const char *word)
{
    size_t length = strlen(word);
    if (length > b->bytes || memcmp(b->text + b->bytes - length, word, length) != 0)
        return false;
    b->bytes -= length;
    trim_end(b);
    return true;
}

static bool is_number_part(char c)
{
    return (c >= '0' && c <= '9') || c == '.';
}

/* The number at the end, cut off: false where there is none, or where it is the tail of something longer. */
static bool take_number(before *b, char number[SHOWN_BYTES])
{
    size_t end = b->bytes, begin = end;
    while (begin && is_number_part(b->text[begin - 1]))
        begin--;
    if (begin == end || b->text[begin] == '.')
        return false;
    bool negative = begin && b->text[begin - 1] == '-';
    begin -= negative;
    char last = begin ? b->text[begin - 1] : ' ';
    bool tail = (last >= '0' && last <= '9') || (last >= 'a' && last <= 'z') || (last >= 'A' && last <= 'Z') ||
                strchr(",'-+_", last) || (unsigned char)last >= 0x80;
    if (tail || end - begin >= SHOWN_BYTES)
        return false;
    memcpy(number, b->text + begin, end - begin);
    number[end - begin] = '\0';
    return true;
}

/* Digits from the first that is not 0. */
static int significant(const char *number)
{
    int count = 0;
    bool begun = false;
    for (; *number; number++) {
        begun |= *number >= '1' && *number <= '9';
        count += begun && *number != '.';
    }
    return count;
}

/* The record's value rounded to the decimals that are shown; one digit alone is no figure, unless it is exact. */
static bool is_value(const char *number, double value)
{
    char rounded[CF_PLAN_NUMBER_BYTES];
    const char *point = strchr(number, '.');
    size_t decimals = point ? strlen(point + 1) : 0;
    if ((point && (!decimals || strchr(point + 1, '.'))) || decimals > 12)
        return false;
    cf_plan_figure_round(value, (int)decimals, rounded);
    bool exact = strtod(number, NULL) == value;
    return !strcmp(rounded, number) && (exact || significant(number) >= 2 || decimals >= 2);
}

static void check_figure(const page *p, const cf_plan_marker *marker, const cf_plan_record *record,
                         const cf_variant_judgement *judged, cf_role role, before b)
{
    char number[SHOWN_BYTES], expected[CF_PLAN_NUMBER_BYTES];
    cf_text words = {0};
    double value = cf_plan_figure_value(judged, marker->figure);
    cf_plan_figure_words(record, marker->variant, role, &words);
    bool lacks_words = words.size_bytes && !take_end(&b, words.data);
    if (lacks_words)
        cf_plan_find(
            p->findings, cf_plan_role_is_plain(role) ? CF_PLAN_RULE_FIGURE_DIFFERS : CF_PLAN_RULE_FIGURE_INSTRUMENTED,
            p->path, p->line, NULL, "the figure of '%s' stands without the words '%s'", marker->variant, words.data);
    p->findings->failed |= words.failed;
    cf_text_done(&words);
    if (lacks_words)
        return;
    take_end(&b, cf_plan_figure_unit(record, marker->figure));
    cf_plan_figure_round(value, cf_plan_figure_decimals(marker->figure, value), expected);
    if (!take_number(&b, number))
        cf_plan_find(p->findings, CF_PLAN_RULE_FIGURE_DIFFERS, p->path, p->line, NULL,
                     "no figure stands before its marker; %s of '%s' in %s is %s %s",
                     cf_plan_figure_names[marker->figure], marker->variant, record->path, expected,
                     cf_plan_figure_unit(record, marker->figure));
    else if (!is_value(number, value))
        cf_plan_find(p->findings, CF_PLAN_RULE_FIGURE_DIFFERS, p->path, p->line, NULL,
                     "it says %s; %s of '%s' in %s is %s %s", number, cf_plan_figure_names[marker->figure],
                     marker->variant, record->path, expected, cf_plan_figure_unit(record, marker->figure));
}

static void check_variant(const page *p, const cf_plan_marker *marker, const cf_plan_record *record, before b)
{
    cf_role role = CF_ROLE_CONTROL;
    const cf_variant_judgement *judged = cf_plan_record_variant(record, marker->variant, &role);
    if (!judged) {
        cf_plan_find(p->findings, CF_PLAN_RULE_FIGURE_UNSUPPORTED, p->path, p->line, NULL, "%s has no variant '%s'",
                     record->path, marker->variant);
        return;
    }
    if (!cf_plan_role_is_plain(role) && !marker->as_instrumented) {
        cf_plan_find(p->findings, CF_PLAN_RULE_FIGURE_INSTRUMENTED, p->path, p->line, NULL,
                     "%s of '%s' is quoted as product speed, and '%s' is no control",
                     cf_plan_figure_names[marker->figure], marker->variant, marker->variant);
        return;
    }
    const char *why = cf_plan_figure_why_not(record, judged, role, marker->figure);
    if (why)
        cf_plan_find(p->findings, CF_PLAN_RULE_FIGURE_UNSUPPORTED, p->path, p->line, NULL, "%s of '%s' in %s: %s",
                     cf_plan_figure_names[marker->figure], marker->variant, record->path, why);
    else
        check_figure(p, marker, record, judged, role, b);
}

static cf_status check_marker(const page *p, const char *text, size_t bytes, before b, cf_error *err)
{
    cf_plan_marker marker;
    const char *wrong =
        bytes == SIZE_MAX ? "its comment does not end in the same line" : cf_plan_marker_parse(text, bytes, &marker);
    if (wrong) {
        say(p, CF_PLAN_RULE_FIGURE_MALFORMED, wrong);
        return CF_OK;
    }
    const char *why = cf_plan_place_why_not(marker.record);
    const cf_plan_record *record = NULL;
    cf_status status = why ? CF_OK : cf_plan_records_get(&p->plan->records, marker.record, true, &record, err);
    if (status)
        return status;
    if (why || (!record->judged && record->why[0]))
        cf_plan_find(p->findings, CF_PLAN_RULE_FIGURE_UNSUPPORTED, p->path, p->line, NULL, "%s: %s", marker.record,
                     why ? why : record->why);
    else if (strcmp(record->sha256, marker.sha256) != 0)
        cf_plan_find(p->findings, CF_PLAN_RULE_FIGURE_UNSUPPORTED, p->path, p->line, NULL,
                     "%s is not the record that was quoted: its SHA-256 is %.12s…, the marker's %.12s…", marker.record,
                     record->sha256, marker.sha256);
    else
        check_variant(p, &marker, record, b);
    return CF_OK;
}

static cf_status check_line(const page *p, const char *line, size_t bytes, size_t *count, cf_error *err)
{
    size_t at = 0, begin = 0, before_at = 0, inside_bytes = 0;
    const char *inside = NULL;
    cf_status status = CF_OK;
    while (!status && cf_plan_marker_next(line, bytes, &at, &before_at, &inside, &inside_bytes)) {
        before b = {.text = line + begin, .bytes = before_at - begin};
        trim_end(&b);
        status = check_marker(p, inside, inside_bytes, b, err);
        begin = at;
        ++*count;
    }
    return status;
}

/* A fence of backticks or tildes; its length, 0 where the line is none. */
static size_t fence_length(const char *line, size_t bytes, char *ret_mark)
{
    size_t at = 0, length = 0;
    while (at < bytes && at < 3 && line[at] == ' ')
        at++;
    *ret_mark = at < bytes ? line[at] : ' ';
    if (*ret_mark != '`' && *ret_mark != '~')
        return 0;
    while (at + length < bytes && line[at + length] == *ret_mark)
        length++;
    bool info_has_tick = *ret_mark == '`' && memchr(line + at + length, '`', bytes - at - length);
    return length >= 3 && !info_has_tick ? length : 0;
}

static bool is_only(const char *line, size_t bytes, char mark)
{
    for (size_t i = 0; i < bytes; i++) {
        if (line[i] != mark && !strchr(" \t\r", line[i]))
            return false;
    }
    return true;
}

cf_status cf_plan_check_document(cf_plan *plan, const char *path, const char *text, size_t size_bytes,
                                 size_t *ret_count, cf_plan_findings *findings, cf_error *err)
{
    page p = {.plan = plan, .findings = findings, .path = path};
    size_t fence = 0; /* of the code block that the line is in */
    char fence_mark = ' ', mark;
    cf_status status = CF_OK;
    while (!status && size_bytes) {
        const char *end = memchr(text, '\n', size_bytes);
        size_t bytes = end ? (size_t)(end - text) : size_bytes;
        size_t length = fence_length(text, bytes, &mark);
        p.line++;
        if (!fence && length) {
            fence = length;
            fence_mark = mark;
        } else if (fence && length >= fence && mark == fence_mark && is_only(text, bytes, mark)) {
            fence = 0;
        } else if (!fence) {
            status = check_line(&p, text, bytes, ret_count, err);
        }
        bytes += end != NULL;
        text += bytes;
        size_bytes -= bytes;
    }
    return status;
}
