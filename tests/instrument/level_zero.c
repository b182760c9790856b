/* Instruments on the device level-zero over the stub loader (real time, on its threads): what proves that they are
   armed, that any call left out shows, what they see, and what they leave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "device/level_zero_rig.h"
#include "instrument/instrument.h"
#include "instrument/pass.h"

#define COUNT 3u
#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != CF_OK)                                                                                           \
            fail_msg("%s", err.text);                                                                                  \
    } while (0)

static const char *const all[] = {"sync", "sync-signal", "timing", "timing-event", "timing-signal", "tracing-layer"};
#define ALL (sizeof all / sizeof all[0])

/* A device between the instrument and the real one, which keeps one call of the instrument's back. */
typedef struct thief {
    int takes; /* which: from 1; 0 = none */
    int seen;
} thief;

static bool takes_this(cf_device *device)
{
    thief *t = device->state;
    return ++t->seen == t->takes;
}

static cf_status submit_without(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    cf_op left = *op;
    if (op->observer != NULL && takes_this(device))
        left.observer = NULL;
    return cf_device_submit(device->next, stream, &left, err);
}

static cf_status record_without(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                                cf_error *err)
{
    return takes_this(device) ? CF_OK : cf_device_record(device->next, stream, event, op, side, err);
}

static void close_thief(cf_device *device)
{
    (void)device;
}

static const cf_device_ops thief_ops = {.name = "thief",
                                        .about = "keeps one call back",
                                        .close = close_thief,
                                        .info = cf_pass_info,
                                        .stream_open = cf_pass_stream_open,
                                        .stream_close = cf_pass_stream_close,
                                        .block_new = cf_pass_block_new,
                                        .block_free = cf_pass_block_free,
                                        .block_write = cf_pass_block_write,
                                        .block_read = cf_pass_block_read,
                                        .submit = submit_without,
                                        .wait = cf_pass_wait,
                                        .event_new = cf_pass_event_new,
                                        .event_free = cf_pass_event_free,
                                        .record = record_without,
                                        .event_read = cf_pass_event_read,
                                        .step_begin = cf_pass_step_begin};

static void open_tour(tour *t, const char *offers, const char *name, const char *value)
{
    cf_error err = {0};
    cf_pairs settings = {0};
    use_stub(STUB_NEW, offers);
    *t = (tour){0};
    OK(cf_pairs_add(&settings, name, value, &err));
    OK(tour_make_on(&cf_device_level_zero, t, &settings, &err));
    cf_pairs_done(&settings);
}

static cf_instrument_config config_of(const cf_instrument_type *type, const tour *t)
{
    cf_device_info info;
    cf_device_info_get(t->device, &info);
    return (cf_instrument_config){.where = CF_WHERE_BEFORE | CF_WHERE_AFTER,
                                  .on = CF_ON_A | CF_ON_B,
                                  .capacity = {COUNT, COUNT},
                                  .on_operations = cf_instrument_on_operations(type, &info)};
}

static cf_status run_window(tour *t, cf_device *top, cf_error *err)
{
    cf_status status = cf_device_step_begin(top, 0, err);
    for (uint32_t i = 0; i < 2 * COUNT && status == CF_OK; i++) {
        cf_op op = {.kind = CF_OP_H2D, .index = i / 2, .src = t->host, .dst = t->front, .bytes = TOUR_BYTES};
        if (i % 2)
            op = (cf_op){
                .kind = CF_OP_KERNEL, .lane = 1, .index = i / 2, .src = t->mirror, .dst = t->results, .trips = 2400};
        status = cf_device_submit(top, t->streams[i % 2], &op, err);
    }
    return status == CF_OK ? cf_device_wait(top, NULL, CF_WAIT_BLOCK, err) : status;
}

/* Two windows; the thief works in the second. */
static cf_instrument_reading measure(tour *t, const char *name, int takes, uint64_t *ret_owed, int *ret_calls)
{
    const cf_instrument_type *type = cf_instrument_find(name);
    assert_non_null(type);
    cf_instrument_config config = config_of(type, t);
    cf_error err = {0};
    thief way = {0};
    cf_device *between = NULL, *top = NULL;
    cf_instrument_reading reading = {0};
    OK(cf_device_wrap(t->device, &thief_ops, &way, &between, &err));
    OK(cf_instrument_open(type, &config, between, &top, &err));
    for (int i = 0; i < 2; i++) {
        way = (thief){.takes = i == 1 ? takes : 0};
        OK(run_window(t, top, &err));
        OK(cf_instrument_collect(type, top, &reading, &err));
    }
    *ret_owed = type->owed(&config, (const uint64_t[]){COUNT, COUNT});
    *ret_calls = way.seen;
    cf_instrument_close(type, top);
    cf_device_close(between);
    return reading;
}

/* Under every way to make an event, and on lists of every kind. */
static void each_operation_is_proven_once(void **state)
{
    (void)state;
    const struct {
        const char *offers, *name, *value;
    } ways[] = {{"", "streams", "offload"}, {"no-core", "streams", "offload"}, {"no-core no-zex", "streams", "split"},
                {"", "events", "pool"},     {"", "streams", "queues"},         {"", "streams", "no-offload"}};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        tour t;
        open_tour(&t, ways[w].offers, ways[w].name, ways[w].value);
        for (size_t i = 0; i < ALL; i++) {
            uint64_t owed = 0;
            int calls = 0;
            cf_instrument_reading reading = measure(&t, all[i], 0, &owed, &calls);
            if (reading.proofs != owed || owed < 2 * COUNT)
                fail_msg("%s, %s = %s, '%s': %d of %d", all[i], ways[w].name, ways[w].value, ways[w].offers,
                         (int)reading.proofs, (int)owed);
        }
        tour_end(&t);
        assert_int_equal(ask_stub("confound_stub_alive"), 0);
    }
}

