/* The report of a metric experiment: the words that people act on, and no line that hostile names can break. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "record/metric_sample.h"
#include "report/report.h"

static const cf_report_style plain = {.record_path = "r.json"};

typedef enum format { TEXT, VERDICT, MARKDOWN, CSV, PAGE } format;

static cf_text report(const cf_record *record, format how)
{
    cf_judgement judgement = {0};
    cf_text out = {0};
    assert_int_equal(cf_judge(record, NULL, NULL, &judgement, NULL), CF_OK);
    cf_status status = CF_OK;
    if (how == TEXT)
        status = cf_report_text(record, &judgement, &plain, &out, NULL);
    else if (how == VERDICT)
        status = cf_report_verdict(record, &judgement, &plain, &out, NULL);
    else if (how == MARKDOWN)
        status = cf_report_markdown(record, &judgement, &plain, &out, NULL);
    else if (how == PAGE)
        status = cf_report_html(record, &judgement, &plain, &out, NULL);
    else
        status = cf_report_csv(record, &out, NULL);
    assert_int_equal(status, CF_OK);
    cf_judgement_done(&judgement);
    return out;
}

/* As one line: where a paragraph was wrapped does not matter. */
static void flatten(cf_text *text)
{
    char *to = text->data;
    for (const char *at = text->data; *at; at++) {
        bool blank = *at == '\n' || *at == ' ';
        if (!blank || (to > text->data && to[-1] != ' '))
            *to++ = blank ? ' ' : *at;
    }
    *to = '\0';
}

static void says(const cf_record *record, format how, const char *part)
{
    cf_text text = report(record, how);
    flatten(&text);
    if (!strstr(text.data, part))
        fail_msg("'%s' is not in\n%s", part, text.data);
    cf_text_done(&text);
}

static void is_silent(const cf_record *record, format how, const char *part)
{
    cf_text text = report(record, how);
    flatten(&text);
    if (strstr(text.data, part))
        fail_msg("'%s' is in\n%s", part, text.data);
    cf_text_done(&text);
}

/* Scattered evenly by half a percent around its value, so that there is an interval. */
static void scatter(cf_record *record)
{
    for (size_t i = 0; i < record->rounds.count; i++) {
        for (int v = 0; v < record->variant_count; v++) {
            double value = cf_round_value(&record->rounds.items[i], v) * (1 + 0.001 * (double)((int)(i * 7 % 11) - 5));
            if (v > 0)
                assert_int_equal(cf_round_set_values(&record->rounds.items[i], v, &value, 1, NULL), CF_OK);
        }
    }
}

static void a_slow_arm_is_said_in_percent_with_both_numbers(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 24);
    scatter(&record);
    says(&record, VERDICT, "CONFOUNDED nsys slows the program by 12.0 % [11.");
    says(&record, VERDICT, "112.0 ms with it and 100.0 with none");
    says(&record, TEXT, "nsys 112.0 +12.0 % [11.");
    says(&record, TEXT, "none 100.0 6.000 quote this");
    says(&record, TEXT, "./server --steps 100 under 1 arm, 24 rounds");
    says(&record, TEXT, "What each run printed is in r.runs");
    says(&record, TEXT, "this machine (a processor)");
    says(&record, MARKDOWN, "### confound: confounded");
    says(&record, MARKDOWN, "| nsys | env TOOL=nsys | 112.0 | +12.0 % [");
    cf_record_done(&record);
}

static void fewer_tokens_are_lowered_and_more_are_raised(void **state)
{
    (void)state;
    static const double values[] = {88, 112};
    for (int i = 0; i < 2; i++) {
        cf_record record = metric_record(metric_usual, 3, 24);
        free(record.metric.name);
        free(record.metric.unit);
        record.metric.name = cf_text_dup("tok/s");
        record.metric.unit = cf_text_dup("tok/s");
        record.metric.source = CF_SOURCE_REGEX;
        record.metric.detail = cf_text_dup("([0-9.]+) tok/s");
        record.metric.better = CF_BETTER_HIGHER;
        metric_set(&record, 2, values[i]);
        says(&record, VERDICT,
             i == 0 ? "nsys lowers tok/s by 12.00 % [12.00, 12.00], 88.00 tok/s with it"
                    : "nsys raises tok/s by 12.00 % [12.00, 12.00], 112.0 tok/s with it");
        says(&record, TEXT, "tok/s, higher is better: what the program prints (([0-9.]+) tok/s)");
        cf_record_done(&record);
    }
}

