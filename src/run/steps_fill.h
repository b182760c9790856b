/* What a run of a caller's own steps writes into the record beside times. Internal to steps. */
#ifndef CF_RUN_STEPS_FILL_H
#define CF_RUN_STEPS_FILL_H

#include "run/steps.h"

typedef struct cf_steps_rig {
    cf_rig rig;
    const cf_steps *steps; /* borrowed */
    const cf_steps *now;   /* of the variant that is open: those, or the second design */
    int64_t against_length[2];
    int open;            /* of the record's variants */
    int variant;         /* as the caller knows it */
    cf_cell cell;        /* of the window */
    unsigned lanes_left; /* not yet waited for */
    uint64_t waited_ns;  /* so far, by waits inside a submission */
    char how[CF_MAX_VARIANTS][CF_STEPS_HOW_BYTES];
} cf_steps_rig;

#define CF_STEPS_AGAINST "against"

/* The record's variants: none, the instruments, none-again, one-queue, against. */
int cf_steps_variant_count(const cf_steps *steps);
cf_role cf_steps_role(const cf_steps *steps, int index);
const char *cf_steps_variant_name(const cf_steps *steps, int index);
int cf_steps_variant(const cf_steps *steps, int index); /* as the caller knows it: 0 for all but instruments */

cf_status cf_steps_fill_place(const cf_steps *steps, cf_record *record, cf_error *err) CF_MUST_CHECK;
/* With the lengths that calibration found. */
cf_status cf_steps_fill_job(const cf_steps_rig *rig, cf_record *record, cf_error *err) CF_MUST_CHECK;
cf_status cf_steps_fill_proofs(const cf_steps_rig *rig, cf_record *record, cf_error *err) CF_MUST_CHECK;

#endif
