/* The rules of a metric experiment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "record/metric_sample.h"
#include "verdict/verdict.h"

static cf_judgement judge(const cf_record *record)
{
    cf_judgement judgement = {0};
    assert_int_equal(cf_judge(record, NULL, NULL, &judgement, NULL), CF_OK);
    return judgement;
}

static void done(cf_record *record, cf_judgement *judgement)
{
    cf_judgement_done(judgement);
    cf_record_done(record);
}

static bool has(const cf_reasons *reasons, cf_because because)
{
    for (int i = 0; i < reasons->count; i++)
        if (reasons->items[i] == because)
            return true;
    return false;
}

static void an_arm_beyond_the_margin_is_confounded_slower_and_slows(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 24);
    cf_judgement judgement = judge(&record);
    const cf_effect_judgement *effect = &judgement.variants[2].effect;
    assert_true(judgement.valid);
    assert_int_equal(judgement.verdict, CF_VERDICT_CONFOUNDED);
    assert_int_equal(effect->verdict, CF_EFFECT_CONFOUNDED);
    assert_int_equal(effect->direction, 1);
    assert_true(effect->slows && effect->measurable && effect->blamed && !effect->flips);
    assert_true(fabs(effect->delta.median - 0.12) < 1e-12);
    assert_true(fabs(judgement.variants[2].ratio.median - 1.12) < 1e-12);
    assert_int_equal(judgement.variants[1].effect.verdict, CF_EFFECT_CLEAR);
    assert_true(isnan(judgement.best) && !judgement.variants[0].overlap.ok && judgement.finding_count == 0);
    done(&record, &judgement);
}

static void where_higher_is_better_less_is_slower(void **state)
{
    (void)state;
    static const double values[] = {88, 112};
    for (int i = 0; i < 2; i++) {
        cf_record record = metric_record(metric_usual, 3, 24);
        record.metric.better = CF_BETTER_HIGHER;
        metric_set(&record, 2, values[i]);
        cf_judgement judgement = judge(&record);
        const cf_effect_judgement *effect = &judgement.variants[2].effect;
        assert_int_equal(effect->verdict, CF_EFFECT_CONFOUNDED);
        assert_int_equal(effect->direction, i == 0 ? 1 : -1);
        assert_true(fabs(effect->delta.median - (i == 0 ? 0.12 : -0.12)) < 1e-12);
        assert_int_equal(effect->slows, i == 0);
        done(&record, &judgement);
    }
}

static void an_arm_within_the_margin_is_clear_and_no_reference_is_asked_for(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 24);
    metric_set(&record, 2, 103);
    cf_judgement judgement = judge(&record);
    assert_int_equal(judgement.verdict, CF_VERDICT_CLEAR);
    assert_int_equal(judgement.variants[2].effect.verdict, CF_EFFECT_CLEAR);
    assert_true(judgement.variants[2].effect.slows); /* 3 % is within 5 %, and it is there */
    assert_true(cf_judgement_settled(&record, &judgement));
    done(&record, &judgement);
}

static void an_arm_on_the_margin_is_neither(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 60);
    metric_set(&record, 2, 105);
    cf_judgement judgement = judge(&record);
    assert_int_equal(judgement.verdict, CF_VERDICT_INCONCLUSIVE);
    assert_true(has(&judgement.variants[2].because, CF_BECAUSE_TOO_CLOSE));
    done(&record, &judgement);
}

static void a_replica_that_differs_makes_it_invalid(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 24);
    metric_set(&record, 1, 94);
    cf_judgement judgement = judge(&record);
    assert_int_equal(judgement.verdict, CF_VERDICT_INVALID);
    assert_true(has(&judgement.invalid_because, CF_BECAUSE_REPLICA_CONFOUNDED));
    done(&record, &judgement);
}

