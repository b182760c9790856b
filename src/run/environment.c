/* The variables that matter, once. */
#include <stddef.h>

#include "run/run.h"

const cf_run_variable cf_run_variables[] = {
    {"CUDA_DEVICE_MAX_CONNECTIONS", "hardware queues that streams share", false},
    {"CUDA_LAUNCH_BLOCKING", "every launch waits", false},
    {"CUDA_MODULE_LOADING", "when kernels are loaded", false},
    {"CUDA_VISIBLE_DEVICES", "which devices there are", false},
    {"CUDA_INJECTION64_PATH", "a library loaded into every CUDA program", true},
    {"NVTX_INJECTION64_PATH", "a library behind NVTX", true},
    {"LD_PRELOAD", "libraries loaded before ours", true},
    {"LD_AUDIT", "libraries that watch the loader", true},
    {"POCL_*", "settings of PoCL", false},
    {"OPENCL_LAYERS", "layers of the OpenCL loader", true},
    {"OCL_ICD_*", "settings of the OpenCL loader", false},
    {"ZE_ENABLE_TRACING_LAYER", "the Level Zero loader's tracer", true},
    {"ZET_ENABLE_*", "tools of Level Zero", true},
    {"ZE_*", "settings of Level Zero", false},
    {"NEO*", "settings of Intel's driver", false},
    {"UR_*", "settings of Unified Runtime", false},
    {"SYCL_*", "settings of SYCL", false},
    {"GPU_MAX_HW_QUEUES", "hardware queues that streams share", false},
    {"OMP_NUM_THREADS", "threads beside ours", false},
    {"MALLOC_*", "settings of the allocator", false},
    {NULL, NULL, false},
};
