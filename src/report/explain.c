/* --explain: pictures of two variants on one scale, and sentences. */
#include "report/explain.h"

#include <stdio.h>
#include <string.h>

#include "report/wrap.h"

#define LINKS_MAX   6
#define ENGINES_MAX 12

static const char *ms_of(int64_t ns, char buf[CF_VIEW_NUMBER_BYTES])
{
    const int decimals = ns >= 10000000 ? 1 : ns >= 100000 ? 2 : ns > 0 ? 4 : 0;
    return cf_view_ms((double)ns / 1e6, decimals, buf);
}

/* ---- where it went ---- */

typedef bool wanted(const cf_track_span *s, int lane);

static bool is_operation(const cf_track_span *s, int lane)
{
    return s->kind == CF_SPAN_OPERATION && s->span->lane == lane && !s->goes_on;
}

static bool is_command(const cf_track_span *s, int lane)
{
    return s->kind == CF_SPAN_OPERATION && s->span->lane == lane;
}

static bool is_record(const cf_track_span *s, int lane)
{
    return s->kind == CF_SPAN_RECORD && s->span->lane == lane;
}

static bool is_hold(const cf_track_span *s, int lane)
{
    return s->kind == CF_SPAN_HOLD && s->span->lane == lane;
}

static int64_t count_on(const cf_tracks *tracks, wanted *is, int lane, int track)
{
    int64_t count = 0;
    for (size_t i = 0; i < tracks->span_count; i++)
        count += is(&tracks->spans[i], lane) && (track < 0 || tracks->spans[i].track == track);
    return count;
}

/* "bcs", or "bcs (12) and ccs (4)". */
static void add_engines(const cf_view *view, const cf_tracks *tracks, wanted *is, int lane, cf_text *out)
{
    const int64_t all = count_on(tracks, is, lane, -1);
    const char *before = "";
    for (int track = 0; track < tracks->track_count && track < ENGINES_MAX; track++) {
        char name[CF_VIEW_NAME_BYTES];
        const int64_t count = count_on(tracks, is, lane, track);
        if (count == 0)
            continue;
        cf_text_add(out, "%s%s", before, cf_view_name(view, tracks->tracks[track].engine, name));
        if (count != all)
            cf_text_add(out, " (%lld)", (long long)count);
        before = " and ";
    }
    if (tracks->track_count > ENGINES_MAX)
        cf_text_add(out, "%sothers", before);
}

static const cf_record_job *job_of(const cf_tracks *tracks)
{
    const cf_record *record = tracks->record;
    return record->variants[tracks->variant].job ? &record->against : &record->job;
}

/* "kernel" "kernels", "h2d copy" "h2d copies", "batch-copies"; what is not known stays as it is. */
static const char *noun_of(const cf_view *view, const cf_tracks *tracks, int lane, int64_t count,
                           char name[CF_VIEW_NAME_BYTES])
{
    static const char *const copies[] = {"h2d", "d2h", "d2d", NULL};
    static const char *const plain[] = {"kernel", "step", NULL};
    const char *op = job_of(tracks)->lane[lane].op ? job_of(tracks)->lane[lane].op : "operation";
    char own[CF_VIEW_NAME_BYTES];
    const bool many = count != 1;
    const size_t length = strlen(op);
    cf_view_name(view, op, own);
    if (cf_text_find(copies, op) >= 0)
        (void)snprintf(name, CF_VIEW_NAME_BYTES, "%.32s %s", own, many ? "copies" : "copy");
    else if (cf_text_find(plain, op) >= 0)
        (void)snprintf(name, CF_VIEW_NAME_BYTES, "%.32s%s", own, many ? "s" : "");
    else if (many && length > 4 && length < 32 && strcmp(op + length - 4, "copy") == 0)
        (void)snprintf(name, CF_VIEW_NAME_BYTES, "%.*sies", (int)length - 1, own);
    else
        (void)snprintf(name, CF_VIEW_NAME_BYTES, "%s", own);
    return name;
}

