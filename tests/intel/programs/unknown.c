/* A driver of a newer day: gives the device a command that it does not know, by the kernel interface itself. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "emulator/uapi.h"

static int fd;

static int call(unsigned number, void *argument)
{
    return ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, CF_DRM_IOCTL_TYPE, CF_DRM_COMMANDS + number, 0), argument);
}

static void must(int result, const char *what)
{
    if (result == 0)
        return;
    printf("%s: %s\n", what, strerror(errno));
    exit(1);
}

int main(void)
{
    struct cf_xe_vm_create vm = {.flags = 2};
    struct cf_xe_engine_class_instance engine = {.engine_class = CF_XE_ENGINE_CLASS_COMPUTE};
    struct cf_xe_exec_queue_create queue = {.width = 1, .num_placements = 1, .instances = (uint64_t)(uintptr_t)&engine};
    uint32_t *code = aligned_alloc(4096, 4096);
    fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    if (fd < 0 || !code)
        return 1;
    memset(code, 0, 4096);
    code[0] = 0x14000002; /* MI_REPORT_PERF_COUNT */
    must(call(CF_XE_VM_CREATE, &vm), "vm");
    queue.vm_id = vm.vm_id;
    must(call(CF_XE_EXEC_QUEUE_CREATE, &queue), "queue");
    struct cf_xe_vm_bind bind = {
        .vm_id = vm.vm_id,
        .num_binds = 1,
        .bind = {
            .obj_offset = (uint64_t)(uintptr_t)code, .range = 4096, .addr = 0x100000, .op = CF_XE_BIND_MAP_USERPTR}};
    must(call(CF_XE_VM_BIND, &bind), "bind");
    struct cf_xe_sync sync = {
        .type = CF_XE_SYNC_USER_FENCE, .flags = CF_XE_SYNC_SIGNAL, .addr = 0x100800, .timeline_value = 1};
    struct cf_xe_exec exec = {.exec_queue_id = queue.exec_queue_id,
                              .num_syncs = 1,
                              .syncs = (uint64_t)(uintptr_t)&sync,
                              .address = 0x100000,
                              .num_batch_buffer = 1};
    must(call(CF_XE_EXEC, &exec), "exec");
    struct cf_xe_wait_user_fence wait = {.addr = (uint64_t)(uintptr_t)code + 0x800,
                                         .op = CF_XE_WAIT_GTE,
                                         .value = 1,
                                         .mask = ~0ull,
                                         .timeout = 60000000000ll,
                                         .exec_queue_id = queue.exec_queue_id};
    if (call(CF_XE_WAIT_USER_FENCE, &wait) == 0 || errno != EIO)
        return 1;
    puts("submission was given up");
    return 0;
}
