/* Medians and intervals over all rounds at hand. Internal to the room. */
#ifndef CF_VERDICT_ESTIMATE_H
#define CF_VERDICT_ESTIMATE_H

#include "verdict/evidence.h"
#include "verdict/verdict.h"

#define CF_HOST_BOUND_SHARE 0.95 /* submission as a share of the longer lane */
#define CF_WAIT_FLOOR_NS                                                                                               \
    10000.0 /* of a window of opaque steps: two callbacks and the wake-up of a thread, which is what                   \
               a wait that waits for nothing may take; never counted as work */
#define CF_EMPTY_STEPS                                                                                                 \
    4 /* of opaque steps: so many empty ones, where that is more. Beside a lane of nothing one of so much would still  \
         count as balanced */
#define CF_STARVED_SHARE 0.05 /* waiting for a core, or lateness, as a share of ab */
#define CF_SLOWS_ABOVE   1.02

/* ns of a window that are one ms of a step. */
double cf_estimate_step_ms(const cf_evidence *evidence, int variant);

/* Everything of ret that needs no decision: times, overlap, seen, slowdown, delta, host_bound_note (its own submission
   is as long as its work), too_short, starved and its share, side. */
void cf_estimate_variant(const cf_evidence *evidence, int variant, cf_variant_judgement *ret);

/* The same of a metric: value, ratio, effect's delta, what is known of the processes; all else unknown. */
void cf_estimate_metric(const cf_evidence *evidence, int variant, cf_variant_judgement *ret);

double cf_estimate_balance(const cf_variant_judgement *variant); /* shorter lane / longer lane; NaN = unknown */

/* Median and interval of x[0..n), which is reordered. */
cf_estimate cf_estimate_of(double *x, size_t n);

#endif
