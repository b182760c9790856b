/* Drives a device as a workload would: two lanes in some order, records around their operations. For tests of `sim`. */
#ifndef CF_TESTS_DEVICE_SIM_DRIVER_H
#define CF_TESTS_DEVICE_SIM_DRIVER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "device/sim/sim.h"

#define MS          UINT64_C(1000000)
#define US          UINT64_C(1000)
#define MAX_OPS     128
#define NO_RECORDS  (-1)
#define ON_A        1u
#define ON_B        2u
#define BEFORE      1u
#define AFTER       2u
#define BOTH        3u
#define A_THEN_B    1000000u /* a batch that no lane outlasts */
#define check_ok(e) check_status((e), &driver_err, __FILE__, __LINE__)

static cf_error driver_err;

static inline void check_status(cf_status status, const cf_error *err, const char *file, int line)
{
    if (status != CF_OK) {
        print_error("%s\n", err->text);
        _fail(file, line);
    }
}

typedef struct driver_job {
    cf_op_kind kind[2];
    uint32_t count[2];
    uint64_t ns[2];
    bool b_first;
    bool depends;
    uint32_t prefetch, batch; /* batch 0 = 1 */
    int records;              /* kind of event, NO_RECORDS = none */
    unsigned where, on;       /* bit sets; 0 = both */
} driver_job;

typedef struct driver {
    cf_model model;
    cf_device *device;
    cf_stream *streams[2];
    cf_event *signals[MAX_OPS];
    cf_event *events[2][2][MAX_OPS];
} driver;

static inline void driver_open(driver *d, const char *model_text)
{
    memset(d, 0, sizeof *d);
    check_ok(cf_model_parse("model.ini", model_text, strlen(model_text), &d->model, &driver_err));
    const cf_device_config config = {.model = &d->model, .seed = 1};
    check_ok(cf_device_open(&cf_device_sim, &config, &d->device, &driver_err));
    for (uint32_t lane = 0; lane < 2; lane++) {
        const cf_stream_desc desc = {.number = lane};
        check_ok(cf_device_stream_open(d->device, &desc, &d->streams[lane], &driver_err));
    }
}

static inline const char *builtin(const char *name)
{
    for (const cf_model_builtin *b = cf_model_builtins; b->name; b++) {
        if (strcmp(b->name, name) == 0)
            return b->text;
    }
    fail_msg("no built-in model is called %s", name);
    return NULL;
}

static inline void driver_close(driver *d)
{
    for (int i = 0; i < MAX_OPS; i++) {
        cf_device_event_free(d->device, d->signals[i]);
        for (int lane = 0; lane < 2; lane++) {
            cf_device_event_free(d->device, d->events[lane][0][i]);
            cf_device_event_free(d->device, d->events[lane][1][i]);
        }
    }
    for (int lane = 0; lane < 2; lane++)
        cf_device_stream_close(d->device, d->streams[lane]);
    cf_device_close(d->device);
    cf_model_done(&d->model);
}

static inline cf_event *driver_event(driver *d, cf_event_kind kind, cf_event **event)
{
    if (!*event)
        check_ok(cf_device_event_new(d->device, kind, event, &driver_err));
    return *event;
}

static inline void driver_record(driver *d, const driver_job *job, const cf_op *op, cf_side side)
{
    const unsigned where = job->where ? job->where : BOTH, on = job->on ? job->on : ON_A | ON_B;
    if (job->records == NO_RECORDS || !(where & (side == CF_SIDE_BEFORE ? BEFORE : AFTER)) || !(on & 1u << op->lane))
        return;
    cf_event **event = &d->events[op->lane][side][op->index];
    check_ok(cf_device_record(d->device, d->streams[op->lane], driver_event(d, (cf_event_kind)job->records, event), op,
                              side, &driver_err));
}

/* One operation and its records. alone: nothing to wait for. */
static inline void driver_op(driver *d, const driver_job *job, int lane, uint32_t index, bool alone)
{
    cf_op op = {.kind = job->kind[lane], .lane = lane, .index = index, .ns = job->ns[lane]};
    if (job->depends && lane == 0)
        op.signals = driver_event(d, CF_EVENT_SYNC, &d->signals[index]);
    if (job->depends && lane == 1 && !alone && index < job->count[0])
        op.waits = d->signals[index];
    driver_record(d, job, &op, CF_SIDE_BEFORE);
    check_ok(cf_device_submit(d->device, d->streams[lane], &op, &driver_err));
    driver_record(d, job, &op, CF_SIDE_AFTER);
}

static inline void driver_submit(driver *d, const driver_job *job, bool a, bool b)
{
    const uint32_t end[2] = {a ? job->count[0] : 0, b ? job->count[1] : 0};
    const uint32_t batch = job->batch ? job->batch : 1;
    uint32_t next[2] = {0, 0};
    for (; next[0] < job->prefetch && next[0] < end[0]; next[0]++)
        driver_op(d, job, 0, next[0], !b);
    for (int turn = job->b_first; next[0] < end[0] || next[1] < end[1]; turn = !turn) {
        for (uint32_t i = 0; i < batch && next[turn] < end[turn]; i++)
            driver_op(d, job, turn, next[turn]++, !a);
    }
}

static inline uint64_t driver_wall(driver *d, const driver_job *job, bool a, bool b)
{
    const uint64_t begin_ns = cf_device_now_ns(d->device);
    check_ok(cf_device_step_begin(d->device, 0.0, &driver_err));
    driver_submit(d, job, a, b);
    check_ok(cf_device_wait(d->device, NULL, CF_WAIT_BLOCK, &driver_err));
    return cf_device_now_ns(d->device) - begin_ns;
}

/* A, B and AB of one job on a model's text; each step twice, because a step that is not the first of its device must be
   as long. */
static inline void driver_walls(const char *model_text, const driver_job *job, uint64_t ret_walls[3])
{
    driver d;
    driver_open(&d, model_text);
    for (int cell = 0; cell < 3; cell++) {
        ret_walls[cell] = driver_wall(&d, job, cell != 1, cell != 0);
        assert_int_equal(driver_wall(&d, job, cell != 1, cell != 0), ret_walls[cell]);
    }
    driver_close(&d);
}

static inline void expect_walls_at(const char *model_text, const driver_job *job, uint64_t a_ns, uint64_t b_ns,
                                   uint64_t ab_ns, const char *file, int line)
{
    uint64_t walls[3];
    driver_walls(model_text, job, walls);
    if (walls[0] != a_ns || walls[1] != b_ns || walls[2] != ab_ns) {
        print_error("A %llu B %llu AB %llu, expected %llu %llu %llu\n", (unsigned long long)walls[0],
                    (unsigned long long)walls[1], (unsigned long long)walls[2], (unsigned long long)a_ns,
                    (unsigned long long)b_ns, (unsigned long long)ab_ns);
        _fail(file, line);
    }
}
#define expect_walls(text, job, a, b, ab) expect_walls_at((text), (job), (a), (b), (ab), __FILE__, __LINE__)

#endif
