/* The replay: looks n = first, first + 1, … each at rounds 1..n only, the first decision stands. What the sign test
   says and nothing else: proofs, the host's state and the controls come later. Internal to the room. */
#ifndef CF_VERDICT_LOOKS_H
#define CF_VERDICT_LOOKS_H

#include "verdict/evidence.h"
#include "verdict/verdict.h"

typedef struct cf_test {
    double margin, alpha;
    long first_look;
} cf_test;

typedef struct cf_decision {
    cf_reading reading; /* INCONCLUSIVE = undecided */
    long reading_at, reading_more;
    cf_effect effect; /* NONE = not tested, INCONCLUSIVE = undecided */
    int direction;
    long effect_at, effect_more;
} cf_decision;

cf_test cf_test_of(const cf_record *record, double margin);

/* Decides on every variant; decisions has one for each. */
cf_status cf_looks_replay(const cf_evidence *evidence, const cf_test *test, cf_decision *decisions,
                          cf_error *err) CF_MUST_CHECK;

/* How many values lie where, against a margin on both sides of zero; a value on the margin counts against. */
typedef struct cf_tally {
    long up, down;         /* above the margin, below minus the margin */
    long not_down, not_up; /* above minus the margin, below the margin */
} cf_tally;
void cf_tally_add(cf_tally *tally, double value, double margin);

/* kstar at successive looks, remembered. */
typedef struct cf_threshold {
    double alpha;
    long n, k;
} cf_threshold;
long cf_threshold_at(cf_threshold *threshold, long n, double alpha);

/* Rounds still missing until `agreeing` of n, at the same rate, would reach the threshold; 0 = never, or not soon. */
long cf_looks_more(const cf_test *test, long agreeing, long n, double alpha);

#endif
