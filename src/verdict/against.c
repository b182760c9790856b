#include "verdict/against.h"

#include <math.h>

#include "verdict/estimate.h"

/* Lower is better: ab and exposed time per step, the second design's against the first's. */
typedef struct cf_change {
    const cf_evidence *evidence;
    int first, second;
    bool exposed;
} cf_change;

static double per_step(const cf_change *change, int variant, size_t round, bool exposed)
{
    double *const *wall = change->evidence->series[variant].wall;
    double value = wall[CF_CELL_AB][round];
    if (exposed)
        value -= fmax(wall[CF_CELL_A][round], wall[CF_CELL_B][round]);
    int64_t in_flight = cf_evidence_job(change->evidence->record, variant)->in_flight;
    return value / (double)(in_flight > 1 ? in_flight : 1);
}

static double change_in(const cf_change *change, size_t round)
{
    double second = per_step(change, change->second, round, change->exposed);
    double first = per_step(change, change->first, round, change->exposed);
    return (second - first) / per_step(change, change->first, round, false);
}

/* The sign test of the effects with one member in each family. Returns the round, 0 = undecided; ret_direction: -1
   less, 0 same, +1 more. */
static long replay(const cf_change *change, const cf_test *test, int *ret_direction)
{
    cf_tally tally = {0};
    cf_threshold threshold = {0};
    for (long n = 1; n <= (long)change->evidence->round_count; n++) {
        cf_tally_add(&tally, change_in(change, (size_t)n - 1), test->margin);
        long k = n >= test->first_look ? cf_threshold_at(&threshold, n, test->alpha / 2) : 0;
        if (k == 0)
            continue;
        *ret_direction = tally.up >= k ? 1 : tally.down >= k ? -1 : 0;
        if (*ret_direction != 0 || (tally.not_down >= k && tally.not_up >= k))
            return n;
    }
    return 0;
}

static cf_estimate estimate(const cf_change *change)
{
    size_t n = 0;
    for (size_t round = 0; round < change->evidence->round_count; round++) {
        double value = change_in(change, round);
        if (isfinite(value))
            change->evidence->scratch[n++] = value;
    }
    return cf_estimate_of(change->evidence->scratch, n);
}

/* words: less, same, more. */
static const char *judge(const cf_change *change, const cf_test *test, bool blocked, const char *const words[3],
                         cf_estimate *ret_estimate, long *ret_decided_at)
{
    int direction = 0;
    *ret_estimate = estimate(change);
    *ret_decided_at = blocked ? 0 : replay(change, test, &direction);
    return *ret_decided_at > 0 ? words[direction + 1] : "inconclusive";
}

void cf_against_judge(const cf_evidence *evidence, const cf_test *test, const cf_variant_judgement *variants,
                      bool sticky, cf_against_judgement *ret)
{
    static const char *const speed[3] = {"faster", "same", "slower"};
    static const char *const amount[3] = {"less", "same", "more"};
    int second = 0;
    while (second < evidence->variant_count && evidence->record->variants[second].role != CF_ROLE_DESIGN)
        second++;
    *ret = (cf_against_judgement){.ok = second < evidence->variant_count};
    if (!ret->ok)
        return;
    bool blocked = sticky || variants[0].starved || variants[second].starved;
    cf_change change = {.evidence = evidence, .first = 0, .second = second};
    ret->variant = second;
    ret->verdict = judge(&change, test, blocked, speed, &ret->ab_change, &ret->decided_at);
    change.exposed = true;
    ret->exposed_verdict = judge(&change, test, blocked, amount, &ret->exposed_change, &ret->exposed_decided_at);
    for (int i = 0; i < 2; i++) {
        const cf_variant_judgement *variant = &variants[i == 0 ? 0 : second];
        ret->ab_ms[i] = variant->ab_ms;
        ret->exposed_ms[i] = variant->exposed_ms;
    }
}
