/* The replay against the rules written down as they are read: every look computed from nothing, medians by sorting,
   counts by counting. What is guarded is the bookkeeping that makes the judge fast: running medians, ranks that move
   with best, sides that change from look to look, families that shrink. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "stats/stats.h"
#include "verdict/made.h"

#define ROUNDS_MAX 120

typedef struct plain_decision {
    cf_reading reading;
    long reading_at;
    cf_effect effect;
    int direction;
    long effect_at;
} plain_decision;

static double wall(const cf_record *record, int variant, cf_cell cell, long round)
{
    return (double)cf_sample_value_ns(cf_round_sample(&record->rounds.items[round], variant, cell)->wall_ns);
}

static double median_wall(const cf_record *record, int variant, cf_cell cell, long n)
{
    double x[ROUNDS_MAX];
    for (long i = 0; i < n; i++)
        x[i] = wall(record, variant, cell, i);
    return cf_stats_median(x, (size_t)n);
}

/* O in each of the first n rounds, divided by the lane that is shorter in their medians. */
static void overlaps(const cf_record *record, int variant, long n, double ret[ROUNDS_MAX])
{
    int side = median_wall(record, variant, CF_CELL_A, n) <= median_wall(record, variant, CF_CELL_B, n) ? 0 : 1;
    for (long i = 0; i < n; i++)
        ret[i] = cf_stats_overlap(wall(record, variant, CF_CELL_A, i), wall(record, variant, CF_CELL_B, i),
                                  wall(record, variant, CF_CELL_AB, i), side);
}

static long above(const double *x, long n, double threshold)
{
    long count = 0;
    for (long i = 0; i < n; i++)
        count += x[i] > threshold + 1e-12;
    return count;
}

static long below(const double *x, long n, double threshold)
{
    long count = 0;
    for (long i = 0; i < n; i++)
        count += x[i] < threshold - 1e-12;
    return count;
}

static cf_reading plain_reading(const cf_record *record, int variant, long n, double best)
{
    double o[ROUNDS_MAX];
    long k = cf_stats_kstar(n, record->alpha / 2);
    overlaps(record, variant, n, o);
    if (k == 0)
        return CF_READING_INCONCLUSIVE;
    if (below(o, n, 0.30 * best) >= k)
        return CF_READING_SERIALISES;
    if (above(o, n, 0.70 * best) >= k)
        return CF_READING_OVERLAPS;
    return above(o, n, 0.30 * best) >= k && below(o, n, 0.70 * best) >= k ? CF_READING_PARTIAL
                                                                          : CF_READING_INCONCLUSIVE;
}

static cf_effect plain_effect(const cf_record *record, int variant, long n, double alpha_confounded, double alpha_clear,
                              int *ret_direction)
{
    double d[ROUNDS_MAX], control[ROUNDS_MAX], margin = record->margin;
    long k = cf_stats_kstar(n, alpha_confounded);
    overlaps(record, variant, n, d);
    overlaps(record, 0, n, control);
    for (long i = 0; i < n; i++)
        d[i] -= control[i];
    *ret_direction = 0;
    if (k > 0 && (above(d, n, margin) >= k || below(d, n, -margin) >= k)) {
        *ret_direction = above(d, n, margin) >= k ? 1 : -1;
        return CF_EFFECT_CONFOUNDED;
    }
    k = cf_stats_kstar(n, alpha_clear);
    return k > 0 && above(d, n, -margin) >= k && below(d, n, margin) >= k ? CF_EFFECT_CLEAR : CF_EFFECT_INCONCLUSIVE;
}

static int undecided_for(const cf_record *record, const plain_decision *decisions, cf_effect effect)
{
    int count = 0;
    for (int v = 0; v < record->variant_count; v++)
        count += record->variants[v].role == CF_ROLE_INSTRUMENT && decisions[v].effect != effect;
    return count;
}

static void plain_look(const cf_record *record, long n, plain_decision *decisions)
{
    double alpha = record->alpha / 2;
    double best = cf_stats_best_overlap(median_wall(record, 0, CF_CELL_A, n), median_wall(record, 0, CF_CELL_B, n),
                                        record->job.lane[0].count, record->job.lane[1].count, record->job.depends,
                                        record->job.in_flight);
    int m_confounded = undecided_for(record, decisions, CF_EFFECT_CONFOUNDED);
    int m_clear = undecided_for(record, decisions, CF_EFFECT_CLEAR);
    for (int v = 0; v < record->variant_count; v++) {
        plain_decision *decision = &decisions[v];
        if (decision->reading_at == 0) {
            decision->reading = plain_reading(record, v, n, best);
            decision->reading_at = decision->reading == CF_READING_INCONCLUSIVE ? 0 : n;
        }
        cf_role role = record->variants[v].role;
        if (decision->effect_at > 0 || (role != CF_ROLE_INSTRUMENT && role != CF_ROLE_REPLICA))
            continue;
        bool alone = role == CF_ROLE_REPLICA;
        decision->effect = plain_effect(record, v, n, alone ? alpha : alpha / m_confounded,
                                        alone ? alpha : alpha / m_clear, &decision->direction);
        decision->effect_at = decision->effect == CF_EFFECT_INCONCLUSIVE ? 0 : n;
    }
}

