/* Figures of a record in documents. `plan quote` prints one with a marker behind it, an HTML comment in one line:
     16.000 ms <!-- confound: record=plan/evidence/x.json sha256=… variant=none figure=ab_ms -->
   The gate finds the markers, and holds the figure before each against its record. */
#ifndef CF_PLAN_FIGURE_H
#define CF_PLAN_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/finding.h"
#include "plan/plan.h"

#define CF_PLAN_FIGURE_TABLE(X)                                                                                        \
    X(OVERLAP, "overlap", "")                                                                                          \
    X(A_MS, "a_ms", "ms")                                                                                              \
    X(B_MS, "b_ms", "ms")                                                                                              \
    X(AB_MS, "ab_ms", "ms")                                                                                            \
    X(RATE, "rate", "steps/s")                                                                                         \
    X(VALUE, "value", "")    /* of a whole program; in the record's unit */                                            \
    X(CHANGE, "change", "%") /* the same, above the control's */
typedef enum cf_plan_figure {
#define X(name, word, unit) CF_PLAN_FIGURE_##name,
    CF_PLAN_FIGURE_TABLE(X)
#undef X
        CF_PLAN_FIGURE_COUNT
} cf_plan_figure;
extern const char *const cf_plan_figure_names[]; /* NULL-terminated */

/* The figure with its marker and a newline. GATE: an instrument's without as_instrumented, an invalid record's, one
   that was not measured. record: of cf_plan_named_file. */
cf_status cf_plan_quote(const cf_plan_record *record, cf_plan_figure figure, const char *variant, bool as_instrumented,
                        cf_text *out, cf_error *err) CF_MUST_CHECK;

/* A marker taken apart, in storage of its own. */
typedef struct cf_plan_marker {
    char record[CF_PLAN_MAX_PATH + 1], sha256[65], variant[1024];
    cf_plan_figure figure;
    bool as_instrumented;
} cf_plan_marker;
/* text: what stands between "confound:" and "-->". NULL, or what is wrong with it (static text). */
const char *cf_plan_marker_parse(const char *text, size_t size_bytes, cf_plan_marker *ret_marker);
/* The next marker of a line from offset *at on: false where there is none. ret_before: where its comment begins;
   ret_text and ret_bytes: its inside, ret_bytes SIZE_MAX where the comment does not end in the line. Moves *at behind
   it. Code spans are passed over. */
bool cf_plan_marker_next(const char *line, size_t line_bytes, size_t *at, size_t *ret_before, const char **ret_text,
                         size_t *ret_bytes);

/* All markers of one document. ret_count is added to. */
cf_status cf_plan_check_document(cf_plan *plan, const char *path, const char *text, size_t size_bytes,
                                 size_t *ret_count, cf_plan_findings *findings, cf_error *err) CF_MUST_CHECK;

#endif
