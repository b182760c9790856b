/* What a record says about a claim: of two lanes what the control reads, of a whole program what an arm does to its
   number. */
#ifndef CF_PLAN_ANSWER_H
#define CF_PLAN_ANSWER_H

#include "plan/claim.h"
#include "plan/records.h"

typedef enum cf_plan_answer { CF_PLAN_AGREES, CF_PLAN_CONTRADICTS, CF_PLAN_SAYS_NEITHER } cf_plan_answer;

/* variant: the arm that is asked about; lanes are answered by their control alone. CF_READING_INCONCLUSIVE where it
   decides nothing, and where there is no such arm. */
cf_plan_verdict cf_plan_says(const cf_plan_record *record, const char *variant);
/* What was said against a claim of `verdict`. */
cf_plan_answer cf_plan_answer_of(cf_plan_verdict verdict, cf_plan_verdict said);
/* "the control 'none' of x.json reads", "the arm 'nsys' of x.json is": what a sentence of it begins with. Returns buf.
 */
const char *cf_plan_says_subject(const cf_plan_record *record, const char *variant, char *buf, size_t buf_bytes);
/* Reasons that it decides nothing for. */
const cf_reasons *cf_plan_says_because(const cf_plan_record *record, const char *variant);

/* The arm that a claim is about: of the first of its evidence that names a variant; "none" where there is none. */
const char *cf_plan_arm_of(const cf_plan_claim *claim);
bool cf_plan_is_about_arm(cf_plan_verdict verdict);

#endif
