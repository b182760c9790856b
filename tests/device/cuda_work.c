/* What the device `cuda` does, over the stub driver (real time, on the soft device): data, settings, events, marks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>

#include "device/cuda_rig.h"

#define PAUSE_NS 30000000

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != CF_OK)                                                                                           \
            fail_msg("%s", err.text);                                                                                  \
    } while (0)

static cf_pairs settings_of(const char *name, const char *value)
{
    cf_pairs pairs = {0};
    assert_int_equal(cf_pairs_add(&pairs, name, value, NULL), CF_OK);
    return pairs;
}

static void open_with(tour *t, const char *name, const char *value)
{
    cf_error err = {0};
    cf_pairs settings = settings_of(name, value);
    *t = (tour){0};
    OK(tour_make(t, &settings, &err));
    cf_pairs_done(&settings);
}

static void check_data(const tour *t)
{
    for (int i = 0; i < 2; i++)
        assert_int_equal(t->found[i], cf_kernel_result(TOUR_NONCE, TOUR_TRIPS));
    assert_int_equal(t->last_word, TOUR_NONCE + TOUR_WORDS - 1);
    assert_true(t->readings[0].completed && !t->readings[0].has_stamp);
    assert_true(t->readings[1].completed && t->readings[1].has_stamp);
}

static void results_are_right_by(const char *stub, const char *streams)
{
    use_stub(stub);
    tour t;
    cf_error err = {0};
    open_with(&t, "streams", streams);
    OK(tour_run(&t, &err));
    check_data(&t);
    tour_end(&t);
    assert_int_equal(ask_stub("confound_stub_alive"), 0);
}

static void bytes_and_results_are_right_on_every_kind_of_stream(void **state)
{
    (void)state;
    results_are_right_by(STUB, "non-blocking");
    results_are_right_by(STUB, "blocking");
    results_are_right_by(STUB, "legacy");
}

static void a_batch_is_one_call_where_the_driver_has_it_and_a_fact_says_which(void **state)
{
    (void)state;
    const struct {
        const char *stub, *fact;
    } drivers[] = {{STUB, "cuMemcpyBatchAsync (13.0)"},
                   {STUB_12_8, "cuMemcpyBatchAsync (12.8)"},
                   {STUB_12_0, "a loop of cuMemcpyHtoDAsync: the driver has no cuMemcpyBatchAsync"}};
    for (size_t i = 0; i < 3; i++) {
        results_are_right_by(drivers[i].stub, "non-blocking");
        tour t;
        open_with(&t, "streams", "non-blocking");
        assert_string_equal(cf_pairs_get(&t.facts, "batch_path"), drivers[i].fact);
        tour_end(&t);
    }
}

static void a_batch_moves_all_its_pieces(void **state)
{
    (void)state;
    use_stub(STUB);
    tour t;
    cf_error err = {0};
    open_with(&t, "memory", "pinned");
    for (uint64_t i = 0; i < TOUR_WORDS; i++)
        t.words[i] = 3 * i + 1;
    OK(cf_device_block_write(t.device, t.host, 0, t.words, TOUR_BYTES, &err));
    OK(tour_op(&t, 0, (cf_op){.kind = CF_OP_BATCH_COPY, .src = t.host, .dst = t.front, .pieces = 5000}, &err));
    OK(cf_device_wait(t.device, NULL, CF_WAIT_BLOCK, &err));
    static uint64_t found[TOUR_WORDS];
    OK(cf_device_block_read(t.device, t.front, 0, found, TOUR_BYTES, &err));
    assert_memory_equal(found, t.words, TOUR_BYTES);
    tour_end(&t);
}

static void a_kernel_copies_from_the_host(void **state)
{
    (void)state;
    use_stub(STUB);
    tour t;
    cf_error err = {0};
    open_with(&t, "memory", "pinned");
    for (uint64_t i = 0; i < TOUR_WORDS; i++)
        t.words[i] = 7 * i + 5;
    OK(cf_device_block_write(t.device, t.host, 0, t.words, TOUR_BYTES, &err));
    OK(tour_op(&t, 0, (cf_op){.kind = CF_OP_KERNEL_COPY, .src = t.host, .dst = t.front}, &err));
    OK(cf_device_wait(t.device, NULL, CF_WAIT_POLL, &err));
    static uint64_t found[TOUR_WORDS];
    OK(cf_device_block_read(t.device, t.front, 0, found, TOUR_BYTES, &err));
    assert_memory_equal(found, t.words, TOUR_BYTES);
    tour_end(&t);
}

static void pageable_memory_works_blocks_the_host_and_is_beyond_a_kernels_reach(void **state)
{
    (void)state;
    use_stub(STUB);
    tour t;
    cf_error err = {0};
    open_with(&t, "memory", "pageable");
    assert_string_equal(cf_pairs_get(&t.facts, "host_memory"), "pageable");
    uint64_t before_ns = 0, after_ns = 0;
    assert_true(cf_device_blocked_ns(t.device, &before_ns));
    OK(tour_run(&t, &err));
    check_data(&t);
    assert_true(cf_device_blocked_ns(t.device, &after_ns));
    assert_true(after_ns > before_ns);
    const cf_op copy = {.kind = CF_OP_KERNEL_COPY, .src = t.host, .dst = t.front};
    assert_int_equal(tour_op(&t, 0, copy, &err), CF_UNSUPPORTED);
    assert_non_null(strstr(err.text, "cannot reach pageable memory"));
    tour_end(&t);
    assert_int_equal(ask_stub("confound_stub_alive"), 0);
}

static void an_operation_whose_blocks_are_elsewhere_is_refused(void **state)
{
    (void)state;
    use_stub(STUB);
    tour t;
    cf_error err = {0};
    open_with(&t, "memory", "pinned");
    const cf_op wrong[] = {{.kind = CF_OP_H2D, .src = t.front, .dst = t.mirror},
                           {.kind = CF_OP_H2D, .src = t.host, .dst = t.back},
                           {.kind = CF_OP_D2H, .src = t.front, .dst = t.mirror},
                           {.kind = CF_OP_D2D, .src = t.host, .dst = t.mirror},
                           {.kind = CF_OP_BATCH_COPY, .src = t.front, .dst = t.mirror}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(tour_op(&t, 0, wrong[i], &err), CF_UNSUPPORTED);
    cf_op waits = {.kind = CF_OP_H2D, .src = t.host, .dst = t.front, .waits = t.arrived};
    assert_int_equal(tour_op(&t, 0, waits, &err), CF_INPUT);
    assert_non_null(strstr(err.text, "that no operation has signalled"));
    tour_end(&t);
}

/* To the driver an event that was never recorded is complete: what is not recorded anew must not count again. */
static void an_event_counts_once_for_each_record(void **state)
{
    (void)state;
    use_stub(STUB);
    tour t;
    cf_error err = {0};
    open_with(&t, "memory", "pinned");
    cf_event_reading reading = {.completed = true};
    OK(cf_device_event_read(t.device, t.sync, &reading, &err));
    assert_false(reading.completed);
    const cf_op op = {.kind = CF_OP_KERNEL};
    OK(cf_device_record(t.device, t.streams[0], t.sync, &op, CF_SIDE_AFTER, &err));
    OK(cf_device_wait(t.device, NULL, CF_WAIT_BLOCK, &err));
    OK(cf_device_event_read(t.device, t.sync, &reading, &err));
    assert_true(reading.completed);
    OK(cf_device_event_read(t.device, t.sync, &reading, &err));
    assert_false(reading.completed);
    tour_end(&t);
}

