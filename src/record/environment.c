#include "record/environment.h"

#include <string.h>

const cf_variable cf_variables[] = {
    {"CUDA_DEVICE_MAX_CONNECTIONS", "hardware queues that streams share", false, "cuda",
     "streams share that many hardware queues, and where two share one, an event of one may hold up the other"},
    {"CUDA_LAUNCH_BLOCKING", "every launch waits", false, "cuda",
     "where it is 1 every launch waits for its kernel, so that lanes cannot overlap through it"},
    {"CUDA_MODULE_LOADING", "when kernels are loaded", false, "cuda",
     "a kernel that is loaded at its first launch makes the first step slow, and loading waits for the device"},
    {"CUDA_VISIBLE_DEVICES", "which devices there are", false, "cuda", "it says which GPU is number 0"},
    {"CUDA_INJECTION64_PATH", "a library loaded into every CUDA program", true, "cuda",
     "that library was loaded into this process and may have observed all of it, the control included"},
    {"NVTX_INJECTION64_PATH", "a library behind NVTX", true, "cuda",
     "that library was loaded into this process and may have observed all of it, the control included"},
    {"LD_PRELOAD", "libraries loaded before ours", true, NULL,
     "that library was loaded into this process and may have observed all of it, the control included"},
    {"LD_AUDIT", "libraries that watch the loader", true, NULL,
     "that library was loaded into this process and may have observed all of it, the control included"},
    {"POCL_MAX_PTHREAD_COUNT", "threads that PoCL computes on", false, "opencl",
     "kernels compute on that many threads, which are the device"},
    {"POCL_*", "settings of PoCL", false, "opencl", NULL},
    {"OPENCL_LAYERS", "layers of the OpenCL loader", true, "opencl",
     "that layer stood between this process and the driver, the control included"},
    {"OCL_ICD_*", "settings of the OpenCL loader", false, "opencl", NULL},
    {"ZE_ENABLE_TRACING_LAYER", "the Level Zero loader's tracer", true, "level-zero",
     "the tracer was switched on for the whole process, the control included"},
    {"ZE_ENABLE_VALIDATION_LAYER", "the Level Zero loader's checks of each call", true, "level-zero",
     "that layer stood between this process and the driver, the control included"},
    {"ZET_ENABLE_*", "tools of Level Zero", true, "level-zero",
     "a tool was switched on for the whole process, the control included"},
    {"ZE_AFFINITY_MASK", "which devices there are", false, "level-zero", "it says which GPU is number 0"},
    {"ZE_*", "settings of Level Zero", false, "level-zero", NULL},
    {"NEO*", "settings of Intel's driver", false, "level-zero", NULL},
    {"UR_*", "settings of Unified Runtime", false, "level-zero", NULL},
    {"SYCL_*", "settings of SYCL", false, "level-zero", NULL},
    {"GPU_MAX_HW_QUEUES", "hardware queues that streams share", false, NULL,
     "streams share that many hardware queues, and where two share one, an event of one may hold up the other"},
    {"OMP_NUM_THREADS", "threads beside ours", false, NULL, NULL},
    {"MALLOC_*", "settings of the allocator", false, NULL, NULL},
    {NULL, NULL, false, NULL, NULL},
};

static bool matches(const cf_variable *variable, const char *name, size_t length)
{
    size_t wanted = strlen(variable->name);
    if (variable->name[wanted - 1] == '*')
        return length >= wanted - 1 && strncmp(variable->name, name, wanted - 1) == 0;
    return length == wanted && strncmp(variable->name, name, wanted) == 0;
}

const cf_variable *cf_variable_find(const char *name)
{
    size_t length = strcspn(name, "=");
    for (const cf_variable *v = cf_variables; v->name != NULL; v++)
        if (matches(v, name, length))
            return v;
    return NULL;
}
