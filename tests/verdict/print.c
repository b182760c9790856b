#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/file.h"
#include "verdict/made.h"

static const made_variant usual[] = {MADE_NONE, MADE_AGAIN, MADE_SYNC, MADE_TIMING, MADE_ONE_QUEUE};

static char *print(const cf_record *record, const char *sha256_hex)
{
    cf_judgement judgement;
    cf_error err = {0};
    cf_text text = {0};
    assert_int_equal(cf_judge(record, sha256_hex, NULL, &judgement, &err), CF_OK);
    assert_int_equal(cf_judgement_print(record, &judgement, &text, &err), CF_OK);
    cf_judgement_done(&judgement);
    return text.data;
}

static json_t *print_and_parse(const cf_record *record, const char *sha256_hex)
{
    json_error_t error;
    char *text = print(record, sha256_hex);
    json_t *parsed = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!parsed)
        fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return parsed;
}

static json_t *get(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!value)
        fail_msg("no \"%s\"", key);
    return value;
}

static json_t *variant_named(json_t *judgement, const char *name)
{
    json_t *variant;
    size_t i;
    json_array_foreach(get(judgement, "variants"), i, variant)
    {
        if (strcmp(json_string_value(get(variant, "name")), name) == 0)
            return variant;
    }
    fail_msg("no variant %s", name);
    return NULL;
}

static void assert_number(json_t *value, double expected)
{
    assert_true(json_is_real(value));
    assert_true(json_real_value(value) == expected);
}

static void assert_text(json_t *value, const char *expected)
{
    assert_true(json_is_string(value));
    assert_string_equal(json_string_value(value), expected);
}

static void assert_pair(json_t *value, double low, double high)
{
    assert_int_equal(json_array_size(value), 2);
    assert_number(json_array_get(value, 0), low);
    assert_number(json_array_get(value, 1), high);
}

static void the_head_is_that_of_the_contract(void **state)
{
    (void)state;
    cf_record record = made_record(usual, MADE_COUNT(usual), 24);
    record.simulated = true;
    char hash[65];
    memset(hash, 'a', 64);
    hash[64] = 0;
    json_t *judgement = print_and_parse(&record, hash);
    assert_text(get(judgement, "schema"), "confound.judgement/1");
    assert_int_equal(strlen(json_string_value(get(judgement, "record"))), strlen("sha256:") + 64);
    assert_text(get(judgement, "verdict"), "confounded");
    assert_true(json_is_true(get(judgement, "valid")));
    assert_int_equal(json_array_size(get(judgement, "invalid_because")), 0);
    assert_true(json_is_array(get(judgement, "invalid_because")));
    assert_true(json_is_true(get(judgement, "simulated")));
    assert_text(get(judgement, "design"), "within");
    assert_int_equal(json_integer_value(get(judgement, "rounds")), 24);
    assert_number(get(judgement, "best"), 1);
    assert_number(get(judgement, "balance"), 0.8);
    json_t *settings = get(judgement, "settings");
    assert_number(get(settings, "margin"), 0.1);
    assert_number(get(settings, "alpha"), 0.01);
    assert_int_equal(json_integer_value(get(settings, "min_rounds")), record.min_rounds);
    assert_int_equal(json_integer_value(get(settings, "max_rounds")), record.max_rounds);
    assert_true(json_is_false(get(judgement, "sticky")));
    assert_text(get(judgement, "scope"), "holds for this process, device and driver");
    assert_true(json_is_null(get(judgement, "against")));
    assert_true(json_is_null(get(judgement, "more_rounds")));
    json_decref(judgement);
    cf_record_done(&record);
}

static void a_variant_is_that_of_the_contract(void **state)
{
    (void)state;
    cf_record record = made_record(usual, MADE_COUNT(usual), 24);
    json_t *judgement = print_and_parse(&record, NULL), *timing = variant_named(judgement, "timing");
    assert_text(get(timing, "role"), "instrument");
    assert_true(json_is_true(get(timing, "armed")));
    assert_true(json_is_true(get(timing, "reference_ok")));
    assert_true(json_is_array(get(timing, "because")));
    assert_number(get(timing, "a_ms"), 16);
    assert_number(get(timing, "b_ms"), 20);
    assert_number(get(timing, "ab_ms"), 36);
    assert_number(get(timing, "submit_ms"), 0.1);
    assert_number(get(timing, "exposed_ms"), 16);
    assert_number(get(get(timing, "overlap"), "median"), 0);
    assert_pair(get(get(timing, "overlap"), "ci95"), 0, 0);
    assert_text(get(timing, "reading"), "serialises");
    json_t *effect = get(timing, "effect");
    assert_text(get(effect, "verdict"), "confounded");
    assert_text(get(effect, "direction"), "removes");
    assert_true(json_is_true(get(effect, "flips")));
    assert_true(json_is_true(get(effect, "slows")));
    assert_true(json_is_true(get(effect, "measurable")));
    assert_number(get(get(effect, "delta"), "median"), -1);
    assert_pair(get(get(effect, "delta"), "ci95"), -1, -1);
    assert_int_equal(json_integer_value(get(effect, "decided_at")), 12);
    assert_number(get(get(timing, "slowdown"), "a"), 1);
    assert_number(get(get(timing, "slowdown"), "b"), 1);
    assert_number(get(get(timing, "slowdown"), "ab"), 1.8);
    json_decref(judgement);
    cf_record_done(&record);
}

