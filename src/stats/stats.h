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

double cf_stats_log_e(long k, long n);     /* log of the mean over L of (1+L)^k (1-L)^(n-k); 0 <= k <= n */
long cf_stats_kstar(long n, double alpha); /* smallest k > n/2 with log_e(k, n) >= -log(alpha); 0 = none */
/* kstar(n, alpha) from previous = kstar(n - 1, alpha), in constant time: it moves by 0 or 1. */
long cf_stats_kstar_next(long previous, long n, double alpha);

/* Estimators. Finite values only. What takes x const works on a copy: NaN (or an infinite interval) out of memory. */
double cf_stats_median(const double *x, size_t n);                       /* NaN for n = 0 */
double cf_stats_median_in_place(double *x, size_t n);                    /* reorders x; expected O(n) */
cf_interval cf_stats_median_ci95(const double *x, size_t n);             /* Hettmansperger-Sheather */
cf_interval cf_stats_median_ci95_in_place(double *x, size_t n);          /* reorders x */
cf_interval cf_stats_median_cs(const double *x, size_t n, double alpha); /* [x(n-k+1), x(k)], k = kstar(n, alpha) */

/* The median of what was added so far, in O(log n) an add: two heaps. */
typedef struct cf_running_median {
    double *low, *high; /* max-heap of the lower half, min-heap of the upper */
    size_t low_count, high_count, capacity;
} cf_running_median;
bool cf_running_median_init(cf_running_median *median, size_t capacity); /* false only out of memory */
void cf_running_median_add(cf_running_median *median, double value);     /* at most `capacity` times */
double cf_running_median_get(const cf_running_median *median);           /* NaN when empty */
void cf_running_median_done(cf_running_median *median);                  /* takes a zeroed one */

/* How many of the values added so far lie below or above a threshold that may move, in O(log n). All values that
   may ever be added are given at the start. */
typedef struct cf_rank {
    double *sorted;
    size_t *tree; /* Fenwick tree over sorted */
    size_t count, added;
} cf_rank;
bool cf_rank_init(cf_rank *rank, const double *x, size_t n); /* false only out of memory; NaN in x are left out */
void cf_rank_add(cf_rank *rank, double value);               /* one of x; NaN is ignored */
size_t cf_rank_below(const cf_rank *rank, double threshold); /* strictly */
size_t cf_rank_above(const cf_rank *rank, double threshold); /* strictly */
void cf_rank_done(cf_rank *rank);                            /* takes a zeroed one */

/* O of three walls; side = 0 divides by a, 1 by b. NaN where the divisor is not positive. */
double cf_stats_overlap(double a, double b, double ab, int side);
/* Largest O that dependencies allow: count_a and count_b operations a step, of equal length within their lane, walls
   wall_a and wall_b of a window of in_flight steps, b[i] waits for a[i] of its step if depends, unlimited engines, no
   host cost. 1 if not depends; NaN where a wall is not positive. */
double cf_stats_best_overlap(double wall_a, double wall_b, long count_a, long count_b, bool depends, long in_flight);

#endif
