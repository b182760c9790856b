/* Streams, one for each number, and waits. */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "device/level_zero/state.h"

#define POLL_NAP_NS     20000
#define EMULATED_NAP_NS 400000 /* each wake costs the run queue's delay, by which a busy machine is known */
#define FIRST_LISTS     64u

static bool is_copy(cf_op_kind kind)
{
    return cf_op_is_copy(kind) && kind != CF_OP_KERNEL_COPY;
}

/* ---- making ---- */

static cf_status make_kernel(const cf_ze *ze, const char *name, cf_ze_kernel *ret_kernel, cf_error *err)
{
    const cf_ze_kernel_desc desc = {.type = CF_ZE_TYPE_KERNEL, .name = name};
    cf_status status = CF_ZE_TRY(err, "zeKernelCreate", ze->api.kernel_create(ze->module, &desc, ret_kernel));
    return status == CF_OK
               ? CF_ZE_TRY(err, "zeKernelSetGroupSize", ze->api.kernel_group(*ret_kernel, CF_ZE_GROUP_ITEMS, 1, 1))
               : status;
}

static cf_status make_immediate(cf_ze *ze, cf_ze_engine engine, bool offload, cf_ze_track *track, cf_error *err)
{
    const cf_ze_flags_desc hint = {.type = CF_ZE_TYPE_OFFLOAD_HINT, .flags = 1};
    cf_ze_queue_desc desc = {
        .type = CF_ZE_TYPE_QUEUE, .ordinal = (uint32_t)ze->ordinals[engine], .mode = CF_ZE_MODE_ASYNCHRONOUS};
    if (ze->paths.order == CF_ZE_ORDER_FLAG)
        desc.flags |= CF_ZE_QUEUE_IN_ORDER;
    if (offload && ze->paths.hint == CF_ZE_HINT_STRUCT)
        desc.next = &hint;
    if (offload && ze->paths.hint == CF_ZE_HINT_FLAG)
        desc.flags |= CF_ZE_QUEUE_COPY_OFFLOAD;
    cf_status status = CF_ZE_TRY(err, "zeCommandListCreateImmediate",
                                 ze->api.list_immediate(ze->context, ze->device, &desc, &track->list));
    return status == CF_OK && ze->api.list_wait == NULL ? cf_ze_tail_make(ze, &track->tail, err) : status;
}

static cf_status make_queue(const cf_ze *ze, cf_ze_engine engine, cf_ze_track *track, cf_error *err)
{
    const cf_ze_queue_desc desc = {
        .type = CF_ZE_TYPE_QUEUE, .ordinal = (uint32_t)ze->ordinals[engine], .mode = CF_ZE_MODE_ASYNCHRONOUS};
    return CF_ZE_TRY(err, "zeCommandQueueCreate", ze->api.queue_create(ze->context, ze->device, &desc, &track->queue));
}

static cf_status make_tracks(cf_ze *ze, cf_stream *stream, cf_error *err)
{
    stream->split = ze->stream_kind >= CF_ZE_SPLIT && stream->number != CF_ZE_SHARED;
    if (!stream->split)
        return make_immediate(ze, CF_ZE_COMPUTE, ze->stream_kind != CF_ZE_NO_OFFLOAD, &stream->tracks[0], err);
    cf_status status = CF_OK;
    for (int engine = 0; engine < CF_ZE_ENGINES && status == CF_OK; engine++)
        status = ze->stream_kind == CF_ZE_QUEUES
                     ? make_queue(ze, (cf_ze_engine)engine, &stream->tracks[engine], err)
                     : make_immediate(ze, (cf_ze_engine)engine, false, &stream->tracks[engine], err);
    return status;
}

static cf_status make_stream(cf_ze *ze, cf_stream *stream, uint32_t number, cf_error *err)
{
    *stream = (cf_stream){.made = true, .number = number, .last = -1};
    cf_status status = make_tracks(ze, stream, err);
    if (status == CF_OK)
        status = make_kernel(ze, "confound_kernel", &stream->kernel, err);
    return status == CF_OK ? make_kernel(ze, "confound_copy", &stream->copier, err) : status;
}

