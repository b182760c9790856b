#include "verdict/estimate.h"

#include <math.h>

#include "stats/stats.h"

#define NS_PER_MS 1e6

/* One number of one round; NaN = not measured in that round. */
typedef struct cf_column {
    double (*get)(const struct cf_column *column, const cf_evidence *evidence, size_t round);
    int variant, control;
    cf_cell cell;
} cf_column;

static double wall(const cf_column *column, const cf_evidence *evidence, size_t round)
{
    return evidence->series[column->variant].wall[column->cell][round];
}

static double slowdown(const cf_column *column, const cf_evidence *evidence, size_t round)
{
    return wall(column, evidence, round) / evidence->series[column->control].wall[column->cell][round];
}

static double exposed(const cf_column *column, const cf_evidence *evidence, size_t round)
{
    double *const *cells = evidence->series[column->variant].wall;
    double longer = fmax(cells[CF_CELL_A][round], cells[CF_CELL_B][round]);
    return cells[CF_CELL_AB][round] - longer;
}

static double overlap_of(const cf_evidence *evidence, int variant, size_t round)
{
    return evidence->series[variant].overlap[cf_evidence_side(evidence, variant)][round];
}

static double overlap(const cf_column *column, const cf_evidence *evidence, size_t round)
{
    return overlap_of(evidence, column->variant, round);
}

static double delta(const cf_column *column, const cf_evidence *evidence, size_t round)
{
    return cf_evidence_delta(evidence, column->variant, cf_evidence_side(evidence, column->variant),
                             cf_evidence_side(evidence, column->control), round);
}

static const cf_sample *sample_of(const cf_column *column, const cf_evidence *evidence, size_t round)
{
    return cf_round_sample(&evidence->record->rounds.items[round], column->variant, column->cell);
}

static double submit(const cf_column *column, const cf_evidence *evidence, size_t round)
{
    const cf_sample *sample = sample_of(column, evidence, round);
    int64_t busy_ns[CF_STEPS];
    for (int i = 0; i < CF_STEPS; i++)
        busy_ns[i] = sample->submit_ns[i] - sample->blocked_ns[i];
    return (double)cf_sample_value_ns(busy_ns);
}

static double blocked(const cf_column *column, const cf_evidence *evidence, size_t round)
{
    return (double)cf_sample_value_ns(sample_of(column, evidence, round)->blocked_ns);
}

/* Of the step that is the cell's value, and of no other: a delay in a step that the median passes over explains
   nothing. */
static double share(const int64_t part_ns[CF_STEPS], const int64_t whole_ns[CF_STEPS])
{
    int64_t value_ns = cf_sample_value_ns(whole_ns);
    for (int i = 0; i < CF_STEPS; i++)
        if (whole_ns[i] == value_ns)
            return part_ns[i] >= 0 && value_ns > 0 ? (double)part_ns[i] / (double)value_ns : NAN;
    return NAN;
}

static double delayed(const cf_column *column, const cf_evidence *evidence, size_t round)
{
    const cf_sample *sample = sample_of(column, evidence, round);
    return share(sample->delay_ns, sample->wall_ns);
}

static double late(const cf_column *column, const cf_evidence *evidence, size_t round)
{
    const cf_sample *sample = sample_of(column, evidence, round);
    return share(sample->late_ns, sample->wall_ns);
}

/* Inside ab the host waits for one lane first, and for the other one in the next step: each lane's own end is the mean
   of the steps that have it. */
static double lane_end(const cf_column *column, const cf_evidence *evidence, size_t round)
{
    const cf_sample *sample = cf_round_sample(&evidence->record->rounds.items[round], column->variant, CF_CELL_AB);
    const int64_t *end_ns = column->cell == CF_CELL_A ? sample->lane_a_ns : sample->lane_b_ns;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < CF_STEPS; i++) {
        if (end_ns[i] <= 0)
            continue;
        sum += (double)end_ns[i];
        count++;
    }
    return count > 0 ? sum / count : NAN;
}

static double stretch(const cf_column *column, const cf_evidence *evidence, size_t round)
{
    return lane_end(column, evidence, round) / wall(column, evidence, round);
}

static double seen(const cf_column *column, const cf_evidence *evidence, size_t round)
{
    return cf_round_seen(&evidence->record->rounds.items[round], column->variant);
}

static size_t gather(const cf_column *column, const cf_evidence *evidence)
{
    size_t n = 0;
    for (size_t round = 0; round < evidence->round_count; round++) {
        double value = column->get(column, evidence, round);
        if (isfinite(value))
            evidence->scratch[n++] = value;
    }
    return n;
}

static double median(const cf_column *column, const cf_evidence *evidence)
{
    return cf_stats_median_in_place(evidence->scratch, gather(column, evidence));
}

cf_estimate cf_estimate_of(double *x, size_t n)
{
    if (n == 0)
        return (cf_estimate){.ok = false, .median = NAN, .low = -INFINITY, .high = INFINITY};
    double middle = cf_stats_median_in_place(x, n);
    cf_interval interval = cf_stats_median_ci95_in_place(x, n);
    return (cf_estimate){.ok = true, .median = middle, .low = interval.low, .high = interval.high};
}

