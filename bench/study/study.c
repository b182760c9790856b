#include "bench/study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

#define RATE_TARGET   0.01
#define COVERAGE_LOW  0.93
#define COVERAGE_HIGH 0.97

double study_noisy(study_noise *noise, double value)
{
    const double phi = 0.9, ar_sd = 0.03, iid = 0.02, spike_probability = 0.05, spike_factor = 3;
    noise->ar = phi * noise->ar + sqrt(1 - phi * phi) * ar_sd * cf_rng_normal(&noise->rng);
    double factor = exp(iid * cf_rng_normal(&noise->rng)) * (1 + noise->ar) * (1 + noise->drift);
    if (cf_rng_uniform(&noise->rng) < spike_probability)
        factor *= spike_factor;
    return value * factor;
}

/* ---- scoring ---- */

void study_count(study_rate *rate, bool hit)
{
    rate->hits += hit;
    rate->trials++;
}

bool study_covers(const cf_estimate *estimate, double truth)
{
    return estimate->low <= truth && truth <= estimate->high;
}

void study_score_effects(study_effects *effects, const cf_judgement *judgement, int first, int count,
                         const double *truths, double margin, double missed_from)
{
    bool harmless = false, harmful = false, false_confounded = false, false_clear = false;
    for (int i = 0; i < count; i++) {
        const double delta = truths[i];
        const cf_effect_judgement *effect = &judgement->variants[first + i].effect;
        bool confounded = effect->verdict == CF_EFFECT_CONFOUNDED, clear = effect->verdict == CF_EFFECT_CLEAR;
        harmless = harmless || fabs(delta) <= margin + STUDY_TIE;
        harmful = harmful || fabs(delta) >= margin - STUDY_TIE;
        false_confounded = false_confounded || (confounded && fabs(delta) <= margin + STUDY_TIE);
        false_clear = false_clear || (clear && fabs(delta) >= margin - STUDY_TIE);
        if (fabs(delta) >= missed_from - STUDY_TIE)
            study_count(&effects->missed,
                        !confounded || effect->direction != (delta < 0 ? -1 : 1) || !judgement->valid);
        study_count(&effects->covers, study_covers(&effect->delta, delta));
        study_count(&effects->undecided, effect->verdict == CF_EFFECT_INCONCLUSIVE);
    }
    if (harmless)
        study_count(&effects->false_confounded, false_confounded);
    if (harmful)
        study_count(&effects->false_clear, false_clear);
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

static double percent(const study_rate *rate)
{
    return 100 * (double)rate->hits / (double)rate->trials;
}

bool study_print_rate(const study_rate *rate, study_target target)
{
    const bool is_rate = target == AT_MOST_ONE_PERCENT;
    char cell[32] = "-";
    bool holds = true;
    if (rate->trials > 0) {
        double low, high;
        wilson(rate, &low, &high);
        holds = is_rate ? low <= RATE_TARGET : high >= COVERAGE_LOW && low <= COVERAGE_HIGH;
        if (is_rate)
            (void)snprintf(cell, sizeof cell, "%.2f <%.2f%s", percent(rate), 100 * high, holds ? "" : "!");
        else
            (void)snprintf(cell, sizeof cell, "%.1f%s", percent(rate), holds ? "" : "!");
    }
    printf("  %*s", is_rate ? 11 : 6, cell);
    return holds;
}

void study_print_undecided(const study_rate *rate)
{
    printf("  %5.1f\n", percent(rate));
    (void)fflush(stdout);
}

/* ---- the program ---- */

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

int study_main(const study_program *study, int argc, char **argv)
{
    study_options options;
    bool all_hold = true;
    if (!read_options(argc, argv, &options)) {
        (void)fprintf(stderr, "usage: %s [--quick] [--experiments N] [--seed N]\n", study->name);
        return 2;
    }
    uint64_t begin_ns = cf_clock_now_ns();
    study->print_head((long)options.experiments, options.seed);
    cf_rng seeds = {.state = options.seed};
    for (size_t i = 0; i < study->settings; i++) {
        bool holds = true;
        if (!study->run(i, (long)options.experiments, cf_rng_next(&seeds), &holds)) {
            (void)fprintf(stderr, "%s: out of memory\n", study->name);
            return 5;
        }
        all_hold &= holds;
    }
    printf("\n%s, %.0f s\n", all_hold ? "every target holds" : "a target is missed",
           (double)(cf_clock_now_ns() - begin_ns) * 1e-9);
    return all_hold ? 0 : 1;
}
