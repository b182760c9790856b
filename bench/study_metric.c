/* What the judgement of whole programs holds to, by simulation: as bench/study.c does for lanes, with one number an arm
   and round in place of the cells.

     bench.study_metric [--quick] [--experiments N] [--seed N]      2000 experiments a setting unless given; quick: 200

   Noise, in the order in which the processes run: each number is multiplied by an iid factor of 2 %, by an AR(1) of phi
   0.9 and stationary SD 3 %, by 3 with a probability of 5 %, and by a linear drift of 10 % over the run. A run has one
   number, or ten (a program that reports its steps), of which the median counts; then each of them has noise of its
   own.

   Exits 1 if a target is missed beyond what chance explains: the 95 % Wilson interval of a rate lies above 1 %, or that
   of a coverage outside 93 to 97 %. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "base/text.h"
#include "verdict/verdict.h"

#define ROUNDS        120
#define ARMS_MAX      5
#define FIRST_ARM     2 /* behind the control and the control again */
#define MARGIN        0.05
#define MISSED_FROM   0.10
#define VALUES_MAX    10
#define VALUE         100.0
#define TIE           1e-9
#define RATE_TARGET   0.01
#define COVERAGE_LOW  0.93
#define COVERAGE_HIGH 0.97

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

typedef struct study_rate {
    long hits, trials;
} study_rate;

typedef struct study_result {
    study_rate false_confounded; /* experiments in which an arm with |D| <= margin is confounded */
    study_rate false_clear;      /* experiments in which one with |D| >= margin is clear */
    study_rate missed;           /* arms with |D| >= 10 % not confounded in the right direction */
    study_rate invalid;          /* sound experiments thrown away: the control differs from itself */
    study_rate covers;           /* the interval of D holds the truth */
    study_rate undecided;        /* no target: on the margin it is the right answer */
} study_result;

/* ---- making an experiment ---- */

typedef struct study_noise {
    cf_rng rng;
    double ar, drift;
} study_noise;

static double noisy(study_noise *noise, double value)
{
    const double phi = 0.9, ar_sd = 0.03, iid = 0.02, spike_probability = 0.05, spike_factor = 3;
    noise->ar = phi * noise->ar + sqrt(1 - phi * phi) * ar_sd * cf_rng_normal(&noise->rng);
    double factor = exp(iid * cf_rng_normal(&noise->rng)) * (1 + noise->ar) * (1 + noise->drift);
    if (cf_rng_uniform(&noise->rng) < spike_probability)
        factor *= spike_factor;
    return value * factor;
}

