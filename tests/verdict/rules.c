#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "verdict/bound.h"
#include "verdict/made.h"

static const made_variant usual[] = {MADE_NONE, MADE_AGAIN, MADE_SYNC, MADE_TIMING, MADE_ONE_QUEUE};
enum { NONE, AGAIN, SYNC, TIMING, ONE_QUEUE };

static cf_record usual_record(void)
{
    return made_record(usual, MADE_COUNT(usual), 24);
}

static void done(cf_record *record, cf_judgement *judgement)
{
    cf_judgement_done(judgement);
    cf_record_done(record);
}

/* The control's prologue goes along, or the change would look like a sticky instrument's doing. */
static void all_rounds(cf_record *record, int variant, cf_cell cell, double ms)
{
    for (size_t i = 0; variant == NONE && i < record->prologue.count; i++)
        made_set(&record->prologue.items[i], NONE, cell, ms);
    for (size_t i = 0; i < record->rounds.count; i++)
        made_set(&record->rounds.items[i], variant, cell, ms);
}

static bool has(const cf_judgement *judgement, int variant, cf_because because)
{
    return made_has(&judgement->variants[variant].because, because);
}

/* ---- what a sound record says ---- */

static void serialising_timing_is_confounded_and_removes(void **state)
{
    (void)state;
    cf_record record = usual_record();
    cf_judgement judgement = made_judge(&record);
    const cf_variant_judgement *timing = &judgement.variants[TIMING];
    assert_true(judgement.valid);
    assert_int_equal(judgement.verdict, CF_VERDICT_CONFOUNDED);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_OVERLAPS);
    assert_int_equal(judgement.variants[NONE].effect.verdict, CF_EFFECT_NONE);
    assert_int_equal(judgement.variants[NONE].because.count, 0);
    assert_int_equal(judgement.variants[ONE_QUEUE].reading, CF_READING_SERIALISES);
    assert_int_equal(judgement.variants[ONE_QUEUE].effect.verdict, CF_EFFECT_NONE);
    assert_int_equal(judgement.variants[AGAIN].effect.verdict, CF_EFFECT_CLEAR);
    assert_int_equal(judgement.variants[SYNC].effect.verdict, CF_EFFECT_CLEAR);
    assert_int_equal(judgement.variants[SYNC].because.count, 0);
    assert_int_equal(timing->reading, CF_READING_SERIALISES);
    assert_int_equal(timing->effect.verdict, CF_EFFECT_CONFOUNDED);
    assert_int_equal(timing->effect.direction, -1);
    assert_int_equal(timing->effect.decided_at, 12);
    assert_true(timing->effect.flips && timing->effect.slows && timing->effect.measurable && timing->effect.blamed);
    assert_true(timing->effect.delta.median == -1 && timing->overlap.median == 0);
    assert_true(timing->slowdown[CF_CELL_AB].median == 1.8);
    assert_true(timing->ab_ms == 36 && timing->exposed_ms == 16 && timing->submit_ms == 0.1);
    assert_true(judgement.best == 1 && judgement.balance == 0.8 && !judgement.unbalanced_warning);
    assert_false(judgement.sticky);
    assert_true(cf_judgement_settled(&record, &judgement));
    done(&record, &judgement);
}

static void faked_overlap_is_confounded_and_adds(void **state)
{
    (void)state;
    const made_variant variants[] = {{"none", CF_ROLE_CONTROL, 16, 20, 36},
                                     {"none-again", CF_ROLE_REPLICA, 16, 20, 36},
                                     {"replay", CF_ROLE_INSTRUMENT, 16, 20, 20},
                                     MADE_ONE_QUEUE};
    cf_record record = made_record(variants, MADE_COUNT(variants), 12);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[2].effect.verdict, CF_EFFECT_CONFOUNDED);
    assert_int_equal(judgement.variants[2].effect.direction, 1);
    assert_true(judgement.variants[2].effect.flips);
    assert_false(judgement.variants[2].effect.slows);
    done(&record, &judgement);
}

static void a_slow_but_harmless_instrument_is_clear_and_slows(void **state)
{
    (void)state;
    cf_record record = usual_record();
    all_rounds(&record, TIMING, CF_CELL_A, 17.6);
    all_rounds(&record, TIMING, CF_CELL_B, 22);
    all_rounds(&record, TIMING, CF_CELL_AB, 22);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.verdict, CF_VERDICT_CLEAR);
    assert_int_equal(judgement.variants[TIMING].effect.verdict, CF_EFFECT_CLEAR);
    assert_true(judgement.variants[TIMING].effect.slows);
    assert_false(judgement.variants[SYNC].effect.slows);
    assert_false(judgement.variants[TIMING].effect.flips || judgement.variants[TIMING].effect.measurable);
    done(&record, &judgement);
}

static void a_slowdown_of_two_percent_does_not_slow(void **state)
{
    (void)state;
    cf_record record = usual_record();
    all_rounds(&record, SYNC, CF_CELL_AB, 20.4);
    all_rounds(&record, TIMING, CF_CELL_AB, 20.5);
    cf_judgement judgement = made_judge(&record);
    assert_false(judgement.variants[SYNC].effect.slows);
    assert_true(judgement.variants[TIMING].effect.slows);
    done(&record, &judgement);
}

static void a_serial_control_clears_everyone_and_says_there_was_nothing_to_remove(void **state)
{
    (void)state;
    cf_record record = usual_record();
    for (int v = 0; v < record.variant_count; v++)
        all_rounds(&record, v, CF_CELL_AB, 36);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.verdict, CF_VERDICT_CLEAR);
    for (int v = SYNC; v <= TIMING; v++) {
        assert_int_equal(judgement.variants[v].effect.verdict, CF_EFFECT_CLEAR);
        assert_true(has(&judgement, v, CF_BECAUSE_NOTHING_TO_REMOVE));
    }
    done(&record, &judgement);
}

static void timing_is_not_blamed_where_sync_disturbs_too(void **state)
{
    (void)state;
    cf_record record = usual_record();
    all_rounds(&record, SYNC, CF_CELL_AB, 36);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[TIMING].effect.verdict, CF_EFFECT_CONFOUNDED);
    assert_false(judgement.variants[TIMING].effect.blamed);
    assert_true(judgement.variants[SYNC].effect.blamed);
    done(&record, &judgement);
}

static void timing_is_blamed_where_there_is_no_sync(void **state)
{
    (void)state;
    const made_variant variants[] = {MADE_NONE, MADE_AGAIN, MADE_TIMING, MADE_ONE_QUEUE};
    cf_record record = made_record(variants, MADE_COUNT(variants), 12);
    cf_judgement judgement = made_judge(&record);
    assert_true(judgement.variants[2].effect.blamed);
    done(&record, &judgement);
}

static void a_run_without_instruments_answers_for_its_control(void **state)
{
    (void)state;
    const made_variant variants[] = {MADE_NONE, MADE_AGAIN, MADE_ONE_QUEUE};
    cf_record record = made_record(variants, MADE_COUNT(variants), 24);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.verdict, CF_VERDICT_CLEAR);
    cf_judgement_done(&judgement);
    for (int v = 0; v < 2; v++)
        all_rounds(&record, v, CF_CELL_AB, 36 - 0.7 * 16); /* on the threshold */
    judgement = made_judge(&record);
    assert_int_equal(judgement.verdict, CF_VERDICT_INCONCLUSIVE);
    assert_false(cf_judgement_settled(&record, &judgement));
    done(&record, &judgement);
}

