/* The experiment's order and its proofs, on the virtual clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "device/sim/sim.h"
#include "record/file.h"
#include "run/run.h"

/* ---- a device that loses one record call in so many: what is left of an instrument without it ---- */

static struct {
    int lane, side; /* of the calls that are lost; -1 = none */
    int every, seen;
} leak = {.lane = -1};

static cf_status record_or_lose(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                                cf_error *err)
{
    if (op->lane == leak.lane && (int)side == leak.side && ++leak.seen % leak.every == 0)
        return CF_OK;
    return cf_device_sim.record(device, stream, event, op, side, err);
}

static int submits_left = -1; /* until the device is lost; -1 = never */

static cf_status submit_or_fail(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    if (submits_left == 0)
        return cf_error_set_call(err, CF_DEVICE, "testSubmit", 999, "the device was lost");
    if (submits_left > 0)
        submits_left--;
    return cf_device_sim.submit(device, stream, op, err);
}

static cf_device_ops backend;

static int set_up(void **state)
{
    (void)state;
    backend = cf_device_sim;
    backend.record = record_or_lose;
    backend.submit = submit_or_fail;
    leak.lane = -1;
    leak.seen = 0;
    submits_left = -1;
    return 0;
}

/* ---- running ---- */

static void load(const char *text, cf_job *job)
{
    cf_ini ini = {0};
    cf_error err = {0};
    *job = (cf_job){0};
    if (cf_ini_parse("t.ini", text, strlen(text), &ini, &err) != CF_OK ||
        cf_job_from_ini(&ini, NULL, job, &err) != CF_OK)
        fail_msg("%s", err.text);
    cf_ini_done(&ini);
}

static cf_status run_text(const char *text, cf_run_options options, cf_record *record, cf_error *err)
{
    cf_job job;
    load(text, &job);
    options.backend = &backend;
    options.job = &job;
    cf_status status = cf_run(&options, record, err);
    cf_job_done(&job);
    return status;
}

#define SHORT "[lane a]\ncount = 4\nns = 1ms\n[lane b]\ncount = 4\nns = 1ms\n[run]\nrounds = 12\n"

static const cf_record_variant *variant(const cf_record *record, const char *name, int *ret_index)
{
    for (int i = 0; i < record->variant_count; i++)
        if (strcmp(record->variants[i].name, name) == 0) {
            if (ret_index != NULL)
                *ret_index = i;
            return &record->variants[i];
        }
    fail_msg("no variant %s", name);
    return NULL;
}

static void run_ok(const char *text, cf_record *record)
{
    cf_error err = {0};
    cf_record_init(record);
    if (run_text(text, (cf_run_options){.seed = 42}, record, &err) != CF_OK)
        fail_msg("%s", err.text);
}

static void a_round_has_every_cell_once_in_the_seeds_own_order(void **state)
{
    (void)state;
    cf_record record;
    run_ok(SHORT, &record);
    assert_int_equal(record.rounds.count, 12);
    assert_int_equal(record.prologue.count, 24);
    assert_int_equal(record.warmup.count, 1);
    cf_rng rng = {.state = 42};
    for (size_t r = 0; r < record.rounds.count; r++) {
        int expected[CF_MAX_VARIANTS * 3];
        int cells = record.variant_count * 3;
        for (int i = 0; i < cells; i++)
            expected[i] = i;
        cf_rng_shuffle(&rng, expected, (size_t)cells);
        assert_int_equal(record.rounds.items[r].order_count, cells);
        assert_memory_equal(record.rounds.items[r].order, expected, (size_t)cells * sizeof(int));
        assert_int_equal(record.rounds.items[r].number, r + 1);
    }
    cf_record_done(&record);
}

static void walls_are_the_models(void **state)
{
    (void)state;
    cf_record record;
    run_ok(SHORT, &record);
    int timing = 0;
    variant(&record, "timing", &timing);
    const cf_round *round = &record.rounds.items[5];
    assert_int_equal(cf_round_sample(round, 0, CF_CELL_AB)->wall_ns[0], 4000000);
    assert_int_equal(cf_round_sample(round, timing, CF_CELL_A)->wall_ns[1], 4016000);
    assert_int_equal(cf_round_sample(round, timing, CF_CELL_AB)->wall_ns[2], 8032000);
    assert_int_equal(round->seen[0].shorter_ns, 0);
    assert_true(round->seen[timing].shorter_ns > 0);
    assert_int_equal(round->seen[timing].overlap_ns, 0);
    cf_record_done(&record);
}

static void the_control_proves_that_nothing_is_armed(void **state)
{
    (void)state;
    cf_record record;
    run_ok(SHORT, &record);
    assert_int_equal(variant(&record, "none", NULL)->armed, CF_ARMED_NO);
    assert_int_equal(variant(&record, "none-again", NULL)->armed, CF_ARMED_NO);
    assert_int_equal(variant(&record, "one-queue", NULL)->armed, CF_ARMED_YES);
    cf_record_done(&record);
}

