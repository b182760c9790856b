#include "plan/answer.h"

#include <stdio.h>
#include <string.h>

bool cf_plan_is_about_arm(cf_plan_verdict verdict)
{
    return verdict >= CF_PLAN_SLOWER;
}

static bool is_decided(cf_plan_verdict verdict)
{
    return verdict == CF_READING_SERIALISES || verdict == CF_READING_PARTIAL || verdict == CF_READING_OVERLAPS ||
           cf_plan_is_about_arm(verdict);
}

/* host-bound is a finding of its own and may be claimed, but it does not tell how the lanes run; ill-conditioned and
   inconclusive tell nothing. */
cf_plan_answer cf_plan_answer_of(cf_plan_verdict verdict, cf_plan_verdict said)
{
    if (said == verdict && (is_decided(said) || said == CF_READING_HOST_BOUND))
        return CF_PLAN_AGREES;
    return is_decided(said) && said != verdict ? CF_PLAN_CONTRADICTS : CF_PLAN_SAYS_NEITHER;
}

static const cf_variant_judgement *asked(const cf_plan_record *record, const char *variant)
{
    const cf_variant_judgement *arm =
        record->judgement.metric && variant ? cf_plan_record_variant(record, variant, NULL) : NULL;
    return arm ? arm : &record->judgement.variants[0];
}

cf_plan_verdict cf_plan_says(const cf_plan_record *record, const char *variant)
{
    const cf_variant_judgement *judged = asked(record, variant);
    if (!record->judgement.metric)
        return (cf_plan_verdict)judged->reading;
    if (judged->effect.verdict == CF_EFFECT_CLEAR)
        return CF_PLAN_SAME;
    if (judged->effect.verdict != CF_EFFECT_CONFOUNDED)
        return CF_READING_INCONCLUSIVE;
    return judged->effect.direction > 0 ? CF_PLAN_SLOWER : CF_PLAN_FASTER;
}

const char *cf_plan_says_subject(const cf_plan_record *record, const char *variant, char *buf, size_t buf_bytes)
{
    const char *name = record->record.variants[asked(record, variant)->variant].name;
    if (record->judgement.metric)
        snprintf(buf, buf_bytes, "the arm '%.60s' of %s is", name, record->path);
    else
        snprintf(buf, buf_bytes, "the control 'none' of %s reads", record->path);
    return buf;
}

const cf_reasons *cf_plan_says_because(const cf_plan_record *record, const char *variant)
{
    return &asked(record, variant)->because;
}

const char *cf_plan_arm_of(const cf_plan_claim *claim)
{
    for (size_t i = 0; i < claim->evidence_count; i++)
        if (claim->evidence[i].variant)
            return claim->evidence[i].variant;
    return "none";
}
