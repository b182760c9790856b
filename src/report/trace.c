/* Chrome trace event JSON: what Perfetto and chrome://tracing open. A process a variant; in it a thread a row of each
   engine, one for what has no length, and one a stream. Times are microseconds with ns behind the point.

   Viewers bind a flow to the slice that is on top of its thread when they come to it, so each flow's event stands right
   behind its slice where both have one time, and events of one time stand in the order in which they caused each
   other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "report/tracks.h"
#include "report/view.h"

#define STREAMS_MAX     16
#define STREAM_ROWS_MAX 8
#define RANK_MAX        64 /* links of no length at one time that are followed */
#define RANK_FIRST      (-1)
#define RANK_STREAM     (-2) /* no arrow is bound there: in the order of the stream */
#define TEXT_BYTES      256
#define FIRST_THREAD                                                                                                   \
    101 /* beyond the numbers of processes: a thread of its process's number is shown as its main one */

typedef enum event_kind { EVENT_SLICE, EVENT_FLOW_END, EVENT_FLOW_BEGIN } event_kind;

typedef struct event {
    int64_t at_ns;
    int rank; /* of one time: after what caused it */
    size_t sequence;
    event_kind kind;
    size_t span;
    int64_t end_ns; /* slices */
    int thread;
    int64_t flow;
    bool waits; /* the slice is the wait before the span */
} event;

/* Over all processes: those that are free. */
typedef struct numbers {
    int64_t flow;
    int thread;
} numbers;

/* Of a track. */
typedef struct track_place {
    int first_row; /* counted over all tracks */
    bool has_marks;
} track_place;

typedef struct trace {
    const cf_view *view;
    cf_json *json;
    const cf_tracks *tracks;
    event *events;
    size_t count, capacity;
    numbers *next;
    int first_thread;
    int *ranks; /* of spans */
    track_place *places;
    int streams[STREAMS_MAX];
    int stream_count;
    int stream_rows[STREAMS_MAX];
    int engine_threads, mark_threads; /* how many */
} trace;

/* ---- threads: engines' rows first, then what has no length, then streams ---- */

static int row_thread(const trace *t, int track, int row)
{
    return t->first_thread + t->places[track].first_row + row;
}

static int mark_thread(const trace *t, int track)
{
    return t->first_thread + t->engine_threads + track;
}

static int stream_thread(const trace *t, int stream, int row)
{
    return t->first_thread + t->engine_threads + t->mark_threads + stream * STREAM_ROWS_MAX + row;
}

static int thread_of(const trace *t, const cf_track_span *s)
{
    return s->row < 0 ? mark_thread(t, s->track) : row_thread(t, s->track, s->row);
}

/* ---- events ---- */

static bool add_event(trace *t, event e)
{
    if (t->count == t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 1024;
        event *events = realloc(t->events, capacity * sizeof *events);
        if (!events)
            return false;
        t->events = events;
        t->capacity = capacity;
    }
    e.sequence = t->count;
    t->events[t->count++] = e;
    return true;
}

/* Links back to a command that began at another time, or that had a length of its own. */
static int rank_of(const trace *t, size_t at)
{
    int rank = 0;
    const int64_t begin_ns = t->tracks->spans[at].span->begin_ns;
    for (size_t link = t->tracks->spans[at].cause; link != CF_NO_SPAN && rank < RANK_MAX;
         link = t->tracks->spans[link].cause) {
        if (t->tracks->spans[link].span->begin_ns != begin_ns)
            break;
        rank++;
    }
    return rank;
}

/* In order on one stream and one row, a command follows the one before it: no arrow says so. */
static bool is_plain_order(const cf_track_span *s, const cf_track_span *cause)
{
    return cause->span->stream == s->span->stream && cause->track == s->track && cause->row == s->row;
}

/* The last ns of the cause, but no later than what it released. */
static int64_t flow_begin_ns(const cf_record_span *cause, const cf_record_span *span)
{
    const int64_t last_ns = cause->end_ns > cause->begin_ns ? cause->end_ns - 1 : cause->begin_ns;
    return last_ns < span->begin_ns ? last_ns : span->begin_ns;
}

