#include "inject/opencl_commands.h"

#include "base/clock.h"
#include "inject/queue.h"

#define FROM __builtin_return_address(0)

typedef const void *in;
typedef const size_t *sizes;
typedef const cf_cl *list;

/* name, command's type, where its event goes, parameters, arguments of the function that comes next, whether the call
   waits for the command */
#define COMMANDS(X)                                                                                                    \
    X(clEnqueueReadBuffer, READ_BUFFER, ev,                                                                            \
      (cf_cl q, cf_cl a, cf_cl_uint b, size_t c, size_t d, void *e, cf_cl_uint n, list w, cf_cl *ev),                  \
      (s.to, a, b, c, d, e, n, w, ev), b)                                                                              \
    X(clEnqueueWriteBuffer, WRITE_BUFFER, ev,                                                                          \
      (cf_cl q, cf_cl a, cf_cl_uint b, size_t c, size_t d, in e, cf_cl_uint n, list w, cf_cl * ev),                    \
      (s.to, a, b, c, d, e, n, w, ev), b)                                                                              \
    X(clEnqueueCopyBuffer, COPY_BUFFER, ev,                                                                            \
      (cf_cl q, cf_cl a, cf_cl b, size_t c, size_t d, size_t e, cf_cl_uint n, list w, cf_cl * ev),                     \
      (s.to, a, b, c, d, e, n, w, ev), 0)                                                                              \
    X(clEnqueueReadImage, READ_IMAGE, ev,                                                                              \
      (cf_cl q, cf_cl a, cf_cl_uint b, sizes c, sizes d, size_t e, size_t f, void *g, cf_cl_uint n, list w,            \
       cf_cl *ev),                                                                                                     \
      (s.to, a, b, c, d, e, f, g, n, w, ev), b)                                                                        \
    X(clEnqueueWriteImage, WRITE_IMAGE, ev,                                                                            \
      (cf_cl q, cf_cl a, cf_cl_uint b, sizes c, sizes d, size_t e, size_t f, in g, cf_cl_uint n, list w, cf_cl * ev),  \
      (s.to, a, b, c, d, e, f, g, n, w, ev), b)                                                                        \
    X(clEnqueueCopyImage, COPY_IMAGE, ev,                                                                              \
      (cf_cl q, cf_cl a, cf_cl b, sizes c, sizes d, sizes e, cf_cl_uint n, list w, cf_cl * ev),                        \
      (s.to, a, b, c, d, e, n, w, ev), 0)                                                                              \
    X(clEnqueueCopyImageToBuffer, COPY_IMAGE_TO_BUFFER, ev,                                                            \
      (cf_cl q, cf_cl a, cf_cl b, sizes c, sizes d, size_t e, cf_cl_uint n, list w, cf_cl * ev),                       \
      (s.to, a, b, c, d, e, n, w, ev), 0)                                                                              \
    X(clEnqueueCopyBufferToImage, COPY_BUFFER_TO_IMAGE, ev,                                                            \
      (cf_cl q, cf_cl a, cf_cl b, size_t c, sizes d, sizes e, cf_cl_uint n, list w, cf_cl * ev),                       \
      (s.to, a, b, c, d, e, n, w, ev), 0)                                                                              \
    X(clEnqueueUnmapMemObject, UNMAP_MEM_OBJECT, ev, (cf_cl q, cf_cl a, void *b, cf_cl_uint n, list w, cf_cl *ev),     \
      (s.to, a, b, n, w, ev), 0)                                                                                       \
    X(clEnqueueNDRangeKernel, NDRANGE_KERNEL, ev,                                                                      \
      (cf_cl q, cf_cl a, cf_cl_uint b, sizes c, sizes d, sizes e, cf_cl_uint n, list w, cf_cl * ev),                   \
      (s.to, a, b, c, d, e, n, w, ev), 0)                                                                              \
    X(clEnqueueTask, TASK, ev, (cf_cl q, cf_cl a, cf_cl_uint n, list w, cf_cl * ev), (s.to, a, n, w, ev), 0)           \
    X(clEnqueueNativeKernel, NATIVE_KERNEL, ev,                                                                        \
      (cf_cl q, cf_inject_function a, void *b, size_t c, cf_cl_uint d, list e, void *f, cf_cl_uint n, list w,          \
       cf_cl *ev),                                                                                                     \
      (s.to, a, b, c, d, e, f, n, w, ev), 0)                                                                           \
    X(clEnqueueMarker, MARKER, ev, (cf_cl q, cf_cl * ev), (s.to, ev), 0)                                               \
    X(clEnqueueWaitForEvents, BARRIER, NULL, (cf_cl q, cf_cl_uint n, list w), (s.to, n, w), 0)                         \
    X(clEnqueueBarrier, BARRIER, NULL, (cf_cl q), (s.to), 0)                                                           \
    X(clEnqueueAcquireGLObjects, ACQUIRE_GL_OBJECTS, ev,                                                               \
      (cf_cl q, cf_cl_uint a, list b, cf_cl_uint n, list w, cf_cl * ev), (s.to, a, b, n, w, ev), 0)                    \
    X(clEnqueueReleaseGLObjects, RELEASE_GL_OBJECTS, ev,                                                               \
      (cf_cl q, cf_cl_uint a, list b, cf_cl_uint n, list w, cf_cl * ev), (s.to, a, b, n, w, ev), 0)                    \
    X(clEnqueueReadBufferRect, READ_BUFFER_RECT, ev,                                                                   \
      (cf_cl q, cf_cl a, cf_cl_uint b, sizes c, sizes d, sizes e, size_t f, size_t g, size_t h, size_t i, void *j,     \
       cf_cl_uint n, list w, cf_cl *ev),                                                                               \
      (s.to, a, b, c, d, e, f, g, h, i, j, n, w, ev), b)                                                               \
    X(clEnqueueWriteBufferRect, WRITE_BUFFER_RECT, ev,                                                                 \
      (cf_cl q, cf_cl a, cf_cl_uint b, sizes c, sizes d, sizes e, size_t f, size_t g, size_t h, size_t i, in j,        \
       cf_cl_uint n, list w, cf_cl * ev),                                                                              \
      (s.to, a, b, c, d, e, f, g, h, i, j, n, w, ev), b)                                                               \
    X(clEnqueueCopyBufferRect, COPY_BUFFER_RECT, ev,                                                                   \
      (cf_cl q, cf_cl a, cf_cl b, sizes c, sizes d, sizes e, size_t f, size_t g, size_t h, size_t i, cf_cl_uint n,     \
       list w, cf_cl * ev),                                                                                            \
      (s.to, a, b, c, d, e, f, g, h, i, n, w, ev), 0)                                                                  \
    X(clEnqueueFillBuffer, FILL_BUFFER, ev,                                                                            \
      (cf_cl q, cf_cl a, in b, size_t c, size_t d, size_t e, cf_cl_uint n, list w, cf_cl * ev),                        \
      (s.to, a, b, c, d, e, n, w, ev), 0)                                                                              \
    X(clEnqueueFillImage, FILL_IMAGE, ev,                                                                              \
      (cf_cl q, cf_cl a, in b, sizes c, sizes d, cf_cl_uint n, list w, cf_cl * ev), (s.to, a, b, c, d, n, w, ev), 0)   \
    X(clEnqueueMigrateMemObjects, MIGRATE_MEM_OBJECTS, ev,                                                             \
      (cf_cl q, cf_cl_uint a, list b, uint64_t c, cf_cl_uint n, list w, cf_cl * ev), (s.to, a, b, c, n, w, ev), 0)     \
    X(clEnqueueMarkerWithWaitList, MARKER, ev, (cf_cl q, cf_cl_uint n, list w, cf_cl * ev), (s.to, n, w, ev), 0)       \
    X(clEnqueueBarrierWithWaitList, BARRIER, ev, (cf_cl q, cf_cl_uint n, list w, cf_cl * ev), (s.to, n, w, ev), 0)     \
    X(clEnqueueAcquireEGLObjectsKHR, ACQUIRE_EGL_OBJECTS_KHR, ev,                                                      \
      (cf_cl q, cf_cl_uint a, list b, cf_cl_uint n, list w, cf_cl * ev), (s.to, a, b, n, w, ev), 0)                    \
    X(clEnqueueReleaseEGLObjectsKHR, RELEASE_EGL_OBJECTS_KHR, ev,                                                      \
      (cf_cl q, cf_cl_uint a, list b, cf_cl_uint n, list w, cf_cl * ev), (s.to, a, b, n, w, ev), 0)                    \
    X(clEnqueueSVMFree, SVM_FREE, ev,                                                                                  \
      (cf_cl q, cf_cl_uint a, void **b, cf_inject_function c, void *d, cf_cl_uint n, list w, cf_cl *ev),               \
      (s.to, a, b, c, d, n, w, ev), 0)                                                                                 \
    X(clEnqueueSVMMemcpy, SVM_MEMCPY, ev,                                                                              \
      (cf_cl q, cf_cl_uint a, void *b, in c, size_t d, cf_cl_uint n, list w, cf_cl *ev), (s.to, a, b, c, d, n, w, ev), \
      a)                                                                                                               \
    X(clEnqueueSVMMemFill, SVM_MEMFILL, ev,                                                                            \
      (cf_cl q, void *a, in b, size_t c, size_t d, cf_cl_uint n, list w, cf_cl *ev), (s.to, a, b, c, d, n, w, ev), 0)  \
    X(clEnqueueSVMMap, SVM_MAP, ev,                                                                                    \
      (cf_cl q, cf_cl_uint a, uint64_t b, void *c, size_t d, cf_cl_uint n, list w, cf_cl *ev),                         \
      (s.to, a, b, c, d, n, w, ev), a)                                                                                 \
    X(clEnqueueSVMUnmap, SVM_UNMAP, ev, (cf_cl q, void *a, cf_cl_uint n, list w, cf_cl *ev), (s.to, a, n, w, ev), 0)   \
    X(clEnqueueSVMMigrateMem, SVM_MIGRATE_MEM, ev,                                                                     \
      (cf_cl q, cf_cl_uint a, list b, sizes c, uint64_t d, cf_cl_uint n, list w, cf_cl * ev),                          \
      (s.to, a, b, c, d, n, w, ev), 0)

