/* What an OpenCL layer is to the loader, from the Khronos specification: a table of all functions in a fixed order,
   which the layer is given and answers with its own. Handles are pointers, a status is an int. */
#ifndef CF_INJECT_OPENCL_API_H
#define CF_INJECT_OPENCL_API_H

#include <stddef.h>
#include <stdint.h>

#include "inject/inject.h"

#define CF_CL_SUCCESS         0
#define CF_CL_NO_PROFILING    (-7) /* CL_PROFILING_INFO_NOT_AVAILABLE */
#define CF_CL_INVALID_VALUE   (-30)
#define CF_CL_OUT_OF_ORDER    ((uint64_t)1 << 0)
#define CF_CL_PROFILING       ((uint64_t)1 << 1)
#define CF_CL_ON_DEVICE       ((uint64_t)1 << 2)
#define CF_CL_QUEUE_PROPERTY  0x1093u /* CL_QUEUE_PROPERTIES */
#define CF_CL_EVENT_QUEUE     0x11D0u
#define CF_CL_EVENT_TYPE      0x11D1u
#define CF_CL_EVENT_STATUS    0x11D3u
#define CF_CL_PROFILING_FIRST 0x1280u /* queued, submit, start, end, complete */
#define CF_CL_PROFILING_COUNT 5u
#define CF_CL_DEVICE_TYPE     0x1000u
#define CF_CL_DEVICE_GPU      ((uint64_t)1 << 2)
#define CF_CL_DEVICE_NAME     0x102Bu
#define CF_CL_DEVICE_VENDOR   0x102Cu
#define CF_CL_DRIVER          0x102Du
#define CF_CL_LAYER_API       0x4240u
#define CF_CL_LAYER_NAME      0x4241u
#define CF_CL_LAYER_VERSION   100u

typedef void *cf_cl; /* any handle */
typedef unsigned cf_cl_uint;

