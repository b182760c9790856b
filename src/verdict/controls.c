#include "verdict/controls.h"

#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"

#define STICKY_ALPHA 0.005

void cf_reasons_add(cf_reasons *reasons, cf_because because)
{
    if (!cf_reasons_have(reasons, because) && reasons->count < CF_BECAUSE_MAX)
        reasons->items[reasons->count++] = because;
}

bool cf_reasons_have(const cf_reasons *reasons, cf_because because)
{
    for (int i = 0; i < reasons->count; i++)
        if (reasons->items[i] == because)
            return true;
    return false;
}

bool cf_controls_have_role(const cf_record *record, cf_role role)
{
    for (int i = 0; i < record->variant_count; i++)
        if (record->variants[i].role == role)
            return true;
    return false;
}

/* Variants without which the others prove nothing. */
static bool is_control(cf_role role)
{
    return role == CF_ROLE_CONTROL || role == CF_ROLE_REPLICA || role == CF_ROLE_REFERENCE;
}

static bool was_measured(const cf_round *round, int variant)
{
    if (round->values)
        return round->values[variant].count > 0;
    for (int cell = 0; cell < CF_CELL_COUNT; cell++)
        if (cf_sample_value_ns(cf_round_sample(round, variant, (cf_cell)cell)->wall_ns) <= 0)
            return false;
    return true;
}

static bool holds_all_controls(const cf_record *record, const cf_round *round)
{
    for (int v = 0; v < record->variant_count; v++)
        if (is_control(record->variants[v].role) && !was_measured(round, v))
            return false;
    return true;
}

/* A process that measured rounds without a prologue of its own, where there are prologues at all, could hide a sticky
   instrument. Process numbers never fall within a list. */
static bool prologue_is_missing(const cf_record *record)
{
    size_t at = 0;
    if (record->design != CF_DESIGN_WITHIN || record->prologue.count == 0)
        return false;
    for (size_t i = 0; i < record->rounds.count; i++) {
        int process = record->rounds.items[i].process;
        while (at < record->prologue.count && record->prologue.items[at].process < process)
            at++;
        if (at == record->prologue.count || record->prologue.items[at].process != process)
            return true;
    }
    return false;
}

static bool segment_lacks_controls(const cf_record *record)
{
    for (size_t i = 0; i < record->rounds.count; i++)
        if (!holds_all_controls(record, &record->rounds.items[i]))
            return true;
    return prologue_is_missing(record);
}

/* Only "proven that nothing was armed" will do: a control with nothing to show proves nothing. */
static bool control_is_unproven(const cf_record *record)
{
    for (int v = 0; v < record->variant_count; v++) {
        cf_role role = record->variants[v].role;
        bool must_prove = role == CF_ROLE_CONTROL || role == CF_ROLE_REPLICA || role == CF_ROLE_DESIGN;
        if (must_prove && record->variants[v].armed != CF_ARMED_NO)
            return true;
    }
    return false;
}

void cf_controls_check(const cf_record *record, cf_reasons *ret_reasons)
{
    bool refers = record->metric.on || cf_controls_have_role(record, CF_ROLE_REFERENCE);
    bool present = record->variant_count > 0 && record->variants[0].role == CF_ROLE_CONTROL &&
                   cf_controls_have_role(record, CF_ROLE_REPLICA) && refers;
    if (!present)
        cf_reasons_add(ret_reasons, CF_BECAUSE_MISSING_CONTROL);
    if (segment_lacks_controls(record))
        cf_reasons_add(ret_reasons, CF_BECAUSE_SEGMENT_WITHOUT_CONTROLS);
    if (control_is_unproven(record))
        cf_reasons_add(ret_reasons, CF_BECAUSE_CONTROL_NOT_PROVEN);
    if (record->data_check == CF_DATA_WRONG)
        cf_reasons_add(ret_reasons, CF_BECAUSE_DATA_WRONG);
}

/* The control's overlap (or its number) over a run of rounds: one process, or all of them. */
typedef struct cf_stretch {
    double median;
    cf_interval sequence;
    size_t count;
} cf_stretch;

static double control_wall(const cf_round *round, cf_cell cell)
{
    return (double)cf_sample_value_ns(cf_round_sample(round, 0, cell)->wall_ns);
}