static void what_is_absent_is_null(void **state)
{
    (void)state;
    cf_record record = made_record(usual, MADE_COUNT(usual), 4);
    json_t *judgement = print_and_parse(&record, NULL), *none = variant_named(judgement, "none");
    assert_true(json_is_null(get(judgement, "record")));
    assert_true(json_is_null(get(none, "seen")));
    assert_true(json_is_null(get(none, "effect")));
    assert_true(json_is_null(get(none, "reading_at")));
    json_t *ends = get(get(none, "overlap"), "ci95"); /* infinite: four rounds bound nothing */
    assert_true(json_is_null(json_array_get(ends, 0)) && json_is_null(json_array_get(ends, 1)));
    json_t *effect = get(variant_named(judgement, "timing"), "effect");
    assert_true(json_is_null(get(effect, "direction")));
    assert_true(json_is_null(get(effect, "decided_at")));
    json_decref(judgement);
    cf_record_done(&record);
}

static void a_record_without_rounds_has_no_numbers(void **state)
{
    (void)state;
    cf_record record = made_record(usual, MADE_COUNT(usual), 0);
    json_t *judgement = print_and_parse(&record, NULL), *none = variant_named(judgement, "none");
    assert_true(json_is_null(get(judgement, "best")));
    assert_true(json_is_null(get(judgement, "balance")));
    assert_true(json_is_null(get(none, "a_ms")));
    assert_true(json_is_null(get(none, "overlap")));
    assert_true(json_is_null(get(get(none, "slowdown"), "ab")));
    json_decref(judgement);
    cf_record_done(&record);
}

static void armed_has_three_values(void **state)
{
    (void)state;
    cf_record record = made_record(usual, MADE_COUNT(usual), 12);
    record.variants[3].armed = CF_ARMED_NOTHING;
    json_t *judgement = print_and_parse(&record, NULL);
    assert_true(json_is_false(get(variant_named(judgement, "none"), "armed")));
    assert_true(json_is_true(get(variant_named(judgement, "sync"), "armed")));
    assert_true(json_is_null(get(variant_named(judgement, "timing"), "armed")));
    json_decref(judgement);
    cf_record_done(&record);
}

static void an_invalid_record_says_why(void **state)
{
    (void)state;
    cf_record record = made_record(usual, MADE_COUNT(usual), 12);
    record.data_check = CF_DATA_WRONG;
    json_t *judgement = print_and_parse(&record, NULL);
    assert_text(get(judgement, "verdict"), "invalid");
    assert_true(json_is_false(get(judgement, "valid")));
    assert_text(json_array_get(get(judgement, "invalid_because"), 0), "data-wrong");
    json_decref(judgement);
    cf_record_done(&record);
}

static void two_designs_are_compared_by_name(void **state)
{
    (void)state;
    const made_variant variants[] = {MADE_NONE, MADE_AGAIN, MADE_ONE_QUEUE, {"deferred", CF_ROLE_DESIGN, 16, 12, 16}};
    cf_record record = made_record(variants, MADE_COUNT(variants), 12);
    record.variants[3].job = 1;
    made_job(&record.against, "deferred.ini");
    json_t *judgement = print_and_parse(&record, NULL), *against = get(judgement, "against");
    assert_text(get(against, "job"), "made");
    assert_text(get(against, "against"), "deferred.ini");
    assert_text(get(against, "variant"), "deferred");
    assert_text(get(against, "verdict"), "faster");
    assert_text(get(against, "exposed_verdict"), "same");
    assert_number(get(get(against, "ab_change"), "median"), -0.2);
    assert_pair(get(against, "ab_ms"), 20, 16);
    json_decref(judgement);
    cf_record_done(&record);
}

