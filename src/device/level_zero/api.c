#include "device/level_zero/api.h"

#include <stdio.h>
#include <string.h>

static const cf_dl_symbol symbols[] = {
#define X(field, names, optional, parameters) {names, offsetof(cf_ze_api, field), optional},
    CF_ZE_API_TABLE(X)
#undef X
};
static const char *const libraries[] = {"libze_loader.so.1", "libze_loader.so", NULL};

/* ze_result_t, without the first words, which all of them share. */
static const struct {
    cf_ze_result code;
    const char *name;
} codes[] = {
    {0x00000001, "ZE_RESULT_NOT_READY"},
    {0x70000001, "ZE_RESULT_ERROR_DEVICE_LOST"},
    {0x70000002, "ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY"},
    {0x70000003, "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY"},
    {0x70000004, "ZE_RESULT_ERROR_MODULE_BUILD_FAILURE"},
    {0x70000005, "ZE_RESULT_ERROR_MODULE_LINK_FAILURE"},
    {0x70000006, "ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET"},
    {0x70000007, "ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE"},
    {0x70010000, "ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS"},
    {0x70010001, "ZE_RESULT_ERROR_NOT_AVAILABLE"},
    {0x70020000, "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE"},
    {CF_ZE_UNINITIALIZED, "ZE_RESULT_ERROR_UNINITIALIZED"},
    {CF_ZE_UNSUPPORTED_VERSION, "ZE_RESULT_ERROR_UNSUPPORTED_VERSION"},
    {CF_ZE_UNSUPPORTED_FEATURE, "ZE_RESULT_ERROR_UNSUPPORTED_FEATURE"},
    {CF_ZE_INVALID_ARGUMENT, "ZE_RESULT_ERROR_INVALID_ARGUMENT"},
    {0x78000005, "ZE_RESULT_ERROR_INVALID_NULL_HANDLE"},
    {0x78000006, "ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE"},
    {0x78000007, "ZE_RESULT_ERROR_INVALID_NULL_POINTER"},
    {0x78000008, "ZE_RESULT_ERROR_INVALID_SIZE"},
    {0x78000009, "ZE_RESULT_ERROR_UNSUPPORTED_SIZE"},
    {0x7800000a, "ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT"},
    {0x7800000b, "ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT"},
    {0x7800000c, "ZE_RESULT_ERROR_INVALID_ENUMERATION"},
    {0x7800000d, "ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION"},
    {0x7800000f, "ZE_RESULT_ERROR_INVALID_NATIVE_BINARY"},
    {0x78000011, "ZE_RESULT_ERROR_INVALID_KERNEL_NAME"},
    {0x78000013, "ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION"},
    {0x78000014, "ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION"},
    {0x78000015, "ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX"},
    {0x78000016, "ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE"},
    {0x7800001a, "ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE"},
    {0x7800001b, "ZE_RESULT_ERROR_OVERLAPPING_REGIONS"},
    {0x7ffffffe, "ZE_RESULT_ERROR_UNKNOWN"},
};

const char *cf_ze_code_name(cf_ze_result code)
{
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].code == code)
            return codes[i].name;
    return "a code without a name";
}

cf_status cf_ze_check(const char *call, cf_ze_result code, cf_error *err)
{
    if (code == CF_ZE_SUCCESS)
        return CF_OK;
    return cf_error_set_call(err, CF_DEVICE, call, code, "Level Zero answered %s", cf_ze_code_name(code));
}

static cf_status absent(cf_error *err, const char *why)
{
    if (err != NULL)
        err->status = CF_NO_DEVICE;
    (void)cf_error_prefix(err, "%s", why);
    return CF_NO_DEVICE;
}

/* zel_component_version_t: what the loader says of itself and its layers. */
typedef struct component {
    char name[64];
    uint32_t specification;
    int major, minor, patch;
} component;

static void ask_version(cf_ze_api *api)
{
    component found[8];
    size_t count = 0;
    cf_ze_result (*versions)(size_t *, component *) =
        (cf_ze_result(*)(size_t *, component *))cf_dl_find(api->dl, "zelLoaderGetVersions");
    if (versions == NULL || versions(&count, NULL) != CF_ZE_SUCCESS || count == 0 ||
        count > sizeof found / sizeof found[0] || versions(&count, found) != CF_ZE_SUCCESS)
        return;
    for (size_t i = 0; i < count; i++)
        if (strncmp(found[i].name, "loader", sizeof found[i].name) == 0)
            snprintf(api->loader, sizeof api->loader, "%d.%d.%d", found[i].major, found[i].minor, found[i].patch);
}

static cf_status start(cf_ze_api *api, cf_error *err)
{
    if (cf_dl_load(api->dl, symbols, sizeof symbols / sizeof symbols[0], api, err) != CF_OK)
        return absent(err, "the Level Zero loader cannot be used");
    cf_ze_result code = api->init(CF_ZE_INIT_GPU_ONLY);
    if (code == CF_ZE_UNINITIALIZED)
        return cf_error_set_call(err, CF_NO_DEVICE, "zeInit", code,
                                 "the Level Zero loader is there (%s) and finds no driver for a GPU that starts: "
                                 "libze_intel_gpu.so.1 (Debian: libze-intel-gpu1, intel-level-zero-gpu) or its device",
                                 cf_dl_path(api->dl));
    if (CF_ZE_TRY(err, "zeInit", code) != CF_OK)
        return absent(err, "the Level Zero driver does not start");
    ask_version(api);
    return CF_OK;
}

cf_status cf_ze_api_open(cf_ze_api *ret_api, cf_error *err)
{
    cf_ze_api api = {0};
    cf_status status = cf_dl_open("CONFOUND_ZE_LIBRARY", libraries, &api.dl, err);
    if (status == CF_MEMORY)
        return status;
    if (status != CF_OK)
        return absent(err, "no Level Zero loader");
    status = start(&api, err);
    if (status != CF_OK) {
        cf_dl_close(api.dl);
        return status;
    }
    *ret_api = api;
    return CF_OK;
}

void cf_ze_api_close(cf_ze_api *api)
{
    cf_dl_close(api->dl);
    memset(api, 0, sizeof *api);
}
