/* A library that stands where OpenCL's loader would: it hands every call on to the real one, and makes the one that
   CONFOUND_STUB_FAIL names fail: NAME:N:CODE = the N-th call of NAME returns CODE. CONFOUND_STUB_COUNT names a file to
   which "NAME CALLS" is written at exit, so that a test knows how often a call is made. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/opencl/api.h"

enum {
#define X(name, result, parameters) AT_##name,
    CF_CL_FUNCTIONS(X)
#undef X
        FUNCTION_COUNT
};
static const char *const names[] = {
#define X(name, result, parameters) #name,
    CF_CL_FUNCTIONS(X)
#undef X
};

static cf_cl real;
static atomic_long calls[FUNCTION_COUNT];
static char fail_name[64];
static long fail_at;
static int fail_code;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "forward: %s\n", dlerror());
        _Exit(99);
    }
#define X(name, result, parameters) *(void **)&real.name = dlsym(library, #name);
    CF_CL_FUNCTIONS(X)
#undef X
    const char *fail = getenv("CONFOUND_STUB_FAIL");
    if (fail != NULL && sscanf(fail, "%63[^:]:%ld:%d", fail_name, &fail_at, &fail_code) != 3)
        _Exit(98);
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("CONFOUND_STUB_COUNT");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    for (int i = 0; file != NULL && i < FUNCTION_COUNT; i++)
        fprintf(file, "%s %ld\n", names[i], atomic_load(&calls[i]));
    if (file != NULL)
        fclose(file);
}

static int fails(int at)
{
    pthread_once(&once, load);
    long call = atomic_fetch_add(&calls[at], 1) + 1;
    return call == fail_at && strcmp(names[at], fail_name) == 0;
}

#define EXPORT __attribute__((visibility("default")))
#define CODE(name, result, parameters, arguments)                                                                      \
    EXPORT result name parameters;                                                                                     \
    EXPORT result name parameters                                                                                      \
    {                                                                                                                  \
        return fails(AT_##name) ? fail_code : real.name arguments;                                                     \
    }
#define HANDLE(name, result, parameters, arguments, code)                                                              \
    EXPORT result name parameters;                                                                                     \
    EXPORT result name parameters                                                                                      \
    {                                                                                                                  \
        if (!fails(AT_##name))                                                                                         \
            return real.name arguments;                                                                                \
        if (code != NULL)                                                                                              \
            *code = fail_code;                                                                                         \
        return NULL;                                                                                                   \
    }

/* clang-format off */
CODE(clGetPlatformIDs, cl_int, (cl_uint a, cl_platform *b, cl_uint *c), (a, b, c))
CODE(clGetPlatformInfo, cl_int, (cl_platform a, cl_uint b, size_t c, void *d, size_t *e), (a, b, c, d, e))
CODE(clGetDeviceIDs, cl_int, (cl_platform a, cl_bits b, cl_uint c, cl_device *d, cl_uint *e), (a, b, c, d, e))
CODE(clGetDeviceInfo, cl_int, (cl_device a, cl_uint b, size_t c, void *d, size_t *e), (a, b, c, d, e))
HANDLE(clCreateContext, cl_context, (const intptr_t *a, cl_uint b, const cl_device *c, void (*d)(const char *, const void *, size_t, void *), void *e, cl_int *f), (a, b, c, d, e, f), f)
CODE(clReleaseContext, cl_int, (cl_context a), (a))
HANDLE(clCreateCommandQueue, cl_queue, (cl_context a, cl_device b, cl_bits c, cl_int *d), (a, b, c, d), d)
CODE(clReleaseCommandQueue, cl_int, (cl_queue a), (a))
CODE(clGetCommandQueueInfo, cl_int, (cl_queue a, cl_uint b, size_t c, void *d, size_t *e), (a, b, c, d, e))
HANDLE(clCreateBuffer, cl_mem, (cl_context a, cl_bits b, size_t c, void *d, cl_int *e), (a, b, c, d, e), e)
CODE(clReleaseMemObject, cl_int, (cl_mem a), (a))
HANDLE(clCreateProgramWithSource, cl_program, (cl_context a, cl_uint b, const char **c, const size_t *d, cl_int *e), (a, b, c, d, e), e)
CODE(clBuildProgram, cl_int, (cl_program a, cl_uint b, const cl_device *c, const char *d, void (*e)(cl_program, void *), void *f), (a, b, c, d, e, f))
CODE(clGetProgramBuildInfo, cl_int, (cl_program a, cl_device b, cl_uint c, size_t d, void *e, size_t *f), (a, b, c, d, e, f))
CODE(clReleaseProgram, cl_int, (cl_program a), (a))
HANDLE(clCreateKernel, cl_kernel, (cl_program a, const char *b, cl_int *c), (a, b, c), c)
CODE(clReleaseKernel, cl_int, (cl_kernel a), (a))
CODE(clSetKernelArg, cl_int, (cl_kernel a, cl_uint b, size_t c, const void *d), (a, b, c, d))
CODE(clEnqueueNDRangeKernel, cl_int, (cl_queue a, cl_kernel b, cl_uint c, const size_t *d, const size_t *e, const size_t *f, cl_uint g, const cl_event *h, cl_event *i), (a, b, c, d, e, f, g, h, i))
CODE(clEnqueueWriteBuffer, cl_int, (cl_queue a, cl_mem b, cl_bool c, size_t d, size_t e, const void *f, cl_uint g, const cl_event *h, cl_event *i), (a, b, c, d, e, f, g, h, i))
CODE(clEnqueueReadBuffer, cl_int, (cl_queue a, cl_mem b, cl_bool c, size_t d, size_t e, void *f, cl_uint g, const cl_event *h, cl_event *i), (a, b, c, d, e, f, g, h, i))
CODE(clEnqueueCopyBuffer, cl_int, (cl_queue a, cl_mem b, cl_mem c, size_t d, size_t e, size_t f, cl_uint g, const cl_event *h, cl_event *i), (a, b, c, d, e, f, g, h, i))
HANDLE(clEnqueueMapBuffer, void *, (cl_queue a, cl_mem b, cl_bool c, cl_bits d, size_t e, size_t f, cl_uint g, const cl_event *h, cl_event *i, cl_int *j), (a, b, c, d, e, f, g, h, i, j), j)
CODE(clEnqueueUnmapMemObject, cl_int, (cl_queue a, cl_mem b, void *c, cl_uint d, const cl_event *e, cl_event *f), (a, b, c, d, e, f))
CODE(clEnqueueMarkerWithWaitList, cl_int, (cl_queue a, cl_uint b, const cl_event *c, cl_event *d), (a, b, c, d))
CODE(clFlush, cl_int, (cl_queue a), (a))
CODE(clFinish, cl_int, (cl_queue a), (a))
CODE(clRetainEvent, cl_int, (cl_event a), (a))
CODE(clReleaseEvent, cl_int, (cl_event a), (a))
CODE(clGetEventInfo, cl_int, (cl_event a, cl_uint b, size_t c, void *d, size_t *e), (a, b, c, d, e))
CODE(clGetEventProfilingInfo, cl_int, (cl_event a, cl_uint b, size_t c, void *d, size_t *e), (a, b, c, d, e))
/* clang-format on */
