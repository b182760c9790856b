/* The list of instruments, and the count of those that are alive. */
#include "instrument/instrument.h"

#include <string.h>

#include "instrument/cupti.h"
#include "instrument/host.h"
#include "instrument/one_queue.h"
#include "instrument/profiling_queue.h"
#include "instrument/recorder.h"
#include "instrument/tracer.h"

static const cf_instrument_type none = {
    .name = "none",
    .about = "nothing: the control, the answer that may be quoted as product speed",
    .role = CF_ROLE_CONTROL,
    .by_default = true,
};
static const cf_instrument_type none_again = {
    .name = "none-again",
    .about = "nothing, once more: the A/A check",
    .role = CF_ROLE_REPLICA,
    .by_default = true,
};
static const cf_instrument_type none_poll = {
    .name = "none-poll",
    .about = "nothing, but the host polls for the step's end: does the wait matter?",
    .role = CF_ROLE_CONTROL,
    .open = cf_host_poll_open,
    .collect = cf_host_collect,
};
static const cf_instrument_type none_block = {
    .name = "none-block",
    .about = "nothing, but the host blocks for the step's end: does the wait matter?",
    .role = CF_ROLE_CONTROL,
    .open = cf_host_block_open,
    .collect = cf_host_collect,
};
static const cf_instrument_type sync_events = {
    .name = "sync",
    .about = "release-build events: ordering only, no timing",
    .role = CF_ROLE_INSTRUMENT,
    .records = true,
    .sync = true,
    .by_default = true,
    .proof = "event handles completed",
    .open = cf_recorder_open_sync,
    .collect = cf_recorder_collect,
    .owed = cf_recorder_owed,
};
static const cf_instrument_type timing_events = {
    .name = "timing",
    .about = "timing-enabled events around every operation",
    .role = CF_ROLE_INSTRUMENT,
    .records = true,
    .by_default = true,
    .proof = "timestamps moved",
    .open = cf_recorder_open_timing,
    .collect = cf_recorder_collect,
    .owed = cf_recorder_owed,
    .spans = cf_recorder_spans,
};
static const cf_instrument_type sync_signal = {
    .name = "sync-signal",
    .about = "a sync event signalled by a command of its own, as SYCL's runtime does (level-zero)",
    .role = CF_ROLE_INSTRUMENT,
    .records = true,
    .manner = CF_MANNER_BESIDE,
    .sync = true,
    .backend = "level-zero",
    .proof = "event handles completed",
    .open = cf_recorder_open_sync,
    .collect = cf_recorder_collect,
    .owed = cf_recorder_owed,
};
static const cf_instrument_type timing_event = {
    .name = "timing-event",
    .about = "an event with kernel timestamps, as the operation's own signal event (level-zero)",
    .role = CF_ROLE_INSTRUMENT,
    .records = true,
    .manner = CF_MANNER_OWN,
    .backend = "level-zero",
    .proof = "timestamps moved",
    .open = cf_recorder_open_stamped,
    .collect = cf_recorder_collect,
    .owed = cf_recorder_owed,
    .spans = cf_recorder_spans,
};
static const cf_instrument_type timing_signal = {
    .name = "timing-signal",
    .about = "an event with kernel timestamps, signalled by a command of its own (level-zero)",
    .role = CF_ROLE_INSTRUMENT,
    .records = true,
    .manner = CF_MANNER_BESIDE,
    .backend = "level-zero",
    .proof = "timestamps moved",
    .open = cf_recorder_open_stamped,
    .collect = cf_recorder_collect,
    .owed = cf_recorder_owed,
    .spans = cf_recorder_spans,
};
static const cf_instrument_type tracing_layer = {
    .name = "tracing-layer",
    .about = "the loader's tracer, called back before and after each call (level-zero)",
    .role = CF_ROLE_INSTRUMENT,
    .backend = "level-zero",
    .proof = "operations in whose call it was called, on both sides",
    .open = cf_tracer_open,
    .collect = cf_tracer_collect,
    .owed = cf_tracer_owed,
};
static const cf_instrument_type host_sync = {
    .name = "host-sync",
    .about = "the host waits after each operation",
    .role = CF_ROLE_INSTRUMENT,
    .records = true,
    .proof = "waits took place",
    .open = cf_host_sync_open,
    .collect = cf_host_collect,
    .owed = cf_host_sync_owed,
};
static const cf_instrument_type profiling_queue = {
    .name = "profiling-queue",
    .about = "queues with the profiling property, and no event object (opencl)",
    .role = CF_ROLE_INSTRUMENT,
    .backend = "opencl",
    .proof = "windows went to queues that profile",
    .open = cf_profiling_queue_open,
    .collect = cf_profiling_queue_collect,
};
static const cf_instrument_type cupti_concurrent = {
    .name = "cupti-concurrent",
    .about = "CUPTI's activity records, in the mode that leaves kernels concurrent (cuda)",
    .role = CF_ROLE_INSTRUMENT,
    .backend = "cuda",
    .proof = "operations recorded with both timestamps",
    .open = cf_cupti_concurrent_open,
    .collect = cf_cupti_activity_collect,
    .owed = cf_cupti_owed,
    .spans = cf_cupti_activity_spans,
};
static const cf_instrument_type cupti_kernel = {
    .name = "cupti-kernel",
    .about = "CUPTI's activity records, in the mode that runs one kernel at a time (cuda)",
    .role = CF_ROLE_INSTRUMENT,
    .backend = "cuda",
    .proof = "operations recorded with both timestamps",
    .open = cf_cupti_kernel_open,
    .collect = cf_cupti_activity_collect,
    .owed = cf_cupti_owed,
    .spans = cf_cupti_activity_spans,
};
static const cf_instrument_type cupti_callbacks = {
    .name = "cupti-callbacks",
    .about = "a CUPTI subscriber that is called for each call of the driver (cuda)",
    .role = CF_ROLE_INSTRUMENT,
    .backend = "cuda",
    .proof = "operations in whose call it was called",
    .open = cf_cupti_callbacks_open,
    .collect = cf_cupti_callbacks_collect,
    .owed = cf_cupti_owed,
};
static const cf_instrument_type one_queue = {
    .name = "one-queue",
    .about = "both lanes on one in-order queue: the reference, must read as serialising",
    .role = CF_ROLE_REFERENCE,
    .by_default = true,
    .proof = "windows went to one queue",
    .open = cf_one_queue_open,
    .collect = cf_one_queue_collect,
};

