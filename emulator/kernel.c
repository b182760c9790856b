#include "emulator/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "emulator/uapi.h"

int cf_emu_kernel_open(cf_emu_kernel *kernel, const cf_emu_model *model, uint64_t pool_bytes)
{
    memset(kernel, 0, sizeof *kernel);
    pthread_mutex_init(&kernel->mutex, NULL);
    return cf_emu_device_open(&kernel->device, model, pool_bytes);
}

void cf_emu_kernel_close(cf_emu_kernel *kernel)
{
    for (unsigned i = 0; i < CF_EMU_QUEUES; i++)
        if (kernel->queues[i])
            cf_emu_queue_free(kernel->queues[i]);
    for (unsigned i = 0; i < CF_EMU_SPACES; i++)
        if (kernel->spaces[i]) {
            cf_emu_space_close(kernel->spaces[i]);
            free(kernel->spaces[i]);
        }
    cf_emu_device_close(&kernel->device);
    pthread_mutex_destroy(&kernel->mutex);
}

static cf_emu_space *space_of(cf_emu_kernel *kernel, uint32_t id)
{
    pthread_mutex_lock(&kernel->mutex);
    cf_emu_space *found = id < CF_EMU_SPACES ? kernel->spaces[id] : NULL;
    pthread_mutex_unlock(&kernel->mutex);
    return found;
}

static cf_emu_queue *queue_of(cf_emu_kernel *kernel, uint32_t id)
{
    pthread_mutex_lock(&kernel->mutex);
    cf_emu_queue *found = id < CF_EMU_QUEUES ? kernel->queues[id] : NULL;
    pthread_mutex_unlock(&kernel->mutex);
    return found;
}

/* ---- buffers ---- */

static int gem_create(cf_emu_kernel *kernel, struct cf_xe_gem_create *ask)
{
    const bool local = !(ask->placement & 1); /* region 0 is the system's memory */
    return cf_emu_memory_new(&kernel->device.memory, ask->size, local, &ask->handle);
}

static int gem_close(cf_emu_kernel *kernel, const struct cf_drm_gem_close *ask)
{
    cf_emu_extent extent;
    if (!cf_emu_memory_find(&kernel->device.memory, ask->handle, &extent))
        return EINVAL;
    /* The kernel keeps a buffer's memory while it is bound; programs unbind first, and a stale binding must not show
       another buffer. */
    for (uint32_t i = 0; i < CF_EMU_SPACES; i++) {
        cf_emu_space *space = space_of(kernel, i);
        if (space)
            cf_emu_space_unbind_host(space, kernel->device.memory.base + extent.offset, extent.size_bytes);
    }
    cf_emu_device_forget(&kernel->device, kernel->device.memory.base + extent.offset, extent.size_bytes);
    return cf_emu_memory_free(&kernel->device.memory, ask->handle);
}

static int gem_mmap_offset(cf_emu_kernel *kernel, struct cf_xe_gem_mmap_offset *ask)
{
    cf_emu_extent extent;
    if (ask->flags & CF_XE_MMAP_OFFSET_PCI_BARRIER) {
        ask->offset = kernel->device.memory.barrier_offset;
        return 0;
    }
    if (!cf_emu_memory_find(&kernel->device.memory, ask->handle, &extent))
        return ENOENT;
    ask->offset = extent.offset;
    return 0;
}

/* ---- address spaces ---- */

static int vm_create(cf_emu_kernel *kernel, struct cf_xe_vm_create *ask)
{
    if (ask->flags & CF_XE_VM_CREATE_FAULT_MODE) /* no page faults: the driver takes its other way */
        return EINVAL;
    cf_emu_space *space = calloc(1, sizeof *space);
    if (!space)
        return ENOMEM;
    pthread_mutex_lock(&kernel->mutex);
    uint32_t id = 1;
    while (id < CF_EMU_SPACES && kernel->spaces[id])
        id++;
    if (id < CF_EMU_SPACES) {
        cf_emu_space_open(space, id);
        kernel->spaces[id] = space;
    }
    pthread_mutex_unlock(&kernel->mutex);
    if (id == CF_EMU_SPACES) {
        free(space);
        return ENOSPC;
    }
    ask->vm_id = id;
    return 0;
}

