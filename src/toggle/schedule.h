/* Which variant each step runs in: rounds of all variants in a fresh random order; a variant's turn is a step to
   settle, in which what was in flight before goes away, and a step that counts. Pure; one thread. */
#ifndef CF_TOGGLE_SCHEDULE_H
#define CF_TOGGLE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "toggle/wire.h"

typedef struct cf_schedule {
    cf_rng rng;
    int order[CF_VARIANT_COUNT];
    unsigned at; /* 2 * position in the round + (0 = settle, 1 = counts) */
    uint32_t round;
    uint32_t rounds;
    bool warmup;
} cf_schedule;

void cf_schedule_begin(cf_schedule *s, uint64_t seed, uint32_t rounds);
bool cf_schedule_over(const cf_schedule *s);
unsigned cf_schedule_variant(const cf_schedule *s); /* of the step that runs now; as shipped when over */
unsigned cf_schedule_flags(const cf_schedule *s);   /* CF_WIRE_SETTLE, CF_WIRE_WARMUP */
void cf_schedule_next(cf_schedule *s);
void cf_schedule_again(cf_schedule *s); /* the turn that runs now begins again */

#endif
