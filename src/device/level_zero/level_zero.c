/* The table of `level-zero`: what devices there are, opening and closing. */
#include "device/level_zero/level_zero.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "device/level_zero/spirv.h"
#include "device/level_zero/state.h"

#define MOST_DRIVERS 8
#define MOST_DEVICES 32
#define MOST_GROUPS  16

/* An emulated device keeps time within tens of microseconds, and a tool adds as much to a call: steps of 2 ms would be
   judged by that. */
#define STEP_TARGET_NS UINT64_C(16000000)

static const char *const memory_values[] = {"pinned", "pageable", NULL};
static const char *const event_values[] = {"counter", "pool", NULL};
static const cf_device_setting settings[] = {
    {"streams",
     "offload: in-order immediate lists on the compute ordinal with the copy offload hint; no-offload: without it; "
     "split: copies on a copy ordinal; queues: the same with regular command queues",
     cf_ze_stream_names},
    {"memory", "host memory that copies read and write", memory_values},
    {"events", "counter: counter-based events where the driver has them; pool: those of a plain pool", event_values},
    {NULL, NULL, NULL},
};

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

/* ---- which devices there are ---- */

typedef struct found {
    cf_ze_driver driver;
    cf_ze_device device;
} found;

static cf_status devices_of(const cf_ze_api *api, cf_ze_driver driver, found *all, size_t *count, cf_error *err)
{
    cf_ze_device devices[MOST_DEVICES];
    uint32_t device_count = MOST_DEVICES;
    cf_status status = CF_ZE_TRY(err, "zeDeviceGet", api->device_get(driver, &device_count, devices));
    for (uint32_t i = 0; i < device_count && i < MOST_DEVICES && status == CF_OK; i++) {
        cf_ze_device_properties properties = {.type = CF_ZE_TYPE_DEVICE_PROPERTIES};
        status = CF_ZE_TRY(err, "zeDeviceGetProperties", api->device_properties(devices[i], &properties));
        if (status == CF_OK && properties.device_type == CF_ZE_DEVICE_TYPE_GPU && *count < MOST_DEVICES)
            all[(*count)++] = (found){driver, devices[i]};
    }
    return status;
}

static cf_status find_devices(const cf_ze_api *api, found *ret_all, size_t *ret_count, cf_error *err)
{
    cf_ze_driver drivers[MOST_DRIVERS];
    uint32_t driver_count = MOST_DRIVERS;
    *ret_count = 0;
    cf_status status = CF_ZE_TRY(err, "zeDriverGet", api->driver_get(&driver_count, drivers));
    for (uint32_t i = 0; i < driver_count && i < MOST_DRIVERS && status == CF_OK; i++)
        status = devices_of(api, drivers[i], ret_all, ret_count, err);
    if (status == CF_OK && *ret_count == 0)
        return cf_error_set(err, CF_NO_DEVICE, "the Level Zero driver is there and has no GPU");
    return status;
}

static cf_status find_groups(cf_ze *ze, cf_error *err)
{
    cf_ze_group_properties groups[MOST_GROUPS];
    uint32_t count = MOST_GROUPS;
    for (int i = 0; i < MOST_GROUPS; i++)
        groups[i] = (cf_ze_group_properties){.type = CF_ZE_TYPE_GROUP_PROPERTIES};
    ze->ordinals[CF_ZE_COMPUTE] = ze->ordinals[CF_ZE_COPY] = -1;
    cf_status status =
        CF_ZE_TRY(err, "zeDeviceGetCommandQueueGroupProperties", ze->api.device_groups(ze->device, &count, groups));
    for (uint32_t i = 0; i < count && i < MOST_GROUPS && status == CF_OK; i++) {
        cf_ze_engine engine = groups[i].flags & CF_ZE_GROUP_COMPUTE ? CF_ZE_COMPUTE : CF_ZE_COPY;
        if (!(groups[i].flags & (CF_ZE_GROUP_COMPUTE | CF_ZE_GROUP_COPY)) || ze->ordinals[engine] >= 0)
            continue;
        ze->ordinals[engine] = (int)i;
        ze->groups[engine] = groups[i];
    }
    if (status == CF_OK && ze->ordinals[CF_ZE_COMPUTE] < 0)
        return cf_error_set(err, CF_UNSUPPORTED, "%s has no queues that compute", ze->name);
    return status;
}

