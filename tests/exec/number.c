/* The number of a run, found in what it printed and wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "exec/number.h"

static cf_number parse(const char *text)
{
    cf_number number;
    cf_error err = {0};
    if (cf_number_parse(text, &number, &err))
        fail_msg("%s: %s", text, err.text);
    return number;
}

static void shows(const cf_numbers *numbers, const char *expected)
{
    cf_text shown = {0};
    char buf[32];
    cf_text_add(&shown, "%zu", numbers->count);
    for (size_t i = 0; i < numbers->count; i++)
        cf_text_add(&shown, " %s", cf_text_shortest(numbers->items[i], buf, sizeof buf));
    assert_string_equal(shown.data, expected);
    cf_text_done(&shown);
}

static void finds(const char *regex, const char *text, const char *expected)
{
    cf_number number = parse(regex);
    cf_number_unit unit = {{0}};
    cf_numbers numbers = {0};
    cf_error err = {0};
    if (cf_number_find_in_text(&number, text, &unit, &numbers, &err))
        fail_msg("%s: %s", text, err.text);
    shows(&numbers, expected);
    free(numbers.items);
    cf_number_done(&number);
}

static void fails(const char *regex, const char *text, const char *part)
{
    cf_number number = parse(regex);
    cf_number_unit unit = {{0}};
    cf_numbers numbers = {0};
    cf_error err = {0};
    assert_int_equal(cf_number_find_in_text(&number, text, &unit, &numbers, &err), CF_GATE);
    if (!strstr(err.text, part))
        fail_msg("%s: %s", text, err.text);
    cf_number_done(&number);
}

static void every_match_is_a_number(void **state)
{
    (void)state;
    finds("([0-9.]+) tok/s", "warm\n12.5 tok/s\n13 tok/s, 14 tok/s\n", "3 12.5 13.0 14.0");
    finds("^step: (.*)$", "step: 1\nnot step: 2\nstep: 3e-2\n", "2 1.0 0.03");
    finds("^step: (.*)$", "step: 1\nstep: 2\nstep: 3", "3 1.0 2.0 3.0");
    finds("x=(\\+?[0-9]+)", "x=+7", "1 7.0");
    finds("([0-9]+)", "no number", "0");
    finds("([0-9]+)", "", "0");
}

static void what_is_no_number_above_0_is_said(void **state)
{
    (void)state;
    fails("took (.*) s", "took long s", "'long' is no number above 0");
    fails("took (.*) s", "took 0 s", "'0' is no number above 0");
    fails("took (.*) s", "took -1 s", "'-1' is no number above 0");
    fails("took (.*) s", "took nan s", "no number above 0");
    fails("took (.*) s", "took 1,5 s", "no number above 0");
    fails("took( x)?", "took", "holds nothing");
}

/* hashcat prints 129.9 MH/s once and 87359 kH/s the next time: the numbers were compared as they stand. */
static void numbers_of_another_multiple_of_the_unit_are_not_compared(void **state)
{
    (void)state;
    fails("([0-9.]+) .H/s", "129.9 MH/s\n87359 kH/s\n", "before 'kH/s', and one before it stood before 'MH/s'");
    fails("([0-9.]+)", "1.5 s\n900 ms", "before 'ms', and one before it stood before 's'");
    fails("([0-9.]+)", "900us\n2s", "before 's'");
    fails("([0-9.]+)", "1.5G 800M", "before 'M'");
    fails("([0-9.]+)", "3 \xc2\xb5s, 5 ns", "before 'ns'");
    finds("([0-9.]+)", "1 second\n5 seconds\n2 of 3", "4 1.0 5.0 2.0 3.0");
    finds("([0-9.]+) MH/s", "129.9 MH/s\n87359 kH/s\n", "1 129.9");
    finds("([0-9]+) tok", "5 tok/s\n7 tokens\n", "2 5.0 7.0");
}

