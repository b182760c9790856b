/* The first screen: the answer, and whether it may be believed. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/html/html.h"
#include "report/metric.h"
#include "report/sentence.h"

typedef struct checks {
    const cf_view *view;
    cf_html_checks list;
} checks;

static const struct {
    const char *word, *glyph;
} states[] = {
    [CF_HTML_PASSED] = {"passed", "\u2713"},
    [CF_HTML_NOTE] = {"note", "i"},
    [CF_HTML_WARNING] = {"warning", "!"},
    [CF_HTML_FAILED] = {"failed", "\u2717"},
};

void cf_html_check(cf_html_checks *list, cf_html_state state, const char *what, const char *fmt, ...)
{
    va_list args;
    if (list->count == CF_HTML_CHECKS_MOST)
        return;
    cf_html_check_item *item = &list->items[list->count++];
    *item = (cf_html_check_item){.state = state, .what = what};
    va_start(args, fmt);
    vsnprintf(item->says, sizeof item->says, fmt, args);
    va_end(args);
}

int cf_html_checks_with(const cf_html_checks *list, cf_html_state state)
{
    int count = 0;
    for (int i = 0; i < list->count; i++)
        count += list->items[i].state == state;
    return count;
}

void cf_html_checks_add(const cf_html_checks *list, const char *class_name, const char *belief, cf_text *out)
{
    cf_text_add(out, "<section class=\"believe\"><h2>May it be believed?</h2>\n");
    cf_text_add(out, "<p class=\"belief %s\">", class_name);
    cf_html_add(out, belief);
    cf_text_add(out, "</p>\n<ul class=\"checks\">\n");
    for (int i = 0; i < list->count; i++) {
        const cf_html_check_item *item = &list->items[i];
        cf_text_add(out, "<li class=\"%s\"><span class=\"glyph\" aria-hidden=\"true\">%s</span><div><b>",
                    states[item->state].word, states[item->state].glyph);
        cf_html_add(out, item->what);
        cf_text_add(out, "</b><span class=\"hidden\"> (%s)</span> ", states[item->state].word);
        cf_html_add(out, item->says);
        cf_text_add(out, "</div></li>\n");
    }
    cf_text_add(out, "</ul></section>\n");
}

static const cf_variant_judgement *with_role(const cf_view *view, cf_role role)
{
    for (int i = 0; i < view->judgement->variant_count; i++) {
        if (cf_view_variant(view, &view->judgement->variants[i])->role == role)
            return &view->judgement->variants[i];
    }
    return NULL;
}

static void check_replica(checks *c)
{
    const cf_variant_judgement *replica = with_role(c->view, CF_ROLE_REPLICA);
    char number[CF_VIEW_NUMBER_BYTES];
    if (!replica) {
        cf_html_check(&c->list, CF_HTML_FAILED, "Control repeated", "there is no second control");
        return;
    }
    const char *what = c->view->judgement->metric ? "" : " of overlap";
    if (c->view->judgement->metric)
        cf_metric_change(replica, number);
    else
        cf_view_estimate(&replica->effect.delta, 1, number);
    switch (replica->effect.verdict) {
    case CF_EFFECT_CLEAR:
        cf_html_check(&c->list, CF_HTML_PASSED, "Control repeated", "the same control again differs from it by %s%s",
                      number, what);
        return;
    case CF_EFFECT_CONFOUNDED:
        cf_html_check(&c->list, CF_HTML_FAILED, "Control repeated", "the control differs from itself by %s%s", number,
                      what);
        return;
    case CF_EFFECT_NONE:
    case CF_EFFECT_INCONCLUSIVE:
        break;
    }
    cf_html_check(&c->list, CF_HTML_WARNING, "Control repeated",
                  "whether the control agrees with itself is undecided (%s)", number);
}

static void check_reference(checks *c)
{
    const cf_variant_judgement *reference = with_role(c->view, CF_ROLE_REFERENCE);
    if (!reference)
        cf_html_check(&c->list, CF_HTML_FAILED, "Serialisation shows", "there is no reference");
    else if (reference->reference_ok)
        cf_html_check(&c->list, CF_HTML_PASSED, "Serialisation shows",
                      "both lanes on one queue read as serialising, as they must");
    else
        cf_html_check(&c->list, CF_HTML_FAILED, "Serialisation shows",
                      "both lanes on one queue did not read as serialising (%s)", cf_reading_name(reference->reading));
}

static void check_control(checks *c)
{
    const cf_judgement *judgement = c->view->judgement;
    const cf_estimate *before = &judgement->prologue_overlap, *after = &judgement->variants[0].overlap;
    char one[CF_VIEW_NUMBER_BYTES], two[CF_VIEW_NUMBER_BYTES];
    if (cf_view_has_because(&judgement->invalid_because, CF_BECAUSE_CONTROL_NOT_PROVEN))
        cf_html_check(&c->list, CF_HTML_FAILED, "Control untouched", "%s",
                      cf_because_meaning(CF_BECAUSE_CONTROL_NOT_PROVEN));
    else if (judgement->metric)
        return;
    else if (judgement->sticky && before->ok && after->ok)
        cf_html_check(&c->list, CF_HTML_FAILED, "Control untouched",
                      "an instrument left something behind: overlap %s before there was any, %s after",
                      cf_view_ratio(before->median, one), cf_view_ratio(after->median, two));
    else if (before->ok && after->ok)
        cf_html_check(&c->list, CF_HTML_PASSED, "Control untouched",
                      "overlap %s before any instrument existed, %s between them", cf_view_ratio(before->median, one),
                      cf_view_ratio(after->median, two));
    else
        cf_html_check(&c->list, CF_HTML_NOTE, "Control untouched",
                      "it was not measured before the instruments existed");
}

static void check_armed(checks *c)
{
    int armed = 0, missing = 0, count = 0;
    for (int i = 0; i < c->view->record->variant_count; i++) {
        const cf_record_variant *variant = &c->view->record->variants[i];
        if (variant->role != CF_ROLE_INSTRUMENT)
            continue;
        count++;
        armed += variant->armed != CF_ARMED_NO;
        missing += variant->armed == CF_ARMED_NO;
    }
    if (count == 0)
        cf_html_check(&c->list, CF_HTML_NOTE, "Instruments armed", "none was on trial");
    else
        cf_html_check(&c->list, missing ? CF_HTML_FAILED : CF_HTML_PASSED, "Instruments armed",
                      "%d of %d gave proof, or have nothing to prove", armed, count);
}

static void check_balance(checks *c)
{
    const cf_judgement *judgement = c->view->judgement;
    char number[CF_VIEW_NUMBER_BYTES];
    cf_view_ratio(judgement->balance, number);
    if (isnan(judgement->balance))
        cf_html_check(&c->list, CF_HTML_WARNING, "Lanes balanced", "not known: nothing was measured");
    else if (judgement->balance < 0.25)
        cf_html_check(&c->list, CF_HTML_FAILED, "Lanes balanced",
                      "the shorter lane takes %s of the longer one: too short to tell", number);
    else
        cf_html_check(&c->list, judgement->unbalanced_warning ? CF_HTML_WARNING : CF_HTML_PASSED, "Lanes balanced",
                      "the shorter lane takes %s of the longer one", number);
}

static bool any_undecided(const cf_view *view)
{
    for (int i = 0; i < view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &view->judgement->variants[i];
        if (cf_view_variant(view, judged)->role == CF_ROLE_INSTRUMENT &&
            judged->effect.verdict == CF_EFFECT_INCONCLUSIVE)
            return true;
    }
    return false;
}

static void check_rounds(checks *c)
{
    const cf_judgement *judgement = c->view->judgement;
    const char *how = judgement->design == CF_DESIGN_BETWEEN ? "processes of their own, in random order"
                                                             : "interleaved in random order in one process";
    char alpha[CF_VIEW_NUMBER_BYTES];
    cf_text_shortest(judgement->alpha, alpha, sizeof alpha);
    if (judgement->rounds < judgement->min_rounds)
        cf_html_check(&c->list, CF_HTML_WARNING, "Rounds", "%ld, and at least %ld are needed for a decision",
                      judgement->rounds, judgement->min_rounds);
    else if (any_undecided(c->view))
        cf_html_check(&c->list, CF_HTML_WARNING, "Rounds", "%ld, %s; something is still undecided", judgement->rounds,
                      how);
    else
        cf_html_check(&c->list, CF_HTML_PASSED, "Rounds", "%ld, %s; errors held to %s a family, at every look",
                      judgement->rounds, how, alpha);
}

static void check_host(checks *c)
{
    const cf_variant_judgement *control = &c->view->judgement->variants[0];
    double worst = 0;
    bool starved = false, known = false;
    for (int i = 0; i < c->view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &c->view->judgement->variants[i];
        worst = fmax(worst, judged->starved_share); /* passes over a NaN */
        known = known || isfinite(judged->starved_share);
        starved = starved || judged->starved;
    }
    double submit = 100 * control->submit_ms / control->ab_ms;
    if (starved)
        cf_html_check(&c->list, CF_HTML_FAILED, "Host on time",
                      "the machine was too busy: late by %.0f %% of a step, and 5 %% is allowed", 100 * worst);
    else if (control->too_short)
        cf_html_check(&c->list, CF_HTML_FAILED, "Host on time",
                      "the steps leave next to nothing to wait for: too short to tell");
    else if (control->reading == CF_READING_HOST_BOUND)
        cf_html_check(&c->list, CF_HTML_FAILED, "Host on time",
                      "submitting takes %.0f %% of the step, so the host is what is measured", submit);
    else if (!isfinite(submit))
        cf_html_check(&c->list, CF_HTML_NOTE, "Host on time", "not known: nothing was measured");
    else if (!known)
        cf_html_check(&c->list, CF_HTML_NOTE, "Host on time",
                      "submitting takes %.1f %% of a step; how late the host was is not known on this system", submit);
    else
        cf_html_check(&c->list, CF_HTML_PASSED, "Host on time",
                      "submitting takes %.1f %% of a step; late by at most %.1f %%", submit, 100 * worst);
}

