/* What the emulated kernel driver is asked: the part of Linux's DRM interface, drm.h and xe_drm.h (both MIT), that is
   answered here. Written from the kernel's documentation (docs.kernel.org, "drm/xe uAPI"), because the headers of the
   oldest systems that this builds on have no xe_drm.h; tests/intel/test_uapi.py compares it with the real one. */
#ifndef CF_EMULATOR_UAPI_H
#define CF_EMULATOR_UAPI_H

#include <stdint.h>

/* An address in the program, as the interface writes it. */
static inline void *cf_xe_pointer(uint64_t address)
{
    union {
        uint64_t number;
        void *pointer;
    } same = {.number = address};
    return same.pointer;
}

/* drm.h */
#define CF_DRM_VERSION    0x00u
#define CF_DRM_GEM_CLOSE  0x09u
#define CF_DRM_COMMANDS   0x40u
#define CF_DRM_IOCTL_TYPE 'd'

struct cf_drm_version {
    int32_t version_major, version_minor, version_patchlevel, pad;
    uint64_t name_len, name, date_len, date, desc_len, desc;
};
struct cf_drm_gem_close {
    uint32_t handle, pad;
};

/* xe_drm.h: commands, counted from CF_DRM_COMMANDS */
enum {
    CF_XE_DEVICE_QUERY = 0x00,
    CF_XE_GEM_CREATE = 0x01,
    CF_XE_GEM_MMAP_OFFSET = 0x02,
    CF_XE_VM_CREATE = 0x03,
    CF_XE_VM_DESTROY = 0x04,
    CF_XE_VM_BIND = 0x05,
    CF_XE_EXEC_QUEUE_CREATE = 0x06,
    CF_XE_EXEC_QUEUE_DESTROY = 0x07,
    CF_XE_EXEC_QUEUE_GET_PROPERTY = 0x08,
    CF_XE_EXEC = 0x09,
    CF_XE_WAIT_USER_FENCE = 0x0a,
    CF_XE_EXEC_QUEUE_SET_PROPERTY = 0x0e
};

enum {
    CF_XE_QUERY_ENGINES = 0,
    CF_XE_QUERY_MEM_REGIONS = 1,
    CF_XE_QUERY_CONFIG = 2,
    CF_XE_QUERY_GT_LIST = 3,
    CF_XE_QUERY_HWCONFIG = 4,
    CF_XE_QUERY_GT_TOPOLOGY = 5,
    CF_XE_QUERY_ENGINE_CYCLES = 6,
    CF_XE_QUERY_UC_FW_VERSION = 7
};

enum { CF_XE_ENGINE_CLASS_RENDER = 0, CF_XE_ENGINE_CLASS_COPY = 1, CF_XE_ENGINE_CLASS_COMPUTE = 4 };
struct cf_xe_engine_class_instance {
    uint16_t engine_class, engine_instance, gt_id, pad;
};
struct cf_xe_engine {
    struct cf_xe_engine_class_instance instance;
    uint64_t reserved[3];
};
struct cf_xe_query_engines {
    uint32_t num_engines, pad;
    struct cf_xe_engine engines[];
};

enum { CF_XE_MEM_SYSMEM = 0, CF_XE_MEM_VRAM = 1 };
struct cf_xe_mem_region {
    uint16_t mem_class, instance;
    uint32_t min_page_size;
    uint64_t total_size, used, cpu_visible_size, cpu_visible_used, reserved[6];
};
struct cf_xe_query_mem_regions {
    uint32_t num_mem_regions, pad;
    struct cf_xe_mem_region mem_regions[];
};

enum { CF_XE_CONFIG_HAS_VRAM = 1, CF_XE_CONFIG_HAS_LOW_LATENCY = 2 };
struct cf_xe_query_config {
    uint32_t num_params, pad;
    uint64_t info[]; /* revision and device id, flags, least alignment, address bits, highest queue priority */
};

struct cf_xe_gt {
    uint16_t type, tile_id, gt_id, pad[3];
    uint32_t reference_clock;
    uint64_t near_mem_regions, far_mem_regions;
    uint16_t ip_ver_major, ip_ver_minor, ip_ver_rev, pad2;
    uint64_t reserved[7];
};
struct cf_xe_query_gt_list {
    uint32_t num_gt, pad;
    struct cf_xe_gt gt_list[];
};

