/* The walls of docs/model.md, each computed by hand, in ns. A, B and AB of a row stand in this order. */
#include "device/sim_driver.h"

#define TWO_READY      "[engine compute]\nruns = kernel\n[engine copy]\nruns = copy\n"
#define HOST_BOUND(ns) TWO_READY "[host]\ncopy_ns = " ns "\nkernel_ns = 4us\n"

/* 16 copies of 1 ms beside 16 kernels of 1 ms. */
static driver_job copies_and_kernels(int records)
{
    return (driver_job){.kind = {CF_OP_H2D, CF_OP_KERNEL}, .count = {16, 16}, .ns = {MS, MS}, .records = records};
}

static driver_job depends_each(int records, uint32_t prefetch)
{
    driver_job job = copies_and_kernels(records);
    job.depends = true;
    job.prefetch = prefetch;
    return job;
}

static driver_job kernels_and_kernels(int records)
{
    return (driver_job){.kind = {CF_OP_KERNEL, CF_OP_KERNEL}, .count = {10, 10}, .ns = {MS, MS}, .records = records};
}

static void copies_beside_kernels_overlap_without_records(void **state)
{
    (void)state;
    const driver_job none = copies_and_kernels(NO_RECORDS), sync = copies_and_kernels(CF_EVENT_SYNC);
    expect_walls(builtin("copy-offload"), &none, 16 * MS, 16 * MS, 16 * MS);
    expect_walls(builtin("copy-offload"), &sync, 16 * MS, 16 * MS, 16 * MS);
}

/* 32 records of 2 us a lane, and nothing beside anything: 32 ms of work and 64 records. */
static void tags_on_the_compute_ring_serialise(void **state)
{
    (void)state;
    const driver_job timing = copies_and_kernels(CF_EVENT_TIMING);
    expect_walls(builtin("copy-offload"), &timing, 16064 * US, 16064 * US, 32128 * US);
}

static void a_pipeline_of_sixteen_takes_one_operation_more(void **state)
{
    (void)state;
    for (uint32_t prefetch = 0; prefetch < 2; prefetch++) {
        const driver_job none = depends_each(NO_RECORDS, prefetch), sync = depends_each(CF_EVENT_SYNC, prefetch);
        expect_walls(builtin("copy-offload"), &none, 16 * MS, 16 * MS, 17 * MS);
        expect_walls(builtin("copy-offload"), &sync, 16 * MS, 16 * MS, 17 * MS);
    }
}

static void tags_serialise_a_pipeline_as_well(void **state)
{
    (void)state;
    for (uint32_t prefetch = 0; prefetch < 2; prefetch++) {
        const driver_job timing = depends_each(CF_EVENT_TIMING, prefetch);
        expect_walls(builtin("copy-offload"), &timing, 16064 * US, 16064 * US, 32128 * US);
    }
}

/* b0 begins at 1 ms behind its record, which ran beside a0; each kernel has two records less the first one's 2 us. */
static void tags_around_kernels_alone_take_no_overlap(void **state)
{
    (void)state;
    for (uint32_t prefetch = 0; prefetch < 2; prefetch++) {
        driver_job timing = depends_each(CF_EVENT_TIMING, prefetch);
        timing.on = ON_B;
        expect_walls(builtin("copy-offload"), &timing, 16 * MS, 16064 * US, 17062 * US);
    }
}

static void a_tag_before_a_copy_waits_for_the_kernel(void **state)
{
    (void)state;
    driver_job timing = depends_each(CF_EVENT_TIMING, 0);
    timing.on = ON_A;
    timing.where = BEFORE;
    expect_walls(builtin("copy-offload"), &timing, 16032 * US, 16 * MS, 32032 * US);
}

static void one_copy_ahead_hides_tags_before_copies(void **state)
{
    (void)state;
    driver_job timing = depends_each(CF_EVENT_TIMING, 1);
    timing.on = ON_A;
    timing.where = BEFORE;
    expect_walls(builtin("copy-offload"), &timing, 16032 * US, 16 * MS, 17032 * US);
}

static void tags_after_copies_cost_a_copy_more(void **state)
{
    (void)state;
    driver_job timing = depends_each(CF_EVENT_TIMING, 1);
    timing.on = ON_A;
    timing.where = AFTER;
    expect_walls(builtin("copy-offload"), &timing, 16032 * US, 16 * MS, 18032 * US);
}

static void tags_on_both_sides_of_copies_serialise_whatever_is_fetched_ahead(void **state)
{
    (void)state;
    for (uint32_t prefetch = 0; prefetch < 2; prefetch++) {
        driver_job timing = depends_each(CF_EVENT_TIMING, prefetch);
        timing.on = ON_A;
        expect_walls(builtin("copy-offload"), &timing, 16064 * US, 16 * MS, 32064 * US);
    }
}

