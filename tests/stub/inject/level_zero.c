/* A Level Zero program as others write them, which knows nothing of confound: STEPS times a kernel of KERNEL_US on one
   list, and copies beside it on another. It checks what was copied, and complains where an answer is not by the rules.
     usage: program STEPS KERNEL_US MODE [KERNELS.spv]
   Built twice: -DLINKED calls the loader by its names, -DLOADED finds them by dlsym. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/level_zero/api.h"

#define KEY    UINT64_C(0xc0f0d5eed0a11ce5) /* a kernel's arguments: this, and how often it goes round */
#define COPIES 6
#define BYTES  ((size_t)1 << 20)
#define MANY   20

#define LOADER(X)                                                                                                      \
    X(zeInit, (uint32_t))                                                                                              \
    X(zeDriverGet, (uint32_t *, cf_ze_driver *))                                                                       \
    X(zeDeviceGet, (cf_ze_driver, uint32_t *, cf_ze_device *))                                                         \
    X(zeDriverGetExtensionFunctionAddress, (cf_ze_driver, const char *, void **))                                      \
    X(zeContextCreate, (cf_ze_driver, const cf_ze_flags_desc *, cf_ze_context *))                                      \
    X(zeMemAllocHost, (cf_ze_context, const cf_ze_flags_desc *, size_t, size_t, void **))                              \
    X(zeModuleCreate, (cf_ze_context, cf_ze_device, const cf_ze_module_desc *, cf_ze_module *, cf_ze_log *))           \
    X(zeKernelCreate, (cf_ze_module, const cf_ze_kernel_desc *, cf_ze_kernel *))                                       \
    X(zeKernelSetGroupSize, (cf_ze_kernel, uint32_t, uint32_t, uint32_t))                                              \
    X(zeKernelSetArgumentValue, (cf_ze_kernel, uint32_t, size_t, const void *))                                        \
    X(zeCommandListCreateImmediate, (cf_ze_context, cf_ze_device, const cf_ze_queue_desc *, cf_ze_list *))             \
    X(zeCommandListCreate, (cf_ze_context, cf_ze_device, const cf_ze_list_desc *, cf_ze_list *))                       \
    X(zeCommandListClose, (cf_ze_list))                                                                                \
    X(zeCommandListHostSynchronize, (cf_ze_list, uint64_t))                                                            \
    X(zeCommandQueueCreate, (cf_ze_context, cf_ze_device, const cf_ze_queue_desc *, cf_ze_queue *))                    \
    X(zeCommandQueueExecuteCommandLists, (cf_ze_queue, uint32_t, cf_ze_list *, void *))                                \
    X(zeCommandQueueSynchronize, (cf_ze_queue, uint64_t))                                                              \
    X(zeEventPoolCreate, (cf_ze_context, const cf_ze_pool_desc *, uint32_t, cf_ze_device *, cf_ze_pool *))             \
    X(zeEventPoolDestroy, (cf_ze_pool))                                                                                \
    X(zeEventCreate, (cf_ze_pool, const cf_ze_event_desc *, cf_ze_event *))                                            \
    X(zeEventCounterBasedCreate, (cf_ze_context, cf_ze_device, const cf_ze_event_desc *, cf_ze_event *))               \
    X(zeEventDestroy, (cf_ze_event))                                                                                   \
    X(zeEventHostReset, (cf_ze_event))                                                                                 \
    X(zeEventHostSynchronize, (cf_ze_event, uint64_t))                                                                 \
    X(zeEventQueryStatus, (cf_ze_event))                                                                               \
    X(zeEventQueryKernelTimestamp, (cf_ze_event, cf_ze_kernel_stamps *))                                               \
    X(zeCommandListAppendMemoryCopy, (cf_ze_list, void *, const void *, size_t, CF_ZE_WAITS))                          \
    X(zeCommandListAppendLaunchKernel, (cf_ze_list, cf_ze_kernel, const cf_ze_groups *, CF_ZE_WAITS))                  \
    X(zeCommandListAppendSignalEvent, (cf_ze_list, cf_ze_event))                                                       \
    X(zeCommandListAppendWaitOnEvents, (cf_ze_list, uint32_t, cf_ze_event *))                                          \
    X(zeCommandListAppendEventReset, (cf_ze_list, cf_ze_event))                                                        \
    X(zeCommandListAppendWriteGlobalTimestamp, (cf_ze_list, uint64_t *, CF_ZE_WAITS))

#if defined(LINKED)
#define X(name, parameters) cf_ze_result name parameters;
LOADER(X)
#undef X
#define CALL(name) name
static void find_loader(void)
{
}
#else
#define X(name, parameters) static cf_ze_result(*name##_at) parameters;
LOADER(X)
#undef X
#define CALL(name) name##_at
static void find_loader(void)
{
    void *library = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(77);
    }
