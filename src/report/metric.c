/* Names and numbers of a metric experiment. */
#include "report/metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PERCENT       100
#define LARGE         1e5 /* percent: from here on it is a power of ten that matters */
#define FINE_INTERVAL 0.1 /* percent: a narrower interval has a second decimal */

static const char *percent_end(double value, int decimals, char buf[CF_VIEW_NUMBER_BYTES])
{
    if (!isfinite(value))
        snprintf(buf, CF_VIEW_NUMBER_BYTES, "?");
    else if (fabs(value) >= LARGE)
        snprintf(buf, CF_VIEW_NUMBER_BYTES, "%.0e", value);
    else
        cf_view_ms(value, decimals, buf);
    return buf;
}

static const char *percent(const cf_estimate *ratio, bool sign, bool turned, char buf[CF_VIEW_NUMBER_BYTES])
{
    if (!ratio->ok) {
        snprintf(buf, CF_VIEW_NUMBER_BYTES, "-");
        return buf;
    }
    double turn = turned ? -1 : 1;
    double median = turn * (ratio->median - 1) * PERCENT;
    double low = turn * ((turned ? ratio->high : ratio->low) - 1) * PERCENT;
    double high = turn * ((turned ? ratio->low : ratio->high) - 1) * PERCENT;
    int decimals = high - low < FINE_INTERVAL ? 2 : 1;
    char middle[CF_VIEW_NUMBER_BYTES], from[CF_VIEW_NUMBER_BYTES], to[CF_VIEW_NUMBER_BYTES];
    percent_end(median, decimals, middle);
    const bool rises = middle[0] != '-' && strspn(middle, "0.") != strlen(middle);
    snprintf(buf, CF_VIEW_NUMBER_BYTES, "%s%.16s %% [%.16s, %.16s]", sign && rises ? "+" : "", middle,
             percent_end(low, decimals, from), percent_end(high, decimals, to));
    return buf;
}

const char *cf_metric_change(const cf_variant_judgement *judged, char buf[CF_VIEW_NUMBER_BYTES])
{
    return percent(&judged->ratio, true, false, buf);
}

const char *cf_metric_amount(const cf_variant_judgement *judged, char buf[CF_VIEW_NUMBER_BYTES])
{
    return percent(&judged->ratio, false, judged->ratio.median < 1, buf);
}

const char *cf_metric_number(double value, char buf[CF_VIEW_NUMBER_BYTES])
{
    int decimals = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : value >= 0.001 ? 3 : 6;
    if (value >= 1e9 || (value > 0 && value < 1e-3)) {
        snprintf(buf, CF_VIEW_NUMBER_BYTES, "%.3e", value);
        return buf;
    }
    return cf_view_ms(value, decimals, buf);
}

const char *cf_metric_column(const cf_view *view, char *buf, size_t buf_bytes)
{
    const cf_record_metric *metric = &view->record->metric;
    char name[CF_VIEW_NAME_BYTES], unit[CF_VIEW_NAME_BYTES];
    cf_view_name(view, metric->name, name);
    cf_view_name(view, metric->unit, unit);
    bool apart = metric->unit[0] && strcmp(metric->unit, metric->name) != 0;
    snprintf(buf, buf_bytes, "%s%s%s", name, apart ? " " : "", apart ? unit : "");
    return buf;
}

const char *cf_metric_program(const cf_view *view, char *buf, size_t buf_bytes)
{
    const cf_strings *program = &view->record->metric.program;
    cf_text words = {0};
    for (size_t i = 0; i < program->count; i++)
        cf_text_add(&words, "%s%s", i ? " " : "", program->items[i]);
    char name[CF_VIEW_NAME_BYTES];
    snprintf(buf, buf_bytes, "%s", words.data && words.data[0] ? cf_view_name(view, words.data, name) : "a program");
    cf_text_done(&words);
    return buf;
}

bool cf_metric_has_facts(const cf_view *view)
{
    for (int i = 0; i < view->judgement->variant_count; i++)
        if (!isnan(view->judgement->variants[i].user_ms))
            return true;
    return false;
}

bool cf_metric_ran(const cf_view *view, const cf_round *round, int variant)
{
    const cf_record_variant *of = &view->record->variants[variant];
    return !of->ended || of->ended_round >= round->number;
}

void cf_metric_title(const cf_view *view, cf_text *out)
{
    char program[CF_VIEW_NAME_BYTES];
    int arms = 0;
    for (int v = 0; v < view->record->variant_count; v++)
        arms += view->record->variants[v].role == CF_ROLE_INSTRUMENT;
    cf_text_add(out, "%s under %d arm%s%s, %ld round%s", cf_metric_program(view, program, sizeof program), arms,
                arms == 1 ? "" : "s", view->record->simulated ? " (simulated)" : "", view->judgement->rounds,
                view->judgement->rounds == 1 ? "" : "s");
}

void cf_metric_how(const cf_view *view, cf_text *out)
{
    static const char *const sources[] = {
        [CF_SOURCE_WALL] = "wall time of the whole process, host clock",
        [CF_SOURCE_CPU] = "user and system time of the process and of those that it waited for",
        [CF_SOURCE_REGEX] = "what the program prints",
        [CF_SOURCE_FILE] = "what the program writes into a file",
        [CF_SOURCE_STEP] = "wall time of a step inside the program, host clock",
    };
    const cf_record_metric *metric = &view->record->metric;
    char column[2 * CF_VIEW_NAME_BYTES], detail[256];
    cf_text_add(out, "%s, %s is better: %s", cf_metric_column(view, column, sizeof column),
                cf_better_names[metric->better], sources[metric->source]);
    if (metric->detail)
        cf_text_add(out, " (%s)", cf_view_text(view, metric->detail, detail, sizeof detail));
    cf_text_add(out, view->judgement->design == CF_DESIGN_BETWEEN ? "; a process an arm and round, in random order"
                                                                  : "; one process, arms in random order");
}
