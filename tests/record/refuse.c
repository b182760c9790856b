#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/file.h"
#include "record/sample.h"

static cf_text whole;

static int make_whole(void **state)
{
    (void)state;
    cf_record record = sample_full();
    const cf_status status = cf_record_print(&record, &whole, NULL);
    cf_record_done(&record);
    return status == CF_OK ? 0 : -1;
}

static int drop_whole(void **state)
{
    (void)state;
    cf_text_done(&whole);
    return 0;
}

/* Refused, with one line that begins with start, holds part and says what is accepted. */
static void refuse_bytes(const char *text, size_t size_bytes, const char *start, const char *part)
{
    /* A copy of exactly that size, so that reading past the end is seen by a sanitizer. */
    char *copy = malloc(size_bytes ? size_bytes : 1);
    memcpy(copy, text, size_bytes);
    cf_record record = {0};
    cf_error err = {0};
    const cf_status status = cf_record_parse("r.json", copy, size_bytes, &record, &err);
    free(copy);
    if (status != CF_INPUT)
        fail_msg("status %d, '%s'; expected '%s…%s'", (int)status, err.text, start, part);
    if (strncmp(err.text, start, strlen(start)) != 0 || !strstr(err.text, part))
        fail_msg("'%s' should begin with '%s' and hold '%s'", err.text, start, part);
    assert_null(record.variants);
}

/* The whole record with the first `from` after `anchor` turned into `to`; the error must name the line it is in. */
static void tampered(const char *anchor, const char *from, const char *to, const char *path, const char *part)
{
    char *at = strstr(whole.data, anchor);
    at = at ? strstr(at, from) : NULL;
    if (!at)
        fail_msg("no '%s' after '%s'", from, anchor);
    int line = 1;
    for (const char *s = whole.data; s < at; s++)
        line += *s == '\n';
    cf_text text = {0};
    cf_text_add_bytes(&text, whole.data, (size_t)(at - whole.data));
    cf_text_add(&text, "%s%s", to, at + strlen(from));
    char start[256];
    snprintf(start, sizeof start, "r.json:%d: %s", line, path);
    refuse_bytes(text.data, text.size_bytes, start, part);
    cf_text_done(&text);
}

/* Each offset but the last newline's. A small record: the work grows with the square of its size. */
static void a_record_cut_short_never_parses(void **state)
{
    (void)state;
    cf_record record = sample_record(2, 1, SAMPLE_MIXED);
    cf_text text = {0};
    assert_int_equal(cf_record_print(&record, &text, NULL), CF_OK);
    for (size_t size_bytes = 0; size_bytes < text.size_bytes - 1; size_bytes++)
        refuse_bytes(text.data, size_bytes, "r.json:", "");
    cf_record_done(&record);
    cf_text_done(&text);
}

static void a_cut_is_called_a_cut(void **state)
{
    (void)state;
    refuse_bytes("", 0, "r.json:1: the file is empty", "confound.record/1");
    refuse_bytes(" \n\n", 3, "r.json:1: the file is empty", "confound.record/1");
    const size_t in_rounds = (size_t)(strstr(whole.data, "\"rounds\"") - whole.data) + 40;
    char start[32];
    int line = 1;
    for (size_t i = 0; i < in_rounds; i++)
        line += whole.data[i] == '\n';
    snprintf(start, sizeof start, "r.json:%d: ", line);
    refuse_bytes(whole.data, in_rounds, start, "the text ends in the middle");
    refuse_bytes(whole.data, whole.size_bytes - 2, "r.json:", "the text ends in the middle");
}

static void what_is_no_record_is_said_to_be_none(void **state)
{
    (void)state;
    refuse_bytes("\x7f"
                 "ELF\2\1\1\0\0",
                 9, "r.json:1: byte 0x00", "confound.record/1");
    refuse_bytes("name,a,b\nnone,1,2\n", 18, "r.json:1: is no JSON object", "accepted");
    refuse_bytes("[]", 2, "r.json:1: is no JSON object", "accepted");
    refuse_bytes("{}", 2, "r.json:1: schema is missing", "'confound.record/1' is accepted");
    refuse_bytes("{\n\"schema\": \"confound.judgement/1\"}", 35, "r.json:2: schema is 'confound.judgement/1'",
                 "'confound.record/1' is accepted");
    refuse_bytes("{\"a\": 1,}", 9, "r.json:1: not JSON", "accepted");
    refuse_bytes("{\"a\": 1 \"b\": 2}", 15, "r.json:1: not JSON", "accepted");
    refuse_bytes("{\"a\": \xff}", 8, "r.json:1: not JSON", "accepted");
    refuse_bytes("{\"a\": \"\xff\"}", 10, "r.json:1: not JSON", "accepted");
    refuse_bytes("{\"a\": {]}", 9, "r.json:1: not JSON", "accepted");
    char text[64];
    const int length = snprintf(text, sizeof text, "{\"schema\": \"confound.record/1\"} {}");
    refuse_bytes(text, (size_t)length, "r.json:1: not JSON", "accepted");
}

