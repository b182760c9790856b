#include "instrument/seen.h"

#include <stdio.h>
#include <stdlib.h>

static int by_begin(const void *left, const void *right)
{
    const cf_seen_interval *x = left;
    const cf_seen_interval *y = right;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

size_t cf_seen_merge(cf_seen_interval *intervals, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (intervals[i].end_ns >= intervals[i].begin_ns)
            intervals[kept++] = intervals[i];
    if (kept == 0)
        return 0;
    qsort(intervals, kept, sizeof *intervals, by_begin);
    size_t last = 0;
    for (size_t i = 1; i < kept; i++) {
        if (intervals[i].begin_ns > intervals[last].end_ns)
            intervals[++last] = intervals[i];
        else if (intervals[i].end_ns > intervals[last].end_ns)
            intervals[last].end_ns = intervals[i].end_ns;
    }
    return last + 1;
}

void cf_seen_tell(cf_span_sink *sink, void *user, const cf_seen_interval *interval, int64_t first_ns, int lane,
                  int64_t index, cf_op_kind kind)
{
    char track[] = {'l', 'a', 'n', 'e', ' ', (char)('a' + lane), '\0'};
    char what[32];
    (void)snprintf(what, sizeof what, "%s", cf_op_names[kind]);
    sink(user, &(cf_record_span){.begin_ns = interval->begin_ns - first_ns,
                                 .end_ns = interval->end_ns - first_ns,
                                 .queued_ns = -1,
                                 .engine = track,
                                 .stream = lane,
                                 .lane = lane,
                                 .index = index,
                                 .what = what});
}

int64_t cf_seen_busy_ns(const cf_seen_interval *merged, size_t count)
{
    int64_t sum_ns = 0;
    for (size_t i = 0; i < count; i++)
        sum_ns += merged[i].end_ns - merged[i].begin_ns;
    return sum_ns;
}

int64_t cf_seen_both_ns(const cf_seen_interval *a, size_t a_count, const cf_seen_interval *b, size_t b_count)
{
    int64_t sum_ns = 0;
    for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
        int64_t begin_ns = a[i].begin_ns > b[j].begin_ns ? a[i].begin_ns : b[j].begin_ns;
        int64_t end_ns = a[i].end_ns < b[j].end_ns ? a[i].end_ns : b[j].end_ns;
        if (end_ns > begin_ns)
            sum_ns += end_ns - begin_ns;
        if (a[i].end_ns < b[j].end_ns)
            i++;
        else
            j++;
    }
    return sum_ns;
}
