/* The queue discipline of `soft` (rules 2 to 5 of docs/model.md), seen in the order of what was executed and never in
   an absolute time: a command may be late, but it may not be in the wrong place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/soft_rig.h"

#define ONE_RING "[model]\nname = one\n[engine all]\norder = ring\nruns = kernel copy\n"
#define TWO_READY                                                                                                      \
    "[model]\nname = two\n[engine ccs]\nruns = kernel\nwidth = %s\nqueues = %s\n[engine bcs]\nruns = copy\n"           \
    "[event timing]\nlowering = hold\n"

#define TRIES 10 /* for what the model lets happen and a machine full of other work may not */

static void open_ready(rig *r, const char *width, const char *queues)
{
    char text[256];
    snprintf(text, sizeof text, TWO_READY, width, queues);
    rig_open(r, text);
}

static cf_op bare(cf_op_kind kind, int lane, uint32_t index, uint64_t ns)
{
    return (cf_op){.kind = kind, .lane = lane, .index = index, .ns = ns};
}

static void submit_bare(rig *r, uint32_t stream, cf_op op)
{
    rig_submit(r, r->streams[stream], &op);
}

static void commands_of_a_stream_follow_one_another_on_any_engine(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, OFFLOAD);
    rig_watch(&r);
    for (uint32_t i = 0; i < 4; i++)
        submit_bare(&r, 0, bare(i % 2 ? CF_OP_KERNEL : CF_OP_H2D, 0, i, i == 0 ? 50 * MS : 100 * US));
    rig_wait(&r, NULL);
    rig_seen(&r);
    assert_int_equal(r.span_count, 4);
    for (size_t i = 1; i < 4; i++) {
        assert_int_equal(r.spans[i].index, i);
        assert_true(r.spans[i].begin_ns >= r.spans[i - 1].end_ns);
    }
    assert_string_equal(r.spans[1].waited_for, "h2d a[0]");
    rig_close(&r);
}

static void a_command_ends_its_length_after_it_was_visible_at_the_soonest(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, OFFLOAD);
    rig_watch(&r);
    submit_bare(&r, 0, bare(CF_OP_H2D, 0, 0, 2 * MS));
    rig_wait(&r, NULL);
    rig_seen(&r);
    const rig_span *copy = rig_find(&r, "h2d", 0, 0);
    assert_true(copy->end_ns - copy->queued_ns >= (int64_t)(2 * MS));
    rig_close(&r);
}

static void a_ring_runs_both_streams_in_the_order_of_submission(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, ONE_RING);
    rig_watch(&r);
    for (uint32_t i = 0; i < 4; i++) {
        submit_bare(&r, 1, bare(CF_OP_KERNEL, 1, i, 60 * US));
        submit_bare(&r, 0, bare(CF_OP_H2D, 0, i, 60 * US));
    }
    rig_wait(&r, NULL);
    rig_seen(&r);
    assert_int_equal(r.span_count, 8);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(r.spans[i].lane, i % 2 ? 0 : 1);
        assert_true(i == 0 || r.spans[i].begin_ns >= r.spans[i - 1].end_ns);
    }
    rig_close(&r);
}

static void a_head_of_a_ring_that_waits_holds_up_what_is_behind_it(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, OFFLOAD);
    cf_op copy = bare(CF_OP_H2D, 0, 0, 3 * MS);
    copy.signals = r.arrived[0];
    cf_op waits = bare(CF_OP_KERNEL, 1, 0, 50 * US);
    waits.waits = r.arrived[0];
    cf_stream *third;
    assert_int_equal(cf_device_stream_open(r.device, &(cf_stream_desc){.number = 2}, &third, &r.err), CF_OK);
    rig_watch(&r);
    submit_bare(&r, 0, copy);
    submit_bare(&r, 1, waits);
    cf_op behind = bare(CF_OP_KERNEL, 1, 1, 50 * US);
    rig_submit(&r, third, &behind);
    rig_wait(&r, NULL);
    rig_seen(&r);
    assert_true(rig_find(&r, "kernel", 1, 1)->begin_ns >= rig_find(&r, "h2d", 0, 0)->end_ns);
    cf_device_stream_close(r.device, third);
    rig_close(&r);
}

