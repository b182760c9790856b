/* What the judgement of whole programs holds to, by simulation: as bench/study.c does for lanes, with one number an arm
   and round in place of the cells.

     bench.study_metric [--quick] [--experiments N] [--seed N]      2000 experiments a setting unless given; quick: 200

   Noise, in the order in which the processes run: each number is multiplied by an iid factor of 2 %, by an AR(1) of phi
   0.9 and stationary SD 3 %, by 3 with a probability of 5 %, and by a linear drift of 10 % over the run. A run has one
   number, or ten (a program that reports its steps), of which the median counts; then each of them has noise of its
   own.

   Exits 1 if a target is missed beyond what chance explains: the 95 % Wilson interval of a rate lies above 1 %, or that
   of a coverage outside 93 to 97 %. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "base/text.h"
#include "bench/study/study.h"

#define ROUNDS      120
#define ARMS_MAX    5
#define FIRST_ARM   2 /* behind the control and the control again */
#define MARGIN      0.05
#define MISSED_FROM 0.10
#define VALUES_MAX  10
#define VALUE       100.0

typedef struct study_setting {
    const char *name;
    int values; /* of one run */
    bool higher;
    int arms;
    double change[ARMS_MAX]; /* true value / the control's - 1 */
} study_setting;

static const study_setting settings[] = {
    {"no effect", 1, false, 1, {0}},
    {"no effect", 1, false, 5, {0}},
    {"no effect, 10 numbers", 10, false, 5, {0}},
    {"slower by the margin", 1, false, 1, {0.05}},
    {"slower by the margin", 1, false, 5, {0.05, 0.05, 0.05, 0.05, 0.05}},
    {"the same, 10 numbers", 10, false, 5, {0.05, 0.05, 0.05, 0.05, 0.05}},
    {"faster by the margin", 1, false, 2, {-0.05, -0.05}},
    {"fewer by the margin", 1, true, 2, {-0.05, -0.05}},
    {"slower by 10 %", 1, false, 1, {0.10}},
    {"slower by 10 %", 1, false, 5, {0.10, 0.10, 0.10, 0.10, 0.10}},
    {"the same, 10 numbers", 10, false, 5, {0.10, 0.10, 0.10, 0.10, 0.10}},
    {"10 % beside four of 0", 1, false, 5, {0.10}},
    {"faster by 10 %", 1, false, 2, {-0.10, -0.10}},
    {"fewer by 10 %", 1, true, 2, {-0.10, -0.10}},
    {"twice as slow", 1, false, 2, {1.0, 1.0}},
};
#define SETTINGS (sizeof settings / sizeof settings[0])

typedef struct study_result {
    study_effects effects; /* of the arms */
    study_rate invalid;    /* sound experiments thrown away: the control differs from itself */
} study_result;

/* ---- making an experiment ---- */

static bool run_one(cf_round *round, const study_setting *setting, int variant, study_noise *noise)
{
    double change = variant < FIRST_ARM ? 0 : setting->change[variant - FIRST_ARM];
    double values[VALUES_MAX] = {0};
    for (int i = 0; i < setting->values; i++)
        values[i] = study_noisy(noise, VALUE * (1 + change));
    return cf_round_set_values(round, variant, values, (size_t)setting->values, NULL) == CF_OK;
}

static bool run_experiment(cf_record *record, const study_setting *setting, uint64_t seed)
{
    study_noise noise = {.rng = {.state = seed}};
    bool ok = true;
    for (size_t i = 0; i < record->rounds.count; i++) {
        cf_round *round = &record->rounds.items[i];
        noise.drift = 0.1 * (double)i / (double)record->rounds.count;
        for (int v = 0; v < round->order_count; v++)
            round->order[v] = v;
        cf_rng_shuffle(&noise.rng, round->order, (size_t)round->order_count);
        for (int v = 0; ok && v < round->order_count; v++)
            ok = run_one(round, setting, round->order[v], &noise);
    }
    return ok;
}

