/* An OpenCL program as others write them, which knows nothing of confound: in a step each of two queues gets a write, a
   kernel and a read, then it waits; it asks for their times, and complains where an answer is not by the rules. It
   loads the installed loader. Exit status 77: there is no device. uncomputed: kernels are not executed here, and what
   is read is what was written. early: a queue is released before its events are asked. threads: another thread asks for
   the same times, and each releases a reference of its own. kernel: it waits for each kernel, and then reads. usage:
   opencl STEPS [plain|blocking|kernel|unordered|mixed|fresh|early|threads|extension] [uncomputed] */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUES            2
#define ITEMS             4096
#define UNORDERED         1u
#define PROFILING         2u
#define NO_PROFILING_INFO (-7)
#define QUEUE_PROPERTIES  0x1093u
#define QUEUE_REFERENCES  0x1092u
#define EVENT_QUEUE       0x11D0u
#define PROFILING_START   0x1282u
#define PROFILING_END     0x1283u

typedef void *handle;

#define FUNCTIONS(X)                                                                                                   \
    X(int, clGetPlatformIDs, (unsigned, handle *, unsigned *))                                                         \
    X(int, clGetDeviceIDs, (handle, uint64_t, unsigned, handle *, unsigned *))                                         \
    X(handle, clCreateContext, (const intptr_t *, unsigned, const handle *, void *, void *, int *))                    \
    X(handle, clCreateCommandQueue, (handle, handle, uint64_t, int *))                                                 \
    X(int, clRetainCommandQueue, (handle))                                                                             \
    X(int, clReleaseCommandQueue, (handle))                                                                            \
    X(int, clGetCommandQueueInfo, (handle, unsigned, size_t, void *, size_t *))                                        \
    X(handle, clCreateBuffer, (handle, uint64_t, size_t, void *, int *))                                               \
    X(handle, clCreateProgramWithSource, (handle, unsigned, const char **, const size_t *, int *))                     \
    X(int, clBuildProgram, (handle, unsigned, const handle *, const char *, void *, void *))                           \
    X(handle, clCreateKernel, (handle, const char *, int *))                                                           \
    X(int, clSetKernelArg, (handle, unsigned, size_t, const void *))                                                   \
    X(int, clEnqueueWriteBuffer,                                                                                       \
      (handle, handle, unsigned, size_t, size_t, const void *, unsigned, const handle *, handle *))                    \
    X(int, clEnqueueReadBuffer,                                                                                        \
      (handle, handle, unsigned, size_t, size_t, void *, unsigned, const handle *, handle *))                          \
    X(int, clEnqueueNDRangeKernel,                                                                                     \
      (handle, handle, unsigned, const size_t *, const size_t *, const size_t *, unsigned, const handle *, handle *))  \
    X(int, clFlush, (handle))                                                                                          \
    X(int, clFinish, (handle))                                                                                         \
    X(int, clWaitForEvents, (unsigned, const handle *))                                                                \
    X(int, clGetEventInfo, (handle, unsigned, size_t, void *, size_t *))                                               \
    X(int, clGetEventProfilingInfo, (handle, unsigned, size_t, void *, size_t *))                                      \
    X(int, clRetainEvent, (handle))                                                                                    \
    X(int, clReleaseEvent, (handle))                                                                                   \
    X(void *, clGetExtensionFunctionAddressForPlatform, (handle, const char *))

#define X(type, name, parameters) static type(*name) parameters;
FUNCTIONS(X)
#undef X

static const char source[] = "__kernel void work(__global uint *a, uint seed)\n"
                             "{\n"
                             "    uint x = a[get_global_id(0)] + seed;\n"
                             "    for (int i = 0; i < 200; i++)\n"
                             "        x = x * 1664525u + 1013904223u;\n"
                             "    a[get_global_id(0)] = x;\n"
                             "}\n";

typedef struct lane {
    handle queue, buffer, kernel, events[3];
    uint32_t in[ITEMS], out[ITEMS];
    unsigned properties;
} lane;

static handle platform, device, context, program;
static lane lanes[QUEUES];
static int complaints, times, rounds = 200; /* of the kernel: 0 = it is not executed */

static void expect(long is, long wanted, const char *what, int step)
{
    if (is == wanted)
        return;
    complaints++;
    printf("step %d: %s is %ld, not %ld\n", step, what, is, wanted);
}
#define TRY(step, call) expect(call, 0, #call, step)

