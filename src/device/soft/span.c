/* Commands as they were executed: kept in an array made beforehand, and told outside the clock. */
#include "device/soft/state.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

#define SPANS 65536u /* kept between two deliveries */

cf_soft_label cf_soft_label_of(const cf_soft_command *c)
{
    return (cf_soft_label){.kind = c->kind,
                           .op = c->op.kind,
                           .side = c->side,
                           .lane = c->op.lane,
                           .index = c->op.index,
                           .ticket = c->ticket,
                           .set = true};
}

void cf_soft_span_add(cf_soft *soft, const cf_soft_command *c, uint64_t begin_ns, uint64_t end_ns)
{
    if (soft->sink == NULL)
        return;
    if (soft->span_count == SPANS) {
        soft->spans_lost++;
        return;
    }
    soft->spans[soft->span_count++] = (cf_soft_span){.begin_ns = begin_ns,
                                                     .end_ns = end_ns,
                                                     .visible_ns = c->visible_ns,
                                                     .label = cf_soft_label_of(c),
                                                     .cause = c->cause,
                                                     .engine = c->engine,
                                                     .stream = c->stream->number};
}

static const char *what(const cf_soft_label *label)
{
    static const char *const records[2][2] = {{"record before", "record after"}, {"hold before", "hold after"}};
    return label->kind == CF_SOFT_OP ? cf_op_names[label->op] : records[label->kind == CF_SOFT_HOLD][label->side];
}

/* The record's strings are char *, and the sink only reads them. */
static char *borrow(const char *constant)
{
    union {
        const char *constant;
        char *text;
    } same = {.constant = constant};
    return same.text;
}

static int64_t since(const cf_soft *soft, uint64_t at_ns)
{
    return (int64_t)(at_ns - soft->step_ns);
}

static int64_t id_of(const cf_soft *soft, const cf_soft_label *label)
{
    return label->set && label->ticket > soft->step_end ? (int64_t)(label->ticket - soft->step_end) : 0;
}

static void tell(const cf_soft *soft, const cf_soft_span *span)
{
    char cause[48];
    if (span->cause.set)
        snprintf(cause, sizeof cause, "%s %c[%u]", what(&span->cause), 'a' + span->cause.lane, span->cause.index);
    const cf_record_span told = {.id = id_of(soft, &span->label),
                                 .waits_for = id_of(soft, &span->cause),
                                 .begin_ns = since(soft, span->begin_ns),
                                 .end_ns = since(soft, span->end_ns),
                                 .queued_ns = since(soft, span->visible_ns),
                                 .engine = borrow(soft->model.engines[span->engine].name),
                                 .stream = (int)span->stream,
                                 .lane = span->label.lane,
                                 .index = span->label.index,
                                 .what = borrow(what(&span->label)),
                                 .waited_for = span->cause.set ? cause : NULL};
    soft->sink(soft->sink_user, &told);
}

static void deliver(cf_soft *soft)
{
    for (uint32_t i = 0; i < soft->span_count; i++)
        tell(soft, &soft->spans[i]);
    soft->span_count = 0;
}

cf_status cf_soft_spans_deliver(cf_soft *soft, cf_error *err)
{
    pthread_mutex_lock(&soft->lock);
    uint64_t lost = soft->spans_lost;
    soft->spans_lost = 0;
    deliver(soft);
    pthread_mutex_unlock(&soft->lock);
    if (lost != 0)
        return cf_error_set(err, CF_DEVICE, "%llu commands ran that were not kept: more than %u in a step",
                            (unsigned long long)lost, SPANS);
    return CF_OK;
}

cf_status cf_soft_spans(cf_device *device, cf_span_sink *sink, void *user, cf_error *err)
{
    cf_soft *soft = device->state;
    cf_status status = cf_soft_spans_deliver(soft, err);
    if (sink != NULL && soft->spans == NULL) {
        soft->spans = malloc(SPANS * sizeof *soft->spans);
        if (soft->spans == NULL)
            return cf_error_set(err, CF_MEMORY, "out of memory");
    }
    pthread_mutex_lock(&soft->lock);
    soft->sink = sink;
    soft->sink_user = user;
    pthread_mutex_unlock(&soft->lock);
    soft->step_ns = cf_clock_now_ns();
    soft->step_end = soft->submitted;
    return status;
}