static int vm_destroy(cf_emu_kernel *kernel, const struct cf_xe_vm_destroy *ask)
{
    int failure = ENOENT;
    cf_emu_space *space = NULL;
    pthread_mutex_lock(&kernel->mutex);
    if (ask->vm_id < CF_EMU_SPACES && kernel->spaces[ask->vm_id]) {
        space = kernel->spaces[ask->vm_id];
        failure = 0;
        for (unsigned i = 0; i < CF_EMU_QUEUES; i++)
            if (kernel->queues[i] && kernel->queues[i]->stream.space == space)
                failure = EBUSY;
        if (!failure)
            kernel->spaces[ask->vm_id] = NULL;
    }
    pthread_mutex_unlock(&kernel->mutex);
    if (!failure) {
        cf_emu_space_close(space);
        free(space);
    }
    return failure;
}

static int bind_buffer(cf_emu_kernel *kernel, cf_emu_space *space, const struct cf_xe_vm_bind_op *op)
{
    cf_emu_extent extent;
    if (op->flags & CF_XE_BIND_NULL)
        return cf_emu_space_bind(space, op->addr, op->range, NULL);
    if (!cf_emu_memory_find(&kernel->device.memory, op->obj, &extent))
        return ENOENT;
    if (op->obj_offset > extent.size_bytes || op->range > extent.size_bytes - op->obj_offset)
        return EINVAL;
    return cf_emu_space_bind(space, op->addr, op->range, kernel->device.memory.base + extent.offset + op->obj_offset);
}

#define BIND_FLAGS (CF_XE_BIND_READONLY | CF_XE_BIND_IMMEDIATE | CF_XE_BIND_NULL | CF_XE_BIND_DUMPABLE)

static int bind_one(cf_emu_kernel *kernel, cf_emu_space *space, const struct cf_xe_vm_bind_op *op)
{
    cf_emu_extent extent;
    if (op->flags & ~BIND_FLAGS)
        return EINVAL;
    switch (op->op) {
    case CF_XE_BIND_MAP:
        return bind_buffer(kernel, space, op);
    case CF_XE_BIND_MAP_USERPTR:
        return cf_emu_space_bind(space, op->addr, op->range, cf_xe_pointer(op->obj_offset));
    case CF_XE_BIND_UNMAP:
        return cf_emu_space_unbind(space, op->addr, op->range);
    case CF_XE_BIND_UNMAP_ALL:
        if (!cf_emu_memory_find(&kernel->device.memory, op->obj, &extent))
            return ENOENT;
        cf_emu_space_unbind_host(space, kernel->device.memory.base + extent.offset, extent.size_bytes);
        return 0;
    case CF_XE_BIND_PREFETCH:
        return 0;
    default:
        return EINVAL;
    }
}

/* A bind is done when the call returns, so its fences are written at once. */
static int vm_bind(cf_emu_kernel *kernel, const struct cf_xe_vm_bind *ask)
{
    cf_emu_space *space = space_of(kernel, ask->vm_id);
    if (!space)
        return ENOENT;
    const struct cf_xe_vm_bind_op *ops = ask->num_binds == 1 ? &ask->bind : cf_xe_pointer(ask->vector_of_binds);
    for (uint32_t i = 0; i < ask->num_binds; i++) {
        const int failure = bind_one(kernel, space, &ops[i]);
        if (failure)
            return failure;
    }
    const struct cf_xe_sync *syncs = cf_xe_pointer(ask->syncs);
    for (uint32_t i = 0; i < ask->num_syncs; i++) {
        if (syncs[i].type != CF_XE_SYNC_USER_FENCE)
            return EOPNOTSUPP;
        if (syncs[i].flags & CF_XE_SYNC_SIGNAL)
            __atomic_store_n((uint64_t *)cf_xe_pointer(syncs[i].addr), syncs[i].timeline_value, __ATOMIC_SEQ_CST);
    }
    cf_emu_clock_changed(&kernel->device.clock);
    return 0;
}

/* ---- exec queues ---- */

