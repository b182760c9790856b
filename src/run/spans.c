#include "run/spans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

typedef struct collector {
    cf_record *record;
    size_t capacity;
    int variant;
    bool instrumented;
    cf_error failure;
} collector;

static void done_span(cf_record_span *span)
{
    free(span->engine);
    free(span->what);
    free(span->waited_for);
}

void cf_spans_drop(cf_record *record)
{
    for (size_t i = 0; i < record->span_count; i++)
        done_span(&record->spans[i]);
    free(record->spans);
    free(record->spans_how);
    record->spans = NULL;
    record->spans_how = NULL;
    record->span_count = 0;
}

static bool has_room(collector *c)
{
    if (c->record->span_count < c->capacity)
        return true;
    size_t capacity = c->capacity != 0 ? 2 * c->capacity : c->record->span_count + 256;
    cf_record_span *items = realloc(c->record->spans, capacity * sizeof *items);
    if (items == NULL)
        return false;
    c->record->spans = items;
    c->capacity = capacity;
    return true;
}

/* What a reader of the record would refuse is the device's mistake, and is never written. */
static bool is_sound(const cf_record_span *span)
{
    return span->begin_ns >= 0 && span->end_ns >= span->begin_ns && span->end_ns <= CF_TIME_MAX_NS &&
           span->queued_ns >= -1 && span->queued_ns <= CF_TIME_MAX_NS && span->id >= 0 && span->waits_for >= 0;
}

static void keep(void *user, const cf_record_span *told)
{
    collector *c = user;
    if (c->failure.status != CF_OK || told->begin_ns < 0) /* before the step: the harness's own */
        return;
    if (!is_sound(told)) {
        (void)cf_error_set(&c->failure, CF_DEVICE,
                           "the device told a command (%.40s) from %lld to %lld ns of the step: no such time",
                           told->what, (long long)told->begin_ns, (long long)told->end_ns);
        return;
    }
    cf_record_span span = *told;
    span.variant = c->variant;
    span.instrumented = c->instrumented;
    span.engine = cf_text_dup(told->engine);
    span.what = cf_text_dup(told->what);
    span.waited_for = told->waited_for != NULL ? cf_text_dup(told->waited_for) : NULL;
    bool copied = span.engine != NULL && span.what != NULL && (told->waited_for == NULL || span.waited_for != NULL);
    if (!copied || !has_room(c)) {
        done_span(&span);
        (void)cf_error_set(&c->failure, CF_MEMORY, "out of memory");
        return;
    }
    c->record->spans[c->record->span_count++] = span;
}

bool cf_spans_by_device(cf_bench *bench, char *ret_why, size_t why_bytes)
{
    collector none = {0};
    cf_error err = {0};
    bool can = cf_device_spans(bench->device, keep, &none, &err) == CF_OK;
    if (can)
        can = cf_device_spans(bench->device, NULL, NULL, &err) == CF_OK;
    if (!can && ret_why != NULL)
        (void)snprintf(ret_why, why_bytes, "%s", err.text);
    return can;
}

static cf_status run_window(cf_rig *rig, cf_error *err)
{
    cf_status status = rig->ops->prepare(rig, CF_CELL_AB, err);
    rig->windows++;
    if (status == CF_OK)
        status = rig->ops->submit(rig, CF_CELL_AB, err);
    return status == CF_OK ? rig->ops->wait(rig, CF_RIG_ALL, err) : status;
}

static cf_status run_step(cf_rig *rig, cf_error *err)
{
    cf_seen seen = {0};
    cf_cell_proof proof = {0};
    cf_status status = run_window(rig, err);
    return status == CF_OK ? rig->ops->collect(rig, CF_CELL_AB, false, &seen, &proof, err) : status;
}

static cf_status tell_by_device(cf_bench *bench, collector *c, cf_error *err)
{
    cf_status status = cf_device_spans(bench->device, keep, c, err);
    if (status != CF_OK)
        return status;
    status = run_window(&bench->rig, err);
    cf_status told = cf_device_spans(bench->device, NULL, NULL, status == CF_OK ? err : NULL);
    return status == CF_OK ? told : status;
}

static cf_status tell_by_instrument(cf_bench *bench, collector *c, cf_error *err)
{
    cf_status status = run_step(&bench->rig, err);
    const cf_instrument_type *type = bench->trials[bench->open].variant.type;
    return status == CF_OK ? type->spans(bench->instrument, keep, c, err) : status;
}

/* The first step leaves the device warm. What went wrong first is what is told. */
static cf_status tell_steps(cf_bench *bench, int variant, bool by_device, collector *c, cf_error *err)
{
    cf_rig *rig = &bench->rig;
    cf_status status = rig->ops->idle(rig, err);
    if (status == CF_OK)
        status = rig->ops->open(rig, variant, err);
    if (status != CF_OK)
        return status;
    status = run_step(rig, err);
    if (status == CF_OK)
        status = by_device ? tell_by_device(bench, c, err) : tell_by_instrument(bench, c, err);
    cf_status closed = rig->ops->close(rig, status == CF_OK ? err : NULL);
    return status == CF_OK ? closed : status;
}

cf_status cf_spans_take(cf_bench *bench, int variant, bool by_device, cf_record *record, cf_error *err)
{
    collector c = {.record = record, .capacity = record->span_count, .variant = variant, .instrumented = !by_device};
    cf_status status = tell_steps(bench, variant, by_device, &c, err);
    if (status == CF_OK && c.failure.status != CF_OK)
        status = cf_error_set(err, c.failure.status, "%s", c.failure.text);
    if (status != CF_OK)
        (void)cf_error_prefix(err, "%s, the step whose commands are told", record->variants[variant].name);
    return status;
}

static int by_time(const void *left, const void *right)
{
    const cf_record_span *x = left;
    const cf_record_span *y = right;
    if (x->variant != y->variant)
        return x->variant < y->variant ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->lane > y->lane) - (x->lane < y->lane);
}

cf_status cf_spans_finish(cf_record *record, bool by_device, cf_error *err)
{
    if (record->span_count == 0)
        return CF_OK;
    qsort(record->spans, record->span_count, sizeof *record->spans, by_time);
    char steps[64] = "one step";
    if (record->job.in_flight > 1)
        (void)snprintf(steps, sizeof steps, "%lld steps in flight", (long long)record->job.in_flight);
    record->spans_how =
        cf_text_format("%s of both lanes for each variant, after the judged rounds and outside every cell; %s", steps,
                       by_device ? "as the device executed it" : "by an instrument's own timestamps: not the verdict");
    return record->spans_how != NULL ? CF_OK : cf_error_set(err, CF_MEMORY, "out of memory");
}
