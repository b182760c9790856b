/* What the tests of `soft` share: a device opened on a model's text, two streams, lanes of copies and kernels with
   blocks of their own, and records around them. cmocka's headers come first. */
#ifndef SOFT_RIG_H
#define SOFT_RIG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "device/device.h"
#include "device/soft/soft.h"

#define RIG_COUNT       16u
#define RIG_BLOCK_BYTES (32u << 10)
#define RIG_WORDS       (RIG_BLOCK_BYTES / 8)
#define US              UINT64_C(1000)
#define MS              UINT64_C(1000000)

#define OFFLOAD                                                                                                        \
    "[model]\nname = copy-offload\n"                                                                                   \
    "[engine ccs]\norder = ring\nruns = kernel\n"                                                                      \
    "[engine bcs]\norder = ring\nruns = copy\n"                                                                        \
    "[event sync]\nlowering = none\n"                                                                                  \
    "[event timing]\nlowering = command\nengine = ccs\ncost_ns = 2000\n"

typedef struct rig_span {
    int64_t queued_ns, begin_ns, end_ns;
    char what[24], engine[24], waited_for[48];
    int stream, lane;
    int64_t index;
} rig_span;

typedef struct rig {
    cf_model model;
    cf_device *device;
    cf_device_info info;
    cf_stream *streams[2];
    cf_block *host, *mirror[RIG_COUNT], *results;
    cf_event *arrived[RIG_COUNT];
    cf_event *marks[2][RIG_COUNT][2]; /* [lane][index][side] */
    rig_span spans[256];
    size_t span_count;
    cf_error err;
} rig;

#define RIG_OK(call)                                                                                                   \
    do {                                                                                                               \
        if ((call) != CF_OK)                                                                                           \
            fail_msg("%s", r->err.text);                                                                               \
    } while (0)

static inline void rig_open(rig *r, const char *model_text)
{
    *r = (rig){0};
    RIG_OK(cf_model_parse("test", model_text, strlen(model_text), &r->model, &r->err));
    const cf_device_config config = {.model = &r->model};
    RIG_OK(cf_device_open(&cf_device_soft, &config, &r->device, &r->err));
    cf_device_info_get(r->device, &r->info);
    RIG_OK(cf_device_block_new(r->device, CF_PLACE_HOST, RIG_BLOCK_BYTES, &r->host, &r->err));
    RIG_OK(cf_device_block_new(r->device, CF_PLACE_DEVICE, RIG_COUNT * 8, &r->results, &r->err));
    for (uint32_t lane = 0; lane < 2; lane++)
        RIG_OK(cf_device_stream_open(r->device, &(cf_stream_desc){.number = lane}, &r->streams[lane], &r->err));
    for (uint32_t i = 0; i < RIG_COUNT; i++) {
        RIG_OK(cf_device_block_new(r->device, CF_PLACE_DEVICE, RIG_BLOCK_BYTES, &r->mirror[i], &r->err));
        RIG_OK(cf_device_event_new(r->device, CF_EVENT_SYNC, &r->arrived[i], &r->err));
    }
}

static inline void rig_arm(rig *r, cf_event_kind kind)
{
    for (uint32_t i = 0; i < 2 * 2 * RIG_COUNT; i++)
        RIG_OK(cf_device_event_new(r->device, kind, &r->marks[i & 1][i / 4][i >> 1 & 1], &r->err));
}

static inline void rig_disarm(rig *r)
{
    for (uint32_t i = 0; i < 2 * 2 * RIG_COUNT; i++) {
        cf_device_event_free(r->device, r->marks[i & 1][i / 4][i >> 1 & 1]);
        r->marks[i & 1][i / 4][i >> 1 & 1] = NULL;
    }
}

