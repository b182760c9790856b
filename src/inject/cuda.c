/* The hooks of the CUDA driver's functions. Each calls the driver's own function once, with the event or its twin, and
   returns what that returned; what it doesn't know goes on as it came. */
#include <stdio.h>

#include "base/clock.h"
#include "inject/cuda_api.h"
#include "inject/pair.h"

#define FROM           __builtin_return_address(0)
#define NEVER_TIMED_MS 0.001f /* where nothing was: a program may divide by it */

static _Atomic int captures;  /* streams that are being captured */
static _Atomic float last_ms; /* of any two events */

/* ---- functions found by cuGetProcAddress ------------------------------------------------------------------------- */

int cuGetProcAddress(const char *name, void **ret, int version, uint64_t flags)
{
    int result = CF_CUDA_NEXT(cuGetProcAddress)(name, ret, version, flags);
    if (result == CF_CU_SUCCESS && ret)
        *ret = cf_cuda_hook_of(name, *ret, version, flags);
    return result;
}

int cuGetProcAddress_v2(const char *name, void **ret, int version, uint64_t flags, int *ret_status)
{
    int result = CF_CUDA_NEXT(cuGetProcAddress_v2)(name, ret, version, flags, ret_status);
    if (result == CF_CU_SUCCESS && ret)
        *ret = cf_cuda_hook_of(name, *ret, version, flags);
    return result;
}

/* ---- making and destroying --------------------------------------------------------------------------------------- */

/* Before the program knows of its event: no other call can be looking at the pair. */
static void make_twin(cf_pair *pair)
{
    void *twin = NULL;
    if (CF_CUDA_NEXT(cuEventCreate)(&twin, pair->flags ^ CF_CU_NO_TIMING) == CF_CU_SUCCESS)
        pair->twin = twin;
    else
        CF_INJECT_NOTE(no_twin);
}

int cuEventCreate(cf_cu_event *ret, unsigned flags)
{
    int result = CF_CUDA_NEXT(cuEventCreate)(ret, flags);
    if (result != CF_CU_SUCCESS || !cf_inject_begin())
        return result;
    void *context = NULL;
    bool may_turn = (flags & CF_CU_INTERPROCESS) == 0;
    cf_inject_seen(CF_INJECT_CUDA);
    CF_INJECT_COUNT(calls);
    CF_CUDA_USE(cuCtxGetCurrent, (void **))(&context);
    cf_pair *pair = cf_pair_add(*ret, context, flags, may_turn);
    if (!may_turn)
        CF_INJECT_NOTE(shared);
    else if (pair && !pair->twin)
        make_twin(pair);
    return result;
}

/* The pair goes before the event does: from then on the driver may give the handle to another thread's new event. */
static int destroy(cf_cu_event event, int (*next)(cf_cu_event))
{
    if (!cf_pair_of(event))
        return next(event);
    CF_INJECT_COUNT(calls);
    void *twin = cf_pair_remove(event);
    int result = next(event);
    if (twin)
        CF_CUDA_NEXT(cuEventDestroy_v2)(twin);
    return result;
}

int cuEventDestroy(cf_cu_event event)
{
    return destroy(event, CF_CUDA_NEXT(cuEventDestroy));
}

int cuEventDestroy_v2(cf_cu_event event)
{
    return destroy(event, CF_CUDA_NEXT(cuEventDestroy_v2));
}

int cuCtxDestroy(cf_cu_handle context)
{
    int result = CF_CUDA_NEXT(cuCtxDestroy)(context);
    if (result == CF_CU_SUCCESS)
        cf_pairs_forget(context);
    return result;
}

int cuCtxDestroy_v2(cf_cu_handle context)
{
    int result = CF_CUDA_NEXT(cuCtxDestroy_v2)(context);
    if (result == CF_CU_SUCCESS)
        cf_pairs_forget(context);
    return result;
}

#define RELEASE(name)                                                                                                  \
    int name(int device)                                                                                               \
    {                                                                                                                  \
        cf_pairs_forget(NULL); /* twins at rest alone: the context may go on */                                        \
        return CF_CUDA_NEXT(name)(device);                                                                             \
    }
RELEASE(cuDevicePrimaryCtxReset)
RELEASE(cuDevicePrimaryCtxReset_v2)
RELEASE(cuDevicePrimaryCtxRelease)
RELEASE(cuDevicePrimaryCtxRelease_v2)

/* ---- recording --------------------------------------------------------------------------------------------------- */

