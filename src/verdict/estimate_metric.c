/* Medians and intervals of a metric experiment. */
#include <math.h>

#include "stats/stats.h"
#include "verdict/estimate.h"

#define NS_PER_MS 1e6

/* One number of one round; NaN = not known in that round. */
typedef double column(const cf_evidence *evidence, int variant, size_t round);

static double value(const cf_evidence *evidence, int variant, size_t round)
{
    return evidence->series[variant].value[round];
}

static double ratio(const cf_evidence *evidence, int variant, size_t round)
{
    return evidence->series[variant].value[round] / evidence->series[0].value[round];
}

static double delta(const cf_evidence *evidence, int variant, size_t round)
{
    return cf_evidence_delta(evidence, variant, 0, 0, round);
}

static const cf_process_facts *facts_of(const cf_evidence *evidence, int variant, size_t round)
{
    static const cf_process_facts unknown = {.known = false};
    const cf_process_facts *facts = evidence->record->rounds.items[round].facts;
    return facts ? &facts[variant] : &unknown;
}

static double wall(const cf_evidence *evidence, int variant, size_t round)
{
    const cf_process_facts *facts = facts_of(evidence, variant, round);
    return facts->known ? (double)facts->wall_ns / NS_PER_MS : NAN;
}

static double user(const cf_evidence *evidence, int variant, size_t round)
{
    const cf_process_facts *facts = facts_of(evidence, variant, round);
    return facts->known ? (double)facts->user_ns / NS_PER_MS : NAN;
}

static double system_time(const cf_evidence *evidence, int variant, size_t round)
{
    const cf_process_facts *facts = facts_of(evidence, variant, round);
    return facts->known ? (double)facts->system_ns / NS_PER_MS : NAN;
}

static double resident(const cf_evidence *evidence, int variant, size_t round)
{
    const cf_process_facts *facts = facts_of(evidence, variant, round);
    return facts->known ? (double)facts->max_rss_bytes : NAN;
}

static double delayed(const cf_evidence *evidence, int variant, size_t round)
{
    const cf_process_facts *facts = facts_of(evidence, variant, round);
    return facts->known && facts->delay_ns >= 0 && facts->wall_ns > 0 ? (double)facts->delay_ns / (double)facts->wall_ns
                                                                      : NAN;
}

static size_t gather(const cf_evidence *evidence, int variant, column *get)
{
    size_t n = 0;
    for (size_t round = 0; round < evidence->round_count; round++) {
        double number = get(evidence, variant, round);
        if (isfinite(number))
            evidence->scratch[n++] = number;
    }
    return n;
}

static cf_estimate estimate(const cf_evidence *evidence, int variant, column *get)
{
    return cf_estimate_of(evidence->scratch, gather(evidence, variant, get));
}

static double median(const cf_evidence *evidence, int variant, column *get)
{
    return cf_stats_median_in_place(evidence->scratch, gather(evidence, variant, get));
}

static void forget_lanes(cf_variant_judgement *ret)
{
    double *const times[] = {&ret->a_ms,       &ret->b_ms,       &ret->ab_ms,      &ret->submit_ms,
                             &ret->blocked_ms, &ret->exposed_ms, &ret->lane_ms[0], &ret->lane_ms[1]};
    cf_estimate *const estimates[] = {&ret->overlap,     &ret->seen,       &ret->slowdown[0], &ret->slowdown[1],
                                      &ret->slowdown[2], &ret->stretch[0], &ret->stretch[1]};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        *times[i] = NAN;
    for (size_t i = 0; i < sizeof estimates / sizeof estimates[0]; i++)
        *estimates[i] = (cf_estimate){.ok = false, .median = NAN, .low = -INFINITY, .high = INFINITY};
}

void cf_estimate_metric(const cf_evidence *evidence, int variant, cf_variant_judgement *ret)
{
    ret->variant = variant;
    forget_lanes(ret);
    ret->measured = (long)gather(evidence, variant, value);
    ret->value = estimate(evidence, variant, value);
    ret->ratio = estimate(evidence, variant, ratio);
    ret->wall_ms = median(evidence, variant, wall);
    ret->user_ms = median(evidence, variant, user);
    ret->system_ms = median(evidence, variant, system_time);
    ret->max_rss_bytes = median(evidence, variant, resident);
    ret->starved_share = median(evidence, variant, delayed);
    ret->starved = ret->starved_share > CF_STARVED_SHARE;
    cf_effect_judgement *effect = &ret->effect;
    effect->delta = estimate(evidence, variant, delta);
    effect->measurable = effect->delta.ok && (effect->delta.low > 0 || effect->delta.high < 0);
    effect->slows = effect->delta.ok && effect->delta.low > CF_SLOWS_ABOVE - 1;
}
