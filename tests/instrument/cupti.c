/* CUPTI's instruments over the stub driver (real time, on the soft device), which has CUPTI in it: what proves that
   they are armed, what they see, and what they leave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "device/cuda_rig.h"
#include "instrument/cupti.h"
#include "instrument/cupti_api.h"
#include "instrument/instrument.h"

#define COUNT 6u
#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != CF_OK)                                                                                           \
            fail_msg("%s", err.text);                                                                                  \
    } while (0)

static const char *const all[] = {"cupti-concurrent", "cupti-kernel", "cupti-callbacks"};
static const cf_instrument_config config = {.capacity = {COUNT, COUNT}};

static void use_cupti(void)
{
    use_stub(STUB);
    setenv("CONFOUND_CUPTI_LIBRARY", STUB, 1);
}

static void open_tour(tour *t)
{
    cf_error err = {0};
    *t = (tour){0};
    OK(tour_make(t, NULL, &err));
    OK(cf_device_step_begin(t->device, 0, &err)); /* makes what it keeps until it closes */
}

/* COUNT operations of kind a on lane a and of kind b on lane b, as the workload submits them. */
static cf_status run_window(tour *t, cf_device *top, cf_op_kind a, cf_op_kind b, cf_error *err)
{
    cf_status status = cf_device_block_write(t->device, t->front, 0, t->words, 8, err);
    if (status == CF_OK)
        status = cf_device_step_begin(top, 0, err);
    for (uint32_t i = 0; i < 2 * COUNT && status == CF_OK; i++) {
        cf_op op = {.kind = i % 2 ? b : a, .lane = (int)(i % 2), .index = i / 2, .src = t->front, .dst = t->results};
        if (cf_op_reads_host(op.kind))
            op.src = t->host;
        if (cf_op_is_copy(op.kind))
            op.dst = i % 2 ? t->mirror : t->front;
        op.bytes = cf_op_is_copy(op.kind) ? TOUR_BYTES : 0;
        op.trips = 2400;
        op.pieces = op.kind == CF_OP_BATCH_COPY ? 5 : 0;
        status = cf_device_submit(top, t->streams[i % 2], &op, err);
    }
    return status == CF_OK ? cf_device_wait(top, NULL, CF_WAIT_BLOCK, err) : status;
}

static cf_instrument_reading measure(tour *t, const char *name, cf_op_kind a, cf_op_kind b)
{
    const cf_instrument_type *type = cf_instrument_find(name);
    cf_error err = {0};
    cf_device *top = NULL;
    cf_instrument_reading reading = {0};
    assert_non_null(type);
    OK(cf_instrument_open(type, &config, t->device, &top, &err));
    for (int i = 0; i < 2; i++) { /* the second window owes as much as the first, and not more */
        OK(run_window(t, top, a, b, &err));
        OK(cf_instrument_collect(type, top, &reading, &err));
    }
    cf_instrument_close(type, top);
    return reading;
}

static void each_operation_is_proven_once_whatever_the_lanes_are(void **state)
{
    (void)state;
    use_cupti();
    const cf_op_kind pairs[][2] = {{CF_OP_H2D, CF_OP_KERNEL},
                                   {CF_OP_KERNEL, CF_OP_KERNEL},
                                   {CF_OP_KERNEL_COPY, CF_OP_KERNEL},
                                   {CF_OP_BATCH_COPY, CF_OP_KERNEL},
                                   {CF_OP_H2D, CF_OP_BATCH_COPY}};
    tour t;
    open_tour(&t);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (size_t j = 0; j < sizeof pairs / sizeof pairs[0]; j++) {
            const cf_instrument_type *type = cf_instrument_find(all[i]);
            uint64_t owed = type->owed(&config, (const uint64_t[]){COUNT, COUNT});
            uint64_t proofs = measure(&t, all[i], pairs[j][0], pairs[j][1]).proofs;
            if (proofs != owed)
                fail_msg("%s beside %s under %s: %d of %d", cf_op_names[pairs[j][0]], cf_op_names[pairs[j][1]], all[i],
                         (int)proofs, (int)owed);
        }
    tour_end(&t);
}

