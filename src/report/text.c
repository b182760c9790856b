/* The report for a terminal. */
#include <string.h>

#include "report/metric.h"
#include "report/sentence.h"
#include "report/table.h"
#include "report/wrap.h"

#define LABEL_COLUMNS 11

typedef struct page {
    const cf_view *view;
    cf_text *out;
} page;

/* "Label      sentence", wrapped beside the label. */
static void add_labelled(const page *p, const char *label, const char *sentence)
{
    cf_report_wrap(p->out, label, sentence, p->view->style.columns, LABEL_COLUMNS, LABEL_COLUMNS);
}

static void add_note(void *user, const char *label, const char *sentence)
{
    add_labelled(user, label, sentence);
}

static void add_wrapped(const page *p, const char *text)
{
    cf_report_wrap(p->out, NULL, text, p->view->style.columns, 0, 0);
}

typedef void sentence_of(const cf_view *view, cf_text *out);

static void add_sentence(const page *p, const char *label, sentence_of *sentence)
{
    cf_text text = {0};
    sentence(p->view, &text);
    if (text.size_bytes && label)
        add_labelled(p, label, text.data);
    else if (text.size_bytes)
        add_wrapped(p, text.data);
    p->out->failed |= text.failed;
    cf_text_done(&text);
}

static void add_verdict(const page *p)
{
    static const struct {
        const char *word, *color;
    } words[] = {
        [CF_VERDICT_INVALID] = {"INVALID", "\033[1;31m"},
        [CF_VERDICT_CONFOUNDED] = {"CONFOUNDED", "\033[1;31m"},
        [CF_VERDICT_INCONCLUSIVE] = {"INCONCLUSIVE", "\033[1;33m"},
        [CF_VERDICT_CLEAR] = {"CLEAR", "\033[1;32m"},
    };
    bool color = p->view->style.color;
    cf_verdict verdict = p->view->judgement->verdict;
    cf_text_add(p->out, "%s%s%s\n", color ? words[verdict].color : "", words[verdict].word, color ? "\033[0m" : "");
    add_sentence(p, NULL, cf_sentence_verdict);
}

static void add_title(const page *p)
{
    add_sentence(p, NULL, cf_view_title);
    add_sentence(p, NULL, cf_view_drain);
    cf_text_add(p->out, "\n");
}

static const char *armed_word(cf_armed armed)
{
    static const char *const words[] = {
        [CF_ARMED_NOTHING] = "nothing to prove", [CF_ARMED_NO] = "not armed", [CF_ARMED_YES] = "armed"};
    return words[armed];
}

static void add_proofs(const page *p)
{
    for (int i = 0; i < p->view->record->variant_count; i++) {
        const cf_record_variant *variant = &p->view->record->variants[i];
        char name[CF_VIEW_NAME_BYTES], how[512];
        cf_text text = {0};
        cf_text_add(&text, "%s: %s", cf_view_name(p->view, variant->name, name), armed_word(variant->armed));
        if (variant->armed_how)
            cf_text_add(&text, ", %s", cf_view_text(p->view, variant->armed_how, how, sizeof how));
        else if (variant->armed_expected)
            cf_text_add(&text, " (%lld of %lld)", (long long)variant->armed_count, (long long)variant->armed_expected);
        add_labelled(p, i ? "" : "Proof", text.data ? text.data : "");
        p->out->failed |= text.failed;
        cf_text_done(&text);
    }
}

static void add_pairs(const page *p, const char *label, const cf_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        char name[CF_VIEW_NAME_BYTES], value[512];
        cf_text text = {0};
        cf_text_add(&text, "%s: %s", cf_view_name(p->view, pairs->items[i].name, name),
                    cf_view_text(p->view, pairs->items[i].value, value, sizeof value));
        add_labelled(p, i ? "" : label, text.data ? text.data : "");
        p->out->failed |= text.failed;
        cf_text_done(&text);
    }
}

static void add_lane(const page *p, int lane)
{
    const cf_record_lane *l = &p->view->record->job.lane[lane];
    char unit[CF_VIEW_NAME_BYTES];
    cf_text text = {0};
    cf_text_add(&text, "%c: ", 'a' + lane);
    cf_view_lane(p->view, &p->view->record->job, lane, &text);
    if (l->length == 0 && strcmp(l->op, CF_OP_OWN) == 0)
        cf_text_add(&text, ", the caller's own, never stretched");
    else
        cf_text_add(&text, " of %lld%s%s, %s", (long long)l->length, l->unit[0] ? " " : "",
                    cf_view_name(p->view, l->unit, unit), l->given ? "as given" : "calibrated");
    add_labelled(p, lane ? "" : "Lanes", text.data ? text.data : "");
    p->out->failed |= text.failed;
    cf_text_done(&text);
}

static void add_arms(const page *p)
{
    for (int i = 0; i < p->view->record->variant_count; i++) {
        const cf_record_variant *variant = &p->view->record->variants[i];
        char name[CF_VIEW_NAME_BYTES], prefix[1024];
        cf_text text = {0};
        cf_text_add(&text, "%s: %s", cf_view_name(p->view, variant->name, name),
                    variant->prefix ? cf_view_text(p->view, variant->prefix, prefix, sizeof prefix)
                                    : "nothing before the program");
        add_labelled(p, i ? "" : "Arms", text.data ? text.data : "");
        p->out->failed |= text.failed;
        cf_text_done(&text);
    }
}

static void add_details(const page *p)
{
    cf_text_add(p->out, "\n");
    if (p->view->judgement->metric) {
        add_arms(p);
    } else {
        add_lane(p, 0);
        add_lane(p, 1);
    }
    add_proofs(p);
    add_pairs(p, "Device", &p->view->record->device);
    add_pairs(p, "Host", &p->view->record->host);
    add_pairs(p, "Variables", &p->view->record->environment);
}

static void add_record_path(const page *p)
{
    char path[1536];
    const char *shown = p->view->style.record_path;
    if (shown && strcmp(shown, "-") != 0)
        add_labelled(p, "Record", cf_view_text(p->view, shown, path, sizeof path));
}

static cf_status finish(const cf_text *out, cf_error *err)
{
    return out->failed ? cf_error_set(err, CF_MEMORY, "out of memory") : CF_OK;
}

cf_status cf_report_text(const cf_record *record, const cf_judgement *judgement, const cf_report_style *style,
                         cf_text *out, cf_error *err)
{
    cf_view view;
    cf_view_init(&view, record, judgement, style);
    page p = {.view = &view, .out = out};
    add_title(&p);
    cf_table_add(&view, out);
    cf_text_add(out, "\n");
    add_verdict(&p);
    cf_text_add(out, "\n");
    add_sentence(&p, "Design 2", cf_sentence_against);
    cf_sentence_notes(&view, add_note, &p);
    if (style->verbose)
        add_details(&p);
    add_sentence(&p, "Scope", cf_sentence_scope);
    add_sentence(&p, "Next", cf_sentence_next);
    add_record_path(&p);
    return finish(out, err);
}

cf_status cf_report_verdict(const cf_record *record, const cf_judgement *judgement, const cf_report_style *style,
                            cf_text *out, cf_error *err)
{
    cf_view view;
    cf_view_init(&view, record, judgement, style);
    page p = {.view = &view, .out = out};
    add_verdict(&p);
    return finish(out, err);
}
