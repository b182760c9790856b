#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

/* A generator of its own, so that these tests need nothing but the room. */
static uint64_t random_state = 7;

static double random_number(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 11) / 9007199254740992.0;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void assert_close(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("%.17g, expected %.17g", actual, expected);
}

static void log_e_does_not_overflow_at_a_million_rounds(void **state)
{
    (void)state;
    long n = 1000000;
    /* The largest lambda carries the whole sum where all agree, the smallest where none does. */
    assert_close(cf_stats_log_e(n, n), (double)n * log(1.95) - log(5), 1e-6);
    assert_close(cf_stats_log_e(0, n), (double)n * log(0.70) - log(5), 1e-6);
    long k = cf_stats_kstar(n, 0.005);
    assert_true(k > n / 2 && k < n);
    assert_true(cf_stats_log_e(k, n) >= -log(0.005));
    assert_true(cf_stats_log_e(k - 1, n) < -log(0.005));
}

static void kstar_is_the_smallest_k_above_one_half(void **state)
{
    (void)state;
    for (long n = 1; n <= 300; n++) {
        long smallest = 0;
        for (long k = n / 2 + 1; k <= n && smallest == 0; k++)
            if (cf_stats_log_e(k, n) >= -log(0.005))
                smallest = k;
        assert_int_equal(cf_stats_kstar(n, 0.005), smallest);
    }
    /* An alpha of 1 asks for no evidence, and still for a majority. */
    for (long n = 1; n <= 50; n++)
        assert_true(cf_stats_kstar(n, 1) > n / 2);
}

static void kstar_next_follows_kstar(void **state)
{
    (void)state;
    const double alphas[] = {0.5, 0.05, 0.005, 0.005 / 3, 0.00001};
    for (size_t i = 0; i < sizeof alphas / sizeof alphas[0]; i++) {
        long k = 0;
        for (long n = 1; n <= 3000; n++) {
            k = cf_stats_kstar_next(k, n, alphas[i]);
            assert_int_equal(k, cf_stats_kstar(n, alphas[i]));
        }
    }
}

/* What makes looking after every round allowed: under a fair coin the chance of ever reaching kstar is at most alpha.
 */
static void a_fair_coin_rarely_ever_reaches_kstar(void **state)
{
    (void)state;
    const int runs = 4000;
    int reached = 0;
    for (int run = 0; run < runs; run++) {
        long heads = 0, k = 0, n = 1;
        for (; n <= 240; n++) {
            heads += random_number() < 0.5;
            k = cf_stats_kstar_next(k, n, 0.05);
            if (k > 0 && heads >= k)
                break;
        }
        reached += n <= 240;
    }
    assert_true(reached > 0);
    assert_true(reached <= (int)(runs * 0.05));
}

static void medians_are_those_of_the_sorted_list(void **state)
{
    (void)state;
    double x[257], sorted[257];
    for (size_t n = 1; n <= 257; n++) {
        for (size_t i = 0; i < n; i++)
            x[i] = floor(random_number() * 20); /* many ties */
        memcpy(sorted, x, sizeof x);
        qsort(sorted, n, sizeof *sorted, ascending);
        double expected = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
        assert_close(cf_stats_median(x, n), expected, 0);
        assert_close(cf_stats_median_in_place(x, n), expected, 0);
    }
    assert_true(isnan(cf_stats_median(x, 0)));
}

static void a_median_leaves_its_input_alone(void **state)
{
    (void)state;
    const double x[] = {3, 1, 2, 5, 4, 9, 7};
    double kept[7];
    memcpy(kept, x, sizeof x);
    (void)cf_stats_median(x, 7);
    (void)cf_stats_median_ci95(x, 7);
    (void)cf_stats_median_cs(x, 7, 0.5);
    assert_memory_equal(x, kept, sizeof x);
}

static void an_interval_of_equal_values_is_that_value(void **state)
{
    (void)state;
    double x[40];
    for (size_t i = 0; i < 40; i++)
        x[i] = 0.9375;
    cf_interval ci = cf_stats_median_ci95(x, 40), cs = cf_stats_median_cs(x, 40, 0.005);
    assert_true(ci.low == 0.9375 && ci.high == 0.9375);
    assert_true(cs.low == 0.9375 && cs.high == 0.9375);
}

static void too_few_values_bound_nothing(void **state)
{
    (void)state;
    const double x[] = {1, 2, 3, 4, 5};
    cf_interval ci = cf_stats_median_ci95(x, 5), cs = cf_stats_median_cs(x, 5, 0.005);
    assert_true(isinf(ci.low) && ci.low < 0 && isinf(ci.high) && ci.high > 0);
    assert_true(isinf(cs.low) && cs.low < 0 && isinf(cs.high) && cs.high > 0);
    ci = cf_stats_median_ci95(x, 0);
    assert_true(isinf(ci.low) && isinf(ci.high));
}

static void the_interval_covers_about_95_percent(void **state)
{
    (void)state;
    const int runs = 4000;
    int covered = 0;
    for (int run = 0; run < runs; run++) {
        double x[25];
        for (size_t i = 0; i < 25; i++)
            x[i] = -log(1 - random_number()); /* skewed: median log 2 */
        cf_interval ci = cf_stats_median_ci95_in_place(x, 25);
        covered += ci.low <= log(2) && log(2) <= ci.high;
    }
    assert_in_range(covered, runs * 935 / 1000, runs * 965 / 1000);
}

static void the_interval_of_a_million_values_has_the_normal_width(void **state)
{
    (void)state;
    size_t n = 1000000;
    double *x = malloc(n * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i] = (double)i;
    cf_interval ci = cf_stats_median_ci95_in_place(x, n);
    assert_close(ci.high - ci.low, 1.959964 * 1000, 2);
    assert_close(ci.high + ci.low, (double)(n - 1), 1e-6);
    free(x);
}

