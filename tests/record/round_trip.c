#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "record/file.h"
#include "record/names.h"
#include "record/round_in.h"
#include "record/sample.h"
#include "scratch_folder.h"

static cf_text print(const cf_record *record)
{
    cf_text text = {0};
    assert_int_equal(cf_record_print(record, &text, NULL), CF_OK);
    return text;
}

static cf_record parse(const char *text, size_t size_bytes)
{
    cf_record record;
    cf_error err = {0};
    if (cf_record_parse("r.json", text, size_bytes, &record, &err) != CF_OK)
        fail_msg("%s", err.text);
    return record;
}

static void prints_the_same(const cf_record *record, const cf_text *expected)
{
    cf_text text = print(record);
    assert_int_equal(text.size_bytes, expected->size_bytes);
    assert_string_equal(text.data, expected->data);
    cf_text_done(&text);
}

static void round_trip(cf_record record)
{
    cf_text text = print(&record);
    cf_record back = parse(text.data, text.size_bytes);
    prints_the_same(&back, &text);
    cf_record_done(&record);
    cf_record_done(&back);
    cf_text_done(&text);
}

static void what_is_read_prints_the_same_bytes(void **state)
{
    (void)state;
    round_trip(sample_record(5, 4, SAMPLE_PLAIN));
    round_trip(sample_record(5, 4, SAMPLE_MIXED));
    round_trip(sample_record(1, 0, SAMPLE_PLAIN));
    round_trip(sample_record(CF_MAX_VARIANTS, 2, SAMPLE_MIXED));
    round_trip(sample_full());
}

/* The bytes alone would not show a member that is neither written nor read. */
static void each_member_comes_back(void **state)
{
    (void)state;
    cf_record record = sample_full();
    cf_text text = print(&record);
    cf_record back = parse(text.data, text.size_bytes);
    assert_string_equal(back.driver, record.driver); /* control characters and all */
    assert_string_equal(back.created_utc, record.created_utc);
    assert_string_equal(back.tool_build, record.tool_build);
    assert_null(cf_pairs_get(&back.host, "cpu.model"));
    assert_string_equal(cf_pairs_get(&back.device, "name"), "a fact of the same name");
    assert_string_equal(back.device_name, "copy-offload");
    assert_string_equal(back.job.text, record.job.text);
    assert_true(back.has_against && back.job.depends && back.simulated && back.interrupted);
    assert_string_equal(back.against.name, "other.ini");
    assert_int_equal(back.job.prefetch, 2);
    assert_true(back.job.lane[0].given && !back.job.lane[1].given);
    assert_int_equal(back.job.lane[0].length, 4194304);
    assert_int_equal(back.design, CF_DESIGN_BETWEEN);
    assert_true(back.seed == record.seed);
    assert_true(back.margin == 0.1 && back.alpha == 0.01);
    assert_int_equal(back.host_threads, 2);
    assert_int_equal(back.empty_step_ns, 1234);
    assert_int_equal(back.calibration_tries, 3);
    assert_int_equal(back.data_check, CF_DATA_UNSUPPORTED);
    assert_int_equal(back.variant_count, 5);
    assert_int_equal(back.variants[0].armed, CF_ARMED_NO);
    assert_int_equal(back.variants[3].armed, CF_ARMED_YES);
    assert_int_equal(back.variants[4].armed, CF_ARMED_NOTHING);
    assert_null(back.variants[0].where);
    assert_string_equal(back.variants[3].on, "b");
    assert_int_equal(back.variants[3].armed_count, 32);
    assert_int_equal(back.variants[4].job, 1);
    assert_true(back.variants[3].process_only);
    assert_int_equal(back.span_count, 2);
    assert_int_equal(back.spans[0].queued_ns, -1);
    assert_string_equal(back.spans[1].waited_for, "h2d 0");
    assert_int_equal(back.spans[0].id, 0);
    assert_int_equal(back.spans[0].waits_for, 0);
    assert_int_equal(back.spans[1].id, 12);
    assert_int_equal(back.spans[1].waits_for, 7);
    assert_string_equal(back.spans_how, "after the rounds");
    assert_int_equal(back.prologue.count, 2);
    assert_int_equal(back.warmup.count, 1);
    assert_int_equal(back.rounds.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const cf_round *a = &record.rounds.items[i], *b = &back.rounds.items[i];
        assert_int_equal(a->number, b->number);
        assert_int_equal(a->process, b->process);
        assert_int_equal(a->marks, b->marks);
        assert_memory_equal(a->order, b->order, 15 * sizeof *a->order);
        assert_memory_equal(a->samples, b->samples, 15 * sizeof *a->samples);
        assert_memory_equal(a->seen, b->seen, 5 * sizeof *a->seen);
    }
    cf_record_done(&record);
    cf_record_done(&back);
    cf_text_done(&text);
}

/* All white space outside strings is moved about: no line is as it was written, so that nothing is read the fast way.
 */
static cf_text respace(const cf_text *text, const char *between)
{
    cf_text out = {0};
    bool in_string = false;
    for (const char *s = text->data; *s; s++) {
        if (!in_string && strchr(" \n", *s))
            continue;
        cf_text_add_bytes(&out, s, 1);
        if (in_string && *s == '\\')
            cf_text_add_bytes(&out, ++s, 1);
        else if (*s == '"')
            in_string = !in_string;
        if (!in_string && strchr("{}[]:,\"", *s))
            cf_text_add_bytes(&out, between, strlen(between));
    }
    return out;
}