/* The version as the driver tells it in words, else the number of its properties. */
static cf_status describe_driver(cf_ze *ze, cf_error *err)
{
    cf_ze_driver_properties properties = {.type = CF_ZE_TYPE_DRIVER_PROPERTIES};
    cf_status status = CF_ZE_TRY(err, "zeDriverGetProperties", ze->api.driver_properties(ze->driver, &properties));
    if (status != CF_OK)
        return status;
    uint32_t v = properties.version;
    snprintf(ze->version, sizeof ze->version, "%u.%u.%u", v >> 24, v >> 16 & 0xffu, v & 0xffffu);
    if (ze->emulated != NULL)
        snprintf(ze->driver_text, sizeof ze->driver_text, "Intel driver %s on an emulated GPU", ze->version);
    else
        snprintf(ze->driver_text, sizeof ze->driver_text, "%s", ze->version);
    return CF_OK;
}

static cf_status describe_device(cf_ze *ze, cf_error *err)
{
    ze->properties = (cf_ze_device_properties){.type = CF_ZE_TYPE_DEVICE_PROPERTIES};
    cf_status status = CF_ZE_TRY(err, "zeDeviceGetProperties", ze->api.device_properties(ze->device, &ze->properties));
    if (status != CF_OK)
        return status;
    const cf_ze_device_properties *p = &ze->properties;
    snprintf(ze->name, sizeof ze->name, "%.*s", (int)(sizeof ze->name - 1), p->name);
    uint64_t items = (uint64_t)p->slices * p->subslices_per_slice * p->eus_per_subslice * p->threads_per_eu *
                     (p->simd_width > 0 ? p->simd_width : 1);
    ze->full = items > CF_ZE_GROUP_ITEMS ? (uint32_t)(items / CF_ZE_GROUP_ITEMS) : 1;
    return find_groups(ze, err);
}

static cf_status take(cf_ze *ze, const found *f, cf_error *err)
{
    ze->driver = f->driver;
    ze->device = f->device;
    ze->emulated = cf_emulated_find();
    cf_status status = describe_driver(ze, err);
    if (status == CF_OK)
        status = cf_ze_driver_find(ze, err);
    return status == CF_OK ? describe_device(ze, err) : status;
}

static void engines_text(const cf_ze *ze, char *text, size_t text_bytes)
{
    const cf_ze_group_properties *g = ze->groups;
    if (ze->ordinals[CF_ZE_COPY] < 0)
        snprintf(text, text_bytes, "%u compute queue%s, no queue for copies alone", g[CF_ZE_COMPUTE].queues,
                 g[CF_ZE_COMPUTE].queues == 1 ? "" : "s");
    else
        snprintf(text, text_bytes, "%u compute queue%s, %u copy queue%s", g[CF_ZE_COMPUTE].queues,
                 g[CF_ZE_COMPUTE].queues == 1 ? "" : "s", g[CF_ZE_COPY].queues, g[CF_ZE_COPY].queues == 1 ? "" : "s");
}

static cf_status list(cf_device_lister *lister, void *user, cf_error *err)
{
    found all[MOST_DEVICES];
    size_t count = 0;
    cf_ze ze = {0};
    cf_status status = cf_ze_api_open(&ze.api, err);
    if (status != CF_OK)
        return status;
    status = find_devices(&ze.api, all, &count, err);
    for (size_t i = 0; i < count && status == CF_OK; i++) {
        char engines[96];
        status = take(&ze, &all[i], err);
        if (status != CF_OK)
            break;
        engines_text(&ze, engines, sizeof engines);
        /* Of another kind than real ones, so that nobody gets it who did not name it. */
        lister(user, &(cf_device_listing){.index = (int)i,
                                          .name = ze.name,
                                          .driver = ze.driver_text,
                                          .kind = ze.emulated != NULL ? "emulated" : "gpu",
                                          .engines = engines,
                                          .memory = "pinned pageable"});
    }
    cf_ze_api_close(&ze.api);
    return status;
}

/* ---- opening ---- */

