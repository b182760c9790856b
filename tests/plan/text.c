/* Markers, escapes, and what a control says about a claim. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/escape.h"
#include "plan/figure.h"
#include "plan/support.h"

#define MARKER "record=plan/evidence/r.json sha256=ab variant=none figure=ab_ms"

static const char *marker(const char *text, cf_plan_marker *ret)
{
    return cf_plan_marker_parse(text, strlen(text), ret);
}

static void a_marker_is_taken_apart(void **state)
{
    (void)state;
    cf_plan_marker m;
    assert_null(marker(" " MARKER " as-instrumented ", &m));
    assert_string_equal(m.record, "plan/evidence/r.json");
    assert_string_equal(m.sha256, "ab");
    assert_string_equal(m.variant, "none");
    assert_int_equal(m.figure, CF_PLAN_FIGURE_AB_MS);
    assert_true(m.as_instrumented);
    assert_null(marker("record=a%20b%2D-c.json sha256=1 variant=%c3%bc figure=rate", &m));
    assert_string_equal(m.record, "a b--c.json");
    assert_string_equal(m.variant, "\xc3\xbc");
}

static void a_marker_that_says_something_else_is_no_marker(void **state)
{
    (void)state;
    cf_plan_marker m;
    assert_non_null(marker("", &m));
    assert_non_null(marker("record=a sha256=b variant=c", &m));
    assert_non_null(marker(MARKER " " MARKER, &m));
    assert_non_null(marker(MARKER " why=x", &m));
    assert_non_null(marker(MARKER " instrumented", &m));
    assert_non_null(marker("record=a%2 sha256=b variant=c figure=ab_ms", &m));
    assert_non_null(marker("record=a%00b sha256=b variant=c figure=ab_ms", &m));
    assert_non_null(marker("record= sha256=b variant=c figure=ab_ms", &m));
    assert_non_null(marker("record=a sha256=b variant=c figure=speed", &m));
}

/* How many markers a line has, and where the last one begins. */
static size_t found_in(const char *line, size_t *ret_before)
{
    size_t at = 0, count = 0, bytes = 0;
    const char *inside = NULL;
    while (cf_plan_marker_next(line, strlen(line), &at, ret_before, &inside, &bytes))
        count++;
    return count;
}

static void markers_are_found_outside_of_code(void **state)
{
    (void)state;
    size_t before = 0;
    assert_int_equal(found_in("16.0 <!-- confound: x --> and 1.0 <!--confound:y-->", &before), 2);
    assert_int_equal(before, 34);
    assert_int_equal(found_in("`<!-- confound: x -->`", &before), 0);
    assert_int_equal(found_in("``a ` <!-- confound: x -->`` 2 <!-- confound: y -->", &before), 1);
    assert_int_equal(found_in("\\` 2 <!-- confound: y --> `", &before), 1);
    assert_int_equal(found_in("` 2 <!-- confound: y -->", &before), 1);
    assert_int_equal(found_in("<!-- confounded: x --> <!-- other -->", &before), 0);
    assert_int_equal(found_in("<!-- confound: never ends", &before), 1);
}

static const char *markdown(const char *s, cf_text *out)
{
    cf_text_done(out);
    cf_plan_add_markdown(out, s);
    assert_false(out->failed);
    return out->data ? out->data : "";
}

static void markdown_reads_as_it_is(void **state)
{
    (void)state;
    cf_text out = {0};
    assert_string_equal(markdown("plain text, 1.0", &out), "plain text, 1.0");
    assert_string_equal(markdown("a|b *c* <script> ~~d~~ `e`", &out),
                        "a\\|b \\*c\\* \\<script\\> \\~\\~d\\~\\~ \\`e\\`");
    assert_string_equal(markdown("x\ny\x1b[31m", &out), "x y?\\[31m");
    assert_null(strstr(markdown("http://evil www.evil @team #12", &out), "http://"));
    assert_null(strstr(out.data, "@team"));
    assert_string_equal(markdown("![i](u)", &out), "!\\[i\\](u)");
    assert_string_not_equal(markdown("- item", &out), "- item");
    cf_text_done(&out);
}

