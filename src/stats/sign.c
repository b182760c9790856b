#include <float.h>
#include <math.h>

#include "stats/stats.h"

#define GRID 5

/* log(1+L), log(1-L) for L in {.30, .50, .70, .85, .95}: called in every look, so not computed each time. */
static const double log_up[GRID] = {0.26236426446749106, 0.40546510810816438, 0.53062825106217040, 0.61518563909023350,
                                    0.66782937257565540};
static const double log_down[GRID] = {-0.35667494393873245, -0.69314718055994531, -1.2039728043259361,
                                      -1.8971199848858813, -2.9957322735539910};

/* In log space throughout: e itself overflows a double from n of about 1100. */
double cf_stats_log_e(long k, long n)
{
    double terms[GRID];
    double largest = -DBL_MAX;
    for (int i = 0; i < GRID; i++) {
        terms[i] = (double)k * log_up[i] + (double)(n - k) * log_down[i];
        largest = fmax(largest, terms[i]);
    }
    double sum = 0;
    for (int i = 0; i < GRID; i++)
        sum += exp(terms[i] - largest);
    return largest + log(sum / GRID);
}

/* Every term grows with k, so log_e does and the smallest k is found by bisection. */
long cf_stats_kstar(long n, double alpha)
{
    double target = -log(alpha);
    if (n < 1 || !(cf_stats_log_e(n, n) >= target))
        return 0;
    long low = n / 2, high = n; /* log_e(high) is enough; low is not allowed or not enough */
    while (high - low > 1) {
        long middle = low + (high - low) / 2;
        if (cf_stats_log_e(middle, n) >= target)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* A round that disagrees multiplies every term by less than 1 and one that agrees by more, so the threshold never
   falls with n and never rises by more than one. */
long cf_stats_kstar_next(long previous, long n, double alpha)
{
    if (previous == 0)
        return cf_stats_kstar(n, alpha);
    bool stays = previous > n / 2 && cf_stats_log_e(previous, n) >= -log(alpha);
    return stays ? previous : previous + 1;
}
