/* Reports, and a bound on the overlap, through the public headers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comma_locale.h"
#include "confound/report.h"
#include "confound/run.h"

static const char job[] = "[job]\ndevice = sim\nmodel = copy-offload\n"
                          "[lane a]\nop = h2d\ncount = 4\nns = 1ms\n"
                          "[lane b]\nop = kernel\ncount = 4\nns = 1ms\n";

static confound_record *run(const char *change, int64_t rounds, double at_least)
{
    confound_options *options = NULL;
    confound_record *record = NULL;
    confound_error err = {0};
    assert_int_equal(confound_options_new(&options, NULL), CONFOUND_OK);
    assert_int_equal(confound_options_set_seed(options, 3, NULL), CONFOUND_OK);
    assert_int_equal(confound_options_set_rounds(options, rounds < 12 ? rounds : 12, rounds, NULL), CONFOUND_OK);
    if (change)
        assert_int_equal(confound_options_set_value(options, change, NULL), CONFOUND_OK);
    if (at_least > 0)
        assert_int_equal(confound_options_set_at_least(options, at_least, NULL), CONFOUND_OK);
    if (confound_run_job(job, options, &record, &err) != CONFOUND_OK)
        fail_msg("%s", err.text);
    confound_options_free(options);
    return record;
}

static confound_judgement *judge(const confound_record *record)
{
    confound_judgement *judgement = NULL;
    assert_int_equal(confound_judge(record, CONFOUND_MARGIN_OF_RECORD, &judgement, NULL), CONFOUND_OK);
    return judgement;
}

static void every_format_has_a_text(void **state)
{
    static const struct {
        confound_format format;
        const char *holds;
    } formats[] = {
        {CONFOUND_FORMAT_TEXT, "quote this"},       {CONFOUND_FORMAT_VERDICT, "Timing events"},
        {CONFOUND_FORMAT_MARKDOWN, "| variant"},    {CONFOUND_FORMAT_HTML, "<title>confound: "},
        {CONFOUND_FORMAT_CSV, "round,process,var"},
    };
    confound_record *record = run(NULL, 40, 0);
    confound_judgement *judgement = judge(record);
    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        char *text = NULL;
        size_t size_bytes = 0;
        assert_int_equal(
            confound_report(record, judgement, formats[i].format, 0, 0, "a record", &text, &size_bytes, NULL),
            CONFOUND_OK);
        assert_int_equal(size_bytes, strlen(text));
        if (!strstr(text, formats[i].holds))
            fail_msg("no \"%s\" in %s", formats[i].holds, text);
        confound_text_free(text);
    }
    confound_judgement_free(judgement);
    confound_record_free(record);
}

/* In a program that has set a locale with a decimal comma a page's data were no JSON: {"low": 0,3}. */
static void a_report_is_the_same_in_every_locale(void **state)
{
    (void)state;
    if (!comma_locale_begin())
        skip(); /* there is none, and none can be made */
    comma_locale_end();
    confound_record *record = run(NULL, 40, 0);
    confound_judgement *judgement = judge(record);
    for (int format = CONFOUND_FORMAT_TEXT; format <= CONFOUND_FORMAT_CSV; format++) {
        char *texts[2] = {NULL};
        for (int comma = 0; comma < 2; comma++) {
            if (comma)
                assert_true(comma_locale_begin());
            assert_int_equal(
                confound_report(record, judgement, (confound_format)format, 0, 0, NULL, &texts[comma], NULL, NULL),
                CONFOUND_OK);
            if (comma) {
                assert_int_equal(*localeconv()->decimal_point, ','); /* the caller's is as it was */
                comma_locale_end();
            }
        }
        assert_string_equal(texts[0], texts[1]);
        confound_text_free(texts[0]);
        confound_text_free(texts[1]);
    }
    confound_judgement_free(judgement);
    confound_record_free(record);
}

static void what_is_shown_is_asked_for(void **state)
{
    confound_record *record = run(NULL, 40, 0);
    confound_judgement *judgement = judge(record);
    char *plain = NULL, *rich = NULL;
    (void)state;
    assert_int_equal(confound_report(record, judgement, CONFOUND_FORMAT_TEXT, 0, 0, NULL, &plain, NULL, NULL), 0);
    assert_int_equal(confound_report(record, judgement, CONFOUND_FORMAT_TEXT, CONFOUND_SHOW_COLOR | CONFOUND_SHOW_UTF8,
                                     100, NULL, &rich, NULL, NULL),
                     0);
    assert_null(strstr(plain, "\033["));
    assert_null(strstr(plain, "\u2588"));
    assert_non_null(strstr(rich, "\033["));
    assert_non_null(strstr(rich, "\u2588"));
    confound_text_free(plain);
    confound_text_free(rich);
    confound_text_free(NULL);
    confound_judgement_free(judgement);
    confound_record_free(record);
}

