/* Numbers of a metric experiment as a table: text, Markdown, CSV. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/metric.h"
#include "report/set.h"
#include "report/table.h"
#include "report/wrap.h"

#define NUMBER_COLUMNS 11
#define CHANGE_COLUMNS 26
#define CPU_COLUMNS    9
#define MEANS_COLUMNS  12
#define NAME_LEAST     10

static double cpu_ms(const cf_variant_judgement *judged)
{
    return judged->user_ms + judged->system_ms;
}

static const char *change_of(const cf_variant_judgement *judged, char buf[CF_VIEW_NUMBER_BYTES])
{
    return judged->variant == 0 ? "" : cf_metric_change(judged, buf);
}

static size_t name_columns(const cf_view *view, size_t most)
{
    size_t columns = NAME_LEAST;
    for (int v = 0; v < view->record->variant_count; v++) {
        char name[CF_VIEW_NAME_BYTES];
        size_t own = cf_text_columns(cf_view_name(view, view->record->variants[v].name, name));
        columns = own > columns ? own : columns;
    }
    return columns < most ? columns : most;
}

static void add_row(const cf_view *view, const cf_variant_judgement *judged, size_t columns, bool facts, cf_text *out)
{
    char name[CF_VIEW_NAME_BYTES], number[CF_VIEW_NUMBER_BYTES], change[CF_VIEW_NUMBER_BYTES],
        cpu[CF_VIEW_NUMBER_BYTES];
    cf_report_cell(out, cf_view_name(view, cf_view_variant(view, judged)->name, name), columns, view->style.utf8);
    cf_text_add(out, "%*s", NUMBER_COLUMNS,
                cf_metric_number(judged->value.ok ? judged->value.median : (double)NAN, number));
    cf_text_add(out, "  %*.*s", CHANGE_COLUMNS - 2, CHANGE_COLUMNS - 2, change_of(judged, change));
    if (facts)
        cf_text_add(out, "%*s", CPU_COLUMNS, cf_metric_number(cpu_ms(judged), cpu));
    const char *meaning = cf_view_meaning(view, judged);
    const char *color = view->style.color ? cf_table_color(meaning) : NULL;
    cf_text_add(out, "  %s%s%s\n", color ? color : "", meaning, color ? "\033[0m" : "");
}

void cf_metric_table(const cf_view *view, cf_text *out)
{
    bool facts = cf_metric_has_facts(view);
    size_t fixed = NUMBER_COLUMNS + CHANGE_COLUMNS + (facts ? CPU_COLUMNS : 0) + 2 + MEANS_COLUMNS;
    size_t columns = name_columns(view, (size_t)view->style.columns - fixed);
    char title[2 * CF_VIEW_NAME_BYTES], cell[2 * CF_VIEW_NAME_BYTES];
    cf_metric_column(view, title, sizeof title);
    snprintf(cell, sizeof cell, "%s", cf_text_columns(title) < NUMBER_COLUMNS ? title : "value");
    cf_report_cell(out, "arm", columns, true);
    for (size_t blank = cf_text_columns(cell); blank < NUMBER_COLUMNS; blank++)
        cf_text_add(out, " ");
    cf_text_add(out, "%s%*s", cell, CHANGE_COLUMNS, "change [95 %]");
    if (facts)
        cf_text_add(out, "%*s", CPU_COLUMNS, "CPU ms");
    cf_text_add(out, "  means\n");
    int order[CF_MAX_VARIANTS];
    int count = cf_view_order(view, order);
    for (int i = 0; i < count; i++)
        add_row(view, &view->judgement->variants[order[i]], columns, facts, out);
}

static void add_markdown_row(const cf_view *view, const cf_variant_judgement *judged, bool facts, cf_text *out)
{
    char text[512], number[CF_VIEW_NUMBER_BYTES];
    const cf_record_variant *variant = cf_view_variant(view, judged);
    cf_text_add(out, "| ");
    cf_text_add_markdown(out, cf_view_name(view, variant->name, text));
    cf_text_add(out, " | ");
    if (variant->prefix)
        cf_text_add_markdown(out, cf_view_text(view, variant->prefix, text, sizeof text));
    cf_text_add(out, " | %s", cf_metric_number(judged->value.ok ? judged->value.median : (double)NAN, number));
    cf_text_add(out, " | %s", change_of(judged, number));
    if (facts)
        cf_text_add(out, " | %s", cf_metric_number(cpu_ms(judged), number));
    const char *meaning = cf_view_meaning(view, judged);
    bool loud = !strcmp(meaning, "CONFOUNDED") || !strcmp(meaning, "quote this");
    cf_text_add(out, " | %ld | %s%s%s |\n", judged->measured, loud ? "**" : "", meaning, loud ? "**" : "");
}

void cf_metric_markdown_table(const cf_view *view, cf_text *out)
{
    bool facts = cf_metric_has_facts(view);
    char column[2 * CF_VIEW_NAME_BYTES];
    cf_text_add(out, "| arm | before the program | ");
    cf_text_add_markdown(out, cf_metric_column(view, column, sizeof column));
    cf_text_add(out, " | change [95 %%] |%s rounds | means |\n|---|---|--:|--:|%s--:|---|\n", facts ? " CPU ms |" : "",
                facts ? "--:|" : "");
    int order[CF_MAX_VARIANTS];
    int count = cf_view_order(view, order);
    for (int i = 0; i < count; i++)
        add_markdown_row(view, &view->judgement->variants[order[i]], facts, out);
    cf_text_add(out, "\n");
}

/* ---- CSV ---- */

static int position_of(const cf_round *round, int variant)
{
    for (int i = 0; i < round->order_count; i++)
        if (round->order[i] == variant)
            return i + 1;
    return 0;
}

static void add_facts(const cf_process_facts *facts, cf_text *out)
{
    if (!facts || !facts->known) {
        cf_text_add(out, ",,,,,");
        return;
    }
    cf_text_add(out, ",%lld,%lld,%lld,%lld,", (long long)facts->wall_ns, (long long)facts->user_ns,
                (long long)facts->system_ns, (long long)facts->max_rss_bytes);
    if (facts->delay_ns >= 0)
        cf_text_add(out, "%lld", (long long)facts->delay_ns);
}

static void add_values(const cf_record *record, const cf_round *round, int variant, cf_text *out)
{
    const cf_values *values = &round->values[variant];
    for (size_t i = 0; i < values->count; i++) {
        char number[32];
        cf_text_add(out, "%lld,%d,", (long long)round->number, round->process);
        cf_csv_add_string(out, record->variants[variant].name);
        cf_text_add(out, ",%s,%d,%zu,%s", cf_role_name(record->variants[variant].role), position_of(round, variant),
                    i + 1, cf_text_shortest(values->items[i], number, sizeof number));
        add_facts(round->facts ? &round->facts[variant] : NULL, out);
        cf_text_add(out, "\n");
    }
}

void cf_metric_csv(const cf_record *record, cf_text *out)
{
    cf_text_add(out, "round,process,arm,role,position,index,value,wall_ns,user_ns,system_ns,max_rss_bytes,delay_ns\n");
    for (size_t i = 0; i < record->rounds.count; i++)
        for (int v = 0; v < record->variant_count; v++)
            add_values(record, &record->rounds.items[i], v, out);
}