#define X(name, parameters)                                                                                            \
    if (!(*(void **)&name##_at = dlsym(library, #name)))                                                               \
        exit(76);
    LOADER(X)
#undef X
}
#endif

static int complaints, times, is_stub;
static void expect(int is, int wanted, const char *what, int step)
{
    if (is == wanted)
        return;
    complaints++;
    printf("step %d: %s gave 0x%x, not 0x%x\n", step, what, (unsigned)is, (unsigned)wanted);
}
#define TRY(step, name, ...) expect(CALL(name)(__VA_ARGS__), 0, #name, step)

static cf_ze_driver driver;
static cf_ze_device device;
static cf_ze_context context;
static cf_ze_kernel kernel;
static cf_ze_list a, b, recorded;
static cf_ze_queue queue;
static cf_ze_pool timed_pool, plain_pool;
static cf_ze_event first, last, joined, many[MANY];
static uint8_t *from, *between, *to;
static uint64_t *stamps;
static const char *mode;
static const cf_ze_groups one = {1, 1, 1};

static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}

static void *memory(size_t bytes)
{
    const cf_ze_flags_desc desc = {.type = CF_ZE_TYPE_HOST_MEMORY};
    void *made = NULL;
    TRY(-1, zeMemAllocHost, context, &desc, bytes, 64, &made);
    if (made)
        memset(made, 0, bytes);
    return made;
}

static void make_kernel(uint64_t us, const char *path)
{
    static uint8_t code[65536] = {3, 2, 0x23, 7};
    size_t bytes = 20;
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (file) {
        bytes = fread(code, 1, sizeof code, file);
        (void)fclose(file);
    }
    const cf_ze_module_desc about = {
        .type = CF_ZE_TYPE_MODULE, .format = CF_ZE_FORMAT_SPIRV, .bytes = bytes, .input = code};
    const cf_ze_kernel_desc desc = {.type = CF_ZE_TYPE_KERNEL, .name = "confound_kernel"};
    const uint64_t key = KEY, trips = us * 100;
    void *cell = memory(4096);
    cf_ze_module module = NULL;
    TRY(-1, zeModuleCreate, context, device, &about, &module, NULL);
    TRY(-1, zeKernelCreate, module, &desc, &kernel);
    TRY(-1, zeKernelSetGroupSize, kernel, 32, 1, 1);
    TRY(-1, zeKernelSetArgumentValue, kernel, 0, sizeof cell, &cell);
    TRY(-1, zeKernelSetArgumentValue, kernel, 1, sizeof cell, &cell);
    TRY(-1, zeKernelSetArgumentValue, kernel, 2, sizeof key, &key);
    TRY(-1, zeKernelSetArgumentValue, kernel, 3, sizeof trips, &trips);
}

static cf_ze_event event_of(cf_ze_pool pool, uint32_t index)
{
    const cf_ze_event_desc desc = {
        .type = CF_ZE_TYPE_EVENT, .index = index, .signal = CF_ZE_SCOPE_HOST, .wait = CF_ZE_SCOPE_HOST};
    cf_ze_event made = NULL;
    TRY(-1, zeEventCreate, pool, &desc, &made);
    return made;
}

static cf_ze_event counting_event(void)
{
    const cf_ze_event_desc desc = {.type = CF_ZE_TYPE_COUNTER_EVENT,
                                   .index =
                                       CF_ZE_COUNTER_IMMEDIATE | CF_ZE_COUNTER_HOST_VISIBLE | CF_ZE_COUNTER_TIMESTAMP,
                                   .signal = CF_ZE_SCOPE_HOST};
    cf_ze_event made = NULL;
    TRY(-1, zeEventCounterBasedCreate, context, device, &desc, &made);
    return made;
}

static void make_events(void)
{
    cf_ze_pool_desc desc = {.type = CF_ZE_TYPE_POOL, .flags = CF_ZE_POOL_HOST_VISIBLE, .count = 2 + MANY};
    TRY(-1, zeEventPoolCreate, context, &desc, 1, &device, &plain_pool);
    desc.flags |= CF_ZE_POOL_KERNEL_TIMESTAMP;
    TRY(-1, zeEventPoolCreate, context, &desc, 1, &device, &timed_pool);
    cf_ze_pool pool = is("plain") ? plain_pool : timed_pool;
    first = is("counter") ? counting_event() : event_of(pool, 0);
    last = is("counter") ? counting_event() : event_of(pool, 1);
    joined = event_of(plain_pool, 0);
    for (uint32_t i = 0; i < MANY; i++)
        many[i] = event_of(timed_pool, 2 + i);
}

