/* splitmix64 (Steele, Lea & Flood 2014) and an unbiased shuffle. golden.json holds its numbers. */
#ifndef CF_BASE_RNG_H
#define CF_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct cf_rng {
    uint64_t state; /* the seed to begin with */
} cf_rng;

uint64_t cf_rng_next(cf_rng *rng);
uint64_t cf_rng_below(cf_rng *rng, uint64_t bound);         /* uniform in [0, bound), by rejection; bound > 0 */
double cf_rng_uniform(cf_rng *rng);                         /* [0, 1), 53 bits */
double cf_rng_normal(cf_rng *rng);                          /* standard normal */
void cf_rng_shuffle(cf_rng *rng, int *items, size_t count); /* Fisher-Yates, from the last item down */
uint64_t cf_rng_seed(void); /* a fresh seed from the system, below 2^53 so that any JSON reader keeps it */

#endif
