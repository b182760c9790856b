/* Contention, noise and an instrument's habits on `soft` (rules 5, 9 and 10). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/soft_rig.h"

#define ENGINES "[engine ccs]\nruns = kernel\n[engine bcs]\nruns = copy\n"
#define TAGS    "[event timing]\nlowering = command\ncost_ns = 10us\n"

static size_t count_of(const rig *r, const char *what, int lane)
{
    size_t count = 0;
    for (size_t i = 0; i < r->span_count; i++)
        count += strcmp(r->spans[i].what, what) == 0 && r->spans[i].lane == lane;
    return count;
}

static void both_lanes(rig *r, uint32_t count, uint64_t ns)
{
    for (uint32_t i = 0; i < count; i++) {
        cf_op copy = rig_copy(r, i, ns);
        cf_op kernel = rig_kernel(r, i, ns);
        rig_submit(r, r->streams[0], &copy);
        rig_submit(r, r->streams[1], &kernel);
    }
    rig_wait(r, NULL);
}

/* Lanes of 8 x 2 ms at a rate: alone 16 ms, together 16 ms / rate. No upper bound: a machine may be slow. */
static uint64_t together_ns(const char *contention)
{
    char text[160];
    snprintf(text, sizeof text, "[model]\ncontention = %s\n" ENGINES, contention);
    rig r;
    rig_open(&r, text);
    uint64_t begin_ns = cf_clock_now_ns();
    both_lanes(&r, 8, 2 * MS);
    uint64_t wall_ns = cf_clock_now_ns() - begin_ns;
    rig_close(&r);
    return wall_ns;
}

static void contention_slows_both_lanes(void **state)
{
    (void)state;
    /* Wake-ups that are late let a lane run alone for a moment, hence not the whole of 32 ms. */
    assert_true(together_ns("0.5") >= 27 * MS);
}

static void contention_slows_nothing_that_runs_alone(void **state)
{
    (void)state;
    /* The least of some, for a machine that is busy elsewhere: nothing of the model could make it shorter. */
    uint64_t least_ns = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        rig r;
        rig_open(&r, "[model]\ncontention = 0.25\n" ENGINES);
        uint64_t begin_ns = cf_clock_now_ns();
        cf_op copy = rig_copy(&r, 0, 5 * MS);
        rig_submit(&r, r.streams[0], &copy);
        rig_wait(&r, NULL);
        uint64_t wall_ns = cf_clock_now_ns() - begin_ns;
        least_ns = wall_ns < least_ns ? wall_ns : least_ns;
        rig_close(&r);
    }
    assert_true(least_ns >= 5 * MS);
    assert_true(least_ns < 20 * MS);
}

static void timing_that_sticks_stays_around_operations_that_nobody_records(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, ENGINES TAGS "sticky = yes\n");
    rig_watch(&r);
    both_lanes(&r, 2, 20 * US);
    rig_seen(&r);
    assert_int_equal(r.span_count, 4);
    rig_arm(&r, CF_EVENT_TIMING);
    rig_watch(&r);
    both_lanes(&r, 2, 20 * US);
    rig_seen(&r);
    /* Armed: the records that were asked for and no more. */
    for (int lane = 0; lane < 2; lane++) {
        assert_int_equal(count_of(&r, "record before", lane), 2);
        assert_int_equal(count_of(&r, "record after", lane), 2);
    }
    for (uint32_t i = 0; i < 2; i++)
        for (int side = 0; side < 2; side++)
            assert_true(rig_read(&r, r.marks[0][i][side]).has_stamp);
    assert_true(rig_read(&r, r.marks[0][1][0]).stamp_ns < rig_read(&r, r.marks[0][1][1]).stamp_ns);
    rig_disarm(&r);
    rig_watch(&r);
    both_lanes(&r, 2, 20 * US);
    rig_seen(&r);
    for (int lane = 0; lane < 2; lane++) {
        assert_int_equal(count_of(&r, "record before", lane), 2);
        assert_int_equal(count_of(&r, "record after", lane), 2);
    }
    rig_close(&r);
}

static void timing_that_does_not_stick_is_gone_with_its_events(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, ENGINES TAGS);
    rig_arm(&r, CF_EVENT_TIMING);
    both_lanes(&r, 2, 20 * US);
    rig_disarm(&r);
    rig_watch(&r);
    both_lanes(&r, 2, 20 * US);
    rig_seen(&r);
    assert_int_equal(r.span_count, 4);
    rig_close(&r);
}

