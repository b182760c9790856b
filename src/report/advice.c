/* For what an answer holds, and what to do with it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/metric.h"
#include "report/sentence.h"

bool cf_is_emulated(const cf_record *record)
{
    return record->simulated && cf_pairs_get(&record->device, "emulated") != NULL;
}

bool cf_sentence_emulated(const cf_record *record, cf_text *out)
{
    if (!cf_is_emulated(record))
        return false;
    cf_text_add(out, " Simulated: the driver is the vendor's own, the engines are modelled. It shows what the driver "
                     "submits and what waits for what as far as the assumptions hold, and nothing of a GPU's pace.");
    return true;
}

void cf_sentence_scope(const cf_view *view, cf_text *out)
{
    const cf_record *record = view->record;
    char device[256], driver[256];
    if (view->judgement->metric) {
        cf_metric_scope(view, out);
        return;
    }
    cf_text_add(
        out, "%s, this device (%s), %s%s.",
        view->judgement->design == CF_DESIGN_BETWEEN ? "Processes of their own" : "This process",
        cf_view_text(view, record->device_name ? record->device_name : record->device_backend, device, sizeof device),
        record->driver ? "this driver: " : "no driver",
        record->driver ? cf_view_text(view, record->driver, driver, sizeof driver) : "");
    if (!cf_sentence_emulated(record, out) && record->simulated)
        cf_text_add(out, " Simulated: a self-test. A device built to show the effect proves that the tool can see it, "
                         "and says nothing about anyone's GPU.");
}

static const char *record_path(const cf_view *view, char *buf, size_t buf_bytes)
{
    return cf_view_text(view, view->style.record_path ? view->style.record_path : "RECORD.json", buf, buf_bytes);
}

static bool any_instrument(const cf_view *view)
{
    for (int i = 0; i < view->record->variant_count; i++)
        if (view->record->variants[i].role == CF_ROLE_INSTRUMENT)
            return true;
    return false;
}

/* The first reason that an instrument is undecided for, or the control where there is none; CF_BECAUSE_COUNT if there
   is no reason. */
static cf_because first_reason(const cf_view *view)
{
    const cf_judgement *judgement = view->judgement;
    if (!any_instrument(view) && judgement->variant_count > 0 && judgement->variants[0].because.count > 0)
        return judgement->variants[0].because.items[0];
    for (int i = 0; i < view->judgement->variant_count; i++) {
        const cf_variant_judgement *judged = &view->judgement->variants[i];
        if (judged->effect.verdict == CF_EFFECT_INCONCLUSIVE && judged->because.count)
            return judged->because.items[0];
    }
    return CF_BECAUSE_COUNT;
}

static void advise_more_rounds(const cf_view *view, cf_text *out)
{
    char path[1024];
    long more = view->judgement->more_rounds;
    long rounds = view->judgement->rounds + (more > 0 ? more : view->judgement->max_rounds);
    if (rounds < view->judgement->min_rounds)
        rounds = view->judgement->min_rounds;
    if (cf_record_is_own(view->record)) {
        cf_text_add(out, "Measure again with up to %ld rounds", rounds);
        return;
    }
    cf_text_add(out, "Go on where it ended: confound run --resume %s --rounds %ld",
                record_path(view, path, sizeof path), rounds);
}

static void advise_undecided(const cf_view *view, cf_text *out)
{
    char path[1024];
    record_path(view, path, sizeof path);
    switch (first_reason(view)) {
    case CF_BECAUSE_HOST_BOUND:
        cf_text_add(out, "Make each operation longer, so that submitting is less than the work, and run again");
        return;
    case CF_BECAUSE_TOO_SHORT:
        cf_text_add(out, "See to it that wait waits for what submit began, and make each step longer, then run again");
        return;
    case CF_BECAUSE_HOST_STARVED:
        cf_text_add(out, "Free a core and run again");
        return;
    case CF_BECAUSE_NOT_ARMED:
        cf_text_add(out, "Find out why the instrument recorded nothing; until then nothing is known about it");
        return;
    case CF_BECAUSE_STICKY:
    case CF_BECAUSE_PROCESS_ONLY:
        cf_text_add(out, "Judge the others without it%s; it needs processes of its own",
                    cf_record_is_own(view->record) ? "" : ": confound run --instruments LIST");
        return;
    case CF_BECAUSE_REFERENCE_FAILED:
        cf_text_add(out, "This set-up can't see serialisation: make the operations longer, or look at its queues");
        return;
    case CF_BECAUSE_TOO_CLOSE:
        cf_text_add(out,
                    "Another margin is another question: confound judge %s --margin X, with the X that matters to "
                    "you",
                    path);
        return;
    default:
        advise_more_rounds(view, out);
    }
}

static void advise_confounded(const cf_view *view, cf_text *out)
{
    char name[CF_VIEW_NAME_BYTES];
    cf_text_add(out,
                "Quote the row %s, and take the trace again without what is confounded. Whether another design pays "
                "is measured with no instrument%s",
                cf_view_name(view, view->record->variants[0].name, name),
                cf_record_is_own(view->record) ? "" : ": confound run JOB.ini --against JOB2.ini");
}

