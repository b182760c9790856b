#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

static void the_clock_never_goes_back(void **state)
{
    (void)state;
    uint64_t last_ns = cf_clock_now_ns();
    for (int i = 0; i < 10000; i++) {
        const uint64_t now_ns = cf_clock_now_ns();
        assert_true(now_ns >= last_ns);
        last_ns = now_ns;
    }
}

static void the_clock_is_the_monotonic_one(void **state)
{
    (void)state;
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    const uint64_t now_ns = cf_clock_now_ns();
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(now_ns >= (uint64_t)before.tv_sec * CF_NS_PER_S + (uint64_t)before.tv_nsec);
    assert_true(now_ns <= (uint64_t)after.tv_sec * CF_NS_PER_S + (uint64_t)after.tv_nsec);
}

static void the_resolution_is_a_step(void **state)
{
    (void)state;
    const uint64_t step_ns = cf_clock_resolution_ns();
    assert_true(step_ns >= 1 && step_ns < CF_NS_PER_S);
}

static void sleep_never_ends_early(void **state)
{
    (void)state;
    const uint64_t at_ns = cf_clock_now_ns() + 3000000;
    cf_clock_sleep_until_ns(at_ns);
    assert_true(cf_clock_now_ns() >= at_ns);
    cf_clock_sleep_until_ns(0); /* the past: at once */
}

static void run_queue_delay_only_grows_or_is_unknown(void **state)
{
    (void)state;
    const int64_t before_ns = cf_clock_delay_ns();
    cf_clock_sleep_until_ns(cf_clock_now_ns() + 1000000);
    const int64_t after_ns = cf_clock_delay_ns();
    if (before_ns < 0)
        assert_int_equal(after_ns, -1);
    else
        assert_true(after_ns >= before_ns);
}

static void utc_has_its_form(void **state)
{
    (void)state;
    char buf[24];
    assert_ptr_equal(cf_clock_utc(buf, sizeof buf), buf);
    int year, month, day, hour, minute, second, end = 0;
    assert_int_equal(sscanf(buf, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &year, &month, &day, &hour, &minute, &second, &end), 6);
    assert_int_equal(end, 20);
    assert_int_equal(strlen(buf), 20);
    assert_in_range(year, 2024, 9999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clock_never_goes_back),
        cmocka_unit_test(the_clock_is_the_monotonic_one),
        cmocka_unit_test(the_resolution_is_a_step),
        cmocka_unit_test(sleep_never_ends_early),
        cmocka_unit_test(run_queue_delay_only_grows_or_is_unknown),
        cmocka_unit_test(utc_has_its_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
