#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/ini.h"
#include "base/text.h"

static cf_ini parse(const char *text)
{
    cf_ini ini = {0};
    cf_error err = {0};
    if (cf_ini_parse("t.ini", text, strlen(text), &ini, &err) != CF_OK)
        fail_msg("%s", err.text);
    return ini;
}

static void refuse_bytes(const char *text, size_t size_bytes, const char *start, const char *part)
{
    cf_ini ini = {0};
    cf_error err = {0};
    assert_int_equal(cf_ini_parse("t.ini", text, size_bytes, &ini, &err), CF_INPUT);
    if (strncmp(err.text, start, strlen(start)) != 0 || !strstr(err.text, part) || !strstr(err.text, "accepted"))
        fail_msg("'%s' should begin with '%s' and hold '%s'", err.text, start, part);
    assert_null(ini.items);
}

static void refuse(const char *text, const char *start, const char *part)
{
    refuse_bytes(text, strlen(text), start, part);
}

static void is(const cf_ini *ini, const char *section, const char *key, const char *value, int line)
{
    const cf_ini_item *item = cf_ini_find(ini, section, key);
    assert_non_null(item);
    assert_string_equal(item->value, value);
    assert_int_equal(item->line, line);
}

static void items_carry_section_value_and_line(void **state)
{
    (void)state;
    cf_ini ini =
        parse("top = 1\n\n[lane a] ; x\n; comment\ncount = 16 ; inline\n# other\nempty =\n[lane  b]\nns=1;x\n");
    is(&ini, "", "top", "1", 1);
    is(&ini, "lane a", "count", "16", 5);
    is(&ini, "lane a", "empty", "", 7);
    is(&ini, "lane b", "ns", "1;x", 9);
    assert_null(cf_ini_find(&ini, "lane a", "ns"));
    cf_ini_done(&ini);
}

static void headers_are_items_without_a_key(void **state)
{
    (void)state;
    cf_ini ini = parse("[noise]\n[ engine\t x ]\n");
    assert_int_equal(ini.count, 2);
    assert_null(ini.items[0].key);
    assert_string_equal(ini.items[1].section, "engine x");
    assert_int_equal(ini.items[1].line, 2);
    cf_ini_done(&ini);
}

static void an_indented_line_is_no_continuation(void **state)
{
    (void)state;
    cf_ini ini = parse("[s]\na = 1\n   b = 2\n\t[t]\n  c = 3\n");
    is(&ini, "s", "a", "1", 2);
    is(&ini, "s", "b", "2", 3);
    is(&ini, "t", "c", "3", 5);
    cf_ini_done(&ini);
}

static void byte_order_mark_and_carriage_returns_are_dropped(void **state)
{
    (void)state;
    cf_ini ini = parse("\xef\xbb\xbf[s]\r\na = 1\r\n\r\nb = two words\r");
    is(&ini, "s", "a", "1", 2);
    is(&ini, "s", "b", "two words", 4);
    cf_ini_done(&ini);
}

static void comments_may_be_of_any_length(void **state)
{
    (void)state;
    char text[1500];
    memset(text, 'x', sizeof text);
    memcpy(text, "; ", 2);
    memcpy(text + 600, "\n[s]\na = 1 ;", 12);
    memcpy(text + 1490, "\nb = 2", 7);
    cf_ini ini = parse(text);
    is(&ini, "s", "a", "1", 3);
    is(&ini, "s", "b", "2", 4);
    cf_ini_done(&ini);
}

/* inih hands the rest of a line of 199 bytes over as a line of its own: "a = xxx…b = 2" would become two settings. */
static void a_line_of_198_bytes_is_read_and_one_of_199_refused(void **state)
{
    (void)state;
    char text[256];
    memset(text, 'x', sizeof text);
    memcpy(text, "[s]\na = ", 8);
    memcpy(text + 4 + 198, "\nb = 2\n", 8);
    cf_ini ini = parse(text);
    assert_int_equal(strlen(cf_ini_find(&ini, "s", "a")->value), 194);
    is(&ini, "s", "b", "2", 3);
    cf_ini_done(&ini);
    memset(text + 8, 'x', sizeof text - 8);
    memcpy(text + 4 + 199, "\nb = 2\n", 8);
    refuse(text, "t.ini:2: ", "198 bytes");
}

static void a_name_of_49_bytes_is_read_and_one_of_50_refused(void **state)
{
    (void)state;
    char text[128];
    snprintf(text, sizeof text, "[%049d]\n%049d=1\n", 7, 8);
    cf_ini ini = parse(text);
    assert_int_equal(strlen(ini.items[0].section), 49);
    assert_int_equal(strlen(ini.items[1].key), 49);
    cf_ini_done(&ini);
    snprintf(text, sizeof text, "[%050d]\n", 7);
    refuse(text, "t.ini:1: ", "49 bytes");
    snprintf(text, sizeof text, "[s]\n%050d=1\n", 8);
    refuse(text, "t.ini:2: ", "49 bytes");
}