/* Own stands for the event from here on, also where its twin was recorded last: own then ends when the twin does. */
static void pin(cf_cu_event event)
{
    cf_pair *pair = cf_pair_of(event);
    if (!pair || atomic_exchange(&pair->pinned, true))
        return;
    CF_INJECT_NOTE(pinned);
    cf_cu_stream stream = NULL;
    if (!pair->twin || atomic_load(&pair->last) != pair->twin ||
        CF_CUDA_USE(cuStreamCreate, (void **, unsigned))(&stream, CF_CU_NON_BLOCKING) != CF_CU_SUCCESS)
        return;
    if (CF_CUDA_NEXT(cuStreamWaitEvent)(stream, pair->twin, 0) == CF_CU_SUCCESS &&
        CF_CUDA_NEXT(cuEventRecord)(pair->own, stream) == CF_CU_SUCCESS)
        atomic_store(&pair->last, pair->own);
    CF_CUDA_USE(cuStreamDestroy_v2, (void *))(stream);
}

typedef struct recording {
    cf_pair *pair; /* NULL: not an event that we know */
    void *event;   /* to be recorded */
    bool turns;    /* it can be toggled */
    bool looked_at;
    uint64_t begin_ns;
} recording;

/* What cannot be toggled is not counted among what is: the arms would not differ in it. */
static inline __attribute__((always_inline)) recording begin_record(cf_cu_event event)
{
    recording r = {.pair = cf_pair_of(event), .event = event};
    if (!r.pair)
        return r;
    r.looked_at = r.pair->timing && cf_inject_looking();
    if (r.looked_at)
        r.begin_ns = cf_clock_now_ns();
    if (__builtin_expect(atomic_load_explicit(&captures, memory_order_relaxed) > 0, 0)) {
        CF_INJECT_NOTE(captured);
        r.event = r.pair->own;
        return r;
    }
    r.event = cf_pair_pick(r.pair, &r.turns);
    return r;
}

static inline __attribute__((always_inline)) void end_record(const recording *r)
{
    if (!r->pair)
        return;
    atomic_store_explicit(&r->pair->last, r->event, memory_order_release);
    if (r->turns)
        CF_INJECT_COUNT(commands[r->pair->timing][r->event != r->pair->own]);
    else
        CF_INJECT_COUNT(calls);
    if (r->looked_at)
        cf_inject_site(cf_clock_now_ns() - r->begin_ns);
}

/* A twin that the driver refuses is no reason to fail: the program's own event gives the driver's answer. */
#define RECORD(event, call)                                                                                            \
    do {                                                                                                               \
        recording r = begin_record(event);                                                                             \
        int result = (call);                                                                                           \
        if (__builtin_expect(result != CF_CU_SUCCESS && r.pair && r.event != r.pair->own, 0)) {                        \
            CF_INJECT_NOTE(no_twin);                                                                                   \
            r.event = r.pair->own;                                                                                     \
            result = (call);                                                                                           \
        }                                                                                                              \
        if (result == CF_CU_SUCCESS)                                                                                   \
            end_record(&r);                                                                                            \
        else if (r.pair)                                                                                               \
            CF_INJECT_COUNT(calls);                                                                                    \
        return result;                                                                                                 \
    } while (0)

int cuEventRecord(cf_cu_event event, cf_cu_stream stream)
{
    RECORD(event, CF_CUDA_NEXT(cuEventRecord)(r.event, stream));
}

int cuEventRecord_ptsz(cf_cu_event event, cf_cu_stream stream)
{
    RECORD(event, CF_CUDA_NEXT(cuEventRecord_ptsz)(r.event, stream));
}

/* One that becomes a node of the graph that is being captured belongs to the graph. */
static void pin_captured(cf_cu_event event, unsigned flags)
{
    if ((flags & CF_CU_EXTERNAL) && atomic_load_explicit(&captures, memory_order_relaxed) > 0)
        pin(event);
}

int cuEventRecordWithFlags(cf_cu_event event, cf_cu_stream stream, unsigned flags)
{
    pin_captured(event, flags);
    RECORD(event, CF_CUDA_NEXT(cuEventRecordWithFlags)(r.event, stream, flags));
}

int cuEventRecordWithFlags_ptsz(cf_cu_event event, cf_cu_stream stream, unsigned flags)
{
    pin_captured(event, flags);
    RECORD(event, CF_CUDA_NEXT(cuEventRecordWithFlags_ptsz)(r.event, stream, flags));
}

int cuCtxRecordEvent(cf_cu_handle context, cf_cu_event event)
{
    RECORD(event, CF_CUDA_NEXT(cuCtxRecordEvent)(context, r.event));
}

