/* The judgement of a metric experiment in plain sentences. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/metric.h"

static const char *name_of(const cf_view *view, const cf_variant_judgement *judged, char buf[CF_VIEW_NAME_BYTES])
{
    return cf_view_name(view, cf_view_variant(view, judged)->name, buf);
}

static bool is_arm(const cf_view *view, const cf_variant_judgement *judged)
{
    return cf_view_variant(view, judged)->role == CF_ROLE_INSTRUMENT;
}

static void begin_paragraph(cf_text *out)
{
    if (out->size_bytes)
        cf_text_add(out, "\n");
}

static const char *margin_of(const cf_view *view, char buf[CF_VIEW_NUMBER_BYTES])
{
    char number[32];
    snprintf(buf, CF_VIEW_NUMBER_BYTES, "%s %%",
             cf_text_shortest(round(view->judgement->margin * 1e8) / 1e6, number, sizeof number));
    char *point = strstr(buf, ".0 %");
    if (point)
        memmove(point, point + 2, strlen(point + 2) + 1); /* "5 %", not "5.0 %" */
    return buf;
}

/* The number in the middle of a sentence; a unit of time is no name for it. */
static const char *called(const cf_view *view, char buf[CF_VIEW_NAME_BYTES])
{
    static const char *const nameless[] = {"number", "ns", "us", "ms", "s", NULL};
    const char *name = view->record->metric.name;
    return cf_text_find(nameless, name) >= 0 ? "its number" : cf_view_name(view, name, buf);
}

static const char *what_changes(const cf_view *view, char buf[CF_VIEW_NAME_BYTES])
{
    switch (view->record->metric.source) {
    case CF_SOURCE_WALL:
        return "the program's wall time";
    case CF_SOURCE_CPU:
        return "the program's processor time";
    case CF_SOURCE_STEP:
        return "the wall time of a step";
    case CF_SOURCE_REGEX:
    case CF_SOURCE_FILE:
        break;
    }
    const char *name = called(view, buf);
    return strcmp(name, "its number") == 0 ? "the program's number" : name;
}

/* "slows the program by", "raises tok/s by": what an arm does to the number, before how much. */
static void add_verb(const cf_view *view, const cf_variant_judgement *judged, cf_text *out)
{
    const cf_record_metric *metric = &view->record->metric;
    char name[CF_VIEW_NAME_BYTES];
    bool more = judged->ratio.median > 1;
    if (!judged->ratio.ok) {
        cf_text_add(out, " changes %s by", what_changes(view, name));
        return;
    }
    if (metric->source == CF_SOURCE_WALL)
        cf_text_add(out, " %s the program by", more ? "slows" : "speeds up");
    else if (metric->source == CF_SOURCE_CPU)
        cf_text_add(out, " %s the program's processor time by", more ? "raises" : "lowers");
    else if (metric->source == CF_SOURCE_STEP)
        cf_text_add(out, " %s a step by", more ? "slows" : "speeds up");
    else
        cf_text_add(out, " %s %s by", more ? "raises" : "lowers", called(view, name));
}

static void add_numbers(const cf_view *view, const cf_variant_judgement *judged, cf_text *out)
{
    char unit[CF_VIEW_NAME_BYTES], own[CF_VIEW_NUMBER_BYTES], none[CF_VIEW_NUMBER_BYTES], name[CF_VIEW_NAME_BYTES];
    const char *of = view->record->metric.unit;
    cf_view_name(view, of, unit);
    cf_text_add(out, ", %s%s%s with it and %s with %s", cf_metric_number(judged->value.median, own), of[0] ? " " : "",
                of[0] ? unit : "", cf_metric_number(view->judgement->variants[0].value.median, none),
                name_of(view, &view->judgement->variants[0], name));
}

