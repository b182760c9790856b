/* A caller's own steps through the public header, in real time: two threads that compute. On a busy machine an answer
   may be missing; a wrong one never is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "confound/judge.h"
#include "confound/step.h"

/* ---- a step of the test's own ---- */

typedef struct work {
    pthread_t thread[2];
    pthread_mutex_t turn;
    int serial;      /* in every variant */
    int fails_after; /* submissions; 0 = never */
    int submissions;
    int sleep_us;
    const char *why;
} work;

static void *run_lane(void *user)
{
    work *w = user;
    (void)usleep((useconds_t)w->sleep_us);
    return NULL;
}

static void *run_lane_in_turn(void *user)
{
    work *w = user;
    pthread_mutex_lock(&w->turn);
    (void)run_lane(w);
    pthread_mutex_unlock(&w->turn);
    return NULL;
}

/* Variant 1 changes nothing, variant 2 makes the lanes take turns. */
static int submit(void *user, int variant, int lanes, confound_error *err)
{
    work *w = user;
    if (w->fails_after > 0 && ++w->submissions > w->fails_after) {
        if (w->why)
            (void)snprintf(err->text, sizeof err->text, "%s", w->why);
        return 42;
    }
    for (int lane = 0; lane < 2; lane++)
        if (lanes >> lane & 1 &&
            pthread_create(&w->thread[lane], NULL, w->serial || variant == 2 ? run_lane_in_turn : run_lane, w) != 0)
            return CONFOUND_MEMORY;
    return 0;
}

static int wait_for(void *user, int variant, int lanes, confound_error *err)
{
    work *w = user;
    (void)variant;
    (void)err;
    for (int lane = 0; lane < 2; lane++)
        if (lanes >> lane & 1)
            (void)pthread_join(w->thread[lane], NULL);
    return 0;
}

static confound_steps *steps_of(work *w)
{
    confound_steps *steps = NULL;
    assert_int_equal(confound_steps_new(&steps, NULL), CONFOUND_OK);
    confound_steps_set_submit(steps, submit, w);
    confound_steps_set_wait(steps, wait_for, w);
    return steps;
}

static confound_options *rounds(int64_t most)
{
    confound_options *options = NULL;
    assert_int_equal(confound_options_new(&options, NULL), CONFOUND_OK);
    assert_int_equal(confound_options_set_rounds(options, most < 12 ? most : 12, most, NULL), CONFOUND_OK);
    return options;
}

static confound_judgement *judge(const confound_record *record)
{
    confound_judgement *judgement = NULL;
    confound_error err = {0};
    if (confound_judge(record, CONFOUND_MARGIN_OF_RECORD, &judgement, &err) != CONFOUND_OK)
        fail_msg("%s", err.text);
    return judgement;
}

static work idle_work(void)
{
    return (work){.turn = PTHREAD_MUTEX_INITIALIZER};
}

/* ---- readings ---- */

static void assert_reading(const confound_judgement *judgement, const char *name, confound_reading right)
{
    confound_reading reading = confound_judgement_reading(judgement, confound_judgement_find(judgement, name));
    if (reading != right && reading != CONFOUND_READING_INCONCLUSIVE)
        fail_msg("%s reads as %s", name, confound_reading_name(reading));
}

static void assert_effect(const confound_judgement *judgement, const char *name, confound_effect right)
{
    confound_effect effect = confound_judgement_effect(judgement, confound_judgement_find(judgement, name));
    if (effect != right && effect != CONFOUND_EFFECT_INCONCLUSIVE)
        fail_msg("%s is %s", name, confound_effect_name(effect));
}

static confound_judgement *measure(int serial)
{
    work w = idle_work();
    w.serial = serial;
    w.sleep_us = 2000;
    confound_steps *steps = steps_of(&w);
    confound_options *options = rounds(60);
    confound_record *record = NULL;
    confound_error err = {0};
    int variant = 0;
    assert_int_equal(confound_steps_add_instrument(steps, "harmless", NULL, NULL, &variant, &err), CONFOUND_OK);
    assert_int_equal(variant, 1);
    assert_int_equal(confound_steps_add_instrument(steps, "turns", "both", "both", &variant, &err), CONFOUND_OK);
    assert_int_equal(variant, 2);
    if (confound_run_steps(steps, options, &record, &err) != CONFOUND_OK)
        fail_msg("%s", err.text);
    confound_judgement *judgement = judge(record);
    confound_record_free(record);
    confound_options_free(options);
    confound_steps_free(steps);
    return judgement;
}