static void stamps_go_on_across_steps(void **state)
{
    (void)state;
    use_stub(STUB);
    tour t;
    cf_error err = {0};
    open_with(&t, "memory", "pinned");
    int64_t last_ns = -PAUSE_NS;
    for (int i = 0; i < 3; i++) {
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        OK(tour_run(&t, &err));
        assert_true(t.readings[1].stamp_ns >= last_ns + PAUSE_NS);
        last_ns = t.readings[1].stamp_ns;
    }
    tour_end(&t);
}

static void a_share_is_a_number_of_blocks(void **state)
{
    (void)state;
    use_stub(STUB);
    tour t;
    cf_error err = {0};
    open_with(&t, "memory", "pinned");
    /* 16 multiprocessors with room for two blocks each. */
    const struct {
        double share;
        long blocks;
    } shares[] = {{0.01, 1}, {0.1, 3}, {0.5, 16}, {1, 32}, {0, 8}};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        cf_op op = {.kind = CF_OP_KERNEL, .src = t.front, .dst = t.results, .trips = 24, .share = shares[i].share};
        OK(tour_op(&t, 1, op, &err));
        assert_int_equal(ask_stub("confound_stub_grid"), shares[i].blocks);
    }
    OK(cf_device_wait(t.device, NULL, CF_WAIT_BLOCK, &err));
    tour_end(&t);
}

