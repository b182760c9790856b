/* Pages of a set, and of records beside each other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html/html.h"
#include "report/sentence.h"

#define NAMES_MOST CF_MAX_VARIANTS

typedef struct names {
    const char *items[NAMES_MOST];
    bool instrument[NAMES_MOST];
    int count;
} names;

static bool has(const names *list, const char *name)
{
    for (int i = 0; i < list->count; i++) {
        if (!strcmp(list->items[i], name))
            return true;
    }
    return false;
}

/* Variants of all members, in the order in which a table shows them. */
static void gather(const cf_set_judgement *set, names *ret)
{
    *ret = (names){0};
    for (int i = 0; i < set->set->member_count; i++) {
        const cf_set_result *result = &set->results[set->rows[i]];
        int order[CF_MAX_VARIANTS];
        if (!result->ok)
            continue;
        const cf_view view = {.record = &result->record, .judgement = &result->judgement};
        int count = cf_view_order(&view, order);
        for (int k = 0; k < count; k++) {
            const cf_record_variant *variant = cf_view_variant(&view, &result->judgement.variants[order[k]]);
            if (ret->count == NAMES_MOST || has(ret, variant->name))
                continue;
            ret->instrument[ret->count] = variant->role == CF_ROLE_INSTRUMENT;
            ret->items[ret->count++] = variant->name;
        }
    }
}

static const cf_variant_judgement *named(const cf_set_result *result, const char *name)
{
    for (int v = 0; result->ok && v < result->judgement.variant_count; v++) {
        if (!strcmp(result->record.variants[v].name, name))
            return &result->judgement.variants[v];
    }
    return NULL;
}

/* ---- data ---- */

static void add_variant_data(const cf_set_result *result, const char *name, cf_json *json)
{
    const cf_variant_judgement *judged = named(result, name);
    if (!judged) {
        cf_json_null(json, NULL);
        return;
    }
    const cf_view view = {.record = &result->record, .judgement = &result->judgement};
    cf_json_object_begin(json, NULL, true);
    cf_html_json_estimate(json, "overlap", &judged->overlap);
    cf_html_json_number(json, "best", judged->best);
    cf_html_json_number(json, "seen", judged->seen.ok ? judged->seen.median : (double)NAN);
    cf_html_json_estimate(json, "delta", &judged->effect.delta);
    cf_json_string(json, "effect", cf_effect_name(judged->effect.verdict));
    cf_json_string(json, "reading", cf_reading_name(judged->reading));
    cf_json_string(json, "means", cf_view_meaning(&view, judged));
    cf_json_object_end(json);
}

static void add_point_data(const cf_set_judgement *set, const cf_view *view, const names *list, int member,
                           cf_json *json)
{
    char label[CF_VIEW_NAME_BYTES];
    cf_json_object_begin(json, NULL, false);
    cf_html_json_text(view, json, "label", cf_set_label(set, member, label, sizeof label));
    cf_html_json_text(view, json, "value", set->set->values.items[set->set->members[member].group]);
    cf_html_json_number(json, "number",
                        set->ordered ? set->groups[set->set->members[member].group].number : (double)NAN);
    cf_json_string(json, "outcome", cf_set_outcome(set, member));
    cf_json_array_begin(json, "variants", false);
    for (int i = 0; i < list->count; i++)
        add_variant_data(&set->results[member], list->items[i], json);
    cf_json_array_end(json);
    cf_json_object_end(json);
}

static void add_data(const cf_set_judgement *set, const cf_view *view, const names *list, cf_json *json)
{
    double margin = NAN;
    for (int i = 0; i < set->set->member_count && isnan(margin); i++)
        margin = set->results[i].ok ? set->results[i].judgement.margin : (double)NAN;
    cf_json_object_begin(json, NULL, false);
    cf_json_string(json, "kind", cf_set_kind_names[set->set->kind]);
    cf_html_json_text(view, json, "key", set->set->key);
    cf_json_bool(json, "ordered", set->ordered);
    cf_html_json_number(json, "margin", margin);
    cf_html_json_number(json, "low", CF_READ_LOW);
    cf_html_json_number(json, "high", CF_READ_HIGH);
    cf_json_array_begin(json, "names", true);
    for (int i = 0; i < list->count; i++)
        cf_html_json_text(view, json, NULL, list->items[i]);
    cf_json_array_end(json);
    cf_json_array_begin(json, "points", false);
    for (int i = 0; i < set->set->member_count; i++)
        add_point_data(set, view, list, set->rows[i], json);
    cf_json_array_end(json);
    cf_json_object_end(json);
}

/* ---- what is written ---- */

