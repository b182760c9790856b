/* What stands beside the verdict: each note looks at the whole judgement and says its line or nothing. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/metric.h"
#include "report/sentence.h"

#define SUSPICIOUS  1.1
#define NOTE_BYTES  3072
#define PIECE_BYTES 640

typedef struct notes {
    const cf_view *view;
    cf_note_sink *sink;
    void *user;
} notes;

static void CF_PRINTF(3, 4) say(const notes *n, const char *label, const char *fmt, ...)
{
    char text[NOTE_BYTES];
    va_list args;
    va_start(args, fmt);
    int length = vsnprintf(text, sizeof text - 1, fmt, args);
    va_end(args);
    size_t used = length < 0 ? 0 : strlen(text);
    snprintf(text + used, sizeof text - used, ".");
    n->sink(n->user, label, text);
}

static const char *ratio(double value, char buf[CF_VIEW_NUMBER_BYTES])
{
    return cf_view_ratio(value, buf);
}

static void note_seen(const notes *n)
{
    for (int i = 0; i < n->view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &n->view->judgement->variants[i];
        if (!judged->seen.ok)
            continue;
        cf_subject subject;
        cf_subject_of(n->view, judged, &subject);
        char seen[CF_VIEW_NUMBER_BYTES], host[CF_VIEW_NUMBER_BYTES] = "-", control[CF_VIEW_NUMBER_BYTES] = "-";
        const cf_estimate *overlap = &judged->overlap, *none = &n->view->judgement->variants[0].overlap;
        ratio(overlap->ok ? overlap->median : (double)NAN, host);
        ratio(none->ok ? none->median : (double)NAN, control);
        say(n, "Seen",
            "By %s own timestamps, %s would have reported an overlap of %s; the host's clock says %s with %s and %s "
            "with no instrument",
            subject.plural ? "their" : "its", subject.name, ratio(judged->seen.median, seen), host,
            subject.plural ? "them" : "it", control);
    }
}

/* Both raw: a ratio out of its range is no ratio to reason with. */
static void note_out_of_range(const notes *n)
{
    for (int i = 0; i < n->view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &n->view->judgement->variants[i];
        const cf_record_variant *variant = cf_view_variant(n->view, judged);
        const cf_estimate *overlap = &judged->overlap;
        bool contention = overlap->ok && overlap->median < -0.005 && overlap->high < 0;
        bool suspicious = overlap->ok && overlap->median > SUSPICIOUS;
        if (variant->role == CF_ROLE_REFERENCE || judged->starved || (!contention && !suspicious))
            continue;
        char name[CF_VIEW_NAME_BYTES], o[CF_VIEW_NUMBER_BYTES], a[CF_VIEW_NUMBER_BYTES], b[CF_VIEW_NUMBER_BYTES],
            ab[CF_VIEW_NUMBER_BYTES];
        say(n, "Note", "The overlap of %s, %s (A %s, B %s, AB %s ms), is %s",
            cf_view_name(n->view, variant->name, name), ratio(overlap->median, o), cf_view_ms(judged->a_ms, 3, a),
            cf_view_ms(judged->b_ms, 3, b), cf_view_ms(judged->ab_ms, 3, ab),
            contention ? "contention: together the lanes take longer than one after the other"
                       : "suspicious: together the lanes take less than the longer one alone");
    }
}

static void note_costs(const notes *n)
{
    for (int i = 0; i < n->view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &n->view->judgement->variants[i];
        if (cf_view_variant(n->view, judged)->role != CF_ROLE_INSTRUMENT)
            continue;
        cf_subject subject;
        cf_subject_of(n->view, judged, &subject);
        char number[CF_VIEW_NUMBER_BYTES], margin[CF_VIEW_NUMBER_BYTES];
        if (judged->effect.slows && judged->effect.verdict == CF_EFFECT_CLEAR)
            say(n, "Note", "%s slow%s the lanes, %s times the wall of AB, without a hold on their overlap",
                subject.begin, subject.plural ? "" : "s", cf_view_estimate(&judged->slowdown[2], 1, number));
        bool shows = judged->effect.measurable && fabs(judged->effect.delta.median) >= 0.005;
        if (shows && judged->effect.verdict == CF_EFFECT_CLEAR)
            say(n, "Note", "The effect of %s on overlap can be measured, %s, and is within the margin of %s",
                subject.name, cf_view_estimate(&judged->effect.delta, 1, number),
                cf_text_shortest(n->view->judgement->margin, margin, sizeof margin));
        bool decided = judged->effect.verdict == CF_EFFECT_CLEAR || judged->effect.verdict == CF_EFFECT_CONFOUNDED;
        if (judged->host_bound_note && decided)
            say(n, "Note", "With %s, submitting takes as long as the work; the effect stands", subject.name);
    }
}

