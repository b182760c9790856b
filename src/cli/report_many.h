/* `report` of several records: devices, drivers or days beside each other. */
#ifndef CF_CLI_REPORT_MANY_H
#define CF_CLI_REPORT_MANY_H

#include "cli/options.h"

/* Prints its own output and error line, and returns the exit status. */
int cf_report_many(const cf_options *options);

#endif
