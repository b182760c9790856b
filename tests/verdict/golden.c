#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/golden.h"
#include "stats/stats.h"
#include "verdict/made.h"

/* golden.json has no replica and no reference: a copy of the control and a serialising one are added, which takes
   nothing from the families that instruments are tested in. */
static const made_variant with_one[] = {
    MADE_NONE, MADE_AGAIN, {"one-queue", CF_ROLE_REFERENCE, 8, 10, 18}, {"timing", CF_ROLE_INSTRUMENT, 8, 10, 10}};

static void set_walls(cf_round *round, int variant, const double ms[CF_CELL_COUNT])
{
    for (int cell = 0; cell < CF_CELL_COUNT; cell++)
        made_set(round, variant, (cf_cell)cell, ms[cell]);
}

static cf_record record_of_rows(json_t *rows)
{
    size_t count = json_array_size(rows);
    cf_record record = made_record(with_one, MADE_COUNT(with_one), (long)count);
    for (size_t i = 0; i < count; i++) {
        size_t six;
        double *row = golden_numbers(json_array_get(rows, i), &six);
        assert_int_equal(six, 6);
        set_walls(&record.rounds.items[i], 0, row);
        set_walls(&record.rounds.items[i], 1, row);
        set_walls(&record.rounds.items[i], 3, row + 3);
        free(row);
    }
    /* The prologue is the control's own, or its walls would look like a sticky instrument's doing. */
    for (size_t i = 0; i < record.prologue.count; i++)
        for (int cell = 0; cell < CF_CELL_COUNT; cell++)
            memcpy(record.prologue.items[i].samples[cell].wall_ns,
                   record.rounds.items[i < count ? i : 0].samples[cell].wall_ns,
                   sizeof record.prologue.items[i].samples->wall_ns);
    return record;
}

static const char *side_name(int side)
{
    return side == 0 ? "copy" : "compute";
}

/* golden's older words. */
static const char *reading_word(cf_reading reading)
{
    switch (reading) {
    case CF_READING_OVERLAPS:
        return "overlapped";
    case CF_READING_SERIALISES:
        return "serial";
    default:
        return cf_reading_name(reading);
    }
}

static const char *effect_word(cf_effect effect)
{
    return effect == CF_EFFECT_CLEAR ? "not_confounded" : cf_effect_name(effect);
}

static void check_ends(double low, double high, json_t *expected)
{
    assert_six_digits(low, golden_number(json_array_get(expected, 0)));
    assert_six_digits(high, golden_number(json_array_get(expected, 1)));
}

static void check_estimate(const cf_estimate *actual, json_t *expect, const char *median, const char *ci95)
{
    assert_true(actual->ok);
    assert_six_digits(actual->median, golden_number(golden_get(expect, median)));
    check_ends(actual->low, actual->high, golden_get(expect, ci95));
}

static double overlap_of(const cf_record *record, size_t round, int variant, int side)
{
    double ns[CF_CELL_COUNT];
    for (int cell = 0; cell < CF_CELL_COUNT; cell++)
        ns[cell] = (double)record->rounds.items[round].samples[variant * CF_CELL_COUNT + cell].wall_ns[0];
    return cf_stats_overlap(ns[0], ns[1], ns[2], side);
}

static void check_sequence(const double *x, size_t n, json_t *expected)
{
    cf_interval cs = cf_stats_median_cs(x, n, 0.005);
    check_ends(cs.low, cs.high, expected);
}