static bool setting_is(const cf_device_config *config, const char *name, const char *value)
{
    const char *given = config->settings != NULL ? cf_pairs_get(config->settings, name) : NULL;
    return given != NULL && strcmp(given, value) == 0;
}

static cf_status read_settings(cf_ze *ze, const cf_device_config *config, cf_error *err)
{
    const char *streams = config->settings != NULL ? cf_pairs_get(config->settings, "streams") : NULL;
    int kind = streams != NULL ? cf_text_find(cf_ze_stream_names, streams) : CF_ZE_OFFLOAD;
    ze->stream_kind = kind >= 0 ? (cf_ze_stream_kind)kind : CF_ZE_OFFLOAD;
    ze->pageable = setting_is(config, "memory", "pageable");
    ze->plain_events = setting_is(config, "events", "pool");
    if (cf_level_zero_spirv_bytes == 0)
        return cf_error_set(err, CF_UNSUPPORTED,
                            "this program was built without spirv-as and spirv-val (Debian: spirv-tools), so the "
                            "device level-zero has no kernel; install them and build again");
    return CF_OK;
}

static cf_status find_device(cf_ze *ze, int index, cf_error *err)
{
    found all[MOST_DEVICES];
    size_t count = 0;
    cf_status status = find_devices(&ze->api, all, &count, err);
    if (status != CF_OK)
        return status;
    if (index < 0 || (size_t)index >= count)
        return cf_error_set(err, CF_NO_DEVICE, "there is no level-zero:%d; accepted: level-zero:0%s%.0zu", index,
                            count > 1 ? " to level-zero:" : "", count - 1);
    ze->index = index;
    status = take(ze, &all[index], err);
    if (status == CF_OK && ze->stream_kind >= CF_ZE_SPLIT && ze->ordinals[CF_ZE_COPY] < 0)
        return cf_error_set(err, CF_UNSUPPORTED,
                            "%s has no queue for copies alone; accepted here: [device] streams = offload, no-offload",
                            ze->name);
    return status;
}

static cf_status load_module(cf_ze *ze, cf_error *err)
{
    const cf_ze_module_desc desc = {.type = CF_ZE_TYPE_MODULE,
                                    .format = CF_ZE_FORMAT_SPIRV,
                                    .bytes = cf_level_zero_spirv_bytes,
                                    .input = (const uint8_t *)cf_level_zero_spirv};
    return CF_ZE_TRY(err, "zeModuleCreate", ze->api.module_create(ze->context, ze->device, &desc, &ze->module, NULL));
}

/* Transfers outside the clock go to the copy engine where there is one: an emulated device runs no kernel, and a copy
   on the compute engine is one. */
static cf_status make_side(cf_ze *ze, cf_error *err)
{
    int copy = ze->ordinals[CF_ZE_COPY];
    const cf_ze_queue_desc desc = {.type = CF_ZE_TYPE_QUEUE,
                                   .ordinal = (uint32_t)(copy >= 0 ? copy : ze->ordinals[CF_ZE_COMPUTE]),
                                   .mode = CF_ZE_MODE_SYNCHRONOUS};
    cf_status status = CF_ZE_TRY(err, "zeCommandListCreateImmediate",
                                 ze->api.list_immediate(ze->context, ze->device, &desc, &ze->side));
    void *stage = NULL;
    if (status == CF_OK)
        status = cf_ze_host_memory(ze, CF_ZE_STAGE_BYTES, &stage, err);
    ze->stage = stage;
    return status;
}

static cf_status make_context(cf_ze *ze, cf_error *err)
{
    const cf_ze_flags_desc desc = {.type = CF_ZE_TYPE_CONTEXT};
    cf_status status = CF_ZE_TRY(err, "zeContextCreate", ze->api.context_create(ze->driver, &desc, &ze->context));
    if (status == CF_OK)
        status = cf_ze_paths_try(ze, err);
    if (status == CF_OK)
        status = load_module(ze, err);
    return status == CF_OK ? make_side(ze, err) : status;
}

