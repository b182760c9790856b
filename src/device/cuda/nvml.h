/* What NVML tells of a device: clocks, why they are held down, who else is there. Loaded at run time; absent, nothing
   is known, and nothing fails. */
#ifndef CF_DEVICE_CUDA_NVML_H
#define CF_DEVICE_CUDA_NVML_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dl.h"

typedef struct cf_nvml_device_st *cf_nvml_device;

/* nvmlProcessInfo_v2_t, which the _v2 and _v3 calls fill. */
typedef struct cf_nvml_process {
    unsigned pid;
    unsigned long long memory_bytes;
    unsigned gpu_instance, compute_instance;
} cf_nvml_process;
_Static_assert(sizeof(cf_nvml_process) == 24, "NVML's layout");

/* field, names of one signature (newest first), optional, parameters */
#define CF_NVML_API_TABLE(X)                                                                                           \
    X(init, "nvmlInit_v2", false, (void))                                                                              \
    X(shutdown, "nvmlShutdown", false, (void))                                                                         \
    X(by_pci, "nvmlDeviceGetHandleByPciBusId_v2", false, (const char *pci, cf_nvml_device *ret_device))                \
    X(driver_version, "nvmlSystemGetDriverVersion", true, (char *version, unsigned version_bytes))                     \
    X(reasons, "nvmlDeviceGetCurrentClocksEventReasons nvmlDeviceGetCurrentClocksThrottleReasons", true,               \
      (cf_nvml_device device, unsigned long long *ret_reasons))                                                        \
    X(processes, "nvmlDeviceGetComputeRunningProcesses_v3 nvmlDeviceGetComputeRunningProcesses_v2", true,              \
      (cf_nvml_device device, unsigned *count, cf_nvml_process *processes))                                            \
    X(clock, "nvmlDeviceGetClockInfo", true, (cf_nvml_device device, int type, unsigned *ret_mhz))                     \
    X(clock_most, "nvmlDeviceGetMaxClockInfo", true, (cf_nvml_device device, int type, unsigned *ret_mhz))             \
    X(power, "nvmlDeviceGetPowerUsage", true, (cf_nvml_device device, unsigned *ret_mw))                               \
    X(power_limit, "nvmlDeviceGetEnforcedPowerLimit", true, (cf_nvml_device device, unsigned *ret_mw))

typedef struct cf_cuda_nvml {
#define X(field, names, optional, parameters) int(*field) parameters;
    CF_NVML_API_TABLE(X)
#undef X
    cf_dl *dl;
    bool started;
    cf_nvml_device device; /* NULL = nothing is known */
    char why[256];         /* then: why */
} cf_cuda_nvml;

void cf_cuda_nvml_open(cf_cuda_nvml *nvml, const char *pci);
void cf_cuda_nvml_close(cf_cuda_nvml *nvml); /* takes a zeroed one */
/* CF_MARK_… bits that hold now, 0 where nothing is known. Of the processes on the device one is taken to be this one,
   because a container may hide which. */
unsigned cf_cuda_nvml_marks(const cf_cuda_nvml *nvml);
/* "hw-slowdown, sw-power-cap" of what holds the clocks down now, "none"; NULL = not known. Returns buf. */
const char *cf_cuda_nvml_reasons(const cf_cuda_nvml *nvml, char *buf, size_t buf_bytes);

#endif
