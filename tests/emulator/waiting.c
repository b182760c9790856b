/* Semaphores: who waits, until when by the model's schedule, and for whom. */
#include "emulator/rig.h"

#define SEMAPHORE(operation) (0x0e008003u | (uint32_t)(operation) << 12)

/* The memory is 5; true where the streamer goes on. */
static bool goes_on(unsigned operation, uint32_t data)
{
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    r.data[0] = 5;
    EMIT(&r, "MI_SEMAPHORE_WAIT", SEMAPHORE(operation), data, low(DATA), high(DATA), 0);
    end_batch(&r);
    const cf_emu_step step = rig_run(&r);
    rig_close(&r);
    return step == CF_EMU_ENDED;
}

static void a_semaphore_compares_memory_with_its_data(void **state)
{
    (void)state;
    static const bool expected[6][3] = {/* against 4, 5 and 6 */
                                        {true, false, false}, {true, true, false},  {false, false, true},
                                        {false, true, true},  {false, true, false}, {true, false, true}};
    for (unsigned operation = 0; operation < 6; operation++)
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(goes_on(operation, 4 + i), expected[operation][i]);
}

static void the_data_may_stand_in_a_register(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    r.data[0] = 5;
    EMIT(&r, "MI_LOAD_REGISTER_IMM", 0x11000001, 0x2600, 5);
    EMIT(&r, "MI_SEMAPHORE_WAIT", SEMAPHORE(4) | 1u << 17, 99, low(DATA), high(DATA), 0);
    rig_ends(&r);
    rig_close(&r);
}

static void what_a_walker_leaves_releases_at_the_walker_s_end(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    uint32_t walker[40] = {
        0x72080026, [7] = 100, [8] = 1, [9] = 1, [27] = 1, [28] = low(DATA), [29] = high(DATA), [30] = 1};
    emit(&r, "COMPUTE_WALKER", 40, walker);
    EMIT(&r, "MI_SEMAPHORE_WAIT", SEMAPHORE(4), 1, low(DATA), high(DATA), 0);
    EMIT(&r, "MI_STORE_DATA_IMM", 0x10000002, low(DATA + 8), high(DATA), 1);
    rig_ends(&r);
    const cf_emulator_span wait = span_of(&r, "MI_SEMAPHORE_WAIT");
    assert_int_equal(wait.kind, CF_EMULATOR_WAIT);
    assert_int_equal(wait.begin_ns, 1000000);
    assert_int_equal(wait.end_ns, 1105000);
    assert_int_equal(wait.reads, DATA);
    assert_int_equal(wait.waits_for, span_of(&r, "COMPUTE_WALKER").id);
    assert_int_equal(span_of(&r, "MI_STORE_DATA_IMM").begin_ns, 1105000);
    assert_int_equal(span_of(&r, "MI_STORE_DATA_IMM").waits_for, wait.id);
    rig_close(&r);
}

/* The waiter comes to the semaphore long after it was released: it stands at the time of its own schedule, and at the
   first of the writes that let it go, not at the last one. */
static void a_late_waiter_learns_when_it_was_released(void **state)
{
    (void)state;
    rig r;
    cf_emu_stream writer;
    rig_open(&r, CF_EMU_COMPUTE);
    cf_emu_stream_open(&writer, &r.device, &r.space, cf_emu_device_engine(&r.device, CF_EMU_COPY, 0), 8);
    writer.now_ns = 1500000;
    assert_int_equal(cf_emu_stream_store(&writer, DATA, 3, 4, 100), CF_EMU_NEXT);
    writer.now_ns = 1600000;
    assert_int_equal(cf_emu_stream_store(&writer, DATA, 4, 4, 101), CF_EMU_NEXT);
    writer.now_ns = 1700000;
    assert_int_equal(cf_emu_stream_store(&writer, DATA, 5, 4, 102), CF_EMU_NEXT);
    r.stream.now_ns = 1200000;
    assert_int_equal(cf_emu_stream_wait(&r.stream, DATA, 1, 4), CF_EMU_NEXT);
    assert_int_equal(r.stream.now_ns, 1600000);
    assert_int_equal(r.stream.cause, 101);
    r.stream.now_ns = 1650000;
    assert_int_equal(cf_emu_stream_wait(&r.stream, DATA, 1, 4), CF_EMU_NEXT);
    assert_int_equal(r.stream.now_ns, 1650000); /* it was released before it came */
    rig_close(&r);
}

/* Guards against: an event that was used before, reset by the host and signalled again released its waiter as of the
   first signal. */
