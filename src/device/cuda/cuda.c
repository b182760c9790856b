/* The table of `cuda`: what devices there are, opening and closing. */
#include "device/cuda/state.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "device/cuda/ptx.h"

/* A profiler adds tens of microseconds to a launch: kernels of 0.1 ms would be judged by that. On one H200 the
   overlap under cupti-kernel read 0.12 with steps of 2 ms. */
#define STEP_TARGET_NS UINT64_C(16000000)

static const char *const memory_values[] = {"pinned", "pageable", NULL};
static const char *const stream_values[] = {"non-blocking", "blocking", "legacy", NULL}; /* cf_cuda_stream_kind */

static const cf_device_setting settings[] = {
    {"memory", "host memory that copies read and write", memory_values},
    {"streams", "legacy: lane a on the default stream, with which lane b's blocking stream synchronises",
     stream_values},
    {"priority_a", "of lane a's stream: 0 is the default, a higher one is more urgent, held to what the device has",
     NULL},
    {"priority_b", "of lane b's stream", NULL},
    {NULL, NULL, NULL},
};

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

/* By a number that no other opening has: an address may come back. */
static _Thread_local uint64_t current_serial;

cf_status cf_cuda_enter(cf_cuda *cuda, cf_error *err)
{
    if (current_serial == cuda->serial)
        return CF_OK;
    cf_status status = CF_CUDA_TRY(&cuda->api, err, "cuCtxSetCurrent", cuda->api.context_set(cuda->context));
    if (status == CF_OK)
        current_serial = cuda->serial;
    return status;
}

static void read_settings(cf_cuda *cuda, const cf_pairs *pairs)
{
    static const char *const priorities[CF_CUDA_STREAMS] = {"priority_a", "priority_b"};
    const char *memory = pairs != NULL ? cf_pairs_get(pairs, "memory") : NULL;
    const char *streams = pairs != NULL ? cf_pairs_get(pairs, "streams") : NULL;
    cuda->pageable = memory != NULL && strcmp(memory, "pageable") == 0;
    cuda->stream_kind =
        streams != NULL ? (cf_cuda_stream_kind)cf_text_find(stream_values, streams) : CF_CUDA_NON_BLOCKING;
    for (int i = 0; i < CF_CUDA_STREAMS; i++) {
        const char *priority = pairs != NULL ? cf_pairs_get(pairs, priorities[i]) : NULL;
        if (priority == NULL || !cf_text_parse_u64(priority, 0, UINT32_MAX, &cuda->urgency[i]))
            cuda->urgency[i] = 0;
    }
}

static cf_status attribute(const cf_cuda_api *api, cf_cu_device device, int which, int *ret_value, cf_error *err)
{
    return CF_CUDA_TRY(api, err, "cuDeviceGetAttribute", api->device_attribute(ret_value, which, device));
}

static cf_status find_device(cf_cuda *cuda, int index, cf_error *err)
{
    const cf_cuda_api *api = &cuda->api;
    int count = 0;
    cf_status status = CF_CUDA_TRY(api, err, "cuDeviceGetCount", api->device_count(&count));
    if (status != CF_OK)
        return status;
    if (count == 0)
        return cf_error_set(err, CF_NO_DEVICE, "the CUDA driver is there and has no device");
    if (index < 0 || index >= count)
        return cf_error_set(err, CF_NO_DEVICE, "there is no cuda:%d; accepted: cuda:0%s%.0d", index,
                            count > 1 ? " to cuda:" : "", count - 1);
    cuda->index = index;
    return CF_CUDA_TRY(api, err, "cuDeviceGet", api->device_get(&cuda->device, index));
}

static cf_status describe_device(cf_cuda *cuda, cf_error *err)
{
    const cf_cuda_api *api = &cuda->api;
    int domain = 0, bus = 0, slot = 0;
    const struct {
        int which, *at;
    } wanted[] = {{CF_CU_ATTRIBUTE_SMS, &cuda->sms},     {CF_CU_ATTRIBUTE_ENGINES, &cuda->engines},
                  {CF_CU_ATTRIBUTE_MAJOR, &cuda->major}, {CF_CU_ATTRIBUTE_MINOR, &cuda->minor},
                  {CF_CU_ATTRIBUTE_PCI_DOMAIN, &domain}, {CF_CU_ATTRIBUTE_PCI_BUS, &bus},
                  {CF_CU_ATTRIBUTE_PCI_DEVICE, &slot}};
    cf_status status =
        CF_CUDA_TRY(api, err, "cuDeviceGetName", api->device_name(cuda->name, sizeof cuda->name, cuda->device));
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && status == CF_OK; i++)
        status = attribute(api, cuda->device, wanted[i].which, wanted[i].at, err);
    if (status == CF_OK)
        snprintf(cuda->pci, sizeof cuda->pci, "%08x:%02x:%02x.0", (unsigned)domain, (unsigned)bus, (unsigned)slot);
    return status;
}

