/* The layer of the OpenCL loader's: queues and what is asked about them and their events. The commands are in
   opencl_commands.c. */
#include <string.h>

#include "inject/opencl_commands.h"
#include "inject/queue.h"

#define FROM           __builtin_return_address(0)
#define PROPERTIES_MAX 32

static cf_inject_function own_table[CF_CL_FUNCTION_COUNT];

typedef cf_cl create_queue(cf_cl context, cf_cl device, uint64_t properties, int *ret);
typedef cf_cl create_queue_list(cf_cl context, cf_cl device, const uint64_t *properties, int *ret);
typedef int with_queue(cf_cl queue);
typedef int with_event(cf_cl event);
typedef int event_info(cf_cl event, cf_cl_uint what, size_t bytes, void *ret, size_t *ret_bytes);
typedef int device_info(cf_cl device, cf_cl_uint what, size_t bytes, void *ret, size_t *ret_bytes);
typedef int wait_for(cf_cl_uint count, const cf_cl *events);
typedef int set_property(cf_cl queue, uint64_t properties, cf_cl_uint enable, uint64_t *ret_old);
typedef void *address_of(const char *name);
typedef void *address_for(cf_cl platform, const char *name);

/* ---- making and releasing ---------------------------------------------------------------------------------------- */

/* The emulated GPU is Intel's; another device beside it is what it is. */
static bool is_intel_gpu(device_info *ask, cf_cl device)
{
    char vendor[CF_WIRE_TEXT] = "";
    uint64_t type = 0;
    ask(device, CF_CL_DEVICE_TYPE, sizeof type, &type, NULL);
    ask(device, CF_CL_DEVICE_VENDOR, sizeof vendor - 1, vendor, NULL);
    return (type & CF_CL_DEVICE_GPU) != 0 && strncmp(vendor, "Intel", 5) == 0;
}

static void describe(cf_cl device)
{
    cf_wire *wire = atomic_load(&cf_inject_file);
    device_info *ask = CF_CL_NEXT(clGetDeviceInfo, device_info *);
    if (!wire || wire->device[0])
        return;
    ask(device, CF_CL_DEVICE_NAME, sizeof wire->device - 1, wire->device, NULL);
    ask(device, CF_CL_DRIVER, sizeof wire->driver - 1, wire->driver, NULL);
    if (is_intel_gpu(ask, device))
        cf_inject_describe_emulated(wire);
}

static void keep(cf_cl own, cf_cl twin, uint64_t properties)
{
    cf_inject_seen(CF_INJECT_OPENCL);
    if (!twin)
        CF_INJECT_NOTE(no_twin);
    if (!cf_queue_add(own, twin, (properties & CF_CL_PROFILING) != 0, (properties & CF_CL_OUT_OF_ORDER) == 0) && twin)
        CF_CL_NEXT(clReleaseCommandQueue, with_queue *)(twin);
}

static cf_cl make_queue(cf_cl context, cf_cl device, uint64_t properties, int *ret)
{
    create_queue *next = CF_CL_NEXT(clCreateCommandQueue, create_queue *);
    int ignored = 0;
    cf_cl own = next(context, device, properties, ret);
    if (!own || !cf_inject_begin())
        return own;
    describe(device);
    keep(own, next(context, device, properties ^ CF_CL_PROFILING, &ignored), properties);
    return own;
}

/* The list with the flag the other way round. False: it cannot be had. */
static bool turn_list(const uint64_t *from, uint64_t *to, uint64_t *ret_properties)
{
    size_t at = 0;
    bool turned = false;
    *ret_properties = 0;
    for (; from && from[0] != 0; from += 2) {
        if (at + 5 > PROPERTIES_MAX)
            return false;
        to[at++] = from[0];
        to[at++] = from[1];
        if (from[0] == CF_CL_QUEUE_PROPERTY) {
            *ret_properties = from[1];
            to[at - 1] ^= CF_CL_PROFILING;
            turned = true;
        }
    }
    if (!turned) {
        to[at++] = CF_CL_QUEUE_PROPERTY;
        to[at++] = CF_CL_PROFILING;
    }
    to[at] = 0;
    return (*ret_properties & CF_CL_ON_DEVICE) == 0;
}

