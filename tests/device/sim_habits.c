/* What `sim` adds to the solver: how records are lowered and stamped, the habits of rule 10, the noise of rule 9,
   faults, spans, and what it refuses. */
#include "device/sim_driver.h"

#include <math.h>

#define TWO_READY "[engine compute]\nruns = kernel\n[engine copy]\nruns = copy\nrate = 1GiB/s\nlatency_ns = 5\n"

static driver_job pair(uint32_t count, uint64_t ns, int records)
{
    return (driver_job){.kind = {CF_OP_H2D, CF_OP_KERNEL}, .count = {count, count}, .ns = {ns, ns}, .records = records};
}

static cf_event_reading reading_of(driver *d, int lane, cf_side side, int index)
{
    cf_event_reading reading;
    check_ok(cf_device_event_read(d->device, d->events[lane][side][index], &reading, &driver_err));
    return reading;
}

static cf_status submit(driver *d, const cf_op *op)
{
    return cf_device_submit(d->device, d->streams[op->lane], op, &driver_err);
}

/* -------------------------------------------------------------------------------------------------------- stamps */

/* Each lane on a ring of its own: records from 0 to 2 us and from 1002 to 1004 us. */
static void a_record_is_stamped_at_its_own_end(void **state)
{
    (void)state;
    driver d;
    driver_open(&d, builtin("own"));
    const driver_job job = pair(1, MS, CF_EVENT_TIMING);
    driver_wall(&d, &job, true, true);
    for (int lane = 0; lane < 2; lane++) {
        assert_true(reading_of(&d, lane, CF_SIDE_BEFORE, 0).has_stamp);
        assert_int_equal(reading_of(&d, lane, CF_SIDE_BEFORE, 0).stamp_ns, 2 * US);
        assert_int_equal(reading_of(&d, lane, CF_SIDE_AFTER, 0).stamp_ns, 1004 * US);
    }
    driver_close(&d);
}

/* Lowered to nothing or to a hold: the end of the stream's previous command, or when the record became visible if that
   is later. The second step begins at 10 ms. */
static void a_record_without_a_command_is_stamped_when_the_work_before_it_ended(void **state)
{
    (void)state;
    static const char *const lowerings[] = {"none", "hold"};
    for (int i = 0; i < 2; i++) {
        char text[256];
        snprintf(text, sizeof text, TWO_READY "[event timing]\nlowering = %s\nhost_ns = 3\n", lowerings[i]);
        driver d;
        driver_open(&d, text);
        const driver_job job = pair(2, 5 * MS, CF_EVENT_TIMING);
        for (int64_t step = 0; step < 2; step++) {
            const int64_t begin_ns = (int64_t)cf_device_now_ns(d.device);
            driver_wall(&d, &job, true, false);
            assert_int_equal(reading_of(&d, 0, CF_SIDE_BEFORE, 0).stamp_ns, begin_ns + 3);
            assert_int_equal(reading_of(&d, 0, CF_SIDE_AFTER, 0).stamp_ns, begin_ns + 3 + 5 * (int64_t)MS);
            assert_int_equal(reading_of(&d, 0, CF_SIDE_BEFORE, 1).stamp_ns, begin_ns + 3 + 5 * (int64_t)MS);
            assert_int_equal(reading_of(&d, 0, CF_SIDE_AFTER, 1).stamp_ns, begin_ns + 3 + 10 * (int64_t)MS);
        }
        driver_close(&d);
    }
}

/* The hold leaves the shared queue at 8 ms, behind another stream's hold; its stream's work had ended at 5 ms. */
static void a_hold_that_stands_in_its_queue_is_not_stamped_later(void **state)
{
    (void)state;
    driver d;
    driver_open(&d, "[engine e]\nruns = kernel\nwidth = 8\nqueues = 1\n[event timing]\nlowering = hold\n");
    const cf_op a = {.kind = CF_OP_KERNEL, .lane = 0, .ns = 5 * MS},
                b = {.kind = CF_OP_KERNEL, .lane = 1, .ns = 8 * MS};
    check_ok(submit(&d, &a));
    check_ok(submit(&d, &b));
    for (int lane = 1; lane >= 0; lane--)
        check_ok(cf_device_record(d.device, d.streams[lane],
                                  driver_event(&d, CF_EVENT_TIMING, &d.events[lane][CF_SIDE_AFTER][0]), lane ? &b : &a,
                                  CF_SIDE_AFTER, &driver_err));
    check_ok(cf_device_wait(d.device, NULL, CF_WAIT_SPIN, &driver_err));
    assert_int_equal(reading_of(&d, 1, CF_SIDE_AFTER, 0).stamp_ns, 8 * MS);
    assert_int_equal(reading_of(&d, 0, CF_SIDE_AFTER, 0).stamp_ns, 5 * MS);
    driver_close(&d);
}