static void any_layout_of_the_same_json_is_the_same_record(void **state)
{
    (void)state;
    cf_record record = sample_full();
    cf_text text = print(&record);
    static const char *const between[] = {"", " ", "\n", "\r\n\t"};
    for (size_t i = 0; i < 4; i++) {
        cf_text other = respace(&text, between[i]);
        cf_record back = parse(other.data, other.size_bytes);
        prints_the_same(&back, &text);
        cf_record_done(&back);
        cf_text_done(&other);
    }
    cf_record_done(&record);
    cf_text_done(&text);
}

static void the_fast_way_takes_each_round_that_is_written(void **state)
{
    (void)state;
    cf_record record = sample_full();
    cf_text text = print(&record);
    int taken = 0;
    cf_rounds rounds = {0};
    for (const char *line = strstr(text.data, "{\"round\":"); line; line = strstr(line + 1, "{\"round\":")) {
        const bool prologue = line < strstr(text.data, "\"warmup\"");
        const int variant_count = prologue ? 1 : record.variant_count;
        size_t at = (size_t)(line - text.data);
        cf_round *round = cf_rounds_add(&rounds, variant_count);
        assert_true(cf_round_scan((cf_json_text){text.data, text.size_bytes}, &at, variant_count, round));
        assert_int_equal(text.data[at - 1], '}');
        taken++;
    }
    assert_int_equal(taken, 2 + 1 + 4);
    cf_record_done(&(cf_record){.rounds = rounds});
    cf_record_done(&record);
    cf_text_done(&text);
}

static void one_number_may_stand_for_all_of_a_cell(void **state)
{
    (void)state;
    cf_record record = sample_record(5, 1, SAMPLE_PLAIN);
    cf_text text = print(&record);
    assert_non_null(strstr(text.data, "\"submit_ns\":64000,\"blocked_ns\":0,\"delay_ns\":null,\"late_ns\":null"));
    record.rounds.items[0].samples[4 * CF_CELL_COUNT].submit_ns[2] = 64001;
    cf_text changed = print(&record);
    assert_non_null(strstr(changed.data, ",[64000,64000,64001]],\"blocked_ns\":0"));
    cf_record back = parse(changed.data, changed.size_bytes);
    assert_memory_equal(back.rounds.items[0].samples, record.rounds.items[0].samples,
                        15 * sizeof *record.rounds.items[0].samples);
    cf_record_done(&back);
    cf_record_done(&record);
    cf_text_done(&text);
    cf_text_done(&changed);
}

static void what_nobody_saw_is_not_written(void **state)
{
    (void)state;
    cf_record record = sample_record(2, 1, SAMPLE_PLAIN);
    assert_non_null(record.rounds.items[0].seen); /* there, and empty */
    cf_text text = print(&record);
    assert_null(strstr(text.data, "\"seen\""));
    cf_record back = parse(text.data, text.size_bytes);
    assert_null(back.rounds.items[0].seen);
    prints_the_same(&back, &text);
    cf_record_done(&back);
    cf_record_done(&record);
    cf_text_done(&text);
}

static void a_half_filled_record_can_be_read(void **state)
{
    (void)state;
    cf_record record;
    cf_record_init(&record);
    record.variant_count = 1;
    record.variants = calloc(1, sizeof *record.variants);
    record.variants[0].name = cf_text_dup("none");
    cf_text text = print(&record);
    cf_record back = parse(text.data, text.size_bytes);
    assert_string_equal(back.device_name, "");
    prints_the_same(&back, &text);
    cf_record_done(&back);
    cf_record_done(&record);
    cf_text_done(&text);
}

static void the_hash_is_that_of_the_files_bytes(void **state)
{
    (void)state;
    cf_record record = sample_full(), back;
    cf_text text = print(&record);
    char written[65], read[65], expected[CF_HASH_TEXT_BYTES];
    assert_int_equal(cf_record_write("r.json", &record, written, NULL), CF_OK);
    assert_int_equal(cf_record_read("r.json", &back, read, NULL), CF_OK);
    cf_hash_sha256(text.data, text.size_bytes, expected);
    assert_string_equal(written, expected);
    assert_string_equal(read, expected);
    prints_the_same(&back, &text);
    cf_record_done(&back);
    assert_int_equal(cf_record_write("r.json", &record, NULL, NULL), CF_OK);
    assert_int_equal(cf_record_read("r.json", &back, NULL, NULL), CF_OK);
    cf_record_done(&back);
    cf_record_done(&record);
    cf_text_done(&text);
}

static void a_file_that_cannot_be_used_is_named(void **state)
{
    (void)state;
    cf_record record = sample_full();
    cf_error err = {0};
    assert_int_equal(cf_record_write("absent/r.json", &record, NULL, &err), CF_IO);
    assert_non_null(strstr(err.text, "absent/r.json: cannot be written"));
    assert_int_equal(cf_record_write("/dev/full", &record, NULL, &err), CF_IO);
    assert_non_null(strstr(err.text, "No space left"));
    cf_record_done(&record);
    assert_int_equal(cf_record_read("absent.json", &record, NULL, &err), CF_IO);
    assert_non_null(strstr(err.text, "absent.json: cannot be opened"));
    assert_int_equal(cf_record_read(".", &record, NULL, &err), CF_IO);
}

int main(void)
{
#define IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_prints_the_same_bytes),
        cmocka_unit_test(each_member_comes_back),
        cmocka_unit_test(any_layout_of_the_same_json_is_the_same_record),
        cmocka_unit_test(the_fast_way_takes_each_round_that_is_written),
        cmocka_unit_test(one_number_may_stand_for_all_of_a_cell),
        cmocka_unit_test(what_nobody_saw_is_not_written),
        cmocka_unit_test(a_half_filled_record_can_be_read),
        IN_FOLDER(the_hash_is_that_of_the_files_bytes),
        IN_FOLDER(a_file_that_cannot_be_used_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