/* The program's own timing is what was on trial: as shipped it is the product, and without it, what it could be. */
static bool add_toggled(const cf_view *view, const cf_variant_judgement *judged, cf_text *out)
{
    char amount[CF_VIEW_NUMBER_BYTES], own[CF_VIEW_NUMBER_BYTES], shipped[CF_VIEW_NUMBER_BYTES];
    bool stripped = strcmp(cf_view_variant(view, judged)->name, "stripped") == 0, more = judged->ratio.median > 1;
    if (view->record->metric.source != CF_SOURCE_STEP || view->record->design != CF_DESIGN_WITHIN)
        return false;
    cf_text_add(out,
                stripped ? "The timing that the program asks for %s: without, a step takes %s %s, %s ms in place of %s"
                         : "Timing everything would %s: a step takes %s %s, %s ms in place of %s",
                stripped ? (more ? "speeds it up" : "slows it") : (more ? "slow it" : "speed it up"),
                cf_metric_amount(judged, amount), more ? "longer" : "less", cf_metric_number(judged->value.median, own),
                cf_metric_number(view->judgement->variants[0].value.median, shipped));
    cf_text_add(out, " as shipped.");
    return true;
}

static void add_confounded(const cf_view *view, cf_text *out)
{
    for (int i = 0; i < view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &view->judgement->variants[i];
        char name[CF_VIEW_NAME_BYTES], amount[CF_VIEW_NUMBER_BYTES];
        if (!is_arm(view, judged) || judged->effect.verdict != CF_EFFECT_CONFOUNDED)
            continue;
        begin_paragraph(out);
        if (add_toggled(view, judged, out))
            continue;
        cf_text_add(out, "%s", name_of(view, judged, name));
        add_verb(view, judged, out);
        cf_text_add(out, " %s", judged->ratio.ok ? cf_metric_amount(judged, amount) : "more than can be shown");
        add_numbers(view, judged, out);
        cf_text_add(out, ". A figure taken with it is not the program's own.");
    }
}

/* "env (+0.1 % [-0.2, 0.4]) and strace (…)". Returns how many. */
static int add_clear_names(const cf_view *view, cf_text *out)
{
    int found[CF_MAX_VARIANTS], count = 0;
    for (int i = 0; i < view->judgement->variant_count && count < CF_MAX_VARIANTS; i++)
        if (is_arm(view, &view->judgement->variants[i]) &&
            view->judgement->variants[i].effect.verdict == CF_EFFECT_CLEAR)
            found[count++] = i;
    for (int i = 0; i < count; i++) {
        const cf_variant_judgement *judged = &view->judgement->variants[found[i]];
        char name[CF_VIEW_NAME_BYTES], change[CF_VIEW_NUMBER_BYTES];
        cf_text_add(out, "%s%s (%s)",
                    i == 0          ? ""
                    : i + 1 < count ? ", "
                                    : " and ",
                    name_of(view, judged, name), cf_metric_change(judged, change));
    }
    return count;
}

static void add_clear(const cf_view *view, cf_text *out)
{
    char margin[CF_VIEW_NUMBER_BYTES], name[CF_VIEW_NAME_BYTES];
    cf_text names = {0};
    if (add_clear_names(view, &names))
        cf_text_add(out, "No arm changes %s by %s or more: %s.", what_changes(view, name), margin_of(view, margin),
                    names.data ? names.data : "");
    else
        cf_text_add(out, "No arm was on trial, and the control agrees with itself.");
    out->failed |= names.failed;
    cf_text_done(&names);
}

static void add_the_clear(const cf_view *view, cf_text *out)
{
    cf_text names = {0};
    char margin[CF_VIEW_NUMBER_BYTES];
    int count = add_clear_names(view, &names);
    if (count) {
        begin_paragraph(out);
        cf_text_add(out, "Clear, within %s: %s.", margin_of(view, margin), names.data ? names.data : "");
    }
    out->failed |= names.failed;
    cf_text_done(&names);
}

