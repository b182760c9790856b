/* Words into lines. */
#include "report/fixture.h"

#include "report/wrap.h"

static void assert_wraps(const char *before, const char *text, int columns, int first, int rest, const char *expected)
{
    cf_text out = {0};
    cf_report_wrap(&out, before, text, columns, first, rest);
    assert_string_equal(out.data, expected);
    cf_text_done(&out);
}

static void lines_break_at_blanks_and_no_later_than_the_last_column(void **state)
{
    (void)state;
    assert_wraps(NULL, "one two three", 7, 0, 0, "one two\nthree\n");
    assert_wraps(NULL, "one two three", 6, 0, 0, "one\ntwo\nthree\n");
    assert_wraps(NULL, "one two", 7, 0, 2, "one two\n");
    assert_wraps(NULL, "", 7, 0, 2, "\n");
}

static void a_label_stands_before_and_the_rest_is_indented(void **state)
{
    (void)state;
    assert_wraps("-q", "one two three", 12, 4, 4, "-q  one two\n    three\n");
    assert_wraps("--long", "one two", 12, 4, 4, "--long\n    one two\n");
}

static void paragraphs_stay_apart(void **state)
{
    (void)state;
    assert_wraps(NULL, "one two\nthree four", 9, 0, 1, "one two\nthree\n four\n");
}

static void a_word_longer_than_a_line_is_cut(void **state)
{
    (void)state;
    assert_wraps(NULL, "abcdefghij", 4, 0, 1, "abcd\n efg\n hij\n");
    assert_wraps(NULL, "x abcdef", 4, 0, 0, "x\nabcd\nef\n");
}

static void wide_and_combining_characters_count_as_a_terminal_counts_them(void **state)
{
    (void)state;
    assert_wraps(NULL, "\u8a08\u6e2c \u5668", 5, 0, 0, "\u8a08\u6e2c\n\u5668\n");
    assert_wraps(NULL, "e\u0301e\u0301 e\u0301", 4, 0, 0, "e\u0301e\u0301 e\u0301\n");
    assert_wraps(NULL, "\u8a08\u6e2c\u5668", 3, 0, 0, "\u8a08\n\u6e2c\n\u5668\n");
}

static void a_cell_is_padded_or_cut_to_its_columns(void **state)
{
    (void)state;
    static const struct {
        const char *s;
        size_t columns;
        bool utf8;
        const char *expected;
    } cases[] = {
        {"ab", 4, true, "ab  "},
        {"abcd", 4, true, "abcd"},
        {"abcde", 4, true, "abc\u2026"},
        {"abcde", 4, false, "abc~"},
        {"\u8a08\u6e2c\u5668", 4, true, "\u8a08\u2026 "},
        {"e\u0301e\u0301", 2, true, "e\u0301e\u0301"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cf_text out = {0};
        cf_report_cell(&out, cases[i].s, cases[i].columns, cases[i].utf8);
        assert_string_equal(out.data, cases[i].expected);
        cf_text_done(&out);
    }
}

static void ascii_keeps_what_can_be_kept(void **state)
{
    (void)state;
    char buf[32], small[4];
    assert_string_equal(cf_report_ascii("a\u2013b \u201cc\u201d \u8a08\xff", buf, sizeof buf), "a-b \"c\" ??");
    assert_string_equal(cf_report_ascii("abcdef", small, sizeof small), "abc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_break_at_blanks_and_no_later_than_the_last_column),
        cmocka_unit_test(a_label_stands_before_and_the_rest_is_indented),
        cmocka_unit_test(paragraphs_stay_apart),
        cmocka_unit_test(a_word_longer_than_a_line_is_cut),
        cmocka_unit_test(wide_and_combining_characters_count_as_a_terminal_counts_them),
        cmocka_unit_test(a_cell_is_padded_or_cut_to_its_columns),
        cmocka_unit_test(ascii_keeps_what_can_be_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
