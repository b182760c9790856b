/* Events, and the base that timestamps count from. */
#include "device/cuda/state.h"

#include <stdlib.h>

#define NS_PER_MS 1000000.0

static cf_status record_base(cf_cuda *cuda, int at, cf_error *err)
{
    const cf_cuda_api *api = &cuda->api;
    cf_status status = CF_OK;
    if (cuda->base[at] == NULL)
        status = CF_CUDA_TRY(api, err, "cuEventCreate", api->event_create(&cuda->base[at], CF_CU_EVENT_DEFAULT));
    if (status == CF_OK)
        status = CF_CUDA_TRY(api, err, "cuEventRecord", api->event_record(cuda->base[at], CF_CU_STREAM_LEGACY));
    return status == CF_OK ? CF_CUDA_TRY(api, err, "cuEventSynchronize", api->event_wait(cuda->base[at])) : status;
}

static cf_status between_ns(const cf_cuda *cuda, cf_cu_event begin, cf_cu_event end, int64_t *ret_ns, cf_error *err)
{
    float ms = 0;
    cf_status status = CF_CUDA_TRY(&cuda->api, err, "cuEventElapsedTime", cuda->api.event_elapsed(&ms, begin, end));
    if (status == CF_OK)
        *ret_ns = (int64_t)((double)ms * NS_PER_MS);
    return status;
}

/* The driver tells time between two events as a float of ms: seven digits. So the base moves up to each step, and a
   stamp within a step keeps a resolution that matters. */
static cf_status move_base(cf_cuda *cuda, cf_error *err)
{
    int next = cuda->base_recorded ? 1 - cuda->base_at : cuda->base_at;
    int64_t ns = 0;
    cf_status status = record_base(cuda, next, err);
    if (status == CF_OK && cuda->base_recorded)
        status = between_ns(cuda, cuda->base[cuda->base_at], cuda->base[next], &ns, err);
    if (status != CF_OK)
        return status;
    cuda->base_ns += ns;
    cuda->base_at = next;
    cuda->base_recorded = true;
    return CF_OK;
}

/* Only where somebody takes timestamps: the control gets no event. */
cf_status cf_cuda_step_begin(cf_device *device, double position, cf_error *err)
{
    (void)position;
    cf_cuda *cuda = device->state;
    cf_status status = cf_cuda_enter(cuda, err);
    return status == CF_OK && cuda->timing_events > 0 ? move_base(cuda, err) : status;
}

void cf_cuda_base_done(cf_cuda *cuda)
{
    for (int i = 0; i < 2; i++)
        if (cuda->base[i] != NULL)
            (void)cuda->api.event_destroy(cuda->base[i]);
    cuda->base[0] = cuda->base[1] = NULL;
}

cf_status cf_cuda_event_new(cf_device *device, cf_event_kind kind, cf_event **ret_event, cf_error *err)
{
    cf_cuda *cuda = device->state;
    cf_status status = cf_cuda_enter(cuda, err);
    /* Without a step there is still something to count from. */
    if (status == CF_OK && kind == CF_EVENT_TIMING && !cuda->base_recorded)
        status = move_base(cuda, err);
    if (status != CF_OK)
        return status;
    cf_event *event = calloc(1, sizeof *event);
    if (event == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    event->kind = kind;
    status = CF_CUDA_TRY(
        &cuda->api, err, "cuEventCreate",
        cuda->api.event_create(&event->handle, kind == CF_EVENT_TIMING ? CF_CU_EVENT_DEFAULT : CF_CU_EVENT_NO_TIMING));
    if (status != CF_OK) {
        free(event);
        return status;
    }
    cuda->timing_events += kind == CF_EVENT_TIMING;
    *ret_event = event;
    return CF_OK;
}

void cf_cuda_event_free(cf_device *device, cf_event *event)
{
    cf_cuda *cuda = device->state;
    if (cf_cuda_enter(cuda, NULL) == CF_OK)
        (void)cuda->api.event_destroy(event->handle);
    cuda->timing_events -= event->kind == CF_EVENT_TIMING;
    free(event);
}

cf_status cf_cuda_record(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                         cf_error *err)
{
    (void)op;
    (void)side;
    cf_cuda *cuda = device->state;
    cf_status status = cf_cuda_enter(cuda, err);
    if (status == CF_OK)
        status = CF_CUDA_TRY(&cuda->api, err, "cuEventRecord", cuda->api.event_record(event->handle, stream->handle));
    if (status == CF_OK)
        event->recorded = event->signalled = true;
    return status;
}

/* An event that was never recorded is complete to the driver: so what was recorded is kept here, until it is read. */
cf_status cf_cuda_event_read(cf_device *device, cf_event *event, cf_event_reading *ret_reading, cf_error *err)
{
    cf_cuda *cuda = device->state;
    cf_event_reading reading = {0};
    cf_status status = cf_cuda_enter(cuda, err);
    if (status == CF_OK && event->recorded) {
        cf_cu_result code = cuda->api.event_query(event->handle);
        reading.completed = code == CF_CU_SUCCESS;
        if (code != CF_CU_ERROR_NOT_READY)
            status = CF_CUDA_TRY(&cuda->api, err, "cuEventQuery", code);
    }
    if (status == CF_OK && reading.completed && event->kind == CF_EVENT_TIMING) {
        status = between_ns(cuda, cuda->base[cuda->base_at], event->handle, &reading.stamp_ns, err);
        reading.stamp_ns += cuda->base_ns;
        reading.has_stamp = status == CF_OK;
    }
    if (status != CF_OK)
        return status;
    event->recorded = false;
    *ret_reading = reading;
    return CF_OK;
}