/* A second way to wait: does the host's wait matter? */
static void note_waits(const notes *n)
{
    const cf_variant_judgement *control = &n->view->judgement->variants[0];
    for (int i = 1; i < n->view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &n->view->judgement->variants[i];
        const cf_record_variant *variant = cf_view_variant(n->view, judged);
        if (variant->role != CF_ROLE_CONTROL || !judged->overlap.ok || !control->overlap.ok)
            continue;
        char name[CF_VIEW_NAME_BYTES], ab[2][CF_VIEW_NUMBER_BYTES], o[2][CF_VIEW_NUMBER_BYTES];
        say(n, "Note", "The host's wait: %s gives AB %s ms and overlap %s, where none gives %s ms and %s",
            cf_view_name(n->view, variant->name, name), cf_view_ms(judged->ab_ms, 3, ab[0]),
            ratio(judged->overlap.median, o[0]), cf_view_ms(control->ab_ms, 3, ab[1]),
            ratio(control->overlap.median, o[1]));
    }
}

static void note_workload(const notes *n)
{
    const cf_judgement *judgement = n->view->judgement;
    char number[CF_VIEW_NUMBER_BYTES];
    if (judgement->unbalanced_warning)
        say(n, "Note", "The lanes are unbalanced: the shorter one takes %s of the longer; 0.7 to 0.9 tells most",
            ratio(judgement->balance, number));
    if (judgement->best < 0.995)
        say(n, "Note", "The job's own dependencies allow an overlap of %s at most; readings are relative to that",
            ratio(judgement->best, number));
    char text[PIECE_BYTES];
    if (n->view->record->data_check == CF_DATA_UNSUPPORTED)
        say(n, "Note", "Results were not checked: %s",
            cf_view_text(n->view, n->view->record->data_check_text, text, sizeof text));
    if (n->view->record->data_check == CF_DATA_NOT_RUN)
        say(n, "Note", "Results were not checked");
}

static void note_not_done(const notes *n)
{
    const cf_record *record = n->view->record;
    for (size_t i = 0; i < record->skipped.count; i++) {
        char name[CF_VIEW_NAME_BYTES], why[PIECE_BYTES];
        if (record->metric.source == CF_SOURCE_STEP && record->design == CF_DESIGN_WITHIN) { /* it says all itself */
            say(n, "Note", "%s", cf_view_text(n->view, record->skipped.items[i].value, why, sizeof why));
            continue;
        }
        say(n, "Note", "Not done: %s: %s", cf_view_name(n->view, record->skipped.items[i].name, name),
            cf_view_text(n->view, record->skipped.items[i].value, why, sizeof why));
    }
    if (record->interrupted)
        say(n, "Note", "Stopped by %s after %ld round%s", cf_record_stopped_by(record), n->view->judgement->rounds,
            n->view->judgement->rounds == 1 ? "" : "s");
}

static double first_ms(const notes *n, const cf_round *round, int variant)
{
    const cf_sample *sample = cf_round_sample(round, variant, CF_CELL_AB);
    int64_t in_flight = n->view->record->job.in_flight > 0 ? n->view->record->job.in_flight : 1;
    return (double)cf_sample_value_ns(sample->wall_ns) / (double)in_flight / 1e6;
}

