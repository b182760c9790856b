/* The report for a pull request: GitHub's Markdown. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/metric.h"
#include "report/sentence.h"
#include "report/set.h"
#include "report/table.h"
#include "report/wrap.h"

#define CHART_COLUMNS 40
#define NAME_COLUMNS  16

/* A blank of no width before what would begin a list or a heading. */
#define NO_BLOCK "\u200b"

typedef void sentence_of(const cf_view *view, cf_text *out);

void cf_markdown_add_paragraphs(cf_text *out, const char *before, const char *text)
{
    while (text && *text) {
        size_t size_bytes = strcspn(text, "\n");
        cf_text piece = {0};
        cf_text_add_bytes(&piece, text, size_bytes);
        cf_text_add(out, "%s%s", before, strchr("-+=", *text) ? NO_BLOCK : ""); /* no list, no heading */
        cf_text_add_markdown(out, piece.data ? piece.data : "");
        cf_text_add(out, "%s", *before ? "\n" : "\n\n");
        out->failed |= piece.failed;
        cf_text_done(&piece);
        text += size_bytes + (text[size_bytes] == '\n');
    }
}

static void add_sentence(const cf_view *view, cf_text *out, const char *before, sentence_of *sentence)
{
    cf_text text = {0};
    sentence(view, &text);
    cf_markdown_add_paragraphs(out, before, text.data);
    out->failed |= text.failed;
    cf_text_done(&text);
}

static void add_note(void *user, const char *label, const char *sentence)
{
    cf_text *out = user;
    cf_text_add(out, "- **");
    cf_text_add_markdown(out, label);
    cf_text_add(out, "** ");
    cf_text_add_markdown(out, sentence);
    cf_text_add(out, "\n");
}

static void add_row(const cf_view *view, const cf_variant_judgement *judged, int decimals, cf_text *out)
{
    const double times[] = {judged->a_ms, judged->b_ms, judged->ab_ms, judged->exposed_ms};
    char name[CF_VIEW_NAME_BYTES], number[CF_VIEW_NUMBER_BYTES];
    cf_text_add(out, "| ");
    cf_text_add_markdown(out, cf_view_name(view, cf_view_variant(view, judged)->name, name));
    for (int i = 0; i < 4; i++)
        cf_text_add(out, " | %s", cf_view_ms(times[i], decimals, number));
    cf_text_add(out, " | %s", cf_view_estimate(&judged->overlap, 1, number));
    const char *meaning = cf_view_meaning(view, judged);
    bool loud = !strcmp(meaning, "CONFOUNDED") || !strcmp(meaning, "quote this");
    cf_text_add(out, " | %s | %s", cf_reading_name(judged->reading), loud ? "**" : "");
    cf_text_add_markdown(out, meaning);
    cf_text_add(out, "%s |\n", loud ? "**" : "");
}

static void add_table(const cf_view *view, cf_text *out)
{
    int decimals = cf_table_decimals(view, 6);
    cf_text_add(out, "| variant | A ms | B ms | AB ms | exposed ms | overlap | reads as | means |\n"
                     "|---|--:|--:|--:|--:|--:|---|---|\n");
    int order[CF_MAX_VARIANTS];
    int count = cf_view_order(view, order);
    for (int i = 0; i < count; i++)
        add_row(view, &view->judgement->variants[order[i]], decimals, out);
    cf_text_add(out, "\n");
}

static double longest_ab(const cf_view *view)
{
    double longest = 0;
    for (int i = 0; i < view->judgement->variant_count; i++)
        longest = fmax(longest, view->judgement->variants[i].ab_ms);
    return longest;
}

/* AB of each variant to one scale, in a fence: a name can't end it, since backticks are replaced. */
static void add_chart(const cf_view *view, cf_text *out)
{
    double longest = longest_ab(view);
    int order[CF_MAX_VARIANTS];
    int count = cf_view_order(view, order);
    cf_text_add(out, "AB, the wall of both lanes together:\n\n```text\n");
    for (int i = 0; i < count; i++) {
        const cf_variant_judgement *judged = &view->judgement->variants[order[i]];
        char name[CF_VIEW_NAME_BYTES], number[CF_VIEW_NUMBER_BYTES];
        cf_view_name(view, cf_view_variant(view, judged)->name, name);
        for (char *at = name; *at; at++)
            *at = *at == '`' ? '\'' : *at;
        cf_report_cell(out, name, NAME_COLUMNS, true);
        cf_text_add(out, " ");
        cf_view_bar(out, longest > 0 ? judged->ab_ms / longest : 0, CHART_COLUMNS, true);
        cf_text_add(out, " %s ms\n", cf_view_ms(judged->ab_ms, cf_table_decimals(view, 6), number));
    }
    cf_text_add(out, "```\n\n");
}

static void add_closing(const cf_view *view, cf_text *out)
{
    add_sentence(view, out, "- **Scope** ", cf_sentence_scope);
    add_sentence(view, out, "- **Next** ", cf_sentence_next);
    char path[1536];
    if (view->style.record_path && strcmp(view->style.record_path, "-") != 0) {
        cf_text_add(out, "- **Record** ");
        cf_text_add_markdown(out, cf_view_text(view, view->style.record_path, path, sizeof path));
        cf_text_add(out, "\n");
    }
}

cf_status cf_report_markdown(const cf_record *record, const cf_judgement *judgement, const cf_report_style *style,
                             cf_text *out, cf_error *err)
{
    cf_view view;
    cf_view_init(&view, record, judgement, style);
    view.style.utf8 = true;
    cf_text_add(out, "### confound: %s\n\n", cf_verdict_name(judgement->verdict));
    add_sentence(&view, out, "", cf_sentence_verdict);
    add_sentence(&view, out, "", cf_sentence_against);
    add_sentence(&view, out, "", cf_view_title);
    add_sentence(&view, out, "", cf_view_drain);
    if (judgement->metric) {
        cf_metric_markdown_table(&view, out);
    } else {
        add_table(&view, out);
        add_chart(&view, out);
    }
    cf_sentence_notes(&view, add_note, out);
    add_closing(&view, out);
    return out->failed ? cf_error_set(err, CF_MEMORY, "out of memory") : CF_OK;
}
