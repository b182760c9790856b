/* What is written of one record: the first screen, then a figure with its table for each question. */
#include <math.h>
#include <stdio.h>

#include "report/html/html.h"
#include "report/metric.h"
#include "report/table.h"

typedef struct figures {
    const cf_view *view;
    int record, count, order[CF_MAX_VARIANTS];
    cf_text *out;
} figures;

static const cf_variant_judgement *shown(const figures *f, int i)
{
    return &f->view->judgement->variants[f->order[i]];
}

static const char *name_of(const figures *f, const cf_variant_judgement *judged, char buf[CF_VIEW_NAME_BYTES])
{
    return cf_view_name(f->view, cf_view_variant(f->view, judged)->name, buf);
}

static void row(const figures *f, cf_html_table *table, const cf_variant_judgement *judged)
{
    char name[CF_VIEW_NAME_BYTES];
    cf_html_row(table);
    cf_html_cell(table, name_of(f, judged, name));
}

static void cell_count(cf_html_table *table, long count)
{
    char number[32];
    snprintf(number, sizeof number, "%ld", count);
    cf_html_cell(table, count > 0 ? number : "-");
}

static void begin(const figures *f, const char *kind, const char *title, const char *lead)
{
    cf_html_figure_begin(f->out, kind, f->record, title, lead);
}

/* ---- overlap ---- */

static void add_overlap_rows(const figures *f)
{
    static const char *const heads[] = {
        "variant", "", "#overlap [95 %]", "#the instrument saw", "reads as", "since round", "means", NULL};
    cf_html_table table;
    cf_html_table_begin(&table, f->out, "Numbers: overlap", heads, false);
    for (int i = 0; i < f->count; i++) {
        const cf_variant_judgement *judged = shown(f, i);
        cf_text bar = {0};
        cf_view_bar(&bar, judged->overlap.ok ? judged->overlap.median : (double)NAN, 10, true);
        row(f, &table, judged);
        cf_html_cell(&table, bar.data ? bar.data : "");
        cf_html_cell_estimate(&table, &judged->overlap);
        cf_html_cell_number(&table, judged->seen.ok ? judged->seen.median : (double)NAN, 2);
        cf_html_cell(&table, cf_reading_name(judged->reading));
        cell_count(&table, judged->reading_at);
        cf_html_cell(&table, cf_view_meaning(f->view, judged));
        f->out->failed |= bar.failed;
        cf_text_done(&bar);
    }
    cf_html_table_end(&table, "Overlap is (A + B - AB) / the shorter lane, by the host's clock; never clamped.");
}

static void add_overlap(const figures *f)
{
    begin(
        f, "overlap", "Which variant changed the answer?",
        "Overlap of the two lanes, by the host's clock: 1 = the shorter lane costs nothing, 0 = one after the other.");
    add_overlap_rows(f);
    cf_html_figure_end(f->out);
}

/* ---- the number of a metric experiment ---- */

static void add_values(const figures *f)
{
    char column[2 * CF_VIEW_NAME_BYTES], number_head[2 * CF_VIEW_NAME_BYTES + 8], lead[2 * CF_VIEW_NAME_BYTES + 80];
    const char *heads[] = {"arm", number_head, "#least", "#most", "#change [95 %]", "means", NULL};
    cf_html_table table;
    cf_metric_column(f->view, column, sizeof column);
    snprintf(number_head, sizeof number_head, "#%s", column);
    snprintf(lead, sizeof lead, "%s, in every round; %s is better.", column,
             cf_better_names[f->view->record->metric.better]);
    begin(f, "values", "Which arm changed the number?", lead);
    cf_html_table_begin(&table, f->out, "Numbers: each arm", heads, false);
    for (int i = 0; i < f->count; i++) {
        const cf_variant_judgement *judged = shown(f, i);
        const double ends[] = {judged->value.median, judged->value.low, judged->value.high};
        char number[CF_VIEW_NUMBER_BYTES];
        row(f, &table, judged);
        for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++)
            cf_html_cell(&table,
                         cf_metric_number(judged->value.ok && isfinite(ends[k]) ? ends[k] : (double)NAN, number));
        cf_html_cell(&table, judged->variant == 0 ? "-" : cf_metric_change(judged, number));
        cf_html_cell(&table, cf_view_meaning(f->view, judged));
    }
    cf_html_table_end(&table, "Least and most are the ends of the 95 % interval of the median.");
    cf_html_figure_end(f->out);
}

/* ---- times, effects, slowdown ---- */

