#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"

bool cf_running_median_init(cf_running_median *median, size_t capacity)
{
    /* Either half may be one ahead while a value is handed over. */
    *median = (cf_running_median){.capacity = capacity};
    median->low = malloc((capacity / 2 + 2) * sizeof(double));
    median->high = malloc((capacity / 2 + 2) * sizeof(double));
    if (median->low && median->high)
        return true;
    cf_running_median_done(median);
    return false;
}

void cf_running_median_done(cf_running_median *median)
{
    free(median->low);
    free(median->high);
    *median = (cf_running_median){0};
}

/* Both heaps keep their smallest key on top; the lower half stores its values negated. */
static void push(double *heap, size_t *count, double key)
{
    size_t at = (*count)++;
    while (at > 0 && heap[(at - 1) / 2] > key) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = key;
}

static double pop(double *heap, size_t *count)
{
    double top = heap[0];
    double key = heap[--*count];
    size_t at = 0;
    for (size_t child = 1; child < *count; child = 2 * at + 1) {
        if (child + 1 < *count && heap[child + 1] < heap[child])
            child++;
        if (heap[child] >= key)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = key;
    return top;
}

void cf_running_median_add(cf_running_median *median, double value)
{
    if (median->low_count == 0 || value <= -median->low[0])
        push(median->low, &median->low_count, -value);
    else
        push(median->high, &median->high_count, value);
    if (median->low_count > median->high_count + 1)
        push(median->high, &median->high_count, -pop(median->low, &median->low_count));
    else if (median->high_count > median->low_count)
        push(median->low, &median->low_count, -pop(median->high, &median->high_count));
}

double cf_running_median_get(const cf_running_median *median)
{
    if (median->low_count == 0)
        return NAN;
    double below = -median->low[0];
    return median->low_count > median->high_count ? below : (below + median->high[0]) / 2;
}
