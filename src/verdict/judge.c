#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/against.h"
#include "verdict/controls.h"
#include "verdict/diagnose.h"
#include "verdict/estimate.h"
#include "verdict/evidence.h"
#include "verdict/looks.h"

#define BALANCE_MIN  0.25
#define BALANCE_WARN 0.50

/* One judging: what every rule below may ask. */
typedef struct cf_case {
    const cf_record *record;
    const cf_evidence *evidence;
    const cf_test *test;
    const cf_decision *decisions;
    cf_judgement *judgement;
    bool reference_ok;
    bool host_bound[2]; /* the control of each job */
} cf_case;

static bool is_decided(cf_reading reading)
{
    return reading == CF_READING_SERIALISES || reading == CF_READING_PARTIAL || reading == CF_READING_OVERLAPS;
}

static const cf_variant_judgement *control_of(const cf_case *judged, int variant)
{
    return &judged->judgement->variants[cf_evidence_control(judged->record, variant)];
}

/* Why the sign test has not decided. */
static cf_because undecided_because(const cf_case *judged, long more_rounds)
{
    if ((long)judged->evidence->round_count < judged->test->first_look)
        return CF_BECAUSE_TOO_FEW_ROUNDS;
    return more_rounds > 0 ? CF_BECAUSE_MORE_ROUNDS : CF_BECAUSE_TOO_CLOSE;
}

static bool is_unbalanced(const cf_variant_judgement *variant)
{
    return cf_estimate_balance(variant) < BALANCE_MIN;
}

/* Sets aside what the sign test read, and says why; the gravest first. */
static cf_reading read_variant(const cf_case *judged, int v, cf_reasons *reasons)
{
    const cf_variant_judgement *variant = &judged->judgement->variants[v];
    cf_role role = judged->record->variants[v].role;
    bool host_bound = judged->host_bound[judged->record->variants[v].job == 0 ? 0 : 1] && variant->host_bound_note;
    if (host_bound && variant->too_short) { /* a machine at rest would make it shorter still */
        cf_reasons_add(reasons, CF_BECAUSE_TOO_SHORT);
        return CF_READING_HOST_BOUND;
    }
    if (variant->starved) {
        cf_reasons_add(reasons, CF_BECAUSE_HOST_STARVED);
        return CF_READING_INCONCLUSIVE;
    }
    if (judged->judgement->sticky && role != CF_ROLE_INSTRUMENT && role != CF_ROLE_REFERENCE) {
        cf_reasons_add(reasons, CF_BECAUSE_STICKY);
        return CF_READING_INCONCLUSIVE;
    }
    if (host_bound) {
        cf_reasons_add(reasons, CF_BECAUSE_HOST_BOUND);
        return CF_READING_HOST_BOUND;
    }
    bool no_room = cf_evidence_best(judged->evidence, v) < CF_BEST_MIN;
    if (no_room)
        cf_reasons_add(reasons, CF_BECAUSE_BEST_TOO_SMALL);
    if (is_unbalanced(variant))
        cf_reasons_add(reasons, CF_BECAUSE_UNBALANCED);
    return no_room || is_unbalanced(variant) ? CF_READING_ILL_CONDITIONED : judged->decisions[v].reading;
}

static void judge_reading(const cf_case *judged, int v)
{
    cf_variant_judgement *variant = &judged->judgement->variants[v];
    const cf_decision *decision = &judged->decisions[v];
    int reasons_before = variant->because.count;
    variant->reading = read_variant(judged, v, &variant->because);
    variant->reading_at = is_decided(variant->reading) ? decision->reading_at : 0;
    variant->host_bound_note = variant->host_bound_note && variant->reading != CF_READING_HOST_BOUND;
    bool open = variant->reading == CF_READING_INCONCLUSIVE && variant->because.count == reasons_before;
    if (open && decision->effect == CF_EFFECT_NONE)
        cf_reasons_add(&variant->because, undecided_because(judged, decision->reading_more));
}

