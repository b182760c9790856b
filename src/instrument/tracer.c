#include "instrument/tracer.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/level_zero/api.h"
#include "device/level_zero/level_zero.h"
#include "instrument/pass.h"

#define TRACER_DESC 1u /* ZEL_STRUCTURE_TYPE_TRACER_DESC */

typedef struct cf_zel_tracer_st *zel_tracer;
typedef struct tracer_desc {
    CF_ZE_HEAD;
    void *user;
} tracer_desc;

typedef enum side { PROLOGUE, EPILOGUE, SIDES } side; /* zel_tracer_reg_t */
/* Of every call's callbacks: pointers to its arguments, its result, the tracer's and the call's own data. */
typedef void callback(void *arguments, cf_ze_result result, void *user, void **call);
typedef cf_ze_result register_callback(zel_tracer tracer, int which, callback *function);

#define ZEL_TABLE(X)                                                                                                   \
    X(create, "zelTracerCreate", false, (const tracer_desc *desc, zel_tracer *ret_tracer))                             \
    X(destroy, "zelTracerDestroy", false, (zel_tracer tracer))                                                         \
    X(enable, "zelTracerSetEnabled", false, (zel_tracer tracer, uint8_t on))                                           \
    X(layer_on, "zelEnableTracingLayer", true, (void))                                                                 \
    X(layer_off, "zelDisableTracingLayer", true, (void))

typedef struct zel {
#define X(field, names, optional, parameters) cf_ze_result(*field) parameters;
    ZEL_TABLE(X)
#undef X
} zel;

static const cf_dl_symbol symbols[] = {
#define X(field, names, optional, parameters) {names, offsetof(zel, field), optional},
    ZEL_TABLE(X)
#undef X
};

/* Every call that the device may make. */
static const char *const calls[] = {
#define X(field, names, optional, parameters) names,
    CF_ZE_API_TABLE(X)
#undef X
};
static const char *const operations[] = {"zeCommandListAppendMemoryCopy", "zeCommandListAppendLaunchKernel"};

typedef struct tracer {
    zel zel;
    zel_tracer handle;            /* NULL = none */
    bool layer;                   /* we switched it on */
    _Atomic uint64_t seen[SIDES]; /* calls of an operation */
    _Atomic uint64_t others;      /* all other calls, both sides */
    uint64_t proofs;              /* operations of this window in whose call it was called on both sides */
} tracer;

static void on_enter(void *arguments, cf_ze_result result, void *user, void **call)
{
    (void)arguments, (void)result, (void)call;
    atomic_fetch_add_explicit(&((tracer *)user)->seen[PROLOGUE], 1, memory_order_relaxed);
}

static void on_leave(void *arguments, cf_ze_result result, void *user, void **call)
{
    (void)arguments, (void)result, (void)call;
    atomic_fetch_add_explicit(&((tracer *)user)->seen[EPILOGUE], 1, memory_order_relaxed);
}

static void on_other(void *arguments, cf_ze_result result, void *user, void **call)
{
    (void)arguments, (void)result, (void)call;
    atomic_fetch_add_explicit(&((tracer *)user)->others, 1, memory_order_relaxed);
}

static uint64_t seen(tracer *t, side which)
{
    return atomic_load_explicit(&t->seen[which], memory_order_relaxed);
}

static cf_status submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    tracer *t = device->state;
    uint64_t entered = seen(t, PROLOGUE);
    uint64_t left = seen(t, EPILOGUE);
    cf_status status = cf_device_submit(device->next, stream, op, err);
    t->proofs += seen(t, PROLOGUE) != entered && seen(t, EPILOGUE) != left;
    return status;
}

static void close_tracer(cf_device *device)
{
    tracer *t = device->state;
    if (t->handle != NULL) {
        (void)t->zel.enable(t->handle, 0);
        (void)t->zel.destroy(t->handle);
    }
    if (t->layer)
        (void)t->zel.layer_off();
    free(t);
}

static const cf_device_ops ops = {CF_PASS_OPS,
                                  .name = "tracing-layer",
                                  .about = "the loader's tracer calls back for each call",
                                  .close = close_tracer,
                                  .stream_open = cf_pass_stream_open,
                                  .stream_close = cf_pass_stream_close,
                                  .submit = submit,
                                  .wait = cf_pass_wait};

