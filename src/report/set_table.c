/* A set's report as Markdown and as CSV. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/set.h"
#include "report/view.h"

/* ---- Markdown ---- */

typedef void sentence_of(const cf_set_judgement *set, const cf_report_style *style, cf_text *out);

static void add_sentence(const cf_set_judgement *set, const cf_report_style *style, sentence_of *sentence,
                         const char *before, cf_text *out)
{
    cf_text text = {0};
    sentence(set, style, &text);
    cf_markdown_add_paragraphs(out, before, text.data);
    out->failed |= text.failed;
    cf_text_done(&text);
}

static void add_header(const cf_set_judgement *set, cf_text *out)
{
    cf_text_add(out, "| ");
    cf_text_add_markdown(out, set->set->key != NULL ? set->set->key : "process");
    cf_text_add(out, " | overlap of none | exposed ms | reads as |");
    for (int i = 0; i < set->instrument_count; i++) {
        cf_text_add(out, " ");
        cf_text_add_markdown(out, set->instruments[i]);
        cf_text_add(out, " |");
    }
    cf_text_add(out, " verdict |\n|---|--:|--:|---|");
    for (int i = 0; i <= set->instrument_count; i++)
        cf_text_add(out, "---|");
    cf_text_add(out, "\n");
}

static const cf_variant_judgement *named(const cf_set_result *result, const char *name)
{
    for (int v = 0; result->ok && v < result->judgement.variant_count; v++)
        if (strcmp(result->record.variants[v].name, name) == 0)
            return &result->judgement.variants[v];
    return NULL;
}

static void add_row(const cf_set_judgement *set, int member, cf_text *out)
{
    const cf_set_result *result = &set->results[member];
    const cf_variant_judgement *control =
        result->ok && result->judgement.variant_count > 0 ? &result->judgement.variants[0] : NULL;
    char label[192], number[CF_VIEW_NUMBER_BYTES];
    cf_text_add(out, "| ");
    cf_text_add_markdown(out, cf_set_label(set, member, label, sizeof label));
    cf_text_add(out, " | %s", control != NULL ? cf_view_estimate(&control->overlap, 1, number) : "-");
    cf_text_add(out, " | %s", control != NULL ? cf_view_ms(control->exposed_ms, 3, number) : "-");
    cf_text_add(out, " | %s |", control != NULL ? cf_reading_name(control->reading) : "-");
    for (int i = 0; i < set->instrument_count; i++) {
        const cf_variant_judgement *judged = named(result, set->instruments[i]);
        const char *effect = judged != NULL ? cf_effect_name(judged->effect.verdict) : NULL;
        cf_text_add(out, " %s %s%s |", judged != NULL ? cf_view_estimate(&judged->effect.delta, 1, number) : "-",
                    effect != NULL ? effect : "", judged != NULL && cf_set_is_starred(judged) ? "\\*" : "");
    }
    cf_text_add(out, " %s |\n", cf_set_outcome(set, member));
}

cf_status cf_report_set_markdown(const cf_set_judgement *set, const cf_report_style *style, cf_text *out, cf_error *err)
{
    cf_report_style utf8 = *style;
    utf8.utf8 = true;
    cf_text_add(out, "### confound: %s%s%s\n\n", cf_set_kind_names[set->set->kind],
                set->set->kind == CF_SET_PROCESSES ? ", " : "",
                set->set->kind == CF_SET_PROCESSES ? cf_verdict_name(set->verdict) : "");
    add_sentence(set, &utf8, cf_set_sentence_answer, "", out);
    add_sentence(set, &utf8, cf_set_sentence_title, "", out);
    add_header(set, out);
    for (int i = 0; i < set->set->member_count; i++)
        add_row(set, set->rows[i], out);
    cf_text_add(out, "\n");
    add_sentence(set, &utf8, cf_set_sentence_scope, "- **Scope** ", out);
    add_sentence(set, &utf8, cf_set_sentence_assumed, "- **Assumed** ", out);
    add_sentence(set, &utf8, cf_set_sentence_taken_away, "- **Control** ", out);
    for (int i = 0; set->set->kind == CF_SET_RECORDS && i < set->set->member_count; i++) {
        cf_text text = {0};
        if (set->results[i].ok)
            cf_set_sentence_record(set, i, &utf8, &text);
        cf_markdown_add_paragraphs(out, "- ", text.data);
        out->failed |= text.failed;
        cf_text_done(&text);
    }
    return out->failed ? cf_error_set(err, CF_MEMORY, "out of memory") : CF_OK;
}

