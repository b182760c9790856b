/* The part of the CUDA driver's interface that the preloaded library stands in front of, from its public documentation.
   Handles are pointers; a result is an int. */
#ifndef CF_INJECT_CUDA_API_H
#define CF_INJECT_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

#include "inject/inject.h"

#define CF_CU_SUCCESS         0
#define CF_CU_NOT_FOUND       500
#define CF_CU_NO_TIMING       2u /* CU_EVENT_DISABLE_TIMING */
#define CF_CU_INTERPROCESS    4u
#define CF_CU_EXTERNAL        1u /* CU_EVENT_RECORD_EXTERNAL, CU_EVENT_WAIT_EXTERNAL */
#define CF_CU_PER_THREAD      2u /* CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM */
#define CF_CU_NON_BLOCKING    1u
#define CF_CU_NODE_WAIT_EVENT 6
#define CF_CU_NODE_RECORD     7
#define CF_CU_LAUNCH_EVENT    7  /* CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT */
#define CF_CU_LAUNCH_COMPLETE 12 /* CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT */

typedef void *cf_cu_event;
typedef void *cf_cu_stream;
typedef void *cf_cu_handle; /* of something that is only handed on */

typedef struct cf_cu_node_params { /* CUgraphNodeParams, as far as it is read */
    int type, reserved[3];
    cf_cu_event event;
} cf_cu_node_params;

typedef struct cf_cu_launch_attribute { /* CUlaunchAttribute */
    int id, pad;
    cf_cu_event event;
    char rest[56];
} cf_cu_launch_attribute;
_Static_assert(sizeof(cf_cu_launch_attribute) == 72, "the driver's layout");

typedef struct cf_cu_launch { /* CUlaunchConfig */
    unsigned sizes[7];
    cf_cu_stream stream;
    cf_cu_launch_attribute *attributes;
    unsigned attribute_count;
} cf_cu_launch;

/* Hooks: exported name, name in cuGetProcAddress, the CUDA version from which that one means this one, whether it is
   the one for a default stream of each thread, parameters. */