/* "; 32 records of lane a on ccs, 32 of lane b on ccs" */
static bool add_records(const cf_view *view, const cf_tracks *tracks, wanted *is, const char *what, cf_text *out)
{
    bool any = false;
    for (int lane = 0; lane < 2; lane++) {
        const int64_t count = count_on(tracks, is, lane, -1);
        if (count == 0)
            continue;
        cf_text_add(out, any ? ", %lld%s of lane %c on " : "; %lld%s of lane %c on ", (long long)count, any ? "" : what,
                    'a' + lane);
        add_engines(view, tracks, is, lane, out);
        any = true;
    }
    return any;
}

void cf_explain_places(const cf_view *view, const cf_tracks *tracks, cf_text *out)
{
    char name[CF_VIEW_NAME_BYTES];
    for (int lane = 0; lane < 2; lane++) {
        const int64_t count = count_on(tracks, is_operation, lane, -1);
        const int64_t commands = count_on(tracks, is_command, lane, -1);
        cf_text_add(out, "%s%lld %s of lane %c", lane ? ", " : "", (long long)count,
                    noun_of(view, tracks, lane, count, name), 'a' + lane);
        if (commands != count)
            cf_text_add(out, " (%lld commands)", (long long)commands);
        if (count == 0 || tracks->instrumented)
            continue;
        cf_text_add(out, " on ");
        add_engines(view, tracks, is_operation, lane, out);
    }
    bool any = add_records(view, tracks, is_record, " records", out);
    any |= add_records(view, tracks, is_hold, " records that only keep their queue,", out);
    if (tracks->instrumented)
        cf_text_add(out, "; timestamps tell neither engines nor what waited for what.");
    else
        cf_text_add(out, "%s.", any ? "" : "; no records");
}

/* ---- what waited for what ---- */

static void add_through(const cf_view *view, const cf_tracks *tracks, cf_wait_why why, const cf_wait_sum *sum,
                        cf_text *out)
{
    char name[CF_VIEW_NAME_BYTES];
    const size_t at = sum->through != CF_NO_SPAN ? sum->through : sum->origin;
    cf_view_name(view, tracks->spans[at].span->engine, name);
    switch (why) {
    case CF_WAIT_WHY_RECORD:
        cf_text_add(out, " through records on %s", name);
        break;
    case CF_WAIT_WHY_HOLD:
        cf_text_add(out, " through records that keep the queue of %s", name);
        break;
    case CF_WAIT_WHY_STREAM:
        cf_text_add(out, " in the one stream that both lanes share");
        break;
    case CF_WAIT_WHY_ENGINE:
        cf_text_add(out, " because both run on %s", name);
        break;
    case CF_WAIT_WHY_QUEUE:
        cf_text_add(out, " before it in a queue of %s", name);
        break;
    case CF_WAIT_WHY_EVENT:
        cf_text_add(out, "%s", job_of(tracks)->depends ? " as the job says" : " by an event");
        break;
    case CF_WAIT_WHY_COUNT:
        break;
    }
}

static bool add_lane_waits(const cf_view *view, const cf_tracks *tracks, const cf_wait_sums *sums, int lane, bool any,
                           cf_text *out)
{
    char own[CF_VIEW_NAME_BYTES], other[CF_VIEW_NAME_BYTES], ms[CF_VIEW_NUMBER_BYTES];
    for (int why = 0; why < CF_WAIT_WHY_COUNT; why++) {
        const cf_wait_sum *sum = &sums->by[lane][why];
        if (sum->count == 0)
            continue;
        const int64_t all = sums->operations[lane];
        cf_text_add(out, "%s%lld of the %lld %s of lane %c waited for %s of lane %c", any ? "; " : "",
                    (long long)sum->count, (long long)all, noun_of(view, tracks, lane, all, own), 'a' + lane,
                    noun_of(view, tracks, 1 - lane, 2, other), 'b' - lane);
        add_through(view, tracks, (cf_wait_why)why, sum, out);
        cf_text_add(out, ", %s ms in all", ms_of(sum->total_ns, ms));
        any = true;
    }
    return any;
}

