/* Commands on a time axis, in characters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/explain.h"
#include "report/wrap.h"

#define COLUMNS_MAX 400
#define ROWS_MAX    4  /* of a track */
#define TRACKS_MAX  12 /* of a variant */
#define TICK_LEAST  8  /* columns from one number of the axis to the next */

typedef enum glyph {
    GLYPH_IDLE,
    GLYPH_WAITS,
    GLYPH_A,
    GLYPH_A_NEXT,
    GLYPH_B,
    GLYPH_B_NEXT,
    GLYPH_STANDS,
    GLYPH_OTHER,
    GLYPH_RECORD,
    GLYPH_HOLD,
    GLYPH_COUNT
} glyph;

static const struct {
    const char *ascii, *utf8, *color;
} glyphs[GLYPH_COUNT] = {
    [GLYPH_IDLE] = {" ", " ", ""},
    [GLYPH_WAITS] = {".", "\u00b7", "\033[2m"},
    [GLYPH_A] = {"a", "\u2591", "\033[36m"},
    [GLYPH_A_NEXT] = {"A", "\u2592", "\033[36m"},
    [GLYPH_B] = {"b", "\u2588", "\033[33m"},
    [GLYPH_B_NEXT] = {"B", "\u2593", "\033[33m"},
    [GLYPH_STANDS] = {"w", "\u2504", ""},
    [GLYPH_OTHER] = {"o", "\u25aa", ""},
    [GLYPH_RECORD] = {"|", "\u2502", "\033[35m"},
    [GLYPH_HOLD] = {":", "\u2506", "\033[35m"},
};

typedef struct line {
    glyph cells[COLUMNS_MAX];
} line;

void cf_chart_init(cf_chart *chart, const cf_view *view, int64_t end_ns)
{
    int columns = view->style.columns - CF_CHART_LABEL - 1;
    columns = columns < COLUMNS_MAX ? columns : COLUMNS_MAX;
    *chart = (cf_chart){.view = view, .columns = columns, .column_ns = (double)(end_ns > 0 ? end_ns : 1) / columns};
}

static const char *symbol(const cf_chart *chart, glyph g)
{
    return chart->view->style.utf8 ? glyphs[g].utf8 : glyphs[g].ascii;
}

static void add_symbol(const cf_chart *chart, glyph g, const char **color, cf_text *out)
{
    const char *wanted = chart->view->style.color ? glyphs[g].color : "";
    if (strcmp(*color, wanted) != 0)
        cf_text_add(out, "%s%s", **color ? "\033[0m" : "", wanted);
    *color = wanted;
    cf_text_add(out, "%s", symbol(chart, g));
}

static void add_line(cf_chart *chart, const char *label, const line *l, cf_text *out)
{
    int used = chart->columns;
    while (used > 0 && l->cells[used - 1] == GLYPH_IDLE)
        used--;
    if (used == 0) { /* and no blanks behind it */
        cf_text_add(out, "%s\n", label);
        return;
    }
    cf_report_cell(out, label, CF_CHART_LABEL, chart->view->style.utf8);
    const char *color = "";
    for (int i = 0; i < used; i++) {
        add_symbol(chart, l->cells[i], &color, out);
        chart->symbols |= 1u << l->cells[i];
    }
    cf_text_add(out, "%s\n", *color ? "\033[0m" : "");
}

/* ---- the axis ---- */

/* 1, 2 or 5 times a power of ten, at least that many ns. */
static double tick_ns(double least_ns)
{
    const double power = pow(10, floor(log10(least_ns)));
    for (int i = 0; i < 3; i++) {
        static const double steps[] = {1, 2, 5};
        if (steps[i] * power >= least_ns * (1 - 1e-9))
            return steps[i] * power;
    }
    return 10 * power;
}

void cf_chart_axis(const cf_chart *chart, cf_text *out)
{
    const double step_ns = tick_ns(TICK_LEAST * chart->column_ns);
    const double all_ns = chart->column_ns * chart->columns;
    const double unit_ns = all_ns >= 1e6 ? 1e6 : all_ns >= 1e3 ? 1e3 : 1;
    const int decimals = step_ns < unit_ns ? (int)ceil(-log10(step_ns / unit_ns) - 1e-9) : 0;
    char text[COLUMNS_MAX + 64];
    int used = 0;
    for (int i = 0;; i++) {
        const int at = (int)lround(i * step_ns / chart->column_ns);
        char number[48];
        const int length = snprintf(number, sizeof number, "%.*f", decimals, i * step_ns / unit_ns);
        if (at + length + 3 > chart->columns)
            break;
        used += snprintf(text + used, sizeof text - (size_t)used, "%*s%s", at - used, "", number);
    }
    snprintf(text + used, sizeof text - (size_t)used, " %s", unit_ns >= 1e6 ? "ms" : unit_ns >= 1e3 ? "us" : "ns");
    cf_text_add(out, "%*s%s\n", CF_CHART_LABEL, "", text);
}

