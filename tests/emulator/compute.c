/* The compute engine: what a walker leaves behind and how long it takes, and what waits for it. */
#include "base/emulated.h"
#include "emulator/rig.h"
#include "emulator/timeline.h"

typedef struct walk {
    uint32_t groups[3], post;
    uint64_t address, value;
    uint64_t inline_words[4];
    uint32_t indirect_bytes, indirect_at, flags;
} walk;

static void emit_walker(rig *r, walk w)
{
    uint32_t words[40] = {
        [0] = 0x72080026 | w.flags, [2] = w.indirect_bytes, [3] = w.indirect_at, [5] = 0xffffffff,
        [7] = w.groups[0],          [8] = w.groups[1],      [9] = w.groups[2],   [27] = w.post,
        [28] = low(w.address),      [29] = high(w.address), [30] = low(w.value), [31] = high(w.value)};
    memcpy(words + 32, w.inline_words, 32);
    emit(r, "COMPUTE_WALKER", 40, words);
}

#define STALL     0x00100000u
#define POST_DATA 0x00004000u
#define POST_TIME 0x0000c000u

static void pipe_control(rig *r, uint32_t flags, uint64_t address, uint64_t value)
{
    EMIT(r, "PIPE_CONTROL", 0x7a000004, flags, low(address), high(address), low(value), high(value));
}

static void barrier(rig *r, uint32_t stages)
{
    EMIT(r, "RESOURCE_BARRIER", 0xac000003, stages, 0, 0, 0);
}

static void a_walker_s_time_follows_its_groups(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    emit_walker(&r, (walk){.groups = {10, 3, 2}, .post = 1, .address = DATA, .value = 0x123456789ull});
    rig_ends(&r);
    assert_int_equal(wide_at(&r, 0), 0x123456789ull);
    assert_int_equal(r.stream.now_ns, 1000000 + 5000 + 60 * 1000);
    const cf_emulator_span span = span_of(&r, "COMPUTE_WALKER");
    assert_int_equal(span.kind, CF_EMULATOR_KERNEL);
    assert_int_equal(span.writes, DATA);
    rig_close(&r);
}

static void a_walker_s_stamps_are_its_begin_and_end(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    emit_walker(&r, (walk){.groups = {100, 1, 1}, .post = 3, .address = DATA + 64});
    rig_ends(&r);
    const uint64_t begin = cf_emu_device_timestamp(&r.device, 1000000);
    const uint64_t end = cf_emu_device_timestamp(&r.device, 1105000);
    assert_int_equal(wide_at(&r, 64), begin);
    assert_int_equal(wide_at(&r, 72), begin);
    assert_int_equal(wide_at(&r, 80), end);
    assert_int_equal(wide_at(&r, 88), end);
    rig_close(&r);
}

/* A driver waits for one of the ends (the packet's third word, or the fourth) and then reads all four. A thread that
   the machine held up before the last word, for longer than the next kernel lasts, left that one as it was before the
   kernel: an end before the begin. */
static void who_sees_a_walker_s_end_sees_its_begin(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    emit_walker(&r, (walk){.groups = {100, 1, 1}, .post = 3, .address = DATA + 64});
    rig_ends(&r);
    for (size_t end = 80; end < 96; end += 8)
        for (size_t begin = 64; begin < 80; begin += 8)
            assert_true(write_of(&r, begin, wide_at(&r, begin)) < write_of(&r, end, wide_at(&r, end)));
    rig_close(&r);
}

typedef struct pair {
    cf_emu_device *device;
    _Alignas(16) uint64_t words[2];
} pair;

enum { PAIRS = 300000 };

static void *store_pairs(void *argument)
{
    pair *p = argument;
    for (uint64_t i = 1; i <= PAIRS; i++)
        cf_emu_device_store_both(p->device, (uint8_t *)p->words, (const uint64_t[]){i, i}, i, 1);
    return NULL;
}