static void advise_clear(const cf_view *view, cf_text *out)
{
    bool own = cf_record_is_own(view->record);
    if (!any_instrument(view))
        cf_text_add(out, "For figures, quote the row none. To put an instrument on trial%s",
                    own ? ", add it to the steps" : ": confound run --instruments LIST");
    else if (view->judgement->variant_count && view->judgement->variants[0].reading == CF_READING_SERIALISES)
        cf_text_add(out, "Look for the reason in the work itself: its order, its dependencies, its queues%s",
                    own ? "" : ". Whether another design pays: confound run JOB.ini --against JOB2.ini");
    else
        cf_text_add(out, "Taking a trace with these instruments leaves the overlap as it is, within the margin. For "
                         "figures, quote the "
                         "row none");
}

static void advise_invalid(const cf_view *view, cf_text *out)
{
    if (cf_view_has_because(&view->judgement->invalid_because, CF_BECAUSE_DATA_WRONG))
        cf_text_add(out, "Mend what the wrong results point to, then run again");
    else if (cf_view_has_because(&view->judgement->invalid_because, CF_BECAUSE_CONTROL_NOT_PROVEN))
        cf_text_add(out, "Run again with no profiler, tracer or preloaded library around %s",
                    cf_record_is_own(view->record) ? "the program" : "confound");
    else
        cf_text_add(out, "Make the machine quiet (other work, changing clock rates) and run again");
}

void cf_sentence_next(const cf_view *view, cf_text *out)
{
    if (view->judgement->metric) {
        cf_metric_next(view, out);
        return;
    }
    switch (view->judgement->verdict) {
    case CF_VERDICT_INVALID:
        advise_invalid(view, out);
        break;
    case CF_VERDICT_CONFOUNDED:
        advise_confounded(view, out);
        break;
    case CF_VERDICT_INCONCLUSIVE:
        advise_undecided(view, out);
        break;
    case CF_VERDICT_CLEAR:
        advise_clear(view, out);
        break;
    }
    if (view->record->simulated)
        cf_text_add(out, ". What holds for a GPU is measured on that GPU");
    cf_text_add(out, ".");
}

typedef struct comparison {
    const char *verdict, *phrase;
} comparison;

static const char *phrase_of(const comparison *comparisons, const char *verdict)
{
    while (comparisons->verdict && strcmp(comparisons->verdict, verdict) != 0)
        comparisons++;
    return comparisons->phrase;
}

static const comparison walls[] = {
    {"faster", "is faster and pays"},
    {"slower", "is slower and does not pay"},
    {"same", "makes no difference to the wall beyond the margin and does not pay"},
    {NULL, "can't be told from the first yet"},
};
static const comparison exposures[] = {
    {"less", "is less"},
    {"more", "is more"},
    {"same", "is the same within the margin"},
    {NULL, "is undecided"},
};

/* A design is another order of the same work; a job that does less is faster for another reason. */
static bool is_same_work(const cf_record_lane *one, const cf_record_lane *two)
{
    double first = (double)one->count * (double)one->length;
    double second = (double)two->count * (double)two->length;
    return strcmp(one->op, two->op) == 0 && strcmp(one->unit, two->unit) == 0 && second >= 0.99 * first &&
           second <= 1.01 * first;
}

static void add_work(const cf_view *view, const cf_record_lane *lane, cf_text *out)
{
    char op[CF_VIEW_NAME_BYTES], unit[CF_VIEW_NAME_BYTES];
    cf_text_add(out, "%lld x %s of %lld %s", (long long)lane->count, cf_view_text(view, lane->op, op, sizeof op),
                (long long)lane->length, cf_view_text(view, lane->unit, unit, sizeof unit));
}

static void add_other_work(const cf_view *view, cf_text *out)
{
    for (int i = 0; i < 2; i++) {
        const cf_record_lane *one = &view->record->job.lane[i];
        const cf_record_lane *two = &view->record->against.lane[i];
        if (!one->op || !two->op || !one->unit || !two->unit || is_same_work(one, two))
            continue;
        cf_text_add(out, " But the two do not do the same work: lane %c is ", 'a' + i);
        add_work(view, one, out);
        cf_text_add(out, " in the first and ");
        add_work(view, two, out);
        cf_text_add(out, " in the second.");
    }
}

void cf_sentence_against(const cf_view *view, cf_text *out)
{
    const cf_against_judgement *against = &view->judgement->against;
    if (!against->ok)
        return;
    char name[CF_VIEW_NAME_BYTES], one[CF_VIEW_NUMBER_BYTES], two[CF_VIEW_NUMBER_BYTES], change[CF_VIEW_NUMBER_BYTES];
    cf_text_add(out, "The second design, %s, %s: %s ms a step against %s, a change of %s %%.",
                cf_view_name(view, view->record->against.name, name), phrase_of(walls, against->verdict),
                cf_view_ms(against->ab_ms[1], 3, two), cf_view_ms(against->ab_ms[0], 3, one),
                cf_view_estimate(&against->ab_change, 100, change));
    cf_text_add(out, " Its exposed time %s: %s ms a step against %s, a change of %s %% of the first design's step.",
                phrase_of(exposures, against->exposed_verdict), cf_view_ms(against->exposed_ms[1], 3, two),
                cf_view_ms(against->exposed_ms[0], 3, one), cf_view_estimate(&against->exposed_change, 100, change));
    add_other_work(view, out);
}
