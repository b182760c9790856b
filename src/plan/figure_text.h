/* How a figure reads: what `plan quote` prints and what the gate expects are made by the same functions. */
#ifndef CF_PLAN_FIGURE_TEXT_H
#define CF_PLAN_FIGURE_TEXT_H

#include "plan/figure.h"

#define CF_PLAN_NUMBER_BYTES 352 /* any double with a few decimals */

/* Of record; "" where it has none, or one that is no plain word. */
const char *cf_plan_figure_unit(const cf_plan_record *record, cf_plan_figure figure);
/* How many decimals it is quoted with: 3; more for a small number of a whole program. */
int cf_plan_figure_decimals(cf_plan_figure figure, double value);
/* NaN where it was not measured. rate: steps of both lanes together in a second. */
double cf_plan_figure_value(const cf_variant_judgement *judged, cf_plan_figure figure);
/* Rounded to that many decimals. Returns buf. */
const char *cf_plan_figure_round(double value, int decimals, char buf[CF_PLAN_NUMBER_BYTES]);
/* The words that must stand with it: "(simulated, instrumented: timing)"; nothing where nothing is to be said. */
void cf_plan_figure_words(const cf_plan_record *record, const char *variant, cf_role role, cf_text *out);
/* Why no figure of it is quoted at all; NULL where it may be. Static text. */
const char *cf_plan_figure_why_not(const cf_plan_record *record, const cf_variant_judgement *judged, cf_role role,
                                   cf_plan_figure figure);

#endif
