#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

bool cf_rank_init(cf_rank *rank, const double *x, size_t n)
{
    *rank = (cf_rank){.sorted = malloc((n + 1) * sizeof(double)), .tree = calloc(n + 1, sizeof(size_t))};
    if (!rank->sorted || !rank->tree) {
        cf_rank_done(rank);
        return false;
    }
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]))
            rank->sorted[rank->count++] = x[i];
    qsort(rank->sorted, rank->count, sizeof(double), compare);
    return true;
}

void cf_rank_done(cf_rank *rank)
{
    free(rank->sorted);
    free(rank->tree);
    *rank = (cf_rank){0};
}

/* How many of the sorted values lie below threshold, or at it too. */
static size_t place(const cf_rank *rank, double threshold, bool or_at)
{
    size_t low = 0, high = rank->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rank->sorted[middle] < threshold || (or_at && rank->sorted[middle] == threshold))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Equal values share the first of their places, so that both kinds of query see all of them or none. */
void cf_rank_add(cf_rank *rank, double value)
{
    if (isnan(value))
        return;
    rank->added++;
    for (size_t i = place(rank, value, false) + 1; i <= rank->count; i += i & (~i + 1))
        rank->tree[i]++;
}

static size_t added_among_first(const cf_rank *rank, size_t places)
{
    size_t sum = 0;
    for (size_t i = places; i > 0; i -= i & (~i + 1))
        sum += rank->tree[i];
    return sum;
}

size_t cf_rank_below(const cf_rank *rank, double threshold)
{
    return added_among_first(rank, place(rank, threshold, false));
}

size_t cf_rank_above(const cf_rank *rank, double threshold)
{
    return rank->added - added_among_first(rank, place(rank, threshold, true));
}
