#include "inject/opencl_commands.h"

#include "base/clock.h"
#include "inject/queue.h"

#define FROM __builtin_return_address(0)

typedef const void *in;
typedef const size_t *sizes;
typedef const cf_cl *list;

/* name, parameters, arguments of the function that comes next, whether the call waits for the command */
#define COMMANDS(X)                                                                                                    \
    X(clEnqueueReadBuffer,                                                                                             \
      (cf_cl q, cf_cl a, cf_cl_uint b, size_t c, size_t d, void *e, cf_cl_uint n, list w, cf_cl *ev),                  \
      (s.to, a, b, c, d, e, n, w, ev), b)                                                                              \
    X(clEnqueueWriteBuffer,                                                                                            \
      (cf_cl q, cf_cl a, cf_cl_uint b, size_t c, size_t d, in e, cf_cl_uint n, list w, cf_cl * ev),                    \
      (s.to, a, b, c, d, e, n, w, ev), b)                                                                              \
    X(clEnqueueCopyBuffer,                                                                                             \
      (cf_cl q, cf_cl a, cf_cl b, size_t c, size_t d, size_t e, cf_cl_uint n, list w, cf_cl * ev),                     \
      (s.to, a, b, c, d, e, n, w, ev), 0)                                                                              \
    X(clEnqueueReadImage,                                                                                              \
      (cf_cl q, cf_cl a, cf_cl_uint b, sizes c, sizes d, size_t e, size_t f, void *g, cf_cl_uint n, list w,            \
       cf_cl *ev),                                                                                                     \
      (s.to, a, b, c, d, e, f, g, n, w, ev), b)                                                                        \
    X(clEnqueueWriteImage,                                                                                             \
      (cf_cl q, cf_cl a, cf_cl_uint b, sizes c, sizes d, size_t e, size_t f, in g, cf_cl_uint n, list w, cf_cl * ev),  \
      (s.to, a, b, c, d, e, f, g, n, w, ev), b)                                                                        \
    X(clEnqueueCopyImage, (cf_cl q, cf_cl a, cf_cl b, sizes c, sizes d, sizes e, cf_cl_uint n, list w, cf_cl * ev),    \
      (s.to, a, b, c, d, e, n, w, ev), 0)                                                                              \
    X(clEnqueueCopyImageToBuffer,                                                                                      \
      (cf_cl q, cf_cl a, cf_cl b, sizes c, sizes d, size_t e, cf_cl_uint n, list w, cf_cl * ev),                       \
      (s.to, a, b, c, d, e, n, w, ev), 0)                                                                              \
    X(clEnqueueCopyBufferToImage,                                                                                      \
      (cf_cl q, cf_cl a, cf_cl b, size_t c, sizes d, sizes e, cf_cl_uint n, list w, cf_cl * ev),                       \
      (s.to, a, b, c, d, e, n, w, ev), 0)                                                                              \
    X(clEnqueueUnmapMemObject, (cf_cl q, cf_cl a, void *b, cf_cl_uint n, list w, cf_cl *ev), (s.to, a, b, n, w, ev),   \
      0)                                                                                                               \
    X(clEnqueueNDRangeKernel,                                                                                          \
      (cf_cl q, cf_cl a, cf_cl_uint b, sizes c, sizes d, sizes e, cf_cl_uint n, list w, cf_cl * ev),                   \
      (s.to, a, b, c, d, e, n, w, ev), 0)                                                                              \
    X(clEnqueueTask, (cf_cl q, cf_cl a, cf_cl_uint n, list w, cf_cl * ev), (s.to, a, n, w, ev), 0)                     \
    X(clEnqueueNativeKernel,                                                                                           \
      (cf_cl q, cf_inject_function a, void *b, size_t c, cf_cl_uint d, list e, void *f, cf_cl_uint n, list w,          \
       cf_cl *ev),                                                                                                     \
      (s.to, a, b, c, d, e, f, n, w, ev), 0)                                                                           \
    X(clEnqueueMarker, (cf_cl q, cf_cl * ev), (s.to, ev), 0)                                                           \
    X(clEnqueueWaitForEvents, (cf_cl q, cf_cl_uint n, list w), (s.to, n, w), 0)                                        \
    X(clEnqueueBarrier, (cf_cl q), (s.to), 0)                                                                          \
    X(clEnqueueAcquireGLObjects, (cf_cl q, cf_cl_uint a, list b, cf_cl_uint n, list w, cf_cl * ev),                    \
      (s.to, a, b, n, w, ev), 0)                                                                                       \
    X(clEnqueueReleaseGLObjects, (cf_cl q, cf_cl_uint a, list b, cf_cl_uint n, list w, cf_cl * ev),                    \
      (s.to, a, b, n, w, ev), 0)                                                                                       \
    X(clEnqueueReadBufferRect,                                                                                         \
      (cf_cl q, cf_cl a, cf_cl_uint b, sizes c, sizes d, sizes e, size_t f, size_t g, size_t h, size_t i, void *j,     \
       cf_cl_uint n, list w, cf_cl *ev),                                                                               \
      (s.to, a, b, c, d, e, f, g, h, i, j, n, w, ev), b)                                                               \
    X(clEnqueueWriteBufferRect,                                                                                        \
      (cf_cl q, cf_cl a, cf_cl_uint b, sizes c, sizes d, sizes e, size_t f, size_t g, size_t h, size_t i, in j,        \
       cf_cl_uint n, list w, cf_cl * ev),                                                                              \
      (s.to, a, b, c, d, e, f, g, h, i, j, n, w, ev), b)                                                               \
    X(clEnqueueCopyBufferRect,                                                                                         \
      (cf_cl q, cf_cl a, cf_cl b, sizes c, sizes d, sizes e, size_t f, size_t g, size_t h, size_t i, cf_cl_uint n,     \
       list w, cf_cl * ev),                                                                                            \
      (s.to, a, b, c, d, e, f, g, h, i, n, w, ev), 0)                                                                  \
    X(clEnqueueFillBuffer, (cf_cl q, cf_cl a, in b, size_t c, size_t d, size_t e, cf_cl_uint n, list w, cf_cl * ev),   \
      (s.to, a, b, c, d, e, n, w, ev), 0)                                                                              \
    X(clEnqueueFillImage, (cf_cl q, cf_cl a, in b, sizes c, sizes d, cf_cl_uint n, list w, cf_cl * ev),                \
      (s.to, a, b, c, d, n, w, ev), 0)                                                                                 \
    X(clEnqueueMigrateMemObjects, (cf_cl q, cf_cl_uint a, list b, uint64_t c, cf_cl_uint n, list w, cf_cl * ev),       \
      (s.to, a, b, c, n, w, ev), 0)                                                                                    \
    X(clEnqueueMarkerWithWaitList, (cf_cl q, cf_cl_uint n, list w, cf_cl * ev), (s.to, n, w, ev), 0)                   \
    X(clEnqueueBarrierWithWaitList, (cf_cl q, cf_cl_uint n, list w, cf_cl * ev), (s.to, n, w, ev), 0)                  \
    X(clEnqueueAcquireEGLObjectsKHR, (cf_cl q, cf_cl_uint a, list b, cf_cl_uint n, list w, cf_cl * ev),                \
      (s.to, a, b, n, w, ev), 0)                                                                                       \
    X(clEnqueueReleaseEGLObjectsKHR, (cf_cl q, cf_cl_uint a, list b, cf_cl_uint n, list w, cf_cl * ev),                \
      (s.to, a, b, n, w, ev), 0)                                                                                       \
    X(clEnqueueSVMFree,                                                                                                \
      (cf_cl q, cf_cl_uint a, void **b, cf_inject_function c, void *d, cf_cl_uint n, list w, cf_cl *ev),               \
      (s.to, a, b, c, d, n, w, ev), 0)                                                                                 \
    X(clEnqueueSVMMemcpy, (cf_cl q, cf_cl_uint a, void *b, in c, size_t d, cf_cl_uint n, list w, cf_cl *ev),           \
      (s.to, a, b, c, d, n, w, ev), a)                                                                                 \
    X(clEnqueueSVMMemFill, (cf_cl q, void *a, in b, size_t c, size_t d, cf_cl_uint n, list w, cf_cl *ev),              \
      (s.to, a, b, c, d, n, w, ev), 0)                                                                                 \
    X(clEnqueueSVMMap, (cf_cl q, cf_cl_uint a, uint64_t b, void *c, size_t d, cf_cl_uint n, list w, cf_cl *ev),        \
      (s.to, a, b, c, d, n, w, ev), a)                                                                                 \
    X(clEnqueueSVMUnmap, (cf_cl q, void *a, cf_cl_uint n, list w, cf_cl *ev), (s.to, a, n, w, ev), 0)                  \
    X(clEnqueueSVMMigrateMem, (cf_cl q, cf_cl_uint a, list b, sizes c, uint64_t d, cf_cl_uint n, list w, cf_cl * ev),  \
      (s.to, a, b, c, d, n, w, ev), 0)