/* name, type, event, parameters and arguments as above; they return what was mapped, and the status at the end */
#define MAPS(X)                                                                                                        \
    X(clEnqueueMapBuffer, MAP_BUFFER, ev,                                                                              \
      (cf_cl q, cf_cl a, cf_cl_uint b, uint64_t c, size_t d, size_t e, cf_cl_uint n, list w, cf_cl * ev, int *status), \
      (s.to, a, b, c, d, e, n, w, ev, status))                                                                         \
    X(clEnqueueMapImage, MAP_IMAGE, ev,                                                                                \
      (cf_cl q, cf_cl a, cf_cl_uint b, uint64_t c, sizes d, sizes e, size_t * f, size_t * g, cf_cl_uint n, list w,     \
       cf_cl * ev, int *status),                                                                                       \
      (s.to, a, b, c, d, e, f, g, n, w, ev, status))

typedef struct submission {
    cf_queue *queue; /* NULL: not one that we know */
    cf_cl to;
    bool waits, looked_at;
    uint64_t begin_ns, wait;
} submission;

static inline submission begin(cf_cl handle, bool waits)
{
    submission s = {.queue = cf_queue_of(handle), .to = handle, .waits = waits};
    if (!s.queue)
        return s;
    s.to = cf_queue_route(s.queue);
    if (waits)
        s.wait = cf_queue_wait_begin(s.queue);
    s.looked_at = s.queue->profiled && cf_inject_looking();
    if (s.looked_at)
        s.begin_ns = cf_clock_now_ns();
    return s;
}