static void without_instruments_a_reference_that_does_not_serialise_withholds_clear(void **state)
{
    (void)state;
    const made_variant variants[] = {MADE_NONE, MADE_AGAIN, {"one-queue", CF_ROLE_REFERENCE, 16, 20, 20}};
    cf_record record = made_record(variants, MADE_COUNT(variants), 24);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[0].reading, CF_READING_OVERLAPS);
    assert_int_equal(judgement.verdict, CF_VERDICT_INCONCLUSIVE);
    assert_true(has(&judgement, 0, CF_BECAUSE_REFERENCE_FAILED));
    assert_true(cf_judgement_settled(&record, &judgement));
    done(&record, &judgement);
}

static void without_instruments_an_open_reference_is_waited_for(void **state)
{
    (void)state;
    const made_variant variants[] = {
        MADE_NONE, MADE_AGAIN, {"one-queue", CF_ROLE_REFERENCE, 16, 20, 36 - 0.3 * 16}}; /* on the threshold */
    cf_record record = made_record(variants, MADE_COUNT(variants), 24);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.verdict, CF_VERDICT_INCONCLUSIVE);
    assert_false(cf_judgement_settled(&record, &judgement));
    done(&record, &judgement);
}

static void without_instruments_an_open_replica_withholds_clear(void **state)
{
    (void)state;
    const made_variant variants[] = {MADE_NONE, MADE_AGAIN, MADE_ONE_QUEUE};
    cf_record record = made_record(variants, MADE_COUNT(variants), 24);
    for (size_t i = 0; i < record.rounds.count; i++) /* every other round beyond the margin: never decided */
        made_set(&record.rounds.items[i], 1, CF_CELL_AB, i % 2 ? 20 : 22);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[0].reading, CF_READING_OVERLAPS);
    assert_int_equal(judgement.variants[1].effect.verdict, CF_EFFECT_INCONCLUSIVE);
    assert_int_equal(judgement.verdict, CF_VERDICT_INCONCLUSIVE);
    assert_false(cf_judgement_settled(&record, &judgement));
    done(&record, &judgement);
}

static void times_are_per_step_of_a_window_in_flight(void **state)
{
    (void)state;
    cf_record record = usual_record();
    record.job.in_flight = 4;
    cf_judgement judgement = made_judge(&record);
    assert_true(judgement.variants[NONE].a_ms == 4 && judgement.variants[TIMING].ab_ms == 9);
    assert_true(judgement.variants[TIMING].exposed_ms == 4 && judgement.variants[NONE].submit_ms == 0.025);
    assert_true(judgement.variants[TIMING].slowdown[CF_CELL_AB].median == 1.8);
    done(&record, &judgement);
}

static void what_the_instrument_saw_is_beside_and_decides_nothing(void **state)
{
    (void)state;
    cf_record record = usual_record();
    for (size_t i = 0; i < record.rounds.count; i++) {
        if (!record.rounds.items[i].seen)
            record.rounds.items[i].seen = calloc((size_t)record.variant_count, sizeof(cf_seen));
        record.rounds.items[i].seen[TIMING] = (cf_seen){.overlap_ns = 75, .shorter_ns = 100};
    }
    cf_judgement judgement = made_judge(&record);
    assert_true(judgement.variants[TIMING].seen.ok && judgement.variants[TIMING].seen.median == 0.75);
    assert_false(judgement.variants[SYNC].seen.ok);
    assert_int_equal(judgement.variants[TIMING].effect.verdict, CF_EFFECT_CONFOUNDED);
    done(&record, &judgement);
}

/* ---- thresholds: ties count against ---- */

static void a_difference_exactly_on_the_margin_decides_nothing(void **state)
{
    (void)state;
    cf_record record = usual_record();
    /* Lanes of 10 and 10: O 1.0 against 0.9, whose difference is not -0.1 in binary. */
    for (int v = 0; v < record.variant_count; v++) {
        all_rounds(&record, v, CF_CELL_A, 10);
        all_rounds(&record, v, CF_CELL_B, 10);
        all_rounds(&record, v, CF_CELL_AB, v == SYNC ? 11 : v == TIMING || v == ONE_QUEUE ? 20 : 10);
    }
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[SYNC].effect.verdict, CF_EFFECT_INCONCLUSIVE);
    assert_int_equal(judgement.variants[SYNC].effect.more_rounds, 0);
    assert_true(has(&judgement, SYNC, CF_BECAUSE_TOO_CLOSE));
    cf_judgement_done(&judgement);
    all_rounds(&record, SYNC, CF_CELL_AB, 10.999);
    judgement = made_judge(&record);
    assert_int_equal(judgement.variants[SYNC].effect.verdict, CF_EFFECT_CLEAR);
    cf_judgement_done(&judgement);
    all_rounds(&record, SYNC, CF_CELL_AB, 11.001);
    judgement = made_judge(&record);
    assert_int_equal(judgement.variants[SYNC].effect.verdict, CF_EFFECT_CONFOUNDED);
    done(&record, &judgement);
}

static void an_overlap_exactly_on_a_threshold_reads_as_nothing(void **state)
{
    (void)state;
    const struct {
        double ab_ms;
        cf_reading reading;
    } cases[] = {
        {13, CF_READING_INCONCLUSIVE}, {12.999, CF_READING_OVERLAPS}, {13.001, CF_READING_PARTIAL},
        {17, CF_READING_INCONCLUSIVE}, {16.999, CF_READING_PARTIAL},  {17.001, CF_READING_SERIALISES},
    };
    cf_record record = usual_record();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        all_rounds(&record, SYNC, CF_CELL_A, 10);
        all_rounds(&record, SYNC, CF_CELL_B, 10);
        all_rounds(&record, SYNC, CF_CELL_AB, cases[i].ab_ms);
        cf_judgement judgement = made_judge(&record);
        assert_int_equal(judgement.variants[SYNC].reading, cases[i].reading);
        cf_judgement_done(&judgement);
    }
    cf_record_done(&record);
}

static void a_reading_is_relative_to_what_dependencies_allow(void **state)
{
    (void)state;
    cf_record record = usual_record();
    record.job.depends = true;
    record.job.lane[0].count = record.job.lane[1].count = 2;
    for (int v = 0; v < record.variant_count; v++) {
        all_rounds(&record, v, CF_CELL_A, 20);
        all_rounds(&record, v, CF_CELL_B, 20);
        all_rounds(&record, v, CF_CELL_AB, v == TIMING || v == ONE_QUEUE ? 40 : 30);
    }
    cf_judgement judgement = made_judge(&record);
    assert_true(judgement.best == 0.5);
    assert_true(judgement.variants[NONE].overlap.median == 0.5);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_OVERLAPS);
    cf_judgement_done(&judgement);
    record.job.depends = false;
    judgement = made_judge(&record);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_PARTIAL);
    done(&record, &judgement);
}

static void what_dependencies_allow_is_asked_of_the_control_alone(void **state)
{
    (void)state;
    cf_record record = usual_record();
    record.job.depends = true;
    record.job.lane[0].count = 4;
    record.job.lane[1].count = 2;
    all_rounds(&record, ONE_QUEUE, CF_CELL_B, 2); /* its own best would be 1 */
    cf_judgement judgement = made_judge(&record);
    assert_true(judgement.best == 0.75);
    done(&record, &judgement);
}

