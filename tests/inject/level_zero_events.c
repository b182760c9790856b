/* Which of an event of Level Zero's and its twin is signalled, waited for, reset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "inject/level_zero_event.h"

static char own[64], twin[64];

static void set_arm(cf_arm arm)
{
    atomic_store(&cf_inject_arm_now, (unsigned)arm);
}

static cf_ze_event *timed(bool counter)
{
    set_arm(CF_ARM_SHIPPED);
    cf_ze_event *e = cf_ze_event_add(own, twin, true, counter);
    assert_non_null(e);
    return e;
}

static int drop(void **state)
{
    (void)state;
    (void)cf_ze_event_remove(own);
    set_arm(CF_ARM_SHIPPED);
    return 0;
}

static void a_timed_event_is_signalled_without_time_in_stripped_steps_alone(void **state)
{
    (void)state;
    cf_ze_event *e = timed(true);
    assert_ptr_equal(cf_ze_event_signal(e), own);
    set_arm(CF_ARM_ADDED);
    assert_ptr_equal(cf_ze_event_signal(e), own);
    set_arm(CF_ARM_STRIPPED);
    assert_ptr_equal(cf_ze_event_signal(e), twin);
    assert_ptr_equal(cf_ze_event_wait(e), twin);
}

static void an_event_without_time_gets_one_in_added_steps_alone(void **state)
{
    (void)state;
    cf_ze_event *e = cf_ze_event_add(own, twin, false, true);
    set_arm(CF_ARM_STRIPPED);
    assert_ptr_equal(cf_ze_event_signal(e), own);
    set_arm(CF_ARM_ADDED);
    assert_ptr_equal(cf_ze_event_signal(e), twin);
}

static void who_waits_first_and_what_signals_later_meet(void **state)
{
    (void)state;
    cf_ze_event *e = timed(false);
    set_arm(CF_ARM_STRIPPED);
    assert_ptr_equal(cf_ze_event_wait(e), twin);
    set_arm(CF_ARM_SHIPPED);
    assert_ptr_equal(cf_ze_event_wait(e), twin);
    assert_ptr_equal(cf_ze_event_signal(e), twin);
    assert_ptr_equal(cf_ze_event_signal(e), own); /* the next one is free again */
}

static void a_reset_does_not_take_the_promise_of_one_that_waits(void **state)
{
    (void)state;
    cf_ze_event *e = timed(false);
    void *both[2];
    set_arm(CF_ARM_STRIPPED);
    assert_ptr_equal(cf_ze_event_wait(e), twin);
    (void)cf_ze_event_reset(e, both);
    set_arm(CF_ARM_SHIPPED);
    assert_ptr_equal(cf_ze_event_signal(e), twin);
}

static void a_reset_reaches_both_where_both_were_signalled(void **state)
{
    (void)state;
    cf_ze_event *e = timed(false);
    void *both[2] = {NULL, NULL};
    assert_int_equal(cf_ze_event_reset(e, both), 1);
    assert_ptr_equal(both[0], own);
    (void)cf_ze_event_signal(e);
    set_arm(CF_ARM_STRIPPED);
    (void)cf_ze_event_signal(e);
    assert_int_equal(cf_ze_event_reset(e, both), 2);
    assert_ptr_equal(both[1], twin);
    (void)cf_ze_event_signal(e);
    assert_int_equal(cf_ze_event_reset(e, both), 1);
    assert_ptr_equal(both[0], twin);
}

static void what_is_pinned_stays_and_says_what_it_was(void **state)
{
    (void)state;
    cf_ze_event *e = timed(false);
    set_arm(CF_ARM_STRIPPED);
    (void)cf_ze_event_signal(e);
    assert_true(cf_ze_event_pin(e));
    assert_false(cf_ze_event_pin(e));
    assert_false(cf_ze_event_turns(e));
    assert_ptr_equal(cf_ze_event_now(e), own);
    assert_ptr_equal(cf_ze_event_signal(e), own);
}

static void a_wait_before_its_signal_is_for_own_once_lists_are_recorded(void **state)
{
    (void)state;
    cf_ze_event *e = timed(false);
    cf_ze_events_expect_lists();
    set_arm(CF_ARM_STRIPPED);
    assert_ptr_equal(cf_ze_event_wait(e), own);
    assert_ptr_equal(cf_ze_event_signal(e), own);
}

static void one_that_is_gone_is_not_known(void **state)
{
    (void)state;
    cf_ze_event *e = timed(false);
    assert_ptr_equal(cf_ze_event_of(own), e);
    assert_ptr_equal(cf_ze_event_remove(own), twin);
    assert_null(cf_ze_event_of(own));
    assert_null(cf_ze_event_remove(own));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_timed_event_is_signalled_without_time_in_stripped_steps_alone, drop),
        cmocka_unit_test_teardown(an_event_without_time_gets_one_in_added_steps_alone, drop),
        cmocka_unit_test_teardown(who_waits_first_and_what_signals_later_meet, drop),
        cmocka_unit_test_teardown(a_reset_does_not_take_the_promise_of_one_that_waits, drop),
        cmocka_unit_test_teardown(a_reset_reaches_both_where_both_were_signalled, drop),
        cmocka_unit_test_teardown(what_is_pinned_stays_and_says_what_it_was, drop),
        cmocka_unit_test_teardown(one_that_is_gone_is_not_known, drop),
        cmocka_unit_test_teardown(a_wait_before_its_signal_is_for_own_once_lists_are_recorded, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