/* The same on a ready engine: what is behind comes from another hardware queue, or from the same. */
static bool passes_a_head_that_waits(const char *queues)
{
    rig r;
    open_ready(&r, "1", queues);
    cf_op copy = bare(CF_OP_H2D, 0, 0, 3 * MS);
    copy.signals = r.arrived[0];
    cf_op waits = bare(CF_OP_KERNEL, 1, 0, 50 * US);
    waits.waits = r.arrived[0];
    cf_stream *third;
    assert_int_equal(cf_device_stream_open(r.device, &(cf_stream_desc){.number = 2}, &third, &r.err), CF_OK);
    rig_watch(&r);
    submit_bare(&r, 0, copy);
    submit_bare(&r, 1, waits);
    cf_op behind = bare(CF_OP_KERNEL, 1, 1, 50 * US);
    rig_submit(&r, third, &behind);
    rig_wait(&r, NULL);
    rig_seen(&r);
    bool passed = rig_find(&r, "kernel", 1, 1)->end_ns <= rig_find(&r, "kernel", 1, 0)->begin_ns;
    assert_true(rig_find(&r, "kernel", 1, 0)->begin_ns >= rig_find(&r, "h2d", 0, 0)->end_ns);
    cf_device_stream_close(r.device, third);
    rig_close(&r);
    return passed;
}

static void a_ready_engine_lets_another_queue_pass_a_head_that_waits(void **state)
{
    (void)state;
    assert_true(passes_a_head_that_waits("0"));
}

static void one_hardware_queue_lets_nobody_pass(void **state)
{
    (void)state;
    assert_false(passes_a_head_that_waits("1"));
}

static uint32_t most_at_once(const rig *r)
{
    uint32_t most = 0;
    for (size_t i = 0; i < r->span_count; i++) {
        uint32_t now = 0;
        for (size_t j = 0; j < r->span_count; j++)
            now += r->spans[j].begin_ns <= r->spans[i].begin_ns && r->spans[i].begin_ns < r->spans[j].end_ns;
        most = now > most ? now : most;
    }
    return most;
}

static uint32_t most_of_eight(void)
{
    rig r;
    open_ready(&r, "2", "0");
    cf_stream *streams[4];
    rig_watch(&r);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(cf_device_stream_open(r.device, &(cf_stream_desc){.number = i}, &streams[i], &r.err), CF_OK);
    for (uint32_t i = 0; i < 8; i++) {
        cf_op kernel = bare(CF_OP_KERNEL, 1, i, 2 * MS);
        rig_submit(&r, streams[i % 4], &kernel);
    }
    rig_wait(&r, NULL);
    rig_seen(&r);
    assert_int_equal(r.span_count, 8);
    uint32_t most = most_at_once(&r);
    for (uint32_t i = 0; i < 4; i++)
        cf_device_stream_close(r.device, streams[i]);
    rig_close(&r);
    return most;
}

/* Never more; and as many unless the machine let no two threads run side by side, so it has some tries. */
static void an_engine_runs_as_many_at_once_as_it_is_wide(void **state)
{
    (void)state;
    uint32_t most = 0;
    for (int i = 0; i < TRIES && most < 2; i++)
        most = most_of_eight();
    assert_int_equal(most, 2);
}

/* Two lanes of kernels on one wide engine, with holds on both sides of each. */
static bool holds_keep_lanes_apart(const char *queues)
{
    rig r;
    open_ready(&r, "8", queues);
    rig_arm(&r, CF_EVENT_TIMING);
    rig_watch(&r);
    for (uint32_t i = 0; i < 4; i++)
        for (int lane = 0; lane < 2; lane++)
            submit_bare(&r, (uint32_t)lane, bare(CF_OP_KERNEL, lane, i, 2 * MS));
    rig_wait(&r, NULL);
    rig_seen(&r);
    bool apart = true;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = 0; j < 4; j++)
            apart &= !rig_overlap(rig_find(&r, "kernel", 0, i), rig_find(&r, "kernel", 1, j));
    rig_close(&r);
    return apart;
}

static void holds_serialise_streams_that_share_a_hardware_queue(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_true(holds_keep_lanes_apart("1"));
}

static void holds_do_nothing_to_streams_with_hardware_queues_of_their_own(void **state)
{
    (void)state;
    bool apart = true;
    for (int i = 0; i < TRIES && apart; i++)
        apart = holds_keep_lanes_apart("2");
    assert_false(apart);
}

