/* One pass over everything that a device does, for the tests of those that stand on a stub. cmocka's headers come
   first. */
#ifndef DEVICE_TOUR_H
#define DEVICE_TOUR_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dl.h"
#include "device/device.h"

#define TOUR_BYTES   ((uint64_t)64 << 10)
#define TOUR_WORDS   (TOUR_BYTES / 8)
#define TOUR_NONCE   UINT64_C(0x1122334455667788)
#define TOUR_TRIPS   500u
#define TOUR_KERNELS 2u

/* What a function of a stub's own says; the variable names the stub's file. */
static inline long ask_library(const char *variable, const char *name)
{
    const char *const names[] = {getenv(variable), NULL};
    cf_dl *dl = NULL;
    if (cf_dl_open(NULL, names, &dl, NULL) != CF_OK)
        return -1;
    long (*function)(void) = (long (*)(void))cf_dl_find(dl, name);
    long answer = function != NULL ? function() : -1;
    cf_dl_close(dl);
    return answer;
}

typedef struct tour {
    cf_device *device;
    cf_stream *streams[2];
    cf_block *host, *back, *front, *mirror, *still, *results; /* still: nothing on the device writes it */
    cf_event *sync, *timing, *arrived;
    uint64_t words[TOUR_WORDS];
    cf_event_reading readings[2]; /* sync, timing */
    uint64_t found[TOUR_KERNELS]; /* results of the kernels */
    uint64_t last_word;           /* of what came back from the device */
    unsigned marks;
    cf_pairs facts;
} tour;

static inline cf_status tour_make_on(const cf_device_ops *ops, tour *t, const cf_pairs *settings, cf_error *err)
{
    const cf_device_config config = {.settings = settings};
    const struct {
        cf_block **at;
        cf_place place;
    } blocks[] = {{&t->host, CF_PLACE_HOST},     {&t->back, CF_PLACE_HOST},    {&t->front, CF_PLACE_DEVICE},
                  {&t->mirror, CF_PLACE_DEVICE}, {&t->still, CF_PLACE_DEVICE}, {&t->results, CF_PLACE_DEVICE}};
    cf_status status = cf_device_open(ops, &config, &t->device, err);
    if (status == CF_OK)
        status = cf_device_facts(t->device, &t->facts, err);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0] && status == CF_OK; i++)
        status = cf_device_block_new(t->device, blocks[i].place, TOUR_BYTES, blocks[i].at, err);
    for (uint32_t i = 0; i < 2 && status == CF_OK; i++)
        status = cf_device_stream_open(t->device, &(cf_stream_desc){.number = i}, &t->streams[i], err);
    if (status == CF_OK)
        status = cf_device_event_new(t->device, CF_EVENT_SYNC, &t->sync, err);
    if (status == CF_OK)
        status = cf_device_event_new(t->device, CF_EVENT_TIMING, &t->timing, err);
    return status == CF_OK ? cf_device_event_new(t->device, CF_EVENT_SYNC, &t->arrived, err) : status;
}

static inline void tour_end(tour *t)
{
    if (t->device == NULL)
        return;
    cf_device_event_free(t->device, t->sync);
    cf_device_event_free(t->device, t->timing);
    cf_device_event_free(t->device, t->arrived);
    cf_device_block_free(t->device, t->host);
    cf_device_block_free(t->device, t->back);
    cf_device_block_free(t->device, t->front);
    cf_device_block_free(t->device, t->mirror);
    cf_device_block_free(t->device, t->still);
    cf_device_block_free(t->device, t->results);
    for (int i = 0; i < 2; i++)
        cf_device_stream_close(t->device, t->streams[i]);
    cf_device_close(t->device);
    cf_pairs_done(&t->facts);
}

static inline cf_status tour_op(tour *t, int stream, cf_op op, cf_error *err)
{
    op.lane = stream;
    op.bytes = cf_op_is_copy(op.kind) ? TOUR_BYTES : 0;
    return cf_device_submit(t->device, t->streams[stream], &op, err);
}

