/* A Level Zero program of a stranger's, in short. Every failure ends it. */
#ifndef TESTS_INTEL_RIG_H
#define TESTS_INTEL_RIG_H

#include <level_zero/ze_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const ze_result_t result_ = (call);                                                                            \
        if (result_ != ZE_RESULT_SUCCESS) {                                                                            \
            printf("%s:%d: %s = 0x%x\n", __FILE__, __LINE__, #call, (unsigned)result_);                                \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define LONG_NS 60000000000ull
#define KEY     0xc0f0d5eed0a11ce5ull

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_module_handle_t module;

static inline void setup(const char *kernels)
{
    uint32_t count = 1;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK(zeInit(0));
    CHECK(zeDriverGet(&count, &driver));
    EXPECT(count == 1);
    CHECK(zeDeviceGet(driver, &count, &device));
    EXPECT(count == 1);
    CHECK(zeContextCreate(driver, &desc, &context));
    if (!kernels)
        return;
    static uint8_t code[65536];
    FILE *file = fopen(kernels, "rb");
    EXPECT(file);
    const ze_module_desc_t about = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                    .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                    .inputSize = fread(code, 1, sizeof code, file),
                                    .pInputModule = code};
    fclose(file);
    CHECK(zeModuleCreate(context, device, &about, &module, NULL));
}

static inline void *device_memory(size_t bytes)
{
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *made;
    CHECK(zeMemAllocDevice(context, &desc, bytes, 64, device, &made));
    return made;
}

static inline void *host_memory(size_t bytes)
{
    const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *made;
    CHECK(zeMemAllocHost(context, &desc, bytes, 64, &made));
    memset(made, 0, bytes);
    return made;
}

/* A kernel that lasts trips x 10 ns on the emulated device. */
static inline ze_kernel_handle_t work_kernel(void *from, void *to, uint64_t trips)
{
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "confound_kernel"};
    const uint64_t key = KEY;
    ze_kernel_handle_t made;
    CHECK(zeKernelCreate(module, &desc, &made));
    CHECK(zeKernelSetGroupSize(made, 32, 1, 1));
    CHECK(zeKernelSetArgumentValue(made, 0, sizeof from, &from));
    CHECK(zeKernelSetArgumentValue(made, 1, sizeof to, &to));
    CHECK(zeKernelSetArgumentValue(made, 2, sizeof key, &key));
    CHECK(zeKernelSetArgumentValue(made, 3, sizeof trips, &trips));
    return made;
}

static inline ze_command_list_handle_t immediate_list(uint32_t ordinal, ze_command_queue_flags_t flags)
{
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .ordinal = ordinal,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
                                          .flags = flags};
    ze_command_list_handle_t made;
    CHECK(zeCommandListCreateImmediate(context, device, &desc, &made));
    return made;
}

static inline ze_event_pool_handle_t event_pool(uint32_t count, ze_event_pool_flags_t flags)
{
    const ze_event_pool_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = flags | ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = count};
    ze_event_pool_handle_t made;
    CHECK(zeEventPoolCreate(context, &desc, 1, &device, &made));
    return made;
}

static inline ze_event_handle_t event_of(ze_event_pool_handle_t pool, uint32_t index)
{
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                  .index = index,
                                  .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                  .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t made;
    CHECK(zeEventCreate(pool, &desc, &made));
    return made;
}

static inline void pattern(uint8_t *bytes, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 251 + seed * 31);
}

static const ze_group_count_t one_group = {1, 1, 1};

#endif