#define CF_CUDA_HOOKS(X)                                                                                               \
    X(cuGetProcAddress, "cuGetProcAddress", 11030, 0, (const char *name, void **ret, int version, uint64_t flags))     \
    X(cuGetProcAddress_v2, "cuGetProcAddress", 12000, 0,                                                               \
      (const char *name, void **ret, int version, uint64_t flags, int *ret_status))                                    \
    X(cuEventCreate, "cuEventCreate", 2000, 0, (cf_cu_event * ret, unsigned flags))                                    \
    X(cuEventDestroy, "cuEventDestroy", 2000, 0, (cf_cu_event event))                                                  \
    X(cuEventDestroy_v2, "cuEventDestroy", 4000, 0, (cf_cu_event event))                                               \
    X(cuEventRecord, "cuEventRecord", 2000, 0, (cf_cu_event event, cf_cu_stream stream))                               \
    X(cuEventRecord_ptsz, "cuEventRecord", 7000, 1, (cf_cu_event event, cf_cu_stream stream))                          \
    X(cuEventRecordWithFlags, "cuEventRecordWithFlags", 11010, 0,                                                      \
      (cf_cu_event event, cf_cu_stream stream, unsigned flags))                                                        \
    X(cuEventRecordWithFlags_ptsz, "cuEventRecordWithFlags", 11010, 1,                                                 \
      (cf_cu_event event, cf_cu_stream stream, unsigned flags))                                                        \
    X(cuEventQuery, "cuEventQuery", 2000, 0, (cf_cu_event event))                                                      \
    X(cuEventSynchronize, "cuEventSynchronize", 2000, 0, (cf_cu_event event))                                          \
    X(cuEventElapsedTime, "cuEventElapsedTime", 2000, 0, (float *ret_ms, cf_cu_event begin, cf_cu_event end))          \
    X(cuEventElapsedTime_v2, "cuEventElapsedTime", 12080, 0, (float *ret_ms, cf_cu_event begin, cf_cu_event end))      \
    X(cuStreamWaitEvent, "cuStreamWaitEvent", 3020, 0, (cf_cu_stream stream, cf_cu_event event, unsigned flags))       \
    X(cuStreamWaitEvent_ptsz, "cuStreamWaitEvent", 7000, 1, (cf_cu_stream stream, cf_cu_event event, unsigned flags))  \
    X(cuCtxRecordEvent, "cuCtxRecordEvent", 12050, 0, (cf_cu_handle context, cf_cu_event event))                       \
    X(cuCtxWaitEvent, "cuCtxWaitEvent", 12050, 0, (cf_cu_handle context, cf_cu_event event))                           \
    X(cuGreenCtxRecordEvent, "cuGreenCtxRecordEvent", 12040, 0, (cf_cu_handle context, cf_cu_event event))             \
    X(cuGreenCtxWaitEvent, "cuGreenCtxWaitEvent", 12040, 0, (cf_cu_handle context, cf_cu_event event))                 \
    X(cuCtxSynchronize, "cuCtxSynchronize", 2000, 0, (void))                                                           \
    X(cuCtxSynchronize_v2, "cuCtxSynchronize", 13000, 0, (cf_cu_handle context))                                       \
    X(cuStreamSynchronize, "cuStreamSynchronize", 2000, 0, (cf_cu_stream stream))                                      \
    X(cuStreamSynchronize_ptsz, "cuStreamSynchronize", 7000, 1, (cf_cu_stream stream))                                 \
    X(cuMemcpyDtoH_v2, "cuMemcpyDtoH", 3020, 0, (void *to, uint64_t from, size_t bytes))                               \
    X(cuMemcpyDtoH_v2_ptds, "cuMemcpyDtoH", 7000, 1, (void *to, uint64_t from, size_t bytes))                          \
    X(cuStreamBeginCapture, "cuStreamBeginCapture", 10000, 0, (cf_cu_stream stream))                                   \
    X(cuStreamBeginCapture_ptsz, "cuStreamBeginCapture", 10000, 1, (cf_cu_stream stream))                              \
    X(cuStreamBeginCapture_v2, "cuStreamBeginCapture", 10010, 0, (cf_cu_stream stream, int mode))                      \
    X(cuStreamBeginCapture_v2_ptsz, "cuStreamBeginCapture", 10010, 1, (cf_cu_stream stream, int mode))                 \
    X(cuStreamBeginCaptureToGraph, "cuStreamBeginCaptureToGraph", 12030, 0,                                            \
      (cf_cu_stream stream, cf_cu_handle graph, const void *nodes, const void *edges, size_t count, int mode))         \
    X(cuStreamBeginCaptureToGraph_ptsz, "cuStreamBeginCaptureToGraph", 12030, 1,                                       \
      (cf_cu_stream stream, cf_cu_handle graph, const void *nodes, const void *edges, size_t count, int mode))         \
    X(cuStreamEndCapture, "cuStreamEndCapture", 10000, 0, (cf_cu_stream stream, void *ret_graph))                      \
    X(cuStreamEndCapture_ptsz, "cuStreamEndCapture", 10000, 1, (cf_cu_stream stream, void *ret_graph))                 \
    X(cuGraphAddEventRecordNode, "cuGraphAddEventRecordNode", 11010, 0,                                                \
      (void *ret_node, cf_cu_handle graph, const void *nodes, size_t count, cf_cu_event event))                        \
    X(cuGraphAddEventWaitNode, "cuGraphAddEventWaitNode", 11010, 0,                                                    \
      (void *ret_node, cf_cu_handle graph, const void *nodes, size_t count, cf_cu_event event))                        \
    X(cuGraphEventRecordNodeSetEvent, "cuGraphEventRecordNodeSetEvent", 11010, 0,                                      \
      (cf_cu_handle node, cf_cu_event event))                                                                          \
    X(cuGraphEventWaitNodeSetEvent, "cuGraphEventWaitNodeSetEvent", 11010, 0, (cf_cu_handle node, cf_cu_event event))  \
    X(cuGraphExecEventRecordNodeSetEvent, "cuGraphExecEventRecordNodeSetEvent", 11010, 0,                              \
      (cf_cu_handle graph, cf_cu_handle node, cf_cu_event event))                                                      \
    X(cuGraphExecEventWaitNodeSetEvent, "cuGraphExecEventWaitNodeSetEvent", 11010, 0,                                  \
      (cf_cu_handle graph, cf_cu_handle node, cf_cu_event event))                                                      \
    X(cuGraphAddNode, "cuGraphAddNode", 12020, 0,                                                                      \
      (void *ret_node, cf_cu_handle graph, const void *nodes, size_t count, cf_cu_node_params *parameters))            \
    X(cuGraphAddNode_v2, "cuGraphAddNode", 12030, 0,                                                                   \
      (void *ret_node, cf_cu_handle graph, const void *nodes, const void *edges, size_t count,                         \
       cf_cu_node_params *parameters))                                                                                 \
    X(cuGraphNodeSetParams, "cuGraphNodeSetParams", 12020, 0, (cf_cu_handle node, cf_cu_node_params * parameters))     \
    X(cuGraphExecNodeSetParams, "cuGraphExecNodeSetParams", 12020, 0,                                                  \
      (cf_cu_handle graph, cf_cu_handle node, cf_cu_node_params * parameters))                                         \
    X(cuLaunchKernelEx, "cuLaunchKernelEx", 11060, 0,                                                                  \
      (const cf_cu_launch *launch, cf_cu_handle function, void **parameters, void **extra))                            \
    X(cuLaunchKernelEx_ptsz, "cuLaunchKernelEx", 11060, 1,                                                             \
      (const cf_cu_launch *launch, cf_cu_handle function, void **parameters, void **extra))                            \
    X(cuCtxDestroy, "cuCtxDestroy", 2000, 0, (cf_cu_handle context))                                                   \
    X(cuCtxDestroy_v2, "cuCtxDestroy", 4000, 0, (cf_cu_handle context))                                                \
    X(cuDevicePrimaryCtxReset, "cuDevicePrimaryCtxReset", 7000, 0, (int device))                                       \
    X(cuDevicePrimaryCtxReset_v2, "cuDevicePrimaryCtxReset", 11000, 0, (int device))                                   \
    X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease", 7000, 0, (int device))                                   \
    X(cuDevicePrimaryCtxRelease_v2, "cuDevicePrimaryCtxRelease", 11000, 0, (int device))