static void a_unit_is_kept_from_run_to_run(void **state)
{
    (void)state;
    cf_number number = parse("([0-9.]+) .H/s");
    cf_number_unit unit = {{0}};
    cf_numbers numbers = {0};
    cf_error err = {0};
    assert_int_equal(cf_number_find_in_text(&number, "129.9 MH/s\n", &unit, &numbers, &err), CF_OK);
    free(numbers.items);
    assert_int_equal(cf_number_find_in_text(&number, "87359 kH/s\n", &unit, &numbers, &err), CF_GATE);
    cf_number_done(&number);
}

static void an_empty_match_does_not_go_on_for_ever(void **state)
{
    (void)state;
    fails("([0-9]*)", "a1", "no number above 0");
}

static void refuses(const char *text, const char *part)
{
    cf_number number;
    cf_error err = {0};
    assert_int_equal(cf_number_parse(text, &number, &err), CF_INPUT);
    if (!strstr(err.text, part))
        fail_msg("%s: %s", text, err.text);
    cf_number_done(&number);
}

static void an_expression_has_one_group(void **state)
{
    (void)state;
    refuses("[0-9]+", "it has 0 groups");
    refuses("(a)(b)", "it has 2 groups");
    refuses("(a", "no regular expression");
    refuses("file:x", "file:PATH:KEY");
    refuses("file::k", "file:PATH:KEY");
    refuses("file:x:", "file:PATH:KEY");
}

static void words_are_no_expressions(void **state)
{
    (void)state;
    cf_number number = parse("wall");
    assert_int_equal(number.source, CF_SOURCE_WALL);
    cf_number_done(&number);
    number = parse("cpu");
    assert_int_equal(number.source, CF_SOURCE_CPU);
    assert_string_equal(cf_number_name(&number), "cpu");
    cf_number_done(&number);
    number = parse("file:a:b/c.json:x.y");
    assert_int_equal(number.source, CF_SOURCE_FILE);
    assert_string_equal(number.path, "a:b/c.json");
    assert_string_equal(number.key, "x.y");
    assert_string_equal(number.detail, "a:b/c.json:x.y");
    cf_number_done(&number);
}

static void in_file(const char *text, const char *key, const char *expected)
{
    cf_numbers numbers = {0};
    cf_error err = {0};
    if (cf_number_find_in_file("f", text, key, &numbers, &err))
        fail_msg("%s: %s", text, err.text);
    shows(&numbers, expected);
    free(numbers.items);
}

static void not_in_file(const char *text, const char *key, const char *part)
{
    cf_numbers numbers = {0};
    cf_error err = {0};
    assert_int_equal(cf_number_find_in_file("f", text, key, &numbers, &err), CF_GATE);
    if (!strstr(err.text, part))
        fail_msg("%s: %s", text, err.text);
}

static void a_file_is_json_or_lines(void **state)
{
    (void)state;
    in_file("{\"a\": {\"b\": [{\"c\": 2.5}]}}", "a.b.0.c", "1 2.5");
    in_file("{\"a.b\": 7}", "a.b", "1 7.0");
    in_file("{\"steps\": [1, 2.5, 3]}", "steps", "3 1.0 2.5 3.0");
    in_file("[5, 6]", "1", "1 6.0");
    in_file("# log\nthroughput = 12.5\r\nthroughput_max=99\n  throughput: 13\n", "throughput", "2 12.5 13.0");
    not_in_file("{\"a\": 1}", "b", "no member b");
    not_in_file("{\"a\": \"1\"}", "a", "no number above 0");
    not_in_file("{\"a\": 0}", "a", "no number above 0");
    not_in_file("{\"a\": []}", "a", "empty list");
    not_in_file("[1]", "x", "no member x");
    not_in_file("[1]", "7", "no member 7");
    not_in_file("a=1\n", "b", "no line 'b=NUMBER'");
    not_in_file("b=\n", "b", "'' is no number");
    not_in_file("", "b", "no line");
}