static void what_is_no_setting_is_refused_with_its_line(void **state)
{
    (void)state;
    refuse("[s]\nkey\n", "t.ini:2: ", "'key' is not a setting");
    refuse("[s]\nkey: 1\n", "t.ini:2: ", "'key: 1' is not a setting");
    refuse("\n\n= 1\n", "t.ini:3: ", "nothing stands before");
    refuse("[s\na = 1\n", "t.ini:1: ", "no ']'");
    refuse("[s ;]\na = 1\n", "t.ini:1: ", "no ']'");
    refuse("[]\n", "t.ini:1: ", "no name");
    refuse("[s] a = 1\n", "t.ini:1: ", "text after the header");
    refuse("a = 1\nb = \x01\n", "t.ini:2: ", "byte 0x01");
    refuse("a = 1\rb = 2\n", "t.ini:1: ", "byte 0x0d");
    refuse_bytes("a = 1\n; \0\n", 11, "t.ini:2: ", "byte 0x00");
}

static void a_key_given_twice_is_refused_even_across_headers(void **state)
{
    (void)state;
    refuse("[s]\na = 1\na = 2\n", "t.ini:3: ", "'a' was given in line 2");
    refuse("[s]\na = 1\n[t]\n[s]\na = 2\n", "t.ini:5: ", "'a' was given in line 2");
    cf_ini ini = parse("[s]\na = 1\n[t]\na = 2\n[s]\nb = 3\n");
    is(&ini, "s", "b", "3", 6);
    cf_ini_done(&ini);
}

static void too_many_settings_are_refused(void **state)
{
    (void)state;
    cf_text text = {0};
    for (int i = 0; i <= 4096; i++)
        cf_text_add(&text, "k%d = 1\n", i);
    refuse(text.data, "t.ini:4097: ", "4096");
    cf_text_done(&text);
}

static void an_empty_text_has_no_items(void **state)
{
    (void)state;
    cf_ini ini = parse("");
    assert_int_equal(ini.count, 0);
    cf_ini_done(&ini);
}

static void set_replaces_or_adds(void **state)
{
    (void)state;
    cf_ini ini = parse("[lane a]\ncount = 16\n");
    cf_error err;
    assert_int_equal(cf_ini_set(&ini, "lane.a.count= 4 ", &err), CF_OK);
    assert_int_equal(cf_ini_set(&ini, "order.submit=ba", &err), CF_OK);
    assert_int_equal(cf_ini_set(&ini, "order.when=a.b=c", &err), CF_OK);
    is(&ini, "lane a", "count", "4", 0);
    is(&ini, "order", "submit", "ba", 0);
    is(&ini, "order", "when", "a.b=c", 0);
    assert_int_equal(ini.count, 4);
    char buf[128];
    assert_string_equal(cf_ini_where(&ini, cf_ini_find(&ini, "lane a", "count"), buf, sizeof buf),
                        "--set lane.a.count: ");
    assert_string_equal(cf_ini_where(&ini, &ini.items[0], buf, sizeof buf), "t.ini:1: ");
    cf_ini_done(&ini);
}

static void set_refuses_what_no_file_could_hold(void **state)
{
    (void)state;
    static const char *const bad[] = {"",        "x",      "count=4",     "lane.a.count", ".count=4",
                                      "lane.=4", "a.b=;",  "a.b=1 ; two", "a.b=\n1",      "a.b=1\nc = 2",
                                      "a.;b=1",  "a].b=1", "a.b:c=1"};
    cf_ini ini = parse("[lane a]\ncount = 16\n");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cf_error err = {0};
        assert_int_equal(cf_ini_set(&ini, bad[i], &err), CF_INPUT);
        assert_non_null(strstr(err.text, "accepted"));
        assert_null(strchr(err.text, '\n'));
    }
    char set[300];
    memset(set, 'x', sizeof set);
    memcpy(set, "a.b=", 4);
    set[299] = 0;
    assert_int_equal(cf_ini_set(&ini, set, NULL), CF_INPUT);
    assert_int_equal(ini.count, 2);
    is(&ini, "lane a", "count", "16", 2);
    cf_ini_done(&ini);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_carry_section_value_and_line),
        cmocka_unit_test(headers_are_items_without_a_key),
        cmocka_unit_test(an_indented_line_is_no_continuation),
        cmocka_unit_test(byte_order_mark_and_carriage_returns_are_dropped),
        cmocka_unit_test(comments_may_be_of_any_length),
        cmocka_unit_test(a_line_of_198_bytes_is_read_and_one_of_199_refused),
        cmocka_unit_test(a_name_of_49_bytes_is_read_and_one_of_50_refused),
        cmocka_unit_test(what_is_no_setting_is_refused_with_its_line),
        cmocka_unit_test(a_key_given_twice_is_refused_even_across_headers),
        cmocka_unit_test(too_many_settings_are_refused),
        cmocka_unit_test(an_empty_text_has_no_items),
        cmocka_unit_test(set_replaces_or_adds),
        cmocka_unit_test(set_refuses_what_no_file_could_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