static void a_judgement_of_another_record_and_an_unknown_format_are_refused(void **state)
{
    confound_record *record = run(NULL, 40, 0), *other = run("lane.a.ns=2ms", 40, 0);
    confound_judgement *judgement = judge(record);
    char *text = NULL;
    confound_error err = {0};
    (void)state;
    assert_int_equal(confound_report(other, judgement, CONFOUND_FORMAT_TEXT, 0, 0, NULL, &text, NULL, &err),
                     CONFOUND_INPUT);
    assert_non_null(strstr(err.text, "another record"));
    assert_int_equal(confound_report(record, judgement, (confound_format)77, 0, 0, NULL, &text, NULL, &err),
                     CONFOUND_INPUT);
    assert_null(text);
    confound_judgement_free(judgement);
    confound_record_free(record);
    confound_record_free(other);
}

static void a_record_in_memory_is_the_record_in_the_file(void **state)
{
    confound_record *record = run(NULL, 12, 0), *again = NULL;
    char *json = NULL;
    size_t size_bytes = 0;
    (void)state;
    assert_int_equal(confound_record_json(record, &json, &size_bytes, NULL), CONFOUND_OK);
    assert_int_equal(size_bytes, strlen(json));
    assert_int_equal(confound_record_parse("again", json, size_bytes, &again, NULL), CONFOUND_OK);
    assert_string_equal(confound_record_sha256(record), confound_record_sha256(again));
    confound_text_free(json);
    confound_record_free(record);
    confound_record_free(again);
}

/* ---- a bound ---- */

static void assert_bound(const confound_record *record, double at_least, confound_bound right, const char *why)
{
    confound_bound bound = CONFOUND_BOUND_INCONCLUSIVE;
    const char *because = "untouched";
    int64_t more_rounds = -1;
    confound_error err = {0};
    if (confound_judge_overlap(record, at_least, &bound, &because, &more_rounds, &err) != CONFOUND_OK)
        fail_msg("%s", err.text);
    assert_int_equal(bound, right);
    if (!why) {
        assert_null(because);
        return;
    }
    assert_string_equal(because, why);
    assert_non_null(confound_because_meaning(because));
}

static void an_overlap_is_above_what_it_exceeds_and_below_what_it_misses(void **state)
{
    confound_record *whole = run(NULL, 40, 0), *none = run("lane.b.op=h2d", 40, 0);
    (void)state;
    assert_bound(whole, 0.95, CONFOUND_BOUND_ABOVE, NULL);
    assert_bound(whole, 0.1, CONFOUND_BOUND_ABOVE, NULL);
    assert_bound(none, 0.05, CONFOUND_BOUND_BELOW, NULL);
    assert_bound(none, 0.7, CONFOUND_BOUND_BELOW, NULL);
    confound_record_free(whole);
    confound_record_free(none);
}

static void too_few_rounds_decide_no_bound(void **state)
{
    confound_record *record = run(NULL, 11, 0);
    (void)state;
    assert_bound(record, 0.7, CONFOUND_BOUND_INCONCLUSIVE, "too-few-rounds");
    confound_record_free(record);
}

static void what_is_no_bound_is_refused(void **state)
{
    const double bounds[] = {0, 1, -0.5, strtod("nan", NULL)};
    confound_record *record = run(NULL, 12, 0);
    confound_options *options = NULL;
    confound_bound bound = CONFOUND_BOUND_BELOW;
    (void)state;
    assert_int_equal(confound_options_new(&options, NULL), CONFOUND_OK);
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        assert_int_equal(confound_judge_overlap(record, bounds[i], &bound, NULL, NULL, NULL), CONFOUND_INPUT);
        assert_int_equal(confound_options_set_at_least(options, bounds[i], NULL), CONFOUND_INPUT);
    }
    assert_int_equal(bound, CONFOUND_BOUND_BELOW);
    assert_null(confound_because_meaning("no such word"));
    confound_options_free(options);
    confound_record_free(record);
}

/* With no instrument and an overlap of 1 in every round the bound is decided at one of the first looks. */
static void a_run_that_asks_for_a_bound_ends_with_it(void **state)
{
    confound_record *record = run("instruments.use=", 120, 0.5);
    (void)state;
    assert_true(confound_record_rounds(record) < 30);
    assert_bound(record, 0.5, CONFOUND_BOUND_ABOVE, NULL);
    confound_record_free(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_a_text),
        cmocka_unit_test(a_report_is_the_same_in_every_locale),
        cmocka_unit_test(what_is_shown_is_asked_for),
        cmocka_unit_test(a_judgement_of_another_record_and_an_unknown_format_are_refused),
        cmocka_unit_test(a_record_in_memory_is_the_record_in_the_file),
        cmocka_unit_test(an_overlap_is_above_what_it_exceeds_and_below_what_it_misses),
        cmocka_unit_test(too_few_rounds_decide_no_bound),
        cmocka_unit_test(what_is_no_bound_is_refused),
        cmocka_unit_test(a_run_that_asks_for_a_bound_ends_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
