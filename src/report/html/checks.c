/* The first screen: the answer, and whether it may be believed. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/html/html.h"
#include "report/sentence.h"

#define CHECKS_MOST 12

typedef enum check_state { PASSED, NOTE, WARNING, FAILED } check_state;

static const struct {
    const char *word, *glyph;
} states[] = {
    [PASSED] = {"passed", "\u2713"},
    [NOTE] = {"note", "i"},
    [WARNING] = {"warning", "!"},
    [FAILED] = {"failed", "\u2717"},
};

typedef struct check {
    check_state state;
    const char *what;
    char says[640];
} check;

typedef struct checks {
    const cf_view *view;
    check items[CHECKS_MOST];
    int count;
} checks;

static void CF_PRINTF(4, 5) add(checks *c, check_state state, const char *what, const char *fmt, ...)
{
    va_list args;
    if (c->count == CHECKS_MOST)
        return;
    check *item = &c->items[c->count++];
    *item = (check){.state = state, .what = what};
    va_start(args, fmt);
    vsnprintf(item->says, sizeof item->says, fmt, args);
    va_end(args);
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
        add(c, FAILED, "Control repeated", "there is no second control");
        return;
    }
    cf_view_estimate(&replica->effect.delta, 1, number);
    switch (replica->effect.verdict) {
    case CF_EFFECT_CLEAR:
        add(c, PASSED, "Control repeated", "the same control again differs from it by %s of overlap", number);
        return;
    case CF_EFFECT_CONFOUNDED:
        add(c, FAILED, "Control repeated", "the control differs from itself by %s of overlap", number);
        return;
    case CF_EFFECT_NONE:
    case CF_EFFECT_INCONCLUSIVE:
        break;
    }
    add(c, WARNING, "Control repeated", "whether the control agrees with itself is undecided (%s)", number);
}

static void check_reference(checks *c)
{
    const cf_variant_judgement *reference = with_role(c->view, CF_ROLE_REFERENCE);
    if (!reference)
        add(c, FAILED, "Serialisation shows", "there is no reference");
    else if (reference->reference_ok)
        add(c, PASSED, "Serialisation shows", "both lanes on one queue read as serialising, as they must");
    else
        add(c, FAILED, "Serialisation shows", "both lanes on one queue did not read as serialising (%s)",
            cf_reading_name(reference->reading));
}

static void check_control(checks *c)
{
    const cf_judgement *judgement = c->view->judgement;
    const cf_estimate *before = &judgement->prologue_overlap, *after = &judgement->variants[0].overlap;
    char one[CF_VIEW_NUMBER_BYTES], two[CF_VIEW_NUMBER_BYTES];
    if (cf_view_has_because(&judgement->invalid_because, CF_BECAUSE_CONTROL_NOT_PROVEN))
        add(c, FAILED, "Control untouched", "%s", cf_because_meaning(CF_BECAUSE_CONTROL_NOT_PROVEN));
    else if (judgement->sticky && before->ok && after->ok)
        add(c, FAILED, "Control untouched",
            "an instrument left something behind: overlap %s before there was any, %s after",
            cf_view_ratio(before->median, one), cf_view_ratio(after->median, two));
    else if (before->ok && after->ok)
        add(c, PASSED, "Control untouched", "overlap %s before any instrument existed, %s between them",
            cf_view_ratio(before->median, one), cf_view_ratio(after->median, two));
    else
        add(c, NOTE, "Control untouched", "it was not measured before the instruments existed");
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
        add(c, NOTE, "Instruments armed", "none was on trial");
    else
        add(c, missing ? FAILED : PASSED, "Instruments armed", "%d of %d gave proof, or have nothing to prove", armed,
            count);
}

static void check_balance(checks *c)
{
    const cf_judgement *judgement = c->view->judgement;
    char number[CF_VIEW_NUMBER_BYTES];
    cf_view_ratio(judgement->balance, number);
    if (isnan(judgement->balance) || judgement->balance < 0.25)
        add(c, FAILED, "Lanes balanced", "the shorter lane takes %s of the longer one: too short to tell", number);
    else
        add(c, judgement->unbalanced_warning ? WARNING : PASSED, "Lanes balanced",
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
        add(c, WARNING, "Rounds", "%ld, and at least %ld are needed for a decision", judgement->rounds,
            judgement->min_rounds);
    else if (any_undecided(c->view))
        add(c, WARNING, "Rounds", "%ld, %s; something is still undecided", judgement->rounds, how);
    else
        add(c, PASSED, "Rounds", "%ld, %s; errors held to %s a family, at every look", judgement->rounds, how, alpha);
}

static void check_host(checks *c)
{
    const cf_variant_judgement *control = &c->view->judgement->variants[0];
    double worst = 0;
    bool starved = false;
    for (int i = 0; i < c->view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &c->view->judgement->variants[i];
        worst = fmax(worst, judged->starved_share);
        starved = starved || judged->starved;
    }
    double submit = 100 * control->submit_ms / control->ab_ms;
    if (starved)
        add(c, FAILED, "Host on time", "the machine was too busy: late by %.0f %% of a step, and 5 %% is allowed",
            100 * worst);
    else if (control->reading == CF_READING_HOST_BOUND)
        add(c, FAILED, "Host on time", "submitting takes %.0f %% of the step, so the host is what is measured", submit);
    else
        add(c, PASSED, "Host on time", "submitting takes %.1f %% of a step; late by at most %.1f %%",
            isfinite(submit) ? submit : 0, 100 * worst);
}

static void check_data(checks *c)
{
    char text[400];
    cf_view_text(c->view, c->view->record->data_check_text, text, sizeof text);
    switch (c->view->record->data_check) {
    case CF_DATA_OK:
        add(c, PASSED, "Results right", "the bytes that were moved and computed are those that had to come out");
        return;
    case CF_DATA_WRONG:
        add(c, FAILED, "Results right", "%s", text);
        return;
    case CF_DATA_UNSUPPORTED:
        add(c, NOTE, "Results right", "not checked: %s", text);
        return;
    case CF_DATA_NOT_RUN:
        break;
    }
    add(c, NOTE, "Results right", "not checked");
}

static void check_marks(checks *c)
{
    const cf_judgement *judgement = c->view->judgement;
    for (int mark = 0; mark < CF_MARK_COUNT; mark++) {
        if (judgement->marks[mark].rounds == 0)
            continue;
        add(c, judgement->marks[mark].could_explain ? WARNING : NOTE, "Rounds marked", "%ld of %ld: %s%s",
            judgement->marks[mark].rounds, judgement->rounds, cf_mark_word(mark),
            judgement->marks[mark].could_explain ? ", which could explain the answer" : ", which explains nothing");
    }
    if (c->view->record->interrupted)
        add(c, WARNING, "Run to its end", "stopped by the user after %ld rounds", judgement->rounds);
}

static void check_device(checks *c)
{
    const cf_record *record = c->view->record;
    char name[256], driver[256];
    cf_view_text(c->view, record->device_name ? record->device_name : record->device_backend, name, sizeof name);
    cf_view_text(c->view, record->driver, driver, sizeof driver);
    if (record->simulated)
        add(c, NOTE, "Simulated", "%s: a self-test that says nothing about anyone's GPU", name);
    else
        add(c, PASSED, "Hardware", "%s, %s", name, record->driver ? driver : "no driver named");
}

static int count_of(const checks *c, check_state state)
{
    int count = 0;
    for (int i = 0; i < c->count; i++)
        count += c->items[i].state == state;
    return count;
}

static void add_belief(const checks *c, cf_text *out)
{
    int failed = count_of(c, FAILED), warned = count_of(c, WARNING);
    const char *whom = c->view->record->simulated ? "for the model that was run, not for any GPU"
                                                  : "for this process, this device and this driver";
    if (!c->view->judgement->valid)
        cf_text_add(out, "<p class=\"belief no\">No. The run is invalid.</p>\n");
    else if (failed)
        cf_text_add(out, "<p class=\"belief no\">Not as it stands: %d check%s failed.</p>\n", failed,
                    failed == 1 ? "" : "s");
    else if (c->view->judgement->verdict == CF_VERDICT_INCONCLUSIVE)
        cf_text_add(out, "<p class=\"belief care\">Not yet: something is undecided.</p>\n");
    else if (warned)
        cf_text_add(out, "<p class=\"belief care\">With care, %s: %d warning%s.</p>\n", whom, warned,
                    warned == 1 ? "" : "s");
    else
        cf_text_add(out, "<p class=\"belief yes\">Yes, %s: all controls passed.</p>\n", whom);
}

static void add_checks(const cf_view *view, cf_text *out)
{
    checks c = {.view = view};
    check_device(&c);
    check_replica(&c);
    check_reference(&c);
    check_control(&c);
    check_armed(&c);
    check_balance(&c);
    check_rounds(&c);
    check_host(&c);
    check_data(&c);
    check_marks(&c);
    cf_text_add(out, "<section class=\"believe\"><h2>May it be believed?</h2>\n");
    add_belief(&c, out);
    cf_text_add(out, "<ul class=\"checks\">\n");
    for (int i = 0; i < c.count; i++) {
        const check *item = &c.items[i];
        cf_text_add(out, "<li class=\"%s\"><span class=\"glyph\" aria-hidden=\"true\">%s</span><div><b>",
                    states[item->state].word, states[item->state].glyph);
        cf_html_add(out, item->what);
        cf_text_add(out, "</b><span class=\"hidden\"> (%s)</span> ", states[item->state].word);
        cf_html_add(out, item->says);
        cf_text_add(out, "</div></li>\n");
    }
    cf_text_add(out, "</ul></section>\n");
}

/* The first sentence is the heading, the rest stands below it. */
static void add_answer(const cf_view *view, cf_text *out)
{
    cf_text text = {0};
    cf_sentence_verdict(view, &text);
    const char *all = text.data ? text.data : "";
    const char *line = strchr(all, '\n'), *stop = strstr(all, ". ");
    size_t first = line ? (size_t)(line - all) : strlen(all);
    if (stop && (size_t)(stop - all) + 1 < first)
        first = (size_t)(stop - all) + 1;
    cf_text head = {0};
    cf_text_add_bytes(&head, all, first);
    cf_html_add_paragraphs(out, "h1", "sentence", head.data);
    cf_html_add_paragraphs(out, "p", "further", all + first + (all[first] != '\0'));
    cf_html_add_sentence(view, out, "p", "further", cf_sentence_against);
    out->failed |= text.failed || head.failed;
    cf_text_done(&head);
    cf_text_done(&text);
}

