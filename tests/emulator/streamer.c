/* The streamer's own commands: jumps, stores, registers, predicates, flushes. */
#include "emulator/rig.h"

static void a_batch_runs_to_its_end(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    EMIT(&r, "MI_NOOP", 0x00000000);
    EMIT(&r, "MI_ARB_CHECK", 0x02800101);
    EMIT(&r, "MI_USER_INTERRUPT", 0x01000000);
    EMIT(&r, "MI_MEM_FENCE", 0x04800000);
    rig_ends(&r);
    assert_int_equal(r.stream.now_ns, 1000000); /* none of them takes time */
    rig_close(&r);
}

static void a_store_writes_4_or_8_bytes_and_no_more(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COPY);
    memset(r.data, 0xff, 32);
    EMIT(&r, "MI_STORE_DATA_IMM", 0x10000002, low(DATA), high(DATA), 0x11223344);
    EMIT(&r, "MI_STORE_DATA_IMM", 0x10200003, low(DATA + 16), high(DATA), 0x55667788, 0x99aabbcc);
    rig_ends(&r);
    assert_int_equal(word_at(&r, 0), 0x11223344);
    assert_int_equal(word_at(&r, 4), 0xffffffff);
    assert_int_equal(wide_at(&r, 16), 0x99aabbcc55667788);
    assert_int_equal(word_at(&r, 24), 0xffffffff);
    rig_close(&r);
}

static void a_second_level_batch_returns_and_a_first_level_one_does_not(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    uint32_t *second = r.code + CODE_BYTES / 4;
    const uint32_t store[] = {0x10000002, low(DATA), high(DATA), 1, END_WORD};
    memcpy(second, store, sizeof store);
    EMIT(&r, "MI_BATCH_BUFFER_START", 0x18c00101, low(SECOND), high(SECOND)); /* bit 22 */
    EMIT(&r, "MI_STORE_DATA_IMM", 0x10000002, low(DATA + 4), high(DATA), 2);
    rig_ends(&r);
    assert_int_equal(word_at(&r, 0), 1);
    assert_int_equal(word_at(&r, 4), 2);
    memset(r.data, 0, 8);
    EMIT(&r, "MI_BATCH_BUFFER_START", 0x18800101, low(SECOND), high(SECOND));
    EMIT(&r, "MI_STORE_DATA_IMM", 0x10000002, low(DATA + 4), high(DATA), 2);
    rig_ends(&r);
    assert_int_equal(word_at(&r, 0), 1);
    assert_int_equal(word_at(&r, 4), 0);
    rig_close(&r);
}

static void addresses_are_taken_with_and_without_their_upper_bits(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COPY);
    EMIT(&r, "MI_STORE_DATA_IMM", 0x10000002, low(HIGH), 0xffff8000, 5);
    EMIT(&r, "MI_STORE_DATA_IMM", 0x10000002, low(HIGH + 4), 0x00008000, 6);
    rig_ends(&r);
    assert_int_equal(r.high[0], 5);
    assert_int_equal(r.high[4], 6);
    rig_close(&r);
}

static void registers_keep_what_was_loaded(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    const uint32_t seven = 7;
    memcpy(r.data + 64, &seven, 4);
    EMIT(&r, "MI_LOAD_REGISTER_IMM", 0x11080003, 0x2600, 0xaaaa, 0x2604, 0xbbbb); /* CS_GPR_R0, both halves */
    EMIT(&r, "MI_LOAD_REGISTER_MEM", 0x14880002, 0x2608, low(DATA + 64), high(DATA));
    EMIT(&r, "MI_LOAD_REGISTER_REG", 0x150c0001, 0x2600, 0x2610);
    EMIT(&r, "MI_STORE_REGISTER_MEM", 0x12080002, 0x2604, low(DATA), high(DATA));
    EMIT(&r, "MI_STORE_REGISTER_MEM", 0x12080002, 0x2608, low(DATA + 4), high(DATA));
    EMIT(&r, "MI_STORE_REGISTER_MEM", 0x12080002, 0x2610, low(DATA + 8), high(DATA));
    rig_ends(&r);
    assert_int_equal(word_at(&r, 0), 0xbbbb);
    assert_int_equal(word_at(&r, 4), 7);
    assert_int_equal(word_at(&r, 8), 0xaaaa);
    rig_close(&r);
}

