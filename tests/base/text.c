#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"
#include "comma_locale.h"

static void shortest_is(double value, const char *expected)
{
    char buf[32];
    assert_string_equal(cf_text_shortest(value, buf, sizeof buf), expected);
}

/* Expected: what Python's repr() prints, an independent implementation of the same rule. */
static void shortest_is_what_python_prints(void **state)
{
    (void)state;
    shortest_is(16, "16.0");
    shortest_is(0, "0.0");
    shortest_is(-0.0, "-0.0");
    shortest_is(0.1, "0.1");
    shortest_is(0.1 + 0.2, "0.30000000000000004");
    shortest_is(-32.128, "-32.128");
    shortest_is(1.0 / 3, "0.3333333333333333");
    shortest_is(100, "100.0");
    shortest_is(123456.789, "123456.789");
    shortest_is(0.0001, "0.0001");
    shortest_is(0.00012345, "0.00012345");
    shortest_is(0.00001, "1e-05");
    shortest_is(1.25e-7, "1.25e-07");
    shortest_is(9007199254740993.0, "9007199254740992.0");
    shortest_is(1e15, "1000000000000000.0");
    shortest_is(1e16, "1e+16");
    shortest_is(1.7976931348623157e308, "1.7976931348623157e+308");
    shortest_is(5e-324, "5e-324");
    shortest_is(-2.2250738585072014e-308, "-2.2250738585072014e-308");
}

static void shortest_reads_back_as_the_same_bits(void **state)
{
    (void)state;
    cf_rng rng = {.state = 5};
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = cf_rng_next(&rng);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        char buf[32];
        const double back = strtod(cf_text_shortest(value, buf, sizeof buf), NULL);
        assert_memory_equal(&back, &value, sizeof value);
    }
}

/* A program that embeds the library may have set a locale with a decimal comma. */
static void numbers_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    if (!comma_locale_begin())
        skip(); /* there is none, and none can be made */
    shortest_is(0.5, "0.5");
    double value;
    assert_true(cf_text_parse_double("0.5", 0, 1, &value) && value == 0.5);
    cf_text text = {0};
    cf_text_add(&text, "%.2f", 1.25);
    assert_string_equal(text.data, "1.25");
    cf_text_done(&text);
    char *formatted = cf_text_format("%.1f", 2.5);
    assert_string_equal(formatted, "2.5");
    free(formatted);
    comma_locale_end();
}

static void text_grows_and_stays_terminated(void **state)
{
    (void)state;
    cf_text text = {0};
    for (int i = 0; i < 1000; i++)
        cf_text_add(&text, "%d,", i);
    cf_text_add_bytes(&text, "", 0);
    cf_text_add_bytes(&text, "x\0y", 3);
    assert_false(text.failed);
    assert_int_equal(text.size_bytes, 10 * 2 + 90 * 3 + 900 * 4 + 3);
    assert_int_equal(text.data[text.size_bytes], 0);
    assert_memory_equal(text.data, "0,1,2,", 6);
    cf_text_done(&text);
    assert_null(text.data);
    cf_text_done(NULL);
}

static void a_failed_text_takes_no_more(void **state)
{
    (void)state;
    cf_text text = {0};
    cf_text_add(&text, "a");
    cf_text_add_bytes(&text, "b", SIZE_MAX / 2);
    assert_true(text.failed);
    cf_text_add(&text, "c");
    assert_string_equal(text.data, "a");
    cf_text_done(&text);
}

static void whole_numbers_are_read_exactly(void **state)
{
    (void)state;
    uint64_t value = 77;
    assert_true(cf_text_parse_u64("18446744073709551615", 0, UINT64_MAX, &value));
    assert_true(value == UINT64_MAX);
    assert_true(cf_text_parse_u64("0", 0, 9, &value));
    static const char *const bad[] = {"", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "18446744073709551616", "abc"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(cf_text_parse_u64(bad[i], 0, UINT64_MAX, &value));
        assert_int_equal(value, 0);
    }
    assert_false(cf_text_parse_u64("10", 0, 9, &value));
    assert_false(cf_text_parse_u64("1", 2, 9, &value));
}