static void make_recorded(void)
{
    const cf_ze_list_desc list = {.type = CF_ZE_TYPE_LIST};
    const cf_ze_queue_desc desc = {.type = CF_ZE_TYPE_QUEUE, .mode = CF_ZE_MODE_ASYNCHRONOUS};
    TRY(-1, zeCommandQueueCreate, context, device, &desc, &queue);
    TRY(-1, zeCommandListCreate, context, device, &list, &recorded);
    TRY(-1, zeCommandListAppendMemoryCopy, recorded, to, between, BYTES, last, 1, &first);
    TRY(-1, zeCommandListClose, recorded);
}

static void make(uint64_t us, const char *path)
{
    const cf_ze_flags_desc about = {.type = CF_ZE_TYPE_CONTEXT};
    cf_ze_queue_desc list = {.type = CF_ZE_TYPE_QUEUE, .flags = CF_ZE_QUEUE_IN_ORDER, .mode = CF_ZE_MODE_ASYNCHRONOUS};
    uint32_t count = 1;
    TRY(-1, zeInit, 0);
    TRY(-1, zeDriverGet, &count, &driver);
    TRY(-1, zeDeviceGet, driver, &count, &device);
    TRY(-1, zeContextCreate, driver, &about, &context);
    from = memory(BYTES);
    between = memory(BYTES);
    to = memory(BYTES);
    stamps = memory(4096);
    make_kernel(us, path);
    TRY(-1, zeCommandListCreateImmediate, context, device, &list, &b);
    list.flags |= CF_ZE_QUEUE_COPY_OFFLOAD;
    TRY(-1, zeCommandListCreateImmediate, context, device, &list, &a);
    make_events();
    if (is("recorded"))
        make_recorded();
    void *found = NULL;
    if (is("extension"))
        (void)CALL(zeDriverGetExtensionFunctionAddress)(driver, "zexEventFuture", &found);
}

/* Copies on A beside the kernel on B, with a record of the mode around or of them. */
static void copies_step(int step)
{
    int events = is("events") || is("counter") || is("plain") || is("fresh") || is("extension");
    TRY(step, zeCommandListAppendLaunchKernel, b, kernel, &one, NULL, 0, NULL);
    if (is("stamps"))
        TRY(step, zeCommandListAppendWriteGlobalTimestamp, a, &stamps[0], NULL, 0, NULL);
    if (is("signals"))
        TRY(step, zeCommandListAppendSignalEvent, a, first);
    TRY(step, zeCommandListAppendMemoryCopy, a, between, from, BYTES, events ? first : NULL, 0, NULL);
    for (int i = 0; i < COPIES - 2; i++)
        TRY(step, zeCommandListAppendMemoryCopy, a, to, between, BYTES, NULL, 0, NULL);
    TRY(step, zeCommandListAppendMemoryCopy, a, to, between, BYTES, events ? last : NULL, 0, NULL);
    if (is("stamps"))
        TRY(step, zeCommandListAppendWriteGlobalTimestamp, a, &stamps[1], NULL, 0, NULL);
    if (is("signals"))
        TRY(step, zeCommandListAppendSignalEvent, a, last);
    TRY(step, zeCommandListHostSynchronize, a, CF_ZE_FOREVER);
    TRY(step, zeCommandListHostSynchronize, b, CF_ZE_FOREVER);
    if (is("stamps"))
        times += stamps[0] > 0 && stamps[1] > stamps[0];
}

/* What waits was appended before what signals. */
static void order_step(int step)
{
    TRY(step, zeCommandListAppendWaitOnEvents, a, 1, &first);
    TRY(step, zeCommandListAppendMemoryCopy, a, to, between, BYTES, last, 0, NULL);
    TRY(step, zeCommandListAppendMemoryCopy, b, between, from, BYTES, first, 0, NULL);
    TRY(step, zeEventHostSynchronize, last, CF_ZE_FOREVER);
    TRY(step, zeCommandListAppendEventReset, a, first);
    TRY(step, zeCommandListHostSynchronize, a, CF_ZE_FOREVER);
    TRY(step, zeCommandListHostSynchronize, b, CF_ZE_FOREVER);
    expect(CALL(zeEventQueryStatus)(first), CF_ZE_NOT_READY, "an event that was reset", step);
    TRY(step, zeEventQueryStatus, last);
    TRY(step, zeEventHostReset, last);
}