static void find_device(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        exit(77);
#define X(type, name, parameters)                                                                                      \
    if (!(*(void **)&name = dlsym(library, #name)))                                                                    \
        exit(77);
    FUNCTIONS(X)
#undef X
    unsigned count = 0;
    if (clGetPlatformIDs(1, &platform, &count) != 0 || count == 0 ||
        clGetDeviceIDs(platform, 0xFFFFFFFFu, 1, &device, &count) != 0 || count == 0)
        exit(77);
    /* cppcheck-suppress resourceLeak ; the library stays to the end */
}

static void make_queue(lane *l, unsigned properties, int step)
{
    int code = -1;
    uint64_t is = 0;
    l->properties = properties;
    l->queue = clCreateCommandQueue(context, device, properties, &code);
    TRY(step, code);
    TRY(step, clGetCommandQueueInfo(l->queue, QUEUE_PROPERTIES, sizeof is, &is, NULL));
    expect((long)is, (long)properties, "what the queue says of itself", step);
}

static void make(unsigned properties, int mixed)
{
    int code = -1;
    const char *text = source;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    TRY(-1, code);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    TRY(-1, clBuildProgram(program, 1, &device, "", NULL, NULL));
    for (int i = 0; i < QUEUES; i++) {
        lane *l = &lanes[i];
        make_queue(l, mixed && i == 1 ? 0 : properties, -1);
        l->buffer = clCreateBuffer(context, 1, sizeof l->in, NULL, &code);
        l->kernel = clCreateKernel(program, "work", &code);
        TRY(-1, code);
        TRY(-1, clSetKernelArg(l->kernel, 0, sizeof l->buffer, &l->buffer));
    }
}

/* The order is in the events where the queue keeps none. */
static void submit(lane *l, unsigned blocking, int waits_for_kernel, int step)
{
    unsigned waits = l->properties & UNORDERED ? 1 : 0, seed = (unsigned)step;
    const size_t items = ITEMS;
    for (uint32_t i = 0; i < ITEMS; i++)
        l->in[i] = i + seed;
    memset(l->out, 0, sizeof l->out);
    TRY(step, clSetKernelArg(l->kernel, 1, sizeof seed, &seed));
    TRY(step, clEnqueueWriteBuffer(l->queue, l->buffer, 0, 0, sizeof l->in, l->in, 0, NULL, &l->events[0]));
    TRY(step, clEnqueueNDRangeKernel(l->queue, l->kernel, 1, NULL, &items, NULL, waits, waits ? &l->events[0] : NULL,
                                     &l->events[1]));
    if (waits_for_kernel)
        TRY(step, clWaitForEvents(1, &l->events[1]));
    TRY(step, clEnqueueReadBuffer(l->queue, l->buffer, blocking, 0, sizeof l->out, l->out, waits,
                                  waits ? &l->events[1] : NULL, &l->events[2]));
    TRY(step, clFlush(l->queue));
}

/* What one thread found out about a lane's events. */
typedef struct answers {
    const lane *of;
    int refused, times, not_own;
} answers;

static void *ask_times(void *user)
{
    answers *a = user;
    const int wanted = a->of->properties & PROFILING ? 0 : NO_PROFILING_INFO;
    for (int i = 0; i < 3; i++) {
        handle event = a->of->events[i], queue = NULL;
        uint64_t begin = 0, end = 0;
        a->not_own += clGetEventInfo(event, EVENT_QUEUE, sizeof queue, &queue, NULL) != 0 || queue != a->of->queue;
        a->refused += clGetEventProfilingInfo(event, PROFILING_START, sizeof begin, &begin, NULL) != wanted;
        a->refused += clGetEventProfilingInfo(event, PROFILING_END, sizeof end, &end, NULL) != wanted;
        a->times += end > 0 && end >= begin;
        a->refused += clReleaseEvent(event) != 0;
    }
    return NULL;
}

static void check_times(const lane *l, int with_another, int step)
{
    answers mine = {.of = l}, others = {.of = l};
    pthread_t other;
    for (int i = 0; with_another && i < 3; i++)
        TRY(step, clRetainEvent(l->events[i]));
    if (with_another)
        TRY(step, pthread_create(&other, NULL, ask_times, &others));
    ask_times(&mine);
    if (with_another)
        TRY(step, pthread_join(other, NULL));
    times += mine.times + others.times;
    expect(mine.refused + others.refused, 0, "answers that are not by the rules", step);
    expect(mine.not_own + others.not_own, 0, "events of queues that are not the program's", step);
}

static void check_data(const lane *l, int step)
{
    for (uint32_t i = 0; i < ITEMS; i += 257) {
        uint32_t x = i + (rounds ? 2 : 1) * (uint32_t)step;
        for (int k = 0; k < rounds; k++)
            x = x * 1664525u + 1013904223u;
        expect(l->out[i], x, "what was computed", step);
    }
}

static void renew(lane *l, int step)
{
    unsigned users = 0;
    TRY(step, clRetainCommandQueue(l->queue));
    TRY(step, clReleaseCommandQueue(l->queue));
    TRY(step, clGetCommandQueueInfo(l->queue, QUEUE_REFERENCES, sizeof users, &users, NULL));
    TRY(step, clReleaseCommandQueue(l->queue));
    make_queue(l, l->properties, step);
}

static void run(int steps, const char *mode)
{
    int kernel = strcmp(mode, "kernel") == 0, unordered = strcmp(mode, "unordered") == 0;
    int blocking = kernel || strcmp(mode, "blocking") == 0;
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < QUEUES; i++)
            submit(&lanes[i], (unsigned)blocking, kernel, step);
        for (int i = 0; !blocking && i < QUEUES; i++)
            TRY(step, unordered ? clWaitForEvents(1, &lanes[i].events[2]) : clFinish(lanes[i].queue));
        for (int i = 0; i < QUEUES; i++) {
            check_data(&lanes[i], step);
            if (strcmp(mode, "early") == 0)
                TRY(step, clReleaseCommandQueue(lanes[i].queue));
            check_times(&lanes[i], strcmp(mode, "threads") == 0, step);
            if (strcmp(mode, "early") == 0)
                make_queue(&lanes[i], lanes[i].properties, step);
            if (strcmp(mode, "fresh") == 0)
                renew(&lanes[i], step);
        }
        if (strcmp(mode, "extension") == 0 && step == steps / 2)
            (void)clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueCommandBufferKHR");
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 20;
    const char *mode = argc > 2 ? argv[2] : "";
    rounds = argc > 3 && strcmp(argv[3], "uncomputed") == 0 ? 0 : rounds;
    find_device();
    make(strcmp(mode, "plain") == 0       ? 0
         : strcmp(mode, "unordered") == 0 ? PROFILING | UNORDERED
                                          : PROFILING,
         strcmp(mode, "mixed") == 0);
    run(steps, mode);
    printf("%d steps, %d times, %d complaints, last %08x\n", steps, times, complaints, lanes[0].out[1]);
    return complaints > 0;
}