/* Decided by the sign test alone: an ill-conditioned reading is no fault of the reference. A reference that was not
   armed proved nothing. */
static bool reference_serialises(const cf_case *judged)
{
    bool any = false;
    for (int v = 0; v < judged->judgement->variant_count; v++) {
        const cf_record_variant *variant = &judged->record->variants[v];
        if (variant->role != CF_ROLE_REFERENCE)
            continue;
        any = true;
        if (judged->decisions[v].reading != CF_READING_SERIALISES || variant->armed == CF_ARMED_NO ||
            judged->judgement->variants[v].starved)
            return false;
    }
    return any;
}

/* A program that goes by the times that it is told may do more or less where it is told others: how long that takes
   says nothing about its timing. As much more as would be an effect is enough. */
static bool is_other_work(const cf_record *record, const cf_record_variant *variant)
{
    return variant->work_ratio > 0 && fabs(log(variant->work_ratio)) > log1p(record->margin);
}

/* What leaves an effect inconclusive whatever D is. */
static void collect_blocks(const cf_case *judged, int v, cf_reasons *ret_blocks)
{
    const cf_record_variant *recorded = &judged->record->variants[v];
    const cf_variant_judgement *control = control_of(judged, v);
    bool instrument = recorded->role == CF_ROLE_INSTRUMENT;
    bool owes = recorded->armed_expected > 0 && recorded->armed_count != recorded->armed_expected;
    if (instrument && (recorded->armed == CF_ARMED_NO || owes))
        cf_reasons_add(ret_blocks, CF_BECAUSE_NOT_ARMED);
    if (instrument && is_other_work(judged->record, recorded))
        cf_reasons_add(ret_blocks, CF_BECAUSE_OTHER_WORK);
    if (instrument && recorded->process_only && judged->record->design == CF_DESIGN_WITHIN)
        cf_reasons_add(ret_blocks, CF_BECAUSE_PROCESS_ONLY);
    if (instrument && judged->judgement->sticky)
        cf_reasons_add(ret_blocks, CF_BECAUSE_STICKY);
    if (recorded->ended)
        cf_reasons_add(ret_blocks, CF_BECAUSE_ARM_ENDED);
    if (judged->record->metric.on)
        return;
    if (control->reading == CF_READING_HOST_BOUND)
        cf_reasons_add(ret_blocks, control->too_short ? CF_BECAUSE_TOO_SHORT : CF_BECAUSE_HOST_BOUND);
    if (judged->judgement->variants[v].starved || control->starved)
        cf_reasons_add(ret_blocks, CF_BECAUSE_HOST_STARVED);
    if (instrument && judged->decisions[v].effect == CF_EFFECT_CLEAR && !judged->reference_ok)
        cf_reasons_add(ret_blocks, CF_BECAUSE_REFERENCE_FAILED);
}

/* By the sign test alone: lanes that are too unlike for a reading may still have no overlap to lose. */
static bool nothing_to_remove(const cf_case *judged, int v)
{
    int control = cf_evidence_control(judged->record, v);
    return judged->decisions[control].reading == CF_READING_SERIALISES ||
           cf_evidence_best(judged->evidence, control) < CF_BEST_MIN;
}

