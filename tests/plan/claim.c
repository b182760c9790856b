/* A claim's file: what is read, what is refused and where, and what a change leaves alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/claim.h"
#include "plan/place.h"

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define KEYS "id: 0001-x\nclaim: copies overlap\nabout: overlap\nstatus: proposed\nverdict: overlaps\n"

static cf_status parse(const char *text, cf_plan_claim *claim, int *line, cf_error *err)
{
    *err = (cf_error){0};
    return cf_plan_claim_parse("plan/0001-x.md", text, strlen(text), claim, line, err);
}

static void reads(const char *text, cf_plan_claim *claim)
{
    cf_error err;
    int line = 0;
    if (parse(text, claim, &line, &err))
        fail_msg("line %d: %s", line, err.text);
}

static void refuses(const char *text, int expected_line, const char *words)
{
    cf_plan_claim claim;
    cf_error err;
    int line = 0;
    assert_int_equal(parse(text, &claim, &line, &err), CF_INPUT);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
    assert_int_equal(line, expected_line);
    cf_plan_claim_done(&claim);
}

static void every_key_arrives(void **state)
{
    (void)state;
    cf_plan_claim c;
    reads("---\n" KEYS
          "scope:\n  device: B580\n  driver: '1.2'\nevidence:\n- kind: trace\n  path: t.json\n  sha256: " HASH
          "\n- kind: record\n  path: plan/evidence/r.json\n  sha256: " HASH
          "\n  variant: timing\nwork:\n- what: defer\n  since: 2026-02-28\n  state: begun\n"
          "retraction:\n  date: 2026-03-01\n  earlier_verdict: overlaps\n  overturned-by:\n    path: r.json\n    "
          "sha256: " HASH "\n  because: it was wrong\n  work:\n  - what: defer\n    became: withdrawn\n---\nprose\n",
          &c);
    assert_string_equal(c.id, "0001-x");
    assert_string_equal(c.sentence, "copies overlap");
    assert_int_equal(c.about, CF_PLAN_ABOUT_OVERLAP);
    assert_int_equal(c.status, CF_PLAN_PROPOSED);
    assert_int_equal(c.verdict, CF_READING_OVERLAPS);
    assert_string_equal(c.scope.device, "B580");
    assert_string_equal(c.scope.driver, "1.2");
    assert_false(c.scope.simulated);
    assert_int_equal(c.evidence_count, 2);
    assert_true(c.evidence[0].is_trace);
    assert_null(c.evidence[0].variant);
    assert_string_equal(c.evidence[1].variant, "timing");
    assert_int_equal(c.evidence[1].line, 14);
    assert_string_equal(c.work[0].what, "defer");
    assert_string_equal(c.retraction.earlier_verdict, "overlaps");
    assert_string_equal(c.retraction.fates[0].became, "withdrawn");
    assert_int_equal(c.status_line, 5);
    cf_plan_claim_done(&c);
}

static void a_scope_may_be_the_word_simulated(void **state)
{
    (void)state;
    cf_plan_claim c;
    reads("---\n" KEYS "scope: simulated\n---\n", &c);
    assert_true(c.scope.simulated);
    cf_plan_claim_done(&c);
    reads("---\n" KEYS "scope:\n  device: d\n  simulated: true\n---\n", &c);
    assert_true(c.scope.simulated);
    assert_string_equal(c.scope.device, "d");
    cf_plan_claim_done(&c);
    refuses("---\n" KEYS "scope:\n  simulated: perhaps\n---\n", 8, "'simulated' is true or false");
}

static void what_is_wrong_is_said_with_its_line(void **state)
{
    (void)state;
    refuses("no matter\n", 1, "no front matter");
    refuses("---\nid: x\n", 1, "no front matter");
    refuses("---\nid: x\nclaim: c\nstatus: proposed\nverdict: overlaps\n---\n", 1, "'about' is missing");
    refuses("---\nid: x\nclaim: ''\n---\n", 3, "'claim' is missing or empty");
    refuses("---\nid: a b\n---\n", 2, "'id' is made of");
    refuses("---\nid: x\nclaim: c\nabout: overlap\nstatus: done\n---\n", 5,
            "'status: done' is not proposed, accepted, acted-on, retracted or superseded");
    refuses("---\nid: x\nclaim: c\nabout: overlap\nstatus: proposed\nverdict: slow\n---\n", 6,
            "'verdict: slow' is not");
    refuses("---\n" KEYS "evidence:\n- kind: rumour\n---\n", 8, "'kind: rumour'");
    refuses("---\n" KEYS "evidence:\n- kind: record\n  path: r.json\n  sha256: 12\n---\n", 10, "64 digits");
    refuses("---\n" KEYS "evidence: r.json\n---\n", 7, "'evidence' is a list");
    refuses("---\n" KEYS "work:\n- what: w\n  since: 2026-02-30\n---\n", 9, "is not a day");
    refuses("---\nid: x\nid: y\n---\n", 3, "given twice");
}

static void paths_that_leave_the_repository_are_refused(void **state)
{
    (void)state;
    static const char *const paths[] = {"/etc/passwd", "../r.json", "a/../../r.json", "a//b",
                                        "./a",         "a/",        ".git/config",    "a/.GIT/x"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "---\n" KEYS "evidence:\n- kind: record\n  path: %s\n  sha256: " HASH "\n---\n",
                 paths[i]);
        refuses(text, 9, "path");
    }
    assert_null(cf_plan_place_why_not("plan/evidence/r..json"));
    assert_null(cf_plan_place_why_not("...x/.github/r.json"));
}

static void what_yaml_can_do_beyond_values_is_refused(void **state)
{
    (void)state;
    refuses("---\nid: &a x\n---\n", 2, "anchors");
    refuses("---\nid: x\nclaim: *a\n---\n", 3, "aliases");
    refuses("---\nid: !!str x\n---\n", 2, "tags");
    refuses("---\n<<: *a\n---\n", 2, "aliases");
    refuses("---\n%YAML 1.1\n--- # x\nid: x\n---\n", 2, "marks of documents");
    refuses("---\nid: x\n...\n---\n", 3, "marks of documents");
    refuses("---\n{id: x}\n---\n", 2, "'key: value'");
    refuses("---\n id: x\n---\n", 2, "start of a line");
    refuses("---\n- x\n---\n", 2, "'key: value'");
    refuses("---\n---\n", 2, "empty");
    refuses("---\nid: [\n---\n", 3, "no YAML");
    refuses("---\na: [[[[[[[[[[x]]]]]]]]]]\n---\n", 2, "nested too deep");
    refuses("---\nid: \"\x1b[31m\"\n---\n", 2, "control character");
    refuses("---\nid: x\nb: \"\xe2\x80\xa8\"\n---\n", 3, "line end");
    refuses("---\nid: x\nb: \xc3(\n---\n", 3, "UTF-8");
    refuses("---\nid: x\rb: y\n---\n", 2, "line end");
    refuses("---\nid: \"a\\0b\"\n---\n", 2, "NUL");
}

static void bombs_are_refused_before_they_go_off(void **state)
{
    (void)state;
    cf_text text = {0};
    cf_text_add(&text, "---\n" KEYS "extra:\n");
    for (int i = 0; i < CF_YAML_MAX_EVENTS; i++)
        cf_text_add(&text, "- x\n");
    cf_text_add(&text, "---\n");
    cf_plan_claim claim;
    cf_error err;
    int line = 0;
    assert_int_equal(parse(text.data, &claim, &line, &err), CF_INPUT);
    assert_non_null(strstr(err.text, "too many values"));
    cf_plan_claim_done(&claim);
    cf_text_done(&text);
    cf_text_add(&text, "---\nid: ");
    for (size_t i = 0; i <= CF_YAML_MAX_BYTES; i++)
        cf_text_add_bytes(&text, "x", 1);
    cf_text_add(&text, "\n---\n");
    assert_int_equal(parse(text.data, &claim, &line, &err), CF_INPUT);
    assert_non_null(strstr(err.text, "front matter of more than"));
    cf_plan_claim_done(&claim);
    cf_text_done(&text);
}

static void a_change_leaves_every_other_byte(void **state)
{
    (void)state;
    static const char before[] =
        "---\n# mine\nid:   0001-x\nowner: [ann, bob] # extra\nclaim: >-\n  copies\n  overlap\n"
        "about: overlap\nstatus: \"proposed\"   # for now\n\n# read by eye\nverdict: overlaps\n"
        "---\nprose \t\n\n---\n\xff\0 end";
    static const char after[] = "---\n# mine\nid:   0001-x\nowner: [ann, bob] # extra\nclaim: >-\n  copies\n  overlap\n"
                                "about: overlap\nstatus: accepted\n\n# read by eye\nverdict: overlaps\n"
                                "---\nprose \t\n\n---\n\xff\0 end";
    cf_plan_claim c;
    cf_error err = {0};
    int line = 0;
    assert_int_equal(cf_plan_claim_parse("plan/0001-x.md", before, sizeof before - 1, &c, &line, &err), CF_OK);
    assert_int_equal(cf_plan_claim_set(&c, "status", cf_yaml_plain("accepted"), &err), CF_OK);
    assert_int_equal(c.size_bytes, sizeof after - 1);
    assert_memory_equal(c.text, after, sizeof after);
    assert_int_equal(c.status, CF_PLAN_ACCEPTED);
    assert_int_equal(cf_plan_claim_set(&c, "superseded-by", cf_yaml_word("0002-y"), &err), CF_OK);
    assert_non_null(strstr(c.text, "verdict: overlaps\nsuperseded-by: 0002-y\n---\nprose"));
    cf_plan_claim_done(&c);
}

static void a_list_keeps_what_it_does_not_know(void **state)
{
    (void)state;
    cf_plan_claim c;
    cf_error err = {0};
    reads("---\n" KEYS "work:\n- what: w\n  since: 2026-01-01\n  issue: 42\n  owner: \"ann\"\n---\nprose\n", &c);
    cf_yaml_node *list = cf_yaml_get(c.root, "work");
    assert_int_equal(cf_yaml_put(list->items[0], "state", cf_yaml_plain("done"), &err), CF_OK);
    assert_int_equal(cf_plan_claim_rewrite(&c, "work", &err), CF_OK);
    assert_string_equal(c.text, "---\n" KEYS
                                "work:\n- what: w\n  since: 2026-01-01\n  issue: 42\n  owner: \"ann\"\n  state: done\n"
                                "---\nprose\n");
    cf_plan_claim_done(&c);
}

static void line_ends_stay_what_they_were(void **state)
{
    (void)state;
    cf_plan_claim c;
    cf_error err = {0};
    reads("---\r\nid: 0001-x\r\nclaim: c\r\nabout: overlap\r\nstatus: proposed\r\nverdict: overlaps\r\n---\r\nprose\n",
          &c);
    assert_int_equal(cf_plan_claim_set(&c, "status", cf_yaml_plain("accepted"), &err), CF_OK);
    assert_string_equal(
        c.text,
        "---\r\nid: 0001-x\r\nclaim: c\r\nabout: overlap\r\nstatus: accepted\r\nverdict: overlaps\r\n---\r\nprose\n");
    cf_plan_claim_done(&c);
}

static void written_values_read_back_as_text(void **state)
{
    (void)state;
    static const char *const values[] = {
        "yes",     "0001", "1e5", "12e3",         "null",         "~",   "a: b", "# x", "2026-01-01", "\x1b[31m",
        "\"q\"",   "a\nb", "- x", "\xe4\xb8\xad", "\xe2\x80\xae", "x ",  " x",   "!y",  "&a",         "*a",
        "%TAG",    "`",    "{}",  "0x1F",         "---",          "...", "a #b", "k:",  "\xc2\x85",   "1:30",
        "Infinity"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        cf_plan_claim c;
        cf_error err = {0};
        reads("---\n" KEYS "---\n", &c);
        if (cf_plan_claim_set(&c, "note", cf_yaml_word(values[i]), &err))
            fail_msg("%s: %s", values[i], err.text);
        assert_string_equal(cf_yaml_text(cf_yaml_get(c.root, "note")), values[i]);
        /* A reviewer sees what is there. */
        for (const char *at = c.text; *at; at++)
            assert_true(*at == '\n' || (unsigned char)*at >= 0x20);
        assert_null(strstr(c.text, "\xe2\x80\xae"));
        cf_plan_claim_done(&c);
    }
}

static void days_are_days(void **state)
{
    (void)state;
    static const char *const good[] = {"2026-01-31", "2024-02-29", "2000-02-29", "1999-12-31"};
    static const char *const bad[] = {"2026-02-29", "1900-02-29", "2026-13-01",  "2026-00-10",
                                      "2026-01-00", "26-01-01",   "2026-1-1",    "2026-01-32",
                                      "2026/01/01", "",           "2026-01-01 ", "2026-01-0"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(cf_plan_is_date(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(cf_plan_is_date(bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_arrives),
        cmocka_unit_test(a_scope_may_be_the_word_simulated),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(paths_that_leave_the_repository_are_refused),
        cmocka_unit_test(what_yaml_can_do_beyond_values_is_refused),
        cmocka_unit_test(bombs_are_refused_before_they_go_off),
        cmocka_unit_test(a_change_leaves_every_other_byte),
        cmocka_unit_test(a_list_keeps_what_it_does_not_know),
        cmocka_unit_test(line_ends_stay_what_they_were),
        cmocka_unit_test(written_values_read_back_as_text),
        cmocka_unit_test(days_are_days),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
