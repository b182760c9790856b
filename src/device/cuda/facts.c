/* What the record says of the device and of how it was used. */
#include "device/cuda/state.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MPOL_F_NODE 1ul /* linux/mempolicy.h */
#define MPOL_F_ADDR 2ul
#define PROBE_BYTES 65536u
#define CLOCK_SM    1 /* NVML_CLOCK_SM */

static cf_status add_device(const cf_cuda *cuda, cf_pairs *facts, cf_error *err)
{
    int numa = -1;
    size_t bytes = 0;
    cf_status status = cf_pairs_add_format(facts, err, "pci", "%s", cuda->pci);
    if (status == CF_OK)
        status = cf_pairs_add_format(facts, err, "compute_capability", "%d.%d", cuda->major, cuda->minor);
    if (status == CF_OK)
        status = cf_pairs_add_format(facts, err, "multiprocessors", "%d", cuda->sms);
    if (status == CF_OK)
        status = cf_pairs_add_format(facts, err, "copy_engines", "%d", cuda->engines);
    if (status == CF_OK)
        status = CF_CUDA_TRY(&cuda->api, err, "cuDeviceTotalMem", cuda->api.device_memory(&bytes, cuda->device));
    if (status == CF_OK)
        status = cf_pairs_add_format(facts, err, "memory_bytes", "%zu", bytes);
    if (status != CF_OK)
        return status;
    /* An older driver does not know the question. */
    bool known = cuda->api.device_attribute(&numa, CF_CU_ATTRIBUTE_HOST_NUMA, cuda->device) == CF_CU_SUCCESS;
    return known && numa >= 0 ? cf_pairs_add_format(facts, err, "device_numa_node", "%d", numa)
                              : cf_pairs_add_format(facts, err, "device_numa_node", "not known to the driver");
}

/* The first page stands for all: a driver, or the first thread that writes, puts them where that thread runs. */
static cf_status add_host_node(cf_device *device, cf_pairs *facts, cf_error *err)
{
    cf_block *probe = NULL;
    int node = -1;
    cf_status status = cf_cuda_block_new(device, CF_PLACE_HOST, PROBE_BYTES, &probe, err);
    if (status != CF_OK)
        return status;
    long code = syscall(SYS_get_mempolicy, &node, NULL, 0ul, probe->host, MPOL_F_NODE | MPOL_F_ADDR);
    int why = errno;
    cf_cuda_block_free(device, probe);
    return code == 0 ? cf_pairs_add_format(facts, err, "host_numa_node", "%d", node)
                     : cf_pairs_add_format(facts, err, "host_numa_node", "not known: %s", strerror(why));
}

static cf_status add_priorities(const cf_cuda *cuda, cf_pairs *facts, cf_error *err)
{
    static const char *const names[CF_CUDA_STREAMS] = {"stream_priority_a", "stream_priority_b"};
    cf_status status = CF_OK;
    uint64_t most = cuda->most < 0 ? (uint64_t)-cuda->most : 0;
    for (int i = 0; i < CF_CUDA_STREAMS && status == CF_OK; i++) {
        if (cuda->stream_kind == CF_CUDA_LEGACY && i == 0)
            status = cf_pairs_add_format(facts, err, names[i], "0 (the default stream has no other)");
        else
            status =
                cf_pairs_add_format(facts, err, names[i], "%llu of 0 to %llu%s",
                                    (unsigned long long)(cuda->urgency[i] < most ? cuda->urgency[i] : most),
                                    (unsigned long long)most, cuda->urgency[i] > most ? " (more was asked for)" : "");
    }
    return status;
}

static cf_status add_use(cf_device *device, cf_pairs *facts, cf_error *err)
{
    const cf_cuda *cuda = device->state;
    static const char *const streams[] = {"non-blocking", "blocking", "a on the default stream, b on a blocking one"};
    const char *batch = "a loop of cuMemcpyHtoDAsync: the driver has no cuMemcpyBatchAsync";
    if (cf_cuda_batches(cuda))
        batch = cuda->api.batch != NULL ? "cuMemcpyBatchAsync (13.0)" : "cuMemcpyBatchAsync (12.8)";
    if (cf_cuda_batches(cuda) && cuda->stream_kind == CF_CUDA_LEGACY)
        batch = "cuMemcpyBatchAsync on lane b, a loop on lane a: the default stream takes none";
    cf_status status = cf_pairs_add_format(facts, err, "driver_library", "%s", cf_dl_path(cuda->api.dl));
    if (status == CF_OK)
        status = cf_pairs_add_format(facts, err, "host_memory", "%s", cuda->pageable ? "pageable" : "pinned");
    if (status == CF_OK)
        status = cf_pairs_add_format(facts, err, "stream_kind", "%s", streams[cuda->stream_kind]);
    if (status == CF_OK)
        status = add_priorities(cuda, facts, err);
    if (status == CF_OK)
        status = cf_pairs_add_format(facts, err, "batch_path", "%s", batch);
    if (status == CF_OK)
        status = cf_pairs_add_format(facts, err, "kernel_blocks_at_share_1", "%d", cuda->full[0]);
    return status == CF_OK ? add_host_node(device, facts, err) : status;
}

static cf_status add_number(cf_pairs *facts, cf_error *err, const char *name, int code, unsigned value)
{
    return code == 0 ? cf_pairs_add_format(facts, err, name, "%u", value)
                     : cf_pairs_add_format(facts, err, name, "not known");
}

static cf_status add_nvml(const cf_cuda_nvml *nvml, cf_pairs *facts, cf_error *err)
{
    char reasons[128];
    unsigned value = 0;
    if (nvml->device == NULL)
        return cf_pairs_add_format(facts, err, "nvml", "absent: throttling and other processes cannot be seen (%s)",
                                   nvml->why);
    cf_status status = cf_pairs_add_format(facts, err, "nvml", "%s", cf_dl_path(nvml->dl));
    int code = nvml->clock != NULL ? nvml->clock(nvml->device, CLOCK_SM, &value) : -1;
    if (status == CF_OK)
        status = add_number(facts, err, "clock_mhz", code, value);
    code = nvml->clock_most != NULL ? nvml->clock_most(nvml->device, CLOCK_SM, &value) : -1;
    if (status == CF_OK)
        status = add_number(facts, err, "clock_most_mhz", code, value);
    code = nvml->power != NULL ? nvml->power(nvml->device, &value) : -1;
    if (status == CF_OK)
        status = add_number(facts, err, "power_w", code, value / 1000);
    code = nvml->power_limit != NULL ? nvml->power_limit(nvml->device, &value) : -1;
    if (status == CF_OK)
        status = add_number(facts, err, "power_limit_w", code, value / 1000);
    const char *text = cf_cuda_nvml_reasons(nvml, reasons, sizeof reasons);
    return status == CF_OK ? cf_pairs_add_format(facts, err, "throttled_by", "%s", text != NULL ? text : "not known")
                           : status;
}

cf_status cf_cuda_facts(cf_device *device, cf_pairs *facts, cf_error *err)
{
    cf_cuda *cuda = device->state;
    cf_status status = add_device(cuda, facts, err);
    if (status == CF_OK)
        status = add_use(device, facts, err);
    return status == CF_OK ? add_nvml(&cuda->nvml, facts, err) : status;
}
