/* Drivers, devices, memory, modules, events. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stub.h"

#define MOST_DEVICES 4

_Atomic long stub_alive, stub_appended;
_Atomic uint32_t stub_groups;
static char driver_object, context_object, device_objects[MOST_DEVICES];
static char wrapped_object;

bool stub_word(const char *word)
{
    const char *text = getenv("CONFOUND_STUB_ZE");
    size_t length = strlen(word);
    for (const char *at = text; at != NULL && (at = strstr(at, word)) != NULL; at += length)
        if ((at == text || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    return false;
}

uint32_t stub_number(const char *name, uint32_t otherwise)
{
    const char *text = getenv("CONFOUND_STUB_ZE");
    const char *at = text != NULL ? strstr(text, name) : NULL;
    return at != NULL ? (uint32_t)strtoul(at + strlen(name), NULL, 10) : otherwise;
}

static uint32_t api_version(void)
{
    const char *text = getenv("CONFOUND_STUB_ZE");
    const char *at = text != NULL ? strstr(text, "api=1.") : NULL;
    return CF_ZE_VERSION(1, at != NULL ? strtoul(at + 6, NULL, 10) : 17);
}

/* By these a test knows what happened, and the backend that no GPU stands behind what it measures. */
ENTRY cf_ze_result confound_stub_driver(void);
ENTRY cf_ze_result confound_stub_driver(void)
{
    return 0;
}
ENTRY long confound_stub_alive(void);
ENTRY long confound_stub_alive(void)
{
    return stub_alive;
}
ENTRY long confound_stub_groups(void);
ENTRY long confound_stub_groups(void)
{
    return (long)stub_groups;
}