static void the_shorter_side_is_the_look_s_own(void **state)
{
    (void)state;
    cf_record record = usual_record();
    /* b turns the shorter lane at the end; the decision fell before and stands, the estimate uses the new side. */
    for (size_t i = 0; i < record.rounds.count; i++)
        made_set(&record.rounds.items[i], SYNC, CF_CELL_B, i < 12 ? 20 : 15.9);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[SYNC].reading_at, 12);
    assert_int_equal(judgement.variants[SYNC].side, 0); /* the median of b is still above a */
    cf_judgement_done(&judgement);
    for (size_t i = 0; i < record.rounds.count; i++)
        made_set(&record.rounds.items[i], SYNC, CF_CELL_B, i < 11 ? 20 : 15.9);
    judgement = made_judge(&record);
    assert_int_equal(judgement.variants[SYNC].reading_at, 12);
    assert_int_equal(judgement.variants[SYNC].side, 1);
    done(&record, &judgement);
}

/* ---- looks ---- */

static void too_few_rounds_decide_nothing(void **state)
{
    (void)state;
    cf_record record = made_record(usual, MADE_COUNT(usual), 11);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.verdict, CF_VERDICT_INCONCLUSIVE);
    for (int v = SYNC; v <= TIMING; v++)
        assert_true(has(&judgement, v, CF_BECAUSE_TOO_FEW_ROUNDS));
    assert_int_equal(judgement.variants[TIMING].effect.more_rounds, 1);
    assert_int_equal(judgement.more_rounds, 1);
    assert_false(cf_judgement_settled(&record, &judgement));
    done(&record, &judgement);
}

static void no_rounds_at_all_are_judged_too(void **state)
{
    (void)state;
    cf_record record = made_record(usual, MADE_COUNT(usual), 0);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.verdict, CF_VERDICT_INCONCLUSIVE);
    assert_int_equal(judgement.rounds, 0);
    assert_false(judgement.variants[NONE].overlap.ok);
    assert_int_equal(judgement.more_rounds, 12);
    assert_false(cf_judgement_settled(&record, &judgement));
    done(&record, &judgement);
}

static void no_look_comes_before_min_rounds(void **state)
{
    (void)state;
    cf_record record = usual_record();
    record.min_rounds = 20;
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[TIMING].effect.decided_at, 20);
    assert_int_equal(judgement.variants[NONE].reading_at, 20);
    done(&record, &judgement);
}

static void the_first_decision_stands(void **state)
{
    (void)state;
    cf_record record = made_record(usual, MADE_COUNT(usual), 100);
    for (size_t i = 12; i < record.rounds.count; i++)
        made_set(&record.rounds.items[i], TIMING, CF_CELL_AB, 20);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[TIMING].effect.verdict, CF_EFFECT_CONFOUNDED);
    assert_int_equal(judgement.variants[TIMING].effect.decided_at, 12);
    assert_int_equal(judgement.variants[TIMING].reading, CF_READING_SERIALISES);
    assert_true(judgement.variants[TIMING].effect.delta.median == 0);
    done(&record, &judgement);
}

static void an_undecided_effect_says_how_many_more_rounds(void **state)
{
    (void)state;
    cf_record record = made_record(usual, MADE_COUNT(usual), 20);
    for (size_t i = 0; i < record.rounds.count; i++)
        if (i % 5 == 0) /* four of five rounds agree that sync is clear */
            made_set(&record.rounds.items[i], SYNC, CF_CELL_AB, 24);
    cf_judgement judgement = made_judge(&record);
    long more = judgement.variants[SYNC].effect.more_rounds;
    assert_int_equal(judgement.variants[SYNC].effect.verdict, CF_EFFECT_INCONCLUSIVE);
    assert_true(has(&judgement, SYNC, CF_BECAUSE_MORE_ROUNDS));
    assert_true(more > 0 && judgement.more_rounds == more);
    cf_judgement_done(&judgement);
    cf_record_done(&record);
    /* And it does take that many, at that rate. */
    record = made_record(usual, MADE_COUNT(usual), 20 + more);
    for (size_t i = 0; i < record.rounds.count; i++)
        if (i % 5 == 0)
            made_set(&record.rounds.items[i], SYNC, CF_CELL_AB, 24);
    judgement = made_judge(&record);
    assert_int_equal(judgement.variants[SYNC].effect.verdict, CF_EFFECT_CLEAR);
    assert_in_range(judgement.variants[SYNC].effect.decided_at, 20 + more - 4, 20 + more);
    done(&record, &judgement);
}

static void the_margin_can_be_given(void **state)
{
    (void)state;
    cf_record record = usual_record();
    cf_judgement judgement;
    cf_error err;
    all_rounds(&record, SYNC, CF_CELL_AB, 22.4); /* O 0.85 */
    assert_int_equal(cf_judge(&record, NULL, &(cf_judge_settings){.margin = 0.2}, &judgement, &err), CF_OK);
    assert_int_equal(judgement.variants[SYNC].effect.verdict, CF_EFFECT_CLEAR);
    assert_true(judgement.margin == 0.2);
    cf_judgement_done(&judgement);
    judgement = made_judge(&record);
    assert_int_equal(judgement.variants[SYNC].effect.verdict, CF_EFFECT_CONFOUNDED);
    assert_true(judgement.margin == record.margin);
    done(&record, &judgement);
}

/* One round contradicts: 13 of 14 decide for one instrument, 16 of 17 for five, of which four are not confounded. */
static void more_instruments_need_more_evidence(void **state)
{
    (void)state;
    const made_variant many[] = {MADE_NONE,
                                 MADE_AGAIN,
                                 MADE_ONE_QUEUE,
                                 MADE_TIMING,
                                 {"p", CF_ROLE_INSTRUMENT, 16, 20, 20},
                                 {"q", CF_ROLE_INSTRUMENT, 16, 20, 20},
                                 {"r", CF_ROLE_INSTRUMENT, 16, 20, 20},
                                 {"s", CF_ROLE_INSTRUMENT, 16, 20, 20}};
    for (int count = 4; count <= MADE_COUNT(many); count += 4) {
        cf_record record = made_record(many, count, 40);
        made_set(&record.rounds.items[0], 3, CF_CELL_AB, 20);
        cf_judgement judgement = made_judge(&record);
        assert_int_equal(judgement.variants[3].effect.verdict, CF_EFFECT_CONFOUNDED);
        assert_int_equal(judgement.variants[3].effect.decided_at, count == 4 ? 14 : 17);
        done(&record, &judgement);
    }
}

/* With two confounded at round 12 the third is alone in its family: 13 of 14 decide, where three would need 15 of 16.
 */
static void a_decided_instrument_leaves_the_family(void **state)
{
    (void)state;
    const made_variant three[] = {MADE_NONE,
                                  MADE_AGAIN,
                                  MADE_ONE_QUEUE,
                                  MADE_TIMING,
                                  {"profiler", CF_ROLE_INSTRUMENT, 16, 20, 36},
                                  {"tracer", CF_ROLE_INSTRUMENT, 16, 20, 36}};
    cf_record record = made_record(three, MADE_COUNT(three), 30);
    made_set(&record.rounds.items[0], 3, CF_CELL_AB, 20);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[4].effect.decided_at, 12);
    assert_int_equal(judgement.variants[5].effect.decided_at, 12);
    assert_int_equal(judgement.variants[3].effect.decided_at, 14);
    done(&record, &judgement);
}

