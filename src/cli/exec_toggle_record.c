/* From what the library wrote to a record. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "base/text.h"
#include "cli/exec_toggle.h"
#include "cli/exec_toggle_facts.h"
#include "run/facts.h"
#include "stats/stats.h"

#define BACKEND        "exec"
#define MARGIN_DEFAULT 0.05
#define MOSTLY         0.9 /* of the commands of a step have to go the other way; threads may straddle its ends */
#define HARDLY         0.01

static const cf_role roles[CF_VARIANT_COUNT] = {[CF_VARIANT_SHIPPED] = CF_ROLE_CONTROL,
                                                [CF_VARIANT_AGAIN] = CF_ROLE_REPLICA,
                                                [CF_VARIANT_STRIPPED] = CF_ROLE_INSTRUMENT,
                                                [CF_VARIANT_ADDED] = CF_ROLE_INSTRUMENT};

/* ---- before the run ---- */

static cf_status describe_variants(cf_record *record, cf_error *err)
{
    record->variants = calloc(CF_VARIANT_COUNT, sizeof *record->variants);
    if (!record->variants)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    record->variant_count = CF_VARIANT_COUNT;
    cf_status status = CF_OK;
    for (int v = 0; v < CF_VARIANT_COUNT && !status; v++) {
        record->variants[v].role = roles[v];
        status = cf_toggle_put(&record->variants[v].name, cf_text_dup(cf_toggle_variant_name((unsigned)v)), err);
    }
    return status;
}

cf_status cf_toggle_describe(const cf_options *o, cf_record *record, cf_error *err)
{
    char name[] = "step", unit[] = "ms";
    const cf_facts_place place = {.backend = BACKEND,
                                  .name = BACKEND,
                                  .clock_name = "CLOCK_MONOTONIC",
                                  .clock_resolution_ns = (int64_t)cf_clock_resolution_ns()};
    char *step = cf_text_dup(o->step ? o->step : "sync"), *keep = o->keep ? cf_text_dup(o->keep) : NULL;
    const cf_record_metric spec = {.name = name,
                                   .unit = unit,
                                   .better = CF_BETTER_LOWER,
                                   .source = CF_SOURCE_STEP,
                                   .detail = step,
                                   .program = {.items = o->program.items, .count = o->program.count},
                                   .outputs = keep};
    record->design = CF_DESIGN_WITHIN;
    record->seed = o->seed.set ? o->seed.value : cf_rng_seed();
    record->margin = o->percent.set ? o->percent.value / 100 : MARGIN_DEFAULT;
    record->min_rounds = o->min_rounds.set ? (int64_t)o->min_rounds.value : record->min_rounds;
    record->max_rounds = o->rounds.set ? (int64_t)o->rounds.value : record->max_rounds;
    record->data_check = CF_DATA_UNSUPPORTED;
    cf_status status = step ? cf_record_set_metric(record, &spec, err) : cf_error_set(err, CF_MEMORY, "out of memory");
    if (!status)
        status = cf_facts_fill(record, &place, NULL, err);
    if (!status)
        status = cf_toggle_put(&record->data_check_text, cf_text_dup("what a program computes is its own affair"), err);
    free(step);
    free(keep);
    return status ? status : describe_variants(record, err);
}

/* ---- rounds ---- */

/* Steps of one round that count, by variant; NULL = it has none. order: variants as they ran. */
typedef struct turn {
    const cf_wire_step *step[CF_VARIANT_COUNT];
    int order[CF_VARIANT_COUNT], count;
} turn;

static turn find_turn(const cf_wire *wire, bool warmup, uint32_t round)
{
    turn found = {.count = 0};
    for (uint32_t i = 0; i < wire->step_count; i++) {
        const cf_wire_step *step = &wire->steps[i];
        unsigned wanted = warmup ? (unsigned)CF_WIRE_WARMUP : 0;
        if (step->flags != wanted || step->round != round || found.step[step->variant] ||
            step->end_ns == step->begin_ns)
            continue;
        found.step[step->variant] = step;
        found.order[found.count++] = step->variant;
    }
    return found;
}

static cf_status add_round(cf_record *record, cf_rounds *list, const turn *t, const cf_toggle_places *in, cf_error *err)
{
    cf_round *round = cf_rounds_add_metric(list, record->variant_count, false);
    if (!round)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    round->number = (int64_t)list->count;
    round->order_count = 0;
    cf_status status = CF_OK;
    for (int i = 0; i < CF_VARIANT_COUNT && !status; i++) {
        const cf_wire_step *step = t->step[t->order[i]];
        int place = in->of[t->order[i]];
        double ms = (double)(step->end_ns - step->begin_ns) / 1e6;
        if (place < 0)
            continue;
        round->order[round->order_count++] = place;
        status = cf_round_set_values(round, place, &ms, 1, err);
    }
    return status;
}

