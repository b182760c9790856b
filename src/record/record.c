#include "record/record.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "base/text.h"
#include "record/names.h"

void cf_record_init(cf_record *record)
{
    *record = (cf_record){.clock_resolution_ns = 1, .margin = 0.10, .alpha = 0.01, .min_rounds = 12, .max_rounds = 120};
}

void cf_pairs_done(cf_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        free(pairs->items[i].name);
        free(pairs->items[i].value);
    }
    free(pairs->items);
}

static void done_job(cf_record_job *job)
{
    free(job->name);
    free(job->text);
    free(job->wait);
    free(job->submit);
    for (int i = 0; i < 2; i++) {
        free(job->lane[i].op);
        free(job->lane[i].label);
        free(job->lane[i].unit);
    }
}

static void done_metric(cf_record_metric *metric)
{
    free(metric->name);
    free(metric->unit);
    free(metric->detail);
    free(metric->outputs);
    for (size_t i = 0; i < metric->program.count; i++)
        free(metric->program.items[i]);
    free(metric->program.items);
}

static void done_round(cf_round *round)
{
    free(round->order);
    free(round->samples);
    free(round->seen);
    for (int i = 0; round->values && i < round->order_count; i++)
        free(round->values[i].items);
    free(round->values);
    free(round->facts);
}

static void done_rounds(cf_rounds *rounds)
{
    for (size_t i = 0; i < rounds->count; i++)
        done_round(&rounds->items[i]);
    free(rounds->items);
}

static void done_variants(cf_record *record)
{
    for (int i = 0; record->variants && i < record->variant_count; i++) {
        cf_record_variant *variant = &record->variants[i];
        free(variant->name);
        free(variant->where);
        free(variant->on);
        free(variant->armed_how);
        free(variant->process_why);
        free(variant->prefix);
        free(variant->ended);
    }
    free(record->variants);
}

static void done_spans(cf_record *record)
{
    for (size_t i = 0; record->spans && i < record->span_count; i++) {
        free(record->spans[i].engine);
        free(record->spans[i].what);
        free(record->spans[i].waited_for);
    }
    free(record->spans);
}

void cf_record_done(cf_record *record)
{
    if (!record)
        return;
    char *const texts[] = {record->tool_version,   record->tool_build,      record->created_utc,
                           record->device_backend, record->device_name,     record->driver,
                           record->clock_name,     record->data_check_text, record->spans_how};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        free(texts[i]);
    cf_pairs_done(&record->host);
    cf_pairs_done(&record->device);
    cf_pairs_done(&record->environment);
    cf_pairs_done(&record->skipped);
    done_metric(&record->metric);
    done_job(&record->job);
    done_job(&record->against);
    done_variants(record);
    done_spans(record);
    done_rounds(&record->prologue);
    done_rounds(&record->warmup);
    done_rounds(&record->rounds);
    *record = (cf_record){0};
}

static bool make_room(cf_rounds *rounds)
{
    if (rounds->count < rounds->capacity)
        return true;
    const size_t capacity = rounds->capacity ? 2 * rounds->capacity : 16;
    cf_round *items = realloc(rounds->items, capacity * sizeof *items);
    if (!items)
        return false;
    rounds->items = items;
    rounds->capacity = capacity;
    return true;
}

/* NULL, and round freed, where it is not whole. */
static cf_round *take(cf_rounds *rounds, cf_round *round, bool whole)
{
    if (!whole || !make_room(rounds)) {
        done_round(round);
        return NULL;
    }
    rounds->items[rounds->count] = *round;
    return &rounds->items[rounds->count++];
}

cf_round *cf_rounds_add(cf_rounds *rounds, int variant_count)
{
    const size_t cells = (size_t)variant_count * CF_CELL_COUNT;
    cf_round round = {.order_count = (int)cells,
                      .order = calloc(cells, sizeof *round.order),
                      .samples = calloc(cells, sizeof *round.samples),
                      .seen = calloc((size_t)variant_count, sizeof *round.seen),
                      .load = (double)NAN};
    return take(rounds, &round, round.order && round.samples && round.seen);
}

