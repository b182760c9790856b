/* The kernel interface: what an ioctl does, as a driver would call it. In real time, by threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "emulator/kernel.h"
#include "emulator/uapi.h"

#define CALL(number) _IOC(_IOC_READ | _IOC_WRITE, 'd', CF_DRM_COMMANDS + (number), 0)
#define SECOND_NS    1000000000ll

typedef struct machine {
    cf_emu_kernel kernel;
    uint32_t vm, queue;
    uint32_t *code;  /* at GPU address 0x100000 */
    uint64_t *fence; /* at 0x200000 */
} machine;

static void call(machine *m, unsigned number, void *argument)
{
    if (cf_emu_kernel_ioctl(&m->kernel, CALL(number), argument) != 0)
        fail_msg("ioctl %#x: %s", number, strerror(errno));
}

static void bind_pointer(machine *m, uint64_t address, void *pointer, uint64_t bytes)
{
    struct cf_xe_vm_bind ask = {
        .vm_id = m->vm,
        .num_binds = 1,
        .bind = {
            .obj_offset = (uint64_t)(uintptr_t)pointer, .range = bytes, .addr = address, .op = CF_XE_BIND_MAP_USERPTR}};
    call(m, CF_XE_VM_BIND, &ask);
}

static void open_machine(machine *m, uint16_t engine_class)
{
    cf_emu_model model;
    struct cf_xe_vm_create vm = {.flags = 2};
    struct cf_xe_engine_class_instance engine = {.engine_class = engine_class};
    struct cf_xe_exec_queue_create queue = {.width = 1, .num_placements = 1, .instances = (uint64_t)(uintptr_t)&engine};
    memset(m, 0, sizeof *m);
    cf_emu_model_standard(&model);
    assert_int_equal(cf_emu_kernel_open(&m->kernel, &model, 64u << 20), 0);
    call(m, CF_XE_VM_CREATE, &vm);
    queue.vm_id = m->vm = vm.vm_id;
    call(m, CF_XE_EXEC_QUEUE_CREATE, &queue);
    m->queue = queue.exec_queue_id;
    m->code = calloc(1, 65536);
    m->fence = calloc(1, 4096);
    bind_pointer(m, 0x100000, m->code, 65536);
    bind_pointer(m, 0x200000, m->fence, 4096);
}

static void close_machine(machine *m)
{
    cf_emu_kernel_close(&m->kernel);
    free(m->code);
    free(m->fence);
}

static int execute(machine *m, uint64_t value)
{
    struct cf_xe_sync sync = {
        .type = CF_XE_SYNC_USER_FENCE, .flags = CF_XE_SYNC_SIGNAL, .addr = 0x200000, .timeline_value = value};
    struct cf_xe_exec exec = {.exec_queue_id = m->queue,
                              .num_syncs = 1,
                              .syncs = (uint64_t)(uintptr_t)&sync,
                              .address = 0x100000,
                              .num_batch_buffer = 1};
    return cf_emu_kernel_ioctl(&m->kernel, CALL(CF_XE_EXEC), &exec);
}

static int wait_for(machine *m, uint64_t value, int64_t timeout_ns)
{
    struct cf_xe_wait_user_fence wait = {.addr = (uint64_t)(uintptr_t)m->fence,
                                         .op = CF_XE_WAIT_GTE,
                                         .value = value,
                                         .mask = ~0ull,
                                         .timeout = timeout_ns,
                                         .exec_queue_id = m->queue};
    return cf_emu_kernel_ioctl(&m->kernel, CALL(CF_XE_WAIT_USER_FENCE), &wait);
}

static void a_batch_signals_its_fence_when_it_has_ended(void **state)
{
    (void)state;
    machine m;
    open_machine(&m, CF_XE_ENGINE_CLASS_COPY);
    const uint32_t code[] = {0x10000002, 0x200040, 0, 77, 0x05000000};
    memcpy(m.code, code, sizeof code);
    for (uint64_t i = 1; i <= 20; i++) {
        assert_int_equal(execute(&m, i), 0);
        assert_int_equal(wait_for(&m, i, 60 * SECOND_NS), 0);
    }
    assert_int_equal(m.fence[8], 77);
    assert_int_equal(wait_for(&m, 21, 1000000), -1);
    assert_int_equal(errno, ETIME);
    close_machine(&m);
}

