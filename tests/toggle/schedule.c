#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "toggle/schedule.h"

enum { ROUNDS = 200 };

static void every_round_has_each_variant_once_after_a_step_to_settle(void **state)
{
    (void)state;
    cf_schedule s;
    unsigned settled[CF_VARIANT_COUNT] = {0}, counted[CF_VARIANT_COUNT] = {0}, steps = 0;
    for (cf_schedule_begin(&s, 5, ROUNDS); !cf_schedule_over(&s); cf_schedule_next(&s), steps++) {
        unsigned v = cf_schedule_variant(&s), flags = cf_schedule_flags(&s);
        assert_in_range(v, 0, CF_VARIANT_COUNT - 1);
        assert_int_equal((flags & CF_WIRE_SETTLE) != 0, steps % 2 == 0);
        assert_int_equal((flags & CF_WIRE_WARMUP) != 0, steps < 2 * CF_VARIANT_COUNT * CF_WIRE_WARMUP_ROUNDS);
        if (flags & CF_WIRE_SETTLE)
            settled[v]++;
        else
            counted[v]++;
        if (steps % (2 * CF_VARIANT_COUNT) == 2 * CF_VARIANT_COUNT - 1)
            for (int i = 0; i < CF_VARIANT_COUNT; i++)
                assert_true(settled[i] == counted[i] && counted[i] == steps / (2 * CF_VARIANT_COUNT) + 1);
    }
    assert_int_equal(steps, 2 * CF_VARIANT_COUNT * (CF_WIRE_WARMUP_ROUNDS + ROUNDS));
    assert_int_equal(cf_schedule_variant(&s), CF_VARIANT_SHIPPED);
}

/* No variant owes its figure to its place: each comes first about as often as the others. */
static void the_order_is_random_and_its_seed_repeats_it(void **state)
{
    (void)state;
    int first[CF_VARIANT_COUNT] = {0};
    cf_schedule one, other;
    cf_schedule_begin(&one, 7, ROUNDS);
    cf_schedule_begin(&other, 7, ROUNDS);
    for (; !cf_schedule_over(&one); cf_schedule_next(&one), cf_schedule_next(&other)) {
        first[one.order[0]] += one.at == 0;
        assert_memory_equal(one.order, other.order, sizeof one.order);
    }
    for (int v = 0; v < CF_VARIANT_COUNT; v++)
        assert_in_range(first[v], ROUNDS / 4 - 30, ROUNDS / 4 + 30);
}

static void an_irregular_step_begins_its_turn_again(void **state)
{
    (void)state;
    cf_schedule s;
    cf_schedule_begin(&s, 1, 1);
    cf_schedule_next(&s);
    unsigned variant = cf_schedule_variant(&s);
    assert_int_equal(cf_schedule_flags(&s) & CF_WIRE_SETTLE, 0);
    cf_schedule_again(&s);
    assert_int_equal(cf_schedule_variant(&s), variant);
    assert_int_equal(cf_schedule_flags(&s) & CF_WIRE_SETTLE, CF_WIRE_SETTLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_round_has_each_variant_once_after_a_step_to_settle),
        cmocka_unit_test(the_order_is_random_and_its_seed_repeats_it),
        cmocka_unit_test(an_irregular_step_begins_its_turn_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