static void a_record_of_a_copy_on_the_compute_ring_waits_for_the_kernel_ahead(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, OFFLOAD);
    rig_arm(&r, CF_EVENT_TIMING);
    rig_watch(&r);
    submit_bare(&r, 1, bare(CF_OP_KERNEL, 1, 0, 3 * MS));
    submit_bare(&r, 0, bare(CF_OP_H2D, 0, 0, 50 * US));
    rig_wait(&r, NULL);
    rig_seen(&r);
    assert_int_equal(r.span_count, 6);
    const rig_span *record = rig_find(&r, "record before", 0, 0);
    assert_string_equal(record->engine, "ccs");
    assert_true(record->begin_ns >= rig_find(&r, "kernel", 1, 0)->end_ns);
    assert_true(rig_find(&r, "h2d", 0, 0)->begin_ns >= record->end_ns);
    rig_close(&r);
}

static void a_record_lowered_to_nothing_runs_no_command_and_completes(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, OFFLOAD);
    rig_arm(&r, CF_EVENT_SYNC);
    rig_watch(&r);
    submit_bare(&r, 0, bare(CF_OP_H2D, 0, 0, 50 * US));
    rig_wait(&r, NULL);
    rig_seen(&r);
    assert_int_equal(r.span_count, 1);
    for (int side = 0; side < 2; side++) {
        cf_event_reading reading = rig_read(&r, r.marks[0][0][side]);
        assert_true(reading.completed);
        assert_false(reading.has_stamp);
    }
    assert_false(rig_read(&r, r.marks[0][1][0]).completed);
    rig_close(&r);
}

static void an_event_completes_with_its_command_and_not_before(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, OFFLOAD);
    rig_arm(&r, CF_EVENT_SYNC);
    submit_bare(&r, 0, bare(CF_OP_H2D, 0, 0, 100 * MS));
    assert_false(rig_read(&r, r.marks[0][0][1]).completed);
    rig_wait(&r, NULL);
    assert_true(rig_read(&r, r.marks[0][0][1]).completed);
    rig_close(&r);
}

static void stamps_of_a_stream_are_in_order_and_within_the_host_s_time(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, OFFLOAD);
    rig_arm(&r, CF_EVENT_TIMING);
    uint64_t before_ns = cf_clock_now_ns();
    for (uint32_t i = 0; i < 4; i++)
        submit_bare(&r, 0, bare(CF_OP_H2D, 0, i, 100 * US));
    rig_wait(&r, NULL);
    uint64_t after_ns = cf_clock_now_ns();
    int64_t last_ns = (int64_t)before_ns;
    for (uint32_t i = 0; i < 4; i++) {
        for (int side = 0; side < 2; side++) {
            cf_event_reading reading = rig_read(&r, r.marks[0][i][side]);
            assert_true(reading.completed && reading.has_stamp);
            assert_true(reading.stamp_ns >= last_ns);
            last_ns = reading.stamp_ns;
        }
    }
    assert_true(last_ns <= (int64_t)after_ns);
    assert_true(last_ns - (int64_t)before_ns >= (int64_t)(400 * US));
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_of_a_stream_follow_one_another_on_any_engine),
        cmocka_unit_test(a_command_ends_its_length_after_it_was_visible_at_the_soonest),
        cmocka_unit_test(a_ring_runs_both_streams_in_the_order_of_submission),
        cmocka_unit_test(a_head_of_a_ring_that_waits_holds_up_what_is_behind_it),
        cmocka_unit_test(a_ready_engine_lets_another_queue_pass_a_head_that_waits),
        cmocka_unit_test(one_hardware_queue_lets_nobody_pass),
        cmocka_unit_test(an_engine_runs_as_many_at_once_as_it_is_wide),
        cmocka_unit_test(holds_serialise_streams_that_share_a_hardware_queue),
        cmocka_unit_test(holds_do_nothing_to_streams_with_hardware_queues_of_their_own),
        cmocka_unit_test(a_record_of_a_copy_on_the_compute_ring_waits_for_the_kernel_ahead),
        cmocka_unit_test(a_record_lowered_to_nothing_runs_no_command_and_completes),
        cmocka_unit_test(an_event_completes_with_its_command_and_not_before),
        cmocka_unit_test(stamps_of_a_stream_are_in_order_and_within_the_host_s_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