static void check_counts(const cf_record *record, const cf_judgement *judgement, json_t *expect)
{
    size_t n = record->rounds.count;
    double *bare = calloc(n, sizeof *bare), *difference = calloc(n, sizeof *difference);
    int up = 0, down = 0, not_down = 0, not_up = 0;
    for (size_t i = 0; i < n; i++) {
        bare[i] = overlap_of(record, i, 0, judgement->variants[0].side);
        difference[i] = overlap_of(record, i, 3, judgement->variants[3].side) - bare[i];
        up += difference[i] > 0.1;
        down += difference[i] < -0.1;
        not_down += difference[i] > -0.1;
        not_up += difference[i] < 0.1;
    }
    check_sequence(bare, n, golden_get(expect, "O_bare_cs99"));
    check_sequence(difference, n, golden_get(expect, "dO_cs99"));
    assert_int_equal(up, json_integer_value(golden_get(expect, "n_gt_delta")));
    assert_int_equal(down, json_integer_value(golden_get(expect, "n_lt_mdelta")));
    assert_int_equal(not_down, json_integer_value(golden_get(expect, "n_gt_mdelta")));
    assert_int_equal(not_up, json_integer_value(golden_get(expect, "n_lt_delta")));
    assert_int_equal(cf_stats_kstar((long)n, 0.005), json_integer_value(golden_get(expect, "kstar")));
    free(bare);
    free(difference);
}

static void check_full(json_t *item)
{
    json_t *expect = golden_get(item, "expect");
    cf_record record = record_of_rows(golden_get(item, "rows"));
    record.min_rounds = (int64_t)record.rounds.count; /* one look, at the last round */
    cf_judgement judgement = made_judge(&record);
    const cf_variant_judgement *bare = &judgement.variants[0], *timed = &judgement.variants[3];
    assert_string_equal(side_name(bare->side), json_string_value(golden_get(expect, "side_bare")));
    assert_string_equal(side_name(timed->side), json_string_value(golden_get(expect, "side_instr")));
    check_estimate(&bare->overlap, expect, "O_bare_median", "O_bare_ci95");
    check_estimate(&timed->overlap, expect, "O_instr_median", "O_instr_ci95");
    check_estimate(&timed->effect.delta, expect, "dO_median", "dO_ci95");
    assert_six_digits(timed->slowdown[CF_CELL_A].median, golden_number(golden_get(expect, "slow_copy")));
    assert_six_digits(timed->slowdown[CF_CELL_B].median, golden_number(golden_get(expect, "slow_compute")));
    assert_six_digits(timed->slowdown[CF_CELL_AB].median, golden_number(golden_get(expect, "slow_both")));
    assert_six_digits(judgement.balance, golden_number(golden_get(expect, "balance")));
    check_counts(&record, &judgement, expect);
    assert_string_equal(reading_word(bare->reading), json_string_value(golden_get(expect, "bare_verdict")));
    assert_string_equal(effect_word(timed->effect.verdict), json_string_value(golden_get(expect, "instr_verdict")));
    cf_judgement_done(&judgement);
    cf_record_done(&record);
}

static void one_look_gives_the_numbers_and_verdicts_of_golden(void **state)
{
    json_t *cases = golden_get(*state, "full"), *item;
    size_t i;
    assert_true(json_array_size(cases) > 0);
    json_array_foreach(cases, i, item)
    {
        check_full(item);
    }
}

static json_t *find_rows(json_t *golden, const char *name)
{
    json_t *item;
    size_t i;
    json_array_foreach(golden_get(golden, "full"), i, item)
    {
        if (strcmp(json_string_value(golden_get(item, "name")), name) == 0)
            return golden_get(item, "rows");
    }
    fail_msg("no rows named %s", name);
    return NULL;
}

static void set_columns(cf_record *record, int variant, json_t *columns)
{
    for (int cell = 0; cell < CF_CELL_COUNT; cell++) {
        size_t n;
        double *ms = golden_numbers(json_array_get(columns, (size_t)cell), &n);
        assert_int_equal(n, record->rounds.count);
        for (size_t i = 0; i < n; i++)
            made_set(&record->rounds.items[i], variant, (cf_cell)cell, ms[i]);
        free(ms);
    }
}

