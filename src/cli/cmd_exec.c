#include "cli/commands.h"
#include "cli/exec.h"

int cf_cmd_exec(const cf_options *options)
{
    return cf_exec_arms(options);
}
