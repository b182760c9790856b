/* Tidy CSV: quoted as RFC 4180 says, lines end in \n alone. */
#include <string.h>

#include "report/metric.h"
#include "report/set.h"

/* A spreadsheet takes a cell that begins with one of these for a formula; a quotation mark in front keeps it text. */
static bool looks_like_formula(const char *s)
{
    return s[0] && strchr("=+-@\t\r", s[0]) != NULL;
}

void cf_csv_add_string(cf_text *out, const char *s)
{
    char safe[1024];
    cf_text_safe(s ? s : "", safe, sizeof safe);
    const char *guard = looks_like_formula(safe) ? "'" : "";
    if (!strpbrk(safe, ",\"") && !*guard) {
        cf_text_add(out, "%s", safe);
        return;
    }
    cf_text_add(out, "\"%s", guard);
    for (const char *at = safe; *at; at++)
        cf_text_add(out, "%s%c", *at == '"' ? "\"" : "", *at);
    cf_text_add(out, "\"");
}

/* Empty = unsupported. */
static void add_time(cf_text *out, int64_t ns)
{
    if (ns >= 0)
        cf_text_add(out, ",%lld", (long long)ns);
    else
        cf_text_add(out, ",");
}

static int position_of(const cf_round *round, int variant, int cell)
{
    for (int i = 0; i < round->order_count; i++) {
        if (round->order[i] == variant * CF_CELL_COUNT + cell)
            return i + 1;
    }
    return 0;
}

static void add_cell(const cf_record *record, const char *name, const cf_round *round, int variant, int cell,
                     cf_text *out)
{
    const cf_sample *sample = cf_round_sample(round, variant, (cf_cell)cell);
    int position = position_of(round, variant, cell);
    for (int step = 0; step < CF_STEPS; step++) {
        if (name) {
            cf_csv_add_string(out, name);
            cf_text_add(out, ",");
        }
        cf_text_add(out, "%lld,%d,", (long long)round->number, round->process);
        cf_csv_add_string(out, record->variants[variant].name);
        cf_text_add(out, ",%s,%s,%d,%d", cf_role_name(record->variants[variant].role), cf_cell_name((cf_cell)cell),
                    step + 1, position);
        add_time(out, sample->wall_ns[step]);
        add_time(out, sample->submit_ns[step]);
        add_time(out, sample->blocked_ns[step]);
        add_time(out, sample->delay_ns[step]);
        cf_text_add(out, "\n");
    }
}

#define HEADER "round,process,variant,role,cell,step,position,wall_ns,submit_ns,blocked_ns,delay_ns\n"

static void add_rounds(const cf_record *record, const char *name, cf_text *out)
{
    for (size_t i = 0; i < record->rounds.count; i++) {
        for (int variant = 0; variant < record->variant_count; variant++) {
            for (int cell = 0; cell < CF_CELL_COUNT; cell++)
                add_cell(record, name, &record->rounds.items[i], variant, cell, out);
        }
    }
}

cf_status cf_report_csv(const cf_record *record, cf_text *out, cf_error *err)
{
    if (record->metric.on) {
        cf_metric_csv(record, out);
    } else {
        cf_text_add(out, HEADER);
        add_rounds(record, NULL, out);
    }
    return out->failed ? cf_error_set(err, CF_MEMORY, "out of memory") : CF_OK;
}

cf_status cf_report_csv_add(const cf_record *record, const char *name, cf_text *out, cf_error *err)
{
    if (!out->size_bytes)
        cf_text_add(out, "record," HEADER);
    add_rounds(record, name, out);
    return out->failed ? cf_error_set(err, CF_MEMORY, "out of memory") : CF_OK;
}