static void words_and_numbers_out_of_range_are_named(void **state)
{
    (void)state;
    tampered("\"schema\"", "record/1", "record/2", "schema is 'confound.record/2'", "'confound.record/1' is accepted");
    tampered("\"seed\"", "9007199254740991", "-1", "seed is -1", "from 0 to 9007199254740992");
    tampered("\"seed\"", "9007199254740991", "9007199254740993", "seed is 9007199254740993", "9007199254740992");
    tampered("\"seed\"", "9007199254740991", "99999999999999999999", "not JSON: ", "integer");
    tampered("\"seed\"", "9007199254740991", "1.5", "seed is 1.5", "a whole number");
    tampered("\"margin\"", "0.1", "0", "settings.margin is 0", "a number above 0");
    tampered("\"alpha\"", "0.01", "\"x\"", "settings.alpha is 'x'", "a number above 0");
    tampered("\"design\"", "between", "beside", "design is 'beside'", "within or between is accepted");
    tampered("\"simulated\"", "true", "1", "simulated is 1", "true or false");
    tampered("\"name\": \"timing\"", "instrument", "drum", "variants[3].role is 'drum'",
             "control, replica, instrument");
    tampered("\"name\": \"timing\"", "\"both\"", "\"under\"", "variants[3].where is 'under'", "before, after or both");
    tampered("\"name\": \"timing\"", "\"armed\": true", "\"armed\": 2", "variants[3].armed is 2",
             "true, false or null");
    tampered("\"name\": \"one-queue\"", "\"job\": 1", "\"job\": 2", "variants[4].job is 2", "from 0 to 1");
    tampered("\"result\"", "unsupported", "great", "data_check.result is 'great'", "not-run, unsupported, ok or wrong");
    tampered("\"lanes\"", "16", "-16", "job.lanes[0].count is -16", "a whole number");
    tampered("\"facts\"", "\"Debian 12\"", "12", "host.facts.os is 12", "a string or null");
    tampered("\"spans\"", "\"variant\": 4", "\"variant\": 5", "spans[1].variant is 5", "from 0 to 4");
    tampered("\"spans\"", "\"end_ns\": 5", "\"end_ns\": 4", "spans[1].end_ns is 4", "from 5 to");
    tampered("\"spans\"", "\"id\": 12", "\"id\": 0", "spans[1].id is 0", "from 1 to");
    tampered("\"spans\"", "\"waits_for\": 7", "\"waits_for\": -7", "spans[1].waits_for is -7", "from 1 to");
    tampered("\"spans_how\"", "\"after the rounds\"", "3", "spans_how is 3", "a string or null");
    tampered("\"interrupted\"", "true", "null", "interrupted is null", "true or false");
}

static void the_variants_must_make_sense(void **state)
{
    (void)state;
    tampered("\"variants\"", "\"none-again\"", "\"none\"", "variants[1].name repeats 'none' of variants[0]", "differ");
    tampered("\"variants\"", "\"none\"", "\"nome\"", "variants[0] is the control 'nome'", "the control 'none'");
    tampered("\"variants\"", "\"control\"", "\"replica\"", "variants[0] is the replica 'none'", "the control 'none'");
    tampered("\"variants\"", "\"sync\"", "\"\"", "variants[2].name is ''", "a name");
}