static void add_times(const figures *f)
{
    static const char *const heads[] = {"variant",     "#A ms",      "#B ms",       "#AB ms",
                                        "#exposed ms", "#submit ms", "#blocked ms", NULL};
    int decimals = cf_table_decimals(f->view, 8);
    cf_html_table table;
    begin(
        f, "times", "What does a step take?",
        "AB, both lanes together. Its exposed part is what a perfect overlap would save; marks show each lane alone.");
    cf_html_table_begin(&table, f->out, "Numbers: times of a step", heads, false);
    for (int i = 0; i < f->count; i++) {
        const cf_variant_judgement *judged = shown(f, i);
        const double times[] = {judged->a_ms,       judged->b_ms,      judged->ab_ms,
                                judged->exposed_ms, judged->submit_ms, judged->blocked_ms};
        row(f, &table, judged);
        for (size_t k = 0; k < sizeof times / sizeof times[0]; k++)
            cf_html_cell_number(&table, times[k], decimals);
    }
    cf_html_table_end(&table, "Medians over the rounds. The row none is the one that may be quoted as product speed.");
    cf_html_figure_end(f->out);
}

static void add_effect_row(const figures *f, cf_html_table *table, const cf_variant_judgement *judged)
{
    const cf_effect_judgement *effect = &judged->effect;
    cf_text because = {0};
    for (int i = 0; i < judged->because.count; i++)
        cf_text_add(&because, "%s%s", i ? "; " : "", cf_because_meaning(judged->because.items[i]));
    row(f, table, judged);
    cf_html_cell_estimate(table, &effect->delta);
    cf_html_cell(table, cf_effect_name(effect->verdict));
    cell_count(table, effect->decided_at);
    cell_count(table, effect->more_rounds);
    cf_html_cell(table, effect->flips ? "yes" : "no");
    cf_html_cell(table, because.data ? because.data : "");
    f->out->failed |= because.failed;
    cf_text_done(&because);
}

static void add_effects(const figures *f)
{
    static const char *const heads[] = {"variant",      "#effect [95 %]",      "verdict", "since round",
                                        "rounds to go", "changes the reading", "because", NULL};
    char lead[256], margin[CF_VIEW_NUMBER_BYTES];
    cf_html_table table;
    snprintf(lead, sizeof lead, "%s, paired in the round. Within the margin of %s %s is clear, beyond it confounded.",
             f->view->judgement->metric ? "How much worse (+) or better (-) the number is than the control's"
                                        : "Overlap with the instrument less overlap without",
             cf_text_shortest(f->view->judgement->margin, margin, sizeof margin),
             f->view->judgement->metric ? "of it an arm" : "an instrument");
    begin(f, "effect",
          f->view->judgement->metric ? "How much does each arm change?" : "How much does each instrument change?",
          lead);
    cf_html_table_begin(&table, f->out, "Numbers: effects", heads, false);
    for (int i = 0; i < f->count; i++) {
        if (cf_effect_name(shown(f, i)->effect.verdict))
            add_effect_row(f, &table, shown(f, i));
    }
    cf_html_table_end(&table, NULL);
    cf_html_figure_end(f->out);
}

static void add_slowdown(const figures *f)
{
    static const char *const heads[] = {"variant", "#A [95 %]", "#B [95 %]", "#AB [95 %]", NULL};
    cf_html_table table;
    begin(f, "slowdown", "What does each variant cost?",
          "Wall of a step against the control's, paired in the round: 1 = as fast as with no instrument.");
    cf_html_table_begin(&table, f->out, "Numbers: slowdown", heads, false);
    for (int i = 0; i < f->count; i++) {
        row(f, &table, shown(f, i));
        for (int cell = 0; cell < CF_CELL_COUNT; cell++)
            cf_html_cell_estimate(&table, &shown(f, i)->slowdown[cell]);
    }
    cf_html_table_end(&table, NULL);
    cf_html_figure_end(f->out);
}

static void add_against(const figures *f)
{
    static const char *const heads[] = {
        "", "#first ms", "#second ms", "#change % of the first's AB [95 %]", "the second is", NULL};
    const cf_against_judgement *against = &f->view->judgement->against;
    char number[CF_VIEW_NUMBER_BYTES];
    cf_html_table table;
    if (!against->ok)
        return;
    begin(f, "against", "Does the second design pay?",
          "The two designs with no instrument on, interleaved in one run: a step of both lanes, and its exposed part.");
    cf_html_table_begin(&table, f->out, "Numbers: the two designs", heads, false);
    cf_html_row(&table);
    cf_html_cell(&table, "AB");
    cf_html_cell_number(&table, against->ab_ms[0], 3);
    cf_html_cell_number(&table, against->ab_ms[1], 3);
    cf_html_cell(&table, cf_view_estimate(&against->ab_change, 100, number));
    cf_html_cell(&table, against->verdict);
    cf_html_row(&table);
    cf_html_cell(&table, "exposed");
    cf_html_cell_number(&table, against->exposed_ms[0], 3);
    cf_html_cell_number(&table, against->exposed_ms[1], 3);
    cf_html_cell(&table, cf_view_estimate(&against->exposed_change, 100, number));
    cf_html_cell(&table, against->exposed_verdict);
    cf_html_table_end(&table, NULL);
    cf_html_figure_end(f->out);
}