static void a_clear_arm_is_said_with_its_interval_and_the_margin(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 24);
    metric_set(&record, 2, 100.5);
    scatter(&record);
    says(&record, VERDICT, "CLEAR No arm changes the program's wall time by 5 % or more: nsys (+0.5 % [");
    record.margin = 0.025;
    says(&record, VERDICT, "by 2.5 % or more");
    cf_record_done(&record);
}

static void an_arm_that_ended_says_when_and_why(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 24);
    record.variants[2].ended = cf_text_dup("exit status 3");
    record.variants[2].ended_round = 7;
    for (size_t i = 6; i < record.rounds.count; i++)
        assert_int_equal(cf_round_set_values(&record.rounds.items[i], 2, NULL, 0, NULL), CF_OK);
    says(&record, VERDICT, "Undecided on nsys: it ended in round 7: exit status 3.");
    says(&record, TEXT, "ENDED");
    says(&record, TEXT, "See what nsys printed in r.runs");
    record.variants[2].ended_round = 0;
    metric_set(&record, 2, 1);
    for (size_t i = 0; i < record.rounds.count; i++)
        assert_int_equal(cf_round_set_values(&record.rounds.items[i], 2, NULL, 0, NULL), CF_OK);
    says(&record, TEXT, "it ended in its warm-up: exit status 3.");
    cf_record_done(&record);
}

static void an_arm_keeps_the_letters_of_its_name_at_the_beginning_of_a_sentence(void **state)
{
    (void)state;
    static const metric_arm arms[] = {{"none", CF_ROLE_CONTROL, 100},
                                      {"none-again", CF_ROLE_REPLICA, 101},
                                      {"e", CF_ROLE_INSTRUMENT, 112},
                                      {"E", CF_ROLE_INSTRUMENT, 112}};
    cf_record record = metric_record(arms, 4, 24);
    record.variants[2].ended = cf_text_dup("exit status 3");
    record.variants[2].ended_round = 25;
    says(&record, TEXT, "Ended e has no number from round 25 on");
    says(&record, MARKDOWN, "e has no number from round 25 on");
    is_silent(&record, MARKDOWN, "E has no number");
    is_silent(&record, TEXT, "Ended E has");
    cf_record_done(&record);
}

static void few_rounds_that_scatter_are_not_said_to_scatter_for_ever(void **state)
{
    (void)state;
    static const int rounds[] = {12, 60};
    for (int k = 0; k < 2; k++) {
        cf_record record = metric_record(metric_usual, 3, rounds[k]);
        metric_set(&record, 1, 100);
        for (size_t i = 0; i < record.rounds.count; i++) {
            const double value = i % 2 ? 103 : 107; /* around the margin */
            assert_int_equal(cf_round_set_values(&record.rounds.items[i], 2, &value, 1, NULL), CF_OK);
        }
        says(&record, VERDICT,
             k == 0 ? "scatters too much so far, or sits too close to the margin of 5 %."
                    : "sits too close to the margin of 5 % for any number of rounds");
        if (k == 0)
            says(&record, TEXT, "confound exec --resume r.json --rounds");
        else
            is_silent(&record, TEXT, "--resume");
        cf_record_done(&record);
    }
}

static void a_change_that_no_number_holds_is_said_to_be_one(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 24);
    metric_set(&record, 0, 1e-300);
    metric_set(&record, 1, 1e-300);
    metric_set(&record, 2, 1e300);
    says(&record, VERDICT, "nsys changes the program's wall time by more than can be shown, 1.000e+300 ms with it");
    is_silent(&record, VERDICT, "by -");
    cf_record_done(&record);
}

static void a_control_unlike_itself_is_invalid_and_says_by_how_much(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 24);
    metric_set(&record, 1, 92);
    says(&record, VERDICT,
         "INVALID The control differs from itself: two identical arms are 8.00 % [8.00, 8.00] apart.");
    is_silent(&record, TEXT, "quote this");
    cf_record_done(&record);
}

/* "by +8.0 % of overlap": there is none. */
static void a_page_calls_no_number_an_overlap(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 24);
    metric_set(&record, 1, 92);
    says(&record, PAGE, "the control differs from itself by -8.00 % [-8.00, -8.00]</div>");
    cf_record_done(&record);
}