static void stamps_are_of_the_engines_own_clock(void **state)
{
    (void)state;
    driver d;
    driver_open(&d, "[engine compute]\nruns = kernel\n[engine copy]\nruns = copy\n"
                    "[event timing]\nlowering = command\ncost_ns = 100\n"
                    "[timestamps compute]\noffset_ns = -1000\nrate = 0.5\n[timestamps copy]\nwrap_bits = 8\n");
    const driver_job job = pair(1, 9900, CF_EVENT_TIMING);
    driver_wall(&d, &job, true, true);
    assert_int_equal(reading_of(&d, 1, CF_SIDE_BEFORE, 0).stamp_ns, 50 - 1000);
    assert_int_equal(reading_of(&d, 1, CF_SIDE_AFTER, 0).stamp_ns, 5050 - 1000);
    assert_int_equal(reading_of(&d, 0, CF_SIDE_BEFORE, 0).stamp_ns, 100);
    assert_int_equal(reading_of(&d, 0, CF_SIDE_AFTER, 0).stamp_ns, 10100 % 256);
    driver_close(&d);
}

static void a_sync_event_completes_and_has_no_stamp(void **state)
{
    (void)state;
    driver d;
    driver_open(&d, builtin("sync-like-timing"));
    const driver_job job = pair(1, MS, CF_EVENT_SYNC);
    assert_false(
        reading_of(&d, 0, CF_SIDE_BEFORE, (driver_event(&d, CF_EVENT_SYNC, &d.events[0][CF_SIDE_BEFORE][0]), 0))
            .completed);
    driver_submit(&d, &job, true, false);
    assert_false(reading_of(&d, 0, CF_SIDE_AFTER, 0).completed);
    check_ok(cf_device_wait(d.device, d.streams[0], CF_WAIT_BLOCK, &driver_err));
    assert_true(reading_of(&d, 0, CF_SIDE_AFTER, 0).completed);
    assert_false(reading_of(&d, 0, CF_SIDE_AFTER, 0).has_stamp);
    driver_close(&d);
}

static void a_timing_event_recorded_again_in_flight_is_refused(void **state)
{
    (void)state;
    driver d;
    driver_open(&d, builtin("own"));
    const driver_job job = pair(1, MS, CF_EVENT_TIMING);
    driver_submit(&d, &job, true, false);
    const cf_op op = {.kind = CF_OP_H2D, .ns = MS};
    cf_event *event = d.events[0][CF_SIDE_BEFORE][0];
    assert_int_equal(cf_device_record(d.device, d.streams[0], event, &op, CF_SIDE_BEFORE, &driver_err), CF_INPUT);
    assert_non_null(strstr(driver_err.text, "a[0]"));
    check_ok(cf_device_wait(d.device, NULL, CF_WAIT_BLOCK, &driver_err));
    check_ok(cf_device_record(d.device, d.streams[0], event, &op, CF_SIDE_BEFORE, &driver_err));
    driver_close(&d);
}

/* For the sanitizers: the device frees it, at its end or at its own close. */
static void an_event_may_be_freed_while_its_record_is_in_flight(void **state)
{
    (void)state;
    for (int ends = 0; ends < 2; ends++) {
        driver d;
        driver_open(&d, builtin("own"));
        const driver_job job = pair(2, MS, CF_EVENT_TIMING);
        driver_submit(&d, &job, true, false);
        cf_device_event_free(d.device, d.events[0][CF_SIDE_AFTER][0]);
        d.events[0][CF_SIDE_AFTER][0] = NULL;
        if (ends)
            check_ok(cf_device_wait(d.device, NULL, CF_WAIT_BLOCK, &driver_err));
        driver_close(&d);
    }
}

