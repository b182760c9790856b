#include "cli/commands.h"
#include "cli/exec.h"

int cf_cmd_exec(const cf_options *options)
{
    return options->toggle.set ? cf_exec_toggle(options) : cf_exec_arms(options);
}