static cf_cl make_queue_list(cf_cl context, cf_cl device, const uint64_t *list, int *ret)
{
    create_queue_list *next = CF_CL_NEXT(clCreateCommandQueueWithProperties, create_queue_list *);
    cf_cl own = next(context, device, list, ret);
    if (!own || !cf_inject_begin())
        return own;
    describe(device);
    uint64_t turned[PROPERTIES_MAX], properties;
    int ignored = 0;
    cf_cl twin = turn_list(list, turned, &properties) ? next(context, device, turned, &ignored) : NULL;
    keep(own, twin, properties);
    return own;
}

static int retain(cf_cl handle)
{
    int result = CF_CL_NEXT(clRetainCommandQueue, with_queue *)(handle);
    cf_queue *queue = cf_queue_of(handle);
    if (queue && result == CF_CL_SUCCESS)
        atomic_fetch_add(&queue->users, 1);
    return result;
}

static int release(cf_cl handle)
{
    cf_queue *queue = cf_queue_of(handle);
    if (queue && atomic_fetch_sub(&queue->users, 1) == 1) {
        cf_cl twin = queue->twin;
        cf_queue_remove(queue);
        if (twin)
            CF_CL_NEXT(clReleaseCommandQueue, with_queue *)(twin);
    }
    return CF_CL_NEXT(clReleaseCommandQueue, with_queue *)(handle);
}

