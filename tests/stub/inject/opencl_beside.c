/* An OpenCL program as others write them, which knows nothing of confound: in each step five writes and a read of a
   megabyte on one queue, beside a kernel of KERNEL_US on another. MODE says what it asks the times of:
     events     each copy and the kernel, by their own events
     markers    the copies together: a marker before the first, and one behind the last
     barriers   the same with barriers
   MODE-plain has the same events on queues that are not profiled, and gets no time; with MODE-unordered the copies'
   queue is out of order, and events put them in order. The program loads the installed loader, checks what was copied,
   and complains where an answer is not by the rules. Exit status 77: there is no device. usage: opencl-beside STEPS
   KERNEL_US MODE */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/emulated.h"
#include "device/opencl/api.h"

#define BYTES     ((size_t)1 << 20)
#define COPIES    6
#define UNORDERED ((cl_bits)1)

typedef cl_int mark(cl_queue, cl_uint, const cl_event *, cl_event *);

static cf_cl cl;
static mark *barrier;
static cl_device device;
static cl_context context;
static cl_queue copies, kernels;
static cl_kernel kernel;
static cl_mem buffer;
static unsigned char *from, *to;
static cl_event own[COPIES], first, last, ran;
static const char *mode;
static int complaints, times;

/* Key and trips side by side: on the emulated GPU the kernel lasts as long as they say. */
static const char source[] = "kernel void work(global ulong *a, ulong key, ulong trips)\n"
                             "{\n"
                             "    ulong x = a[get_global_id(0)] ^ key;\n"
                             "    for (ulong i = 0; i < trips; i++)\n"
                             "        x = x * 6364136223846793005UL + 1442695040888963407UL;\n"
                             "    a[get_global_id(0)] = x;\n"
                             "}\n";

static void expect(long given, long wanted, const char *what, int step)
{
    if (given == wanted)
        return;
    complaints++;
    printf("step %d: %s is %ld, not %ld\n", step, what, given, wanted);
}
#define TRY(step, call) expect(cl.call, 0, #call, step)

static int is(const char *word)
{
    return strstr(mode, word) != NULL;
}

static void find_device(void)
{
    cl_platform platform;
    cl_uint count = 0;
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library || !(*(void **)&barrier = dlsym(library, "clEnqueueBarrierWithWaitList")))
        exit(77);