/* ---- controls ---- */

static void a_replica_that_differs_makes_the_record_invalid(void **state)
{
    (void)state;
    cf_record record = usual_record();
    all_rounds(&record, AGAIN, CF_CELL_AB, 36);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.verdict, CF_VERDICT_INVALID);
    assert_false(judgement.valid);
    assert_int_equal(judgement.invalid_because.count, 1);
    assert_int_equal(judgement.invalid_because.items[0], CF_BECAUSE_REPLICA_CONFOUNDED);
    assert_true(cf_judgement_settled(&record, &judgement));
    done(&record, &judgement);
}

static void a_reference_that_overlaps_withholds_clear_but_not_confounded(void **state)
{
    (void)state;
    cf_record record = usual_record();
    all_rounds(&record, ONE_QUEUE, CF_CELL_AB, 20);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[SYNC].effect.verdict, CF_EFFECT_INCONCLUSIVE);
    assert_int_equal(judgement.variants[SYNC].effect.decided_at, 0);
    assert_true(has(&judgement, SYNC, CF_BECAUSE_REFERENCE_FAILED));
    assert_int_equal(judgement.variants[TIMING].effect.verdict, CF_EFFECT_CONFOUNDED);
    assert_false(has(&judgement, TIMING, CF_BECAUSE_REFERENCE_FAILED));
    assert_false(judgement.variants[SYNC].reference_ok);
    assert_true(judgement.valid);
    assert_true(cf_judgement_settled(&record, &judgement));
    done(&record, &judgement);
}

static void an_undecided_reference_keeps_a_run_going(void **state)
{
    (void)state;
    cf_record record = usual_record();
    all_rounds(&record, ONE_QUEUE, CF_CELL_AB, 36 - 0.3 * 16);
    cf_judgement judgement = made_judge(&record);
    assert_true(has(&judgement, SYNC, CF_BECAUSE_REFERENCE_FAILED));
    assert_false(cf_judgement_settled(&record, &judgement));
    done(&record, &judgement);
}

static void a_reference_that_was_not_armed_proves_nothing(void **state)
{
    (void)state;
    cf_record record = usual_record();
    record.variants[ONE_QUEUE].armed = CF_ARMED_NO;
    cf_judgement judgement = made_judge(&record);
    assert_true(has(&judgement, SYNC, CF_BECAUSE_REFERENCE_FAILED));
    cf_judgement_done(&judgement);
    record.variants[ONE_QUEUE].armed = CF_ARMED_NOTHING;
    judgement = made_judge(&record);
    assert_int_equal(judgement.variants[SYNC].effect.verdict, CF_EFFECT_CLEAR);
    done(&record, &judgement);
}

static void a_control_that_is_missing_makes_the_record_invalid(void **state)
{
    (void)state;
    const cf_role roles[] = {[NONE] = CF_ROLE_CONTROL, [AGAIN] = CF_ROLE_REPLICA, [ONE_QUEUE] = CF_ROLE_REFERENCE};
    for (int v = 0; v <= ONE_QUEUE; v += v == AGAIN ? ONE_QUEUE - AGAIN : 1) {
        cf_record record = usual_record();
        assert_int_equal(record.variants[v].role, roles[v]);
        record.variants[v].role = CF_ROLE_INSTRUMENT;
        cf_judgement judgement = made_judge(&record);
        assert_int_equal(judgement.verdict, CF_VERDICT_INVALID);
        assert_true(made_has(&judgement.invalid_because, CF_BECAUSE_MISSING_CONTROL));
        done(&record, &judgement);
    }
}

static void a_resumed_part_without_its_reference_makes_the_record_invalid(void **state)
{
    (void)state;
    cf_record record = usual_record();
    for (int i = 0; i < MADE_PROLOGUE; i++)
        made_round(&record.prologue, usual, 1)->process = 1;
    for (size_t i = 12; i < record.rounds.count; i++)
        record.rounds.items[i].process = 1;
    cf_judgement judgement = made_judge(&record);
    assert_true(judgement.valid);
    cf_judgement_done(&judgement);
    for (size_t i = 12; i < record.rounds.count; i++)
        made_set(&record.rounds.items[i], ONE_QUEUE, CF_CELL_AB, 0);
    judgement = made_judge(&record);
    assert_int_equal(judgement.verdict, CF_VERDICT_INVALID);
    assert_true(made_has(&judgement.invalid_because, CF_BECAUSE_SEGMENT_WITHOUT_CONTROLS));
    done(&record, &judgement);
}

static void a_resumed_part_without_its_prologue_makes_the_record_invalid(void **state)
{
    (void)state;
    cf_record record = usual_record();
    for (size_t i = 12; i < record.rounds.count; i++)
        record.rounds.items[i].process = 1;
    cf_judgement judgement = made_judge(&record);
    assert_true(made_has(&judgement.invalid_because, CF_BECAUSE_SEGMENT_WITHOUT_CONTROLS));
    cf_judgement_done(&judgement);
    record.design = CF_DESIGN_BETWEEN; /* a process each: nothing can stick */
    judgement = made_judge(&record);
    assert_true(judgement.valid);
    done(&record, &judgement);
}

static void a_control_must_prove_that_nothing_is_armed(void **state)
{
    (void)state;
    const cf_armed unproven[] = {CF_ARMED_YES, CF_ARMED_NOTHING};
    for (int i = 0; i < 2; i++)
        for (int v = NONE; v <= AGAIN; v++) {
            cf_record record = usual_record();
            record.variants[v].armed = unproven[i];
            cf_judgement judgement = made_judge(&record);
            assert_int_equal(judgement.verdict, CF_VERDICT_INVALID);
            assert_true(made_has(&judgement.invalid_because, CF_BECAUSE_CONTROL_NOT_PROVEN));
            done(&record, &judgement);
        }
}

static void wrong_data_make_the_record_invalid(void **state)
{
    (void)state;
    const cf_data_check checks[] = {CF_DATA_WRONG, CF_DATA_OK, CF_DATA_UNSUPPORTED, CF_DATA_NOT_RUN};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        cf_record record = usual_record();
        record.data_check = checks[i];
        cf_judgement judgement = made_judge(&record);
        assert_int_equal(judgement.valid, checks[i] != CF_DATA_WRONG);
        assert_int_equal(made_has(&judgement.invalid_because, CF_BECAUSE_DATA_WRONG), checks[i] == CF_DATA_WRONG);
        done(&record, &judgement);
    }
}

static void an_instrument_that_was_not_armed_is_inconclusive_whatever_d_is(void **state)
{
    (void)state;
    for (int v = SYNC; v <= TIMING; v++) {
        cf_record record = usual_record();
        record.variants[v].armed = CF_ARMED_NO;
        cf_judgement judgement = made_judge(&record);
        assert_int_equal(judgement.variants[v].effect.verdict, CF_EFFECT_INCONCLUSIVE);
        assert_int_equal(judgement.variants[v].effect.direction, 0);
        assert_true(has(&judgement, v, CF_BECAUSE_NOT_ARMED));
        assert_int_equal(judgement.verdict, v == SYNC ? CF_VERDICT_CONFOUNDED : CF_VERDICT_INCONCLUSIVE);
        assert_true(cf_judgement_settled(&record, &judgement));
        done(&record, &judgement);
    }
}

