/* The host's side of `soft` (rules 1, 6, 7, 8): calls that cost, calls that block, waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>

#include "device/soft_rig.h"

static uint64_t submit_copies(rig *r, uint32_t count, uint64_t ns)
{
    uint64_t begin_ns = cf_clock_now_ns();
    for (uint32_t i = 0; i < count; i++) {
        cf_op copy = rig_copy(r, i, ns);
        rig_submit(r, r->streams[0], &copy);
    }
    return cf_clock_now_ns() - begin_ns;
}

static void a_call_costs_the_host_what_the_model_says(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, OFFLOAD "host_ns = 300us\n[host]\ncopy_ns = 500us\n");
    assert_true(submit_copies(&r, 2, 10 * US) >= 1 * MS);
    assert_int_equal(rig_blocked_ns(&r), 0);
    rig_arm(&r, CF_EVENT_TIMING);
    assert_true(submit_copies(&r, 2, 10 * US) >= 2 * (500 + 2 * 300) * US);
    rig_wait(&r, NULL);
    rig_close(&r);
}

static void a_record_lowered_to_nothing_costs_the_host_as_well(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "[engine bcs]\nruns = copy kernel\n[event sync]\nlowering = none\nhost_ns = 400us\n");
    rig_arm(&r, CF_EVENT_SYNC);
    assert_true(submit_copies(&r, 2, 10 * US) >= 4 * 400 * US);
    rig_wait(&r, NULL);
    rig_close(&r);
}

static void a_full_stream_blocks_the_host_and_that_is_counted(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "[model]\nqueue_depth = 2\n[engine bcs]\nruns = copy kernel\n");
    uint64_t submit_ns = submit_copies(&r, 5, 2 * MS);
    /* The fifth call returns once the third copy has ended or, to be exact, two are left. */
    assert_true(submit_ns >= 6 * MS);
    assert_true(rig_blocked_ns(&r) > 0);
    assert_true(rig_blocked_ns(&r) <= submit_ns);
    rig_wait(&r, NULL);
    rig_close(&r);
}

static void holds_count_towards_a_stream_s_depth(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "[model]\nqueue_depth = 2\n[engine bcs]\nruns = copy kernel\n[event timing]\nlowering = hold\n");
    rig_arm(&r, CF_EVENT_TIMING);
    assert_true(submit_copies(&r, 2, 3 * MS) >= 3 * MS);
    rig_wait(&r, NULL);
    rig_close(&r);
}

static void a_stream_without_a_limit_blocks_nobody(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, OFFLOAD);
    (void)submit_copies(&r, RIG_COUNT, 1 * MS);
    assert_int_equal(rig_blocked_ns(&r), 0);
    rig_wait(&r, NULL);
    assert_int_equal(rig_blocked_ns(&r), 0);
    rig_close(&r);
}

static void a_blocking_copy_has_arrived_when_the_call_returns(void **state)
{
    (void)state;
    rig rig_;
    rig *r = &rig_;
    rig_open(r, "[model]\nblocking_copy = yes\n[engine ccs]\nruns = kernel\n[engine bcs]\nruns = copy\n");
    const uint64_t value = 17;
    RIG_OK(cf_device_block_write(r->device, r->host, 0, &value, sizeof value, &r->err));
    cf_op kernel = rig_kernel(r, 0, 30 * MS);
    rig_submit(r, r->streams[1], &kernel);
    for (uint32_t i = 0; i < 3; i++) {
        cf_op copy = rig_copy(r, i, 1 * MS);
        rig_submit(r, r->streams[0], &copy);
        assert_true(cf_soft_block_peek(r->mirror[i], 0) == value);
    }
    assert_true(rig_blocked_ns(r) >= 1 * MS);
    rig_wait(r, NULL);
    rig_close(r);
}

