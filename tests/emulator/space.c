/* Address spaces and buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "emulator/memory.h"
#include "emulator/space.h"

static uint8_t memory[8 * 4096];

static void bound_memory_is_found_with_all_that_lies_behind(void **state)
{
    (void)state;
    cf_emu_space space;
    uint64_t bytes;
    cf_emu_space_open(&space, 1);
    assert_int_equal(cf_emu_space_bind(&space, 0xffff800000001000ull, 8192, memory), 0);
    assert_ptr_equal(cf_emu_space_find(&space, 0x800000001010ull, &bytes), memory + 16);
    assert_int_equal(bytes, 8192 - 16);
    assert_ptr_equal(cf_emu_space_find(&space, 0xffff800000002fffull, &bytes), memory + 8191);
    assert_null(cf_emu_space_find(&space, 0x800000003000ull, &bytes));
    assert_null(cf_emu_space_find(&space, 0x800000000fffull, &bytes));
    cf_emu_space_close(&space);
}

static void two_spaces_are_apart(void **state)
{
    (void)state;
    cf_emu_space one, two;
    uint64_t bytes;
    cf_emu_space_open(&one, 1);
    cf_emu_space_open(&two, 2);
    cf_emu_space_bind(&one, 0x1000, 4096, memory);
    cf_emu_space_bind(&two, 0x1000, 4096, memory + 4096);
    assert_ptr_equal(cf_emu_space_find(&one, 0x1000, &bytes), memory);
    assert_ptr_equal(cf_emu_space_find(&two, 0x1000, &bytes), memory + 4096);
    cf_emu_space_unbind(&one, 0x1000, 4096);
    assert_null(cf_emu_space_find(&one, 0x1000, &bytes));
    assert_non_null(cf_emu_space_find(&two, 0x1000, &bytes));
    cf_emu_space_close(&one);
    cf_emu_space_close(&two);
}

static void a_hole_is_cut_out_of_the_middle(void **state)
{
    (void)state;
    cf_emu_space space;
    uint64_t bytes;
    cf_emu_space_open(&space, 1);
    cf_emu_space_bind(&space, 0x10000, 5 * 4096, memory);
    cf_emu_space_unbind(&space, 0x11000, 2 * 4096);
    assert_ptr_equal(cf_emu_space_find(&space, 0x10000, &bytes), memory);
    assert_int_equal(bytes, 4096);
    assert_null(cf_emu_space_find(&space, 0x11000, &bytes));
    assert_null(cf_emu_space_find(&space, 0x12fff, &bytes));
    assert_ptr_equal(cf_emu_space_find(&space, 0x13000, &bytes), memory + 3 * 4096);
    assert_int_equal(bytes, 2 * 4096);
    cf_emu_space_close(&space);
}

static void a_bind_replaces_what_it_covers(void **state)
{
    (void)state;
    cf_emu_space space;
    uint64_t bytes;
    cf_emu_space_open(&space, 1);
    for (uint64_t i = 0; i < 4; i++)
        cf_emu_space_bind(&space, 0x10000 + i * 4096, 4096, memory + i * 4096);
    cf_emu_space_bind(&space, 0x10800, 2 * 4096, memory + 6 * 4096);
    assert_ptr_equal(cf_emu_space_find(&space, 0x10000, &bytes), memory);
    assert_int_equal(bytes, 0x800);
    assert_ptr_equal(cf_emu_space_find(&space, 0x10800, &bytes), memory + 6 * 4096);
    assert_int_equal(bytes, 2 * 4096);
    assert_ptr_equal(cf_emu_space_find(&space, 0x12800, &bytes), memory + 2 * 4096 + 0x800);
    assert_int_equal(space.count, 4);
    cf_emu_space_close(&space);
}

static void a_copy_crosses_from_one_buffer_into_the_next(void **state)
{
    (void)state;
    cf_emu_space space;
    uint64_t fault = 0;
    cf_emu_space_open(&space, 1);
    cf_emu_space_bind(&space, 0x10000, 4096, memory);
    cf_emu_space_bind(&space, 0x11000, 4096, memory + 2 * 4096);
    cf_emu_space_bind(&space, 0x20000, 8192, memory + 4 * 4096);
    for (size_t i = 0; i < 4096; i++)
        memory[i] = (uint8_t)i, memory[2 * 4096 + i] = (uint8_t)(i * 3);
    assert_true(cf_emu_space_copy(&space, 0x20000, 0x10800, 4096, &fault));
    assert_memory_equal(memory + 4 * 4096, memory + 0x800, 0x800);
    assert_memory_equal(memory + 4 * 4096 + 0x800, memory + 2 * 4096, 0x800);
    memset(memory + 4 * 4096, 1, 8192);
    assert_false(cf_emu_space_copy(&space, 0x20000, 0x11800, 4096, &fault));
    assert_int_equal(fault, 0x12000);
    assert_int_equal(memory[4 * 4096], 1); /* nothing of it was copied */
    cf_emu_space_close(&space);
}