static size_t gather_overlaps(const cf_round *rounds, size_t count, double *scratch)
{
    double *a = scratch, *b = scratch + count;
    for (size_t i = 0; i < count; i++) {
        a[i] = control_wall(&rounds[i], CF_CELL_A);
        b[i] = control_wall(&rounds[i], CF_CELL_B);
    }
    int side = cf_stats_median_in_place(a, count) <= cf_stats_median_in_place(b, count) ? 0 : 1;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        double overlap = cf_stats_overlap(control_wall(&rounds[i], CF_CELL_A), control_wall(&rounds[i], CF_CELL_B),
                                          control_wall(&rounds[i], CF_CELL_AB), side);
        if (isfinite(overlap))
            scratch[n++] = overlap;
    }
    return n;
}

static size_t gather_values(const cf_round *rounds, size_t count, double *scratch)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        double value = cf_round_value(&rounds[i], 0);
        if (isfinite(value))
            scratch[n++] = value;
    }
    return n;
}

/* scratch has room for two columns of `count` rounds. */
static cf_stretch measure(const cf_round *rounds, size_t count, double *scratch)
{
    bool is_metric = count > 0 && rounds[0].values;
    size_t n = is_metric ? gather_values(rounds, count, scratch) : gather_overlaps(rounds, count, scratch);
    return (cf_stretch){.sequence = cf_stats_median_cs(scratch, n, STICKY_ALPHA),
                        .median = cf_stats_median_in_place(scratch, n),
                        .count = n};
}

/* relative: the margin is a fraction of the first, before any instrument was. */
static bool are_apart(const cf_stretch *one, const cf_stretch *other, double margin, bool relative)
{
    bool disjoint = one->sequence.high < other->sequence.low || other->sequence.high < one->sequence.low;
    return disjoint && fabs(one->median - other->median) > margin * (relative ? one->median : 1);
}

static size_t rounds_of_process(const cf_rounds *rounds, size_t from)
{
    size_t count = 0;
    while (from + count < rounds->count && rounds->items[from + count].process == rounds->items[from].process)
        count++;
    return count;
}

static cf_estimate as_estimate(const cf_stretch *stretch)
{
    return (cf_estimate){.ok = stretch->count > 0,
                         .median = stretch->median,
                         .low = stretch->sequence.low,
                         .high = stretch->sequence.high};
}

/* Walks both lists process by process; the prologue shown is that of the sticky process, else of the longest one.
   Returns the rounds of the longest process. */
static size_t compare_processes(const cf_record *record, double margin, double *scratch, bool *ret_sticky,
                                cf_estimate *ret_prologue)
{
    const cf_rounds *before = &record->prologue, *between = &record->rounds;
    size_t at = 0, longest = 0;
    for (size_t from = 0, count; from < between->count && !*ret_sticky; from += count) {
        count = rounds_of_process(between, from);
        while (at < before->count && before->items[at].process < between->items[from].process)
            at++;
        if (at == before->count || before->items[at].process != between->items[from].process)
            continue;
        size_t prologue_count = rounds_of_process(before, at);
        cf_stretch prologue = measure(&before->items[at], prologue_count, scratch);
        cf_stretch control = measure(&between->items[from], count, scratch);
        *ret_sticky = are_apart(&prologue, &control, margin, record->metric.on);
        if (*ret_sticky || count > longest) {
            *ret_prologue = as_estimate(&prologue);
            longest = count;
        }
    }
    return longest;
}

cf_status cf_controls_sticky(const cf_record *record, double margin, bool *ret_sticky, cf_estimate *ret_prologue,
                             cf_error *err)
{
    const cf_rounds *before = &record->prologue, *between = &record->rounds;
    size_t most = before->count > between->count ? before->count : between->count;
    *ret_sticky = false;
    *ret_prologue = (cf_estimate){.ok = false, .median = NAN, .low = -INFINITY, .high = INFINITY};
    if (before->count == 0)
        return CF_OK;
    double *scratch = malloc(2 * most * sizeof *scratch);
    if (!scratch)
        return cf_error_set(err, CF_MEMORY, "out of memory while judging");
    size_t longest = compare_processes(record, margin, scratch, ret_sticky, ret_prologue);
    if (cf_stats_kstar((long)longest, STICKY_ALPHA) == 0) { /* all too short to tell alone */
        cf_stretch prologue = measure(before->items, before->count, scratch);
        cf_stretch control = measure(between->items, between->count, scratch);
        *ret_sticky = are_apart(&prologue, &control, margin, record->metric.on);
        *ret_prologue = as_estimate(&prologue);
    }
    free(scratch);
    return CF_OK;
}
