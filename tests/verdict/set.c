/* What a set says: common answers, and where along a sweep something holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "verdict/made.h"
#include "verdict/set.h"

static cf_verdict common(const cf_verdict *verdicts, int count, int lacking, cf_set_because because)
{
    cf_set_because why;
    cf_verdict verdict = cf_set_common(verdicts, count, lacking, &why);
    assert_int_equal(why, because);
    return verdict;
}

static void a_common_verdict_stands_and_any_other_is_inconclusive(void **state)
{
    (void)state;
    static const cf_verdict all[] = {CF_VERDICT_INVALID, CF_VERDICT_CONFOUNDED, CF_VERDICT_INCONCLUSIVE,
                                     CF_VERDICT_CLEAR};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            const cf_verdict three[] = {all[i], all[i], all[k]};
            cf_verdict expected = i == k ? all[i] : CF_VERDICT_INCONCLUSIVE;
            assert_int_equal(common(three, 3, 0, i == k ? CF_SET_AGREED : CF_SET_DISAGREES), expected);
        }
        assert_int_equal(common(&all[i], 1, 0, CF_SET_AGREED), all[i]);
        assert_int_equal(common(&all[i], 1, 1, CF_SET_LACKS_MEMBERS), CF_VERDICT_INCONCLUSIVE);
    }
    assert_int_equal(common(NULL, 0, 0, CF_SET_LACKS_MEMBERS), CF_VERDICT_INCONCLUSIVE);
}

static void values_with_units_are_numbers_and_words_are_none(void **state)
{
    (void)state;
    assert_true(cf_set_value("64KiB") == 65536);
    assert_true(cf_set_value("1.5ms") == 1500000);
    assert_true(cf_set_value("0.25") == 0.25);
    assert_true(cf_set_value("12") == 12);
    assert_true(isnan(cf_set_value("ab")));
    assert_true(isnan(cf_set_value("")));
}

typedef struct rig {
    cf_set set;
    cf_set_judgement judgement;
} rig;

static void begin(rig *r, cf_set_kind kind, const char *const *values, int processes)
{
    cf_error err = {0};
    *r = (rig){.set = {.kind = kind, .processes = processes}};
    for (int i = 0; values[i] != NULL; i++)
        assert_int_equal(cf_set_strings_add(&r->set.values, values[i], &err), CF_OK);
    r->set.member_count = (int)r->set.values.count * processes;
    r->set.members = calloc((size_t)r->set.member_count, sizeof *r->set.members);
    assert_non_null(r->set.members);
    for (int i = 0; i < r->set.member_count; i++)
        r->set.members[i] = (cf_set_member){.group = i / processes, .process = i % processes + 1, .state = CF_SET_DONE};
    assert_int_equal(cf_set_judgement_init(&r->set, &r->judgement, &err), CF_OK);
}

/* The control itself serialises, and timing adds nothing. */
static void take_serial(rig *r, int member)
{
    const made_variant variants[] = {{"none", CF_ROLE_CONTROL, 16, 20, 36},
                                     {"none-again", CF_ROLE_REPLICA, 16, 20, 36},
                                     {"timing", CF_ROLE_INSTRUMENT, 16, 20, 36},
                                     MADE_ONE_QUEUE};
    cf_record record = made_record(variants, MADE_COUNT(variants), 24);
    cf_judgement judged = made_judge(&record);
    cf_set_judgement_take(&r->judgement, member, &record, &judged);
}

/* The control overlaps; timing's ab is given: 20 is harmless, 36 serial. submit_ms: of the control's ab. */
static void take(rig *r, int member, double timing_ab_ms, double submit_ms)
{
    const made_variant variants[] = {
        MADE_NONE, MADE_AGAIN, {"timing", CF_ROLE_INSTRUMENT, 16, 20, timing_ab_ms}, MADE_ONE_QUEUE};
    cf_record record = made_record(variants, MADE_COUNT(variants), 24);
    for (size_t i = 0; i < record.rounds.count; i++)
        for (int v = 0; v < record.variant_count; v++)
            for (int step = 0; step < CF_STEPS; step++)
                made_sample(&record.rounds.items[i], v, CF_CELL_AB)->submit_ns[step] = made_ns(submit_ms);
    cf_judgement judged = made_judge(&record);
    cf_set_judgement_take(&r->judgement, member, &record, &judged);
}

static void combine(rig *r)
{
    cf_error err = {0};
    assert_int_equal(cf_set_judgement_combine(&r->judgement, &err), CF_OK);
}

static void end(rig *r)
{
    cf_set_judgement_done(&r->judgement);
    cf_set_done(&r->set);
}

