/* The part of Level Zero that is used here: types and values as its public specification and headers define them
   (oneapi-src/level-zero, include/ze_api.h; Intel's extensions: intel/compute-runtime, level_zero/include), so that no
   SDK is needed to build; libze_loader.so.1 is loaded at run time. It may be as old as 1.8.12, which knows version 1.4
   of the specification: what came later is optional here, and flags of later versions are given as bits. Handles are
   pointers, a result is an int, and every descriptor begins with its type and a pointer to the next one. */
#ifndef CF_DEVICE_LEVEL_ZERO_API_H
#define CF_DEVICE_LEVEL_ZERO_API_H

#include <stddef.h>
#include <stdint.h>

#include "base/dl.h"
#include "base/error.h"

typedef int cf_ze_result;
typedef struct cf_ze_driver_st *cf_ze_driver;
typedef struct cf_ze_device_st *cf_ze_device;
typedef struct cf_ze_context_st *cf_ze_context;
typedef struct cf_ze_queue_st *cf_ze_queue;
typedef struct cf_ze_list_st *cf_ze_list;
typedef struct cf_ze_pool_st *cf_ze_pool;
typedef struct cf_ze_event_st *cf_ze_event;
typedef struct cf_ze_module_st *cf_ze_module;
typedef struct cf_ze_kernel_st *cf_ze_kernel;
typedef struct cf_ze_log_st *cf_ze_log;

#define CF_ZE_SUCCESS             0
#define CF_ZE_NOT_READY           1
#define CF_ZE_UNINITIALIZED       0x78000001
#define CF_ZE_UNSUPPORTED_VERSION 0x78000002
#define CF_ZE_UNSUPPORTED_FEATURE 0x78000003
#define CF_ZE_INVALID_ARGUMENT    0x78000004

#define CF_ZE_VERSION(major, minor) (((uint32_t)(major) << 16) | (uint32_t)(minor))
#define CF_ZE_FOREVER               UINT64_MAX
#define CF_ZE_INIT_GPU_ONLY         1u
#define CF_ZE_DEVICE_TYPE_GPU       1
#define CF_ZE_GROUP_COMPUTE         1u
#define CF_ZE_GROUP_COPY            2u
#define CF_ZE_DEVICE_INTEGRATED     1u
#define CF_ZE_QUEUE_IN_ORDER        2u /* specification 1.7 */
#define CF_ZE_QUEUE_COPY_OFFLOAD    4u /* specification 1.14 */
#define CF_ZE_MODE_SYNCHRONOUS      1
#define CF_ZE_MODE_ASYNCHRONOUS     2
#define CF_ZE_FORMAT_SPIRV          0
#define CF_ZE_POOL_HOST_VISIBLE     1u
#define CF_ZE_POOL_KERNEL_TIMESTAMP 4u
#define CF_ZE_SCOPE_HOST            4u
#define CF_ZE_COUNTER_IMMEDIATE     1u
#define CF_ZE_COUNTER_HOST_VISIBLE  4u
#define CF_ZE_COUNTER_TIMESTAMP     16u
#define CF_ZE_HANDLE_DRIVER         0 /* zel_handle_type_t */
#define CF_ZE_HANDLE_DEVICE         1
#define CF_ZE_HANDLE_CONTEXT        2

#define CF_ZE_TYPE_DRIVER_PROPERTIES 0x1u
#define CF_ZE_TYPE_DEVICE_PROPERTIES 0x00020006u /* of 1.2: the timer's resolution is in cycles a second */
#define CF_ZE_TYPE_GROUP_PROPERTIES  0x6u
#define CF_ZE_TYPE_MEMORY_PROPERTIES 0x7u
#define CF_ZE_TYPE_CONTEXT           0xdu
#define CF_ZE_TYPE_QUEUE             0xeu
#define CF_ZE_TYPE_LIST              0xfu
#define CF_ZE_TYPE_POOL              0x10u
#define CF_ZE_TYPE_EVENT             0x11u
#define CF_ZE_TYPE_DEVICE_MEMORY     0x15u
#define CF_ZE_TYPE_HOST_MEMORY       0x16u
#define CF_ZE_TYPE_MODULE            0x1bu
#define CF_ZE_TYPE_KERNEL            0x1du
#define CF_ZE_TYPE_PCI               0x10008u
#define CF_ZE_TYPE_COUNTER_POOL      0x00020014u
#define CF_ZE_TYPE_COUNTER_EVENT     0x0002003au /* zeEventCounterBasedCreate */
#define CF_ZE_TYPE_OFFLOAD_HINT      0x0003001bu /* Intel's */
#define CF_ZE_TYPE_ZEX_COUNTER_EVENT 0x0003001cu /* Intel's: zexCounterBasedEventCreate2, else of the same shape */