/* ---- the run ---- */

static void add_round_rows(const figures *f, cf_html_table *table)
{
    const cf_rounds *rounds = &f->view->record->rounds;
    for (size_t i = 0; i < rounds->count && i < CF_HTML_ROWS_MOST; i++) {
        char number[32];
        snprintf(number, sizeof number, "%lld", (long long)rounds->items[i].number);
        cf_html_row(table);
        cf_html_cell(table, number);
        for (int k = 0; k < f->count; k++) {
            const cf_variant_judgement *judged = shown(f, k);
            char value[CF_VIEW_NUMBER_BYTES];
            if (f->view->judgement->metric)
                cf_html_cell(table, cf_metric_number(cf_round_value(&rounds->items[i], judged->variant), value));
            else
                cf_html_cell_number(table, cf_round_overlap(&rounds->items[i], judged->variant, judged->side), 3);
        }
    }
}

static const char *where_the_rest_is(const figures *f, size_t most, char *buf, size_t buf_bytes)
{
    size_t count = f->view->record->rounds.count;
    if (count <= most)
        return NULL;
    snprintf(buf, buf_bytes, "The first %zu of %zu rounds. All of them: confound report RECORD.json --format csv", most,
             count);
    return buf;
}

static void add_rounds(const figures *f)
{
    char names[CF_MAX_VARIANTS][CF_VIEW_NAME_BYTES + 1], rest[160], lead[320];
    const char *heads[CF_MAX_VARIANTS + 2] = {"#round"};
    cf_html_thin thin = cf_html_thin_of(f->view->record);
    const char *what = f->view->judgement->metric ? "The number" : "Overlap";
    for (int i = 0; i < f->count; i++) {
        char name[CF_VIEW_NAME_BYTES];
        snprintf(names[i], sizeof names[i], "#%s", name_of(f, shown(f, i), name));
        heads[i + 1] = names[i];
    }
    if (thin.per > 1)
        snprintf(lead, sizeof lead,
                 "%s over the run: drift, jumps and two modes would be visible here. %zu rounds are drawn as %zu "
                 "points: each is the median of %zu rounds in a row, its line goes from the least to the most.",
                 what, thin.rounds, thin.points, thin.per);
    else
        snprintf(lead, sizeof lead, "%s over the run: drift, jumps and two modes would be visible here.", what);
    begin(f, "rounds", "Did it hold from round to round?", lead);
    cf_html_table table;
    cf_html_table_begin(&table, f->out, "Numbers: by round", heads, false);
    add_round_rows(f, &table);
    cf_html_table_end(&table, where_the_rest_is(f, CF_HTML_ROWS_MOST, rest, sizeof rest));
    cf_html_figure_end(f->out);
}

static void add_order_row(const figures *f, const cf_round *round, cf_html_table *table)
{
    char number[32], name[CF_VIEW_NAME_BYTES];
    cf_text text = {0};
    for (int k = 0; k < round->order_count; k++) {
        int cells = round->samples ? CF_CELL_COUNT : 1;
        if (!cf_metric_ran(f->view, round, round->order[k] / cells))
            continue;
        const cf_record_variant *variant = &f->view->record->variants[round->order[k] / cells];
        cf_text_add(&text, "%s%s%s%s", text.size_bytes ? ", " : "", cf_view_name(f->view, variant->name, name),
                    cells > 1 ? " " : "", cells > 1 ? cf_cell_name((cf_cell)(round->order[k] % cells)) : "");
    }
    snprintf(number, sizeof number, "%lld", (long long)round->number);
    cf_html_row(table);
    cf_html_cell(table, number);
    cf_html_cell(table, text.data ? text.data : "");
    f->out->failed |= text.failed;
    cf_text_done(&text);
}

