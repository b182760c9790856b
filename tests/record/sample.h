/* Records made up for tests: every member is in use, and no two times are alike unless asked for. */
#ifndef TESTS_RECORD_SAMPLE_H
#define TESTS_RECORD_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"
#include "record/record.h"

typedef enum sample_times {
    SAMPLE_PLAIN, /* submission, blocked time, delay and lateness are the same everywhere, or unsupported */
    SAMPLE_MIXED  /* all differ, and some are unsupported */
} sample_times;

static inline void sample_round(cf_rounds *list, int variant_count, int64_t number, sample_times times, cf_rng *rng)
{
    cf_round *round = cf_rounds_add(list, variant_count);
    round->number = number;
    round->process = number > 2;
    round->marks = (unsigned)(number % 4);
    for (int i = 0; i < round->order_count; i++)
        round->order[i] = i;
    cf_rng_shuffle(rng, round->order, (size_t)round->order_count);
    for (int i = 0; i < variant_count * CF_CELL_COUNT * CF_STEPS; i++) {
        cf_sample *sample = &round->samples[i / CF_STEPS];
        const int step = i % CF_STEPS;
        const bool mixed = times == SAMPLE_MIXED;
        sample->wall_ns[step] = 10000000 + (int64_t)cf_rng_below(rng, 90000000);
        sample->submit_ns[step] = mixed ? (int64_t)cf_rng_below(rng, 100000) : 64000;
        sample->blocked_ns[step] = mixed ? (int64_t)cf_rng_below(rng, 1000) : 0;
        sample->delay_ns[step] = mixed ? (int64_t)cf_rng_below(rng, 1000) - 1 : -1;
        sample->late_ns[step] = mixed && i % 2 ? (int64_t)cf_rng_below(rng, 1000) : -1;
    }
    for (int variant = 0; variant < variant_count; variant++) {
        if (variant % 3 != 2)
            continue;
        round->seen[variant] = (cf_seen){.overlap_ns = (int64_t)cf_rng_below(rng, 1000), .shorter_ns = 1000 + variant};
    }
}

static inline void sample_job(cf_record_job *job, const char *name)
{
    *job = (cf_record_job){.name = cf_text_dup(name),
                           .text = cf_text_dup("[lane a]\nop = h2d ; \"quoted\" \xc3\xa9\n"),
                           .in_flight = 1,
                           .wait = cf_text_dup("block"),
                           .submit = cf_text_dup("ab"),
                           .depends = true,
                           .prefetch = 2,
                           .batch = 1};
    job->lane[0] = (cf_record_lane){
        .op = cf_text_dup("h2d"), .count = 16, .length = 4194304, .unit = cf_text_dup("bytes"), .given = true};
    job->lane[1] =
        (cf_record_lane){.op = cf_text_dup("kernel"), .count = 16, .length = 1000000, .unit = cf_text_dup("ns")};
}

static inline void sample_variants(cf_record *record, int variant_count)
{
    static const char *const names[] = {"none", "none-again", "sync", "timing", "one-queue"};
    static const cf_role roles[] = {CF_ROLE_CONTROL, CF_ROLE_REPLICA, CF_ROLE_INSTRUMENT, CF_ROLE_INSTRUMENT,
                                    CF_ROLE_REFERENCE};
    record->variant_count = variant_count;
    record->variants = calloc((size_t)variant_count, sizeof *record->variants);
    for (int i = 0; i < variant_count; i++) {
        cf_record_variant *variant = &record->variants[i];
        variant->name = i < 5 ? cf_text_dup(names[i]) : cf_text_format("more-%d", i);
        variant->role = i < 5 ? roles[i] : CF_ROLE_INSTRUMENT;
        variant->where = i > 1 ? cf_text_dup("both") : NULL;
        variant->on = cf_text_dup(i == 3 ? "b" : "both");
        variant->armed = i < 2 ? CF_ARMED_NO : i == 4 ? CF_ARMED_NOTHING : CF_ARMED_YES;
        variant->armed_how = i == 4 ? NULL : cf_text_dup("timestamps that moved");
        variant->armed_expected = 32;
        variant->armed_count = i < 2 ? 0 : 32;
        variant->process_only = i == 3;
        variant->process_why = i == 3 ? cf_text_dup("armed before first use") : NULL;
    }
}

static inline void sample_facts(cf_record *record)
{
    cf_error err;
    record->tool_version = cf_text_dup("0.1.0");
    record->tool_build = cf_text_dup("gcc 12, release");
    record->created_utc = cf_text_dup("2026-11-29T22:49:14Z");
    record->device_backend = cf_text_dup("sim");
    record->device_name = cf_text_dup("copy-offload");
    record->driver = cf_text_dup("none \x1b[31m\n\x07"); /* a hostile string */
    record->simulated = true;
    record->clock_name = cf_text_dup("virtual");
    record->host_threads = 2;
    record->seed = UINT64_C(9007199254740991);
    record->margin = 0.1;
    record->alpha = 0.01;
    record->empty_step_ns = 1234;
    record->calibration_tries = 3;
    record->data_check = CF_DATA_UNSUPPORTED;
    record->data_check_text = cf_text_dup("kernels are not computed");
    const bool added = cf_pairs_add(&record->host, "os", "Debian 12", &err) == CF_OK &&
                       cf_pairs_add(&record->host, "cpu.model", NULL, &err) == CF_OK &&
                       cf_pairs_add(&record->device, "name", "a fact of the same name", &err) == CF_OK &&
                       cf_pairs_add(&record->environment, "ZE_AFFINITY_MASK", "0", &err) == CF_OK &&
                       cf_pairs_add(&record->skipped, "none-poll", "one processor", &err) == CF_OK;
    if (!added)
        abort();
}

static inline void sample_spans(cf_record *record)
{
    record->span_count = 2;
    record->spans = calloc(record->span_count, sizeof *record->spans);
    record->spans[0] = (cf_record_span){
        .end_ns = 1000000, .queued_ns = -1, .engine = cf_text_dup("bcs"), .what = cf_text_dup("h2d"), .index = 7};
    record->spans[1] = (cf_record_span){.variant = record->variant_count - 1,
                                        .begin_ns = 5,
                                        .end_ns = 5,
                                        .queued_ns = 3,
                                        .engine = cf_text_dup("ccs"),
                                        .stream = 1,
                                        .lane = 1,
                                        .what = cf_text_dup("record before"),
                                        .waited_for = cf_text_dup("h2d 0"),
                                        .instrumented = true,
                                        .id = 12,
                                        .waits_for = 7};
    record->spans_how = cf_text_dup("after the rounds");
}

/* Owned by the caller: cf_record_done. */
static inline cf_record sample_record(int variant_count, int round_count, sample_times times)
{
    cf_record record;
    cf_record_init(&record);
    sample_facts(&record);
    sample_job(&record.job, "built-in");
    sample_variants(&record, variant_count);
    cf_rng rng = {.state = 11};
    sample_round(&record.prologue, 1, 1, times, &rng);
    sample_round(&record.prologue, 1, 2, times, &rng);
    sample_round(&record.warmup, variant_count, 1, times, &rng);
    for (int i = 1; i <= round_count; i++)
        sample_round(&record.rounds, variant_count, i, times, &rng);
    return record;
}

/* The same with all that is optional. */
static inline cf_record sample_full(void)
{
    cf_record record = sample_record(5, 4, SAMPLE_MIXED);
    sample_job(&record.against, "other.ini");
    record.has_against = true;
    record.variants[4].job = 1;
    record.interrupted = true;
    record.design = CF_DESIGN_BETWEEN;
    sample_spans(&record);
    return record;
}

#endif