static void parallel_lanes_overlap_and_what_makes_them_take_turns_is_confounded(void **state)
{
    (void)state;
    confound_judgement *judgement = measure(0);
    assert_reading(judgement, "none", CONFOUND_READING_OVERLAPS);
    assert_reading(judgement, "turns", CONFOUND_READING_SERIALISES);
    assert_reading(judgement, "one-queue", CONFOUND_READING_SERIALISES);
    assert_effect(judgement, "harmless", CONFOUND_EFFECT_CLEAR);
    assert_effect(judgement, "turns", CONFOUND_EFFECT_CONFOUNDED);
    confound_judgement_free(judgement);
}

static void serial_lanes_serialise_and_nothing_is_blamed(void **state)
{
    (void)state;
    confound_judgement *judgement = measure(1);
    assert_reading(judgement, "none", CONFOUND_READING_SERIALISES);
    assert_effect(judgement, "harmless", CONFOUND_EFFECT_CLEAR);
    assert_effect(judgement, "turns", CONFOUND_EFFECT_CLEAR);
    confound_judgement_free(judgement);
}

/* One lane after the other, on the host. */
static int submit_and_wait(void *user, int variant, int lanes, confound_error *err)
{
    int status = 0;
    for (int lane = CONFOUND_LANE_A; lane <= CONFOUND_LANE_B && status == 0; lane++)
        if (lanes & lane) {
            status = submit(user, variant, lane, err);
            status = status ? status : wait_for(user, variant, lane, err);
        }
    return status;
}

static int wait_for_nothing(void *user, int variant, int lanes, confound_error *err)
{
    (void)user;
    (void)variant;
    (void)lanes;
    (void)err;
    return 0;
}

static void a_submission_that_waits_is_host_bound(void **state)
{
    (void)state;
    work w = idle_work();
    w.sleep_us = 2000;
    confound_steps *steps = steps_of(&w);
    confound_steps_set_submit(steps, submit_and_wait, &w);
    confound_steps_set_wait(steps, wait_for_nothing, NULL);
    confound_options *options = rounds(14);
    confound_record *record = NULL;
    assert_int_equal(confound_run_steps(steps, options, &record, NULL), CONFOUND_OK);
    confound_judgement *judgement = judge(record);
    assert_reading(judgement, "none", CONFOUND_READING_HOST_BOUND);
    confound_judgement_free(judgement);
    confound_record_free(record);
    confound_options_free(options);
    confound_steps_free(steps);
}

static int submit_nothing(void *user, int variant, int lanes, confound_error *err)
{
    return wait_for_nothing(user, variant, lanes, err);
}

static void steps_that_do_nothing_are_never_said_to_overlap(void **state)
{
    (void)state;
    confound_steps *steps = NULL;
    assert_int_equal(confound_steps_new(&steps, NULL), CONFOUND_OK);
    confound_steps_set_submit(steps, submit_nothing, NULL);
    confound_steps_set_wait(steps, wait_for_nothing, NULL);
    for (int i = 0; i < 5; i++) {
        confound_options *options = rounds(60);
        confound_record *record = NULL;
        assert_int_equal(confound_run_steps(steps, options, &record, NULL), CONFOUND_OK);
        confound_judgement *judgement = judge(record);
        assert_reading(judgement, "none", CONFOUND_READING_HOST_BOUND);
        assert_int_not_equal(confound_judgement_verdict(judgement), CONFOUND_VERDICT_CLEAR);
        confound_bound bound = CONFOUND_BOUND_ABOVE;
        assert_int_equal(confound_judge_overlap(record, 0.1, &bound, NULL, NULL, NULL), CONFOUND_OK);
        assert_int_equal(bound, CONFOUND_BOUND_INCONCLUSIVE);
        confound_judgement_free(judgement);
        confound_record_free(record);
        confound_options_free(options);
    }
    confound_steps_free(steps);
}

static int hand_over_nothing(void *user, confound_error *err)
{
    int status = submit(user, 0, CONFOUND_LANE_AB, err);
    return status ? status : wait_for(user, 0, CONFOUND_LANE_AB, err);
}

/* A thread takes longer to begin and end than the library grants a wait for nothing. */
static void threads_that_do_nothing_are_never_said_to_overlap(void **state)
{
    (void)state;
    work w = idle_work();
    confound_steps *steps = steps_of(&w);
    confound_options *options = rounds(30);
    confound_record *record = NULL;
    confound_steps_set_empty(steps, hand_over_nothing, &w);
    assert_int_equal(confound_run_steps(steps, options, &record, NULL), CONFOUND_OK);
    confound_judgement *judgement = judge(record);
    assert_reading(judgement, "none", CONFOUND_READING_HOST_BOUND);
    confound_bound bound = CONFOUND_BOUND_ABOVE;
    assert_int_equal(confound_judge_overlap(record, 0.1, &bound, NULL, NULL, NULL), CONFOUND_OK);
    assert_int_equal(bound, CONFOUND_BOUND_INCONCLUSIVE);
    confound_judgement_free(judgement);
    confound_record_free(record);
    confound_options_free(options);
    confound_steps_free(steps);
}