static bool add_flow(trace *t, size_t at)
{
    const cf_track_span *s = &t->tracks->spans[at];
    if (s->cause == CF_NO_SPAN || is_plain_order(s, &t->tracks->spans[s->cause]))
        return true;
    const cf_track_span *cause = &t->tracks->spans[s->cause];
    const int64_t begin_ns = flow_begin_ns(cause->span, s->span);
    const bool at_begin = begin_ns == cause->span->begin_ns;
    if (at_begin && begin_ns == s->span->begin_ns && t->ranks[s->cause] >= t->ranks[at])
        return true; /* a circle */
    const int64_t flow = t->next->flow++;
    return add_event(t, (event){.at_ns = begin_ns,
                                .rank = at_begin ? t->ranks[s->cause]
                                                 : RANK_FIRST, /* it runs, and nothing else on its thread */
                                .kind = EVENT_FLOW_BEGIN,
                                .span = s->cause,
                                .thread = thread_of(t, cause),
                                .flow = flow}) &&
           add_event(t, (event){.at_ns = s->span->begin_ns,
                                .rank = t->ranks[at],
                                .kind = EVENT_FLOW_END,
                                .span = at,
                                .thread = thread_of(t, s),
                                .flow = flow});
}

static bool add_engines(trace *t)
{
    for (size_t i = 0; i < t->tracks->span_count; i++) {
        const cf_track_span *s = &t->tracks->spans[i];
        const event slice = {.at_ns = s->span->begin_ns,
                             .rank = t->ranks[i],
                             .kind = EVENT_SLICE,
                             .span = i,
                             .end_ns = s->span->end_ns,
                             .thread = thread_of(t, s)};
        if (!add_event(t, slice) || !add_flow(t, i))
            return false;
    }
    return true;
}

/* ---- streams ---- */

static int find_stream(trace *t, int number)
{
    for (int i = 0; i < t->stream_count; i++)
        if (t->streams[i] == number)
            return i;
    if (t->stream_count == STREAMS_MAX || number < 0)
        return -1;
    t->streams[t->stream_count] = number;
    return t->stream_count++;
}

static bool add_stream_slice(trace *t, size_t at, int stream, int64_t end_ns[STREAM_ROWS_MAX])
{
    const cf_record_span *span = t->tracks->spans[at].span;
    int row = 0;
    while (row < STREAM_ROWS_MAX && end_ns[row] > span->begin_ns)
        row++;
    if (row == STREAM_ROWS_MAX)
        return true; /* it is on its engine's thread */
    const int thread = stream_thread(t, stream, row);
    const int64_t since_ns = span->queued_ns > end_ns[row] ? span->queued_ns : end_ns[row];
    const bool waits = row == 0 && span->queued_ns >= 0 && since_ns < span->begin_ns;
    t->stream_rows[stream] = row + 1 > t->stream_rows[stream] ? row + 1 : t->stream_rows[stream];
    end_ns[row] = span->end_ns;
    event slice = {.at_ns = since_ns,
                   .rank = RANK_STREAM,
                   .kind = EVENT_SLICE,
                   .span = at,
                   .end_ns = span->begin_ns,
                   .thread = thread,
                   .waits = true};
    if (waits && !add_event(t, slice))
        return false;
    slice.at_ns = span->begin_ns;
    slice.end_ns = span->end_ns;
    slice.waits = false;
    return add_event(t, slice);
}

typedef struct placed {
    int64_t begin_ns, end_ns;
    size_t at; /* of the span */
} placed;

