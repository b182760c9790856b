/* Which of several ways is taken to get an order, an offload, an event and a wait, and what the record says of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/emulated.h"
#include "device/level_zero/state.h"

const char *const cf_ze_stream_names[] = {"offload", "no-offload", "split", "queues", NULL};

/* ---- what the driver offers ---- */

static void note_extension(cf_ze_paths *paths, const char *name)
{
    paths->counter_pools |= strcmp(name, CF_ZE_EXTENSION_COUNTER_POOL) == 0;
    paths->offload_hint |= strcmp(name, CF_ZE_EXTENSION_OFFLOAD_HINT) == 0;
    paths->version_text |= strcmp(name, CF_ZE_EXTENSION_VERSION_TEXT) == 0;
}

static cf_status read_extensions(cf_ze *ze, cf_error *err)
{
    uint32_t count = 0;
    cf_status status =
        CF_ZE_TRY(err, "zeDriverGetExtensionProperties", ze->api.driver_extensions(ze->driver, &count, NULL));
    if (status != CF_OK || count == 0)
        return status;
    cf_ze_extension *extensions = calloc(count, sizeof *extensions);
    if (extensions == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    status =
        CF_ZE_TRY(err, "zeDriverGetExtensionProperties", ze->api.driver_extensions(ze->driver, &count, extensions));
    for (uint32_t i = 0; i < count && status == CF_OK; i++)
        note_extension(&ze->paths, extensions[i].name);
    free(extensions);
    return status;
}

/* What the driver makes of a handle of the loader's: another one where the loader wraps them. */
static void *translated(const cf_ze *ze, int kind, void *handle)
{
    void *own = NULL;
    bool known = ze->api.translate != NULL && ze->api.translate(kind, handle, &own) == CF_ZE_SUCCESS;
    return known ? own : handle;
}

static void *function_of(const cf_ze *ze, const char *name)
{
    void *function = NULL;
    cf_ze_result code = ze->api.driver_function(ze->driver, name, &function);
    return code == CF_ZE_SUCCESS ? function : NULL;
}

/* The words of the driver's version where it has a function for them. It writes no NUL, and takes its own handle. */
static void read_version(cf_ze *ze)
{
    typedef cf_ze_result version_text(cf_ze_driver driver, char *text, size_t *bytes);
    version_text *ask = NULL;
    void *function = ze->paths.version_text ? function_of(ze, "zeIntelGetDriverVersionString") : NULL;
    cf_ze_driver driver = translated(ze, CF_ZE_HANDLE_DRIVER, ze->driver);
    char text[sizeof ze->version] = "";
    size_t bytes = 0;
    memcpy(&ask, &function, sizeof ask);
    if (ask == NULL || ask(driver, NULL, &bytes) != CF_ZE_SUCCESS || bytes == 0 || bytes >= sizeof text ||
        ask(driver, text, &bytes) != CF_ZE_SUCCESS)
        return;
    snprintf(ze->version, sizeof ze->version, "%s", text);
    if (ze->emulated != NULL)
        snprintf(ze->driver_text, sizeof ze->driver_text, "Intel driver %s on an emulated GPU", text);
    else
        snprintf(ze->driver_text, sizeof ze->driver_text, "%s", text);
}

/* The properties' number is another one, which no package and no tool of the vendor's shows. */
cf_status cf_ze_driver_find(cf_ze *ze, cf_error *err)
{
    ze->paths = (cf_ze_paths){0}; /* a list goes on with another driver's device */
    cf_status status = read_extensions(ze, err);
    if (status == CF_OK)
        read_version(ze);
    return status;
}

/* Lists in order came with 1.7 of the specification; Intel's drivers said 1.3 for years after they had them, and those
   that have them list the pools of counter-based events, which there are for such lists alone. */
cf_status cf_ze_paths_find(cf_ze *ze, cf_error *err)
{
    cf_ze_paths *paths = &ze->paths;
    cf_status status = CF_ZE_TRY(err, "zeDriverGetApiVersion", ze->api.driver_version(ze->driver, &paths->version));
    if (status != CF_OK)
        return status;
    bool in_order = paths->version >= CF_ZE_VERSION(1, 7) || paths->counter_pools;
    paths->order = in_order ? CF_ZE_ORDER_FLAG : CF_ZE_ORDER_BARRIER;
    paths->hint = CF_ZE_HINT_NONE;
    if (in_order && paths->offload_hint)
        paths->hint = CF_ZE_HINT_STRUCT;
    else if (in_order && paths->version >= CF_ZE_VERSION(1, 14))
        paths->hint = CF_ZE_HINT_FLAG;
    return CF_OK;
}

/* ---- what only a try tells ---- */

/* Intel's function is the driver's own: what it makes is a handle of the driver, which the loader takes only where it
   does not wrap handles (one driver, no layer). */
static void find_zex(cf_ze *ze)
{
    cf_ze_paths *paths = &ze->paths;
    void *function = function_of(ze, "zexCounterBasedEventCreate2");
    bool wrapped = translated(ze, CF_ZE_HANDLE_CONTEXT, ze->context) != (void *)ze->context ||
                   translated(ze, CF_ZE_HANDLE_DEVICE, ze->device) != (void *)ze->device;
    paths->zex_why = function == NULL ? "the driver has none" : wrapped ? "the loader wraps handles" : NULL;
    if (paths->zex_why == NULL)
        memcpy(&paths->zex, &function, sizeof paths->zex);
}

static bool is_no(cf_ze_result code)
{
    return code == CF_ZE_UNSUPPORTED_FEATURE || code == CF_ZE_UNSUPPORTED_VERSION || code == CF_ZE_UNINITIALIZED;
}

/* OK with *ret_has false: it is not offered. Another failure is one. */
static cf_status try_counter(cf_ze *ze, cf_ze_event_path path, const char *call, bool *ret_has, cf_error *err)
{
    cf_ze_event event = NULL;
    cf_ze_result code = cf_ze_event_counter(ze, path, false, &event);
    *ret_has = code == CF_ZE_SUCCESS;
    if (*ret_has)
        (void)ze->api.event_destroy(event);
    return is_no(code) ? CF_OK : CF_ZE_TRY(err, call, code);
}

/* Counter-based events count in lists that have an order of their own, and here in immediate ones. */
cf_status cf_ze_paths_try(cf_ze *ze, cf_error *err)
{
    cf_ze_paths *paths = &ze->paths;
    bool has = false;
    cf_status status = CF_OK;
    paths->event = CF_ZE_EVENT_PLAIN;
    find_zex(ze);
    if (paths->order == CF_ZE_ORDER_BARRIER || ze->stream_kind == CF_ZE_QUEUES || ze->plain_events)
        return CF_OK;
    if (ze->api.event_counter != NULL && paths->version >= CF_ZE_VERSION(1, 15))
        status = try_counter(ze, CF_ZE_EVENT_CORE, "zeEventCounterBasedCreate", &has, err);
    if (has)
        paths->event = CF_ZE_EVENT_CORE;
    if (status != CF_OK || has)
        return status;
    if (paths->zex != NULL)
        status = try_counter(ze, CF_ZE_EVENT_ZEX, "zexCounterBasedEventCreate2", &has, err);
    if (has)
        paths->event = CF_ZE_EVENT_ZEX;
    else if (paths->counter_pools)
        paths->event = CF_ZE_EVENT_POOL;
    return status;
}

bool cf_ze_counts(const cf_ze *ze)
{
    return ze->paths.event != CF_ZE_EVENT_PLAIN;
}

const char *cf_ze_event_path_name(const cf_ze *ze)
{
    switch (ze->paths.event) {
    case CF_ZE_EVENT_CORE:
        return "counter-based, by zeEventCounterBasedCreate";
    case CF_ZE_EVENT_ZEX:
        return "counter-based, by zexCounterBasedEventCreate2";
    case CF_ZE_EVENT_POOL:
        return "counter-based, by a pool with the counter-based descriptor";
    case CF_ZE_EVENT_PLAIN:
        break;
    }
    if (ze->plain_events)
        return "of a plain pool, as [device] events = pool says";
    if (ze->stream_kind == CF_ZE_QUEUES)
        return "of a plain pool: counter-based ones are for lists in order";
    return "of a plain pool: the driver offers no counter-based ones";
}

/* ---- what the record says ---- */

static cf_status add_device(const cf_ze *ze, cf_pairs *facts, cf_error *err)
{
    const cf_ze_device_properties *p = &ze->properties;
    cf_ze_pci_properties pci = {.type = CF_ZE_TYPE_PCI};
    cf_ze_memory_properties memory[8];
    uint32_t count = 8;
    for (int i = 0; i < 8; i++)
        memory[i] = (cf_ze_memory_properties){.type = CF_ZE_TYPE_MEMORY_PROPERTIES};
    cf_status status = CF_ZE_TRY(err, "zeDeviceGetMemoryProperties", ze->api.device_memory(ze->device, &count, memory));
    if (status == CF_OK && ze->api.device_pci != NULL && ze->api.device_pci(ze->device, &pci) == CF_ZE_SUCCESS)
        status =
            cf_pairs_add_format(facts, err, "pci", "%04x:%02x:%02x.%x", pci.domain, pci.bus, pci.device, pci.function);
    if (status == CF_OK)
        status = cf_pairs_add_format(facts, err, "device_id", "%04x:%04x", p->vendor, p->id);
    if (status == CF_OK)
        status = cf_pairs_add_format(facts, err, "execution_units", "%u",
                                     p->slices * p->subslices_per_slice * p->eus_per_subslice);
    if (status == CF_OK)
        status = cf_pairs_add_format(facts, err, "integrated", "%s", p->flags & CF_ZE_DEVICE_INTEGRATED ? "yes" : "no");
    if (status == CF_OK && count > 0)
        status = cf_pairs_add_format(facts, err, "memory_bytes", "%llu", (unsigned long long)memory[0].bytes);
    if (status == CF_OK)
        status = cf_pairs_add_format(facts, err, "compute_queues", "%u (ordinal %d)", ze->groups[CF_ZE_COMPUTE].queues,
                                     ze->ordinals[CF_ZE_COMPUTE]);
    if (status == CF_OK && ze->ordinals[CF_ZE_COPY] < 0)
        return cf_pairs_add_format(facts, err, "copy_queues", "none for copies alone");
    return status == CF_OK ? cf_pairs_add_format(facts, err, "copy_queues", "%u (ordinal %d)",
                                                 ze->groups[CF_ZE_COPY].queues, ze->ordinals[CF_ZE_COPY])
                           : status;
}

static const char *hint_text(const cf_ze *ze)
{
    if (ze->stream_kind == CF_ZE_NO_OFFLOAD)
        return "not asked for, as [device] streams says";
    switch (ze->paths.hint) {
    case CF_ZE_HINT_STRUCT:
        return "asked for by Intel's descriptor (0x0003001b); a hint: the driver does not tell whether it takes it";
    case CF_ZE_HINT_FLAG:
        return "asked for by the queue's flag; a hint: the driver does not tell whether it takes it";
    case CF_ZE_HINT_NONE:
        break;
    }
    return "not offered by this driver";
}

static const char *order_text(const cf_ze *ze)
{
    if (ze->stream_kind == CF_ZE_QUEUES)
        return "a barrier before each command of a regular queue";
    return ze->paths.order == CF_ZE_ORDER_FLAG ? "the list's in-order flag"
                                               : "a barrier before each command: the driver has no in-order lists";
}

static const char *wait_text(const cf_ze *ze)
{
    if (ze->stream_kind == CF_ZE_QUEUES)
        return "zeCommandQueueSynchronize";
    if (ze->emulated != NULL && ze->api.list_wait != NULL)
        return "zeCommandListHostSynchronize, asked again every 400 us: in a wait of its own the driver spins, and the "
               "emulated engines need the core";
    return ze->api.list_wait != NULL ? "zeCommandListHostSynchronize"
                                     : "an event at the list's end: the loader is older than 1.10";
}

static cf_status add_use(const cf_ze *ze, cf_pairs *facts, cf_error *err)
{
    const struct {
        const char *name, *value;
    } all[] = {
        {"loader", cf_dl_path(ze->api.dl)},
        {"loader_version", ze->api.loader[0] != '\0' ? ze->api.loader : "not told"},
        {"stream_kind", cf_ze_stream_names[ze->stream_kind]},
        {"host_memory", ze->pageable ? "pageable (malloc)" : "pinned (zeMemAllocHost)"},
        {"order_path", order_text(ze)},
        {"copy_offload", hint_text(ze)},
        {"event_path", cf_ze_event_path_name(ze)},
        {"wait_path", wait_text(ze)},
        {"batch_path", "a loop: Level Zero has no call for many blocks"},
    };
    cf_status status =
        cf_pairs_add_format(facts, err, "api_version", "%u.%u", ze->paths.version >> 16, ze->paths.version & 0xffffu);
    for (size_t i = 0; i < sizeof all / sizeof all[0] && status == CF_OK; i++)
        status = cf_pairs_add(facts, all[i].name, all[i].value, err);
    return status == CF_OK ? cf_pairs_add_format(facts, err, "kernel_groups_at_share_1", "%u", ze->full) : status;
}

cf_status cf_level_zero_facts(cf_device *device, cf_pairs *facts, cf_error *err)
{
    const cf_ze *ze = device->state;
    cf_status status = add_device(ze, facts, err);
    if (status == CF_OK)
        status = add_use(ze, facts, err);
    return status == CF_OK && ze->emulated != NULL ? cf_emulated_facts(ze->emulated, facts, err) : status;
}
