/* Copies of `soft` move bytes and its kernels compute: what arrives, when it arrives, and what a fault does to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/soft_rig.h"

#define STALL OFFLOAD "[fault]\nstall_engine = bcs\nstall_ns = 60ms\nstall_at = 2\n"

static void fill(rig *r, uint64_t seed)
{
    uint64_t words[RIG_WORDS];
    for (uint64_t i = 0; i < RIG_WORDS; i++)
        words[i] = seed + i;
    RIG_OK(cf_device_block_write(r->device, r->host, 0, words, sizeof words, &r->err));
}

static uint64_t result(rig *r, uint32_t index)
{
    uint64_t value = 0;
    RIG_OK(cf_device_block_read(r->device, r->results, index * 8, &value, sizeof value, &r->err));
    return value;
}

static void a_copy_moves_every_byte(void **state)
{
    (void)state;
    rig rig_;
    rig *r = &rig_;
    rig_open(r, OFFLOAD);
    fill(r, 1000);
    cf_op copy = rig_copy(r, 0, 100 * US);
    rig_submit(r, r->streams[0], &copy);
    rig_wait(r, NULL);
    for (uint64_t i = 0; i < RIG_WORDS; i++)
        assert_true(cf_soft_block_peek(r->mirror[0], i) == 1000 + i);
    rig_close(r);
}

static void a_copy_moves_as_many_bytes_as_it_is_told_and_no_more(void **state)
{
    (void)state;
    rig rig_;
    rig *r = &rig_;
    rig_open(r, OFFLOAD);
    fill(r, 0x0101010101010101);
    const unsigned char ones[24] = {[0] = 0xff, [12] = 0xff, [13] = 0xff, [23] = 0xff};
    RIG_OK(cf_device_block_write(r->device, r->mirror[0], 0, ones, sizeof ones, &r->err));
    cf_op copy = rig_copy(r, 0, 50 * US);
    copy.bytes = 13;
    rig_submit(r, r->streams[0], &copy);
    rig_wait(r, NULL);
    unsigned char found[24];
    RIG_OK(cf_device_block_read(r->device, r->mirror[0], 0, found, sizeof found, &r->err));
    assert_int_equal(found[0], 0x01);
    assert_int_equal(found[12], 0x01);
    assert_int_equal(found[13], 0xff);
    assert_int_equal(found[14], 0x00);
    assert_int_equal(found[23], 0xff);
    rig_close(r);
}

static void a_copy_begins_where_it_is_told_in_its_source(void **state)
{
    (void)state;
    rig rig_;
    rig *r = &rig_;
    rig_open(r, OFFLOAD);
    fill(r, 1000);
    cf_op copy = rig_copy(r, 0, 50 * US);
    copy.src_offset_bytes = RIG_BLOCK_BYTES - 16;
    rig_submit(r, r->streams[0], &copy);
    rig_wait(r, NULL);
    assert_true(cf_soft_block_peek(r->mirror[0], 0) == 1000 + RIG_WORDS - 2);
    assert_true(cf_soft_block_peek(r->mirror[0], 1) == 1000 + RIG_WORDS - 1);
    assert_true(cf_soft_block_peek(r->mirror[0], 2) == 0);
    rig_close(r);
}

static void a_kernel_computes_the_recurrence_of_its_nonce(void **state)
{
    (void)state;
    rig rig_;
    rig *r = &rig_;
    rig_open(r, OFFLOAD);
    fill(r, 77);
    cf_op kernel = rig_kernel(r, 3, 0);
    kernel.src = r->host;
    kernel.src_offset_bytes = 16;
    kernel.trips = 12345; /* no ns: as long as the trips take */
    rig_submit(r, r->streams[1], &kernel);
    rig_wait(r, NULL);
    assert_true(result(r, 3) == cf_kernel_result(79, 12345));
    assert_true(result(r, 2) == 0);
    rig_close(r);
}

static void a_kernel_given_in_ns_does_as_many_trips_as_info_says(void **state)
{
    (void)state;
    rig rig_;
    rig *r = &rig_;
    rig_open(r, OFFLOAD);
    cf_op kernel = rig_kernel(r, 0, 300 * US);
    kernel.trips = 0;
    rig_submit(r, r->streams[1], &kernel);
    rig_wait(r, NULL);
    assert_true(result(r, 0) == cf_kernel_result(0, 300 * r->info.kernel_trips_per_us));
    rig_close(r);
}

/* Both lanes, b[i] on what a[i] brings. Kernels are shorter than copies: a kernel that does not wait is early. Returns
   how many results are those of this step's nonces. */
static uint32_t right_results(const char *model, uint64_t *ret_late_ns)
{
    rig rig_;
    rig *r = &rig_;
    rig_open(r, model);
    fill(r, 42);
    for (uint32_t i = 0; i < RIG_COUNT; i++) {
        cf_op copy = rig_copy(r, i, 300 * US);
        cf_op kernel = rig_kernel(r, i, 40 * US);
        copy.signals = kernel.waits = r->arrived[i];
        rig_submit(r, r->streams[0], &copy);
        rig_submit(r, r->streams[1], &kernel);
    }
    rig_wait(r, NULL);
    uint32_t right = 0;
    for (uint32_t i = 0; i < RIG_COUNT; i++)
        right += result(r, i) == cf_kernel_result(42, 40 * r->info.kernel_trips_per_us);
    *ret_late_ns = rig_late_ns(r);
    rig_close(r);
    return right;
}

