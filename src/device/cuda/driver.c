#include "device/cuda/driver.h"

#include <string.h>

static const cf_dl_symbol symbols[] = {
#define X(field, names, optional, parameters) {names, offsetof(cf_cuda_api, field), optional},
    CF_CUDA_API_TABLE(X)
#undef X
};
static const char *const libraries[] = {"libcuda.so.1", "libcuda.so", NULL};

/* A name that the driver does not know is no reason to lose the code. */
static const char *text_of(cf_cu_result (*ask)(cf_cu_result, const char **), cf_cu_result code, const char *otherwise)
{
    const char *text = NULL;
    return ask(code, &text) == CF_CU_SUCCESS && text != NULL ? text : otherwise;
}

cf_status cf_cuda_failed(const cf_cuda_api *api, const char *call, cf_cu_result code, cf_error *err)
{
    return cf_error_set_call(err, CF_DEVICE, call, code, "the CUDA driver answered %s, %s",
                             text_of(api->error_name, code, "a code without a name"),
                             text_of(api->error_string, code, "of which it says nothing"));
}

static cf_status absent(cf_error *err, const char *why)
{
    if (err != NULL)
        err->status = CF_NO_DEVICE;
    (void)cf_error_prefix(err, "%s", why);
    return CF_NO_DEVICE;
}

static cf_status start(cf_cuda_api *api, cf_error *err)
{
    if (cf_dl_load(api->dl, symbols, sizeof symbols / sizeof symbols[0], api, err) != CF_OK)
        return absent(err, "the CUDA driver cannot be used");
    if (CF_CUDA_TRY(api, err, "cuInit", api->init(0)) != CF_OK)
        return absent(err, "the CUDA driver does not start");
    return CF_CUDA_TRY(api, err, "cuDriverGetVersion", api->driver_version(&api->version));
}

cf_status cf_cuda_api_open(cf_cuda_api *ret_api, cf_error *err)
{
    cf_cuda_api api = {0};
    cf_status status = cf_dl_open("CONFOUND_CUDA_LIBRARY", libraries, &api.dl, err);
    if (status == CF_MEMORY)
        return status;
    if (status != CF_OK)
        return absent(err, "no CUDA driver");
    status = start(&api, err);
    if (status != CF_OK) {
        cf_dl_close(api.dl);
        return status;
    }
    *ret_api = api;
    return CF_OK;
}

void cf_cuda_api_close(cf_cuda_api *api)
{
    cf_dl_close(api->dl);
    memset(api, 0, sizeof *api);
}