static void judge_effect(const cf_case *judged, int v)
{
    cf_variant_judgement *variant = &judged->judgement->variants[v];
    cf_effect_judgement *effect = &variant->effect;
    const cf_decision *decision = &judged->decisions[v];
    cf_reasons blocks = {.count = 0};
    variant->reference_ok = judged->reference_ok;
    effect->verdict = decision->effect;
    if (effect->verdict == CF_EFFECT_NONE)
        return;
    cf_reading control = control_of(judged, v)->reading;
    effect->flips = is_decided(variant->reading) && is_decided(control) && variant->reading != control;
    collect_blocks(judged, v, &blocks);
    if (blocks.count > 0) {
        effect->verdict = CF_EFFECT_INCONCLUSIVE;
        for (int i = 0; i < blocks.count; i++)
            cf_reasons_add(&variant->because, blocks.items[i]);
        return;
    }
    effect->direction = decision->direction;
    effect->decided_at = decision->effect_at;
    if (effect->verdict == CF_EFFECT_INCONCLUSIVE) {
        effect->more_rounds = decision->effect_more;
        cf_reasons_add(&variant->because, undecided_because(judged, effect->more_rounds));
    }
    if (effect->verdict == CF_EFFECT_CLEAR && nothing_to_remove(judged, v))
        cf_reasons_add(&variant->because, CF_BECAUSE_NOTHING_TO_REMOVE);
}

/* Where ordering alone already disturbs, what timing adds to it is not known. */
static void judge_blame(const cf_case *judged)
{
    const cf_effect_judgement *sync = NULL;
    for (int v = 0; v < judged->judgement->variant_count; v++)
        if (strcmp(judged->record->variants[v].name, "sync") == 0)
            sync = &judged->judgement->variants[v].effect;
    for (int v = 0; v < judged->judgement->variant_count; v++) {
        cf_effect_judgement *effect = &judged->judgement->variants[v].effect;
        bool needs_sync = !judged->judgement->metric && strcmp(judged->record->variants[v].name, "timing") == 0 && sync;
        effect->blamed = effect->verdict == CF_EFFECT_CONFOUNDED && (!needs_sync || sync->verdict == CF_EFFECT_CLEAR);
    }
}

static void judge_validity(const cf_case *judged)
{
    cf_judgement *judgement = judged->judgement;
    cf_controls_check(judged->record, &judgement->invalid_because);
    for (int v = 0; v < judgement->variant_count; v++)
        if (judged->record->variants[v].role == CF_ROLE_REPLICA &&
            judgement->variants[v].effect.verdict == CF_EFFECT_CONFOUNDED)
            cf_reasons_add(&judgement->invalid_because, CF_BECAUSE_REPLICA_CONFOUNDED);
    judgement->valid = judgement->invalid_because.count == 0;
}

static bool replica_is_clear(const cf_case *judged)
{
    for (int v = 0; v < judged->judgement->variant_count; v++)
        if (judged->record->variants[v].role == CF_ROLE_REPLICA &&
            judged->judgement->variants[v].effect.verdict != CF_EFFECT_CLEAR)
            return false;
    return true;
}

/* With nothing on trial the answer is the control's reading, and a set-up that cannot see serialisation has none. */
static void judge_control_alone(const cf_case *judged)
{
    cf_judgement *judgement = judged->judgement;
    if (judgement->metric || judgement->variant_count == 0 || judged->reference_ok)
        return;
    for (int v = 0; v < judgement->variant_count; v++)
        if (judged->record->variants[v].role == CF_ROLE_INSTRUMENT)
            return;
    if (is_decided(judgement->variants[0].reading))
        cf_reasons_add(&judgement->variants[0].because, CF_BECAUSE_REFERENCE_FAILED);
}

static cf_verdict overall_without_instruments(const cf_case *judged)
{
    bool answers =
        judged->judgement->metric || (is_decided(judged->judgement->variants[0].reading) && judged->reference_ok);
    return answers && replica_is_clear(judged) ? CF_VERDICT_CLEAR : CF_VERDICT_INCONCLUSIVE;
}

static cf_verdict overall(const cf_case *judged)
{
    const cf_judgement *judgement = judged->judgement;
    int count[CF_EFFECT_CONFOUNDED + 1] = {0}, instruments = 0;
    if (!judgement->valid)
        return CF_VERDICT_INVALID;
    for (int v = 0; v < judgement->variant_count; v++) {
        if (judged->record->variants[v].role != CF_ROLE_INSTRUMENT)
            continue;
        count[judgement->variants[v].effect.verdict]++;
        instruments++;
    }
    if (count[CF_EFFECT_CONFOUNDED] > 0)
        return CF_VERDICT_CONFOUNDED;
    if (instruments == 0)
        return overall_without_instruments(judged);
    return count[CF_EFFECT_INCONCLUSIVE] > 0 ? CF_VERDICT_INCONCLUSIVE : CF_VERDICT_CLEAR;
}