/* -------------------------------------------------------------------------------------------------------- habits */

static void sticky_timing_stays_in_variants_that_record_nothing(void **state)
{
    (void)state;
    const driver_job none = pair(16, MS, NO_RECORDS), timing = pair(16, MS, CF_EVENT_TIMING);
    driver d;
    driver_open(&d, builtin("sticky"));
    assert_int_equal(driver_wall(&d, &none, true, true), 16 * MS);
    assert_int_equal(driver_wall(&d, &timing, true, true), 32128 * US);
    assert_int_equal(driver_wall(&d, &none, true, true), 32128 * US);
    assert_int_equal(driver_wall(&d, &none, true, false), 16064 * US);
    driver_close(&d);
    driver_open(&d, builtin("copy-offload"));
    assert_int_equal(driver_wall(&d, &timing, true, true), 32128 * US);
    assert_int_equal(driver_wall(&d, &none, true, true), 16 * MS);
    driver_close(&d);
}

static void sticky_timing_is_not_there_twice(void **state)
{
    (void)state;
    const driver_job timing = pair(16, MS, CF_EVENT_TIMING);
    driver d;
    driver_open(&d, builtin("sticky"));
    for (int i = 0; i < 3; i++)
        assert_int_equal(driver_wall(&d, &timing, true, true), 32128 * US);
    assert_int_equal(reading_of(&d, 0, CF_SIDE_AFTER, 0).stamp_ns - reading_of(&d, 0, CF_SIDE_BEFORE, 0).stamp_ns,
                     1002 * US);
    driver_close(&d);
}

/* Recorded before lane a alone, once; from then on both sides of both lanes are lowered. */
static void sticky_timing_reaches_every_lane_and_side(void **state)
{
    (void)state;
    driver_job none = pair(16, MS, NO_RECORDS), timing = pair(1, MS, CF_EVENT_TIMING);
    timing.where = BEFORE;
    timing.on = ON_A;
    driver d;
    driver_open(&d, builtin("sticky"));
    driver_wall(&d, &timing, true, false);
    assert_int_equal(driver_wall(&d, &none, false, true), 16064 * US);
    assert_int_equal(driver_wall(&d, &none, true, true), 32128 * US);
    driver_close(&d);
}

static void timing_armed_late_does_nothing_and_has_no_stamp(void **state)
{
    (void)state;
    const driver_job none = pair(16, MS, NO_RECORDS), timing = pair(16, MS, CF_EVENT_TIMING);
    driver d;
    driver_open(&d, builtin("late-armed"));
    assert_int_equal(driver_wall(&d, &none, true, true), 16 * MS);
    assert_int_equal(driver_wall(&d, &timing, true, true), 16 * MS);
    assert_true(reading_of(&d, 0, CF_SIDE_AFTER, 0).completed);
    assert_false(reading_of(&d, 0, CF_SIDE_AFTER, 0).has_stamp);
    assert_int_equal(reading_of(&d, 0, CF_SIDE_AFTER, 0).stamp_ns, 0);
    driver_close(&d);
}

static void timing_armed_before_the_first_submission_works(void **state)
{
    (void)state;
    const driver_job none = pair(16, MS, NO_RECORDS), timing = pair(16, MS, CF_EVENT_TIMING);
    driver d;
    driver_open(&d, builtin("late-armed"));
    driver_event(&d, CF_EVENT_TIMING, &d.events[0][CF_SIDE_BEFORE][0]);
    assert_int_equal(driver_wall(&d, &none, true, true), 16 * MS);
    assert_int_equal(driver_wall(&d, &timing, true, true), 32128 * US);
    assert_true(reading_of(&d, 1, CF_SIDE_AFTER, 7).has_stamp);
    driver_close(&d);
}

static void late_and_sticky_timing_does_not_stick(void **state)
{
    (void)state;
    const driver_job none = pair(16, MS, NO_RECORDS), timing = pair(16, MS, CF_EVENT_TIMING);
    driver d;
    driver_open(&d, "[engine ccs]\norder = ring\nruns = kernel\n[engine bcs]\norder = ring\nruns = copy\n"
                    "[event timing]\nlowering = command\nengine = ccs\ncost_ns = 2us\n"
                    "[habits]\nsticky = yes\narm_late_ignored = yes\n");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(driver_wall(&d, &none, true, true), 16 * MS);
        assert_int_equal(driver_wall(&d, &timing, true, true), 16 * MS);
    }
    driver_close(&d);
}

