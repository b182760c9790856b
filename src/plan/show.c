/* The plan as people read it in a pull request, and as programs do. */
#include <string.h>

#include "base/json_out.h"
#include "plan/escape.h"
#include "plan/plan.h"

#define PLAN_SCHEMA "confound.plan/1"

static bool is_shown(const cf_plan_claim *claim, const cf_plan_claim *only)
{
    return !only || claim == only;
}

/* ---- Markdown
 * -------------------------------------------------------------------------------------------------------- */

static void add_code(cf_text *out, const char *s)
{
    cf_text safe = {0};
    cf_plan_add_safe(&safe, s);
    for (char *at = safe.data; at && *at; at++)
        *at = *at == '`' ? '\'' : *at;
    cf_text_add(out, "`%s`", safe.data ? safe.data : "");
    out->failed |= safe.failed;
    cf_text_done(&safe);
}

static void add_scope(const cf_plan_claim *claim, cf_text *out)
{
    const cf_plan_scope *scope = &claim->scope;
    if (!scope->device && !scope->driver && !scope->simulated)
        return;
    cf_text_add(out, "- scope: ");
    if (scope->device)
        cf_plan_add_markdown(out, scope->device);
    if (scope->driver) {
        cf_text_add(out, "%sdriver ", scope->device ? ", " : "");
        cf_plan_add_markdown(out, scope->driver);
    }
    cf_text_add(out, "%s\n", !scope->simulated ? "" : scope->device || scope->driver ? " (simulated)" : "simulated");
}

static void add_evidence(const cf_plan_claim *claim, cf_text *out)
{
    for (size_t i = 0; i < claim->evidence_count; i++) {
        const cf_plan_evidence *evidence = &claim->evidence[i];
        cf_text_add(out, "- %s ", evidence->is_trace ? "trace (no control)" : "record");
        add_code(out, evidence->path);
        if (evidence->variant) {
            cf_text_add(out, ", read from ");
            add_code(out, evidence->variant);
        }
        cf_text_add(out, ", sha256 %.12s…\n", evidence->sha256);
    }
}

static const char *became(const cf_plan_claim *claim, const char *what)
{
    for (size_t i = 0; i < claim->retraction.fate_count; i++) {
        if (!strcmp(claim->retraction.fates[i].what, what))
            return claim->retraction.fates[i].became;
    }
    return NULL;
}

static void add_work(const cf_plan_claim *claim, cf_text *out)
{
    for (size_t i = 0; i < claim->work_count; i++) {
        const cf_plan_work *work = &claim->work[i];
        const char *fate = became(claim, work->what);
        cf_text_add(out, "- begun on it: ");
        cf_plan_add_markdown(out, work->what);
        cf_text_add(out, ", since %s", work->since);
        if (fate || work->state) {
            cf_text_add(out, ": ");
            cf_plan_add_markdown(out, fate ? fate : work->state);
        }
        cf_text_add(out, "\n");
    }
}

static void add_retraction(const cf_plan_claim *claim, cf_text *out)
{
    const cf_plan_retraction *retraction = &claim->retraction;
    if (!retraction->present)
        return;
    cf_text_add(out, "**Retracted%s%s**", retraction->date ? " " : "", retraction->date ? retraction->date : "");
    if (retraction->because) {
        cf_text_add(out, ": ");
        cf_plan_add_markdown(out, retraction->because);
    }
    cf_text_add(out, "\n\n");
    if (retraction->earlier_verdict) {
        cf_text_add(out, "- it was read as ~~");
        cf_plan_add_markdown(out, retraction->earlier_verdict);
        cf_text_add(out, "~~\n");
    }
    if (retraction->path) {
        cf_text_add(out, "- overturned by ");
        add_code(out, retraction->path);
        cf_text_add(out, "\n");
    }
}

static void add_claim(const cf_plan_claim *claim, cf_text *out)
{
    bool retracted = claim->status == CF_PLAN_RETRACTED;
    cf_text_add(out, "## ");
    cf_plan_add_markdown(out, claim->id);
    cf_text_add(out, "\n\n%s", retracted ? "~~" : "");
    cf_plan_add_markdown(out, claim->sentence);
    cf_text_add(out, "%s\n\n", retracted ? "~~" : "");
    add_retraction(claim, out);
    cf_text_add(out, "- status: %s", cf_plan_status_names[claim->status]);
    if (claim->status == CF_PLAN_SUPERSEDED && claim->superseded_by) {
        cf_text_add(out, " by ");
        cf_plan_add_markdown(out, claim->superseded_by);
    }
    cf_text_add(out, "\n- about %s; read as %s%s%s\n", cf_plan_about_names[claim->about], retracted ? "~~" : "",
                cf_plan_verdict_name(claim->verdict), retracted ? "~~" : "");
    add_scope(claim, out);
    add_evidence(claim, out);
    add_work(claim, out);
    cf_text_add(out, "\n");
}

