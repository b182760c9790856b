/* Text, tables and figures. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html/assets.h"
#include "report/html/html.h"

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void cf_html_add(cf_text *out, const char *s)
{
    while (*s) {
        size_t plain = strcspn(s, "&<>\"'");
        cf_text_add_bytes(out, s, plain);
        s += plain;
        if (*s)
            cf_text_add(out, "%s", entity(*s++));
    }
}

/* In JSON these stand in strings only, where an escape says the same; so no text can end the script element. */
void cf_html_add_json(cf_text *out, const cf_text *json)
{
    const char *s = json->data ? json->data : "null";
    out->failed |= json->failed;
    while (*s) {
        size_t plain = strcspn(s, "<>&");
        cf_text_add_bytes(out, s, plain);
        s += plain;
        if (*s)
            cf_text_add(out, "\\u%04x", (unsigned)*s++);
    }
}

void cf_html_add_paragraphs(cf_text *out, const char *tag, const char *class_name, const char *text)
{
    while (text && *text) {
        size_t size_bytes = strcspn(text, "\n");
        cf_text piece = {0};
        cf_text_add_bytes(&piece, text, size_bytes);
        cf_text_add(out, "<%s class=\"%s\">", tag, class_name);
        cf_html_add(out, piece.data ? piece.data : "");
        cf_text_add(out, "</%s>\n", tag);
        out->failed |= piece.failed;
        cf_text_done(&piece);
        text += size_bytes + (text[size_bytes] == '\n');
    }
}

void cf_html_add_sentence(const cf_view *view, cf_text *out, const char *tag, const char *class_name,
                          cf_html_sentence *sentence)
{
    cf_text text = {0};
    sentence(view, &text);
    cf_html_add_paragraphs(out, tag, class_name, text.data);
    out->failed |= text.failed;
    cf_text_done(&text);
}

/* ---- tables ---- */

static bool is_number(const cf_html_table *table, int column)
{
    return table->heads[column][0] == '#';
}

void cf_html_table_begin(cf_html_table *table, cf_text *out, const char *summary, const char *const *heads, bool open)
{
    *table = (cf_html_table){.out = out, .heads = heads, .column = -1};
    cf_text_add(out, "<details class=\"numbers\"%s><summary>", open || !cf_report_has_charts() ? " open" : "");
    cf_html_add(out, summary);
    cf_text_add(out, "</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    cf_html_add(out, summary);
    cf_text_add(out, "\"><table><thead><tr>");
    for (int i = 0; heads[i]; i++) {
        cf_text_add(out, "<th scope=\"col\"%s>", is_number(table, i) ? " class=\"n\"" : "");
        cf_html_add(out, heads[i] + is_number(table, i));
        cf_text_add(out, "</th>");
    }
    cf_text_add(out, "</tr></thead><tbody>\n");
}

static void end_row(cf_html_table *table)
{
    if (table->column >= 0)
        cf_text_add(table->out, "</tr>\n");
}

void cf_html_row(cf_html_table *table)
{
    end_row(table);
    cf_text_add(table->out, "<tr>");
    table->column = 0;
}

void cf_html_cell(cf_html_table *table, const char *text)
{
    bool names_row = table->column == 0;
    const char *class_name = is_number(table, table->column) ? " class=\"n\"" : "";
    cf_text_add(table->out, names_row ? "<th scope=\"row\"%s>" : "<td%s>", class_name);
    cf_html_add(table->out, text ? text : "");
    cf_text_add(table->out, names_row ? "</th>" : "</td>");
    table->column++;
}

void cf_html_cell_number(cf_html_table *table, double value, int decimals)
{
    char number[CF_VIEW_NUMBER_BYTES];
    cf_html_cell(table, cf_view_ms(isfinite(value) ? value : (double)NAN, decimals, number));
}

void cf_html_cell_estimate(cf_html_table *table, const cf_estimate *estimate)
{
    char number[CF_VIEW_NUMBER_BYTES];
    cf_html_cell(table, cf_view_estimate(estimate, 1, number));
}

void cf_html_table_end(cf_html_table *table, const char *note)
{
    end_row(table);
    cf_text_add(table->out, "</tbody></table></div>\n");
    if (note) {
        cf_text_add(table->out, "<p class=\"note\">");
        cf_html_add(table->out, note);
        cf_text_add(table->out, "</p>\n");
    }
    cf_text_add(table->out, "</details>\n");
}

/* ---- figures ---- */

bool cf_report_has_charts(void)
{
    return cf_html_vega().size_bytes > 0;
}

void cf_html_figure_begin(cf_text *out, const char *kind, int record, const char *title, const char *lead)
{
    cf_text_add(out, "<figure class=\"chart\" data-chart=\"%s\" data-record=\"%d\">\n<figcaption><h2>", kind, record);
    cf_html_add(out, title);
    cf_text_add(out, "</h2><p>");
    cf_html_add(out, lead);
    cf_text_add(out, "</p></figcaption>\n");
    if (cf_report_has_charts())
        cf_text_add(out, "<div class=\"legend\"></div><div class=\"plot\" tabindex=\"0\" role=\"group\" "
                         "aria-roledescription=\"chart\"></div><p class=\"note said\" hidden></p>\n");
}

void cf_html_figure_end(cf_text *out)
{
    cf_text_add(out, "</figure>\n");
}

/* ---- data ---- */

void cf_html_json_number(cf_json *json, const char *key, double value)
{
    char number[40];
    if (!isfinite(value)) {
        cf_json_null(json, key);
        return;
    }
    int length = snprintf(number, sizeof number, "%.6g", value);
    cf_json_raw(json, key, number, (size_t)length);
}

void cf_html_json_estimate(cf_json *json, const char *key, const cf_estimate *estimate)
{
    if (!estimate->ok || !isfinite(estimate->median)) {
        cf_json_null(json, key);
        return;
    }
    cf_json_array_begin(json, key, true);
    cf_html_json_number(json, NULL, estimate->median);
    cf_html_json_number(json, NULL, estimate->low);
    cf_html_json_number(json, NULL, estimate->high);
    cf_json_array_end(json);
}

void cf_html_json_text(const cf_view *view, cf_json *json, const char *key, const char *s)
{
    char safe[512];
    if (s)
        cf_json_string(json, key, cf_view_text(view, s, safe, sizeof safe));
    else
        cf_json_null(json, key);
}
