#include "report/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/metric.h"
#include "report/wrap.h"

#define NAME_COLUMNS 40

void cf_view_init(cf_view *view, const cf_record *record, const cf_judgement *judgement, const cf_report_style *style)
{
    *view = (cf_view){.record = record, .judgement = judgement, .style = *style};
    if (view->style.columns == 0)
        view->style.columns = CF_REPORT_COLUMNS;
    if (view->style.columns < CF_REPORT_COLUMNS_MIN)
        view->style.columns = CF_REPORT_COLUMNS_MIN;
}

const char *cf_view_text(const cf_view *view, const char *s, char *buf, size_t buf_bytes)
{
    if (view->style.utf8)
        return cf_text_safe(s ? s : "-", buf, buf_bytes);
    char safe[2048];
    cf_text_safe(s ? s : "-", safe, sizeof safe < buf_bytes ? sizeof safe : buf_bytes);
    return cf_report_ascii(safe, buf, buf_bytes);
}

const char *cf_view_name(const cf_view *view, const char *s, char buf[CF_VIEW_NAME_BYTES])
{
    cf_view_text(view, s, buf, CF_VIEW_NAME_BYTES - 4);
    if (cf_text_columns(buf) > NAME_COLUMNS)
        snprintf(buf + cf_report_fit(buf, NAME_COLUMNS - 1), 4, "%s", view->style.utf8 ? "\u2026" : "~");
    return buf;
}

static const char *put(char buf[CF_VIEW_NUMBER_BYTES], const char *s)
{
    snprintf(buf, CF_VIEW_NUMBER_BYTES, "%s", s);
    return buf;
}

/* A value that rounds to zero has no sign. */
static double unsigned_zero(double value, int decimals)
{
    return fabs(value) < 0.5 * pow(10, -decimals) ? 0 : value;
}

const char *cf_view_ms(double ms, int decimals, char buf[CF_VIEW_NUMBER_BYTES])
{
    if (isnan(ms))
        return put(buf, "-");
    snprintf(buf, CF_VIEW_NUMBER_BYTES, fabs(ms) < 1e15 ? "%.*f" : "%.*e", decimals, unsigned_zero(ms, decimals));
    return buf;
}

const char *cf_view_ratio(double value, char buf[CF_VIEW_NUMBER_BYTES])
{
    return cf_view_ms(value, fabs(value) < 100 ? 2 : 0, buf);
}

static const char *end_of_interval(double value, char buf[CF_VIEW_NUMBER_BYTES])
{
    return isfinite(value) ? cf_view_ratio(value, buf) : put(buf, "?");
}

const char *cf_view_estimate(const cf_estimate *estimate, double scale, char buf[CF_VIEW_NUMBER_BYTES])
{
    if (!estimate->ok)
        return put(buf, "-");
    char median[CF_VIEW_NUMBER_BYTES], low[CF_VIEW_NUMBER_BYTES], high[CF_VIEW_NUMBER_BYTES];
    cf_view_ratio(estimate->median * scale, median);
    end_of_interval((scale < 0 ? estimate->high : estimate->low) * scale, low);
    end_of_interval((scale < 0 ? estimate->low : estimate->high) * scale, high);
    snprintf(buf, CF_VIEW_NUMBER_BYTES, "%.18s [%.18s, %.18s]", median, low, high);
    return buf;
}

const cf_record_variant *cf_view_variant(const cf_view *view, const cf_variant_judgement *judged)
{
    return &view->record->variants[judged->variant];
}

static int rank_of(cf_role role, int variant)
{
    if (variant == 0)
        return 0;
    static const int ranks[CF_ROLE_COUNT] = {
        [CF_ROLE_INSTRUMENT] = 1, [CF_ROLE_CONTROL] = 2, [CF_ROLE_REPLICA] = 3,
        [CF_ROLE_REFERENCE] = 4,  [CF_ROLE_DESIGN] = 5,
    };
    return ranks[role];
}

int cf_view_order(const cf_view *view, int ret_order[CF_MAX_VARIANTS])
{
    int count = 0;
    for (int rank = 0; rank <= 5; rank++) {
        for (int i = 0; i < view->judgement->variant_count && count < CF_MAX_VARIANTS; i++) {
            const cf_variant_judgement *judged = &view->judgement->variants[i];
            if (rank_of(cf_view_variant(view, judged)->role, judged->variant) == rank)
                ret_order[count++] = i;
        }
    }
    return count;
}

bool cf_view_has_because(const cf_reasons *reasons, cf_because because)
{
    for (int i = 0; i < reasons->count; i++) {
        if (reasons->items[i] == because)
            return true;
    }
    return false;
}

static const char *effect_meaning(const cf_variant_judgement *judged)
{
    switch (judged->effect.verdict) {
    case CF_EFFECT_CONFOUNDED:
        return "CONFOUNDED";
    case CF_EFFECT_CLEAR:
        return cf_view_has_because(&judged->because, CF_BECAUSE_NOTHING_TO_REMOVE) ? "clear*" : "clear";
    case CF_EFFECT_INCONCLUSIVE:
        return "inconclusive";
    case CF_EFFECT_NONE:
        break;
    }
    return "-";
}

