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

/* What a command's event says that it is. */
/* clang-format off */
#define CF_CL_COMMAND_TYPES(X) \
    X(NDRANGE_KERNEL, 0x11F0u) X(TASK, 0x11F1u) X(NATIVE_KERNEL, 0x11F2u) X(READ_BUFFER, 0x11F3u) \
    X(WRITE_BUFFER, 0x11F4u) X(COPY_BUFFER, 0x11F5u) X(READ_IMAGE, 0x11F6u) X(WRITE_IMAGE, 0x11F7u) \
    X(COPY_IMAGE, 0x11F8u) X(COPY_IMAGE_TO_BUFFER, 0x11F9u) X(COPY_BUFFER_TO_IMAGE, 0x11FAu) \
    X(MAP_BUFFER, 0x11FBu) X(MAP_IMAGE, 0x11FCu) X(UNMAP_MEM_OBJECT, 0x11FDu) X(MARKER, 0x11FEu) \
    X(ACQUIRE_GL_OBJECTS, 0x11FFu) X(RELEASE_GL_OBJECTS, 0x1200u) X(READ_BUFFER_RECT, 0x1201u) \
    X(WRITE_BUFFER_RECT, 0x1202u) X(COPY_BUFFER_RECT, 0x1203u) X(USER, 0x1204u) X(BARRIER, 0x1205u) \
    X(MIGRATE_MEM_OBJECTS, 0x1206u) X(FILL_BUFFER, 0x1207u) X(FILL_IMAGE, 0x1208u) X(SVM_FREE, 0x1209u) \
    X(SVM_MEMCPY, 0x120Au) X(SVM_MEMFILL, 0x120Bu) X(SVM_MAP, 0x120Cu) X(SVM_UNMAP, 0x120Du) \
    X(SVM_MIGRATE_MEM, 0x120Eu) X(ACQUIRE_EGL_OBJECTS_KHR, 0x202Du) X(RELEASE_EGL_OBJECTS_KHR, 0x202Eu)
/* clang-format on */
enum {
#define X(name, value) CF_CL_TYPE_##name = (value),
    CF_CL_COMMAND_TYPES(X)
#undef X
};

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
