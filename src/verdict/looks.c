#include "verdict/looks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

#define FIRST_LOOK_MIN 12
#define MORE_MAX       100000 /* an estimate beyond this is "never" */
/* Closer than this to a threshold is on it: 0.9 - 1.0 is not -0.1 in binary, and on the threshold counts against. */
#define TIE 1e-12

typedef struct cf_replay {
    const cf_evidence *evidence;
    const cf_test *test;
    cf_decision *decisions;
    bool reads;                            /* false: a metric, of which there is no reading */
    cf_rank *ranks;                        /* [variant][side], zeroed where not needed */
    cf_tally (*tallies)[2][2];             /* [variant][its side][the control's side] */
    cf_threshold alone, confounded, clear; /* readings and the replica; the two families */
    int not_yet_confounded, not_yet_clear; /* instruments */
} cf_replay;

cf_test cf_test_of(const cf_record *record, double margin)
{
    long first = record->min_rounds > FIRST_LOOK_MIN ? (long)record->min_rounds : FIRST_LOOK_MIN;
    return (cf_test){.margin = isnan(margin) ? record->margin : margin, .alpha = record->alpha, .first_look = first};
}

void cf_tally_add(cf_tally *tally, double value, double margin)
{
    tally->up += value > margin + TIE;
    tally->down += value < -margin - TIE;
    tally->not_down += value > -margin + TIE;
    tally->not_up += value < margin - TIE;
}

long cf_threshold_at(cf_threshold *threshold, long n, double alpha)
{
    bool follows = threshold->n == n - 1 && threshold->alpha == alpha;
    long k = follows ? cf_stats_kstar_next(threshold->k, n, alpha) : cf_stats_kstar(n, alpha);
    *threshold = (cf_threshold){.alpha = alpha, .n = n, .k = k};
    return k;
}

static bool would_decide(const cf_test *test, long agreeing, long n, long later, double alpha)
{
    long k = cf_stats_kstar(later, alpha);
    double expected = (double)agreeing * ((double)later / (double)n);
    return later >= test->first_look && k > 0 && floor(expected + TIE) >= (double)k;
}

long cf_looks_more(const cf_test *test, long agreeing, long n, double alpha)
{
    if (n == 0)
        return test->first_look;
    long low = 0, high = 1;
    while (!would_decide(test, agreeing, n, n + high, alpha)) {
        low = high;
        high *= 2;
        if (high > MORE_MAX)
            return 0;
    }
    while (high - low > 1) {
        long middle = low + (high - low) / 2;
        if (would_decide(test, agreeing, n, n + middle, alpha))
            high = middle;
        else
            low = middle;
    }
    return high;
}

static long shorter_wait(long one, long other)
{
    if (one == 0 || other == 0)
        return one + other;
    return one < other ? one : other;
}

static bool has_effect(cf_role role)
{
    return role == CF_ROLE_INSTRUMENT || role == CF_ROLE_REPLICA;
}

/* How many rounds so far support each reading. */
typedef struct cf_support {
    long serialises, overlaps, partial;
} cf_support;

/* x = O / best against the thresholds. Where the dependencies leave nothing to overlap x means nothing, and O itself is
   read: the reference still has to serialise then. */
static cf_support support_of(const cf_replay *replay, int variant, size_t last)
{
    const cf_evidence *evidence = replay->evidence;
    const cf_rank *rank = &replay->ranks[variant * 2 + evidence->series[variant].side[last]];
    double best = evidence->best[evidence->record->variants[variant].job == 0 ? 0 : 1][last];
    double scale = best >= CF_BEST_MIN ? best : 1;
    long above_low = (long)cf_rank_above(rank, CF_READ_LOW * scale + TIE);
    long below_high = (long)cf_rank_below(rank, CF_READ_HIGH * scale - TIE);
    return (cf_support){
        .serialises = (long)cf_rank_below(rank, CF_READ_LOW * scale - TIE),
        .overlaps = (long)cf_rank_above(rank, CF_READ_HIGH * scale + TIE),
        .partial = above_low < below_high ? above_low : below_high,
    };
}

