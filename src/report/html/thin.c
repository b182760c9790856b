/* Long records: what is drawn of their rounds. */
#include <math.h>
#include <stdlib.h>

#include "report/html/html.h"

cf_html_thin cf_html_thin_of(const cf_record *record)
{
    size_t variants = record->variant_count > 0 ? (size_t)record->variant_count : 1;
    size_t most = CF_HTML_POINTS_MOST / variants;
    most = most > CF_HTML_ROUNDS_MOST ? CF_HTML_ROUNDS_MOST : most;
    cf_html_thin thin = {.rounds = record->rounds.count, .per = 1};
    if (thin.rounds > most)
        thin.per = (thin.rounds + most - 1) / most;
    thin.points = (thin.rounds + thin.per - 1) / thin.per;
    return thin;
}

static int compare(const void *one, const void *two)
{
    double a = *(const double *)one, b = *(const double *)two;
    return (a > b) - (a < b);
}

bool cf_html_range_of(double *x, size_t n, cf_html_range *ret)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(x[i]))
            x[kept++] = x[i];
    }
    if (kept == 0)
        return false;
    qsort(x, kept, sizeof *x, compare);
    *ret = (cf_html_range){
        .median = kept % 2 ? x[kept / 2] : (x[kept / 2 - 1] + x[kept / 2]) / 2,
        .least = x[0],
        .most = x[kept - 1],
    };
    return true;
}