#define CF_ZE_EXTENSION_COUNTER_POOL "ZE_experimental_event_pool_counter_based"
#define CF_ZE_EXTENSION_OFFLOAD_HINT "ZEX_intel_experimental_queue_copy_operations_offload_hint"
#define CF_ZE_EXTENSION_VERSION_TEXT "ZE_intel_get_driver_version_string"

#define CF_ZE_HEAD                                                                                                     \
    uint32_t type;                                                                                                     \
    const void *next

typedef struct cf_ze_driver_properties {
    CF_ZE_HEAD;
    uint8_t uuid[16];
    uint32_t version;
} cf_ze_driver_properties;

typedef struct cf_ze_extension {
    char name[256];
    uint32_t version;
} cf_ze_extension;

typedef struct cf_ze_device_properties {
    CF_ZE_HEAD;
    int device_type;
    uint32_t vendor, id, flags, subdevice, core_clock_mhz;
    uint64_t most_bytes;
    uint32_t contexts, most_priority, threads_per_eu, simd_width, eus_per_subslice, subslices_per_slice, slices;
    uint64_t timer_hz;
    uint32_t timestamp_bits, kernel_timestamp_bits;
    uint8_t uuid[16];
    char name[256];
} cf_ze_device_properties;
_Static_assert(sizeof(cf_ze_device_properties) == 368, "the loader's layout");

typedef struct cf_ze_group_properties {
    CF_ZE_HEAD;
    uint32_t flags;
    size_t pattern_bytes;
    uint32_t queues;
} cf_ze_group_properties;

typedef struct cf_ze_memory_properties {
    CF_ZE_HEAD;
    uint32_t flags, clock_mhz, bus_bits;
    uint64_t bytes;
    char name[256];
} cf_ze_memory_properties;

typedef struct cf_ze_pci_properties {
    CF_ZE_HEAD;
    uint32_t domain, bus, device, function;
    int32_t generation, width;
    int64_t bandwidth;
} cf_ze_pci_properties;

_Static_assert(sizeof(cf_ze_group_properties) == 40, "the loader's layout");
_Static_assert(sizeof(cf_ze_memory_properties) == 296, "the loader's layout");
_Static_assert(sizeof(cf_ze_pci_properties) == 48, "the loader's layout");

typedef struct cf_ze_flags_desc { /* contexts, host memory, counter-based pools, the offload hint: a word after the head
                                   */
    CF_ZE_HEAD;
    uint32_t flags;
} cf_ze_flags_desc;

typedef struct cf_ze_queue_desc {
    CF_ZE_HEAD;
    uint32_t ordinal, index, flags;
    int mode, priority;
} cf_ze_queue_desc;

typedef struct cf_ze_list_desc {
    CF_ZE_HEAD;
    uint32_t ordinal, flags;
} cf_ze_list_desc;

typedef struct cf_ze_pool_desc {
    CF_ZE_HEAD;
    uint32_t flags, count;
} cf_ze_pool_desc;

typedef struct cf_ze_event_desc { /* of a pool: index signal wait; counter-based: flags signal wait */
    CF_ZE_HEAD;
    uint32_t index, signal, wait;
} cf_ze_event_desc;

typedef struct cf_ze_device_memory_desc {
    CF_ZE_HEAD;
    uint32_t flags, ordinal;
} cf_ze_device_memory_desc;

typedef struct cf_ze_module_desc {
    CF_ZE_HEAD;
    int format;
    size_t bytes;
    const uint8_t *input;
    const char *options;
    const void *constants;
} cf_ze_module_desc;
_Static_assert(sizeof(cf_ze_module_desc) == 56, "the loader's layout");

typedef struct cf_ze_kernel_desc {
    CF_ZE_HEAD;
    uint32_t flags;
    const char *name;
} cf_ze_kernel_desc;

typedef struct cf_ze_groups {
    uint32_t x, y, z;
} cf_ze_groups;

typedef struct cf_ze_kernel_stamps {
    uint64_t global_begin, global_end, context_begin, context_end;
} cf_ze_kernel_stamps;

/* field, names of one signature, optional, parameters. What is optional is newer than loader 1.8.12, or an extension.
 */
