/* A run that goes on where another one ended, and a second job beside the first. */
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
#include "confound/report.h"
#include "confound/run.h"
#include "confound/step.h"

static const char job[] = "[job]\ndevice = sim\nmodel = copy-offload\n"
                          "[lane a]\nop = h2d\ncount = 4\nns = 1ms\n"
                          "[lane b]\nop = kernel\ncount = 4\nns = 1ms\n";
static const char one_by_one[] = "[order]\nsubmit = a-then-b\ndepends = each\n"
                                 "[lane a]\nop = h2d\ncount = 1\nns = 4ms\n"
                                 "[lane b]\nop = kernel\ncount = 1\nns = 4ms\n";

static confound_options *new_options(void)
{
    confound_options *options = NULL;
    assert_int_equal(confound_options_new(&options, NULL), CONFOUND_OK);
    return options;
}

static int end_in_the_third_round(void *user, const char *phase, int64_t done, int64_t most)
{
    (void)user;
    (void)most;
    return strcmp(phase, "rounds") == 0 && done >= 2;
}

static void make_paths(char folder[64], char part[96], char whole[96])
{
    (void)snprintf(folder, 64, "/tmp/confound-resume-XXXXXX");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(part, 96, "%s/r.json.part", folder);
    (void)snprintf(whole, 96, "%s/r.json", folder);
}

static void remove_paths(const char *folder, const char *part, const char *whole)
{
    (void)unlink(part);
    (void)unlink(whole);
    assert_int_equal(rmdir(folder), 0);
}

/* Three rounds, in a part file and in a record. */
static void begin(const char *part, const char *whole)
{
    confound_options *options = new_options();
    confound_record *record = NULL;
    confound_error err = {0};
    assert_int_equal(confound_options_set_seed(options, 5, NULL), CONFOUND_OK);
    assert_int_equal(confound_options_set_part_path(options, part, NULL), CONFOUND_OK);
    confound_options_set_progress(options, end_in_the_third_round, NULL);
    if (confound_run_job(job, options, &record, &err) || confound_record_write(record, whole, &err))
        fail_msg("%s", err.text);
    assert_int_equal(confound_record_rounds(record), 3);
    confound_record_free(record);
    confound_options_free(options);
}

static void a_run_goes_on_from_its_record_and_from_its_part_file(void **state)
{
    (void)state;
    char folder[64], part[96], whole[96];
    make_paths(folder, part, whole);
    begin(part, whole);
    for (int from_part = 0; from_part < 2; from_part++) {
        confound_options *options = new_options();
        confound_record *record = NULL;
        confound_judgement *judgement = NULL;
        confound_error err = {0};
        char *json = NULL;
        if (from_part)
            assert_int_equal(confound_options_set_part_path(options, part, NULL), CONFOUND_OK);
        if (confound_run_resume(from_part ? part : whole, options, &record, &err) ||
            confound_judge(record, 0, &judgement, &err) || confound_record_json(record, &json, NULL, &err))
            fail_msg("%s", err.text);
        assert_true(json && confound_record_rounds(record) >= 12);
        assert_int_equal(confound_judgement_verdict(judgement), CONFOUND_VERDICT_CONFOUNDED);
        assert_non_null(strstr(json, "\"seed\": 5"));
        assert_non_null(strstr(json, "{\"round\":4,\"process\":1,"));
        assert_non_null(strstr(json, "\"interrupted\": false"));
        confound_text_free(json);
        confound_judgement_free(judgement);
        confound_record_free(record);
        confound_options_free(options);
    }
    remove_paths(folder, part, whole);
}

static void refuse(const char *path, confound_options *options, confound_status status, const char *says)
{
    confound_record *record = NULL;
    confound_error err = {0};
    assert_int_equal(confound_run_resume(path, options, &record, &err), status);
    if (!strstr(err.text, says))
        fail_msg("%s", err.text);
    assert_null(record);
    confound_options_free(options);
}