static void look_at_reading(cf_replay *replay, int variant, long n, long k)
{
    cf_decision *decision = &replay->decisions[variant];
    if (decision->reading_at > 0 || k == 0)
        return;
    cf_support support = support_of(replay, variant, (size_t)n - 1);
    if (support.serialises >= k)
        decision->reading = CF_READING_SERIALISES;
    else if (support.overlaps >= k)
        decision->reading = CF_READING_OVERLAPS;
    else if (support.partial >= k)
        decision->reading = CF_READING_PARTIAL;
    else
        return;
    decision->reading_at = n;
}

static const cf_tally *tally_of(const cf_replay *replay, int variant, size_t last)
{
    const cf_evidence *evidence = replay->evidence;
    int control = cf_evidence_control(evidence->record, variant);
    return &replay->tallies[variant][evidence->series[variant].side[last]][evidence->series[control].side[last]];
}

static void decide(cf_decision *decision, cf_effect effect, int direction, long n)
{
    decision->effect = effect;
    decision->direction = direction;
    decision->effect_at = n;
}

static bool confounds(cf_decision *decision, const cf_tally *tally, long n, long k)
{
    if (k == 0 || (tally->up < k && tally->down < k))
        return false;
    decide(decision, CF_EFFECT_CONFOUNDED, tally->up >= k ? 1 : -1, n);
    return true;
}

static bool clears(cf_decision *decision, const cf_tally *tally, long n, long k)
{
    if (k == 0 || tally->not_down < k || tally->not_up < k)
        return false;
    decide(decision, CF_EFFECT_CLEAR, 0, n);
    return true;
}

/* Both families are tested with the m that they had when the look began. */
static void look_at_effects(cf_replay *replay, long n, long k_alone)
{
    const cf_record *record = replay->evidence->record;
    double alpha = replay->test->alpha / 2;
    long k_confounded = 0, k_clear = 0;
    if (replay->not_yet_confounded > 0)
        k_confounded = cf_threshold_at(&replay->confounded, n, alpha / replay->not_yet_confounded);
    if (replay->not_yet_clear > 0)
        k_clear = cf_threshold_at(&replay->clear, n, alpha / replay->not_yet_clear);
    for (int v = 0; v < record->variant_count; v++) {
        cf_decision *decision = &replay->decisions[v];
        if (decision->effect != CF_EFFECT_INCONCLUSIVE)
            continue;
        bool alone = record->variants[v].role == CF_ROLE_REPLICA;
        const cf_tally *tally = tally_of(replay, v, (size_t)n - 1);
        if (confounds(decision, tally, n, alone ? k_alone : k_confounded))
            replay->not_yet_confounded -= !alone;
        else if (clears(decision, tally, n, alone ? k_alone : k_clear))
            replay->not_yet_clear -= !alone;
    }
}

static void add_round(cf_replay *replay, size_t round)
{
    const cf_evidence *evidence = replay->evidence;
    for (int v = 0; v < evidence->variant_count; v++) {
        cf_decision *decision = &replay->decisions[v];
        for (int side = 0; replay->reads && decision->reading_at == 0 && side < 2; side++)
            cf_rank_add(&replay->ranks[v * 2 + side], evidence->series[v].overlap[side][round]);
        if (decision->effect != CF_EFFECT_INCONCLUSIVE)
            continue;
        for (int side = 0; side < 2; side++)
            for (int other = 0; other < 2; other++)
                cf_tally_add(&replay->tallies[v][side][other], cf_evidence_delta(evidence, v, side, other, round),
                             replay->test->margin);
    }
}

static void estimate_reading(cf_replay *replay, int variant, long n)
{
    cf_decision *decision = &replay->decisions[variant];
    cf_support support = n > 0 ? support_of(replay, variant, (size_t)n - 1) : (cf_support){0};
    long agreeing = support.serialises > support.overlaps ? support.serialises : support.overlaps;
    agreeing = support.partial > agreeing ? support.partial : agreeing;
    decision->reading_more = cf_looks_more(replay->test, agreeing, n, replay->test->alpha / 2);
}