static void an_engine_s_registers_are_found_by_its_own_addresses(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COPY);
    EMIT(&r, "MI_LOAD_REGISTER_IMM", 0x11000001, 0x22600, 3); /* bcs0 begins at 0x22000 */
    EMIT(&r, "MI_STORE_REGISTER_MEM", 0x12080002, 0x2600, low(DATA), high(DATA));
    rig_ends(&r);
    assert_int_equal(word_at(&r, 0), 3);
    rig_close(&r);
}

static void a_register_that_nobody_wrote_is_an_error(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    EMIT(&r, "MI_STORE_REGISTER_MEM", 0x12080002, 0x2abc, low(DATA), high(DATA));
    rig_fails(&r, "register 0x2abc");
    rig_close(&r);
}

static void the_time_register_tells_the_model_s_time(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COPY);
    r.device.clock.virtual_ns = 2000000000; /* 2 s = 38400000 ticks */
    EMIT(&r, "MI_STORE_REGISTER_MEM", 0x12080002, 0x2358, low(DATA), high(DATA));
    EMIT(&r, "MI_STORE_REGISTER_MEM", 0x12080002, 0x235c, low(DATA + 4), high(DATA));
    rig_ends(&r);
    assert_int_equal(wide_at(&r, 0), 38400000);
    rig_close(&r);
}

/* A driver stores the time as two halves, one command behind the other, and who waits for the lower half reads both:
   where the machine held the thread up in between, an end lay before its begin. */
static void both_halves_of_the_time_come_at_once(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COPY);
    r.device.clock.virtual_ns = 1000000000000; /* 1000 s: more ticks than 32 bits hold */
    EMIT(&r, "MI_STORE_REGISTER_MEM", 0x12020002, 0x22358, low(DATA), high(DATA));
    EMIT(&r, "MI_STORE_REGISTER_MEM", 0x12020002, 0x2235c, low(DATA + 4), high(DATA));
    rig_ends(&r);
    assert_int_equal(wide_at(&r, 0), 19200000000);
    assert_int_equal(write_of(&r, 0, 19200000000), 0);
    assert_int_equal(r.device.written_count, 1);
    rig_close(&r);
}

static void a_lower_half_alone_is_stored_alone(void **state)
{
    (void)state;
    const struct {
        uint32_t offset, second;
        uint64_t at;
    } others[] = {{0, 0x2235c, 12}, /* not behind the first */
                  {4, 0x2235c, 8},  /* not one aligned word */
                  {0, 0x22358, 4},  /* the lower half again */
                  {0, 0x223ac, 4}}; /* of another register */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        rig r;
        rig_open(&r, CF_EMU_COPY);
        r.device.clock.virtual_ns = 1000000000000;
        EMIT(&r, "MI_STORE_REGISTER_MEM", 0x12020002, 0x22358, low(DATA + others[i].offset), high(DATA));
        EMIT(&r, "MI_STORE_REGISTER_MEM", 0x12020002, others[i].second, low(DATA + others[i].at), high(DATA));
        rig_ends(&r);
        assert_int_equal(word_at(&r, others[i].offset), low(19200000000));
        assert_int_equal(word_at(&r, others[i].at), others[i].second & 4 ? high(19200000000) : low(19200000000));
        assert_int_equal(r.device.written_count, 2);
        rig_close(&r);
    }
}

static void a_predicate_turns_commands_into_nothing(void **state)
{
    (void)state;
    for (uint32_t result = 0; result < 2; result++) {
        rig r;
        rig_open(&r, CF_EMU_COMPUTE);
        EMIT(&r, "MI_LOAD_REGISTER_IMM", 0x11000001, 0x23bc, result); /* MI_PREDICATE_RESULT_2 */
        EMIT(&r, "MI_SET_PREDICATE", 0x00800001);                     /* nothing where it is clear */
        EMIT(&r, "MI_STORE_DATA_IMM", 0x10000002, low(DATA), high(DATA), 1);
        EMIT(&r, "MI_SET_PREDICATE", 0x00800002); /* nothing where it is set */
        EMIT(&r, "MI_STORE_DATA_IMM", 0x10000002, low(DATA + 4), high(DATA), 1);
        EMIT(&r, "MI_SET_PREDICATE", 0x00800000);
        EMIT(&r, "MI_STORE_DATA_IMM", 0x10000002, low(DATA + 8), high(DATA), 1);
        rig_ends(&r);
        assert_int_equal(word_at(&r, 0), result);
        assert_int_equal(word_at(&r, 4), !result);
        assert_int_equal(word_at(&r, 8), 1);
        rig_close(&r);
    }
}

