/* Record -> judgement: pure, with no device and no clock. The same record gives the same judgement, byte for byte, as
   `confound judge` does. File format: docs/judgement.md, `confound.judgement/1`. */
#ifndef CONFOUND_JUDGE_H
#define CONFOUND_JUDGE_H

#include <stddef.h>
#include <stdint.h>

#include "confound/confound.h"
#include "confound/record.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct confound_judgement confound_judgement;

typedef enum confound_verdict {
    CONFOUND_VERDICT_INVALID = 0,
    CONFOUND_VERDICT_CONFOUNDED = 1,
    CONFOUND_VERDICT_INCONCLUSIVE = 2,
    CONFOUND_VERDICT_CLEAR = 3
} confound_verdict;

/* How a variant reads: what its lanes do under its instrument. */
typedef enum confound_reading {
    CONFOUND_READING_INCONCLUSIVE = 0,
    CONFOUND_READING_SERIALISES = 1,
    CONFOUND_READING_PARTIAL = 2,
    CONFOUND_READING_OVERLAPS = 3,
    CONFOUND_READING_HOST_BOUND = 4,
    CONFOUND_READING_ILL_CONDITIONED = 5
} confound_reading;

/* What an instrument does to the overlap. NONE: the variant is no instrument and no replica. */
typedef enum confound_effect {
    CONFOUND_EFFECT_NONE = 0,
    CONFOUND_EFFECT_INCONCLUSIVE = 1,
    CONFOUND_EFFECT_CLEAR = 2,
    CONFOUND_EFFECT_CONFOUNDED = 3
} confound_effect;

/* A median and its 95 % interval; an end may be infinite. */
typedef struct confound_estimate {
    double median, low, high;
} confound_estimate;

#define CONFOUND_MARGIN_OF_RECORD 0.0

/* Judges a record, which is borrowed until the call returns. margin: equivalence margin of the effect, in (0, 1), or
   CONFOUND_MARGIN_OF_RECORD. Free with confound_judgement_free. CONFOUND_INPUT (the margin), CONFOUND_MEMORY. */
CONFOUND_API confound_status confound_judge(const confound_record *record, double margin,
                                            confound_judgement **ret_judgement,
                                            confound_error *err) CONFOUND_MUST_CHECK;
CONFOUND_API void confound_judgement_free(confound_judgement *judgement);

/* The judgement file's bytes, NUL-terminated. ret_size_bytes, without the NUL, may be NULL. Borrowed. */
CONFOUND_API const char *confound_judgement_json(const confound_judgement *judgement, size_t *ret_size_bytes);
CONFOUND_API confound_verdict confound_judgement_verdict(const confound_judgement *judgement);

CONFOUND_API int confound_judgement_variants(const confound_judgement *judgement); /* how many; [0] is the control */
/* Index of the variant of that name, -1 if there is none. */
CONFOUND_API int confound_judgement_find(const confound_judgement *judgement, const char *name);

/* Of variant 0 … confound_judgement_variants - 1; an index out of that range gives NULL, INCONCLUSIVE, NONE or 0. */
CONFOUND_API const char *confound_judgement_name(const confound_judgement *judgement, int variant);
CONFOUND_API confound_reading confound_judgement_reading(const confound_judgement *judgement, int variant);
CONFOUND_API confound_effect confound_judgement_effect(const confound_judgement *judgement, int variant);
/* 1 and ret_overlap where there is an estimate, else 0. Overlap is (A + B - AB) / shorter side, never clamped. */
CONFOUND_API int confound_judgement_overlap(const confound_judgement *judgement, int variant,
                                            confound_estimate *ret_overlap);
/* The same for the effect: overlap under the instrument less the control's, paired in the round. */
CONFOUND_API int confound_judgement_delta(const confound_judgement *judgement, int variant,
                                          confound_estimate *ret_delta);

/* Whether the control's overlap is above a bound. */
typedef enum confound_bound {
    CONFOUND_BOUND_INCONCLUSIVE = 0,
    CONFOUND_BOUND_ABOVE = 1,
    CONFOUND_BOUND_BELOW = 2
} confound_bound;

/* The same sequential sign test by which `overlaps` is read, against at_least in place of 0.70: above 0 and below 1, a
   share of what the step's own dependencies allow. A wrong ABOVE or BELOW has at most the record's error rate, whatever
   the number of rounds. Needs no instrument. ret_because: of INCONCLUSIVE the gravest reason, a word of the judgement
   file, else NULL. ret_more_rounds: of INCONCLUSIVE about how many more rounds would decide, 0 = not known, or none.
   Both may be NULL. CONFOUND_INPUT (at_least, or a record that has no overlap), CONFOUND_MEMORY. */
CONFOUND_API confound_status confound_judge_overlap(const confound_record *record, double at_least,
                                                    confound_bound *ret_bound, const char **ret_because,
                                                    int64_t *ret_more_rounds, confound_error *err) CONFOUND_MUST_CHECK;
/* What a reason means ("host-bound"), a phrase; NULL if there is no such word. */
CONFOUND_API const char *confound_because_meaning(const char *word);

/* The words of the judgement file. Never NULL; the effect NONE is "none". */
CONFOUND_API const char *confound_verdict_name(confound_verdict verdict);
CONFOUND_API const char *confound_reading_name(confound_reading reading);
CONFOUND_API const char *confound_effect_name(confound_effect effect);

#ifdef __cplusplus
}
#endif
#endif
