/* What makes a record invalid or its control useless, whatever the instruments did. Internal to the room. */
#ifndef CF_VERDICT_CONTROLS_H
#define CF_VERDICT_CONTROLS_H

#include "verdict/verdict.h"

void cf_reasons_add(cf_reasons *reasons, cf_because because); /* once each */
bool cf_reasons_have(const cf_reasons *reasons, cf_because because);

/* Controls that are missing, unproven or wrong in the record itself. */
void cf_controls_check(const cf_record *record, cf_reasons *ret_reasons);
bool cf_controls_have_role(const cf_record *record, cf_role role);

/* Compares the control before any instrument existed with the control between them, process by process. ret_prologue:
   not ok if there was no prologue. */
cf_status cf_controls_sticky(const cf_record *record, double margin, bool *ret_sticky, cf_estimate *ret_prologue,
                             cf_error *err) CF_MUST_CHECK;

#endif