static int queue_create(cf_emu_kernel *kernel, struct cf_xe_exec_queue_create *ask)
{
    static const int classes[] = {CF_EMU_RENDER, CF_EMU_COPY, -1, -1, CF_EMU_COMPUTE};
    const struct cf_xe_engine_class_instance *wanted = cf_xe_pointer(ask->instances);
    cf_emu_space *space = space_of(kernel, ask->vm_id);
    cf_emu_queue *queue;
    if (!space)
        return ENOENT;
    if (ask->width != 1 || ask->num_placements < 1 || !wanted ||
        wanted->engine_class >= sizeof classes / sizeof *classes || classes[wanted->engine_class] < 0)
        return EINVAL;
    cf_emu_engine *engine =
        cf_emu_device_engine(&kernel->device, (unsigned)classes[wanted->engine_class], wanted->engine_instance);
    if (!engine)
        return EINVAL;
    pthread_mutex_lock(&kernel->mutex);
    uint32_t id = 1;
    while (id < CF_EMU_QUEUES && kernel->queues[id])
        id++;
    const int failure = id == CF_EMU_QUEUES ? ENOSPC : cf_emu_queue_new(&kernel->device, space, engine, id, &queue);
    if (!failure) {
        kernel->queues[id] = queue;
        ask->exec_queue_id = id;
    }
    pthread_mutex_unlock(&kernel->mutex);
    return failure;
}

static int queue_destroy(cf_emu_kernel *kernel, const struct cf_xe_exec_queue_destroy *ask)
{
    cf_emu_queue *queue = NULL;
    pthread_mutex_lock(&kernel->mutex);
    if (ask->exec_queue_id < CF_EMU_QUEUES) {
        queue = kernel->queues[ask->exec_queue_id];
        kernel->queues[ask->exec_queue_id] = NULL;
    }
    pthread_mutex_unlock(&kernel->mutex);
    if (!queue)
        return ENOENT;
    cf_emu_queue_free(queue);
    return 0;
}

static int queue_property(cf_emu_kernel *kernel, struct cf_xe_exec_queue_get_property *ask)
{
    const cf_emu_queue *queue = queue_of(kernel, ask->exec_queue_id);
    if (!queue)
        return ENOENT;
    if (ask->property != CF_XE_EXEC_QUEUE_BAN)
        return EINVAL;
    ask->value = atomic_load(&queue->banned);
    return 0;
}

static int exec(cf_emu_kernel *kernel, const struct cf_xe_exec *ask)
{
    cf_emu_queue *queue = queue_of(kernel, ask->exec_queue_id);
    const struct cf_xe_sync *syncs = cf_xe_pointer(ask->syncs);
    cf_emu_job job = {.address = ask->address, .at_ns = cf_emu_clock_now(&kernel->device.clock)};
    if (!queue)
        return ENOENT;
    if (ask->num_batch_buffer != 1 || ask->num_syncs > CF_EMU_FENCES)
        return EINVAL;
    for (uint32_t i = 0; i < ask->num_syncs; i++) {
        if (syncs[i].type != CF_XE_SYNC_USER_FENCE || !(syncs[i].flags & CF_XE_SYNC_SIGNAL))
            return EOPNOTSUPP;
        job.fences[job.fence_count++] = (cf_emu_fence){.address = syncs[i].addr, .value = syncs[i].timeline_value};
    }
    return cf_emu_queue_submit(queue, &job);
}

/* ---- waiting ---- */

static bool satisfied(const struct cf_xe_wait_user_fence *ask)
{
    const uint64_t now = __atomic_load_n((const uint64_t *)cf_xe_pointer(ask->addr), __ATOMIC_SEQ_CST) & ask->mask;
    const uint64_t wanted = ask->value & ask->mask;
    switch (ask->op) {
    case CF_XE_WAIT_EQ:
        return now == wanted;
    case CF_XE_WAIT_NEQ:
        return now != wanted;
    case CF_XE_WAIT_GT:
        return now > wanted;
    case CF_XE_WAIT_GTE:
        return now >= wanted;
    case CF_XE_WAIT_LT:
        return now < wanted;
    default:
        return now <= wanted;
    }
}

