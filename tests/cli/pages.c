/* What the program prints about itself: help, ready jobs, built-in models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/cli.h"
#include "cli/help.h"
#include "cli/listing.h"
#include "model/model.h"
#include "run/job.h"

static void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

static void assert_fits(const char *text)
{
    while (*text) {
        size_t size_bytes = strcspn(text, "\n");
        if (size_bytes > 80)
            fail_msg("%zu columns: %.*s", size_bytes, (int)size_bytes, text);
        text += size_bytes + (text[size_bytes] == '\n');
    }
}

static void help_fits_80_columns_and_names_all_that_a_command_takes(void **state)
{
    (void)state;
    for (int command = 0; command < CF_COMMAND_COUNT; command++) {
        cf_text text = {0};
        if (command == CF_COMMAND_VERSION)
            continue;
        cf_help_command((cf_command)command, &text);
        assert_false(text.failed);
        assert_fits(text.data);
        for (size_t i = 0; i < cf_option_spec_count; i++) {
            char form[96];
            if (!cf_option_taken_by(&cf_option_specs[i], (cf_command)command))
                continue;
            assert_contains(text.data, cf_help_option_form(&cf_option_specs[i], form, sizeof form));
            if (cf_option_specs[i].variable)
                assert_contains(text.data, cf_option_specs[i].variable);
        }
        cf_text_done(&text);
    }
}

static void the_overview_names_every_command_and_exit_status(void **state)
{
    (void)state;
    cf_text text = {0};
    cf_help_program(&text);
    assert_fits(text.data);
    for (int command = 0; cf_command_names[command]; command++)
        assert_contains(text.data, cf_command_specs[command].summary);
    for (int status = 0; status < CF_STATUS_COUNT; status++) {
        char line[32];
        snprintf(line, sizeof line, "\n  %d ", cf_status_exit((cf_status)status));
        assert_contains(text.data, line);
        assert_contains(text.data, cf_status_meaning((cf_status)status));
    }
    cf_text_done(&text);
}

static void the_help_of_run_names_the_instruments_that_may_be_named(void **state)
{
    (void)state;
    cf_text text = {0};
    cf_help_command(CF_COMMAND_RUN, &text);
    assert_contains(text.data, "\n  timing ");
    assert_contains(text.data, "\n  none-poll ");
    assert_null(strstr(text.data, "\n  one-queue "));
    cf_text_done(&text);
}

static void every_ready_job_can_be_read_and_says_what_it_is_for(void **state)
{
    (void)state;
    assert_string_equal(cf_job_builtins[0].name, "default");
    for (const cf_job_builtin *ready = cf_job_builtins; ready->name; ready++) {
        cf_ini ini;
        cf_job job = {0};
        cf_error err = {0};
        if (cf_ini_parse(ready->name, ready->text, strlen(ready->text), &ini, &err) ||
            cf_job_from_ini(&ini, NULL, &job, &err))
            fail_msg("%s", err.text);
        cf_job_done(&job);
        cf_ini_done(&ini);
        char about[512];
        cf_listing_about(ready->text, about, sizeof about);
        assert_in_range(strlen(about), 20, 140);
        assert_ptr_equal(cf_job_builtin_find(ready->name), ready);
    }
    assert_null(cf_job_builtin_find("nothing-like-it"));
}

static void every_model_says_what_it_is_for(void **state)
{
    (void)state;
    for (const cf_model_builtin *model = cf_model_builtins; model->name; model++) {
        char about[512];
        cf_listing_about(model->text, about, sizeof about);
        assert_in_range(strlen(about), 20, 140);
    }
}

static void the_purpose_is_the_key_or_the_first_sentence(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"; One thing\n; in two lines. And more.\n[a]\n", "One thing in two lines"},
        {"; No stop\n[a]\n; not this\n", "No stop"},
        {"; A comment.\n[model]\nabout = the key; it wins\n", "the key; it wins"},
        {"[a]\n; later\n", ""},
        {"", ""},
        {"; version 1.5 stays whole. Yes.\n", "version 1.5 stays whole"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char about[64];
        assert_string_equal(cf_listing_about(cases[i][0], about, sizeof about), cases[i][1]);
    }
    char small[8];
    assert_string_equal(cf_listing_about("; a longer sentence", small, sizeof small), "a longe");
}

static int expect(cf_expect expected, cf_verdict found)
{
    cf_options options = {.expect = {.set = true, .value = (int)expected}};
    cf_judgement judgement = {.verdict = found};
    return cf_cli_expect(&options, &judgement);
}

static void an_expectation_decides_the_exit_status(void **state)
{
    (void)state;
    assert_int_equal(expect(CF_EXPECT_CLEAR, CF_VERDICT_CLEAR), 0);
    assert_int_equal(expect(CF_EXPECT_CLEAR, CF_VERDICT_CONFOUNDED), 1);
    assert_int_equal(expect(CF_EXPECT_CLEAR, CF_VERDICT_INVALID), 1);
    assert_int_equal(expect(CF_EXPECT_CLEAR, CF_VERDICT_INCONCLUSIVE), 3);
    assert_int_equal(expect(CF_EXPECT_CONFOUNDED, CF_VERDICT_CONFOUNDED), 0);
    assert_int_equal(expect(CF_EXPECT_CONFOUNDED, CF_VERDICT_INCONCLUSIVE), 3);
    assert_int_equal(expect(CF_EXPECT_INCONCLUSIVE, CF_VERDICT_INCONCLUSIVE), 0);
    assert_int_equal(expect(CF_EXPECT_INCONCLUSIVE, CF_VERDICT_CLEAR), 1);
    assert_int_equal(expect(CF_EXPECT_INCONCLUSIVE, CF_VERDICT_INVALID), 1);
    cf_options none = {0};
    cf_judgement invalid = {.verdict = CF_VERDICT_INVALID};
    assert_int_equal(cf_cli_expect(&none, &invalid), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_fits_80_columns_and_names_all_that_a_command_takes),
        cmocka_unit_test(the_overview_names_every_command_and_exit_status),
        cmocka_unit_test(the_help_of_run_names_the_instruments_that_may_be_named),
        cmocka_unit_test(every_ready_job_can_be_read_and_says_what_it_is_for),
        cmocka_unit_test(every_model_says_what_it_is_for),
        cmocka_unit_test(the_purpose_is_the_key_or_the_first_sentence),
        cmocka_unit_test(an_expectation_decides_the_exit_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
