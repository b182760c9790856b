/* What stands beside the verdict of a metric experiment. */
#include <math.h>
#include <stdio.h>

#include "report/metric.h"

#define SITES_SHOWN 3

typedef struct notes {
    const cf_view *view;
    cf_note_sink *sink;
    void *user;
} notes;

static void say(const notes *n, const char *label, cf_text *text)
{
    cf_text_add(text, "%s", text->size_bytes ? "." : "");
    if (text->size_bytes)
        n->sink(n->user, label, text->data);
    cf_text_done(text);
}

/* There, and no more than the margin. */
static void note_small(const notes *n)
{
    for (int i = 0; i < n->view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &n->view->judgement->variants[i];
        const cf_record_variant *variant = cf_view_variant(n->view, judged);
        char name[CF_VIEW_NAME_BYTES], change[CF_VIEW_NUMBER_BYTES];
        cf_text text = {0};
        if (variant->role != CF_ROLE_INSTRUMENT || !judged->effect.measurable ||
            judged->effect.verdict != CF_EFFECT_CLEAR)
            continue;
        cf_text_add(&text, "The effect of %s can be measured, %s, and is within the margin",
                    cf_view_name(n->view, variant->name, name), cf_metric_change(judged, change));
        say(n, "Note", &text);
    }
}

static void note_ended(const notes *n)
{
    for (int v = 0; v < n->view->record->variant_count; v++) {
        const cf_record_variant *variant = &n->view->record->variants[v];
        char name[CF_VIEW_NAME_BYTES], why[512];
        cf_text text = {0};
        if (!variant->ended)
            continue;
        cf_text_add(&text, "%s has no number from ", cf_view_name(n->view, variant->name, name));
        if (variant->ended_round)
            cf_text_add(&text, "round %lld", (long long)variant->ended_round);
        else
            cf_text_add(&text, "the warm-up");
        cf_text_add(&text, " on: %s", cf_view_text(n->view, variant->ended, why, sizeof why));
        say(n, "Ended", &text);
    }
}

static void note_first(const notes *n)
{
    const cf_record *record = n->view->record;
    int order[CF_MAX_VARIANTS], said = 0;
    char unit[CF_VIEW_NAME_BYTES];
    int count = cf_view_order(n->view, order);
    cf_text text = {0};
    for (int i = 0; record->warmup.count && i < count && said < 4; i++) {
        const cf_variant_judgement *judged = &n->view->judgement->variants[order[i]];
        double first = cf_round_value(&record->warmup.items[0], judged->variant);
        char name[CF_VIEW_NAME_BYTES], number[CF_VIEW_NUMBER_BYTES];
        if (isnan(first) || cf_view_variant(n->view, judged)->role == CF_ROLE_REPLICA)
            continue;
        cf_text_add(&text, "%s%s %s", said++ ? ", " : "The first of each arm, which is kept apart: ",
                    cf_view_name(n->view, cf_view_variant(n->view, judged)->name, name),
                    cf_metric_number(first, number));
    }
    if (said && record->metric.unit[0])
        cf_text_add(&text, " %s", cf_view_name(n->view, record->metric.unit, unit));
    say(n, "First use", &text);
}

static double mean_load(const cf_record *record)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < record->rounds.count; i++) {
        if (!isfinite(record->rounds.items[i].load))
            continue;
        sum += record->rounds.items[i].load;
        count++;
    }
    return count ? sum / (double)count : (double)NAN;
}

static void note_machine(const notes *n)
{
    const cf_record *record = n->view->record;
    const cf_variant_judgement *control = &n->view->judgement->variants[0];
    double load = mean_load(record);
    cf_text text = {0};
    if (control->starved)
        cf_text_add(&text, "The main thread of the control waited for a processor during %.0f %% of its time",
                    control->starved_share * 100);
    if (record->host_threads > 0 && load > (double)record->host_threads)
        cf_text_add(&text, "%s load average was %.1f on %lld processor%s", text.size_bytes ? "; the" : "The", load,
                    (long long)record->host_threads, record->host_threads == 1 ? "" : "s");
    if (text.size_bytes)
        cf_text_add(&text, ". Arms meet a busy machine in random order: it costs rounds, and favours no arm");
    say(n, "Machine", &text);
}

static void note_outputs(const notes *n)
{
    char path[1024];
    cf_text text = {0};
    if (n->view->record->metric.outputs)
        cf_text_add(&text, "What each run printed is in %s",
                    cf_view_text(n->view, n->view->record->metric.outputs, path, sizeof path));
    say(n, "Outputs", &text);
}

static void note_fact(const notes *n, const char *name, const char *label)
{
    const char *value = cf_pairs_get(&n->view->record->device, name);
    char shown[1024];
    if (value)
        n->sink(n->user, label, cf_view_text(n->view, value, shown, sizeof shown));
}

/* The first ones have the most commands. */
static void note_sites(const notes *n)
{
    cf_text text = {0};
    int count = 0;
    for (char name[32];
         snprintf(name, sizeof name, "site %d", count + 1), cf_pairs_get(&n->view->record->device, name);)
        if (++count <= SITES_SHOWN)
            note_fact(n, name, "Site");
    if (count > SITES_SHOWN)
        cf_text_add(&text, "%d more, with as many commands or fewer, are in the record (device.facts)",
                    count - SITES_SHOWN);
    say(n, "Sites", &text);
}

/* What was seen of a program whose own timing was toggled. */
static void note_toggled(const notes *n)
{
    if (n->view->record->metric.source != CF_SOURCE_STEP)
        return;
    note_fact(n, "span", "Steps");
    note_fact(n, "timed", "Timing");
    note_sites(n);
    note_fact(n, "answered", "Answers");
    note_fact(n, "cost", "Cost");
}

void cf_metric_notes(const cf_view *view, cf_note_sink *sink, void *user)
{
    const notes n = {.view = view, .sink = sink, .user = user};
    note_toggled(&n);
    note_ended(&n);
    note_small(&n);
    note_first(&n);
    note_machine(&n);
    note_outputs(&n);
}
