/* The commands. Each prints its own output and its own error line, and returns the program's exit status:
   0 done, 1 --expect met by another decided or an invalid verdict, 2 usage or bad input, 3 --expect met by an
   inconclusive one, 4 no such device, 5 the device failed (docs/commands.md). */
#ifndef CF_CLI_COMMANDS_H
#define CF_CLI_COMMANDS_H

#include "cli/options.h"

int cf_cmd_run(const cf_options *options);
int cf_cmd_exec(const cf_options *options);
int cf_cmd_judge(const cf_options *options);
int cf_cmd_report(const cf_options *options);
int cf_cmd_devices(const cf_options *options);
int cf_cmd_models(const cf_options *options);
int cf_cmd_jobs(const cf_options *options);
int cf_cmd_plan_init(const cf_options *options);
int cf_cmd_plan_claim(const cf_options *options);
int cf_cmd_plan_accept(const cf_options *options);
int cf_cmd_plan_act(const cf_options *options);
int cf_cmd_plan_retract(const cf_options *options);
int cf_cmd_plan_show(const cf_options *options);
int cf_cmd_plan_quote(const cf_options *options);
int cf_cmd_plan_check(const cf_options *options);
int cf_cmd_help(const cf_options *options);
int cf_cmd_version(const cf_options *options);

/* The whole program but for main(): parses, dispatches, returns the exit status. */
int cf_cli_main(int argc, char **argv);

#endif