cf_round *cf_rounds_add_metric(cf_rounds *rounds, int variant_count, bool with_facts)
{
    const size_t variants = (size_t)variant_count;
    cf_round round = {.order_count = variant_count,
                      .order = calloc(variants, sizeof *round.order),
                      .values = calloc(variants, sizeof *round.values),
                      .facts = with_facts ? calloc(variants, sizeof *round.facts) : NULL,
                      .load = (double)NAN};
    return take(rounds, &round, round.order && round.values && (round.facts || !with_facts));
}

void cf_rounds_drop_last(cf_rounds *rounds)
{
    if (rounds->count)
        done_round(&rounds->items[--rounds->count]);
}

static cf_pair *find_pair(const cf_pairs *pairs, const char *name)
{
    for (size_t i = 0; i < pairs->count; i++) {
        if (strcmp(pairs->items[i].name, name) == 0)
            return &pairs->items[i];
    }
    return NULL;
}

cf_status cf_pairs_add(cf_pairs *pairs, const char *name, const char *value, cf_error *err)
{
    char *copy = value ? cf_text_dup(value) : NULL;
    cf_pair *pair = find_pair(pairs, name);
    if (pair && (copy || !value)) {
        free(pair->value);
        pair->value = copy;
        return CF_OK;
    }
    cf_pair *items = pairs->items;
    if ((pairs->count & (pairs->count - 1)) == 0) { /* full at every power of two */
        items = realloc(items, (pairs->count ? 2 * pairs->count : 1) * sizeof *items);
        if (items)
            pairs->items = items;
    }
    char *own = items && !pair ? cf_text_dup(name) : NULL;
    if (!own || (value && !copy)) {
        free(own);
        free(copy);
        return cf_error_set(err, CF_MEMORY, "out of memory");
    }
    items[pairs->count++] = (cf_pair){.name = own, .value = copy};
    return CF_OK;
}

cf_status cf_pairs_add_format(cf_pairs *pairs, cf_error *err, const char *name, const char *fmt, ...)
{
    char value[512];
    const locale_t before = cf_locale_begin();
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(value, sizeof value, fmt, args);
    va_end(args);
    cf_locale_end(before);
    return cf_pairs_add(pairs, name, value, err);
}

void cf_pairs_drop(cf_pairs *pairs, const char *name)
{
    cf_pair *pair = find_pair(pairs, name);
    if (!pair)
        return;
    free(pair->name);
    free(pair->value);
    const cf_pair *end = pairs->items + pairs->count--;
    memmove(pair, pair + 1, (size_t)(end - pair - 1) * sizeof *pair);
}

const char *cf_pairs_get(const cf_pairs *pairs, const char *name)
{
    const cf_pair *pair = find_pair(pairs, name);
    return pair ? pair->value : NULL;
}

const char *cf_cell_name(cf_cell cell)
{
    static const char *const names[CF_CELL_COUNT] = {"a", "b", "ab"};
    return (unsigned)cell < CF_CELL_COUNT ? names[cell] : "?";
}

const char *cf_role_name(cf_role role)
{
    return (unsigned)role < CF_ROLE_COUNT ? cf_role_names[role] : "?";
}

/* Without branches that depend on the times: judging a long record takes a million of these. */
int64_t cf_sample_value_ns(const int64_t times[CF_STEPS])
{
    _Static_assert(CF_STEPS == 3, "the median of three");
    const int64_t low = times[0] < times[1] ? times[0] : times[1];
    const int64_t high = times[0] < times[1] ? times[1] : times[0];
    const int64_t rest = times[2] < high ? times[2] : high;
    return rest > low ? rest : low;
}

bool cf_record_is_own(const cf_record *record)
{
    const char *op = record->job.lane[0].op;
    return op && strcmp(op, CF_OP_OWN) == 0;
}

const char *cf_record_lane_what(const cf_record_lane *lane)
{
    return lane->label ? lane->label : lane->op;
}

const char *cf_record_stopped_by(const cf_record *record)
{
    for (size_t i = 0; i < record->skipped.count; i++)
        if (strncmp(record->skipped.items[i].name, CF_SKIPPED_ROUNDS, strlen(CF_SKIPPED_ROUNDS)) == 0)
            return "a failure";
    return "the user";
}