static void add_ended(const cf_view *view, const cf_variant_judgement *judged, cf_text *out)
{
    const cf_record_variant *variant = cf_view_variant(view, judged);
    char text[512];
    cf_view_text(view, variant->ended, text, sizeof text);
    if (variant->ended_round)
        cf_text_add(out, "it ended in round %lld: %s", (long long)variant->ended_round, text);
    else
        cf_text_add(out, "it ended in its warm-up: %s", text);
}

static void add_reason(const cf_view *view, const cf_variant_judgement *judged, cf_text *out)
{
    cf_because because = judged->because.count ? judged->because.items[0] : CF_BECAUSE_COUNT;
    char change[CF_VIEW_NUMBER_BYTES], margin[CF_VIEW_NUMBER_BYTES], how[256];
    const cf_record_variant *variant = cf_view_variant(view, judged);
    long rounds = view->judgement->rounds, more = judged->effect.more_rounds;
    switch (because) {
    case CF_BECAUSE_ARM_ENDED:
        add_ended(view, judged, out);
        return;
    case CF_BECAUSE_TOO_FEW_ROUNDS:
        cf_text_add(out, rounds == 1 ? "1 round is too few for a decision" : "%ld rounds are too few for a decision",
                    rounds);
        return;
    case CF_BECAUSE_MORE_ROUNDS:
        cf_text_add(out, "%s so far, and about %ld more round%s would settle it", cf_metric_change(judged, change),
                    more, more == 1 ? "" : "s");
        return;
    case CF_BECAUSE_TOO_CLOSE:
        cf_text_add(out,
                    rounds < CF_METRIC_ROUNDS_TELL
                        ? "%s scatters too much so far, or sits too close to the margin of %s"
                        : "%s sits too close to the margin of %s for any number of rounds, or scatters too much",
                    cf_metric_change(judged, change), margin_of(view, margin));
        return;
    case CF_BECAUSE_OTHER_WORK:
        cf_text_add(out,
                    "its steps are other work, %.3g times as many commands as those as shipped; what the program does "
                    "goes by the times that it is told",
                    variant->work_ratio);
        return;
    case CF_BECAUSE_NOT_ARMED:
        cf_text_add(out, "no proof that it was armed (%s)", cf_view_text(view, variant->armed_how, how, sizeof how));
        return;
    default:
        cf_text_add(out, "%s", because < CF_BECAUSE_COUNT ? cf_because_meaning(because) : "nothing was decided");
    }
}

/* Which takes most: without it nothing is clear. */
static void add_undecided_replica(const cf_view *view, long more_of_arms, cf_text *out)
{
    for (int i = 0; i < view->judgement->variant_count && more_of_arms > 0; i++) {
        const cf_variant_judgement *judged = &view->judgement->variants[i];
        if (cf_view_variant(view, judged)->role == CF_ROLE_REPLICA &&
            judged->effect.verdict == CF_EFFECT_INCONCLUSIVE && judged->effect.more_rounds > more_of_arms)
            cf_text_add(out, " Whether the control agrees with itself (A/A) takes about %ld.",
                        judged->effect.more_rounds);
    }
}

static void add_undecided(const cf_view *view, cf_text *out)
{
    long more = 0;
    for (int i = 0; i < view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &view->judgement->variants[i];
        char name[CF_VIEW_NAME_BYTES];
        if (!is_arm(view, judged) || judged->effect.verdict != CF_EFFECT_INCONCLUSIVE)
            continue;
        begin_paragraph(out);
        cf_text_add(out, "Undecided on %s: ", name_of(view, judged, name));
        add_reason(view, judged, out);
        cf_text_add(out, ".");
        more = judged->effect.more_rounds > more ? judged->effect.more_rounds : more;
    }
    add_undecided_replica(view, more, out);
}

static void add_replica_differs(const cf_view *view, cf_text *out)
{
    for (int i = 0; i < view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &view->judgement->variants[i];
        char amount[CF_VIEW_NUMBER_BYTES];
        if (cf_view_variant(view, judged)->role != CF_ROLE_REPLICA || judged->effect.verdict != CF_EFFECT_CONFOUNDED)
            continue;
        cf_text_add(out,
                    "The control differs from itself: two identical arms are %s apart. Something other than an "
                    "arm changes between runs.",
                    cf_metric_amount(judged, amount));
        return;
    }
}