static void a_wait_for_one_stream_leaves_the_other_running(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, OFFLOAD);
    rig_arm(&r, CF_EVENT_SYNC);
    cf_op copy = rig_copy(&r, 0, 1 * MS);
    cf_op kernel = rig_kernel(&r, 0, 150 * MS);
    rig_submit(&r, r.streams[1], &kernel);
    rig_submit(&r, r.streams[0], &copy);
    rig_wait(&r, r.streams[0]);
    assert_true(rig_read(&r, r.marks[0][0][1]).completed);
    assert_false(rig_read(&r, r.marks[1][0][1]).completed);
    rig_wait(&r, r.streams[1]);
    assert_true(rig_read(&r, r.marks[1][0][1]).completed);
    rig_close(&r);
}

static void every_way_to_wait_returns_when_all_has_ended(void **state)
{
    (void)state;
    rig rig_;
    rig *r = &rig_;
    rig_open(r, OFFLOAD);
    rig_arm(r, CF_EVENT_SYNC);
    for (int how = 0; how < CF_WAIT_COUNT; how++) {
        for (uint32_t i = 0; i < 4; i++) {
            cf_op copy = rig_copy(r, i, 200 * US);
            rig_submit(r, r->streams[0], &copy);
        }
        RIG_OK(cf_device_wait(r->device, NULL, (cf_wait)how, &r->err));
        assert_true(rig_read(r, r->marks[0][3][1]).completed);
        RIG_OK(cf_device_wait(r->device, NULL, (cf_wait)how, &r->err)); /* nothing left */
    }
    rig_close(r);
}

static void submission_allocates_nothing(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, OFFLOAD);
    rig_arm(&r, CF_EVENT_TIMING);
    struct mallinfo2 before = mallinfo2();
    (void)submit_copies(&r, RIG_COUNT, 20 * US);
    rig_wait(&r, NULL);
    struct mallinfo2 after = mallinfo2();
    assert_int_equal(after.uordblks, before.uordblks);
    rig_close(&r);
}

/* More commands, and more records lowered to nothing, than there is room for. */
static void more_than_the_ring_holds_blocks_the_host_and_loses_nothing(void **state)
{
    (void)state;
    rig rig_;
    rig *r = &rig_;
    rig_open(r, OFFLOAD);
    cf_event *event;
    RIG_OK(cf_device_event_new(r->device, CF_EVENT_SYNC, &event, &r->err));
    cf_op copy = rig_copy(r, 0, 0);
    copy.ns = 1;
    copy.src = copy.dst = NULL;
    for (uint32_t i = 0; i < CF_SOFT_COMMANDS + 100; i++)
        RIG_OK(cf_device_record(r->device, r->streams[0], event, &copy, CF_SIDE_BEFORE, &r->err));
    assert_true(rig_read(r, event).completed);
    for (uint32_t i = 0; i < 2 * CF_SOFT_COMMANDS; i++)
        RIG_OK(cf_device_submit(r->device, r->streams[0], &copy, &r->err));
    RIG_OK(cf_device_record(r->device, r->streams[0], event, &copy, CF_SIDE_AFTER, &r->err));
    rig_wait(r, NULL);
    assert_true(rig_read(r, event).completed);
    cf_device_event_free(r->device, event);
    rig_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_costs_the_host_what_the_model_says),
        cmocka_unit_test(a_record_lowered_to_nothing_costs_the_host_as_well),
        cmocka_unit_test(a_full_stream_blocks_the_host_and_that_is_counted),
        cmocka_unit_test(holds_count_towards_a_stream_s_depth),
        cmocka_unit_test(a_stream_without_a_limit_blocks_nobody),
        cmocka_unit_test(a_blocking_copy_has_arrived_when_the_call_returns),
        cmocka_unit_test(a_wait_for_one_stream_leaves_the_other_running),
        cmocka_unit_test(every_way_to_wait_returns_when_all_has_ended),
        cmocka_unit_test(submission_allocates_nothing),
        cmocka_unit_test(more_than_the_ring_holds_blocks_the_host_and_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
