/* Commands that are told after the rounds: of whom, when they cannot be, and what a failure there leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "device/sim/sim.h"
#include "run/run.h"

#define JOB                                                                                                            \
    "[lane a]\ncount = 2\nns = 1ms\n[lane b]\ncount = 2\nns = 1ms\n[instruments]\nuse = sync timing\n"                 \
    "[run]\nrounds = 2\nmin_rounds = 2\n"

/* ---- a device whose telling goes wrong ---- */

typedef enum mistake { NONE, LOSES, BACKWARDS, EARLY, FAILS_TO_SUBMIT } mistake;

static mistake planted;
static cf_span_sink *sink;
static void *sink_user;
static bool telling;
static int told;

static void bend(void *user, const cf_record_span *span)
{
    (void)user;
    told++;
    cf_record_span bent = *span;
    if (planted == BACKWARDS)
        bent.end_ns = bent.begin_ns - 1;
    if (planted == EARLY)
        bent.begin_ns = -5;
    sink(sink_user, &bent);
}

static cf_status spans(cf_device *device, cf_span_sink *to, void *user, cf_error *err)
{
    telling = to != NULL;
    sink = to != NULL ? to : sink;
    sink_user = to != NULL ? user : sink_user;
    cf_status status = cf_device_sim.spans(device, to != NULL ? bend : NULL, NULL, err);
    if (status == CF_OK && to == NULL && planted == LOSES && told > 0)
        status = cf_error_set(err, CF_DEVICE, "3 commands ran that were not kept");
    return status;
}

static cf_status submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    if (telling && planted == FAILS_TO_SUBMIT)
        return cf_error_set_call(err, CF_DEVICE, "testSubmit", 7, "the device was lost");
    return cf_device_sim.submit(device, stream, op, err);
}

/* ---- running ---- */

typedef struct wish {
    int variants[2];
    bool can[CF_MAX_VARIANTS];
    int asked;
    size_t rounds;
} wish;

static void choose(void *user, const cf_record *record, const bool *can, int ret_variants[2])
{
    wish *w = user;
    w->asked++;
    w->rounds = record->rounds.count;
    memcpy(w->can, can, (size_t)record->variant_count * sizeof *can);
    memcpy(ret_variants, w->variants, sizeof w->variants);
}

static bool stop(void *user)
{
    (void)user;
    return true;
}

static cf_status run_on(const cf_device_ops *backend, wish *w, bool cancelled, cf_record *record, cf_error *err)
{
    cf_ini ini = {0};
    cf_job job = {0};
    if (cf_ini_parse("t.ini", JOB, strlen(JOB), &ini, err) != CF_OK || cf_job_from_ini(&ini, NULL, &job, err) != CF_OK)
        fail_msg("%s", err->text);
    cf_ini_done(&ini);
    cf_record_init(record);
    cf_run_options options = {
        .backend = backend,
        .job = &job,
        .seed = 3,
        .callbacks = {.user = w, .explain = w != NULL ? choose : NULL, .cancelled = cancelled ? stop : NULL}};
    cf_status status = cf_run(&options, record, err);
    cf_job_done(&job);
    return status;
}

static int count_of(const cf_record *record, const char *name)
{
    int count = 0;
    for (size_t i = 0; i < record->span_count; i++)
        count += strcmp(record->variants[record->spans[i].variant].name, name) == 0;
    return count;
}

static cf_device_ops backend_with(mistake what)
{
    cf_device_ops backend = cf_device_sim;
    backend.spans = spans;
    backend.submit = submit;
    planted = what;
    told = 0;
    telling = false;
    return backend;
}

static void the_two_that_are_chosen_are_told_after_the_last_round(void **state)
{
    (void)state;
    cf_record record;
    cf_error err = {0};
    wish w = {.variants = {0, 3}};
    assert_int_equal(run_on(&cf_device_sim, &w, false, &record, &err), CF_OK);
    assert_int_equal(w.asked, 1);
    assert_int_equal(w.rounds, 2);
    assert_true(w.can[0] && w.can[3]);
    assert_string_equal(record.variants[3].name, "timing");
    assert_int_equal(count_of(&record, "none"), 4);
    assert_int_equal(count_of(&record, "timing"), 12);
    assert_int_equal(record.span_count, 16);
    for (size_t i = 1; i < record.span_count; i++) {
        const cf_record_span *before = &record.spans[i - 1], *span = &record.spans[i];
        assert_true(before->variant < span->variant ||
                    (before->variant == span->variant && before->begin_ns <= span->begin_ns));
    }
    /* Proofs are those of the rounds alone: 2 rounds, 4 steps of each cell, 8 operations, 2 sides. */
    assert_int_equal(record.variants[3].armed_expected, 2 * 4 * 8 * 2);
    assert_int_equal(record.variants[3].armed, CF_ARMED_YES);
    assert_int_equal(record.variants[0].armed, CF_ARMED_NO);
    cf_record_done(&record);
}

