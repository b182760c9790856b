/* Records and judgements made in memory, for the tests of the report. */
#ifndef CF_TESTS_REPORT_FIXTURE_H
#define CF_TESTS_REPORT_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/report.h"

#define ASCII_STYLE                                                                                                    \
    (cf_report_style)                                                                                                  \
    {                                                                                                                  \
        .utf8 = false, .record_path = "RECORD.json"                                                                    \
    }
#define UTF8_STYLE                                                                                                     \
    (cf_report_style)                                                                                                  \
    {                                                                                                                  \
        .utf8 = true, .record_path = "RECORD.json"                                                                     \
    }

typedef struct fixture {
    cf_record record;
    cf_judgement judgement;
} fixture;

static inline void set_string(char **field, const char *value)
{
    free(*field);
    *field = value ? cf_text_dup(value) : NULL;
}

static inline cf_estimate estimate(double median, double low, double high)
{
    return (cf_estimate){.ok = true, .median = median, .low = low, .high = high};
}

/* Adds a variant whose lanes take a, b and ab ms; its overlap is what these make. */
static inline cf_variant_judgement *add_variant(fixture *f, const char *name, cf_role role, double a, double b,
                                                double ab)
{
    int i = f->record.variant_count++;
    f->record.variants = realloc(f->record.variants, (size_t)f->record.variant_count * sizeof *f->record.variants);
    assert_non_null(f->record.variants);
    f->record.variants[i] = (cf_record_variant){.role = role, .armed = CF_ARMED_NO};
    set_string(&f->record.variants[i].name, name);
    f->judgement.variant_count = f->record.variant_count;
    f->judgement.variants =
        realloc(f->judgement.variants, (size_t)f->judgement.variant_count * sizeof *f->judgement.variants);
    assert_non_null(f->judgement.variants);
    double o = (a + b - ab) / fmin(a, b);
    f->judgement.variants[i] = (cf_variant_judgement){
        .variant = i,
        .a_ms = a,
        .b_ms = b,
        .ab_ms = ab,
        .submit_ms = 0.05,
        .exposed_ms = ab - fmax(a, b),
        .overlap = estimate(o, o - 0.01, o + 0.01),
        .reading = o < 0.3   ? CF_READING_SERIALISES
                   : o > 0.7 ? CF_READING_OVERLAPS
                             : CF_READING_PARTIAL,
        .reading_at = 12,
        .reference_ok = role == CF_ROLE_REFERENCE,
    };
    return &f->judgement.variants[i];
}

static inline cf_variant_judgement *variant(fixture *f, const char *name)
{
    for (int i = 0; i < f->record.variant_count; i++) {
        if (!strcmp(f->record.variants[i].name, name))
            return &f->judgement.variants[i];
    }
    fail_msg("no variant %s", name);
    return NULL;
}

static inline void set_effect(cf_variant_judgement *judged, cf_effect effect, double median, double half_width)
{
    judged->effect = (cf_effect_judgement){
        .verdict = effect,
        .direction = effect != CF_EFFECT_CONFOUNDED ? 0
                     : median < 0                   ? -1
                                                    : 1,
        .flips = effect == CF_EFFECT_CONFOUNDED,
        .blamed = effect == CF_EFFECT_CONFOUNDED,
        .delta = estimate(median, median - half_width, median + half_width),
        .decided_at = effect == CF_EFFECT_INCONCLUSIVE ? 0 : 12,
    };
    judged->because.count = 0;
}

static inline void add_because(cf_reasons *reasons, cf_because because)
{
    reasons->items[reasons->count++] = because;
}

/* Timing on the compute ring: sync is clear, timing serialises. */
static inline void begin(fixture *f)
{
    *f = (fixture){0};
    cf_record_init(&f->record);
    set_string(&f->record.device_backend, "soft");
    set_string(&f->record.device_name, "copy-offload in real time");
    set_string(&f->record.job.name, "default");
    set_string(&f->record.job.wait, "block");
    set_string(&f->record.job.submit, "ab");
    set_string(&f->record.job.lane[0].op, "h2d");
    set_string(&f->record.job.lane[1].op, "kernel");
    for (int lane = 0; lane < 2; lane++) {
        f->record.job.lane[lane].count = 16;
        f->record.job.lane[lane].length = 1000000;
        set_string(&f->record.job.lane[lane].unit, "ns");
    }
    f->record.job.in_flight = 1;
    f->record.simulated = true;
    f->record.data_check = CF_DATA_OK;
    f->judgement = (cf_judgement){.verdict = CF_VERDICT_CONFOUNDED,
                                  .valid = true,
                                  .simulated = true,
                                  .rounds = 24,
                                  .best = 1,
                                  .balance = 1,
                                  .margin = 0.1,
                                  .alpha = 0.01,
                                  .min_rounds = 12,
                                  .max_rounds = 120};
    add_variant(f, "none", CF_ROLE_CONTROL, 16, 16, 16);
    add_variant(f, "none-again", CF_ROLE_REPLICA, 16, 16, 16);
    add_variant(f, "sync", CF_ROLE_INSTRUMENT, 16, 16, 16);
    add_variant(f, "timing", CF_ROLE_INSTRUMENT, 16.064, 16.064, 30.842);
    add_variant(f, "one-queue", CF_ROLE_REFERENCE, 16, 16, 32);
    set_effect(variant(f, "none-again"), CF_EFFECT_CLEAR, 0, 0.01);
    set_effect(variant(f, "sync"), CF_EFFECT_CLEAR, 0, 0.01);
    set_effect(variant(f, "timing"), CF_EFFECT_CONFOUNDED, -0.92, 0.02);
    set_string(&f->record.variants[3].where, "both");
    set_string(&f->record.variants[3].on, "both");
    variant(f, "timing")->seen = (cf_estimate){.ok = true, .median = 0.03};
}

static inline void end(fixture *f)
{
    free(f->judgement.variants);
    f->judgement.variants = NULL;
    cf_record_done(&f->record);
}

/* One measured round: cell times count up from `base`. */
static inline cf_round *add_round(fixture *f, cf_rounds *rounds, int64_t number, int64_t base)
{
    int count = f->record.variant_count;
    cf_round *round = cf_rounds_add(rounds, count);
    assert_non_null(round);
    round->number = number;
    round->order_count = count * CF_CELL_COUNT;
    for (int i = 0; i < round->order_count; i++) {
        round->order[i] = round->order_count - 1 - i;
        for (int step = 0; step < CF_STEPS; step++) {
            round->samples[i].wall_ns[step] = base + i * 10 + step;
            round->samples[i].submit_ns[step] = 100 + step;
            round->samples[i].blocked_ns[step] = 0;
            round->samples[i].delay_ns[step] = -1;
            round->samples[i].late_ns[step] = -1;
        }
    }
    return round;
}

typedef cf_status reporter(const cf_record *, const cf_judgement *, const cf_report_style *, cf_text *, cf_error *);

/* The report as a string; free it. */
static inline char *printed(const fixture *f, reporter *report, cf_report_style style)
{
    cf_text out = {0};
    cf_error err = {0};
    assert_int_equal(report(&f->record, &f->judgement, &style, &out, &err), CF_OK);
    assert_non_null(out.data);
    return out.data;
}

static inline void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

static inline void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' is in:\n%s", part, text);
}

/* The text with every run of blanks and line breaks as one blank, so that wrapping does not matter. */
static inline char *unwrapped(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        if (*from != ' ' && *from != '\n')
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    *to = '\0';
    return text;
}

#endif