static void sync_lowered_like_timing_serialises(void **state)
{
    (void)state;
    const driver_job none = copies_and_kernels(NO_RECORDS), sync = copies_and_kernels(CF_EVENT_SYNC),
                     timing = copies_and_kernels(CF_EVENT_TIMING);
    expect_walls(builtin("sync-like-timing"), &none, 16 * MS, 16 * MS, 16 * MS);
    expect_walls(builtin("sync-like-timing"), &sync, 16064 * US, 16064 * US, 32128 * US);
    expect_walls(builtin("sync-like-timing"), &timing, 16064 * US, 16064 * US, 32128 * US);
}

static void tags_on_their_own_engine_overlap(void **state)
{
    (void)state;
    const driver_job none = copies_and_kernels(NO_RECORDS), sync = copies_and_kernels(CF_EVENT_SYNC),
                     timing = copies_and_kernels(CF_EVENT_TIMING);
    expect_walls(builtin("own"), &none, 16 * MS, 16 * MS, 16 * MS);
    expect_walls(builtin("own"), &sync, 16 * MS, 16 * MS, 16 * MS);
    expect_walls(builtin("own"), &timing, 16064 * US, 16064 * US, 16064 * US);
}

static void one_ring_for_both_is_serial_with_and_without_records(void **state)
{
    (void)state;
    const driver_job none = copies_and_kernels(NO_RECORDS), sync = copies_and_kernels(CF_EVENT_SYNC),
                     timing = copies_and_kernels(CF_EVENT_TIMING);
    expect_walls(builtin("one-engine"), &none, 16 * MS, 16 * MS, 32 * MS);
    expect_walls(builtin("one-engine"), &sync, 16 * MS, 16 * MS, 32 * MS);
    expect_walls(builtin("one-engine"), &timing, 16064 * US, 16064 * US, 32128 * US);
}

static void a_hold_in_the_only_hardware_queue_serialises_kernels(void **state)
{
    (void)state;
    const driver_job none = kernels_and_kernels(NO_RECORDS), sync = kernels_and_kernels(CF_EVENT_SYNC),
                     timing = kernels_and_kernels(CF_EVENT_TIMING);
    expect_walls(builtin("one-connection"), &none, 10 * MS, 10 * MS, 10 * MS);
    expect_walls(builtin("one-connection"), &sync, 10 * MS, 10 * MS, 10 * MS);
    expect_walls(builtin("one-connection"), &timing, 10 * MS, 10 * MS, 20 * MS);
}

static void a_hold_in_one_of_two_hardware_queues_is_harmless(void **state)
{
    (void)state;
    const driver_job none = kernels_and_kernels(NO_RECORDS), timing = kernels_and_kernels(CF_EVENT_TIMING);
    expect_walls(builtin("two-connections"), &none, 10 * MS, 10 * MS, 10 * MS);
    expect_walls(builtin("two-connections"), &timing, 10 * MS, 10 * MS, 10 * MS);
}

static void a_hold_is_harmless_where_copies_have_a_queue_of_their_own(void **state)
{
    (void)state;
    driver_job timing = kernels_and_kernels(CF_EVENT_TIMING);
    timing.kind[0] = CF_OP_H2D;
    expect_walls(builtin("one-connection"), &timing, 10 * MS, 10 * MS, 10 * MS);
}

/* N x 10 ms beside N x 10 ms take N + 1 operations: O = (N - 1) / N. */
static void a_perfect_pipeline_of_n_is_n_plus_one_long(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 8; n *= 2) {
        driver_job none = depends_each(NO_RECORDS, 0);
        none.count[0] = none.count[1] = n;
        none.ns[0] = none.ns[1] = 10 * MS;
        expect_walls(TWO_READY, &none, n * 10 * MS, n * 10 * MS, (n + 1) * 10 * MS);
    }
}

static void slow_tags_make_each_operation_a_tenth_longer(void **state)
{
    (void)state;
    const driver_job none = copies_and_kernels(NO_RECORDS), sync = copies_and_kernels(CF_EVENT_SYNC),
                     timing = copies_and_kernels(CF_EVENT_TIMING);
    expect_walls(builtin("slow-but-harmless"), &none, 16 * MS, 16 * MS, 16 * MS);
    expect_walls(builtin("slow-but-harmless"), &sync, 16 * MS, 16 * MS, 16 * MS);
    expect_walls(builtin("slow-but-harmless"), &timing, 17600 * US, 17600 * US, 17600 * US);
}

static driver_job seventy_eight(void)
{
    driver_job job = depends_each(NO_RECORDS, 0);
    job.count[0] = job.count[1] = 78;
    job.ns[1] = 2 * MS;
    return job;
}

/* A: 78 calls of 2.4 ms and the last copy. AB: 78 calls of 2.4 ms, 77 of 4 us before the last copy's call ends; then
   that copy (1 ms), its kernel (2 ms). B: the first call, then kernels back to back. */
