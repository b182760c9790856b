/* confound exec, by how the arms are told apart. */
#ifndef CF_CLI_EXEC_H
#define CF_CLI_EXEC_H

#include "cli/options.h"

/* A process for each arm and round. Prints its own error line; returns the exit status. */
int cf_exec_arms(const cf_options *options);
/* One process, whose timing flags are turned from step to step. The same. */
int cf_exec_toggle(const cf_options *options);

#endif
