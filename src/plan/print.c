/* Findings as text, JSON and annotations. */
#include "base/json_out.h"
#include "plan/escape.h"
#include "plan/plan.h"

#define CHECK_SCHEMA "confound.plan-check/1"

static const char *level_name(const cf_plan_finding *finding)
{
    return finding->level == CF_PLAN_ERROR ? "error" : "warning";
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void add_count(cf_text *out, size_t count, const char *what)
{
    cf_text_add(out, "%zu %s%s", count, what, plural(count));
}

static size_t suppressed(const cf_plan_findings *findings)
{
    return findings->count - cf_plan_findings_errors(findings, 0) - cf_plan_findings_warnings(findings, 0);
}

/* "2 errors, 1 warning, 3 findings on retracted claims (suppressed); 4 claims, 12 documents, 5 figures" */
static void add_summary(const cf_plan_findings *findings, const cf_plan_summary *summary, cf_text *out)
{
    add_count(out, cf_plan_findings_errors(findings, 0), "error");
    cf_text_add(out, ", ");
    add_count(out, cf_plan_findings_warnings(findings, 0), "warning");
    if (suppressed(findings)) {
        cf_text_add(out, ", ");
        add_count(out, suppressed(findings), "finding");
        cf_text_add(out, " on retracted or superseded claims (suppressed)");
    }
    cf_text_add(out, "; ");
    add_count(out, summary->claims, "claim");
    cf_text_add(out, ", ");
    add_count(out, summary->documents, "document");
    cf_text_add(out, ", ");
    add_count(out, summary->figures, "quoted figure");
}

void cf_plan_findings_text(const cf_plan_findings *findings, const cf_plan_summary *summary, cf_text *out)
{
    for (size_t i = 0; i < findings->count; i++) {
        const cf_plan_finding *finding = &findings->items[i];
        if (finding->justification)
            continue;
        cf_plan_add_safe(out, finding->path);
        cf_text_add(out, ":%d: %s: ", finding->line, level_name(finding));
        cf_plan_add_safe(out, finding->text);
        cf_text_add(out, " [%s]\n    %s\n", cf_plan_rule_id(finding->rule), cf_plan_rule_reason(finding->rule));
    }
    add_summary(findings, summary, out);
    cf_text_add(out, "\n");
}

void cf_plan_findings_json(const cf_plan_findings *findings, const cf_plan_summary *summary, cf_text *out)
{
    cf_json json = {.out = out};
    cf_json_object_begin(&json, NULL, false);
    cf_json_string(&json, "schema", CHECK_SCHEMA);
    cf_json_bool(&json, "passed", cf_plan_findings_errors(findings, 0) == 0);
    cf_json_uint(&json, "errors", cf_plan_findings_errors(findings, 0));
    cf_json_uint(&json, "warnings", cf_plan_findings_warnings(findings, 0));
    cf_json_uint(&json, "suppressed", suppressed(findings));
    cf_json_uint(&json, "claims", summary->claims);
    cf_json_uint(&json, "documents", summary->documents);
    cf_json_uint(&json, "figures", summary->figures);
    cf_json_array_begin(&json, "findings", false);
    for (size_t i = 0; i < findings->count; i++) {
        const cf_plan_finding *finding = &findings->items[i];
        cf_json_object_begin(&json, NULL, true);
        cf_json_string(&json, "rule", cf_plan_rule_id(finding->rule));
        cf_json_string(&json, "level", level_name(finding));
        cf_plan_json_text(&json, "path", finding->path);
        cf_json_int(&json, "line", finding->line);
        cf_plan_json_text(&json, "claim", finding->claim);
        cf_plan_json_text(&json, "text", finding->text);
        cf_json_string(&json, "reason", cf_plan_rule_reason(finding->rule));
        cf_plan_json_text(&json, "suppressed_because", finding->justification);
        cf_json_object_end(&json);
    }
    cf_json_array_end(&json);
    cf_json_object_end(&json);
}

void cf_plan_findings_github(const cf_plan_findings *findings, const cf_plan_summary *summary, cf_text *out)
{
    for (size_t i = 0; i < findings->count; i++) {
        const cf_plan_finding *finding = &findings->items[i];
        if (finding->justification)
            continue;
        cf_text_add(out, "::%s file=", level_name(finding));
        cf_plan_add_github(out, finding->path, true);
        cf_text_add(out, ",line=%d,title=", finding->line);
        cf_plan_add_github(out, cf_plan_rule_id(finding->rule), true);
        cf_text_add(out, "::");
        cf_plan_add_github(out, finding->text, false);
        cf_text_add(out, " (%s)\n", cf_plan_rule_reason(finding->rule));
    }
    add_summary(findings, summary, out);
    cf_text_add(out, "\n");
}