static void the_running_median_is_the_median_of_each_prefix(void **state)
{
    (void)state;
    double x[400];
    cf_running_median running;
    assert_true(cf_running_median_init(&running, 400));
    assert_true(isnan(cf_running_median_get(&running)));
    for (size_t n = 1; n <= 400; n++) {
        x[n - 1] = floor(random_number() * 50) - (double)n / 10;
        cf_running_median_add(&running, x[n - 1]);
        assert_close(cf_running_median_get(&running), cf_stats_median(x, n), 0);
    }
    cf_running_median_done(&running);
}

static void the_running_median_takes_sorted_input_either_way(void **state)
{
    (void)state;
    for (int down = 0; down < 2; down++) {
        cf_running_median running;
        assert_true(cf_running_median_init(&running, 101));
        for (int i = 0; i < 101; i++)
            cf_running_median_add(&running, down ? 100 - i : i);
        assert_close(cf_running_median_get(&running), 50, 0);
        cf_running_median_done(&running);
    }
}

static void ranks_count_strictly_on_both_sides(void **state)
{
    (void)state;
    double x[300];
    for (size_t i = 0; i < 300; i++)
        x[i] = floor(random_number() * 30);
    x[17] = NAN;
    cf_rank rank;
    assert_true(cf_rank_init(&rank, x, 300));
    for (size_t n = 1; n <= 300; n++) {
        cf_rank_add(&rank, x[n - 1]);
        double threshold = floor(random_number() * 60 - 10) / 2;
        size_t below = 0, above = 0;
        for (size_t i = 0; i < n; i++) {
            below += x[i] < threshold;
            above += x[i] > threshold;
        }
        assert_int_equal(cf_rank_below(&rank, threshold), below);
        assert_int_equal(cf_rank_above(&rank, threshold), above);
    }
    cf_rank_done(&rank);
}

static void overlap_of_nothing_is_no_number(void **state)
{
    (void)state;
    assert_true(isnan(cf_stats_overlap(0, 10, 10, 0)));
    assert_close(cf_stats_overlap(10, 8, 10, 1), 1, 0);
    assert_close(cf_stats_overlap(10, 8, 10, 0), 0.8, 1e-15);
}

/* The graph itself, walked command by command. */
static double walked(double op_a, double op_b, long count_a, long count_b, long steps)
{
    double end_a = 0, end_b = 0;
    for (long step = 0; step < steps; step++) {
        double began_a = end_a;
        for (long i = 0; i < count_b; i++) {
            double ready = i < count_a ? began_a + (double)(i + 1) * op_a : 0;
            end_b = fmax(end_b, ready) + op_b;
        }
        end_a = began_a + (double)count_a * op_a;
    }
    return fmax(end_a, end_b);
}

static void best_is_that_of_the_walked_graph(void **state)
{
    (void)state;
    for (int run = 0; run < 2000; run++) {
        long count_a = 1 + (long)(random_number() * 12), count_b = 1 + (long)(random_number() * 12);
        long steps = 1 + (long)(random_number() * 4);
        double op_a = 0.1 + random_number(), op_b = 0.1 + random_number();
        double wall_a = op_a * (double)(count_a * steps), wall_b = op_b * (double)(count_b * steps);
        double ab = walked(op_a, op_b, count_a, count_b, steps);
        double expected = (wall_a + wall_b - ab) / fmin(wall_a, wall_b);
        assert_close(cf_stats_best_overlap(wall_a, wall_b, count_a, count_b, true, steps), expected, 1e-9);
    }
}

static void best_of_a_pipeline_falls_short_of_one(void **state)
{
    (void)state;
    assert_close(cf_stats_best_overlap(10, 10, 1, 1, true, 1), 0, 0);
    assert_close(cf_stats_best_overlap(20, 20, 2, 2, true, 1), 0.5, 1e-15);
    assert_close(cf_stats_best_overlap(40, 40, 4, 4, true, 1), 0.75, 1e-15);
    assert_close(cf_stats_best_overlap(80, 80, 8, 8, true, 1), 0.875, 1e-15);
    assert_close(cf_stats_best_overlap(80, 80, 8, 8, false, 1), 1, 0);
    /* Two steps in flight hide the first step's b behind the second one's a. */
    assert_close(cf_stats_best_overlap(20, 20, 1, 1, true, 2), 0.5, 1e-15);
    assert_true(isnan(cf_stats_best_overlap(0, 10, 1, 1, true, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_e_does_not_overflow_at_a_million_rounds),
        cmocka_unit_test(kstar_is_the_smallest_k_above_one_half),
        cmocka_unit_test(kstar_next_follows_kstar),
        cmocka_unit_test(a_fair_coin_rarely_ever_reaches_kstar),
        cmocka_unit_test(medians_are_those_of_the_sorted_list),
        cmocka_unit_test(a_median_leaves_its_input_alone),
        cmocka_unit_test(an_interval_of_equal_values_is_that_value),
        cmocka_unit_test(too_few_values_bound_nothing),
        cmocka_unit_test(the_interval_covers_about_95_percent),
        cmocka_unit_test(the_interval_of_a_million_values_has_the_normal_width),
        cmocka_unit_test(the_running_median_is_the_median_of_each_prefix),
        cmocka_unit_test(the_running_median_takes_sorted_input_either_way),
        cmocka_unit_test(ranks_count_strictly_on_both_sides),
        cmocka_unit_test(overlap_of_nothing_is_no_number),
        cmocka_unit_test(best_is_that_of_the_walked_graph),
        cmocka_unit_test(best_of_a_pipeline_falls_short_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