/* Rounds were shown with three decimals, whatever the numbers were: 0.000. */
static void a_page_shows_small_numbers_round_by_round(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 24);
    for (int v = 0; v < 3; v++)
        metric_set(&record, v, 1e-5 * (v + 1));
    says(&record, PAGE, "<th scope=\"row\" class=\"n\">24</th><td class=\"n\">1.000e-05</td>");
    is_silent(&record, PAGE, ">0.000<");
    cf_record_done(&record);
}

static void take_away(cf_record *record, int variant, size_t from)
{
    for (size_t i = from; i < record->rounds.count; i++)
        assert_int_equal(cf_round_set_values(&record->rounds.items[i], variant, NULL, 0, NULL), CF_OK);
}

static int times_in_the_order(const char *page, const char *name)
{
    const char *at = strstr(page, "The order in words");
    const char *end = at ? strstr(at, "</table>") : NULL;
    int times = 0;
    if (!end)
        fail_msg("the page has no table of the order");
    for (at = at ? strstr(at, name) : NULL; at && at < end; at = strstr(at + 1, name))
        times++;
    return times;
}

/* In round 3 it ran and failed; in those behind it did not run. */
static void a_page_shows_an_arm_that_ended_in_no_later_round(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 5);
    record.variants[2].ended = cf_text_dup("exit status 7");
    record.variants[2].ended_round = 3;
    take_away(&record, 2, 2);
    cf_text page = report(&record, PAGE);
    assert_int_equal(times_in_the_order(page.data, "nsys"), 3);
    cf_text_done(&page);
    record.variants[2].ended_round = 0; /* in its warm-up */
    take_away(&record, 2, 0);
    page = report(&record, PAGE);
    assert_int_equal(times_in_the_order(page.data, "nsys"), 0);
    cf_text_done(&page);
    cf_record_done(&record);
}

static void a_toggled_program_is_sped_up_or_slowed_down_by_its_timing(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 24);
    record.metric.source = CF_SOURCE_STEP;
    record.design = CF_DESIGN_WITHIN;
    free(record.variants[2].name);
    record.variants[2].name = cf_text_dup("stripped");
    says(&record, VERDICT, "The timing that the program asks for speeds it up: without, a step takes 12.00 %");
    metric_set(&record, 2, 80);
    says(&record, VERDICT, "The timing that the program asks for slows it: without, a step takes 20.00 %");
    free(record.variants[2].name);
    record.variants[2].name = cf_text_dup("added");
    says(&record, VERDICT, "Timing everything would speed it up: a step takes 20.00 %");
    cf_record_done(&record);
}

static void undecided_says_how_to_go_on(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 8);
    says(&record, TEXT, "8 rounds are too few for a decision");
    says(&record, TEXT, "confound exec --resume r.json --rounds 12");
    cf_record_done(&record);
}

static cf_record scattered_record(int rounds, size_t within)
{
    cf_record record = metric_record(metric_usual, 3, rounds);
    record.metric.source = CF_SOURCE_STEP;
    record.design = CF_DESIGN_WITHIN;
    record.max_rounds = rounds;
    for (size_t i = 0; i < record.rounds.count; i++) {
        const double value = i * 7 % 12 < within ? 101 : 120;
        assert_int_equal(cf_round_set_values(&record.rounds.items[i], 2, &value, 1, NULL), CF_OK);
    }
    return record;
}

/* 1000 rounds are accepted at most: 1596 were advised once. A few rounds tell little of how many it takes. */
static void no_more_rounds_are_advised_than_a_toggled_program_may_have(void **state)
{
    (void)state;
    cf_record record = scattered_record(12, 7);
    says(&record, TEXT, "about 1584 more rounds would settle it");
    says(&record, TEXT, "Run again with --rounds 120.");
    cf_record_done(&record);
    record = scattered_record(60, 7);
    is_silent(&record, TEXT, "Run again with --rounds");
    says(&record, TEXT, "make each step longer");
    cf_record_done(&record);
}

/* The line Next has the most of all that is open: 489 rounds stood there beside "about 35 more", and nothing said why.
 */
static void an_open_control_that_takes_more_rounds_is_said(void **state)
{
    (void)state;
    cf_record record = scattered_record(12, 9);
    is_silent(&record, TEXT, "(A/A) takes about");
    for (size_t i = 0; i < record.rounds.count; i++) {
        const double value = i * 7 % 12 < 8 ? 101 : 120;
        assert_int_equal(cf_round_set_values(&record.rounds.items[i], 1, &value, 1, NULL), CF_OK);
    }
    says(&record, TEXT, "Whether the control agrees with itself (A/A) takes about");
    cf_record_done(&record);
}