/* By whichever word a reader learns of it. */
static void nobody_sees_one_end_without_the_other(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    pair p = {.device = &r.device};
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, store_pairs, &p), 0);
    uint64_t ahead[2] = {0, 0}, first = 0;
    for (int by = 0; first < PAIRS; by = !by) {
        first = __atomic_load_n(&p.words[by], __ATOMIC_SEQ_CST);
        ahead[by] += __atomic_load_n(&p.words[!by], __ATOMIC_SEQ_CST) < first;
    }
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_int_equal(ahead[0], 0);
    assert_int_equal(ahead[1], 0);
    rig_close(&r);
}

static void a_trip_count_in_the_payload_makes_the_time(void **state)
{
    (void)state;
    for (int indirect = 0; indirect < 2; indirect++) {
        rig r;
        walk w = {.groups = {161, 1, 1}}; /* two waves of 160 */
        const uint64_t words[3] = {42, CF_EMULATED_TRIPS_KEY, 1000};
        rig_open(&r, CF_EMU_COMPUTE);
        EMIT(&r, "STATE_BASE_ADDRESS", 0x61010001, low(HIGH) | 1, high(HIGH));
        if (indirect) {
            memcpy(r.high + 128, words, sizeof words);
            w.indirect_bytes = sizeof words;
            w.indirect_at = 128;
        } else {
            memcpy(w.inline_words, words, sizeof words);
        }
        emit_walker(&r, w);
        rig_ends(&r);
        assert_int_equal(r.stream.now_ns, 1000000 + 5000 + 2 * 1000 * 10);
        assert_int_equal(span_of(&r, "COMPUTE_WALKER").arguments[indirect ? 4 : 0], 42);
        rig_close(&r);
    }
}

static void a_payload_may_begin_in_the_command_and_go_on_behind_it(void **state)
{
    (void)state;
    rig r;
    walk w = {.groups = {1, 1, 1}, .indirect_bytes = 8, .indirect_at = 0};
    const uint64_t trips = 300;
    rig_open(&r, CF_EMU_COMPUTE);
    w.inline_words[3] = CF_EMULATED_TRIPS_KEY;
    memcpy(r.high, &trips, 8);
    EMIT(&r, "STATE_BASE_ADDRESS", 0x61010001, low(HIGH) | 1, high(HIGH));
    emit_walker(&r, w);
    rig_ends(&r);
    assert_int_equal(r.stream.now_ns, 1000000 + 5000 + 3000);
    rig_close(&r);
}

static void indirect_groups_come_from_registers(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    EMIT(&r, "MI_LOAD_REGISTER_IMM", 0x11000005, 0x2500, 4, 0x2504, 5, 0x2508, 1);
    emit_walker(&r, (walk){.groups = {1, 1, 1}, .flags = 1u << 10});
    rig_ends(&r);
    assert_int_equal(r.stream.now_ns, 1000000 + 5000 + 20000);
    rig_close(&r);
}

static void a_predicated_walker_goes_where_the_result_is_set(void **state)
{
    (void)state;
    for (uint32_t result = 0; result < 2; result++) {
        rig r;
        rig_open(&r, CF_EMU_COMPUTE);
        EMIT(&r, "MI_LOAD_REGISTER_IMM", 0x11000001, 0x2418, result); /* MI_PREDICATE_RESULT */
        emit_walker(&r, (walk){.groups = {5, 1, 1}, .flags = 1u << 8});
        rig_ends(&r);
        assert_int_equal(r.stream.now_ns, 1000000 + (result ? 10000 : 0));
        rig_close(&r);
    }
}

static unsigned kernels_told;

static void on_kernel(void)
{
    kernels_told++;
}

static void a_kernel_that_would_have_computed_is_told_of(void **state)
{
    (void)state;
    const uint64_t key = CF_EMULATED_TRIPS_KEY;
    rig r;
    walk timed = {.groups = {1, 1, 1}, .inline_words = {key, 10}};
    rig_open(&r, CF_EMU_COMPUTE);
    r.device.on_kernel = on_kernel;
    kernels_told = 0;
    emit_walker(&r, timed);
    EMIT(&r, "MI_LOAD_REGISTER_IMM", 0x11000001, 0x2418, 0); /* MI_PREDICATE_RESULT */
    emit_walker(&r, (walk){.groups = {1, 1, 1}, .flags = 1u << 8});
    rig_ends(&r);
    assert_int_equal(kernels_told, 0);
    emit_walker(&r, (walk){.groups = {1, 1, 1}});
    emit_walker(&r, (walk){.groups = {1, 1, 1}});
    rig_ends(&r);
    assert_int_equal(kernels_told, 2);
    rig_close(&r);
}