static void an_arm_that_ended_is_inconclusive_and_the_others_are_not(void **state)
{
    (void)state;
    static const metric_arm arms[] = {{"none", CF_ROLE_CONTROL, 100},
                                      {"none-again", CF_ROLE_REPLICA, 100},
                                      {"breaks", CF_ROLE_INSTRUMENT, 130},
                                      {"slow", CF_ROLE_INSTRUMENT, 130}};
    cf_record record = metric_record(arms, 4, 40);
    record.variants[2].ended = cf_text_dup("exit status 1");
    record.variants[2].ended_round = 30;
    for (size_t i = 29; i < 40; i++)
        assert_int_equal(cf_round_set_values(&record.rounds.items[i], 2, NULL, 0, NULL), CF_OK);
    cf_judgement judgement = judge(&record);
    assert_int_equal(judgement.variants[2].effect.verdict, CF_EFFECT_INCONCLUSIVE);
    assert_true(has(&judgement.variants[2].because, CF_BECAUSE_ARM_ENDED));
    assert_int_equal(judgement.variants[2].measured, 29);
    assert_int_equal(judgement.variants[3].effect.verdict, CF_EFFECT_CONFOUNDED);
    assert_int_equal(judgement.verdict, CF_VERDICT_CONFOUNDED);
    assert_true(cf_judgement_settled(&record, &judgement));
    done(&record, &judgement);
}

static void a_control_without_a_number_makes_it_invalid(void **state)
{
    (void)state;
    for (int v = 0; v < 2; v++) {
        cf_record record = metric_record(metric_usual, 3, 24);
        assert_int_equal(cf_round_set_values(&record.rounds.items[5], v, NULL, 0, NULL), CF_OK);
        cf_judgement judgement = judge(&record);
        assert_true(has(&judgement.invalid_because, CF_BECAUSE_SEGMENT_WITHOUT_CONTROLS));
        done(&record, &judgement);
    }
}

static void a_control_must_prove_that_nothing_was_armed(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 24);
    record.variants[0].armed = CF_ARMED_NOTHING;
    cf_judgement judgement = judge(&record);
    assert_true(has(&judgement.invalid_because, CF_BECAUSE_CONTROL_NOT_PROVEN));
    done(&record, &judgement);
}

static void an_arm_that_was_not_armed_is_inconclusive(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 24);
    record.variants[2].armed = CF_ARMED_NO;
    cf_judgement judgement = judge(&record);
    assert_true(has(&judgement.variants[2].because, CF_BECAUSE_NOT_ARMED));
    assert_int_equal(judgement.variants[2].effect.verdict, CF_EFFECT_INCONCLUSIVE);
    done(&record, &judgement);
}

static void an_arm_whose_steps_are_other_work_is_inconclusive(void **state)
{
    static const struct {
        double ratio;
        bool other;
    } cases[] = {{0, false}, {1, false}, {1.02, false}, {1.2, true}, {0.8, true}, {40, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cf_record record = metric_record(metric_usual, 3, 24);
        record.variants[2].work_ratio = cases[i].ratio;
        cf_judgement judgement = judge(&record);
        assert_int_equal(has(&judgement.variants[2].because, CF_BECAUSE_OTHER_WORK), cases[i].other);
        assert_int_equal(judgement.variants[2].effect.verdict,
                         cases[i].other ? CF_EFFECT_INCONCLUSIVE : CF_EFFECT_CONFOUNDED);
        assert_true(!cases[i].other || judgement.more_rounds == 0);
        done(&record, &judgement);
    }
}

static void eleven_rounds_decide_nothing_and_twelve_may(void **state)
{
    (void)state;
    for (int rounds = 11; rounds <= 12; rounds++) {
        cf_record record = metric_record(metric_usual, 3, rounds);
        cf_judgement judgement = judge(&record);
        assert_int_equal(judgement.variants[2].effect.verdict,
                         rounds < 12 ? CF_EFFECT_INCONCLUSIVE : CF_EFFECT_CONFOUNDED);
        done(&record, &judgement);
    }
}

static void without_an_arm_the_replica_answers(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 2, 24);
    cf_judgement judgement = judge(&record);
    assert_int_equal(judgement.verdict, CF_VERDICT_CLEAR);
    done(&record, &judgement);
    record = metric_record(metric_usual, 2, 8);
    judgement = judge(&record);
    assert_int_equal(judgement.verdict, CF_VERDICT_INCONCLUSIVE);
    done(&record, &judgement);
}

