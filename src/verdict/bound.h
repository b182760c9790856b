/* Is the control's overlap above a bound of the caller's? The sequential test of the readings, against that bound.
   Pure. Threads: any. */
#ifndef CF_VERDICT_BOUND_H
#define CF_VERDICT_BOUND_H

#include "verdict/verdict.h"

typedef enum cf_bound_side { CF_BOUND_INCONCLUSIVE, CF_BOUND_ABOVE, CF_BOUND_BELOW } cf_bound_side;

typedef struct cf_bound {
    cf_bound_side side;
    long decided_at;    /* round of the decision; 0 = undecided */
    long more_rounds;   /* INCONCLUSIVE: about how many more would decide; 0 = not known, or none would */
    cf_because because; /* INCONCLUSIVE: the gravest reason */
    bool open;          /* INCONCLUSIVE: more rounds may decide */
} cf_bound;

/* judgement: of record, with the same margin. at_least: in (0, 1), a share of best. INPUT: a metric experiment, or
   at_least. MEMORY. */
cf_status cf_bound_judge(const cf_record *record, const cf_judgement *judgement, double at_least, cf_bound *ret_bound,
                         cf_error *err) CF_MUST_CHECK;

#endif
