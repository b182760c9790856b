/* The part of OpenCL 1.2 that is used: types and values as the Khronos specification defines them, and a table of
   functions that is filled at run time from the installed loader. No header of a vendor is needed to build. */
#ifndef CF_DEVICE_OPENCL_API_H
#define CF_DEVICE_OPENCL_API_H

#include <stddef.h>
#include <stdint.h>

#include "base/dl.h"
#include "base/error.h"

typedef struct cl_platform_ *cl_platform;
typedef struct cl_device_ *cl_device;
typedef struct cl_context_ *cl_context;
typedef struct cl_queue_ *cl_queue;
typedef struct cl_mem_ *cl_mem;
typedef struct cl_program_ *cl_program;
typedef struct cl_kernel_ *cl_kernel;
typedef struct cl_event_ *cl_event;
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint32_t cl_bool;
typedef uint64_t cl_ulong;
typedef uint64_t cl_bits; /* cl_bitfield */

#define CL_SUCCESS                        0
#define CL_DEVICE_NOT_FOUND               (-1)
#define CL_PLATFORM_NOT_FOUND_KHR         (-1001)
#define CL_PROFILING_INFO_NOT_AVAILABLE   (-7)
#define CL_PLATFORM_NAME                  0x0902
#define CL_PLATFORM_VERSION               0x0901
#define CL_DEVICE_TYPE                    0x1000
#define CL_DEVICE_MAX_COMPUTE_UNITS       0x1002
#define CL_DEVICE_QUEUE_PROPERTIES        0x102A
#define CL_DEVICE_NAME                    0x102B
#define CL_DRIVER_VERSION                 0x102D
#define CL_DEVICE_VERSION                 0x102F
#define CL_DEVICE_HOST_UNIFIED_MEMORY     0x1035
#define CL_DEVICE_TYPE_CPU                ((cl_bits)1 << 1)
#define CL_DEVICE_TYPE_GPU                ((cl_bits)1 << 2)
#define CL_DEVICE_TYPE_ALL                ((cl_bits)0xFFFFFFFF)
#define CL_QUEUE_PROPERTIES               0x1093
#define CL_QUEUE_PROFILING_ENABLE         ((cl_bits)1 << 1)
#define CL_MEM_READ_WRITE                 ((cl_bits)1 << 0)
#define CL_MEM_ALLOC_HOST_PTR             ((cl_bits)1 << 4)
#define CL_MAP_READ                       ((cl_bits)1 << 0)
#define CL_MAP_WRITE                      ((cl_bits)1 << 1)
#define CL_EVENT_COMMAND_EXECUTION_STATUS 0x11D3
#define CL_COMPLETE                       0
#define CL_PROFILING_COMMAND_START        0x1282
#define CL_PROFILING_COMMAND_END          0x1283
#define CL_PROGRAM_BUILD_LOG              0x1183

/* name, result, parameters */
#define CF_CL_FUNCTIONS(X)                                                                                             \
    X(clGetPlatformIDs, cl_int, (cl_uint, cl_platform *, cl_uint *))                                                   \
    X(clGetPlatformInfo, cl_int, (cl_platform, cl_uint, size_t, void *, size_t *))                                     \
    X(clGetDeviceIDs, cl_int, (cl_platform, cl_bits, cl_uint, cl_device *, cl_uint *))                                 \
    X(clGetDeviceInfo, cl_int, (cl_device, cl_uint, size_t, void *, size_t *))                                         \
    X(clCreateContext, cl_context,                                                                                     \
      (const intptr_t *, cl_uint, const cl_device *, void (*)(const char *, const void *, size_t, void *), void *,     \
       cl_int *))                                                                                                      \
    X(clReleaseContext, cl_int, (cl_context))                                                                          \
    X(clCreateCommandQueue, cl_queue, (cl_context, cl_device, cl_bits, cl_int *))                                      \
    X(clReleaseCommandQueue, cl_int, (cl_queue))                                                                       \
    X(clGetCommandQueueInfo, cl_int, (cl_queue, cl_uint, size_t, void *, size_t *))                                    \
    X(clCreateBuffer, cl_mem, (cl_context, cl_bits, size_t, void *, cl_int *))                                         \
    X(clReleaseMemObject, cl_int, (cl_mem))                                                                            \
    X(clCreateProgramWithSource, cl_program, (cl_context, cl_uint, const char **, const size_t *, cl_int *))           \
    X(clBuildProgram, cl_int,                                                                                          \
      (cl_program, cl_uint, const cl_device *, const char *, void (*)(cl_program, void *), void *))                    \
    X(clGetProgramBuildInfo, cl_int, (cl_program, cl_device, cl_uint, size_t, void *, size_t *))                       \
    X(clReleaseProgram, cl_int, (cl_program))                                                                          \
    X(clCreateKernel, cl_kernel, (cl_program, const char *, cl_int *))                                                 \
    X(clReleaseKernel, cl_int, (cl_kernel))                                                                            \
    X(clSetKernelArg, cl_int, (cl_kernel, cl_uint, size_t, const void *))                                              \
    X(clEnqueueNDRangeKernel, cl_int,                                                                                  \
      (cl_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint, const cl_event *,        \
       cl_event *))                                                                                                    \
    X(clEnqueueWriteBuffer, cl_int,                                                                                    \
      (cl_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, const cl_event *, cl_event *))                \
    X(clEnqueueReadBuffer, cl_int,                                                                                     \
      (cl_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *))                      \
    X(clEnqueueCopyBuffer, cl_int,                                                                                     \
      (cl_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event *, cl_event *))                       \
    X(clEnqueueMapBuffer, void *,                                                                                      \
      (cl_queue, cl_mem, cl_bool, cl_bits, size_t, size_t, cl_uint, const cl_event *, cl_event *, cl_int *))           \
    X(clEnqueueUnmapMemObject, cl_int, (cl_queue, cl_mem, void *, cl_uint, const cl_event *, cl_event *))              \
    X(clEnqueueMarkerWithWaitList, cl_int, (cl_queue, cl_uint, const cl_event *, cl_event *))                          \
    X(clFlush, cl_int, (cl_queue))                                                                                     \
    X(clFinish, cl_int, (cl_queue))                                                                                    \
    X(clRetainEvent, cl_int, (cl_event))                                                                               \
    X(clReleaseEvent, cl_int, (cl_event))                                                                              \
    X(clGetEventInfo, cl_int, (cl_event, cl_uint, size_t, void *, size_t *))                                           \
    X(clGetEventProfilingInfo, cl_int, (cl_event, cl_uint, size_t, void *, size_t *))

typedef struct cf_cl {
#define X(name, result, parameters) result(*name) parameters;
    CF_CL_FUNCTIONS(X)
#undef X
} cf_cl;

/* Loads the loader: CONFOUND_OPENCL_LIBRARY, else libOpenCL.so.1. NO_DEVICE with what was tried. Caller closes ret_dl.
 */
cf_status cf_cl_load(cf_cl *ret_cl, cf_dl **ret_dl, cf_error *err) CF_MUST_CHECK;
const char *cf_cl_code_name(cl_int code); /* "CL_OUT_OF_RESOURCES"; "unknown code" where it is none */
/* OK for CL_SUCCESS; else DEVICE, naming the call, the code and its name. */
cf_status cf_cl_check(cl_int code, const char *call, cf_error *err) CF_MUST_CHECK;

#endif