uint32_t cf_toggle_whole_rounds(const cf_wire *wire)
{
    uint32_t whole = 0;
    for (uint32_t r = 0; r < wire->rounds_wanted; r++)
        whole += find_turn(wire, false, r).count == CF_VARIANT_COUNT;
    return whole;
}

/* A round counts where it is whole. */
static cf_status add_rounds(cf_record *record, const cf_wire *wire, bool warmup, const cf_toggle_places *in,
                            cf_error *err)
{
    cf_rounds *list = warmup ? &record->warmup : &record->rounds;
    uint32_t rounds = warmup ? CF_WIRE_WARMUP_ROUNDS : wire->rounds_wanted;
    cf_status status = CF_OK;
    for (uint32_t r = 0; r < rounds && !status; r++) {
        turn t = find_turn(wire, warmup, r);
        if (t.count == CF_VARIANT_COUNT)
            status = add_round(record, list, &t, in, err);
    }
    return status;
}

/* ---- proofs ---- */

static cf_status prove_control(cf_record_variant *variant, const cf_wire_counts *counts, cf_error *err)
{
    uint64_t all = counts->timing + counts->plain;
    bool none = (double)counts->toggled <= HARDLY * (double)all;
    variant->armed = none ? CF_ARMED_NO : CF_ARMED_YES;
    return cf_toggle_put(&variant->armed_how,
                         cf_text_format("%llu commands in its steps, %llu of them with another flag than the program's",
                                        (unsigned long long)all, (unsigned long long)counts->toggled),
                         err);
}

static uint64_t expected_of(const cf_wire_counts *counts, bool stripped)
{
    return stripped ? counts->timing : counts->plain;
}

static cf_status prove_arm(cf_record_variant *variant, const cf_wire_counts *counts, bool stripped, cf_error *err)
{
    uint64_t expected = expected_of(counts, stripped);
    const char *what = stripped ? "commands that are timed as shipped" : "commands that are not timed as shipped";
    bool armed = counts->toggled > 0 && (double)counts->toggled >= MOSTLY * (double)expected;
    variant->armed = armed ? CF_ARMED_YES : CF_ARMED_NO;
    variant->armed_count = (int64_t)counts->toggled;
    variant->armed_expected = (int64_t)(armed ? counts->toggled : expected);
    return cf_toggle_put(&variant->armed_how,
                         cf_text_format("%llu of %llu %s went the other way", (unsigned long long)counts->toggled,
                                        (unsigned long long)expected, what),
                         err);
}

static double commands_ratio(const cf_wire_step *arm, const cf_wire_step *shipped)
{
    const double commands = (double)(arm->counts.timing + arm->counts.plain);
    const double wanted = (double)(shipped->counts.timing + shipped->counts.plain);
    return wanted > 0 ? fmax(commands, 0.5) / wanted : commands + 1;
}

/* Whether the steps are the same work: a program that adapts to the times that it is told does other work where it is
   told others. The median over whole rounds, since a step may be unlike another as shipped too; 0 = no round. */
static double work_ratio(const cf_wire *wire, unsigned variant)
{
    static double ratios[CF_WIRE_ROUNDS_MAX];
    size_t count = 0;
    for (uint32_t r = 0; r < wire->rounds_wanted && count < CF_WIRE_ROUNDS_MAX; r++) {
        turn t = find_turn(wire, false, r);
        if (t.count == CF_VARIANT_COUNT)
            ratios[count++] = commands_ratio(t.step[variant], t.step[CF_VARIANT_SHIPPED]);
    }
    return count ? cf_stats_median_in_place(ratios, count) : 0;
}

static cf_status prove(cf_record *record, const cf_wire *wire, const cf_toggle_places *in, cf_error *err)
{
    cf_status status = CF_OK;
    for (unsigned v = 0; v < CF_VARIANT_COUNT && !status; v++) {
        uint64_t steps;
        const cf_wire_counts counts = cf_toggle_counts_of(wire, v, &steps);
        if (in->of[v] < 0)
            continue;
        cf_record_variant *variant = &record->variants[in->of[v]];
        variant->work_ratio = v == CF_VARIANT_SHIPPED ? 0 : work_ratio(wire, v);
        status = roles[v] == CF_ROLE_INSTRUMENT ? prove_arm(variant, &counts, v == CF_VARIANT_STRIPPED, err)
                                                : prove_control(variant, &counts, err);
    }
    return status;
}

/* ---- arms that would show nothing ---- */

static cf_status leave_out(cf_record *record, int place, bool stripped, cf_error *err)
{
    cf_record_variant *variant = &record->variants[place];
    cf_status status =
        cf_toggle_add(&record->skipped, variant->name,
                      cf_text_format(stripped ? "The arm %s is left out: there is nothing to strip, no command "
                                                "that can be toggled is timed as shipped"
                                              : "The arm %s is left out: there is nothing to add, every command "
                                                "that can be toggled is timed as shipped",
                                     variant->name),
                      err);
    free(variant->name);
    record->variant_count--;
    memmove(variant, variant + 1, (size_t)(record->variant_count - place) * sizeof *variant);
    return status;
}