/* name, parameters and arguments as above; they return what was mapped, and the status at the end */
#define MAPS(X)                                                                                                        \
    X(clEnqueueMapBuffer,                                                                                              \
      (cf_cl q, cf_cl a, cf_cl_uint b, uint64_t c, size_t d, size_t e, cf_cl_uint n, list w, cf_cl * ev, int *status), \
      (s.to, a, b, c, d, e, n, w, ev, status))                                                                         \
    X(clEnqueueMapImage,                                                                                               \
      (cf_cl q, cf_cl a, cf_cl_uint b, uint64_t c, sizes d, sizes e, size_t * f, size_t * g, cf_cl_uint n, list w,     \
       cf_cl * ev, int *status),                                                                                       \
      (s.to, a, b, c, d, e, f, g, n, w, ev, status))

typedef struct submission {
    cf_queue *queue; /* NULL: not one that we know */
    cf_cl handle, to;
    bool looked_at;
    uint64_t begin_ns, submitted;
} submission;

static inline submission begin(cf_cl handle)
{
    submission s = {.queue = cf_queue_of(handle), .handle = handle, .to = handle};
    if (!s.queue)
        return s;
    s.to = cf_queue_route(s.queue);
    s.submitted = cf_queue_submitted(s.queue);
    s.looked_at = s.queue->profiled && cf_inject_looking();
    if (s.looked_at)
        s.begin_ns = cf_clock_now_ns();
    return s;
}

