/* The layer's functions that put a command into a queue. */
#ifndef CF_INJECT_OPENCL_COMMANDS_H
#define CF_INJECT_OPENCL_COMMANDS_H

#include "inject/opencl_api.h"

/* Calls put for each. */
void cf_cl_commands(void (*put)(cf_cl_function function, cf_inject_function own));

#endif
