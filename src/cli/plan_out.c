#include "cli/plan_out.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

void cf_cli_plan_explain(const cf_plan_outcome *outcome, bool refused)
{
    for (size_t i = 0; i < outcome->findings.count; i++) {
        const cf_plan_finding *finding = &outcome->findings.items[i];
        if (refused && finding->level != CF_PLAN_ERROR)
            continue;
        cf_cli_note("%s: %s (%s)", cf_plan_rule_id(finding->rule), finding->text, cf_plan_rule_reason(finding->rule));
    }
    for (const char *line = refused ? NULL : outcome->notes.data; line && *line;) {
        size_t length = strcspn(line, "\n");
        cf_cli_note("%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static void add_done(const cf_plan_outcome *outcome, const char *did, cf_text *out)
{
    char path[CF_PLAN_MAX_PATH + 1];
    cf_text_add(out, "%s%s%s\n", cf_text_safe(outcome->path, path, sizeof path), *did ? ": " : "", did);
}

int cf_cli_plan_change(const cf_options *options, cf_plan_command *command, const char *did)
{
    cf_error err = {0};
    cf_plan plan;
    cf_plan_outcome outcome = {.path = NULL};
    cf_text text = {0};
    cf_status status = cf_plan_open(CF_PLAN_CHANGE, &plan, &err);
    if (!status)
        status = command(&plan, options, &outcome, &err);
    int exit_status = status ? cf_cli_fail(&err) : cf_status_exit(CF_OK);
    cf_cli_plan_explain(&outcome, status != CF_OK);
    if (!status) {
        add_done(&outcome, did, &text);
        exit_status = cf_cli_finish(&text, exit_status);
    }
    cf_plan_outcome_done(&outcome);
    cf_plan_done(&plan);
    return exit_status;
}
