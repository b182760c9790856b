/* Parts of the gate. */
#ifndef CF_PLAN_GATE_H
#define CF_PLAN_GATE_H

#include "plan/git.h"
#include "plan/plan.h"

/* Every rule that asks a claim alone, and the claims about each other. */
cf_status cf_plan_check_claims(cf_plan *plan, cf_plan_findings *findings, cf_error *err) CF_MUST_CHECK;
/* What was recorded in `revision` is still there and as it was. */
cf_status cf_plan_check_against(cf_plan *plan, const char *revision, cf_plan_findings *findings,
                                cf_error *err) CF_MUST_CHECK;
/* One claim as it was (old) against the same claim as it is. */
void cf_plan_compare_claims(const cf_plan_claim *old, const cf_plan_claim *now, cf_plan_findings *findings);
/* The claim with that id, NULL if there is none. Borrowed. */
const cf_plan_claim *cf_plan_by_id(const cf_plan *plan, const char *id);

#endif
