#include "model/model.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"

const char *const cf_op_names[] = {
#define X(name, text, meaning) text,
    CF_OP_TABLE(X)
#undef X
        NULL};
const char *const cf_event_names[] = {"sync", "timing", NULL};

__extension__ typedef unsigned __int128 wide;

void cf_model_done(cf_model *model)
{
    if (!model)
        return;
    free(model->about);
    *model = (cf_model){0};
}

/* A model that names neither kernel-copy nor batch-copy runs them where it runs kernels and h2d. */
static unsigned runners_of(cf_op_kind kind)
{
    if (kind == CF_OP_KERNEL_COPY)
        return 1u << kind | 1u << CF_OP_KERNEL;
    return kind == CF_OP_BATCH_COPY ? 1u << kind | 1u << CF_OP_H2D : 1u << kind;
}

int cf_model_engine_of(const cf_model *model, cf_op_kind kind)
{
    for (size_t i = 0; i < model->engine_count; i++) {
        if (model->engines[i].runs & runners_of(kind))
            return (int)i;
    }
    return -1;
}

static cf_status too_long(const cf_model_engine *engine, cf_error *err)
{
    return cf_error_set(err, CF_INPUT, "an operation on engine '%s' is too long; at most 2^50 ns are accepted",
                        engine->name);
}

cf_status cf_model_length_ns(const cf_model *model, int engine, uint64_t ns, uint64_t bytes, uint64_t *ret_ns,
                             cf_error *err)
{
    const cf_model_engine *on = &model->engines[engine];
    if (ns > CF_MODEL_MAX_NS)
        return too_long(on, err);
    if (ns) {
        *ret_ns = ns;
        return CF_OK;
    }
    if (!bytes)
        return cf_error_set(err, CF_INPUT, "an operation on engine '%s' has no length; ns or bytes are accepted",
                            on->name);
    if (!on->rate_bytes_per_s)
        return cf_error_set(err, CF_INPUT,
                            "engine '%s' of model '%s' has no rate, so a length in bytes means nothing there; "
                            "a length in ns, or 'rate' in [engine %s], is accepted",
                            on->name, model->name, on->name);
    const wide moving_ns = ((wide)bytes * CF_NS_PER_S + on->rate_bytes_per_s - 1) / on->rate_bytes_per_s;
    if (moving_ns > CF_MODEL_MAX_NS || moving_ns + on->latency_ns > CF_MODEL_MAX_NS)
        return too_long(on, err);
    *ret_ns = (uint64_t)moving_ns + on->latency_ns;
    return CF_OK;
}

int cf_model_record_engine(const cf_model *model, cf_event_kind kind, int op_engine)
{
    const cf_model_event *event = &model->events[kind];
    return event->lowering == CF_LOWER_COMMAND && event->engine >= 0 ? event->engine : op_engine;
}

uint32_t cf_model_queue_of(const cf_model_engine *engine, uint32_t stream)
{
    if (!engine->ready)
        return 0;
    return engine->queues ? stream % engine->queues : stream;
}

uint64_t cf_model_stamp(const cf_model_engine *engine, uint64_t at_ns)
{
    uint64_t ticks = at_ns;
    if (engine->stamp_rate < 1.0 || engine->stamp_rate > 1.0)
        ticks = (uint64_t)fmodl(floorl((long double)at_ns * (long double)engine->stamp_rate), 0x1p64L);
    const uint64_t stamp = ticks + (uint64_t)engine->stamp_offset_ns;
    return engine->stamp_wrap_bits ? stamp & ((UINT64_C(1) << engine->stamp_wrap_bits) - 1) : stamp;
}
