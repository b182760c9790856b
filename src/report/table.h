/* The table of a report, as text. */
#ifndef CF_REPORT_TABLE_H
#define CF_REPORT_TABLE_H

#include "report/view.h"

/* Header line and one line a variant; no line is wider than the style's columns. */
void cf_table_add(const cf_view *view, cf_text *out);
/* ANSI colour of a row's last cell; NULL = none. */
const char *cf_table_color(const char *meaning);
/* How many decimals the times of a table are shown with, 0 to 3, so that the widest takes at most `width` columns. */
int cf_table_decimals(const cf_view *view, int width);

#endif
