/* Instruments on the virtual device: what each adds, what it owes and what it shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "device/sim/sim.h"
#include "instrument/instrument.h"

typedef struct bench {
    cf_model model;
    cf_device *device;
} bench;

static int set_up(void **state)
{
    static bench b;
    cf_error err = {0};
    const char *text = cf_model_builtins[0].text;
    for (size_t i = 0; cf_model_builtins[i].name != NULL; i++)
        if (strcmp(cf_model_builtins[i].name, "copy-offload") == 0)
            text = cf_model_builtins[i].text;
    assert_int_equal(cf_model_parse("copy-offload", text, strlen(text), &b.model, &err), CF_OK);
    cf_device_config config = {.model = &b.model};
    assert_int_equal(cf_device_open(&cf_device_sim, &config, &b.device, &err), CF_OK);
    *state = &b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    cf_device_close(b->device);
    cf_model_done(&b->model);
    return 0;
}

static void open_named(bench *b, const char *name, cf_device **ret_device, cf_stream *streams[2])
{
    cf_error err = {0};
    cf_instrument_config config = {.where = 3, .on = 3, .capacity = {2, 2}};
    assert_int_equal(cf_instrument_open(cf_instrument_find(name), &config, b->device, ret_device, &err), CF_OK);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(cf_device_stream_open(*ret_device, &(cf_stream_desc){.number = i}, &streams[i], &err), CF_OK);
}

static void close_named(const char *name, cf_device *device, cf_stream *streams[2])
{
    cf_device_stream_close(device, streams[0]);
    cf_device_stream_close(device, streams[1]);
    cf_instrument_close(cf_instrument_find(name), device);
}

static void submit(cf_device *device, cf_stream *stream, int lane, uint32_t index)
{
    cf_error err = {0};
    cf_op op = {.kind = lane == 0 ? CF_OP_H2D : CF_OP_KERNEL, .lane = lane, .index = index, .ns = 1000000};
    if (cf_device_submit(device, stream, &op, &err) != CF_OK)
        fail_msg("%s", err.text);
}

static cf_instrument_reading collect(const char *name, cf_device *device)
{
    cf_error err = {0};
    cf_instrument_reading reading = {0};
    assert_int_equal(cf_device_wait(device, NULL, CF_WAIT_BLOCK, &err), CF_OK);
    assert_int_equal(cf_instrument_collect(cf_instrument_find(name), device, &reading, &err), CF_OK);
    return reading;
}

static void a_recorder_shows_one_proof_a_side_of_an_operation(void **state)
{
    bench *b = *state;
    const char *names[] = {"sync", "timing"};
    for (int i = 0; i < 2; i++) {
        cf_device *device = NULL;
        cf_stream *streams[2];
        open_named(b, names[i], &device, streams);
        assert_int_equal(cf_instrument_alive(), 1);
        submit(device, streams[0], 0, 0);
        submit(device, streams[1], 1, 0);
        submit(device, streams[0], 0, 1);
        assert_int_equal(collect(names[i], device).proofs, 6);
        submit(device, streams[0], 0, 0);
        assert_int_equal(collect(names[i], device).proofs, 2); /* each window on its own */
        close_named(names[i], device, streams);
        assert_int_equal(cf_instrument_alive(), 0);
    }
}

static void timing_sees_the_serialisation_that_it_makes(void **state)
{
    cf_device *device = NULL;
    cf_stream *streams[2];
    open_named(*state, "timing", &device, streams);
    submit(device, streams[0], 0, 0);
    submit(device, streams[1], 1, 0);
    cf_instrument_reading reading = collect("timing", device);
    assert_true(reading.shorter_ns >= 1000000);
    assert_int_equal(reading.overlap_ns, 0);
    close_named("timing", device, streams);
}

static void more_operations_than_it_was_opened_for_is_an_error(void **state)
{
    cf_error err = {0};
    cf_device *device = NULL;
    cf_stream *streams[2];
    open_named(*state, "timing", &device, streams);
    submit(device, streams[0], 0, 0);
    submit(device, streams[0], 0, 1);
    cf_op op = {.kind = CF_OP_H2D, .ns = 1};
    assert_int_equal(cf_device_submit(device, streams[0], &op, &err), CF_UNSUPPORTED);
    close_named("timing", device, streams);
}

static void a_wait_that_host_sync_left_out_is_missing_from_its_proofs(void **state)
{
    bench *b = *state;
    cf_device *device = NULL;
    cf_stream *streams[2];
    open_named(b, "host-sync", &device, streams);
    submit(device, streams[0], 0, 0);
    submit(b->device, streams[0], 0, 1); /* past it: as if its wait had been taken out */
    uint64_t submitted[2] = {2, 0};
    cf_instrument_config config = {.where = 3, .on = 3};
    assert_int_equal(cf_instrument_find("host-sync")->owed(&config, submitted), 2);
    assert_int_equal(collect("host-sync", device).proofs, 1);
    close_named("host-sync", device, streams);
}

