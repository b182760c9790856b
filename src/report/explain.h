/* The parts of --explain: the picture of one variant's commands, and what is said of them. */
#ifndef CF_REPORT_EXPLAIN_H
#define CF_REPORT_EXPLAIN_H

#include <stdint.h>

#include "report/tracks.h"
#include "report/view.h"

#define CF_CHART_LABEL 11 /* columns before the picture */

/* One scale for all that is drawn under each other. */
typedef struct cf_chart {
    const cf_view *view;
    int columns;
    double column_ns; /* above 0 */
    unsigned symbols; /* bit set of those that were drawn */
} cf_chart;

void cf_chart_init(cf_chart *chart, const cf_view *view, int64_t end_ns);
void cf_chart_axis(const cf_chart *chart, cf_text *out);
void cf_chart_tracks(cf_chart *chart, const cf_tracks *tracks, cf_text *out);
/* Of what was drawn, as a sentence, not wrapped. */
void cf_chart_legend(const cf_chart *chart, cf_text *out);

/* Where its operations and records ran, and what waited for what: sentences, not wrapped. */
void cf_explain_places(const cf_view *view, const cf_tracks *tracks, cf_text *out);
void cf_explain_waits(const cf_view *view, const cf_tracks *tracks, cf_text *out);
/* The longest wait of one lane for the other, link by link; nothing where there is none. */
void cf_explain_example(const cf_view *view, const cf_tracks *tracks, cf_text *out);

#endif
