#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "confound/judge.h"
#include "confound/run.h"

static const char job[] = "[job]\ndevice = sim\nmodel = copy-offload\n"
                          "[lane a]\nop = h2d\ncount = 4\nns = 1ms\n"
                          "[lane b]\nop = kernel\ncount = 4\nns = 1ms\n";

static confound_options *with_seed(uint64_t seed)
{
    confound_options *options = NULL;
    assert_int_equal(confound_options_new(&options, NULL), CONFOUND_OK);
    assert_int_equal(confound_options_set_seed(options, seed, NULL), CONFOUND_OK);
    return options;
}

static confound_record *run(confound_options *options)
{
    confound_record *record = NULL;
    confound_error err = {0};
    if (confound_run_job(job, options, &record, &err) != CONFOUND_OK)
        fail_msg("%s", err.text);
    confound_options_free(options);
    return record;
}

static confound_judgement *judge(const confound_record *record)
{
    confound_judgement *judgement = NULL;
    confound_error err = {0};
    if (confound_judge(record, CONFOUND_MARGIN_OF_RECORD, &judgement, &err) != CONFOUND_OK)
        fail_msg("%s", err.text);
    return judgement;
}

static void timing_on_the_ring_of_the_kernels_is_confounded(void **state)
{
    confound_record *record = run(with_seed(3));
    confound_judgement *judgement = judge(record);
    confound_estimate overlap, delta;
    int timing = confound_judgement_find(judgement, "timing");
    (void)state;

    assert_int_equal(confound_judgement_verdict(judgement), CONFOUND_VERDICT_CONFOUNDED);
    assert_string_equal(confound_judgement_name(judgement, 0), "none");
    assert_int_equal(confound_judgement_reading(judgement, 0), CONFOUND_READING_OVERLAPS);
    assert_int_equal(confound_judgement_effect(judgement, 0), CONFOUND_EFFECT_NONE);
    assert_int_equal(confound_judgement_effect(judgement, timing), CONFOUND_EFFECT_CONFOUNDED);
    assert_int_equal(confound_judgement_overlap(judgement, 0, &overlap), 1);
    assert_true(overlap.median == 1.0);
    assert_int_equal(confound_judgement_delta(judgement, timing, &delta), 1);
    assert_true(delta.median < -0.9);
    assert_int_equal(confound_record_simulated(record), 1);
    assert_true(confound_record_rounds(record) >= 12);
    confound_judgement_free(judgement);
    confound_record_free(record);
}

static void what_is_no_variant_has_no_answer(void **state)
{
    confound_record *record = run(with_seed(3));
    confound_judgement *judgement = judge(record);
    confound_estimate untouched = {.median = 42.0};
    (void)state;

    assert_int_equal(confound_judgement_find(judgement, "nothing"), -1);
    for (int i = -1; i <= confound_judgement_variants(judgement); i += confound_judgement_variants(judgement) + 1) {
        assert_null(confound_judgement_name(judgement, i));
        assert_int_equal(confound_judgement_effect(judgement, i), CONFOUND_EFFECT_NONE);
        assert_int_equal(confound_judgement_overlap(judgement, i, &untouched), 0);
    }
    assert_int_equal(confound_judgement_delta(judgement, 0, &untouched), 0);
    assert_true(untouched.median == 42.0);
    confound_judgement_free(judgement);
    confound_record_free(record);
}

static void a_judgement_before_the_record_is_written_is_the_one_after(void **state)
{
    char path[] = "/tmp/confound-api-XXXXXX";
    confound_record *record = run(with_seed(5)), *again = NULL;
    confound_judgement *before = judge(record), *after = NULL;
    size_t size_bytes = 0;
    int fd = mkstemp(path);
    (void)state;

    assert_true(fd >= 0);
    (void)close(fd);
    assert_int_equal(confound_record_write(record, path, NULL), CONFOUND_OK);
    assert_int_equal(confound_record_read(path, &again, NULL), CONFOUND_OK);
    (void)unlink(path);
    assert_string_equal(confound_record_sha256(again), confound_record_sha256(record));
    after = judge(again);
    assert_string_equal(confound_judgement_json(before, &size_bytes), confound_judgement_json(after, NULL));
    assert_int_equal(size_bytes, strlen(confound_judgement_json(after, NULL)));
    confound_judgement_free(before);
    confound_judgement_free(after);
    confound_record_free(record);
    confound_record_free(again);
}