static void nothing_and_what_wraps_cannot_be_bound(void **state)
{
    (void)state;
    cf_emu_space space;
    cf_emu_space_open(&space, 1);
    assert_int_equal(cf_emu_space_bind(&space, 0x1000, 0, memory), EINVAL);
    assert_int_equal(cf_emu_space_bind(&space, 0xfffffffff000ull, 8192, memory), EINVAL);
    assert_int_equal(cf_emu_space_bind(&space, 0x1000, ~0ull, memory), EINVAL);
    cf_emu_space_close(&space);
}

static void freed_buffers_are_used_again_and_read_as_zero(void **state)
{
    (void)state;
    cf_emu_memory pool;
    uint32_t first, second, third;
    cf_emu_extent extent;
    assert_int_equal(cf_emu_memory_open(&pool, 4u << 20, 1u << 30), 0);
    assert_int_equal(cf_emu_memory_new(&pool, 1u << 20, true, &first), 0);
    assert_int_equal(cf_emu_memory_new(&pool, 1u << 20, false, &second), 0);
    assert_int_equal(cf_emu_memory_new(&pool, 3u << 20, false, &third), ENOMEM);
    assert_true(cf_emu_memory_find(&pool, first, &extent));
    memset(pool.base + extent.offset, 7, extent.size_bytes);
    const uint64_t offset = extent.offset;
    assert_int_equal(cf_emu_memory_free(&pool, first), 0);
    assert_int_equal(cf_emu_memory_free(&pool, first), ENOENT);
    assert_false(cf_emu_memory_find(&pool, first, &extent));
    for (int i = 0; i < 1000; i++) { /* it never runs out */
        assert_int_equal(cf_emu_memory_new(&pool, 1u << 20, true, &third), 0);
        assert_true(cf_emu_memory_find(&pool, third, &extent));
        assert_int_equal(extent.offset, offset);
        assert_int_equal(pool.base[offset], 0);
        pool.base[offset] = 1;
        assert_int_equal(cf_emu_memory_free(&pool, third), 0);
    }
    assert_int_equal(cf_emu_memory_free(&pool, second), 0);
    assert_int_equal(pool.hole_count, 1);
    assert_int_equal(pool.local_bytes, 0);
    cf_emu_memory_close(&pool);
}

static void local_memory_has_a_limit(void **state)
{
    (void)state;
    cf_emu_memory pool;
    uint32_t handle;
    assert_int_equal(cf_emu_memory_open(&pool, 8u << 20, 1u << 20), 0);
    assert_int_equal(cf_emu_memory_new(&pool, 1u << 20, true, &handle), 0);
    assert_int_equal(cf_emu_memory_new(&pool, 65536, true, &handle), ENOMEM);
    assert_int_equal(cf_emu_memory_new(&pool, 65536, false, &handle), 0);
    cf_emu_memory_close(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bound_memory_is_found_with_all_that_lies_behind),
        cmocka_unit_test(two_spaces_are_apart),
        cmocka_unit_test(a_hole_is_cut_out_of_the_middle),
        cmocka_unit_test(a_bind_replaces_what_it_covers),
        cmocka_unit_test(a_copy_crosses_from_one_buffer_into_the_next),
        cmocka_unit_test(nothing_and_what_wraps_cannot_be_bound),
        cmocka_unit_test(freed_buffers_are_used_again_and_read_as_zero),
        cmocka_unit_test(local_memory_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
