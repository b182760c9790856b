#include "verdict/diagnose.h"

#include <math.h>
#include <string.h>

#include "stats/stats.h"
#include "verdict/estimate.h"
#include "verdict/looks.h"

#define BLOCKED_LIMIT                                                                                                  \
    0.90 /* of a lane alone, blocked inside its calls: each of them returns when its work has ended                    \
          */
#define FULL_LIMIT        0.10 /* of ab, blocked inside calls that are not of that kind */
#define STRETCH_LIMIT     1.05 /* a lane's own end, as a ratio to the lane alone; with its whole interval above 1.02 */
#define FIRST_LIMIT       1.50 /* the first step, as a ratio to the same step again */
#define HALF_AN_OPERATION 0.5
#define TURNS_LIMIT       0.25 /* of an operation: from a lane's end to that of the step, in the mean of both lanes */

typedef struct diagnosis {
    const cf_evidence *evidence;
    const cf_record_job *job;
    const cf_variant_judgement *control;
    cf_judgement *judgement;
    bool submission; /* it holds the lanes up: what they do beside each other says nothing of the device */
    bool blocks[2];  /* the lane's calls return when their own work has ended */
} diagnosis;

static cf_finding *add(diagnosis *d, cf_finding finding)
{
    if (d->judgement->finding_count == CF_FINDINGS_MAX)
        return NULL;
    cf_finding *added = &d->judgement->findings[d->judgement->finding_count++];
    *added = finding;
    return added;
}

static bool is_missing(const diagnosis *d)
{
    return !isnan(d->judgement->missing);
}

static double solo_ms(const diagnosis *d, int lane)
{
    return lane == 0 ? d->control->a_ms : d->control->b_ms;
}

static double operation_ms(const diagnosis *d, int lane)
{
    return solo_ms(d, lane) / (double)d->job->lane[lane].count;
}

/* What a cell of the control says of the host. */
typedef double of_sample(const cf_sample *sample);

static double blocked_share(const cf_sample *sample)
{
    return (double)cf_sample_value_ns(sample->blocked_ns) / (double)cf_sample_value_ns(sample->wall_ns);
}

static double blocked_ns(const cf_sample *sample)
{
    return (double)cf_sample_value_ns(sample->blocked_ns);
}

/* What ran on after the last call had returned. */
static double tail_ns(const cf_sample *sample)
{
    int64_t tail[CF_STEPS];
    for (int i = 0; i < CF_STEPS; i++)
        tail[i] = sample->wall_ns[i] - sample->submit_ns[i];
    return (double)cf_sample_value_ns(tail);
}

static double median_of(const diagnosis *d, cf_cell cell, of_sample *get)
{
    const cf_evidence *evidence = d->evidence;
    size_t n = 0;
    for (size_t i = 0; i < evidence->round_count; i++) {
        double value = get(cf_round_sample(&evidence->record->rounds.items[i], d->control->variant, cell));
        if (isfinite(value))
            evidence->scratch[n++] = value;
    }
    return cf_stats_median_in_place(evidence->scratch, n);
}

static double median_ms(const diagnosis *d, cf_cell cell, of_sample *get)
{
    return median_of(d, cell, get) / cf_estimate_step_ms(d->evidence, d->control->variant);
}

/* A call that returns when its work has ended leaves nothing to wait for. One that waited for room in a queue leaves
   at least its own operation. */
static bool leaves_nothing(const diagnosis *d, int lane)
{
    return median_ms(d, (cf_cell)lane, tail_ns) < HALF_AN_OPERATION * operation_ms(d, lane);
}

static void find_submission(diagnosis *d)
{
    double longer = fmax(d->control->a_ms, d->control->b_ms);
    double share = d->control->submit_ms / longer;
    d->submission = d->control->too_short; /* its lanes do nothing that could be told of a device */
    if (!(share >= CF_HOST_BOUND_SHARE))
        return;
    d->submission = true;
    add(d, (cf_finding){.kind = CF_FINDING_SUBMISSION_BOUND,
                        .lane = -1,
                        .value = share,
                        .limit = CF_HOST_BOUND_SHARE,
                        .part_ms = d->control->submit_ms,
                        .whole_ms = longer,
                        .explains = is_missing(d)});
}

static bool blocks(const diagnosis *d, int lane)
{
    return median_of(d, (cf_cell)lane, blocked_share) >= BLOCKED_LIMIT && leaves_nothing(d, lane);
}

/* Calls that block hold the other lane back. Where the blocking lane is itself slower than alone, something else is at
   work, unless both lanes block. */