ENTRY cf_ze_result zeInit(uint32_t flags)
{
    STUB_BEGIN("zeInit");
    (void)flags;
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeDriverGet(uint32_t *count, cf_ze_driver *drivers)
{
    STUB_BEGIN("zeDriverGet");
    if (*count > 0 && drivers != NULL)
        drivers[0] = (cf_ze_driver)(void *)&driver_object;
    *count = 1;
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeDriverGetApiVersion(cf_ze_driver driver, uint32_t *ret_version)
{
    STUB_BEGIN("zeDriverGetApiVersion");
    (void)driver;
    *ret_version = api_version();
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeDriverGetProperties(cf_ze_driver driver, cf_ze_driver_properties *ret)
{
    STUB_BEGIN("zeDriverGetProperties");
    (void)driver;
    ret->version = 0x01030007;
    return ret->type == CF_ZE_TYPE_DRIVER_PROPERTIES ? CF_ZE_SUCCESS : CF_ZE_INVALID_ARGUMENT;
}

ENTRY cf_ze_result zeDriverGetExtensionProperties(cf_ze_driver driver, uint32_t *count, cf_ze_extension *extensions)
{
    STUB_BEGIN("zeDriverGetExtensionProperties");
    (void)driver;
    const char *names[4] = {"ZE_extension_pci_properties", NULL};
    uint32_t found = 1;
    if (!stub_word("no-pools"))
        names[found++] = CF_ZE_EXTENSION_COUNTER_POOL;
    if (!stub_word("no-hint"))
        names[found++] = CF_ZE_EXTENSION_OFFLOAD_HINT;
    names[found++] = CF_ZE_EXTENSION_VERSION_TEXT;
    for (uint32_t i = 0; extensions != NULL && i < *count && i < found; i++)
        snprintf(extensions[i].name, sizeof extensions[i].name, "%s", names[i]);
    *count = found;
    return CF_ZE_SUCCESS;
}

static cf_ze_result version_text(cf_ze_driver driver, char *text, size_t *bytes)
{
    if ((void *)driver != (stub_word("wrapped") ? (void *)&wrapped_object : (void *)&driver_object))
        return STUB_INVALID_HANDLE;
    if (text != NULL && *bytes >= 7)
        memcpy(text, "1.3.7+1", 7); /* no NUL, as Intel's */
    *bytes = 7;
    return CF_ZE_SUCCESS;
}

static cf_ze_result make_event(bool stamped, bool counter, bool raw, cf_ze_event *ret_event)
{
    cf_ze_event event = calloc(1, sizeof *event);
    if (event == NULL)
        return STUB_OUT_OF_MEMORY;
    event->stamped = stamped;
    event->counter = counter;
    event->raw = raw;
    stub_alive++;
    *ret_event = event;
    return CF_ZE_SUCCESS;
}

static cf_ze_result make_counter(const cf_ze_event_desc *desc, uint32_t type, cf_ze_event *ret_event)
{
    if (desc->type != type || !(desc->index & CF_ZE_COUNTER_IMMEDIATE) || desc->signal != CF_ZE_SCOPE_HOST)
        return CF_ZE_INVALID_ARGUMENT;
    return make_event(desc->index & CF_ZE_COUNTER_TIMESTAMP, true, type == CF_ZE_TYPE_ZEX_COUNTER_EVENT, ret_event);
}

static cf_ze_result zex_create(cf_ze_context context, cf_ze_device device, const cf_ze_event_desc *desc,
                               cf_ze_event *ret_event)
{
    STUB_BEGIN("zexCounterBasedEventCreate2");
    (void)context;
    (void)device;
    cf_ze_result code = make_counter(desc, CF_ZE_TYPE_ZEX_COUNTER_EVENT, ret_event);
    if (code == CF_ZE_SUCCESS)
        (*ret_event)->raw = stub_word("wrapped");
    return code;
}

ENTRY cf_ze_result zeDriverGetExtensionFunctionAddress(cf_ze_driver driver, const char *name, void **ret_function)
{
    STUB_BEGIN("zeDriverGetExtensionFunctionAddress");
    (void)driver;
    cf_ze_result (*zex)(cf_ze_context, cf_ze_device, const cf_ze_event_desc *, cf_ze_event *) = zex_create;
    cf_ze_result (*text)(cf_ze_driver, char *, size_t *) = version_text;
    if (strcmp(name, "zexCounterBasedEventCreate2") == 0 && !stub_word("no-zex")) {
        memcpy(ret_function, &zex, sizeof zex);
        return CF_ZE_SUCCESS;
    }
    if (strcmp(name, "zeIntelGetDriverVersionString") == 0 || strcmp(name, "zexEventFuture") == 0) {
        memcpy(ret_function, &text, sizeof text);
        return CF_ZE_SUCCESS;
    }
    return CF_ZE_INVALID_ARGUMENT;
}

ENTRY cf_ze_result zelLoaderTranslateHandle(int kind, void *handle, void **ret_handle);
ENTRY cf_ze_result zelLoaderTranslateHandle(int kind, void *handle, void **ret_handle)
{
    STUB_BEGIN("zelLoaderTranslateHandle");
    (void)kind;
    *ret_handle = stub_word("wrapped") ? (void *)&wrapped_object : handle;
    return CF_ZE_SUCCESS;
}

/* ---- devices ---- */

ENTRY cf_ze_result zeDeviceGet(cf_ze_driver driver, uint32_t *count, cf_ze_device *devices)
{
    STUB_BEGIN("zeDeviceGet");
    (void)driver;
    uint32_t have = stub_number("gpus=", 1);
    have = have < MOST_DEVICES ? have : MOST_DEVICES;
    for (uint32_t i = 0; devices != NULL && i < have && i < *count; i++)
        devices[i] = (cf_ze_device)(void *)&device_objects[i];
    *count = have;
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeDeviceGetProperties(cf_ze_device device, cf_ze_device_properties *ret)
{
    STUB_BEGIN("zeDeviceGetProperties");
    int number = (int)((char *)(void *)device - device_objects);
    if (ret->type != CF_ZE_TYPE_DEVICE_PROPERTIES)
        return CF_ZE_INVALID_ARGUMENT;
    ret->device_type = stub_word("no-gpu") ? 2 : CF_ZE_DEVICE_TYPE_GPU;
    ret->vendor = 0x8086;
    ret->slices = ret->subslices_per_slice = 2;
    ret->eus_per_subslice = ret->threads_per_eu = 8;
    ret->simd_width = 16;
    ret->timer_hz = STUB_HZ;
    ret->timestamp_bits = 64;
    ret->kernel_timestamp_bits = STUB_KERNEL_BITS;
    snprintf(ret->name, sizeof ret->name, number == 0 ? "stub" : "stub %d", number);
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeDeviceGetCommandQueueGroupProperties(cf_ze_device device, uint32_t *count,
                                                          cf_ze_group_properties *groups)
{
    STUB_BEGIN("zeDeviceGetCommandQueueGroupProperties");
    (void)device;
    groups[0].flags = CF_ZE_GROUP_COMPUTE | CF_ZE_GROUP_COPY;
    groups[0].queues = 1;
    groups[1].flags = CF_ZE_GROUP_COPY;
    groups[1].queues = 2;
    *count = stub_word("no-copy") ? 1 : 2;
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeDeviceGetMemoryProperties(cf_ze_device device, uint32_t *count, cf_ze_memory_properties *memories)
{
    STUB_BEGIN("zeDeviceGetMemoryProperties");
    (void)device;
    memories[0].bytes = UINT64_C(1) << 30;
    *count = 1;
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeDevicePciGetPropertiesExt(cf_ze_device device, cf_ze_pci_properties *ret)
{
    STUB_BEGIN("zeDevicePciGetPropertiesExt");
    ret->bus = 3;
    ret->device = (uint32_t)((char *)(void *)device - device_objects);
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeContextCreate(cf_ze_driver driver, const cf_ze_flags_desc *desc, cf_ze_context *ret_context)
{
    STUB_BEGIN("zeContextCreate");
    (void)driver;
    if (desc->type != CF_ZE_TYPE_CONTEXT)
        return CF_ZE_INVALID_ARGUMENT;
    stub_stop(false);
    stub_alive++;
    *ret_context = (cf_ze_context)(void *)&context_object;
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeContextDestroy(cf_ze_context context)
{
    (void)context;
    STUB_END("zeContextDestroy", stub_alive--);
}

/* ---- memory ---- */

static cf_ze_result allocate(size_t bytes, void **ret_pointer)
{
    *ret_pointer = bytes > 0 ? aligned_alloc(4096, (bytes + 4095) / 4096 * 4096) : NULL;
    if (*ret_pointer == NULL)
        return STUB_OUT_OF_MEMORY;
    memset(*ret_pointer, 0xa5, bytes); /* nobody promised zeros */
    stub_alive++;
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeMemAllocDevice(cf_ze_context context, const cf_ze_device_memory_desc *desc, size_t bytes,
                                    size_t alignment, cf_ze_device device, void **ret_pointer)
{
    STUB_BEGIN("zeMemAllocDevice");
    (void)context;
    (void)alignment;
    (void)device;
    return desc->type == CF_ZE_TYPE_DEVICE_MEMORY ? allocate(bytes, ret_pointer) : CF_ZE_INVALID_ARGUMENT;
}

ENTRY cf_ze_result zeMemAllocHost(cf_ze_context context, const cf_ze_flags_desc *desc, size_t bytes, size_t alignment,
                                  void **ret_pointer)
{
    STUB_BEGIN("zeMemAllocHost");
    (void)context;
    (void)alignment;
    return desc->type == CF_ZE_TYPE_HOST_MEMORY ? allocate(bytes, ret_pointer) : CF_ZE_INVALID_ARGUMENT;
}

ENTRY cf_ze_result zeMemFree(cf_ze_context context, void *pointer)
{
    (void)context;
    STUB_END("zeMemFree", free(pointer), stub_alive--);
}

/* ---- modules ---- */

ENTRY cf_ze_result zeModuleCreate(cf_ze_context context, cf_ze_device device, const cf_ze_module_desc *desc,
                                  cf_ze_module *ret_module, cf_ze_log *ret_log)
{
    static const uint32_t magic = 0x07230203;
    STUB_BEGIN("zeModuleCreate");
    (void)context;
    (void)device;
    (void)ret_log;
    if (desc->type != CF_ZE_TYPE_MODULE || desc->format != CF_ZE_FORMAT_SPIRV || desc->bytes < 20 ||
        memcmp(desc->input, &magic, sizeof magic) != 0)
        return 0x70000004;
    stub_alive++;
    *ret_module = (cf_ze_module)(uintptr_t)desc->input;
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeModuleDestroy(cf_ze_module module)
{
    (void)module;
    STUB_END("zeModuleDestroy", stub_alive--);
}

ENTRY cf_ze_result zeKernelCreate(cf_ze_module module, const cf_ze_kernel_desc *desc, cf_ze_kernel *ret_kernel)
{
    STUB_BEGIN("zeKernelCreate");
    bool computes = strcmp(desc->name, "confound_kernel") == 0;
    if (module == NULL || (!computes && strcmp(desc->name, "confound_copy") != 0))
        return STUB_INVALID_NAME;
    cf_ze_kernel kernel = calloc(1, sizeof *kernel);
    if (kernel == NULL)
        return STUB_OUT_OF_MEMORY;
    kernel->computes = computes;
    stub_alive++;
    *ret_kernel = kernel;
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeKernelDestroy(cf_ze_kernel kernel)
{
    STUB_END("zeKernelDestroy", free(kernel), stub_alive--);
}

ENTRY cf_ze_result zeKernelSetGroupSize(cf_ze_kernel kernel, uint32_t x, uint32_t y, uint32_t z)
{
    STUB_BEGIN("zeKernelSetGroupSize");
    kernel->items = x * y * z;
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeKernelSetArgumentValue(cf_ze_kernel kernel, uint32_t index, size_t bytes, const void *value)
{
    STUB_BEGIN("zeKernelSetArgumentValue");
    if (index > 3 || bytes != 8)
        return CF_ZE_INVALID_ARGUMENT;
    memcpy(&kernel->arguments[index], value, bytes);
    return CF_ZE_SUCCESS;
}

/* ---- events ---- */

ENTRY cf_ze_result zeEventPoolCreate(cf_ze_context context, const cf_ze_pool_desc *desc, uint32_t device_count,
                                     cf_ze_device *devices, cf_ze_pool *ret_pool)
{
    STUB_BEGIN("zeEventPoolCreate");
    (void)context;
    (void)devices;
    const cf_ze_flags_desc *next = desc->next;
    bool counter = next != NULL && next->type == CF_ZE_TYPE_COUNTER_POOL;
    if (desc->type != CF_ZE_TYPE_POOL || desc->count == 0 || device_count != 1 ||
        !(desc->flags & CF_ZE_POOL_HOST_VISIBLE) || (counter && stub_word("no-pools")))
        return CF_ZE_INVALID_ARGUMENT;
    cf_ze_pool pool = calloc(1, sizeof *pool);
    if (pool == NULL)
        return STUB_OUT_OF_MEMORY;
    *pool = (struct cf_ze_pool_st){
        .count = desc->count, .stamped = desc->flags & CF_ZE_POOL_KERNEL_TIMESTAMP, .counter = counter};
    stub_alive++;
    *ret_pool = pool;
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeEventPoolDestroy(cf_ze_pool pool)
{
    STUB_END("zeEventPoolDestroy", free(pool), stub_alive--);
}

ENTRY cf_ze_result zeEventCreate(cf_ze_pool pool, const cf_ze_event_desc *desc, cf_ze_event *ret_event)
{
    STUB_BEGIN("zeEventCreate");
    if (desc->type != CF_ZE_TYPE_EVENT || desc->index >= pool->count)
        return CF_ZE_INVALID_ARGUMENT;
    return make_event(pool->stamped, pool->counter, false, ret_event);
}

ENTRY cf_ze_result zeEventDestroy(cf_ze_event event)
{
    STUB_END("zeEventDestroy", free(event), stub_alive--);
}

#ifndef STUB_OLD
ENTRY cf_ze_result zeEventCounterBasedCreate(cf_ze_context context, cf_ze_device device, const cf_ze_event_desc *desc,
                                             cf_ze_event *ret_event)
{
    STUB_BEGIN("zeEventCounterBasedCreate");
    (void)context;
    (void)device;
    if (stub_word("no-core"))
        return CF_ZE_UNSUPPORTED_FEATURE;
    return make_counter(desc, CF_ZE_TYPE_COUNTER_EVENT, ret_event);
}
#endif

ENTRY cf_ze_result zeEventHostReset(cf_ze_event event)
{
    STUB_BEGIN("zeEventHostReset");
    if (event->counter) /* the specification: not for events that count */
        return CF_ZE_INVALID_ARGUMENT;
    stub_event_clear(event);
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zeEventQueryStatus(cf_ze_event event)
{
    STUB_BEGIN("zeEventQueryStatus");
    return stub_event_is(event) ? CF_ZE_SUCCESS : CF_ZE_NOT_READY;
}

ENTRY cf_ze_result zeEventHostSynchronize(cf_ze_event event, uint64_t timeout_ns)
{
    STUB_BEGIN("zeEventHostSynchronize");
    return stub_event_wait(event, timeout_ns);
}

ENTRY cf_ze_result zeEventQueryKernelTimestamp(cf_ze_event event, cf_ze_kernel_stamps *ret_stamps)
{
    STUB_BEGIN("zeEventQueryKernelTimestamp");
    if (!event->stamped)
        return CF_ZE_INVALID_ARGUMENT;
    if (!stub_event_is(event))
        return CF_ZE_NOT_READY;
    uint64_t mask = (UINT64_C(1) << STUB_KERNEL_BITS) - 1;
    *ret_stamps = (cf_ze_kernel_stamps){event->begin & mask, event->end & mask, event->begin & mask, event->end & mask};
    return CF_ZE_SUCCESS;
}
