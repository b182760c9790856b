/* plan check: the gate. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "plan/plan.h"

static void print(const cf_options *options, const cf_plan *plan, const cf_plan_check_result *result, cf_text *out)
{
    cf_plan_summary summary = {
        .claims = plan->count + plan->unreadable.count, .documents = result->documents, .figures = result->figures};
    switch (options->check_format.set ? (cf_check_format)options->check_format.value : CF_CHECK_TEXT) {
    case CF_CHECK_JSON:
        cf_plan_findings_json(&result->findings, &summary, out);
        return;
    case CF_CHECK_SARIF:
        cf_plan_findings_sarif(&result->findings, out);
        return;
    case CF_CHECK_GITHUB:
        cf_plan_findings_github(&result->findings, &summary, out);
        return;
    case CF_CHECK_TEXT:
        break;
    }
    cf_plan_findings_text(&result->findings, &summary, out);
}

static cf_status check(const cf_options *options, cf_plan *plan, cf_text *out, bool *ret_passed, cf_error *err)
{
    cf_plan_check_request request = {
        .against = options->against, .paths = options->paths.items, .path_count = options->paths.count};
    cf_plan_check_result result;
    cf_status status = cf_plan_check(plan, &request, &result, err);
    if (status)
        return status;
    *ret_passed = cf_plan_findings_errors(&result.findings, 0) == 0;
    print(options, plan, &result, out);
    cf_plan_findings_done(&result.findings);
    return CF_OK;
}

int cf_cmd_plan_check(const cf_options *options)
{
    cf_error err = {0};
    cf_plan plan;
    cf_text text = {0};
    bool passed = false;
    cf_status status = cf_plan_open(options->against ? CF_PLAN_READ_IF_THERE : CF_PLAN_READ, &plan, &err);
    if (!status)
        status = check(options, &plan, &text, &passed, &err);
    cf_plan_done(&plan);
    if (!status)
        return cf_cli_finish(&text, cf_status_exit(passed ? CF_OK : CF_GATE));
    cf_text_done(&text);
    return cf_cli_fail(&err);
}