static void a_process_only_instrument_gets_no_answer_within_one_process(void **state)
{
    (void)state;
    cf_record record = usual_record();
    record.variants[TIMING].process_only = true;
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[TIMING].effect.verdict, CF_EFFECT_INCONCLUSIVE);
    assert_true(has(&judgement, TIMING, CF_BECAUSE_PROCESS_ONLY));
    assert_false(has(&judgement, SYNC, CF_BECAUSE_PROCESS_ONLY));
    assert_true(cf_judgement_settled(&record, &judgement));
    cf_judgement_done(&judgement);
    record.design = CF_DESIGN_BETWEEN;
    judgement = made_judge(&record);
    assert_int_equal(judgement.variants[TIMING].effect.verdict, CF_EFFECT_CONFOUNDED);
    done(&record, &judgement);
}

/* ---- sticky ---- */

static void a_control_unlike_its_prologue_means_a_sticky_instrument(void **state)
{
    (void)state;
    cf_record record = usual_record();
    for (int v = 0; v < record.variant_count; v++)
        all_rounds(&record, v, CF_CELL_AB, 36);
    for (size_t i = 0; i < record.prologue.count; i++)
        made_set(&record.prologue.items[i], 0, CF_CELL_AB, 20);
    cf_judgement judgement = made_judge(&record);
    assert_true(judgement.sticky);
    assert_true(judgement.prologue_overlap.ok && judgement.prologue_overlap.median == 1);
    assert_int_equal(judgement.verdict, CF_VERDICT_INCONCLUSIVE);
    for (int v = NONE; v <= TIMING; v++)
        assert_true(has(&judgement, v, CF_BECAUSE_STICKY));
    for (int v = NONE; v <= AGAIN; v++)
        assert_int_equal(judgement.variants[v].reading, CF_READING_INCONCLUSIVE);
    for (int v = SYNC; v <= TIMING; v++)
        assert_int_equal(judgement.variants[v].effect.verdict, CF_EFFECT_INCONCLUSIVE);
    assert_true(cf_judgement_settled(&record, &judgement));
    done(&record, &judgement);
}

static void a_control_within_the_margin_of_its_prologue_is_not_sticky(void **state)
{
    (void)state;
    cf_record record = usual_record();
    for (size_t i = 0; i < record.prologue.count; i++)
        made_set(&record.prologue.items[i], 0, CF_CELL_AB, 21.5); /* O 0.906 */
    cf_judgement judgement = made_judge(&record);
    assert_false(judgement.sticky);
    assert_int_equal(judgement.verdict, CF_VERDICT_CONFOUNDED);
    done(&record, &judgement);
}

static void a_noisy_prologue_is_not_sticky_while_the_sequences_meet(void **state)
{
    (void)state;
    cf_record record = usual_record();
    for (size_t i = 0; i < record.prologue.count; i++)
        made_set(&record.prologue.items[i], 0, CF_CELL_AB, i % 4 == 0 ? 20 : 30);
    cf_judgement judgement = made_judge(&record);
    assert_true(judgement.prologue_overlap.median < 0.5);
    assert_false(judgement.sticky);
    done(&record, &judgement);
}

static void a_record_without_a_prologue_cannot_tell(void **state)
{
    (void)state;
    cf_record record = usual_record();
    while (record.prologue.count > 0)
        cf_rounds_drop_last(&record.prologue);
    cf_judgement judgement = made_judge(&record);
    assert_false(judgement.prologue_overlap.ok);
    assert_false(judgement.sticky);
    assert_true(judgement.valid);
    done(&record, &judgement);
}

static void each_process_is_compared_with_its_own_prologue(void **state)
{
    (void)state;
    cf_record record = usual_record();
    for (int i = 0; i < MADE_PROLOGUE; i++) {
        cf_round *round = made_round(&record.prologue, usual, 1);
        round->process = 1;
        made_set(round, 0, CF_CELL_AB, 36);
    }
    for (size_t i = 12; i < record.rounds.count; i++)
        record.rounds.items[i].process = 1; /* its prologue serialised, its control overlaps */
    cf_judgement judgement = made_judge(&record);
    assert_true(judgement.sticky);
    assert_true(judgement.prologue_overlap.median == 0);
    done(&record, &judgement);
}

static void processes_too_short_to_tell_alone_are_compared_together(void **state)
{
    (void)state;
    cf_record record = usual_record();
    for (int i = 0; i < 2 * MADE_PROLOGUE; i++)
        made_round(&record.prologue, usual, 1)->process = 1 + i / MADE_PROLOGUE;
    for (size_t i = 0; i < record.rounds.count; i++)
        record.rounds.items[i].process = (int)(i / 8);
    cf_judgement judgement = made_judge(&record);
    assert_false(judgement.sticky);
    cf_judgement_done(&judgement);
    for (size_t i = 0; i < record.prologue.count; i++)
        made_set(&record.prologue.items[i], NONE, CF_CELL_AB, 36);
    judgement = made_judge(&record);
    assert_true(judgement.sticky);
    done(&record, &judgement);
}

/* ---- the host ---- */

static void submit_takes(cf_record *record, int variant, double submit_ms, double blocked_ms)
{
    for (size_t i = 0; i < record->rounds.count; i++)
        for (int step = 0; step < CF_STEPS; step++) {
            cf_sample *sample = made_sample(&record->rounds.items[i], variant, CF_CELL_AB);
            sample->submit_ns[step] = made_ns(submit_ms);
            sample->blocked_ns[step] = made_ns(blocked_ms);
        }
}

static void a_host_bound_control_leaves_every_effect_inconclusive(void **state)
{
    (void)state;
    cf_record record = usual_record();
    submit_takes(&record, NONE, 19, 0); /* 0.95 of 20 */
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_HOST_BOUND);
    assert_int_equal(judgement.variants[TIMING].reading, CF_READING_SERIALISES);
    assert_int_equal(judgement.verdict, CF_VERDICT_INCONCLUSIVE);
    for (int v = AGAIN; v <= TIMING; v++) {
        assert_int_equal(judgement.variants[v].effect.verdict, CF_EFFECT_INCONCLUSIVE);
        assert_true(has(&judgement, v, CF_BECAUSE_HOST_BOUND));
    }
    assert_true(cf_judgement_settled(&record, &judgement));
    cf_judgement_done(&judgement);
    submit_takes(&record, NONE, 18.99, 0);
    judgement = made_judge(&record);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_OVERLAPS);
    assert_int_equal(judgement.verdict, CF_VERDICT_CONFOUNDED);
    done(&record, &judgement);
}

static void wait_for_a_core(cf_record *record, int variant, double delay_ms, double late_ms);

static void make_own(cf_record *record)
{
    for (int lane = 0; lane < 2; lane++) {
        free(record->job.lane[lane].op);
        record->job.lane[lane].op = cf_text_dup(CF_OP_OWN);
    }
}

static void all_walls(cf_record *record, double alone_ms, double ab_ms)
{
    for (int v = 0; v < record->variant_count; v++) {
        all_rounds(record, v, CF_CELL_A, alone_ms);
        all_rounds(record, v, CF_CELL_B, alone_ms);
        all_rounds(record, v, CF_CELL_AB, v == ONE_QUEUE ? 2 * alone_ms : ab_ms);
    }
}