static int by_begin(const void *left, const void *right)
{
    const placed *x = left;
    const placed *y = right;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* What an instrument saw has its lanes as tracks already. */
static bool add_streams(trace *t)
{
    const size_t count = t->tracks->instrumented ? 0 : t->tracks->span_count;
    int64_t end_ns[STREAMS_MAX][STREAM_ROWS_MAX] = {{0}};
    placed *order = calloc(count + 1, sizeof *order);
    if (!order)
        return false;
    for (size_t i = 0; i < count; i++)
        order[i] = (placed){t->tracks->spans[i].span->begin_ns, t->tracks->spans[i].span->end_ns, i};
    qsort(order, count, sizeof *order, by_begin);
    bool added = true;
    for (size_t i = 0; i < count && added; i++) {
        const int stream = find_stream(t, t->tracks->spans[order[i].at].span->stream);
        if (stream >= 0)
            added = add_stream_slice(t, order[i].at, stream, end_ns[stream]);
    }
    free(order);
    return added;
}

/* ---- printing ---- */

static void add_time(cf_json *json, const char *key, int64_t ns)
{
    cf_json_double(json, key, (double)ns / 1000);
}

static const char *name_of(const trace *t, const cf_record_span *span, char buf[TEXT_BYTES])
{
    char what[CF_VIEW_NAME_BYTES];
    cf_view_name(t->view, span->what, what);
    if (span->lane == 0 || span->lane == 1)
        (void)snprintf(buf, TEXT_BYTES, "%s %c[%lld]", what, 'a' + span->lane, (long long)span->index);
    else
        (void)snprintf(buf, TEXT_BYTES, "%s", what);
    return buf;
}

static void begin_event(const trace *t, const char *phase, const char *name, const char *category, int thread)
{
    cf_json_object_begin(t->json, NULL, true);
    cf_json_string(t->json, "ph", phase);
    cf_json_string(t->json, "name", name);
    cf_json_string(t->json, "cat", category);
    cf_json_int(t->json, "pid", t->tracks->variant + 1);
    cf_json_int(t->json, "tid", thread);
}

static const char *category_of(const trace *t, const event *e)
{
    static const char *const kinds[] = {[CF_SPAN_OPERATION] = "operation",
                                        [CF_SPAN_RECORD] = "record",
                                        [CF_SPAN_HOLD] = "hold",
                                        [CF_SPAN_WAIT] = "stand",
                                        [CF_SPAN_OTHER] = "other"};
    static const char *const instrumented[] = {[CF_SPAN_OPERATION] = "instrumented,operation",
                                               [CF_SPAN_RECORD] = "instrumented,record",
                                               [CF_SPAN_HOLD] = "instrumented,hold",
                                               [CF_SPAN_WAIT] = "instrumented,stand",
                                               [CF_SPAN_OTHER] = "instrumented,other"};
    const cf_track_span *s = &t->tracks->spans[e->span];
    if (e->waits)
        return "wait";
    return s->span->instrumented ? instrumented[s->kind] : kinds[s->kind];
}

static void add_args(const trace *t, const cf_track_span *s)
{
    char text[TEXT_BYTES];
    cf_json_object_begin(t->json, "args", true);
    cf_json_string(t->json, "engine", cf_view_text(t->view, s->span->engine, text, sizeof text));
    cf_json_int(t->json, "stream", s->span->stream);
    if (s->span->queued_ns >= 0)
        add_time(t->json, "queued_us", s->span->queued_ns);
    if (s->span->waited_for)
        cf_json_string(t->json, "waited_for", cf_view_text(t->view, s->span->waited_for, text, sizeof text));
    cf_json_bool(t->json, "instrumented", s->span->instrumented);
    if (s->span->instrumented)
        cf_json_string(t->json, "statement", "not the verdict");
    cf_json_object_end(t->json);
}

static void add_slice(const trace *t, const event *e)
{
    const cf_track_span *s = &t->tracks->spans[e->span];
    char name[TEXT_BYTES], wait[TEXT_BYTES + 16], cause[TEXT_BYTES - 16];
    if (e->waits && s->span->waited_for)
        (void)snprintf(wait, sizeof wait, "waits for %s",
                       cf_view_text(t->view, s->span->waited_for, cause, sizeof cause));
    else
        (void)snprintf(wait, sizeof wait, "waits");
    begin_event(t, "X", e->waits ? wait : name_of(t, s->span, name), category_of(t, e), e->thread);
    add_time(t->json, "ts", e->at_ns);
    add_time(t->json, "dur", e->end_ns - e->at_ns);
    add_args(t, s);
    cf_json_object_end(t->json);
}

static void add_flow_event(const trace *t, const event *e)
{
    const bool begins = e->kind == EVENT_FLOW_BEGIN;
    begin_event(t, begins ? "s" : "f", "waits for", "wait", e->thread);
    cf_json_int(t->json, "id", e->flow);
    add_time(t->json, "ts", e->at_ns);
    if (!begins)
        cf_json_string(t->json, "bp", "e");
    cf_json_object_end(t->json);
}

static void add_metadata(const trace *t, const char *what, int thread, const char *key, const char *text, int number)
{
    cf_json_object_begin(t->json, NULL, true);
    cf_json_string(t->json, "ph", "M");
    cf_json_string(t->json, "name", what);
    cf_json_int(t->json, "pid", t->tracks->variant + 1);
    cf_json_int(t->json, "tid", thread);
    cf_json_object_begin(t->json, "args", true);
    if (text)
        cf_json_string(t->json, key, text);
    else
        cf_json_int(t->json, key, number);
    cf_json_object_end(t->json);
    cf_json_object_end(t->json);
}

static void name_thread(const trace *t, int thread, const char *name)
{
    add_metadata(t, "thread_name", thread, "name", name, 0);
    add_metadata(t, "thread_sort_index", thread, "sort_index", NULL, thread);
}

static const char *name_row(const cf_track *track, int row, const char *engine, char name[TEXT_BYTES])
{
    const char *what = "";
    if (row >= track->own_rows + track->record_rows) {
        what = ", waits and others";
        row -= track->own_rows + track->record_rows;
    } else if (row >= track->own_rows) {
        what = ", records";
        row -= track->own_rows;
    }
    (void)snprintf(name, TEXT_BYTES, row ? "%s%s (%d)" : "%s%s", engine, what, row + 1);
    return name;
}

static void name_threads(const trace *t)
{
    char engine[CF_VIEW_NAME_BYTES], name[TEXT_BYTES];
    for (int track = 0; track < t->tracks->track_count; track++) {
        cf_view_name(t->view, t->tracks->tracks[track].engine, engine);
        for (int row = 0; row < t->tracks->tracks[track].rows; row++)
            name_thread(t, row_thread(t, track, row), name_row(&t->tracks->tracks[track], row, engine, name));
        (void)snprintf(name, sizeof name, "%s, of no length", engine);
        if (t->places[track].has_marks)
            name_thread(t, mark_thread(t, track), name);
    }
    for (int stream = 0; stream < t->stream_count; stream++) {
        for (int row = 0; row < t->stream_rows[stream]; row++) {
            (void)snprintf(name, sizeof name, row ? "stream %d (%d)" : "stream %d", t->streams[stream], row + 1);
            name_thread(t, stream_thread(t, stream, row), name);
        }
    }
}

static void name_process(const trace *t)
{
    const cf_record *record = t->view->record;
    char variant[CF_VIEW_NAME_BYTES], name[TEXT_BYTES];
    (void)snprintf(
        name, sizeof name, "%s%s%s", cf_view_name(t->view, record->variants[t->tracks->variant].name, variant),
        record->simulated ? " (simulated)" : "", t->tracks->instrumented ? " (instrumented: not the verdict)" : "");
    add_metadata(t, "process_name", 0, "name", name, 0);
    add_metadata(t, "process_sort_index", 0, "sort_index", NULL, t->tracks->variant);
    if (t->tracks->instrumented)
        add_metadata(t, "process_labels", 0, "labels", "instrumented: not the verdict", 0);
}

static int by_time(const void *left, const void *right)
{
    const event *x = left;
    const event *y = right;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank - y->rank;
    if (x->span != y->span && x->rank != RANK_STREAM)
        return x->span < y->span ? -1 : 1;
    if (x->kind != y->kind)
        return (int)x->kind - (int)y->kind;
    return x->sequence < y->sequence ? -1 : 1;
}

static bool make_places(trace *t)
{
    t->places = calloc((size_t)t->tracks->track_count + 1, sizeof *t->places);
    if (!t->places)
        return false;
    for (int i = 0; i < t->tracks->track_count; i++) {
        t->places[i].first_row = t->engine_threads;
        t->engine_threads += t->tracks->tracks[i].rows;
    }
    for (size_t i = 0; i < t->tracks->span_count; i++)
        t->places[t->tracks->spans[i].track].has_marks |= t->tracks->spans[i].row < 0;
    return true;
}

static bool make_events(trace *t)
{
    const size_t count = t->tracks->span_count;
    t->ranks = calloc(count + 1, sizeof *t->ranks);
    if (!t->ranks || !make_places(t))
        return false;
    for (size_t i = 0; i < count; i++)
        t->ranks[i] = rank_of(t, i);
    if (!add_engines(t) || !add_streams(t))
        return false;
    if (t->count > 0)
        qsort(t->events, t->count, sizeof *t->events, by_time);
    return true;
}

/* One variant. False: out of memory. */
static bool add_variant(const cf_view *view, const cf_tracks *tracks, numbers *next, cf_json *json)
{
    trace t = {.view = view,
               .json = json,
               .tracks = tracks,
               .next = next,
               .first_thread = next->thread,
               .mark_threads = tracks->track_count};
    const bool made = make_events(&t);
    if (made) {
        name_process(&t);
        name_threads(&t);
    }
    for (size_t i = 0; made && i < t.count; i++) {
        if (t.events[i].kind == EVENT_SLICE)
            add_slice(&t, &t.events[i]);
        else
            add_flow_event(&t, &t.events[i]);
    }
    next->thread = stream_thread(&t, STREAMS_MAX, 0);
    free(t.events);
    free(t.ranks);
    free(t.places);
    return made;
}

static bool any_instrumented(const cf_record *record)
{
    for (size_t i = 0; i < record->span_count; i++)
        if (record->spans[i].instrumented)
            return true;
    return false;
}

/* Strings: what viewers show of it is text. */
static void add_other(const cf_view *view, cf_json *json)
{
    const cf_record *record = view->record;
    char text[512];
    cf_json_object_begin(json, "otherData", false);
    cf_json_string(json, "device", cf_view_text(view, record->device_name, text, sizeof text));
    cf_json_string(json, "driver", record->driver ? cf_view_text(view, record->driver, text, sizeof text) : "none");
    cf_json_string(json, "simulated", record->simulated ? "true" : "false");
    cf_json_string(json, "taken", cf_view_text(view, record->spans_how, text, sizeof text));
    cf_json_string(json, "statement",
                   any_instrumented(record)
                       ? "Instrumented: these are an instrument's own timestamps, and not the verdict."
                       : "Taken outside the judged rounds: what is concluded stands in the judgement.");
    cf_json_object_end(json);
}

cf_status cf_report_trace(const cf_record *record, cf_text *out, cf_error *err)
{
    const cf_report_style style = {.utf8 = true};
    cf_view view;
    cf_view_init(&view, record, NULL, &style);
    cf_json json = {.out = out};
    numbers next = {.flow = 1, .thread = FIRST_THREAD};
    cf_status status = CF_OK;
    cf_json_object_begin(&json, NULL, false);
    cf_json_string(&json, "displayTimeUnit", "ms");
    add_other(&view, &json);
    cf_json_array_begin(&json, "traceEvents", false);
    for (int i = 0; i < record->variant_count && !status; i++) {
        cf_tracks tracks;
        if (!cf_tracks_exist(record, i))
            continue;
        status = cf_tracks_make(record, i, &tracks, err);
        if (!status && !add_variant(&view, &tracks, &next, &json))
            status = cf_error_set(err, CF_MEMORY, "out of memory");
        cf_tracks_done(&tracks);
    }
    cf_json_array_end(&json);
    cf_json_object_end(&json);
    return !status && out->failed ? cf_error_set(err, CF_MEMORY, "out of memory") : status;
}
