/* Metric records made up for tests: nothing is wrong with them. Tests then break one thing. */
#ifndef TESTS_RECORD_METRIC_SAMPLE_H
#define TESTS_RECORD_METRIC_SAMPLE_H

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"
#include "record/record.h"

typedef struct metric_arm {
    const char *name;
    cf_role role;
    double value;
} metric_arm;

static inline void metric_head(cf_record *record)
{
    char *words[] = {(char[]){"./server"}, (char[]){"--steps"}, (char[]){"100"}};
    const cf_record_metric spec = {.name = (char[]){"wall"},
                                   .unit = (char[]){"ms"},
                                   .program = {.items = words, .count = 3},
                                   .outputs = (char[]){"r.runs"}};
    record->tool_version = cf_text_dup("0.1.0");
    record->tool_build = cf_text_dup("gcc");
    record->created_utc = cf_text_dup("2026-11-30T02:00:00Z");
    record->device_backend = cf_text_dup("exec");
    record->device_name = cf_text_dup("a processor");
    record->clock_name = cf_text_dup("CLOCK_MONOTONIC");
    record->host_threads = 2;
    record->design = CF_DESIGN_BETWEEN;
    record->margin = 0.05;
    if (cf_record_set_metric(record, &spec, NULL) != CF_OK)
        abort();
}

static inline cf_round *metric_round(cf_rounds *list, const metric_arm *arms, int count, cf_rng *rng)
{
    cf_round *round = cf_rounds_add_metric(list, count, true);
    round->number = (int64_t)list->count;
    round->load = 0.5;
    for (int i = 0; i < count; i++)
        round->order[i] = i;
    cf_rng_shuffle(rng, round->order, (size_t)count);
    for (int v = 0; v < count; v++) {
        if (cf_round_set_values(round, v, &arms[v].value, 1, NULL) != CF_OK)
            abort();
        round->facts[v] = (cf_process_facts){.known = true,
                                             .wall_ns = (int64_t)(arms[v].value * 1e6),
                                             .user_ns = 5000000,
                                             .system_ns = 1000000,
                                             .max_rss_bytes = 4096 * (v + 1),
                                             .delay_ns = -1};
    }
    return round;
}

/* Owned by the caller: cf_record_done. Every round has each arm's value. */
static inline cf_record metric_record(const metric_arm *arms, int count, int rounds)
{
    cf_record record;
    cf_rng rng = {.state = 11};
    cf_record_init(&record);
    metric_head(&record);
    record.variant_count = count;
    record.variants = calloc((size_t)count, sizeof *record.variants);
    for (int v = 0; v < count; v++) {
        cf_record_variant *variant = &record.variants[v];
        variant->name = cf_text_dup(arms[v].name);
        variant->role = arms[v].role;
        variant->armed = arms[v].role == CF_ROLE_INSTRUMENT ? CF_ARMED_NOTHING : CF_ARMED_NO;
        variant->prefix = arms[v].role == CF_ROLE_INSTRUMENT ? cf_text_format("env TOOL=%s", arms[v].name) : NULL;
    }
    (void)metric_round(&record.warmup, arms, count, &rng);
    for (int i = 0; i < rounds; i++)
        (void)metric_round(&record.rounds, arms, count, &rng);
    return record;
}

/* One number of one arm changed in every round. */
static inline void metric_set(cf_record *record, int variant, double value)
{
    for (size_t i = 0; i < record->rounds.count; i++)
        if (cf_round_set_values(&record->rounds.items[i], variant, &value, 1, NULL) != CF_OK)
            abort();
}

static const metric_arm metric_usual[] = {
    {"none", CF_ROLE_CONTROL, 100}, {"none-again", CF_ROLE_REPLICA, 101}, {"nsys", CF_ROLE_INSTRUMENT, 112}};

#endif
