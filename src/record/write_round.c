/* A round as one line. Written without cf_json: a long run has a million numbers, and blanks would be a fifth of it. */
#include <stddef.h>
#include <string.h>

#include "record/metric.h"
#include "record/names.h"
#include "record/write.h"

static void add(cf_text *out, const char *s)
{
    cf_text_add_bytes(out, s, strlen(s));
}

static void add_int(cf_text *out, int64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do
        digits[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        digits[--at] = '-';
    cf_text_add_bytes(out, digits + at, sizeof digits - at);
}

static void add_time(cf_text *out, int64_t time_ns)
{
    if (time_ns < 0)
        add(out, "null");
    else
        add_int(out, time_ns);
}

static void add_steps(cf_text *out, const int64_t *times)
{
    for (int i = 0; i < CF_STEPS; i++) {
        add(out, i ? "," : "[");
        add_time(out, times[i]);
    }
    add(out, "]");
}

/* Times that stand at the same place of each sample of the cell. */
static const int64_t *times_at(const cf_round *round, int variant, cf_cell cell, size_t offset)
{
    return (const int64_t *)(const void *)((const char *)cf_round_sample(round, variant, cell) + offset);
}

static bool all_same(const cf_round *round, int variant_count, cf_cell cell, size_t offset)
{
    const int64_t first = times_at(round, 0, cell, offset)[0];
    for (int variant = 0; variant < variant_count; variant++) {
        const int64_t *times = times_at(round, variant, cell, offset);
        for (int i = 0; i < CF_STEPS; i++) {
            if (times[i] != first)
                return false;
        }
    }
    return true;
}

static void add_field(cf_text *out, const cf_round *round, int variant_count, cf_cell cell, size_t offset)
{
    /* Walls are written in full always: they are what a reader of the file looks for. */
    if (offset != offsetof(cf_sample, wall_ns) && all_same(round, variant_count, cell, offset)) {
        add_time(out, times_at(round, 0, cell, offset)[0]);
        return;
    }
    for (int variant = 0; variant < variant_count; variant++) {
        add(out, variant ? "," : "[");
        add_steps(out, times_at(round, variant, cell, offset));
    }
    add(out, "]");
}

static void add_cell(cf_text *out, const cf_round *round, int variant_count, cf_cell cell)
{
    add(out, ",\"");
    add(out, cf_cell_name(cell));
    for (size_t i = 0; cf_sample_fields[i].name; i++) {
        add(out, i ? ",\"" : "\":{\"");
        add(out, cf_sample_fields[i].name);
        add(out, "\":");
        add_field(out, round, variant_count, cell, cf_sample_fields[i].offset);
    }
    add(out, "}");
}

static void add_marks(cf_text *out, unsigned marks)
{
    add(out, ",\"marks\":[");
    const char *comma = "";
    for (int i = 0; cf_mark_names[i]; i++) {
        if (!(marks >> i & 1))
            continue;
        add(out, comma);
        add(out, "\"");
        add(out, cf_mark_names[i]);
        add(out, "\"");
        comma = ",";
    }
    add(out, "]");
}

static void add_seen(cf_text *out, const cf_seen *seen, int variant_count)
{
    bool any = false;
    for (int variant = 0; seen && variant < variant_count; variant++)
        any = any || seen[variant].shorter_ns > 0;
    if (!any)
        return;
    add(out, ",\"seen\":[");
    for (int variant = 0; variant < variant_count; variant++) {
        if (variant)
            add(out, ",");
        if (seen[variant].shorter_ns <= 0) {
            add(out, "null");
            continue;
        }
        add(out, "[");
        add_int(out, seen[variant].overlap_ns);
        add(out, ",");
        add_int(out, seen[variant].shorter_ns);
        add(out, "]");
    }
    add(out, "]");
}

void cf_write_round(cf_text *out, const cf_round *round, int variant_count)
{
    add(out, "{\"round\":");
    add_int(out, round->number);
    add(out, ",\"process\":");
    add_int(out, round->process);
    add_marks(out, round->marks);
    add(out, ",\"order\":[");
    for (int i = 0; i < round->order_count; i++) {
        if (i)
            add(out, ",");
        add_int(out, round->order[i]);
    }
    add(out, "]");
    if (round->values) {
        cf_write_metric_round(out, round, variant_count);
    } else {
        for (int cell = 0; cell < CF_CELL_COUNT; cell++)
            add_cell(out, round, variant_count, (cf_cell)cell);
        add_seen(out, round->seen, variant_count);
    }
    add(out, "}");
}
