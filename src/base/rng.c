#include "base/rng.h"

#include <math.h>
#include <sys/random.h>

#include "base/clock.h"

uint64_t cf_rng_next(cf_rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t cf_rng_below(cf_rng *rng, uint64_t bound)
{
    const uint64_t excess = (UINT64_MAX % bound + 1) % bound; /* 2^64 mod bound: that many values are one too many */
    uint64_t value;
    do
        value = cf_rng_next(rng);
    while (value > UINT64_MAX - excess);
    return value % bound;
}

double cf_rng_uniform(cf_rng *rng)
{
    return (double)(cf_rng_next(rng) >> 11) * 0x1p-53;
}

/* Box & Muller 1958. The second number is thrown away, so that the state is all there is. */
double cf_rng_normal(cf_rng *rng)
{
    const double radius = sqrt(-2.0 * log(1.0 - cf_rng_uniform(rng)));
    return radius * cos(2.0 * 3.14159265358979323846 * cf_rng_uniform(rng));
}

void cf_rng_shuffle(cf_rng *rng, int *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)cf_rng_below(rng, i);
        const int item = items[i - 1];
        items[i - 1] = items[j];
        items[j] = item;
    }
}

uint64_t cf_rng_seed(void)
{
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        seed = cf_rng_next(&(cf_rng){.state = cf_clock_now_ns()});
    return seed >> 11;
}