/* A reading that more rounds may still decide, of a variant whose reading matters. */
static bool reading_is_open(const cf_record *record, const cf_variant_judgement *variant)
{
    const cf_record_variant *recorded = &record->variants[variant->variant];
    bool matters = recorded->role == CF_ROLE_CONTROL || recorded->role == CF_ROLE_REFERENCE ||
                   recorded->role == CF_ROLE_INSTRUMENT;
    return matters && !record->metric.on && variant->reading == CF_READING_INCONCLUSIVE &&
           !cf_reasons_have(&variant->because, CF_BECAUSE_STICKY) &&
           !cf_reasons_have(&variant->because, CF_BECAUSE_NOT_ARMED) &&
           !cf_reasons_have(&variant->because, CF_BECAUSE_PROCESS_ONLY);
}

/* A starved variant is open: the machine may come to rest. One that waits for the reference is not, the reference's
   own reading is. */
static bool effect_is_open(const cf_variant_judgement *variant)
{
    static const cf_because closed[] = {CF_BECAUSE_NOT_ARMED,  CF_BECAUSE_PROCESS_ONLY, CF_BECAUSE_STICKY,
                                        CF_BECAUSE_HOST_BOUND, CF_BECAUSE_TOO_SHORT,    CF_BECAUSE_REFERENCE_FAILED,
                                        CF_BECAUSE_ARM_ENDED,  CF_BECAUSE_OTHER_WORK};
    if (variant->effect.verdict != CF_EFFECT_INCONCLUSIVE)
        return false;
    for (size_t i = 0; i < sizeof closed / sizeof closed[0]; i++)
        if (cf_reasons_have(&variant->because, closed[i]))
            return false;
    return true;
}

static void expect_more_rounds(const cf_case *judged)
{
    cf_judgement *judgement = judged->judgement;
    for (int v = 0; v < judgement->variant_count; v++) {
        const cf_variant_judgement *variant = &judgement->variants[v];
        long reading_more = reading_is_open(judged->record, variant) ? judged->decisions[v].reading_more : 0;
        long more = reading_more > variant->effect.more_rounds ? reading_more : variant->effect.more_rounds;
        if (more > judgement->more_rounds)
            judgement->more_rounds = more;
    }
}

static cf_status judge_variants(cf_case *judged, cf_error *err)
{
    cf_judgement *judgement = judged->judgement;
    for (int v = 0; v < judgement->variant_count; v++) {
        if (judgement->metric) {
            cf_estimate_metric(judged->evidence, v, &judgement->variants[v]);
            continue;
        }
        cf_estimate_variant(judged->evidence, v, &judgement->variants[v]);
        judgement->variants[v].best = cf_evidence_best(judged->evidence, v);
        if (cf_evidence_control(judged->record, v) == v)
            judged->host_bound[v == 0 ? 0 : 1] = judgement->variants[v].host_bound_note;
    }
    if (judgement->variant_count > 0 && !judgement->metric) {
        judgement->best = cf_evidence_best(judged->evidence, 0);
        judgement->balance = cf_estimate_balance(&judgement->variants[0]);
        judgement->unbalanced_warning = judgement->balance < BALANCE_WARN;
    }
    cf_status status =
        cf_controls_sticky(judged->record, judged->test->margin, &judgement->sticky, &judgement->prologue_overlap, err);
    if (status != CF_OK)
        return status;
    judged->reference_ok = reference_serialises(judged);
    /* Effects ask what their control reads, so all readings come first. */
    for (int v = 0; v < judgement->variant_count && !judgement->metric; v++)
        judge_reading(judged, v);
    for (int v = 0; v < judgement->variant_count; v++)
        judge_effect(judged, v);
    judge_control_alone(judged);
    judge_blame(judged);
    judge_validity(judged);
    cf_against_judge(judged->evidence, judged->test, judgement->variants, judgement->sticky, &judgement->against);
    judgement->verdict = overall(judged);
    expect_more_rounds(judged);
    cf_diagnose(judged->evidence, judgement);
    cf_diagnose_marks(judged->evidence, judgement);
    return CF_OK;
}