static void the_first_kernel_of_a_stream_takes_longer_once(void **state)
{
    (void)state;
    const driver_job job = pair(4, MS, NO_RECORDS);
    driver d;
    driver_open(&d, TWO_READY "[habits]\nfirst_use_ns = 7us\n");
    assert_int_equal(driver_wall(&d, &job, true, false), 4 * MS);
    assert_int_equal(driver_wall(&d, &job, false, true), 4 * MS + 7 * US);
    assert_int_equal(driver_wall(&d, &job, false, true), 4 * MS);
    driver_close(&d);
}

/* b0 waits until a0 has ended; it was submitted before a1, so it need not wait for that one. */
static void a_first_use_that_drains_waits_for_the_device(void **state)
{
    (void)state;
    const driver_job job = pair(4, MS, NO_RECORDS);
    driver d;
    driver_open(&d, TWO_READY "[habits]\nfirst_use_drains = yes\n");
    assert_int_equal(driver_wall(&d, &job, true, true), 5 * MS);
    assert_int_equal(driver_wall(&d, &job, true, true), 4 * MS);
    driver_close(&d);
}

/* --------------------------------------------------------------------------------------------------------- noise */

#define STEPS 4000

/* Walls of STEPS steps of one kernel of 1 ms, over 1 ms. */
static void factors(const char *noise, uint64_t seed, double *ret_factors)
{
    char text[512];
    snprintf(text, sizeof text, "[engine e]\nruns = kernel\n[noise]\n%s", noise);
    cf_model model;
    check_ok(cf_model_parse("noise.ini", text, strlen(text), &model, &driver_err));
    const cf_device_config config = {.model = &model, .seed = seed};
    cf_device *device;
    cf_stream *stream;
    check_ok(cf_device_open(&cf_device_sim, &config, &device, &driver_err));
    check_ok(cf_device_stream_open(device, &(cf_stream_desc){0}, &stream, &driver_err));
    for (int i = 0; i < STEPS; i++) {
        check_ok(cf_device_step_begin(device, (double)i / (STEPS - 1), &driver_err));
        const uint64_t begin_ns = cf_device_now_ns(device);
        check_ok(cf_device_submit(device, stream, &(cf_op){.kind = CF_OP_KERNEL, .ns = MS}, &driver_err));
        check_ok(cf_device_wait(device, NULL, CF_WAIT_BLOCK, &driver_err));
        ret_factors[i] = (double)(cf_device_now_ns(device) - begin_ns) / (double)MS;
    }
    cf_device_stream_close(device, stream);
    cf_device_close(device);
    cf_model_done(&model);
}

static double mean_of(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i];
    return sum / count;
}

/* Correlation of x with itself, lag steps later; lag 0 gives the variance instead. */
static double correlation(const double *x, int lag)
{
    const double mean = mean_of(x, STEPS);
    double sum = 0, squares = 0;
    for (int i = 0; i < STEPS; i++) {
        squares += (x[i] - mean) * (x[i] - mean);
        if (i >= lag)
            sum += (x[i] - mean) * (x[i - lag] - mean);
    }
    return lag ? sum / squares : squares / STEPS;
}

static void the_same_seed_gives_the_same_noise(void **state)
{
    (void)state;
    static double first[STEPS], again[STEPS], other[STEPS];
    const char *noise = "iid = 0.02\nar = 0.03\nphi = 0.9\nspike_probability = 0.05\nspike_factor = 3\n";
    factors(noise, 7, first);
    factors(noise, 7, again);
    factors(noise, 8, other);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
    factors("iid = 0.02\nseed = 5\n", 7, first);
    factors("iid = 0.02\nseed = 5\n", 8, again);
    assert_memory_equal(first, again, sizeof first);
}

static void iid_noise_has_its_spread_and_no_memory(void **state)
{
    (void)state;
    static double x[STEPS];
    factors("iid = 0.02\n", 1, x);
    assert_true(fabs(mean_of(x, STEPS) - 1) < 0.002);
    assert_true(fabs(sqrt(correlation(x, 0)) - 0.02) < 0.001);
    assert_true(fabs(correlation(x, 1)) < 0.06);
}