static void each_time_of_a_round_is_checked(void **state)
{
    (void)state;
    tampered("\"rounds\"", "\"round\":2", "\"round\":0", "rounds[1].round is 0", "from 1 to");
    tampered("\"rounds\"", "\"process\":1", "\"process\":-1", "rounds[2].process is -1", "from 0 to");
    tampered("\"rounds\"", "\"throttled\"", "\"thrilled\"", "rounds[0].marks[0] is 'thrilled'", "throttled or shared");
    tampered("\"rounds\"", "\"ns\":[[", "\"ns\":[[-", "rounds[0].a.ns[0][0] is -", "from 0 to 9007199254740992");
    tampered("\"rounds\"", "\"ns\":[[", "\"ns\":[[1e3,", "rounds[0].a.ns[0] has 4 elements", "3 are accepted");
    tampered("\"rounds\"", "\"ns\":[[", "\"ns\":[[1,2,3],[", "rounds[0].a.ns has 6 elements", "5 are accepted");
    tampered("\"rounds\"", "\"ns\":[[", "\"ns\":[null,[", "rounds[0].a.ns has 6 elements", "5 are accepted");
    tampered("\"rounds\"", "\"ns\":[[", "\"ns\":null,\"x\":[[", "rounds[0].a.ns is null", "a whole number");
    tampered("\"rounds\"", "\"ab\":{", "\"cd\":{", "rounds[0].ab is missing", "an object");
    tampered("\"rounds\"", "\"order\":[", "\"order\":[15,", "rounds[0].order has 16 elements", "15 are accepted");
    tampered("\"rounds\"", "\"seen\":[null", "\"seen\":[[1,0]", "rounds[0].seen[0][1] is 0", "from 1 to");
    tampered("\"rounds\"", "\"seen\":[null", "\"seen\":[[1]", "rounds[0].seen[0] has 1 elements", "2 are accepted");
    tampered("\"prologue\"", "\"order\":[", "\"order\":[3,", "prologue[0].order has 4", "3 are accepted");
    tampered("\"warmup\"", "{\"round\"", "7,{\"round\"", "warmup[0] is 7", "an object");
    tampered("  \"rounds\"", "\"rounds\": [", "\"rounds\": 5, \"x\": [", "rounds is 5", "a list");
}

static void a_missing_member_is_named_at_the_line_of_what_holds_it(void **state)
{
    (void)state;
    static const char *const members[] = {"prologue", "warmup", "rounds", "job", "variants", "skipped"};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        char key[32], expected[64];
        snprintf(key, sizeof key, "\n  \"%s\": ", members[i]);
        snprintf(expected, sizeof expected, "r.json:1: %s is missing; ", members[i]);
        char *at = strstr(whole.data, key);
        assert_non_null(at);
        at[4] = '_';
        refuse_bytes(whole.data, whole.size_bytes, expected, "accepted");
        at[4] = members[i][0];
    }
}

/* Written by hand, because which cells stand where in an order is drawn. */
static void an_order_that_names_a_cell_twice_is_refused(void **state)
{
    (void)state;
    char *at = strstr(whole.data, "\"order\":[");
    assert_non_null(at);
    at += strlen("\"order\":[");
    const char first = at[0], second = at[2];
    at[0] = second;
    refuse_bytes(whole.data, whole.size_bytes, "r.json:", "prologue[0].order names a cell twice");
    at[0] = first;
    at[2] = '3';
    refuse_bytes(whole.data, whole.size_bytes, "r.json:", "prologue[0].order[1] is 3; a whole number from 0 to 2");
    at[2] = second;
    cf_record record;
    assert_int_equal(cf_record_parse("r.json", whole.data, whole.size_bytes, &record, NULL), CF_OK);
    cf_record_done(&record);
}

static void duplicate_keys_are_refused_wherever_they_are(void **state)
{
    (void)state;
    tampered("\"seed\"", "\"seed\"", "\"seed\": 1, \"seed\"", "", "not JSON: duplicate");
    tampered("\"rounds\"", "\"process\"", "\"round\":1,\"process\"", "not JSON: duplicate", "accepted");
    tampered("  \"rounds\"", "\"rounds\"", "\"rounds\": [], \"rounds\"", "", "not JSON: duplicate");
    tampered("  \"rounds\"", "\"rounds\"", "\"ro\\u0075nds\": [], \"rounds\"", "", "not JSON: duplicate");
}

/* The lists are cut out by a walk that only counts brackets: it must not let through what jansson would not. */
static void broken_json_inside_a_round_is_found(void **state)
{
    (void)state;
    tampered("\"rounds\"", "\"process\":0", "\"process\":}", "not JSON", "accepted");
    tampered("\"rounds\"", "\"order\":[", "\"order\":{", "not JSON", "accepted");
    tampered("\"rounds\"", "{\"round\":1", "{\"round\":01", "not JSON", "accepted");
    tampered("\"rounds\"", "{\"round\":1", "\"{\"round\":1", "not JSON", "accepted");
    tampered("\"rounds\"", "},\"b\":{", "}},\"b\":{", "not JSON", "accepted");
    tampered("\"rounds\"", "{\"round\":2", ",{\"round\":2", "not JSON", "accepted");
    tampered("\"rounds\"", ",\"marks\"", " \"marks\"", "not JSON", "accepted");
}