static void an_instrument_owes_what_the_job_says(void **state)
{
    (void)state;
    cf_record record;
    run_ok(SHORT "[instruments]\nuse = sync timing host-sync\n", &record);
    /* 12 rounds x 4 windows x (4 + 4 in the solo cells, 8 in ab) operations, on both sides */
    const int64_t operations = 12 * 4 * 16;
    const char *names[] = {"sync", "timing", "host-sync"};
    for (int i = 0; i < 3; i++) {
        const cf_record_variant *v = variant(&record, names[i], NULL);
        assert_int_equal(v->armed, CF_ARMED_YES);
        assert_int_equal(v->armed_expected, i < 2 ? 2 * operations : operations);
        assert_int_equal(v->armed_count, v->armed_expected);
    }
    cf_record_done(&record);
}

/* Guards "taking one record call out of any instrument makes it inconclusive": here each call of every instrument that
   records is lost once in three hundred, or always, and armed must then be false. */
static void one_record_call_less_and_the_instrument_is_not_armed(void **state)
{
    (void)state;
    const int everies[] = {1, 300};
    for (int lane = 0; lane < 2; lane++)
        for (int side = 0; side < 2; side++)
            for (int e = 0; e < 2; e++) {
                leak.lane = lane;
                leak.side = side;
                leak.every = everies[e];
                leak.seen = 0;
                cf_record record;
                run_ok(SHORT, &record);
                bool sync = variant(&record, "sync", NULL)->armed == CF_ARMED_YES;
                bool timing = variant(&record, "timing", NULL)->armed == CF_ARMED_YES;
                if (everies[e] == 1)
                    assert_false(sync || timing);
                else
                    assert_false(sync && timing);
                cf_record_done(&record);
            }
}

static void an_instrument_that_is_armed_too_late_is_not_armed(void **state)
{
    (void)state;
    cf_record record;
    run_ok(SHORT "[event timing]\narm_late_ignored = yes\n", &record);
    assert_int_equal(variant(&record, "timing", NULL)->armed, CF_ARMED_NO);
    assert_int_equal(variant(&record, "sync", NULL)->armed, CF_ARMED_YES);
    cf_record_done(&record);
}

static void steps_in_flight_make_one_window(void **state)
{
    (void)state;
    cf_record record;
    run_ok(SHORT "[order]\nin_flight = 3\n", &record);
    assert_int_equal(record.job.in_flight, 3);
    assert_int_equal(cf_round_sample(&record.rounds.items[0], 0, CF_CELL_AB)->wall_ns[0], 12000000);
    cf_record_done(&record);
}

static void host_sync_counts_as_blocked_not_as_submission(void **state)
{
    (void)state;
    cf_record record;
    int at = 0;
    run_ok(SHORT "[instruments]\nuse = host-sync\n", &record);
    variant(&record, "host-sync", &at);
    const cf_sample *s = cf_round_sample(&record.rounds.items[0], at, CF_CELL_AB);
    assert_int_equal(s->wall_ns[0], 8000000);
    assert_int_equal(s->submit_ns[0], 8000000);
    assert_int_equal(s->blocked_ns[0], 8000000);
    cf_record_done(&record);
}

static void lengths_that_are_left_out_are_calibrated_to_a_balance(void **state)
{
    (void)state;
    cf_record record;
    run_ok("[lane a]\ncount = 4\n[lane b]\ncount = 4\n[run]\nrounds = 12\n", &record);
    int64_t a_ns = cf_round_sample(&record.rounds.items[0], 0, CF_CELL_A)->wall_ns[0];
    int64_t b_ns = cf_round_sample(&record.rounds.items[0], 0, CF_CELL_B)->wall_ns[0];
    assert_true(a_ns >= 1900000);
    assert_true((double)a_ns / (double)b_ns >= 0.7 && (double)a_ns / (double)b_ns <= 0.9);
    assert_false(record.job.lane[0].given);
    cf_record_done(&record);
}

static void first_use_is_kept_apart(void **state)
{
    (void)state;
    cf_record record;
    run_ok(SHORT "[habits]\nfirst_use_ns = 50ms\n", &record);
    assert_int_equal(record.first_step_ns[1], 54000000);
    for (size_t i = 0; i < record.rounds.count; i++)
        assert_int_equal(cf_round_sample(&record.rounds.items[i], 0, CF_CELL_B)->wall_ns[0], 4000000);
    cf_record_done(&record);
}

