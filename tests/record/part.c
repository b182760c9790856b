#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/file.h"
#include "record/file.h"
#include "record/part.h"
#include "record/sample.h"
#include "scratch_folder.h"

#define PART "r.json.part"

static void prints_the_same(const cf_record *a, const cf_record *b)
{
    cf_text first = {0}, second = {0};
    assert_int_equal(cf_record_print(a, &first, NULL), CF_OK);
    assert_int_equal(cf_record_print(b, &second, NULL), CF_OK);
    assert_string_equal(first.data, second.data);
    cf_text_done(&first);
    cf_text_done(&second);
}

/* Writes full's rounds one by one, as a run does: record has the same head and none of them. */
static void run(const cf_record *record, const cf_record *full)
{
    assert_int_equal(cf_part_begin(PART, record, false, NULL), CF_OK);
    for (size_t i = 0; i < full->prologue.count; i++)
        assert_int_equal(cf_part_round(PART, record, CF_PART_PROLOGUE, &full->prologue.items[i], NULL), CF_OK);
    for (size_t i = 0; i < full->warmup.count; i++)
        assert_int_equal(cf_part_round(PART, record, CF_PART_WARMUP, &full->warmup.items[i], NULL), CF_OK);
    for (size_t i = 0; i < full->rounds.count; i++)
        assert_int_equal(cf_part_round(PART, record, CF_PART_ROUNDS, &full->rounds.items[i], NULL), CF_OK);
}

static cf_record without_rounds(void)
{
    cf_record record = sample_full();
    cf_rounds *const lists[] = {&record.prologue, &record.warmup, &record.rounds};
    for (int i = 0; i < 3; i++) {
        while (lists[i]->count)
            cf_rounds_drop_last(lists[i]);
    }
    return record;
}

static cf_record read_part(void)
{
    cf_record record;
    cf_error err = {0};
    if (cf_part_read(PART, &record, &err) != CF_OK)
        fail_msg("%s", err.text);
    return record;
}

static void append(const char *text)
{
    assert_int_equal(cf_file_append(PART, text, strlen(text), NULL), CF_OK);
}

static void head_and_lines_make_the_record(void **state)
{
    (void)state;
    cf_record record = without_rounds(), full = sample_full();
    run(&record, &full);
    cf_record back = read_part();
    prints_the_same(&back, &full);
    cf_record_done(&back);
    cf_record_done(&record);
    cf_record_done(&full);
}

static void later_proofs_replace_earlier_ones(void **state)
{
    (void)state;
    cf_record record = without_rounds(), full = sample_full();
    run(&record, &full);
    cf_record *const both[] = {&record, &full};
    for (int i = 0; i < 2; i++) {
        both[i]->variants[2].armed = CF_ARMED_NO;
        both[i]->variants[2].armed_count = 3;
        free(both[i]->variants[2].armed_how);
        both[i]->variants[2].armed_how = cf_text_dup("29 of 32 timestamps did not move");
        both[i]->data_check = CF_DATA_OK;
        free(both[i]->data_check_text);
        both[i]->data_check_text = NULL;
        assert_int_equal(cf_pairs_add(&both[i]->skipped, "spans", "not asked for", NULL), CF_OK);
    }
    assert_int_equal(cf_part_proofs(PART, &record, NULL), CF_OK);
    cf_record back = read_part();
    prints_the_same(&back, &full);
    cf_record_done(&back);
    cf_record_done(&record);
    cf_record_done(&full);
}

/* A crash can cut the last line anywhere: what is whole before it stays, and nothing of the cut line is taken. */
static void a_torn_last_line_is_dropped_wherever_it_is_torn(void **state)
{
    (void)state;
    cf_record full = sample_record(2, 2, SAMPLE_MIXED);
    run(&full, &full);
    char *data;
    size_t size_bytes;
    assert_int_equal(cf_file_read(PART, 1 << 24, &data, &size_bytes, NULL), CF_OK);
    size_t lines = 0;
    for (size_t cut = 0; cut <= size_bytes; cut++) {
        lines += cut > 0 && data[cut - 1] == '\n';
        cf_record back = {0};
        char *copy = malloc(cut ? cut : 1); /* of that size, so that a sanitizer sees reading past it */
        memcpy(copy, data, cut);
        const cf_status status = cf_part_parse(PART, copy, cut, &back, NULL);
        free(copy);
        assert_int_equal(status, lines ? CF_OK : CF_INPUT);
        if (lines)
            assert_int_equal(back.prologue.count + back.warmup.count + back.rounds.count, lines - 1);
        cf_record_done(&back);
    }
    assert_int_equal(lines, 1 + 2 + 1 + 2);
    free(data);
    cf_record_done(&full);
}

