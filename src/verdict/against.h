/* --against: two designs in one interleaved run. Internal to the room. */
#ifndef CF_VERDICT_AGAINST_H
#define CF_VERDICT_AGAINST_H

#include "verdict/looks.h"

/* variants: those of the judgement, estimated. Not ok where the record holds no design. */
void cf_against_judge(const cf_evidence *evidence, const cf_test *test, const cf_variant_judgement *variants,
                      bool sticky, cf_against_judgement *ret);

#endif