static cf_estimate estimate(const cf_column *column, const cf_evidence *evidence)
{
    return cf_estimate_of(evidence->scratch, gather(column, evidence));
}

double cf_estimate_step_ms(const cf_evidence *evidence, int variant)
{
    int64_t in_flight = cf_evidence_job(evidence->record, variant)->in_flight;
    return NS_PER_MS * (double)(in_flight > 1 ? in_flight : 1);
}

static void estimate_lanes(const cf_evidence *evidence, int variant, cf_variant_judgement *ret)
{
    for (int lane = 0; lane < 2; lane++) {
        cf_column column = {.get = lane_end, .variant = variant, .cell = (cf_cell)lane};
        ret->lane_ms[lane] = median(&column, evidence) / cf_estimate_step_ms(evidence, variant);
        column.get = stretch;
        ret->stretch[lane] = estimate(&column, evidence);
    }
}

static void estimate_times(const cf_evidence *evidence, int variant, cf_variant_judgement *ret)
{
    double window_ns_in_step_ms = cf_estimate_step_ms(evidence, variant);
    cf_column column = {.get = wall, .variant = variant, .cell = CF_CELL_A};
    ret->a_ms = median(&column, evidence) / window_ns_in_step_ms;
    column.cell = CF_CELL_B;
    ret->b_ms = median(&column, evidence) / window_ns_in_step_ms;
    column.cell = CF_CELL_AB;
    ret->ab_ms = median(&column, evidence) / window_ns_in_step_ms;
    column.get = exposed;
    ret->exposed_ms = median(&column, evidence) / window_ns_in_step_ms;
    column.get = submit;
    ret->submit_ms = median(&column, evidence) / window_ns_in_step_ms;
    column.get = blocked;
    ret->blocked_ms = median(&column, evidence) / window_ns_in_step_ms;
}

/* Run-queue delay and the lateness of a software device are two views of one busy machine: the worse one counts. */
static void estimate_starvation(const cf_evidence *evidence, int variant, cf_variant_judgement *ret)
{
    cf_column column = {.get = delayed, .variant = variant, .cell = CF_CELL_AB};
    double delay_share = median(&column, evidence);
    column.get = late;
    ret->starved_share = fmax(delay_share, median(&column, evidence)); /* fmax passes over a NaN */
    ret->starved = ret->starved_share > CF_STARVED_SHARE;
}

static void estimate_against_control(const cf_evidence *evidence, int variant, cf_variant_judgement *ret)
{
    cf_column column = {.get = slowdown, .variant = variant, .control = cf_evidence_control(evidence->record, variant)};
    for (int cell = 0; cell < CF_CELL_COUNT; cell++) {
        column.cell = (cf_cell)cell;
        ret->slowdown[cell] = estimate(&column, evidence);
    }
    column.get = delta;
    cf_effect_judgement *effect = &ret->effect;
    effect->delta = estimate(&column, evidence);
    effect->measurable = effect->delta.ok && (effect->delta.low > 0 || effect->delta.high < 0);
    effect->slows = ret->slowdown[CF_CELL_AB].ok && ret->slowdown[CF_CELL_AB].low > CF_SLOWS_ABOVE;
}

/* Of a caller's own step nobody knows that it does anything: what its wait takes may be the call alone, or the way to a
   thread and back. */
static double idle_ns(const cf_record *record)
{
    return cf_record_is_own(record) ? fmax(CF_WAIT_FLOOR_NS, CF_EMPTY_STEPS * (double)record->empty_step_ns) : 0;
}

static void estimate_host_bound(const cf_evidence *evidence, int variant, cf_variant_judgement *ret)
{
    double longer_ms = fmax(ret->a_ms, ret->b_ms);
    double idle_ms = idle_ns(evidence->record) / cf_estimate_step_ms(evidence, variant);
    bool no_work = idle_ms > 0 && longer_ms <= idle_ms;
    ret->host_bound_note = ret->submit_ms >= CF_HOST_BOUND_SHARE * (longer_ms - idle_ms);
    ret->too_short = ret->host_bound_note && (no_work || !(ret->submit_ms >= CF_HOST_BOUND_SHARE * longer_ms));
}

void cf_estimate_variant(const cf_evidence *evidence, int variant, cf_variant_judgement *ret)
{
    ret->variant = variant;
    ret->side = cf_evidence_side(evidence, variant);
    estimate_times(evidence, variant, ret);
    estimate_lanes(evidence, variant, ret);
    estimate_host_bound(evidence, variant, ret);
    estimate_starvation(evidence, variant, ret);
    estimate_against_control(evidence, variant, ret);
    cf_column column = {.get = overlap, .variant = variant};
    ret->overlap = estimate(&column, evidence);
    column.get = seen;
    ret->seen = estimate(&column, evidence);
}

double cf_estimate_balance(const cf_variant_judgement *variant)
{
    return fmin(variant->a_ms, variant->b_ms) / fmax(variant->a_ms, variant->b_ms);
}