int cuGreenCtxRecordEvent(cf_cu_handle context, cf_cu_event event)
{
    RECORD(event, CF_CUDA_NEXT(cuGreenCtxRecordEvent)(context, r.event));
}

void cf_cuda_describe(cf_wire *wire)
{
    int device = 0, version = 0;
    if (!wire->cuda || CF_CUDA_USE(cuCtxGetDevice, (int *))(&device) != CF_CU_SUCCESS)
        return;
    CF_CUDA_USE(cuDeviceGetName, (char *, int, int))(wire->device, (int)sizeof wire->device - 1, device);
    if (CF_CUDA_USE(cuDriverGetVersion, (int *))(&version) == CF_CU_SUCCESS)
        snprintf(wire->driver, sizeof wire->driver, "CUDA %d.%d", version / 1000, version % 1000 / 10);
}

/* ---- waiting and asking ------------------------------------------------------------------------------------------ */

static inline void *now_of(cf_cu_event event)
{
    cf_pair *pair = cf_pair_of(event);
    if (!pair)
        return event;
    CF_INJECT_COUNT(calls);
    return cf_pair_now(pair);
}

int cuStreamWaitEvent(cf_cu_stream stream, cf_cu_event event, unsigned flags)
{
    pin_captured(event, flags);
    return CF_CUDA_NEXT(cuStreamWaitEvent)(stream, now_of(event), flags);
}

int cuStreamWaitEvent_ptsz(cf_cu_stream stream, cf_cu_event event, unsigned flags)
{
    pin_captured(event, flags);
    return CF_CUDA_NEXT(cuStreamWaitEvent_ptsz)(stream, now_of(event), flags);
}

int cuCtxWaitEvent(cf_cu_handle context, cf_cu_event event)
{
    return CF_CUDA_NEXT(cuCtxWaitEvent)(context, now_of(event));
}

int cuGreenCtxWaitEvent(cf_cu_handle context, cf_cu_event event)
{
    return CF_CUDA_NEXT(cuGreenCtxWaitEvent)(context, now_of(event));
}

int cuEventQuery(cf_cu_event event)
{
    return CF_CUDA_NEXT(cuEventQuery)(now_of(event));
}

int cuEventSynchronize(cf_cu_event event)
{
    int result = CF_CUDA_NEXT(cuEventSynchronize)(now_of(event));
    if (result == CF_CU_SUCCESS)
        cf_inject_waited(CF_WAIT_EVENT, NULL, FROM);
    return result;
}

/* A float's bits, as answers are kept. */
typedef union ms_bits {
    float ms;
    uint32_t bits;
} ms_bits;

/* Neither of the two has a time. Once both are over, as the driver would say, a time stands in: the last one that ended
   with this event; for an event that had none, as where a program makes its events anew for each step, the one that was
   taken in this place of a step; else the last one of any. */
static int answer(float *ret_ms, const cf_pair *end, void *begin_now, void *end_now)
{
    int result = CF_CUDA_NEXT(cuEventQuery)(begin_now);
    if (result == CF_CU_SUCCESS)
        result = CF_CUDA_NEXT(cuEventQuery)(end_now);
    if (result != CF_CU_SUCCESS)
        return result;
    uint64_t kept = 0;
    bool has_kept = cf_inject_answer_find(&kept, 1);
    float ms = atomic_load_explicit(&end->ms, memory_order_relaxed);
    if (ms <= 0 && has_kept)
        ms = (ms_bits){.bits = (uint32_t)kept}.ms;
    if (ms <= 0)
        ms = atomic_load_explicit(&last_ms, memory_order_relaxed);
    *ret_ms = ms > 0 ? ms : NEVER_TIMED_MS;
    CF_INJECT_COUNT(answered);
    return CF_CU_SUCCESS;
}

static int elapsed(float *ret_ms, cf_cu_event begin, cf_cu_event end, int (*next)(float *, cf_cu_event, cf_cu_event))
{
    cf_pair *first = cf_pair_of(begin), *second = cf_pair_of(end);
    if (!first || !second || !ret_ms)
        return next(ret_ms, first ? cf_pair_now(first) : begin, second ? cf_pair_now(second) : end);
    CF_INJECT_COUNT(calls);
    if (!first->timing || !second->timing) /* the driver's error for events that take no time */
        return next(ret_ms, begin, end);
    void *first_now = cf_pair_now(first), *second_now = cf_pair_now(second);
    bool recorded = atomic_load(&first->last) && atomic_load(&second->last);
    if (recorded && (first_now != first->own || second_now != second->own))
        return answer(ret_ms, second, first_now, second_now);
    int result = next(ret_ms, begin, end);
    if (result == CF_CU_SUCCESS) {
        atomic_store_explicit(&second->ms, *ret_ms, memory_order_relaxed);
        atomic_store_explicit(&last_ms, *ret_ms, memory_order_relaxed);
        const uint64_t kept = (ms_bits){.ms = *ret_ms}.bits;
        cf_inject_answer_keep(&kept, 1);
    }
    return result;
}

