/* Judgement and record -> what people look at. Pure: a text in, a text out; whoever calls it knows the terminal.
   Every string of a record passes through cf_text_safe, and through the escapes of the format that it is put in.
   MEMORY is the only failure of these functions; out is added to. */
#ifndef CF_REPORT_REPORT_H
#define CF_REPORT_REPORT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "record/record.h"
#include "verdict/verdict.h"

#define CF_REPORT_COLUMNS     80
#define CF_REPORT_COLUMNS_MIN 80

typedef struct cf_report_style {
    bool color;              /* ANSI colours */
    bool utf8;               /* bars and dashes beyond ASCII; names of a record are then shown as they are */
    bool verbose;            /* text: also how each variant was proven, and the machine */
    int columns;             /* no line is wider; 0 = CF_REPORT_COLUMNS, at least CF_REPORT_COLUMNS_MIN */
    const char *record_path; /* where the record is; NULL = it was not written */
} cf_report_style;

/* The table, the verdict, what the instruments saw, the scope, what to do next, where the record is. */
cf_status cf_report_text(const cf_record *record, const cf_judgement *judgement, const cf_report_style *style,
                         cf_text *out, cf_error *err) CF_MUST_CHECK;
/* The verdict alone, in one or more plain sentences, wrapped: what --quiet leaves of the text. */
cf_status cf_report_verdict(const cf_record *record, const cf_judgement *judgement, const cf_report_style *style,
                            cf_text *out, cf_error *err) CF_MUST_CHECK;
/* For a pull request: verdict, table, a small chart. Of style, only record_path counts. */
cf_status cf_report_markdown(const cf_record *record, const cf_judgement *judgement, const cf_report_style *style,
                             cf_text *out, cf_error *err) CF_MUST_CHECK;
/* One page in HTML that needs nothing but itself: the verdict, whether it may be believed, charts with their numbers.
   Of style, only record_path counts. Where the program was built without Vega (cf_report_has_charts), it has its tables
   alone and says so. */
cf_status cf_report_html(const cf_record *record, const cf_judgement *judgement, const cf_report_style *style,
                         cf_text *out, cf_error *err) CF_MUST_CHECK;
bool cf_report_has_charts(void);
/* Tidy, one row a cell time of the judged rounds; quoted as RFC 4180 says, lines end in \n, with a header line:
   round,process,variant,role,cell,step,position,wall_ns,submit_ns,blocked_ns,delay_ns
   of a metric experiment one row a number of the judged rounds:
   round,process,arm,role,position,index,value,wall_ns,user_ns,system_ns,max_rss_bytes,delay_ns
   step 1..3; position: 1-based place of the cell in the round's executed order; empty = unsupported. */
cf_status cf_report_csv(const cf_record *record, cf_text *out, cf_error *err) CF_MUST_CHECK;
/* The same of several records: called for each, with a first column `record` that holds its name. */
cf_status cf_report_csv_add(const cf_record *record, const char *name, cf_text *out, cf_error *err) CF_MUST_CHECK;

/* Timelines of up to two variants that the record has spans of (-1 = none), one above the other, and in sentences where
   their commands went and what waited for what. Nothing where there are no spans. */
cf_status cf_report_explain(const cf_record *record, const int variants[2], const cf_report_style *style, cf_text *out,
                            cf_error *err) CF_MUST_CHECK;

/* All spans of the record as Chrome trace event JSON: a process a variant, a thread an engine's row and a stream, no
   two slices of one thread overlapping; flows for waits; instrumented spans marked by category, name and argument. */
cf_status cf_report_trace(const cf_record *record, cf_text *out, cf_error *err) CF_MUST_CHECK;

#endif