/* An arm whose steps are as shipped is no trial: it would be one more A/A, under a name that claims another thing. */
static cf_status place_variants(cf_record *record, const cf_wire *wire, cf_toggle_places *ret, cf_error *err)
{
    cf_status status = CF_OK;
    int place = 0, arms = 0;
    for (unsigned v = 0; v < CF_VARIANT_COUNT && !status; v++) {
        uint64_t steps;
        const cf_wire_counts counts = cf_toggle_counts_of(wire, v, &steps);
        bool arm = roles[v] == CF_ROLE_INSTRUMENT, stripped = v == CF_VARIANT_STRIPPED;
        bool nothing = arm && steps > 0 && expected_of(&counts, stripped) == 0;
        if (nothing)
            status = leave_out(record, place, stripped, err);
        ret->of[v] = nothing ? -1 : place++;
        arms += arm && !nothing;
    }
    if (!status && arms == 0)
        status = cf_error_set(err, CF_UNSUPPORTED,
                              "no command in the program's steps can be toggled, timed or not: there is nothing to "
                              "compare (docs/toggle.md says what is left as it is)");
    return status;
}

/* ---- all of it ---- */

/* Which step was asked for decides what can be done about it. */
static cf_status no_step(const cf_wire *wire, const char *step, cf_error *err)
{
    char safe[160], after[64] = "";
    bool call = strncmp(step, CF_WIRE_CALL, sizeof CF_WIRE_CALL - 1) == 0;
    const char *name = call ? cf_text_safe(step + sizeof CF_WIRE_CALL - 1, safe, sizeof safe) : "";
    if (wire->after_ns)
        snprintf(after, sizeof after, " (looked for from %.4g s on: --after)", (double)wire->after_ns / 1e9);
    if (strcmp(step, "sync") == 0)
        return cf_error_set(err, CF_INCONCLUSIVE,
                            "the program ended before it was seen what a step is%s: it has to wait for the device in a "
                            "pattern that recurs (or name what a step is: --step call:NAME, --step mark)",
                            after);
    if (wire->marks)
        return cf_error_set(err, CF_INCONCLUSIVE,
                            "the program ended after %lu %s%s%s, before anything was toggled: the first %u only begin",
                            (unsigned long)wire->marks, call ? "calls of " : "marks", name, after, CF_WIRE_WARM_MARKS);
    if (call)
        return cf_error_set(
            err, CF_INCONCLUSIVE,
            "%s was never called from one library, or the program, into another while there was an event "
            "or queue%s: --step call: takes a function that is bound when the program is loaded or runs",
            name, after);
    return cf_error_set(err, CF_INCONCLUSIVE,
                        "no mark was seen%s: --step mark needs confound_step() of <confound/mark.h> at each step's end",
                        after);
}

static cf_status no_round(const cf_wire *wire, cf_error *err)
{
    if (wire->notes.irregular * 2 > wire->step_count)
        return cf_error_set(err, CF_INCONCLUSIVE,
                            "the program ended after %lu steps, before there was a whole round: %llu of them were not "
                            "like the others, and an arm takes two in a row that are (name what a step is: --step "
                            "call:NAME, --step mark)",
                            (unsigned long)wire->step_count, (unsigned long long)wire->notes.irregular);
    if (wire->notes.other_threads > wire->step_count)
        return cf_error_set(
            err, CF_INCONCLUSIVE,
            "the program ended after %lu steps, before there was a whole round: %llu waits were made by "
            "other threads than the one whose waits delimit the steps (name what a step is: --step "
            "call:NAME, --step mark)",
            (unsigned long)wire->step_count, (unsigned long long)wire->notes.other_threads);
    return cf_error_set(err, CF_INCONCLUSIVE,
                        "the program ended after %lu steps, before there was a whole round: %u steps are one, and %u "
                        "rounds before it are not counted",
                        (unsigned long)wire->step_count, 2u * CF_VARIANT_COUNT, CF_WIRE_WARMUP_ROUNDS);
}

cf_status cf_toggle_fill(cf_record *record, const cf_toggled *toggled, cf_error *err)
{
    const cf_wire *wire = toggled->wire;
    if (wire->state == CF_WIRE_WARMING)
        return no_step(wire, record->metric.detail, err);
    cf_toggle_places in;
    cf_status status = cf_toggle_add_device(record, wire, err);
    if (!status)
        status = place_variants(record, wire, &in, err);
    if (!status)
        status = add_rounds(record, wire, true, &in, err);
    if (!status)
        status = add_rounds(record, wire, false, &in, err);
    if (!status && record->rounds.count == 0)
        return no_round(wire, err);
    if (!status)
        status = prove(record, wire, &in, err);
    return status ? status : cf_toggle_add_facts(record, toggled, &in, err);
}
