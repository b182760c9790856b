#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/golden.h"
#include "stats/stats.h"

static void log_e_is_that_of_golden(void **state)
{
    json_t *cases = golden_get(*state, "log_e"), *item;
    size_t i;
    assert_true(json_array_size(cases) > 0);
    json_array_foreach(cases, i, item)
    {
        long k = (long)json_integer_value(golden_get(item, "k"));
        long n = (long)json_integer_value(golden_get(item, "n"));
        assert_six_digits(cf_stats_log_e(k, n), golden_number(golden_get(item, "log_e")));
    }
}

static void log_e_mixes_the_lambdas_of_golden(void **state)
{
    size_t count;
    double *lambda = golden_numbers(golden_get(*state, "lambda_grid"), &count);
    for (long k = 0; k <= 9; k++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += pow(1 + lambda[i], (double)k) * pow(1 - lambda[i], (double)(9 - k));
        assert_six_digits(cf_stats_log_e(k, 9), log(sum / (double)count));
    }
    free(lambda);
}

static void kstar_is_that_of_golden_for_every_alpha_and_n(void **state)
{
    json_t *by_alpha = golden_get(*state, "kstar"), *by_n, *expected;
    const char *alpha, *n;
    assert_true(json_object_size(by_alpha) > 0);
    json_object_foreach(by_alpha, alpha, by_n)
    {
        assert_true(json_object_size(by_n) > 0);
        json_object_foreach(by_n, n, expected)
        {
            assert_int_equal(cf_stats_kstar(strtol(n, NULL, 10), strtod(alpha, NULL)), json_integer_value(expected));
        }
    }
}

static void check_interval(cf_interval actual, json_t *expected)
{
    assert_six_digits(actual.low, golden_number(json_array_get(expected, 0)));
    assert_six_digits(actual.high, golden_number(json_array_get(expected, 1)));
}

static void medians_and_their_intervals_are_those_of_golden(void **state)
{
    json_t *cases = golden_get(*state, "median_ci"), *item;
    size_t i;
    assert_true(json_array_size(cases) > 0);
    json_array_foreach(cases, i, item)
    {
        size_t n;
        double *x = golden_numbers(golden_get(item, "x"), &n);
        assert_six_digits(cf_stats_median(x, n), golden_number(golden_get(item, "median")));
        check_interval(cf_stats_median_ci95(x, n), golden_get(item, "hs_ci95"));
        check_interval(cf_stats_median_cs(x, n, 0.005), golden_get(item, "cs99"));
        free(x);
    }
}

static void overlaps_are_those_of_golden(void **state)
{
    json_t *cases = golden_get(*state, "overlap_single"), *item;
    size_t i;
    assert_true(json_array_size(cases) > 0);
    json_array_foreach(cases, i, item)
    {
        double a = golden_number(golden_get(item, "copy"));
        double b = golden_number(golden_get(item, "compute"));
        double ab = golden_number(golden_get(item, "both"));
        assert_six_digits(cf_stats_overlap(a, b, ab, a <= b ? 0 : 1), golden_number(golden_get(item, "O")));
    }
}

/* The closed testing of families as golden's `holm`: one look at n = all rows, m = instruments. */
static void holm_verdicts_are_those_of_golden(void **state)
{
    json_t *holm = golden_get(*state, "holm");
    double margin = golden_number(golden_get(holm, "delta"));
    double alpha = golden_number(golden_get(holm, "alpha"));
    json_t *lists = golden_get(holm, "dO"), *verdicts = golden_get(holm, "verdicts");
    size_t m = json_array_size(lists);
    assert_int_equal(m, 3);
    for (size_t v = 0; v < m; v++) {
        size_t n;
        double *d = golden_numbers(json_array_get(lists, v), &n);
        cf_rank rank;
        assert_true(cf_rank_init(&rank, d, n));
        for (size_t i = 0; i < n; i++)
            cf_rank_add(&rank, d[i]);
        size_t k = (size_t)cf_stats_kstar((long)n, alpha / 2 / (double)m);
        bool confounded = cf_rank_above(&rank, margin) >= k || cf_rank_below(&rank, -margin) >= k;
        bool clear = cf_rank_above(&rank, -margin) >= k && cf_rank_below(&rank, margin) >= k;
        const char *verdict = confounded ? "confounded" : clear ? "not_confounded" : "inconclusive";
        assert_string_equal(verdict, json_string_value(json_array_get(verdicts, v)));
        cf_rank_done(&rank);
        free(d);
    }
}

static int load(void **state)
{
    *state = golden_load();
    return 0;
}

static int unload(void **state)
{
    json_decref(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_e_is_that_of_golden),
        cmocka_unit_test(log_e_mixes_the_lambdas_of_golden),
        cmocka_unit_test(kstar_is_that_of_golden_for_every_alpha_and_n),
        cmocka_unit_test(medians_and_their_intervals_are_those_of_golden),
        cmocka_unit_test(overlaps_are_those_of_golden),
        cmocka_unit_test(holm_verdicts_are_those_of_golden),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
