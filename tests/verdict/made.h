/* Records made in memory, for tests of the judging half. A made record is one that nothing is wrong with: every control
   is there and proven, every instrument armed, the host idle. Tests then break one thing. */
#ifndef CF_TESTS_VERDICT_MADE_H
#define CF_TESTS_VERDICT_MADE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "verdict/verdict.h"

#define MADE_PROLOGUE 24

typedef struct made_variant {
    const char *name;
    cf_role role;
    double a_ms, b_ms, ab_ms;
} made_variant;

/* The usual five: the lanes overlap, timing serialises them. */
#define MADE_NONE                                                                                                      \
    {                                                                                                                  \
        "none", CF_ROLE_CONTROL, 16, 20, 20                                                                            \
    }
#define MADE_AGAIN                                                                                                     \
    {                                                                                                                  \
        "none-again", CF_ROLE_REPLICA, 16, 20, 20                                                                      \
    }
#define MADE_SYNC                                                                                                      \
    {                                                                                                                  \
        "sync", CF_ROLE_INSTRUMENT, 16, 20, 20                                                                         \
    }
#define MADE_TIMING                                                                                                    \
    {                                                                                                                  \
        "timing", CF_ROLE_INSTRUMENT, 16, 20, 36                                                                       \
    }
#define MADE_ONE_QUEUE                                                                                                 \
    {                                                                                                                  \
        "one-queue", CF_ROLE_REFERENCE, 16, 20, 36                                                                     \
    }

static inline int64_t made_ns(double ms)
{
    return llround(ms * 1e6);
}

static inline cf_sample *made_sample(cf_round *round, int variant, cf_cell cell)
{
    return &round->samples[variant * CF_CELL_COUNT + (int)cell];
}

static inline void made_set(cf_round *round, int variant, cf_cell cell, double ms)
{
    for (int step = 0; step < CF_STEPS; step++)
        made_sample(round, variant, cell)->wall_ns[step] = made_ns(ms);
}

static inline cf_round *made_round(cf_rounds *rounds, const made_variant *variants, int count)
{
    cf_round *round = cf_rounds_add(rounds, count);
    assert_non_null(round);
    round->number = (int64_t)rounds->count;
    round->order_count = count * CF_CELL_COUNT;
    for (int i = 0; i < round->order_count; i++)
        round->order[i] = i;
    for (int v = 0; v < count; v++) {
        made_set(round, v, CF_CELL_A, variants[v].a_ms);
        made_set(round, v, CF_CELL_B, variants[v].b_ms);
        made_set(round, v, CF_CELL_AB, variants[v].ab_ms);
        for (int i = 0; i < CF_CELL_COUNT * CF_STEPS; i++) {
            cf_sample *sample = made_sample(round, v, (cf_cell)(i / CF_STEPS));
            sample->submit_ns[i % CF_STEPS] = 100000;
            sample->late_ns[i % CF_STEPS] = -1;
        }
    }
    return round;
}

static inline void made_job(cf_record_job *job, const char *name)
{
    job->name = cf_text_dup(name);
    job->in_flight = 1;
    for (int lane = 0; lane < 2; lane++) {
        job->lane[lane].op = cf_text_dup(lane == 0 ? "h2d" : "kernel");
        job->lane[lane].unit = cf_text_dup("ns");
        job->lane[lane].count = 16;
    }
}

static inline cf_record made_record(const made_variant *variants, int count, long rounds)
{
    cf_record record;
    cf_record_init(&record);
    made_job(&record.job, "made");
    record.data_check = CF_DATA_OK;
    record.variant_count = count;
    record.variants = calloc((size_t)count, sizeof *record.variants);
    assert_non_null(record.variants);
    for (int v = 0; v < count; v++) {
        bool proves_nothing_alive = variants[v].role == CF_ROLE_CONTROL || variants[v].role == CF_ROLE_REPLICA ||
                                    variants[v].role == CF_ROLE_DESIGN;
        record.variants[v].name = cf_text_dup(variants[v].name);
        record.variants[v].role = variants[v].role;
        record.variants[v].armed = proves_nothing_alive ? CF_ARMED_NO : CF_ARMED_YES;
    }
    for (int i = 0; i < MADE_PROLOGUE; i++)
        made_round(&record.prologue, variants, 1);
    for (long i = 0; i < rounds; i++)
        made_round(&record.rounds, variants, count);
    return record;
}

#define MADE_COUNT(variants) ((int)(sizeof(variants) / sizeof(variants)[0]))

static inline cf_judgement made_judge(const cf_record *record)
{
    cf_judgement judgement;
    cf_error err = {0};
    if (cf_judge(record, NULL, NULL, &judgement, &err) != CF_OK)
        fail_msg("%s", err.text);
    return judgement;
}

static inline int made_index(const cf_record *record, const char *name)
{
    for (int v = 0; v < record->variant_count; v++)
        if (strcmp(record->variants[v].name, name) == 0)
            return v;
    fail_msg("no variant %s", name);
    return 0;
}

static inline const cf_variant_judgement *made_find(const cf_record *record, const cf_judgement *judgement,
                                                    const char *name)
{
    return &judgement->variants[made_index(record, name)];
}

static inline bool made_has(const cf_reasons *reasons, cf_because because)
{
    for (int i = 0; i < reasons->count; i++)
        if (reasons->items[i] == because)
            return true;
    return false;
}

#endif
