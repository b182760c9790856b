/* `soft` opens, closes and refuses: no thread and no byte is left behind, also with work in flight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>

#include "device/soft_rig.h"

static int thread_count(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    if (tasks == NULL)
        return -1;
    for (const struct dirent *entry; (entry = readdir(tasks)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

static cf_status open_with(const char *text, cf_error *err)
{
    cf_model model;
    assert_int_equal(cf_model_parse("test", text, strlen(text), &model, err), CF_OK);
    cf_device *device = NULL;
    cf_status status = cf_device_open(&cf_device_soft, &(cf_device_config){.model = &model}, &device, err);
    cf_device_close(device);
    cf_model_done(&model);
    return status;
}

static void a_hundred_devices_leave_no_thread_behind(void **state)
{
    (void)state;
    assert_int_equal(open_with(OFFLOAD, NULL), CF_OK); /* a sanitizer starts a thread of its own with the first */
    int before = thread_count();
    for (int i = 0; i < 100; i++) {
        rig r;
        rig_open(&r, "[engine ccs]\nruns = kernel\nwidth = 3\n[engine bcs]\nruns = copy\n");
        if (i == 0)
            assert_int_equal(thread_count(), before + 4);
        rig_close(&r);
    }
    /* A joined thread may be listed for a moment longer. */
    for (int i = 0; i < 1000 && thread_count() != before; i++)
        cf_clock_sleep_until_ns(cf_clock_now_ns() + MS);
    assert_int_equal(thread_count(), before);
}

/* An hour of work: it must not be waited for. */
static void a_device_closes_with_work_in_flight(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        rig rig_ = {0};
        rig *r = &rig_;
        RIG_OK(cf_model_parse("test", OFFLOAD, strlen(OFFLOAD), &r->model, &r->err));
        RIG_OK(cf_device_open(&cf_device_soft, &(cf_device_config){.model = &r->model}, &r->device, &r->err));
        RIG_OK(cf_device_stream_open(r->device, &(cf_stream_desc){.number = 0}, &r->streams[0], &r->err));
        for (uint32_t j = 0; j < 8; j++) {
            cf_op op = {.kind = j % 2 ? CF_OP_KERNEL : CF_OP_H2D, .index = j, .ns = j < 2 ? US : 3600000 * MS};
            RIG_OK(cf_device_submit(r->device, r->streams[0], &op, &r->err));
        }
        if (i % 2)
            cf_clock_sleep_until_ns(cf_clock_now_ns() + 2 * MS);
        cf_device_stream_close(r->device, r->streams[0]);
        cf_device_close(r->device);
        cf_model_done(&r->model);
    }
}

static void blocks_and_events_freed_early_outlast_the_work_that_uses_them(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, OFFLOAD);
    rig_arm(&r, CF_EVENT_TIMING);
    for (uint32_t i = 0; i < RIG_COUNT; i++) {
        cf_op copy = rig_copy(&r, i, 200 * US);
        rig_submit(&r, r.streams[0], &copy);
    }
    rig_close(&r); /* with no wait */
}

static void an_engine_wider_than_it_has_threads_for_is_refused(void **state)
{
    (void)state;
    cf_error err = {0};
    assert_int_equal(open_with("[engine ccs]\nruns = kernel\nwidth = 8\n", &err), CF_OK);
    assert_int_equal(open_with("[engine ccs]\nruns = kernel\nwidth = 9\n", &err), CF_UNSUPPORTED);
    assert_non_null(strstr(err.text, "ccs"));
    assert_non_null(strstr(err.text, "9"));
    assert_non_null(strstr(err.text, "8"));
}

static void more_streams_than_it_has_room_for_are_refused(void **state)
{
    (void)state;
    rig rig_;
    rig *r = &rig_;
    rig_open(r, OFFLOAD);
    cf_stream *streams[CF_SOFT_MAX_STREAMS + 1] = {0};
    for (uint32_t i = 0; i < CF_SOFT_MAX_STREAMS; i++)
        RIG_OK(cf_device_stream_open(r->device, &(cf_stream_desc){.number = i}, &streams[i], &r->err));
    cf_stream_desc one_more = {.number = CF_SOFT_MAX_STREAMS};
    assert_int_equal(cf_device_stream_open(r->device, &one_more, &streams[CF_SOFT_MAX_STREAMS], &r->err),
                     CF_UNSUPPORTED);
    cf_stream *again;
    RIG_OK(cf_device_stream_open(r->device, &(cf_stream_desc){.number = 5}, &again, &r->err));
    cf_device_stream_close(r->device, again);
    for (uint32_t i = 0; i < CF_SOFT_MAX_STREAMS; i++)
        cf_device_stream_close(r->device, streams[i]);
    rig_close(r);
}

