/* Record -> judgement. Pure: no device, no clock; the same record gives the same judgement.
   File format: docs/judgement.md, `confound.judgement/1`. */
#ifndef CF_VERDICT_VERDICT_H
#define CF_VERDICT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "record/record.h"

#define CF_JUDGEMENT_SCHEMA "confound.judgement/1"
#define CF_BECAUSE_MAX      8
#define CF_READ_LOW         0.30 /* of best; below: serialises */
#define CF_READ_HIGH        0.70 /* of best; above: overlaps */

#define CF_READING_TABLE(X)                                                                                            \
    X(INCONCLUSIVE, "inconclusive")                                                                                    \
    X(SERIALISES, "serialises")                                                                                        \
    X(PARTIAL, "partial")                                                                                              \
    X(OVERLAPS, "overlaps")                                                                                            \
    X(HOST_BOUND, "host-bound")                                                                                        \
    X(ILL_CONDITIONED, "ill-conditioned")
typedef enum cf_reading {
#define X(name, text) CF_READING_##name,
    CF_READING_TABLE(X)
#undef X
        CF_READING_COUNT
} cf_reading;

typedef enum cf_effect { CF_EFFECT_NONE, CF_EFFECT_INCONCLUSIVE, CF_EFFECT_CLEAR, CF_EFFECT_CONFOUNDED } cf_effect;
typedef enum cf_verdict {
    CF_VERDICT_INVALID,
    CF_VERDICT_CONFOUNDED,
    CF_VERDICT_INCONCLUSIVE,
    CF_VERDICT_CLEAR
} cf_verdict;

/* Why a variant's reading or effect is what it is, or why a record is invalid; the words of the file. */
#define CF_BECAUSE_TABLE(X)                                                                                            \
    X(NOTHING_TO_REMOVE, "nothing-to-remove", "the control itself serialises: no evidence of harmlessness")            \
    X(NOT_ARMED, "not-armed", "the instrument did not prove that it was armed")                                        \
    X(OTHER_WORK, "other-work", "its steps have another number of commands than the control's: they are other work")   \
    X(CONTROL_NOT_PROVEN, "control-not-proven", "the control did not prove that no instrument was alive")              \
    X(REPLICA_CONFOUNDED, "replica-confounded", "the control differs from itself")                                     \
    X(REFERENCE_FAILED, "reference-failed", "one in-order queue did not read as serialising")                          \
    X(HOST_BOUND, "host-bound", "submitting takes as long as the work")                                                \
    X(TOO_SHORT, "too-short", "the steps leave next to nothing to wait for")                                           \
    X(HOST_STARVED, "host-starved", "the machine was too busy to run the host's side on time")                         \
    X(STICKY, "sticky", "an instrument changed the control of this process; it needs processes of its own")            \
    X(PROCESS_ONLY, "process-only", "it must be armed before first use: run it in processes of its own")               \
    X(UNBALANCED, "unbalanced", "one lane is too short to tell")                                                       \
    X(BEST_TOO_SMALL, "best-too-small", "the workload's own dependencies leave no overlap to lose")                    \
    X(TOO_FEW_ROUNDS, "too-few-rounds", "too few rounds for any decision")                                             \
    X(TOO_CLOSE, "too-close-to-the-margin", "it sits too close to the margin")                                         \
    X(MORE_ROUNDS, "more-rounds", "undecided; more rounds would settle it")                                            \
    X(DATA_WRONG, "data-wrong", "results were wrong: an overlap won by a broken dependency is an error")               \
    X(SEGMENT_WITHOUT_CONTROLS, "segment-without-controls", "a resumed part lacks its controls")                       \
    X(MISSING_CONTROL, "missing-control", "a control, replica or reference is missing")                                \
    X(ARM_ENDED, "arm-ended", "one of its runs failed or gave no number")
typedef enum cf_because {
#define X(name, word, meaning) CF_BECAUSE_##name,
    CF_BECAUSE_TABLE(X)
#undef X
        CF_BECAUSE_COUNT
} cf_because;

typedef struct cf_reasons {
    cf_because items[CF_BECAUSE_MAX];
    int count;
} cf_reasons;

/* What explains an overlap that the control lacks: each found by a measurement of its own, with the number behind it.
   word, what the number is, what it means */
