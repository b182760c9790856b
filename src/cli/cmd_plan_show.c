/* plan show: the plan as a person reads it. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/plan_out.h"
#include "plan/escape.h"
#include "report/wrap.h"

#define COLUMNS      CF_REPORT_COLUMNS
#define LABEL_INDENT 16

/* "  label         text", wrapped beside the label. text goes in as one line. */
static void add_labelled(cf_text *out, const char *label, const char *text)
{
    char *safe = cf_plan_safe(text);
    if (safe)
        cf_report_wrap(out, label, safe, COLUMNS, LABEL_INDENT, LABEL_INDENT);
    out->failed |= !safe;
    free(safe);
}

static void add_text(cf_text *out, const char *label, cf_text *text)
{
    add_labelled(out, label, text->data ? text->data : "");
    out->failed |= text->failed;
    cf_text_done(text);
}

/* Struck through: by the terminal where it has colours, by tildes elsewhere. */
static void add_sentence(const cf_plan_claim *claim, bool color, cf_text *out)
{
    bool retracted = claim->status == CF_PLAN_RETRACTED;
    char *safe = cf_plan_safe(claim->sentence);
    cf_text struck = {0};
    const char *begin = !retracted ? "" : color ? "\033[9m" : "~~", *end = !retracted ? "" : color ? "\033[29m" : "~~";
    cf_report_wrap(&struck, NULL, safe ? safe : "", COLUMNS - 6, 0, 0);
    for (char *rest = NULL, *line = strtok_r(struck.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        cf_text_add(out, "  %s%s%s\n", begin, line, end);
    out->failed |= !safe || struck.failed;
    cf_text_done(&struck);
    free(safe);
}

static void add_heading(const cf_plan_claim *claim, bool color, cf_text *out)
{
    static const char *const words[] = {[CF_PLAN_PROPOSED] = "proposed",
                                        [CF_PLAN_ACCEPTED] = "accepted",
                                        [CF_PLAN_ACTED_ON] = "acted on",
                                        [CF_PLAN_RETRACTED] = "RETRACTED",
                                        [CF_PLAN_SUPERSEDED] = "superseded"};
    static const char *const colors[] = {[CF_PLAN_PROPOSED] = "\033[33m",
                                         [CF_PLAN_ACCEPTED] = "\033[32m",
                                         [CF_PLAN_ACTED_ON] = "\033[1;32m",
                                         [CF_PLAN_RETRACTED] = "\033[1;31m",
                                         [CF_PLAN_SUPERSEDED] = "\033[2m"};
    cf_plan_add_safe(out, claim->id);
    cf_text_add(out, "  %s%s%s", color ? colors[claim->status] : "", words[claim->status], color ? "\033[0m" : "");
    if (claim->status == CF_PLAN_RETRACTED && claim->retraction.date)
        cf_text_add(out, " %s", claim->retraction.date);
    if (claim->status == CF_PLAN_SUPERSEDED && claim->superseded_by) {
        cf_text_add(out, " by ");
        cf_plan_add_safe(out, claim->superseded_by);
    }
    cf_text_add(out, "\n");
}

static void add_reading(const cf_plan_claim *claim, cf_text *out)
{
    const cf_plan_scope *scope = &claim->scope;
    cf_text text = {0};
    cf_text_add(&text, "%s", cf_plan_verdict_name(claim->verdict));
    if (scope->device)
        cf_text_add(&text, ", on %s", scope->device);
    if (scope->driver)
        cf_text_add(&text, ", driver %s", scope->driver);
    cf_text_add(&text, "%s", scope->simulated ? " (simulated)" : "");
    add_text(out, "  read as", &text);
}

static const char *became(const cf_plan_claim *claim, const cf_plan_work *work)
{
    for (size_t i = 0; i < claim->retraction.fate_count; i++) {
        if (!strcmp(claim->retraction.fates[i].what, work->what))
            return claim->retraction.fates[i].became;
    }
    return work->state;
}

static void add_work(const cf_plan_claim *claim, cf_text *out)
{
    for (size_t i = 0; i < claim->work_count; i++) {
        const char *fate = became(claim, &claim->work[i]);
        cf_text text = {0};
        cf_text_add(&text, "%s, since %s%s%s", claim->work[i].what, claim->work[i].since, fate ? ": " : "",
                    fate ? fate : "");
        add_text(out, "  begun on it", &text);
    }
}

static void add_evidence(const cf_plan_claim *claim, cf_text *out)
{
    for (size_t i = 0; i < claim->evidence_count; i++) {
        const cf_plan_evidence *evidence = &claim->evidence[i];
        cf_text text = {0};
        cf_text_add(&text, "%s %s%s%s, sha256 %.12s", evidence->is_trace ? "trace (no control)" : "record",
                    evidence->path, evidence->variant ? ", variant " : "", evidence->variant ? evidence->variant : "",
                    evidence->sha256);
        add_text(out, "  evidence", &text);
    }
}

static void add_claim(const cf_plan_claim *claim, bool whole, bool color, cf_text *out)
{
    add_heading(claim, color, out);
    add_sentence(claim, color, out);
    if (claim->retraction.because)
        add_labelled(out, "  because", claim->retraction.because);
    if (claim->retraction.path)
        add_labelled(out, "  overturned by", claim->retraction.path);
    add_reading(claim, out);
    add_work(claim, out);
    if (whole) {
        add_evidence(claim, out);
        add_labelled(out, "  file", claim->path);
    }
}

void cf_cli_plan_print(const cf_plan *plan, const cf_plan_claim *only, bool color, cf_text *out)
{
    const char *blank = "";
    for (size_t i = 0; i < plan->count; i++) {
        if (only && only != &plan->claims[i])
            continue;
        cf_text_add(out, "%s", blank);
        add_claim(&plan->claims[i], only != NULL, color, out);
        blank = "\n";
    }
    if (!plan->count && !only)
        cf_text_add(out, "No claim yet: confound plan claim \"SENTENCE\" makes the first.\n");
}

/* For terminals that can show no more. */
static cf_status to_ascii(cf_text *out, cf_error *err)
{
    size_t bytes = out->size_bytes + 1;
    char *ascii = malloc(bytes);
    if (!ascii)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    cf_report_ascii(out->data ? out->data : "", ascii, bytes);
    cf_text_done(out);
    cf_text_add(out, "%s", ascii);
    free(ascii);
    return CF_OK;
}

static cf_status print(const cf_options *options, const cf_plan *plan, const cf_plan_claim *only, cf_text *out,
                       cf_error *err)
{
    cf_report_style style;
    switch (options->show_format.set ? (cf_show_format)options->show_format.value : CF_SHOW_TEXT) {
    case CF_SHOW_MARKDOWN:
        return cf_plan_show_markdown(plan, only, out, err);
    case CF_SHOW_JSON:
        return cf_plan_show_json(plan, only, out, err);
    case CF_SHOW_TEXT:
        break;
    }
    cf_cli_style(options, stdout, NULL, &style);
    cf_cli_plan_print(plan, only, style.color, out);
    return style.utf8 ? CF_OK : to_ascii(out, err);
}

/* In a checkout that can't be written, the plan is shown all the same. */
static void renew_index(void)
{
    cf_plan plan;
    cf_error err = {0};
    cf_status status = cf_plan_open(CF_PLAN_CHANGE, &plan, &err);
    if (!status)
        status = cf_plan_index_update(&plan, &err);
    if (status)
        cf_cli_note("the index was not renewed: %s", err.text);
    cf_plan_done(&plan);
}

static cf_status show(const cf_options *options, cf_plan *plan, cf_text *out, cf_error *err)
{
    cf_plan_claim *only = NULL;
    cf_status status = options->id ? cf_plan_lookup(plan, options->id, &only, err) : CF_OK;
    return status ? status : print(options, plan, only, out, err);
}

/* Claims that can't be read are not shown, and not silently left out. */
static int say_unreadable(const cf_plan *plan, int exit_status)
{
    for (size_t i = 0; i < plan->unreadable.count; i++) {
        const cf_plan_finding *finding = &plan->unreadable.items[i];
        cf_cli_note("%s:%d: %s", finding->path, finding->line, finding->text);
    }
    return plan->unreadable.count ? cf_status_exit(CF_INPUT) : exit_status;
}

int cf_cmd_plan_show(const cf_options *options)
{
    cf_error err = {0};
    cf_plan plan;
    cf_text text = {0};
    cf_status status = cf_plan_open(CF_PLAN_READ, &plan, &err);
    if (!status)
        status = show(options, &plan, &text, &err);
    int exit_status = status ? cf_cli_fail(&err) : cf_cli_finish(&text, cf_status_exit(CF_OK));
    if (!status && !options->id)
        exit_status = say_unreadable(&plan, exit_status);
    cf_text_done(&text);
    cf_plan_done(&plan);
    if (!status && !options->id)
        renew_index();
    return exit_status;
}
