/* Findings on made records: what the simulated device cannot do, and what must not be found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "verdict/made.h"

static const made_variant serial[] = {
    {"none", CF_ROLE_CONTROL, 16, 20, 36}, {"none-again", CF_ROLE_REPLICA, 16, 20, 36}, MADE_TIMING, MADE_ONE_QUEUE};
static const made_variant overlapping[] = {MADE_NONE, MADE_AGAIN, MADE_TIMING, MADE_ONE_QUEUE};

/* Of the control in every round: a member of its sample, in ms. */
static void set_all(cf_record *record, cf_cell cell, size_t offset, double ms)
{
    for (size_t i = 0; i < record->rounds.count; i++) {
        int64_t *times = (int64_t *)(void *)((char *)made_sample(&record->rounds.items[i], 0, cell) + offset);
        for (int step = 0; step < CF_STEPS; step++)
            times[step] = ms < 0 ? -1 : made_ns(ms);
    }
}
#define SET_ALL(record, cell, member, ms) set_all((record), (cell), offsetof(cf_sample, member), (ms))

static void set_ends(cf_record *record, double a_ms, double b_ms)
{
    SET_ALL(record, CF_CELL_AB, lane_a_ns, a_ms);
    SET_ALL(record, CF_CELL_AB, lane_b_ns, b_ms);
}

/* The words of what was found, '*' behind one that explains. */
static void assert_found(cf_record *record, const char *expected)
{
    cf_judgement judgement = made_judge(record);
    char found[256] = "";
    for (int i = 0; i < judgement.finding_count; i++) {
        size_t used = strlen(found);
        (void)snprintf(found + used, sizeof found - used, "%s%s%s", i > 0 ? " " : "",
                       cf_finding_word(judgement.findings[i].kind), judgement.findings[i].explains ? "*" : "");
    }
    assert_string_equal(found, expected);
    cf_judgement_done(&judgement);
    cf_record_done(record);
}

static void nothing_is_found_where_lanes_overlap(void **state)
{
    (void)state;
    cf_record record = made_record(overlapping, MADE_COUNT(overlapping), 24);
    set_ends(&record, 16, 20);
    cf_judgement judgement = made_judge(&record);
    assert_true(isnan(judgement.missing));
    cf_judgement_done(&judgement);
    assert_found(&record, "");
}

static void a_lane_that_waits_is_found_by_its_end(void **state)
{
    (void)state;
    cf_record record = made_record(serial, MADE_COUNT(serial), 24);
    set_ends(&record, 16, 36);
    assert_found(&record, "one-queue* serialised*");
}

/* An older record has no lane's own end: what hangs on it is not said. */
static void without_own_ends_only_the_reference_speaks(void **state)
{
    (void)state;
    cf_record record = made_record(serial, MADE_COUNT(serial), 24);
    set_ends(&record, -1, -1);
    assert_found(&record, "one-queue*");
}

static void lanes_that_end_together_contend(void **state)
{
    (void)state;
    cf_record record = made_record(serial, MADE_COUNT(serial), 24);
    set_ends(&record, 36, 36);
    assert_found(&record, "contention*");
}

/* The walls of two callables under one lock: whoever comes first is first. The host waits for one lane first, and for
   the other in the next step; order: bit i of 0 to 7 says that lane a goes first in step i. */
static void take_turns(cf_record *record, double alone_ms)
{
    for (size_t i = 0; i < record->rounds.count; i++) {
        cf_sample *ab = made_sample(&record->rounds.items[i], 0, CF_CELL_AB);
        for (int step = 0; step < CF_STEPS; step++) {
            bool a_is_first = i * 5 % 8 >> step & 1, sees_a = step % 2 == 0;
            ab->lane_a_ns[step] = sees_a ? made_ns(a_is_first ? alone_ms : 2 * alone_ms) : 0;
            ab->lane_b_ns[step] = sees_a ? 0 : made_ns(a_is_first ? 2 * alone_ms : alone_ms);
        }
    }
}

static cf_record locked_record(void)
{
    static const made_variant locked[] = {{"none", CF_ROLE_CONTROL, 18, 18, 36},
                                          {"none-again", CF_ROLE_REPLICA, 18, 18, 36},
                                          MADE_TIMING,
                                          MADE_ONE_QUEUE};
    cf_record record = made_record(locked, MADE_COUNT(locked), 24);
    for (int lane = 0; lane < 2; lane++) {
        free(record.job.lane[lane].op);
        record.job.lane[lane].op = cf_text_dup(CF_OP_OWN);
        record.job.lane[lane].count = 1;
    }
    return record;
}

