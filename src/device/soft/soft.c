/* The table of `soft`: opening, memory, events. */
#include "device/soft/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

static cf_status check_model(const cf_model *model, cf_error *err)
{
    for (size_t i = 0; i < model->engine_count; i++) {
        const cf_model_engine *engine = &model->engines[i];
        if (engine->width > CF_SOFT_MAX_WIDTH)
            return cf_error_set(err, CF_UNSUPPORTED,
                                "engine %s of model %s has width %" PRIu32 ", and each is a thread on device soft; at "
                                "most %u are accepted (sim takes any)",
                                engine->name, model->name, engine->width, CF_SOFT_MAX_WIDTH);
    }
    return CF_OK;
}

/* Every slot is written once, so that no step of a run is the first to touch its page. */
static cf_status make_ring(cf_soft *soft, cf_error *err)
{
    soft->ring = calloc(CF_SOFT_COMMANDS, sizeof *soft->ring);
    soft->ends = calloc(CF_SOFT_COMMANDS, sizeof *soft->ends);
    if (soft->ring == NULL || soft->ends == NULL)
        return no_memory(err);
    for (uint32_t i = 0; i < CF_SOFT_COMMANDS; i++) {
        soft->ring[i].engine = -1;
        atomic_init(&soft->ring[i].turn, 0);
    }
    return CF_OK;
}

static cf_status make_engines(cf_soft *soft, cf_error *err)
{
    for (size_t i = 0; i < soft->model.engine_count; i++)
        soft->worker_count += soft->model.engines[i].width;
    soft->workers = calloc(soft->worker_count ? soft->worker_count : 1, sizeof *soft->workers);
    if (soft->workers == NULL)
        return no_memory(err);
    cf_soft_worker *next = soft->workers;
    for (size_t i = 0; i < soft->model.engine_count; i++) {
        cf_soft_engine *engine = &soft->engines[i];
        engine->model = &soft->model.engines[i];
        engine->workers = next;
        engine->worker_count = engine->model->width;
        engine->queue_count = engine->model->ready ? 0 : 1;
        for (uint32_t j = 0; j < engine->worker_count; j++)
            *next++ = (cf_soft_worker){.soft = soft, .engine = (int)i};
    }
    return CF_OK;
}

static cf_status open_soft(const cf_device_config *config, cf_device *device, cf_error *err)
{
    if (config->model == NULL)
        return cf_error_set(err, CF_INPUT, "device soft needs a model");
    cf_status status = check_model(config->model, err);
    if (status != CF_OK)
        return status;
    cf_soft *soft = calloc(1, sizeof *soft);
    if (soft == NULL)
        return no_memory(err);
    device->state = soft;
    soft->model = *config->model;
    cf_soft_noise_begin(&soft->noise, &soft->model.noise, config->seed);
    if (pthread_mutex_init(&soft->lock, NULL) != 0)
        return no_memory(err);
    soft->lock_made = true;
    soft->step_ns = cf_clock_now_ns();
    status = make_ring(soft, err);
    if (status == CF_OK)
        status = make_engines(soft, err);
    return status == CF_OK ? cf_soft_engines_start(soft, err) : status;
}

/* What runs stops at its next piece, and what is queued never starts. */
static void close_soft(cf_device *device)
{
    cf_soft *soft = device->state;
    if (soft == NULL)
        return;
    cf_soft_engines_stop(soft);
    if (soft->sink != NULL)
        (void)cf_soft_spans_deliver(soft, NULL);
    for (cf_soft_stream *stream = soft->streams, *next; stream != NULL; stream = next) {
        next = stream->next;
        free(stream);
    }
    if (soft->lock_made)
        pthread_mutex_destroy(&soft->lock);
    free(soft->spans);
    free(soft->workers);
    free(soft->ends);
    free(soft->ring);
    free(soft);
    device->state = NULL;
}