static void check_data(checks *c)
{
    char text[400];
    cf_view_text(c->view, c->view->record->data_check_text, text, sizeof text);
    switch (c->view->record->data_check) {
    case CF_DATA_OK:
        cf_html_check(&c->list, CF_HTML_PASSED, "Results right",
                      "the bytes that were moved and computed are those that had to come out");
        return;
    case CF_DATA_WRONG:
        cf_html_check(&c->list, CF_HTML_FAILED, "Results right", "%s", text);
        return;
    case CF_DATA_UNSUPPORTED:
        cf_html_check(&c->list, CF_HTML_NOTE, "Results right", "not checked: %s", text);
        return;
    case CF_DATA_NOT_RUN:
        break;
    }
    cf_html_check(&c->list, CF_HTML_NOTE, "Results right", "not checked");
}

static void check_marks(checks *c)
{
    const cf_judgement *judgement = c->view->judgement;
    for (int mark = 0; mark < CF_MARK_COUNT; mark++) {
        if (judgement->marks[mark].rounds == 0)
            continue;
        cf_html_check(&c->list, judgement->marks[mark].could_explain ? CF_HTML_WARNING : CF_HTML_NOTE, "Rounds marked",
                      "%ld of %ld: %s%s", judgement->marks[mark].rounds, judgement->rounds, cf_mark_word(mark),
                      judgement->marks[mark].could_explain ? ", which could explain the answer"
                                                           : ", which explains nothing");
    }
    if (c->view->record->interrupted)
        cf_html_check(&c->list, CF_HTML_WARNING, "Run to its end", "stopped by %s after %ld rounds",
                      cf_record_stopped_by(c->view->record), judgement->rounds);
}