/* ---- rows ---- */

static int column_of(const cf_chart *chart, int64_t at_ns)
{
    const int column = (int)floor((double)at_ns / chart->column_ns);
    return column < 0 ? 0 : column >= chart->columns ? chart->columns - 1 : column;
}

/* Operations of a lane are told from their neighbours where they are wide enough to be. */
static bool alternates(const cf_chart *chart, const cf_tracks *tracks, int lane)
{
    int64_t operations = 0, total_ns = 0;
    for (size_t i = 0; i < tracks->span_count; i++) {
        const cf_track_span *s = &tracks->spans[i];
        if (s->kind != CF_SPAN_OPERATION || s->span->lane != lane)
            continue;
        operations += !s->goes_on;
        total_ns += s->span->end_ns - s->span->begin_ns;
    }
    return operations > 0 && (double)total_ns / (double)operations >= 1.5 * chart->column_ns;
}

/* Of an operation. alternating: of each lane. */
static glyph glyph_of(const cf_track_span *s, const bool alternating[2])
{
    const bool next = alternating[s->span->lane] && s->span->index % 2 != 0;
    return (glyph)((s->span->lane == 0 ? GLYPH_A : GLYPH_B) + next);
}

/* In each column what took most of it. */
typedef struct canvas {
    const cf_chart *chart;
    line line;
    double most[COLUMNS_MAX], busy[COLUMNS_MAX], waits[COLUMNS_MAX]; /* ns */
} canvas;

static void cover(canvas *c, int64_t begin_ns, int64_t end_ns, double *into, glyph g, bool compete)
{
    const int last = column_of(c->chart, end_ns);
    for (int i = column_of(c->chart, begin_ns); i <= last; i++) {
        const double from = fmax((double)begin_ns, i * c->chart->column_ns);
        const double to = fmin((double)end_ns, (i + 1) * c->chart->column_ns);
        const double covered = to > from ? to - from : 0;
        into[i] += covered;
        if (!compete || covered <= c->most[i])
            continue;
        c->most[i] = covered;
        c->line.cells[i] = g;
    }
}

static void settle(canvas *c)
{
    for (int i = 0; i < c->chart->columns; i++) {
        const double idle = c->chart->column_ns - c->busy[i] - c->waits[i];
        if (c->busy[i] >= c->waits[i] && c->busy[i] >= idle * (1 - 1e-9))
            continue;
        c->line.cells[i] = c->waits[i] >= idle ? GLYPH_WAITS : GLYPH_IDLE;
    }
}

/* Something short is seen all the same. */
static void show_short(canvas *c, const cf_track_span *s, const bool alternating[2])
{
    const int at = column_of(c->chart, s->span->begin_ns);
    if ((double)(s->span->end_ns - s->span->begin_ns) < c->chart->column_ns && c->line.cells[at] <= GLYPH_WAITS)
        c->line.cells[at] = glyph_of(s, alternating);
}

static void draw_operations(canvas *c, const cf_tracks *tracks, int track, int row, const bool alternating[2])
{
    for (size_t i = 0; i < tracks->span_count; i++) {
        const cf_track_span *s = &tracks->spans[i];
        if (s->track != track || s->row != row || s->kind != CF_SPAN_OPERATION)
            continue;
        cover(c, s->span->begin_ns, s->span->end_ns, c->busy, glyph_of(s, alternating), true);
        if (s->since_ns < s->span->begin_ns)
            cover(c, s->since_ns, s->span->begin_ns, c->waits, GLYPH_WAITS, false);
    }
    settle(c);
    for (size_t i = 0; i < tracks->span_count; i++) {
        const cf_track_span *s = &tracks->spans[i];
        if (s->track == track && s->row == row && s->kind == CF_SPAN_OPERATION)
            show_short(c, s, alternating);
    }
}

/* What else the engine did, where nothing else is to be seen. */
static void draw_others(canvas *c, const cf_tracks *tracks, int track)
{
    for (size_t i = 0; i < tracks->span_count; i++) {
        const cf_track_span *s = &tracks->spans[i];
        const bool stands = s->kind == CF_SPAN_WAIT;
        if (s->track != track || (!stands && s->kind != CF_SPAN_OTHER) || s->span->begin_ns == s->span->end_ns)
            continue;
        const int last = column_of(c->chart, s->span->end_ns - 1);
        for (int at = column_of(c->chart, s->span->begin_ns); at <= last; at++)
            if (c->line.cells[at] == GLYPH_IDLE || (stands && c->line.cells[at] == GLYPH_OTHER))
                c->line.cells[at] = stands ? GLYPH_STANDS : GLYPH_OTHER;
    }
}

