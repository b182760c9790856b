#include <stdio.h>

#include "base/json_out.h"
#include "verdict/controls.h"
#include "verdict/verdict.h"

static void print_reasons(cf_json *json, const char *key, const cf_reasons *reasons)
{
    cf_json_array_begin(json, key, true);
    for (int i = 0; i < reasons->count; i++)
        cf_json_string(json, NULL, cf_because_word(reasons->items[i]));
    cf_json_array_end(json);
}

static void print_interval(cf_json *json, const char *key, const cf_estimate *estimate)
{
    cf_json_array_begin(json, key, true);
    cf_json_double(json, NULL, estimate->low);
    cf_json_double(json, NULL, estimate->high);
    cf_json_array_end(json);
}

/* interval NULL = median only. */
static void print_estimate(cf_json *json, const char *key, const cf_estimate *estimate, const char *interval)
{
    if (!estimate->ok) {
        cf_json_null(json, key);
        return;
    }
    cf_json_object_begin(json, key, true);
    cf_json_double(json, "median", estimate->median);
    if (interval)
        print_interval(json, interval, estimate);
    cf_json_object_end(json);
}

static void print_round(cf_json *json, const char *key, long round)
{
    if (round > 0)
        cf_json_int(json, key, round);
    else
        cf_json_null(json, key);
}

static void print_settings(cf_json *json, const cf_judgement *judgement)
{
    cf_json_object_begin(json, "settings", true);
    cf_json_double(json, "margin", judgement->margin);
    cf_json_double(json, "alpha", judgement->alpha);
    cf_json_int(json, "min_rounds", judgement->min_rounds);
    cf_json_int(json, "max_rounds", judgement->max_rounds);
    cf_json_object_end(json);
}

static void print_effect(cf_json *json, const cf_effect_judgement *effect, bool of_metric)
{
    static const char *const words[2][3] = {{"removes", NULL, "adds"}, {"faster", NULL, "slower"}};
    const char *const *directions = words[of_metric];
    if (effect->verdict == CF_EFFECT_NONE) {
        cf_json_null(json, "effect");
        return;
    }
    cf_json_object_begin(json, "effect", false);
    cf_json_string(json, "verdict", cf_effect_name(effect->verdict));
    cf_json_string(json, "direction", directions[effect->direction + 1]);
    cf_json_bool(json, "flips", effect->flips);
    cf_json_bool(json, "slows", effect->slows);
    cf_json_bool(json, "measurable", effect->measurable);
    cf_json_bool(json, "blamed", effect->blamed);
    print_estimate(json, "delta", &effect->delta, "ci95");
    print_round(json, "decided_at", effect->decided_at);
    print_round(json, "more_rounds", effect->more_rounds);
    cf_json_object_end(json);
}

static void print_slowdown(cf_json *json, const cf_estimate slowdown[CF_CELL_COUNT])
{
    cf_json_object_begin(json, "slowdown", true);
    for (int cell = 0; cell < CF_CELL_COUNT; cell++)
        cf_json_double(json, cf_cell_name((cf_cell)cell), slowdown[cell].median);
    cf_json_object_end(json);
    cf_json_object_begin(json, "slowdown_ci95", true);
    for (int cell = 0; cell < CF_CELL_COUNT; cell++)
        print_interval(json, cf_cell_name((cf_cell)cell), &slowdown[cell]);
    cf_json_object_end(json);
}

static void print_lanes(cf_json *json, const cf_variant_judgement *variant)
{
    static const char *const names[] = {"a", "b"};
    cf_json_object_begin(json, "lane_ms", true);
    for (int lane = 0; lane < 2; lane++)
        cf_json_double(json, names[lane], variant->lane_ms[lane]);
    cf_json_object_end(json);
    cf_json_object_begin(json, "stretch", false);
    for (int lane = 0; lane < 2; lane++)
        print_estimate(json, names[lane], &variant->stretch[lane], "ci95");
    cf_json_object_end(json);
}

static void print_armed(cf_json *json, cf_armed armed)
{
    if (armed == CF_ARMED_NOTHING)
        cf_json_null(json, "armed");
    else
        cf_json_bool(json, "armed", armed == CF_ARMED_YES);
}

static void print_value(cf_json *json, const cf_record_variant *recorded, const cf_variant_judgement *variant)
{
    cf_json_object_begin(json, "metric", false);
    print_estimate(json, "value", &variant->value, "ci95");
    print_estimate(json, "ratio", &variant->ratio, "ci95");
    cf_json_int(json, "rounds", variant->measured);
    cf_json_double(json, "wall_ms", variant->wall_ms);
    cf_json_double(json, "user_ms", variant->user_ms);
    cf_json_double(json, "system_ms", variant->system_ms);
    cf_json_double(json, "max_rss_bytes", variant->max_rss_bytes);
    cf_json_string(json, "ended", recorded->ended);
    cf_json_object_end(json);
}