static void check_device(checks *c)
{
    const cf_record *record = c->view->record;
    char name[256], driver[256];
    cf_view_text(c->view, record->device_name ? record->device_name : record->device_backend, name, sizeof name);
    cf_view_text(c->view, record->driver, driver, sizeof driver);
    if (cf_is_emulated(record))
        cf_html_check(&c->list, CF_HTML_NOTE, "Simulated",
                      "%s: the driver is the vendor's own, the engines are modelled", name);
    else if (record->simulated)
        cf_html_check(&c->list, CF_HTML_NOTE, "Simulated", "%s: a self-test that says nothing about anyone's GPU",
                      name);
    else
        cf_html_check(&c->list, CF_HTML_PASSED, "Hardware", "%s, %s", name,
                      record->driver ? driver : "no driver named");
}

static void add_checks(const cf_view *view, cf_text *out)
{
    checks c = {.view = view};
    bool lanes = !view->judgement->metric; /* what only two lanes on a device have */
    if (lanes)
        check_device(&c);
    check_replica(&c);
    if (lanes)
        check_reference(&c);
    check_control(&c);
    check_armed(&c);
    if (lanes)
        check_balance(&c);
    check_rounds(&c);
    if (lanes) {
        check_host(&c);
        check_data(&c);
    }
    check_marks(&c);
    int failed = cf_html_checks_with(&c.list, CF_HTML_FAILED), warned = cf_html_checks_with(&c.list, CF_HTML_WARNING);
    const char *whom = !lanes                    ? "for this program, these arms and this machine"
                       : view->record->simulated ? "for the model that was run, not for any GPU"
                                                 : "for this process, this device and this driver";
    char belief[192];
    if (!view->judgement->valid)
        cf_html_checks_add(&c.list, "no", "No. The run is invalid.", out);
    else if (failed) {
        snprintf(belief, sizeof belief, "Not as it stands: %d check%s failed.", failed, failed == 1 ? "" : "s");
        cf_html_checks_add(&c.list, "no", belief, out);
    } else if (view->judgement->verdict == CF_VERDICT_INCONCLUSIVE)
        cf_html_checks_add(&c.list, "care", "Not yet: something is undecided.", out);
    else if (warned) {
        snprintf(belief, sizeof belief, "With care, %s: %d warning%s.", whom, warned, warned == 1 ? "" : "s");
        cf_html_checks_add(&c.list, "care", belief, out);
    } else {
        snprintf(belief, sizeof belief, "Yes, %s: all controls passed.", whom);
        cf_html_checks_add(&c.list, "yes", belief, out);
    }
}

