#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/metric.h"
#include "report/wrap.h"

#define NUMBER_COLUMNS 6 /* of a time, without the blank before it */
#define RATIO_COLUMNS  5
#define BAR_LEAST      4
#define BAR_MOST       10
#define NAME_LEAST     8

#define RESET  "\033[0m"
#define BOLD   "\033[1m"
#define RED    "\033[1;31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"

typedef struct layout {
    const cf_view *view;
    int decimals;
    size_t name, reading, meaning; /* columns */
    int bar;
} layout;

static double time_of(const cf_variant_judgement *judged, int column)
{
    const double times[] = {judged->a_ms, judged->b_ms, judged->ab_ms, judged->exposed_ms};
    return times[column];
}

static bool fits(const cf_view *view, int decimals, int width)
{
    char buf[CF_VIEW_NUMBER_BYTES];
    for (int i = 0; i < view->judgement->variant_count; i++) {
        for (int column = 0; column < 4; column++) {
            double ms = time_of(&view->judgement->variants[i], column);
            if (strlen(cf_view_ms(ms, decimals, buf)) > (size_t)width)
                return false;
        }
    }
    return true;
}

int cf_table_decimals(const cf_view *view, int width)
{
    int decimals = 3;
    while (decimals > 0 && !fits(view, decimals, width))
        decimals--;
    return decimals;
}

static size_t wider(size_t width, const char *s)
{
    size_t columns = cf_text_columns(s);
    return columns > width ? columns : width;
}

static void lay_out(layout *l, const cf_view *view)
{
    *l = (layout){.view = view, .decimals = cf_table_decimals(view, NUMBER_COLUMNS)};
    l->name = wider(NAME_LEAST, "variant");
    l->reading = wider(0, "reads as");
    l->meaning = wider(0, "means");
    for (int i = 0; i < view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &view->judgement->variants[i];
        char name[CF_VIEW_NAME_BYTES];
        l->name = wider(l->name, cf_view_name(view, cf_view_variant(view, judged)->name, name));
        l->reading = wider(l->reading, cf_reading_name(judged->reading));
        l->meaning = wider(l->meaning, cf_view_meaning(view, judged));
    }
    /* Three times, "exposed" with a column more, the ratio with two blanks before it and one after. */
    size_t fixed = 3 * (NUMBER_COLUMNS + 1) + (NUMBER_COLUMNS + 2) + 2 + RATIO_COLUMNS + 1;
    size_t words = 2 + l->reading + 2 + l->meaning;
    size_t left = (size_t)view->style.columns - fixed - words; /* for the name and the bar */
    if (l->name > left - BAR_LEAST)
        l->name = left - BAR_LEAST;
    l->bar = (int)(left - l->name);
    l->bar = l->bar > BAR_MOST ? BAR_MOST : l->bar;
}

static void add_header(const layout *l, cf_text *out)
{
    cf_report_cell(out, "variant", l->name, true);
    cf_text_add(out, "%7s%7s%7s%8s  ", "A", "B", "AB", "exposed");
    cf_report_cell(out, "overlap", (size_t)(RATIO_COLUMNS + 1 + l->bar), true);
    cf_text_add(out, "  ");
    cf_report_cell(out, "reads as", l->reading, true);
    cf_text_add(out, "  means\n");
}

/* A time that no number of decimals makes short enough is shown with a power of ten. */
static void add_time(const layout *l, cf_text *out, double ms, int width)
{
    char buf[CF_VIEW_NUMBER_BYTES];
    cf_view_ms(ms, l->decimals, buf);
    if (strlen(buf) >= (size_t)width)
        snprintf(buf, sizeof buf, "%.0e", ms);
    cf_text_add(out, "%*.*s", width, width, buf);
}

static void add_overlap(const layout *l, cf_text *out, const cf_estimate *overlap)
{
    char buf[CF_VIEW_NUMBER_BYTES] = "-";
    double value = overlap->ok ? overlap->median : (double)NAN;
    cf_view_ratio(value, buf);
    if (strlen(buf) > RATIO_COLUMNS)
        snprintf(buf, sizeof buf, "%s", value > 0 ? ">9999" : "<-999");
    cf_text_add(out, "  %*s ", RATIO_COLUMNS, buf);
    cf_view_bar(out, value, l->bar, l->view->style.utf8);
}

const char *cf_table_color(const char *meaning)
{
    static const struct {
        const char *meaning, *color;
    } colors[] = {
        {"quote this", BOLD}, {"clear", GREEN},         {"clear*", GREEN}, {"CONFOUNDED", RED},
        {"A/A FAILED", RED},  {"NOT SEEN", RED},        {"INVALID", RED},  {"SPOILT", RED},
        {"starved", YELLOW},  {"inconclusive", YELLOW}, {"ENDED", YELLOW},
    };
    for (size_t i = 0; i < sizeof colors / sizeof colors[0]; i++) {
        if (!strcmp(colors[i].meaning, meaning))
            return colors[i].color;
    }
    return NULL;
}

static void add_row(const layout *l, cf_text *out, const cf_variant_judgement *judged)
{
    char name[CF_VIEW_NAME_BYTES];
    cf_view_name(l->view, cf_view_variant(l->view, judged)->name, name);
    cf_report_cell(out, name, l->name, l->view->style.utf8);
    for (int column = 0; column < 4; column++)
        add_time(l, out, time_of(judged, column), NUMBER_COLUMNS + (column == 3 ? 2 : 1));
    add_overlap(l, out, &judged->overlap);
    cf_text_add(out, "  ");
    cf_report_cell(out, cf_reading_name(judged->reading), l->reading, true);
    const char *meaning = cf_view_meaning(l->view, judged);
    const char *color = l->view->style.color ? cf_table_color(meaning) : NULL;
    cf_text_add(out, "  %s%s%s\n", color ? color : "", meaning, color ? RESET : "");
}

void cf_table_add(const cf_view *view, cf_text *out)
{
    if (view->judgement->metric) {
        cf_metric_table(view, out);
        return;
    }
    layout l;
    lay_out(&l, view);
    add_header(&l, out);
    int order[CF_MAX_VARIANTS];
    int count = cf_view_order(view, order);
    for (int i = 0; i < count; i++)
        add_row(&l, out, &view->judgement->variants[order[i]]);
}