#define X(name, result, parameters)                                                                                    \
    if (!(*(void **)&cl.name = dlsym(library, #name)))                                                                 \
        exit(77);
    CF_CL_FUNCTIONS(X)
#undef X
    if (cl.clGetPlatformIDs(1, &platform, &count) != 0 || count == 0 ||
        cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &count) != 0 || count == 0)
        exit(77);
    /* cppcheck-suppress resourceLeak ; the library stays to the end */
}

static cl_mem memory(cl_bits flags)
{
    int code = -1;
    cl_mem made = cl.clCreateBuffer(context, CL_MEM_READ_WRITE | flags, BYTES, NULL, &code);
    expect(code, 0, "clCreateBuffer", -1);
    return made;
}

static void *pinned(void)
{
    int code = -1;
    void *at = cl.clEnqueueMapBuffer(kernels, memory(CL_MEM_ALLOC_HOST_PTR), 1, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0,
                                     NULL, NULL, &code);
    expect(code, 0, "clEnqueueMapBuffer", -1);
    if (code != 0)
        exit(1);
    return at;
}

static void make_kernel(cl_ulong us)
{
    const cl_ulong key = CF_EMULATED_TRIPS_KEY, trips = us * 100;
    const char *text = source;
    int code = -1;
    cl_mem numbers = memory(0);
    cl_program program = cl.clCreateProgramWithSource(context, 1, &text, NULL, &code);
    TRY(-1, clBuildProgram(program, 1, &device, "", NULL, NULL));
    kernel = cl.clCreateKernel(program, "work", &code);
    expect(code, 0, "clCreateKernel", -1);
    TRY(-1, clSetKernelArg(kernel, 0, sizeof(void *), &numbers));
    TRY(-1, clSetKernelArg(kernel, 1, sizeof key, &key));
    TRY(-1, clSetKernelArg(kernel, 2, sizeof trips, &trips));
}

static void make(cl_ulong us)
{
    const cl_bits profiled = is("-plain") ? 0 : CL_QUEUE_PROFILING_ENABLE;
    const cl_bits unordered = is("-unordered") ? UNORDERED : 0;
    int code = -1;
    context = cl.clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    expect(code, 0, "clCreateContext", -1);
    copies = cl.clCreateCommandQueue(context, device, profiled | unordered, &code);
    expect(code, 0, "clCreateCommandQueue", -1);
    kernels = cl.clCreateCommandQueue(context, device, profiled, &code);
    expect(code, 0, "clCreateCommandQueue", -1);
    make_kernel(us);
    from = pinned();
    to = pinned();
    buffer = memory(0);
}

static void put_mark(cl_event *ret_mark, int step)
{
    if (is("markers"))
        TRY(step, clEnqueueMarkerWithWaitList(copies, 0, NULL, ret_mark));
    if (is("barriers"))
        expect(barrier(copies, 0, NULL, ret_mark), 0, "clEnqueueBarrierWithWaitList", step);
}

/* Each waits for the one before, which an out-of-order queue has to be told. */
static void put_copy(int i, int step)
{
    const cl_event *before = i && is("-unordered") ? &own[i - 1] : NULL;
    if (i < COPIES - 1)
        TRY(step, clEnqueueWriteBuffer(copies, buffer, 0, 0, BYTES, from, before != NULL, before, &own[i]));
    else
        TRY(step, clEnqueueReadBuffer(copies, buffer, 0, 0, BYTES, to, before != NULL, before, &own[i]));
}

static void submit(int step)
{
    const size_t items = 32;
    TRY(step, clEnqueueNDRangeKernel(kernels, kernel, 1, NULL, &items, &items, 0, NULL, &ran));
    TRY(step, clFlush(kernels));
    put_mark(&first, step);
    for (int i = 0; i < COPIES; i++)
        put_copy(i, step);
    put_mark(&last, step);
    TRY(step, clFlush(copies));
    TRY(step, clFinish(copies));
    TRY(step, clFinish(kernels));
}

static cl_ulong time_of(cl_event event, cl_uint which, int step)
{
    const int wanted = is("-plain") ? CL_PROFILING_INFO_NOT_AVAILABLE : 0;
    cl_ulong ns = 0;
    expect(cl.clGetEventProfilingInfo(event, which, sizeof ns, &ns, NULL), wanted, "the answer to a time", step);
    times += ns > 0;
    return ns;
}

static void check_times(int step)
{
    if (first && last) {
        const cl_ulong begin = time_of(first, CL_PROFILING_COMMAND_END, step);
        expect(time_of(last, CL_PROFILING_COMMAND_END, step) >= begin, 1, "that the marks are in order", step);
    }
    for (int i = 0; i <= COPIES && !first; i++) {
        cl_event event = i < COPIES ? own[i] : ran;
        const cl_ulong begin = time_of(event, CL_PROFILING_COMMAND_START, step);
        expect(time_of(event, CL_PROFILING_COMMAND_END, step) >= begin, 1, "that an end is behind its begin", step);
    }
}

static void check(int step)
{
    for (size_t i = 0; i < BYTES; i += 4099)
        if (to[i] != from[i]) {
            expect(to[i], from[i], "what was copied", step);
            break;
        }
    check_times(step);
    for (int i = 0; i < COPIES; i++)
        TRY(step, clReleaseEvent(own[i]));
    TRY(step, clReleaseEvent(ran));
    if (first)
        TRY(step, clReleaseEvent(first));
    if (last)
        TRY(step, clReleaseEvent(last));
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 10;
    mode = argc > 3 ? argv[3] : "markers";
    find_device();
    make(argc > 2 ? strtoull(argv[2], NULL, 10) : 3000);
    for (int step = 0; step < steps && complaints < 20; step++) {
        for (size_t i = 0; i < BYTES; i++)
            from[i] = (unsigned char)((size_t)step * 31 + i * 7);
        submit(step);
        check(step);
    }
    printf("%d steps, %d times, %d complaints\n", steps, times, complaints);
    return complaints > 0;
}
