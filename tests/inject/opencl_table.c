/* The layer's table and values are those of the installed headers; skipped where there are none. */
#if defined(__has_include)
#if __has_include(<CL/cl_layer.h>)
#define HAVE_HEADERS             1
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_egl.h>
#include <CL/cl_layer.h>
#endif
#endif
#include <stdio.h>

#include "inject/opencl_api.h"

#if defined(HAVE_HEADERS)

static int wrong;
static void same(const char *name, long ours, long theirs)
{
    if (ours == theirs)
        return;
    printf("%s: %ld here, %ld in the headers\n", name, ours, theirs);
    wrong++;
}

int main(void)
{
#define X(name) same(#name, CF_CL_##name, (long)(offsetof(cl_icd_dispatch, name) / sizeof(void *)));
    CF_CL_DISPATCH(X)
#undef X
#define X(name, value) same(#name, value, CL_COMMAND_##name);
    CF_CL_COMMAND_TYPES(X)
#undef X
    same("functions", CF_CL_FUNCTION_COUNT, (long)(sizeof(cl_icd_dispatch) / sizeof(void *)));
    same("no profiling", CF_CL_NO_PROFILING, CL_PROFILING_INFO_NOT_AVAILABLE);
    same("invalid value", CF_CL_INVALID_VALUE, CL_INVALID_VALUE);
    same("out of order", (long)CF_CL_OUT_OF_ORDER, (long)CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    same("profiling", (long)CF_CL_PROFILING, (long)CL_QUEUE_PROFILING_ENABLE);
    same("on device", (long)CF_CL_ON_DEVICE, (long)CL_QUEUE_ON_DEVICE);
    same("queue property", CF_CL_QUEUE_PROPERTY, CL_QUEUE_PROPERTIES);
    same("event queue", CF_CL_EVENT_QUEUE, CL_EVENT_COMMAND_QUEUE);
    same("event type", CF_CL_EVENT_TYPE, CL_EVENT_COMMAND_TYPE);
    same("event status", CF_CL_EVENT_STATUS, CL_EVENT_COMMAND_EXECUTION_STATUS);
    same("times", CF_CL_PROFILING_FIRST, CL_PROFILING_COMMAND_QUEUED);
    same("times", CF_CL_PROFILING_COUNT, CL_PROFILING_COMMAND_COMPLETE - CL_PROFILING_COMMAND_QUEUED + 1);
    same("device name", CF_CL_DEVICE_NAME, CL_DEVICE_NAME);
    same("driver", CF_CL_DRIVER, CL_DRIVER_VERSION);
    same("layer api", CF_CL_LAYER_API, CL_LAYER_API_VERSION);
    same("layer name", CF_CL_LAYER_NAME, CL_LAYER_NAME);
    same("layer version", CF_CL_LAYER_VERSION, CL_LAYER_API_VERSION_100);
    return wrong > 0;
}
#else
int main(void)
{
    printf("skipped: no <CL/cl_layer.h>\n");
    return 77;
}
#endif
