/* The part of the CUDA driver's interface that is used here, written from its public documentation, so that no toolkit
   is needed to build; libcuda.so.1 is loaded at run time. Types are the driver's ABI: handles are pointers, a device
   pointer is 64 bits wide, and a result is an int. */
#ifndef CF_DEVICE_CUDA_DRIVER_H
#define CF_DEVICE_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/dl.h"
#include "base/error.h"

typedef int cf_cu_result;
typedef int cf_cu_device;
typedef uint64_t cf_cu_pointer;
typedef struct cf_cu_context_st *cf_cu_context;
typedef struct cf_cu_stream_st *cf_cu_stream;
typedef struct cf_cu_event_st *cf_cu_event;
typedef struct cf_cu_module_st *cf_cu_module;
typedef struct cf_cu_function_st *cf_cu_function;

#define CF_CU_SUCCESS              0
#define CF_CU_ERROR_NO_DEVICE      100
#define CF_CU_ERROR_NOT_READY      600
#define CF_CU_CTX_BLOCKING_SYNC    0x04u
#define CF_CU_EVENT_DEFAULT        0x0u
#define CF_CU_EVENT_NO_TIMING      0x2u
#define CF_CU_HOST_PORTABLE        0x1u
#define CF_CU_HOST_DEVICEMAP       0x2u
#define CF_CU_STREAM_DEFAULT       0x0u
#define CF_CU_STREAM_NON_BLOCKING  0x1u
#define CF_CU_STREAM_LEGACY        ((cf_cu_stream)0x1) /* the default stream, by its own handle */
#define CF_CU_ACCESS_ORDER_STREAM  1                   /* CU_MEMCPY_SRC_ACCESS_ORDER_STREAM */
#define CF_CU_PREFER_OVERLAP       1u                  /* CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE */
#define CF_CU_ATTRIBUTE_SMS        16
#define CF_CU_ATTRIBUTE_PCI_BUS    33
#define CF_CU_ATTRIBUTE_PCI_DEVICE 34
#define CF_CU_ATTRIBUTE_ENGINES    40
#define CF_CU_ATTRIBUTE_PCI_DOMAIN 50
#define CF_CU_ATTRIBUTE_MAJOR      75
#define CF_CU_ATTRIBUTE_MINOR      76
#define CF_CU_ATTRIBUTE_HOST_NUMA  134 /* from driver 12.2 on */

typedef struct cf_cu_location {
    int type, id;
} cf_cu_location;

/* CUmemcpyAttributes: hints of place are for managed memory, and stay 0. */
typedef struct cf_cu_copy_attributes {
    int source_order;
    cf_cu_location source, destination;
    unsigned flags;
} cf_cu_copy_attributes;
_Static_assert(sizeof(cf_cu_copy_attributes) == 24, "the driver's layout");

/* field, names of one signature (newest first), optional, parameters. cuMemcpyBatchAsync changed its signature under
   one name of the documentation: 12.8 exports it plain, with a place for the index that failed, and 13.0 as _v2. */