static void a_priority_is_held_to_what_the_device_has_and_recorded(void **state)
{
    (void)state;
    use_stub(STUB);
    tour t;
    open_with(&t, "priority_b", "3");
    assert_string_equal(cf_pairs_get(&t.facts, "stream_priority_b"), "3 of 0 to 5");
    tour_end(&t);
    open_with(&t, "priority_a", "9");
    assert_string_equal(cf_pairs_get(&t.facts, "stream_priority_a"), "5 of 0 to 5 (more was asked for)");
    assert_string_equal(cf_pairs_get(&t.facts, "stream_priority_b"), "0 of 0 to 5");
    tour_end(&t);
}

static void nvml_says_what_holds_the_device_down_and_who_else_is_there(void **state)
{
    (void)state;
    use_stub(STUB);
    const struct {
        const char *reasons, *processes;
        unsigned marks;
    } cases[] = {{"0", "1", 0},
                 {"1", "0", 0},
                 {"103", "1", 0},
                 {"4", "1", CF_MARK_THROTTLED},
                 {"8", "1", CF_MARK_THROTTLED},
                 {"20", "1", CF_MARK_THROTTLED},
                 {"40", "1", CF_MARK_THROTTLED},
                 {"80", "2", CF_MARK_THROTTLED | CF_MARK_SHARED_DEVICE},
                 {"0", "30", CF_MARK_SHARED_DEVICE}};
    tour t;
    cf_error err = {0};
    open_with(&t, "memory", "pinned");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned marks = 99;
        setenv("CONFOUND_STUB_REASONS", cases[i].reasons, 1);
        setenv("CONFOUND_STUB_PROCESSES", cases[i].processes, 1);
        OK(cf_device_conditions(t.device, &marks, &err));
        assert_int_equal(marks, cases[i].marks);
    }
    tour_end(&t);
}

static void without_nvml_there_are_no_marks_and_a_fact_says_so(void **state)
{
    (void)state;
    use_stub(STUB);
    setenv("CONFOUND_NVML_LIBRARY", "/nowhere/libnvidia-ml.so.1", 1);
    setenv("CONFOUND_STUB_REASONS", "8", 1);
    tour t;
    cf_error err = {0};
    open_with(&t, "memory", "pinned");
    unsigned marks = 99;
    OK(cf_device_conditions(t.device, &marks, &err));
    assert_int_equal(marks, 0);
    assert_non_null(strstr(cf_pairs_get(&t.facts, "nvml"), "absent"));
    tour_end(&t);
    use_stub(STUB);
    setenv("CONFOUND_STUB_FAIL", "nvmlInit_v2:1:9", 1);
    open_with(&t, "memory", "pinned");
    assert_non_null(strstr(cf_pairs_get(&t.facts, "nvml"), "does not start with code 9"));
    tour_end(&t);
    use_stub(STUB);
}

static void a_stub_is_simulated(void **state)
{
    (void)state;
    use_stub(STUB);
    tour t;
    cf_device_info info;
    open_with(&t, "memory", "pinned");
    cf_device_info_get(t.device, &info);
    assert_true(info.simulated);
    assert_string_equal(info.name, "stub");
    assert_string_equal(info.driver, "stub (CUDA 13.0)");
    tour_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_and_results_are_right_on_every_kind_of_stream),
        cmocka_unit_test(a_batch_is_one_call_where_the_driver_has_it_and_a_fact_says_which),
        cmocka_unit_test(a_batch_moves_all_its_pieces),
        cmocka_unit_test(a_kernel_copies_from_the_host),
        cmocka_unit_test(pageable_memory_works_blocks_the_host_and_is_beyond_a_kernels_reach),
        cmocka_unit_test(an_operation_whose_blocks_are_elsewhere_is_refused),
        cmocka_unit_test(an_event_counts_once_for_each_record),
        cmocka_unit_test(stamps_go_on_across_steps),
        cmocka_unit_test(a_share_is_a_number_of_blocks),
        cmocka_unit_test(a_priority_is_held_to_what_the_device_has_and_recorded),
        cmocka_unit_test(nvml_says_what_holds_the_device_down_and_who_else_is_there),
        cmocka_unit_test(without_nvml_there_are_no_marks_and_a_fact_says_so),
        cmocka_unit_test(a_stub_is_simulated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
