/* --explain: whose commands are told, and shown. */
#ifndef CF_CLI_EXPLAIN_H
#define CF_CLI_EXPLAIN_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/options.h"
#include "record/record.h"
#include "report/report.h"
#include "run/job.h"

#define CF_EXPLAIN_AUTO "auto" /* what --explain says alone; no variant is called so */

typedef struct cf_explain {
    bool named;
    int variants[2]; /* indices in the record's order; -1 = none. -1, -1 where they are not named */
} cf_explain;

/* Of a run: value is the option's, the names are the job's variants and, with against, that one's. INPUT names those
   that are accepted. */
cf_status cf_explain_of_job(const char *value, const cf_job *job, bool has_against, cf_explain *ret_explain,
                            cf_error *err) CF_MUST_CHECK;
/* The control and the instrument that changed the overlap most, of those that can; where the control cannot, two
   instruments. Judges the record. */
void cf_explain_pick(const cf_explain *explain, const cf_record *record, const bool *can, int ret_variants[2]);

/* Of a record with spans: those that are named, or the first two that it has. INPUT: it has none of them;
   UNSUPPORTED: it has no spans at all, and how to get some. */
cf_status cf_explain_of_record(const char *value, const cf_record *record, cf_explain *ret_explain,
                               cf_error *err) CF_MUST_CHECK;
/* The timelines under the text of a run. A record without spans has said why among what was not done. */
cf_status cf_explain_append(const cf_options *options, const cf_record *record, const cf_report_style *style,
                            cf_text *out, cf_error *err) CF_MUST_CHECK;

#endif