static void add_belief(const cf_set_judgement *set, cf_text *out)
{
    cf_html_checks list = {0};
    int done = 0, valid = 0, decided = 0, simulated = 0, emulated = 0, interrupted = 0, count = set->set->member_count;
    for (int i = 0; i < count; i++) {
        const cf_set_result *result = &set->results[i];
        done += result->ok;
        valid += result->ok && result->judgement.valid;
        decided += result->ok && result->judgement.valid && result->judgement.verdict != CF_VERDICT_INCONCLUSIVE;
        simulated += result->ok && result->record.simulated;
        emulated += result->ok && cf_is_emulated(&result->record);
        interrupted += result->ok && result->record.interrupted;
    }
    if (emulated)
        cf_html_check(&list, CF_HTML_NOTE, "Simulated",
                      "%d of %d: the driver is the vendor's own, the engines are modelled", emulated, count);
    if (simulated > emulated)
        cf_html_check(&list, CF_HTML_NOTE, "Simulated", "%d of %d: a self-test that says nothing about anyone's GPU",
                      simulated - emulated, count);
    if (simulated < done)
        cf_html_check(&list, CF_HTML_PASSED, "Hardware", "%d of %d", done - simulated, count);
    cf_html_check(&list, set->complete && !interrupted ? CF_HTML_PASSED : CF_HTML_WARNING, "Run to its end",
                  "%d of %d runs have a record%s", done, count, interrupted ? ", some stopped by the user" : "");
    cf_html_check(&list, valid == done ? CF_HTML_PASSED : CF_HTML_FAILED, "Controls",
                  "in %d of %d the control agrees with itself, serialisation shows and results are right", valid, done);
    cf_html_check(&list, decided == done ? CF_HTML_PASSED : CF_HTML_WARNING, "Decided", "%d of %d", decided, done);
    int failed = cf_html_checks_with(&list, CF_HTML_FAILED), warned = cf_html_checks_with(&list, CF_HTML_WARNING);
    const char *whom = simulated == done ? "for the model that was run, not for any GPU."
                                         : "for these processes, each on its device and driver.";
    char belief[192];
    snprintf(belief, sizeof belief, "%s%s",
             failed || !done ? "Not as it stands: look at what failed, "
             : warned        ? "With care, "
                             : "Yes, ",
             whom);
    cf_html_checks_add(&list, failed || !done ? "no" : warned ? "care" : "yes", belief, out);
}

static bool is_confounded_somewhere(const cf_set_judgement *set, const char *name)
{
    for (int i = 0; i < set->set->member_count; i++) {
        const cf_variant_judgement *judged = named(&set->results[i], name);
        if (judged && judged->effect.verdict == CF_EFFECT_CONFOUNDED)
            return true;
    }
    return false;
}

/* The answer has a paragraph an instrument, in their order: what is confounded somewhere comes first. */
static void add_answer(const cf_set_judgement *set, const cf_report_style *style, cf_text *out)
{
    cf_text answer = {0}, sorted = {0};
    cf_set_sentence_answer(set, style, &answer);
    bool by_instrument = set->set->kind != CF_SET_PROCESSES;
    for (int pass = 0; pass < 2; pass++) {
        const char *at = answer.data ? answer.data : "";
        for (int i = 0; *at; i++) {
            size_t size_bytes = strcspn(at, "\n");
            bool loud = by_instrument && i < set->instrument_count && is_confounded_somewhere(set, set->instruments[i]);
            if (loud == (pass == 0)) {
                cf_text_add(&sorted, "%s", sorted.size_bytes ? "\n" : "");
                cf_text_add_bytes(&sorted, at, size_bytes);
            }
            at += size_bytes + (at[size_bytes] == '\n');
        }
    }
    sorted.failed |= answer.failed;
    cf_html_add_answer(out, &sorted);
    cf_text_done(&sorted);
    cf_text_done(&answer);
}

typedef void sentence_of(const cf_set_judgement *set, const cf_report_style *style, cf_text *out);

static void add_about(const cf_set_judgement *set, const cf_report_style *style, cf_text *out)
{
    static sentence_of *const about[] = {cf_set_sentence_title, cf_set_sentence_scope, cf_set_sentence_assumed,
                                         cf_set_sentence_taken_away};
    for (size_t i = 0; i < sizeof about / sizeof *about; i++) {
        cf_text text = {0};
        about[i](set, style, &text);
        cf_html_add_paragraphs(out, "p", "about", text.data ? text.data : "");
        out->failed |= text.failed;
        cf_text_done(&text);
    }
}