cf_status cf_plan_show_markdown(const cf_plan *plan, const cf_plan_claim *only, cf_text *out, cf_error *err)
{
    if (!only)
        cf_text_add(out, "# The plan\n\n");
    for (size_t i = 0; i < plan->count; i++) {
        if (is_shown(&plan->claims[i], only))
            add_claim(&plan->claims[i], out);
    }
    return out->failed ? cf_error_set(err, CF_MEMORY, "out of memory") : CF_OK;
}

/* ---- JSON
 * ------------------------------------------------------------------------------------------------------------ */

static void json_evidence(cf_json *json, const cf_plan_claim *claim)
{
    cf_json_array_begin(json, "evidence", false);
    for (size_t i = 0; i < claim->evidence_count; i++) {
        const cf_plan_evidence *evidence = &claim->evidence[i];
        cf_json_object_begin(json, NULL, true);
        cf_json_string(json, "kind", evidence->is_trace ? "trace" : "record");
        cf_plan_json_text(json, "path", evidence->path);
        cf_json_string(json, "sha256", evidence->sha256);
        cf_plan_json_text(json, "variant", evidence->variant);
        cf_json_object_end(json);
    }
    cf_json_array_end(json);
}

static void json_work(cf_json *json, const cf_plan_claim *claim)
{
    cf_json_array_begin(json, "work", false);
    for (size_t i = 0; i < claim->work_count; i++) {
        cf_json_object_begin(json, NULL, true);
        cf_plan_json_text(json, "what", claim->work[i].what);
        cf_json_string(json, "since", claim->work[i].since);
        cf_plan_json_text(json, "state", claim->work[i].state);
        cf_json_object_end(json);
    }
    cf_json_array_end(json);
}

static void json_retraction(cf_json *json, const cf_plan_claim *claim)
{
    const cf_plan_retraction *retraction = &claim->retraction;
    if (!retraction->present) {
        cf_json_null(json, "retraction");
        return;
    }
    cf_json_object_begin(json, "retraction", false);
    cf_json_string(json, "date", retraction->date);
    cf_plan_json_text(json, "earlier_verdict", retraction->earlier_verdict);
    cf_json_object_begin(json, "overturned_by", true);
    cf_plan_json_text(json, "path", retraction->path);
    cf_json_string(json, "sha256", retraction->sha256);
    cf_json_object_end(json);
    cf_plan_json_text(json, "because", retraction->because);
    cf_json_array_begin(json, "work", false);
    for (size_t i = 0; i < retraction->fate_count; i++) {
        cf_json_object_begin(json, NULL, true);
        cf_plan_json_text(json, "what", retraction->fates[i].what);
        cf_plan_json_text(json, "became", retraction->fates[i].became);
        cf_json_object_end(json);
    }
    cf_json_array_end(json);
    cf_json_object_end(json);
}

static void json_claim(cf_json *json, const cf_plan_claim *claim)
{
    cf_json_object_begin(json, NULL, false);
    cf_plan_json_text(json, "id", claim->id);
    cf_plan_json_text(json, "path", claim->path);
    cf_plan_json_text(json, "claim", claim->sentence);
    cf_json_string(json, "about", cf_plan_about_names[claim->about]);
    cf_json_string(json, "status", cf_plan_status_names[claim->status]);
    cf_json_string(json, "verdict", cf_plan_verdict_name(claim->verdict));
    cf_json_object_begin(json, "scope", true);
    cf_plan_json_text(json, "device", claim->scope.device);
    cf_plan_json_text(json, "driver", claim->scope.driver);
    cf_json_bool(json, "simulated", claim->scope.simulated);
    cf_json_object_end(json);
    cf_plan_json_text(json, "superseded_by", claim->superseded_by);
    json_evidence(json, claim);
    json_work(json, claim);
    json_retraction(json, claim);
    cf_json_object_end(json);
}

cf_status cf_plan_show_json(const cf_plan *plan, const cf_plan_claim *only, cf_text *out, cf_error *err)
{
    cf_json json = {.out = out};
    cf_json_object_begin(&json, NULL, false);
    cf_json_string(&json, "schema", PLAN_SCHEMA);
    cf_json_array_begin(&json, "claims", false);
    for (size_t i = 0; i < plan->count; i++) {
        if (is_shown(&plan->claims[i], only))
            json_claim(&json, &plan->claims[i]);
    }
    cf_json_array_end(&json);
    cf_json_object_end(&json);
    return out->failed ? cf_error_set(err, CF_MEMORY, "out of memory") : CF_OK;
}
