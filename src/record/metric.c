/* What only a metric experiment has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/metric.h"
#include "record/record.h"

const char *const cf_better_names[] = {
#define X(name, text) text,
    CF_BETTER_TABLE(X)
#undef X
        NULL};
const char *const cf_source_names[] = {
#define X(name, text) text,
    CF_SOURCE_TABLE(X)
#undef X
        NULL};

/* Keeps the first failure, so that a caller looks once. */
static void put(char **at, const char *value, bool *failed)
{
    *at = value ? cf_text_dup(value) : NULL;
    *failed = *failed || (value && !*at);
}

static void put_strings(cf_strings *at, const cf_strings *values, bool *failed)
{
    at->items = values->count ? calloc(values->count, sizeof *at->items) : NULL;
    *failed = *failed || (values->count && !at->items);
    for (size_t i = 0; at->items && i < values->count; i++) {
        put(&at->items[i], values->items[i], failed);
        at->count = i + 1;
    }
}

cf_status cf_record_blank_job(cf_record *record, cf_error *err)
{
    cf_record_job *job = &record->job;
    char **const texts[] = {&job->name,       &job->text,         &job->wait,       &job->submit,
                            &job->lane[0].op, &job->lane[0].unit, &job->lane[1].op, &job->lane[1].unit};
    bool failed = false;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (!*texts[i])
            put(texts[i], "", &failed);
    }
    return failed ? cf_error_set(err, CF_MEMORY, "out of memory") : CF_OK;
}

cf_status cf_record_set_metric(cf_record *record, const cf_record_metric *spec, cf_error *err)
{
    cf_record_metric *metric = &record->metric;
    bool failed = false;
    *metric =
        (cf_record_metric){.on = true, .better = spec->better, .source = spec->source, .timeout_ms = spec->timeout_ms};
    put(&metric->name, spec->name, &failed);
    put(&metric->unit, spec->unit, &failed);
    put(&metric->detail, spec->detail, &failed);
    put(&metric->outputs, spec->outputs, &failed);
    put_strings(&metric->program, &spec->program, &failed);
    return failed ? cf_error_set(err, CF_MEMORY, "out of memory") : cf_record_blank_job(record, err);
}

cf_status cf_round_set_values(cf_round *round, int variant, const double *x, size_t count, cf_error *err)
{
    cf_values *values = &round->values[variant];
    double *items = count ? malloc(count * sizeof *items) : NULL;
    if (count && !items)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    if (items)
        memcpy(items, x, count * sizeof *items);
    free(values->items);
    *values = (cf_values){.items = items, .count = count};
    return CF_OK;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double cf_round_value(const cf_round *round, int variant)
{
    const cf_values *values = &round->values[variant];
    if (values->count == 0)
        return (double)NAN;
    if (values->count == 1)
        return values->items[0];
    double *sorted = malloc(values->count * sizeof *sorted);
    if (!sorted)
        return (double)NAN;
    memcpy(sorted, values->items, values->count * sizeof *sorted);
    qsort(sorted, values->count, sizeof *sorted, compare);
    const size_t half = values->count / 2;
    const double value = values->count % 2 ? sorted[half] : sorted[half - 1] + (sorted[half] - sorted[half - 1]) / 2;
    free(sorted);
    return value;
}