static void any_call_that_is_left_out_is_missing_among_the_proofs(void **state)
{
    (void)state;
    tour t;
    open_tour(&t, "", "streams", "offload");
    int tried = 0;
    for (size_t i = 0; i + 1 < ALL; i++) { /* the tracer makes no calls that could be left out */
        uint64_t owed = 0;
        int calls = 0;
        (void)measure(&t, all[i], 0, &owed, &calls);
        assert_int_equal(calls, owed);
        for (int takes = 1, most = calls; takes <= most; takes++, tried++) {
            cf_instrument_reading reading = measure(&t, all[i], takes, &owed, &calls);
            if (reading.proofs != owed - 1)
                fail_msg("%s without call %d: %d of %d", all[i], takes, (int)reading.proofs, (int)owed);
        }
    }
    assert_int_equal(tried, 2 * COUNT * (1 + 2 + 2 + 1 + 2));
    tour_end(&t);
}

/* Timestamps are commands of the compute ring; those of an operation's own signal event are not. */
static void what_an_instrument_sees_is_what_its_commands_do(void **state)
{
    (void)state;
    tour t;
    uint64_t owed = 0;
    int calls = 0;
    open_tour(&t, "", "streams", "offload");
    for (size_t i = 0; i < ALL; i++) {
        cf_instrument_reading reading = measure(&t, all[i], 0, &owed, &calls);
        bool stamps = strncmp(all[i], "timing", 6) == 0;
        if (stamps != (reading.shorter_ns > 0))
            fail_msg("%s: %lld ns", all[i], (long long)reading.shorter_ns);
    }
    tour_end(&t);
}

static void without_the_layer_the_tracer_says_what_it_needs(void **state)
{
    (void)state;
    cf_error err = {0};
    cf_device *top = NULL;
    tour t = {0};
    const cf_instrument_type *type = cf_instrument_find("tracing-layer");
    use_stub(STUB_OLD, "api=1.3");
    OK(tour_make_on(&cf_device_level_zero, &t, NULL, &err));
    const cf_instrument_config config = config_of(type, &t);
    assert_int_equal(cf_instrument_open(type, &config, t.device, &top, &err), CF_UNSUPPORTED);
    assert_non_null(strstr(err.text, "ZE_ENABLE_TRACING_LAYER=1 has to be set"));
    assert_string_equal(err.call, "zelTracerCreate");
    setenv("ZE_ENABLE_TRACING_LAYER", "1", 1);
    uint64_t owed = 0;
    int calls = 0;
    assert_int_equal(measure(&t, "tracing-layer", 0, &owed, &calls).proofs, 2 * COUNT);
    unsetenv("ZE_ENABLE_TRACING_LAYER");
    tour_end(&t);
    assert_int_equal(ask_stub("confound_stub_alive"), 0);
}

static void each_call_of_the_tracer_that_fails_is_one_error_and_leaves_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"zelEnableTracingLayer", "zelTracerCreate", "zelTracerSetEnabled",
                                        "zelTracerCommandListAppendMemoryCopyRegisterCallback"};
    tour t;
    open_tour(&t, "", "streams", "offload");
    const cf_instrument_type *type = cf_instrument_find("tracing-layer");
    const cf_instrument_config config = config_of(type, &t);
    long before = ask_stub("confound_stub_alive");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char plan[128];
        cf_error err = {0};
        cf_device *top = NULL;
        snprintf(plan, sizeof plan, "%s:1:1879048193", names[i]);
        setenv("CONFOUND_STUB_FAIL", plan, 1);
        assert_int_equal(cf_instrument_open(type, &config, t.device, &top, &err), CF_DEVICE);
        assert_int_equal(err.native, 0x70000001);
        assert_int_equal(strncmp(err.call, names[i], sizeof err.call - 1), 0);
        unsetenv("CONFOUND_STUB_FAIL");
        assert_int_equal(ask_stub("confound_stub_alive"), before);
        assert_int_equal(cf_instrument_alive(), 0);
    }
    tour_end(&t);
}

/* Events of the third kind are this device's alone. */
static void another_device_has_no_stamped_events(void **state)
{
    (void)state;
    cf_model model;
    cf_error err = {0};
    cf_device *device = NULL;
    cf_event *event = NULL;
    static const char text[] = "[model]\nname = m\n[engine e]\nruns = copy kernel\nrate = 1000000000\n";
    OK(cf_model_parse("m", text, sizeof text - 1, &model, &err));
    OK(cf_device_open(cf_device_backend("sim"), &(cf_device_config){.model = &model}, &device, &err));
    assert_int_equal(cf_device_event_new(device, CF_EVENT_STAMPED, &event, &err), CF_UNSUPPORTED);
    assert_non_null(strstr(err.text, "sim has no events that are signalled with timestamps"));
    const cf_instrument_type *type = cf_instrument_find("tracing-layer");
    cf_device *top = NULL;
    const cf_instrument_config config = {.capacity = {1, 1}};
    assert_int_equal(cf_instrument_open(type, &config, device, &top, &err), CF_UNSUPPORTED);
    cf_device_close(device);
    cf_model_done(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_is_proven_once),
        cmocka_unit_test(any_call_that_is_left_out_is_missing_among_the_proofs),
        cmocka_unit_test(what_an_instrument_sees_is_what_its_commands_do),
        cmocka_unit_test(without_the_layer_the_tracer_says_what_it_needs),
        cmocka_unit_test(each_call_of_the_tracer_that_fails_is_one_error_and_leaves_nothing),
        cmocka_unit_test(another_device_has_no_stamped_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