int cuEventElapsedTime(float *ret_ms, cf_cu_event begin, cf_cu_event end)
{
    return elapsed(ret_ms, begin, end, CF_CUDA_NEXT(cuEventElapsedTime));
}

int cuEventElapsedTime_v2(float *ret_ms, cf_cu_event begin, cf_cu_event end)
{
    return elapsed(ret_ms, begin, end, CF_CUDA_NEXT(cuEventElapsedTime_v2));
}

#define WAIT(kind, object, call)                                                                                       \
    do {                                                                                                               \
        int result = (call);                                                                                           \
        if (result == CF_CU_SUCCESS)                                                                                   \
            cf_inject_waited(kind, object, FROM);                                                                      \
        return result;                                                                                                 \
    } while (0)

int cuCtxSynchronize(void)
{
    WAIT(CF_WAIT_DEVICE, NULL, CF_CUDA_NEXT(cuCtxSynchronize)());
}

int cuCtxSynchronize_v2(cf_cu_handle context)
{
    WAIT(CF_WAIT_DEVICE, NULL, CF_CUDA_NEXT(cuCtxSynchronize_v2)(context));
}

int cuStreamSynchronize(cf_cu_stream stream)
{
    WAIT(CF_WAIT_QUEUE, stream, CF_CUDA_NEXT(cuStreamSynchronize)(stream));
}

int cuStreamSynchronize_ptsz(cf_cu_stream stream)
{
    WAIT(CF_WAIT_QUEUE, stream, CF_CUDA_NEXT(cuStreamSynchronize_ptsz)(stream));
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    WAIT(CF_WAIT_COPY, NULL, CF_CUDA_NEXT(cuMemcpyDtoH_v2)(to, from, bytes));
}

