/* A set's report for a terminal: a row a process. Where the instruments do not fit beside each other, the table goes on
   below. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/set.h"
#include "report/table.h"
#include "report/view.h"
#include "report/wrap.h"

#define LABEL_COLUMNS  11
#define RATIO_COLUMNS  8
#define TIME_COLUMNS   11
#define READ_COLUMNS   17
#define RESULT_COLUMNS 14
#define EFFECT_LEAST   9
#define NAME_MOST      24

typedef struct table {
    const cf_set_judgement *set;
    const cf_report_style *style;
    cf_text *out;
    int columns;
    size_t label;
} table;

static const char *shown(const cf_report_style *style, const char *s, char buf[CF_VIEW_NAME_BYTES])
{
    const cf_view view = {.style = *style};
    return cf_view_name(&view, s, buf);
}

static const char *label_of(const table *t, int member, char buf[CF_VIEW_NAME_BYTES])
{
    char label[CF_VIEW_NAME_BYTES];
    return shown(t->style, cf_set_label(t->set, member, label, sizeof label), buf);
}

static int variant_of(const cf_set_result *result, const char *name)
{
    for (int v = 0; result->ok && v < result->judgement.variant_count; v++)
        if (strcmp(result->record.variants[v].name, name) == 0)
            return v;
    return -1;
}

static void begin(table *t, const cf_set_judgement *set, const cf_report_style *style, cf_text *out)
{
    *t = (table){.set = set, .style = style, .out = out};
    t->columns = style->columns < CF_REPORT_COLUMNS_MIN ? CF_REPORT_COLUMNS_MIN : style->columns;
    char name[CF_VIEW_NAME_BYTES];
    t->label = strlen("process");
    if (set->set->key != NULL && cf_text_columns(set->set->key) <= NAME_MOST)
        t->label = cf_text_columns(set->set->key);
    for (int i = 0; i < set->set->member_count; i++) {
        size_t columns = cf_text_columns(label_of(t, i, name));
        t->label = columns > t->label ? columns : t->label;
    }
    t->label = t->label > NAME_MOST ? NAME_MOST : t->label;
}

static size_t effect_columns(const table *t, int i)
{
    char name[CF_VIEW_NAME_BYTES];
    size_t columns = cf_text_columns(shown(t->style, t->set->instruments[i], name)) + 2;
    columns = columns < EFFECT_LEAST ? EFFECT_LEAST : columns;
    return columns > NAME_MOST ? NAME_MOST : columns;
}

/* How many instruments from `first` on fit into `room`; at least one. */
static int fitting(const table *t, int first, size_t room)
{
    size_t used = 0;
    int count = 0;
    while (first + count < t->set->instrument_count) {
        used += effect_columns(t, first + count);
        if (used > room && count > 0)
            break;
        count++;
    }
    return count;
}

static void add_label(const table *t, const char *label)
{
    cf_report_cell(t->out, label, t->label, t->style->utf8);
}

/* "-0.98 !": what it did to the overlap, and what that was judged to be. */
static void add_effect(const table *t, const cf_set_result *result, int instrument)
{
    static const char marks[] = {
        [CF_EFFECT_NONE] = ' ', [CF_EFFECT_INCONCLUSIVE] = '?', [CF_EFFECT_CLEAR] = '=', [CF_EFFECT_CONFOUNDED] = '!'};
    int v = variant_of(result, t->set->instruments[instrument]);
    char number[CF_VIEW_NUMBER_BYTES] = "-";
    char mark = ' ';
    if (v >= 0) {
        const cf_effect_judgement *effect = &result->judgement.variants[v].effect;
        cf_view_ratio(effect->delta.ok ? effect->delta.median : (double)NAN, number);
        mark = marks[effect->verdict];
        if (cf_set_is_starred(&result->judgement.variants[v]))
            mark = '*';
    }
    cf_text_add(t->out, "%*s %c", (int)effect_columns(t, instrument) - 2, number, mark);
}

static void add_effect_names(const table *t, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        char name[CF_VIEW_NAME_BYTES];
        size_t width = effect_columns(t, i);
        shown(t->style, t->set->instruments[i], name);
        size_t columns = cf_text_columns(name);
        columns = columns > width - 2 ? width - 2 : columns;
        cf_text_add(t->out, "%*s", (int)(width - columns), "");
        cf_report_cell(t->out, name, columns, t->style->utf8);
    }
}

static void add_control(const table *t, const cf_set_result *result)
{
    char overlap[CF_VIEW_NUMBER_BYTES] = "-", exposed[CF_VIEW_NUMBER_BYTES] = "-";
    const char *reading = "-";
    if (result->ok && result->judgement.variant_count > 0) {
        const cf_variant_judgement *control = &result->judgement.variants[0];
        cf_view_ratio(control->overlap.ok ? control->overlap.median : (double)NAN, overlap);
        cf_view_ms(control->exposed_ms, 3, exposed);
        reading = cf_reading_name(control->reading);
    }
    cf_text_add(t->out, "%*s%*s  %-*s", RATIO_COLUMNS, overlap, TIME_COLUMNS, exposed, READ_COLUMNS - 2, reading);
}

static const char *head_of(const table *t, char name[CF_VIEW_NAME_BYTES])
{
    return shown(t->style, t->set->set->key != NULL ? t->set->set->key : "process", name);
}

