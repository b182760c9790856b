#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/metric.h"
#include "report/sentence.h"

static const char *lanes(cf_reading reading)
{
    static const char *const phrases[CF_READING_COUNT] = {
        [CF_READING_OVERLAPS] = "the lanes overlap",
        [CF_READING_PARTIAL] = "the lanes overlap in part",
        [CF_READING_SERIALISES] = "the lanes run one after the other",
        [CF_READING_INCONCLUSIVE] = "how the lanes run is undecided",
        [CF_READING_HOST_BOUND] = "the host is what limits the lanes",
        [CF_READING_ILL_CONDITIONED] = "the overlap of the lanes can't be told",
    };
    return phrases[reading];
}

static const cf_variant_judgement *control_of(const cf_view *view)
{
    for (int i = 0; i < view->judgement->variant_count; i++) {
        if (view->judgement->variants[i].variant == 0)
            return &view->judgement->variants[i];
    }
    return &view->judgement->variants[0];
}

static bool is_instrument(const cf_view *view, const cf_variant_judgement *judged)
{
    return cf_view_variant(view, judged)->role == CF_ROLE_INSTRUMENT;
}

static const cf_variant_judgement *instrument_named(const cf_view *view, const char *name)
{
    for (int i = 0; i < view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &view->judgement->variants[i];
        if (is_instrument(view, judged) && !strcmp(cf_view_variant(view, judged)->name, name))
            return judged;
    }
    return NULL;
}

/* Adds s with its first letter in upper case, for the beginning of a sentence. */
static void add_capital(cf_text *out, const char *s)
{
    cf_text_add(out, "%c%s", toupper((unsigned char)s[0]), s[0] ? s + 1 : "");
}

static void begin_paragraph(cf_text *out)
{
    if (out->size_bytes)
        cf_text_add(out, "\n");
}

/* "a, b and c" of the instruments whose effect is `verdict`; capital: at the beginning of a sentence. Returns how many;
   ret_plural: the verb that follows is plural. */
static int add_subjects(const cf_view *view, cf_text *out, cf_effect verdict, cf_because because, bool capital,
                        bool *ret_plural)
{
    int found[CF_MAX_VARIANTS], count = 0;
    for (int i = 0; i < view->judgement->variant_count && count < CF_MAX_VARIANTS; i++) {
        const cf_variant_judgement *judged = &view->judgement->variants[i];
        cf_because first = judged->because.count ? judged->because.items[0] : CF_BECAUSE_COUNT;
        if (is_instrument(view, judged) && judged->effect.verdict == verdict &&
            (verdict != CF_EFFECT_INCONCLUSIVE || first == because))
            found[count++] = i;
    }
    *ret_plural = count > 1;
    for (int i = 0; i < count; i++) {
        cf_subject subject;
        cf_subject_of(view, &view->judgement->variants[found[i]], &subject);
        cf_text_add(out, "%s", i == 0 ? "" : i + 1 < count ? ", " : " and ");
        cf_text_add(out, "%s", capital && i == 0 ? subject.begin : subject.name);
        *ret_plural |= subject.plural;
    }
    return count;
}

static void add_removes(const cf_view *view, const cf_variant_judgement *judged, const cf_subject *subject,
                        cf_text *out)
{
    const cf_variant_judgement *control = control_of(view);
    const char *they = subject->plural ? "they" : "it", *them = subject->plural ? "them" : "it";
    char amount[CF_VIEW_NUMBER_BYTES];
    cf_view_estimate(&judged->effect.delta, -1, amount);
    cf_text_add(out, "%s", subject->begin);
    if (control->reading == CF_READING_OVERLAPS && judged->reading == CF_READING_SERIALISES) {
        cf_text_add(out, " %s the serialisation: %s remove%s %s of overlap; without %s the lanes overlap.",
                    subject->plural ? "are" : "is", they, subject->plural ? "" : "s", amount, them);
    } else if (judged->effect.flips) {
        cf_text_add(out, " remove%s %s of overlap: without %s %s, with %s %s.", subject->plural ? "" : "s", amount,
                    them, lanes(control->reading), them, lanes(judged->reading));
    } else {
        cf_text_add(out, " remove%s %s of overlap, though the lanes read the same with and without %s.",
                    subject->plural ? "" : "s", amount, them);
    }
    cf_text_add(out, " Do not redesign on a trace taken with %s.", them);
}