static void add_first(const cf_set_judgement *set, const cf_report_style *style, cf_text *out)
{
    cf_verdict worst = CF_VERDICT_CLEAR;
    for (int i = 0; i < set->set->member_count; i++) {
        if (!set->results[i].ok)
            worst = worst == CF_VERDICT_CLEAR ? CF_VERDICT_INCONCLUSIVE : worst;
        else if (set->results[i].judgement.verdict < worst)
            worst = set->results[i].judgement.verdict;
    }
    cf_text_add(out, "<div class=\"first\">\n");
    if (set->set->kind == CF_SET_PROCESSES)
        cf_html_add_word(out, set->verdict, set->simulated);
    else
        cf_text_add(out, "<section class=\"answer %s\">\n<p class=\"word\">%s%s</p>\n",
                    worst == CF_VERDICT_CLEAR        ? "good"
                    : worst == CF_VERDICT_CONFOUNDED ? "bad"
                                                     : "open",
                    set->set->kind == CF_SET_RECORDS ? "COMPARED"
                    : set->set->kind == CF_SET_SWEEP ? "SWEEP"
                                                     : "VARIABLE",
                    set->simulated ? " <span class=\"tag\">simulated</span>" : "");
    add_answer(set, style, out);
    add_about(set, style, out);
    cf_text_add(out, "</section>\n");
    add_belief(set, out);
    cf_text_add(out, "</div>\n");
}

static void add_row(const cf_set_judgement *set, const cf_view *view, const names *list, int member,
                    cf_html_table *table)
{
    const cf_set_result *result = &set->results[member];
    char label[CF_VIEW_NAME_BYTES], shown[CF_VIEW_NAME_BYTES];
    cf_html_row(table);
    cf_html_cell(table, cf_view_name(view, cf_set_label(set, member, label, sizeof label), shown));
    for (int i = 0; i < list->count; i++) {
        const cf_variant_judgement *judged = named(result, list->items[i]);
        const char *effect = judged ? cf_effect_name(judged->effect.verdict) : NULL;
        char text[2 * CF_VIEW_NUMBER_BYTES + 32] = "-", number[CF_VIEW_NUMBER_BYTES];
        if (judged)
            snprintf(text, sizeof text, "%s %s%s", cf_view_estimate(&judged->overlap, 1, number),
                     effect && list->instrument[i] ? effect : cf_reading_name(judged->reading),
                     cf_set_is_starred(judged) ? "*" : "");
        cf_html_cell(table, text);
    }
    cf_html_cell(table, cf_set_outcome(set, member));
}

static void add_table(const cf_set_judgement *set, const cf_view *view, const names *list, cf_text *out)
{
    char texts[NAMES_MOST][CF_VIEW_NAME_BYTES];
    const char *heads[NAMES_MOST + 3];
    char key[CF_VIEW_NAME_BYTES];
    cf_html_table table;
    heads[0] = set->set->key ? cf_view_name(view, set->set->key, key) : "process";
    for (int i = 0; i < list->count; i++)
        heads[i + 1] = cf_view_name(view, list->items[i], texts[i]);
    heads[list->count + 1] = "verdict";
    heads[list->count + 2] = NULL;
    cf_html_table_begin(&table, out, "Numbers: overlap [95 %] and outcome of each variant", heads, false);
    for (int i = 0; i < set->set->member_count; i++)
        add_row(set, view, list, set->rows[i], &table);
    cf_html_table_end(&table, "* clear, but there was nothing to remove: no evidence of harmlessness.");
}

static void add_effect_table(const cf_set_judgement *set, const cf_view *view, const names *list, cf_text *out)
{
    char texts[NAMES_MOST][CF_VIEW_NAME_BYTES];
    const char *heads[NAMES_MOST + 2];
    char key[CF_VIEW_NAME_BYTES], label[CF_VIEW_NAME_BYTES], shown[CF_VIEW_NAME_BYTES];
    int count = 0;
    cf_html_table table;
    heads[count++] = set->set->key ? cf_view_name(view, set->set->key, key) : "process";
    for (int i = 0; i < list->count; i++) {
        if (list->instrument[i])
            heads[count++] = cf_view_name(view, list->items[i], texts[i]);
    }
    heads[count] = NULL;
    cf_html_table_begin(&table, out, "Numbers: effect on overlap [95 %]", heads, false);
    for (int m = 0; m < set->set->member_count; m++) {
        cf_html_row(&table);
        cf_html_cell(&table, cf_view_name(view, cf_set_label(set, set->rows[m], label, sizeof label), shown));
        for (int i = 0; i < list->count; i++) {
            const cf_variant_judgement *judged = named(&set->results[set->rows[m]], list->items[i]);
            const cf_estimate none = {.ok = false};
            if (list->instrument[i])
                cf_html_cell_estimate(&table, judged ? &judged->effect.delta : &none);
        }
    }
    cf_html_table_end(&table, NULL);
}

