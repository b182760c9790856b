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
    X(CONTROL_NOT_PROVEN, "control-not-proven", "the control did not prove that no instrument was alive")              \
    X(REPLICA_CONFOUNDED, "replica-confounded", "the control differs from itself")                                     \
    X(REFERENCE_FAILED, "reference-failed", "one in-order queue did not read as serialising")                          \
    X(HOST_BOUND, "host-bound", "submitting takes as long as the work")                                                \
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
    X(MISSING_CONTROL, "missing-control", "a control, replica or reference is missing")
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

/* ok false = null in the file. */
typedef struct cf_estimate {
    bool ok;
    double median, low, high; /* low/high: 95 % interval, may be infinite */
} cf_estimate;

typedef struct cf_effect_judgement {
    cf_effect verdict;
    int direction; /* -1 removes, +1 adds, 0 not confounded */
    bool flips, slows, measurable;
    bool blamed; /* may be blamed: for timing, only where sync is clear */
    cf_estimate delta;
    long decided_at;  /* round of the decision, 0 = undecided */
    long more_rounds; /* undecided: estimate of how many more, 0 = unknown or never */
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
    bool host_bound_note, starved;
    double starved_share; /* delay or lateness as a share of ab, median */
    cf_reasons because;
    int side; /* 0 = a is the shorter, 1 = b */
} cf_variant_judgement;

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

typedef struct cf_judgement {
    char record_sha256[65]; /* "" if the record was never a file */
    cf_verdict verdict;
    bool valid, simulated;
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
/* The judgement file's bytes. */
cf_status cf_judgement_print(const cf_record *record, const cf_judgement *judgement, cf_text *ret_json,
                             cf_error *err) CF_MUST_CHECK;

const char *cf_reading_name(cf_reading reading);
const char *cf_effect_name(cf_effect effect); /* NULL for NONE */
const char *cf_verdict_name(cf_verdict verdict);
const char *cf_because_word(cf_because because);
const char *cf_because_meaning(cf_because because);

#endif