/* The harness prepares a step and looks at its results by copies on the default stream. */
static void what_the_harness_copies_is_no_proof_of_an_operation(void **state)
{
    (void)state;
    use_cupti();
    cf_pairs settings = {0};
    cf_error err = {0};
    tour t = {0};
    OK(cf_pairs_add(&settings, "streams", "legacy", &err));
    OK(tour_make(&t, &settings, &err));
    assert_int_equal(measure(&t, "cupti-concurrent", CF_OP_H2D, CF_OP_KERNEL).proofs, 2 * COUNT);
    tour_end(&t);
    cf_pairs_done(&settings);
}

static void the_mode_that_runs_one_kernel_at_a_time_sees_no_overlap_of_kernels(void **state)
{
    (void)state;
    use_cupti();
    tour t;
    open_tour(&t);
    cf_instrument_reading one = measure(&t, "cupti-kernel", CF_OP_KERNEL, CF_OP_KERNEL);
    assert_true(one.shorter_ns > 0);
    assert_true(one.overlap_ns < one.shorter_ns / 2);
    tour_end(&t);
}

typedef struct told {
    int count[2];
    int64_t last_ns[2], first_ns;
    bool other;
} told;

static void take(void *user, const cf_record_span *span)
{
    told *t = user;
    assert_in_range(span->lane, 0, 1);
    assert_int_equal(span->index, t->count[span->lane]++);
    assert_true(span->begin_ns >= t->last_ns[span->lane] && span->end_ns >= span->begin_ns);
    t->last_ns[span->lane] = span->begin_ns;
    t->first_ns = span->begin_ns < t->first_ns ? span->begin_ns : t->first_ns;
    t->other |= strcmp(span->what, span->lane == 0 ? "h2d" : "kernel") != 0;
}

static void its_records_are_told_one_an_operation_in_order(void **state)
{
    (void)state;
    use_cupti();
    tour t;
    cf_error err = {0};
    open_tour(&t);
    const cf_instrument_type *type = cf_instrument_find("cupti-concurrent");
    cf_device *top = NULL;
    cf_instrument_reading reading = {0};
    OK(cf_instrument_open(type, &config, t.device, &top, &err));
    for (int i = 0; i < 2; i++) {
        OK(run_window(&t, top, CF_OP_H2D, CF_OP_KERNEL, &err));
        OK(cf_instrument_collect(type, top, &reading, &err));
    }
    told seen = {.first_ns = INT64_MAX};
    OK(type->spans(top, take, &seen, &err));
    assert_int_equal(seen.count[0], COUNT);
    assert_int_equal(seen.count[1], COUNT);
    assert_int_equal(seen.first_ns, 0);
    assert_false(seen.other);
    cf_instrument_close(type, top);
    tour_end(&t);
}

/* A record call left out: here, one kind of record that was never enabled. */
static void what_is_not_recorded_is_not_proven(void **state)
{
    (void)state;
    use_cupti();
    tour t;
    cf_error err = {0};
    open_tour(&t);
    const cf_instrument_type *type = cf_instrument_find("cupti-concurrent");
    cf_device *top = NULL;
    cf_instrument_reading reading = {0};
    OK(cf_instrument_open(type, &config, t.device, &top, &err));
    const char *const names[] = {STUB, NULL};
    cf_dl *dl = NULL;
    OK(cf_dl_open(NULL, names, &dl, &err));
    int (*disable)(int) = (int (*)(int))cf_dl_find(dl, "cuptiActivityDisable");
    assert_int_equal(disable(CF_CUPTI_MEMCPY), 0);
    OK(run_window(&t, top, CF_OP_H2D, CF_OP_KERNEL, &err));
    OK(cf_instrument_collect(type, top, &reading, &err));
    assert_int_equal(reading.proofs, COUNT);
    cf_dl_close(dl);
    cf_instrument_close(type, top);
    tour_end(&t);
}

static void nothing_is_left_when_it_is_closed(void **state)
{
    (void)state;
    use_cupti();
    tour t;
    cf_error err = {0};
    open_tour(&t);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        long before = ask_stub("confound_stub_alive");
        (void)measure(&t, all[i], CF_OP_H2D, CF_OP_KERNEL);
        OK(run_window(&t, t.device, CF_OP_H2D, CF_OP_KERNEL, &err));
        if (ask_stub("confound_stub_alive") != before)
            fail_msg("%s leaves %ld objects", all[i], ask_stub("confound_stub_alive") - before);
    }
    assert_int_equal(cf_instrument_alive(), 0);
    tour_end(&t);
    assert_int_equal(ask_stub("confound_stub_alive"), 0);
}

