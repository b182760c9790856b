/* What a model says of one operation: its engine, length, queue, the engine of its records, and stamps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"

static const char text[] = "[engine a]\nruns = h2d\nrate = 3\nlatency_ns = 7\nqueues = 2\n"
                           "[engine b]\nruns = kernel copy\norder = ring\nqueues = 2\n"
                           "[event sync]\nlowering = command\n"
                           "[event timing]\nlowering = command\nengine = b\n";

static int open_model(void **state)
{
    static cf_model model;
    cf_error err;
    *state = &model;
    return cf_model_parse("m.ini", text, sizeof text - 1, &model, &err) != CF_OK;
}

static int close_model(void **state)
{
    cf_model_done(*state);
    return 0;
}

static void the_first_engine_that_runs_an_operation_gets_it(void **state)
{
    const cf_model *m = *state;
    assert_int_equal(cf_model_engine_of(m, CF_OP_H2D), 0);
    assert_int_equal(cf_model_engine_of(m, CF_OP_D2H), 1);
    assert_int_equal(cf_model_engine_of(m, CF_OP_KERNEL), 1);
    cf_model none;
    cf_error err;
    assert_int_equal(cf_model_parse("m.ini", "[engine e]\nruns = d2h\n", 22, &none, &err), CF_OK);
    assert_int_equal(cf_model_engine_of(&none, CF_OP_KERNEL), -1);
    cf_model_done(&none);
}

static void copies_of_other_kinds_run_where_a_model_names_them_or_else_with_their_like(void **state)
{
    const cf_model *m = *state;
    assert_int_equal(cf_model_engine_of(m, CF_OP_KERNEL_COPY), cf_model_engine_of(m, CF_OP_KERNEL));
    assert_int_equal(cf_model_engine_of(m, CF_OP_BATCH_COPY), cf_model_engine_of(m, CF_OP_H2D));
    static const char named[] = "[engine e]\nruns = batch-copy\n[engine f]\nruns = copy kernel\n";
    cf_model own;
    cf_error err;
    assert_int_equal(cf_model_parse("m.ini", named, sizeof named - 1, &own, &err), CF_OK);
    assert_int_equal(cf_model_engine_of(&own, CF_OP_BATCH_COPY), 0);
    assert_int_equal(cf_model_engine_of(&own, CF_OP_H2D), 1);
    cf_model_done(&own);
}

static void a_length_in_ns_is_taken_as_it_is(void **state)
{
    uint64_t ns = 0;
    cf_error err;
    assert_int_equal(cf_model_length_ns(*state, 1, 250, 4096, &ns, &err), CF_OK);
    assert_int_equal(ns, 250);
    assert_int_equal(cf_model_length_ns(*state, 1, CF_MODEL_MAX_NS + 1, 0, &ns, &err), CF_INPUT);
    assert_int_equal(ns, 250);
}

/* 10 bytes at 3 a second: 3.33 s, rounded up to the ns, and the latency. */
static void bytes_are_rounded_up_and_take_the_latency(void **state)
{
    uint64_t ns = 0;
    cf_error err;
    assert_int_equal(cf_model_length_ns(*state, 0, 0, 10, &ns, &err), CF_OK);
    assert_int_equal(ns, UINT64_C(3333333334) + 7);
    assert_int_equal(cf_model_length_ns(*state, 0, 0, 9, &ns, &err), CF_OK);
    assert_int_equal(ns, UINT64_C(3000000000) + 7);
}

static void lengths_that_mean_nothing_are_refused(void **state)
{
    uint64_t ns = 0;
    cf_error err;
    assert_int_equal(cf_model_length_ns(*state, 1, 0, 10, &ns, &err), CF_INPUT);
    assert_non_null(strstr(err.text, "'rate' in [engine b]"));
    assert_int_equal(cf_model_length_ns(*state, 0, 0, 0, &ns, &err), CF_INPUT);
    assert_int_equal(cf_model_length_ns(*state, 0, 0, UINT64_MAX, &ns, &err), CF_INPUT);
    assert_non_null(strstr(err.text, "2^50"));
}

static void a_record_runs_on_its_own_engine_or_its_operations(void **state)
{
    cf_model *m = *state;
    assert_int_equal(cf_model_record_engine(m, CF_EVENT_SYNC, 0), 0);
    assert_int_equal(cf_model_record_engine(m, CF_EVENT_TIMING, 0), 1);
    cf_model hold = *m;
    hold.events[CF_EVENT_TIMING].lowering = CF_LOWER_HOLD; /* sits in the queue of its operation */
    assert_int_equal(cf_model_record_engine(&hold, CF_EVENT_TIMING, 0), 0);
}

static void streams_go_to_queues_by_their_number(void **state)
{
    const cf_model *m = *state;
    assert_int_equal(cf_model_queue_of(&m->engines[0], 3), 1);
    assert_int_equal(cf_model_queue_of(&m->engines[0], 4), 0);
    assert_int_equal(cf_model_queue_of(&m->engines[1], 3), 0); /* a ring has one */
    const cf_model_engine each = {.ready = true};
    assert_int_equal(cf_model_queue_of(&each, 3), 3);
}

static void stamps_have_offset_rate_and_wrap(void **state)
{
    (void)state;
    const uint64_t odd = (UINT64_C(1) << 60) + 1; /* beyond what a double holds */
    assert_int_equal(cf_model_stamp(&(cf_model_engine){.stamp_rate = 1.0}, odd), odd);
    assert_int_equal(cf_model_stamp(&(cf_model_engine){.stamp_rate = 1.0, .stamp_offset_ns = 5}, 10), 15);
    assert_int_equal((int64_t)cf_model_stamp(&(cf_model_engine){.stamp_rate = 1.0, .stamp_offset_ns = -50}, 10), -40);
    assert_int_equal(cf_model_stamp(&(cf_model_engine){.stamp_rate = 1.5}, 11), 16);
    assert_int_equal(
        cf_model_stamp(&(cf_model_engine){.stamp_rate = 2.0, .stamp_offset_ns = 1, .stamp_wrap_bits = 8}, 200),
        401 % 256);
    assert_int_equal(
        cf_model_stamp(&(cf_model_engine){.stamp_rate = 1.0, .stamp_offset_ns = -1, .stamp_wrap_bits = 8}, 0), 255);
}

static void a_model_half_built_or_absent_can_be_done_with(void **state)
{
    (void)state;
    cf_model empty = {0};
    cf_model_done(&empty);
    cf_model_done(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_engine_that_runs_an_operation_gets_it),
        cmocka_unit_test(copies_of_other_kinds_run_where_a_model_names_them_or_else_with_their_like),
        cmocka_unit_test(a_length_in_ns_is_taken_as_it_is),
        cmocka_unit_test(bytes_are_rounded_up_and_take_the_latency),
        cmocka_unit_test(lengths_that_mean_nothing_are_refused),
        cmocka_unit_test(a_record_runs_on_its_own_engine_or_its_operations),
        cmocka_unit_test(streams_go_to_queues_by_their_number),
        cmocka_unit_test(stamps_have_offset_rate_and_wrap),
        cmocka_unit_test(a_model_half_built_or_absent_can_be_done_with),
    };
    return cmocka_run_group_tests(tests, open_model, close_model);
}