static void the_host_releases_a_streamer_by_a_plain_store(void **state)
{
    (void)state;
    machine m;
    open_machine(&m, CF_XE_ENGINE_CLASS_COMPUTE);
    const uint32_t code[] = {0x0e009003, 5, 0x200080, 0, 0, 0x05000000}; /* until 5 or more */
    memcpy(m.code, code, sizeof code);
    assert_int_equal(execute(&m, 1), 0);
    assert_int_equal(wait_for(&m, 1, 2000000), -1);
    __atomic_store_n(&m.fence[16], 5, __ATOMIC_SEQ_CST);
    assert_int_equal(wait_for(&m, 1, 60 * SECOND_NS), 0);
    close_machine(&m);
}

static void a_walker_s_write_comes_while_the_streamer_waits(void **state)
{
    (void)state;
    machine m;
    open_machine(&m, CF_XE_ENGINE_CLASS_COMPUTE);
    uint32_t walker[40] = {0x72080026, [7] = 500, [8] = 1, [9] = 1, [27] = 1, [28] = 0x200080, [30] = 5};
    const uint32_t rest[] = {0x0e009003, 5, 0x200080, 0, 0, 0x05000000};
    memcpy(m.code, walker, sizeof walker);
    memcpy(m.code + 40, rest, sizeof rest);
    const uint64_t since_ns = cf_emu_clock_now(&m.kernel.device.clock);
    assert_int_equal(execute(&m, 1), 0);
    assert_int_equal(wait_for(&m, 1, 60 * SECOND_NS), 0);
    /* Never early: 5 us and 500 groups of 1 us. */
    assert_true(cf_emu_clock_now(&m.kernel.device.clock) - since_ns >= 505000);
    close_machine(&m);
}

static char told[320];

static void tell(const char *text)
{
    snprintf(told, sizeof told, "%s", text);
}

static void an_unknown_command_bans_the_queue(void **state)
{
    (void)state;
    machine m;
    open_machine(&m, CF_XE_ENGINE_CLASS_COMPUTE);
    m.kernel.device.on_failure = tell;
    m.code[0] = 0x14000002;
    assert_int_equal(execute(&m, 1), 0);
    assert_int_equal(wait_for(&m, 1, 60 * SECOND_NS), -1);
    assert_int_equal(errno, EIO);
    struct cf_xe_exec_queue_get_property ask = {.exec_queue_id = m.queue};
    call(&m, CF_XE_EXEC_QUEUE_GET_PROPERTY, &ask);
    assert_int_equal(ask.value, 1);
    assert_int_equal(execute(&m, 2), -1);
    assert_int_equal(errno, ECANCELED);
    assert_non_null(strstr(told, "unknown command, opcode 0x28"));
    close_machine(&m);
}

static void a_queue_that_waits_for_ever_can_be_destroyed(void **state)
{
    (void)state;
    machine m;
    open_machine(&m, CF_XE_ENGINE_CLASS_COMPUTE);
    const uint32_t code[] = {0x0e009003, 5, 0x200080, 0, 0, 0x05000000};
    memcpy(m.code, code, sizeof code);
    assert_int_equal(execute(&m, 1), 0);
    struct cf_xe_exec_queue_destroy ask = {.exec_queue_id = m.queue};
    struct cf_xe_vm_destroy vm = {.vm_id = m.vm};
    assert_int_equal(cf_emu_kernel_ioctl(&m.kernel, CALL(CF_XE_VM_DESTROY), &vm), -1);
    assert_int_equal(errno, EBUSY);
    call(&m, CF_XE_EXEC_QUEUE_DESTROY, &ask);
    call(&m, CF_XE_VM_DESTROY, &vm);
    assert_int_equal(execute(&m, 1), -1);
    assert_int_equal(errno, ENOENT);
    close_machine(&m);
}