int cuMemcpyDtoH_v2_ptds(void *to, uint64_t from, size_t bytes)
{
    WAIT(CF_WAIT_COPY, NULL, CF_CUDA_NEXT(cuMemcpyDtoH_v2_ptds)(to, from, bytes));
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

/* While any stream is being captured, events are recorded as shipped: one that is captured stands for a place in a
   graph, and is waited for by other captured streams. */
static int begun(int result)
{
    if (result == CF_CU_SUCCESS)
        atomic_fetch_add(&captures, 1);
    return result;
}

static int ended(int result)
{
    int open = atomic_load(&captures);
    while (open > 0 && !atomic_compare_exchange_weak(&captures, &open, open - 1))
        ;
    return result;
}

int cuStreamBeginCapture(cf_cu_stream stream)
{
    return begun(CF_CUDA_NEXT(cuStreamBeginCapture)(stream));
}

int cuStreamBeginCapture_ptsz(cf_cu_stream stream)
{
    return begun(CF_CUDA_NEXT(cuStreamBeginCapture_ptsz)(stream));
}

int cuStreamBeginCapture_v2(cf_cu_stream stream, int mode)
{
    return begun(CF_CUDA_NEXT(cuStreamBeginCapture_v2)(stream, mode));
}

int cuStreamBeginCapture_v2_ptsz(cf_cu_stream stream, int mode)
{
    return begun(CF_CUDA_NEXT(cuStreamBeginCapture_v2_ptsz)(stream, mode));
}

int cuStreamBeginCaptureToGraph(cf_cu_stream stream, cf_cu_handle graph, const void *nodes, const void *edges,
                                size_t count, int mode)
{
    return begun(CF_CUDA_NEXT(cuStreamBeginCaptureToGraph)(stream, graph, nodes, edges, count, mode));
}

int cuStreamBeginCaptureToGraph_ptsz(cf_cu_stream stream, cf_cu_handle graph, const void *nodes, const void *edges,
                                     size_t count, int mode)
{
    return begun(CF_CUDA_NEXT(cuStreamBeginCaptureToGraph_ptsz)(stream, graph, nodes, edges, count, mode));
}

int cuStreamEndCapture(cf_cu_stream stream, void *ret_graph)
{
    return ended(CF_CUDA_NEXT(cuStreamEndCapture)(stream, ret_graph));
}

int cuStreamEndCapture_ptsz(cf_cu_stream stream, void *ret_graph)
{
    return ended(CF_CUDA_NEXT(cuStreamEndCapture_ptsz)(stream, ret_graph));
}

int cuGraphAddEventRecordNode(void *ret_node, cf_cu_handle graph, const void *nodes, size_t count, cf_cu_event event)
{
    pin(event);
    return CF_CUDA_NEXT(cuGraphAddEventRecordNode)(ret_node, graph, nodes, count, event);
}

int cuGraphAddEventWaitNode(void *ret_node, cf_cu_handle graph, const void *nodes, size_t count, cf_cu_event event)
{
    pin(event);
    return CF_CUDA_NEXT(cuGraphAddEventWaitNode)(ret_node, graph, nodes, count, event);
}

int cuGraphEventRecordNodeSetEvent(cf_cu_handle node, cf_cu_event event)
{
    pin(event);
    return CF_CUDA_NEXT(cuGraphEventRecordNodeSetEvent)(node, event);
}

int cuGraphEventWaitNodeSetEvent(cf_cu_handle node, cf_cu_event event)
{
    pin(event);
    return CF_CUDA_NEXT(cuGraphEventWaitNodeSetEvent)(node, event);
}

int cuGraphExecEventRecordNodeSetEvent(cf_cu_handle graph, cf_cu_handle node, cf_cu_event event)
{
    pin(event);
    return CF_CUDA_NEXT(cuGraphExecEventRecordNodeSetEvent)(graph, node, event);
}

int cuGraphExecEventWaitNodeSetEvent(cf_cu_handle graph, cf_cu_handle node, cf_cu_event event)
{
    pin(event);
    return CF_CUDA_NEXT(cuGraphExecEventWaitNodeSetEvent)(graph, node, event);
}

static void pin_node(const cf_cu_node_params *parameters)
{
    if (parameters && (parameters->type == CF_CU_NODE_WAIT_EVENT || parameters->type == CF_CU_NODE_RECORD))
        pin(parameters->event);
}

int cuGraphAddNode(void *ret_node, cf_cu_handle graph, const void *nodes, size_t count, cf_cu_node_params *parameters)
{
    pin_node(parameters);
    return CF_CUDA_NEXT(cuGraphAddNode)(ret_node, graph, nodes, count, parameters);
}

int cuGraphAddNode_v2(void *ret_node, cf_cu_handle graph, const void *nodes, const void *edges, size_t count,
                      cf_cu_node_params *parameters)
{
    pin_node(parameters);
    return CF_CUDA_NEXT(cuGraphAddNode_v2)(ret_node, graph, nodes, edges, count, parameters);
}

int cuGraphNodeSetParams(cf_cu_handle node, cf_cu_node_params *parameters)
{
    pin_node(parameters);
    return CF_CUDA_NEXT(cuGraphNodeSetParams)(node, parameters);
}

int cuGraphExecNodeSetParams(cf_cu_handle graph, cf_cu_handle node, cf_cu_node_params *parameters)
{
    pin_node(parameters);
    return CF_CUDA_NEXT(cuGraphExecNodeSetParams)(graph, node, parameters);
}

/* ---- launches that record an event ------------------------------------------------------------------------------- */

static void launched(const cf_cu_launch *launch, int result)
{
    if (result != CF_CU_SUCCESS || !launch || launch->attribute_count == 0 || !launch->attributes)
        return;
    for (unsigned i = 0; i < launch->attribute_count; i++) {
        const cf_cu_launch_attribute *a = &launch->attributes[i];
        cf_pair *pair = a->id == CF_CU_LAUNCH_EVENT || a->id == CF_CU_LAUNCH_COMPLETE ? cf_pair_of(a->event) : NULL;
        if (!pair)
            continue;
        CF_INJECT_NOTE(launch_events);
        atomic_store_explicit(&pair->last, pair->own, memory_order_release);
    }
}

int cuLaunchKernelEx(const cf_cu_launch *launch, cf_cu_handle function, void **parameters, void **extra)
{
    int result = CF_CUDA_NEXT(cuLaunchKernelEx)(launch, function, parameters, extra);
    launched(launch, result);
    return result;
}

int cuLaunchKernelEx_ptsz(const cf_cu_launch *launch, cf_cu_handle function, void **parameters, void **extra)
{
    int result = CF_CUDA_NEXT(cuLaunchKernelEx_ptsz)(launch, function, parameters, extra);
    launched(launch, result);
    return result;
}
