#include "device/cuda/nvml.h"

#include <stdio.h>
#include <string.h>

#include "record/record.h"

#define NVML_INSUFFICIENT_SIZE 7

static const cf_dl_symbol symbols[] = {
#define X(field, names, optional, parameters) {names, offsetof(cf_cuda_nvml, field), optional},
    CF_NVML_API_TABLE(X)
#undef X
};
static const char *const libraries[] = {"libnvidia-ml.so.1", "libnvidia-ml.so", NULL};

/* Those that say that the device is slower than it could be. Idle clocks and clocks that were asked for are not. */
static const struct {
    unsigned long long bit;
    const char *name;
} holds[] = {
    {0x4, "sw-power-cap"}, {0x8, "hw-slowdown"}, {0x20, "sw-thermal"}, {0x40, "hw-thermal"}, {0x80, "power-brake"}};

static void start(cf_cuda_nvml *nvml, const char *pci)
{
    int code = nvml->init();
    if (code == 0) {
        nvml->started = true;
        code = nvml->by_pci(pci, &nvml->device);
    }
    if (code != 0) {
        nvml->device = NULL;
        snprintf(nvml->why, sizeof nvml->why, "NVML %s with code %d",
                 nvml->started ? "does not know it" : "does not start", code);
    }
}

void cf_cuda_nvml_open(cf_cuda_nvml *nvml, const char *pci)
{
    cf_error err = {0};
    memset(nvml, 0, sizeof *nvml);
    if (cf_dl_open("CONFOUND_NVML_LIBRARY", libraries, &nvml->dl, &err) == CF_OK &&
        cf_dl_load(nvml->dl, symbols, sizeof symbols / sizeof symbols[0], nvml, &err) == CF_OK)
        start(nvml, pci);
    else
        snprintf(nvml->why, sizeof nvml->why, "%.255s", err.text);
}

void cf_cuda_nvml_close(cf_cuda_nvml *nvml)
{
    if (nvml->started)
        nvml->shutdown();
    cf_dl_close(nvml->dl);
    memset(nvml, 0, sizeof *nvml);
}

static bool reasons_now(const cf_cuda_nvml *nvml, unsigned long long *ret_reasons)
{
    return nvml->device != NULL && nvml->reasons != NULL && nvml->reasons(nvml->device, ret_reasons) == 0;
}

unsigned cf_cuda_nvml_marks(const cf_cuda_nvml *nvml)
{
    unsigned marks = 0;
    unsigned long long reasons = 0;
    if (reasons_now(nvml, &reasons))
        for (size_t i = 0; i < sizeof holds / sizeof holds[0]; i++)
            marks |= (reasons & holds[i].bit) != 0 ? CF_MARK_THROTTLED : 0;
    cf_nvml_process processes[8];
    unsigned count = sizeof processes / sizeof processes[0];
    int code = nvml->device != NULL && nvml->processes != NULL ? nvml->processes(nvml->device, &count, processes) : -1;
    if ((code == 0 || code == NVML_INSUFFICIENT_SIZE) && count > 1)
        marks |= CF_MARK_SHARED_DEVICE;
    return marks;
}

const char *cf_cuda_nvml_reasons(const cf_cuda_nvml *nvml, char *buf, size_t buf_bytes)
{
    unsigned long long reasons = 0;
    if (!reasons_now(nvml, &reasons))
        return NULL;
    size_t length = 0;
    snprintf(buf, buf_bytes, "none");
    for (size_t i = 0; i < sizeof holds / sizeof holds[0]; i++)
        if ((reasons & holds[i].bit) != 0 && length < buf_bytes)
            length +=
                (size_t)snprintf(buf + length, buf_bytes - length, "%s%s", length != 0 ? ", " : "", holds[i].name);
    return buf;
}