static void more_processes_widen_the_scope(void **state)
{
    (void)state;
    cf_record record = made_record(usual, MADE_COUNT(usual), 12);
    record.rounds.items[11].process = 1;
    json_t *judgement = print_and_parse(&record, NULL);
    assert_text(get(judgement, "scope"), "holds for these processes, this device and driver");
    json_decref(judgement);
    cf_record_done(&record);
}

static void the_same_record_gives_the_same_bytes(void **state)
{
    (void)state;
    cf_record record = made_record(usual, MADE_COUNT(usual), 24);
    for (size_t i = 0; i < record.rounds.count; i++) /* numbers with long decimals */
        made_set(&record.rounds.items[i], 2, CF_CELL_AB, 20 + 0.001 * (double)(i * 7 % 24));
    char *once = print(&record, NULL), *again = print(&record, NULL);
    assert_string_equal(once, again);
    assert_non_null(strstr(once, "\"a_ms\": 16.0"));
    assert_int_equal(once[strlen(once) - 1], '\n');
    free(once);
    free(again);
    cf_record_done(&record);
}

/* Every member and every word that the program can print stands in the page. */
static void assert_documented(const char *page, const char *word)
{
    char *quoted = cf_text_format("`%s`", word);
    assert_non_null(quoted);
    if (!strstr(page, quoted))
        fail_msg("docs/judgement.md does not name %s", quoted);
    free(quoted);
}

static void assert_members_documented(const char *page, json_t *value)
{
    json_t *member;
    const char *key;
    size_t i;
    json_object_foreach(value, key, member)
    {
        assert_documented(page, key);
        assert_members_documented(page, member);
    }
    json_array_foreach(value, i, member)
    {
        assert_members_documented(page, member);
    }
}

static void the_page_names_every_member_and_every_word(void **state)
{
    (void)state;
    const made_variant variants[] = {
        MADE_NONE, MADE_AGAIN, MADE_TIMING, MADE_ONE_QUEUE, {"deferred", CF_ROLE_DESIGN, 16, 12, 16}};
    cf_error err = {0};
    char *page = NULL;
    size_t size_bytes = 0;
    if (cf_file_read(CF_SOURCE_DIR "/docs/judgement.md", 1 << 20, &page, &size_bytes, &err) != CF_OK)
        fail_msg("%s", err.text);
    cf_record record = made_record(variants, MADE_COUNT(variants), 12);
    record.variants[4].job = 1;
    made_job(&record.against, "deferred.ini");
    json_t *judgement = print_and_parse(&record, NULL);
    assert_members_documented(page, judgement);
    for (int i = 0; i < CF_BECAUSE_COUNT; i++)
        assert_documented(page, cf_because_word((cf_because)i));
    for (int i = 0; i < CF_READING_COUNT; i++)
        assert_documented(page, cf_reading_name((cf_reading)i));
    for (int i = 0; i < CF_FINDING_COUNT; i++)
        assert_documented(page, cf_finding_word((cf_finding_kind)i));
    json_decref(judgement);
    cf_record_done(&record);
    free(page);
}

static void every_word_has_a_name_and_a_meaning(void **state)
{
    (void)state;
    for (int i = 0; i < CF_BECAUSE_COUNT; i++) {
        assert_true(strlen(cf_because_word((cf_because)i)) > 0);
        assert_true(strlen(cf_because_meaning((cf_because)i)) > strlen("…"));
    }
    for (int i = 0; i < CF_READING_COUNT; i++)
        assert_true(strlen(cf_reading_name((cf_reading)i)) > 0);
    assert_null(cf_effect_name(CF_EFFECT_NONE));
    assert_string_equal(cf_effect_name(CF_EFFECT_CLEAR), "clear");
    assert_string_equal(cf_verdict_name(CF_VERDICT_INVALID), "invalid");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_is_that_of_the_contract),
        cmocka_unit_test(a_variant_is_that_of_the_contract),
        cmocka_unit_test(what_is_absent_is_null),
        cmocka_unit_test(a_record_without_rounds_has_no_numbers),
        cmocka_unit_test(armed_has_three_values),
        cmocka_unit_test(an_invalid_record_says_why),
        cmocka_unit_test(two_designs_are_compared_by_name),
        cmocka_unit_test(more_processes_widen_the_scope),
        cmocka_unit_test(the_same_record_gives_the_same_bytes),
        cmocka_unit_test(the_page_names_every_member_and_every_word),
        cmocka_unit_test(every_word_has_a_name_and_a_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