/* ---- failures ---- */

static int fail_at_once(void *user, confound_error *err)
{
    (void)user;
    (void)err;
    return 42;
}

static void an_empty_step_that_fails_ends_the_run(void **state)
{
    (void)state;
    work w = idle_work();
    confound_steps *steps = steps_of(&w);
    confound_record *record = NULL;
    confound_error err = {0};
    confound_steps_set_empty(steps, fail_at_once, NULL);
    assert_int_equal(confound_run_steps(steps, NULL, &record, &err), CONFOUND_DEVICE);
    assert_non_null(strstr(err.text, "empty returned 42"));
    assert_null(record);
    confound_steps_free(steps);
}

static void a_run_that_fails_hands_out_its_rounds(void **state)
{
    (void)state;
    const char *texts[] = {"the queue\nis gone", NULL};
    for (size_t i = 0; i < 2; i++) {
        work w = idle_work();
        w.fails_after = 700;
        w.why = texts[i];
        confound_steps *steps = steps_of(&w);
        confound_record *record = NULL;
        confound_error err = {0};
        assert_int_equal(confound_run_steps(steps, NULL, &record, &err), CONFOUND_DEVICE);
        assert_non_null(strstr(err.text, texts[i] ? "the queue?is gone" : "submit returned 42"));
        assert_non_null(record);
        assert_true(confound_record_rounds(record) > 0);
        confound_judgement *judgement = judge(record);
        assert_non_null(strstr(confound_judgement_json(judgement, NULL), "\"verdict\""));
        confound_judgement_free(judgement);
        confound_record_free(record);

        w.submissions = 690; /* before the first round */
        assert_int_equal(confound_run_steps(steps, NULL, &record, &err), CONFOUND_DEVICE);
        assert_null(record);
        confound_steps_free(steps);
    }
}

static void what_has_no_place_in_a_run_of_steps_is_refused(void **state)
{
    (void)state;
    work w = idle_work();
    confound_steps *steps = steps_of(&w);
    confound_options *options = rounds(1);
    confound_record *record = NULL;
    confound_error err = {0};
    assert_int_equal(confound_options_set_value(options, "lane.a.count=4", NULL), CONFOUND_OK);
    assert_int_equal(confound_run_steps(steps, options, &record, &err), CONFOUND_INPUT);
    assert_non_null(strstr(err.text, "lane.a.count=4"));
    confound_steps_set_wait(steps, NULL, NULL);
    assert_int_equal(confound_run_steps(steps, NULL, &record, &err), CONFOUND_INPUT);
    assert_non_null(strstr(err.text, "no wait"));
    assert_null(record);
    confound_options_free(options);
    confound_steps_free(steps);
}