static void a_flush_waits_for_the_copy_and_then_writes(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COPY);
    EMIT(&r, "MEM_COPY", 0x56800008, 4000 - 1, 0, 0, 0, low(DATA), high(DATA), low(DATA + 8192), high(DATA), 0);
    EMIT(&r, "MI_FLUSH_DW", 0x13004003, low(DATA + 40), high(DATA), 9, 0);
    EMIT(&r, "MI_FLUSH_DW", 0x1300c003, low(DATA + 48), high(DATA), 0, 0); /* the time */
    rig_ends(&r);
    assert_int_equal(r.stream.now_ns, 1000000 + 2000 + 1000); /* 4 bytes a ns, and 2 us */
    assert_int_equal(wide_at(&r, 40), 9);
    assert_int_equal(wide_at(&r, 48), cf_emu_device_timestamp(&r.device, 1003000));
    rig_close(&r);
}

static void a_flush_whose_wait_is_taken_away_writes_at_once(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COPY);
    r.device.model.wait_flush = 0;
    EMIT(&r, "MEM_COPY", 0x56800008, 4000 - 1, 0, 0, 0, low(DATA), high(DATA), low(DATA + 8192), high(DATA), 0);
    EMIT(&r, "MI_FLUSH_DW", 0x1300c003, low(DATA + 48), high(DATA), 0, 0);
    rig_ends(&r);
    assert_int_equal(wide_at(&r, 48), cf_emu_device_timestamp(&r.device, 1000000));
    rig_close(&r);
}

static void what_is_not_modelled_of_a_known_command_is_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t words[5];
        const char *says;
    } cases[] = {{{0x05008000}, "MI_BATCH_BUFFER_END (dword 0x05008000) with a predicate"},
                 {{0x18840101, 0, 0}, "an indirect address"},
                 {{0x0080000f | 0x30}, "a condition"},
                 {{0x10400002, 0, 0, 0}, "the global address space"},
                 {{0x10000004, 0, 0, 0, 0}, "a length"},
                 {{0x0e010003, 0, 0, 0, 0}, "polling of a register"},
                 {{0x12280002, 0x2358, 0, 0}, "a predicate"},
                 {{0x04820000}, "a sub-opcode"},
                 {{0x11000000, 0x2600}, "MI_LOAD_REGISTER_IMM of 2 dwords"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig r;
        rig_open(&r, CF_EMU_COMPUTE);
        memcpy(r.code, cases[i].words, sizeof cases[i].words);
        r.used = 5;
        rig_fails(&r, cases[i].says);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_runs_to_its_end),
        cmocka_unit_test(a_store_writes_4_or_8_bytes_and_no_more),
        cmocka_unit_test(a_second_level_batch_returns_and_a_first_level_one_does_not),
        cmocka_unit_test(addresses_are_taken_with_and_without_their_upper_bits),
        cmocka_unit_test(registers_keep_what_was_loaded),
        cmocka_unit_test(an_engine_s_registers_are_found_by_its_own_addresses),
        cmocka_unit_test(a_register_that_nobody_wrote_is_an_error),
        cmocka_unit_test(the_time_register_tells_the_model_s_time),
        cmocka_unit_test(both_halves_of_the_time_come_at_once),
        cmocka_unit_test(a_lower_half_alone_is_stored_alone),
        cmocka_unit_test(a_predicate_turns_commands_into_nothing),
        cmocka_unit_test(a_flush_waits_for_the_copy_and_then_writes),
        cmocka_unit_test(a_flush_whose_wait_is_taken_away_writes_at_once),
        cmocka_unit_test(what_is_not_modelled_of_a_known_command_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
