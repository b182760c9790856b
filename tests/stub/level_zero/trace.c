/* The loader's tracer: one at a time, of the two calls that are operations, and of one other. */
#include <stdlib.h>
#include <string.h>

#include "stub.h"

typedef void callback(void *arguments, cf_ze_result result, void *user, void **call);
typedef struct tracer {
    bool enabled;
    void *user;
    callback *copy[2], *launch[2], *close[2];
} tracer;
typedef struct tracer_desc {
    CF_ZE_HEAD;
    void *user;
} tracer_desc;

static tracer *current;
#ifndef STUB_OLD
static bool layer_on;

ENTRY cf_ze_result zelEnableTracingLayer(void);
ENTRY cf_ze_result zelEnableTracingLayer(void)
{
    STUB_BEGIN("zelEnableTracingLayer");
    layer_on = true;
    return CF_ZE_SUCCESS;
}

ENTRY cf_ze_result zelDisableTracingLayer(void);
ENTRY cf_ze_result zelDisableTracingLayer(void)
{
    STUB_END("zelDisableTracingLayer", layer_on = false);
}
#endif

static bool has_layer(void)
{
    const char *text = getenv("ZE_ENABLE_TRACING_LAYER");
#ifndef STUB_OLD
    if (layer_on)
        return true;
#endif
    return text != NULL && strcmp(text, "1") == 0;
}

ENTRY cf_ze_result zelTracerCreate(const tracer_desc *desc, tracer **ret_tracer);
ENTRY cf_ze_result zelTracerCreate(const tracer_desc *desc, tracer **ret_tracer)
{
    STUB_BEGIN("zelTracerCreate");
    if (!has_layer())
        return CF_ZE_UNINITIALIZED;
    if (current != NULL || desc->type != 1 || desc->user == NULL)
        return CF_ZE_INVALID_ARGUMENT;
    current = calloc(1, sizeof *current);
    if (current == NULL)
        return STUB_OUT_OF_MEMORY;
    current->user = desc->user;
    stub_alive++;
    *ret_tracer = current;
    return CF_ZE_SUCCESS;
}

static void destroy(tracer *t)
{
    free(t);
    current = NULL;
    stub_alive--;
}

ENTRY cf_ze_result zelTracerDestroy(tracer *t);
ENTRY cf_ze_result zelTracerDestroy(tracer *t)
{
    STUB_END("zelTracerDestroy", destroy(t));
}

ENTRY cf_ze_result zelTracerSetEnabled(tracer *t, uint8_t on);
ENTRY cf_ze_result zelTracerSetEnabled(tracer *t, uint8_t on)
{
    STUB_BEGIN("zelTracerSetEnabled");
    t->enabled = on;
    return CF_ZE_SUCCESS;
}

#define REGISTER(field, name)                                                                                          \
    ENTRY cf_ze_result name(tracer *t, int which, callback *function);                                                 \
    ENTRY cf_ze_result name(tracer *t, int which, callback *function)                                                  \
    {                                                                                                                  \
        STUB_BEGIN(#name);                                                                                             \
        t->field[which] = function;                                                                                    \
        return CF_ZE_SUCCESS;                                                                                          \
    }
REGISTER(copy, zelTracerCommandListAppendMemoryCopyRegisterCallback)
REGISTER(launch, zelTracerCommandListAppendLaunchKernelRegisterCallback)
REGISTER(close, zelTracerCommandListCloseRegisterCallback)

void stub_trace(const char *name, bool enter)
{
    if (current == NULL || !current->enabled)
        return;
    callback *const *both = strcmp(name, "zeCommandListAppendMemoryCopy") == 0 ? current->copy : current->launch;
    void *call = NULL;
    if (both[!enter] != NULL)
        both[!enter](NULL, 0, current->user, &call);
}