static void a_variable_around_it_is_named(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 24);
    record.variants[0].armed = CF_ARMED_NOTHING;
    record.variants[0].armed_how = cf_text_dup("LD_PRELOAD is set: something may be observing");
    says(&record, TEXT, "LD_PRELOAD is set");
    says(&record, TEXT, "env NAME=VALUE PROGRAM");
    cf_record_done(&record);
}

static void csv_has_a_row_a_number(void **state)
{
    (void)state;
    cf_record record = metric_record(metric_usual, 3, 2);
    const double three[] = {1.5, 2.5, 3.5};
    assert_int_equal(cf_round_set_values(&record.rounds.items[1], 2, three, 3, NULL), CF_OK);
    free(record.variants[2].name);
    record.variants[2].name = cf_text_dup("=cmd,\"x\"");
    cf_text text = report(&record, CSV);
    int lines = 0;
    for (const char *at = text.data; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 1 + 3 + 2 + 3);
    assert_non_null(strstr(text.data, "\"'=cmd,\"\"x\"\"\",instrument,"));
    assert_non_null(strstr(text.data, ",3,3.5,112000000,5000000,1000000,12288,\n"));
    cf_text_done(&text);
    cf_record_done(&record);
}

/* Whatever the names and numbers are: lines fit, and nothing of them reaches the terminal raw. */
static void hostile_names_stay_within_their_lines(void **state)
{
    (void)state;
    static const char *const hostile[] = {"\x1b[31mred\n", "\xff\xfe", "| a | b |", "[x](http://y) @z #1 <b>",
                                          "a-name-that-is-much-longer-than-anyone-would-have-thought-of-it"};
    static const double values[] = {1e-9, 1e-3, 12345678, 1e15, 1e300};
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        cf_record record = metric_record(metric_usual, 3, 24);
        char **const at[] = {&record.variants[2].name, &record.variants[2].prefix, &record.metric.name,
                             &record.metric.unit,      &record.metric.outputs,     &record.metric.program.items[1]};
        for (size_t k = 0; k < sizeof at / sizeof at[0]; k++) {
            free(*at[k]);
            *at[k] = cf_text_dup(hostile[i]);
        }
        metric_set(&record, 0, values[i]);
        for (int how = TEXT; how <= MARKDOWN; how++) {
            cf_text text = report(&record, (format)how);
            assert_null(strchr(text.data, '\x1b'));
            for (const char *line = text.data; how != MARKDOWN && *line; line += strcspn(line, "\n") + 1)
                if (strcspn(line, "\n") > 80)
                    fail_msg("too wide: %.*s", (int)strcspn(line, "\n"), line);
            cf_text_done(&text);
        }
        cf_record_done(&record);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_arm_is_said_in_percent_with_both_numbers),
        cmocka_unit_test(fewer_tokens_are_lowered_and_more_are_raised),
        cmocka_unit_test(a_clear_arm_is_said_with_its_interval_and_the_margin),
        cmocka_unit_test(an_arm_that_ended_says_when_and_why),
        cmocka_unit_test(an_arm_keeps_the_letters_of_its_name_at_the_beginning_of_a_sentence),
        cmocka_unit_test(few_rounds_that_scatter_are_not_said_to_scatter_for_ever),
        cmocka_unit_test(a_change_that_no_number_holds_is_said_to_be_one),
        cmocka_unit_test(a_control_unlike_itself_is_invalid_and_says_by_how_much),
        cmocka_unit_test(a_page_calls_no_number_an_overlap),
        cmocka_unit_test(a_page_shows_small_numbers_round_by_round),
        cmocka_unit_test(a_page_shows_an_arm_that_ended_in_no_later_round),
        cmocka_unit_test(a_toggled_program_is_sped_up_or_slowed_down_by_its_timing),
        cmocka_unit_test(undecided_says_how_to_go_on),
        cmocka_unit_test(no_more_rounds_are_advised_than_a_toggled_program_may_have),
        cmocka_unit_test(an_open_control_that_takes_more_rounds_is_said),
        cmocka_unit_test(a_variable_around_it_is_named),
        cmocka_unit_test(csv_has_a_row_a_number),
        cmocka_unit_test(hostile_names_stay_within_their_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