static void one_queue_gives_both_lanes_the_same_stream(void **state)
{
    cf_device *device = NULL;
    cf_stream *streams[2];
    open_named(*state, "one-queue", &device, streams);
    assert_ptr_equal(streams[0], streams[1]);
    submit(device, streams[0], 0, 0);
    submit(device, streams[1], 1, 0);
    uint64_t begin_ns = cf_device_now_ns(device);
    assert_int_equal(collect("one-queue", device).proofs, 1);
    assert_int_equal(cf_device_now_ns(device) - begin_ns, 2000000);
    close_named("one-queue", device, streams);
}

static void one_queue_with_two_streams_proves_nothing(void **state)
{
    bench *b = *state;
    cf_error err = {0};
    cf_device *device = NULL;
    cf_stream *streams[2];
    cf_stream *other = NULL;
    open_named(b, "one-queue", &device, streams);
    assert_int_equal(cf_device_stream_open(b->device, &(cf_stream_desc){.number = 1}, &other, &err), CF_OK);
    submit(device, streams[0], 0, 0);
    submit(device, other, 1, 0);
    assert_int_equal(collect("one-queue", device).proofs, 0);
    cf_device_stream_close(b->device, other);
    close_named("one-queue", device, streams);
}

static void another_way_to_wait_is_a_control_and_not_alive(void **state)
{
    cf_device *device = NULL;
    cf_stream *streams[2];
    open_named(*state, "none-poll", &device, streams);
    assert_int_equal(cf_instrument_alive(), 0);
    close_named("none-poll", device, streams);
    assert_int_equal(cf_instrument_alive(), 0);
}

typedef struct told {
    cf_record_span spans[8];
    char text[8][2][32];
    int count;
} told;

static void take(void *user, const cf_record_span *span)
{
    told *t = user;
    assert_in_range(t->count, 0, 7);
    t->spans[t->count] = *span;
    snprintf(t->text[t->count][0], sizeof t->text[0][0], "%s", span->engine);
    snprintf(t->text[t->count][1], sizeof t->text[0][1], "%s", span->what);
    t->count++;
}

/* On copy-offload the copies take turns with the kernels under timing; its own stamps say when each ran. */
static void timing_tells_its_operations_by_its_own_stamps(void **state)
{
    bench *b = *state;
    cf_device *device = NULL;
    cf_stream *streams[2];
    cf_error err = {0};
    open_named(b, "timing", &device, streams);
    for (int window = 0; window < 2; window++) { /* the second is told, and nothing of the first */
        for (uint32_t i = 0; i < (window == 0 ? 2 : 1); i++) {
            submit(device, streams[0], 0, i);
            submit(device, streams[1], 1, i);
        }
        (void)collect("timing", device);
    }
    told t = {.count = 0};
    assert_int_equal(cf_instrument_find("timing")->spans(device, take, &t, &err), CF_OK);
    assert_int_equal(t.count, 2);
    assert_string_equal(t.text[0][0], "lane a");
    assert_string_equal(t.text[0][1], "h2d");
    assert_string_equal(t.text[1][0], "lane b");
    assert_string_equal(t.text[1][1], "kernel");
    assert_int_equal(t.spans[0].begin_ns, 0);
    assert_in_range(t.spans[0].end_ns, 1000000, 1010000);
    assert_in_range(t.spans[1].begin_ns, 1000000, 1010000);
    assert_in_range(t.spans[1].end_ns, 2000000, 2020000);
    assert_int_equal(t.spans[1].queued_ns, -1);
    assert_int_equal(t.spans[1].id, 0);
    close_named("timing", device, streams);
}

static void one_side_alone_tells_no_operation(void **state)
{
    bench *b = *state;
    cf_device *device = NULL;
    cf_stream *stream = NULL;
    cf_error err = {0};
    cf_instrument_config config = {.where = CF_WHERE_AFTER, .on = 3, .capacity = {2, 2}};
    const cf_instrument_type *type = cf_instrument_find("timing");
    assert_int_equal(cf_instrument_open(type, &config, b->device, &device, &err), CF_OK);
    assert_int_equal(cf_device_stream_open(device, &(cf_stream_desc){.number = 0}, &stream, &err), CF_OK);
    submit(device, stream, 0, 0);
    (void)collect("timing", device);
    told t = {.count = 0};
    assert_int_equal(type->spans(device, take, &t, &err), CF_UNSUPPORTED);
    assert_int_equal(t.count, 0);
    assert_non_null(strstr(err.text, "record on both sides"));
    cf_device_stream_close(device, stream);
    cf_instrument_close(type, device);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_recorder_shows_one_proof_a_side_of_an_operation),
        T(timing_sees_the_serialisation_that_it_makes),
        T(more_operations_than_it_was_opened_for_is_an_error),
        T(a_wait_that_host_sync_left_out_is_missing_from_its_proofs),
        T(one_queue_gives_both_lanes_the_same_stream),
        T(one_queue_with_two_streams_proves_nothing),
        T(another_way_to_wait_is_a_control_and_not_alive),
        T(timing_tells_its_operations_by_its_own_stamps),
        T(one_side_alone_tells_no_operation),
    };
    return cmocka_run_group_tests_name("instruments", tests, NULL, NULL);
}
