/* Order across lists and engines: events between lists, barriers, host signals, lists executed again, many threads. */
#include <pthread.h>
#include <unistd.h>

#include "rig.h"

static uint64_t begin_of(ze_event_handle_t event)
{
    ze_kernel_timestamp_result_t stamps;
    CHECK(zeEventQueryKernelTimestamp(event, &stamps));
    EXPECT(stamps.global.kernelStart <= stamps.global.kernelEnd);
    EXPECT(stamps.context.kernelStart <= stamps.context.kernelEnd);
    return stamps.global.kernelStart;
}

static uint64_t end_of(ze_event_handle_t event)
{
    ze_kernel_timestamp_result_t stamps;
    CHECK(zeEventQueryKernelTimestamp(event, &stamps));
    return stamps.global.kernelEnd;
}

/* kernel on one list, then a copy on another, then a kernel on a third, each by an event; in a shuffled submission. */
static void a_chain_across_lists(ze_command_list_handle_t lists[3], int permutation)
{
    static const int orders[2][3] = {{0, 1, 2}, {1, 0, 2}};
    uint8_t *out = host_memory(1 << 20), *there = device_memory(1 << 20);
    ze_event_pool_handle_t pool = event_pool(3, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    ze_event_handle_t events[3];
    ze_kernel_handle_t kernel = work_kernel(there, there, 100000); /* 1 ms */
    for (uint32_t i = 0; i < 3; i++)
        events[i] = event_of(pool, i);
    for (int i = 0; i < 3; i++) {
        const int step = orders[permutation][i];
        ze_event_handle_t *waits = step ? &events[step - 1] : NULL;
        if (step == 1)
            CHECK(zeCommandListAppendMemoryCopy(lists[1], there, out, 1 << 20, events[1], 1, waits));
        else
            CHECK(zeCommandListAppendLaunchKernel(lists[step], kernel, &one_group, events[step], step ? 1 : 0, waits));
    }
    CHECK(zeEventHostSynchronize(events[2], LONG_NS));
    EXPECT(end_of(events[0]) <= begin_of(events[1]));
    EXPECT(end_of(events[1]) <= begin_of(events[2]));
    EXPECT(end_of(events[0]) - begin_of(events[0]) >=
           19200 - 10); /* the trip count made the length: 1 ms at 19.2 MHz */
    for (int i = 0; i < 3; i++)
        CHECK(zeCommandListHostSynchronize(lists[i], LONG_NS));
    CHECK(zeKernelDestroy(kernel));
    for (int i = 0; i < 3; i++)
        CHECK(zeEventDestroy(events[i]));
    CHECK(zeEventPoolDestroy(pool));
    CHECK(zeMemFree(context, out));
    CHECK(zeMemFree(context, there));
}

static void the_host_holds_a_list_back(ze_command_list_handle_t list)
{
    uint8_t *out = host_memory(4096), *there = device_memory(4096);
    ze_event_pool_handle_t pool = event_pool(2, 0);
    ze_event_handle_t go = event_of(pool, 0), done = event_of(pool, 1);
    CHECK(zeCommandListAppendWaitOnEvents(list, 1, &go));
    CHECK(zeCommandListAppendMemoryCopy(list, there, out, 4096, done, 0, NULL));
    usleep(5000);
    EXPECT(zeEventQueryStatus(done) == ZE_RESULT_NOT_READY);
    CHECK(zeEventHostSignal(go));
    CHECK(zeEventHostSynchronize(done, LONG_NS));
    CHECK(zeEventHostReset(go));
    CHECK(zeCommandListAppendEventReset(list, done));
    CHECK(zeCommandListHostSynchronize(list, LONG_NS));
    EXPECT(zeEventQueryStatus(done) == ZE_RESULT_NOT_READY);
}

static void a_regular_list_runs_again_and_again(uint32_t ordinal)
{
    const ze_command_queue_desc_t queue_desc = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = ordinal, .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                              .commandQueueGroupOrdinal = ordinal};
    const ze_fence_desc_t fence_desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    ze_fence_handle_t fence;
    uint64_t *stamps = host_memory(4096);
    CHECK(zeCommandQueueCreate(context, device, &queue_desc, &queue));
    CHECK(zeCommandListCreate(context, device, &list_desc, &list));
    CHECK(zeFenceCreate(queue, &fence_desc, &fence));
    CHECK(zeCommandListAppendWriteGlobalTimestamp(list, stamps, NULL, 0, NULL));
    CHECK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    CHECK(zeCommandListAppendWriteGlobalTimestamp(list, stamps + 1, NULL, 0, NULL));
    CHECK(zeCommandListClose(list));
    uint64_t last = 0;
    for (int i = 0; i < 20; i++) {
        CHECK(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
        CHECK(zeFenceHostSynchronize(fence, LONG_NS));
        CHECK(zeFenceReset(fence));
        EXPECT(stamps[0] > last && stamps[1] >= stamps[0]); /* each execution happened */
        last = stamps[1];
    }
    CHECK(zeCommandQueueSynchronize(queue, LONG_NS));
    CHECK(zeFenceDestroy(fence));
    CHECK(zeCommandListDestroy(list));
    CHECK(zeCommandQueueDestroy(queue));
}

static void *worker(void *argument)
{
    const unsigned number = (unsigned)(uintptr_t)argument;
    enum { BYTES = 65536 };
    ze_command_list_handle_t copies = immediate_list(1, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    ze_command_list_handle_t kernels = immediate_list(0, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    uint8_t *out = host_memory(BYTES), *in = host_memory(BYTES);
    void *there = device_memory(BYTES);
    ze_kernel_handle_t kernel = work_kernel(there, there, 2000);
    for (unsigned i = 0; i < 30; i++) {
        pattern(out, BYTES, number * 100 + i);
        CHECK(zeCommandListAppendMemoryCopy(copies, there, out, BYTES, NULL, 0, NULL));
        CHECK(zeCommandListAppendLaunchKernel(kernels, kernel, &one_group, NULL, 0, NULL));
        CHECK(zeCommandListAppendMemoryCopy(copies, in, there, BYTES, NULL, 0, NULL));
        CHECK(zeCommandListHostSynchronize(copies, LONG_NS));
        CHECK(zeCommandListHostSynchronize(kernels, LONG_NS));
        EXPECT(memcmp(in, out, BYTES) == 0);
    }
    CHECK(zeCommandListDestroy(copies));
    CHECK(zeCommandListDestroy(kernels));
    return NULL;
}

int main(int count, char **words)
{
    EXPECT(count == 2);
    setup(words[1]);
    for (int in_order = 0; in_order < 2; in_order++) {
        const ze_command_queue_flags_t flags = in_order ? ZE_COMMAND_QUEUE_FLAG_IN_ORDER : 0;
        ze_command_list_handle_t lists[3] = {immediate_list(0, flags), immediate_list(1, flags),
                                             immediate_list(0, flags)};
        /* Two lists of one compute ordinal share a ring: what waits there may not come before what it waits for. */
        for (int i = 0; i < 6; i++)
            a_chain_across_lists(lists, 0);
        the_host_holds_a_list_back(lists[1]);
        for (int i = 0; i < 3; i++)
            CHECK(zeCommandListDestroy(lists[i]));
    }
    ze_command_list_handle_t lists[3] = {immediate_list(0, 0), immediate_list(1, 0), immediate_list(0, 0)};
    a_chain_across_lists(lists, 1); /* the copy first: it waits on an engine of its own */
    a_regular_list_runs_again_and_again(0);
    a_regular_list_runs_again_and_again(1);
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        EXPECT(pthread_create(&threads[i], NULL, worker, (void *)i) == 0);
    for (int i = 0; i < 4; i++)
        EXPECT(pthread_join(threads[i], NULL) == 0);
    puts("order is kept");
    return 0;
}
