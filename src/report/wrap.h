/* Words into lines. */
#ifndef CF_REPORT_WRAP_H
#define CF_REPORT_WRAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Adds text (valid UTF-8, '\n' = a new paragraph) broken at blanks into lines of at most `columns` terminal columns;
   the first line of each paragraph is indented by `first`, the others by `rest`. `before` (may be NULL) stands at the
   very beginning, within `first`: "  --quiet" beside its explanation. A word that is longer than a line is cut. */
void cf_report_wrap(cf_text *out, const char *before, const char *text, int columns, int first, int rest);

/* The longest beginning of s (valid UTF-8) that fits `columns`, in bytes; a combining mark stays with its letter. */
size_t cf_report_fit(const char *s, size_t columns);

/* Adds s cut to `columns`, the last column(s) being "…" (ASCII: "~") where it was cut, then blanks up to `columns`. */
void cf_report_cell(cf_text *out, const char *s, size_t columns, bool utf8);

/* Copies s with every character beyond ASCII replaced: dashes and quotation marks by theirs, others by '?'. Returns
   buf. For terminals that cannot show them. */
const char *cf_report_ascii(const char *s, char *buf, size_t buf_bytes);

#endif