static void assert_refused(rig *r, cf_op op, const char *word)
{
    r->err = (cf_error){0};
    assert_int_equal(cf_device_submit(r->device, r->streams[0], &op, &r->err), CF_INPUT);
    if (strstr(r->err.text, word) == NULL)
        fail_msg("'%s' does not say '%s'", r->err.text, word);
}

static void operations_that_cannot_run_are_refused_and_leave_nothing_behind(void **state)
{
    (void)state;
    rig rig_;
    rig *r = &rig_;
    rig_open(r, "[engine bcs]\nruns = h2d kernel\n");
    cf_op copy = rig_copy(r, 0, 10 * US);
    cf_op kernel = rig_kernel(r, 0, 10 * US);
    cf_op other = copy;
    other.kind = CF_OP_D2H;
    assert_refused(r, other, "d2h");
    other = copy;
    other.ns = 0;
    other.bytes = 4096;
    assert_refused(r, other, "rate");
    other = copy;
    other.ns = CF_MODEL_MAX_NS + 1;
    assert_refused(r, other, "2^50");
    other = copy;
    other.src_offset_bytes = 12;
    assert_refused(r, other, "multiple of 8");
    other = copy;
    other.src_offset_bytes = RIG_BLOCK_BYTES + 8;
    assert_refused(r, other, "beyond");
    other = kernel;
    other.index = RIG_COUNT;
    assert_refused(r, other, "beyond");
    other = kernel;
    other.src_offset_bytes = RIG_BLOCK_BYTES;
    assert_refused(r, other, "beyond");
    other = kernel;
    other.waits = r->arrived[0];
    assert_refused(r, other, "signalled");
    rig_wait(r, NULL);
    rig_watch(r);
    rig_submit(r, r->streams[0], &copy);
    rig_wait(r, NULL);
    rig_seen(r);
    assert_int_equal(r->span_count, 1);
    rig_close(r);
}

static void blocks_are_zeroed_and_know_their_size(void **state)
{
    (void)state;
    rig rig_;
    rig *r = &rig_;
    rig_open(r, OFFLOAD);
    cf_block *block;
    RIG_OK(cf_device_block_new(r->device, CF_PLACE_HOST, 11, &block, &r->err));
    unsigned char bytes[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    RIG_OK(cf_device_block_read(r->device, block, 0, bytes, 11, &r->err));
    for (int i = 0; i < 11; i++)
        assert_int_equal(bytes[i], 0);
    assert_int_equal(cf_device_block_write(r->device, block, 4, bytes, 8, &r->err), CF_INPUT);
    assert_int_equal(cf_device_block_read(r->device, block, 12, bytes, 0, &r->err), CF_INPUT);
    RIG_OK(cf_device_block_write(r->device, block, 11, bytes, 0, &r->err));
    cf_device_block_free(r->device, block);
    rig_close(r);
}

static void info_says_that_it_is_no_hardware(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, OFFLOAD);
    assert_true(r.info.simulated);
    assert_true(r.info.computes && r.info.moves);
    assert_false(r.info.virtual_clock);
    assert_string_equal(r.info.backend, "soft");
    assert_string_equal(r.info.driver, "");
    assert_non_null(strstr(r.info.name, "copy-offload"));
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_devices_leave_no_thread_behind),
        cmocka_unit_test(a_device_closes_with_work_in_flight),
        cmocka_unit_test(blocks_and_events_freed_early_outlast_the_work_that_uses_them),
        cmocka_unit_test(an_engine_wider_than_it_has_threads_for_is_refused),
        cmocka_unit_test(more_streams_than_it_has_room_for_are_refused),
        cmocka_unit_test(operations_that_cannot_run_are_refused_and_leave_nothing_behind),
        cmocka_unit_test(blocks_are_zeroed_and_know_their_size),
        cmocka_unit_test(info_says_that_it_is_no_hardware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