static bool blocking_explains(const diagnosis *d, int lane)
{
    bool own_speed = !(d->control->stretch[lane].median > STRETCH_LIMIT);
    return is_missing(d) && (own_speed || d->blocks[!lane]);
}

static void add_blocking(diagnosis *d, int lane)
{
    const char *op = d->job->lane[lane].op;
    bool kernel = strcmp(op, "kernel") == 0;
    bool own = strcmp(op, CF_OP_OWN) == 0;
    add(d, (cf_finding){.kind = own      ? CF_FINDING_BLOCKING_STEP
                                : kernel ? CF_FINDING_BLOCKING_LAUNCH
                                         : CF_FINDING_BLOCKING_COPY,
                        .lane = lane,
                        .value = median_of(d, (cf_cell)lane, blocked_share),
                        .limit = BLOCKED_LIMIT,
                        .part_ms = median_ms(d, (cf_cell)lane, blocked_ns),
                        .whole_ms = solo_ms(d, lane),
                        .explains = blocking_explains(d, lane)});
}

/* contended: then both lanes are slower, and a full queue is not the reason. Returns whether the host is blocked. */
static bool find_blocked(diagnosis *d, bool contended)
{
    for (int lane = 0; lane < 2; lane++)
        if (d->blocks[lane])
            add_blocking(d, lane);
    if (d->blocks[0] || d->blocks[1])
        return true;
    double share = median_of(d, CF_CELL_AB, blocked_share);
    if (!(share >= FULL_LIMIT))
        return false;
    add(d, (cf_finding){.kind = CF_FINDING_FULL_QUEUE,
                        .lane = -1,
                        .value = share,
                        .limit = FULL_LIMIT,
                        .part_ms = d->control->blocked_ms,
                        .whole_ms = d->control->ab_ms,
                        .explains = is_missing(d) && !contended});
    return true;
}

/* The host sees no end before its last call has returned: what ends by then may have ended at any time before, unless
   it was the end that the call waited for. */
static bool is_seen(const diagnosis *d, int lane)
{
    double submitted_ms = d->control->submit_ms + d->control->blocked_ms;
    return d->blocks[lane] || d->control->lane_ms[lane] > CF_SLOWS_ABOVE * submitted_ms;
}

static bool stretches(const diagnosis *d, int lane)
{
    const cf_estimate *stretch = &d->control->stretch[lane];
    return stretch->ok && stretch->median > STRETCH_LIMIT && stretch->low > CF_SLOWS_ABOVE && is_seen(d, lane);
}

static bool both_stretch(const diagnosis *d)
{
    return stretches(d, 0) && stretches(d, 1);
}

/* How long the other lane ran on after the one whose end was seen, in the mean of the steps of ab; the end of the lane
   that is last counts as well, as 0. */
static double rest_ns(const cf_sample *sample)
{
    const int64_t *const ends[2] = {sample->lane_a_ns, sample->lane_b_ns};
    double sum = 0;
    int count = 0;
    for (int i = 0; i < 2 * CF_STEPS; i++) {
        int64_t end_ns = ends[i / CF_STEPS][i % CF_STEPS];
        if (end_ns <= 0)
            continue;
        sum += (double)(sample->wall_ns[i % CF_STEPS] - end_ns);
        count++;
    }
    return count > 0 ? sum / count : (double)NAN;
}

/* Steps of the caller's own take turns in either order, now one lane first and now the other, so that both end at the
   same time in the median and neither with the step. Lanes that ran together end with it. */
static bool takes_turns_in_either_order(const diagnosis *d)
{
    double longer_ms = fmax(operation_ms(d, 0), operation_ms(d, 1));
    return cf_record_is_own(d->evidence->record) && median_ms(d, CF_CELL_AB, rest_ns) >= TURNS_LIMIT * longer_ms;
}

/* Where operations take turns, the last one runs alone: the other lane has ended an operation earlier. Lanes that end
   together ran together. Of lanes that both hold the host, it sees the ends of neither. */
static bool ends_alone(const diagnosis *d)
{
    if (d->blocks[0] && d->blocks[1])
        return true;
    if (takes_turns_in_either_order(d))
        return true;
    int last = d->control->lane_ms[1] >= d->control->lane_ms[0];
    double alone_ms = d->control->lane_ms[last] - d->control->lane_ms[!last];
    return alone_ms >= HALF_AN_OPERATION * operation_ms(d, last);
}