static void doubles_are_finite_and_decimal(void **state)
{
    (void)state;
    double value = 77;
    static const char *const bad[] = {"",   "nan", "inf",   "0x1p3", "1,5", ".5",   "5.",   " 1",
                                      "1 ", "1e",  "1e400", "--1",   "1f",  "1.e3", "1e+-3"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(cf_text_parse_double(bad[i], -INFINITY, INFINITY, &value));
    assert_true(value == 77);
    assert_true(cf_text_parse_double("-1.5e-3", -1, 1, &value) && value == -0.0015);
    assert_true(cf_text_parse_double("+2", 2, 2, &value) && value == 2);
    assert_false(cf_text_parse_double("2.1", 0, 2, &value));
}

static void truth_has_eight_words(void **state)
{
    (void)state;
    bool value = false;
    assert_true(cf_text_parse_bool("yes", &value) && value);
    assert_true(cf_text_parse_bool("off", &value) && !value);
    assert_true(cf_text_parse_bool("1", &value) && value);
    assert_true(cf_text_parse_bool("false", &value) && !value);
    assert_false(cf_text_parse_bool("Yes", &value));
    assert_false(cf_text_parse_bool("", &value));
}

static bool ns(const char *s, uint64_t *ret)
{
    return cf_text_parse_ns(s, UINT64_MAX, ret);
}

static void times_are_exact_whole_nanoseconds(void **state)
{
    (void)state;
    uint64_t value;
    assert_true(ns("250", &value) && value == 250);
    assert_true(ns("250ns", &value) && value == 250);
    assert_true(ns("2.5us", &value) && value == 2500);
    assert_true(ns("0.1ms", &value) && value == 100000);
    assert_true(ns("1.000000001s", &value) && value == 1000000001);
    assert_true(ns("18446744073.709551615s", &value) && value == UINT64_MAX);
    static const char *const bad[] = {
        "0.5ns", "0.0005us", "1.2345678901s", "18446744073.709551616s", "1m", "1 ms", "-1ms", "ms", "1MS", "1.ms"};
    value = 77;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(ns(bad[i], &value));
    assert_false(cf_text_parse_ns("11ns", 10, &value));
    assert_int_equal(value, 77);
}

static void sizes_are_exact_whole_bytes(void **state)
{
    (void)state;
    uint64_t value;
    assert_true(cf_text_parse_bytes("4096", UINT64_MAX, &value) && value == 4096);
    assert_true(cf_text_parse_bytes("64KiB", UINT64_MAX, &value) && value == 65536);
    assert_true(cf_text_parse_bytes("1.5MiB", UINT64_MAX, &value) && value == 1572864);
    assert_true(cf_text_parse_bytes("1GiB", UINT64_MAX, &value) && value == 1u << 30);
    assert_false(cf_text_parse_bytes("1KB", UINT64_MAX, &value));
    assert_false(cf_text_parse_bytes("0.1KiB", UINT64_MAX, &value));
    assert_false(cf_text_parse_bytes("17179869184GiB", UINT64_MAX, &value));
}

static void fractions_are_reduced(void **state)
{
    (void)state;
    uint32_t p, q;
    assert_true(cf_text_parse_fraction("0.75", &p, &q) && p == 3 && q == 4);
    assert_true(cf_text_parse_fraction("1", &p, &q) && p == 1 && q == 1);
    assert_true(cf_text_parse_fraction("1.000", &p, &q) && p == 1 && q == 1);
    assert_true(cf_text_parse_fraction("0.333333333", &p, &q) && p == 333333333 && q == 1000000000);
    assert_true(cf_text_parse_fraction("0.5000000000000", &p, &q) && p == 1 && q == 2);
    static const char *const bad[] = {"0", "0.0", "1.1", "2", "-0.5", "0.1234567891", ".5", "1/2", ""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(cf_text_parse_fraction(bad[i], &p, &q));
}

static const char *const names[] = {"count", "ns", "bytes", "depends", "submit", NULL};

static void a_misspelt_name_finds_its_neighbour(void **state)
{
    (void)state;
    assert_string_equal(cf_text_nearest(names, "cuont"), "count");
    assert_string_equal(cf_text_nearest(names, "depand"), "depends");
    assert_string_equal(cf_text_nearest(names, "submits"), "submit");
    assert_null(cf_text_nearest(names, "zebra"));
    assert_null(cf_text_nearest(names, "x"));
    assert_null(cf_text_nearest(names, ""));
    assert_null(
        cf_text_nearest(names, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    assert_int_equal(cf_text_find(names, "bytes"), 2);
    assert_int_equal(cf_text_find(names, "byte"), -1);
}

static void lists_read_like_a_sentence(void **state)
{
    (void)state;
    char buf[64];
    assert_string_equal(cf_text_list(names, buf, sizeof buf), "count, ns, bytes, depends or submit");
    assert_string_equal(cf_text_list(names + 3, buf, sizeof buf), "depends or submit");
    assert_string_equal(cf_text_list(names + 4, buf, sizeof buf), "submit");
    assert_string_equal(cf_text_list(names + 5, buf, sizeof buf), "");
    assert_string_equal(cf_text_list(names, buf, 10), "count, ns");
}

static void safe_text_moves_no_cursor(void **state)
{
    (void)state;
    char buf[64];
    assert_string_equal(cf_text_safe("a\x1b[31m\n\x7f", buf, sizeof buf), "a?[31m??");
    assert_string_equal(cf_text_safe("\xc3\xa9 \xe2\x82\xac", buf, sizeof buf), "\xc3\xa9 \xe2\x82\xac");
    assert_string_equal(cf_text_safe("\xc2\x9b"
                                     "31m",
                                     buf, sizeof buf),
                        "?31m");                                                 /* C1: CSI in one byte */
    assert_string_equal(cf_text_safe("x\xe2\x80\xaey", buf, sizeof buf), "x?y"); /* U+202E turns text around */
    assert_string_equal(cf_text_safe("\xff\xc0\xaf\xed\xa0\x80", buf, sizeof buf), "??????"); /* broken, overlong */
    assert_string_equal(cf_text_safe("abc\xe2\x82", buf, sizeof buf), "abc??");
    assert_string_equal(cf_text_safe("ab\xe2\x82\xac", buf, 5), "ab"); /* never half a character */
    assert_string_equal(cf_text_safe("abc", buf, 1), "");
}

static void columns_count_what_a_terminal_shows(void **state)
{
    (void)state;
    assert_int_equal(cf_text_columns("abc"), 3);
    assert_int_equal(cf_text_columns("\xc3\xa9"), 1);
    assert_int_equal(cf_text_columns("e\xcc\x81"), 1);
    assert_int_equal(cf_text_columns("\xe6\x97\xa5\xe6\x9c\xac"), 4);
    assert_int_equal(cf_text_columns("\xe2\x96\x88\xe2\x96\x8f"), 2); /* block elements of a bar */
    assert_int_equal(cf_text_columns(""), 0);
}

static void markdown_reads_as_it_is(void **state)
{
    (void)state;
    cf_text out = {0};
    cf_text_add_markdown(&out, "a|b *c* <i> `d` \\ ~~e~~ [f](g) $h$ &amp; 1.0");
    assert_string_equal(out.data, "a\\|b \\*c\\* \\<i\\> \\`d\\` \\\\ \\~\\~e\\~\\~ \\[f\\](g) \\$h\\$ \\&amp; 1.0");
    cf_text_done(&out);
    cf_text_add_markdown(&out, "http://x www.y @team #1"); /* a blank of no width breaks each */
    assert_string_equal(out.data, "http:\xe2\x80\x8b//x www.\xe2\x80\x8by @\xe2\x80\x8bteam \\#\xe2\x80\x8b"
                                  "1");
    cf_text_done(&out);
    cf_text_add_markdown(&out, "a\nb \x1b[m \xe2\x80\xae \xff|"); /* one line, no control, no turn, no broken byte */
    assert_string_equal(out.data, "a?b ?\\[m ? ?\\|");
    cf_text_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markdown_reads_as_it_is),
        cmocka_unit_test(shortest_is_what_python_prints),
        cmocka_unit_test(shortest_reads_back_as_the_same_bits),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(text_grows_and_stays_terminated),
        cmocka_unit_test(a_failed_text_takes_no_more),
        cmocka_unit_test(whole_numbers_are_read_exactly),
        cmocka_unit_test(doubles_are_finite_and_decimal),
        cmocka_unit_test(truth_has_eight_words),
        cmocka_unit_test(times_are_exact_whole_nanoseconds),
        cmocka_unit_test(sizes_are_exact_whole_bytes),
        cmocka_unit_test(fractions_are_reduced),
        cmocka_unit_test(a_misspelt_name_finds_its_neighbour),
        cmocka_unit_test(lists_read_like_a_sentence),
        cmocka_unit_test(safe_text_moves_no_cursor),
        cmocka_unit_test(columns_count_what_a_terminal_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
