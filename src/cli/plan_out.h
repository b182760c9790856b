/* What the plan's commands share: a plan that is open while a command works on it, and what is said about it. */
#ifndef CF_CLI_PLAN_OUT_H
#define CF_CLI_PLAN_OUT_H

#include "cli/options.h"
#include "plan/plan.h"

/* A command on an open plan; what it did is in outcome. */
typedef cf_status cf_plan_command(cf_plan *plan, const cf_options *options, cf_plan_outcome *outcome, cf_error *err);

/* Opens the plan for a change, runs the command, prints what was found and what a person should know on standard error,
   and the claim's file with `did` on standard output ("" = the file's name alone). Returns the exit status. */
int cf_cli_plan_change(const cf_options *options, cf_plan_command *command, const char *did);
/* Findings and notes of outcome on standard error. refused: only the errors, and no notes. */
void cf_cli_plan_explain(const cf_plan_outcome *outcome, bool refused);
/* The plan as text for a terminal; only: one claim, NULL = all. */
void cf_cli_plan_print(const cf_plan *plan, const cf_plan_claim *only, bool color, cf_text *out);

#endif
