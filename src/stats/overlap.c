#include <math.h>

#include "stats/stats.h"

double cf_stats_overlap(double a, double b, double ab, int side)
{
    double shorter = side == 0 ? a : b;
    return shorter > 0 ? (a + b - ab) / shorter : NAN;
}

/* A path through the graph crosses from a to b at most once, at some b[i] of some step: its length is linear in both
   the step and i, so the longest one crosses in the first or the last step, at the first or the last pair. */
static double longest_path(double op_a, double op_b, double count_a, double count_b, double steps)
{
    double pairs = fmin(count_a, count_b);
    double longest = steps * fmax(count_a * op_a, count_b * op_b);
    for (int corner = 0; corner < 4; corner++) {
        double step = corner & 1 ? steps - 1 : 0;
        double i = corner & 2 ? pairs - 1 : 0;
        double until_crossing = (step * count_a + i + 1) * op_a;
        double from_crossing = (steps * count_b - step * count_b - i) * op_b;
        longest = fmax(longest, until_crossing + from_crossing);
    }
    return longest;
}

double cf_stats_best_overlap(double wall_a, double wall_b, long count_a, long count_b, bool depends, long in_flight)
{
    if (!(wall_a > 0) || !(wall_b > 0))
        return NAN;
    if (!depends || count_a < 1 || count_b < 1)
        return 1;
    double steps = in_flight > 1 ? (double)in_flight : 1;
    double op_a = wall_a / ((double)count_a * steps), op_b = wall_b / ((double)count_b * steps);
    double together = longest_path(op_a, op_b, (double)count_a, (double)count_b, steps);
    double best = cf_stats_overlap(wall_a, wall_b, together, wall_a <= wall_b ? 0 : 1);
    return best > 0 ? fmin(best, 1) : 0; /* rounding must not leave the range */
}
