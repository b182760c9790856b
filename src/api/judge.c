#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/object.h"
#include "verdict/bound.h"

/* The public values are the rooms'. */
_Static_assert((int)CONFOUND_VERDICT_INVALID == (int)CF_VERDICT_INVALID, "verdict");
_Static_assert((int)CONFOUND_VERDICT_CONFOUNDED == (int)CF_VERDICT_CONFOUNDED, "verdict");
_Static_assert((int)CONFOUND_VERDICT_INCONCLUSIVE == (int)CF_VERDICT_INCONCLUSIVE, "verdict");
_Static_assert((int)CONFOUND_VERDICT_CLEAR == (int)CF_VERDICT_CLEAR, "verdict");
_Static_assert((int)CONFOUND_READING_INCONCLUSIVE == (int)CF_READING_INCONCLUSIVE, "reading");
_Static_assert((int)CONFOUND_READING_SERIALISES == (int)CF_READING_SERIALISES, "reading");
_Static_assert((int)CONFOUND_READING_PARTIAL == (int)CF_READING_PARTIAL, "reading");
_Static_assert((int)CONFOUND_READING_OVERLAPS == (int)CF_READING_OVERLAPS, "reading");
_Static_assert((int)CONFOUND_READING_HOST_BOUND == (int)CF_READING_HOST_BOUND, "reading");
_Static_assert((int)CONFOUND_READING_ILL_CONDITIONED == (int)CF_READING_ILL_CONDITIONED, "reading");
_Static_assert((int)CONFOUND_READING_ILL_CONDITIONED + 1 == (int)CF_READING_COUNT, "reading");
_Static_assert((int)CONFOUND_BOUND_INCONCLUSIVE == (int)CF_BOUND_INCONCLUSIVE, "bound");
_Static_assert((int)CONFOUND_BOUND_ABOVE == (int)CF_BOUND_ABOVE, "bound");
_Static_assert((int)CONFOUND_BOUND_BELOW == (int)CF_BOUND_BELOW, "bound");
_Static_assert((int)CONFOUND_EFFECT_NONE == (int)CF_EFFECT_NONE, "effect");
_Static_assert((int)CONFOUND_EFFECT_INCONCLUSIVE == (int)CF_EFFECT_INCONCLUSIVE, "effect");
_Static_assert((int)CONFOUND_EFFECT_CLEAR == (int)CF_EFFECT_CLEAR, "effect");
_Static_assert((int)CONFOUND_EFFECT_CONFOUNDED == (int)CF_EFFECT_CONFOUNDED, "effect");

static cf_status fill(confound_judgement *judgement, const confound_record *record, double margin, cf_error *error)
{
    cf_judge_settings settings = {.margin = margin > 0 ? margin : (double)NAN};
    cf_status status = cf_judge(&record->record, record->sha256_hex, &settings, &judgement->judgement, error);
    if (status != CF_OK)
        return status;
    for (int i = 0; i < judgement->judgement.variant_count; i++) {
        judgement->names[i] = cf_text_dup(record->record.variants[judgement->judgement.variants[i].variant].name);
        if (!judgement->names[i])
            return cf_error_set(error, CF_MEMORY, "out of memory");
    }
    return cf_judgement_print(&record->record, &judgement->judgement, &judgement->json, error);
}

confound_status confound_judge(const confound_record *record, double margin, confound_judgement **ret_judgement,
                               confound_error *err)
{
    if (!(margin >= 0 && margin < 1))
        return cf_api_fail(err, CF_INPUT, "margin %g is not accepted; it is above 0 and below 1, or 0 for the record's",
                           margin);
    confound_judgement *judgement = calloc(1, sizeof *judgement);
    if (!judgement)
        return cf_api_fail(err, CF_MEMORY, "out of memory");
    cf_error error = {0};
    cf_status status = fill(judgement, record, margin, &error);
    if (status == CF_OK)
        *ret_judgement = judgement;
    else
        confound_judgement_free(judgement);
    return cf_api_status(status, &error, err);
}

void confound_judgement_free(confound_judgement *judgement)
{
    if (!judgement)
        return;
    for (int i = 0; i < CF_MAX_VARIANTS; i++)
        free(judgement->names[i]);
    cf_text_done(&judgement->json);
    cf_judgement_done(&judgement->judgement);
    free(judgement);
}

const char *confound_judgement_json(const confound_judgement *judgement, size_t *ret_size_bytes)
{
    if (ret_size_bytes)
        *ret_size_bytes = judgement->json.size_bytes;
    return judgement->json.data;
}