const cf_instrument_type *const cf_instruments[] = {&none,
                                                    &none_again,
                                                    &none_poll,
                                                    &none_block,
                                                    &sync_events,
                                                    &timing_events,
                                                    &sync_signal,
                                                    &timing_event,
                                                    &timing_signal,
                                                    &tracing_layer,
                                                    &host_sync,
                                                    &profiling_queue,
                                                    &cupti_concurrent,
                                                    &cupti_kernel,
                                                    &cupti_callbacks,
                                                    &one_queue,
                                                    NULL};

static int alive;

const cf_instrument_type *cf_instrument_find(const char *name)
{
    for (size_t i = 0; cf_instruments[i] != NULL; i++)
        if (strcmp(cf_instruments[i]->name, name) == 0)
            return cf_instruments[i];
    return NULL;
}

bool cf_instrument_on_operations(const cf_instrument_type *type, const cf_device_info *info)
{
    if (type->manner != CF_MANNER_DEVICE)
        return type->manner == CF_MANNER_OWN;
    return info->events_on_operations || (type->sync && info->sync_on_operations);
}

cf_status cf_instrument_open(const cf_instrument_type *type, const cf_instrument_config *config, cf_device *next,
                             cf_device **ret_device, cf_error *err)
{
    cf_status status = type->open(config, next, ret_device, err);
    if (status == CF_OK && type->role != CF_ROLE_CONTROL)
        alive++;
    return status;
}

cf_status cf_instrument_collect(const cf_instrument_type *type, cf_device *device, cf_instrument_reading *ret_reading,
                                cf_error *err)
{
    return type->collect(device, ret_reading, err);
}

void cf_instrument_close(const cf_instrument_type *type, cf_device *device)
{
    if (device == NULL)
        return;
    if (type->role != CF_ROLE_CONTROL)
        alive--;
    cf_device_close(device);
}

int cf_instrument_alive(void)
{
    return alive;
}
