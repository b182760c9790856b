/* What the formats share inside this room: names and numbers as they are shown. */
#ifndef CF_REPORT_VIEW_H
#define CF_REPORT_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"

#define CF_VIEW_NAME_BYTES   192
#define CF_VIEW_NUMBER_BYTES 64

typedef struct cf_view {
    const cf_record *record;
    const cf_judgement *judgement;
    cf_report_style style; /* columns within its range */
} cf_view;

void cf_view_init(cf_view *view, const cf_record *record, const cf_judgement *judgement, const cf_report_style *style);

/* s without what a terminal must not get, in ASCII if the style says so, cut to 40 columns. Returns buf. */
const char *cf_view_name(const cf_view *view, const char *s, char buf[CF_VIEW_NAME_BYTES]);
/* The same, uncut but for the buffer's size: paths and explanations. */
const char *cf_view_text(const cf_view *view, const char *s, char *buf, size_t buf_bytes);

/* "0.92", "-0.12"; "-" for NaN; never "-0.00". All return buf. */
const char *cf_view_ratio(double value, char buf[CF_VIEW_NUMBER_BYTES]);
/* "12.80" with that many decimals; "-" for NaN. */
const char *cf_view_ms(double ms, int decimals, char buf[CF_VIEW_NUMBER_BYTES]);
/* "0.92 [0.90, 0.94]"; scale -1 turns it round, 100 makes percent. An infinite end is "?"; "-" where nothing was
   estimated. */
const char *cf_view_estimate(const cf_estimate *estimate, double scale, char buf[CF_VIEW_NUMBER_BYTES]);

/* Record's variant that a judged one is. */
const cf_record_variant *cf_view_variant(const cf_view *view, const cf_variant_judgement *judged);
/* Indices into judgement->variants in the order in which they are shown: control, instruments, the rest. Room for
   CF_MAX_VARIANTS. Returns how many. */
int cf_view_order(const cf_view *view, int ret_order[CF_MAX_VARIANTS]);

/* The row's last cell: "quote this", "clear", "CONFOUNDED", … static text. */
const char *cf_view_meaning(const cf_view *view, const cf_variant_judgement *judged);
bool cf_view_has_because(const cf_reasons *reasons, cf_because because);

/* "16 x h2d"; of a caller's own work "16 x LABEL", "LABEL" or "step a". */
void cf_view_lane(const cf_view *view, const cf_record_job *job, int lane, cf_text *out);
/* "16 x h2d beside 16 x kernel on soft (simulated), 24 rounds" and "ms a step, host clock; one step in flight, then
   drained; host waits: block". */
void cf_view_title(const cf_view *view, cf_text *out);
void cf_view_drain(const cf_view *view, cf_text *out);

/* A bar of `cells` columns, value in [0, 1] (clamped, NaN = 0). */
void cf_view_bar(cf_text *out, double value, int cells, bool utf8);

#endif
