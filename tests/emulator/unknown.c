/* What the interpreter does not know is an error that names it: opcode, dword, engine, queue and where. */
#include "emulator/rig.h"

static void an_unknown_command_names_itself_and_ends_the_batch(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    EMIT(&r, "MI_NOOP", 0);
    r.code[r.used++] = 0x14000002; /* MI_REPORT_PERF_COUNT */
    r.used += 3;
    EMIT(&r, "MI_STORE_DATA_IMM", 0x10000002, low(DATA), high(DATA), 1);
    rig_fails(&r, "ccs0, exec queue 7, at 0x10004: unknown command, opcode 0x28, dword 0x14000002");
    assert_int_equal(word_at(&r, 0), 0); /* not skipped */
    assert_int_equal(r.device.failure_count, 1);
    assert_string_equal(r.device.failure, r.stream.failure);
    rig_close(&r);
}

static void every_kind_of_unknown_command_is_refused(void **state)
{
    (void)state;
    static const uint32_t words[] = {0x1b000002 /* MI_CONDITIONAL_BATCH_BUFFER_END */,
                                     0x20000000 /* no such type */,
                                     0x54c00008 /* XY_SRC_COPY_BLT */,
                                     0x7b000005 /* 3DPRIMITIVE */,
                                     0x780c0003 /* 3DSTATE_VF */,
                                     0x72040000 /* another CFE command */,
                                     0xa8000003 /* another GFX_EXEC command */,
                                     0xffffffff};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        rig r;
        char text[32];
        rig_open(&r, CF_EMU_RENDER);
        r.code[r.used++] = words[i];
        snprintf(text, sizeof text, "dword 0x%08x", words[i]);
        rig_fails(&r, text);
        assert_non_null(strstr(r.stream.failure, "unknown command"));
        rig_close(&r);
    }
}

static void a_batch_at_nothing_is_a_fault(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    EMIT(&r, "MI_BATCH_BUFFER_START", 0x18800101, 0x900000, 0);
    rig_fails(&r, "at 0x900000: no command buffer is bound there");
    rig_close(&r);
}

static void a_command_that_reaches_behind_what_is_bound_is_a_fault(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    const uint32_t first = 0x10000002;
    memcpy(r.data + DATA_BYTES - 4, &first, 4);
    EMIT(&r, "MI_BATCH_BUFFER_START", 0x18800101, low(DATA + DATA_BYTES - 4), 0);
    rig_fails(&r, "MI_STORE_DATA_IMM reaches to where nothing is bound");
    rig_close(&r);
}

static void names_and_first_dwords_are_unique(void **state)
{
    (void)state;
    for (const cf_emu_command *one = cf_emu_commands; one->name; one++) {
        assert_int_equal(one->value & ~one->mask, 0);
        assert_ptr_equal(cf_emu_command_find(one->value), one);
        assert_true(!one->run || strlen(one->name) < sizeof((cf_emulator_span *)0)->command);
        assert_non_null(one->source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_command_names_itself_and_ends_the_batch),
        cmocka_unit_test(every_kind_of_unknown_command_is_refused),
        cmocka_unit_test(a_batch_at_nothing_is_a_fault),
        cmocka_unit_test(a_command_that_reaches_behind_what_is_bound_is_a_fault),
        cmocka_unit_test(names_and_first_dwords_are_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
