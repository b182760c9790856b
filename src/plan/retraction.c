/* Retractions, and claims that time has overtaken. */
#include <stdio.h>
#include <string.h>

#include "plan/support.h"

static void incomplete(const cf_plan_claim *claim, int line, cf_plan_findings *findings, const char *what)
{
    cf_plan_find(findings, CF_PLAN_RULE_RETRACTION_INCOMPLETE, claim->path, line, claim->id, "%s", what);
}

static const cf_plan_fate *fate_of(const cf_plan_claim *claim, const char *what)
{
    for (size_t i = 0; i < claim->retraction.fate_count; i++) {
        if (!strcmp(claim->retraction.fates[i].what, what))
            return &claim->retraction.fates[i];
    }
    return NULL;
}

static bool names_evidence(const cf_plan_claim *claim, const char *sha256)
{
    for (size_t i = 0; i < claim->evidence_count; i++) {
        if (!claim->evidence[i].is_trace && !strcmp(claim->evidence[i].sha256, sha256))
            return true;
    }
    return false;
}

static void check_fates(const cf_plan_claim *claim, cf_plan_findings *findings)
{
    for (size_t i = 0; i < claim->work_count; i++) {
        const cf_plan_fate *fate = fate_of(claim, claim->work[i].what);
        if (!fate || !fate->became || !fate->became[strspn(fate->became, " \t")])
            cf_plan_find(findings, CF_PLAN_RULE_RETRACTION_INCOMPLETE, claim->path, claim->work[i].line, claim->id,
                         "it does not say what became of '%.200s'", claim->work[i].what);
    }
}

void cf_plan_check_retraction(const cf_plan_claim *claim, cf_plan_findings *findings)
{
    const cf_plan_retraction *retraction = &claim->retraction;
    if (!retraction->present) {
        incomplete(claim, claim->status_line, findings, "the claim is retracted, and there is no retraction");
        return;
    }
    if (!retraction->date)
        incomplete(claim, retraction->line, findings, "it has no date");
    if (!retraction->because || !retraction->because[strspn(retraction->because, " \t\r\n")])
        incomplete(claim, retraction->line, findings, "it does not say why (because)");
    if (!retraction->earlier_verdict)
        incomplete(claim, retraction->line, findings, "it does not say what was believed (earlier-verdict)");
    else if (strcmp(retraction->earlier_verdict, cf_plan_verdict_name(claim->verdict)) != 0)
        cf_plan_find(findings, CF_PLAN_RULE_VERDICT_EDITED, claim->path, claim->verdict_line, claim->id,
                     "the verdict is '%s', its retraction says that it was '%.40s'",
                     cf_plan_verdict_name(claim->verdict), retraction->earlier_verdict);
    if (!retraction->path)
        incomplete(claim, retraction->line, findings, "it does not say what overturned the claim (overturned-by)");
    else if (!names_evidence(claim, retraction->sha256))
        incomplete(claim, retraction->line, findings, "what overturned the claim is not among its evidence");
    check_fates(claim, findings);
}

/* ---- stale
 * ----------------------------------------------------------------------------------------------------------- */

static bool same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static const char *or_none(const char *text)
{
    return text ? text : "none";
}

/* The record that the claim stands on: its last one that can be read. Whether any of its records is of the driver that
   its scope names: a control on a later driver leaves the scope as it was. */
static cf_status own_record(const cf_plan_claim *claim, cf_plan_records *records, const cf_plan_record **ret_record,
                            bool *ret_driver_known, cf_error *err)
{
    *ret_record = NULL;
    *ret_driver_known = false;
    for (size_t i = 0; i < claim->evidence_count; i++) {
        const cf_plan_record *record = NULL;
        if (claim->evidence[i].is_trace)
            continue;
        cf_status status = cf_plan_records_get(records, claim->evidence[i].path, true, &record, err);
        if (status)
            return status;
        if (!record->judged)
            continue;
        *ret_record = record;
        *ret_driver_known |= same(claim->scope.driver, record->record.driver);
    }
    return CF_OK;
}

/* Another device than the scope's is no staleness: device-differs says so. */
static void check_scope(const cf_plan_claim *claim, const cf_plan_record *own, bool driver_known,
                        cf_plan_findings *findings)
{
    const cf_plan_scope *scope = &claim->scope;
    if (scope->driver && !driver_known)
        cf_plan_find(findings, CF_PLAN_RULE_STALE, claim->path, scope->line, claim->id,
                     "its scope is the driver '%.100s', %s was taken with '%.100s'", scope->driver, own->path,
                     or_none(own->record.driver));
}

static bool is_newer(const cf_plan_record *a, const cf_plan_record *b)
{
    return a->record.created_utc &&
           (!b->record.created_utc || strcmp(a->record.created_utc, b->record.created_utc) > 0);
}

static bool same_host(const cf_plan_record *a, const cf_plan_record *b)
{
    const char *cpu = cf_pairs_get(&a->record.host, "cpu");
    return cpu && same(cpu, cf_pairs_get(&b->record.host, "cpu"));
}

/* A model that was swapped for another is no device that changed. */
static bool says_changed(const cf_plan_record *other, const cf_plan_record *own)
{
    if (!other->judged || other->record.simulated != own->record.simulated || !is_newer(other, own) ||
        !same(other->record.device_backend, own->record.device_backend))
        return false;
    if (same(other->record.device_name, own->record.device_name))
        return !same(other->record.driver, own->record.driver);
    return !own->record.simulated && same_host(other, own);
}

cf_status cf_plan_check_stale(const cf_plan_claim *claim, const cf_plan_paths *all_records, cf_plan_records *records,
                              cf_plan_findings *findings, cf_error *err)
{
    const cf_plan_record *own = NULL, *newest = NULL;
    bool driver_known = false;
    cf_status status = own_record(claim, records, &own, &driver_known, err);
    if (status || !own)
        return status;
    check_scope(claim, own, driver_known, findings);
    for (size_t i = 0; !status && i < all_records->count; i++) {
        const cf_plan_record *other = NULL;
        status = cf_plan_records_get(records, all_records->items[i], true, &other, err);
        if (!status && says_changed(other, own) && (!newest || is_newer(other, newest)))
            newest = other;
    }
    if (status || !newest)
        return status;
    cf_plan_find(
        findings, CF_PLAN_RULE_STALE, claim->path, claim->scope.line, claim->id,
        "%s is newer and of device '%.100s', driver '%.100s'; the claim's record is of device '%.100s', driver "
        "'%.100s'",
        newest->path, or_none(newest->record.device_name), or_none(newest->record.driver),
        or_none(own->record.device_name), or_none(own->record.driver));
    return CF_OK;
}
