/* The fast way through a round. It accepts a subset of JSON, byte for byte as cf_write_round prints it, and checks what
   cf_round_read checks; on anything else it gives up. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "record/names.h"
#include "record/round_in.h"

typedef struct scan {
    const char *at, *end;
} scan;

static bool take(scan *s, const char *text)
{
    const size_t length = strlen(text);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, text, length) != 0)
        return false;
    s->at += length;
    return true;
}

static bool take_char(scan *s, char c)
{
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

/* At most 16 digits: 2^53 has as many. No leading zero, as in JSON. */
static bool take_int(scan *s, int64_t min, int64_t max, int64_t *ret)
{
    int64_t value = 0;
    const char *begin = s->at;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9' && s->at - begin < 17)
        value = value * 10 + (*s->at++ - '0');
    const ptrdiff_t digits = s->at - begin;
    if (digits == 0 || digits > 16 || (digits > 1 && *begin == '0') || value < min || value > max)
        return false;
    *ret = value;
    return true;
}

static bool take_time(scan *s, bool may_be_unsupported, int64_t *ret)
{
    if (may_be_unsupported && take(s, "null")) {
        *ret = -1;
        return true;
    }
    return take_int(s, 0, CF_TIME_MAX_NS, ret);
}

static int64_t *times_at(cf_round *round, int variant, int cell, size_t offset)
{
    return (int64_t *)(void *)((char *)&round->samples[variant * CF_CELL_COUNT + cell] + offset);
}

static bool take_steps(scan *s, bool may_be_unsupported, int64_t *times)
{
    for (int i = 0; i < CF_STEPS; i++) {
        if (!take_char(s, i ? ',' : '[') || !take_time(s, may_be_unsupported, &times[i]))
            return false;
    }
    return take_char(s, ']');
}

static bool take_field(scan *s, int cell, const cf_sample_field *field, int variant_count, cf_round *round)
{
    if (s->at < s->end && *s->at != '[') {
        int64_t value;
        if (!take_time(s, field->may_be_unsupported, &value))
            return false;
        for (int i = 0; i < variant_count * CF_STEPS; i++)
            times_at(round, i / CF_STEPS, cell, field->offset)[i % CF_STEPS] = value;
        return true;
    }
    for (int variant = 0; variant < variant_count; variant++) {
        if (!take_char(s, variant ? ',' : '[') ||
            !take_steps(s, field->may_be_unsupported, times_at(round, variant, cell, field->offset)))
            return false;
    }
    return take_char(s, ']');
}

static bool take_cell(scan *s, int cell, int variant_count, cf_round *round)
{
    if (!take(s, ",\"") || !take(s, cf_cell_name((cf_cell)cell)) || !take(s, "\":{"))
        return false;
    for (const cf_sample_field *field = cf_sample_fields; field->name; field++) {
        if (field != cf_sample_fields && !take_char(s, ','))
            return false;
        if (!take_char(s, '"') || !take(s, field->name) || !take(s, "\":") ||
            !take_field(s, cell, field, variant_count, round))
            return false;
    }
    return take_char(s, '}');
}

static bool take_marks(scan *s, unsigned *ret)
{
    *ret = 0;
    if (!take(s, ",\"marks\":["))
        return false;
    for (int i = 0; cf_mark_names[i]; i++) {
        scan ahead = *s;
        if (*ret && !take_char(&ahead, ','))
            continue;
        if (take_char(&ahead, '"') && take(&ahead, cf_mark_names[i]) && take_char(&ahead, '"')) {
            *ret |= 1u << i;
            *s = ahead;
        }
    }
    return take_char(s, ']');
}

static bool take_order(scan *s, cf_round *round)
{
    if (!take(s, ",\"order\":"))
        return false;
    for (int i = 0; i < round->order_count; i++) {
        int64_t cell;
        if (!take_char(s, i ? ',' : '[') || !take_int(s, 0, round->order_count - 1, &cell))
            return false;
        round->order[i] = (int)cell;
    }
    return take_char(s, ']') && cf_round_is_permutation(round->order, round->order_count);
}

static bool take_seen(scan *s, int variant_count, cf_seen *seen)
{
    for (int variant = 0; variant < variant_count; variant++) {
        if (!take_char(s, variant ? ',' : '['))
            return false;
        if (take(s, "null"))
            continue;
        if (!take_char(s, '[') || !take_int(s, 0, CF_TIME_MAX_NS, &seen[variant].overlap_ns) || !take_char(s, ',') ||
            !take_int(s, 1, CF_TIME_MAX_NS, &seen[variant].shorter_ns) || !take_char(s, ']'))
            return false;
    }
    return take_char(s, ']');
}

bool cf_round_scan(cf_json_text json, size_t *at, int variant_count, cf_round *round)
{
    scan s = {.at = json.text + *at, .end = json.text + json.size_bytes};
    int64_t process;
    if (round->values)
        return false;
    if (!take(&s, "{\"round\":") || !take_int(&s, 1, CF_TIME_MAX_NS, &round->number) || !take(&s, ",\"process\":") ||
        !take_int(&s, 0, INT_MAX, &process) || !take_marks(&s, &round->marks) || !take_order(&s, round))
        return false;
    round->process = (int)process;
    for (int cell = 0; cell < CF_CELL_COUNT; cell++) {
        if (!take_cell(&s, cell, variant_count, round))
            return false;
    }
    if (take(&s, ",\"seen\":")) {
        if (!take_seen(&s, variant_count, round->seen) || !take_char(&s, '}'))
            return false;
    } else if (take_char(&s, '}')) {
        free(round->seen);
        round->seen = NULL;
    } else {
        return false;
    }
    *at = (size_t)(s.at - json.text);
    return true;
}