/* The first row has what is in no row of operations, too. */
static void draw_row(canvas *c, const cf_tracks *tracks, int track, int row, const bool alternating[2])
{
    *c = (canvas){.chart = c->chart};
    draw_operations(c, tracks, track, row, alternating);
    if (row == 0)
        draw_others(c, tracks, track);
}

static bool has_operation(const cf_tracks *tracks, int track, int row)
{
    for (size_t i = 0; i < tracks->span_count; i++) {
        const cf_track_span *s = &tracks->spans[i];
        if (s->track == track && s->row == row && s->kind == CF_SPAN_OPERATION)
            return true;
    }
    return false;
}

static bool draw_records(canvas *c, const cf_tracks *tracks, int track)
{
    bool any = false;
    *c = (canvas){.chart = c->chart};
    for (size_t i = 0; i < tracks->span_count; i++) {
        const cf_track_span *s = &tracks->spans[i];
        if (s->track != track || (s->kind != CF_SPAN_RECORD && s->kind != CF_SPAN_HOLD))
            continue;
        any = true;
        const int last = column_of(c->chart, s->span->end_ns > s->span->begin_ns ? s->span->end_ns - 1 : 0);
        int at = column_of(c->chart, s->span->begin_ns);
        do
            c->line.cells[at] = s->kind == CF_SPAN_RECORD ? GLYPH_RECORD : GLYPH_HOLD;
        while (++at <= last);
    }
    return any;
}

static void add_track(cf_chart *chart, const cf_tracks *tracks, int track, const bool alternating[2], canvas *c,
                      cf_text *out)
{
    char name[CF_VIEW_NAME_BYTES], label[CF_VIEW_NAME_BYTES + 8];
    (void)snprintf(label, sizeof label, "  %s", cf_view_name(chart->view, tracks->tracks[track].engine, name));
    for (int row = 0; row < ROWS_MAX; row++) {
        if (row > 0 && (row >= tracks->tracks[track].own_rows || !has_operation(tracks, track, row)))
            continue;
        draw_row(c, tracks, track, row, alternating);
        add_line(chart, row == 0 ? label : "", &c->line, out);
    }
    if (draw_records(c, tracks, track))
        add_line(chart, "   records", &c->line, out);
}

void cf_chart_tracks(cf_chart *chart, const cf_tracks *tracks, cf_text *out)
{
    canvas *c = calloc(1, sizeof *c);
    out->failed |= c == NULL;
    if (!c)
        return;
    c->chart = chart;
    const bool alternating[2] = {alternates(chart, tracks, 0), alternates(chart, tracks, 1)};
    for (int track = 0; track < tracks->track_count && track < TRACKS_MAX; track++)
        add_track(chart, tracks, track, alternating, c, out);
    if (tracks->track_count > TRACKS_MAX)
        cf_text_add(out, "  and %d more\n", tracks->track_count - TRACKS_MAX);
    free(c);
}

/* ---- the legend ---- */

void cf_chart_legend(const cf_chart *chart, cf_text *out)
{
    static const struct {
        glyph mark;
        const char *meaning;
    } marks[] = {
        {GLYPH_RECORD, "a record"},
        {GLYPH_HOLD, "a record that only keeps its queue"},
        {GLYPH_WAITS, "the next one is there and waits"},
        {GLYPH_STANDS, "the engine stands at a wait"},
        {GLYPH_OTHER, "another command"},
    };
    const cf_record_job *job = &chart->view->record->job;
    char name[CF_VIEW_NAME_BYTES], number[CF_VIEW_NUMBER_BYTES];
    for (int lane = 0; lane < 2; lane++) {
        const glyph g = lane ? GLYPH_B : GLYPH_A;
        cf_text_add(out, "%s%s %s of lane %c, ", symbol(chart, g), symbol(chart, (glyph)(g + 1)),
                    cf_view_name(chart->view, job->lane[lane].op, name), 'a' + lane);
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (chart->symbols & 1u << marks[i].mark)
            cf_text_add(out, "%s %s, ", symbol(chart, marks[i].mark), marks[i].meaning);
    const int decimals = chart->column_ns >= 1e6 ? 1 : chart->column_ns >= 1e4 ? 2 : 5;
    cf_text_add(out, "a column is %s ms.", cf_view_ms(chart->column_ns / 1e6, decimals, number));
}