static void each_call_that_fails_is_one_error_and_leaves_nothing(void **state)
{
    (void)state;
    use_cupti();
    const struct {
        const char *instrument, *plan, *call;
        cf_status status;
    } cases[] = {{"cupti-concurrent", "cuptiActivityEnable:1:999", "cuptiActivityEnable", CF_DEVICE},
                 {"cupti-concurrent", "cuptiActivityEnable:2:35", "cuptiActivityEnable", CF_UNSUPPORTED},
                 {"cupti-kernel", "cuptiActivityEnable:1:14", "cuptiActivityEnable", CF_UNSUPPORTED},
                 {"cupti-kernel", "cuptiActivityFlushAll:1:999", "cuptiActivityFlushAll", CF_DEVICE},
                 {"cupti-kernel", "cuptiActivityFlushAll:2:999", "cuptiActivityFlushAll", CF_DEVICE},
                 {"cupti-concurrent", "cuptiGetStreamId:2:20", "cuptiGetStreamId", CF_DEVICE},
                 {"cupti-callbacks", "cuptiSubscribe:1:39", "cuptiSubscribe", CF_UNSUPPORTED},
                 {"cupti-callbacks", "cuptiEnableDomain:1:1", "cuptiEnableDomain", CF_DEVICE}};
    tour t;
    open_tour(&t);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const cf_instrument_type *type = cf_instrument_find(cases[i].instrument);
        long before = ask_stub("confound_stub_alive");
        cf_error err = {0};
        cf_device *top = NULL;
        cf_instrument_reading reading = {0};
        setenv("CONFOUND_STUB_FAIL", cases[i].plan, 1);
        cf_status status = cf_instrument_open(type, &config, t.device, &top, &err);
        if (status == CF_OK)
            status = run_window(&t, top, CF_OP_H2D, CF_OP_KERNEL, &err);
        if (status == CF_OK)
            status = cf_instrument_collect(type, top, &reading, &err);
        cf_instrument_close(type, top);
        if (status != cases[i].status || strcmp(err.call, cases[i].call) != 0 ||
            strstr(err.text, "CUPTI answered") == NULL)
            fail_msg("%s: %s, '%s'", cases[i].plan, cf_status_name(status), err.text);
        unsetenv("CONFOUND_STUB_FAIL");
        assert_int_equal(ask_stub("confound_stub_alive"), before);
        assert_int_equal(measure(&t, cases[i].instrument, CF_OP_H2D, CF_OP_KERNEL).proofs, 2 * COUNT);
    }
    tour_end(&t);
}

static void another_device_has_no_cupti(void **state)
{
    (void)state;
    cf_error err = {0};
    cf_device other = {.ops = cf_device_backend("sim")};
    cf_device *top = NULL;
    assert_int_equal(cf_instrument_open(cf_instrument_find("cupti-kernel"), &config, &other, &top, &err),
                     CF_UNSUPPORTED);
    assert_non_null(strstr(err.text, "the device cuda alone"));
}

/* Runs first: once it is loaded it stays. */
static void without_cupti_it_is_said_what_was_looked_for(void **state)
{
    (void)state;
    use_cupti();
    tour t;
    open_tour(&t);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        cf_error err = {0};
        cf_device *top = NULL;
        setenv("CONFOUND_CUPTI_LIBRARY", "/nowhere/libcupti.so.13", 1);
        assert_int_equal(cf_instrument_open(cf_instrument_find(all[i]), &config, t.device, &top, &err), CF_UNSUPPORTED);
        assert_non_null(strstr(err.text, "no CUPTI"));
        assert_non_null(strstr(err.text, "/nowhere/libcupti.so.13"));
    }
    assert_null(cf_cupti_path());
    tour_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_cupti_it_is_said_what_was_looked_for),
        cmocka_unit_test(each_operation_is_proven_once_whatever_the_lanes_are),
        cmocka_unit_test(what_the_harness_copies_is_no_proof_of_an_operation),
        cmocka_unit_test(the_mode_that_runs_one_kernel_at_a_time_sees_no_overlap_of_kernels),
        cmocka_unit_test(its_records_are_told_one_an_operation_in_order),
        cmocka_unit_test(what_is_not_recorded_is_not_proven),
        cmocka_unit_test(nothing_is_left_when_it_is_closed),
        cmocka_unit_test(each_call_that_fails_is_one_error_and_leaves_nothing),
        cmocka_unit_test(another_device_has_no_cupti),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