static void timeline_and_spans_mark_a_kernel_as_not_computed(void **state)
{
    (void)state;
    rig r;
    char *text = NULL;
    size_t bytes = 0;
    rig_open(&r, CF_EMU_COMPUTE);
    emit_walker(&r, (walk){.groups = {1, 1, 1}});
    pipe_control(&r, STALL | POST_TIME, DATA, 0);
    rig_ends(&r);
    const cf_emulator_span both[2] = {span_of(&r, "COMPUTE_WALKER"), span_of(&r, "PIPE_CONTROL")};
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    cf_emu_timeline_print(file, both, 2, 0);
    cf_emu_spans_print(file, both, 2);
    fclose(file);
    assert_non_null(strstr(text, "  COMPUTE_WALKER, not computed\n"));
    assert_non_null(strstr(text, "  PIPE_CONTROL\n"));
    assert_non_null(
        strstr(text, "\"command\":\"COMPUTE_WALKER\",\"arguments\":[0,0,0,0,0,0,0,0],\"computed\":false}\n"));
    assert_non_null(strstr(text, "\"command\":\"PIPE_CONTROL\"}\n"));
    free(text);
    rig_close(&r);
}

static void a_stall_waits_for_the_walker_and_stamps_then(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    emit_walker(&r, (walk){.groups = {1000, 1, 1}});
    pipe_control(&r, STALL | POST_TIME, DATA, 0);
    EMIT(&r, "MI_STORE_DATA_IMM", 0x10000002, low(DATA + 8), high(DATA), 1);
    rig_ends(&r);
    assert_int_equal(wide_at(&r, 0), cf_emu_device_timestamp(&r.device, 2005000));
    assert_int_equal(span_of(&r, "PIPE_CONTROL").waits_for, span_of(&r, "COMPUTE_WALKER").id);
    assert_int_equal(span_of(&r, "PIPE_CONTROL").kind, CF_EMULATOR_STAMP);
    assert_int_equal(span_of(&r, "MI_STORE_DATA_IMM").begin_ns, 2005000);
    rig_close(&r);
}

static void a_post_sync_write_without_a_stall_does_not_hold_the_streamer(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    emit_walker(&r, (walk){.groups = {1000, 1, 1}});
    pipe_control(&r, POST_DATA, DATA, 6);
    EMIT(&r, "MI_STORE_DATA_IMM", 0x10000002, low(DATA + 8), high(DATA), 1);
    rig_ends(&r);
    assert_int_equal(span_of(&r, "MI_STORE_DATA_IMM").begin_ns, 1000000);
    assert_int_equal(span_of(&r, "PIPE_CONTROL").end_ns, 2005000);
    assert_int_equal(wide_at(&r, 0), 6);
    rig_close(&r);
}

static void a_stall_that_is_taken_away_waits_for_nothing(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    r.device.model.wait_stall = 0;
    emit_walker(&r, (walk){.groups = {1000, 1, 1}});
    pipe_control(&r, STALL | POST_TIME, DATA, 0);
    rig_ends(&r);
    assert_int_equal(wide_at(&r, 0), cf_emu_device_timestamp(&r.device, 1000000));
    rig_close(&r);
}

