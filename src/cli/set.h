/* Sets: many runs, each in a fresh process, and what they say together. */
#ifndef CF_CLI_SET_H
#define CF_CLI_SET_H

#include "cli/options.h"

/* The end of `run`, and what `judge` and `report` do, with a set. Print their own output and error line, and return the
   exit status. */
int cf_set_run(const cf_options *options);
int cf_set_judge(const cf_options *options);
int cf_set_report(const cf_options *options);

#endif