static cf_record record_of_columns(json_t *variants)
{
    made_variant made[CF_MAX_VARIANTS] = {MADE_NONE, MADE_AGAIN, {"one-queue", CF_ROLE_REFERENCE, 8, 10, 18}};
    json_t *columns;
    const char *name;
    int count = 3;
    json_object_foreach(variants, name, columns)
    {
        if (strcmp(name, "none") != 0)
            made[count++] = (made_variant){name, CF_ROLE_INSTRUMENT, 8, 10, 10};
    }
    json_t *control = golden_get(variants, "none");
    cf_record record = made_record(made, count, (long)json_array_size(json_array_get(control, 0)));
    set_columns(&record, 0, control);
    set_columns(&record, 1, control);
    for (int v = 3; v < count; v++)
        set_columns(&record, v, golden_get(variants, made[v].name));
    for (size_t i = 0; i < record.prologue.count; i++)
        memcpy(record.prologue.items[i].samples, record.rounds.items[i].samples, CF_CELL_COUNT * sizeof(cf_sample));
    return record;
}

static void check_decision(const char *word, long at, json_t *expected, const char *key)
{
    assert_string_equal(word, json_string_value(golden_get(expected, key)));
    json_t *expected_at = golden_get(expected, "at");
    assert_int_equal(at, json_is_null(expected_at) ? 0 : json_integer_value(expected_at));
}

static void check_sequential(json_t *golden, json_t *item)
{
    json_t *variants = json_object_get(item, "variants"), *expected;
    const char *name;
    cf_record record = variants ? record_of_columns(variants)
                                : record_of_rows(find_rows(golden, json_string_value(golden_get(item, "rows_of"))));
    cf_judgement judgement = made_judge(&record);
    json_object_foreach(golden_get(item, "readings"), name, expected)
    {
        const cf_variant_judgement *variant = made_find(&record, &judgement, name);
        check_decision(cf_reading_name(variant->reading), variant->reading_at, expected, "reading");
    }
    json_object_foreach(golden_get(item, "effects"), name, expected)
    {
        const cf_effect_judgement *effect = &made_find(&record, &judgement, name)->effect;
        check_decision(cf_effect_name(effect->verdict), effect->decided_at, expected, "effect");
    }
    cf_judgement_done(&judgement);
    cf_record_done(&record);
}

static void every_look_decides_when_golden_does(void **state)
{
    json_t *cases = golden_get(*state, "sequential"), *item;
    size_t i;
    assert_true(json_array_size(cases) > 0);
    json_array_foreach(cases, i, item)
    {
        check_sequential(*state, item);
    }
}

/* Stopping early is judging a prefix: whatever is decided on it stands on the whole. */
static void what_a_prefix_decides_the_whole_record_decides_at_the_same_round(void **state)
{
    json_t *item;
    size_t i;
    json_array_foreach(golden_get(*state, "sequential"), i, item)
    {
        json_t *variants = json_object_get(item, "variants");
        if (!variants)
            continue;
        cf_record record = record_of_columns(variants);
        cf_judgement whole = made_judge(&record);
        size_t all = record.rounds.count;
        for (size_t n = 1; n <= all; n++) {
            record.rounds.count = n;
            cf_judgement prefix = made_judge(&record);
            for (int v = 0; v < record.variant_count; v++) {
                const cf_effect_judgement *early = &prefix.variants[v].effect, *late = &whole.variants[v].effect;
                assert_int_equal(early->decided_at, late->decided_at > (long)n ? 0 : late->decided_at);
                assert_true(early->decided_at == 0 || early->verdict == late->verdict);
                long early_at = prefix.variants[v].reading_at, late_at = whole.variants[v].reading_at;
                assert_int_equal(early_at, late_at > (long)n ? 0 : late_at);
            }
            cf_judgement_done(&prefix);
        }
        record.rounds.count = all;
        cf_judgement_done(&whole);
        cf_record_done(&record);
    }
}

static int load(void **state)
{
    *state = golden_load();
    return 0;
}

static int unload(void **state)
{
    json_decref(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_look_gives_the_numbers_and_verdicts_of_golden),
        cmocka_unit_test(every_look_decides_when_golden_does),
        cmocka_unit_test(what_a_prefix_decides_the_whole_record_decides_at_the_same_round),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