/* "Both lanes ran at once for 3.1 of 16.0 ms" */
static void add_overlap(const cf_tracks *tracks, cf_text *out)
{
    char both[CF_VIEW_NUMBER_BYTES], shorter[CF_VIEW_NUMBER_BYTES];
    int64_t both_ns, shorter_ns;
    cf_tracks_overlap(tracks, &both_ns, &shorter_ns);
    cf_text_add(out, "%soth lanes ran at once for %s of %s ms", tracks->instrumented ? "By them b" : "B",
                ms_of(both_ns, both), ms_of(shorter_ns, shorter));
}

void cf_explain_waits(const cf_view *view, const cf_tracks *tracks, cf_text *out)
{
    cf_wait_sums sums;
    char name[CF_VIEW_NAME_BYTES], ms[CF_VIEW_NUMBER_BYTES];
    add_overlap(tracks, out);
    if (tracks->instrumented) {
        cf_text_add(out, ".");
        return;
    }
    cf_text_add(out, ". ");
    cf_tracks_waits(tracks, &sums);
    const bool any = add_lane_waits(view, tracks, &sums, 0, false, out);
    if (!add_lane_waits(view, tracks, &sums, 1, any, out))
        cf_text_add(out, "No operation waited for one of the other lane");
    for (int lane = 0; lane < 2; lane++)
        if (sums.host_ns[lane] > tracks->end_ns / 20)
            cf_text_add(out, "; %lld %s of lane %c came too late from the host, %s ms in all",
                        (long long)sums.host[lane], noun_of(view, tracks, lane, sums.host[lane], name), 'a' + lane,
                        ms_of(sums.host_ns[lane], ms));
    cf_text_add(out, ".");
}

/* ---- an example ---- */

static void add_command(const cf_view *view, const cf_record_span *span, cf_text *out)
{
    char what[CF_VIEW_NAME_BYTES], engine[CF_VIEW_NAME_BYTES];
    cf_text_add(out, "%s", cf_view_name(view, span->what, what));
    if (span->lane == 0 || span->lane == 1)
        cf_text_add(out, " %c[%lld]", 'a' + span->lane, (long long)span->index);
    cf_text_add(out, " on %s", cf_view_name(view, span->engine, engine));
}

/* The reason that took most of the time, of either lane; through a record before any other. */
static const cf_wait_sum *heaviest(const cf_wait_sums *sums)
{
    const cf_wait_sum *found = NULL;
    for (int through = 1; through >= 0 && !found; through--) {
        for (int i = 0; i < 2 * CF_WAIT_WHY_COUNT; i++) {
            const cf_wait_sum *sum = &sums->by[i % 2][i / 2];
            if (sum->count && (sum->through != CF_NO_SPAN) == through && (!found || sum->total_ns > found->total_ns))
                found = sum;
        }
    }
    return found;
}

/* From a cause to the operation that it ends at: what lies between is told where it is an instrument's or an operation,
   and the middle of a long chain is left out. */
static void add_chain(const cf_view *view, const cf_tracks *tracks, size_t link, size_t origin, cf_text *out)
{
    int told = 0;
    for (; link != CF_NO_SPAN && link != origin && told < LINKS_MAX; link = tracks->spans[link].cause) {
        if (tracks->spans[link].kind == CF_SPAN_OTHER || tracks->spans[link].kind == CF_SPAN_WAIT)
            continue;
        add_command(view, tracks->spans[link].span, out);
        cf_text_add(out, ", that for ");
        told++;
    }
    cf_text_add(out, "%s", link == origin ? "" : "... ");
    add_command(view, tracks->spans[origin].span, out);
}

void cf_explain_example(const cf_view *view, const cf_tracks *tracks, cf_text *out)
{
    cf_wait_sums sums;
    cf_tracks_waits(tracks, &sums);
    const cf_wait_sum *sum = heaviest(&sums);
    if (!sum || tracks->instrumented)
        return;
    char from[CF_VIEW_NUMBER_BYTES], to[CF_VIEW_NUMBER_BYTES];
    const cf_track_span *s = &tracks->spans[sum->example];
    cf_text_add(out, "For instance ");
    add_command(view, s->span, out);
    cf_text_add(out, ": free to go at %s ms, it began at %s ms, for it waited for ", ms_of(s->since_ns, from),
                ms_of(s->span->begin_ns, to));
    add_chain(view, tracks, s->cause, sum->origin, out);
    const cf_record_span *origin = tracks->spans[sum->origin].span;
    const bool ran_on = origin->end_ns > s->span->begin_ns;
    cf_text_add(out, ran_on ? ", which left the queue at %s ms." : ", which ended at %s ms.",
                ms_of(ran_on ? origin->begin_ns : origin->end_ns, to));
}