static void end_track(cf_ze *ze, cf_ze_track *track)
{
    for (size_t i = 0; i < track->list_count; i++)
        (void)ze->api.list_destroy(track->lists[i]);
    free(track->lists);
    if (track->list != NULL)
        (void)ze->api.list_destroy(track->list);
    if (track->queue != NULL)
        (void)ze->api.queue_destroy(track->queue);
    cf_ze_tail_end(ze, track->tail);
    *track = (cf_ze_track){0};
}

static void end_stream(cf_ze *ze, cf_stream *stream)
{
    for (int engine = 0; engine < CF_ZE_ENGINES; engine++)
        end_track(ze, &stream->tracks[engine]);
    if (stream->kernel != NULL)
        (void)ze->api.kernel_destroy(stream->kernel);
    if (stream->copier != NULL)
        (void)ze->api.kernel_destroy(stream->copier);
    *stream = (cf_stream){0};
}

cf_status cf_level_zero_stream_open(cf_device *device, const cf_stream_desc *desc, cf_stream **ret_stream,
                                    cf_error *err)
{
    cf_ze *ze = device->state;
    if (desc->number >= CF_ZE_SHARED)
        return cf_error_set(err, CF_UNSUPPORTED, "stream %" PRIu32 " is one too many; device level-zero has %d",
                            desc->number, CF_ZE_SHARED);
    uint32_t number = desc->shared ? CF_ZE_SHARED : desc->number;
    /* In the order of their numbers, whoever asks first: which engine a list gets may depend on it. */
    for (uint32_t i = 0; i < CF_ZE_STREAMS; i++) {
        if (ze->streams[i].made || (i != number && i > desc->number))
            continue;
        cf_status status = make_stream(ze, &ze->streams[i], i, err);
        if (status != CF_OK) {
            end_stream(ze, &ze->streams[i]);
            return status;
        }
    }
    *ret_stream = &ze->streams[number];
    return CF_OK;
}

/* It stays until the device closes: every variant runs on the same queues. */
void cf_level_zero_stream_close(cf_device *device, cf_stream *stream)
{
    (void)device;
    (void)stream;
}

void cf_ze_streams_done(cf_ze *ze)
{
    for (int i = 0; i < CF_ZE_STREAMS; i++)
        if (ze->streams[i].made)
            end_stream(ze, &ze->streams[i]);
}

/* ---- waits ---- */

/* Each list has its own, and it is reset before it is used: a signal that was left by a wait that failed, or that still
   comes, would end another wait before its time. */
static cf_status append_tail(const cf_ze *ze, const cf_ze_track *track, cf_error *err)
{
    cf_status status = CF_ZE_TRY(err, "zeEventHostReset", ze->api.event_reset(track->tail->handle));
    return status == CF_OK ? CF_ZE_TRY(err, "zeCommandListAppendBarrier",
                                       ze->api.append_barrier(track->list, track->tail->handle, 0, NULL))
                           : status;
}

static cf_status block(cf_ze *ze, cf_ze_track *track, cf_error *err)
{
    if (track->queue != NULL)
        return CF_ZE_TRY(err, "zeCommandQueueSynchronize", ze->api.queue_wait(track->queue, CF_ZE_FOREVER));
    if (ze->api.list_wait != NULL)
        return CF_ZE_TRY(err, "zeCommandListHostSynchronize", ze->api.list_wait(track->list, CF_ZE_FOREVER));
    cf_status status = append_tail(ze, track, err);
    return status == CF_OK
               ? CF_ZE_TRY(err, "zeEventHostSynchronize", ze->api.event_wait(track->tail->handle, CF_ZE_FOREVER))
               : status;
}

static cf_ze_result ask(const cf_ze *ze, const cf_ze_track *track)
{
    if (track->queue != NULL)
        return ze->api.queue_wait(track->queue, 0);
    return ze->api.list_wait != NULL ? ze->api.list_wait(track->list, 0) : ze->api.event_query(track->tail->handle);
}

