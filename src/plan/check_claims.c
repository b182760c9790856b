/* The gate's rules for each claim, by its status, and for the claims among each other. */
#include <stdlib.h>
#include <string.h>

#include "plan/gate.h"
#include "plan/support.h"

const cf_plan_claim *cf_plan_by_id(const cf_plan *plan, const char *id)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (!strcmp(plan->claims[i].id, id))
            return &plan->claims[i];
    }
    return NULL;
}

/* A claim on which work was begun is acted on, whatever its status says. */
static cf_status check_proposed(cf_plan *plan, const cf_plan_claim *claim, cf_plan_findings *findings, cf_error *err)
{
    return claim->work_count ? cf_plan_check_support(claim, &plan->records, findings, err)
                             : cf_plan_check_readings(claim, &plan->records, findings, err);
}

/* What was wrong with it stays to be seen, as suppressed. */
static cf_status check_closed(cf_plan *plan, const cf_plan_claim *claim, const char *justification,
                              cf_plan_findings *findings, cf_error *err)
{
    size_t from = findings->count;
    cf_status status = cf_plan_check_support(claim, &plan->records, findings, err);
    cf_plan_findings_suppress(findings, from, justification);
    return status;
}

static cf_status check_retracted(cf_plan *plan, const cf_plan_claim *claim, cf_plan_findings *findings, cf_error *err)
{
    const cf_plan_retraction *retraction = &claim->retraction;
    char *justification =
        cf_text_format("retracted%s%s%s%s", retraction->date ? " " : "", retraction->date ? retraction->date : "",
                       retraction->because ? ": " : "", retraction->because ? retraction->because : "");
    if (!justification)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    cf_status status = check_closed(plan, claim, justification, findings, err);
    free(justification);
    cf_plan_check_retraction(claim, findings);
    if (!status && retraction->present && retraction->path)
        status = cf_plan_check_overturned(claim, retraction->path, retraction->sha256, &plan->records, findings, err);
    return status;
}

/* The claim that replaced it must not lead back to it. */
static const char *why_not_superseded(const cf_plan *plan, const cf_plan_claim *claim)
{
    const cf_plan_claim *next = claim;
    if (!claim->superseded_by)
        return "it does not name the claim that replaced it (superseded-by: ID)";
    for (size_t hops = 0; hops <= plan->count; hops++) {
        next = cf_plan_by_id(plan, next->superseded_by);
        if (!next)
            return "there is no claim of the id that it names in superseded-by";
        if (next->status != CF_PLAN_SUPERSEDED || !next->superseded_by)
            return NULL;
    }
    return "the claims that replaced it replace each other";
}

static cf_status check_superseded(cf_plan *plan, const cf_plan_claim *claim, cf_plan_findings *findings, cf_error *err)
{
    const char *why = why_not_superseded(plan, claim);
    if (why)
        cf_plan_find(findings, CF_PLAN_RULE_SUPERSEDED_BY_NOTHING, claim->path, claim->status_line, claim->id, "%s",
                     why);
    char *justification = cf_text_format("superseded by %s", claim->superseded_by ? claim->superseded_by : "nothing");
    if (!justification)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    cf_status status = why ? cf_plan_check_support(claim, &plan->records, findings, err)
                           : check_closed(plan, claim, justification, findings, err);
    free(justification);
    return status;
}

static cf_status check_claim(cf_plan *plan, const cf_plan_claim *claim, const cf_plan_paths *all_records,
                             cf_plan_findings *findings, cf_error *err)
{
    cf_status status = cf_plan_check_files(claim, &plan->records, findings, err);
    if (status)
        return status;
    switch (claim->status) {
    case CF_PLAN_PROPOSED:
        return check_proposed(plan, claim, findings, err);
    case CF_PLAN_RETRACTED:
        return check_retracted(plan, claim, findings, err);
    case CF_PLAN_SUPERSEDED:
        return check_superseded(plan, claim, findings, err);
    case CF_PLAN_ACCEPTED:
    case CF_PLAN_ACTED_ON:
    case CF_PLAN_STATUS_COUNT:
        break;
    }
    status = cf_plan_check_support(claim, &plan->records, findings, err);
    return status ? status : cf_plan_check_stale(claim, all_records, &plan->records, findings, err);
}

/* ---- among each other
 * ------------------------------------------------------------------------------------------------ */

static void check_ids(const cf_plan *plan, cf_plan_findings *findings)
{
    for (size_t i = 0; i < plan->count; i++) {
        const cf_plan_claim *claim = &plan->claims[i];
        for (size_t k = 0; k < i; k++) {
            const cf_plan_claim *other = &plan->claims[k];
            if (!strcmp(claim->id, other->id)) {
                cf_plan_find(findings, CF_PLAN_RULE_ID_TWICE, claim->path, 1, claim->id, "%s has the same id",
                             other->path);
                break;
            }
            if (cf_plan_number(claim->id) >= 0 && cf_plan_number(claim->id) == cf_plan_number(other->id)) {
                cf_plan_find(findings, CF_PLAN_RULE_NUMBER_SHARED, claim->path, 1, claim->id, "%s has the same number",
                             other->path);
                break;
            }
        }
    }
}

/* Files of plan/evidence, and what claims name elsewhere. */
static cf_status list_records(const cf_plan *plan, cf_plan_paths *ret_paths, cf_error *err)
{
    cf_status status = cf_plan_place_list(&plan->place, CF_PLAN_EVIDENCE, true, ret_paths, err);
    for (size_t i = 0; !status && i < plan->count; i++) {
        for (size_t k = 0; !status && k < plan->claims[i].evidence_count; k++) {
            const cf_plan_evidence *evidence = &plan->claims[i].evidence[k];
            if (!evidence->is_trace && !cf_plan_paths_have(ret_paths, evidence->path))
                status = cf_plan_paths_add(ret_paths, evidence->path, err);
        }
    }
    return status;
}

/* Nothing where git can't be asked: then nobody knows. */
static cf_status check_tracked(const cf_plan *plan, cf_plan_findings *findings, cf_error *err)
{
    cf_plan_paths tracked = {0};
    bool known = false;
    cf_status status = cf_plan_git_files(&plan->place, false, &known, &tracked, err);
    for (size_t i = 0; !status && known && i < plan->count; i++) {
        const cf_plan_claim *claim = &plan->claims[i];
        for (size_t k = 0; k < claim->evidence_count; k++) {
            if (!cf_plan_paths_have(&tracked, claim->evidence[k].path))
                cf_plan_find(findings, CF_PLAN_RULE_EVIDENCE_UNTRACKED, claim->path, claim->evidence[k].line, claim->id,
                             "%s is not in git: git add it", claim->evidence[k].path);
        }
    }
    cf_plan_paths_done(&tracked);
    return status;
}

cf_status cf_plan_check_claims(cf_plan *plan, cf_plan_findings *findings, cf_error *err)
{
    cf_plan_paths all_records = {0};
    cf_status status = list_records(plan, &all_records, err);
    for (size_t i = 0; !status && i < plan->count; i++)
        status = check_claim(plan, &plan->claims[i], &all_records, findings, err);
    cf_plan_paths_done(&all_records);
    check_ids(plan, findings);
    return status ? status : check_tracked(plan, findings, err);
}