static void assert_no_bound(const cf_record *record, const cf_judgement *judgement, cf_because because)
{
    cf_bound bound;
    cf_error err = {0};
    assert_int_equal(cf_bound_judge(record, judgement, 0.1, &bound, &err), CF_OK);
    assert_int_equal(bound.side, CF_BOUND_INCONCLUSIVE);
    assert_int_equal(bound.because, because);
    assert_false(bound.open);
}

/* The walls of two callbacks that do nothing: ab takes what one lane does. */
static void steps_that_do_nothing_never_overlap(void **state)
{
    (void)state;
    cf_record record = usual_record();
    make_own(&record);
    all_walls(&record, 0.0008, 0.0008);
    submit_takes(&record, NONE, 0.0004, 0);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_HOST_BOUND);
    assert_true(has(&judgement, NONE, CF_BECAUSE_TOO_SHORT));
    assert_false(has(&judgement, NONE, CF_BECAUSE_HOST_BOUND));
    assert_int_equal(judgement.verdict, CF_VERDICT_INCONCLUSIVE);
    assert_int_equal(judgement.variants[SYNC].effect.verdict, CF_EFFECT_INCONCLUSIVE);
    assert_true(has(&judgement, SYNC, CF_BECAUSE_TOO_SHORT));
    assert_int_equal(judgement.finding_count, 0);
    assert_true(cf_judgement_settled(&record, &judgement));
    assert_no_bound(&record, &judgement, CF_BECAUSE_TOO_SHORT);
    cf_judgement_done(&judgement);
    wait_for_a_core(&record, NONE, 0.0004, -1); /* nor would a machine at rest help */
    judgement = made_judge(&record);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_HOST_BOUND);
    assert_true(cf_judgement_settled(&record, &judgement));
    cf_judgement_done(&judgement);
    submit_takes(&record, NONE, 0.0009, 0); /* nor is it submission that leaves them too short */
    judgement = made_judge(&record);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_HOST_BOUND);
    assert_true(has(&judgement, NONE, CF_BECAUSE_TOO_SHORT));
    assert_false(has(&judgement, NONE, CF_BECAUSE_HOST_STARVED));
    done(&record, &judgement);
}

/* 0.95 x (0.05 ms - 10 us) = 0.038 ms. A device's own operations are known to do something. */
static void what_a_wait_for_nothing_takes_is_no_work_of_ones_own_steps(void **state)
{
    (void)state;
    cf_record record = usual_record();
    all_walls(&record, 0.05, 0.05);
    submit_takes(&record, NONE, 0.039, 0);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_OVERLAPS);
    cf_judgement_done(&judgement);
    make_own(&record);
    judgement = made_judge(&record);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_HOST_BOUND);
    assert_true(has(&judgement, NONE, CF_BECAUSE_TOO_SHORT));
    cf_judgement_done(&judgement);
    submit_takes(&record, NONE, 0.037, 0);
    judgement = made_judge(&record);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_OVERLAPS);
    cf_judgement_done(&judgement);
    submit_takes(&record, NONE, 0.048, 0); /* the plain rule has its own word */
    judgement = made_judge(&record);
    assert_true(has(&judgement, NONE, CF_BECAUSE_HOST_BOUND));
    assert_no_bound(&record, &judgement, CF_BECAUSE_HOST_BOUND);
    done(&record, &judgement);
}

/* Steps that do nothing on two threads of 16 idle cores, as measured: a step of both is one hand-over beside the other.
 */
static void what_handing_over_takes_is_no_work_of_ones_own_steps(void **state)
{
    (void)state;
    cf_record record = usual_record();
    make_own(&record);
    all_walls(&record, 0.015, 0.0166);
    submit_takes(&record, NONE, 0.0043, 0);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_OVERLAPS); /* for all that is known */
    cf_judgement_done(&judgement);
    record.empty_step_ns = 16600;
    judgement = made_judge(&record);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_HOST_BOUND);
    assert_true(has(&judgement, NONE, CF_BECAUSE_TOO_SHORT));
    assert_int_equal(judgement.verdict, CF_VERDICT_INCONCLUSIVE);
    assert_no_bound(&record, &judgement, CF_BECAUSE_TOO_SHORT);
    cf_judgement_done(&judgement);
    for (int v = 0; v < record.variant_count; v++) { /* one thread sleeps deeper than the other */
        all_rounds(&record, v, CF_CELL_A, 0.0068);
        all_rounds(&record, v, CF_CELL_B, 0.095);
        all_rounds(&record, v, CF_CELL_AB, 0.103);
    }
    record.empty_step_ns = 103000;
    judgement = made_judge(&record);
    assert_true(has(&judgement, NONE, CF_BECAUSE_TOO_SHORT));
    assert_false(has(&judgement, NONE, CF_BECAUSE_UNBALANCED));
    assert_no_bound(&record, &judgement, CF_BECAUSE_TOO_SHORT);
    done(&record, &judgement);
}

/* 0.95 x (0.15 ms - 4 x 25 us) = 0.0475 ms. A device's own operations are known to do something. */
static void four_empty_steps_are_taken_off_ones_own_alone(void **state)
{
    (void)state;
    cf_record record = usual_record();
    all_walls(&record, 0.15, 0.15);
    record.empty_step_ns = 25000;
    submit_takes(&record, NONE, 0.048, 0);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_OVERLAPS);
    cf_judgement_done(&judgement);
    make_own(&record);
    judgement = made_judge(&record);
    assert_true(has(&judgement, NONE, CF_BECAUSE_TOO_SHORT));
    cf_judgement_done(&judgement);
    submit_takes(&record, NONE, 0.047, 0);
    judgement = made_judge(&record);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_OVERLAPS);
    done(&record, &judgement);
}

/* A window has one wait, however many steps it keeps in flight. */
static void what_a_wait_takes_is_counted_once_a_window(void **state)
{
    (void)state;
    cf_record record = usual_record();
    make_own(&record);
    record.job.in_flight = 8;
    all_walls(&record, 0.05, 0.05);
    submit_takes(&record, NONE, 0.037, 0);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_OVERLAPS);
    done(&record, &judgement);
}

static void blocked_time_is_not_submission(void **state)
{
    (void)state;
    cf_record record = usual_record();
    submit_takes(&record, NONE, 19.5, 19);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_OVERLAPS);
    assert_true(judgement.variants[NONE].submit_ms == 0.5 && judgement.variants[NONE].blocked_ms == 19);
    done(&record, &judgement);
}

static void host_bound_elsewhere_is_a_note_and_the_effect_stands(void **state)
{
    (void)state;
    cf_record record = usual_record();
    submit_takes(&record, TIMING, 30, 0);
    cf_judgement judgement = made_judge(&record);
    assert_true(judgement.variants[TIMING].host_bound_note);
    assert_false(judgement.variants[SYNC].host_bound_note);
    assert_int_equal(judgement.variants[TIMING].effect.verdict, CF_EFFECT_CONFOUNDED);
    assert_int_equal(judgement.variants[TIMING].reading, CF_READING_SERIALISES);
    done(&record, &judgement);
}

