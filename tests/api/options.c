#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "confound/judge.h"
#include "confound/run.h"
#include "confound/step.h"

static void a_device_that_is_not_there_is_refused_and_the_others_are_named(void **state)
{
    confound_options *options = NULL;
    confound_error err = {0};
    (void)state;

    assert_int_equal(confound_options_new(&options, &err), CONFOUND_OK);
    assert_int_equal(confound_options_set_device(options, "quantum", &err), CONFOUND_NO_DEVICE);
    assert_int_equal(err.status, CONFOUND_NO_DEVICE);
    assert_non_null(strstr(err.text, "quantum"));
    assert_non_null(strstr(err.text, "sim"));
    assert_non_null(strstr(err.text, "soft"));
    assert_int_equal(confound_options_set_device(options, "sim", &err), CONFOUND_OK);
    confound_options_free(options);
}

static void an_assignment_without_a_section_is_refused_where_it_is_made(void **state)
{
    confound_options *options = NULL;
    confound_error err = {0};
    (void)state;

    assert_int_equal(confound_options_new(&options, &err), CONFOUND_OK);
    assert_int_equal(confound_options_set_value(options, "count", &err), CONFOUND_INPUT);
    assert_string_not_equal(err.text, "");
    assert_int_equal(confound_options_set_value(options, "lane.a.count=4", &err), CONFOUND_OK);
    confound_options_free(options);
}

static void a_seed_that_a_json_reader_would_round_is_refused(void **state)
{
    confound_options *options = NULL;
    confound_error err = {0};
    (void)state;

    assert_int_equal(confound_options_new(&options, &err), CONFOUND_OK);
    assert_int_equal(confound_options_set_seed(options, UINT64_C(1) << 53, &err), CONFOUND_INPUT);
    assert_int_equal(confound_options_set_seed(options, (UINT64_C(1) << 53) - 1, &err), CONFOUND_OK);
    confound_options_free(options);
}

static void an_error_that_nobody_wants_needs_no_place(void **state)
{
    confound_options *options = NULL;
    (void)state;

    assert_int_equal(confound_options_new(&options, NULL), CONFOUND_OK);
    assert_int_equal(confound_options_set_device(options, "quantum", NULL), CONFOUND_NO_DEVICE);
    confound_options_free(options);
    confound_options_free(NULL);
}

static void assert_refused(confound_status status, const confound_error *err)
{
    assert_int_equal(status, CONFOUND_INPUT);
    assert_int_equal(err->status, CONFOUND_INPUT);
    assert_non_null(strstr(err->text, "not accepted"));
}

static void a_text_that_is_not_there_is_refused_or_means_none(void **state)
{
    confound_options *options = NULL;
    confound_steps *steps = NULL;
    confound_record *record = NULL;
    confound_error err = {0};
    (void)state;

    assert_int_equal(confound_options_new(&options, &err), CONFOUND_OK);
    assert_int_equal(confound_steps_new(&steps, &err), CONFOUND_OK);
#define REFUSED(call) (err = (confound_error){0}, assert_refused(call, &err))
    REFUSED(confound_options_set_device(options, NULL, &err));
    REFUSED(confound_options_set_value(options, NULL, &err));
    REFUSED(confound_steps_add_instrument(steps, NULL, NULL, NULL, NULL, &err));
    REFUSED(confound_steps_add_device_fact(steps, NULL, "x", &err));
    REFUSED(confound_steps_add_environment(steps, NULL, "x", &err));
    REFUSED(confound_run_job(NULL, options, &record, &err));
    REFUSED(confound_run_resume(NULL, options, &record, &err));
    REFUSED(confound_record_read(NULL, &record, &err));
    REFUSED(confound_record_parse(NULL, "{}", 2, &record, &err));
    REFUSED(confound_record_parse("r.json", NULL, 0, &record, &err));
#undef REFUSED
    assert_null(record);
    assert_int_equal(confound_options_set_part_path(options, NULL, &err), CONFOUND_OK);
    assert_int_equal(confound_options_set_against(options, NULL, &err), CONFOUND_OK);
    assert_int_equal(confound_steps_set_name(steps, NULL, &err), CONFOUND_OK);
    assert_int_equal(confound_steps_set_wait_name(steps, NULL, &err), CONFOUND_OK);
    assert_int_equal(confound_steps_set_device(steps, NULL, NULL, NULL, 0, &err), CONFOUND_OK);
    assert_int_equal(confound_steps_set_lane(steps, CONFOUND_LANE_A, NULL, 1, &err), CONFOUND_OK);
    assert_null(confound_because_meaning(NULL));
    confound_steps_free(steps);
    confound_options_free(options);
}

static void every_status_has_a_meaning_of_its_own(void **state)
{
    (void)state;
    for (int i = CONFOUND_OK; i <= CONFOUND_MEMORY; i++) {
        assert_string_not_equal(confound_status_meaning((confound_status)i), "unknown status");
        for (int j = CONFOUND_OK; j < i; j++)
            assert_string_not_equal(confound_status_meaning((confound_status)i),
                                    confound_status_meaning((confound_status)j));
    }
    assert_string_equal(confound_status_meaning((confound_status)99), "unknown status");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_that_is_not_there_is_refused_and_the_others_are_named),
        cmocka_unit_test(an_assignment_without_a_section_is_refused_where_it_is_made),
        cmocka_unit_test(a_seed_that_a_json_reader_would_round_is_refused),
        cmocka_unit_test(an_error_that_nobody_wants_needs_no_place),
        cmocka_unit_test(a_text_that_is_not_there_is_refused_or_means_none),
        cmocka_unit_test(every_status_has_a_meaning_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
