/* The copy engine: where bytes go, how long it takes, what is refused. */
#include "emulator/rig.h"

static void pattern(uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 251);
}

static void a_linear_copy_moves_its_bytes_and_no_more(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COPY);
    pattern(r.data, 4096);
    EMIT(&r, "MEM_COPY", 0x56800008, 1000 - 1, 0, 0, 0, low(DATA + 3), high(DATA), low(DATA + 8192), high(DATA), 0);
    rig_ends(&r);
    assert_memory_equal(r.data + 3, r.data + 8192, 1000);
    assert_int_equal(r.data[8192 + 1000], 0);
    const cf_emulator_span span = span_of(&r, "MEM_COPY");
    assert_int_equal(span.kind, CF_EMULATOR_COPY);
    assert_string_equal(span.engine, "bcs0");
    assert_int_equal(span.queue, 7);
    assert_int_equal(span.reads, DATA + 3);
    assert_int_equal(span.reads_bytes, 1000);
    assert_int_equal(span.writes, DATA + 8192);
    assert_int_equal(span.writes_bytes, 1000);
    assert_int_equal(span.begin_ns, 1000000);
    assert_int_equal(span.end_ns, 1000000 + 2000 + 250); /* 4 bytes a ns, and 2 us */
    rig_close(&r);
}

static void a_matrix_copy_moves_rows_by_their_pitches(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COPY);
    pattern(r.data, 4096);
    EMIT(&r, "MEM_COPY", 0x56820008, 10 - 1, 4 - 1, 100 - 1, 64 - 1, low(DATA), high(DATA), low(DATA + 8192),
         high(DATA), 0);
    rig_ends(&r);
    for (size_t row = 0; row < 4; row++) {
        assert_memory_equal(r.data + row * 100, r.data + 8192 + row * 64, 10);
        assert_int_equal(r.data[8192 + row * 64 + 10], 0);
    }
    rig_close(&r);
}

static void copies_of_one_engine_follow_one_another(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COPY);
    for (int i = 0; i < 3; i++)
        EMIT(&r, "MEM_COPY", 0x56800008, 4000 - 1, 0, 0, 0, low(DATA), high(DATA), low(DATA + 8192), high(DATA), 0);
    rig_ends(&r);
    assert_int_equal(r.stream.now_ns, 1000000 + 3 * 3000);
    rig_close(&r);
}

static void a_planted_fault_shows_in_the_span(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COPY);
    r.device.model.fault_copies_on_compute = 1;
    EMIT(&r, "MEM_COPY", 0x56800008, 4000 - 1, 0, 0, 0, low(DATA), high(DATA), low(DATA + 8192), high(DATA), 0);
    rig_ends(&r);
    assert_string_equal(span_of(&r, "MEM_COPY").engine, "ccs0");
    assert_int_equal(cf_emu_device_engine(&r.device, CF_EMU_COMPUTE, 0)->busy_until_ns, 1003000);
    rig_close(&r);
}

static void a_fill_sets_bytes(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COPY);
    EMIT(&r, "MEM_SET", 0x56c00005, 100 - 1, 0, 0, low(DATA), high(DATA), 0xab000000);
    EMIT(&r, "MEM_SET", 0x56c20005, 5 - 1, 3 - 1, 32 - 1, low(DATA + 1024), high(DATA), 0xcd000000);
    rig_ends(&r);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(r.data[i], 0xab);
    assert_int_equal(r.data[100], 0);
    for (size_t row = 0; row < 3; row++) {
        assert_int_equal(r.data[1024 + row * 32 + 4], 0xcd);
        assert_int_equal(r.data[1024 + row * 32 + 5], 0);
    }
    rig_close(&r);
}