/* Functions of the driver that are called and not stood in front of. */
#define CF_CUDA_USED(X)                                                                                                \
    X(cuCtxGetDevice, (int *ret))                                                                                      \
    X(cuDeviceGetName, (char *name, int bytes, int device))                                                            \
    X(cuDriverGetVersion, (int *ret))                                                                                  \
    X(cuCtxGetCurrent, (cf_cu_handle * ret))                                                                           \
    X(cuStreamCreate, (cf_cu_stream * ret, unsigned flags))                                                            \
    X(cuStreamDestroy_v2, (cf_cu_stream stream))

enum {
#define X(name, asked, version, per_thread, parameters) CF_HOOK_##name,
    CF_CUDA_HOOKS(X)
#undef X
#define X(name, parameters) CF_HOOK_##name,
        CF_CUDA_USED(X)
#undef X
            CF_HOOK_COUNT
};

#define X(name, asked, version, per_thread, parameters) CF_INJECT_EXPORT int name parameters;
CF_CUDA_HOOKS(X)
#undef X

/* The driver's own function; where there is none, one that says CF_CU_NOT_FOUND. */
extern cf_inject_function cf_cuda_nexts[CF_HOOK_COUNT]; /* NULL: not looked up yet */
cf_inject_function cf_cuda_next_found(int hook);
static inline cf_inject_function cf_cuda_next(int hook)
{
    cf_inject_function next = __atomic_load_n(&cf_cuda_nexts[hook], __ATOMIC_ACQUIRE);
    return __builtin_expect(next != NULL, 1) ? next : cf_cuda_next_found(hook);
}
#define CF_CUDA_NEXT(name)     ((__typeof__(&name))cf_cuda_next(CF_HOOK_##name))
#define CF_CUDA_USE(name, ...) ((int(*) __VA_ARGS__)cf_cuda_next(CF_HOOK_##name))
/* What the driver answered to cuGetProcAddress, or our hook in its place. */
void *cf_cuda_hook_of(const char *asked, void *found, int version, uint64_t flags);

#endif
