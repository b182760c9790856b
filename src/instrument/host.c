#include "instrument/host.h"

#include <stdlib.h>

#include "instrument/pass.h"

typedef struct host {
    cf_instrument_config config;
    cf_wait how;            /* for a step's wait where it is replaced */
    uint64_t waits_at_open; /* of the wrapped device, when the window began */
    uint64_t passed;        /* the workload's own waits in this window */
} host;

static cf_status submit_and_wait(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    host *h = device->state;
    cf_status status = cf_device_submit(device->next, stream, op, err);
    if (status != CF_OK || !(h->config.on & (op->lane == 0 ? CF_ON_A : CF_ON_B)))
        return status;
    return cf_device_wait(device->next, stream, CF_WAIT_BLOCK, err);
}

static cf_status wait_counted(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err)
{
    ((host *)device->state)->passed++;
    return cf_device_wait(device->next, stream, how, err);
}

static cf_status wait_replaced(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err)
{
    (void)how;
    return cf_device_wait(device->next, stream, ((host *)device->state)->how, err);
}

static const cf_device_ops sync_ops = {CF_PASS_OPS,
                                       .name = "host-sync",
                                       .about = "waits after each operation",
                                       .close = cf_pass_close,
                                       .stream_open = cf_pass_stream_open,
                                       .stream_close = cf_pass_stream_close,
                                       .submit = submit_and_wait,
                                       .wait = wait_counted};
static const cf_device_ops wait_ops = {CF_PASS_OPS,
                                       .name = "host-wait",
                                       .about = "waits in another way",
                                       .close = cf_pass_close,
                                       .stream_open = cf_pass_stream_open,
                                       .stream_close = cf_pass_stream_close,
                                       .submit = cf_pass_submit,
                                       .wait = wait_replaced};

static cf_status open_host(const cf_device_ops *table, cf_wait how, const cf_instrument_config *config, cf_device *next,
                           cf_device **ret_device, cf_error *err)
{
    host *h = calloc(1, sizeof *h);
    if (h == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    *h = (host){.config = *config, .how = how, .waits_at_open = next->counts.waits};
    cf_status status = cf_device_wrap(next, table, h, ret_device, err);
    if (status != CF_OK)
        free(h);
    return status;
}

cf_status cf_host_sync_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device, cf_error *err)
{
    return open_host(&sync_ops, CF_WAIT_BLOCK, config, next, ret_device, err);
}

cf_status cf_host_poll_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device, cf_error *err)
{
    return open_host(&wait_ops, CF_WAIT_POLL, config, next, ret_device, err);
}

cf_status cf_host_block_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device, cf_error *err)
{
    return open_host(&wait_ops, CF_WAIT_BLOCK, config, next, ret_device, err);
}

/* Counted by the wrapped device, not by us: a wait that we left out is missing there. */
cf_status cf_host_collect(cf_device *device, cf_instrument_reading *ret_reading, cf_error *err)
{
    (void)err;
    host *h = device->state;
    uint64_t waits = device->next->counts.waits - h->waits_at_open;
    *ret_reading = (cf_instrument_reading){.proofs = waits > h->passed ? waits - h->passed : 0};
    h->waits_at_open = device->next->counts.waits;
    h->passed = 0;
    return CF_OK;
}

uint64_t cf_host_sync_owed(const cf_instrument_config *config, const uint64_t submitted[2])
{
    return (config->on & CF_ON_A ? submitted[0] : 0) + (config->on & CF_ON_B ? submitted[1] : 0);
}