static void add_adds(const cf_view *view, const cf_variant_judgement *judged, const cf_subject *subject, cf_text *out)
{
    const cf_variant_judgement *control = control_of(view);
    const char *them = subject->plural ? "them" : "it";
    char amount[CF_VIEW_NUMBER_BYTES];
    cf_view_estimate(&judged->effect.delta, 1, amount);
    cf_text_add(out, "%s", subject->begin);
    cf_text_add(out, " fake%s overlap: %s add%s %s; without %s %s.", subject->plural ? "" : "s",
                subject->plural ? "they" : "it", subject->plural ? "" : "s", amount, them, lanes(control->reading));
    cf_text_add(out, " Do not believe overlap in a trace taken with %s.", them);
}

/* Timing is blamed only where sync is clear: else what does it may be events as such. */
static void add_shared_blame(const cf_view *view, cf_text *out)
{
    const cf_variant_judgement *sync = instrument_named(view, "sync");
    const char *effect = sync ? cf_effect_name(sync->effect.verdict) : NULL;
    if (sync && sync->effect.verdict == CF_EFFECT_CONFOUNDED)
        cf_text_add(out, " Events without timing do it too, so timing as such is not to blame.");
    else
        cf_text_add(out, " Whether timing as such is to blame is open: sync-only events are %s.",
                    effect ? effect : "not in this run");
}

static void add_confounded(const cf_view *view, cf_text *out)
{
    for (int i = 0; i < view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &view->judgement->variants[i];
        if (!is_instrument(view, judged) || judged->effect.verdict != CF_EFFECT_CONFOUNDED)
            continue;
        cf_subject subject;
        cf_subject_of(view, judged, &subject);
        begin_paragraph(out);
        if (judged->effect.direction > 0)
            add_adds(view, judged, &subject, out);
        else
            add_removes(view, judged, &subject, out);
        if (!judged->effect.blamed)
            add_shared_blame(view, out);
    }
}

static bool is_contended(const cf_view *view)
{
    for (int i = 0; i < view->judgement->finding_count; i++)
        if (view->judgement->findings[i].kind == CF_FINDING_CONTENTION)
            return true;
    return false;
}

static void add_nothing_to_remove(const cf_view *view, cf_text *out)
{
    bool plural;
    if (view->judgement->best < 0.05)
        cf_text_add(out, "The job's own dependencies leave no overlap to lose.");
    else if (is_contended(view))
        cf_text_add(out, "With no instrument at all the lanes gain nothing from running together: they slow each other "
                         "down.");
    else
        cf_text_add(out, "The lanes run one after the other with no instrument at all: no instrument on trial is the "
                         "reason.");
    cf_text_add(out, " There was nothing to remove, so this is no evidence that ");
    add_subjects(view, out, CF_EFFECT_CLEAR, CF_BECAUSE_COUNT, false, &plural);
    cf_text_add(out, " %s harmless.", plural ? "are" : "is");
}

static bool any_nothing_to_remove(const cf_view *view)
{
    for (int i = 0; i < view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &view->judgement->variants[i];
        if (is_instrument(view, judged) && cf_view_has_because(&judged->because, CF_BECAUSE_NOTHING_TO_REMOVE))
            return true;
    }
    return false;
}

static bool any_instrument(const cf_view *view)
{
    for (int i = 0; i < view->judgement->variant_count; i++) {
        if (is_instrument(view, &view->judgement->variants[i]))
            return true;
    }
    return false;
}

static void add_clear(const cf_view *view, cf_text *out)
{
    if (any_nothing_to_remove(view)) {
        add_nothing_to_remove(view, out);
        return;
    }
    char margin[CF_VIEW_NUMBER_BYTES];
    bool plural;
    if (!any_instrument(view)) {
        cf_text_add(out, "No instrument was on trial; with none %s.", lanes(control_of(view)->reading));
        return;
    }
    cf_text_add(out, "No instrument on trial changes the overlap by %s or more: %s without and with ",
                cf_text_shortest(view->judgement->margin, margin, sizeof margin), lanes(control_of(view)->reading));
    add_subjects(view, out, CF_EFFECT_CLEAR, CF_BECAUSE_COUNT, false, &plural);
    cf_text_add(out, ".");
}

