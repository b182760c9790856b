/* A figure, its words and its marker. */
#include "plan/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/escape.h"
#include "plan/figure_text.h"

const char *const cf_plan_figure_names[] = {
#define X(name, word, unit) word,
    CF_PLAN_FIGURE_TABLE(X)
#undef X
        NULL};

#define PLAIN_UNIT "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/%"

const char *cf_plan_figure_unit(const cf_plan_record *record, cf_plan_figure figure)
{
    const char *own = record->record.metric.unit;
    if (figure == CF_PLAN_FIGURE_VALUE)
        return own && strlen(own) <= 16 && strspn(own, PLAIN_UNIT) == strlen(own) ? own : "";
    static const char *const units[] = {
#define X(name, word, unit) unit,
        CF_PLAN_FIGURE_TABLE(X)
#undef X
    };
    return figure < CF_PLAN_FIGURE_COUNT ? units[figure] : "";
}

double cf_plan_figure_value(const cf_variant_judgement *judged, cf_plan_figure figure)
{
    switch (figure) {
    case CF_PLAN_FIGURE_OVERLAP:
        return judged->overlap.ok ? judged->overlap.median : (double)NAN;
    case CF_PLAN_FIGURE_A_MS:
        return judged->a_ms;
    case CF_PLAN_FIGURE_B_MS:
        return judged->b_ms;
    case CF_PLAN_FIGURE_AB_MS:
        return judged->ab_ms;
    case CF_PLAN_FIGURE_RATE:
        return judged->ab_ms > 0 ? 1000 / judged->ab_ms : (double)NAN;
    case CF_PLAN_FIGURE_VALUE:
        return judged->value.ok ? judged->value.median : (double)NAN;
    case CF_PLAN_FIGURE_CHANGE:
        return judged->ratio.ok && judged->variant != 0 ? 100 * (judged->ratio.median - 1) : (double)NAN;
    case CF_PLAN_FIGURE_COUNT:
        break;
    }
    return (double)NAN;
}

int cf_plan_figure_decimals(cf_plan_figure figure, double value)
{
    const double size = fabs(value);
    if (figure != CF_PLAN_FIGURE_VALUE || !(size > 0) || size >= 0.1)
        return 3;
    const int decimals = 2 - (int)floor(log10(size)); /* three digits that count */
    return decimals < 12 ? decimals : 12;
}

const char *cf_plan_figure_round(double value, int decimals, char buf[CF_PLAN_NUMBER_BYTES])
{
    snprintf(buf, CF_PLAN_NUMBER_BYTES, "%.*f", decimals, value);
    if (buf[0] == '-' && strspn(buf + 1, "0.") == strlen(buf + 1))
        memmove(buf, buf + 1, strlen(buf)); /* no "-0.000" */
    return buf;
}

/* "(simulated, instrumented: timing)", "" where there is nothing to say. */
void cf_plan_figure_words(const cf_plan_record *record, const char *variant, cf_role role, cf_text *out)
{
    bool plain = cf_plan_role_is_plain(role), simulated = record->judgement.simulated;
    if (plain && !simulated)
        return;
    cf_text_add(out, "(%s%s", simulated ? "simulated" : "", simulated && !plain ? ", " : "");
    if (!plain) {
        cf_text_add(out, role == CF_ROLE_REFERENCE ? "reference: " : "instrumented: ");
        cf_plan_add_markdown(out, variant);
    }
    cf_text_add(out, ")");
}

const char *cf_plan_figure_why_not(const cf_plan_record *record, const cf_variant_judgement *judged, cf_role role,
                                   cf_plan_figure figure)
{
    if (!record->judgement.valid)
        return "its record is invalid, and no answer can be taken from it";
    if (record->judgement.sticky && cf_plan_role_is_plain(role))
        return "an instrument of the same process changed the control (sticky)";
    if (judged->starved && !record->judgement.metric)
        return "the machine was too busy to run the host's side on time (host-starved)";
    return isfinite(cf_plan_figure_value(judged, figure)) ? NULL : "it was not measured";
}

static void add_marker(const cf_plan_record *record, cf_plan_figure figure, const char *variant, bool as_instrumented,
                       cf_text *out)
{
    cf_text_add(out, "<!-- confound: record=");
    cf_plan_add_encoded(out, record->path);
    cf_text_add(out, " sha256=%s variant=", record->sha256);
    cf_plan_add_encoded(out, variant);
    cf_text_add(out, " figure=%s%s -->", cf_plan_figure_names[figure], as_instrumented ? " as-instrumented" : "");
}

cf_status cf_plan_quote(const cf_plan_record *record, cf_plan_figure figure, const char *variant, bool as_instrumented,
                        cf_text *out, cf_error *err)
{
    cf_role role = CF_ROLE_CONTROL;
    const cf_variant_judgement *judged = cf_plan_record_variant(record, variant, &role);
    char number[CF_PLAN_NUMBER_BYTES];
    bool plain = cf_plan_role_is_plain(role);
    if (!plain && !as_instrumented)
        return cf_error_set(err, CF_GATE,
                            "%s: '%s' is no control, and what it shows is not product speed; --as-instrumented quotes "
                            "it with the words that say so",
                            cf_plan_rule_id(CF_PLAN_RULE_FIGURE_INSTRUMENTED), variant);
    const char *why = cf_plan_figure_why_not(record, judged, role, figure);
    if (why)
        return cf_error_set(err, CF_GATE, "%s: %s of '%s' can't be quoted: %s",
                            cf_plan_rule_id(CF_PLAN_RULE_FIGURE_UNSUPPORTED), cf_plan_figure_names[figure], variant,
                            why);
    const char *unit = cf_plan_figure_unit(record, figure);
    const double value = cf_plan_figure_value(judged, figure);
    cf_text_add(out, "%s%s%s ", cf_plan_figure_round(value, cf_plan_figure_decimals(figure, value), number),
                *unit ? " " : "", unit);
    cf_text words = {0};
    cf_plan_figure_words(record, variant, role, &words);
    if (words.size_bytes)
        cf_text_add(out, "%s ", words.data);
    out->failed |= words.failed;
    cf_text_done(&words);
    add_marker(record, figure, variant, !plain, out);
    cf_text_add(out, "\n");
    return out->failed ? cf_error_set(err, CF_MEMORY, "out of memory") : CF_OK;
}