static void what_a_record_says_itself_is_not_taken_from_the_options(void **state)
{
    (void)state;
    char folder[64], part[96], whole[96];
    make_paths(folder, part, whole);
    begin(part, whole);
    confound_options *options = new_options();
    assert_int_equal(confound_options_set_seed(options, 6, NULL), CONFOUND_OK);
    refuse(whole, options, CONFOUND_INPUT, "says what is measured");
    options = new_options();
    assert_int_equal(confound_options_set_device(options, "soft", NULL), CONFOUND_OK);
    refuse(whole, options, CONFOUND_INPUT, "says what is measured");
    options = new_options();
    assert_int_equal(confound_options_set_part_path(options, part, NULL), CONFOUND_OK);
    refuse(whole, options, CONFOUND_INPUT, "is there already");
    refuse("/nonexistent/r.json", NULL, CONFOUND_IO, "/nonexistent/r.json");
    remove_paths(folder, part, whole);
}

static int nothing(void *user, int variant, int lanes, confound_error *err)
{
    (void)user;
    (void)variant;
    (void)lanes;
    (void)err;
    return 0;
}

static void a_record_of_steps_is_not_resumed(void **state)
{
    (void)state;
    char folder[64], part[96], whole[96];
    make_paths(folder, part, whole);
    confound_steps *steps = NULL;
    confound_record *record = NULL;
    confound_options *options = new_options();
    confound_error err = {0};
    assert_int_equal(confound_steps_new(&steps, NULL), CONFOUND_OK);
    confound_steps_set_submit(steps, nothing, NULL);
    confound_steps_set_wait(steps, nothing, NULL);
    assert_int_equal(confound_options_set_rounds(options, 1, 1, NULL), CONFOUND_OK);
    if (confound_run_steps(steps, options, &record, &err) || confound_record_write(record, whole, &err))
        fail_msg("%s", err.text);
    refuse(whole, NULL, CONFOUND_INPUT, "cannot be resumed");
    assert_int_equal(confound_options_set_against(options, job, NULL), CONFOUND_OK);
    confound_record *none = NULL;
    assert_int_equal(confound_run_steps(steps, options, &none, &err), CONFOUND_INPUT);
    confound_record_free(record);
    confound_options_free(options);
    confound_steps_free(steps);
    remove_paths(folder, part, whole);
}

static void a_second_job_is_measured_beside_the_first(void **state)
{
    (void)state;
    confound_options *options = new_options();
    confound_record *record = NULL;
    confound_judgement *judgement = NULL;
    confound_estimate overlap = {0};
    confound_error err = {0};
    assert_int_equal(confound_options_set_against(options, one_by_one, NULL), CONFOUND_OK);
    if (confound_run_job(job, options, &record, &err) || confound_judge(record, 0, &judgement, &err))
        fail_msg("%s", err.text);
    int against = confound_judgement_find(judgement, "against");
    assert_true(against > 0);
    assert_int_equal(confound_judgement_overlap(judgement, against, &overlap), 1);
    assert_true(overlap.median < 0.01);
    assert_non_null(strstr(confound_judgement_json(judgement, NULL), "\"against\": {"));
    confound_judgement_free(judgement);
    confound_record_free(record);

    assert_int_equal(confound_options_set_against(options, "[lane a]\nopp = h2d\n", NULL), CONFOUND_OK);
    record = NULL;
    assert_int_equal(confound_run_job(job, options, &record, &err), CONFOUND_INPUT);
    assert_non_null(strstr(err.text, "against:2: "));
    assert_null(record);
    confound_options_free(options);
}

static void a_device_may_have_a_number_where_there_can_be_several(void **state)
{
    (void)state;
    static const char *const wrong[] = {"sim:0", "cuda:x", "cuda:-1", "opencl:"};
    confound_options *options = new_options();
    confound_error err = {0};
    assert_int_equal(confound_options_set_device(options, "quantum:0", &err), CONFOUND_NO_DEVICE);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        confound_record *record = NULL;
        assert_int_equal(confound_options_set_device(options, wrong[i], &err), CONFOUND_OK);
        assert_int_equal(confound_run_job("[lane a]\nop = h2d\n", options, &record, &err), CONFOUND_NO_DEVICE);
        assert_non_null(strstr(err.text, wrong[i]));
    }
    confound_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_goes_on_from_its_record_and_from_its_part_file),
        cmocka_unit_test(what_a_record_says_itself_is_not_taken_from_the_options),
        cmocka_unit_test(a_record_of_steps_is_not_resumed),
        cmocka_unit_test(a_second_job_is_measured_beside_the_first),
        cmocka_unit_test(a_device_may_have_a_number_where_there_can_be_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
