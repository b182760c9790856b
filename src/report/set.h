/* A judged set -> what people look at: one row a process, then what its values say together. Pure, like report.h. */
#ifndef CF_REPORT_SET_H
#define CF_REPORT_SET_H

#include "report/report.h"
#include "verdict/set.h"

cf_status cf_report_set_text(const cf_set_judgement *set, const cf_report_style *style, cf_text *out,
                             cf_error *err) CF_MUST_CHECK;
/* The answer alone, in plain sentences. */
cf_status cf_report_set_verdict(const cf_set_judgement *set, const cf_report_style *style, cf_text *out,
                                cf_error *err) CF_MUST_CHECK;
cf_status cf_report_set_markdown(const cf_set_judgement *set, const cf_report_style *style, cf_text *out,
                                 cf_error *err) CF_MUST_CHECK;
/* Tidy, one row a variant of each process, with a header line; empty = unknown:
   kind,key,value,number,process,state,verdict,variant,role,reading,effect,overlap,overlap_low,overlap_high,
   delta,delta_low,delta_high,a_ms,b_ms,ab_ms,exposed_ms,rounds,record */
cf_status cf_report_set_csv(const cf_set_judgement *set, cf_text *out, cf_error *err) CF_MUST_CHECK;

/* Records that a page shows whole, each behind a line that opens it; zero-initialise, free with cf_report_pages_done.
 */
typedef struct cf_report_pages {
    cf_text body, data;
    int count;
} cf_report_pages;
cf_status cf_report_pages_add(cf_report_pages *pages, const char *label, const cf_record *record,
                              const cf_judgement *judgement, const cf_report_style *style, cf_error *err) CF_MUST_CHECK;
void cf_report_pages_done(cf_report_pages *pages);
/* One page in HTML, as cf_report_html. pages: NULL = none. */
cf_status cf_report_set_html(const cf_set_judgement *set, const cf_report_pages *pages, const cf_report_style *style,
                             cf_text *out, cf_error *err) CF_MUST_CHECK;

/* Sentences that text and Markdown share; paragraphs separated by '\n'. */
void cf_set_sentence_title(const cf_set_judgement *set, const cf_report_style *style, cf_text *out);
void cf_set_sentence_answer(const cf_set_judgement *set, const cf_report_style *style, cf_text *out);
void cf_set_sentence_scope(const cf_set_judgement *set, const cf_report_style *style, cf_text *out);
/* What emulated devices take for granted, and what was taken away from them; nothing where there is nothing. */
void cf_set_sentence_assumed(const cf_set_judgement *set, const cf_report_style *style, cf_text *out);
void cf_set_sentence_taken_away(const cf_set_judgement *set, const cf_report_style *style, cf_text *out);
/* Of one member that has a result: its device, driver, lanes, day and rounds. */
void cf_set_sentence_record(const cf_set_judgement *set, int member, const cf_report_style *style, cf_text *out);
/* "1", "(unset)", "64KiB", "process 2": what a row is called. Returns buf. */
const char *cf_set_label(const cf_set_judgement *set, int member, char *buf, size_t buf_bytes);
/* CLEAR where there was nothing to remove, which is shown with a star. */
bool cf_set_is_starred(const cf_variant_judgement *judged);
/* A row's last cell. */
const char *cf_set_outcome(const cf_set_judgement *set, int member);

/* Each paragraph of text (NULL = none) after `before`: "- " makes items of them. None begins a list or a heading. */
void cf_markdown_add_paragraphs(cf_text *out, const char *before, const char *text);
/* A string and a number as a cell of CSV; the string quoted, and guarded against being a formula, where it must be. */
void cf_csv_add_string(cf_text *out, const char *s);

#endif