static cf_status open_level_zero(const cf_device_config *config, cf_device *device, cf_error *err)
{
    cf_ze *ze = calloc(1, sizeof *ze);
    if (ze == NULL)
        return no_memory(err);
    device->state = ze;
    ze->call_ns = CF_ZE_CALL_NS;
    cf_status status = cf_ze_api_open(&ze->api, err);
    if (status == CF_OK)
        status = read_settings(ze, config, err);
    if (status == CF_OK)
        status = find_device(ze, config->index, err);
    if (status == CF_OK)
        status = cf_ze_paths_find(ze, err);
    return status == CF_OK ? make_context(ze, err) : status;
}

/* Every call's failure is passed over: a device that is lost fails them all, and nobody is left to tell. */
static void close_level_zero(cf_device *device)
{
    cf_ze *ze = device->state;
    if (ze == NULL)
        return;
    if (ze->context != NULL)
        (void)cf_level_zero_wait(device, NULL, CF_WAIT_BLOCK, NULL);
    cf_ze_streams_done(ze);
    cf_ze_events_done(ze);
    if (ze->side != NULL)
        (void)ze->api.list_destroy(ze->side);
    if (ze->stage != NULL)
        (void)ze->api.memory_free(ze->context, ze->stage);
    if (ze->module != NULL)
        (void)ze->api.module_destroy(ze->module);
    if (ze->context != NULL)
        (void)ze->api.context_destroy(ze->context);
    free(ze->notes.items);
    cf_ze_api_close(&ze->api);
    free(ze);
    device->state = NULL;
}

/* Without the offload a copy is a kernel, and kernels are not computed on the emulated device. */
static bool moves(const cf_ze *ze)
{
    return ze->emulated == NULL || ze->stream_kind != CF_ZE_NO_OFFLOAD;
}

static void info(const cf_device *device, cf_device_info *ret_info)
{
    const cf_ze *ze = device->state;
    *ret_info = (cf_device_info){.backend = "level-zero",
                                 .simulated = ze->emulated != NULL || ze->api.simulated != NULL,
                                 .computes = ze->emulated == NULL,
                                 .moves = moves(ze),
                                 .copy_unit = CF_UNIT_BYTES,
                                 .kernel_unit = CF_UNIT_TRIPS,
                                 .copy_start = UINT64_C(8) << 20,
                                 .kernel_start = 10000,
                                 .step_target_ns = STEP_TARGET_NS,
                                 .clock_name = "CLOCK_MONOTONIC",
                                 .sync_on_operations = true,
                                 .stamped_events = true};
    snprintf(ret_info->name, sizeof ret_info->name, "%s", ze->name);
    snprintf(ret_info->driver, sizeof ret_info->driver, "%s", ze->driver_text);
}

static uint64_t blocked_ns(cf_device *device)
{
    return ((const cf_ze *)device->state)->blocked_ns;
}

static uint64_t late_ns(cf_device *device)
{
    const cf_emulated *emulated = ((const cf_ze *)device->state)->emulated;
    return emulated != NULL ? emulated->late_ns() : UINT64_MAX;
}

const cf_dl *cf_level_zero_loader(const cf_device *device)
{
    return ((const cf_ze *)device->state)->api.dl;
}

const cf_device_ops cf_device_level_zero = {.name = "level-zero",
                                            .about = "an Intel GPU, through the installed Level Zero loader",
                                            .open = open_level_zero,
                                            .close = close_level_zero,
                                            .info = info,
                                            .stream_open = cf_level_zero_stream_open,
                                            .stream_close = cf_level_zero_stream_close,
                                            .block_new = cf_level_zero_block_new,
                                            .block_free = cf_level_zero_block_free,
                                            .block_write = cf_level_zero_block_write,
                                            .block_read = cf_level_zero_block_read,
                                            .submit = cf_level_zero_submit,
                                            .wait = cf_level_zero_wait,
                                            .event_new = cf_level_zero_event_new,
                                            .event_free = cf_level_zero_event_free,
                                            .record = cf_level_zero_record,
                                            .event_read = cf_level_zero_event_read,
                                            .blocked_ns = blocked_ns,
                                            .late_ns = late_ns,
                                            .step_begin = cf_level_zero_step_begin,
                                            .settings = settings,
                                            .list = list,
                                            .facts = cf_level_zero_facts,
                                            .spans = cf_level_zero_spans};