static void what_cannot_be_said_of_steps_is_refused_where_it_is_said(void **state)
{
    (void)state;
    char long_name[300];
    memset(long_name, 'x', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    confound_steps *s = NULL;
    assert_int_equal(confound_steps_new(&s, NULL), CONFOUND_OK);
    assert_int_equal(confound_steps_add_instrument(s, "none", NULL, NULL, NULL, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_add_instrument(s, "", NULL, NULL, NULL, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_add_instrument(s, "a b", NULL, NULL, NULL, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_add_instrument(s, long_name, NULL, NULL, NULL, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_add_instrument(s, "x", "between", NULL, NULL, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_add_instrument(s, "x", NULL, "c", NULL, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_add_instrument(s, "x", "before", "a", NULL, NULL), CONFOUND_OK);
    assert_int_equal(confound_steps_add_instrument(s, "x", NULL, NULL, NULL, NULL), CONFOUND_INPUT);
    for (int i = 1; i < 28; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "x%d", i);
        assert_int_equal(confound_steps_add_instrument(s, name, NULL, NULL, NULL, NULL), CONFOUND_OK);
    }
    assert_int_equal(confound_steps_add_instrument(s, "more", NULL, NULL, NULL, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_set_process_only(s, 0, "why", NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_set_process_only(s, 29, "why", NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_set_process_only(s, 28, "latched", NULL), CONFOUND_OK);
    assert_int_equal(confound_steps_set_lane(s, CONFOUND_LANE_AB, "x", 1, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_set_lane(s, CONFOUND_LANE_A, "x", 0, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_set_lane(s, CONFOUND_LANE_A, "two\nlines", 1, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_set_knob(s, 0, NULL, NULL, 1, NULL, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_set_knob(s, CONFOUND_LANE_B, NULL, NULL, 0, NULL, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_set_in_flight(s, 0, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_set_in_flight(s, 65, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_set_name(s, long_name, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_set_device(s, "two words", NULL, NULL, 0, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_add_device_fact(s, "", "x", NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_add_device_fact(s, "lanes", "2", NULL), CONFOUND_OK);
    assert_int_equal(confound_steps_add_device_fact(s, "lanes", "3", NULL), CONFOUND_INPUT);
    assert_int_equal(confound_steps_add_environment(s, "WORLD_SIZE", "2", NULL), CONFOUND_OK);
    confound_steps_free(s);
    confound_steps_free(NULL);
}

static void what_cannot_be_a_setting_is_refused(void **state)
{
    (void)state;
    confound_options *o = rounds(1);
    const double nan = strtod("nan", NULL);
    assert_int_equal(confound_options_set_margin(o, 0, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_options_set_margin(o, 1, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_options_set_margin(o, nan, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_options_set_alpha(o, 0, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_options_set_alpha(o, 0.6, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_options_set_alpha(o, nan, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_options_set_rounds(o, 0, 5, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_options_set_rounds(o, 6, 5, NULL), CONFOUND_INPUT);
    assert_int_equal(confound_options_set_rounds(o, 1, 1000001, NULL), CONFOUND_INPUT);
    confound_options_free(o);
}

/* ---- settings, callbacks between rounds ---- */

static int64_t common(void *user, confound_agree what, int64_t own)
{
    (void)what;
    ++*(int *)user;
    return own;
}

static int64_t never(void *user, confound_agree what, int64_t own)
{
    (void)what;
    (void)own;
    return ++*(int *)user > 30 ? -1 : 0;
}

static void ranks_need_a_seed_and_end_where_they_cannot_agree(void **state)
{
    (void)state;
    int asked = 0;
    work w = idle_work();
    confound_steps *steps = steps_of(&w);
    confound_options *options = rounds(12);
    confound_record *record = NULL;
    confound_error err = {0};
    confound_options_set_agree(options, common, &asked);
    assert_int_equal(confound_run_steps(steps, options, &record, &err), CONFOUND_INPUT);
    assert_non_null(strstr(err.text, "seed"));
    assert_int_equal(confound_options_set_seed(options, 9, &err), CONFOUND_OK);
    assert_int_equal(confound_run_steps(steps, options, &record, &err), CONFOUND_OK);
    assert_true(asked > 24 + 3 + 12);
    confound_record_free(record);
    asked = 0;
    confound_options_set_agree(options, never, &asked);
    assert_int_equal(confound_run_steps(steps, options, &record, &err), CONFOUND_DEVICE);
    assert_non_null(strstr(err.text, "agree"));
    confound_record_free(record);
    confound_options_free(options);
    confound_steps_free(steps);
}

static int cancel_after(void *user)
{
    return --*(int *)user < 0;
}

static void a_caller_may_cancel_and_sets_margin_and_alpha(void **state)
{
    (void)state;
    int left = 24 + 3 + 4;
    work w = idle_work();
    confound_steps *steps = steps_of(&w);
    confound_options *options = rounds(50);
    confound_record *record = NULL;
    confound_options_set_cancel(options, cancel_after, &left);
    assert_int_equal(confound_options_set_margin(options, 0.25, NULL), CONFOUND_OK);
    assert_int_equal(confound_options_set_alpha(options, 0.05, NULL), CONFOUND_OK);
    assert_int_equal(confound_run_steps(steps, options, &record, NULL), CONFOUND_OK);
    assert_int_equal(confound_record_rounds(record), 4);
    confound_judgement *judgement = judge(record);
    assert_non_null(strstr(confound_judgement_json(judgement, NULL), "\"margin\": 0.25"));
    assert_non_null(strstr(confound_judgement_json(judgement, NULL), "\"alpha\": 0.05"));
    confound_judgement_free(judgement);
    confound_record_free(record);
    confound_options_free(options);
    confound_steps_free(steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallel_lanes_overlap_and_what_makes_them_take_turns_is_confounded),
        cmocka_unit_test(serial_lanes_serialise_and_nothing_is_blamed),
        cmocka_unit_test(a_submission_that_waits_is_host_bound),
        cmocka_unit_test(steps_that_do_nothing_are_never_said_to_overlap),
        cmocka_unit_test(threads_that_do_nothing_are_never_said_to_overlap),
        cmocka_unit_test(an_empty_step_that_fails_ends_the_run),
        cmocka_unit_test(a_run_that_fails_hands_out_its_rounds),
        cmocka_unit_test(what_has_no_place_in_a_run_of_steps_is_refused),
        cmocka_unit_test(what_cannot_be_said_of_steps_is_refused_where_it_is_said),
        cmocka_unit_test(what_cannot_be_a_setting_is_refused),
        cmocka_unit_test(ranks_need_a_seed_and_end_where_they_cannot_agree),
        cmocka_unit_test(a_caller_may_cancel_and_sets_margin_and_alpha),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