static void a_judgement_outlives_its_record(void **state)
{
    confound_record *record = run(with_seed(5));
    confound_judgement *judgement = judge(record);
    (void)state;

    confound_record_free(record);
    assert_string_equal(confound_judgement_name(judgement, 0), "none");
    confound_judgement_free(judgement);
}

static int stop_in_the_third_round(void *user, const char *phase, int64_t done, int64_t most)
{
    (void)most;
    if (strcmp(phase, "rounds") == 0)
        *(int64_t *)user = done;
    return strcmp(phase, "rounds") == 0 && done >= 2;
}

static void a_caller_may_end_the_run_and_keeps_its_rounds(void **state)
{
    int64_t seen = 0;
    confound_options *options = with_seed(5);
    (void)state;

    confound_options_set_progress(options, stop_in_the_third_round, &seen);
    confound_record *record = run(options);
    assert_int_equal(seen, 3);
    assert_int_equal(confound_record_rounds(record), 3);
    confound_judgement *judgement = judge(record);
    assert_int_equal(confound_judgement_verdict(judgement), CONFOUND_VERDICT_INCONCLUSIVE);
    confound_judgement_free(judgement);
    confound_record_free(record);
}

static void a_value_takes_the_place_of_the_jobs(void **state)
{
    confound_options *options = with_seed(5);
    (void)state;

    assert_int_equal(confound_options_set_value(options, "job.model=one-engine", NULL), CONFOUND_OK);
    confound_record *record = run(options);
    confound_judgement *judgement = judge(record);
    assert_int_equal(confound_judgement_reading(judgement, 0), CONFOUND_READING_SERIALISES);
    confound_judgement_free(judgement);
    confound_record_free(record);
}

static void a_job_with_an_unknown_key_is_refused_with_its_line(void **state)
{
    confound_record *record = NULL;
    confound_error err = {0};
    (void)state;

    assert_int_equal(confound_run_job("[job]\ndevice = sim\nmodle = copy-offload\n", NULL, &record, &err),
                     CONFOUND_INPUT);
    assert_null(record);
    assert_non_null(strstr(err.text, "job:3: "));
    assert_non_null(strstr(err.text, "model"));
}

static void a_record_that_is_none_is_refused(void **state)
{
    confound_record *record = NULL;
    confound_error err = {0};
    (void)state;

    assert_int_equal(confound_record_parse("memory", "{}", 2, &record, &err), CONFOUND_INPUT);
    assert_non_null(strstr(err.text, "memory"));
    assert_int_equal(confound_record_read("/nonexistent/record.json", &record, &err), CONFOUND_IO);
    assert_non_null(strstr(err.text, "/nonexistent/record.json"));
    assert_null(record);
}

static void a_margin_that_is_no_share_is_refused(void **state)
{
    confound_record *record = run(with_seed(5));
    confound_judgement *judgement = NULL;
    confound_error err = {0};
    (void)state;

    assert_int_equal(confound_judge(record, 1.0, &judgement, &err), CONFOUND_INPUT);
    assert_int_equal(confound_judge(record, -0.1, &judgement, &err), CONFOUND_INPUT);
    assert_int_equal(confound_judge(record, strtod("nan", NULL), &judgement, &err), CONFOUND_INPUT);
    assert_null(judgement);
    confound_record_free(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timing_on_the_ring_of_the_kernels_is_confounded),
        cmocka_unit_test(what_is_no_variant_has_no_answer),
        cmocka_unit_test(a_judgement_before_the_record_is_written_is_the_one_after),
        cmocka_unit_test(a_judgement_outlives_its_record),
        cmocka_unit_test(a_caller_may_end_the_run_and_keeps_its_rounds),
        cmocka_unit_test(a_value_takes_the_place_of_the_jobs),
        cmocka_unit_test(a_job_with_an_unknown_key_is_refused_with_its_line),
        cmocka_unit_test(a_record_that_is_none_is_refused),
        cmocka_unit_test(a_margin_that_is_no_share_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