static void estimate_effect(cf_replay *replay, int variant, long n)
{
    cf_decision *decision = &replay->decisions[variant];
    cf_tally tally = n > 0 ? *tally_of(replay, variant, (size_t)n - 1) : (cf_tally){0};
    bool alone = replay->evidence->record->variants[variant].role == CF_ROLE_REPLICA;
    double alpha = replay->test->alpha / 2;
    long apart = tally.up > tally.down ? tally.up : tally.down;
    long within = tally.not_down < tally.not_up ? tally.not_down : tally.not_up;
    long until_confounded = cf_looks_more(replay->test, apart, n, alone ? alpha : alpha / replay->not_yet_confounded);
    long until_clear = cf_looks_more(replay->test, within, n, alone ? alpha : alpha / replay->not_yet_clear);
    decision->effect_more = shorter_wait(until_confounded, until_clear);
}

/* Mostly one lane is the shorter in every look: the other side's ranks then stay empty. */
static bool is_looked_at(const cf_evidence *evidence, size_t variant, int side)
{
    return memchr(evidence->series[variant].side, side, evidence->round_count) != NULL;
}

static cf_status replay_init(cf_replay *replay, cf_error *err)
{
    const cf_evidence *evidence = replay->evidence;
    size_t variants = (size_t)evidence->variant_count;
    replay->ranks = calloc(variants * 2 + 1, sizeof *replay->ranks);
    replay->tallies = calloc(variants + 1, sizeof *replay->tallies);
    bool ready = replay->ranks && replay->tallies;
    for (size_t v = 0; ready && v < variants; v++) {
        bool tested = has_effect(evidence->record->variants[v].role);
        replay->decisions[v] = (cf_decision){.effect = tested ? CF_EFFECT_INCONCLUSIVE : CF_EFFECT_NONE};
        replay->not_yet_confounded += evidence->record->variants[v].role == CF_ROLE_INSTRUMENT;
        for (int side = 0; ready && side < 2; side++)
            if (replay->reads && is_looked_at(evidence, v, side))
                ready = cf_rank_init(&replay->ranks[v * 2 + (size_t)side], evidence->series[v].overlap[side],
                                     evidence->round_count);
    }
    replay->not_yet_clear = replay->not_yet_confounded;
    return ready ? CF_OK : cf_error_set(err, CF_MEMORY, "out of memory while judging");
}

static void replay_done(cf_replay *replay)
{
    for (int i = 0; replay->ranks && i < replay->evidence->variant_count * 2; i++)
        cf_rank_done(&replay->ranks[i]);
    free(replay->ranks);
    free(replay->tallies);
}

cf_status cf_looks_replay(const cf_evidence *evidence, const cf_test *test, cf_decision *decisions, cf_error *err)
{
    cf_replay replay = {
        .evidence = evidence, .test = test, .decisions = decisions, .reads = !evidence->record->metric.on};
    cf_status status = replay_init(&replay, err);
    long rounds = status == CF_OK ? (long)evidence->round_count : 0;
    for (long n = 1; n <= rounds; n++) {
        add_round(&replay, (size_t)n - 1);
        if (n < test->first_look)
            continue;
        long k = cf_threshold_at(&replay.alone, n, test->alpha / 2);
        for (int v = 0; replay.reads && v < evidence->variant_count; v++)
            look_at_reading(&replay, v, n, k);
        look_at_effects(&replay, n, k);
    }
    for (int v = 0; status == CF_OK && v < evidence->variant_count; v++) {
        if (replay.reads && decisions[v].reading_at == 0)
            estimate_reading(&replay, v, rounds);
        if (decisions[v].effect == CF_EFFECT_INCONCLUSIVE)
            estimate_effect(&replay, v, rounds);
    }
    replay_done(&replay);
    return status;
}