static void the_second_design_shares_the_rounds_and_the_work(void **state)
{
    (void)state;
    cf_record record;
    cf_job against;
    cf_error err = {0};
    cf_record_init(&record);
    load("[lane a]\ncount = 2\n[lane b]\ncount = 4\n", &against);
    assert_int_equal(run_text(SHORT, (cf_run_options){.seed = 1, .against = &against}, &record, &err), CF_OK);
    int at = 0;
    assert_int_equal(variant(&record, "against", &at)->role, CF_ROLE_DESIGN);
    assert_int_equal(record.against.lane[0].length, 2000000);
    assert_int_equal(cf_round_sample(&record.rounds.items[0], at, CF_CELL_A)->wall_ns[0], 4000000);
    cf_job_done(&against);
    cf_record_done(&record);
}

/* ---- nothing is lost ---- */

static void a_device_that_is_lost_keeps_the_whole_rounds(void **state)
{
    (void)state;
    cf_record record;
    cf_error err = {0};
    char path[] = "/tmp/cf-run-XXXXXX";
    close(mkstemp(path));
    cf_record_init(&record);
    /* 2 first steps, prologue and warm-up, then 3 rounds and a half */
    const int windows = 4;
    const int round = 5 * windows * 16;
    submits_left = 8 + 24 * windows * 16 + 3 * round + 3 * round + round / 2;
    cf_status status = run_text(SHORT, (cf_run_options){.seed = 3, .part_path = path}, &record, &err);
    assert_int_equal(status, CF_DEVICE);
    assert_string_equal(err.call, "testSubmit");
    assert_int_equal(err.native, 999);
    assert_int_equal(record.rounds.count, 3);
    cf_record again;
    cf_record_init(&again);
    if (cf_part_read(path, &again, &err) != CF_OK)
        fail_msg("%s", err.text);
    assert_int_equal(again.rounds.count, 3);
    assert_memory_equal(again.rounds.items[2].order, record.rounds.items[2].order, 15 * sizeof(int));
    cf_record_done(&again);
    cf_record_done(&record);
    unlink(path);
}

static int rounds_until_cancel;
static bool cancel_soon(void *user)
{
    const cf_record *record = user;
    return (int)record->rounds.count >= rounds_until_cancel;
}

static void a_resumed_run_goes_on_in_the_same_order_and_another_process(void **state)
{
    (void)state;
    cf_record whole, half;
    cf_error err = {0};
    char path[] = "/tmp/cf-run-XXXXXX";
    close(mkstemp(path));
    run_ok(SHORT, &whole);
    cf_record_init(&half);
    rounds_until_cancel = 5;
    cf_run_options options = {.seed = 42, .part_path = path, .callbacks = {.user = &half, .cancelled = cancel_soon}};
    assert_int_equal(run_text(SHORT, options, &half, &err), CF_OK);
    assert_true(half.interrupted);
    assert_int_equal(half.rounds.count, 5);
    cf_record_done(&half);
    if (cf_part_read(path, &half, &err) != CF_OK)
        fail_msg("%s", err.text);
    assert_int_equal(run_text(SHORT, (cf_run_options){.part_path = path, .resume = true}, &half, &err), CF_OK);
    assert_int_equal(half.rounds.count, 12);
    assert_int_equal(half.prologue.count, 48);
    assert_int_equal(half.warmup.count, 2);
    for (size_t i = 0; i < 12; i++) {
        assert_int_equal(half.rounds.items[i].process, i < 5 ? 0 : 1);
        assert_memory_equal(half.rounds.items[i].order, whole.rounds.items[i].order, 15 * sizeof(int));
    }
    assert_int_equal(variant(&half, "timing", NULL)->armed, CF_ARMED_YES);
    cf_record_done(&half);
    cf_record_done(&whole);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_round_has_every_cell_once_in_the_seeds_own_order, set_up),
        cmocka_unit_test_setup(walls_are_the_models, set_up),
        cmocka_unit_test_setup(the_control_proves_that_nothing_is_armed, set_up),
        cmocka_unit_test_setup(an_instrument_owes_what_the_job_says, set_up),
        cmocka_unit_test_setup(one_record_call_less_and_the_instrument_is_not_armed, set_up),
        cmocka_unit_test_setup(an_instrument_that_is_armed_too_late_is_not_armed, set_up),
        cmocka_unit_test_setup(steps_in_flight_make_one_window, set_up),
        cmocka_unit_test_setup(host_sync_counts_as_blocked_not_as_submission, set_up),
        cmocka_unit_test_setup(lengths_that_are_left_out_are_calibrated_to_a_balance, set_up),
        cmocka_unit_test_setup(first_use_is_kept_apart, set_up),
        cmocka_unit_test_setup(the_second_design_shares_the_rounds_and_the_work, set_up),
        cmocka_unit_test_setup(a_device_that_is_lost_keeps_the_whole_rounds, set_up),
        cmocka_unit_test_setup(a_resumed_run_goes_on_in_the_same_order_and_another_process, set_up),
    };
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