#define CF_CUDA_API_TABLE(X)                                                                                           \
    X(init, "cuInit", false, (unsigned flags))                                                                         \
    X(driver_version, "cuDriverGetVersion", false, (int *ret_version))                                                 \
    X(error_name, "cuGetErrorName", false, (cf_cu_result code, const char **ret_name))                                 \
    X(error_string, "cuGetErrorString", false, (cf_cu_result code, const char **ret_text))                             \
    X(device_count, "cuDeviceGetCount", false, (int *ret_count))                                                       \
    X(device_get, "cuDeviceGet", false, (cf_cu_device * ret_device, int ordinal))                                      \
    X(device_name, "cuDeviceGetName", false, (char *name, int name_bytes, cf_cu_device device))                        \
    X(device_attribute, "cuDeviceGetAttribute", false, (int *ret_value, int attribute, cf_cu_device device))           \
    X(device_memory, "cuDeviceTotalMem_v2", false, (size_t * ret_bytes, cf_cu_device device))                          \
    X(context_create, "cuCtxCreate_v2", false, (cf_cu_context * ret_context, unsigned flags, cf_cu_device device))     \
    X(context_destroy, "cuCtxDestroy_v2", false, (cf_cu_context context))                                              \
    X(context_set, "cuCtxSetCurrent", false, (cf_cu_context context))                                                  \
    X(context_wait, "cuCtxSynchronize", false, (void))                                                                 \
    X(context_priorities, "cuCtxGetStreamPriorityRange", false, (int *ret_least, int *ret_greatest))                   \
    X(module_load, "cuModuleLoadDataEx", false,                                                                        \
      (cf_cu_module * ret_module, const void *image, unsigned count, int *options, void **values))                     \
    X(module_unload, "cuModuleUnload", false, (cf_cu_module module))                                                   \
    X(module_function, "cuModuleGetFunction", false,                                                                   \
      (cf_cu_function * ret_function, cf_cu_module module, const char *name))                                          \
    X(blocks_per_sm, "cuOccupancyMaxActiveBlocksPerMultiprocessor", false,                                             \
      (int *ret_blocks, cf_cu_function function, int threads, size_t shared_bytes))                                    \
    X(memory_alloc, "cuMemAlloc_v2", false, (cf_cu_pointer * ret_pointer, size_t bytes))                               \
    X(memory_free, "cuMemFree_v2", false, (cf_cu_pointer pointer))                                                     \
    X(memory_set, "cuMemsetD8_v2", false, (cf_cu_pointer pointer, unsigned char value, size_t bytes))                  \
    X(host_alloc, "cuMemHostAlloc", false, (void **ret_pointer, size_t bytes, unsigned flags))                         \
    X(host_free, "cuMemFreeHost", false, (void *pointer))                                                              \
    X(host_mapped, "cuMemHostGetDevicePointer_v2", false, (cf_cu_pointer * ret_pointer, void *host, unsigned flags))   \
    X(write, "cuMemcpyHtoD_v2", false, (cf_cu_pointer to, const void *from, size_t bytes))                             \
    X(read, "cuMemcpyDtoH_v2", false, (void *to, cf_cu_pointer from, size_t bytes))                                    \
    X(h2d, "cuMemcpyHtoDAsync_v2", false, (cf_cu_pointer to, const void *from, size_t bytes, cf_cu_stream stream))     \
    X(d2h, "cuMemcpyDtoHAsync_v2", false, (void *to, cf_cu_pointer from, size_t bytes, cf_cu_stream stream))           \
    X(d2d, "cuMemcpyDtoDAsync_v2", false, (cf_cu_pointer to, cf_cu_pointer from, size_t bytes, cf_cu_stream stream))   \
    X(batch, "cuMemcpyBatchAsync_v2", true,                                                                            \
      (cf_cu_pointer * to, cf_cu_pointer * from, size_t * bytes, size_t count, cf_cu_copy_attributes * attributes,     \
       size_t * firsts, size_t attribute_count, cf_cu_stream stream))                                                  \
    X(batch_v1, "cuMemcpyBatchAsync", true,                                                                            \
      (cf_cu_pointer * to, cf_cu_pointer * from, size_t * bytes, size_t count, cf_cu_copy_attributes * attributes,     \
       size_t * firsts, size_t attribute_count, size_t * ret_failed, cf_cu_stream stream))                             \
    X(launch, "cuLaunchKernel", false,                                                                                 \
      (cf_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
       unsigned block_z, unsigned shared_bytes, cf_cu_stream stream, void **parameters, void **extra))                 \
    X(stream_create, "cuStreamCreateWithPriority", false, (cf_cu_stream * ret_stream, unsigned flags, int priority))   \
    X(stream_destroy, "cuStreamDestroy_v2", false, (cf_cu_stream stream))                                              \
    X(stream_wait, "cuStreamSynchronize", false, (cf_cu_stream stream))                                                \
    X(stream_query, "cuStreamQuery", false, (cf_cu_stream stream))                                                     \
    X(stream_wait_event, "cuStreamWaitEvent", false, (cf_cu_stream stream, cf_cu_event event, unsigned flags))         \
    X(event_create, "cuEventCreate", false, (cf_cu_event * ret_event, unsigned flags))                                 \
    X(event_destroy, "cuEventDestroy_v2", false, (cf_cu_event event))                                                  \
    X(event_record, "cuEventRecord", false, (cf_cu_event event, cf_cu_stream stream))                                  \
    X(event_query, "cuEventQuery", false, (cf_cu_event event))                                                         \
    X(event_wait, "cuEventSynchronize", false, (cf_cu_event event))                                                    \
    X(event_elapsed, "cuEventElapsedTime_v2 cuEventElapsedTime", false,                                                \
      (float *ret_ms, cf_cu_event begin, cf_cu_event end))                                                             \
    X(simulated, "confound_stub_driver", true, (void)) /* only a driver that stands in for one has it */

typedef struct cf_cuda_api {
#define X(field, names, optional, parameters) cf_cu_result(*field) parameters;
    CF_CUDA_API_TABLE(X)
#undef X
    cf_dl *dl;
    int version; /* 13000 = CUDA 13.0 */
} cf_cuda_api;

/* CONFOUND_CUDA_LIBRARY names another library in its stead. Loads the driver and initialises it. NO_DEVICE: no library,
   one that is too old, or cuInit failed: with the reason. Caller ends with cf_cuda_api_close. */
cf_status cf_cuda_api_open(cf_cuda_api *ret_api, cf_error *err) CF_MUST_CHECK;
void cf_cuda_api_close(cf_cuda_api *api); /* takes a zeroed one */
/* The error of a call that returned code: its name and what the driver says of it. Returns DEVICE. */
cf_status cf_cuda_failed(const cf_cuda_api *api, const char *call, cf_cu_result code, cf_error *err);

/* Makes a call, and its error where it fails. `call` is the name that the error carries. */
#define CF_CUDA_TRY(api, err, call, ...) cf_cuda_check((api), (call), (__VA_ARGS__), (err))
static inline cf_status cf_cuda_check(const cf_cuda_api *api, const char *call, cf_cu_result code, cf_error *err)
{
    return code == CF_CU_SUCCESS ? CF_OK : cf_cuda_failed(api, call, code, err);
}

#endif