#define LONGEST_NS (1ull << 62)

static int wait_fence(cf_emu_kernel *kernel, struct cf_xe_wait_user_fence *ask)
{
    cf_emu_clock *clock = &kernel->device.clock;
    const cf_emu_queue *queue = ask->exec_queue_id ? queue_of(kernel, ask->exec_queue_id) : NULL;
    const uint64_t since_ns = cf_emu_clock_now(clock);
    uint64_t end_ns = ask->timeout < 0 ? LONGEST_NS : (uint64_t)ask->timeout;
    if (ask->op > CF_XE_WAIT_LTE || !ask->addr || ask->addr % 8)
        return EINVAL;
    if (!(ask->flags & CF_XE_WAIT_ABSOLUTE) && end_ns < LONGEST_NS)
        end_ns = end_ns < LONGEST_NS - since_ns ? since_ns + end_ns : LONGEST_NS;
    for (;;) {
        const unsigned seen = cf_emu_clock_seen(clock);
        if (satisfied(ask))
            return 0;
        if (queue && atomic_load(&queue->banned))
            return EIO;
        const uint64_t now_ns = cf_emu_clock_now(clock);
        if (now_ns >= end_ns)
            return ETIME;
        const uint64_t next_ns = now_ns + cf_emu_clock_pause_ns(now_ns - since_ns);
        cf_emu_clock_wait(clock, seen, next_ns < end_ns ? next_ns : end_ns);
    }
}

/* ---- the call ---- */

static int version(struct cf_drm_version *ask)
{
    static const char name[] = "xe";
    if (ask->name && ask->name_len)
        memcpy(cf_xe_pointer(ask->name), name, ask->name_len < sizeof name ? ask->name_len : sizeof name);
    ask->version_major = 1;
    ask->version_minor = 1;
    ask->version_patchlevel = 0;
    ask->name_len = sizeof name - 1;
    ask->date_len = ask->desc_len = 0;
    return 0;
}

static int xe_command(cf_emu_kernel *kernel, unsigned command, void *argument, bool *ret_known)
{
    switch (command) {
    case CF_XE_DEVICE_QUERY:
        return cf_emu_kernel_query(kernel, argument);
    case CF_XE_GEM_CREATE:
        return gem_create(kernel, argument);
    case CF_XE_GEM_MMAP_OFFSET:
        return gem_mmap_offset(kernel, argument);
    case CF_XE_VM_CREATE:
        return vm_create(kernel, argument);
    case CF_XE_VM_DESTROY:
        return vm_destroy(kernel, argument);
    case CF_XE_VM_BIND:
        return vm_bind(kernel, argument);
    case CF_XE_EXEC_QUEUE_CREATE:
        return queue_create(kernel, argument);
    case CF_XE_EXEC_QUEUE_DESTROY:
        return queue_destroy(kernel, argument);
    case CF_XE_EXEC_QUEUE_GET_PROPERTY:
        return queue_property(kernel, argument);
    case CF_XE_EXEC_QUEUE_SET_PROPERTY: /* priorities and time slices: not modelled, and the record says so */
        return 0;
    case CF_XE_EXEC:
        return exec(kernel, argument);
    case CF_XE_WAIT_USER_FENCE:
        return wait_fence(kernel, argument);
    default:
        *ret_known = false;
        return EINVAL;
    }
}

int cf_emu_kernel_ioctl(cf_emu_kernel *kernel, unsigned long request, void *argument)
{
    const unsigned number = _IOC_NR(request);
    bool known = true;
    int failure;
    if (number == CF_DRM_VERSION)
        failure = version(argument);
    else if (number == CF_DRM_GEM_CLOSE)
        failure = gem_close(kernel, argument);
    else if (number >= CF_DRM_COMMANDS)
        failure = xe_command(kernel, number - CF_DRM_COMMANDS, argument, &known);
    else
        failure = EINVAL, known = false;
    if (failure && kernel->log) {
        char text[96];
        snprintf(text, sizeof text, "ioctl 0x%x: %s", number, known ? strerror(failure) : "not known");
        kernel->log(text);
    }
    if (!failure)
        return 0;
    errno = failure;
    return -1;
}