static const char *replica_meaning(const cf_variant_judgement *judged)
{
    switch (judged->effect.verdict) {
    case CF_EFFECT_CONFOUNDED:
        return "A/A FAILED";
    case CF_EFFECT_CLEAR:
        return "A/A clear";
    case CF_EFFECT_INCONCLUSIVE:
    case CF_EFFECT_NONE:
        break;
    }
    return "A/A open";
}

/* A control that an instrument or a busy machine has touched is not product speed. */
static const char *control_meaning(const cf_view *view, const cf_variant_judgement *judged)
{
    if (judged->variant != 0)
        return view->judgement->metric ? "control" : "other wait";
    if (!view->judgement->valid)
        return "INVALID";
    if (view->judgement->metric && !judged->value.ok)
        return "no numbers";
    if (view->judgement->sticky)
        return "SPOILT";
    return judged->starved && !view->judgement->metric ? "starved" : "quote this";
}

const char *cf_view_meaning(const cf_view *view, const cf_variant_judgement *judged)
{
    switch (cf_view_variant(view, judged)->role) {
    case CF_ROLE_CONTROL:
        return control_meaning(view, judged);
    case CF_ROLE_REPLICA:
        return replica_meaning(judged);
    case CF_ROLE_REFERENCE:
        return judged->reference_ok ? "as it must" : "NOT SEEN";
    case CF_ROLE_DESIGN:
        return "2nd design";
    case CF_ROLE_INSTRUMENT:
    case CF_ROLE_COUNT:
        break;
    }
    return cf_view_variant(view, judged)->ended ? "ENDED" : effect_meaning(judged);
}

void cf_view_lane(const cf_view *view, const cf_record_job *job, int lane, cf_text *out)
{
    const cf_record_lane *l = &job->lane[lane];
    char name[CF_VIEW_NAME_BYTES];
    bool own = strcmp(l->op, CF_OP_OWN) == 0;
    if (own && !l->label)
        cf_text_add(out, "step %c", 'a' + lane);
    else if (own && l->count == 1)
        cf_text_add(out, "%s", cf_view_name(view, l->label, name));
    else
        cf_text_add(out, "%lld x %s", (long long)l->count, cf_view_name(view, cf_record_lane_what(l), name));
}

void cf_view_title(const cf_view *view, cf_text *out)
{
    const cf_record *record = view->record;
    char name[CF_VIEW_NAME_BYTES];
    if (view->judgement->metric) {
        cf_metric_title(view, out);
        return;
    }
    if (cf_record_is_own(record) && strcmp(record->job.name, "steps") != 0)
        cf_text_add(out, "%s: ", cf_view_name(view, record->job.name, name));
    cf_view_lane(view, &record->job, 0, out);
    cf_text_add(out, " beside ");
    cf_view_lane(view, &record->job, 1, out);
    if (cf_record_is_own(record))
        cf_text_add(out, ", the caller's own");
    if (!cf_record_is_own(record) || strcmp(record->device_backend, "steps") != 0)
        cf_text_add(out, " on %s", cf_view_name(view, record->device_backend, name));
    cf_text_add(out, "%s, %ld round%s", record->simulated ? " (simulated)" : "", view->judgement->rounds,
                view->judgement->rounds == 1 ? "" : "s");
}

/* Whose clock timed the rounds: the host's, unless the device has one of its own. */
static const char *whose_clock(const cf_record *record)
{
    const char *name = record->clock_name ? record->clock_name : "CLOCK_MONOTONIC";
    if (strcmp(name, "CLOCK_MONOTONIC") == 0)
        return "host clock";
    return strcmp(name, "virtual") == 0 ? "virtual clock" : "the device's own clock";
}

void cf_view_drain(const cf_view *view, cf_text *out)
{
    if (view->judgement->metric) {
        cf_metric_how(view, out);
        return;
    }
    char name[CF_VIEW_NAME_BYTES];
    long long in_flight = view->record->job.in_flight;
    cf_text_add(out, "ms a step, %s; ", whose_clock(view->record));
    if (in_flight == 1)
        cf_text_add(out, "one step in flight");
    else
        cf_text_add(out, "%lld steps in flight", in_flight);
    cf_text_add(out, ", then drained; host waits: %s", cf_view_name(view, view->record->job.wait, name));
}

void cf_view_bar(cf_text *out, double value, int cells, bool utf8)
{
    double clamped = value >= 0 ? fmin(value, 1) : 0; /* NaN is 0 too */
    int full = (int)lround(clamped * cells);
    for (int i = 0; i < cells; i++) {
        if (utf8)
            cf_text_add(out, "%s", i < full ? "\u2588" : "\u2591");
        else
            cf_text_add(out, "%c", i < full ? '#' : '.');
    }
}
