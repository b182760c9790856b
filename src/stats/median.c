#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

static void swap(double *x, size_t i, size_t j)
{
    double kept = x[i];
    x[i] = x[j];
    x[j] = kept;
}

/* Quickselect with three-way partitions, because exact devices give runs of equal values, and with pivots from a fixed
   generator, because no order of the input may make it quadratic or its result depend on anything but the input. */
static double order_statistic(double *x, size_t n, size_t rank)
{
    size_t begin = 0, end = n;
    uint64_t state = n;
    while (end - begin > 1) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double pivot = x[begin + (size_t)((state >> 33) % (end - begin))];
        size_t below = begin, at = begin, above = end;
        while (at < above) {
            if (x[at] < pivot)
                swap(x, at++, below++);
            else if (x[at] > pivot)
                swap(x, at, --above);
            else
                at++;
        }
        if (rank < below)
            end = below;
        else if (rank >= above)
            begin = above;
        else
            return pivot;
    }
    return x[rank];
}

static double *copy_of(const double *x, size_t n)
{
    double *copy = n > 0 ? malloc(n * sizeof *copy) : NULL;
    if (copy)
        memcpy(copy, x, n * sizeof *copy);
    return copy;
}

double cf_stats_median_in_place(double *x, size_t n)
{
    if (n == 0)
        return NAN;
    double upper = order_statistic(x, n, n / 2);
    if (n % 2 == 1)
        return upper;
    return (order_statistic(x, n, n / 2 - 1) + upper) / 2;
}

double cf_stats_median(const double *x, size_t n)
{
    double *copy = copy_of(x, n);
    double median = copy ? cf_stats_median_in_place(copy, n) : NAN;
    free(copy);
    return median;
}

/* The ranks k and n - k + 1 whose order statistics cover the median with at least some level, P(k <= B <= n - k) for
   B ~ binomial(n, 1/2), and the coverage of the next narrower pair. */
typedef struct cf_ranks {
    size_t k; /* 0 = no pair is wide enough */
    double outer, inner;
} cf_ranks;

/* Sums from the central term outwards. Only sums, products and quotients: a logarithm of the gamma function would be
   shorter, but its last digits differ between C libraries, and they would reach the judgement's bytes. */
static cf_ranks narrowest_ranks(size_t n, double level)
{
    size_t half = n / 2;
    double term = 1; /* C(n, half) / 2^n */
    for (size_t i = 1; i <= half; i++)
        term *= (double)(2 * i - 1) / (double)(2 * i);
    if (n % 2 == 1)
        term *= (double)n / (double)(2 * (half + 1));
    double inner = 0, outer = n % 2 == 1 ? 2 * term : term;
    size_t k = half;
    while (k > 0 && outer < level) {
        term *= (double)k / (double)(n - k + 1);
        inner = outer;
        outer += 2 * term;
        k--;
    }
    return (cf_ranks){.k = k, .outer = outer, .inner = inner};
}

/* Interpolates between the order statistics k and k + 1 (from either end) so that the coverage comes close to 95 %
   whatever the distribution; the weight is that of the paper's equation for lambda. */
cf_interval cf_stats_median_ci95_in_place(double *x, size_t n)
{
    const double level = 0.95;
    cf_ranks ranks = narrowest_ranks(n, level);
    size_t k = ranks.k;
    if (k == 0)
        return (cf_interval){-INFINITY, INFINITY};
    double share = (ranks.outer - level) / (ranks.outer - ranks.inner);
    double lambda = (double)(n - k) * share / ((double)k + ((double)n - 2.0 * (double)k) * share);
    double low_outer = order_statistic(x, n, k - 1), low_inner = order_statistic(x, n, k);
    double high_outer = order_statistic(x, n, n - k), high_inner = order_statistic(x, n, n - k - 1);
    return (cf_interval){.low = low_outer + lambda * (low_inner - low_outer),
                         .high = high_outer + lambda * (high_inner - high_outer)};
}

cf_interval cf_stats_median_ci95(const double *x, size_t n)
{
    double *copy = copy_of(x, n);
    cf_interval interval = {-INFINITY, INFINITY};
    if (copy)
        interval = cf_stats_median_ci95_in_place(copy, n);
    free(copy);
    return interval;
}

cf_interval cf_stats_median_cs(const double *x, size_t n, double alpha)
{
    cf_interval interval = {-INFINITY, INFINITY};
    long k = cf_stats_kstar((long)n, alpha);
    double *copy = k > 0 ? copy_of(x, n) : NULL;
    if (copy) {
        interval.low = order_statistic(copy, n, n - (size_t)k);
        interval.high = order_statistic(copy, n, (size_t)k - 1);
    }
    free(copy);
    return interval;
}