#define CF_FINDING_TABLE(X)                                                                                            \
    X(SUBMISSION_BOUND, "submission-bound", "submission of ab / the longer lane",                                      \
      "submitting takes as long as the work")                                                                          \
    X(BLOCKING_COPY, "blocking-copy", "time blocked inside the lane's calls / the lane alone",                         \
      "a copy call returns only when the copy has ended")                                                              \
    X(BLOCKING_LAUNCH, "blocking-launch", "time blocked inside the lane's calls / the lane alone",                     \
      "a launch returns only when the kernel has ended")                                                               \
    X(BLOCKING_STEP, "blocking-step", "time blocked inside the lane's calls / the lane alone",                         \
      "submitting a step returns only when it has ended")                                                              \
    X(FULL_QUEUE, "full-queue", "time blocked inside calls of ab / ab", "calls wait for room in a queue that is full") \
    X(ONE_QUEUE, "one-queue", "O less that of one in-order queue", "the lanes run as they do on one in-order queue")   \
    X(CONTENTION, "contention", "own end inside ab / alone, of the lane that stretches less",                          \
      "both lanes are slower while they run together")                                                                 \
    X(SERIALISED, "serialised", "own end inside ab / alone, of the lane that waits",                                   \
      "one lane waits for the other, or they take turns")                                                              \
    X(FIRST_USE, "first-use", "the very first step / the same step again",                                             \
      "the first step of the process is slower than those that count")
typedef enum cf_finding_kind {
#define X(name, word, number, meaning) CF_FINDING_##name,
    CF_FINDING_TABLE(X)
#undef X
        CF_FINDING_COUNT
} cf_finding_kind;

typedef struct cf_finding {
    cf_finding_kind kind;
    int lane;                 /* 0 = a, 1 = b, -1 = both, or neither */
    double value, limit;      /* the number behind it, and the one that it passed */
    double part_ms, whole_ms; /* what value is the ratio of; NaN where it is none of two times */
    bool explains;            /* a missing overlap of the control */
} cf_finding;
#define CF_FINDINGS_MAX 12

/* ok false = null in the file. */
typedef struct cf_estimate {
    bool ok;
    double median, low, high; /* low/high: 95 % interval, may be infinite */
} cf_estimate;

typedef struct cf_effect_judgement {
    cf_effect verdict;
    int direction; /* -1 removes, +1 adds, 0 not confounded; of a metric -1 faster, +1 slower */
    bool flips, slows, measurable;
    bool blamed;       /* may be blamed: for timing, only where sync is clear */
    cf_estimate delta; /* of a metric: value / the control's - 1, turned round where higher is better */
    long decided_at;   /* round of the decision, 0 = undecided */
    long more_rounds;  /* undecided: estimate of how many more, 0 = unknown or never */
} cf_effect_judgement;

typedef struct cf_variant_judgement {
    int variant;                                                 /* index in the record */
    double a_ms, b_ms, ab_ms, submit_ms, blocked_ms, exposed_ms; /* of one step; medians; submit less blocked */
    cf_estimate overlap;
    cf_estimate seen; /* median only */
    cf_reading reading;
    long reading_at;   /* round of the decision, 0 = undecided */
    bool reference_ok; /* of the record's reference, the same in every variant */
    cf_effect_judgement effect;
    cf_estimate slowdown[3]; /* a, b, ab against the control */
    double lane_ms[2];       /* own end of lanes a and b inside ab; NaN = not measured */
    cf_estimate stretch[2];  /* that end / the lane alone, paired in the round */
    bool host_bound_note, starved;
    bool too_short;       /* host_bound_note, and for what an idle step takes; of opaque steps alone */
    double starved_share; /* delay or lateness as a share of ab, median */
    cf_reasons because;
    int side;    /* 0 = a is the shorter, 1 = b */
    double best; /* overlap that the dependencies of its job allow; NaN = unknown */
    /* Of a metric alone; all above but variant, effect, starved, because is then unknown. */
    cf_estimate value, ratio;                          /* in the metric's unit; to the control, paired in the round */
    double wall_ms, user_ms, system_ms, max_rss_bytes; /* medians; NaN = not known */
    long measured;                                     /* rounds that it has a number in */
} cf_variant_judgement;

