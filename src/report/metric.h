/* Metric experiments in reports: what stands in place of lanes and overlap. Internal to the room: sentence.h, view.h
   and table.h ask here where the judgement is of a metric. */
#ifndef CF_REPORT_METRIC_H
#define CF_REPORT_METRIC_H

#include "report/sentence.h"
#include "report/view.h"

/* Fewer rounds tell little of how much the numbers scatter: what they leave undecided is not said to stay so. */
#define CF_METRIC_ROUNDS_TELL 48
/* As many as exec --toggle accepts: more are not advised. */
#define CF_METRIC_STEP_ROUNDS_MAX 1000

/* "+11.8 % [11.2, 12.4]": what the number is above the control's, as it was measured (not turned round). "-" where
   nothing was estimated. Returns buf. */
const char *cf_metric_change(const cf_variant_judgement *judged, char buf[CF_VIEW_NUMBER_BYTES]);
/* "11.8 % [11.2, 12.4]": the same without a sign, for "slows by"; the interval of a change below 0 is turned round. */
const char *cf_metric_amount(const cf_variant_judgement *judged, char buf[CF_VIEW_NUMBER_BYTES]);
/* A number in the metric's unit, with as many decimals as its size asks for. */
const char *cf_metric_number(double value, char buf[CF_VIEW_NUMBER_BYTES]);
/* "wall, ms", "tok/s": what the column of numbers is called. Returns buf. */
const char *cf_metric_column(const cf_view *view, char *buf, size_t buf_bytes);
/* The program and its arguments as one line, cut to fit. Returns buf. */
const char *cf_metric_program(const cf_view *view, char *buf, size_t buf_bytes);
bool cf_metric_has_facts(const cf_view *view); /* user and system time are known */
/* False where the variant had ended before round, which names it in its order all the same. */
bool cf_metric_ran(const cf_view *view, const cf_round *round, int variant);

/* What sentence.h and view.h promise. */
void cf_metric_title(const cf_view *view, cf_text *out);
void cf_metric_how(const cf_view *view, cf_text *out);
void cf_metric_verdict(const cf_view *view, cf_text *out);
void cf_metric_scope(const cf_view *view, cf_text *out);
void cf_metric_next(const cf_view *view, cf_text *out);
void cf_metric_notes(const cf_view *view, cf_note_sink *sink, void *user);

/* What table.h, markdown.c and csv.c have of it. */
void cf_metric_table(const cf_view *view, cf_text *out);
void cf_metric_markdown_table(const cf_view *view, cf_text *out);
void cf_metric_csv(const cf_record *record, cf_text *out);

#endif