static bool run_one(cf_round *round, const study_setting *setting, int variant, study_noise *noise)
{
    double change = variant < FIRST_ARM ? 0 : setting->change[variant - FIRST_ARM];
    double values[VALUES_MAX];
    for (int i = 0; i < setting->values; i++)
        values[i] = noisy(noise, VALUE * (1 + change));
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

static void count(study_rate *rate, bool hit)
{
    rate->hits += hit;
    rate->trials++;
}

static void score(study_result *result, const study_setting *setting, const cf_judgement *judgement)
{
    bool harmless = false, harmful = false, false_confounded = false, false_clear = false;
    count(&result->invalid, !judgement->valid);
    for (int i = 0; i < setting->arms; i++) {
        double delta = setting->higher ? -setting->change[i] : setting->change[i];
        const cf_effect_judgement *effect = &judgement->variants[FIRST_ARM + i].effect;
        bool confounded = effect->verdict == CF_EFFECT_CONFOUNDED, clear = effect->verdict == CF_EFFECT_CLEAR;
        harmless = harmless || fabs(delta) <= MARGIN + TIE;
        harmful = harmful || fabs(delta) >= MARGIN - TIE;
        false_confounded = false_confounded || (confounded && fabs(delta) <= MARGIN + TIE);
        false_clear = false_clear || (clear && fabs(delta) >= MARGIN - TIE);
        if (fabs(delta) >= MISSED_FROM - TIE)
            count(&result->missed, !confounded || effect->direction != (delta < 0 ? -1 : 1) || !judgement->valid);
        count(&result->covers, effect->delta.low <= delta && delta <= effect->delta.high);
        count(&result->undecided, effect->verdict == CF_EFFECT_INCONCLUSIVE);
    }
    if (harmless)
        count(&result->false_confounded, false_confounded);
    if (harmful)
        count(&result->false_clear, false_clear);
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

/* Wilson 1927, 95 %. */
static void wilson(const study_rate *rate, double *ret_low, double *ret_high)
{
    const double z = 1.959963984540054;
    double n = (double)rate->trials, p = (double)rate->hits / n;
    double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    *ret_low = middle - half;
    *ret_high = middle + half;
}

/* "0.15 <0.43": the rate and the upper end of its interval, in percent; "!" = missed. */
static bool print_rate(const study_rate *rate)
{
    double low = 0, high = 0;
    if (rate->trials == 0) {
        printf("  %11s", "-");
        return true;
    }
    wilson(rate, &low, &high);
    char cell[32];
    (void)snprintf(cell, sizeof cell, "%.2f <%.2f%s", 100 * (double)rate->hits / (double)rate->trials, 100 * high,
                   low <= RATE_TARGET ? "" : "!");
    printf("  %11s", cell);
    return low <= RATE_TARGET;
}

static bool print_coverage(const study_rate *rate)
{
    double low, high;
    wilson(rate, &low, &high);
    bool ok = high >= COVERAGE_LOW && low <= COVERAGE_HIGH;
    printf("  %5.1f%s", 100 * (double)rate->hits / (double)rate->trials, ok ? " " : "!");
    return ok;
}

static bool print_row(const study_setting *setting, const study_result *result)
{
    bool ok = true;
    printf("%-24s %d", setting->name, setting->arms);
    ok &= print_rate(&result->false_confounded);
    ok &= print_rate(&result->false_clear);
    ok &= print_rate(&result->missed);
    ok &= print_rate(&result->invalid);
    ok &= print_coverage(&result->covers);
    printf(" %5.1f\n", 100 * (double)result->undecided.hits / (double)result->undecided.trials);
    (void)fflush(stdout);
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

typedef struct study_options {
    uint64_t experiments, seed;
} study_options;

static bool read_options(int argc, char **argv, study_options *ret)
{
    *ret = (study_options){.experiments = 2000, .seed = 1};
    for (int i = 1; i < argc; i++) {
        bool known = false;
        if (strcmp(argv[i], "--quick") == 0) {
            ret->experiments = 200;
            known = true;
        } else if (i + 1 < argc && strcmp(argv[i], "--experiments") == 0) {
            known = cf_text_parse_u64(argv[++i], 1, 10000000, &ret->experiments);
        } else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0) {
            known = cf_text_parse_u64(argv[++i], 0, UINT64_MAX >> 11, &ret->seed);
        }
        if (!known)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    study_options options;
    bool all_hold = true;
    if (!read_options(argc, argv, &options)) {
        (void)fprintf(stderr, "usage: bench.study_metric [--quick] [--experiments N] [--seed N]\n");
        return 2;
    }
    uint64_t begin_ns = cf_clock_now_ns();
    print_head((long)options.experiments, options.seed);
    cf_rng seeds = {.state = options.seed};
    for (size_t i = 0; i < SETTINGS; i++) {
        study_result result = {.undecided = {0}};
        if (!run_setting(&settings[i], (long)options.experiments, cf_rng_next(&seeds), &result)) {
            (void)fprintf(stderr, "bench.study_metric: out of memory\n");
            return 5;
        }
        all_hold &= print_row(&settings[i], &result);
    }
    printf("\n%s, %.0f s\n", all_hold ? "every target holds" : "a target is missed",
           (double)(cf_clock_now_ns() - begin_ns) * 1e-9);
    return all_hold ? 0 : 1;
}
