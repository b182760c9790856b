#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/rng.h"

/* Numbers of seed 42 from an independent implementation. */
static void the_golden_numbers_come_out(void **state)
{
    (void)state;
    cf_rng rng = {.state = 42};
    assert_true(cf_rng_next(&rng) == UINT64_C(13679457532755275413));
    assert_true(cf_rng_next(&rng) == UINT64_C(2949826092126892291));
    assert_true(cf_rng_next(&rng) == UINT64_C(5139283748462763858));
}

static void the_golden_permutations_come_out(void **state)
{
    (void)state;
    static const int golden[2][9] = {{7, 4, 8, 2, 5, 6, 0, 3, 1}, {8, 0, 2, 7, 3, 4, 5, 6, 1}};
    cf_rng rng = {.state = 42};
    for (int round = 0; round < 2; round++) {
        int items[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
        cf_rng_shuffle(&rng, items, 9);
        assert_memory_equal(items, golden[round], sizeof items);
    }
}

static void below_rejects_what_would_bias(void **state)
{
    (void)state;
    /* A bound just above 2^63: about half of all draws must be rejected, and none may come out above it. */
    const uint64_t bound = (UINT64_C(1) << 63) + 1;
    cf_rng rng = {.state = 7}, raw = {.state = 7};
    for (int i = 0; i < 1000; i++)
        assert_true(cf_rng_below(&rng, bound) < bound);
    int drawn = 0;
    while (raw.state != rng.state) {
        cf_rng_next(&raw);
        drawn++;
    }
    assert_in_range(drawn, 1800, 2200);
    assert_int_equal(cf_rng_below(&rng, 1), 0);
}

static void uniform_and_normal_have_their_moments(void **state)
{
    (void)state;
    cf_rng rng = {.state = 1};
    const int count = 200000;
    double sum = 0, normal_sum = 0, normal_squares = 0;
    for (int i = 0; i < count; i++) {
        const double u = cf_rng_uniform(&rng);
        assert_true(u >= 0 && u < 1);
        sum += u;
        const double z = cf_rng_normal(&rng);
        normal_sum += z;
        normal_squares += z * z;
    }
    assert_true(fabs(sum / count - 0.5) < 0.005);
    assert_true(fabs(normal_sum / count) < 0.02);
    assert_true(fabs(normal_squares / count - 1) < 0.03);
}

static void small_shuffles_do_nothing(void **state)
{
    (void)state;
    cf_rng rng = {.state = 3};
    int one = 5;
    cf_rng_shuffle(&rng, &one, 1);
    cf_rng_shuffle(&rng, NULL, 0);
    assert_int_equal(one, 5);
    assert_true(rng.state == 3);
}

static void seeds_are_fresh_and_below_2_to_the_53(void **state)
{
    (void)state;
    const uint64_t a = cf_rng_seed(), b = cf_rng_seed();
    assert_true(a < UINT64_C(1) << 53 && b < UINT64_C(1) << 53);
    assert_true(a != b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_golden_numbers_come_out),   cmocka_unit_test(the_golden_permutations_come_out),
        cmocka_unit_test(below_rejects_what_would_bias), cmocka_unit_test(uniform_and_normal_have_their_moments),
        cmocka_unit_test(small_shuffles_do_nothing),     cmocka_unit_test(seeds_are_fresh_and_below_2_to_the_53),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
