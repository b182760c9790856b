/* What the tests of `cuda` share: the stub driver, and one pass over everything that the backend does. cmocka's headers
   come first. */
#ifndef CUDA_RIG_H
#define CUDA_RIG_H

#include "device/cuda/cuda.h"
#include "device/cuda/driver.h"
#include "device/tour.h"

#define STUB      CF_BINARY_DIR "/stub/cuda/libcuda.so.1"
#define STUB_12_8 CF_BINARY_DIR "/stub/cuda-12.8/libcuda.so.1"
#define STUB_12_0 CF_BINARY_DIR "/stub/cuda-12.0/libcuda.so.1"

static inline void use_stub(const char *path)
{
    setenv("CONFOUND_CUDA_LIBRARY", path, 1);
    setenv("CONFOUND_NVML_LIBRARY", path, 1);
    unsetenv("CONFOUND_STUB_FAIL");
    unsetenv("CONFOUND_STUB_DEVICES");
    unsetenv("CONFOUND_STUB_REASONS");
    unsetenv("CONFOUND_STUB_PROCESSES");
}

static inline long ask_stub(const char *name)
{
    return ask_library("CONFOUND_CUDA_LIBRARY", name);
}

static inline cf_status tour_make(tour *t, const cf_pairs *settings, cf_error *err)
{
    return tour_make_on(&cf_device_cuda, t, settings, err);
}

#endif