static void print_metric(cf_json *json, const cf_record_metric *metric)
{
    cf_json_object_begin(json, "metric", true);
    cf_json_string(json, "name", metric->name);
    cf_json_string(json, "unit", metric->unit);
    cf_json_string(json, "better", cf_better_names[metric->better]);
    cf_json_string(json, "source", cf_source_names[metric->source]);
    cf_json_object_end(json);
}

static void print_variant(cf_json *json, const cf_record *record, const cf_variant_judgement *variant)
{
    const cf_record_variant *recorded = &record->variants[variant->variant];
    cf_json_object_begin(json, NULL, false);
    cf_json_string(json, "name", recorded->name);
    cf_json_string(json, "role", cf_role_name(recorded->role));
    print_armed(json, recorded->armed);
    if (cf_controls_have_role(record, CF_ROLE_REFERENCE))
        cf_json_bool(json, "reference_ok", variant->reference_ok);
    else
        cf_json_null(json, "reference_ok");
    print_reasons(json, "because", &variant->because);
    cf_json_double(json, "a_ms", variant->a_ms);
    cf_json_double(json, "b_ms", variant->b_ms);
    cf_json_double(json, "ab_ms", variant->ab_ms);
    cf_json_double(json, "submit_ms", variant->submit_ms);
    cf_json_double(json, "blocked_ms", variant->blocked_ms);
    cf_json_double(json, "exposed_ms", variant->exposed_ms);
    cf_json_string(json, "shorter", record->metric.on ? NULL : variant->side == 0 ? "a" : "b");
    print_estimate(json, "overlap", &variant->overlap, "ci95");
    print_estimate(json, "seen", &variant->seen, NULL);
    cf_json_string(json, "reading", record->metric.on ? NULL : cf_reading_name(variant->reading));
    print_round(json, "reading_at", variant->reading_at);
    print_effect(json, &variant->effect, record->metric.on);
    print_slowdown(json, variant->slowdown);
    print_lanes(json, variant);
    cf_json_bool(json, "host_bound", variant->host_bound_note || variant->reading == CF_READING_HOST_BOUND);
    cf_json_bool(json, "starved", variant->starved);
    cf_json_double(json, "starved_share", variant->starved_share);
    if (record->metric.on)
        print_value(json, recorded, variant);
    cf_json_object_end(json);
}

static void print_against(cf_json *json, const cf_record *record, const cf_against_judgement *against)
{
    if (!against->ok) {
        cf_json_null(json, "against");
        return;
    }
    cf_json_object_begin(json, "against", false);
    cf_json_string(json, "job", record->job.name);
    cf_json_string(json, "against", record->against.name);
    cf_json_string(json, "variant", record->variants[against->variant].name);
    cf_json_string(json, "verdict", against->verdict);
    print_estimate(json, "ab_change", &against->ab_change, "ci95");
    print_round(json, "decided_at", against->decided_at);
    cf_json_string(json, "exposed_verdict", against->exposed_verdict);
    print_estimate(json, "exposed_change", &against->exposed_change, "ci95");
    print_round(json, "exposed_decided_at", against->exposed_decided_at);
    for (int exposed = 0; exposed < 2; exposed++) {
        cf_json_array_begin(json, exposed ? "exposed_ms" : "ab_ms", true);
        for (int i = 0; i < 2; i++)
            cf_json_double(json, NULL, exposed ? against->exposed_ms[i] : against->ab_ms[i]);
        cf_json_array_end(json);
    }
    cf_json_object_end(json);
}

static void print_finding(cf_json *json, const cf_finding *finding)
{
    static const char *const lanes[] = {NULL, "a", "b"};
    cf_json_object_begin(json, NULL, false);
    cf_json_string(json, "finding", cf_finding_word(finding->kind));
    cf_json_string(json, "lane", lanes[finding->lane + 1]);
    cf_json_bool(json, "explains", finding->explains);
    cf_json_string(json, "number", cf_finding_number(finding->kind));
    cf_json_double(json, "value", finding->value);
    cf_json_double(json, "limit", finding->limit);
    cf_json_double(json, "part_ms", finding->part_ms);
    cf_json_double(json, "whole_ms", finding->whole_ms);
    cf_json_object_end(json);
}