static void a_kernel_that_waits_for_its_copy_computes_what_that_brought(void **state)
{
    (void)state;
    uint64_t late_ns;
    assert_int_equal(right_results(OFFLOAD, &late_ns), RIG_COUNT);
}

static void a_kernel_that_ignores_its_wait_computes_something_else(void **state)
{
    (void)state;
    uint64_t late_ns;
    assert_true(right_results(OFFLOAD "[fault]\nignore_waits = yes\n", &late_ns) < RIG_COUNT);
}

static void copies_on_the_wrong_engine_run_where_kernels_run(void **state)
{
    (void)state;
    rig rig_;
    rig *r = &rig_;
    rig_open(r, OFFLOAD "[fault]\nwrong_engine = yes\n");
    rig_watch(r);
    for (uint32_t i = 0; i < 3; i++) {
        cf_op copy = rig_copy(r, i, 100 * US);
        cf_op kernel = rig_kernel(r, i, 100 * US);
        rig_submit(r, r->streams[0], &copy);
        rig_submit(r, r->streams[1], &kernel);
    }
    rig_wait(r, NULL);
    rig_seen(r);
    assert_int_equal(r->span_count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(r->spans[i].engine, "ccs");
        assert_true(i == 0 || r->spans[i].begin_ns >= r->spans[i - 1].end_ns);
    }
    rig_close(r);
}

typedef struct wall {
    uint64_t ns, late_ns;
} wall;

/* Three copies; the second is looked at while it runs. ret_look_ns: how long after it had begun, at the most. */
static wall copy_three(rig *r, uint64_t seed, bool look, uint64_t *ret_moved_at_rest, uint64_t *ret_look_ns)
{
    fill(r, seed);
    uint64_t late_ns = rig_late_ns(r);
    uint64_t begin_ns = cf_clock_now_ns(), look_ns = begin_ns;
    for (uint32_t i = 0; i < 3; i++) {
        cf_op copy = rig_copy(r, i, 1 * MS);
        rig_submit(r, r->streams[0], &copy);
    }
    /* The last word arrives first: it is there when the copy has begun, and the first is not until it has ended. */
    while (look && cf_soft_block_peek(r->mirror[1], RIG_WORDS / 2) != seed + RIG_WORDS / 2) {
        look_ns = cf_clock_now_ns();
        cf_clock_sleep_until_ns(look_ns + 50 * US);
    }
    cf_clock_sleep_until_ns(cf_clock_now_ns() + (look ? 20 * MS : 0));
    uint64_t moved = 0;
    for (uint64_t i = 0; i < RIG_WORDS; i++)
        moved += cf_soft_block_peek(r->mirror[1], i) == seed + i;
    *ret_moved_at_rest = moved;
    *ret_look_ns = cf_clock_now_ns() - look_ns;
    rig_wait(r, NULL);
    return (wall){cf_clock_now_ns() - begin_ns, rig_late_ns(r) - late_ns};
}

/* False: the machine held this thread up until the stall was over, or the engine for as long as a stall. */
static bool a_stall_is_seen(void)
{
    rig rig_;
    rig *r = &rig_;
    rig_open(r, STALL);
    uint64_t moved, look_ns;
    wall stalled = copy_three(r, 5000, true, &moved, &look_ns);
    bool in_time = look_ns < 58 * MS;
    if (in_time)
        assert_int_equal(moved, RIG_WORDS / 2);
    assert_true(stalled.ns >= 62 * MS);
    assert_true(stalled.late_ns >= 58 * MS);
    assert_true(stalled.late_ns <= stalled.ns);
    for (uint32_t i = 0; i < 3; i++)
        for (uint64_t word = 0; word < RIG_WORDS; word++)
            assert_true(cf_soft_block_peek(r->mirror[i], word) == 5000 + word);
    /* Once: the engine's second command was in the last step. */
    wall after = copy_three(r, 9000, false, &moved, &look_ns);
    rig_close(r);
    return in_time && after.late_ns < 58 * MS;
}

static void an_engine_that_stalls_leaves_a_copy_half_done_and_moves_the_wall(void **state)
{
    (void)state;
    enum { TRIES = 10 };
    bool seen = false;
    for (int i = 0; i < TRIES && !seen; i++)
        seen = a_stall_is_seen();
    assert_true(seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_moves_every_byte),
        cmocka_unit_test(a_copy_moves_as_many_bytes_as_it_is_told_and_no_more),
        cmocka_unit_test(a_copy_begins_where_it_is_told_in_its_source),
        cmocka_unit_test(a_kernel_computes_the_recurrence_of_its_nonce),
        cmocka_unit_test(a_kernel_given_in_ns_does_as_many_trips_as_info_says),
        cmocka_unit_test(a_kernel_that_waits_for_its_copy_computes_what_that_brought),
        cmocka_unit_test(a_kernel_that_ignores_its_wait_computes_something_else),
        cmocka_unit_test(copies_on_the_wrong_engine_run_where_kernels_run),
        cmocka_unit_test(an_engine_that_stalls_leaves_a_copy_half_done_and_moves_the_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
