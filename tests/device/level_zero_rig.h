/* What the tests of `level-zero` share: the stub loader, and one pass over everything that the backend does. cmocka's
   headers come first. */
#ifndef LEVEL_ZERO_RIG_H
#define LEVEL_ZERO_RIG_H

#include "device/level_zero/api.h"
#include "device/level_zero/level_zero.h"
#include "device/tour.h"

#define STUB_NEW CF_BINARY_DIR "/stub/level-zero/libze_loader.so.1"
#define STUB_OLD CF_BINARY_DIR "/stub/level-zero-old/libze_loader.so.1"

/* offers: CONFOUND_STUB_ZE, what the driver behind the loader has. */
static inline void use_stub(const char *path, const char *offers)
{
    setenv("CONFOUND_ZE_LIBRARY", path, 1);
    setenv("CONFOUND_STUB_ZE", offers, 1);
    unsetenv("CONFOUND_STUB_FAIL");
    unsetenv("ZE_ENABLE_TRACING_LAYER");
}

static inline long ask_stub(const char *name)
{
    return ask_library("CONFOUND_ZE_LIBRARY", name);
}

/* The tour, and events that are an operation's own. */
typedef struct own_tour {
    tour tour;
    cf_event *own, *stamped;
    cf_event_reading own_reading, stamped_reading;
    uint64_t found;
} own_tour;

static inline cf_status own_make(own_tour *o, const cf_pairs *settings, cf_error *err)
{
    cf_status status = tour_make_on(&cf_device_level_zero, &o->tour, settings, err);
    if (status == CF_OK)
        status = cf_device_event_new(o->tour.device, CF_EVENT_SYNC, &o->own, err);
    return status == CF_OK ? cf_device_event_new(o->tour.device, CF_EVENT_STAMPED, &o->stamped, err) : status;
}

static inline void own_end(own_tour *o)
{
    if (o->tour.device != NULL) {
        cf_device_event_free(o->tour.device, o->own);
        cf_device_event_free(o->tour.device, o->stamped);
    }
    tour_end(&o->tour);
}

/* A copy whose own signal event is an instrument's, and a kernel that depends on that copy. */
static inline cf_status own_step(own_tour *o, cf_error *err)
{
    tour *t = &o->tour;
    cf_status status = cf_device_step_begin(t->device, 0, err);
    if (status == CF_OK)
        status = tour_op(
            t, 0,
            (cf_op){.kind = CF_OP_H2D, .src = t->host, .dst = t->front, .signals = t->arrived, .observer = o->stamped},
            err);
    if (status == CF_OK)
        status = tour_op(t, 1,
                         (cf_op){.kind = CF_OP_KERNEL,
                                 .src = t->front,
                                 .dst = t->results,
                                 .trips = TOUR_TRIPS,
                                 .waits = t->arrived,
                                 .observer = o->own},
                         err);
    if (status == CF_OK)
        status = cf_device_wait(t->device, NULL, CF_WAIT_BLOCK, err);
    if (status == CF_OK)
        status = cf_device_event_read(t->device, o->own, &o->own_reading, err);
    if (status == CF_OK)
        status = cf_device_event_read(t->device, o->stamped, &o->stamped_reading, err);
    return status == CF_OK ? cf_device_block_read(t->device, t->results, 0, &o->found, 8, err) : status;
}

static inline cf_status own_run(own_tour *o, cf_error *err)
{
    cf_status status = tour_run(&o->tour, err);
    for (int i = 0; i < 2 && status == CF_OK; i++)
        status = own_step(o, err);
    return status;
}

#endif