static void wander_has_its_spread_and_its_memory(void **state)
{
    (void)state;
    static double x[STEPS];
    factors("ar = 0.03\nphi = 0.9\n", 1, x);
    assert_true(fabs(sqrt(correlation(x, 0)) - 0.03) < 0.004);
    assert_true(fabs(correlation(x, 1) - 0.9) < 0.03);
    assert_true(fabs(correlation(x, 5) - 0.59) < 0.08);
}

static void spikes_come_as_often_as_said_and_are_as_long(void **state)
{
    (void)state;
    static double x[STEPS];
    factors("spike_probability = 0.05\nspike_factor = 3\n", 1, x);
    int spikes = 0;
    for (int i = 0; i < STEPS; i++) {
        assert_true(fabs(x[i] - 1) < 1e-9 || fabs(x[i] - 3) < 1e-9);
        spikes += x[i] > 2;
    }
    assert_in_range(spikes, 160, 240); /* 200, and 3 standard deviations of 13.8 */
}

static void drift_is_linear_over_the_run(void **state)
{
    (void)state;
    static double x[STEPS];
    factors("drift = 0.10\n", 1, x);
    for (int i = 0; i < STEPS; i++)
        assert_true(fabs(x[i] - (1 + 0.1 * i / (STEPS - 1))) < 1e-6);
}

static void all_operations_of_a_step_share_its_factor(void **state)
{
    (void)state;
    const driver_job job = pair(16, MS, NO_RECORDS);
    driver d;
    driver_open(&d, TWO_READY "[noise]\niid = 0.1\n");
    for (int i = 0; i < 20; i++) {
        const uint64_t wall_ns = driver_wall(&d, &job, true, true);
        assert_int_equal(wall_ns % 16, 0);
        assert_int_not_equal(wall_ns, 16 * MS);
    }
    driver_close(&d);
}

/* -------------------------------------------------------------------------------------------------------- faults */

static void ignored_waits_win_an_overlap_that_is_none(void **state)
{
    (void)state;
    driver_job job = pair(16, MS, NO_RECORDS);
    job.depends = true;
    expect_walls(TWO_READY, &job, 16 * MS, 16 * MS, 17 * MS);
    expect_walls(TWO_READY "[fault]\nignore_waits = yes\n", &job, 16 * MS, 16 * MS, 16 * MS);
}

static void copies_on_the_wrong_engine_serialise(void **state)
{
    (void)state;
    const driver_job job = pair(16, MS, NO_RECORDS);
    expect_walls(TWO_READY "[fault]\nwrong_engine = yes\n", &job, 16 * MS, 16 * MS, 32 * MS);
}

/* --------------------------------------------------------------------------------------------------------- spans */

typedef struct log {
    char lines[16][160];
    int count;
} log_lines;

static void take_span(void *user, const cf_record_span *span)
{
    log_lines *log = user;
    assert_in_range(log->count, 0, 15);
    snprintf(log->lines[log->count++], sizeof log->lines[0], "%s %c[%d] %s %d-%d queued %d for %s", span->engine,
             'a' + span->lane, (int)span->index, span->what, (int)span->begin_ns, (int)span->end_ns,
             (int)span->queued_ns, span->waited_for ? span->waited_for : "-");
}

static void take_id(void *user, const cf_record_span *span)
{
    int64_t *highest = user;
    assert_true(span->id > 0 && span->waits_for < span->id);
    *highest = span->id > *highest ? span->id : *highest;
}