void cf_html_first_screen(const cf_view *view, cf_text *out)
{
    static const struct {
        const char *word, *class_name, *glyph;
    } words[] = {
        [CF_VERDICT_INVALID] = {"INVALID", "no", "\u2717"},
        [CF_VERDICT_CONFOUNDED] = {"CONFOUNDED", "bad", "\u25c6"},
        [CF_VERDICT_INCONCLUSIVE] = {"INCONCLUSIVE", "open", "?"},
        [CF_VERDICT_CLEAR] = {"CLEAR", "good", "\u25cf"},
    };
    cf_verdict verdict = view->judgement->verdict;
    cf_text_add(out,
                "<div class=\"first\">\n<section class=\"answer %s\">\n<p class=\"word\"><span aria-hidden=\"true\">"
                "%s</span> %s%s</p>\n",
                words[verdict].class_name, words[verdict].glyph, words[verdict].word,
                view->record->simulated ? " <span class=\"tag\">simulated</span>" : "");
    add_answer(view, out);
    cf_html_add_sentence(view, out, "p", "next", cf_sentence_next);
    cf_html_add_sentence(view, out, "p", "about", cf_view_title);
    cf_html_add_sentence(view, out, "p", "about", cf_view_drain);
    cf_text_add(out, "</section>\n");
    add_checks(view, out);
    cf_text_add(out, "</div>\n");
}