static const char *asked_by(const cf_ze *ze, const cf_ze_track *track)
{
    if (track->queue != NULL)
        return "zeCommandQueueSynchronize";
    return ze->api.list_wait != NULL ? "zeCommandListHostSynchronize" : "zeEventQueryStatus";
}

/* An emulated engine that met a command which it does not know stands still for good. */
static cf_status check_emulated(const cf_ze *ze, cf_error *err)
{
    char text[256] = "";
    if (ze->emulated == NULL || ze->emulated->failures(text, sizeof text) == 0)
        return CF_OK;
    return cf_error_set(err, CF_DEVICE, "the emulated GPU stopped: %s", text);
}

static cf_status ask_until_idle(cf_ze *ze, cf_ze_track *track, long nap_ns, cf_error *err)
{
    const struct timespec nap = {.tv_nsec = nap_ns};
    cf_ze_result code = CF_ZE_NOT_READY;
    cf_status status = CF_OK;
    if (track->queue == NULL && ze->api.list_wait == NULL)
        status = append_tail(ze, track, err);
    while (status == CF_OK && (code = ask(ze, track)) == CF_ZE_NOT_READY) {
        status = check_emulated(ze, err);
        if (nap_ns > 0)
            nanosleep(&nap, NULL);
    }
    return status == CF_OK ? CF_ZE_TRY(err, asked_by(ze, track), code) : status;
}

/* Where the wait is a command of its own, a list that did nothing is not given one. Inside its own wait the driver
   spins, and would take a core from the threads that are the emulated engines: there the host sleeps between looks. */
static cf_status wait_track(cf_ze *ze, cf_ze_track *track, cf_wait how, cf_error *err)
{
    if (track->queue == NULL && track->list == NULL)
        return CF_OK;
    if (track->queue == NULL && ze->api.list_wait == NULL && !track->dirty)
        return CF_OK;
    const long nap_ns = how == CF_WAIT_SPIN ? 0 : how == CF_WAIT_POLL ? POLL_NAP_NS : EMULATED_NAP_NS;
    cf_status status =
        how == CF_WAIT_BLOCK && ze->emulated == NULL ? block(ze, track, err) : ask_until_idle(ze, track, nap_ns, err);
    if (status == CF_OK)
        track->dirty = false;
    return status;
}

static cf_status wait_stream(cf_ze *ze, cf_stream *stream, cf_wait how, cf_error *err)
{
    cf_status status = CF_OK;
    for (int engine = 0; engine < CF_ZE_ENGINES && status == CF_OK; engine++)
        status = wait_track(ze, &stream->tracks[engine], how, err);
    return status;
}

cf_status cf_level_zero_wait(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err)
{
    cf_ze *ze = device->state;
    cf_status status = CF_OK;
    if (stream != NULL)
        return wait_stream(ze, stream, how, err);
    for (int i = 0; i < CF_ZE_STREAMS && status == CF_OK; i++)
        if (ze->streams[i].made)
            status = wait_stream(ze, &ze->streams[i], how, err);
    return status;
}

void cf_ze_rest(cf_ze *ze)
{
    for (int i = 0; i < CF_ZE_STREAMS; i++)
        for (int engine = 0; engine < CF_ZE_ENGINES; engine++)
            if (ze->streams[i].tracks[engine].dirty)
                (void)wait_track(ze, &ze->streams[i].tracks[engine], CF_WAIT_BLOCK, NULL);
}

cf_status cf_ze_stream_idle(const cf_ze *ze, const cf_stream *stream, bool *ret_idle, cf_error *err)
{
    const cf_ze_track *track = &stream->tracks[stream->last >= 0 ? stream->last : 0];
    *ret_idle = false;
    if (track->queue == NULL && ze->api.list_wait == NULL)
        return CF_OK;
    cf_ze_result code = ask(ze, track);
    *ret_idle = code == CF_ZE_SUCCESS;
    return code == CF_ZE_NOT_READY ? CF_OK : CF_ZE_TRY(err, asked_by(ze, track), code);
}