static void info(const cf_device *device, cf_device_info *ret_info)
{
    const cf_soft *soft = device->state;
    *ret_info = (cf_device_info){.backend = "soft",
                                 .simulated = true,
                                 .computes = true,
                                 .moves = true,
                                 .copy_unit = CF_UNIT_NS,
                                 .kernel_unit = CF_UNIT_NS,
                                 .copy_start = 190000,
                                 .kernel_start = 230000,
                                 .step_target_ns = 3000000,
                                 .kernel_trips_per_us = CF_SOFT_TRIPS_PER_US,
                                 .clock_name = "CLOCK_MONOTONIC"};
    snprintf(ret_info->name, sizeof ret_info->name, "embedded device in real time, model %s", soft->model.name);
}

/* Queues are few and known by number; a stream looks its own up once. */
static uint8_t find_queue(cf_soft_engine *engine, uint32_t stream_number)
{
    uint32_t number = cf_model_queue_of(engine->model, stream_number);
    uint32_t i = 0;
    while (i < engine->queue_count && engine->queues[i].number != number)
        i++;
    if (i == engine->queue_count)
        engine->queues[engine->queue_count++].number = number;
    return (uint8_t)i;
}

static cf_status add_stream(cf_soft *soft, uint32_t number, cf_soft_stream **ret_stream, cf_error *err)
{
    if (soft->stream_count == CF_SOFT_MAX_STREAMS)
        return cf_error_set(err, CF_UNSUPPORTED, "stream %" PRIu32 " is one too many; device soft has %u", number,
                            CF_SOFT_MAX_STREAMS);
    cf_soft_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return no_memory(err);
    stream->number = number;
    pthread_mutex_lock(&soft->lock);
    for (size_t i = 0; i < soft->model.engine_count; i++)
        stream->queue[i] = find_queue(&soft->engines[i], number);
    pthread_mutex_unlock(&soft->lock);
    stream->next = soft->streams;
    soft->streams = stream;
    soft->stream_count++;
    *ret_stream = stream;
    return CF_OK;
}

static cf_status stream_open(cf_device *device, const cf_stream_desc *desc, cf_stream **ret_stream, cf_error *err)
{
    cf_soft *soft = device->state;
    cf_soft_stream *state = soft->streams;
    while (state != NULL && state->number != desc->number)
        state = state->next;
    cf_status status = state != NULL ? CF_OK : add_stream(soft, desc->number, &state, err);
    if (status != CF_OK)
        return status;
    cf_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return no_memory(err);
    stream->state = state;
    *ret_stream = stream;
    return CF_OK;
}

/* The stream itself stays until the device closes: commands may be in flight, and the number may be opened again. */
static void stream_close(cf_device *device, cf_stream *stream)
{
    (void)device;
    free(stream);
}

static cf_status block_new(cf_device *device, cf_place place, uint64_t size_bytes, cf_block **ret_block, cf_error *err)
{
    (void)device;
    (void)place;
    if (size_bytes > SIZE_MAX / 2)
        return no_memory(err);
    cf_block *block = calloc(1, sizeof *block);
    if (block == NULL)
        return no_memory(err);
    block->size_bytes = size_bytes;
    block->words = size_bytes / sizeof(uint64_t) + 1;
    block->data = calloc(block->words, sizeof(uint64_t));
    if (block->data == NULL) {
        free(block);
        return no_memory(err);
    }
    *ret_block = block;
    return CF_OK;
}

/* Commands in flight hold on to blocks and events. */
static void wait_for_all(cf_soft *soft)
{
    cf_soft_gate_wait(&soft->pending, 0, CF_WAIT_BLOCK);
}

static void block_free(cf_device *device, cf_block *block)
{
    wait_for_all(device->state);
    free(block->data);
    free(block);
}

uint64_t cf_soft_block_peek(const cf_block *block, uint64_t word)
{
    return __atomic_load_n(&block->data[word], __ATOMIC_RELAXED);
}

static cf_status check_range(const cf_block *block, uint64_t offset_bytes, uint64_t size_bytes, cf_error *err)
{
    if (offset_bytes <= block->size_bytes && size_bytes <= block->size_bytes - offset_bytes)
        return CF_OK;
    return cf_error_set(err, CF_INPUT, "%" PRIu64 " bytes at %" PRIu64 " of a block of %" PRIu64, size_bytes,
                        offset_bytes, block->size_bytes);
}