/* ---- all of it ---- */

static void add_wrapped(const cf_view *view, const char *label, const cf_text *text, cf_text *out)
{
    cf_report_wrap(out, label, text->data ? text->data : "", view->style.columns, CF_CHART_LABEL, CF_CHART_LABEL);
    out->failed |= text->failed;
}

static void add_head(const cf_view *view, const cf_tracks *tracks, cf_text *out)
{
    char name[CF_VIEW_NAME_BYTES];
    cf_text_add(out, "%s%s\n", cf_view_name(view, view->record->variants[tracks->variant].name, name),
                tracks->instrumented ? ", by its own timestamps: INSTRUMENTED, NOT THE VERDICT" : "");
}

static void add_words(const cf_view *view, const cf_tracks *tracks, cf_text *out)
{
    char name[CF_VIEW_NAME_BYTES], label[CF_VIEW_NAME_BYTES];
    cf_view_name(view, view->record->variants[tracks->variant].name, name);
    cf_text text = {0};
    const bool fits = cf_text_columns(name) < CF_CHART_LABEL;
    (void)snprintf(label, sizeof label, "%s", fits ? name : "");
    if (!fits)
        cf_text_add(&text, "%s: ", name);
    cf_explain_places(view, tracks, &text);
    cf_text_add(&text, " ");
    cf_explain_waits(view, tracks, &text);
    cf_text example = {0};
    cf_explain_example(view, tracks, &example);
    if (example.size_bytes)
        cf_text_add(&text, "\n%s", example.data);
    text.failed |= example.failed;
    cf_text_done(&example);
    add_wrapped(view, label, &text, out);
    cf_text_done(&text);
}

static void add_how(const cf_view *view, cf_text *out)
{
    char how[512];
    cf_text text = {0};
    cf_view_text(view, view->record->spans_how ? view->record->spans_how : "one step of each variant", how, sizeof how);
    cf_text_add(&text, "Timelines of %s.", how);
    add_wrapped(view, "Explain", &text, out);
    cf_text_done(&text);
}

static void add_legend(const cf_view *view, const cf_chart *chart, cf_text *out)
{
    cf_text text = {0};
    cf_chart_legend(chart, &text);
    add_wrapped(view, "", &text, out);
    cf_text_done(&text);
}

static void add_all(const cf_view *view, const cf_tracks tracks[2], int count, cf_text *out)
{
    cf_chart chart;
    int64_t end_ns = 0;
    for (int i = 0; i < count; i++)
        end_ns = tracks[i].end_ns > end_ns ? tracks[i].end_ns : end_ns;
    cf_chart_init(&chart, view, end_ns);
    add_how(view, out);
    cf_text_add(out, "\n");
    cf_chart_axis(&chart, out);
    for (int i = 0; i < count; i++) {
        add_head(view, &tracks[i], out);
        cf_chart_tracks(&chart, &tracks[i], out);
    }
    add_legend(view, &chart, out);
    cf_text_add(out, "\n");
    for (int i = 0; i < count; i++)
        add_words(view, &tracks[i], out);
}

cf_status cf_report_explain(const cf_record *record, const int variants[2], const cf_report_style *style, cf_text *out,
                            cf_error *err)
{
    cf_view view;
    cf_tracks tracks[2] = {{0}};
    cf_status status = CF_OK;
    int count = 0;
    cf_view_init(&view, record, NULL, style);
    for (int i = 0; i < 2 && !status; i++) {
        if (variants[i] < 0 || !cf_tracks_exist(record, variants[i]))
            continue;
        status = cf_tracks_make(record, variants[i], &tracks[count], err);
        count++;
    }
    if (!status && count > 0)
        add_all(&view, tracks, count, out);
    for (int i = 0; i < 2; i++)
        cf_tracks_done(&tracks[i]);
    if (!status && out->failed)
        status = cf_error_set(err, CF_MEMORY, "out of memory");
    return status;
}
