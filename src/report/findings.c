/* Why an overlap is missing, by the number behind it; what marked rounds and the environment have to do with it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record/environment.h"
#include "report/sentence.h"

typedef struct findings {
    const cf_view *view;
    const cf_variant_judgement *control;
} findings;

static const char *ms(double value, char buf[CF_VIEW_NUMBER_BYTES])
{
    return cf_view_ms(value, 3, buf);
}

static double solo_ms(const findings *f, int lane)
{
    return lane == 0 ? f->control->a_ms : f->control->b_ms;
}

static void add_lane_end(const findings *f, int lane, cf_text *out)
{
    char end[CF_VIEW_NUMBER_BYTES], alone[CF_VIEW_NUMBER_BYTES], times[CF_VIEW_NUMBER_BYTES];
    cf_text_add(out, "lane %c ends after %s ms, %s alone (%s times)", 'a' + lane, ms(f->control->lane_ms[lane], end),
                ms(solo_ms(f, lane), alone), cf_view_ratio(f->control->stretch[lane].median, times));
}

static void add_serialised(const findings *f, const cf_finding *finding, cf_text *out)
{
    if (finding->lane < 0) {
        cf_text_add(out, "the lanes take turns: ");
        add_lane_end(f, 0, out);
        cf_text_add(out, ", ");
        add_lane_end(f, 1, out);
        return;
    }
    cf_text_add(out, "lane %c runs at its own speed and lane %c waits for it: ", 'b' - finding->lane,
                'a' + finding->lane);
    add_lane_end(f, !finding->lane, out);
    cf_text_add(out, ", ");
    add_lane_end(f, finding->lane, out);
}

/* What was recorded of the memory, not what the device is called. */
static void add_memory(const findings *f, cf_text *out)
{
    const char *memory = cf_pairs_get(&f->view->record->device, "memory");
    char text[128];
    if (memory != NULL)
        cf_text_add(out, "; host memory: %s", cf_view_text(f->view, memory, text, sizeof text));
}

static void add_finding(const findings *f, const cf_finding *finding, cf_text *out)
{
    char value[CF_VIEW_NUMBER_BYTES], part[CF_VIEW_NUMBER_BYTES], whole[CF_VIEW_NUMBER_BYTES];
    cf_view_ratio(finding->value, value);
    ms(finding->part_ms, part);
    ms(finding->whole_ms, whole);
    cf_text_add(out, "%s: ", cf_finding_word(finding->kind));
    switch (finding->kind) {
    case CF_FINDING_SUBMISSION_BOUND:
        cf_text_add(out, "the host takes %s ms to submit what the longer lane runs in %s ms (%s of it)", part, whole,
                    value);
        return;
    case CF_FINDING_BLOCKING_COPY:
    case CF_FINDING_BLOCKING_LAUNCH:
    case CF_FINDING_BLOCKING_STEP:
        cf_text_add(out,
                    "calls of lane %c return when their work has ended: alone, the host is inside them for %s of "
                    "%s ms (%s)",
                    'a' + finding->lane, part, whole, value);
        if (finding->kind == CF_FINDING_BLOCKING_COPY)
            add_memory(f, out);
        return;
    case CF_FINDING_FULL_QUEUE:
        cf_text_add(out, "calls wait for room in a queue: of AB, %s of %s ms (%s)", part, whole, value);
        return;
    case CF_FINDING_ONE_QUEUE:
        cf_text_add(out, "the lanes run as both do on one in-order queue: the overlap differs from that by %s", value);
        return;
    case CF_FINDING_CONTENTION:
        cf_text_add(out, "both lanes are slower while they run together: ");
        add_lane_end(f, 0, out);
        cf_text_add(out, ", ");
        add_lane_end(f, 1, out);
        return;
    case CF_FINDING_SERIALISED:
        add_serialised(f, finding, out);
        return;
    case CF_FINDING_FIRST_USE:
        cf_text_add(out,
                    "the very first step of lane %c took %s ms, the same step again %s ms (%s times); the rounds "
                    "that count come after it",
                    'a' + finding->lane, part, whole, value);
        return;
    case CF_FINDING_COUNT:
        return;
    }
}

/* Ends the sentence, hands it on and frees it. */
static void tell(const char *label, cf_text *text, cf_note_sink *sink, void *user)
{
    cf_text_add(text, ".");
    if (!text->failed && text->data != NULL)
        sink(user, label, text->data);
    cf_text_done(text);
}