/* First use is a fact of its own: the process's very first step of each lane, and the first round of all cells. */
static void add_first_step(const notes *n, cf_text *text)
{
    const int64_t *first_ns = n->view->record->first_step_ns;
    const cf_record_lane *lanes = n->view->record->job.lane;
    char a[CF_VIEW_NUMBER_BYTES], b[CF_VIEW_NUMBER_BYTES];
    if (first_ns[0] > 0 && first_ns[1] > 0)
        cf_text_add(text, "The very first step took A %s and B %s ms%s; ", cf_view_ms((double)first_ns[0] / 1e6, 3, a),
                    cf_view_ms((double)first_ns[1] / 1e6, 3, b),
                    lanes[0].given && lanes[1].given ? "" : ", before calibration");
}

static void note_first(const notes *n)
{
    const cf_record *record = n->view->record;
    if (!record->warmup.count)
        return;
    cf_text text = {0};
    add_first_step(n, &text);
    cf_text_add(&text, "%s first round, which is kept apart, AB", text.size_bytes ? "the" : "The");
    int order[CF_MAX_VARIANTS], said = 0;
    int count = cf_view_order(n->view, order);
    for (int i = 0; i < count && said < 4; i++) {
        const cf_variant_judgement *judged = &n->view->judgement->variants[order[i]];
        const cf_record_variant *variant = cf_view_variant(n->view, judged);
        if (variant->role != CF_ROLE_CONTROL && variant->role != CF_ROLE_INSTRUMENT)
            continue;
        char name[CF_VIEW_NAME_BYTES], first[CF_VIEW_NUMBER_BYTES];
        cf_text_add(&text, "%s %s %s", said++ ? "," : "", cf_view_name(n->view, variant->name, name),
                    cf_view_ms(first_ms(n, &record->warmup.items[0], judged->variant), 3, first));
    }
    if (text.data)
        say(n, "First use", "%s ms", text.data);
    cf_text_done(&text);
}

static void note_clear_star(const notes *n)
{
    for (int i = 0; i < n->view->judgement->variant_count; i++) {
        if (strcmp(cf_view_meaning(n->view, &n->view->judgement->variants[i]), "clear*") != 0)
            continue;
        say(n, "clear*", "There was nothing to remove: the control itself serialises. No evidence of harmlessness");
        return;
    }
}

/* All facts of the device whose name begins like that, one after another; how many. */
static int join_facts(const notes *n, const char *begin, cf_text *text)
{
    const cf_pairs *facts = &n->view->record->device;
    int count = 0;
    for (size_t i = 0; i < facts->count; i++) {
        char value[PIECE_BYTES];
        if (strncmp(facts->items[i].name, begin, strlen(begin)) != 0 || facts->items[i].value == NULL)
            continue;
        cf_text_add(text, "%s%s", count++ > 0 ? "; " : "",
                    cf_view_text(n->view, facts->items[i].value, value, sizeof value));
    }
    return count;
}

/* What an emulated device takes for granted stands beside every result of it. */
static void note_assumed(const notes *n)
{
    cf_text assumed = {0}, away = {0};
    if (join_facts(n, "assumption-", &assumed) > 0 && !assumed.failed)
        say(n, "Assumed", "Not verified on hardware: %s", assumed.data);
    if (join_facts(n, "taken-away-", &away) > 0 && !away.failed)
        say(n, "Control", "Modelled waits that were taken away: %s", away.data);
    cf_text_done(&assumed);
    cf_text_done(&away);
}

void cf_sentence_notes(const cf_view *view, cf_note_sink *sink, void *user)
{
    const notes n = {.view = view, .sink = sink, .user = user};
    if (!view->judgement->variant_count)
        return;
    if (view->judgement->metric) {
        cf_metric_notes(view, sink, user);
        note_assumed(&n);
        cf_sentence_environment(view, sink, user);
        note_not_done(&n);
        return;
    }
    note_clear_star(&n);
    cf_sentence_findings(view, sink, user);
    note_seen(&n);
    note_first(&n);
    note_out_of_range(&n);
    note_costs(&n);
    note_waits(&n);
    note_workload(&n);
    note_assumed(&n);
    cf_sentence_environment(view, sink, user);
    note_not_done(&n);
}
