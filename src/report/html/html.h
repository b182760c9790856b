/* The parts that a page in HTML is put together from. Internal to the room. Every text of a record goes through
   cf_html_add or, as data of a chart, through cf_html_add_json: neither can leave the place that it is put in. */
#ifndef CF_REPORT_HTML_HTML_H
#define CF_REPORT_HTML_HTML_H

#include "base/json_out.h"
#include "report/set.h"
#include "report/view.h"

#define CF_HTML_POINTS_MOST 4200 /* rounds x variants that are drawn one by one; above, neighbours become one */
#define CF_HTML_ROUNDS_MOST 600
#define CF_HTML_STRIP_MOST  120 /* rounds of which the order is drawn */
#define CF_HTML_ROWS_MOST   200 /* rows of a long table; the rest is in the CSV */
#define CF_HTML_SPANS_MOST  3000

/* Adds s as text that is only text, in content and in a quoted attribute. */
void cf_html_add(cf_text *out, const char *s);
/* Adds JSON as the content of a script element of type application/json. */
void cf_html_add_json(cf_text *out, const cf_text *json);
/* One element a paragraph of text ('\n' separates them): <TAG class="CLASS">…</TAG>. */
void cf_html_add_paragraphs(cf_text *out, const char *tag, const char *class_name, const char *text);
/* A sentence's text without its last full stop's blanks, made by `sentence`. */
typedef void cf_html_sentence(const cf_view *view, cf_text *out);
void cf_html_add_sentence(const cf_view *view, cf_text *out, const char *tag, const char *class_name,
                          cf_html_sentence *sentence);

/* A table in a <details>; its first column names the row. heads: NULL-terminated, one that begins with '#' is a column
   of numbers. open: shown at once. */
typedef struct cf_html_table {
    cf_text *out;
    const char *const *heads;
    int column;
} cf_html_table;
void cf_html_table_begin(cf_html_table *table, cf_text *out, const char *summary, const char *const *heads, bool open);
void cf_html_row(cf_html_table *table);
void cf_html_cell(cf_html_table *table, const char *text);
void cf_html_cell_number(cf_html_table *table, double value, int decimals);
void cf_html_cell_estimate(cf_html_table *table, const cf_estimate *estimate);
void cf_html_table_end(cf_html_table *table, const char *note); /* note: below it, NULL = none */

/* A figure: begin, then its table, then end. kind names the chart in the page's script; record: which of the data's
   records it draws, -1 = the page as such. Without charts in the program the figure is its table alone. */
void cf_html_figure_begin(cf_text *out, const char *kind, int record, const char *title, const char *lead);
void cf_html_figure_end(cf_text *out);

/* The page around a body: `body` is put into <main>. data: JSON of the charts. */
void cf_html_page(cf_text *out, const char *title, const char *where, const cf_text *body, const cf_text *data);

/* One record: what is written, and what its charts are drawn from. */
void cf_html_record(const cf_view *view, int record, cf_text *out);
cf_status cf_html_record_data(const cf_view *view, cf_json *json, cf_error *err) CF_MUST_CHECK;

void cf_html_add_notes(const cf_view *view, cf_text *out);
void cf_html_add_facts(const cf_view *view, cf_text *out);

/* The answer and whether it may be believed. */
void cf_html_first_screen(const cf_view *view, cf_text *out);
void cf_html_add_word(cf_text *out, cf_verdict verdict, bool simulated); /* begins the section of the answer */
void cf_html_add_answer(cf_text *out,
                        const cf_text *text); /* its first sentence is the heading, the rest stands below */

typedef enum cf_html_state { CF_HTML_PASSED, CF_HTML_NOTE, CF_HTML_WARNING, CF_HTML_FAILED } cf_html_state;
#define CF_HTML_CHECKS_MOST 12
typedef struct cf_html_check_item {
    cf_html_state state;
    const char *what;
    char says[640];
} cf_html_check_item;
typedef struct cf_html_checks { /* zero-initialise */
    cf_html_check_item items[CF_HTML_CHECKS_MOST];
    int count;
} cf_html_checks;
void cf_html_check(cf_html_checks *list, cf_html_state state, const char *what, const char *fmt, ...) CF_PRINTF(4, 5);
int cf_html_checks_with(const cf_html_checks *list, cf_html_state state);
/* class_name of the belief: "yes", "care" or "no". */
void cf_html_checks_add(const cf_html_checks *list, const char *class_name, const char *belief, cf_text *out);

/* Rounds as they are drawn: `per` neighbours are one point, with their median, least and most. */
typedef struct cf_html_thin {
    size_t rounds, per, points;
} cf_html_thin;
cf_html_thin cf_html_thin_of(const cf_record *record);
/* Of numbers x[0..n), reordered; NaN are passed over. false = there is none. */
typedef struct cf_html_range {
    double median, least, most;
} cf_html_range;
bool cf_html_range_of(double *x, size_t n, cf_html_range *ret);

/* A number of a chart's data: six digits, null where it is not finite. */
void cf_html_json_number(cf_json *json, const char *key, double value);
void cf_html_json_estimate(cf_json *json, const char *key, const cf_estimate *estimate);
/* A text of a record as data: what a terminal must not get is left out of it. */
void cf_html_json_text(const cf_view *view, cf_json *json, const char *key, const char *s);

#endif
