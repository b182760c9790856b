/* Devices, contexts, modules, memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stub.h"

/* Two copy engines and room for two kernels: every pair of lanes can overlap. */
static const char model_text[] = "[model]\nname = stub\n"
                                 "[engine in]\nruns = h2d batch-copy\nrate = 2000000000\n"
                                 "[engine out]\nruns = d2h\nrate = 2000000000\n"
                                 "[engine inside]\nruns = d2d\nrate = 4000000000\n"
                                 "[engine compute]\nruns = kernel kernel-copy\nwidth = 2\nrate = 1000000000\n";

stub_state stub;

static const struct {
    int code;
    const char *name;
} errors[] = {{0, "CUDA_SUCCESS"},
              {STUB_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
              {STUB_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
              {100, "CUDA_ERROR_NO_DEVICE"},
              {STUB_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
              {STUB_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
              {STUB_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
              {STUB_NOT_READY, "CUDA_ERROR_NOT_READY"},
              {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
              {719, "CUDA_ERROR_LAUNCH_FAILED"},
              {999, "CUDA_ERROR_UNKNOWN"}};

ENTRY cf_cu_result cuGetErrorName(cf_cu_result code, const char **ret_name)
{
    STUB_BEGIN("cuGetErrorName");
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].code == code) {
            *ret_name = errors[i].name;
            return 0;
        }
    return STUB_INVALID_VALUE;
}

ENTRY cf_cu_result cuGetErrorString(cf_cu_result code, const char **ret_text)
{
    STUB_BEGIN("cuGetErrorString");
    (void)code;
    *ret_text = "a failure of the stub";
    return 0;
}

/* By this the backend knows that no GPU stands behind what it measures. */
ENTRY cf_cu_result confound_stub_driver(void);
ENTRY cf_cu_result confound_stub_driver(void)
{
    return 0;
}

ENTRY long confound_stub_alive(void);
ENTRY long confound_stub_alive(void)
{
    return stub.alive;
}

ENTRY unsigned confound_stub_grid(void);
ENTRY unsigned confound_stub_grid(void)
{
    return stub.grid;
}

ENTRY cf_cu_result cuInit(unsigned flags)
{
    STUB_BEGIN("cuInit");
    return flags == 0 ? 0 : STUB_INVALID_VALUE;
}

ENTRY cf_cu_result cuDriverGetVersion(int *ret_version)
{
    STUB_BEGIN("cuDriverGetVersion");
    *ret_version = STUB_VERSION;
    return 0;
}

static int device_count(void)
{
    const char *text = getenv("CONFOUND_STUB_DEVICES");
    return text != NULL ? atoi(text) : 1;
}

ENTRY cf_cu_result cuDeviceGetCount(int *ret_count)
{
    STUB_BEGIN("cuDeviceGetCount");
    *ret_count = device_count();
    return 0;
}

ENTRY cf_cu_result cuDeviceGet(cf_cu_device *ret_device, int ordinal)
{
    STUB_BEGIN("cuDeviceGet");
    *ret_device = ordinal;
    return ordinal >= 0 && ordinal < device_count() ? 0 : 101;
}

ENTRY cf_cu_result cuDeviceGetName(char *name, int name_bytes, cf_cu_device device)
{
    STUB_BEGIN("cuDeviceGetName");
    snprintf(name, (size_t)name_bytes, device == 0 ? "stub" : "stub %d", device);
    return 0;
}

ENTRY cf_cu_result cuDeviceGetAttribute(int *ret_value, int attribute, cf_cu_device device)
{
    STUB_BEGIN("cuDeviceGetAttribute");
    switch (attribute) {
    case CF_CU_ATTRIBUTE_SMS:
        *ret_value = 16;
        return 0;
    case CF_CU_ATTRIBUTE_ENGINES:
        *ret_value = 2;
        return 0;
    case CF_CU_ATTRIBUTE_MAJOR:
        *ret_value = 9;
        return 0;
    case CF_CU_ATTRIBUTE_MINOR:
    case CF_CU_ATTRIBUTE_PCI_DOMAIN:
    case CF_CU_ATTRIBUTE_PCI_BUS:
        *ret_value = 0;
        return 0;
    case CF_CU_ATTRIBUTE_PCI_DEVICE:
        *ret_value = device;
        return 0;
    default:
        return STUB_INVALID_VALUE;
    }
}

ENTRY cf_cu_result cuDeviceTotalMem_v2(size_t *ret_bytes, cf_cu_device device)
{
    STUB_BEGIN("cuDeviceTotalMem_v2");
    (void)device;
    *ret_bytes = (size_t)1 << 30;
    return 0;
}

static cf_status open_soft(void)
{
    cf_error err = {0};
    cf_status status = cf_model_parse("stub", model_text, sizeof model_text - 1, &stub.model, &err);
    if (status == CF_OK)
        status = cf_device_open(&cf_device_soft, &(cf_device_config){.model = &stub.model}, &stub.soft, &err);
    if (status != CF_OK)
        fprintf(stderr, "stub: %s\n", err.text);
    return status;
}

ENTRY cf_cu_result cuCtxCreate_v2(cf_cu_context *ret_context, unsigned flags, cf_cu_device device)
{
    STUB_BEGIN("cuCtxCreate_v2");
    (void)flags;
    (void)device;
    if (stub.soft != NULL || open_soft() != CF_OK)
        return STUB_OUT_OF_MEMORY;
    stub.alive++;
    stub.current = true;
    *ret_context = (cf_cu_context)(void *)&stub;
    return 0;
}

/* A context takes its memory, streams and events with it; who relied on that is counted all the same. */
static cf_cu_result destroy_cuctxdestroy(cf_cu_context context)
{
    if ((void *)context != (void *)&stub || stub.soft == NULL)
        return STUB_INVALID_CONTEXT;
    stub_wait_all();
    stub_traces_done();
    stub_works_done();
    for (int i = 0; i < STUB_STREAMS; i++) {
        if (stub.streams[i] != NULL)
            cf_device_stream_close(stub.soft, stub.streams[i]->soft);
        free(stub.streams[i]);
        stub.streams[i] = NULL;
    }
    cf_device_close(stub.soft);
    cf_model_done(&stub.model);
    stub.soft = NULL;
    stub.current = false;
    stub.alive--;
    return 0;
}

ENTRY cf_cu_result cuCtxDestroy_v2(cf_cu_context context)
{
    int planned = stub_failure("cuCtxDestroy_v2");
    cf_cu_result code = destroy_cuctxdestroy(context);
    return planned != 0 ? planned : code;
}

ENTRY cf_cu_result cuCtxSetCurrent(cf_cu_context context)
{
    STUB_BEGIN("cuCtxSetCurrent");
    stub.current = context != NULL;
    return context == NULL || (void *)context == (void *)&stub ? 0 : STUB_INVALID_CONTEXT;
}

ENTRY cf_cu_result cuCtxGetStreamPriorityRange(int *ret_least, int *ret_greatest)
{
    STUB_BEGIN("cuCtxGetStreamPriorityRange");
    *ret_least = 0;
    *ret_greatest = -5;
    return 0;
}

ENTRY cf_cu_result cuModuleLoadDataEx(cf_cu_module *ret_module, const void *image, unsigned count, int *options,
                                      void **values)
{
    STUB_BEGIN("cuModuleLoadDataEx");
    (void)options;
    (void)values;
    if (count != 0 || strstr(image, ".version") == NULL || strstr(image, ".target") == NULL)
        return 218; /* CUDA_ERROR_INVALID_PTX */
    stub.alive++;
    *ret_module = (cf_cu_module)(void *)image;
    return 0;
}

static cf_cu_result destroy_cumoduleunload(cf_cu_module module)
{
    (void)module;
    stub.alive--;
    return 0;
}

ENTRY cf_cu_result cuModuleUnload(cf_cu_module module)
{
    int planned = stub_failure("cuModuleUnload");
    cf_cu_result code = destroy_cumoduleunload(module);
    return planned != 0 ? planned : code;
}

/* A function is its entry in the module's text. */
ENTRY cf_cu_result cuModuleGetFunction(cf_cu_function *ret_function, cf_cu_module module, const char *name)
{
    STUB_BEGIN("cuModuleGetFunction");
    char entry[96];
    snprintf(entry, sizeof entry, ".entry %s(", name);
    char *at = strstr((char *)module, entry);
    *ret_function = (cf_cu_function)(void *)at;
    return at != NULL ? 0 : STUB_NOT_FOUND;
}

ENTRY cf_cu_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *ret_blocks, cf_cu_function function, int threads,
                                                               size_t shared_bytes)
{
    STUB_BEGIN("cuOccupancyMaxActiveBlocksPerMultiprocessor");
    (void)function;
    (void)shared_bytes;
    *ret_blocks = threads > 0 ? 2048 / threads : 0;
    return 0;
}

/* 8 bytes more, because the embedded device reads whole words. */
static cf_cu_result allocate(size_t bytes, bool on_host, char **ret_data)
{
    stub_memory *memory = calloc(1, sizeof *memory);
    char *data = memory != NULL && stub.soft != NULL ? calloc(1, bytes + 8) : NULL;
    if (data == NULL || bytes == 0) {
        free(memory);
        free(data);
        return bytes == 0 ? STUB_INVALID_VALUE : STUB_OUT_OF_MEMORY;
    }
    *memory = (stub_memory){.data = data, .bytes = bytes, .on_host = on_host, .next = stub.memory};
    memset(data, 0xa5, bytes); /* nobody promised zeros */
    stub.memory = memory;
    stub.alive++;
    *ret_data = data;
    return 0;
}

static cf_cu_result release(const void *data, bool on_host)
{
    stub_wait_all();
    for (stub_memory **at = &stub.memory; *at != NULL; at = &(*at)->next) {
        stub_memory *memory = *at;
        if (memory->data != data || memory->on_host != on_host)
            continue;
        *at = memory->next;
        free(memory->data);
        free(memory);
        stub.alive--;
        return 0;
    }
    return STUB_INVALID_VALUE;
}

ENTRY cf_cu_result cuMemAlloc_v2(cf_cu_pointer *ret_pointer, size_t bytes)
{
    STUB_BEGIN("cuMemAlloc_v2");
    char *data = NULL;
    cf_cu_result code = allocate(bytes, false, &data);
    *ret_pointer = (cf_cu_pointer)(uintptr_t)data;
    return code;
}

static cf_cu_result destroy_cumemfree(cf_cu_pointer pointer)
{
    return release((const void *)(uintptr_t)pointer, false);
}

ENTRY cf_cu_result cuMemFree_v2(cf_cu_pointer pointer)
{
    int planned = stub_failure("cuMemFree_v2");
    cf_cu_result code = destroy_cumemfree(pointer);
    return planned != 0 ? planned : code;
}

ENTRY cf_cu_result cuMemHostAlloc(void **ret_pointer, size_t bytes, unsigned flags)
{
    STUB_BEGIN("cuMemHostAlloc");
    char *data = NULL;
    (void)flags;
    cf_cu_result code = allocate(bytes, true, &data);
    *ret_pointer = data;
    return code;
}

static cf_cu_result destroy_cumemfreehost(void *pointer)
{
    return release(pointer, true);
}

ENTRY cf_cu_result cuMemFreeHost(void *pointer)
{
    int planned = stub_failure("cuMemFreeHost");
    cf_cu_result code = destroy_cumemfreehost(pointer);
    return planned != 0 ? planned : code;
}

ENTRY cf_cu_result cuMemHostGetDevicePointer_v2(cf_cu_pointer *ret_pointer, void *host, unsigned flags)
{
    STUB_BEGIN("cuMemHostGetDevicePointer_v2");
    (void)flags;
    *ret_pointer = (cf_cu_pointer)(uintptr_t)host;
    return stub_find(host, 1) != NULL ? 0 : STUB_INVALID_VALUE;
}

ENTRY cf_cu_result cuMemsetD8_v2(cf_cu_pointer pointer, unsigned char value, size_t bytes)
{
    STUB_BEGIN("cuMemsetD8_v2");
    void *data = (void *)(uintptr_t)pointer;
    if (stub_find(data, bytes) == NULL)
        return STUB_INVALID_VALUE;
    stub_wait_all();
    memset(data, value, bytes);
    return 0;
}

static cf_cu_result transfer(void *to, const void *from, size_t bytes, const void *on_device, int copy_kind)
{
    const stub_memory *memory = stub_find(on_device, bytes);
    if (memory == NULL || memory->on_host || !stub.current)
        return STUB_INVALID_VALUE;
    stub_wait_all();
    memcpy(to, from, bytes);
    stub_trace_now(STUB_DEFAULT_ID, copy_kind, bytes);
    return 0;
}

ENTRY cf_cu_result cuMemcpyHtoD_v2(cf_cu_pointer to, const void *from, size_t bytes)
{
    STUB_BEGIN("cuMemcpyHtoD_v2");
    return transfer((void *)(uintptr_t)to, from, bytes, (void *)(uintptr_t)to, 1);
}

ENTRY cf_cu_result cuMemcpyDtoH_v2(void *to, cf_cu_pointer from, size_t bytes)
{
    STUB_BEGIN("cuMemcpyDtoH_v2");
    return transfer(to, (const void *)(uintptr_t)from, bytes, (void *)(uintptr_t)from, 2);
}