/* ---- CSV ---- */

/* Empty = unknown. */
static void add_number(cf_text *out, double value)
{
    char number[40];
    cf_text_add(out, ",%s", isfinite(value) ? cf_text_shortest(value, number, sizeof number) : "");
}

static void add_estimate(cf_text *out, const cf_estimate *estimate, bool there)
{
    bool ok = there && estimate->ok;
    add_number(out, ok ? estimate->median : (double)NAN);
    add_number(out, ok ? estimate->low : (double)NAN);
    add_number(out, ok ? estimate->high : (double)NAN);
}

static void add_start(const cf_set_judgement *set, int member, cf_text *out)
{
    const cf_set_member *m = &set->set->members[member];
    const cf_set_result *result = &set->results[member];
    cf_text_add(out, "%s,", cf_set_kind_names[set->set->kind]);
    cf_csv_add_string(out, set->set->key);
    cf_text_add(out, ",");
    cf_csv_add_string(out, set->set->values.items[m->group]);
    add_number(out, set->set->kind == CF_SET_SWEEP ? set->groups[m->group].number : (double)NAN);
    cf_text_add(out, ",%d,%s,%s,", m->process, cf_set_state_names[m->state],
                result->ok ? cf_verdict_name(result->judgement.verdict) : "");
}

static void add_variant(const cf_set_judgement *set, int member, int v, cf_text *out)
{
    const cf_set_result *result = &set->results[member];
    const cf_variant_judgement *judged = &result->judgement.variants[v];
    const char *effect = cf_effect_name(judged->effect.verdict);
    add_start(set, member, out);
    cf_csv_add_string(out, result->record.variants[v].name);
    cf_text_add(out, ",%s,%s,%s", cf_role_name(result->record.variants[v].role), cf_reading_name(judged->reading),
                effect != NULL ? effect : "");
    add_estimate(out, &judged->overlap, true);
    add_estimate(out, &judged->effect.delta, effect != NULL);
    add_number(out, judged->a_ms);
    add_number(out, judged->b_ms);
    add_number(out, judged->ab_ms);
    add_number(out, judged->exposed_ms);
    cf_text_add(out, ",%ld,", result->judgement.rounds);
    cf_csv_add_string(out, set->set->members[member].path);
    cf_text_add(out, "\n");
}

cf_status cf_report_set_csv(const cf_set_judgement *set, cf_text *out, cf_error *err)
{
    cf_text_add(out, "kind,key,value,number,process,state,verdict,variant,role,reading,effect,overlap,overlap_low,"
                     "overlap_high,delta,delta_low,delta_high,a_ms,b_ms,ab_ms,exposed_ms,rounds,record\n");
    for (int i = 0; i < set->set->member_count; i++) {
        int member = set->rows[i];
        const cf_set_result *result = &set->results[member];
        for (int v = 0; result->ok && v < result->judgement.variant_count; v++)
            add_variant(set, member, v, out);
        if (result->ok)
            continue;
        add_start(set, member, out);
        cf_text_add(out, ",,,,,,,,,,,,,,,");
        cf_csv_add_string(out, set->set->members[member].path);
        cf_text_add(out, "\n");
    }
    return out->failed ? cf_error_set(err, CF_MEMORY, "out of memory") : CF_OK;
}
