/* Bytes as a model; what parses runs some operations with records on `sim`, and whatever waits without an error must
   have ended. */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "device/sim/sim.h"

#define OPS 24

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool condition)
{
    if (!condition)
        abort();
}

/* One line, and it says where. */
static void check_message(const cf_error *err)
{
    need(err->text[0] && !strchr(err->text, '\n'));
}

static cf_status put(cf_device *device, cf_stream *const streams[2], cf_event *const events[2], int i, cf_error *err)
{
    const cf_op op = {.kind = i % 2 ? CF_OP_KERNEL : (cf_op_kind)(i / 2 % 3),
                      .lane = i % 2,
                      .index = (uint32_t)i / 2,
                      .ns = i % 5 == 4 ? 0 : 1 + (uint64_t)i * 37,
                      .bytes = 4096};
    cf_stream *stream = streams[op.lane];
    cf_status status = cf_device_record(device, stream, events[0], &op, CF_SIDE_BEFORE, err);
    if (!status)
        status = cf_device_submit(device, stream, &op, err);
    return status ? status : cf_device_record(device, stream, events[1], &op, CF_SIDE_AFTER, err);
}

static cf_status run(cf_device *device, cf_stream *const streams[2], cf_event *events[OPS][2], cf_error *err)
{
    for (int i = 0; i < OPS; i++) {
        for (int side = 0; side < 2; side++) {
            const cf_status status =
                cf_device_event_new(device, side || i % 3 ? CF_EVENT_TIMING : CF_EVENT_SYNC, &events[i][side], err);
            if (status)
                return status;
        }
        const cf_status status = put(device, streams, events[i], i, err);
        if (status)
            return status;
    }
    const uint64_t before_ns = cf_device_now_ns(device);
    const cf_status status = cf_device_wait(device, NULL, CF_WAIT_BLOCK, err);
    need(cf_device_now_ns(device) >= before_ns);
    for (int i = 0; !status && i < OPS * 2; i++) {
        cf_event_reading reading;
        need(cf_device_event_read(device, events[i / 2][i % 2], &reading, err) == CF_OK && reading.completed);
    }
    return status;
}

static void run_model(const cf_model *model)
{
    const cf_device_config config = {.model = model, .seed = 1};
    cf_event *events[OPS][2] = {{NULL}};
    cf_stream *streams[2];
    cf_device *device;
    cf_error err = {0};
    need(cf_device_open(&cf_device_sim, &config, &device, &err) == CF_OK);
    for (uint32_t i = 0; i < 2; i++)
        need(cf_device_stream_open(device, &(cf_stream_desc){.number = i * 5}, &streams[i], &err) == CF_OK);
    need(cf_device_step_begin(device, 0.5, &err) == CF_OK);
    if (run(device, streams, events, &err))
        check_message(&err);
    for (int i = 0; i < OPS * 2; i++)
        cf_device_event_free(device, events[i / 2][i % 2]);
    for (int i = 0; i < 2; i++)
        cf_device_stream_close(device, streams[i]);
    cf_device_close(device);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cf_model model;
    cf_error err = {0};
    if (cf_model_parse("fuzz.ini", (const char *)data, size, &model, &err)) {
        check_message(&err);
        need(strncmp(err.text, "fuzz.ini:", 9) == 0 || err.status == CF_MEMORY);
        return 0;
    }
    run_model(&model);
    cf_model_done(&model);
    return 0;
}
