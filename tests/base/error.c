#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/error.h"

static void an_error_is_one_line(void **state)
{
    (void)state;
    cf_error err = {0};
    assert_int_equal(cf_error_set(&err, CF_INPUT, "a\n%s\t%d", "\x1b[2J", 7), CF_INPUT);
    assert_int_equal(err.status, CF_INPUT);
    assert_string_equal(err.text, "a??[2J?7");
    assert_string_equal(err.call, "");
}

static void a_call_carries_its_native_code(void **state)
{
    (void)state;
    cf_error err = {0};
    assert_int_equal(cf_error_set_call(&err, CF_DEVICE, "zeInit", -5, "no driver"), CF_DEVICE);
    assert_string_equal(err.call, "zeInit");
    assert_true(err.native == -5);
    assert_int_equal(cf_error_set(&err, CF_IO, "later"), CF_IO);
    assert_string_equal(err.call, "");
    assert_true(err.native == 0);
}

static void a_prefix_stands_before_the_text(void **state)
{
    (void)state;
    cf_error err = {0};
    (void)cf_error_set(&err, CF_IO, "gone");
    assert_int_equal(cf_error_prefix(&err, "%s:%d", "f", 3), CF_IO);
    assert_string_equal(err.text, "f:3: gone");
}

static void an_errors_own_text_may_be_an_argument(void **state)
{
    (void)state;
    cf_error err = {0};
    (void)cf_error_set(&err, CF_IO, "inner");
    (void)cf_error_set(&err, CF_INPUT, "outer: %s", err.text);
    assert_string_equal(err.text, "outer: inner");
}

static void long_text_is_cut_between_characters(void **state)
{
    (void)state;
    cf_error err = {0};
    char text[2000] = "x";
    for (size_t i = 1; i + 3 < sizeof text; i += 3)
        memcpy(text + i, "\xe2\x82\xac", 4);
    (void)cf_error_set(&err, CF_IO, "%s", text);
    assert_int_equal(strlen(err.text), 766);
    (void)cf_error_prefix(&err, "pp");
    assert_int_equal(strlen(err.text) % 3, 2);
    assert_null(strchr(err.text, '?'));
}

static void no_error_is_wanted_sometimes(void **state)
{
    (void)state;
    assert_int_equal(cf_error_set(NULL, CF_GATE, "x"), CF_GATE);
    assert_int_equal(cf_error_set_call(NULL, CF_DEVICE, "c", 1, "x"), CF_DEVICE);
    assert_int_equal(cf_error_prefix(NULL, "x"), CF_OK);
}

static void each_status_has_its_exit_status(void **state)
{
    (void)state;
    static const int exits[CF_STATUS_COUNT] = {0, 1, 2, 2, 3, 4, 4, 5, 5, 130};
    for (int i = 0; i < CF_STATUS_COUNT; i++)
        assert_int_equal(cf_status_exit((cf_status)i), exits[i]);
    assert_string_equal(cf_status_name(CF_NO_DEVICE), "NO_DEVICE");
    assert_string_equal(cf_status_meaning(CF_CANCELLED), "stopped by the user");
    assert_string_equal(cf_status_name((cf_status)99), "?");
    assert_int_equal(cf_status_exit((cf_status)-1), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_is_one_line),
        cmocka_unit_test(a_call_carries_its_native_code),
        cmocka_unit_test(a_prefix_stands_before_the_text),
        cmocka_unit_test(an_errors_own_text_may_be_an_argument),
        cmocka_unit_test(long_text_is_cut_between_characters),
        cmocka_unit_test(no_error_is_wanted_sometimes),
        cmocka_unit_test(each_status_has_its_exit_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
