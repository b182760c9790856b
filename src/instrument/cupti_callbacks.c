/* `cupti-callbacks`: a subscriber to the driver's calls, as tracers have. */
#include <stdatomic.h>
#include <stdlib.h>

#include "device/cuda/cuda.h"
#include "instrument/cupti.h"
#include "instrument/cupti_api.h"
#include "instrument/pass.h"

typedef struct callbacks {
    const cf_cupti *cupti;
    void *subscriber;      /* NULL = none */
    _Atomic uint64_t seen; /* calls of an operation, entered */
    uint64_t proofs;       /* operations of this window in whose call it was called */
} callbacks;

/* CUPTI_DRIVER_TRACE_CBID_…: numbers that are never given anew. */
static const uint32_t operations[] = {
    307, /* cuLaunchKernel */
    277, /* cuMemcpyHtoDAsync_v2 */
    279, /* cuMemcpyDtoHAsync_v2 */
    281, /* cuMemcpyDtoDAsync_v2 */
    776, /* cuMemcpyBatchAsync */
    796, /* cuMemcpyBatchAsync_v2 */
};

/* CUpti_CallbackData begins with the side of the call: 0 = it is entered. */
static void on_call(void *user, int domain, uint32_t id, const void *data)
{
    callbacks *c = user;
    if (domain != CF_CUPTI_DOMAIN_DRIVER || *(const int *)data != 0)
        return;
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (operations[i] == id) {
            atomic_fetch_add_explicit(&c->seen, 1, memory_order_relaxed);
            return;
        }
}

static cf_status submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    callbacks *c = device->state;
    uint64_t before = atomic_load_explicit(&c->seen, memory_order_relaxed);
    cf_status status = cf_device_submit(device->next, stream, op, err);
    c->proofs += atomic_load_explicit(&c->seen, memory_order_relaxed) != before;
    return status;
}

static void close_callbacks(cf_device *device)
{
    callbacks *c = device->state;
    if (c->subscriber != NULL) {
        (void)c->cupti->enable_domain(0, c->subscriber, CF_CUPTI_DOMAIN_DRIVER);
        (void)c->cupti->unsubscribe(c->subscriber);
    }
    free(c);
}

static const cf_device_ops ops = {CF_PASS_OPS,
                                  .name = "cupti-callbacks",
                                  .about = "CUPTI calls back for each call of the driver",
                                  .close = close_callbacks,
                                  .stream_open = cf_pass_stream_open,
                                  .stream_close = cf_pass_stream_close,
                                  .submit = submit,
                                  .wait = cf_pass_wait};

static cf_status start(callbacks *c, cf_error *err)
{
    const cf_cupti *cupti = c->cupti;
    cf_status status = cf_cupti_check(cupti, "cuptiSubscribe", cupti->subscribe(&c->subscriber, on_call, c), err);
    if (status != CF_OK) {
        c->subscriber = NULL;
        if (status == CF_UNSUPPORTED)
            (void)cf_error_prefix(err, "another profiler may be attached; CUPTI takes one subscriber a process");
        return status;
    }
    return cf_cupti_check(cupti, "cuptiEnableDomain", cupti->enable_domain(1, c->subscriber, CF_CUPTI_DOMAIN_DRIVER),
                          err);
}

cf_status cf_cupti_callbacks_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device,
                                  cf_error *err)
{
    (void)config;
    const cf_cupti *cupti = NULL;
    cf_status status = cf_cupti_for(next, &cupti, err);
    if (status != CF_OK)
        return status;
    callbacks *c = calloc(1, sizeof *c);
    if (c == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    c->cupti = cupti;
    cf_device *device = NULL;
    status = cf_device_wrap(next, &ops, c, &device, err);
    if (status != CF_OK) {
        free(c);
        return status;
    }
    status = start(c, err);
    if (status != CF_OK) {
        cf_device_close(device);
        return status;
    }
    *ret_device = device;
    return CF_OK;
}

cf_status cf_cupti_callbacks_collect(cf_device *device, cf_instrument_reading *ret_reading, cf_error *err)
{
    (void)err;
    callbacks *c = device->state;
    *ret_reading = (cf_instrument_reading){.proofs = c->proofs};
    c->proofs = 0;
    return CF_OK;
}