#define CF_ZE_WAITS cf_ze_event signal, uint32_t wait_count, cf_ze_event *waits
#define CF_ZE_API_TABLE(X)                                                                                             \
    X(init, "zeInit", false, (uint32_t flags))                                                                         \
    X(driver_get, "zeDriverGet", false, (uint32_t * count, cf_ze_driver * drivers))                                    \
    X(driver_version, "zeDriverGetApiVersion", false, (cf_ze_driver driver, uint32_t * ret_version))                   \
    X(driver_properties, "zeDriverGetProperties", false, (cf_ze_driver driver, cf_ze_driver_properties * ret))         \
    X(driver_extensions, "zeDriverGetExtensionProperties", false,                                                      \
      (cf_ze_driver driver, uint32_t * count, cf_ze_extension * extensions))                                           \
    X(driver_function, "zeDriverGetExtensionFunctionAddress", false,                                                   \
      (cf_ze_driver driver, const char *name, void **ret_function))                                                    \
    X(device_get, "zeDeviceGet", false, (cf_ze_driver driver, uint32_t * count, cf_ze_device * devices))               \
    X(device_properties, "zeDeviceGetProperties", false, (cf_ze_device device, cf_ze_device_properties * ret))         \
    X(device_groups, "zeDeviceGetCommandQueueGroupProperties", false,                                                  \
      (cf_ze_device device, uint32_t * count, cf_ze_group_properties * groups))                                        \
    X(device_memory, "zeDeviceGetMemoryProperties", false,                                                             \
      (cf_ze_device device, uint32_t * count, cf_ze_memory_properties * memories))                                     \
    X(device_pci, "zeDevicePciGetPropertiesExt", true, (cf_ze_device device, cf_ze_pci_properties * ret))              \
    X(context_create, "zeContextCreate", false,                                                                        \
      (cf_ze_driver driver, const cf_ze_flags_desc *desc, cf_ze_context *ret_context))                                 \
    X(context_destroy, "zeContextDestroy", false, (cf_ze_context context))                                             \
    X(list_immediate, "zeCommandListCreateImmediate", false,                                                           \
      (cf_ze_context context, cf_ze_device device, const cf_ze_queue_desc *desc, cf_ze_list *ret_list))                \
    X(list_create, "zeCommandListCreate", false,                                                                       \
      (cf_ze_context context, cf_ze_device device, const cf_ze_list_desc *desc, cf_ze_list *ret_list))                 \
    X(list_close, "zeCommandListClose", false, (cf_ze_list list))                                                      \
    X(list_reset, "zeCommandListReset", false, (cf_ze_list list))                                                      \
    X(list_destroy, "zeCommandListDestroy", false, (cf_ze_list list))                                                  \
    X(list_wait, "zeCommandListHostSynchronize", true, (cf_ze_list list, uint64_t timeout_ns)) /* loader 1.10 */       \
    X(queue_create, "zeCommandQueueCreate", false,                                                                     \
      (cf_ze_context context, cf_ze_device device, const cf_ze_queue_desc *desc, cf_ze_queue *ret_queue))              \
    X(queue_destroy, "zeCommandQueueDestroy", false, (cf_ze_queue queue))                                              \
    X(queue_execute, "zeCommandQueueExecuteCommandLists", false,                                                       \
      (cf_ze_queue queue, uint32_t count, cf_ze_list * lists, void *fence))                                            \
    X(queue_wait, "zeCommandQueueSynchronize", false, (cf_ze_queue queue, uint64_t timeout_ns))                        \
    X(memory_device, "zeMemAllocDevice", false,                                                                        \
      (cf_ze_context context, const cf_ze_device_memory_desc *desc, size_t bytes, size_t alignment,                    \
       cf_ze_device device, void **ret_pointer))                                                                       \
    X(memory_host, "zeMemAllocHost", false,                                                                            \
      (cf_ze_context context, const cf_ze_flags_desc *desc, size_t bytes, size_t alignment, void **ret_pointer))       \
    X(memory_free, "zeMemFree", false, (cf_ze_context context, void *pointer))                                         \
    X(module_create, "zeModuleCreate", false,                                                                          \
      (cf_ze_context context, cf_ze_device device, const cf_ze_module_desc *desc, cf_ze_module *ret_module,            \
       cf_ze_log *ret_log))                                                                                            \
    X(module_destroy, "zeModuleDestroy", false, (cf_ze_module module))                                                 \
    X(kernel_create, "zeKernelCreate", false,                                                                          \
      (cf_ze_module module, const cf_ze_kernel_desc *desc, cf_ze_kernel *ret_kernel))                                  \
    X(kernel_destroy, "zeKernelDestroy", false, (cf_ze_kernel kernel))                                                 \
    X(kernel_group, "zeKernelSetGroupSize", false, (cf_ze_kernel kernel, uint32_t x, uint32_t y, uint32_t z))          \
    X(kernel_argument, "zeKernelSetArgumentValue", false,                                                              \
      (cf_ze_kernel kernel, uint32_t index, size_t bytes, const void *value))                                          \
    X(append_copy, "zeCommandListAppendMemoryCopy", false,                                                             \
      (cf_ze_list list, void *to, const void *from, size_t bytes, CF_ZE_WAITS))                                        \
    X(append_fill, "zeCommandListAppendMemoryFill", false,                                                             \
      (cf_ze_list list, void *at, const void *pattern, size_t pattern_bytes, size_t bytes, CF_ZE_WAITS))               \
    X(append_launch, "zeCommandListAppendLaunchKernel", false,                                                         \
      (cf_ze_list list, cf_ze_kernel kernel, const cf_ze_groups *groups, CF_ZE_WAITS))                                 \
    X(append_barrier, "zeCommandListAppendBarrier", false, (cf_ze_list list, CF_ZE_WAITS))                             \
    X(append_signal, "zeCommandListAppendSignalEvent", false, (cf_ze_list list, cf_ze_event event))                    \
    X(append_stamp, "zeCommandListAppendWriteGlobalTimestamp", false, (cf_ze_list list, uint64_t * at, CF_ZE_WAITS))   \
    X(pool_create, "zeEventPoolCreate", false,                                                                         \
      (cf_ze_context context, const cf_ze_pool_desc *desc, uint32_t device_count, cf_ze_device *devices,               \
       cf_ze_pool *ret_pool))                                                                                          \
    X(pool_destroy, "zeEventPoolDestroy", false, (cf_ze_pool pool))                                                    \
    X(event_create, "zeEventCreate", false, (cf_ze_pool pool, const cf_ze_event_desc *desc, cf_ze_event *ret_event))   \
    X(event_destroy, "zeEventDestroy", false, (cf_ze_event event))                                                     \
    X(event_counter, "zeEventCounterBasedCreate", true, /* loader 1.27 */                                              \
      (cf_ze_context context, cf_ze_device device, const cf_ze_event_desc *desc, cf_ze_event *ret_event))              \
    X(event_reset, "zeEventHostReset", false, (cf_ze_event event))                                                     \
    X(event_query, "zeEventQueryStatus", false, (cf_ze_event event))                                                   \
    X(event_wait, "zeEventHostSynchronize", false, (cf_ze_event event, uint64_t timeout_ns))                           \
    X(event_stamps, "zeEventQueryKernelTimestamp", false, (cf_ze_event event, cf_ze_kernel_stamps * ret_stamps))       \
    X(translate, "zelLoaderTranslateHandle", true, (int kind, void *handle, void **ret_handle))                        \
    X(simulated, "confound_stub_driver", true, (void)) /* only a driver that stands in for one has it */

typedef struct cf_ze_api {
#define X(field, names, optional, parameters) cf_ze_result(*field) parameters;
    CF_ZE_API_TABLE(X)
#undef X
    cf_dl *dl;
    char loader[32]; /* its version, "1.32.0"; "" = not told */
} cf_ze_api;

/* CONFOUND_ZE_LIBRARY names another library in the loader's stead. Loads it and starts the drivers. NO_DEVICE: no
   loader, one that is too old, no driver: with the reason. Caller ends with cf_ze_api_close. */
cf_status cf_ze_api_open(cf_ze_api *ret_api, cf_error *err) CF_MUST_CHECK;
void cf_ze_api_close(cf_ze_api *api);           /* takes a zeroed one */
const char *cf_ze_code_name(cf_ze_result code); /* "ZE_RESULT_ERROR_DEVICE_LOST"; "a code without a name" */
/* OK for CF_ZE_SUCCESS; else DEVICE, naming the call, the code and its name. */
cf_status cf_ze_check(const char *call, cf_ze_result code, cf_error *err) CF_MUST_CHECK;

/* Makes a call, and its error where it fails. */
#define CF_ZE_TRY(err, call, ...) cf_ze_check((call), (__VA_ARGS__), (err))

#endif
