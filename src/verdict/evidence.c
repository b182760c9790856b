#include "verdict/evidence.h"

#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"

const cf_record_job *cf_evidence_job(const cf_record *record, int variant)
{
    return record->variants[variant].job == 0 ? &record->job : &record->against;
}

int cf_evidence_control(const cf_record *record, int variant)
{
    if (record->variants[variant].job == 0)
        return 0;
    for (int i = 0; i < record->variant_count; i++)
        if (record->variants[i].role == CF_ROLE_DESIGN && record->variants[i].job == record->variants[variant].job)
            return i;
    return 0;
}

double cf_evidence_best(const cf_evidence *evidence, int variant)
{
    int job = evidence->record->variants[variant].job == 0 ? 0 : 1;
    return evidence->round_count > 0 ? evidence->best[job][evidence->round_count - 1] : NAN;
}

int cf_evidence_side(const cf_evidence *evidence, int variant)
{
    return evidence->round_count > 0 ? evidence->series[variant].side[evidence->round_count - 1] : 0;
}

double cf_evidence_delta(const cf_evidence *evidence, int variant, int side, int control_side, size_t round)
{
    const cf_series *own = &evidence->series[variant];
    const cf_series *control = &evidence->series[cf_evidence_control(evidence->record, variant)];
    if (!evidence->record->metric.on)
        return own->overlap[side][round] - control->overlap[control_side][round];
    double above = own->value[round] / control->value[round] - 1;
    return evidence->record->metric.better == CF_BETTER_HIGHER ? -above : above;
}

static double measured(const cf_round *round, int variant, cf_cell cell)
{
    int64_t value_ns = cf_sample_value_ns(cf_round_sample(round, variant, cell)->wall_ns);
    return value_ns > 0 ? (double)value_ns : NAN;
}

static void fill_values(cf_evidence *evidence, int variant)
{
    cf_series *series = &evidence->series[variant];
    for (size_t i = 0; i < evidence->round_count; i++)
        series->value[i] = cf_round_value(&evidence->record->rounds.items[i], variant);
}

static void fill_columns(cf_evidence *evidence, int variant)
{
    cf_series *series = &evidence->series[variant];
    for (size_t i = 0; i < evidence->round_count; i++) {
        const cf_round *round = &evidence->record->rounds.items[i];
        for (int cell = 0; cell < CF_CELL_COUNT; cell++)
            series->wall[cell][i] = measured(round, variant, (cf_cell)cell);
        double a = series->wall[CF_CELL_A][i], b = series->wall[CF_CELL_B][i], ab = series->wall[CF_CELL_AB][i];
        for (int side = 0; side < 2; side++)
            series->overlap[side][i] = cf_stats_overlap(a, b, ab, side);
    }
}

static double best_of(const cf_record_job *job, double wall_a, double wall_b)
{
    return cf_stats_best_overlap(wall_a, wall_b, (long)job->lane[0].count, (long)job->lane[1].count, job->depends,
                                 (long)job->in_flight);
}

/* The sides of every look and, from the control of a job, what overlap was possible at all. */
static cf_status fill_looks(cf_evidence *evidence, int variant, cf_error *err)
{
    const cf_record *record = evidence->record;
    cf_series *series = &evidence->series[variant];
    double *best = evidence->best[record->variants[variant].job == 0 ? 0 : 1];
    bool is_control = cf_evidence_control(record, variant) == variant;
    cf_running_median lane[2] = {{0}, {0}};
    bool ready = cf_running_median_init(&lane[0], evidence->round_count) &&
                 cf_running_median_init(&lane[1], evidence->round_count);
    for (size_t i = 0; ready && i < evidence->round_count; i++) {
        for (int cell = 0; cell < 2; cell++)
            if (!isnan(series->wall[cell][i]))
                cf_running_median_add(&lane[cell], series->wall[cell][i]);
        double a = cf_running_median_get(&lane[0]), b = cf_running_median_get(&lane[1]);
        series->side[i] = b < a;
        if (is_control)
            best[i] = best_of(cf_evidence_job(record, variant), a, b);
    }
    cf_running_median_done(&lane[0]);
    cf_running_median_done(&lane[1]);
    return ready ? CF_OK : cf_error_set(err, CF_MEMORY, "out of memory while judging");
}

static cf_status allocate(cf_evidence *evidence, cf_error *err)
{
    size_t rounds = evidence->round_count, variants = (size_t)evidence->variant_count;
    evidence->series = calloc(variants + 1, sizeof *evidence->series);
    evidence->numbers = calloc((variants * 6 + 3) * rounds + 1, sizeof *evidence->numbers);
    evidence->sides = calloc(variants * rounds + 1, 1);
    if (!evidence->series || !evidence->numbers || !evidence->sides)
        return cf_error_set(err, CF_MEMORY, "out of memory while judging");
    double *next = evidence->numbers;
    for (size_t v = 0; v < variants; v++) {
        cf_series *series = &evidence->series[v];
        for (int cell = 0; cell < CF_CELL_COUNT; cell++, next += rounds)
            series->wall[cell] = next;
        for (int side = 0; side < 2; side++, next += rounds)
            series->overlap[side] = next;
        series->value = evidence->record->metric.on ? next : NULL;
        next += rounds;
        series->side = evidence->sides + v * rounds;
    }
    evidence->best[0] = next;
    evidence->best[1] = next + rounds;
    evidence->scratch = next + 2 * rounds;
    for (size_t i = 0; i < 2 * rounds; i++)
        next[i] = NAN;
    return CF_OK;
}

cf_status cf_evidence_init(cf_evidence *evidence, const cf_record *record, cf_error *err)
{
    *evidence =
        (cf_evidence){.record = record, .round_count = record->rounds.count, .variant_count = record->variant_count};
    cf_status status = allocate(evidence, err);
    for (int v = 0; status == CF_OK && v < evidence->variant_count; v++) {
        if (record->metric.on) {
            fill_values(evidence, v);
            continue;
        }
        fill_columns(evidence, v);
        status = fill_looks(evidence, v, err);
    }
    if (status != CF_OK)
        cf_evidence_done(evidence);
    return status;
}

void cf_evidence_done(cf_evidence *evidence)
{
    free(evidence->series);
    free(evidence->numbers);
    free(evidence->sides);
    *evidence = (cf_evidence){0};
}