/* A command that was waited for, in a queue that keeps their order, leaves nothing before it. */
static inline void end(const submission *s, bool done, bool waited, const void *from)
{
    if (!s->queue)
        return;
    if (s->looked_at)
        cf_inject_site(cf_clock_now_ns() - s->begin_ns);
    if (!waited || !done)
        return;
    if (s->queue->in_order)
        cf_queue_drained(s->queue, s->submitted);
    cf_inject_waited(CF_WAIT_COPY, s->handle, from);
}

/* NOLINTBEGIN(readability-function-size): OpenCL's own parameters */
#define X(name, parameters, arguments, waits)                                                                          \
    static int own_##name parameters                                                                                   \
    {                                                                                                                  \
        submission s = begin(q);                                                                                       \
        int result = CF_CL_NEXT(name, int(*) parameters) arguments;                                                    \
        end(&s, result == CF_CL_SUCCESS, (waits) != 0, FROM);                                                          \
        return result;                                                                                                 \
    }
COMMANDS(X)
#undef X

#define X(name, parameters, arguments)                                                                                 \
    static void *own_##name parameters                                                                                 \
    {                                                                                                                  \
        submission s = begin(q);                                                                                       \
        void *result = CF_CL_NEXT(name, void *(*)parameters) arguments;                                                \
        end(&s, result != NULL, b != 0, FROM);                                                                         \
        return result;                                                                                                 \
    }
MAPS(X)
#undef X
/* NOLINTEND(readability-function-size) */

void cf_cl_commands(void (*put)(cf_cl_function function, cf_inject_function own))
{
#define X(name, parameters, arguments, waits) put(CF_CL_##name, (cf_inject_function)own_##name);
    COMMANDS(X)
#undef X
#define X(name, parameters, arguments) put(CF_CL_##name, (cf_inject_function)own_##name);
    MAPS(X)
#undef X
}