static void spans_tell_each_command_and_what_it_waited_for(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "bcs a[0] h2d 0-1000 queued 0 for -",
        "ccs b[0] record before 0-100 queued 0 for -",
        "ccs b[0] kernel 1000-2000 queued 0 for h2d a[0]",
        "bcs a[1] h2d 1000-2000 queued 0 for h2d a[0]",
        "ccs b[1] record before 2000-2100 queued 0 for kernel b[0]",
        "ccs b[1] kernel 2100-3100 queued 0 for record before b[1]",
    };
    driver d;
    driver_open(&d, "[engine ccs]\norder = ring\nruns = kernel\n[engine bcs]\norder = ring\nruns = copy\n"
                    "[event timing]\nlowering = command\ncost_ns = 100\n");
    driver_job job = pair(2, 1000, CF_EVENT_TIMING);
    job.depends = true;
    job.on = ON_B;
    job.where = BEFORE;
    driver_wall(&d, &job, true, true);
    for (int step = 0; step < 2; step++) {
        log_lines log = {.count = 0};
        check_ok(cf_device_spans(d.device, take_span, &log, &driver_err));
        driver_wall(&d, &job, true, true);
        check_ok(cf_device_spans(d.device, NULL, NULL, &driver_err));
        assert_int_equal(log.count, 6);
        for (int want = 0; want < 6; want++) {
            int found = 0;
            for (int i = 0; i < log.count; i++)
                found += strcmp(log.lines[i], expected[want]) == 0;
            if (found != 1) {
                for (int i = 0; i < log.count; i++)
                    print_error("%s\n", log.lines[i]);
                fail_msg("expected once: %s", expected[want]);
            }
        }
        driver_wall(&d, &job, true, true);
        assert_int_equal(log.count, 6);
    }
    driver_close(&d);
}

static void holds_are_spans_of_no_length(void **state)
{
    (void)state;
    driver d;
    driver_open(&d, TWO_READY "[event timing]\nlowering = hold\n");
    const driver_job job = pair(1, 1000, CF_EVENT_TIMING);
    log_lines log = {.count = 0};
    check_ok(cf_device_spans(d.device, take_span, &log, &driver_err));
    driver_wall(&d, &job, true, false);
    check_ok(cf_device_spans(d.device, NULL, NULL, &driver_err));
    assert_int_equal(log.count, 3);
    assert_string_equal(log.lines[0], "copy a[0] hold before 0-0 queued 0 for -");
    assert_string_equal(log.lines[2], "copy a[0] hold after 1000-1000 queued 0 for h2d a[0]");
    driver_close(&d);
}

/* One step of a model and a job; the line of one command. */
static void expect_span(const char *model_text, const driver_job *job, const char *expected)
{
    driver d;
    driver_open(&d, model_text);
    log_lines log = {.count = 0};
    check_ok(cf_device_spans(d.device, take_span, &log, &driver_err));
    driver_wall(&d, job, true, true);
    check_ok(cf_device_spans(d.device, NULL, NULL, &driver_err));
    driver_close(&d);
    for (int i = 0; i < log.count; i++)
        if (strcmp(log.lines[i], expected) == 0)
            return;
    for (int i = 0; i < log.count; i++)
        print_error("%s\n", log.lines[i]);
    fail_msg("expected: %s", expected);
}

static void a_command_that_waits_for_a_slot_names_what_left_it(void **state)
{
    (void)state;
    driver_job job = pair(2, 1000, NO_RECORDS);
    job.kind[0] = CF_OP_KERNEL;
    job.ns[0] = 700;
    expect_span("[engine compute]\nruns = kernel\nwidth = 1\n[engine copy]\nruns = copy\n", &job,
                "compute b[0] kernel 700-1700 queued 0 for kernel a[0]");
}

/* b[1] stands behind a[1], which leaves the one queue when a[0] has ended, and runs on. */
static void a_command_behind_another_in_a_queue_names_it_while_that_runs(void **state)
{
    (void)state;
    driver_job job = pair(2, 700, NO_RECORDS);
    job.kind[0] = CF_OP_KERNEL;
    job.ns[1] = 300;
    expect_span("[engine compute]\nruns = kernel\nwidth = 8\nqueues = 1\n[engine copy]\nruns = copy\n", &job,
                "compute b[1] kernel 700-1000 queued 0 for kernel a[1]");
}

static void a_command_that_drains_the_device_names_what_ended_last(void **state)
{
    (void)state;
    driver_job job = pair(1, 1000, NO_RECORDS);
    expect_span(TWO_READY "[habits]\nfirst_use_drains = yes\n", &job,
                "compute b[0] kernel 1000-2000 queued 0 for h2d a[0]");
}

