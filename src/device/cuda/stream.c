/* Streams, one for each number, and waits. */
#include "device/cuda/state.h"

#include <inttypes.h>
#include <time.h>

#define POLL_NAP_NS 20000

/* Urgency 0 is the driver's default, 0; each step of urgency is one lower, as far as the device goes. */
static int priority_of(const cf_cuda *cuda, uint64_t urgency)
{
    uint64_t most = cuda->most < 0 ? (uint64_t)-cuda->most : 0;
    return -(int)(urgency < most ? urgency : most);
}

static cf_status make_stream(cf_cuda *cuda, cf_stream *stream, uint32_t number, cf_error *err)
{
    stream->number = number;
    stream->is_default = cuda->stream_kind == CF_CUDA_LEGACY && number == 0;
    if (stream->is_default) {
        stream->handle = CF_CU_STREAM_LEGACY;
        return CF_OK;
    }
    cuda->priority[number] = priority_of(cuda, cuda->urgency[number]);
    unsigned flags = cuda->stream_kind == CF_CUDA_NON_BLOCKING ? CF_CU_STREAM_NON_BLOCKING : CF_CU_STREAM_DEFAULT;
    return CF_CUDA_TRY(&cuda->api, err, "cuStreamCreateWithPriority",
                       cuda->api.stream_create(&stream->handle, flags, cuda->priority[number]));
}

cf_status cf_cuda_stream_open(cf_device *device, const cf_stream_desc *desc, cf_stream **ret_stream, cf_error *err)
{
    cf_cuda *cuda = device->state;
    if (desc->number >= CF_CUDA_STREAMS)
        return cf_error_set(err, CF_UNSUPPORTED, "stream %" PRIu32 " is one too many; device cuda has %d", desc->number,
                            CF_CUDA_STREAMS);
    cf_status status = cf_cuda_enter(cuda, err);
    /* In the order of their numbers, whoever asks first: which hardware queue a stream gets may depend on it. */
    for (uint32_t i = 0; i <= desc->number && status == CF_OK; i++)
        if (cuda->streams[i].handle == NULL)
            status = make_stream(cuda, &cuda->streams[i], i, err);
    if (status != CF_OK)
        return status;
    *ret_stream = &cuda->streams[desc->number];
    return CF_OK;
}

/* It stays until the device closes: every variant runs on the same streams. */
void cf_cuda_stream_close(cf_device *device, cf_stream *stream)
{
    (void)device;
    (void)stream;
}

void cf_cuda_streams_done(cf_cuda *cuda)
{
    for (int i = 0; i < CF_CUDA_STREAMS; i++) {
        cf_stream *stream = &cuda->streams[i];
        if (stream->handle != NULL && !stream->is_default)
            (void)cuda->api.stream_destroy(stream->handle);
        *stream = (cf_stream){0};
    }
}

static cf_status block(const cf_cuda *cuda, const cf_stream *stream, cf_error *err)
{
    const cf_cuda_api *api = &cuda->api;
    if (stream == NULL)
        return CF_CUDA_TRY(api, err, "cuCtxSynchronize", api->context_wait());
    return CF_CUDA_TRY(api, err, "cuStreamSynchronize", api->stream_wait(stream->handle));
}

static cf_status ask_until_idle(const cf_cuda *cuda, const cf_stream *stream, bool naps, cf_error *err)
{
    const struct timespec nap = {.tv_nsec = POLL_NAP_NS};
    cf_cu_result code;
    while ((code = cuda->api.stream_query(stream->handle)) == CF_CU_ERROR_NOT_READY)
        if (naps)
            nanosleep(&nap, NULL);
    return CF_CUDA_TRY(&cuda->api, err, "cuStreamQuery", code);
}

cf_status cf_cuda_wait(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err)
{
    cf_cuda *cuda = device->state;
    cf_status status = cf_cuda_enter(cuda, err);
    if (status != CF_OK || how == CF_WAIT_BLOCK)
        return status == CF_OK ? block(cuda, stream, err) : status;
    if (stream != NULL)
        return ask_until_idle(cuda, stream, how == CF_WAIT_POLL, err);
    for (int i = 0; i < CF_CUDA_STREAMS && status == CF_OK; i++)
        if (cuda->streams[i].handle != NULL)
            status = ask_until_idle(cuda, &cuda->streams[i], how == CF_WAIT_POLL, err);
    return status;
}