static void a_block_copy_moves_a_rectangle(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COPY);
    pattern(r.data, 4096);
    uint32_t words[22] = {0x50500014 /* 4 bytes a pixel */,
                          64 - 1,
                          2 | 1 << 16,
                          6 | 3 << 16,
                          low(DATA + 8192),
                          high(DATA),
                          0,
                          1 | 0 << 16,
                          128 - 1,
                          low(DATA),
                          high(DATA),
                          0};
    emit(&r, "XY_BLOCK_COPY_BLT", 22, words);
    rig_ends(&r);
    for (size_t row = 0; row < 2; row++)
        assert_memory_equal(r.data + row * 128 + 4, r.data + 8192 + (row + 1) * 64 + 8, 16);
    assert_int_equal(r.data[8192 + 64 + 7], 0);
    assert_int_equal(r.data[8192 + 64 + 24], 0);
    rig_close(&r);
}

static void a_colour_fills_a_rectangle(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COPY);
    uint32_t words[16] = {0x5128000e /* 16 bytes a pixel */,
                          64 - 1,
                          1 | 0 << 16,
                          3 | 2 << 16,
                          low(DATA),
                          high(DATA),
                          0,
                          0x11111111,
                          0x22222222,
                          0x33333333,
                          0x44444444};
    emit(&r, "XY_FAST_COLOR_BLT", 16, words);
    rig_ends(&r);
    for (size_t row = 0; row < 2; row++) {
        assert_int_equal(word_at(&r, row * 64 + 12), 0);
        assert_int_equal(word_at(&r, row * 64 + 16), 0x11111111);
        assert_int_equal(word_at(&r, row * 64 + 44), 0x44444444);
        assert_int_equal(word_at(&r, row * 64 + 48), 0);
    }
    rig_close(&r);
}

static void what_is_not_bound_is_a_fault_that_names_its_address(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COPY);
    EMIT(&r, "MEM_COPY", 0x56800008, 100 - 1, 0, 0, 0, low(DATA), high(DATA), 0x00900000, 0, 0);
    rig_fails(&r, "0x900000");
    EMIT(&r, "MEM_SET", 0x56c00005, 100 - 1, 0, 0, low(DATA + DATA_BYTES - 50), high(DATA), 0xab000000);
    rig_fails(&r, "MEM_SET at 0x30000");         /* the first byte behind what is bound */
    assert_int_equal(r.data[DATA_BYTES - 1], 0); /* all or nothing */
    rig_close(&r);
}

static void forms_that_are_not_known_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t words[22];
        size_t count;
        const char *says;
    } cases[] = {{{0x56880008}, 10, "a mode of copying"},
                 {{0x56c80005}, 7, "a mode of filling"},
                 {{0x56c40005}, 7, "a mode of filling"}, /* fast clear */
                 {{0x50500014, 1u << 30, 0, 1 | 1 << 16}, 22, "tiled"},
                 {{0x50500014, 0, 1 | 1 << 16, 1 | 1 << 16}, 22, "an empty area"},
                 {{0x50700014, 0, 0, 1 | 1 << 16}, 22, "colour depth"},
                 {{0x5110000e, 1u << 30, 0, 1 | 1 << 16}, 16, "tiled"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig r;
        rig_open(&r, CF_EMU_COPY);
        memcpy(r.code, cases[i].words, cases[i].count * 4);
        r.used = cases[i].count;
        rig_fails(&r, cases[i].says);
        rig_close(&r);
    }
}

static void the_copy_engine_s_commands_are_for_it_alone(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    EMIT(&r, "MEM_COPY", 0x56800008, 100 - 1, 0, 0, 0, low(DATA), high(DATA), low(DATA + 512), high(DATA), 0);
    rig_fails(&r, "ccs0");
    assert_non_null(strstr(r.stream.failure, "has no such command"));
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_copy_moves_its_bytes_and_no_more),
        cmocka_unit_test(a_matrix_copy_moves_rows_by_their_pitches),
        cmocka_unit_test(copies_of_one_engine_follow_one_another),
        cmocka_unit_test(a_planted_fault_shows_in_the_span),
        cmocka_unit_test(a_fill_sets_bytes),
        cmocka_unit_test(a_block_copy_moves_a_rectangle),
        cmocka_unit_test(a_colour_fills_a_rectangle),
        cmocka_unit_test(what_is_not_bound_is_a_fault_that_names_its_address),
        cmocka_unit_test(forms_that_are_not_known_are_refused),
        cmocka_unit_test(the_copy_engine_s_commands_are_for_it_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
