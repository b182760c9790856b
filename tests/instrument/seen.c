/* What an instrument's own timestamps show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "instrument/seen.h"

static void touching_and_nested_intervals_become_one(void **state)
{
    (void)state;
    cf_seen_interval x[] = {{10, 20}, {0, 5}, {12, 15}, {20, 30}, {40, 41}};
    size_t count = cf_seen_merge(x, 5);
    assert_int_equal(count, 3);
    assert_int_equal(cf_seen_busy_ns(x, count), 5 + 20 + 1);
    assert_int_equal(x[1].begin_ns, 10);
    assert_int_equal(x[1].end_ns, 30);
}

static void an_interval_that_ends_before_it_begins_is_dropped(void **state)
{
    (void)state;
    cf_seen_interval x[] = {{100, 3}, {5, 9}};
    size_t count = cf_seen_merge(x, 2);
    assert_int_equal(count, 1);
    assert_int_equal(cf_seen_busy_ns(x, count), 4);
    cf_seen_interval none[] = {{2, 1}};
    assert_int_equal(cf_seen_merge(none, 1), 0);
}

static void time_with_both_busy_is_counted_once(void **state)
{
    (void)state;
    const cf_seen_interval a[] = {{0, 10}, {20, 30}, {50, 60}};
    const cf_seen_interval b[] = {{5, 25}, {28, 29}, {60, 70}};
    assert_int_equal(cf_seen_both_ns(a, 3, b, 3), 5 + 5 + 1);
    assert_int_equal(cf_seen_both_ns(b, 3, a, 3), 5 + 5 + 1);
    assert_int_equal(cf_seen_both_ns(a, 3, b, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touching_and_nested_intervals_become_one),
        cmocka_unit_test(an_interval_that_ends_before_it_begins_is_dropped),
        cmocka_unit_test(time_with_both_busy_is_counted_once),
    };
    return cmocka_run_group_tests_name("instrument seen", tests, NULL, NULL);
}