static void wait_for_a_core(cf_record *record, int variant, double delay_ms, double late_ms)
{
    for (size_t i = 0; i < record->rounds.count; i++)
        for (int step = 0; step < CF_STEPS; step++) {
            cf_sample *sample = made_sample(&record->rounds.items[i], variant, CF_CELL_AB);
            sample->delay_ns[step] = delay_ms < 0 ? -1 : made_ns(delay_ms);
            sample->late_ns[step] = late_ms < 0 ? -1 : made_ns(late_ms);
        }
}

static void a_starved_instrument_is_inconclusive_and_the_others_are_not(void **state)
{
    (void)state;
    cf_record record = usual_record();
    wait_for_a_core(&record, SYNC, 1.1, -1); /* 5.5 % of 20 */
    cf_judgement judgement = made_judge(&record);
    assert_true(judgement.variants[SYNC].starved);
    assert_int_equal(judgement.variants[SYNC].reading, CF_READING_INCONCLUSIVE);
    assert_int_equal(judgement.variants[SYNC].effect.verdict, CF_EFFECT_INCONCLUSIVE);
    assert_true(has(&judgement, SYNC, CF_BECAUSE_HOST_STARVED));
    assert_int_equal(judgement.variants[TIMING].effect.verdict, CF_EFFECT_CONFOUNDED);
    assert_false(cf_judgement_settled(&record, &judgement));
    cf_judgement_done(&judgement);
    wait_for_a_core(&record, SYNC, 1.0, -1); /* 5 % exactly */
    judgement = made_judge(&record);
    assert_false(judgement.variants[SYNC].starved);
    assert_int_equal(judgement.variants[SYNC].effect.verdict, CF_EFFECT_CLEAR);
    done(&record, &judgement);
}

static void a_delay_in_a_step_that_the_median_passes_over_starves_nobody(void **state)
{
    (void)state;
    for (int late_step = 0; late_step < CF_STEPS; late_step++) {
        cf_record record = usual_record();
        for (size_t i = 0; i < record.rounds.count; i++) {
            cf_sample *sample = made_sample(&record.rounds.items[i], SYNC, CF_CELL_AB);
            for (int step = 0; step < CF_STEPS; step++)
                sample->wall_ns[step] = made_ns(19.9 + 0.1 * step); /* the second is the value */
            sample->delay_ns[late_step] = made_ns(5);
        }
        cf_judgement judgement = made_judge(&record);
        assert_int_equal(judgement.variants[SYNC].starved, late_step == 1);
        done(&record, &judgement);
    }
}

static void late_engines_starve_a_variant_like_a_late_thread(void **state)
{
    (void)state;
    cf_record record = usual_record();
    wait_for_a_core(&record, TIMING, -1, 2);
    cf_judgement judgement = made_judge(&record);
    assert_true(judgement.variants[TIMING].starved);
    assert_true(fabs(judgement.variants[TIMING].starved_share - 2 / 36.0) < 1e-12);
    assert_int_equal(judgement.variants[TIMING].effect.verdict, CF_EFFECT_INCONCLUSIVE);
    done(&record, &judgement);
}

static void a_starved_control_leaves_every_effect_inconclusive(void **state)
{
    (void)state;
    cf_record record = usual_record();
    wait_for_a_core(&record, NONE, 3, 0);
    cf_judgement judgement = made_judge(&record);
    assert_int_equal(judgement.verdict, CF_VERDICT_INCONCLUSIVE);
    for (int v = AGAIN; v <= TIMING; v++)
        assert_int_equal(judgement.variants[v].effect.verdict, CF_EFFECT_INCONCLUSIVE);
    done(&record, &judgement);
}

static void a_delay_that_is_not_supported_starves_nobody(void **state)
{
    (void)state;
    cf_record record = usual_record();
    for (int v = 0; v < record.variant_count; v++)
        wait_for_a_core(&record, v, -1, -1);
    cf_judgement judgement = made_judge(&record);
    assert_true(isnan(judgement.variants[NONE].starved_share));
    assert_int_equal(judgement.verdict, CF_VERDICT_CONFOUNDED);
    done(&record, &judgement);
}

/* ---- ill-conditioned ---- */

static void a_lane_too_short_leaves_the_reading_but_not_the_effect_undecided(void **state)
{
    (void)state;
    cf_record record = usual_record();
    for (int v = 0; v < record.variant_count; v++) {
        all_rounds(&record, v, CF_CELL_A, 4);
        all_rounds(&record, v, CF_CELL_AB, v >= TIMING ? 24 : 20);
    }
    cf_judgement judgement = made_judge(&record);
    assert_true(judgement.balance == 0.2 && judgement.unbalanced_warning);
    for (int v = 0; v < record.variant_count; v++) {
        assert_int_equal(judgement.variants[v].reading, CF_READING_ILL_CONDITIONED);
        assert_true(has(&judgement, v, CF_BECAUSE_UNBALANCED));
    }
    assert_int_equal(judgement.variants[SYNC].effect.verdict, CF_EFFECT_CLEAR);
    assert_int_equal(judgement.variants[TIMING].effect.verdict, CF_EFFECT_CONFOUNDED);
    assert_false(judgement.variants[TIMING].effect.flips);
    cf_judgement_done(&judgement);
    for (int v = 0; v < record.variant_count; v++)
        all_rounds(&record, v, CF_CELL_A, 5); /* 0.25 exactly */
    judgement = made_judge(&record);
    assert_int_equal(judgement.variants[NONE].reading, CF_READING_OVERLAPS);
    assert_true(judgement.unbalanced_warning);
    done(&record, &judgement);
}

static void a_workload_that_cannot_overlap_has_no_reading(void **state)
{
    (void)state;
    cf_record record = usual_record();
    record.job.depends = true;
    record.job.lane[0].count = record.job.lane[1].count = 1;
    for (int v = 0; v < record.variant_count; v++)
        all_rounds(&record, v, CF_CELL_AB, 36);
    cf_judgement judgement = made_judge(&record);
    assert_true(fabs(judgement.best) < 1e-12);
    for (int v = 0; v < record.variant_count; v++) {
        assert_int_equal(judgement.variants[v].reading, CF_READING_ILL_CONDITIONED);
        assert_true(has(&judgement, v, CF_BECAUSE_BEST_TOO_SMALL));
    }
    assert_true(judgement.variants[SYNC].reference_ok);
    assert_int_equal(judgement.variants[SYNC].effect.verdict, CF_EFFECT_CLEAR);
    done(&record, &judgement);
}

/* ---- two designs ---- */

static cf_record against_record(double a_ms, double b_ms, double ab_ms)
{
    const made_variant variants[] = {
        MADE_NONE, MADE_AGAIN, MADE_ONE_QUEUE, {"against", CF_ROLE_DESIGN, a_ms, b_ms, ab_ms}};
    cf_record record = made_record(variants, MADE_COUNT(variants), 24);
    record.has_against = true;
    record.variants[3].job = 1;
    made_job(&record.against, "other");
    return record;
}