static bool is_operation(const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (strcmp(operations[i], name) == 0)
            return true;
    return false;
}

/* zeCommandListClose: zelTracerCommandListCloseRegisterCallback. A loader has none for calls newer than itself. */
static cf_status trace_call(const cf_dl *loader, tracer *t, const char *name, cf_error *err)
{
    char symbol[128];
    bool operation = is_operation(name);
    snprintf(symbol, sizeof symbol, "zelTracer%sRegisterCallback", name + 2);
    register_callback *with = (register_callback *)cf_dl_find(loader, symbol);
    if (with == NULL)
        return operation ? cf_error_set(err, CF_UNSUPPORTED, "%s has no %s: it is too old", cf_dl_path(loader), symbol)
                         : CF_OK;
    cf_status status = CF_ZE_TRY(err, symbol, with(t->handle, PROLOGUE, operation ? on_enter : on_other));
    return status == CF_OK ? CF_ZE_TRY(err, symbol, with(t->handle, EPILOGUE, operation ? on_leave : on_other))
                           : status;
}

static cf_status switch_on(const cf_dl *loader, tracer *t, cf_error *err)
{
    const tracer_desc desc = {.type = TRACER_DESC, .user = t};
    if (t->zel.layer_on != NULL && t->zel.layer_off != NULL) {
        cf_status status = CF_ZE_TRY(err, "zelEnableTracingLayer", t->zel.layer_on());
        if (status != CF_OK)
            return status;
        t->layer = true;
    }
    cf_ze_result code = t->zel.create(&desc, &t->handle);
    if (code == CF_ZE_SUCCESS)
        return CF_OK;
    t->handle = NULL;
    if (t->layer || (code != CF_ZE_UNINITIALIZED && code != CF_ZE_UNSUPPORTED_FEATURE))
        return CF_ZE_TRY(err, "zelTracerCreate", code);
    return cf_error_set_call(err, CF_UNSUPPORTED, "zelTracerCreate", code,
                             "%s switches its tracing layer on only when a process starts; loaders from 1.16 on can do "
                             "it later, and with this one ZE_ENABLE_TRACING_LAYER=1 has to be set, for the control too",
                             cf_dl_path(loader));
}

static cf_status start(const cf_dl *loader, tracer *t, cf_error *err)
{
    cf_status status = cf_dl_load(loader, symbols, sizeof symbols / sizeof symbols[0], &t->zel, err);
    if (status == CF_OK)
        status = switch_on(loader, t, err);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0] && status == CF_OK; i++)
        if (strncmp(calls[i], "ze", 2) == 0 && strncmp(calls[i], "zel", 3) != 0)
            status = trace_call(loader, t, calls[i], err);
    return status == CF_OK ? CF_ZE_TRY(err, "zelTracerSetEnabled", t->zel.enable(t->handle, 1)) : status;
}

cf_status cf_tracer_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device, cf_error *err)
{
    (void)config;
    const cf_device *bottom = cf_device_bottom(next);
    if (strcmp(bottom->ops->name, cf_device_level_zero.name) != 0)
        return cf_error_set(err, CF_UNSUPPORTED, "the tracing layer is the device level-zero's, not %s's",
                            bottom->ops->name);
    tracer *t = calloc(1, sizeof *t);
    if (t == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    cf_device *device = NULL;
    cf_status status = cf_device_wrap(next, &ops, t, &device, err);
    if (status != CF_OK) {
        free(t);
        return status;
    }
    status = start(cf_level_zero_loader(bottom), t, err);
    if (status != CF_OK) {
        cf_device_close(device);
        return status;
    }
    *ret_device = device;
    return CF_OK;
}

cf_status cf_tracer_collect(cf_device *device, cf_instrument_reading *ret_reading, cf_error *err)
{
    (void)err;
    tracer *t = device->state;
    *ret_reading = (cf_instrument_reading){.proofs = t->proofs};
    t->proofs = 0;
    return CF_OK;
}

uint64_t cf_tracer_owed(const cf_instrument_config *config, const uint64_t submitted[2])
{
    (void)config;
    return submitted[0] + submitted[1];
}