static void add_order(const figures *f)
{
    static const char *const heads[] = {"#round", "in the order in which it ran", NULL};
    const cf_rounds *rounds = &f->view->record->rounds;
    char lead[320], rest[160];
    int length = snprintf(lead, sizeof lead,
                          "Each column is a round, each field what ran in it, from top to bottom: in a controlled "
                          "experiment no variant keeps a place of its own.");
    if (rounds->count > CF_HTML_STRIP_MOST)
        snprintf(lead + length, sizeof lead - (size_t)length, " The first %d of %zu rounds are drawn.",
                 CF_HTML_STRIP_MOST, rounds->count);
    begin(f, "order", "What ran when?", lead);
    cf_html_table table;
    cf_html_table_begin(&table, f->out, "The order in words", heads, false);
    for (size_t i = 0; i < rounds->count && i < CF_HTML_STRIP_MOST; i++)
        add_order_row(f, &rounds->items[i], &table);
    cf_html_table_end(&table, where_the_rest_is(f, CF_HTML_STRIP_MOST, rest, sizeof rest));
    cf_html_figure_end(f->out);
}

/* ---- timelines ---- */

static void add_span_row(const figures *f, const cf_record_span *span, cf_html_table *table)
{
    char text[512];
    cf_html_row(table);
    cf_html_cell(table, cf_view_name(f->view, f->view->record->variants[span->variant].name, text));
    cf_html_cell(table, cf_view_text(f->view, span->engine, text, sizeof text));
    snprintf(text, sizeof text, "%d", span->stream);
    cf_html_cell(table, text);
    cf_html_cell(table, cf_view_text(f->view, span->what, text, sizeof text));
    snprintf(text, sizeof text, "%lld", (long long)span->index);
    cf_html_cell(table, text);
    cf_html_cell_number(table, span->queued_ns < 0 ? (double)NAN : (double)span->queued_ns / 1e6, 4);
    cf_html_cell_number(table, (double)span->begin_ns / 1e6, 4);
    cf_html_cell_number(table, (double)span->end_ns / 1e6, 4);
    cf_html_cell(table, span->waited_for ? cf_view_text(f->view, span->waited_for, text, sizeof text) : "");
    cf_html_cell(table, span->instrumented ? "an instrument's timestamps" : "the device's own truth");
}

static bool any_instrumented(const cf_record *record)
{
    for (size_t i = 0; i < record->span_count; i++) {
        if (record->spans[i].instrumented)
            return true;
    }
    return false;
}

static void add_timeline(const figures *f)
{
    static const char *const heads[] = {"variant",    "engine",      "#stream",    "what",
                                        "#operation", "#visible ms", "#begins ms", "#ends ms",
                                        "waited for", "known from",  NULL};
    const cf_record *record = f->view->record;
    char rest[160];
    if (record->span_count == 0)
        return;
    char lead[640], how[384];
    int length =
        snprintf(lead, sizeof lead, "%s",
                 any_instrumented(record) ? "Instrumented: taken from an instrument's timestamps, and not the verdict."
                                          : "As the device executed it, for two variants on one scale.");
    if (record->spans_how && length > 0)
        snprintf(lead + length, sizeof lead - (size_t)length, " Taken of %s.",
                 cf_view_text(f->view, record->spans_how, how, sizeof how));
    begin(f, "timeline", "What happened on the device?", lead);
    cf_html_table table;
    cf_html_table_begin(&table, f->out, "Numbers: commands", heads, false);
    for (size_t i = 0; i < record->span_count && i < CF_HTML_ROWS_MOST; i++)
        add_span_row(f, &record->spans[i], &table);
    snprintf(rest, sizeof rest, "The first %d of %zu commands; the record has all of them under spans.",
             CF_HTML_ROWS_MOST, record->span_count);
    cf_html_table_end(&table, record->span_count > CF_HTML_ROWS_MOST ? rest : NULL);
    cf_html_figure_end(f->out);
}

/* ---- all of it ---- */

static void add_pair_begin(cf_text *out)
{
    cf_text_add(out, "<div class=\"pair\">\n");
}

static void add_pair_end(cf_text *out)
{
    cf_text_add(out, "</div>\n");
}

void cf_html_record(const cf_view *view, int record, cf_text *out)
{
    figures f = {.view = view, .record = record, .out = out};
    bool metric = view->judgement->metric;
    f.count = cf_view_order(view, f.order);
    cf_html_first_screen(view, out);
    if (metric) {
        add_values(&f);
    } else {
        add_overlap(&f);
        add_timeline(&f);
        add_against(&f);
    }
    cf_html_add_notes(view, out);
    add_pair_begin(out);
    add_effects(&f);
    if (metric)
        add_rounds(&f);
    else
        add_times(&f);
    add_pair_end(out);
    if (!metric) {
        add_pair_begin(out);
        add_rounds(&f);
        add_slowdown(&f);
        add_pair_end(out);
    }
    add_order(&f);
    cf_html_add_facts(view, out);
}