static double around(cf_rng *rng, double ms, double spread)
{
    return ms * exp(spread * cf_rng_normal(rng));
}

/* Lanes of nearly equal length so that the shorter side changes; effects on, near and beyond the margin. */
static cf_record random_record(cf_rng *rng)
{
    static const double effects[] = {0, 0, -0.1, 0.1, -0.15, 0.15, -0.3, 0.3, -0.05};
    static const char *const names[] = {"p", "q", "r", "s", "t"};
    made_variant made[CF_MAX_VARIANTS] = {{"none", CF_ROLE_CONTROL, 10, 10, 10},
                                          {"none-again", CF_ROLE_REPLICA, 10, 10, 10},
                                          {"one-queue", CF_ROLE_REFERENCE, 10, 10, 20}};
    int count = 3 + (int)cf_rng_below(rng, 6);
    double control = 0.2 + 0.15 * (double)cf_rng_below(rng, 5), spread = 0.005 + 0.05 * cf_rng_uniform(rng);
    for (int v = 3; v < count; v++)
        made[v] = (made_variant){names[v - 3], CF_ROLE_INSTRUMENT, 10, 10, 10};
    cf_record record = made_record(made, count, 12 + (long)cf_rng_below(rng, ROUNDS_MAX - 11));
    record.job.depends = cf_rng_below(rng, 2) == 1;
    record.job.lane[0].count = 2 + (int64_t)cf_rng_below(rng, 6);
    record.job.lane[1].count = 2 + (int64_t)cf_rng_below(rng, 6);
    record.min_rounds = 10 + (int64_t)cf_rng_below(rng, 8);
    while (record.prologue.count > 0)
        cf_rounds_drop_last(&record.prologue);
    for (int v = 0; v < count; v++) {
        double overlap = v == 2 ? 0 : control + (v >= 3 ? effects[cf_rng_below(rng, 9)] : 0);
        for (size_t i = 0; i < record.rounds.count; i++) {
            made_set(&record.rounds.items[i], v, CF_CELL_A, around(rng, 10, spread));
            made_set(&record.rounds.items[i], v, CF_CELL_B, around(rng, 10.02, spread));
            made_set(&record.rounds.items[i], v, CF_CELL_AB, around(rng, 20.02 - overlap * 10, spread));
        }
    }
    return record;
}

static void check(const cf_record *record)
{
    plain_decision expected[CF_MAX_VARIANTS] = {0};
    long first = record->min_rounds > 12 ? (long)record->min_rounds : 12;
    for (long n = first; n <= (long)record->rounds.count; n++)
        plain_look(record, n, expected);
    cf_judgement judgement = made_judge(record);
    bool reference_ok = expected[2].reading == CF_READING_SERIALISES;
    for (int v = 0; v < record->variant_count; v++) {
        const cf_variant_judgement *actual = &judgement.variants[v];
        assert_int_equal(actual->reading, expected[v].reading);
        assert_int_equal(actual->reading_at, expected[v].reading_at);
        if (v != 1 && v < 3)
            continue;
        bool withheld = v >= 3 && expected[v].effect == CF_EFFECT_CLEAR && !reference_ok;
        bool undecided = withheld || expected[v].effect_at == 0;
        assert_int_equal(actual->effect.verdict, undecided ? CF_EFFECT_INCONCLUSIVE : expected[v].effect);
        assert_int_equal(actual->effect.decided_at, undecided ? 0 : expected[v].effect_at);
        assert_int_equal(actual->effect.direction, expected[v].direction);
    }
    cf_judgement_done(&judgement);
}

static void the_replay_decides_what_the_rules_decide(void **state)
{
    (void)state;
    cf_rng rng = {.state = 2026};
    for (int i = 0; i < 150; i++) {
        cf_record record = random_record(&rng);
        check(&record);
        cf_record_done(&record);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_replay_decides_what_the_rules_decide)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