static void a_barrier_with_a_wait_stage_waits_and_one_without_does_not(void **state)
{
    (void)state;
    static const struct {
        uint32_t stages;
        uint64_t wait, store_ns;
    } cases[] = {{0x4001, 1, 2005000}, {0x4000, 1, 1000000}, {0x4001, 0, 1000000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig r;
        rig_open(&r, CF_EMU_COMPUTE);
        r.device.model.wait_barrier = cases[i].wait;
        emit_walker(&r, (walk){.groups = {1000, 1, 1}});
        barrier(&r, cases[i].stages);
        EMIT(&r, "MI_STORE_DATA_IMM", 0x10000002, low(DATA), high(DATA), 1);
        rig_ends(&r);
        assert_int_equal(span_of(&r, "MI_STORE_DATA_IMM").begin_ns, cases[i].store_ns);
        rig_close(&r);
    }
}

static void one_kernel_at_a_time_unless_that_is_taken_away(void **state)
{
    (void)state;
    for (uint64_t wait = 0; wait < 2; wait++) {
        rig r;
        rig_open(&r, CF_EMU_COMPUTE);
        r.device.model.wait_walker = wait;
        emit_walker(&r, (walk){.groups = {995, 1, 1}});
        emit_walker(&r, (walk){.groups = {995, 1, 1}});
        rig_ends(&r);
        assert_int_equal(r.stream.now_ns, 1000000 * (wait ? 3 : 2));
        rig_close(&r);
    }
}

static void state_is_stepped_over(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    EMIT(&r, "CFE_STATE", 0x72000004, 0, 0, 0x05008800, 0, 0);
    EMIT(&r, "STATE_COMPUTE_MODE", 0x61050001, 0xe0006000, 0x00400040);
    EMIT(&r, "3DSTATE_BINDING_TABLE_POOL_ALLOC", 0x79190002, 0, 0, 0);
    EMIT(&r, "STATE_SYSTEM_MEM_FENCE_ADDRESS", 0x61090001, 0, 0);
    EMIT(&r, "STATE_CONTEXT_DATA_BASE_ADDRESS", 0x610b0001, 0, 0);
    EMIT(&r, "STATE_SIP", 0x61020001, 0, 0);
    EMIT(&r, "STATE_PREFETCH", 0x60030002, 0, 0, 0);
    EMIT(&r, "3DSTATE_BTD", 0x61060004, 0, 0, 0, 0, 0);
    EMIT(&r, "PIPELINE_SELECT", 0x69040000);
    rig_ends(&r);
    rig_close(&r);
}

static void forms_that_are_not_known_are_refused(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CF_EMU_COMPUTE);
    emit_walker(&r, (walk){.groups = {1, 1, 1}, .flags = 1u << 9});
    rig_fails(&r, "COMPUTE_WALKER");
    emit_walker(&r, (walk){.groups = {1, 1, 1}, .flags = 1u << 8});
    rig_fails(&r, "register 0x418");
    emit_walker(&r, (walk){.groups = {1, 1, 1}, .post = 2});
    rig_fails(&r, "COMPUTE_WALKER");
    emit_walker(&r, (walk){.groups = {1, 1, 1}, .indirect_bytes = 64, .indirect_at = 0x40000});
    rig_fails(&r, "its payload at 0x40000");
    pipe_control(&r, STALL | 0x8000, DATA, 0);
    rig_fails(&r, "PIPE_CONTROL (dword 0x00108000)");
    barrier(&r, 0x40004001);
    rig_fails(&r, "a kind of barrier");
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walker_s_time_follows_its_groups),
        cmocka_unit_test(a_walker_s_stamps_are_its_begin_and_end),
        cmocka_unit_test(who_sees_a_walker_s_end_sees_its_begin),
        cmocka_unit_test(nobody_sees_one_end_without_the_other),
        cmocka_unit_test(a_trip_count_in_the_payload_makes_the_time),
        cmocka_unit_test(a_payload_may_begin_in_the_command_and_go_on_behind_it),
        cmocka_unit_test(indirect_groups_come_from_registers),
        cmocka_unit_test(a_predicated_walker_goes_where_the_result_is_set),
        cmocka_unit_test(a_kernel_that_would_have_computed_is_told_of),
        cmocka_unit_test(timeline_and_spans_mark_a_kernel_as_not_computed),
        cmocka_unit_test(a_stall_waits_for_the_walker_and_stamps_then),
        cmocka_unit_test(a_post_sync_write_without_a_stall_does_not_hold_the_streamer),
        cmocka_unit_test(a_stall_that_is_taken_away_waits_for_nothing),
        cmocka_unit_test(a_barrier_with_a_wait_stage_waits_and_one_without_does_not),
        cmocka_unit_test(one_kernel_at_a_time_unless_that_is_taken_away),
        cmocka_unit_test(state_is_stepped_over),
        cmocka_unit_test(forms_that_are_not_known_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