/* A command that was waited for, in a queue that keeps their order, leaves nothing before it. event: NULL = the program
   wants none. */
static inline void end(const submission *s, bool done, unsigned type, const cf_cl *event, const void *from)
{
    if (!s->queue)
        return;
    if (s->looked_at)
        cf_inject_site(cf_clock_now_ns() - s->begin_ns);
    if (!s->waits)
        cf_queue_submits(s->queue);
    if (!done)
        return;
    if (event)
        cf_known_keep(
            *event, (cf_known){.slot = s->queue->slot, .type = type % CF_KNOWN_TYPES, .twin = s->to != s->queue->own});
    if (!s->waits)
        return;
    if (s->queue->in_order)
        cf_queue_wait_end(s->queue, s->wait);
    cf_inject_waited(s->queue->in_order ? CF_WAIT_QUEUE : CF_WAIT_COPY, cf_queue_told_by(s->queue), from);
}

/* NOLINTBEGIN(readability-function-size): OpenCL's own parameters */
#define X(name, type, event, parameters, arguments, waits)                                                             \
    static int own_##name parameters                                                                                   \
    {                                                                                                                  \
        submission s = begin(q, (waits) != 0);                                                                         \
        int result = CF_CL_NEXT(name, int(*) parameters) arguments;                                                    \
        end(&s, result == CF_CL_SUCCESS, CF_CL_TYPE_##type, event, FROM);                                              \
        return result;                                                                                                 \
    }
COMMANDS(X)
#undef X

#define X(name, type, event, parameters, arguments)                                                                    \
    static void *own_##name parameters                                                                                 \
    {                                                                                                                  \
        submission s = begin(q, b != 0);                                                                               \
        void *result = CF_CL_NEXT(name, void *(*)parameters) arguments;                                                \
        end(&s, result != NULL, CF_CL_TYPE_##type, event, FROM);                                                       \
        return result;                                                                                                 \
    }
MAPS(X)
#undef X
/* NOLINTEND(readability-function-size) */

void cf_cl_commands(void (*put)(cf_cl_function function, cf_inject_function own))
{
#define X(name, type, event, parameters, arguments, waits) put(CF_CL_##name, (cf_inject_function)own_##name);
    COMMANDS(X)
#undef X
#define X(name, type, event, parameters, arguments) put(CF_CL_##name, (cf_inject_function)own_##name);
    MAPS(X)
#undef X
}