/* Line by line or not, the same is found. */
static void lines_end_where_they_end(void **state)
{
    (void)state;
    finds("^a=([0-9]+)$", "a=1\nba=2\na=3 \na=4", "2 1.0 4.0");
    finds("a=[[:space:]]*([0-9]+)", "a=\n1\na=2\n", "2 1.0 2.0");
    finds("a=\\s*([0-9]+)", "a=\n1\na=2\n", "2 1.0 2.0");
    finds("a\n([0-9]+)", "a\n1\na\n2\n", "2 1.0 2.0");
    finds("a([^b])c", "a\nc\na1c\n", "1 1.0");
    finds("a.*=([0-9]+)", "a\n=1\na x=2 y=3\n", "1 3.0");
    finds("x*([0-9])", "1\n\nxx2\n3", "3 1.0 2.0 3.0");
    finds("([0-9]) *\\W", "1\n2;\n", "2 1.0 2.0");
}

/* Processor time, the least of three. */
static double seconds_to_find(const char *text, size_t expected)
{
    cf_number number = parse("rate=([0-9]+)");
    double least = 1e9;
    for (int i = 0; i < 3; i++) {
        cf_numbers numbers = {0};
        cf_error err = {0};
        const clock_t begin = clock();
        cf_number_unit unit = {{0}};
        assert_int_equal(cf_number_find_in_text(&number, text, &unit, &numbers, &err), CF_OK);
        const double took = (double)(clock() - begin) / CLOCKS_PER_SEC;
        assert_int_equal(numbers.count, expected);
        least = took < least ? took : least;
        free(numbers.items);
    }
    cf_number_done(&number);
    return least;
}

/* A log of 10 MB took minutes: for every match the C library measured all of the text that was left. 16 times the text
   may take 16 times as long and not 256 times. */
static void the_time_to_look_grows_as_the_text(void **state)
{
    (void)state;
    enum { FEW = 2000, TIMES = 16 };
    cf_text few = {0}, many = {0};
    for (int i = 0; i < FEW * TIMES; i++) {
        static const char line[] = "rate=12, and the rest of a line that is as long as a log's lines usually are\n";
        cf_text_add(&many, "%s", line);
        if (i < FEW)
            cf_text_add(&few, "%s", line);
    }
    const double short_s = seconds_to_find(few.data, FEW), long_s = seconds_to_find(many.data, (size_t)FEW * TIMES);
    if (long_s > 4 * TIMES * short_s)
        fail_msg("%g s for %d lines, %g s for %d", short_s, FEW, long_s, FEW * TIMES);
    cf_text_done(&few);
    cf_text_done(&many);
}

static bool has_passed(const struct timespec *stamp)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now.tv_sec != stamp->tv_sec ? now.tv_sec > stamp->tv_sec : now.tv_nsec > stamp->tv_nsec;
}

/* Files are stamped by a clock that ticks every few ms. A program that writes the same number again within a tick was
   taken for one that writes none. */
static void a_run_begins_in_a_later_tick_than_its_file(void **state)
{
    (void)state;
    char path[] = "/tmp/confound-number-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    char *text = cf_text_format("file:%s:x", path);
    cf_number number = parse(text);
    for (int i = 0; i < 20; i++) {
        struct stat before;
        assert_int_equal(pwrite(fd, "x=1\n", 4, 0), 4);
        cf_number_before(&number, &before);
        assert_true(has_passed(&before.st_mtim));
    }
    close(fd);
    unlink(path);
    free(text);
    cf_number_done(&number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_match_is_a_number),
        cmocka_unit_test(what_is_no_number_above_0_is_said),
        cmocka_unit_test(numbers_of_another_multiple_of_the_unit_are_not_compared),
        cmocka_unit_test(a_unit_is_kept_from_run_to_run),
        cmocka_unit_test(an_empty_match_does_not_go_on_for_ever),
        cmocka_unit_test(an_expression_has_one_group),
        cmocka_unit_test(words_are_no_expressions),
        cmocka_unit_test(a_file_is_json_or_lines),
        cmocka_unit_test(lines_end_where_they_end),
        cmocka_unit_test(the_time_to_look_grows_as_the_text),
        cmocka_unit_test(a_run_begins_in_a_later_tick_than_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
