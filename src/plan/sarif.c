/* SARIF 2.1.0, for code scanning. What is retracted stays, suppressed and with its reason. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json_out.h"
#include "plan/escape.h"
#include "plan/plan.h"

#define SARIF_SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static void add_message(cf_json *json, const char *key, const char *text)
{
    cf_json_object_begin(json, key, true);
    cf_plan_json_text(json, "text", text);
    cf_json_object_end(json);
}

static const char *level_word(cf_plan_level level)
{
    return level == CF_PLAN_ERROR ? "error" : "warning";
}

static void add_rules(cf_json *json)
{
    cf_json_array_begin(json, "rules", false);
    for (int rule = 0; rule < CF_PLAN_RULE_COUNT; rule++) {
        cf_json_object_begin(json, NULL, false);
        cf_json_string(json, "id", cf_plan_rule_id((cf_plan_rule)rule));
        add_message(json, "shortDescription", cf_plan_rule_reason((cf_plan_rule)rule));
        cf_json_object_begin(json, "defaultConfiguration", true);
        cf_json_string(json, "level", level_word(cf_plan_rule_level((cf_plan_rule)rule)));
        cf_json_object_end(json);
        cf_json_object_end(json);
    }
    cf_json_array_end(json);
}

static void add_tool(cf_json *json)
{
    cf_json_object_begin(json, "tool", false);
    cf_json_object_begin(json, "driver", false);
    cf_json_string(json, "name", "confound");
    cf_json_string(json, "version", CONFOUND_VERSION);
    add_rules(json);
    cf_json_object_end(json);
    cf_json_object_end(json);
}

static void add_location(cf_json *json, const cf_plan_finding *finding)
{
    cf_text uri = {0};
    cf_plan_add_encoded(&uri, finding->path);
    cf_json_array_begin(json, "locations", true);
    cf_json_object_begin(json, NULL, true);
    cf_json_object_begin(json, "physicalLocation", true);
    cf_json_object_begin(json, "artifactLocation", true);
    cf_json_string(json, "uri", uri.data ? uri.data : "");
    cf_json_string(json, "uriBaseId", "%SRCROOT%");
    cf_json_object_end(json);
    cf_json_object_begin(json, "region", true);
    cf_json_int(json, "startLine", finding->line);
    cf_json_object_end(json);
    cf_json_object_end(json);
    cf_json_object_end(json);
    cf_json_array_end(json);
    json->out->failed |= uri.failed;
    cf_text_done(&uri);
}

/* The same finding keeps its fingerprint when lines move. */
static void add_fingerprint(cf_json *json, const cf_plan_finding *finding)
{
    char *text = cf_text_format("%s\n%s\n%s", cf_plan_rule_id(finding->rule), finding->path, finding->text);
    char hex[CF_HASH_TEXT_BYTES] = "";
    if (text)
        cf_hash_sha256(text, strlen(text), hex);
    json->out->failed |= !text;
    free(text);
    cf_json_object_begin(json, "partialFingerprints", true);
    cf_json_string(json, "confoundPlan/v1", hex);
    cf_json_object_end(json);
}

static void add_suppressions(cf_json *json, const cf_plan_finding *finding)
{
    cf_json_array_begin(json, "suppressions", true);
    if (finding->justification) {
        cf_json_object_begin(json, NULL, true);
        cf_json_string(json, "kind", "inSource");
        cf_json_string(json, "status", "accepted");
        cf_plan_json_text(json, "justification", finding->justification);
        cf_json_object_end(json);
    }
    cf_json_array_end(json);
}

static void add_result(cf_json *json, const cf_plan_finding *finding)
{
    cf_json_object_begin(json, NULL, false);
    cf_json_string(json, "ruleId", cf_plan_rule_id(finding->rule));
    cf_json_int(json, "ruleIndex", (int64_t)finding->rule);
    cf_json_string(json, "level", level_word(finding->level));
    add_message(json, "message", finding->text);
    add_location(json, finding);
    add_fingerprint(json, finding);
    add_suppressions(json, finding);
    cf_json_object_end(json);
}

void cf_plan_findings_sarif(const cf_plan_findings *findings, cf_text *out)
{
    cf_json json = {.out = out};
    cf_json_object_begin(&json, NULL, false);
    cf_json_string(&json, "$schema", SARIF_SCHEMA);
    cf_json_string(&json, "version", "2.1.0");
    cf_json_array_begin(&json, "runs", false);
    cf_json_object_begin(&json, NULL, false);
    add_tool(&json);
    cf_json_object_begin(&json, "originalUriBaseIds", false);
    cf_json_object_begin(&json, "%SRCROOT%", false);
    add_message(&json, "description", "the repository's root");
    cf_json_object_end(&json);
    cf_json_object_end(&json);
    cf_json_string(&json, "columnKind", "utf16CodeUnits");
    cf_json_array_begin(&json, "results", false);
    for (size_t i = 0; i < findings->count; i++)
        add_result(&json, &findings->items[i]);
    cf_json_array_end(&json);
    cf_json_object_end(&json);
    cf_json_array_end(&json);
    cf_json_object_end(&json);
}
