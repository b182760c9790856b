/* Command lines taken apart without a shell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "exec/arm.h"
#include "exec/words.h"

static void splits(const char *text, const char *expected)
{
    cf_strings words = {0};
    cf_text shown = {0};
    cf_error err = {0};
    if (cf_words_split("x", text, &words, &err))
        fail_msg("%s: %s", text, err.text);
    cf_text_add(&shown, "%zu", words.count);
    for (size_t i = 0; i < words.count; i++)
        cf_text_add(&shown, "[%s]", words.items[i]);
    assert_string_equal(shown.data, expected);
    cf_words_done(&words);
    cf_text_done(&shown);
}

static void words_are_split_as_a_shell_would(void **state)
{
    (void)state;
    splits("", "0");
    splits(" \t\n ", "0");
    splits("nsys profile -t cuda -o /dev/null --", "7[nsys][profile][-t][cuda][-o][/dev/null][--]");
    splits("a 'b c' \"d e\" f\\ g", "4[a][b c][d e][f g]");
    splits("a''b \"\" ''", "3[ab][][]");
    splits("\"a\\\"b\\\\c\\d\" 'x\\y'", "2[a\"b\\c\\d][x\\y]");
    splits("sh -c 'sleep 1; exec \"$@\"' sh", "4[sh][-c][sleep 1; exec \"$@\"][sh]");
    splits("\"\\$HOME\" \\$x \\| a*b ~ #c", "6[$HOME][$x][|][a*b][~][#c]");
    splits("A=1 B='x y' z", "3[A=1][B=x y][z]");
}

static void refuses(const char *text, const char *part)
{
    cf_strings words = {0};
    cf_error err = {0};
    assert_int_equal(cf_words_split("slow", text, &words, &err), CF_INPUT);
    if (!strstr(err.text, part) || strncmp(err.text, "slow: ", 6) != 0)
        fail_msg("%s: %s", text, err.text);
}

static void what_only_a_shell_can_do_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"a | b", "a > b", "a; b",   "a && b", "$HOME/x",
                                        "`a`",   "(a)",   "\"$x\"", "\"`x`\""};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        refuses(texts[i], "sh -c");
    refuses("a 'b", "quote ' does not end");
    refuses("a \"b", "quote \" does not end");
    refuses("a \\", "backslash");
}

static void joined_words_split_into_the_same(void **state)
{
    (void)state;
    char *items[] = {(char[]){"a b"}, (char[]){""}, (char[]){"it's"}, (char[]){"$x|\"\\"}, (char[]){"plain-1.2/x"}};
    const cf_strings words = {.items = items, .count = 5};
    cf_text line = {0};
    cf_strings again = {0};
    cf_words_join(&words, &line);
    assert_string_equal(line.data, "'a b' '' 'it'\\''s' '$x|\"\\' plain-1.2/x");
    assert_int_equal(cf_words_split("x", line.data, &again, NULL), CF_OK);
    assert_int_equal(again.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(again.items[i], items[i]);
    cf_words_done(&again);
    cf_text_done(&line);
}

/* ---- arms ---- */

static char *program_items[] = {(char[]){"./p"}, (char[]){"-v"}};
static const cf_strings program = {.items = program_items, .count = 2};

static void an_arm_sets_variables_and_stands_before_the_program(void **state)
{
    (void)state;
    char *given[] = {(char[]){"none="}, (char[]){"both=X=1 Y='a b' nice -n 3"}, (char[]){"only-set=Z="},
                     (char[]){"odd=1X=2"}};
    cf_arms arms;
    cf_error err = {0};
    if (cf_arms_read(given, 4, &program, &arms, &err))
        fail_msg("%s", err.text);
    assert_int_equal(arms.count, 5);
    assert_string_equal(arms.items[0].name, "none");
    assert_string_equal(arms.items[1].name, "none-again");
    assert_null(arms.items[0].prefix);
    assert_int_equal(arms.items[0].command.count, 2);
    const cf_arm *both = &arms.items[2];
    assert_string_equal(both->name, "both");
    assert_int_equal(both->sets.count, 2);
    assert_string_equal(both->sets.items[1], "Y=a b");
    assert_int_equal(both->command.count, 5);
    assert_string_equal(both->command.items[0], "nice");
    assert_string_equal(both->command.items[4], "-v");
    assert_int_equal(arms.items[3].sets.count, 1);
    assert_int_equal(arms.items[3].command.count, 2);
    assert_int_equal(arms.items[4].sets.count, 0); /* no variable begins with a digit: it is a command */
    cf_arms_done(&arms);
}

static void refuses_arms(const char *first, const char *second, const char *part)
{
    char *given[] = {cf_text_dup(first), cf_text_dup(second ? second : "")};
    cf_arms arms;
    cf_error err = {0};
    assert_int_equal(cf_arms_read(given, second ? 2 : 1, &program, &arms, &err), CF_INPUT);
    if (!strstr(err.text, part))
        fail_msg("%s: %s", first, err.text);
    cf_arms_done(&arms);
    free(given[0]);
    free(given[1]);
}

static void an_arm_that_is_none_is_refused(void **state)
{
    (void)state;
    refuses_arms("nsys", NULL, "NAME=PREFIX is accepted");
    refuses_arms("=x", NULL, "NAME=PREFIX is accepted");
    refuses_arms("../x=y", NULL, "NAME=PREFIX is accepted");
    refuses_arms("a b=y", NULL, "NAME=PREFIX is accepted");
    refuses_arms("-x=y", NULL, "NAME=PREFIX is accepted");
    refuses_arms("a-name-that-is-longer-than-forty-characters=y", NULL, "NAME=PREFIX is accepted");
    refuses_arms("x=", NULL, "nothing stands behind");
    refuses_arms("x=  ", NULL, "nothing stands behind");
    refuses_arms("none=env", NULL, "none is the program as it is");
    refuses_arms("none-again=env", NULL, "there is an arm of that name");
    refuses_arms("x=env", "x=nice", "there is an arm of that name");
    refuses_arms("none=", NULL, "an arm is missing");
    refuses_arms("x=a | b", NULL, "sh -c");
}

static void too_many_arms_are_refused(void **state)
{
    (void)state;
    char *given[CF_MAX_VARIANTS];
    cf_arms arms;
    cf_error err = {0};
    for (int i = 0; i < CF_MAX_VARIANTS; i++)
        given[i] = cf_text_format("a%d=env", i);
    assert_int_equal(cf_arms_read(given, CF_MAX_VARIANTS, &program, &arms, &err), CF_INPUT);
    assert_non_null(strstr(err.text, "at most 30 arms"));
    cf_arms_done(&arms);
    for (int i = 0; i < CF_MAX_VARIANTS; i++)
        free(given[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_split_as_a_shell_would),
        cmocka_unit_test(what_only_a_shell_can_do_is_refused),
        cmocka_unit_test(joined_words_split_into_the_same),
        cmocka_unit_test(an_arm_sets_variables_and_stands_before_the_program),
        cmocka_unit_test(an_arm_that_is_none_is_refused),
        cmocka_unit_test(too_many_arms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
