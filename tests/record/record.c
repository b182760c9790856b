#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "record/record.h"

static void a_fresh_record_has_the_settings_of_the_method(void **state)
{
    (void)state;
    cf_record record;
    cf_record_init(&record);
    assert_true(record.margin == 0.10 && record.alpha == 0.01);
    assert_int_equal(record.min_rounds, 12);
    assert_int_equal(record.max_rounds, 120);
    assert_int_equal(record.data_check, CF_DATA_NOT_RUN);
    cf_record_done(&record);
    cf_record_done(&record);
    cf_record_done(NULL);
}

static void a_round_has_room_for_each_cell(void **state)
{
    (void)state;
    cf_rounds rounds = {0};
    for (int i = 0; i < 40; i++) {
        cf_round *round = cf_rounds_add(&rounds, 5);
        assert_non_null(round);
        assert_int_equal(round->order_count, 15);
        assert_int_equal(round->samples[14].late_ns[CF_STEPS - 1], 0);
        assert_int_equal(round->seen[4].shorter_ns, 0);
        round->number = i + 1;
        round->samples[14].wall_ns[0] = i;
    }
    assert_int_equal(rounds.count, 40);
    assert_int_equal(cf_round_sample(&rounds.items[17], 4, CF_CELL_AB)->wall_ns[0], 17);
    cf_rounds_drop_last(&rounds);
    assert_int_equal(rounds.count, 39);
    assert_int_equal(rounds.items[38].number, 39);
    cf_record record = {.rounds = rounds};
    cf_record_done(&record);
    cf_rounds none = {0};
    cf_rounds_drop_last(&none);
    assert_int_equal(none.count, 0);
}

static void pairs_keep_their_order_and_the_last_value(void **state)
{
    (void)state;
    cf_record record = {0};
    cf_error err;
    char name[16];
    for (int i = 0; i < 9; i++) {
        name[0] = (char)('i' - i);
        name[1] = 0;
        assert_int_equal(cf_pairs_add(&record.host, name, i % 2 ? NULL : "old", &err), CF_OK);
    }
    assert_int_equal(cf_pairs_add(&record.host, "c", "new", &err), CF_OK);
    assert_int_equal(cf_pairs_add(&record.host, "h", "was null", &err), CF_OK);
    assert_int_equal(cf_pairs_add(&record.host, "i", NULL, &err), CF_OK);
    assert_int_equal(record.host.count, 9);
    assert_string_equal(record.host.items[1].name, "h");
    assert_string_equal(cf_pairs_get(&record.host, "c"), "new");
    assert_string_equal(cf_pairs_get(&record.host, "h"), "was null");
    assert_string_equal(cf_pairs_get(&record.host, "a"), "old");
    assert_null(cf_pairs_get(&record.host, "i"));
    assert_null(cf_pairs_get(&record.host, "absent"));
    const size_t count = record.host.count;
    cf_pairs_drop(&record.host, "c");
    cf_pairs_drop(&record.host, "absent");
    assert_int_equal(record.host.count, count - 1);
    assert_null(cf_pairs_get(&record.host, "c"));
    assert_string_equal(cf_pairs_get(&record.host, "h"), "was null");
    assert_int_equal(cf_pairs_add(&record.host, "c", "again", &err), CF_OK);
    assert_string_equal(cf_pairs_get(&record.host, "c"), "again");
    cf_record_done(&record);
}

static void a_cells_value_is_the_median_of_its_steps(void **state)
{
    (void)state;
    static const int64_t orders[6][CF_STEPS] = {{1, 2, 9}, {1, 9, 2}, {2, 1, 9}, {2, 9, 1}, {9, 1, 2}, {9, 2, 1}};
    for (int i = 0; i < 6; i++)
        assert_int_equal(cf_sample_value_ns(orders[i]), 2);
    assert_int_equal(cf_sample_value_ns((const int64_t[CF_STEPS]){-1, -1, -1}), -1);
    assert_int_equal(cf_sample_value_ns((const int64_t[CF_STEPS]){5, 5, 1}), 5);
}

static void names_have_their_words(void **state)
{
    (void)state;
    assert_string_equal(cf_cell_name(CF_CELL_AB), "ab");
    assert_string_equal(cf_role_name(CF_ROLE_CONTROL), "control");
    assert_string_equal(cf_role_name(CF_ROLE_DESIGN), "design");
    assert_string_equal(cf_role_name((cf_role)99), "?");
    assert_string_equal(cf_cell_name((cf_cell)-1), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fresh_record_has_the_settings_of_the_method),
        cmocka_unit_test(a_round_has_room_for_each_cell),
        cmocka_unit_test(pairs_keep_their_order_and_the_last_value),
        cmocka_unit_test(a_cells_value_is_the_median_of_its_steps),
        cmocka_unit_test(names_have_their_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