static void add_not_armed(const cf_view *view, const cf_variant_judgement *judged, cf_text *out)
{
    const cf_record_variant *variant = cf_view_variant(view, judged);
    char how[256];
    if (variant->armed_how)
        cf_text_add(out, "no proof that it was armed (%s)", cf_view_text(view, variant->armed_how, how, sizeof how));
    else
        cf_text_add(out, "no proof that it was armed (%lld of %lld)", (long long)variant->armed_count,
                    (long long)variant->armed_expected);
}

static void add_sticky(const cf_view *view, cf_text *out)
{
    const cf_estimate *before = &view->judgement->prologue_overlap, *after = &control_of(view)->overlap;
    char number[CF_VIEW_NUMBER_BYTES], other[CF_VIEW_NUMBER_BYTES];
    cf_text_add(out, "an instrument changed the control of this process");
    if (before->ok && after->ok)
        cf_text_add(out, " (overlap %s before there was any, %s after)", cf_view_ratio(before->median, number),
                    cf_view_ratio(after->median, other));
    cf_text_add(out, "; it needs processes of its own");
}

static void add_starved(const cf_variant_judgement *judged, cf_text *out)
{
    cf_text_add(out,
                "the machine was too busy to run the host's side on time (late by %.0f %% of a step; 5 %% is "
                "allowed)",
                judged->starved_share * 100);
}

static void add_more_rounds(const cf_variant_judgement *judged, cf_text *out)
{
    if (judged->effect.more_rounds > 0)
        cf_text_add(out, "about %ld more round%s would settle it", judged->effect.more_rounds,
                    judged->effect.more_rounds == 1 ? "" : "s");
    else
        cf_text_add(out, "more rounds would settle it");
}

static void add_reason(const cf_view *view, const cf_variant_judgement *judged, cf_because because, cf_text *out)
{
    const cf_variant_judgement *control = control_of(view);
    char number[CF_VIEW_NUMBER_BYTES], other[CF_VIEW_NUMBER_BYTES];
    switch (because) {
    case CF_BECAUSE_HOST_BOUND:
        cf_text_add(out, "submitting takes as long as the work (%s of %s ms), so the host is what is measured",
                    cf_view_ms(control->submit_ms, 2, number), cf_view_ms(control->ab_ms, 2, other));
        return;
    case CF_BECAUSE_TOO_SHORT:
        cf_text_add(out,
                    "the steps leave next to nothing to wait for (%s ms, of which submitting takes %s): too short to "
                    "tell, or nothing waits for what was submitted",
                    cf_view_ms(control->ab_ms, 4, number), cf_view_ms(control->submit_ms, 4, other));
        return;
    case CF_BECAUSE_HOST_STARVED:
        add_starved(judged, out);
        return;
    case CF_BECAUSE_STICKY:
        add_sticky(view, out);
        return;
    case CF_BECAUSE_NOT_ARMED:
        add_not_armed(view, judged, out);
        return;
    case CF_BECAUSE_TOO_FEW_ROUNDS:
        cf_text_add(out, "%ld round%s are too few for a decision", view->judgement->rounds,
                    view->judgement->rounds == 1 ? "" : "s");
        return;
    case CF_BECAUSE_MORE_ROUNDS:
        add_more_rounds(judged, out);
        return;
    case CF_BECAUSE_TOO_CLOSE:
        cf_text_add(out, "the effect, %s, sits too close to the margin of %s for any number of rounds",
                    cf_view_estimate(&judged->effect.delta, 1, number),
                    cf_text_shortest(view->judgement->margin, other, sizeof other));
        return;
    default:
        cf_text_add(out, "%s", because < CF_BECAUSE_COUNT ? cf_because_meaning(because) : "nothing was decided");
    }
}