/* "contention", "a, b and c" of the findings that explain. Returns how many. */
static int add_explaining(const cf_judgement *judgement, cf_text *out)
{
    int left = 0, count = 0;
    bool said[CF_FINDING_COUNT] = {false};
    for (int i = 0; i < judgement->finding_count; i++) {
        const cf_finding *finding = &judgement->findings[i];
        left += finding->explains && !said[finding->kind];
        said[finding->kind] = said[finding->kind] || finding->explains;
    }
    memset(said, 0, sizeof said);
    for (int i = 0; i < judgement->finding_count; i++) {
        const cf_finding *finding = &judgement->findings[i];
        if (!finding->explains || said[finding->kind])
            continue;
        said[finding->kind] = true;
        left--;
        cf_text_add(out, "%s%s", count == 0 ? "" : left > 0 ? ", " : " and ", cf_finding_word(finding->kind));
        count++;
    }
    return count;
}

static void tell_missing(const findings *f, cf_note_sink *sink, void *user)
{
    const cf_judgement *judgement = f->view->judgement;
    char missing[CF_VIEW_NUMBER_BYTES], name[CF_VIEW_NAME_BYTES];
    cf_text text = {0}, causes = {0};
    cf_text_add(&text, "With no instrument (%s), %s of overlap is missing; ",
                cf_view_name(f->view, f->view->record->variants[0].name, name),
                cf_view_ratio(judgement->missing, missing));
    int count = add_explaining(judgement, &causes);
    if (f->control->starved)
        cf_text_add(&text, "the machine was too busy to find out why");
    else if (count == 0)
        cf_text_add(&text, "none of the causes that are measured here explains it");
    else
        cf_text_add(&text, "%s %s it", causes.data, count == 1 ? "explains" : "explain");
    text.failed |= causes.failed;
    cf_text_done(&causes);
    tell("Missing", &text, sink, user);
}

static void add_comparison(const findings *f, const cf_mark_comparison *compared, cf_text *out)
{
    char name[CF_VIEW_NAME_BYTES], marked[CF_VIEW_NUMBER_BYTES], plain[CF_VIEW_NUMBER_BYTES];
    cf_text_add(out, "%s of %s %s in them, %s in rounds without a mark", compared->variant == 0 ? "overlap" : "effect",
                cf_view_name(f->view, f->view->record->variants[compared->variant].name, name),
                cf_view_estimate(&compared->marked, 1, marked), cf_view_estimate(&compared->plain, 1, plain));
}

static void tell_mark(const findings *f, int mark, cf_note_sink *sink, void *user)
{
    static const char *const words[CF_MARK_COUNT] = {"with the device throttled", "with other processes on the device"};
    const cf_judgement *judgement = f->view->judgement;
    const cf_mark_judgement *marked = &judgement->marks[mark];
    if (marked->rounds == 0)
        return;
    cf_text text = {0};
    cf_text_add(&text, "%ld of %ld rounds (%.0f %%) ran %s. ", marked->rounds, judgement->rounds,
                100 * (double)marked->rounds / (double)judgement->rounds, words[mark]);
    if (marked->compared == 0)
        cf_text_add(&text, "No round is free of marks, so nothing can be compared: this could explain the answer");
    else if (!marked->could_explain) {
        cf_text_add(&text, "This does not explain the answer: ");
        add_comparison(f, &marked->of[0], &text);
    } else {
        cf_text_add(&text, "This could explain the answer");
        for (int i = 0; i < marked->compared; i++) {
            if (!marked->of[i].differs)
                continue;
            cf_text_add(&text, "; ");
            add_comparison(f, &marked->of[i], &text);
        }
    }
    tell("Marks", &text, sink, user);
}

void cf_sentence_findings(const cf_view *view, cf_note_sink *sink, void *user)
{
    const cf_judgement *judgement = view->judgement;
    const findings f = {.view = view, .control = &judgement->variants[0]};
    if (judgement->missing > 0)
        tell_missing(&f, sink, user);
    for (int i = 0; i < judgement->finding_count; i++) {
        cf_text text = {0};
        add_finding(&f, &judgement->findings[i], &text);
        tell("Finding", &text, sink, user);
    }
    for (int mark = 0; mark < CF_MARK_COUNT; mark++)
        tell_mark(&f, mark, sink, user);
}

static bool bears_on(const cf_variable *variable, const cf_record *record)
{
    if (variable->backend != NULL)
        return record->device_backend != NULL && strcmp(variable->backend, record->device_backend) == 0;
    return !record->simulated;
}

void cf_sentence_environment(const cf_view *view, cf_note_sink *sink, void *user)
{
    const cf_pairs *environment = &view->record->environment;
    for (size_t i = 0; i < environment->count; i++) {
        const cf_variable *variable = cf_variable_find(environment->items[i].name);
        if (variable == NULL || variable->matters == NULL || !bears_on(variable, view->record))
            continue;
        char name[CF_VIEW_NAME_BYTES], value[256];
        cf_text text = {0};
        cf_text_add(&text, "%s=%s: %s", cf_view_name(view, environment->items[i].name, name),
                    cf_view_text(view, environment->items[i].value, value, sizeof value), variable->matters);
        tell("Variable", &text, sink, user);
    }
}
