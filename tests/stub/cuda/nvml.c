/* NVML: clocks that stand still, and what two variables say. */
#include <stdio.h>
#include <stdlib.h>

#include "device/cuda/nvml.h"
#include "stub.h"

ENTRY int nvmlInit_v2(void)
{
    STUB_BEGIN("nvmlInit_v2");
    return 0;
}

ENTRY int nvmlShutdown(void)
{
    return 0;
}

ENTRY int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, cf_nvml_device *ret_device)
{
    STUB_BEGIN("nvmlDeviceGetHandleByPciBusId_v2");
    unsigned domain = 0, bus = 0, slot = 0;
    if (sscanf(pci, "%8x:%2x:%2x.0", &domain, &bus, &slot) != 3)
        return 2;
    *ret_device = (cf_nvml_device)(void *)&stub;
    return 0;
}

ENTRY int nvmlSystemGetDriverVersion(char *version, unsigned version_bytes)
{
    snprintf(version, version_bytes, "stub");
    return 0;
}

ENTRY int nvmlDeviceGetCurrentClocksThrottleReasons(cf_nvml_device device, unsigned long long *ret_reasons)
{
    (void)device;
    const char *text = getenv("CONFOUND_STUB_REASONS");
    *ret_reasons = text != NULL ? strtoull(text, NULL, 16) : 0x1;
    return 0;
}

/* As the library does: too small a room is told with the number that it takes. */
ENTRY int nvmlDeviceGetComputeRunningProcesses_v3(cf_nvml_device device, unsigned *count, cf_nvml_process *processes)
{
    (void)device;
    const char *text = getenv("CONFOUND_STUB_PROCESSES");
    unsigned have = text != NULL ? (unsigned)strtoul(text, NULL, 10) : 1;
    unsigned room = *count;
    *count = have;
    for (unsigned i = 0; i < have && i < room; i++)
        processes[i] = (cf_nvml_process){.pid = 1 + i};
    return have > room ? 7 : 0;
}

ENTRY int nvmlDeviceGetClockInfo(cf_nvml_device device, int type, unsigned *ret_mhz)
{
    (void)device;
    *ret_mhz = type == 1 ? 1000 : 0;
    return 0;
}
