/* The order of submission, and which jobs are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "workload/workload.h"

static cf_workload_spec spec_of(uint32_t a, uint32_t b, cf_submit_order submit, uint32_t prefetch, uint32_t batch)
{
    return (cf_workload_spec){
        .lane = {{.kind = CF_OP_H2D, .count = a, .length = 1}, {.kind = CF_OP_KERNEL, .count = b, .length = 1}},
        .submit = submit,
        .prefetch = prefetch,
        .batch = batch,
        .in_flight = 1,
    };
}

static void expect_order(const cf_workload_spec *spec, cf_cell cell, const char *expected)
{
    cf_workload_turn turns[64];
    char text[256] = "";
    uint32_t count = cf_workload_order(spec, cell, turns);
    for (uint32_t i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%c%u", i ? " " : "", 'a' + (int)turns[i].lane,
                 turns[i].index);
    assert_string_equal(text, expected);
}

static void ab_alternates(void **state)
{
    (void)state;
    cf_workload_spec s = spec_of(3, 3, CF_SUBMIT_AB, 0, 1);
    expect_order(&s, CF_CELL_AB, "a0 b0 a1 b1 a2 b2");
}

static void a_prefetch_runs_ahead_and_what_is_left_of_b_follows(void **state)
{
    (void)state;
    cf_workload_spec s = spec_of(3, 4, CF_SUBMIT_AB, 2, 1);
    expect_order(&s, CF_CELL_AB, "a0 a1 a2 b0 b1 b2 b3");
}

static void a_batch_takes_n_of_each(void **state)
{
    (void)state;
    cf_workload_spec s = spec_of(5, 4, CF_SUBMIT_AB, 1, 2);
    expect_order(&s, CF_CELL_AB, "a0 a1 a2 b0 b1 a3 a4 b2 b3");
}

static void ba_begins_with_b_after_the_prefetch(void **state)
{
    (void)state;
    cf_workload_spec s = spec_of(3, 3, CF_SUBMIT_BA, 1, 1);
    expect_order(&s, CF_CELL_AB, "a0 b0 a1 b1 a2 b2");
    s.prefetch = 0;
    expect_order(&s, CF_CELL_AB, "b0 a0 b1 a1 b2 a2");
}

static void whole_lanes_follow_one_another(void **state)
{
    (void)state;
    cf_workload_spec s = spec_of(2, 2, CF_SUBMIT_A_THEN_B, 0, 1);
    expect_order(&s, CF_CELL_AB, "a0 a1 b0 b1");
    s.submit = CF_SUBMIT_B_THEN_A;
    expect_order(&s, CF_CELL_AB, "b0 b1 a0 a1");
}

static void a_solo_cell_has_its_lane_alone(void **state)
{
    (void)state;
    cf_workload_spec s = spec_of(2, 3, CF_SUBMIT_BA, 1, 2);
    expect_order(&s, CF_CELL_A, "a0 a1");
    expect_order(&s, CF_CELL_B, "b0 b1 b2");
}

/* The check is by arithmetic; here it is held against the list itself, for every small job. */
static void a_job_is_refused_exactly_when_some_b_precedes_its_a(void **state)
{
    (void)state;
    for (uint32_t a = 1; a <= 5; a++)
        for (uint32_t b = 1; b <= 5; b++)
            for (int submit = 0; submit < CF_SUBMIT_COUNT; submit++)
                for (uint32_t prefetch = 0; prefetch <= 4; prefetch++)
                    for (uint32_t batch = 1; batch <= 4; batch++) {
                        if (submit >= CF_SUBMIT_A_THEN_B && (prefetch != 0 || batch != 1))
                            continue;
                        cf_workload_spec s = spec_of(a, b, (cf_submit_order)submit, prefetch, batch);
                        s.depends = true;
                        cf_workload_turn turns[64];
                        uint32_t count = cf_workload_order(&s, CF_CELL_AB, turns);
                        uint32_t seen_a = 0;
                        bool early = false;
                        for (uint32_t i = 0; i < count; i++) {
                            if (turns[i].lane == 0)
                                seen_a++;
                            else if (turns[i].index < a && turns[i].index >= seen_a)
                                early = true;
                        }
                        assert_int_equal(cf_workload_check(&s, NULL), early ? CF_INPUT : CF_OK);
                    }
}

static void whole_lanes_take_no_prefetch_and_no_batch(void **state)
{
    (void)state;
    cf_error err = {0};
    cf_workload_spec s = spec_of(2, 2, CF_SUBMIT_A_THEN_B, 1, 1);
    assert_int_equal(cf_workload_check(&s, &err), CF_INPUT);
    assert_non_null(strstr(err.text, "a-then-b"));
    s = spec_of(2, 2, CF_SUBMIT_B_THEN_A, 0, 2);
    assert_int_equal(cf_workload_check(&s, NULL), CF_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ab_alternates),
        cmocka_unit_test(a_prefetch_runs_ahead_and_what_is_left_of_b_follows),
        cmocka_unit_test(a_batch_takes_n_of_each),
        cmocka_unit_test(ba_begins_with_b_after_the_prefetch),
        cmocka_unit_test(whole_lanes_follow_one_another),
        cmocka_unit_test(a_solo_cell_has_its_lane_alone),
        cmocka_unit_test(a_job_is_refused_exactly_when_some_b_precedes_its_a),
        cmocka_unit_test(whole_lanes_take_no_prefetch_and_no_batch),
    };
    return cmocka_run_group_tests_name("workload order", tests, NULL, NULL);
}