static void a_broken_line_in_the_middle_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *line, *part;
    } broken[] = {
        {"{\"rounds\":{\"round\":1,\n", "the text ends in the middle"},
        {"{\"rounds\":{\"round\":1}}\n", "rounds[4].process is missing"},
        {"{\"rounds\":5}\n", "rounds[4] is 5"},
        {"{\"lists\":[]}\n", "is no line of a part file"},
        {"{\"head\":{}}\n", "is no line of a part file"},
        {"{\"process\":-1}\n", "process is -1"},
        {"{\"proofs\":{\"variants\":[]}}\n", "proofs.variants has 0 elements"},
        {"\n", "not JSON"},
        {"{\"process\":1} {}\n", "not JSON"},
        {"[1]\n", "is no line of a part file"},
    };
    cf_record record = without_rounds(), full = sample_full();
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        run(&record, &full);
        append(broken[i].line);
        append("{\"process\":1}\n");
        cf_record back = {0};
        cf_error err = {0};
        assert_int_equal(cf_part_read(PART, &back, &err), CF_INPUT);
        if (strncmp(err.text, PART ":9: ", strlen(PART) + 4) != 0 || !strstr(err.text, broken[i].part))
            fail_msg("'%s' should name line 9 and hold '%s'", err.text, broken[i].part);
    }
    cf_record_done(&record);
    cf_record_done(&full);
}

static void the_head_must_be_whole(void **state)
{
    (void)state;
    cf_record back = {0};
    cf_error err = {0};
    append("");
    assert_int_equal(cf_part_read(PART, &back, &err), CF_INPUT);
    assert_non_null(strstr(err.text, PART ":1: holds no whole line"));
    append("{\"rounds\":{}}\n");
    assert_int_equal(cf_part_read(PART, &back, &err), CF_INPUT);
    assert_non_null(strstr(err.text, PART ":1: head is missing"));
    assert_int_equal(cf_part_read("absent", &back, &err), CF_IO);
}

static void begin_replaces_an_old_part_file(void **state)
{
    (void)state;
    cf_record record = without_rounds(), full = sample_full();
    append("what was there\n");
    assert_int_equal(cf_part_begin(PART, &full, false, NULL), CF_OK);
    cf_record back = read_part();
    prints_the_same(&back, &record); /* the head alone */
    cf_record_done(&full);
    cf_record_done(&back);
    cf_record_done(&record);
}

static void resuming_goes_on_after_the_last_whole_line(void **state)
{
    (void)state;
    cf_record record = without_rounds(), full = sample_full();
    run(&record, &full);
    append("{\"rounds\":{\"round\":5,\"proc");
    cf_record back = read_part();
    assert_int_equal(cf_part_begin(PART, &back, true, NULL), CF_OK);
    cf_rng rng = {.state = 5};
    sample_round(&full.rounds, full.variant_count, 5, SAMPLE_MIXED, &rng);
    full.rounds.items[4].process = 2;
    assert_int_equal(cf_part_round(PART, &back, CF_PART_ROUNDS, &full.rounds.items[4], NULL), CF_OK);
    char *data;
    size_t size_bytes;
    assert_int_equal(cf_file_read(PART, 1 << 24, &data, &size_bytes, NULL), CF_OK);
    assert_non_null(strstr(data, "\n{\"process\": 2}\n{\"rounds\":{\"round\":5,\"process\":2,"));
    free(data);
    cf_record again = read_part();
    prints_the_same(&again, &full);
    cf_record_done(&again);
    cf_record_done(&back);
    cf_record_done(&record);
    cf_record_done(&full);
}