static const cf_set_variant *timing_of(const rig *r, int group)
{
    const cf_set_group *g = &r->judgement.groups[group];
    for (int v = 0; v < g->variant_count; v++)
        if (strcmp(g->variants[v].name, "timing") == 0)
            return &g->variants[v];
    fail_msg("no timing in group %d", group);
    return NULL;
}

static void numbers_are_the_median_of_medians_with_the_least_and_the_most(void **state)
{
    (void)state;
    rig r;
    begin(&r, CF_SET_PROCESSES, (const char *const[]){"", NULL}, 3);
    take(&r, 0, 36, 0.1);
    take(&r, 1, 32, 0.1);
    take(&r, 2, 28, 0.1);
    combine(&r);
    const cf_set_variant *timing = timing_of(&r, 0);
    assert_true(timing->ab_ms.median == 32 && timing->ab_ms.least == 28 && timing->ab_ms.most == 36);
    assert_true(timing->delta.median == -0.75 && timing->delta.least == -1 && timing->delta.most == -0.5);
    assert_int_equal(timing->effect, CF_EFFECT_CONFOUNDED);
    assert_int_equal(timing->reading, CF_READING_INCONCLUSIVE); /* serialises, serialises, partial */
    assert_int_equal(r.judgement.verdict, CF_VERDICT_CONFOUNDED);
    assert_true(r.judgement.complete);
    end(&r);
}

static void processes_that_disagree_say_nothing_together(void **state)
{
    (void)state;
    rig r;
    begin(&r, CF_SET_PROCESSES, (const char *const[]){"", NULL}, 2);
    take(&r, 0, 36, 0.1);
    take(&r, 1, 20, 0.1);
    combine(&r);
    assert_int_equal(r.judgement.verdict, CF_VERDICT_INCONCLUSIVE);
    assert_int_equal(r.judgement.because, CF_SET_DISAGREES);
    assert_int_equal(timing_of(&r, 0)->effect, CF_EFFECT_INCONCLUSIVE);
    end(&r);
}

static void a_process_that_was_interrupted_or_failed_is_lacking(void **state)
{
    (void)state;
    static const cf_set_state states[] = {CF_SET_INTERRUPTED, CF_SET_FAILED, CF_SET_MISSING};
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        rig r;
        begin(&r, CF_SET_PROCESSES, (const char *const[]){"", NULL}, 2);
        take(&r, 0, 36, 0.1);
        take(&r, 1, 36, 0.1);
        r.set.members[1].state = states[i];
        combine(&r);
        assert_int_equal(r.judgement.verdict, CF_VERDICT_INCONCLUSIVE);
        assert_int_equal(r.judgement.because, CF_SET_LACKS_MEMBERS);
        assert_false(r.judgement.complete);
        end(&r);
    }
}

static void values_are_judged_apart(void **state)
{
    (void)state;
    rig r;
    begin(&r, CF_SET_ENV, (const char *const[]){"1", "2", NULL}, 2);
    for (int i = 0; i < 4; i++)
        take(&r, i, i < 2 ? 36 : 20, 0.1);
    combine(&r);
    assert_int_equal(r.judgement.groups[0].verdict, CF_VERDICT_CONFOUNDED);
    assert_int_equal(r.judgement.groups[1].verdict, CF_VERDICT_CLEAR);
    assert_int_equal(r.judgement.reach_count, 0);
    end(&r);
}

static const cf_set_reach *sweep(rig *r, const char *const *values, const double *timing_ab_ms, const double *submit_ms)
{
    begin(r, CF_SET_SWEEP, values, 1);
    for (int i = 0; i < r->set.member_count; i++)
        take(r, i, timing_ab_ms[i], submit_ms != NULL ? submit_ms[i] : 0.1);
    combine(r);
    assert_int_equal(r->judgement.reach_count, 2);
    return r->judgement.reaches;
}

/* The values stand out of order: their numbers count. */
static void an_instrument_that_matters_above_a_point_has_a_from(void **state)
{
    (void)state;
    rig r;
    const cf_set_reach *timing =
        sweep(&r, (const char *const[]){"4MiB", "64KiB", "1MiB", NULL}, (const double[]){36, 20, 36}, NULL);
    assert_string_equal(timing->name, "timing");
    assert_int_equal(timing->count, 2);
    assert_int_equal(timing->from, 2); /* 1MiB */
    assert_int_equal(timing->until, -1);
    assert_false(timing->open);
    end(&r);
}

static void an_instrument_that_matters_below_a_point_has_an_until(void **state)
{
    (void)state;
    rig r;
    const cf_set_reach *timing =
        sweep(&r, (const char *const[]){"4MiB", "64KiB", "1MiB", NULL}, (const double[]){20, 36, 36}, NULL);
    assert_int_equal(timing->from, -1);
    assert_int_equal(timing->until, 2);
    end(&r);
}