static void a_control_unlike_its_prologue_means_something_stayed(void **state)
{
    (void)state;
    static const double before[] = {100, 80};
    for (int i = 0; i < 2; i++) {
        cf_record record = metric_record(metric_usual, 3, 24);
        record.design = CF_DESIGN_WITHIN;
        cf_rng rng = {.state = 3};
        const metric_arm alone = {"none", CF_ROLE_CONTROL, before[i]};
        for (int k = 0; k < 24; k++)
            (void)metric_round(&record.prologue, &alone, 1, &rng);
        cf_judgement judgement = judge(&record);
        assert_int_equal(judgement.sticky, i == 1);
        assert_int_equal(judgement.variants[2].effect.verdict, i == 1 ? CF_EFFECT_INCONCLUSIVE : CF_EFFECT_CONFOUNDED);
        done(&record, &judgement);
    }
}

static void a_busy_machine_is_a_note(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 24);
    for (size_t i = 0; i < record.rounds.count; i++)
        for (int v = 0; v < 3; v++)
            record.rounds.items[i].facts[v].delay_ns = record.rounds.items[i].facts[v].wall_ns / 2;
    cf_judgement judgement = judge(&record);
    assert_true(judgement.variants[0].starved && judgement.variants[2].starved);
    assert_int_equal(judgement.verdict, CF_VERDICT_CONFOUNDED);
    done(&record, &judgement);
}

static void what_does_not_apply_is_null(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 24);
    cf_judgement judgement = judge(&record);
    cf_text json = {0};
    assert_int_equal(cf_judgement_print(&record, &judgement, &json, NULL), CF_OK);
    static const char *const parts[] = {
        "\"best\": null",
        "\"balance\": null",
        "\"reading\": null",
        "\"a_ms\": null",
        "\"overlap\": null",
        "\"shorter\": null",
        "\"reference_ok\": null",
        "\"against\": null",
        "\"findings\": []",
        "\"direction\": \"slower\"",
        "\"lane_ms\": {\"a\": null, \"b\": null}",
        "\"slowdown\": {\"a\": null, \"b\": null, \"ab\": null}",
        "\"metric\": {\"name\": \"wall\", \"unit\": \"ms\", \"better\": \"lower\", \"source\": \"wall\"}",
        "\"scope\": \"holds for this program, these arms and this machine\""};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!strstr(json.data, parts[i]))
            fail_msg("%s is not in\n%s", parts[i], json.data);
    cf_text_done(&json);
    done(&record, &judgement);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arm_beyond_the_margin_is_confounded_slower_and_slows),
        cmocka_unit_test(where_higher_is_better_less_is_slower),
        cmocka_unit_test(an_arm_within_the_margin_is_clear_and_no_reference_is_asked_for),
        cmocka_unit_test(an_arm_on_the_margin_is_neither),
        cmocka_unit_test(a_replica_that_differs_makes_it_invalid),
        cmocka_unit_test(an_arm_that_ended_is_inconclusive_and_the_others_are_not),
        cmocka_unit_test(a_control_without_a_number_makes_it_invalid),
        cmocka_unit_test(a_control_must_prove_that_nothing_was_armed),
        cmocka_unit_test(an_arm_that_was_not_armed_is_inconclusive),
        cmocka_unit_test(an_arm_whose_steps_are_other_work_is_inconclusive),
        cmocka_unit_test(eleven_rounds_decide_nothing_and_twelve_may),
        cmocka_unit_test(without_an_arm_the_replica_answers),
        cmocka_unit_test(a_control_unlike_its_prologue_means_something_stayed),
        cmocka_unit_test(a_busy_machine_is_a_note),
        cmocka_unit_test(what_does_not_apply_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
