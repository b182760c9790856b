/* confound exec, by how the arms are told apart. */
#ifndef CF_CLI_EXEC_H
#define CF_CLI_EXEC_H

#include "cli/options.h"

/* A process for each arm and round. Prints its own error line; returns the exit status. */
int cf_exec_arms(const cf_options *options);

#endif
