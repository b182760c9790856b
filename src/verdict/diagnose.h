/* What was measured of the control beside its overlap, and which of it explains an overlap that is missing; and what
   marked rounds may have to do with the answer. Never from a device's name. Internal to the room. */
#ifndef CF_VERDICT_DIAGNOSE_H
#define CF_VERDICT_DIAGNOSE_H

#include "verdict/evidence.h"
#include "verdict/verdict.h"

/* judgement: its variants are estimated and judged. Fills missing and findings. */
void cf_diagnose(const cf_evidence *evidence, cf_judgement *judgement);

/* Fills marks. */
void cf_diagnose_marks(const cf_evidence *evidence, cf_judgement *judgement);

#endif