static void nobody_asks_and_nothing_is_told(void **state)
{
    (void)state;
    cf_record record;
    cf_error err = {0};
    assert_int_equal(run_on(&cf_device_sim, NULL, false, &record, &err), CF_OK);
    assert_int_equal(record.span_count, 0);
    assert_null(record.spans_how);
    assert_null(cf_pairs_get(&record.skipped, CF_SKIPPED_EXPLAIN));
    cf_record_done(&record);
}

/* Where the device cannot tell, instruments with timestamps can, and the others cannot. */
static void a_device_that_cannot_tell_leaves_it_to_instruments(void **state)
{
    (void)state;
    cf_device_ops mute = cf_device_sim;
    mute.spans = NULL;
    cf_record record;
    cf_error err = {0};
    wish w = {.variants = {2, 3}};
    assert_int_equal(run_on(&mute, &w, false, &record, &err), CF_OK);
    assert_false(w.can[0] || w.can[2]);
    assert_true(w.can[3]);
    assert_int_equal(count_of(&record, "timing"), 4);
    assert_int_equal(record.span_count, 4);
    assert_true(record.spans[0].instrumented);
    assert_non_null(strstr(record.spans_how, "not the verdict"));
    assert_string_equal(cf_pairs_get(&record.skipped, CF_SKIPPED_EXPLAIN),
                        "sim cannot tell when its commands ran, and sync takes no timestamps");
    cf_record_done(&record);
}

static void a_run_that_was_ended_tells_nothing_and_says_so(void **state)
{
    (void)state;
    cf_record record;
    cf_error err = {0};
    wish w = {.variants = {0, 3}};
    assert_int_equal(run_on(&cf_device_sim, &w, true, &record, &err), CF_OK);
    assert_int_equal(w.asked, 0);
    assert_int_equal(record.span_count, 0);
    assert_non_null(strstr(cf_pairs_get(&record.skipped, CF_SKIPPED_EXPLAIN), "ended before its last round"));
    cf_record_done(&record);
}

static void a_failure_there_is_one_error_and_the_rounds_stay(void **state)
{
    (void)state;
    static const struct {
        mistake what;
        const char *text;
    } mistakes[] = {{LOSES, "none, the step whose commands are told: 3 commands ran that were not kept"},
                    {BACKWARDS, "no such time"},
                    {FAILS_TO_SUBMIT, "the device was lost"}};
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        cf_device_ops backend = backend_with(mistakes[i].what);
        cf_record record;
        cf_error err = {0};
        wish w = {.variants = {0, 3}};
        assert_int_equal(run_on(&backend, &w, false, &record, &err), CF_DEVICE);
        if (strstr(err.text, mistakes[i].text) == NULL)
            fail_msg("'%s' is not in: %s", mistakes[i].text, err.text);
        assert_int_equal(record.rounds.count, 2);
        cf_record_done(&record);
    }
}

/* What ran before the step began is the harness's own. */
static void what_began_before_the_step_is_left_out(void **state)
{
    (void)state;
    cf_device_ops backend = backend_with(EARLY);
    cf_record record;
    cf_error err = {0};
    wish w = {.variants = {0, -1}};
    assert_int_equal(run_on(&backend, &w, false, &record, &err), CF_OK);
    assert_int_equal(record.span_count, 0);
    cf_record_done(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_two_that_are_chosen_are_told_after_the_last_round),
        cmocka_unit_test(nobody_asks_and_nothing_is_told),
        cmocka_unit_test(a_device_that_cannot_tell_leaves_it_to_instruments),
        cmocka_unit_test(a_run_that_was_ended_tells_nothing_and_says_so),
        cmocka_unit_test(a_failure_there_is_one_error_and_the_rounds_stay),
        cmocka_unit_test(what_began_before_the_step_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