/* What waits does so for a timestamp, and that for a copy. */
static void chain_step(int step)
{
    TRY(step, zeCommandListAppendMemoryCopy, b, between, from, BYTES, first, 0, NULL);
    TRY(step, zeCommandListAppendWriteGlobalTimestamp, a, &stamps[0], joined, 1, &first);
    TRY(step, zeCommandListAppendWriteGlobalTimestamp, a, &stamps[1], NULL, 1, &joined);
    TRY(step, zeCommandListAppendMemoryCopy, a, to, between, BYTES, last, 1, &joined);
    TRY(step, zeEventHostSynchronize, last, CF_ZE_FOREVER);
    TRY(step, zeCommandListHostSynchronize, a, CF_ZE_FOREVER);
    times += stamps[0] > 0 && stamps[1] > 0;
    TRY(step, zeEventHostReset, joined);
}

static void recorded_step(int step)
{
    TRY(step, zeCommandListAppendMemoryCopy, a, between, from, BYTES, first, 0, NULL);
    TRY(step, zeCommandListAppendWriteGlobalTimestamp, a, &stamps[0], NULL, 0, NULL);
    TRY(step, zeCommandQueueExecuteCommandLists, queue, 1, &recorded, NULL);
    TRY(step, zeCommandQueueSynchronize, queue, CF_ZE_FOREVER);
    TRY(step, zeCommandListHostSynchronize, a, CF_ZE_FOREVER);
}

static void many_step(int step)
{
    TRY(step, zeCommandListAppendMemoryCopy, b, between, from, BYTES, NULL, 0, NULL);
    for (int i = 0; i < MANY; i++)
        TRY(step, zeCommandListAppendSignalEvent, b, many[i]);
    TRY(step, zeCommandListAppendMemoryCopy, a, to, between, BYTES, NULL, MANY, many);
    TRY(step, zeCommandListHostSynchronize, a, CF_ZE_FOREVER);
    TRY(step, zeCommandListHostSynchronize, b, CF_ZE_FOREVER);
    for (int i = 0; i < MANY; i++)
        TRY(step, zeEventHostReset, many[i]);
}

static void check_event(cf_ze_event event, int step)
{
    cf_ze_kernel_stamps got = {0};
    TRY(step, zeEventQueryStatus, event);
    TRY(step, zeEventQueryKernelTimestamp, event, &got);
    times += got.global_end != got.global_begin;
    if (is_stub || !is("signals")) /* what Intel's driver gives a signal has no length */
        expect(got.global_end != got.global_begin, 1, "that the time is one", step);
    if (is("counter"))
        return;
    TRY(step, zeEventHostReset, event);
    if (is_stub) /* Intel's driver answers with anything */
        expect(CALL(zeEventQueryKernelTimestamp)(event, &got), CF_ZE_NOT_READY, "a time of an event that was reset",
               step);
}

static void check(int step)
{
    for (size_t i = 0; i < BYTES; i += 4099)
        if (to[i] != (uint8_t)((size_t)step * 31 + i * 7)) {
            expect(to[i], (uint8_t)((size_t)step * 31 + i * 7), "what was copied", step);
            break;
        }
    if (is("events") || is("signals") || is("counter") || is("fresh") || is("recorded") || is("chain") ||
        is("extension"))
        check_event(first, step);
    if (is("events") || is("signals") || is("counter") || is("fresh") || is("chain") || is("extension"))
        check_event(last, step);
    if (is("recorded") || is("plain"))
        TRY(step, zeEventHostReset, last);
    if (is("plain"))
        TRY(step, zeEventHostReset, first);
}

static void renew(int step)
{
    TRY(step, zeEventDestroy, first);
    TRY(step, zeEventDestroy, last);
    first = event_of(timed_pool, 0);
    last = event_of(timed_pool, 1);
}

/* The bytes of a step repeat after 256 of them. Written one by one, under ThreadSanitizer, they would take longer than
   the step's kernel and copies, and what these take of a step could not be told. */
static void fill(int step)
{
    for (size_t i = 0; i < 256; i++)
        from[i] = (uint8_t)((size_t)step * 31 + i * 7);
    for (size_t done = 256; done < BYTES; done *= 2)
        memcpy(from + done, from, done);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 10;
    mode = argc > 3 ? argv[3] : "stamps";
    is_stub = argc <= 4;
    find_loader();
    make(argc > 2 ? strtoull(argv[2], NULL, 10) : 3000, argc > 4 ? argv[4] : NULL);
    for (int step = 0; step < steps && complaints < 20; step++) {
        fill(step);
        if (is("order"))
            order_step(step);
        else if (is("chain"))
            chain_step(step);
        else if (is("recorded"))
            recorded_step(step);
        else if (is("many"))
            many_step(step);
        else
            copies_step(step);
        check(step);
        if (is("fresh"))
            renew(step);
    }
    TRY(-1, zeEventDestroy, first);
    TRY(-1, zeEventDestroy, last);
    printf("%d steps, %d times, %d complaints\n", steps, times, complaints);
    return complaints > 0;
}