confound_verdict confound_judgement_verdict(const confound_judgement *judgement)
{
    return (confound_verdict)judgement->judgement.verdict;
}

int confound_judgement_variants(const confound_judgement *judgement)
{
    return judgement->judgement.variant_count;
}

int confound_judgement_find(const confound_judgement *judgement, const char *name)
{
    for (int i = 0; name && i < judgement->judgement.variant_count; i++)
        if (!strcmp(judgement->names[i], name))
            return i;
    return -1;
}

static const cf_variant_judgement *at(const confound_judgement *judgement, int variant)
{
    if (variant < 0 || variant >= judgement->judgement.variant_count)
        return NULL;
    return &judgement->judgement.variants[variant];
}

const char *confound_judgement_name(const confound_judgement *judgement, int variant)
{
    return at(judgement, variant) ? judgement->names[variant] : NULL;
}

confound_reading confound_judgement_reading(const confound_judgement *judgement, int variant)
{
    const cf_variant_judgement *judged = at(judgement, variant);
    return judged ? (confound_reading)judged->reading : CONFOUND_READING_INCONCLUSIVE;
}

confound_effect confound_judgement_effect(const confound_judgement *judgement, int variant)
{
    const cf_variant_judgement *judged = at(judgement, variant);
    return judged ? (confound_effect)judged->effect.verdict : CONFOUND_EFFECT_NONE;
}

static int estimate(const cf_estimate *known, confound_estimate *ret_estimate)
{
    if (!known || !known->ok)
        return 0;
    *ret_estimate = (confound_estimate){.median = known->median, .low = known->low, .high = known->high};
    return 1;
}

int confound_judgement_overlap(const confound_judgement *judgement, int variant, confound_estimate *ret_overlap)
{
    const cf_variant_judgement *judged = at(judgement, variant);
    return estimate(judged ? &judged->overlap : NULL, ret_overlap);
}

int confound_judgement_delta(const confound_judgement *judgement, int variant, confound_estimate *ret_delta)
{
    const cf_variant_judgement *judged = at(judgement, variant);
    return estimate(judged && judged->effect.verdict != CF_EFFECT_NONE ? &judged->effect.delta : NULL, ret_delta);
}

confound_status confound_judge_overlap(const confound_record *record, double at_least, confound_bound *ret_bound,
                                       const char **ret_because, int64_t *ret_more_rounds, confound_error *err)
{
    cf_judge_settings settings = {.margin = (double)NAN};
    cf_error error = {0};
    cf_judgement judgement;
    cf_bound bound;
    cf_status status = cf_judge(&record->record, record->sha256_hex, &settings, &judgement, &error);
    if (status != CF_OK)
        return cf_api_status(status, &error, err);
    status = cf_bound_judge(&record->record, &judgement, at_least, &bound, &error);
    cf_judgement_done(&judgement);
    if (status != CF_OK)
        return cf_api_status(status, &error, err);
    bool open = bound.side == CF_BOUND_INCONCLUSIVE;
    *ret_bound = (confound_bound)bound.side;
    if (ret_because)
        *ret_because = open ? cf_because_word(bound.because) : NULL;
    if (ret_more_rounds)
        *ret_more_rounds = open ? bound.more_rounds : 0;
    return CONFOUND_OK;
}

const char *confound_because_meaning(const char *word)
{
    for (int i = 0; word && i < CF_BECAUSE_COUNT; i++)
        if (!strcmp(cf_because_word((cf_because)i), word))
            return cf_because_meaning((cf_because)i);
    return NULL;
}

const char *confound_verdict_name(confound_verdict verdict)
{
    if (verdict < CONFOUND_VERDICT_INVALID || verdict > CONFOUND_VERDICT_CLEAR)
        return "unknown";
    return cf_verdict_name((cf_verdict)verdict);
}

const char *confound_reading_name(confound_reading reading)
{
    if (reading < CONFOUND_READING_INCONCLUSIVE || reading > CONFOUND_READING_ILL_CONDITIONED)
        return "unknown";
    return cf_reading_name((cf_reading)reading);
}

const char *confound_effect_name(confound_effect effect)
{
    if (effect < CONFOUND_EFFECT_NONE || effect > CONFOUND_EFFECT_CONFOUNDED)
        return "unknown";
    return effect == CONFOUND_EFFECT_NONE ? "none" : cf_effect_name((cf_effect)effect);
}
