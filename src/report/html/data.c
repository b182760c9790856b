/* What the charts of a record are drawn from, as JSON. Nothing here is not in the record or its judgement. */
#include <math.h>
#include <stdlib.h>

#include "report/html/html.h"
#include "report/metric.h"

#define NS_PER_MS 1e6

static void add_variant(const cf_view *view, const cf_variant_judgement *judged, cf_json *json)
{
    const cf_record_variant *variant = cf_view_variant(view, judged);
    const cf_effect_judgement *effect = &judged->effect;
    cf_json_object_begin(json, NULL, true);
    cf_html_json_text(view, json, "name", variant->name);
    cf_json_string(json, "role", cf_role_name(variant->role));
    cf_json_int(json, "job", variant->job);
    cf_json_string(json, "means", cf_view_meaning(view, judged));
    cf_json_string(json, "reading", cf_reading_name(judged->reading));
    cf_html_json_number(json, "best", judged->best);
    cf_html_json_number(json, "a", judged->a_ms);
    cf_html_json_number(json, "b", judged->b_ms);
    cf_html_json_number(json, "ab", judged->ab_ms);
    cf_html_json_number(json, "exposed", judged->exposed_ms);
    cf_html_json_estimate(json, "overlap", &judged->overlap);
    cf_html_json_estimate(json, "value", view->judgement->metric ? &judged->value : &(cf_estimate){.ok = false});
    cf_html_json_number(json, "seen", judged->seen.ok ? judged->seen.median : (double)NAN);
    cf_json_string(json, "effect", cf_effect_name(effect->verdict));
    cf_html_json_estimate(json, "delta", &effect->delta);
    cf_json_array_begin(json, "slowdown", true);
    for (int cell = 0; cell < CF_CELL_COUNT; cell++)
        cf_html_json_estimate(json, NULL, &judged->slowdown[cell]);
    cf_json_array_end(json);
    cf_json_object_end(json);
}

static void add_variants(const cf_view *view, cf_json *json)
{
    int order[CF_MAX_VARIANTS];
    int count = cf_view_order(view, order);
    cf_json_array_begin(json, "variants", false);
    for (int i = 0; i < view->judgement->variant_count; i++)
        add_variant(view, &view->judgement->variants[i], json);
    cf_json_array_end(json);
    cf_json_array_begin(json, "shown", true);
    for (int i = 0; i < count; i++)
        cf_json_int(json, NULL, order[i]);
    cf_json_array_end(json);
}

/* ---- rounds ---- */

typedef struct points {
    const cf_view *view;
    cf_html_thin thin;
    double *scratch; /* [thin.per] */
} points;

static double number_of(const points *p, const cf_variant_judgement *judged, size_t round)
{
    const cf_round *of = &p->view->record->rounds.items[round];
    return p->view->judgement->metric ? cf_round_value(of, judged->variant)
                                      : cf_round_overlap(of, judged->variant, judged->side);
}

/* One point of a variant: [O] of a round, [median, least, most] of several, null where none was measured. Of a metric
   its number in place of O. */
static void add_point(const points *p, const cf_variant_judgement *judged, size_t first, cf_json *json)
{
    size_t n = 0;
    cf_html_range range;
    for (size_t i = first; i < p->thin.rounds && n < p->thin.per; i++)
        p->scratch[n++] = number_of(p, judged, i);
    if (!cf_html_range_of(p->scratch, n, &range)) {
        cf_json_null(json, NULL);
        return;
    }
    cf_json_array_begin(json, NULL, true);
    cf_html_json_number(json, NULL, range.median);
    if (p->thin.per > 1) {
        cf_html_json_number(json, NULL, range.least);
        cf_html_json_number(json, NULL, range.most);
    }
    cf_json_array_end(json);
}

static void add_numbers(const points *p, cf_json *json)
{
    const cf_rounds *rounds = &p->view->record->rounds;
    cf_json_array_begin(json, "number", true);
    for (size_t i = 0; i < p->thin.rounds; i += p->thin.per)
        cf_json_int(json, NULL, rounds->items[i].number);
    cf_json_array_end(json);
    cf_json_array_begin(json, "process", true);
    for (size_t i = 0; i < p->thin.rounds; i += p->thin.per)
        cf_json_int(json, NULL, rounds->items[i].process);
    cf_json_array_end(json);
    cf_json_array_begin(json, "marks", true);
    for (size_t i = 0; i < p->thin.rounds; i += p->thin.per) {
        unsigned marks = 0;
        for (size_t k = i; k < p->thin.rounds && k < i + p->thin.per; k++)
            marks |= rounds->items[k].marks;
        cf_json_uint(json, NULL, marks);
    }
    cf_json_array_end(json);
}