/* What was signalled before commands were told is no cause that could be named. */
static void ids_begin_again_with_each_step(void **state)
{
    (void)state;
    driver d;
    driver_open(&d, TWO_READY);
    driver_job job = pair(3, 1000, NO_RECORDS);
    job.depends = true;
    int64_t highest = 0;
    for (int step = 0; step < 3; step++) {
        check_ok(cf_device_spans(d.device, take_id, &highest, &driver_err));
        driver_wall(&d, &job, true, true);
        driver_wall(&d, &job, true, true); /* the next step delivers this one's */
        check_ok(cf_device_spans(d.device, NULL, NULL, &driver_err));
        assert_int_equal(highest, 6);
        driver_wall(&d, &job, true, true);
    }
    driver_close(&d);
}

/* ------------------------------------------------------------------------------------------- what it says of itself */

static void it_says_that_it_moves_and_computes_nothing(void **state)
{
    (void)state;
    driver d;
    driver_open(&d, builtin("copy-offload"));
    cf_device_info info;
    cf_device_info_get(d.device, &info);
    assert_string_equal(info.backend, "sim");
    assert_true(info.simulated && info.virtual_clock);
    assert_false(info.computes || info.moves);
    assert_int_equal(info.copy_unit, CF_UNIT_NS);
    assert_int_equal(info.kernel_unit, CF_UNIT_NS);
    assert_non_null(strstr(info.name, "copy-offload"));
    cf_block *block;
    uint64_t word = 1;
    check_ok(cf_device_block_new(d.device, CF_PLACE_DEVICE, 16, &block, &driver_err));
    check_ok(cf_device_block_write(d.device, block, 8, &word, 8, &driver_err));
    assert_int_equal(cf_device_block_write(d.device, block, 9, &word, 8, &driver_err), CF_INPUT);
    assert_int_equal(cf_device_block_read(d.device, block, 8, &word, 8, &driver_err), CF_UNSUPPORTED);
    cf_device_block_free(d.device, block);
    driver_close(&d);
}

static void blocked_time_is_told_apart(void **state)
{
    (void)state;
    driver d;
    driver_open(&d, builtin("blocking-copy"));
    const driver_job job = pair(4, MS, NO_RECORDS);
    uint64_t blocked_ns;
    driver_submit(&d, &job, true, true);
    assert_true(cf_device_blocked_ns(d.device, &blocked_ns));
    assert_int_equal(blocked_ns, 4 * MS);
    check_ok(cf_device_wait(d.device, NULL, CF_WAIT_BLOCK, &driver_err));
    assert_true(cf_device_blocked_ns(d.device, &blocked_ns));
    assert_int_equal(blocked_ns, 4 * MS);
    driver_close(&d);
}

static void streams_of_one_number_are_one_stream(void **state)
{
    (void)state;
    driver d;
    driver_open(&d, TWO_READY);
    cf_device_stream_close(d.device, d.streams[1]);
    check_ok(cf_device_stream_open(d.device, &(cf_stream_desc){.number = 0}, &d.streams[1], &driver_err));
    const driver_job job = pair(4, MS, NO_RECORDS);
    assert_int_equal(driver_wall(&d, &job, true, true), 8 * MS);
    cf_stream *stream;
    assert_int_equal(cf_device_stream_open(d.device, &(cf_stream_desc){.number = 64}, &stream, &driver_err), CF_INPUT);
    driver_close(&d);
}

/* 4096 bytes at 2^30 per second: 3814.7 ns, rounded up, and 5 ns latency. */
static void bytes_take_the_engines_rate_and_latency(void **state)
{
    (void)state;
    driver d;
    driver_open(&d, TWO_READY);
    const cf_op copy = {.kind = CF_OP_D2H, .bytes = 4096};
    check_ok(submit(&d, &copy));
    check_ok(cf_device_wait(d.device, NULL, CF_WAIT_BLOCK, &driver_err));
    assert_int_equal(cf_device_now_ns(d.device), 3815 + 5);
    driver_close(&d);
}