/* Of one round: O of a variant divided by its side (cf_variant_judgement), and what its instrument saw. NaN = not
   measured. Pure. */
double cf_round_overlap(const cf_round *round, int variant, int side);
double cf_round_seen(const cf_round *round, int variant);

/* --against: the second design's control against the first's, paired in the round, relative to the first's ab. */
typedef struct cf_against_judgement {
    bool ok;
    int variant;                 /* index of the design's variant */
    const char *verdict;         /* "faster" "slower" "same" "inconclusive" */
    cf_estimate ab_change;       /* (ab2 - ab1) / ab1 */
    const char *exposed_verdict; /* "less" "more" "same" "inconclusive" */
    cf_estimate exposed_change;  /* (exposed2 - exposed1) / ab1 */
    double ab_ms[2], exposed_ms[2];
    long decided_at, exposed_decided_at;
} cf_against_judgement;

/* Rounds that carry a mark, beside those that carry none: of the control its O, of an instrument its D. */
typedef struct cf_mark_comparison {
    int variant;
    cf_estimate marked, plain;
    bool differs; /* more than the margin apart, and their intervals are disjoint */
} cf_mark_comparison;
typedef struct cf_mark_judgement {
    long rounds;  /* that carry it; 0 = none, and all below is empty */
    int compared; /* 0 where no round is free of marks: then nothing can be compared */
    cf_mark_comparison of[CF_MAX_VARIANTS];
    bool could_explain; /* the answer: some `differs`, or every round is marked */
} cf_mark_judgement;
#define CF_MARK_COUNT 2 /* in the order of the bits of cf_round.marks */

typedef struct cf_judgement {
    char record_sha256[65]; /* "" if the record was never a file */
    cf_verdict verdict;
    bool valid, simulated;
    bool metric; /* of a metric experiment: no reading, no best, no finding */
    cf_reasons invalid_because;
    cf_design design;
    long rounds;
    double best, balance; /* balance: short / long of the control's solo walls */
    double margin, alpha;
    long min_rounds, max_rounds;
    bool sticky;                  /* the interleaved control differs from the prologue's */
    cf_estimate prologue_overlap; /* low/high: the 99 % sequence */
    bool unbalanced_warning;      /* below 0.5 */
    int variant_count;
    cf_variant_judgement *variants;
    cf_against_judgement against;
    long more_rounds; /* the most that any undecided one is expected to need; 0 = none or unknown */
    double missing;   /* best less the control's O, where that is more than the margin; NaN = nothing is missing */
    int finding_count;
    cf_finding findings[CF_FINDINGS_MAX];
    cf_mark_judgement marks[CF_MARK_COUNT];
} cf_judgement;

typedef struct cf_judge_settings {
    double margin; /* NaN = the record's */
} cf_judge_settings;

/* Judges record. sha256_hex may be NULL. MEMORY is the only failure. Caller frees with cf_judgement_done. */
cf_status cf_judge(const cf_record *record, const char *sha256_hex, const cf_judge_settings *settings,
                   cf_judgement *ret_judgement, cf_error *err) CF_MUST_CHECK;
void cf_judgement_done(cf_judgement *judgement);
/* True when every reading and effect that can be decided is decided: nothing is left to measure for. Pure. */
bool cf_judgement_settled(const cf_record *record, const cf_judgement *judgement);
/* The same of the instruments' effects alone. */
bool cf_judgement_effects_settled(const cf_record *record, const cf_judgement *judgement);
/* The judgement file's bytes. */
cf_status cf_judgement_print(const cf_record *record, const cf_judgement *judgement, cf_text *ret_json,
                             cf_error *err) CF_MUST_CHECK;

const char *cf_reading_name(cf_reading reading);
const char *cf_effect_name(cf_effect effect); /* NULL for NONE */
const char *cf_verdict_name(cf_verdict verdict);
const char *cf_because_word(cf_because because);
const char *cf_because_meaning(cf_because because);
const char *cf_finding_word(cf_finding_kind kind);
const char *cf_finding_number(cf_finding_kind kind); /* what its value is */
const char *cf_finding_meaning(cf_finding_kind kind);
const char *cf_mark_word(int mark); /* bit number */

#endif