static void add_unproven(const cf_view *view, cf_text *out)
{
    char how[256];
    const cf_record_variant *control = &view->record->variants[0];
    cf_text_add(out, "The control did not prove that nothing was armed: %s.",
                control->armed_how ? cf_view_text(view, control->armed_how, how, sizeof how) : "nothing was recorded");
}

static void add_invalid(const cf_view *view, cf_text *out)
{
    const cf_reasons *reasons = &view->judgement->invalid_because;
    for (int i = 0; i < reasons->count; i++) {
        begin_paragraph(out);
        if (reasons->items[i] == CF_BECAUSE_REPLICA_CONFOUNDED)
            add_replica_differs(view, out);
        else if (reasons->items[i] == CF_BECAUSE_CONTROL_NOT_PROVEN)
            add_unproven(view, out);
        else
            cf_text_add(out, "Not valid: %s.", cf_because_meaning(reasons->items[i]));
    }
    begin_paragraph(out);
    cf_text_add(out, "No answer can be taken from this run.");
}

void cf_metric_verdict(const cf_view *view, cf_text *out)
{
    switch (view->judgement->verdict) {
    case CF_VERDICT_INVALID:
        add_invalid(view, out);
        return;
    case CF_VERDICT_CLEAR:
        add_clear(view, out);
        return;
    case CF_VERDICT_CONFOUNDED:
        add_confounded(view, out);
        break;
    case CF_VERDICT_INCONCLUSIVE:
        break;
    }
    add_undecided(view, out);
    add_the_clear(view, out);
    if (!out->size_bytes)
        cf_text_add(out, "Nothing was decided: whether the control agrees with itself is open.");
}

void cf_metric_scope(const cf_view *view, cf_text *out)
{
    const cf_record *record = view->record;
    char device[256], driver[256];
    const char *name = record->device_name && record->device_name[0] ? record->device_name : record->device_backend;
    cf_text_add(out, "This program with these arguments, these arms, %s (%s)%s%s.",
                view->judgement->design == CF_DESIGN_BETWEEN ? "this machine" : "this process and device",
                cf_view_text(view, name, device, sizeof device), record->driver ? ", this driver: " : "",
                record->driver ? cf_view_text(view, record->driver, driver, sizeof driver) : "");
    if (!cf_sentence_emulated(record, out) && record->simulated)
        cf_text_add(out, " Simulated: it says nothing about anyone's GPU.");
}

/* What stands in the way: an arm that more rounds can settle, else one that ended, else the control's twin. */
static const cf_variant_judgement *first_open(const cf_view *view, cf_because *ret_because)
{
    const cf_variant_judgement *open = NULL, *ended = NULL, *twin = NULL;
    for (int i = 0; i < view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &view->judgement->variants[i];
        if (judged->effect.verdict != CF_EFFECT_INCONCLUSIVE)
            continue;
        const cf_variant_judgement **at = !is_arm(view, judged)                  ? &twin
                                          : cf_view_variant(view, judged)->ended ? &ended
                                                                                 : &open;
        *at = *at ? *at : judged;
    }
    open = open ? open : ended ? ended : twin;
    *ret_because = open && open->because.count ? open->because.items[0] : CF_BECAUSE_COUNT;
    return open;
}

static void advise_another_margin(const cf_view *view, cf_text *out)
{
    cf_text_add(
        out,
        "Another margin is another question (confound judge RECORD.json --margin X); where the numbers scatter, "
        "make each %s longer, or the machine quiet",
        view->record->metric.source == CF_SOURCE_STEP ? "step" : "run");
}

