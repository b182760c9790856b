#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/json_out.h"

static void is(cf_text *text, const char *expected)
{
    assert_false(text->failed);
    assert_string_equal(text->data, expected);
    cf_text_done(text);
}

static void containers_are_indented_and_compact_ones_are_on_a_line(void **state)
{
    (void)state;
    cf_text text = {0};
    cf_json json = {.out = &text};
    cf_json_object_begin(&json, NULL, false);
    cf_json_string(&json, "name", "x");
    cf_json_array_begin(&json, "pair", true);
    cf_json_double(&json, NULL, 16);
    cf_json_object_begin(&json, NULL, false); /* inside a compact one all is compact */
    cf_json_int(&json, "k", -3);
    cf_json_null(&json, "n");
    cf_json_object_end(&json);
    cf_json_array_end(&json);
    cf_json_array_begin(&json, "list", false);
    cf_json_uint(&json, NULL, UINT64_MAX);
    cf_json_bool(&json, NULL, true);
    cf_json_array_end(&json);
    cf_json_array_begin(&json, "empty", false);
    cf_json_array_end(&json);
    cf_json_object_begin(&json, "none", true);
    cf_json_object_end(&json);
    cf_json_bool(&json, "last", false);
    cf_json_object_end(&json);
    is(&text, "{\n  \"name\": \"x\",\n  \"pair\": [16.0, {\"k\": -3, \"n\": null}],\n  \"list\": [\n    "
              "18446744073709551615,\n    true\n  ],\n  \"empty\": [],\n  \"none\": {},\n  \"last\": false\n}\n");
}

static void strings_are_escaped_and_mended(void **state)
{
    (void)state;
    cf_text text = {0};
    cf_json json = {.out = &text};
    cf_json_array_begin(&json, NULL, true);
    cf_json_string(&json, NULL, "\"\\/\b\f\n\r\t\x01\x1f\x7f");
    cf_json_string(&json, NULL, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    cf_json_string(&json, NULL, "a\xff\xe2\x82z\xed\xa0\x80");
    cf_json_string(&json, NULL, NULL);
    cf_json_array_end(&json);
    is(&text, "[\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\", \"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\", "
              "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\", null]\n");
}

static void what_json_cannot_say_is_null(void **state)
{
    (void)state;
    cf_text text = {0};
    cf_json json = {.out = &text};
    cf_json_array_begin(&json, NULL, true);
    cf_json_double(&json, NULL, (double)NAN);
    cf_json_double(&json, NULL, -(double)INFINITY);
    cf_json_double(&json, NULL, 0.1);
    cf_json_int(&json, NULL, INT64_MIN);
    cf_json_array_end(&json);
    is(&text, "[null, null, 0.1, -9223372036854775808]\n");
}

static void too_deep_a_nesting_fails_and_breaks_nothing(void **state)
{
    (void)state;
    cf_text text = {0};
    cf_json json = {.out = &text};
    for (int i = 0; i < CF_JSON_DEPTH + 5; i++)
        cf_json_array_begin(&json, NULL, i % 2 != 0);
    assert_true(text.failed);
    for (int i = 0; i < CF_JSON_DEPTH + 6; i++)
        cf_json_array_end(&json);
    assert_int_equal(json.depth, 0);
    cf_text_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(containers_are_indented_and_compact_ones_are_on_a_line),
        cmocka_unit_test(strings_are_escaped_and_mended),
        cmocka_unit_test(what_json_cannot_say_is_null),
        cmocka_unit_test(too_deep_a_nesting_fails_and_breaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