/* One paragraph for each reason, naming all instruments that have it first. */
static void add_undecided(const cf_view *view, cf_text *out)
{
    bool said[CF_BECAUSE_COUNT + 1] = {false};
    for (int i = 0; i < view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &view->judgement->variants[i];
        cf_because because = judged->because.count ? judged->because.items[0] : CF_BECAUSE_COUNT;
        if (!is_instrument(view, judged) || judged->effect.verdict != CF_EFFECT_INCONCLUSIVE || said[because])
            continue;
        said[because] = true;
        bool plural;
        begin_paragraph(out);
        cf_text_add(out, "Undecided on ");
        add_subjects(view, out, CF_EFFECT_INCONCLUSIVE, because, false, &plural);
        cf_text_add(out, ": ");
        add_reason(view, judged, because, out);
        cf_text_add(out, ".");
    }
}

/* With no instrument the answer was the control's reading: why it is none. */
static void add_undecided_alone(const cf_view *view, cf_text *out)
{
    const cf_variant_judgement *control = control_of(view);
    cf_text_add(out, "No instrument was on trial; with none %s.", lanes(control->reading));
    if (control->because.count) {
        cf_because because = control->because.items[0];
        cf_text_add(out, " Undecided: ");
        if (because == CF_BECAUSE_TOO_CLOSE)
            cf_text_add(out, "its overlap sits on a limit between two readings");
        else
            add_reason(view, control, because, out);
        cf_text_add(out, ".");
        return;
    }
    cf_text_add(out, " Undecided: whether the control differs from itself is open.");
}

static void add_the_clear(const cf_view *view, cf_text *out)
{
    cf_text names = {0};
    bool plural;
    if (add_subjects(view, &names, CF_EFFECT_CLEAR, CF_BECAUSE_COUNT, true, &plural)) {
        begin_paragraph(out);
        cf_text_add(out, "%s %s clear%s.", names.data ? names.data : "", plural ? "are" : "is",
                    any_nothing_to_remove(view) ? ", because there was nothing to remove" : "");
    }
    out->failed |= names.failed;
    cf_text_done(&names);
}

static void add_replica_differs(const cf_view *view, cf_text *out)
{
    for (int i = 0; i < view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &view->judgement->variants[i];
        if (cf_view_variant(view, judged)->role != CF_ROLE_REPLICA || judged->effect.verdict != CF_EFFECT_CONFOUNDED)
            continue;
        char amount[CF_VIEW_NUMBER_BYTES];
        cf_text_add(out,
                    "The control differs from itself: two identical variants are %s of overlap apart. Something "
                    "other than an instrument changes between cells.",
                    cf_view_estimate(&judged->effect.delta, 1, amount));
        return;
    }
    cf_text_add(out, "The control differs from itself.");
}

static void add_data_wrong(const cf_view *view, cf_text *out)
{
    char text[512];
    cf_text_add(out, "Results were wrong (%s): an overlap won by a broken dependency is an error.",
                cf_view_text(view, view->record->data_check_text, text, sizeof text));
}

static void add_invalid(const cf_view *view, cf_text *out)
{
    const cf_reasons *reasons = &view->judgement->invalid_because;
    for (int i = 0; i < reasons->count; i++) {
        begin_paragraph(out);
        if (reasons->items[i] == CF_BECAUSE_REPLICA_CONFOUNDED) {
            add_replica_differs(view, out);
        } else if (reasons->items[i] == CF_BECAUSE_DATA_WRONG) {
            add_data_wrong(view, out);
        } else {
            add_capital(out, cf_because_meaning(reasons->items[i]));
            cf_text_add(out, ".");
        }
    }
    begin_paragraph(out);
    cf_text_add(out, "No answer can be taken from this run.");
}

void cf_sentence_verdict(const cf_view *view, cf_text *out)
{
    if (view->judgement->metric) {
        cf_metric_verdict(view, out);
        return;
    }
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
    if (!any_instrument(view) && view->judgement->variant_count > 0) {
        add_undecided_alone(view, out);
        return;
    }
    add_undecided(view, out);
    add_the_clear(view, out);
    if (!out->size_bytes)
        cf_text_add(out, "Nothing was decided.");
}
