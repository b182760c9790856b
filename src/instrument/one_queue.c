#include "instrument/one_queue.h"

#include <stdlib.h>

#include "instrument/pass.h"

typedef struct one_queue {
    cf_stream *stream;  /* the only one, opened by whoever asks first */
    uint32_t users;     /* stream_open calls that it stands for */
    cf_stream *seen[2]; /* what each lane's operations went to in this window */
    uint64_t submits[2];
} one_queue;

static cf_status open_stream(cf_device *device, const cf_stream_desc *desc, cf_stream **ret_stream, cf_error *err)
{
    one_queue *q = device->state;
    if (q->stream == NULL) {
        cf_stream_desc only = *desc;
        only.number = 0;
        only.shared = true;
        cf_status status = cf_device_stream_open(device->next, &only, &q->stream, err);
        if (status != CF_OK)
            return status;
    }
    q->users++;
    *ret_stream = q->stream;
    return CF_OK;
}

static void close_stream(cf_device *device, cf_stream *stream)
{
    one_queue *q = device->state;
    if (--q->users > 0)
        return;
    cf_device_stream_close(device->next, stream);
    q->stream = NULL;
}

static cf_status submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    one_queue *q = device->state;
    q->seen[op->lane] = stream;
    q->submits[op->lane]++;
    return cf_device_submit(device->next, stream, op, err);
}

static const cf_device_ops ops = {CF_PASS_OPS,
                                  .name = "one-queue",
                                  .about = "both lanes on one in-order queue",
                                  .close = cf_pass_close,
                                  .stream_open = open_stream,
                                  .stream_close = close_stream,
                                  .submit = submit,
                                  .wait = cf_pass_wait};

cf_status cf_one_queue_open(const cf_instrument_config *config, cf_device *next, cf_device **ret_device, cf_error *err)
{
    (void)config;
    one_queue *q = calloc(1, sizeof *q);
    if (q == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    cf_status status = cf_device_wrap(next, &ops, q, ret_device, err);
    if (status != CF_OK)
        free(q);
    return status;
}

cf_status cf_one_queue_collect(cf_device *device, cf_instrument_reading *ret_reading, cf_error *err)
{
    (void)err;
    one_queue *q = device->state;
    bool split = q->submits[0] > 0 && q->submits[1] > 0 && q->seen[0] != q->seen[1];
    *ret_reading = (cf_instrument_reading){.proofs = split ? 0 : 1};
    q->submits[0] = q->submits[1] = 0;
    return CF_OK;
}
