#include <math.h>

#include "stats/stats.h"
#include "verdict/verdict.h"

static double wall(const cf_round *round, int variant, cf_cell cell)
{
    if (!round->samples) /* a metric experiment */
        return NAN;
    int64_t value_ns = cf_sample_value_ns(cf_round_sample(round, variant, cell)->wall_ns);
    return value_ns > 0 ? (double)value_ns : (double)NAN;
}

double cf_round_overlap(const cf_round *round, int variant, int side)
{
    return cf_stats_overlap(wall(round, variant, CF_CELL_A), wall(round, variant, CF_CELL_B),
                            wall(round, variant, CF_CELL_AB), side);
}

double cf_round_seen(const cf_round *round, int variant)
{
    if (!round->seen || round->seen[variant].shorter_ns <= 0)
        return NAN;
    return (double)round->seen[variant].overlap_ns / (double)round->seen[variant].shorter_ns;
}