static void advise_more_rounds(const cf_view *view, cf_text *out)
{
    long more = view->judgement->more_rounds;
    long rounds = view->judgement->rounds + (more > 0 ? more : view->judgement->max_rounds);
    char path[1024];
    if (view->judgement->design == CF_DESIGN_WITHIN) {
        bool steps = view->record->metric.source == CF_SOURCE_STEP;
        if (steps && view->judgement->rounds < view->judgement->max_rounds)
            cf_text_add(out, "The program ended before its rounds did: let it take more steps, name what a step is "
                             "(--step), or ask for another margin");
        else if (steps && rounds > CF_METRIC_STEP_ROUNDS_MAX && view->judgement->rounds >= CF_METRIC_ROUNDS_TELL)
            advise_another_margin(view, out);
        else if (steps && rounds > CF_METRIC_STEP_ROUNDS_MAX)
            cf_text_add(out, "Run again with --rounds %ld", 10 * view->judgement->rounds);
        else
            cf_text_add(out, "Run again with --rounds %ld", rounds);
        return;
    }
    cf_view_text(view, view->style.record_path ? view->style.record_path : "RECORD.json", path, sizeof path);
    cf_text_add(out, "Go on where it ended: confound exec --resume %s --rounds %ld", path, rounds);
}

static void advise_undecided(const cf_view *view, cf_text *out)
{
    cf_because because = CF_BECAUSE_COUNT;
    const cf_variant_judgement *open = first_open(view, &because);
    char name[CF_VIEW_NAME_BYTES], outputs[512];
    if (open && because == CF_BECAUSE_ARM_ENDED && strstr(cf_view_variant(view, open)->ended, " cannot be started"))
        cf_text_add(out, "Correct what stands before the program in %s, which is no program, and run again",
                    name_of(view, open, name)); /* it printed nothing */
    else if (open && because == CF_BECAUSE_ARM_ENDED && view->record->metric.outputs)
        cf_text_add(out, "See what %s printed in %s", name_of(view, open, name),
                    cf_view_text(view, view->record->metric.outputs, outputs, sizeof outputs));
    else if (open && because == CF_BECAUSE_ARM_ENDED)
        cf_text_add(out, "Find out why %s failed; until then nothing is known about it", name_of(view, open, name));
    else if (open && because == CF_BECAUSE_TOO_CLOSE && view->judgement->rounds >= CF_METRIC_ROUNDS_TELL)
        advise_another_margin(view, out);
    else if (open && because == CF_BECAUSE_OTHER_WORK)
        cf_text_add(out, "Have the program do the same in every step, whatever times it is told (a fixed number of "
                         "repetitions, say), or name a step that is (--step), and run again");
    else
        advise_more_rounds(view, out);
}

void cf_metric_next(const cf_view *view, cf_text *out)
{
    char name[CF_VIEW_NAME_BYTES];
    name_of(view, &view->judgement->variants[0], name);
    switch (view->judgement->verdict) {
    case CF_VERDICT_INVALID:
        if (cf_view_has_because(&view->judgement->invalid_because, CF_BECAUSE_CONTROL_NOT_PROVEN))
            cf_text_add(out, "Set the variable in front of the program, where it is a part of it, and not around "
                             "confound: -- env NAME=VALUE PROGRAM");
        else
            cf_text_add(out, "Make the machine quiet (other work, changing clock rates), or each run longer, and run "
                             "again");
        break;
    case CF_VERDICT_CONFOUNDED:
        if (view->record->metric.source == CF_SOURCE_STEP) {
            cf_text_add(out, "The row as-shipped is the program's own speed. Where stripped is faster, make its timing "
                             "an option, or time fewer places (the sites above)");
            break;
        }
        cf_text_add(out, "Quote the row %s, and take no figure from a run under what is confounded", name);
        break;
    case CF_VERDICT_INCONCLUSIVE:
        advise_undecided(view, out);
        break;
    case CF_VERDICT_CLEAR:
        cf_text_add(out, "For figures, quote the row %s", name);
        break;
    }
    cf_text_add(out, ".");
}
