/* Estimators and the sign e-process: arrays in, numbers out. No clock, no device, no record.
   Sources: Hettmansperger & Sheather 1986 (interval of the median); Howard & Ramdas 2022 and the mixture of
   experiment.md (sign e-process, valid at every look). */
#ifndef CF_STATS_STATS_H
#define CF_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cf_interval { /* an infinite end = nothing can be said on that side */
    double low, high;
} cf_interval;

double cf_stats_log_e(long k, long n);                /* log of the mean over L of (1+L)^k (1-L)^(n-k); 0 <= k <= n */
long cf_stats_kstar(long n, double alpha);            /* smallest k > n/2 with log_e(k, n) >= -log(alpha); 0 = none */
double cf_stats_median(const double *x, size_t n);    /* NaN for n = 0; x is not changed */
double cf_stats_median_in_place(double *x, size_t n); /* reorders x */
cf_interval cf_stats_median_ci95(const double *x, size_t n); /* Hettmansperger-Sheather */
/* [x(n-k+1), x(k)], k = kstar(n, alpha): a confidence sequence. */
cf_interval cf_stats_median_cs(const double *x, size_t n, double alpha);

/* O of three walls; side = 0 divides by a, 1 by b. */
double cf_stats_overlap(double a, double b, double ab, int side);
/* Largest O that dependencies allow: count[2] operations a lane with walls wall[2], b[i] waits for a[i] if depends,
   unlimited engines, no host cost; a window of in_flight steps. 1 if not depends. */
double cf_stats_best_overlap(double wall_a, double wall_b, long count_a, long count_b, bool depends, long in_flight);

#endif
