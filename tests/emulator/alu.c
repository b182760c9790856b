/* MI_MATH and MI_ATOMIC. */
#include "emulator/rig.h"

#define LOAD_A(from)   (0x08000000u | 0x20u << 10 | (from))
#define LOAD_B(from)   (0x08000000u | 0x21u << 10 | (from))
#define STORE(to, src) (0x18000000u | (uint32_t)(to) << 10 | (src))
#define RESULT         0x31u
#define ZERO           0x32u
#define CARRY          0x33u

/* R2 = R0 op R1, R3 = zero flag, R4 = carry flag. */
static void calculates(uint64_t a, uint32_t operation, uint64_t b, uint64_t result, uint64_t carry)
{
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    r.stream.registers64[0] = a;
    r.stream.registers64[1] = b;
    EMIT(&r, "MI_MATH", 0x0d000005, LOAD_A(0), LOAD_B(1), operation << 20, STORE(2, RESULT), STORE(3, ZERO),
         STORE(4, CARRY));
    rig_ends(&r);
    assert_int_equal(r.stream.registers64[2], result);
    assert_int_equal(r.stream.registers64[3], result ? 0 : ~0ull);
    assert_int_equal(r.stream.registers64[4], carry);
    rig_close(&r);
}

static void it_adds_and_subtracts_with_a_carry(void **state)
{
    (void)state;
    calculates(5, 0x100, 7, 12, 0);
    calculates(~0ull, 0x100, 1, 0, ~0ull);
    calculates(7, 0x101, 5, 2, 0);
    calculates(5, 0x101, 7, (uint64_t)-2, ~0ull);
    calculates(5, 0x101, 5, 0, 0);
}

static void it_combines_bits_and_shifts(void **state)
{
    (void)state;
    calculates(0xff00, 0x102, 0x0ff0, 0x0f00, 0);
    calculates(0xff00, 0x103, 0x0ff0, 0xfff0, 0);
    calculates(0xff00, 0x104, 0x0ff0, 0xf0f0, 0);
    calculates(1, 0x105, 40, 1ull << 40, 0);
    calculates(1ull << 40, 0x106, 40, 1, 0);
}

static void it_inverts_and_loads_constants(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    r.stream.registers64[0] = 0xf0;
    EMIT(&r, "MI_MATH", 0x0d000003, 0x48000000u | 0x20u << 10 | 0, /* A = ~R0 */
         0x08100000u | 0x21u << 10,                                /* B = 0 */
         0x10300000u,                                              /* or */
         STORE(1, RESULT));
    EMIT(&r, "MI_MATH", 0x0d000003, 0x48100000u | 0x20u << 10, 0x08100000u | 0x21u << 10, 0x10000000u,
         0x58000000u | 2u << 10 | RESULT); /* R2 = ~(~0 + 0) */
    rig_ends(&r);
    assert_int_equal(r.stream.registers64[1], ~0xf0ull);
    assert_int_equal(r.stream.registers64[2], 0);
    rig_close(&r);
}

static void an_operation_that_is_not_known_is_an_error(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    EMIT(&r, "MI_MATH", 0x0d000000, 0x0fe00000);
    rig_fails(&r, "MI_MATH (dword 0x0fe00000) with an operation");
    rig_close(&r);
}

static void atomics_change_memory_by_their_operands(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    const uint64_t ten = 10;
    memcpy(r.data, &ten, 8);
    memcpy(r.data + 8, &ten, 8);
    memcpy(r.data + 16, &ten, 8);
    memcpy(r.data + 24, &ten, 8);
    memcpy(r.data + 32, &ten, 8);
    EMIT(&r, "MI_ATOMIC", 0x17800501, low(DATA), high(DATA));                               /* 4B + 1 */
    EMIT(&r, "MI_ATOMIC", 0x17802601, low(DATA + 8), high(DATA));                           /* 8B - 1 */
    EMIT(&r, "MI_ATOMIC", 0x17842709, low(DATA + 16), high(DATA), 5, 0, 1, 0, 0, 0, 0, 0);  /* 8B + */
    EMIT(&r, "MI_ATOMIC", 0x17840409, low(DATA + 24), high(DATA), 77, 0, 0, 0, 0, 0, 0, 0); /* 4B = */
    EMIT(&r, "MI_ATOMIC", 0x17842e09, low(DATA + 32), high(DATA), 10, 4, 0, 0, 0, 0, 0, 0); /* 8B = 4 where 10 */
    EMIT(&r, "MI_ATOMIC", 0x17842e09, low(DATA + 32), high(DATA), 10, 9, 0, 0, 0, 0, 0, 0); /* it is no longer */
    rig_ends(&r);
    assert_int_equal(wide_at(&r, 0), 11);
    assert_int_equal(wide_at(&r, 8), 9);
    assert_int_equal(wide_at(&r, 16), 15 + (1ull << 32));
    assert_int_equal(wide_at(&r, 24), 77);
    assert_int_equal(wide_at(&r, 32), 4);
    rig_close(&r);
}

static void an_atomic_that_returns_its_data_is_refused(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    EMIT(&r, "MI_ATOMIC", 0x17810501, low(DATA), high(DATA));
    rig_fails(&r, "MI_ATOMIC");
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_adds_and_subtracts_with_a_carry),
        cmocka_unit_test(it_combines_bits_and_shifts),
        cmocka_unit_test(it_inverts_and_loads_constants),
        cmocka_unit_test(an_operation_that_is_not_known_is_an_error),
        cmocka_unit_test(atomics_change_memory_by_their_operands),
        cmocka_unit_test(an_atomic_that_returns_its_data_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
