/* The record as columns, with what each look at it may use: look i uses rounds 1..i and nothing later. Internal to the
   room. */
#ifndef CF_VERDICT_EVIDENCE_H
#define CF_VERDICT_EVIDENCE_H

#include "base/error.h"
#include "record/record.h"

#define CF_BEST_MIN 0.05 /* below it there is no overlap to read */

typedef struct cf_series {
    double *wall[CF_CELL_COUNT]; /* [rounds], ns of one window; NaN = not measured */
    double *overlap[2];          /* [rounds], O divided by a or by b; NaN = not measured */
    double *value;               /* [rounds] of a metric: its number; NaN = not measured. Else NULL */
    unsigned char *side;         /* [rounds], of the look that ends with this round: 0 = a is the shorter, also tied */
} cf_series;

typedef struct cf_evidence {
    const cf_record *record;
    size_t round_count;
    int variant_count;
    cf_series *series; /* [variant_count] */
    double *best[2];   /* [rounds] by job, of the look that ends with this round; NaN = unknown */
    double *scratch;   /* [rounds], for whoever needs it next */
    double *numbers;   /* what all of the above point into */
    unsigned char *sides;
} cf_evidence;

cf_status cf_evidence_init(cf_evidence *evidence, const cf_record *record, cf_error *err) CF_MUST_CHECK;
void cf_evidence_done(cf_evidence *evidence);

const cf_record_job *cf_evidence_job(const cf_record *record, int variant);
/* The variant that `variant` is compared with: the control of its job. */
int cf_evidence_control(const cf_record *record, int variant);
double cf_evidence_best(const cf_evidence *evidence, int variant); /* over all rounds; NaN = unknown */
/* The effect of variant in one round, on which the sign test is: O less that of its control, by the sides that each is
   divided by; of a metric what its number is above the control's, as a fraction of that, turned round where higher is
   better: above 0 is worse. NaN = not measured. */
double cf_evidence_delta(const cf_evidence *evidence, int variant, int side, int control_side, size_t round);
int cf_evidence_side(const cf_evidence *evidence, int variant); /* over all rounds */

#endif