static int change_property(cf_cl handle, uint64_t properties, cf_cl_uint enable, uint64_t *ret_old)
{
    cf_queue *queue = cf_queue_of(handle);
    if (queue) {
        CF_INJECT_NOTE(no_twin);
        cf_queue_pin(queue);
    }
    return CF_CL_NEXT(clSetCommandQueueProperty, set_property *)(handle, properties, enable, ret_old);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static int flush(cf_cl handle)
{
    cf_queue *queue = cf_queue_of(handle);
    return CF_CL_NEXT(clFlush, with_queue *)(queue ? atomic_load(&queue->active) : handle);
}

static int finish(cf_cl handle)
{
    cf_queue *queue = cf_queue_of(handle);
    if (!queue)
        return CF_CL_NEXT(clFinish, with_queue *)(handle);
    CF_INJECT_COUNT(calls);
    uint64_t wait = cf_queue_wait_begin(queue);
    int result = CF_CL_NEXT(clFinish, with_queue *)(atomic_load(&queue->active));
    if (result == CF_CL_SUCCESS) {
        cf_queue_wait_end(queue, wait);
        cf_inject_waited(CF_WAIT_DEVICE, cf_queue_told_by(queue), FROM);
    }
    return result;
}

static int wait_events(cf_cl_uint count, const cf_cl *events)
{
    int result = CF_CL_NEXT(clWaitForEvents, wait_for *)(count, events);
    if (result != CF_CL_SUCCESS)
        return result;
    for (cf_cl_uint i = 0; i < count; i++)
        cf_known_over(events[i]);
    cf_inject_waited(CF_WAIT_EVENT, NULL, FROM);
    return result;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static int ask_event(cf_cl event, cf_cl_uint what, size_t bytes, void *ret, size_t *ret_bytes)
{
    int result = CF_CL_NEXT(clGetEventInfo, event_info *)(event, what, bytes, ret, ret_bytes);
    if (what == CF_CL_EVENT_QUEUE && result == CF_CL_SUCCESS && ret) {
        cf_queue *queue = cf_queue_of_event(*(cf_cl *)ret);
        if (queue)
            *(cf_cl *)ret = queue->own;
    }
    return result;
}

static int release_event(cf_cl event)
{
    cf_known_forget(event);
    return CF_CL_NEXT(clReleaseEvent, with_event *)(event);
}

/* The queue of ours that the event is of, NULL = of none: asked where it is not known. */
static cf_queue *look_up(cf_cl event, cf_known *ret)
{
    event_info *ask = CF_CL_NEXT(clGetEventInfo, event_info *);
    cf_cl handle = NULL;
    cf_cl_uint type = 0;
    if (ask(event, CF_CL_EVENT_QUEUE, sizeof handle, &handle, NULL) != CF_CL_SUCCESS)
        return NULL;
    cf_queue *queue = cf_queue_of_event(handle);
    if (!queue)
        return NULL;
    *ret = (cf_known){.slot = queue->slot, .twin = handle != queue->own};
    if (ask(event, CF_CL_EVENT_TYPE, sizeof type, &type, NULL) != CF_CL_SUCCESS)
        return queue;
    ret->type = type % CF_KNOWN_TYPES;
    cf_known_keep(event, *ret);
    return queue;
}

static inline cf_queue *queue_of(cf_cl event, cf_known *ret)
{
    return cf_known_find(event, ret) ? cf_queue_at(ret->slot) : look_up(event, ret);
}

/* Of any queue, for one that has none of its own yet; the last row of any command. */
static _Atomic uint64_t last_times[CF_QUEUE_TYPES + 1][CF_CL_PROFILING_COUNT];

static uint64_t last_time(const cf_queue *queue, uint32_t type, cf_cl_uint which)
{
    uint64_t time_ns = atomic_load(&queue->times[type][which]);
    if (time_ns == 0)
        time_ns = atomic_load(&last_times[type][which]);
    return time_ns ? time_ns : atomic_load(&last_times[CF_QUEUE_TYPES][which]);
}

/* A command that is over stays so. */
static int look_whether_over(cf_cl event, const cf_known *about)
{
    int status = -1;
    if (about->over)
        return CF_CL_SUCCESS;
    int result = CF_CL_NEXT(clGetEventInfo, event_info *)(event, CF_CL_EVENT_STATUS, sizeof status, &status, NULL);
    if (result != CF_CL_SUCCESS)
        return result;
    if (status != 0)
        return CF_CL_NO_PROFILING;
    cf_known over = *about;
    over.over = true;
    cf_known_keep(event, over);
    return CF_CL_SUCCESS;
}

/* The command was not timed: the last one of its kind that was stands in, once it is over. */
static int stand_in(const cf_queue *queue, uint32_t type, cf_cl_uint what, size_t bytes, void *ret, size_t *ret_bytes)
{
    if (what - CF_CL_PROFILING_FIRST >= CF_CL_PROFILING_COUNT || (ret && bytes < sizeof(uint64_t)))
        return CF_CL_INVALID_VALUE;
    if (ret)
        *(uint64_t *)ret = last_time(queue, type, what - CF_CL_PROFILING_FIRST);
    if (ret_bytes)
        *ret_bytes = sizeof(uint64_t);
    CF_INJECT_COUNT(answered);
    return CF_CL_SUCCESS;
}

static int ask_time(cf_cl event, cf_cl_uint what, size_t bytes, void *ret, size_t *ret_bytes)
{
    event_info *next = CF_CL_NEXT(clGetEventProfilingInfo, event_info *);
    cf_known about = {.slot = 0};
    cf_queue *queue = queue_of(event, &about);
    if (!queue)
        return next(event, what, bytes, ret, ret_bytes);
    CF_INJECT_COUNT(calls);
    if (about.twin && !queue->profiled)
        return CF_CL_NO_PROFILING;
    if (about.twin) {
        int over = look_whether_over(event, &about);
        return over == CF_CL_SUCCESS ? stand_in(queue, about.type, what, bytes, ret, ret_bytes) : over;
    }
    int result = next(event, what, bytes, ret, ret_bytes);
    cf_cl_uint which = what - CF_CL_PROFILING_FIRST;
    if (result == CF_CL_SUCCESS && ret && which < CF_CL_PROFILING_COUNT) {
        uint64_t time_ns = *(uint64_t *)ret;
        atomic_store_explicit(&queue->times[about.type][which], time_ns, memory_order_relaxed);
        atomic_store_explicit(&last_times[about.type][which], time_ns, memory_order_relaxed);
        atomic_store_explicit(&last_times[CF_QUEUE_TYPES][which], time_ns, memory_order_relaxed);
    }
    return result;
}

/* Who has a function that we don't know, and that takes a queue, hands it the program's own. */
static void look_at_extension(const char *name, const void *found)
{
    if (!name || !found || (strncmp(name, "clEnqueue", 9) != 0 && !strstr(name, "CommandBuffer")))
        return;
    CF_INJECT_NOTE(extensions);
    cf_queues_pin();
}

static void *find_extension(const char *name)
{
    void *found = CF_CL_NEXT(clGetExtensionFunctionAddress, address_of *)(name);
    look_at_extension(name, found);
    return found;
}

static void *find_extension_for(cf_cl platform, const char *name)
{
    void *found = CF_CL_NEXT(clGetExtensionFunctionAddressForPlatform, address_for *)(platform, name);
    look_at_extension(name, found);
    return found;
}

/* ---- the layer --------------------------------------------------------------------------------------------------- */

/* What the loader looks for. */
CF_INJECT_EXPORT int clGetLayerInfo(cf_cl_uint what, size_t bytes, void *ret, size_t *ret_bytes);
CF_INJECT_EXPORT int clInitLayer(cf_cl_uint count, const cf_inject_function *target, cf_cl_uint *ret_count,
                                 const cf_inject_function **ret);

int clGetLayerInfo(cf_cl_uint what, size_t bytes, void *ret, size_t *ret_bytes)
{
    static const char name[] = "confound";
    static const cf_cl_uint version = CF_CL_LAYER_VERSION;
    if (what != CF_CL_LAYER_API && what != CF_CL_LAYER_NAME)
        return CF_CL_INVALID_VALUE;
    const void *from = what == CF_CL_LAYER_NAME ? (const void *)name : (const void *)&version;
    size_t needed = what == CF_CL_LAYER_NAME ? sizeof name : sizeof version;
    if (ret && bytes < needed)
        return CF_CL_INVALID_VALUE;
    if (ret)
        memcpy(ret, from, needed);
    if (ret_bytes)
        *ret_bytes = needed;
    return CF_CL_SUCCESS;
}

static void stand_before(cf_cl_function function, cf_inject_function own)
{
    if (own_table[function])
        own_table[function] = own;
}

int clInitLayer(cf_cl_uint count, const cf_inject_function *target, cf_cl_uint *ret_count,
                const cf_inject_function **ret)
{
    if (!target || !ret_count || !ret || count < CF_CL_clEnqueueBarrierWithWaitList + 1)
        return CF_CL_INVALID_VALUE;
    cf_cl_uint known = count < CF_CL_FUNCTION_COUNT ? count : (cf_cl_uint)CF_CL_FUNCTION_COUNT;
    memcpy(own_table, target, known * sizeof own_table[0]);
    cf_cl_next = target;
#define OWN(name, function) stand_before(CF_CL_##name, (cf_inject_function)(function))
    OWN(clCreateCommandQueue, make_queue);
    OWN(clCreateCommandQueueWithProperties, make_queue_list);
    OWN(clRetainCommandQueue, retain);
    OWN(clReleaseCommandQueue, release);
    OWN(clSetCommandQueueProperty, change_property);
    OWN(clFlush, flush);
    OWN(clFinish, finish);
    OWN(clWaitForEvents, wait_events);
    OWN(clGetEventInfo, ask_event);
    OWN(clReleaseEvent, release_event);
    OWN(clGetEventProfilingInfo, ask_time);
    OWN(clGetExtensionFunctionAddress, find_extension);
    OWN(clGetExtensionFunctionAddressForPlatform, find_extension_for);
    cf_cl_commands(stand_before);
    *ret_count = known;
    *ret = own_table;
    return CF_CL_SUCCESS;
}
