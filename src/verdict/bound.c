#include "verdict/bound.h"

#include <math.h>
#include <string.h>

#include "stats/stats.h"
#include "verdict/controls.h"
#include "verdict/evidence.h"
#include "verdict/looks.h"

#define TIE 1e-12 /* as in looks.c: closer than this is on the bound, and counts against */

typedef struct cf_sides {
    cf_rank ranks[2]; /* by the side that the overlap is divided by; zeroed where no look uses it */
    long above, below;
} cf_sides;

static cf_status sides_init(cf_sides *sides, const cf_evidence *evidence, cf_error *err)
{
    const cf_series *control = &evidence->series[0];
    for (int side = 0; side < 2; side++) {
        if (evidence->round_count == 0 || !memchr(control->side, side, evidence->round_count))
            continue;
        if (!cf_rank_init(&sides->ranks[side], control->overlap[side], evidence->round_count))
            return cf_error_set(err, CF_MEMORY, "out of memory while judging");
    }
    return CF_OK;
}

static void sides_done(cf_sides *sides)
{
    cf_rank_done(&sides->ranks[0]);
    cf_rank_done(&sides->ranks[1]);
}

/* Look n uses rounds 1..n and nothing later. */
static void look(cf_sides *sides, const cf_evidence *evidence, double at_least, size_t last)
{
    const cf_series *control = &evidence->series[0];
    double best = evidence->best[0][last];
    double bound = at_least * (best >= CF_BEST_MIN ? best : 1);
    for (int side = 0; side < 2; side++)
        cf_rank_add(&sides->ranks[side], control->overlap[side][last]);
    const cf_rank *rank = &sides->ranks[control->side[last]];
    sides->above = (long)cf_rank_above(rank, bound + TIE);
    sides->below = (long)cf_rank_below(rank, bound - TIE);
}

/* The first decision stands. */
static cf_status replay(const cf_evidence *evidence, const cf_test *test, double at_least, cf_bound *bound,
                        cf_error *err)
{
    cf_sides sides = {.above = 0};
    cf_threshold threshold = {.n = 0};
    cf_status status = sides_init(&sides, evidence, err);
    long rounds = status == CF_OK ? (long)evidence->round_count : 0;
    for (long n = 1; n <= rounds && bound->decided_at == 0; n++) {
        look(&sides, evidence, at_least, (size_t)n - 1);
        long k = n < test->first_look ? 0 : cf_threshold_at(&threshold, n, test->alpha / 2);
        if (k == 0 || (sides.above < k && sides.below < k))
            continue;
        bound->side = sides.above >= k ? CF_BOUND_ABOVE : CF_BOUND_BELOW;
        bound->decided_at = n;
    }
    long agreeing = sides.above > sides.below ? sides.above : sides.below;
    if (status == CF_OK && bound->decided_at == 0)
        bound->more_rounds = cf_looks_more(test, agreeing, rounds, test->alpha / 2);
    sides_done(&sides);
    return status;
}

/* Before the first look nothing is final. */
static void withhold(cf_bound *bound, cf_because because, bool open)
{
    bool early = bound->side == CF_BOUND_INCONCLUSIVE && bound->because == CF_BECAUSE_TOO_FEW_ROUNDS;
    *bound = (cf_bound){.side = CF_BOUND_INCONCLUSIVE, .because = because, .open = open || early};
}

static bool reference_is_open(const cf_record *record, const cf_judgement *judgement)
{
    for (int v = 0; v < judgement->variant_count; v++)
        if (record->variants[v].role == CF_ROLE_REFERENCE && judgement->variants[v].reading == CF_READING_INCONCLUSIVE)
            return true;
    return false;
}

/* What the sign test says is set aside for the reasons for which a reading is; a set-up that cannot see serialisation
   has no `above`. */
static void set_aside(const cf_record *record, const cf_judgement *judgement, cf_bound *bound)
{
    static const cf_because blocks[] = {CF_BECAUSE_HOST_BOUND,     CF_BECAUSE_TOO_SHORT, CF_BECAUSE_UNBALANCED,
                                        CF_BECAUSE_BEST_TOO_SMALL, CF_BECAUSE_STICKY,    CF_BECAUSE_HOST_STARVED};
    const cf_variant_judgement *control = &judgement->variants[0];
    if (!judgement->valid) {
        bool final = cf_reasons_have(&judgement->invalid_because, CF_BECAUSE_REPLICA_CONFOUNDED) ||
                     cf_reasons_have(&judgement->invalid_because, CF_BECAUSE_DATA_WRONG);
        withhold(bound, judgement->invalid_because.items[0], !final);
        return;
    }
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        if (cf_reasons_have(&control->because, blocks[i])) {
            withhold(bound, blocks[i], blocks[i] == CF_BECAUSE_HOST_STARVED);
            return;
        }
    }
    if (bound->side == CF_BOUND_ABOVE && !control->reference_ok)
        withhold(bound, CF_BECAUSE_REFERENCE_FAILED, reference_is_open(record, judgement));
}

cf_status cf_bound_judge(const cf_record *record, const cf_judgement *judgement, double at_least, cf_bound *ret_bound,
                         cf_error *err)
{
    if (!(at_least > 0 && at_least < 1))
        return cf_error_set(err, CF_INPUT, "at_least %g is not accepted; it is above 0 and below 1", at_least);
    if (record->metric.on || judgement->variant_count == 0)
        return cf_error_set(err, CF_INPUT, "the record has no overlap");
    cf_test test = cf_test_of(record, judgement->margin);
    cf_bound bound = {.side = CF_BOUND_INCONCLUSIVE, .open = true};
    cf_evidence evidence;
    cf_status status = cf_evidence_init(&evidence, record, err);
    if (status != CF_OK)
        return status;
    status = replay(&evidence, &test, at_least, &bound, err);
    cf_evidence_done(&evidence);
    if (status != CF_OK)
        return status;
    if (bound.side == CF_BOUND_INCONCLUSIVE) {
        bool early = (long)record->rounds.count < test.first_look;
        bound.because = early                   ? CF_BECAUSE_TOO_FEW_ROUNDS
                        : bound.more_rounds > 0 ? CF_BECAUSE_MORE_ROUNDS
                                                : CF_BECAUSE_TOO_CLOSE;
    } else {
        bound.open = false;
    }
    set_aside(record, judgement, &bound);
    *ret_bound = bound;
    return CF_OK;
}