enum { CF_XE_TOPO_DSS_GEOMETRY = 1, CF_XE_TOPO_DSS_COMPUTE = 2, CF_XE_TOPO_L3_BANK = 3, CF_XE_TOPO_SIMD16_EU = 5 };
struct cf_xe_query_topology_mask {
    uint16_t gt_id, type;
    uint32_t num_bytes;
    uint8_t mask[];
};
struct cf_xe_query_engine_cycles {
    struct cf_xe_engine_class_instance eci;
    int32_t clockid;
    uint32_t width;
    uint64_t engine_cycles, cpu_timestamp, cpu_delta;
};
struct cf_xe_query_uc_fw_version {
    uint16_t uc_type, pad;
    uint32_t branch_ver, major_ver, minor_ver, patch_ver, pad2;
    uint64_t reserved;
};
struct cf_xe_device_query {
    uint64_t extensions;
    uint32_t query, size;
    uint64_t data, reserved[2];
};

struct cf_xe_gem_create {
    uint64_t extensions, size;
    uint32_t placement, flags, vm_id, handle;
    uint16_t cpu_caching, pad[3];
    uint64_t reserved[2];
};
#define CF_XE_MMAP_OFFSET_PCI_BARRIER 1u
struct cf_xe_gem_mmap_offset {
    uint64_t extensions;
    uint32_t handle, flags;
    uint64_t offset, reserved[2];
};

#define CF_XE_VM_CREATE_FAULT_MODE 4u
struct cf_xe_vm_create {
    uint64_t extensions;
    uint32_t flags, vm_id;
    uint64_t reserved[2];
};
struct cf_xe_vm_destroy {
    uint32_t vm_id, pad;
    uint64_t reserved[2];
};
enum {
    CF_XE_BIND_MAP = 0,
    CF_XE_BIND_UNMAP = 1,
    CF_XE_BIND_MAP_USERPTR = 2,
    CF_XE_BIND_UNMAP_ALL = 3,
    CF_XE_BIND_PREFETCH = 4
};
#define CF_XE_BIND_READONLY  1u
#define CF_XE_BIND_IMMEDIATE 2u
#define CF_XE_BIND_NULL      4u
#define CF_XE_BIND_DUMPABLE  8u
struct cf_xe_vm_bind_op {
    uint64_t extensions;
    uint32_t obj;
    uint16_t pat_index, pad;
    uint64_t obj_offset; /* or a pointer of the program: MAP_USERPTR */
    uint64_t range, addr;
    uint32_t op, flags, prefetch_mem_region_instance, pad2;
    uint64_t reserved[3];
};
struct cf_xe_vm_bind {
    uint64_t extensions;
    uint32_t vm_id, exec_queue_id, pad, num_binds;
    union {
        struct cf_xe_vm_bind_op bind; /* num_binds == 1 */
        uint64_t vector_of_binds;
    };
    uint32_t pad2, num_syncs;
    uint64_t syncs, reserved[2];
};

struct cf_xe_exec_queue_create {
    uint64_t extensions;
    uint16_t width, num_placements;
    uint32_t vm_id, flags, exec_queue_id;
    uint64_t instances, reserved[2];
};
struct cf_xe_exec_queue_destroy {
    uint32_t exec_queue_id, pad;
    uint64_t reserved[2];
};
#define CF_XE_EXEC_QUEUE_BAN 0u
struct cf_xe_exec_queue_get_property {
    uint64_t extensions;
    uint32_t exec_queue_id, property;
    uint64_t value, reserved[2];
};

#define CF_XE_SYNC_USER_FENCE 2u
#define CF_XE_SYNC_SIGNAL     1u
struct cf_xe_sync {
    uint64_t extensions;
    uint32_t type, flags;
    uint64_t addr; /* of a user fence: the program's for a bind, the GPU's for an exec */
    uint64_t timeline_value, reserved[2];
};
struct cf_xe_exec {
    uint64_t extensions;
    uint32_t exec_queue_id, num_syncs;
    uint64_t syncs, address;
    uint16_t num_batch_buffer, pad[3];
    uint64_t reserved[2];
};

enum { CF_XE_WAIT_EQ, CF_XE_WAIT_NEQ, CF_XE_WAIT_GT, CF_XE_WAIT_GTE, CF_XE_WAIT_LT, CF_XE_WAIT_LTE };
#define CF_XE_WAIT_ABSOLUTE 1u
struct cf_xe_wait_user_fence {
    uint64_t extensions, addr;
    uint16_t op, flags;
    uint32_t pad;
    uint64_t value, mask;
    int64_t timeout;
    uint32_t exec_queue_id, pad2;
    uint64_t reserved[2];
};

#endif
