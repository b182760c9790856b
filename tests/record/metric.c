/* Records of metric experiments: what is written is read, and what is wrong is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "record/file.h"
#include "record/metric_sample.h"
#include "record/part.h"

static cf_text print(const cf_record *record)
{
    cf_text text = {0};
    assert_int_equal(cf_record_print(record, &text, NULL), CF_OK);
    return text;
}

static cf_record usual(void)
{
    return metric_record(metric_usual, 3, 4);
}

static void what_is_read_prints_the_same_bytes(void **state)
{
    (void)state;
    cf_record record = usual();
    const double many[] = {1.5, 0.1, 1e-300, 12345678.901234567};
    assert_int_equal(cf_round_set_values(&record.rounds.items[1], 2, many, 4, NULL), CF_OK);
    assert_int_equal(cf_round_set_values(&record.rounds.items[2], 2, NULL, 0, NULL), CF_OK);
    record.rounds.items[2].facts[2].known = false;
    record.rounds.items[3].load = (double)NAN;
    record.variants[2].ended = cf_text_dup("exit status 3\n");
    record.variants[2].ended_round = 3;
    record.interrupted = true;
    cf_text text = print(&record);
    cf_record back;
    cf_error err = {0};
    if (cf_record_parse("r.json", text.data, text.size_bytes, &back, &err))
        fail_msg("%s", err.text);
    cf_text again = print(&back);
    assert_string_equal(text.data, again.data);
    assert_int_equal(back.rounds.items[1].values[2].count, 4);
    assert_int_equal(back.rounds.items[2].values[2].count, 0);
    assert_true(isnan(cf_round_value(&back.rounds.items[2], 2)));
    assert_null(back.rounds.items[0].samples);
    assert_string_equal(back.job.name, "");
    assert_string_equal(back.variants[2].ended, "exit status 3\n");
    cf_record_done(&record);
    cf_record_done(&back);
    cf_text_done(&text);
    cf_text_done(&again);
}

static void a_value_is_the_median_of_what_one_run_said(void **state)
{
    (void)state;
    cf_record record = usual();
    cf_round *round = &record.rounds.items[0];
    const double odd[] = {9, 1, 5}, even[] = {4, 1, 2, 9};
    assert_int_equal(cf_round_set_values(round, 1, odd, 3, NULL), CF_OK);
    assert_int_equal(cf_round_set_values(round, 2, even, 4, NULL), CF_OK);
    assert_true(cf_round_value(round, 1) == 5);
    assert_true(cf_round_value(round, 2) == 3);
    assert_true(cf_round_value(round, 0) == 100);
    cf_record_done(&record);
}

static void refused(const char *from, const char *to, const char *part)
{
    cf_record record = usual();
    cf_text text = print(&record);
    char *at = strstr(text.data, from);
    assert_non_null(at);
    char *changed = cf_text_format("%.*s%s%s", (int)(at - text.data), text.data, to, at + strlen(from));
    cf_record back;
    cf_error err = {0};
    assert_int_equal(cf_record_parse("r.json", changed, strlen(changed), &back, &err), CF_INPUT);
    if (!strstr(err.text, part))
        fail_msg("'%s' is not in '%s'", part, err.text);
    free(changed);
    cf_record_done(&record);
    cf_text_done(&text);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    refused("\"better\": \"lower\"", "\"better\": \"less\"", "metric.better");
    refused("\"source\": \"wall\"", "\"source\": 3", "metric.source");
    refused("[100.0],[101.0]", "[100.0],[0]", "warmup[0].values[1][0]");
    refused("[100.0],[101.0]", "[100.0],[-1.5]", "a number above 0");
    refused("[100.0],[101.0]", "[100.0],[]", "values[1]");
    refused("[100.0],[101.0]", "[100.0],\"x\"", "values[1]");
    refused("\"role\": \"replica\"", "\"role\": \"reference\"", "a metric");
    refused("\"role\": \"control\"", "\"role\": \"instrument\"", "a metric");
    refused("\"order\":[", "\"order\":[7,", "order");
    refused("\"prefix\": null", "\"prefix\": 3", "prefix");
    refused("\"prefix\": null", "\"work_ratio\": 0, \"prefix\": null", "work_ratio");
    refused("\"prefix\": null", "\"work_ratio\": \"1\", \"prefix\": null", "work_ratio");
    refused("\"ended\": null", "\"ended\": {\"round\": -1, \"text\": \"x\"}", "ended.round");
    refused("\"max_rss_bytes\":4096", "\"max_rss_bytes\":-1", "max_rss_bytes");
    refused("\"timeout_ms\": 0", "\"timeout_ms\": \"1s\"", "timeout_ms");
}

static void the_ratio_of_the_work_is_kept_where_it_is_known(void **state)
{
    (void)state;
    cf_record record = usual();
    record.variants[2].work_ratio = 1.0625;
    cf_text text = print(&record);
    cf_record back;
    assert_int_equal(cf_record_parse("r.json", text.data, text.size_bytes, &back, NULL), CF_OK);
    assert_true(back.variants[2].work_ratio == 1.0625);
    assert_true(back.variants[1].work_ratio == 0);
    cf_record_done(&record);
    cf_record_done(&back);
    cf_text_done(&text);
}

static void a_control_may_have_any_name(void **state)
{
    (void)state;
    cf_record record = usual();
    free(record.variants[0].name);
    record.variants[0].name = cf_text_dup("as-shipped");
    cf_text text = print(&record);
    cf_record back;
    assert_int_equal(cf_record_parse("r.json", text.data, text.size_bytes, &back, NULL), CF_OK);
    cf_record_done(&record);
    cf_record_done(&back);
    cf_text_done(&text);
}

static void a_part_file_keeps_rounds_and_what_ended(void **state)
{
    (void)state;
    char folder[] = "/tmp/confound-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/r.json.part", folder);
    cf_record record = usual(), back;
    cf_rounds rounds = record.rounds;
    record.rounds = (cf_rounds){0};
    cf_record_init(&back);
    assert_int_equal(cf_part_begin(path, &record, false, NULL), CF_OK);
    for (size_t i = 0; i < rounds.count; i++)
        assert_int_equal(cf_part_round(path, &record, CF_PART_ROUNDS, &rounds.items[i], NULL), CF_OK);
    record.variants[2].ended = cf_text_dup("no number");
    record.variants[2].ended_round = 4;
    assert_int_equal(cf_part_proofs(path, &record, NULL), CF_OK);
    cf_error err = {0};
    if (cf_part_read(path, &back, &err))
        fail_msg("%s", err.text);
    assert_int_equal(back.rounds.count, 4);
    assert_string_equal(back.variants[2].ended, "no number");
    assert_int_equal(back.variants[2].ended_round, 4);
    record.rounds = rounds;
    cf_record_done(&record);
    cf_record_done(&back);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_prints_the_same_bytes),
        cmocka_unit_test(a_value_is_the_median_of_what_one_run_said),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(the_ratio_of_the_work_is_kept_where_it_is_known),
        cmocka_unit_test(a_control_may_have_any_name),
        cmocka_unit_test(a_part_file_keeps_rounds_and_what_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