/* h2d with its signal; a kernel that waits for it; then the block goes round the device and comes back. */
static inline cf_status tour_submit(tour *t, cf_error *err)
{
    const cf_op kernel = {.kind = CF_OP_KERNEL, .src = t->front, .dst = t->results, .trips = TOUR_TRIPS};
    cf_op first = kernel;
    first.src = t->still;
    cf_op chained = kernel;
    chained.waits = t->arrived;
    chained.index = 1;
    cf_status status = tour_op(t, 1, first, err);
    if (status == CF_OK)
        status = tour_op(t, 0, (cf_op){.kind = CF_OP_H2D, .src = t->host, .dst = t->front, .signals = t->arrived}, err);
    if (status == CF_OK)
        status = cf_device_record(t->device, t->streams[1], t->sync, &kernel, CF_SIDE_BEFORE, err);
    if (status == CF_OK)
        status = tour_op(t, 1, chained, err);
    if (status == CF_OK)
        status = cf_device_record(t->device, t->streams[1], t->timing, &chained, CF_SIDE_AFTER, err);
    if (status == CF_OK)
        status = tour_op(t, 0, (cf_op){.kind = CF_OP_D2D, .src = t->front, .dst = t->mirror}, err);
    if (status == CF_OK)
        status = tour_op(t, 0, (cf_op){.kind = CF_OP_D2H, .src = t->mirror, .dst = t->back}, err);
    if (status == CF_OK)
        status = tour_op(t, 0, (cf_op){.kind = CF_OP_BATCH_COPY, .src = t->host, .dst = t->mirror, .pieces = 7}, err);
    return status;
}

typedef struct tour_wait {
    tour *t;
    cf_error *err;
    cf_status status;
} tour_wait;

static inline void *tour_wait_elsewhere(void *user)
{
    tour_wait *w = user;
    w->status = cf_device_wait(w->t->device, w->t->streams[1], CF_WAIT_BLOCK, w->err);
    return NULL;
}

/* Every way to wait, one of them from another thread. */
static inline cf_status tour_wait_all(tour *t, cf_error *err)
{
    tour_wait elsewhere = {.t = t, .err = err, .status = CF_DEVICE};
    pthread_t thread;
    if (pthread_create(&thread, NULL, tour_wait_elsewhere, &elsewhere) != 0 || pthread_join(thread, NULL) != 0)
        return CF_MEMORY;
    cf_status status = elsewhere.status;
    if (status == CF_OK)
        status = cf_device_wait(t->device, t->streams[0], CF_WAIT_POLL, err);
    if (status == CF_OK)
        status = cf_device_wait(t->device, NULL, CF_WAIT_SPIN, err);
    return status == CF_OK ? cf_device_wait(t->device, NULL, CF_WAIT_BLOCK, err) : status;
}

static inline cf_status tour_read(tour *t, cf_error *err)
{
    cf_status status = cf_device_event_read(t->device, t->sync, &t->readings[0], err);
    if (status == CF_OK)
        status = cf_device_event_read(t->device, t->timing, &t->readings[1], err);
    for (uint32_t i = 0; i < TOUR_KERNELS && status == CF_OK; i++)
        status = cf_device_block_read(t->device, t->results, i * 8, &t->found[i], 8, err);
    if (status == CF_OK)
        status = cf_device_block_read(t->device, t->back, TOUR_BYTES - 8, &t->last_word, 8, err);
    return status == CF_OK ? cf_device_conditions(t->device, &t->marks, err) : status;
}

/* One step after another, as a run does: twice, so that a later call of each kind is there to fail. */
static inline cf_status tour_run(tour *t, cf_error *err)
{
    const uint64_t nothing = 0;
    cf_status status = CF_OK;
    for (uint64_t i = 0; i < TOUR_WORDS; i++)
        t->words[i] = TOUR_NONCE + i;
    for (int step = 0; step < 2 && status == CF_OK; step++) {
        status = cf_device_block_write(t->device, t->host, 0, t->words, TOUR_BYTES, err);
        if (status == CF_OK)
            status = cf_device_block_write(t->device, t->still, 0, t->words, TOUR_BYTES, err);
        /* What the last step left is no result of this one. */
        if (status == CF_OK)
            status = cf_device_block_write(t->device, t->front, 0, &nothing, 8, err);
        if (status == CF_OK)
            status = cf_device_block_write(t->device, t->back, TOUR_BYTES - 8, &nothing, 8, err);
        if (status == CF_OK)
            status = cf_device_step_begin(t->device, 0, err);
        if (status == CF_OK)
            status = tour_submit(t, err);
        if (status == CF_OK)
            status = tour_wait_all(t, err);
        if (status == CF_OK)
            status = tour_read(t, err);
    }
    return status;
}

#endif
