/* What an intercepted call costs, as it is measured when a program begins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "inject/inject.h"

static void it_is_measured_in_each_arm_and_leaves_no_trace(void **state)
{
    uint64_t cost_ps[CF_ARM_COUNT] = {0};
    (void)state;
    CF_INJECT_COUNT(calls);
    const cf_inject_counters *mine = cf_inject_mine;
    const cf_wire_counts before = cf_inject_counts();
    cf_inject_cost_ps(cost_ps);
    for (unsigned arm = 0; arm < CF_ARM_COUNT; arm++)
        assert_true(cost_ps[arm] > 0);
    const cf_wire_counts after = cf_inject_counts();
    assert_memory_equal(&before, &after, sizeof before);
    assert_ptr_equal(cf_inject_mine, mine);
    assert_int_equal(cf_inject_arm(), CF_ARM_SHIPPED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_measured_in_each_arm_and_leaves_no_trace)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