static void describe_driver(cf_cuda *cuda)
{
    char version[64] = "";
    int cuda_version = cuda->api.version;
    if (cuda->nvml.driver_version == NULL || cuda->nvml.device == NULL ||
        cuda->nvml.driver_version(version, sizeof version) != 0)
        version[0] = '\0';
    snprintf(cuda->driver, sizeof cuda->driver, "%s%sCUDA %d.%d%s", version, version[0] != '\0' ? " (" : "",
             cuda_version / 1000, cuda_version % 1000 / 10, version[0] != '\0' ? ")" : "");
}

static cf_status load_kernel(cf_cuda *cuda, const char *name, cf_cu_function *ret_function, int *ret_full,
                             cf_error *err)
{
    const cf_cuda_api *api = &cuda->api;
    int blocks = 0;
    cf_status status =
        CF_CUDA_TRY(api, err, "cuModuleGetFunction", api->module_function(ret_function, cuda->module, name));
    if (status == CF_OK)
        status = CF_CUDA_TRY(api, err, "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                             api->blocks_per_sm(&blocks, *ret_function, CF_CUDA_THREADS, 0));
    *ret_full = (blocks > 0 ? blocks : 1) * (cuda->sms > 0 ? cuda->sms : 1);
    return status;
}

/* The context blocks where a call waits: a host that spins takes a core from whoever runs beside it. */
static cf_status make_context(cf_cuda *cuda, cf_error *err)
{
    const cf_cuda_api *api = &cuda->api;
    cf_status status = CF_CUDA_TRY(api, err, "cuCtxCreate",
                                   api->context_create(&cuda->context, CF_CU_CTX_BLOCKING_SYNC, cuda->device));
    if (status != CF_OK)
        return status;
    current_serial = cuda->serial;
    status = CF_CUDA_TRY(api, err, "cuCtxGetStreamPriorityRange", api->context_priorities(&cuda->least, &cuda->most));
    if (status == CF_OK)
        status = CF_CUDA_TRY(api, err, "cuModuleLoadDataEx",
                             api->module_load(&cuda->module, cf_cuda_ptx_texts[0].text, 0, NULL, NULL));
    if (status == CF_OK)
        status = load_kernel(cuda, "confound_kernel", &cuda->kernel, &cuda->full[0], err);
    return status == CF_OK ? load_kernel(cuda, "confound_copy", &cuda->copy, &cuda->full[1], err) : status;
}

static cf_status open_cuda(const cf_device_config *config, cf_device *device, cf_error *err)
{
    static _Atomic uint64_t last_serial;
    cf_cuda *cuda = calloc(1, sizeof *cuda);
    if (cuda == NULL)
        return no_memory(err);
    device->state = cuda;
    cuda->serial = atomic_fetch_add(&last_serial, 1) + 1;
    read_settings(cuda, config->settings);
    cf_status status = cf_cuda_api_open(&cuda->api, err);
    if (status == CF_OK)
        status = find_device(cuda, config->index, err);
    if (status == CF_OK)
        status = describe_device(cuda, err);
    if (status == CF_OK) {
        cf_cuda_nvml_open(&cuda->nvml, cuda->pci);
        describe_driver(cuda);
        status = make_context(cuda, err);
    }
    cuda->call_ns = CF_CUDA_CALL_NS;
    return status == CF_OK ? cf_cuda_batch_make(&cuda->batch, 0, err) : status;
}

/* Every call's failure is passed over: a device that is lost fails them all, and nobody is left to tell. */
static void close_cuda(cf_device *device)
{
    cf_cuda *cuda = device->state;
    if (cuda == NULL)
        return;
    if (cuda->context != NULL && cf_cuda_enter(cuda, NULL) == CF_OK)
        (void)cuda->api.context_wait();
    cf_cuda_base_done(cuda);
    cf_cuda_streams_done(cuda);
    cf_cuda_batch_done(&cuda->batch);
    if (cuda->module != NULL)
        (void)cuda->api.module_unload(cuda->module);
    if (cuda->context != NULL)
        (void)cuda->api.context_destroy(cuda->context);
    current_serial = 0;
    cf_cuda_nvml_close(&cuda->nvml);
    cf_cuda_api_close(&cuda->api);
    free(cuda);
    device->state = NULL;
}

static void info(const cf_device *device, cf_device_info *ret_info)
{
    const cf_cuda *cuda = device->state;
    *ret_info = (cf_device_info){.backend = "cuda",
                                 .simulated = cuda->api.simulated != NULL,
                                 .computes = true,
                                 .moves = true,
                                 .copy_unit = CF_UNIT_BYTES,
                                 .kernel_unit = CF_UNIT_TRIPS,
                                 .copy_start = UINT64_C(8) << 20,
                                 .kernel_start = 10000,
                                 .step_target_ns = STEP_TARGET_NS,
                                 .clock_name = "CLOCK_MONOTONIC"};
    snprintf(ret_info->name, sizeof ret_info->name, "%s", cuda->name);
    snprintf(ret_info->driver, sizeof ret_info->driver, "%s", cuda->driver);
}

static cf_status list_one(cf_cuda *cuda, int index, cf_device_lister *lister, void *user, cf_error *err)
{
    cf_status status = find_device(cuda, index, err);
    if (status == CF_OK)
        status = describe_device(cuda, err);
    if (status != CF_OK)
        return status;
    char engines[96];
    snprintf(engines, sizeof engines, "%d copy engine%s, %d multiprocessors", cuda->engines,
             cuda->engines == 1 ? "" : "s", cuda->sms);
    lister(user, &(cf_device_listing){.index = index,
                                      .name = cuda->name,
                                      .driver = cuda->driver,
                                      .kind = "gpu",
                                      .engines = engines,
                                      .memory = "pinned pageable"});
    return CF_OK;
}

static cf_status list(cf_device_lister *lister, void *user, cf_error *err)
{
    cf_cuda cuda = {0};
    int count = 1;
    cf_status status = cf_cuda_api_open(&cuda.api, err);
    if (status != CF_OK)
        return status;
    describe_driver(&cuda);
    for (int i = 0; i < count && status == CF_OK; i++) {
        status = list_one(&cuda, i, lister, user, err);
        if (status == CF_OK && i == 0)
            status = CF_CUDA_TRY(&cuda.api, err, "cuDeviceGetCount", cuda.api.device_count(&count));
    }
    cf_cuda_api_close(&cuda.api);
    return status;
}

static uint64_t blocked_ns(cf_device *device)
{
    return ((const cf_cuda *)device->state)->blocked_ns;
}

static cf_status conditions(cf_device *device, unsigned *ret_marks, cf_error *err)
{
    (void)err;
    *ret_marks = cf_cuda_nvml_marks(&((const cf_cuda *)device->state)->nvml);
    return CF_OK;
}

void *cf_cuda_context_handle(const cf_device *device)
{
    return ((const cf_cuda *)device->state)->context;
}

void *cf_cuda_stream_handle(const cf_stream *stream)
{
    return stream->is_default ? NULL : stream->handle;
}

int cf_cuda_driver_version(const cf_device *device)
{
    return ((const cf_cuda *)device->state)->api.version;
}

const cf_device_ops cf_device_cuda = {.name = "cuda",
                                      .about = "a GPU, through the CUDA driver",
                                      .open = open_cuda,
                                      .close = close_cuda,
                                      .info = info,
                                      .stream_open = cf_cuda_stream_open,
                                      .stream_close = cf_cuda_stream_close,
                                      .block_new = cf_cuda_block_new,
                                      .block_free = cf_cuda_block_free,
                                      .block_write = cf_cuda_block_write,
                                      .block_read = cf_cuda_block_read,
                                      .submit = cf_cuda_submit,
                                      .wait = cf_cuda_wait,
                                      .event_new = cf_cuda_event_new,
                                      .event_free = cf_cuda_event_free,
                                      .record = cf_cuda_record,
                                      .event_read = cf_cuda_event_read,
                                      .blocked_ns = blocked_ns,
                                      .step_begin = cf_cuda_step_begin,
                                      .settings = settings,
                                      .list = list,
                                      .facts = cf_cuda_facts,
                                      .conditions = conditions};