/* The record that every experiment of a setting fills anew. */
static bool make_record(cf_record *record, const study_setting *setting)
{
    char name[] = "number", unit[] = "";
    const cf_record_metric spec = {
        .name = name, .unit = unit, .better = setting->higher ? CF_BETTER_HIGHER : CF_BETTER_LOWER};
    const int variants = FIRST_ARM + setting->arms;
    cf_record_init(record);
    record->margin = MARGIN;
    record->design = CF_DESIGN_BETWEEN;
    record->variants = calloc((size_t)variants, sizeof *record->variants);
    if (!record->variants || cf_record_set_metric(record, &spec, NULL) != CF_OK)
        return false;
    record->variant_count = variants;
    for (int v = 0; v < variants; v++) {
        cf_record_variant *variant = &record->variants[v];
        variant->name = cf_text_format("arm %d", v);
        variant->role = v == 0 ? CF_ROLE_CONTROL : v == 1 ? CF_ROLE_REPLICA : CF_ROLE_INSTRUMENT;
        variant->armed = v < FIRST_ARM ? CF_ARMED_NO : CF_ARMED_NOTHING;
        if (!variant->name)
            return false;
    }
    for (int i = 0; i < ROUNDS; i++)
        if (!cf_rounds_add_metric(&record->rounds, variants, false))
            return false;
    return true;
}

/* ---- scoring a judgement ---- */

/* D is what the judgement calls it: worse is more. */
static void score(study_result *result, const study_setting *setting, const cf_judgement *judgement)
{
    double deltas[ARMS_MAX] = {0};
    for (int i = 0; i < setting->arms; i++)
        deltas[i] = setting->higher ? -setting->change[i] : setting->change[i];
    study_count(&result->invalid, !judgement->valid);
    study_score_effects(&result->effects, judgement, FIRST_ARM, setting->arms, deltas, MARGIN, MISSED_FROM);
}

static bool run_setting(const study_setting *setting, long experiments, uint64_t seed, study_result *result)
{
    cf_rng seeds = {.state = seed};
    cf_record record;
    bool ready = make_record(&record, setting);
    for (long i = 0; ready && i < experiments; i++) {
        cf_judgement judgement;
        ready = run_experiment(&record, setting, cf_rng_next(&seeds)) &&
                cf_judge(&record, NULL, NULL, &judgement, NULL) == CF_OK;
        if (ready) {
            score(result, setting, &judgement);
            cf_judgement_done(&judgement);
        }
    }
    cf_record_done(&record);
    return ready;
}

/* ---- the table ---- */

static bool print_row(const study_setting *setting, const study_result *result)
{
    bool ok = true;
    printf("%-24s %d", setting->name, setting->arms);
    ok &= study_print_rate(&result->effects.false_confounded, AT_MOST_ONE_PERCENT);
    ok &= study_print_rate(&result->effects.false_clear, AT_MOST_ONE_PERCENT);
    ok &= study_print_rate(&result->effects.missed, AT_MOST_ONE_PERCENT);
    ok &= study_print_rate(&result->invalid, AT_MOST_ONE_PERCENT);
    ok &= study_print_rate(&result->effects.covers, ABOUT_95_PERCENT);
    study_print_undecided(&result->effects.undecided);
    return ok;
}

static void print_head(long experiments, uint64_t seed)
{
    printf("%ld experiments a setting, %d rounds each, margin 5 %%, seed %llu; percent, and the upper end of the 95 %% "
           "interval\n",
           experiments, ROUNDS, (unsigned long long)seed);
    printf("targets: rates at most 1, coverage 93 to 97; a rate missed beyond chance carries a !\n\n");
    printf("%-24s m  %11s  %11s  %11s  %11s  %6s  %5s\n", "setting", "false", "false", "missed", "invalid", "covers",
           "un-");
    printf("%-24s    %11s  %11s  %11s  %11s  %6s  %5s\n", "", "confounded", "clear", "", "", "D", "dec.");
}

static bool run(size_t setting, long experiments, uint64_t seed, bool *ret_holds)
{
    study_result result = {.invalid = {0}};
    if (!run_setting(&settings[setting], experiments, seed, &result))
        return false;
    *ret_holds = print_row(&settings[setting], &result);
    return true;
}

int main(int argc, char **argv)
{
    static const study_program metric = {"bench.study_metric", SETTINGS, print_head, run};
    return study_main(&metric, argc, argv);
}