static bool stamps_when_armed(bool late)
{
    rig r;
    rig_open(&r, ENGINES TAGS "arm_late_ignored = yes\n");
    if (late)
        both_lanes(&r, 1, 20 * US);
    rig_arm(&r, CF_EVENT_TIMING);
    rig_watch(&r);
    both_lanes(&r, 1, 20 * US);
    rig_seen(&r);
    assert_int_equal(r.span_count, late ? 2 : 6);
    cf_event_reading reading = rig_read(&r, r.marks[0][0][1]);
    assert_true(reading.completed);
    assert_true(reading.has_stamp || reading.stamp_ns == 0);
    rig_close(&r);
    return reading.has_stamp;
}

static void timing_armed_too_late_runs_nothing_and_stamps_nothing(void **state)
{
    (void)state;
    assert_true(stamps_when_armed(false));
    assert_false(stamps_when_armed(true));
}

static void a_stream_s_first_kernel_takes_longer(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, ENGINES "[habits]\nfirst_use_ns = 8ms\n");
    uint64_t begin_ns = cf_clock_now_ns();
    both_lanes(&r, 1, 20 * US);
    assert_true(cf_clock_now_ns() - begin_ns >= 8 * MS);
    uint64_t least_ns = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        begin_ns = cf_clock_now_ns();
        both_lanes(&r, 1, 20 * US);
        uint64_t wall_ns = cf_clock_now_ns() - begin_ns;
        least_ns = wall_ns < least_ns ? wall_ns : least_ns;
    }
    assert_true(least_ns < 8 * MS);
    rig_close(&r);
}

/* A kernel submitted while a copy runs: do they run side by side? */
static bool runs_beside_a_copy(rig *r, uint64_t value)
{
    RIG_OK(cf_device_block_write(r->device, r->host, RIG_BLOCK_BYTES - 8, &value, sizeof value, &r->err));
    rig_watch(r);
    cf_op copy = rig_copy(r, 0, 20 * MS);
    cf_op kernel = rig_kernel(r, 0, 2 * MS);
    rig_submit(r, r->streams[0], &copy);
    while (cf_soft_block_peek(r->mirror[0], RIG_WORDS - 1) != value) /* until it runs */
        cf_clock_sleep_until_ns(cf_clock_now_ns() + 50 * US);
    rig_submit(r, r->streams[1], &kernel);
    rig_wait(r, NULL);
    rig_seen(r);
    return rig_overlap(rig_find(r, "h2d", 0, 0), rig_find(r, "kernel", 1, 0));
}

static void a_first_kernel_that_drains_waits_for_an_idle_device(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, ENGINES "[habits]\nfirst_use_drains = yes\n");
    assert_false(runs_beside_a_copy(&r, 1));
    bool beside = false;
    for (uint64_t i = 2; i < 12 && !beside; i++)
        beside = runs_beside_a_copy(&r, i);
    assert_true(beside);
    rig_close(&r);
}

static void a_shifted_engine_clock_shifts_its_stamps_alone(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, ENGINES TAGS "[timestamps bcs]\noffset_ns = 1000s\n");
    rig_arm(&r, CF_EVENT_TIMING);
    int64_t before_ns = (int64_t)cf_clock_now_ns();
    both_lanes(&r, 1, 20 * US);
    int64_t after_ns = (int64_t)cf_clock_now_ns();
    int64_t copy_ns = rig_read(&r, r.marks[0][0][1]).stamp_ns - 1000000 * (int64_t)MS;
    int64_t kernel_ns = rig_read(&r, r.marks[1][0][1]).stamp_ns;
    assert_true(copy_ns >= before_ns && copy_ns <= after_ns);
    assert_true(kernel_ns >= before_ns && kernel_ns <= after_ns);
    rig_close(&r);
}

static void noise_stretches_the_operations_of_a_step(void **state)
{
    (void)state;
    rig rig_;
    rig *r = &rig_;
    rig_open(r, ENGINES "[noise]\nspike_probability = 1\nspike_factor = 10\n");
    RIG_OK(cf_device_step_begin(r->device, 0, &r->err));
    uint64_t begin_ns = cf_clock_now_ns();
    both_lanes(r, 1, 1 * MS);
    assert_true(cf_clock_now_ns() - begin_ns >= 10 * MS);
    rig_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contention_slows_both_lanes),
        cmocka_unit_test(contention_slows_nothing_that_runs_alone),
        cmocka_unit_test(timing_that_sticks_stays_around_operations_that_nobody_records),
        cmocka_unit_test(timing_that_does_not_stick_is_gone_with_its_events),
        cmocka_unit_test(timing_armed_too_late_runs_nothing_and_stamps_nothing),
        cmocka_unit_test(a_stream_s_first_kernel_takes_longer),
        cmocka_unit_test(a_first_kernel_that_drains_waits_for_an_idle_device),
        cmocka_unit_test(a_shifted_engine_clock_shifts_its_stamps_alone),
        cmocka_unit_test(noise_stretches_the_operations_of_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