static void print_comparison(cf_json *json, const cf_record *record, const cf_mark_comparison *compared)
{
    cf_json_object_begin(json, NULL, false);
    cf_json_string(json, "name", record->variants[compared->variant].name);
    cf_json_string(json, "of", compared->variant == 0 ? "overlap" : "delta");
    print_estimate(json, "marked", &compared->marked, "ci95");
    print_estimate(json, "plain", &compared->plain, "ci95");
    cf_json_bool(json, "differs", compared->differs);
    cf_json_object_end(json);
}

static void print_mark(cf_json *json, const cf_record *record, const cf_judgement *judgement, int mark)
{
    const cf_mark_judgement *marked = &judgement->marks[mark];
    if (marked->rounds == 0)
        return;
    cf_json_object_begin(json, NULL, false);
    cf_json_string(json, "mark", cf_mark_word(mark));
    cf_json_int(json, "rounds", marked->rounds);
    cf_json_double(json, "share", (double)marked->rounds / (double)judgement->rounds);
    cf_json_bool(json, "could_explain", marked->could_explain);
    cf_json_array_begin(json, "variants", false);
    for (int i = 0; i < marked->compared; i++)
        print_comparison(json, record, &marked->of[i]);
    cf_json_array_end(json);
    cf_json_object_end(json);
}

static void print_diagnosis(cf_json *json, const cf_record *record, const cf_judgement *judgement)
{
    cf_json_double(json, "missing", judgement->missing);
    cf_json_array_begin(json, "findings", false);
    for (int i = 0; i < judgement->finding_count; i++)
        print_finding(json, &judgement->findings[i]);
    cf_json_array_end(json);
    cf_json_array_begin(json, "marks", false);
    for (int mark = 0; mark < CF_MARK_COUNT; mark++)
        print_mark(json, record, judgement, mark);
    cf_json_array_end(json);
}

/* What the verdict holds for: nothing was seen of any other process, device or driver. */
static const char *scope_of(const cf_record *record)
{
    const cf_rounds *rounds = &record->rounds;
    if (record->metric.on && record->design == CF_DESIGN_BETWEEN)
        return "holds for this program, these arms and this machine";
    bool many = record->design == CF_DESIGN_BETWEEN ||
                (rounds->count > 0 && rounds->items[0].process != rounds->items[rounds->count - 1].process);
    return many ? "holds for these processes, this device and driver" : "holds for this process, device and driver";
}

static void print_record_hash(cf_json *json, const char *sha256_hex)
{
    char text[sizeof "sha256:" + 64];
    (void)snprintf(text, sizeof text, "sha256:%s", sha256_hex);
    cf_json_string(json, "record", sha256_hex[0] ? text : NULL);
}

static void print_judgement(cf_json *json, const cf_record *record, const cf_judgement *judgement)
{
    cf_json_object_begin(json, NULL, false);
    cf_json_string(json, "schema", CF_JUDGEMENT_SCHEMA);
    print_record_hash(json, judgement->record_sha256);
    cf_json_string(json, "verdict", cf_verdict_name(judgement->verdict));
    cf_json_bool(json, "valid", judgement->valid);
    print_reasons(json, "invalid_because", &judgement->invalid_because);
    cf_json_bool(json, "simulated", judgement->simulated);
    cf_json_string(json, "design", judgement->design == CF_DESIGN_WITHIN ? "within" : "between");
    cf_json_string(json, "scope", scope_of(record));
    if (record->metric.on)
        print_metric(json, &record->metric);
    cf_json_int(json, "rounds", judgement->rounds);
    print_round(json, "more_rounds", judgement->more_rounds);
    cf_json_double(json, "best", judgement->best);
    cf_json_double(json, "balance", judgement->balance);
    cf_json_bool(json, "unbalanced", judgement->unbalanced_warning);
    print_settings(json, judgement);
    if (judgement->prologue_overlap.ok)
        cf_json_bool(json, "sticky", judgement->sticky);
    else
        cf_json_null(json, "sticky");
    print_estimate(json, "prologue", &judgement->prologue_overlap, "cs99");
    cf_json_array_begin(json, "variants", false);
    for (int v = 0; v < judgement->variant_count; v++)
        print_variant(json, record, &judgement->variants[v]);
    cf_json_array_end(json);
    print_diagnosis(json, record, judgement);
    print_against(json, record, &judgement->against);
    cf_json_object_end(json);
}

cf_status cf_judgement_print(const cf_record *record, const cf_judgement *judgement, cf_text *ret_json, cf_error *err)
{
    cf_json json = {.out = ret_json};
    print_judgement(&json, record, judgement);
    return ret_json->failed ? cf_error_set(err, CF_MEMORY, "out of memory while printing the judgement") : CF_OK;
}