static void steps_under_one_lock_take_turns_in_either_order(void **state)
{
    (void)state;
    cf_record record = locked_record();
    take_turns(&record, 18);
    cf_judgement judgement = made_judge(&record);
    const cf_variant_judgement *none = &judgement.variants[0];
    assert_true(fabs(none->lane_ms[0] - none->lane_ms[1]) < 9); /* less than half an operation: by that they contend */
    cf_judgement_done(&judgement);
    assert_found(&record, "one-queue* serialised*");
    record = locked_record();
    set_ends(&record, 36, 36); /* and these do */
    assert_found(&record, "contention*");
}

static void launches_that_block_are_no_blocking_copies(void **state)
{
    (void)state;
    cf_record record = made_record(serial, MADE_COUNT(serial), 24);
    set_ends(&record, 36, 36);
    SET_ALL(&record, CF_CELL_B, submit_ns, 19.9);
    SET_ALL(&record, CF_CELL_B, blocked_ns, 19.8);
    SET_ALL(&record, CF_CELL_AB, submit_ns, 35.9);
    SET_ALL(&record, CF_CELL_AB, blocked_ns, 35.8);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.findings[0].kind, CF_FINDING_BLOCKING_LAUNCH);
    assert_int_equal(judgement.findings[0].lane, 1);
    assert_true(fabs(judgement.findings[0].value - 0.99) < 1e-9);
    cf_judgement_done(&judgement);
    cf_record_done(&record);
}

/* A call that waited for room leaves at least an operation behind it. */
static void calls_that_leave_work_behind_wait_for_room(void **state)
{
    (void)state;
    cf_record record = made_record(serial, MADE_COUNT(serial), 24);
    set_ends(&record, 34, 36);
    SET_ALL(&record, CF_CELL_A, submit_ns, 15);
    SET_ALL(&record, CF_CELL_A, blocked_ns, 14.9);
    SET_ALL(&record, CF_CELL_AB, submit_ns, 34);
    SET_ALL(&record, CF_CELL_AB, blocked_ns, 33.9);
    assert_found(&record, "full-queue*");
}

static void a_busy_machine_tells_nothing_of_the_device(void **state)
{
    (void)state;
    cf_record record = made_record(serial, MADE_COUNT(serial), 24);
    set_ends(&record, 16, 36);
    SET_ALL(&record, CF_CELL_AB, delay_ns, 9);
    assert_found(&record, "");
}

static void first_use_needs_the_same_step_again(void **state)
{
    (void)state;
    cf_record record = made_record(overlapping, MADE_COUNT(overlapping), 24);
    set_ends(&record, 16, 20);
    record.first_step_ns[0] = made_ns(40);
    record.first_step_ns[1] = made_ns(40); /* calibrated, and not measured again at that length */
    record.again_step_ns[0] = made_ns(10);
    assert_found(&record, "first-use");
}

static void a_given_length_is_compared_with_its_rounds(void **state)
{
    (void)state;
    cf_record record = made_record(overlapping, MADE_COUNT(overlapping), 24);
    set_ends(&record, 16, 20);
    record.first_step_ns[0] = made_ns(23.9);
    record.first_step_ns[1] = made_ns(30);
    record.job.lane[0].given = record.job.lane[1].given = true;
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.finding_count, 1);
    assert_int_equal(judgement.findings[0].lane, 1);
    assert_true(judgement.findings[0].value == 1.5);
    cf_judgement_done(&judgement);
    cf_record_done(&record);
}

static void findings_move_no_verdict(void **state)
{
    (void)state;
    cf_record plain = made_record(serial, MADE_COUNT(serial), 24);
    cf_record found = made_record(serial, MADE_COUNT(serial), 24);
    set_ends(&plain, -1, -1);
    set_ends(&found, 36, 36);
    cf_judgement one = made_judge(&plain), other = made_judge(&found);
    assert_int_equal(one.verdict, other.verdict);
    for (int v = 0; v < one.variant_count; v++) {
        assert_int_equal(one.variants[v].reading, other.variants[v].reading);
        assert_int_equal(one.variants[v].effect.verdict, other.variants[v].effect.verdict);
    }
    cf_judgement_done(&one);
    cf_judgement_done(&other);
    cf_record_done(&plain);
    cf_record_done(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_found_where_lanes_overlap),
        cmocka_unit_test(a_lane_that_waits_is_found_by_its_end),
        cmocka_unit_test(without_own_ends_only_the_reference_speaks),
        cmocka_unit_test(lanes_that_end_together_contend),
        cmocka_unit_test(steps_under_one_lock_take_turns_in_either_order),
        cmocka_unit_test(launches_that_block_are_no_blocking_copies),
        cmocka_unit_test(calls_that_leave_work_behind_wait_for_room),
        cmocka_unit_test(a_busy_machine_tells_nothing_of_the_device),
        cmocka_unit_test(first_use_needs_the_same_step_again),
        cmocka_unit_test(a_given_length_is_compared_with_its_rounds),
        cmocka_unit_test(findings_move_no_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