static void add_figures(const cf_set_judgement *set, const cf_view *view, const names *list, cf_text *out)
{
    char key[CF_VIEW_NAME_BYTES], lead[CF_VIEW_NAME_BYTES + 160];
    cf_view_name(view, set->set->key, key);
    if (set->ordered)
        snprintf(lead, sizeof lead, "Overlap against %s, on a logarithmic axis. 1 = the shorter lane costs nothing.",
                 key);
    else
        snprintf(lead, sizeof lead, "Overlap of each variant by the host's clock; one line a %s.",
                 set->set->key ? key : "process");
    cf_html_figure_begin(out, set->ordered ? "sweep" : "many", -1,
                         set->ordered ? "From where on does it matter?" : "Where does the answer change?", lead);
    add_table(set, view, list, out);
    cf_html_figure_end(out);
    cf_html_figure_begin(out, "many-effects", -1, "How much does each instrument change?",
                         "Overlap with the instrument less overlap without, against the margin.");
    add_effect_table(set, view, list, out);
    cf_html_figure_end(out);
}

/* What each line of a comparison stands for. */
static void add_records(const cf_set_judgement *set, const cf_report_style *style, cf_text *out)
{
    cf_text_add(out, "<details class=\"facts\"%s><summary>The records</summary><ul class=\"plain\">\n",
                set->set->kind == CF_SET_RECORDS ? " open" : "");
    for (int i = 0; i < set->set->member_count; i++) {
        int member = set->rows[i];
        cf_text text = {0};
        char path[1024];
        const cf_view view = {.style = *style};
        if (set->results[member].ok)
            cf_set_sentence_record(set, member, style, &text);
        cf_text_add(&text, "%s(%s)", text.size_bytes ? " " : "",
                    cf_view_text(&view, set->set->members[member].path, path, sizeof path));
        cf_html_add_paragraphs(out, "li", "item", text.data);
        out->failed |= text.failed;
        cf_text_done(&text);
    }
    cf_text_add(out, "</ul></details>\n");
}

cf_status cf_report_pages_add(cf_report_pages *pages, const char *label, const cf_record *record,
                              const cf_judgement *judgement, const cf_report_style *style, cf_error *err)
{
    cf_view view;
    char name[CF_VIEW_NAME_BYTES];
    cf_json json = {.out = &pages->data};
    cf_view_init(&view, record, judgement, style);
    view.style.utf8 = true;
    cf_text_add(&pages->body, "<details class=\"record\"><summary>All of ");
    cf_html_add(&pages->body, cf_view_name(&view, label, name));
    cf_text_add(&pages->body, "</summary>\n");
    cf_html_record(&view, pages->count, &pages->body);
    cf_text_add(&pages->body, "</details>\n");
    if (pages->count++)
        cf_text_add(&pages->data, ",\n");
    cf_status status = cf_html_record_data(&view, &json, err);
    if (status)
        return status;
    return pages->body.failed || pages->data.failed ? cf_error_set(err, CF_MEMORY, "out of memory") : CF_OK;
}

void cf_report_pages_done(cf_report_pages *pages)
{
    cf_text_done(&pages->body);
    cf_text_done(&pages->data);
    *pages = (cf_report_pages){0};
}

cf_status cf_report_set_html(const cf_set_judgement *set, const cf_report_pages *pages, const cf_report_style *style,
                             cf_text *out, cf_error *err)
{
    cf_report_style utf8 = *style;
    utf8.utf8 = true;
    cf_view view = {.style = utf8};
    names list;
    cf_text body = {0}, data = {0}, title = {0};
    char path[1024] = "";
    gather(set, &list);
    cf_set_sentence_title(set, &utf8, &title);
    add_first(set, &utf8, &body);
    add_figures(set, &view, &list, &body);
    add_records(set, &utf8, &body);
    if (pages)
        cf_text_add_bytes(&body, pages->body.data ? pages->body.data : "", pages->body.size_bytes);
    cf_text_add(&data, "{\"records\": [%s],\n\"set\": ", pages && pages->data.data ? pages->data.data : "");
    cf_json json = {.out = &data};
    add_data(set, &view, &list, &json);
    cf_text_add(&data, "}\n");
    if (style->record_path && set->set->kind != CF_SET_RECORDS)
        cf_view_text(&view, style->record_path, path, sizeof path);
    cf_html_page(out, title.data ? title.data : "confound", path, &body, &data);
    out->failed |= title.failed || data.failed;
    cf_text_done(&title);
    cf_text_done(&body);
    cf_text_done(&data);
    return out->failed ? cf_error_set(err, CF_MEMORY, "out of memory") : CF_OK;
}