static void a_slow_copy_call_bounds_the_step_by_the_host(void **state)
{
    (void)state;
    const driver_job job = seventy_eight();
    const uint64_t a_ns = 78 * 2400 * US + MS;
    expect_walls(HOST_BOUND("2.4ms"), &job, a_ns, 4 * US + 156 * MS, a_ns + 77 * 4 * US + 2 * MS);
    expect_walls(builtin("host-bound"), &job, 188200 * US, 156004 * US, 190508 * US);
}

/* The first kernel waits for the first copy, 4 us + 1 ms; the kernels are the longer lane. */
static void a_fast_copy_call_does_not(void **state)
{
    (void)state;
    const driver_job job = seventy_eight();
    expect_walls(HOST_BOUND("4us"), &job, 78004 * US, 156004 * US, 157004 * US);
}

/* 20 ms of work in pairs, each at 0.75 (0.5) of its speed: 10 / 0.75 = 13.333 ms, and every end is rounded up. */
static void contention_stretches_both_lanes(void **state)
{
    (void)state;
    driver_job job = copies_and_kernels(NO_RECORDS);
    job.count[0] = job.count[1] = 10;
    expect_walls(builtin("contention"), &job, 10 * MS, 10 * MS, 10 * 1333334);
    expect_walls("[model]\ncontention = 0.5\n" TWO_READY, &job, 10 * MS, 10 * MS, 20 * MS);
}

static void the_order_of_submission_decides_what_a_blocking_copy_hides(void **state)
{
    (void)state;
    driver_job job = copies_and_kernels(NO_RECORDS);
    expect_walls(builtin("blocking-copy"), &job, 16 * MS, 16 * MS, 17 * MS);
    job.b_first = true;
    expect_walls(builtin("blocking-copy"), &job, 16 * MS, 16 * MS, 16 * MS);
}

/* a's last command is submitted when 28 (31) of its 32 have ended; then b's 32 ms begin. */
static void a_full_queue_delays_the_lane_submitted_last(void **state)
{
    (void)state;
    driver_job job = copies_and_kernels(NO_RECORDS);
    job.count[0] = job.count[1] = 32;
    job.batch = A_THEN_B;
    expect_walls(builtin("queue-depth"), &job, 32 * MS, 32 * MS, 60 * MS);
    expect_walls("[model]\nqueue_depth = 1\n" TWO_READY, &job, 32 * MS, 32 * MS, 63 * MS);
}

/* Alone, each of 16 operations has 1 ms of records. Together, the shared engine is never idle from 0.5 ms on: 32
   operations of 1 ms, and half a ms of record at either end. */
static void records_on_an_engine_of_their_own_fake_overlap(void **state)
{
    (void)state;
    const driver_job none = copies_and_kernels(NO_RECORDS), timing = copies_and_kernels(CF_EVENT_TIMING);
    expect_walls(builtin("fakes-overlap"), &none, 16 * MS, 16 * MS, 32 * MS);
    expect_walls(builtin("fakes-overlap"), &timing, 32 * MS, 32 * MS, 33 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_beside_kernels_overlap_without_records),
        cmocka_unit_test(tags_on_the_compute_ring_serialise),
        cmocka_unit_test(a_pipeline_of_sixteen_takes_one_operation_more),
        cmocka_unit_test(tags_serialise_a_pipeline_as_well),
        cmocka_unit_test(tags_around_kernels_alone_take_no_overlap),
        cmocka_unit_test(a_tag_before_a_copy_waits_for_the_kernel),
        cmocka_unit_test(one_copy_ahead_hides_tags_before_copies),
        cmocka_unit_test(tags_after_copies_cost_a_copy_more),
        cmocka_unit_test(tags_on_both_sides_of_copies_serialise_whatever_is_fetched_ahead),
        cmocka_unit_test(sync_lowered_like_timing_serialises),
        cmocka_unit_test(tags_on_their_own_engine_overlap),
        cmocka_unit_test(one_ring_for_both_is_serial_with_and_without_records),
        cmocka_unit_test(a_hold_in_the_only_hardware_queue_serialises_kernels),
        cmocka_unit_test(a_hold_in_one_of_two_hardware_queues_is_harmless),
        cmocka_unit_test(a_hold_is_harmless_where_copies_have_a_queue_of_their_own),
        cmocka_unit_test(a_perfect_pipeline_of_n_is_n_plus_one_long),
        cmocka_unit_test(slow_tags_make_each_operation_a_tenth_longer),
        cmocka_unit_test(a_slow_copy_call_bounds_the_step_by_the_host),
        cmocka_unit_test(a_fast_copy_call_does_not),
        cmocka_unit_test(contention_stretches_both_lanes),
        cmocka_unit_test(the_order_of_submission_decides_what_a_blocking_copy_hides),
        cmocka_unit_test(a_full_queue_delays_the_lane_submitted_last),
        cmocka_unit_test(records_on_an_engine_of_their_own_fake_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