static void one_that_matters_in_the_middle_has_neither(void **state)
{
    (void)state;
    rig r;
    const cf_set_reach *timing =
        sweep(&r, (const char *const[]){"1", "2", "3", NULL}, (const double[]){20, 36, 20}, NULL);
    assert_int_equal(timing->count, 1);
    assert_int_equal(timing->from, -1);
    assert_int_equal(timing->until, -1);
    end(&r);
}

static void a_point_with_nothing_to_remove_does_not_count(void **state)
{
    (void)state;
    static const struct {
        double timing_ab_ms[3]; /* 0 = the control serialises */
        int count, left_out, from, until;
    } cases[] = {{{20, 36, 0}, 1, 1, 1, -1}, {{0, 20, 36}, 1, 1, 2, -1},  {{36, 0, 36}, 2, 1, 0, 2},
                 {{36, 0, 20}, 1, 1, -1, 0}, {{0, 20, 20}, 0, 1, -1, -1}, {{0, 0, 0}, 0, 3, -1, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rig r;
        begin(&r, CF_SET_SWEEP, (const char *const[]){"1", "2", "3", NULL}, 1);
        for (int m = 0; m < 3; m++) {
            if (cases[i].timing_ab_ms[m] > 0)
                take(&r, m, cases[i].timing_ab_ms[m], 0.1);
            else
                take_serial(&r, m);
        }
        combine(&r);
        const cf_set_reach *timing = r.judgement.reaches;
        assert_int_equal(timing->count, cases[i].count);
        assert_int_equal(timing->left_out, cases[i].left_out);
        assert_int_equal(timing->from, cases[i].from);
        assert_int_equal(timing->until, cases[i].until);
        assert_false(timing->undecided);
        assert_true(timing->open);
        end(&r);
    }
}

static void the_host_is_the_limit_where_the_control_is_host_bound(void **state)
{
    (void)state;
    rig r;
    const cf_set_reach *reaches = sweep(&r, (const char *const[]){"1", "2", "3", NULL}, (const double[]){36, 36, 36},
                                        (const double[]){19.5, 19.5, 0.1});
    assert_string_equal(reaches[1].name, "");
    assert_int_equal(reaches[1].count, 2);
    assert_int_equal(reaches[1].until, 1);
    assert_int_equal(reaches[1].from, -1);
    assert_true(reaches[0].open); /* what the host limits decides nothing */
    assert_int_equal(reaches[0].from, 2);
    end(&r);
}

static void words_have_no_order(void **state)
{
    (void)state;
    rig r;
    begin(&r, CF_SET_SWEEP, (const char *const[]){"ab", "ba", NULL}, 1);
    take(&r, 0, 36, 0.1);
    take(&r, 1, 20, 0.1);
    combine(&r);
    assert_false(r.judgement.ordered);
    assert_int_equal(r.judgement.reach_count, 0);
    end(&r);
}

static void rows_go_by_value_then_by_process(void **state)
{
    (void)state;
    rig r;
    begin(&r, CF_SET_ENV, (const char *const[]){"1", "2", NULL}, 2);
    static const struct {
        int group, process;
    } measured[] = {{1, 1}, {0, 1}, {0, 2}, {1, 2}};
    cf_error err = {0};
    for (int i = 0; i < 4; i++) {
        r.set.members[i].group = measured[i].group;
        r.set.members[i].process = measured[i].process;
    }
    cf_set_judgement_done(&r.judgement);
    assert_int_equal(cf_set_judgement_init(&r.set, &r.judgement, &err), CF_OK);
    static const int expected[] = {1, 2, 0, 3};
    assert_memory_equal(r.judgement.rows, expected, sizeof expected);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_common_verdict_stands_and_any_other_is_inconclusive),
        cmocka_unit_test(values_with_units_are_numbers_and_words_are_none),
        cmocka_unit_test(numbers_are_the_median_of_medians_with_the_least_and_the_most),
        cmocka_unit_test(processes_that_disagree_say_nothing_together),
        cmocka_unit_test(a_process_that_was_interrupted_or_failed_is_lacking),
        cmocka_unit_test(values_are_judged_apart),
        cmocka_unit_test(an_instrument_that_matters_above_a_point_has_a_from),
        cmocka_unit_test(an_instrument_that_matters_below_a_point_has_an_until),
        cmocka_unit_test(one_that_matters_in_the_middle_has_neither),
        cmocka_unit_test(a_point_with_nothing_to_remove_does_not_count),
        cmocka_unit_test(the_host_is_the_limit_where_the_control_is_host_bound),
        cmocka_unit_test(words_have_no_order),
        cmocka_unit_test(rows_go_by_value_then_by_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
