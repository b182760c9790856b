/* tags.c KERNELS MODE: the story in one step. List B holds a kernel of 400 ms; meanwhile list A, in order on the
   compute ordinal with the copy offload hint, copies 1 MiB, with a record of that mode. The emulator's spans tell where
   it ran. Modes: none, counter, pool-timestamps, tags-around, tag-after, signal-timestamps, barrier-timestamps,
   no-hint. */
#include <unistd.h>

#include "rig.h"

#define LONG_TRIPS  40000000ull /* 400 ms */
#define COPY_BYTES  (1u << 20)
#define OFFLOAD_BIT 4u /* ZE_COMMAND_QUEUE_FLAG_COPY_OFFLOAD_HINT, from 1.25 on */

static const char *mode;

static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}

static ze_event_handle_t event_for_mode(void)
{
    if (is("pool-timestamps") || is("signal-timestamps") || is("barrier-timestamps"))
        return event_of(event_pool(1, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP), 0);
    if (!is("counter"))
        return NULL;
    const ze_event_counter_based_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC,
                                                .flags = ZE_EVENT_COUNTER_BASED_FLAG_IMMEDIATE |
                                                         ZE_EVENT_COUNTER_BASED_FLAG_HOST_VISIBLE,
                                                .signal = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t made;
    CHECK(zeEventCounterBasedCreate(context, device, &desc, &made));
    return made;
}

int main(int count, char **words)
{
    EXPECT(count == 3);
    mode = words[2];
    setup(words[1]);
    uint64_t *stamps = host_memory(4096);
    uint8_t *out = host_memory(COPY_BYTES), *there = device_memory(COPY_BYTES);
    void *cell = device_memory(4096);
    ze_command_list_handle_t b = immediate_list(0, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    ze_command_list_handle_t a = immediate_list(0, ZE_COMMAND_QUEUE_FLAG_IN_ORDER | (is("no-hint") ? 0 : OFFLOAD_BIT));
    ze_kernel_handle_t kernel = work_kernel(cell, cell, LONG_TRIPS), small = work_kernel(cell, cell, 1);
    ze_event_handle_t event = event_for_mode();
    CHECK(zeCommandListAppendLaunchKernel(a, small, &one_group, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(a, there, out, 4096, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(a, LONG_NS));
    CHECK(zeCommandListAppendLaunchKernel(b, small, &one_group, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(b, LONG_NS));
    CHECK(zeCommandListAppendLaunchKernel(b, kernel, &one_group, NULL, 0, NULL));
    usleep(5000);
    const int appended = is("signal-timestamps") || is("barrier-timestamps");
    if (is("tags-around"))
        CHECK(zeCommandListAppendWriteGlobalTimestamp(a, stamps, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(a, there, out, COPY_BYTES, appended ? NULL : event, 0, NULL));
    if (is("signal-timestamps"))
        CHECK(zeCommandListAppendSignalEvent(a, event));
    if (is("barrier-timestamps"))
        CHECK(zeCommandListAppendBarrier(a, event, 0, NULL));
    if (is("tags-around") || is("tag-after"))
        CHECK(zeCommandListAppendWriteGlobalTimestamp(a, stamps + 1, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(a, there, out, COPY_BYTES, NULL, 0, NULL)); /* what comes behind */
    CHECK(zeCommandListHostSynchronize(a, LONG_NS));
    CHECK(zeCommandListHostSynchronize(b, LONG_NS));
    return 0;
}