static void an_escaped_key_is_still_the_list(void **state)
{
    (void)state;
    cf_text text = {0};
    char *at = strstr(whole.data, "\"rounds\": [");
    cf_text_add_bytes(&text, whole.data, (size_t)(at - whole.data));
    cf_text_add(&text, "\"r\\u006funds\"%s", at + strlen("\"rounds\""));
    cf_record record;
    cf_error err = {0};
    if (cf_record_parse("r.json", text.data, text.size_bytes, &record, &err) != CF_OK)
        fail_msg("%s", err.text);
    assert_int_equal(record.rounds.count, 4);
    cf_record_done(&record);
    cf_text_done(&text);
}

static void members_of_a_later_version_are_ignored(void **state)
{
    (void)state;
    cf_text text = {0};
    for (const char *s = whole.data; *s; s++) {
        cf_text_add_bytes(&text, s, 1);
        if (s[0] == '{' && s[1] == '"' && strncmp(s, "{\"name", 6) != 0)
            cf_text_add(&text, "\"later\":{\"x\":[1,{\"rounds\":[]}]},");
    }
    cf_record record;
    cf_error err = {0};
    if (cf_record_parse("r.json", text.data, text.size_bytes, &record, &err) != CF_OK)
        fail_msg("%s", err.text);
    cf_text back = {0};
    assert_int_equal(cf_record_print(&record, &back, NULL), CF_OK);
    assert_string_equal(back.data, whole.data);
    cf_record_done(&record);
    cf_text_done(&text);
    cf_text_done(&back);
}

static void hostile_strings_never_reach_the_error_raw(void **state)
{
    (void)state;
    cf_error err = {0};
    cf_record record;
    const char *text = "{\"schema\": \"\\u001b[2J\\n\\u202e\"}";
    assert_int_equal(cf_record_parse("r\x1b.json", text, strlen(text), &record, &err), CF_INPUT);
    for (const char *s = err.text; *s; s++)
        assert_true((unsigned char)*s >= 0x20);
    assert_null(strstr(err.text, "\xe2\x80\xae"));
    assert_non_null(strstr(err.text, "schema is '?[2J"
                                     "?"
                                     "?'"));
}

static void a_deep_nesting_is_refused(void **state)
{
    (void)state;
    cf_text text = {0};
    cf_text_add(&text, "{\"a\":");
    for (int i = 0; i < 100000; i++)
        cf_text_add_bytes(&text, "[", 1);
    for (int i = 0; i < 100000; i++)
        cf_text_add_bytes(&text, "]", 1);
    cf_text_add(&text, "}");
    refuse_bytes(text.data, text.size_bytes, "r.json:1: not JSON", "accepted");
    cf_text_done(&text);
}

static void too_many_variants_or_facts_are_refused(void **state)
{
    (void)state;
    cf_text facts = {0};
    for (int i = 0; i < 4097; i++)
        cf_text_add(&facts, "%s\"k%d\": null", i ? "," : "\"facts\": {", i);
    cf_text_add(&facts, "}, \"x\"");
    tampered("\"host\"", "\"facts\"", facts.data, "host.facts has 4097 members", "4096 are accepted");
    cf_text_done(&facts);
    cf_record record = sample_record(CF_MAX_VARIANTS + 1, 0, SAMPLE_PLAIN);
    cf_text text = {0};
    assert_int_equal(cf_record_print(&record, &text, NULL), CF_OK);
    refuse_bytes(text.data, text.size_bytes, "r.json:", "variants has 33 elements; from 1 to 32 are accepted");
    cf_record_done(&record);
    cf_text_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_cut_short_never_parses),
        cmocka_unit_test(a_cut_is_called_a_cut),
        cmocka_unit_test(what_is_no_record_is_said_to_be_none),
        cmocka_unit_test(words_and_numbers_out_of_range_are_named),
        cmocka_unit_test(the_variants_must_make_sense),
        cmocka_unit_test(each_time_of_a_round_is_checked),
        cmocka_unit_test(a_missing_member_is_named_at_the_line_of_what_holds_it),
        cmocka_unit_test(an_order_that_names_a_cell_twice_is_refused),
        cmocka_unit_test(duplicate_keys_are_refused_wherever_they_are),
        cmocka_unit_test(broken_json_inside_a_round_is_found),
        cmocka_unit_test(an_escaped_key_is_still_the_list),
        cmocka_unit_test(members_of_a_later_version_are_ignored),
        cmocka_unit_test(hostile_strings_never_reach_the_error_raw),
        cmocka_unit_test(a_deep_nesting_is_refused),
        cmocka_unit_test(too_many_variants_or_facts_are_refused),
    };
    return cmocka_run_group_tests(tests, make_whole, drop_whole);
}