static void operations_that_cannot_run_are_refused_in_one_line(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        cf_op op;
        const char *says;
    } cases[] = {
        {"[engine e]\nruns = kernel\n", {.kind = CF_OP_H2D, .ns = 5}, "no engine of model 'model' runs h2d"},
        {"[engine e]\nruns = copy\n", {.kind = CF_OP_H2D, .bytes = 5}, "no rate"},
        {"[engine e]\nruns = kernel\n", {.kind = CF_OP_KERNEL, .trips = 5, .lane = 1, .index = 3}, "b[3]"},
        {"[engine e]\nruns = kernel\n", {.kind = CF_OP_KERNEL, .ns = UINT64_C(1) << 51}, "2^50"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        driver d;
        driver_open(&d, cases[i].model);
        assert_int_equal(submit(&d, &cases[i].op), CF_INPUT);
        assert_non_null(strstr(driver_err.text, cases[i].says));
        assert_null(strchr(driver_err.text, '\n'));
        driver_close(&d);
    }
}

static void a_wait_for_an_event_that_nobody_signalled_is_refused(void **state)
{
    (void)state;
    driver d;
    driver_open(&d, TWO_READY);
    const cf_op op = {
        .kind = CF_OP_KERNEL, .lane = 1, .ns = 5, .waits = driver_event(&d, CF_EVENT_SYNC, &d.signals[0])};
    assert_int_equal(submit(&d, &op), CF_INPUT);
    assert_non_null(strstr(driver_err.text, "no operation has signalled"));
    driver_close(&d);
}

static void a_device_without_a_model_is_refused(void **state)
{
    (void)state;
    cf_device *device;
    const cf_device_config config = {0};
    assert_int_equal(cf_device_open(&cf_device_sim, &config, &device, &driver_err), CF_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_stamped_at_its_own_end),
        cmocka_unit_test(a_record_without_a_command_is_stamped_when_the_work_before_it_ended),
        cmocka_unit_test(a_hold_that_stands_in_its_queue_is_not_stamped_later),
        cmocka_unit_test(stamps_are_of_the_engines_own_clock),
        cmocka_unit_test(a_sync_event_completes_and_has_no_stamp),
        cmocka_unit_test(a_timing_event_recorded_again_in_flight_is_refused),
        cmocka_unit_test(an_event_may_be_freed_while_its_record_is_in_flight),
        cmocka_unit_test(sticky_timing_stays_in_variants_that_record_nothing),
        cmocka_unit_test(sticky_timing_is_not_there_twice),
        cmocka_unit_test(sticky_timing_reaches_every_lane_and_side),
        cmocka_unit_test(timing_armed_late_does_nothing_and_has_no_stamp),
        cmocka_unit_test(timing_armed_before_the_first_submission_works),
        cmocka_unit_test(late_and_sticky_timing_does_not_stick),
        cmocka_unit_test(the_first_kernel_of_a_stream_takes_longer_once),
        cmocka_unit_test(a_first_use_that_drains_waits_for_the_device),
        cmocka_unit_test(the_same_seed_gives_the_same_noise),
        cmocka_unit_test(iid_noise_has_its_spread_and_no_memory),
        cmocka_unit_test(wander_has_its_spread_and_its_memory),
        cmocka_unit_test(spikes_come_as_often_as_said_and_are_as_long),
        cmocka_unit_test(drift_is_linear_over_the_run),
        cmocka_unit_test(all_operations_of_a_step_share_its_factor),
        cmocka_unit_test(ignored_waits_win_an_overlap_that_is_none),
        cmocka_unit_test(copies_on_the_wrong_engine_serialise),
        cmocka_unit_test(spans_tell_each_command_and_what_it_waited_for),
        cmocka_unit_test(holds_are_spans_of_no_length),
        cmocka_unit_test(a_command_that_waits_for_a_slot_names_what_left_it),
        cmocka_unit_test(a_command_behind_another_in_a_queue_names_it_while_that_runs),
        cmocka_unit_test(a_command_that_drains_the_device_names_what_ended_last),
        cmocka_unit_test(ids_begin_again_with_each_step),
        cmocka_unit_test(it_says_that_it_moves_and_computes_nothing),
        cmocka_unit_test(blocked_time_is_told_apart),
        cmocka_unit_test(streams_of_one_number_are_one_stream),
        cmocka_unit_test(bytes_take_the_engines_rate_and_latency),
        cmocka_unit_test(operations_that_cannot_run_are_refused_in_one_line),
        cmocka_unit_test(a_wait_for_an_event_that_nobody_signalled_is_refused),
        cmocka_unit_test(a_device_without_a_model_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