static void a_design_is_faster_same_or_slower(void **state)
{
    (void)state;
    const struct {
        double ab_ms;
        const char *verdict, *exposed;
    } cases[] = {{17, "faster", "same"},
                 {19, "same", "same"},
                 {21, "same", "same"},
                 {26, "slower", "more"},
                 {22, "inconclusive", "inconclusive"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cf_record record = against_record(16, cases[i].ab_ms < 20 ? cases[i].ab_ms : 20, cases[i].ab_ms);
        cf_judgement judgement = made_judge(&record);
        assert_true(judgement.against.ok);
        assert_int_equal(judgement.against.variant, 3);
        assert_string_equal(judgement.against.verdict, cases[i].verdict);
        assert_string_equal(judgement.against.exposed_verdict, cases[i].exposed);
        assert_true(fabs(judgement.against.ab_change.median - (cases[i].ab_ms - 20) / 20) < 1e-12);
        assert_int_equal(cf_judgement_settled(&record, &judgement), i < 4);
        assert_int_equal(judgement.variants[3].effect.verdict, CF_EFFECT_NONE);
        done(&record, &judgement);
    }
}

static void designs_of_different_depth_are_compared_per_step(void **state)
{
    (void)state;
    cf_record record = against_record(32, 40, 40);
    record.against.in_flight = 2;
    cf_judgement judgement = made_judge(&record);
    assert_string_equal(judgement.against.verdict, "same");
    assert_true(judgement.against.ab_change.median == 0 && judgement.against.ab_ms[1] == 20);
    done(&record, &judgement);
}

static void a_design_must_prove_that_nothing_is_armed(void **state)
{
    (void)state;
    cf_record record = against_record(16, 20, 20);
    record.variants[3].armed = CF_ARMED_YES;
    cf_judgement judgement = made_judge(&record);
    assert_true(made_has(&judgement.invalid_because, CF_BECAUSE_CONTROL_NOT_PROVEN));
    done(&record, &judgement);
}

static void a_starved_design_is_not_compared(void **state)
{
    (void)state;
    cf_record record = against_record(16, 10, 17);
    wait_for_a_core(&record, 3, 3, -1);
    cf_judgement judgement = made_judge(&record);
    assert_string_equal(judgement.against.verdict, "inconclusive");
    assert_int_equal(judgement.against.decided_at, 0);
    done(&record, &judgement);
}

static void a_record_of_one_job_compares_no_designs(void **state)
{
    (void)state;
    cf_record record = usual_record();
    cf_judgement judgement = made_judge(&record);
    assert_false(judgement.against.ok);
    done(&record, &judgement);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serialising_timing_is_confounded_and_removes),
        cmocka_unit_test(faked_overlap_is_confounded_and_adds),
        cmocka_unit_test(a_slow_but_harmless_instrument_is_clear_and_slows),
        cmocka_unit_test(a_slowdown_of_two_percent_does_not_slow),
        cmocka_unit_test(a_serial_control_clears_everyone_and_says_there_was_nothing_to_remove),
        cmocka_unit_test(timing_is_not_blamed_where_sync_disturbs_too),
        cmocka_unit_test(timing_is_blamed_where_there_is_no_sync),
        cmocka_unit_test(a_run_without_instruments_answers_for_its_control),
        cmocka_unit_test(without_instruments_a_reference_that_does_not_serialise_withholds_clear),
        cmocka_unit_test(without_instruments_an_open_reference_is_waited_for),
        cmocka_unit_test(without_instruments_an_open_replica_withholds_clear),
        cmocka_unit_test(times_are_per_step_of_a_window_in_flight),
        cmocka_unit_test(what_the_instrument_saw_is_beside_and_decides_nothing),
        cmocka_unit_test(a_difference_exactly_on_the_margin_decides_nothing),
        cmocka_unit_test(an_overlap_exactly_on_a_threshold_reads_as_nothing),
        cmocka_unit_test(a_reading_is_relative_to_what_dependencies_allow),
        cmocka_unit_test(what_dependencies_allow_is_asked_of_the_control_alone),
        cmocka_unit_test(the_shorter_side_is_the_look_s_own),
        cmocka_unit_test(too_few_rounds_decide_nothing),
        cmocka_unit_test(no_rounds_at_all_are_judged_too),
        cmocka_unit_test(no_look_comes_before_min_rounds),
        cmocka_unit_test(the_first_decision_stands),
        cmocka_unit_test(an_undecided_effect_says_how_many_more_rounds),
        cmocka_unit_test(the_margin_can_be_given),
        cmocka_unit_test(more_instruments_need_more_evidence),
        cmocka_unit_test(a_decided_instrument_leaves_the_family),
        cmocka_unit_test(a_replica_that_differs_makes_the_record_invalid),
        cmocka_unit_test(a_reference_that_overlaps_withholds_clear_but_not_confounded),
        cmocka_unit_test(an_undecided_reference_keeps_a_run_going),
        cmocka_unit_test(a_reference_that_was_not_armed_proves_nothing),
        cmocka_unit_test(a_control_that_is_missing_makes_the_record_invalid),
        cmocka_unit_test(a_resumed_part_without_its_reference_makes_the_record_invalid),
        cmocka_unit_test(a_resumed_part_without_its_prologue_makes_the_record_invalid),
        cmocka_unit_test(a_control_must_prove_that_nothing_is_armed),
        cmocka_unit_test(wrong_data_make_the_record_invalid),
        cmocka_unit_test(an_instrument_that_was_not_armed_is_inconclusive_whatever_d_is),
        cmocka_unit_test(a_process_only_instrument_gets_no_answer_within_one_process),
        cmocka_unit_test(a_control_unlike_its_prologue_means_a_sticky_instrument),
        cmocka_unit_test(a_control_within_the_margin_of_its_prologue_is_not_sticky),
        cmocka_unit_test(a_noisy_prologue_is_not_sticky_while_the_sequences_meet),
        cmocka_unit_test(a_record_without_a_prologue_cannot_tell),
        cmocka_unit_test(each_process_is_compared_with_its_own_prologue),
        cmocka_unit_test(processes_too_short_to_tell_alone_are_compared_together),
        cmocka_unit_test(a_host_bound_control_leaves_every_effect_inconclusive),
        cmocka_unit_test(blocked_time_is_not_submission),
        cmocka_unit_test(steps_that_do_nothing_never_overlap),
        cmocka_unit_test(what_a_wait_for_nothing_takes_is_no_work_of_ones_own_steps),
        cmocka_unit_test(what_handing_over_takes_is_no_work_of_ones_own_steps),
        cmocka_unit_test(four_empty_steps_are_taken_off_ones_own_alone),
        cmocka_unit_test(what_a_wait_takes_is_counted_once_a_window),
        cmocka_unit_test(host_bound_elsewhere_is_a_note_and_the_effect_stands),
        cmocka_unit_test(a_starved_instrument_is_inconclusive_and_the_others_are_not),
        cmocka_unit_test(a_delay_in_a_step_that_the_median_passes_over_starves_nobody),
        cmocka_unit_test(late_engines_starve_a_variant_like_a_late_thread),
        cmocka_unit_test(a_starved_control_leaves_every_effect_inconclusive),
        cmocka_unit_test(a_delay_that_is_not_supported_starves_nobody),
        cmocka_unit_test(a_lane_too_short_leaves_the_reading_but_not_the_effect_undecided),
        cmocka_unit_test(a_workload_that_cannot_overlap_has_no_reading),
        cmocka_unit_test(a_design_is_faster_same_or_slower),
        cmocka_unit_test(designs_of_different_depth_are_compared_per_step),
        cmocka_unit_test(a_design_must_prove_that_nothing_is_armed),
        cmocka_unit_test(a_starved_design_is_not_compared),
        cmocka_unit_test(a_record_of_one_job_compares_no_designs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
