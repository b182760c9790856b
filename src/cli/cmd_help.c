#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help.h"

static int fail_unknown(const char *name)
{
    cf_error err = {0};
    const char *nearest = cf_text_nearest(cf_command_names, name);
    char list[128];
    if (nearest)
        cf_error_set(&err, CF_INPUT, "help: unknown command '%s'; did you mean %s?", name, nearest);
    else
        cf_error_set(&err, CF_INPUT, "help: unknown command '%s'; commands are %s", name,
                     cf_text_list(cf_command_names, list, sizeof list));
    return cf_cli_fail(&err);
}

static int fail_unknown_plan(const char *name)
{
    cf_error err = {0};
    char list[128];
    cf_error_set(&err, CF_INPUT, "help: unknown command 'plan %s'; commands are %s", name,
                 cf_text_list(cf_plan_command_names, list, sizeof list));
    return cf_cli_fail(&err);
}

/* "run"; "plan" and "claim"; "plan claim". -1 where there is no such command. */
static int find_command(const char *name, const char *subname)
{
    char whole[64];
    int length = snprintf(whole, sizeof whole, "%s%s%s", name, subname ? " " : "", subname ? subname : "");
    for (int command = 0; length < (int)sizeof whole && command < CF_COMMAND_COUNT; command++) {
        if (command != CF_COMMAND_VERSION && !strcmp(cf_command_specs[command].name, whole))
            return command;
    }
    return -1;
}

int cf_cmd_help(const cf_options *options)
{
    cf_text text = {0};
    if (!options->name) {
        cf_help_program(&text);
        return cf_cli_finish(&text, cf_status_exit(CF_OK));
    }
    int command = find_command(options->name, options->subname);
    if (command < 0)
        return options->subname ? fail_unknown_plan(options->subname) : fail_unknown(options->name);
    cf_help_command((cf_command)command, &text);
    return cf_cli_finish(&text, cf_status_exit(CF_OK));
}

int cf_cmd_version(const cf_options *options)
{
    (void)options;
    cf_text text = {0};
    cf_text_add(&text, "confound %s\n", CONFOUND_VERSION);
    return cf_cli_finish(&text, cf_status_exit(CF_OK));
}
