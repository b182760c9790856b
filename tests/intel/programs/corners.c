/* Corners of Level Zero that a program may turn: shared and virtual memory, indirect and cooperative kernels, queried
   timestamps, ranges, priorities, many lists, more memory than there is. */
#include "rig.h"

enum { BYTES = 1 << 20 };

static void shared_memory(ze_command_list_handle_t copies, ze_command_list_handle_t kernels)
{
    const ze_device_mem_alloc_desc_t there = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t here = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    uint8_t *shared, *host = host_memory(BYTES), *expected = malloc(BYTES);
    CHECK(zeMemAllocShared(context, &there, &here, BYTES, 64, device, (void **)&shared));
    pattern(shared, BYTES, 5);
    pattern(expected, BYTES, 5);
    CHECK(zeCommandListAppendMemoryCopy(copies, host, shared, BYTES, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(copies, LONG_NS));
    EXPECT(memcmp(host, expected, BYTES) == 0);
    memset(host, 9, BYTES);
    CHECK(zeCommandListAppendMemoryCopy(copies, shared, host, BYTES, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(copies, LONG_NS));
    EXPECT(shared[0] == 9 && shared[BYTES - 1] == 9);
    CHECK(zeCommandListAppendMemoryPrefetch(kernels, shared, BYTES));
    CHECK(zeCommandListAppendMemAdvise(kernels, device, shared, BYTES, ZE_MEMORY_ADVICE_SET_READ_MOSTLY));
    CHECK(zeCommandListHostSynchronize(kernels, LONG_NS));
    CHECK(zeMemFree(context, shared));
    free(expected);
}

/* Two buffers side by side: a copy crosses from one into the other. */
static void virtual_memory(ze_command_list_handle_t copies)
{
    size_t page;
    void *place;
    uint8_t *out = host_memory(8192), *in = host_memory(8192);
    ze_physical_mem_handle_t halves[2];
    CHECK(zeVirtualMemQueryPageSize(context, device, BYTES, &page));
    CHECK(zeVirtualMemReserve(context, NULL, 2 * page, &place));
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = page};
    for (int i = 0; i < 2; i++) {
        CHECK(zePhysicalMemCreate(context, device, &desc, &halves[i]));
        CHECK(zeVirtualMemMap(context, (char *)place + (size_t)i * page, page, halves[i], 0,
                              ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    }
    pattern(out, 8192, 8);
    CHECK(zeCommandListAppendMemoryCopy(copies, (char *)place + page - 4096, out, 8192, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(copies, in, (char *)place + page - 4096, 8192, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(copies, LONG_NS));
    EXPECT(memcmp(in, out, 8192) == 0);
    for (int i = 0; i < 2; i++) {
        CHECK(zeVirtualMemUnmap(context, (char *)place + (size_t)i * page, page));
        CHECK(zePhysicalMemDestroy(context, halves[i]));
    }
    CHECK(zeVirtualMemFree(context, place, 2 * page));
}

static void kernels_in_every_way(ze_command_list_handle_t list)
{
    uint8_t *cell = device_memory(65536);
    ze_kernel_handle_t kernel = work_kernel(cell, cell, 1000);
    ze_group_count_t *groups = host_memory(4096);
    uint32_t *count = host_memory(4096), colours[4] = {1, 2, 3, 4};
    ze_event_pool_handle_t pool = event_pool(4, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    ze_event_handle_t events[4];
    const void *ranges[] = {cell};
    const size_t sizes[] = {4096};
    for (uint32_t i = 0; i < 4; i++)
        events[i] = event_of(pool, i);
    *groups = (ze_group_count_t){3, 2, 1};
    *count = 1;
    CHECK(zeCommandListAppendLaunchKernelIndirect(list, kernel, groups, events[0], 0, NULL));
    CHECK(zeCommandListAppendLaunchMultipleKernelsIndirect(list, 1, &kernel, count, groups, events[1], 0, NULL));
    CHECK(zeCommandListAppendLaunchCooperativeKernel(list, kernel, &one_group, events[2], 0, NULL));
    CHECK(zeCommandListAppendQueryKernelTimestamps(list, 3, events, host_memory(4096), NULL, events[3], 0, NULL));
    CHECK(zeCommandListAppendMemoryRangesBarrier(list, 1, sizes, ranges, NULL, 1, &events[3]));
    CHECK(zeCommandListAppendMemoryFill(list, cell, colours, sizeof colours, 65536, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(list, LONG_NS));
    for (int i = 0; i < 3; i++) {
        ze_kernel_timestamp_result_t stamps;
        CHECK(zeEventQueryKernelTimestamp(events[i], &stamps));
        EXPECT(stamps.global.kernelEnd - stamps.global.kernelStart >= 192); /* 1000 trips of 10 ns, at 19.2 MHz */
    }
}

static void lists_and_priorities(void)
{
    uint8_t *cell = device_memory(4096);
    ze_kernel_handle_t kernel = work_kernel(cell, cell, 10);
    for (uint32_t i = 0; i < 40; i++) {
        ze_command_list_handle_t list = immediate_list(i % 2, i % 3 ? ZE_COMMAND_QUEUE_FLAG_IN_ORDER : 0);
        CHECK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
        CHECK(zeCommandListHostSynchronize(list, LONG_NS));
        CHECK(zeCommandListDestroy(list));
    }
    for (unsigned priority = 0; priority < 3; priority++) {
        const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                              .priority = (ze_command_queue_priority_t)priority,
                                              .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
        ze_command_list_handle_t list;
        CHECK(zeCommandListCreateImmediate(context, device, &desc, &list));
        CHECK(zeCommandListAppendLaunchKernel(list, kernel, &one_group, NULL, 0, NULL));
        CHECK(zeCommandListDestroy(list));
    }
}

int main(int count, char **words)
{
    EXPECT(count == 2);
    setup(words[1]);
    ze_command_list_handle_t kernels = immediate_list(0, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    ze_command_list_handle_t copies = immediate_list(1, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    uint64_t host, gpu;
    void *much;
    shared_memory(copies, kernels);
    virtual_memory(copies);
    kernels_in_every_way(kernels);
    lists_and_priorities();
    CHECK(zeDeviceGetGlobalTimestamps(device, &host, &gpu));
    EXPECT(zeMemAllocDevice(context, &desc, (size_t)13 << 30, 64, device, &much) != ZE_RESULT_SUCCESS);
    puts("corners are turned");
    return 0;
}
