/* DEVICE_QUERY: what the driver learns of the device. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "emulator/kernel.h"
#include "emulator/uapi.h"

#define SYSTEM_BYTES (16ull << 30)
#define ADDRESS_BITS 48

/* The driver asks twice: for the size, then for the data. */
static int answer(struct cf_xe_device_query *query, const void *data, size_t bytes)
{
    if (query->size && query->size != bytes)
        return EINVAL;
    if (query->size)
        memcpy(cf_xe_pointer(query->data), data, bytes);
    query->size = (uint32_t)bytes;
    return 0;
}

static uint16_t class_of(cf_emu_class engine_class)
{
    return engine_class == CF_EMU_RENDER ? CF_XE_ENGINE_CLASS_RENDER
           : engine_class == CF_EMU_COPY ? CF_XE_ENGINE_CLASS_COPY
                                         : CF_XE_ENGINE_CLASS_COMPUTE;
}

static int engines(const cf_emu_device *device, struct cf_xe_device_query *query)
{
    struct {
        uint32_t num_engines, pad;
        struct cf_xe_engine engines[CF_EMU_ENGINES];
    } found = {.num_engines = (uint32_t)device->engine_count};
    for (size_t i = 0; i < device->engine_count; i++)
        found.engines[i].instance =
            (struct cf_xe_engine_class_instance){.engine_class = class_of(device->engines[i].engine_class),
                                                 .engine_instance = (uint16_t)device->engines[i].instance};
    return answer(query, &found, 8 + device->engine_count * sizeof found.engines[0]);
}

static int regions(const cf_emu_device *device, struct cf_xe_device_query *query)
{
    const uint64_t local_bytes = device->model.memory_bytes;
    const struct {
        uint32_t num_mem_regions, pad;
        struct cf_xe_mem_region regions[2];
    } found = {.num_mem_regions = 2,
               .regions = {{.mem_class = CF_XE_MEM_SYSMEM, .min_page_size = 4096, .total_size = SYSTEM_BYTES},
                           {.mem_class = CF_XE_MEM_VRAM,
                            .instance = 1,
                            .min_page_size = 65536,
                            .total_size = local_bytes,
                            .used = device->memory.local_bytes,
                            .cpu_visible_size = local_bytes}}};
    return answer(query, &found, sizeof found);
}

static int config(const cf_emu_device *device, struct cf_xe_device_query *query)
{
    const struct {
        uint32_t num_params, pad;
        uint64_t info[5];
    } found = {.num_params = 5,
               .info = {device->model.device_id | device->model.revision << 16,
                        CF_XE_CONFIG_HAS_VRAM | CF_XE_CONFIG_HAS_LOW_LATENCY, 65536, ADDRESS_BITS, 1}};
    return answer(query, &found, sizeof found);
}

static int gts(const cf_emu_device *device, struct cf_xe_device_query *query)
{
    const struct {
        uint32_t num_gt, pad;
        struct cf_xe_gt gt;
    } found = {.num_gt = 1,
               .gt = {.reference_clock = (uint32_t)device->model.timestamp_hz,
                      .near_mem_regions = 2,
                      .far_mem_regions = 1,
                      .ip_ver_major = (uint16_t)device->model.ip_major,
                      .ip_ver_minor = (uint16_t)device->model.ip_minor,
                      .ip_ver_rev = (uint16_t)device->model.ip_release}};
    return answer(query, &found, sizeof found);
}

/* Key, length, value. Keys: NEO, shared/source/os_interface/linux/device_blob... "GuC hwconfig" table. */
static int hwconfig(const cf_emu_device *device, struct cf_xe_device_query *query)
{
    const cf_emu_model *model = &device->model;
    const uint32_t subslices = (uint32_t)(model->slices * model->subslices_per_slice);
    const uint32_t found[] = {1,  1, (uint32_t)model->slices,
                              70, 1, subslices,
                              71, 1, (uint32_t)model->eus_per_subslice,
                              15, 1, (uint32_t)model->threads_per_eu,
                              10, 1, 6,
                              11, 1, 4,
                              23, 1, 1,
                              24, 1, 1,
                              64, 1, 1024,
                              73, 1, 128,
                              62, 1, 0};
    return answer(query, found, sizeof found);
}

/* Masks of 8 bytes each, one behind another. */
static size_t mask(uint8_t *at, uint16_t type, uint64_t count)
{
    const struct cf_xe_query_topology_mask head = {.type = type, .num_bytes = 8};
    const uint64_t bits = count >= 64 ? ~0ull : (1ull << count) - 1;
    memcpy(at, &head, sizeof head);
    memcpy(at + sizeof head, &bits, sizeof bits);
    return sizeof head + sizeof bits;
}

static int topology(const cf_emu_device *device, struct cf_xe_device_query *query)
{
    const uint64_t subslices = device->model.slices * device->model.subslices_per_slice;
    uint8_t found[4 * 16];
    size_t bytes = mask(found, CF_XE_TOPO_DSS_GEOMETRY, subslices);
    bytes += mask(found + bytes, CF_XE_TOPO_DSS_COMPUTE, subslices);
    bytes += mask(found + bytes, CF_XE_TOPO_L3_BANK, 18);
    bytes += mask(found + bytes, CF_XE_TOPO_SIMD16_EU, device->model.eus_per_subslice);
    return answer(query, found, bytes);
}

/* Unlike the others, this one is a question too: by which of the host's clocks. */
static int cycles(cf_emu_device *device, struct cf_xe_device_query *query)
{
    struct cf_xe_query_engine_cycles *found = cf_xe_pointer(query->data);
    struct timespec now;
    if (!query->size) {
        query->size = sizeof *found;
        return 0;
    }
    if (query->size != sizeof *found || clock_gettime(found->clockid, &now) != 0)
        return EINVAL;
    found->engine_cycles = cf_emu_device_timestamp(device, cf_emu_clock_now(&device->clock));
    found->cpu_timestamp = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    found->cpu_delta = 100;
    found->width = 64;
    return 0;
}

static int firmware(struct cf_xe_device_query *query)
{
    struct cf_xe_query_uc_fw_version *found = cf_xe_pointer(query->data);
    if (query->size && query->size != sizeof *found)
        return EINVAL;
    if (query->size) {
        found->major_ver = 70;
        found->minor_ver = 44;
    }
    query->size = sizeof *found;
    return 0;
}

int cf_emu_kernel_query(cf_emu_kernel *kernel, struct cf_xe_device_query *query)
{
    cf_emu_device *device = &kernel->device;
    switch (query->query) {
    case CF_XE_QUERY_ENGINES:
        return engines(device, query);
    case CF_XE_QUERY_MEM_REGIONS:
        return regions(device, query);
    case CF_XE_QUERY_CONFIG:
        return config(device, query);
    case CF_XE_QUERY_GT_LIST:
        return gts(device, query);
    case CF_XE_QUERY_HWCONFIG:
        return hwconfig(device, query);
    case CF_XE_QUERY_GT_TOPOLOGY:
        return topology(device, query);
    case CF_XE_QUERY_ENGINE_CYCLES:
        return cycles(device, query);
    case CF_XE_QUERY_UC_FW_VERSION:
        return firmware(query);
    default:
        return EINVAL;
    }
}
