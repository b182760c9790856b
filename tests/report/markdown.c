/* The Markdown report: what it holds, and that no string of a record becomes markup. */
#include "report/fixture.h"

static void it_holds_verdict_table_and_chart(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    char *text = printed(&f, cf_report_markdown, ASCII_STYLE);
    assert_contains(text, "### confound: confounded\n\nTiming events are the serialisation: they remove 0.92 "
                          "\\[0.90, 0.94\\] of overlap;");
    assert_contains(text, "| timing | 16.064 | 16.064 | 30.842 | 14.778 | 0.08 [0.07, 0.09] | serialises | "
                          "**CONFOUNDED** |\n");
    assert_contains(text, "one-queue        ████████████████████████████████████████ 32.000 ms\n");
    assert_contains(text, "none             ████████████████████░░░░░░░░░░░░░░░░░░░░ 16.000 ms\n");
    assert_contains(text, "- **Record** RECORD.json\n");
    assert_contains(text, "Simulated: a self-test.");
    free(text);
    end(&f);
}

static void a_hostile_name_is_text_and_nothing_else(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    set_string(&f.record.variants[3].name, "a|b`c`<img>@you #12 **x**");
    set_string(&f.record.device_name, "[x](http://e.x) www.e.x");
    char *text = printed(&f, cf_report_markdown, ASCII_STYLE);
    assert_contains(text, "| a\\|b\\`c\\`\\<img\\>@\u200byou \\#\u200b12 \\*\\*x\\*\\* |");
    assert_contains(text, "\\[x\\](http:\u200b//e.x) www.\u200be.x");
    free(text);
    end(&f);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

static void a_name_can_not_end_the_chart(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    set_string(&f.record.variants[3].name, "```\n```");
    char *text = printed(&f, cf_report_markdown, ASCII_STYLE);
    assert_int_equal(count_of(text, "\n```"), 2);
    free(text);
    end(&f);
}

static void a_sentence_that_begins_like_a_list_is_no_list(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    set_string(&f.record.variants[3].name, "- x");
    char *text = printed(&f, cf_report_markdown, ASCII_STYLE);
    assert_contains(text, "\n\u200b- x is the serialisation");
    free(text);
    end(&f);
}

static void a_row_of_the_table_has_eight_cells_whatever_the_name(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    set_string(&f.record.variants[3].name, "||||\\|");
    char *text = printed(&f, cf_report_markdown, ASCII_STYLE);
    for (const char *line = strstr(text, "| variant"); line && *line == '|'; line = strchr(line, '\n') + 1) {
        int bars = 0;
        for (const char *at = line; *at != '\n'; at++) {
            if (*at == '\\')
                at++;
            else
                bars += *at == '|';
        }
        assert_int_equal(bars, 9);
    }
    free(text);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_holds_verdict_table_and_chart),
        cmocka_unit_test(a_hostile_name_is_text_and_nothing_else),
        cmocka_unit_test(a_name_can_not_end_the_chart),
        cmocka_unit_test(a_sentence_that_begins_like_a_list_is_no_list),
        cmocka_unit_test(a_row_of_the_table_has_eight_cells_whatever_the_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