static cf_status add_rounds(const cf_view *view, cf_json *json, cf_error *err)
{
    points p = {.view = view, .thin = cf_html_thin_of(view->record)};
    p.scratch = calloc(p.thin.per, sizeof *p.scratch);
    if (!p.scratch)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    cf_json_object_begin(json, "rounds", false);
    cf_json_uint(json, "count", p.thin.rounds);
    cf_json_uint(json, "per", p.thin.per);
    add_numbers(&p, json);
    cf_json_array_begin(json, "overlap", false);
    for (int v = 0; v < view->judgement->variant_count; v++) {
        cf_json_array_begin(json, NULL, true);
        for (size_t i = 0; i < p.thin.rounds; i += p.thin.per)
            add_point(&p, &view->judgement->variants[v], i, json);
        cf_json_array_end(json);
    }
    cf_json_array_end(json);
    cf_json_object_end(json);
    free(p.scratch);
    return CF_OK;
}

/* ---- the order of the run ---- */

/* Pairs: variant x 3 + cell, and its time in ms; of a metric variant x 3 + ab, and its number. */
static void add_turn(const cf_round *round, int turn, cf_json *json)
{
    if (!round->samples) {
        cf_json_int(json, NULL, turn * CF_CELL_COUNT + CF_CELL_AB);
        cf_html_json_number(json, NULL, cf_round_value(round, turn));
        return;
    }
    const cf_sample *sample = cf_round_sample(round, turn / CF_CELL_COUNT, (cf_cell)(turn % CF_CELL_COUNT));
    cf_json_int(json, NULL, turn);
    cf_html_json_number(json, NULL, (double)cf_sample_value_ns(sample->wall_ns) / NS_PER_MS);
}

static void add_order(const cf_view *view, cf_json *json)
{
    const cf_rounds *rounds = &view->record->rounds;
    cf_json_array_begin(json, "order", false);
    for (size_t i = 0; i < rounds->count && i < CF_HTML_STRIP_MOST; i++) {
        cf_json_array_begin(json, NULL, true);
        for (int k = 0; k < rounds->items[i].order_count; k++) {
            const int turn = rounds->items[i].order[k];
            if (rounds->items[i].samples || cf_metric_ran(view, &rounds->items[i], turn))
                add_turn(&rounds->items[i], turn, json);
        }
        cf_json_array_end(json);
    }
    cf_json_array_end(json);
}

/* ---- spans ---- */

static void add_span(const cf_view *view, const cf_record_span *span, cf_json *json)
{
    cf_json_array_begin(json, NULL, true);
    cf_json_int(json, NULL, span->variant);
    cf_html_json_number(json, NULL, (double)span->begin_ns / NS_PER_MS);
    cf_html_json_number(json, NULL, (double)span->end_ns / NS_PER_MS);
    cf_html_json_number(json, NULL, span->queued_ns < 0 ? (double)NAN : (double)span->queued_ns / NS_PER_MS);
    cf_html_json_text(view, json, NULL, span->engine);
    cf_json_int(json, NULL, span->stream);
    cf_json_int(json, NULL, span->lane);
    cf_json_int(json, NULL, span->index);
    cf_html_json_text(view, json, NULL, span->what);
    cf_html_json_text(view, json, NULL, span->waited_for);
    cf_json_bool(json, NULL, span->instrumented);
    cf_json_int(json, NULL, span->id);
    cf_json_int(json, NULL, span->waits_for);
    cf_json_array_end(json);
}

static void add_spans(const cf_view *view, cf_json *json)
{
    cf_json_array_begin(json, "spans", false);
    for (size_t i = 0; i < view->record->span_count && i < CF_HTML_SPANS_MOST; i++)
        add_span(view, &view->record->spans[i], json);
    cf_json_array_end(json);
}

static void add_against(const cf_view *view, cf_json *json)
{
    const cf_against_judgement *against = &view->judgement->against;
    if (!against->ok) {
        cf_json_null(json, "against");
        return;
    }
    cf_json_object_begin(json, "against", true);
    cf_html_json_text(view, json, "first", view->record->job.name);
    cf_html_json_text(view, json, "second", view->record->against.name);
    cf_json_int(json, "variant", against->variant);
    cf_json_string(json, "verdict", against->verdict);
    cf_json_string(json, "exposed_verdict", against->exposed_verdict);
    cf_html_json_estimate(json, "ab_change", &against->ab_change);
    cf_html_json_estimate(json, "exposed_change", &against->exposed_change);
    cf_json_object_end(json);
}

static void add_metric(const cf_view *view, cf_json *json)
{
    char label[2 * CF_VIEW_NAME_BYTES];
    if (!view->judgement->metric) {
        cf_json_null(json, "metric");
        return;
    }
    cf_json_object_begin(json, "metric", true);
    cf_json_string(json, "label", cf_metric_column(view, label, sizeof label));
    cf_json_string(json, "better", cf_better_names[view->record->metric.better]);
    cf_json_object_end(json);
}

cf_status cf_html_record_data(const cf_view *view, cf_json *json, cf_error *err)
{
    cf_json_object_begin(json, NULL, false);
    cf_html_json_number(json, "margin", view->judgement->margin);
    cf_html_json_number(json, "low", CF_READ_LOW);
    cf_html_json_number(json, "high", CF_READ_HIGH);
    cf_json_bool(json, "simulated", view->record->simulated);
    add_metric(view, json);
    add_variants(view, json);
    cf_status status = add_rounds(view, json, err);
    add_order(view, json);
    add_spans(view, json);
    add_against(view, json);
    cf_json_object_end(json);
    return status;
}