void cf_html_add_answer(cf_text *out, const cf_text *text)
{
    const char *all = text->data ? text->data : "";
    const char *line = strchr(all, '\n'), *stop = strstr(all, ". ");
    size_t first = line ? (size_t)(line - all) : strlen(all);
    if (stop && (size_t)(stop - all) + 1 < first)
        first = (size_t)(stop - all) + 1;
    cf_text head = {0};
    cf_text_add_bytes(&head, all, first);
    cf_html_add_paragraphs(out, "h1", "sentence", head.data);
    cf_html_add_paragraphs(out, "p", "further", all + first + (all[first] != '\0'));
    out->failed |= text->failed || head.failed;
    cf_text_done(&head);
}

static void add_answer(const cf_view *view, cf_text *out)
{
    cf_text text = {0};
    cf_sentence_verdict(view, &text);
    cf_html_add_answer(out, &text);
    cf_text_done(&text);
    cf_html_add_sentence(view, out, "p", "further", cf_sentence_against);
}

void cf_html_add_word(cf_text *out, cf_verdict verdict, bool simulated)
{
    static const struct {
        const char *word, *class_name, *glyph;
    } words[] = {
        [CF_VERDICT_INVALID] = {"INVALID", "no", "\u2717"},
        [CF_VERDICT_CONFOUNDED] = {"CONFOUNDED", "bad", "\u25c6"},
        [CF_VERDICT_INCONCLUSIVE] = {"INCONCLUSIVE", "open", "?"},
        [CF_VERDICT_CLEAR] = {"CLEAR", "good", "\u25cf"},
    };
    cf_text_add(out, "<section class=\"answer %s\">\n<p class=\"word\"><span aria-hidden=\"true\">%s</span> %s%s</p>\n",
                words[verdict].class_name, words[verdict].glyph, words[verdict].word,
                simulated ? " <span class=\"tag\">simulated</span>" : "");
}

void cf_html_first_screen(const cf_view *view, cf_text *out)
{
    cf_text_add(out, "<div class=\"first\">\n");
    cf_html_add_word(out, view->judgement->verdict, view->record->simulated);
    add_answer(view, out);
    cf_html_add_sentence(view, out, "p", "next", cf_sentence_next);
    cf_html_add_sentence(view, out, "p", "about", cf_view_title);
    cf_html_add_sentence(view, out, "p", "about", cf_view_drain);
    cf_text_add(out, "</section>\n");
    if (view->judgement->variant_count > 0)
        add_checks(view, out);
    cf_text_add(out, "</div>\n");
}