/* Lanes that stretch while all in all they take as long as one after the other take turns; if they take longer than
   that, or not as long, they ran together and were slower for it. */
static bool is_contended(const diagnosis *d)
{
    const cf_estimate *overlap = &d->control->overlap;
    if (!both_stretch(d) || !overlap->ok)
        return false;
    bool longer = overlap->high < 0 && overlap->median < 1 - STRETCH_LIMIT;
    return longer || overlap->median >= CF_READ_LOW * d->judgement->best || !ends_alone(d);
}

static void find_contention(diagnosis *d)
{
    const cf_variant_judgement *control = d->control;
    int lane = control->stretch[1].median < control->stretch[0].median;
    add(d, (cf_finding){.kind = CF_FINDING_CONTENTION,
                        .lane = -1,
                        .value = control->stretch[lane].median,
                        .limit = STRETCH_LIMIT,
                        .part_ms = control->lane_ms[lane],
                        .whole_ms = solo_ms(d, lane),
                        .explains = is_missing(d)});
}

static bool runs_as_alone(const diagnosis *d, int lane)
{
    return d->control->stretch[lane].ok && d->control->stretch[lane].median <= STRETCH_LIMIT;
}

static void find_serialised(diagnosis *d)
{
    const cf_variant_judgement *control = d->control;
    const bool waits[2] = {stretches(d, 0), stretches(d, 1)};
    bool later = fmax(control->stretch[0].median, control->stretch[1].median) > STRETCH_LIMIT;
    bool one_waits = (waits[0] && runs_as_alone(d, 1)) || (waits[1] && runs_as_alone(d, 0));
    bool turns = (waits[0] && waits[1]) || (!one_waits && later && takes_turns_in_either_order(d));
    if (!is_missing(d) || (!turns && !one_waits))
        return;
    int lane = turns ? control->stretch[1].median > control->stretch[0].median : waits[1];
    add(d, (cf_finding){.kind = CF_FINDING_SERIALISED,
                        .lane = turns ? -1 : lane,
                        .value = control->stretch[lane].median,
                        .limit = STRETCH_LIMIT,
                        .part_ms = control->lane_ms[lane],
                        .whole_ms = solo_ms(d, lane),
                        .explains = true});
}

static int reference_of(const cf_record *record)
{
    for (int v = 0; v < record->variant_count; v++)
        if (record->variants[v].role == CF_ROLE_REFERENCE && record->variants[v].job == 0)
            return v;
    return -1;
}

static cf_estimate less_reference(const diagnosis *d, int reference)
{
    const cf_evidence *evidence = d->evidence;
    int control = d->control->variant;
    const double *of_control = evidence->series[control].overlap[cf_evidence_side(evidence, control)];
    const double *of_reference = evidence->series[reference].overlap[cf_evidence_side(evidence, reference)];
    size_t n = 0;
    for (size_t i = 0; i < evidence->round_count; i++)
        if (isfinite(of_control[i] - of_reference[i]))
            evidence->scratch[n++] = of_control[i] - of_reference[i];
    return cf_estimate_of(evidence->scratch, n);
}

/* Only where the reference reads as it must: else there is nothing to be like. */
static void find_one_queue(diagnosis *d)
{
    int reference = reference_of(d->evidence->record);
    if (reference < 0 || !d->control->reference_ok || !is_missing(d))
        return;
    cf_estimate less = less_reference(d, reference);
    double margin = d->judgement->margin;
    if (!less.ok || !(less.low > -margin) || !(less.high < margin))
        return;
    add(d, (cf_finding){.kind = CF_FINDING_ONE_QUEUE,
                        .lane = -1,
                        .value = less.median,
                        .limit = margin,
                        .part_ms = NAN,
                        .whole_ms = NAN,
                        .explains = true});
}

/* Never a reason: the rounds that count come after it. It is what a single cold run would have shown. */
static void find_first_use(diagnosis *d, int lane)
{
    const cf_record *record = d->evidence->record;
    double first = (double)record->first_step_ns[lane];
    double again = (double)record->again_step_ns[lane];
    double step_ms = cf_estimate_step_ms(d->evidence, d->control->variant);
    if (again <= 0 && record->job.lane[lane].given)
        again = solo_ms(d, lane) * step_ms;
    if (!(again > 0) || !(first / again >= FIRST_LIMIT))
        return;
    add(d, (cf_finding){.kind = CF_FINDING_FIRST_USE,
                        .lane = lane,
                        .value = first / again,
                        .limit = FIRST_LIMIT,
                        .part_ms = first / step_ms,
                        .whole_ms = again / step_ms});
}