/* A run that ended leaves RECORD.json and no part file: resuming it makes one that holds all of it. */
static void resuming_a_finished_record_writes_what_it_holds(void **state)
{
    (void)state;
    cf_record full = sample_full();
    assert_int_equal(cf_part_begin(PART, &full, true, NULL), CF_OK);
    cf_record back = read_part();
    prints_the_same(&back, &full);
    cf_record_done(&back);
    append("{\"head");
    assert_int_equal(truncate(PART, 3), 0); /* torn within its head: nothing is whole */
    assert_int_equal(cf_part_begin(PART, &full, true, NULL), CF_OK);
    back = read_part();
    prints_the_same(&back, &full);
    cf_record_done(&back);
    cf_record_done(&full);
}

static void the_last_line_of_steps_says_where_they_are(void **state)
{
    (void)state;
    cf_record full = sample_full(), back;
    cf_part_steps steps = {.folder = "steps-Ab12Cd", .host = "here", .boot = "one"}, read = {.pid = 7};
    assert_int_equal(cf_part_begin(PART, &full, false, NULL), CF_OK);
    assert_int_equal(cf_part_read_steps(PART, &back, &read, NULL), CF_OK);
    assert_string_equal(read.folder, "");
    assert_int_equal(read.pid, 0);
    cf_record_done(&back);
    assert_int_equal(cf_part_add_steps(PART, &steps, NULL), CF_OK);
    steps.pid = 4711;
    steps.start = 99;
    assert_int_equal(cf_part_add_steps(PART, &steps, NULL), CF_OK);
    append("{\"steps\": {\"folder\": \"st");
    assert_int_equal(cf_part_read_steps(PART, &back, &read, NULL), CF_OK);
    assert_memory_equal(&read, &steps, sizeof read);
    cf_record_done(&back);
    cf_record_done(&full);
}

static void steps_are_beside_the_part_file_and_nowhere_else(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\"/etc\"",  "\"steps-/../x\"",
        "\"..\"",    "\"\"",
        "null",      "7",
        "\"other\"", "\"steps-0123456789012345678901234567890123456789012345678901234567890123456789\""};
    cf_record full = sample_full(), back;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char line[256];
        cf_part_steps read;
        cf_error err = {0};
        assert_int_equal(cf_part_begin(PART, &full, false, NULL), CF_OK);
        snprintf(line, sizeof line,
                 "{\"steps\": {\"folder\": %s, \"host\": \"\", \"boot\": \"\", \"pid\": 0, "
                 "\"start\": 0}}\n",
                 bad[i]);
        append(line);
        assert_int_equal(cf_part_read_steps(PART, &back, &read, &err), CF_INPUT);
        assert_memory_equal(err.text, PART ":2: ", sizeof PART + 3);
    }
    cf_record_done(&full);
}

static void a_part_file_keeps_its_lock(void **state)
{
    (void)state;
    int fd = -1;
    cf_record full = sample_full();
    assert_int_equal(cf_file_hold(PART, true, &fd, NULL), CF_OK);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(cf_part_begin(PART, &full, again, NULL), CF_OK);
        assert_true(cf_file_is_held(PART, fd));
    }
    close(fd);
    cf_record_done(&full);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    cf_record full = sample_full();
    cf_error err = {0};
    assert_int_equal(cf_part_begin("/dev/full", &full, false, &err), CF_IO);
    assert_non_null(strstr(err.text, "/dev/full: cannot be written: No space left"));
    assert_int_equal(cf_part_round("/dev/full", &full, CF_PART_ROUNDS, &full.rounds.items[0], &err), CF_IO);
    assert_int_equal(cf_part_proofs("/dev/full", &full, &err), CF_IO);
    assert_int_equal(cf_part_begin("absent/" PART, &full, false, &err), CF_IO);
    assert_int_equal(cf_part_begin("absent/" PART, &full, true, &err), CF_IO);
    cf_record_done(&full);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)
    const struct CMUnitTest tests[] = {
        T(head_and_lines_make_the_record),
        T(later_proofs_replace_earlier_ones),
        T(a_torn_last_line_is_dropped_wherever_it_is_torn),
        T(a_broken_line_in_the_middle_is_named),
        T(the_head_must_be_whole),
        T(begin_replaces_an_old_part_file),
        T(resuming_goes_on_after_the_last_whole_line),
        T(resuming_a_finished_record_writes_what_it_holds),
        T(the_last_line_of_steps_says_where_they_are),
        T(steps_are_beside_the_part_file_and_nowhere_else),
        T(a_part_file_keeps_its_lock),
        T(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