static void a_buffer_is_seen_where_it_is_mapped_and_bound(void **state)
{
    (void)state;
    machine m;
    open_machine(&m, CF_XE_ENGINE_CLASS_COPY);
    struct cf_xe_gem_create made = {.size = 65536, .placement = 2, .cpu_caching = 2};
    call(&m, CF_XE_GEM_CREATE, &made);
    struct cf_xe_gem_mmap_offset map = {.handle = made.handle};
    call(&m, CF_XE_GEM_MMAP_OFFSET, &map);
    struct cf_xe_vm_bind bind = {.vm_id = m.vm,
                                 .num_binds = 1,
                                 .bind = {.obj = made.handle, .range = 65536, .addr = 0x300000, .op = CF_XE_BIND_MAP}};
    call(&m, CF_XE_VM_BIND, &bind);
    const uint32_t code[] = {0x10000002, 0x300010, 0, 99, 0x05000000};
    memcpy(m.code, code, sizeof code);
    assert_int_equal(execute(&m, 1), 0);
    assert_int_equal(wait_for(&m, 1, 60 * SECOND_NS), 0);
    assert_int_equal(m.kernel.device.memory.base[map.offset + 0x10], 99);
    bind.bind.range = 131072;
    assert_int_equal(cf_emu_kernel_ioctl(&m.kernel, CALL(CF_XE_VM_BIND), &bind), -1);
    assert_int_equal(errno, EINVAL);
    close_machine(&m);
}

static void what_is_not_known_is_an_error(void **state)
{
    (void)state;
    machine m;
    uint64_t nothing[32] = {0};
    open_machine(&m, CF_XE_ENGINE_CLASS_COPY);
    assert_int_equal(cf_emu_kernel_ioctl(&m.kernel, CALL(0x3f), nothing), -1);
    assert_int_equal(errno, EINVAL);
    struct cf_xe_device_query query = {.query = 99};
    assert_int_equal(cf_emu_kernel_ioctl(&m.kernel, CALL(CF_XE_DEVICE_QUERY), &query), -1);
    struct cf_xe_engine_class_instance engine = {.engine_class = CF_XE_ENGINE_CLASS_COPY, .engine_instance = 5};
    struct cf_xe_exec_queue_create queue = {
        .width = 1, .num_placements = 1, .vm_id = m.vm, .instances = (uint64_t)(uintptr_t)&engine};
    assert_int_equal(cf_emu_kernel_ioctl(&m.kernel, CALL(CF_XE_EXEC_QUEUE_CREATE), &queue), -1);
    assert_int_equal(errno, EINVAL);
    close_machine(&m);
}

static void a_query_tells_its_size_and_then_its_data(void **state)
{
    (void)state;
    machine m;
    open_machine(&m, CF_XE_ENGINE_CLASS_COPY);
    for (uint32_t number = CF_XE_QUERY_ENGINES; number <= CF_XE_QUERY_GT_TOPOLOGY; number++) {
        uint64_t data[256];
        struct cf_xe_device_query query = {.query = number};
        call(&m, CF_XE_DEVICE_QUERY, &query);
        assert_in_range(query.size, 1, sizeof data);
        query.data = (uint64_t)(uintptr_t)data;
        call(&m, CF_XE_DEVICE_QUERY, &query);
        if (number == CF_XE_QUERY_CONFIG)
            assert_int_equal(((const struct cf_xe_query_config *)(const void *)data)->info[0], 0xe20b);
        if (number == CF_XE_QUERY_ENGINES)
            assert_int_equal(((const struct cf_xe_query_engines *)(const void *)data)->num_engines, 3);
    }
    close_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_signals_its_fence_when_it_has_ended),
        cmocka_unit_test(the_host_releases_a_streamer_by_a_plain_store),
        cmocka_unit_test(a_walker_s_write_comes_while_the_streamer_waits),
        cmocka_unit_test(an_unknown_command_bans_the_queue),
        cmocka_unit_test(a_queue_that_waits_for_ever_can_be_destroyed),
        cmocka_unit_test(a_buffer_is_seen_where_it_is_mapped_and_bound),
        cmocka_unit_test(what_is_not_known_is_an_error),
        cmocka_unit_test(a_query_tells_its_size_and_then_its_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