static inline void rig_close(rig *r)
{
    rig_disarm(r);
    for (uint32_t i = 0; i < RIG_COUNT; i++) {
        cf_device_block_free(r->device, r->mirror[i]);
        cf_device_event_free(r->device, r->arrived[i]);
    }
    cf_device_block_free(r->device, r->host);
    cf_device_block_free(r->device, r->results);
    cf_device_stream_close(r->device, r->streams[0]);
    cf_device_stream_close(r->device, r->streams[1]);
    cf_device_close(r->device);
    cf_model_done(&r->model);
}

static inline cf_op rig_copy(rig *r, uint32_t index, uint64_t ns)
{
    return (cf_op){.kind = CF_OP_H2D, .lane = 0, .index = index, .ns = ns, .src = r->host, .dst = r->mirror[index]};
}

static inline cf_op rig_kernel(rig *r, uint32_t index, uint64_t ns)
{
    return (cf_op){.kind = CF_OP_KERNEL,
                   .lane = 1,
                   .index = index,
                   .ns = ns,
                   .trips = ns / 1000 * r->info.kernel_trips_per_us,
                   .src = r->mirror[index],
                   .dst = r->results};
}

/* With a record on each side if the rig is armed. */
static inline void rig_submit(rig *r, cf_stream *stream, const cf_op *op)
{
    cf_event **marks = r->marks[op->lane][op->index];
    if (marks[0] != NULL)
        RIG_OK(cf_device_record(r->device, stream, marks[0], op, CF_SIDE_BEFORE, &r->err));
    RIG_OK(cf_device_submit(r->device, stream, op, &r->err));
    if (marks[1] != NULL)
        RIG_OK(cf_device_record(r->device, stream, marks[1], op, CF_SIDE_AFTER, &r->err));
}

static inline void rig_wait(rig *r, cf_stream *stream)
{
    RIG_OK(cf_device_wait(r->device, stream, CF_WAIT_BLOCK, &r->err));
}

static inline cf_event_reading rig_read(rig *r, cf_event *event)
{
    cf_event_reading reading = {0};
    RIG_OK(cf_device_event_read(r->device, event, &reading, &r->err));
    return reading;
}

static inline uint64_t rig_late_ns(rig *r)
{
    uint64_t ns = 0;
    assert_true(cf_device_late_ns(r->device, &ns));
    return ns;
}

static inline uint64_t rig_blocked_ns(rig *r)
{
    uint64_t ns = 0;
    assert_true(cf_device_blocked_ns(r->device, &ns));
    return ns;
}

static inline void rig_sink(void *user, const cf_record_span *span)
{
    rig *r = user;
    assert_true(r->span_count < sizeof r->spans / sizeof r->spans[0]);
    rig_span *kept = &r->spans[r->span_count++];
    *kept = (rig_span){.queued_ns = span->queued_ns,
                       .begin_ns = span->begin_ns,
                       .end_ns = span->end_ns,
                       .stream = span->stream,
                       .lane = span->lane,
                       .index = span->index};
    snprintf(kept->what, sizeof kept->what, "%s", span->what);
    snprintf(kept->engine, sizeof kept->engine, "%s", span->engine);
    snprintf(kept->waited_for, sizeof kept->waited_for, "%s", span->waited_for != NULL ? span->waited_for : "");
}

/* From now on every command is kept; rig_seen stops that. */
static inline void rig_watch(rig *r)
{
    r->span_count = 0;
    RIG_OK(cf_device_spans(r->device, rig_sink, r, &r->err));
}

static inline void rig_seen(rig *r)
{
    RIG_OK(cf_device_spans(r->device, NULL, NULL, &r->err));
}

static inline const rig_span *rig_find(const rig *r, const char *what, int lane, uint32_t index)
{
    for (size_t i = 0; i < r->span_count; i++)
        if (strcmp(r->spans[i].what, what) == 0 && r->spans[i].lane == lane && r->spans[i].index == index)
            return &r->spans[i];
    fail_msg("no %s of lane %d and index %u was executed", what, lane, index);
    return NULL;
}

static inline bool rig_overlap(const rig_span *one, const rig_span *other)
{
    return one->begin_ns < other->end_ns && other->begin_ns < one->end_ns;
}

#endif