/* ---- lists of the next command ---- */

static cf_status more_lists(const cf_ze *ze, cf_ze_track *track, cf_ze_engine engine, cf_error *err)
{
    const cf_ze_list_desc desc = {.type = CF_ZE_TYPE_LIST, .ordinal = (uint32_t)ze->ordinals[engine]};
    if (track->list_count == track->list_room) {
        size_t room = track->list_room > 0 ? 2 * track->list_room : FIRST_LISTS;
        cf_ze_list *lists = realloc(track->lists, room * sizeof(cf_ze_list));
        if (lists == NULL)
            return cf_error_set(err, CF_MEMORY, "out of memory");
        track->lists = lists;
        track->list_room = room;
    }
    cf_status status = CF_ZE_TRY(err, "zeCommandListCreate",
                                 ze->api.list_create(ze->context, ze->device, &desc, &track->lists[track->list_count]));
    track->list_count += status == CF_OK;
    return status;
}

/* A list of a regular queue is made in a step that needs one more than those before it, which is never one of the
   timed: the first step of a cell needs as many as the others. */
static cf_status regular(const cf_ze *ze, cf_ze_track *track, cf_ze_engine engine, cf_ze_list *ret_list, cf_error *err)
{
    cf_status status = track->list_used == track->list_count ? more_lists(ze, track, engine, err) : CF_OK;
    if (status == CF_OK)
        *ret_list = track->lists[track->list_used];
    return status;
}

/* A lane's commands are of one kind. Who mixes them on a stream of two queues waits at each change. */
static cf_status change_track(cf_ze *ze, cf_stream *stream, int track, cf_error *err)
{
    if (stream->last < 0 || stream->last == track || !stream->tracks[stream->last].dirty)
        return CF_OK;
    uint64_t begin_ns = cf_clock_now_ns();
    cf_status status = wait_track(ze, &stream->tracks[stream->last], CF_WAIT_BLOCK, err);
    ze->blocked_ns += cf_clock_now_ns() - begin_ns;
    return status;
}

cf_status cf_ze_list_begin(cf_ze *ze, cf_stream *stream, cf_op_kind kind, cf_ze_list *ret_list, cf_error *err)
{
    cf_ze_engine engine = stream->split && is_copy(kind) ? CF_ZE_COPY : CF_ZE_COMPUTE;
    cf_ze_track *track = &stream->tracks[engine];
    cf_status status = change_track(ze, stream, (int)engine, err);
    if (status != CF_OK)
        return status;
    stream->last = (int)engine;
    track->dirty = true;
    *ret_list = track->list;
    if (track->queue != NULL)
        status = regular(ze, track, engine, ret_list, err);
    if (status == CF_OK && (track->queue != NULL || ze->paths.order == CF_ZE_ORDER_BARRIER))
        status = cf_ze_barrier(ze, *ret_list, err);
    return status;
}

cf_status cf_ze_list_end(cf_ze *ze, cf_stream *stream, cf_ze_list list, cf_error *err)
{
    cf_ze_track *track = &stream->tracks[stream->last];
    if (track->queue == NULL)
        return CF_OK;
    track->list_used++;
    cf_status status = CF_ZE_TRY(err, "zeCommandListClose", ze->api.list_close(list));
    return status == CF_OK ? CF_ZE_TRY(err, "zeCommandQueueExecuteCommandLists",
                                       ze->api.queue_execute(track->queue, 1, &list, NULL))
                           : status;
}

cf_status cf_ze_streams_reset(cf_ze *ze, cf_error *err)
{
    cf_status status = CF_OK;
    for (int i = 0; i < CF_ZE_STREAMS; i++)
        for (int engine = 0; engine < CF_ZE_ENGINES; engine++) {
            cf_ze_track *track = &ze->streams[i].tracks[engine];
            for (; track->list_used > 0 && status == CF_OK; track->list_used--)
                status = CF_ZE_TRY(err, "zeCommandListReset", ze->api.list_reset(track->lists[track->list_used - 1]));
        }
    return status;
}