/* In the order of the loader's table. */
/* clang-format off */
#define CF_CL_DISPATCH(X)                                                                                              \
    X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo) X(clCreateContext)                   \
    X(clCreateContextFromType) X(clRetainContext) X(clReleaseContext) X(clGetContextInfo) X(clCreateCommandQueue)      \
    X(clRetainCommandQueue) X(clReleaseCommandQueue) X(clGetCommandQueueInfo) X(clSetCommandQueueProperty)             \
    X(clCreateBuffer) X(clCreateImage2D) X(clCreateImage3D) X(clRetainMemObject) X(clReleaseMemObject)                 \
    X(clGetSupportedImageFormats) X(clGetMemObjectInfo) X(clGetImageInfo) X(clCreateSampler) X(clRetainSampler)        \
    X(clReleaseSampler) X(clGetSamplerInfo) X(clCreateProgramWithSource) X(clCreateProgramWithBinary)                  \
    X(clRetainProgram) X(clReleaseProgram) X(clBuildProgram) X(clUnloadCompiler) X(clGetProgramInfo)                   \
    X(clGetProgramBuildInfo) X(clCreateKernel) X(clCreateKernelsInProgram) X(clRetainKernel) X(clReleaseKernel)        \
    X(clSetKernelArg) X(clGetKernelInfo) X(clGetKernelWorkGroupInfo) X(clWaitForEvents) X(clGetEventInfo)              \
    X(clRetainEvent) X(clReleaseEvent) X(clGetEventProfilingInfo) X(clFlush) X(clFinish) X(clEnqueueReadBuffer)        \
    X(clEnqueueWriteBuffer) X(clEnqueueCopyBuffer) X(clEnqueueReadImage) X(clEnqueueWriteImage)                        \
    X(clEnqueueCopyImage) X(clEnqueueCopyImageToBuffer) X(clEnqueueCopyBufferToImage) X(clEnqueueMapBuffer)            \
    X(clEnqueueMapImage) X(clEnqueueUnmapMemObject) X(clEnqueueNDRangeKernel) X(clEnqueueTask)                         \
    X(clEnqueueNativeKernel) X(clEnqueueMarker) X(clEnqueueWaitForEvents) X(clEnqueueBarrier)                          \
    X(clGetExtensionFunctionAddress) X(clCreateFromGLBuffer) X(clCreateFromGLTexture2D) X(clCreateFromGLTexture3D)     \
    X(clCreateFromGLRenderbuffer) X(clGetGLObjectInfo) X(clGetGLTextureInfo) X(clEnqueueAcquireGLObjects)              \
    X(clEnqueueReleaseGLObjects) X(clGetGLContextInfoKHR) X(clGetDeviceIDsFromD3D10KHR)                                \
    X(clCreateFromD3D10BufferKHR) X(clCreateFromD3D10Texture2DKHR) X(clCreateFromD3D10Texture3DKHR)                    \
    X(clEnqueueAcquireD3D10ObjectsKHR) X(clEnqueueReleaseD3D10ObjectsKHR) X(clSetEventCallback)                        \
    X(clCreateSubBuffer) X(clSetMemObjectDestructorCallback) X(clCreateUserEvent) X(clSetUserEventStatus)              \
    X(clEnqueueReadBufferRect) X(clEnqueueWriteBufferRect) X(clEnqueueCopyBufferRect) X(clCreateSubDevicesEXT)         \
    X(clRetainDeviceEXT) X(clReleaseDeviceEXT) X(clCreateEventFromGLsyncKHR) X(clCreateSubDevices)                     \
    X(clRetainDevice) X(clReleaseDevice) X(clCreateImage) X(clCreateProgramWithBuiltInKernels) X(clCompileProgram)     \
    X(clLinkProgram) X(clUnloadPlatformCompiler) X(clGetKernelArgInfo) X(clEnqueueFillBuffer)                          \
    X(clEnqueueFillImage) X(clEnqueueMigrateMemObjects) X(clEnqueueMarkerWithWaitList)                                 \
    X(clEnqueueBarrierWithWaitList) X(clGetExtensionFunctionAddressForPlatform) X(clCreateFromGLTexture)               \
    X(clGetDeviceIDsFromD3D11KHR) X(clCreateFromD3D11BufferKHR) X(clCreateFromD3D11Texture2DKHR)                       \
    X(clCreateFromD3D11Texture3DKHR) X(clCreateFromDX9MediaSurfaceKHR) X(clEnqueueAcquireD3D11ObjectsKHR)              \
    X(clEnqueueReleaseD3D11ObjectsKHR) X(clGetDeviceIDsFromDX9MediaAdapterKHR)                                         \
    X(clEnqueueAcquireDX9MediaSurfacesKHR) X(clEnqueueReleaseDX9MediaSurfacesKHR) X(clCreateFromEGLImageKHR)           \
    X(clEnqueueAcquireEGLObjectsKHR) X(clEnqueueReleaseEGLObjectsKHR) X(clCreateEventFromEGLSyncKHR)                   \
    X(clCreateCommandQueueWithProperties) X(clCreatePipe) X(clGetPipeInfo) X(clSVMAlloc) X(clSVMFree)                  \
    X(clEnqueueSVMFree) X(clEnqueueSVMMemcpy) X(clEnqueueSVMMemFill) X(clEnqueueSVMMap) X(clEnqueueSVMUnmap)           \
    X(clCreateSamplerWithProperties) X(clSetKernelArgSVMPointer) X(clSetKernelExecInfo)                                \
    X(clGetKernelSubGroupInfoKHR) X(clCloneKernel) X(clCreateProgramWithIL) X(clEnqueueSVMMigrateMem)                  \
    X(clGetDeviceAndHostTimer) X(clGetHostTimer) X(clGetKernelSubGroupInfo) X(clSetDefaultDeviceCommandQueue)          \
    X(clSetProgramReleaseCallback) X(clSetProgramSpecializationConstant) X(clCreateBufferWithProperties)               \
    X(clCreateImageWithProperties) X(clSetContextDestructorCallback)
/* clang-format on */

typedef enum cf_cl_function {
#define X(name) CF_CL_##name,
    CF_CL_DISPATCH(X)
#undef X
        CF_CL_FUNCTION_COUNT
} cf_cl_function;

/* The table that comes after us, as the loader gave it. */
extern const cf_inject_function *cf_cl_next;
#define CF_CL_NEXT(name, type) ((type)cf_cl_next[CF_CL_##name])

#endif
