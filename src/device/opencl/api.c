#include "device/opencl/api.h"

static const cf_dl_symbol symbols[] = {
#define X(name, result, parameters) {#name, offsetof(cf_cl, name), false},
    CF_CL_FUNCTIONS(X)
#undef X
};

static const struct code {
    cl_int code;
    const char *name;
} codes[] = {
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-12, "CL_MAP_FAILURE"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-30, "CL_INVALID_VALUE"},
    {-31, "CL_INVALID_DEVICE_TYPE"},
    {-32, "CL_INVALID_PLATFORM"},
    {-33, "CL_INVALID_DEVICE"},
    {-34, "CL_INVALID_CONTEXT"},
    {-35, "CL_INVALID_QUEUE_PROPERTIES"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},
    {-38, "CL_INVALID_MEM_OBJECT"},
    {-44, "CL_INVALID_PROGRAM"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX"},
    {-50, "CL_INVALID_ARG_VALUE"},
    {-51, "CL_INVALID_ARG_SIZE"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-53, "CL_INVALID_WORK_DIMENSION"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE"},
    {-57, "CL_INVALID_EVENT_WAIT_LIST"},
    {-58, "CL_INVALID_EVENT"},
    {-59, "CL_INVALID_OPERATION"},
    {-61, "CL_INVALID_BUFFER_SIZE"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

cf_status cf_cl_load(cf_cl *ret_cl, cf_dl **ret_dl, cf_error *err)
{
    static const char *const names[] = {"libOpenCL.so.1", NULL};
    cf_dl *dl = NULL;
    cf_status status = cf_dl_open("CONFOUND_OPENCL_LIBRARY", names, &dl, err);
    if (status == CF_OK)
        status = cf_dl_load(dl, symbols, sizeof symbols / sizeof symbols[0], ret_cl, err);
    if (status != CF_OK) {
        cf_dl_close(dl);
        if (err != NULL && status == CF_UNSUPPORTED)
            err->status = CF_NO_DEVICE;
        return status == CF_UNSUPPORTED ? CF_NO_DEVICE : status;
    }
    *ret_dl = dl;
    return CF_OK;
}

const char *cf_cl_code_name(cl_int code)
{
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].code == code)
            return codes[i].name;
    return "unknown code";
}

cf_status cf_cl_check(cl_int code, const char *call, cf_error *err)
{
    if (code == CL_SUCCESS)
        return CF_OK;
    return cf_error_set_call(err, CF_DEVICE, call, code, "the OpenCL driver answered %s", cf_cl_code_name(code));
}