static cf_status block_write(cf_device *device, cf_block *block, uint64_t offset_bytes, const void *data,
                             uint64_t size_bytes, cf_error *err)
{
    cf_status status = check_range(block, offset_bytes, size_bytes, err);
    if (status != CF_OK)
        return status;
    wait_for_all(device->state);
    if (size_bytes != 0)
        memcpy((char *)block->data + offset_bytes, data, size_bytes);
    return CF_OK;
}

static cf_status block_read(cf_device *device, cf_block *block, uint64_t offset_bytes, void *ret_data,
                            uint64_t size_bytes, cf_error *err)
{
    cf_status status = check_range(block, offset_bytes, size_bytes, err);
    if (status != CF_OK)
        return status;
    wait_for_all(device->state);
    if (size_bytes != 0)
        memcpy(ret_data, (const char *)block->data + offset_bytes, size_bytes);
    return CF_OK;
}

static cf_status event_new(cf_device *device, cf_event_kind kind, cf_event **ret_event, cf_error *err)
{
    cf_soft *soft = device->state;
    cf_event *event = calloc(1, sizeof *event);
    if (event == NULL)
        return no_memory(err);
    if (kind == CF_EVENT_TIMING && !soft->worked)
        soft->armed_in_time = true;
    event->kind = kind;
    event->ignored = kind == CF_EVENT_TIMING && soft->model.events[kind].arm_late_ignored && !soft->armed_in_time;
    *ret_event = event;
    return CF_OK;
}

/* Marks are seen to by whoever drains next; outside the clock that may be us. */
static void settle_marks(cf_soft *soft)
{
    cf_soft_wakes wakes = {0};
    pthread_mutex_lock(&soft->lock);
    cf_soft_queue_advance(soft, NULL, &wakes);
    pthread_mutex_unlock(&soft->lock);
    cf_soft_wakes_send(&wakes);
}

static void event_free(cf_device *device, cf_event *event)
{
    wait_for_all(device->state);
    settle_marks(device->state);
    free(event);
}

static cf_status event_read(cf_device *device, cf_event *event, cf_event_reading *ret_reading, cf_error *err)
{
    (void)err;
    cf_soft *soft = device->state;
    settle_marks(soft);
    pthread_mutex_lock(&soft->lock);
    bool completed = event->ticket != 0 && event->completed == event->ticket;
    bool stamped = completed && event->kind == CF_EVENT_TIMING && !event->ignored;
    *ret_reading = (cf_event_reading){
        .completed = completed, .has_stamp = stamped, .stamp_ns = stamped ? (int64_t)event->stamp_raw : 0};
    pthread_mutex_unlock(&soft->lock);
    return CF_OK;
}

static uint64_t blocked_ns(cf_device *device)
{
    const cf_soft *soft = device->state;
    return soft->blocked_ns;
}

static uint64_t late_ns(cf_device *device)
{
    cf_soft *soft = device->state;
    return atomic_load_explicit(&soft->late_ns, memory_order_relaxed);
}

static cf_status step_begin(cf_device *device, double position, cf_error *err)
{
    cf_soft *soft = device->state;
    cf_status status = cf_soft_spans_deliver(soft, err);
    if (soft->model.noise.on)
        cf_soft_noise_step(&soft->noise, &soft->model.noise, position);
    soft->step_ns = cf_clock_now_ns();
    soft->step_end = soft->submitted;
    return status;
}

const cf_device_ops cf_device_soft = {.name = "soft",
                                      .about =
                                          "the model in real time: engines are threads, copies and kernels are real",
                                      .open = open_soft,
                                      .close = close_soft,
                                      .info = info,
                                      .stream_open = stream_open,
                                      .stream_close = stream_close,
                                      .block_new = block_new,
                                      .block_free = block_free,
                                      .block_write = block_write,
                                      .block_read = block_read,
                                      .submit = cf_soft_submit,
                                      .wait = cf_soft_wait,
                                      .event_new = event_new,
                                      .event_free = event_free,
                                      .record = cf_soft_record,
                                      .event_read = event_read,
                                      .blocked_ns = blocked_ns,
                                      .late_ns = late_ns,
                                      .step_begin = step_begin,
                                      .spans = cf_soft_spans};