/* A row a process: the control, as many instruments as fit, the verdict. Returns how many fitted. */
static int add_first_table(const table *t)
{
    char name[CF_VIEW_NAME_BYTES];
    size_t fixed = t->label + RATIO_COLUMNS + TIME_COLUMNS + READ_COLUMNS + RESULT_COLUMNS;
    size_t room = (size_t)t->columns > fixed ? (size_t)t->columns - fixed : 0;
    int count = t->set->instrument_count > 0 && effect_columns(t, 0) <= room ? fitting(t, 0, room) : 0;
    add_label(t, head_of(t, name));
    cf_text_add(t->out, "%*s%*s  %-*s", RATIO_COLUMNS, "overlap", TIME_COLUMNS, "exposed ms", READ_COLUMNS - 2,
                "none reads");
    add_effect_names(t, 0, count);
    cf_text_add(t->out, "  verdict\n");
    for (int i = 0; i < t->set->set->member_count; i++) {
        int member = t->set->rows[i];
        add_label(t, label_of(t, member, name));
        add_control(t, &t->set->results[member]);
        for (int k = 0; k < count; k++)
            add_effect(t, &t->set->results[member], k);
        cf_text_add(t->out, "  %s\n", cf_set_outcome(t->set, member));
    }
    return count;
}

static void add_further_table(const table *t, int first, int count)
{
    char name[CF_VIEW_NAME_BYTES];
    cf_text_add(t->out, "\n");
    add_label(t, head_of(t, name));
    add_effect_names(t, first, count);
    cf_text_add(t->out, "\n");
    for (int i = 0; i < t->set->set->member_count; i++) {
        int member = t->set->rows[i];
        add_label(t, label_of(t, member, name));
        for (int k = first; k < first + count; k++)
            add_effect(t, &t->set->results[member], k);
        cf_text_add(t->out, "\n");
    }
}

static void add_table(const table *t)
{
    int first = add_first_table(t);
    while (first < t->set->instrument_count) {
        int count = fitting(t, first, (size_t)t->columns - t->label);
        add_further_table(t, first, count);
        first += count;
    }
}

typedef void sentence_of(const cf_set_judgement *set, const cf_report_style *style, cf_text *out);

static void add_sentence(const table *t, const char *label, sentence_of *sentence)
{
    cf_text text = {0};
    int indent = label != NULL ? LABEL_COLUMNS : 0;
    sentence(t->set, t->style, &text);
    if (text.size_bytes > 0)
        cf_report_wrap(t->out, label, text.data, t->columns, indent, indent);
    t->out->failed |= text.failed;
    cf_text_done(&text);
}

static void add_verdict(const table *t)
{
    static const char *const words[] = {[CF_VERDICT_INVALID] = "INVALID",
                                        [CF_VERDICT_CONFOUNDED] = "CONFOUNDED",
                                        [CF_VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
                                        [CF_VERDICT_CLEAR] = "CLEAR"};
    if (t->set->set->kind == CF_SET_PROCESSES)
        cf_text_add(t->out, "%s%s%s\n", t->style->color ? "\033[1m" : "", words[t->set->verdict],
                    t->style->color ? "\033[0m" : "");
    add_sentence(t, NULL, cf_set_sentence_answer);
}

static void add_places(const table *t)
{
    char path[1024];
    const cf_set *set = t->set->set;
    const cf_view view = {.style = *t->style};
    cf_text text = {0};
    if (t->style->record_path == NULL)
        return;
    cf_text_add(&text, "%s", cf_view_text(&view, t->style->record_path, path, sizeof path));
    if (!t->set->complete)
        cf_text_add(&text, "; what is missing: confound run --resume %s", path);
    cf_report_wrap(t->out, "Set", text.data, t->columns, LABEL_COLUMNS, LABEL_COLUMNS);
    cf_text_done(&text);
    cf_text_add(&text, "beside it, %s", cf_view_text(&view, set->members[t->set->rows[0]].path, path, sizeof path));
    if (set->member_count > 1)
        cf_text_add(&text, " and %d more", set->member_count - 1);
    cf_report_wrap(t->out, "Records", text.data, t->columns, LABEL_COLUMNS, LABEL_COLUMNS);
    t->out->failed |= text.failed;
    cf_text_done(&text);
}

/* One paragraph a record: what the table's labels stand for. */
static void add_records(const table *t)
{
    for (int i = 0; i < t->set->set->member_count; i++) {
        cf_text text = {0};
        if (!t->set->results[i].ok)
            continue;
        cf_set_sentence_record(t->set, i, t->style, &text);
        cf_report_wrap(t->out, i == 0 ? "Records" : "", text.data, t->columns, LABEL_COLUMNS, LABEL_COLUMNS);
        t->out->failed |= text.failed;
        cf_text_done(&text);
    }
}

static cf_status finish(const cf_text *out, cf_error *err)
{
    return out->failed ? cf_error_set(err, CF_MEMORY, "out of memory") : CF_OK;
}

cf_status cf_report_set_verdict(const cf_set_judgement *set, const cf_report_style *style, cf_text *out, cf_error *err)
{
    table t;
    begin(&t, set, style, out);
    add_verdict(&t);
    return finish(out, err);
}

cf_status cf_report_set_text(const cf_set_judgement *set, const cf_report_style *style, cf_text *out, cf_error *err)
{
    table t;
    begin(&t, set, style, out);
    add_sentence(&t, NULL, cf_set_sentence_title);
    cf_report_wrap(out, NULL,
                   "of none: overlap, exposed time in ms a step; of each instrument its effect on overlap: = clear, "
                   "! confounded, ? inconclusive, * clear, but there was nothing to remove",
                   t.columns, 0, 0);
    cf_text_add(out, "\n");
    add_table(&t);
    cf_text_add(out, "\n");
    add_verdict(&t);
    cf_text_add(out, "\n");
    add_sentence(&t, "Scope", cf_set_sentence_scope);
    add_sentence(&t, "Assumed", cf_set_sentence_assumed);
    add_sentence(&t, "Control", cf_set_sentence_taken_away);
    if (set->set->kind == CF_SET_RECORDS)
        add_records(&t);
    else
        add_places(&t);
    return finish(out, err);
}