static void an_event_that_the_host_reset_releases_at_its_newest_signal(void **state)
{
    (void)state;
    rig r;
    cf_emu_stream writer;
    rig_open(&r, CF_EMU_COMPUTE);
    cf_emu_stream_open(&writer, &r.device, &r.space, cf_emu_device_engine(&r.device, CF_EMU_COPY, 0), 8);
    writer.now_ns = 1500000;
    assert_int_equal(cf_emu_stream_store(&writer, DATA, 3, 4, 100), CF_EMU_NEXT);
    memset(r.data, 0xff, 4);
    writer.now_ns = 1600000;
    assert_int_equal(cf_emu_stream_store(&writer, DATA, 4, 4, 101), CF_EMU_NEXT);
    r.stream.now_ns = 1550000;
    assert_int_equal(cf_emu_stream_wait(&r.stream, DATA, 5, 0xffffffff), CF_EMU_NEXT);
    assert_int_equal(r.stream.now_ns, 1600000);
    assert_int_equal(r.stream.cause, 101);
    cf_emu_device_forget(&r.device, r.data, 8); /* the buffer is freed: its writes are nobody's */
    uint64_t at_ns, id;
    assert_false(cf_emu_device_written(&r.device, r.data, cf_emu_compare, 5, 0xffffffff, &at_ns, &id));
    rig_close(&r);
}

/* The ring's tail: 1 and 2 are there before the streamer publishes anything, 3 is written after it did. */
static void what_the_host_wrote_before_a_late_streamer_came_is_made_up_for_within_limits(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    r.data[0] = 1;
    assert_int_equal(cf_emu_stream_wait(&r.stream, DATA, 1, 1), CF_EMU_NEXT);
    r.stream.now_ns = 1000000;
    r.data[0] = 2;
    assert_int_equal(cf_emu_stream_store(&r.stream, DATA + 8, 1, 4, 9), CF_EMU_NEXT);
    r.device.clock.virtual_ns = 3000000; /* 2 ms late: made up for */
    assert_int_equal(cf_emu_stream_wait(&r.stream, DATA, 1, 2), CF_EMU_NEXT);
    assert_int_equal(r.stream.now_ns, 1000000);
    assert_int_equal(atomic_load(&r.device.late_ns), 0);
    r.device.clock.virtual_ns = 21000000; /* 20 ms late: all but 5 ms are lost, and counted */
    assert_int_equal(cf_emu_stream_wait(&r.stream, DATA, 1, 2), CF_EMU_NEXT);
    assert_int_equal(r.stream.now_ns, 16000000);
    assert_int_equal(atomic_load(&r.device.late_ns), 15000000);
    rig_close(&r);
}

/* Guards against: a host that waits for one execution and then submits the next one saw both at the same time, where
   the streamer had been late with the first. */
static void what_the_host_wrote_after_a_result_comes_after_it(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    r.data[0] = 1;
    assert_int_equal(cf_emu_stream_wait(&r.stream, DATA, 1, 1), CF_EMU_NEXT);
    r.stream.now_ns = 1000000;
    r.device.clock.virtual_ns = 1700000;
    assert_int_equal(cf_emu_stream_store(&r.stream, DATA + 8, 1, 4, 9), CF_EMU_NEXT); /* 0.7 ms late */
    r.data[0] = 2;
    r.device.clock.virtual_ns = 3000000;
    assert_int_equal(cf_emu_stream_wait(&r.stream, DATA, 1, 2), CF_EMU_NEXT);
    assert_int_equal(r.stream.now_ns, 1700000);
    rig_close(&r);
}

static void a_semaphore_at_nothing_is_a_fault(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    EMIT(&r, "MI_SEMAPHORE_WAIT", SEMAPHORE(4), 1, 0x900000, 0, 0);
    rig_fails(&r, "a semaphore at 0x900000");
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_semaphore_compares_memory_with_its_data),
        cmocka_unit_test(the_data_may_stand_in_a_register),
        cmocka_unit_test(what_a_walker_leaves_releases_at_the_walker_s_end),
        cmocka_unit_test(a_late_waiter_learns_when_it_was_released),
        cmocka_unit_test(an_event_that_the_host_reset_releases_at_its_newest_signal),
        cmocka_unit_test(what_the_host_wrote_before_a_late_streamer_came_is_made_up_for_within_limits),
        cmocka_unit_test(what_the_host_wrote_after_a_result_comes_after_it),
        cmocka_unit_test(a_semaphore_at_nothing_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