static double missing_of(const cf_judgement *judgement)
{
    const cf_estimate *overlap = &judgement->variants[0].overlap;
    double missing = judgement->best - overlap->median;
    bool shown = overlap->ok && overlap->high < judgement->best; /* the interval leaves the best out */
    return shown && missing > judgement->margin ? missing : NAN;
}

static void find_all(diagnosis *d)
{
    find_submission(d);
    for (int lane = 0; lane < 2; lane++)
        d->blocks[lane] = blocks(d, lane);
    bool contended = !d->submission && is_contended(d);
    bool blocked = find_blocked(d, contended);
    if (contended) {
        find_contention(d);
        return;
    }
    if (d->submission)
        return;
    if (!blocked)
        find_one_queue(d);
    find_serialised(d);
}

void cf_diagnose(const cf_evidence *evidence, cf_judgement *judgement)
{
    judgement->missing = NAN;
    /* What an instrument did to the control says nothing of the device. */
    if (judgement->variant_count == 0 || evidence->round_count == 0 || judgement->sticky || judgement->metric)
        return;
    diagnosis d = {.evidence = evidence,
                   .job = &evidence->record->job,
                   .control = &judgement->variants[0],
                   .judgement = judgement};
    judgement->missing = missing_of(judgement);
    if (!d.control->starved) /* then its times are not those of the device */
        find_all(&d);
    for (int lane = 0; lane < 2; lane++)
        find_first_use(&d, lane);
}

/* ---- marks ---- */

static double compared_value(const cf_evidence *evidence, int variant, size_t round)
{
    int control = cf_evidence_control(evidence->record, variant);
    const cf_series *own = &evidence->series[variant];
    if (evidence->record->variants[variant].role != CF_ROLE_INSTRUMENT)
        return own->value ? own->value[round] : own->overlap[cf_evidence_side(evidence, variant)][round];
    return cf_evidence_delta(evidence, variant, cf_evidence_side(evidence, variant),
                             cf_evidence_side(evidence, control), round);
}

/* Over the rounds that carry mark, or over those that carry none at all. */
static cf_estimate over_rounds(const cf_evidence *evidence, int variant, unsigned mark)
{
    size_t n = 0;
    for (size_t i = 0; i < evidence->round_count; i++) {
        unsigned marks = evidence->record->rounds.items[i].marks;
        double value = compared_value(evidence, variant, i);
        if ((mark != 0 ? (marks & mark) != 0 : marks == 0) && isfinite(value))
            evidence->scratch[n++] = value;
    }
    return cf_estimate_of(evidence->scratch, n);
}

static bool are_apart(const cf_mark_comparison *c, double margin)
{
    bool disjoint = c->marked.high < c->plain.low || c->plain.high < c->marked.low;
    return c->marked.ok && c->plain.ok && disjoint && fabs(c->marked.median - c->plain.median) > margin;
}

static void compare(const cf_evidence *evidence, double margin, unsigned mark, cf_mark_judgement *ret)
{
    const cf_record *record = evidence->record;
    for (int v = 0; v < record->variant_count; v++) {
        if (v != 0 && record->variants[v].role != CF_ROLE_INSTRUMENT)
            continue;
        cf_mark_comparison *c = &ret->of[ret->compared++];
        *c = (cf_mark_comparison){.variant = v, .marked = over_rounds(evidence, v, mark)};
        c->plain = over_rounds(evidence, v, 0);
        bool is_number = record->metric.on && record->variants[v].role != CF_ROLE_INSTRUMENT;
        c->differs = are_apart(c, is_number ? margin * c->plain.median : margin);
        ret->could_explain = ret->could_explain || c->differs;
    }
}

void cf_diagnose_marks(const cf_evidence *evidence, cf_judgement *judgement)
{
    long plain = 0;
    for (size_t i = 0; i < evidence->round_count; i++)
        plain += evidence->record->rounds.items[i].marks == 0;
    for (int mark = 0; mark < CF_MARK_COUNT; mark++) {
        cf_mark_judgement *m = &judgement->marks[mark];
        *m = (cf_mark_judgement){0};
        for (size_t i = 0; i < evidence->round_count; i++)
            m->rounds += (evidence->record->rounds.items[i].marks & 1u << mark) != 0;
        if (m->rounds == 0)
            continue;
        m->could_explain = plain == 0;
        if (plain > 0)
            compare(evidence, judgement->margin, 1u << mark, m);
    }
}