static void annotations_stay_in_their_line(void **state)
{
    (void)state;
    cf_text out = {0};
    cf_plan_add_github(&out, "a:b,c%d\n::error::x", true);
    assert_string_equal(out.data, "a%3Ab%2Cc%25d %3A%3Aerror%3A%3Ax");
    cf_text_done(&out);
    cf_plan_add_github(&out, "50 %: a, b\r\n", false);
    assert_string_equal(out.data, "50 %25: a, b  ");
    cf_text_done(&out);
}

static void a_path_survives_its_encoding(void **state)
{
    (void)state;
    static const char *const paths[] = {"plan/evidence/a b.json", "x-->y", "--", "%2D", "\xc3\xbc\n", "a\"b'c"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        cf_text out = {0};
        cf_plan_add_encoded(&out, paths[i]);
        assert_null(strstr(out.data, "--"));
        assert_int_equal(strcspn(out.data, " \n\"'<>"), strlen(out.data));
        assert_true(cf_plan_decode(out.data));
        assert_string_equal(out.data, paths[i]);
        cf_text_done(&out);
    }
}

static void a_control_agrees_contradicts_or_says_neither(void **state)
{
    (void)state;
    static const struct {
        cf_plan_verdict verdict, control;
        cf_plan_answer answer;
    } rows[] = {
        {CF_READING_SERIALISES, CF_READING_SERIALISES, CF_PLAN_AGREES},
        {CF_READING_OVERLAPS, CF_READING_OVERLAPS, CF_PLAN_AGREES},
        {CF_READING_HOST_BOUND, CF_READING_HOST_BOUND, CF_PLAN_AGREES},
        {CF_READING_SERIALISES, CF_READING_PARTIAL, CF_PLAN_CONTRADICTS},
        {CF_READING_SERIALISES, CF_READING_OVERLAPS, CF_PLAN_CONTRADICTS},
        {CF_READING_INCONCLUSIVE, CF_READING_OVERLAPS, CF_PLAN_CONTRADICTS},
        {CF_READING_SERIALISES, CF_READING_INCONCLUSIVE, CF_PLAN_SAYS_NEITHER},
        {CF_READING_SERIALISES, CF_READING_HOST_BOUND, CF_PLAN_SAYS_NEITHER},
        {CF_READING_SERIALISES, CF_READING_ILL_CONDITIONED, CF_PLAN_SAYS_NEITHER},
        {CF_READING_INCONCLUSIVE, CF_READING_INCONCLUSIVE, CF_PLAN_SAYS_NEITHER},
        {CF_READING_ILL_CONDITIONED, CF_READING_ILL_CONDITIONED, CF_PLAN_SAYS_NEITHER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(cf_plan_answer_of(rows[i].verdict, rows[i].control), rows[i].answer);
}

static void every_rule_has_an_id_of_its_own_and_a_reason(void **state)
{
    (void)state;
    for (int i = 0; i < CF_PLAN_RULE_COUNT; i++) {
        const char *id = cf_plan_rule_id((cf_plan_rule)i);
        assert_int_equal(strspn(id, "abcdefghijklmnopqrstuvwxyz-"), strlen(id));
        assert_non_null(strchr(cf_plan_rule_reason((cf_plan_rule)i), ' '));
        assert_null(strchr(cf_plan_rule_reason((cf_plan_rule)i), '\n'));
        for (int k = 0; k < i; k++)
            assert_string_not_equal(id, cf_plan_rule_id((cf_plan_rule)k));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_marker_is_taken_apart),
        cmocka_unit_test(a_marker_that_says_something_else_is_no_marker),
        cmocka_unit_test(markers_are_found_outside_of_code),
        cmocka_unit_test(markdown_reads_as_it_is),
        cmocka_unit_test(annotations_stay_in_their_line),
        cmocka_unit_test(a_path_survives_its_encoding),
        cmocka_unit_test(a_control_agrees_contradicts_or_says_neither),
        cmocka_unit_test(every_rule_has_an_id_of_its_own_and_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
