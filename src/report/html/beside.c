/* What stands beside the verdict: observations, scope, and the facts of the run. */
#include <stdio.h>
#include <string.h>

#include "report/html/html.h"
#include "report/metric.h"
#include "report/sentence.h"

static void add_note(void *user, const char *label, const char *sentence)
{
    cf_text *out = user;
    cf_text_add(out, "<dt>");
    cf_html_add(out, label);
    cf_text_add(out, "</dt>");
    cf_html_add_paragraphs(out, "dd", "said", sentence);
}

static void add_labelled(const cf_view *view, cf_text *out, const char *label, cf_html_sentence *sentence)
{
    cf_text text = {0};
    sentence(view, &text);
    if (text.size_bytes)
        add_note(out, label, text.data);
    out->failed |= text.failed;
    cf_text_done(&text);
}

static void add_pairs(const cf_view *view, cf_text *out, const char *label, const cf_pairs *pairs)
{
    if (pairs->count == 0)
        return;
    cf_text text = {0};
    for (size_t i = 0; i < pairs->count; i++) {
        char name[CF_VIEW_NAME_BYTES], value[512];
        cf_text_add(&text, "%s%s: %s", i ? "\n" : "", cf_view_name(view, pairs->items[i].name, name),
                    cf_view_text(view, pairs->items[i].value, value, sizeof value));
    }
    add_note(out, label, text.data ? text.data : "");
    out->failed |= text.failed;
    cf_text_done(&text);
}

static void add_proofs(const cf_view *view, cf_text *out)
{
    static const char *const words[] = {
        [CF_ARMED_NOTHING] = "nothing to prove", [CF_ARMED_NO] = "not armed", [CF_ARMED_YES] = "armed"};
    cf_text text = {0};
    for (int i = 0; i < view->record->variant_count; i++) {
        const cf_record_variant *variant = &view->record->variants[i];
        char name[CF_VIEW_NAME_BYTES], how[512];
        cf_text_add(&text, "%s%s: %s%s%s", i ? "\n" : "", cf_view_name(view, variant->name, name),
                    words[variant->armed], variant->armed_how ? ", " : "",
                    variant->armed_how ? cf_view_text(view, variant->armed_how, how, sizeof how) : "");
    }
    add_note(out, "Proof", text.data ? text.data : "");
    out->failed |= text.failed;
    cf_text_done(&text);
}

static void add_job_text(const cf_view *view, cf_text *out, const char *label, const char *text)
{
    cf_text_add(out, "<dt>%s</dt><dd><pre>", label);
    while (text && *text) {
        char line[512], safe[1024];
        size_t size_bytes = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(size_bytes > 500 ? 500 : size_bytes), text);
        cf_html_add(out, cf_view_text(view, line, safe, sizeof safe));
        cf_text_add(out, "\n");
        text += size_bytes + (text[size_bytes] == '\n');
    }
    cf_text_add(out, "</pre></dd>\n");
}

void cf_html_add_facts(const cf_view *view, cf_text *out)
{
    const cf_record *record = view->record;
    char text[256];
    cf_text_add(out, "<details class=\"facts\"><summary>The run: proofs, device, host, job</summary><dl>\n");
    add_note(out, "Taken", cf_view_text(view, record->created_utc, text, sizeof text));
    add_proofs(view, out);
    add_pairs(view, out, "Device", &record->device);
    add_pairs(view, out, "Host", &record->host);
    add_pairs(view, out, "Variables", &record->environment);
    if (view->judgement->metric)
        add_note(out, "Program", cf_metric_program(view, text, sizeof text));
    else
        add_job_text(view, out, "Job", record->job.text);
    if (record->has_against)
        add_job_text(view, out, "Second design", record->against.text);
    cf_text_add(out, "</dl></details>\n");
}

void cf_html_add_notes(const cf_view *view, cf_text *out)
{
    char path[1536];
    cf_text_add(out, "<section class=\"notes\"><h2>What else it says</h2><dl>\n");
    cf_sentence_notes(view, add_note, out);
    add_labelled(view, out, "Scope", cf_sentence_scope);
    if (view->style.record_path && strcmp(view->style.record_path, "-") != 0)
        add_note(out, "Record", cf_view_text(view, view->style.record_path, path, sizeof path));
    cf_text_add(out, "</dl></section>\n");
}
