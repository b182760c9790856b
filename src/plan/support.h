/* What a claim's evidence says about it: the rules that acceptance, action and the gate share. */
#ifndef CF_PLAN_SUPPORT_H
#define CF_PLAN_SUPPORT_H

#include "plan/answer.h"
#include "plan/finding.h"

/* Files that are gone, were changed or can't be read. */
cf_status cf_plan_check_files(const cf_plan_claim *claim, cf_plan_records *records, cf_plan_findings *findings,
                              cf_error *err) CF_MUST_CHECK;
/* As if the claim were acted on: every rule of its evidence, its instrument and its work. cf_plan_check_files first. */
cf_status cf_plan_check_support(const cf_plan_claim *claim, cf_plan_records *records, cf_plan_findings *findings,
                                cf_error *err) CF_MUST_CHECK;
/* Instruments that it was read from and that are confounded: for claims that nobody acts on yet. */
cf_status cf_plan_check_readings(const cf_plan_claim *claim, cf_plan_records *records, cf_plan_findings *findings,
                                 cf_error *err) CF_MUST_CHECK;
/* True where the record is of other lanes (where both are known) or of another device than the claim's scope names: it
   is found, and its control says nothing about the claim. */
bool cf_plan_find_elsewhere(const cf_plan_claim *claim, const cf_plan_record *record, int line,
                            cf_plan_findings *findings);
/* Whether the record at path, with that hash, overturns the claim: findings under RETRACTION_UNSUPPORTED where not. */
cf_status cf_plan_check_overturned(const cf_plan_claim *claim, const char *path, const char *sha256,
                                   cf_plan_records *records, cf_plan_findings *findings, cf_error *err) CF_MUST_CHECK;
/* That a retraction says all it has to. */
void cf_plan_check_retraction(const cf_plan_claim *claim, cf_plan_findings *findings);
/* Where the newest record of the same backend in the plan ran on another driver or device than the claim's. */
cf_status cf_plan_check_stale(const cf_plan_claim *claim, const cf_plan_paths *all_records, cf_plan_records *records,
                              cf_plan_findings *findings, cf_error *err) CF_MUST_CHECK;

#endif