static void describe(const cf_record *record, const char *sha256_hex, const cf_test *test, cf_judgement *judgement)
{
    *judgement = (cf_judgement){
        .simulated = record->simulated,
        .metric = record->metric.on,
        .design = record->design,
        .rounds = (long)record->rounds.count,
        .best = NAN,
        .balance = NAN,
        .missing = NAN,
        .margin = test->margin,
        .alpha = test->alpha,
        .min_rounds = (long)record->min_rounds,
        .max_rounds = (long)record->max_rounds,
        .variant_count = record->variant_count,
    };
    if (sha256_hex)
        strncpy(judgement->record_sha256, sha256_hex, sizeof judgement->record_sha256 - 1);
}

cf_status cf_judge(const cf_record *record, const char *sha256_hex, const cf_judge_settings *settings,
                   cf_judgement *ret_judgement, cf_error *err)
{
    cf_test test = cf_test_of(record, settings ? settings->margin : NAN);
    cf_judgement judgement;
    cf_evidence evidence;
    describe(record, sha256_hex, &test, &judgement);
    cf_status status = cf_evidence_init(&evidence, record, err);
    if (status != CF_OK)
        return status;
    cf_decision *decisions = calloc((size_t)record->variant_count + 1, sizeof *decisions);
    judgement.variants = calloc((size_t)record->variant_count + 1, sizeof *judgement.variants);
    if (!decisions || !judgement.variants)
        status = cf_error_set(err, CF_MEMORY, "out of memory while judging");
    if (status == CF_OK)
        status = cf_looks_replay(&evidence, &test, decisions, err);
    cf_case judged = {
        .record = record, .evidence = &evidence, .test = &test, .decisions = decisions, .judgement = &judgement};
    if (status == CF_OK)
        status = judge_variants(&judged, err);
    free(decisions);
    cf_evidence_done(&evidence);
    if (status == CF_OK)
        *ret_judgement = judgement;
    else
        cf_judgement_done(&judgement);
    return status;
}

void cf_judgement_done(cf_judgement *judgement)
{
    if (!judgement)
        return;
    free(judgement->variants);
    *judgement = (cf_judgement){0};
}

static bool against_is_open(const cf_judgement *judgement)
{
    const cf_against_judgement *against = &judgement->against;
    return against->ok && !judgement->sticky && (against->decided_at == 0 || against->exposed_decided_at == 0);
}

static bool is_lost(const cf_judgement *judgement)
{
    return cf_reasons_have(&judgement->invalid_because, CF_BECAUSE_REPLICA_CONFOUNDED) ||
           cf_reasons_have(&judgement->invalid_because, CF_BECAUSE_DATA_WRONG);
}

bool cf_judgement_effects_settled(const cf_record *record, const cf_judgement *judgement)
{
    for (int v = 0; v < judgement->variant_count && !is_lost(judgement); v++)
        if (record->variants[v].role == CF_ROLE_INSTRUMENT && effect_is_open(&judgement->variants[v]))
            return false;
    return true;
}

bool cf_judgement_settled(const cf_record *record, const cf_judgement *judgement)
{
    if (is_lost(judgement))
        return true;
    for (int v = 0; v < judgement->variant_count; v++)
        if (reading_is_open(record, &judgement->variants[v]) || effect_is_open(&judgement->variants[v]))
            return false;
    return !against_is_open(judgement);
}
