#include "report/tracks.h"

#include <stdlib.h>
#include <string.h>

#define CHAIN_MAX 64  /* links that are followed; a record may hold a circle */
#define ROWS_MAX  256 /* rows that are looked through; what would need more gets rows of its own */

bool cf_tracks_exist(const cf_record *record, int variant)
{
    for (size_t i = 0; i < record->span_count; i++)
        if (record->spans[i].variant == variant)
            return true;
    return false;
}

static cf_span_kind kind_of(const cf_record *record, const cf_record_span *span)
{
    const cf_record_job *job = record->variants[span->variant].job ? &record->against : &record->job;
    const char *op = span->lane == 0 || span->lane == 1 ? job->lane[span->lane].op : NULL;
    if (op && strcmp(span->what, op) == 0)
        return CF_SPAN_OPERATION;
    if (strncmp(span->what, "record", 6) == 0)
        return CF_SPAN_RECORD;
    if (strncmp(span->what, "hold", 4) == 0)
        return CF_SPAN_HOLD;
    return strcmp(span->what, "wait") == 0 ? CF_SPAN_WAIT : CF_SPAN_OTHER;
}

/* ---- causes ---- */

typedef struct id_at {
    int64_t id;
    size_t at;
} id_at;

static int by_id(const void *left, const void *right)
{
    const id_at *x = left;
    const id_at *y = right;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static size_t find_id(const id_at *ids, size_t count, int64_t id)
{
    size_t low = 0;
    for (size_t high = count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (ids[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && ids[low].id == id ? ids[low].at : CF_NO_SPAN;
}

/* A cause that begins after what it released is none. */
static cf_status link_causes(cf_tracks *t, cf_error *err)
{
    id_at *ids = calloc(t->span_count + 1, sizeof *ids);
    if (!ids)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    size_t count = 0;
    for (size_t i = 0; i < t->span_count; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): every one that is counted was set */
        if (t->spans[i].span->id > 0)
            ids[count++] = (id_at){t->spans[i].span->id, i};
    qsort(ids, count, sizeof *ids, by_id);
    for (size_t i = 0; i < t->span_count; i++) {
        const cf_record_span *span = t->spans[i].span;
        const size_t cause = span->waits_for > 0 ? find_id(ids, count, span->waits_for) : CF_NO_SPAN;
        const bool sound = cause != CF_NO_SPAN && cause != i && t->spans[cause].span->begin_ns <= span->begin_ns;
        t->spans[i].cause = sound ? cause : CF_NO_SPAN;
    }
    free(ids);
    return CF_OK;
}

/* ---- tracks ---- */

static int rank_of(const cf_track_span *s)
{
    return s->kind == CF_SPAN_OPERATION ? s->span->lane : 2;
}

typedef struct named {
    const char *name;
    int rank, track;
} named;

static int by_name(const void *left, const void *right)
{
    const named *x = left;
    const named *y = right;
    const int names = strcmp(x->name, y->name);
    return names ? names : x->rank - y->rank;
}

static int by_rank(const void *left, const void *right)
{
    const named *x = left;
    const named *y = right;
    return x->rank != y->rank ? x->rank - y->rank : strcmp(x->name, y->name);
}

static int by_engine_name(const void *name, const void *item)
{
    return strcmp(name, ((const named *)item)->name);
}

/* Each name once, with the least rank of its spans. Returns how many. */
static size_t gather_engines(const cf_tracks *t, named *engines)
{
    for (size_t i = 0; i < t->span_count; i++)
        engines[i] = (named){.name = t->spans[i].span->engine, .rank = rank_of(&t->spans[i])};
    qsort(engines, t->span_count, sizeof *engines, by_name);
    size_t count = 0;
    for (size_t i = 0; i < t->span_count; i++)
        if (count == 0 || strcmp(engines[count - 1].name, engines[i].name) != 0)
            engines[count++] = engines[i];
    qsort(engines, count, sizeof *engines, by_rank);
    return count;
}

static cf_status name_tracks(cf_tracks *t, named *engines, size_t count, cf_error *err)
{
    t->tracks = calloc(count + 1, sizeof *t->tracks);
    if (!t->tracks)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    t->track_count = (int)count;
    for (int i = 0; i < t->track_count; i++) {
        t->tracks[i] = (cf_track){.engine = engines[i].name};
        engines[i].track = i;
    }
    qsort(engines, count, sizeof *engines, by_name);
    for (size_t i = 0; i < t->span_count; i++) {
        const named *found = bsearch(t->spans[i].span->engine, engines, count, sizeof *engines, by_engine_name);
        t->spans[i].track = found->track;
    }
    return CF_OK;
}

#define ALONE_MAX 64 /* tracks that are looked at */

static cf_track *track_named(cf_tracks *t, const char *engine)
{
    for (int i = 0; i < t->track_count; i++)
        if (strcmp(t->tracks[i].engine, engine) == 0)
            return &t->tracks[i];
    return NULL;
}

/* A record's spans are in order of variant and begin. */
static void find_alone(cf_tracks *t)
{
    int64_t end_ns[ALONE_MAX] = {0};
    int variant = -1;
    const int count = t->track_count < ALONE_MAX ? t->track_count : 0;
    for (int i = 0; i < count; i++)
        t->tracks[i].alone = true;
    for (size_t i = 0; i < t->record->span_count && count > 0; i++) {
        const cf_record_span *span = &t->record->spans[i];
        cf_track *track = track_named(t, span->engine);
        if (span->variant != variant)
            memset(end_ns, 0, sizeof end_ns);
        variant = span->variant;
        if (!track || span->begin_ns == span->end_ns)
            continue;
        int64_t *end = &end_ns[track - t->tracks];
        track->alone &= span->begin_ns >= *end;
        *end = span->end_ns > *end ? span->end_ns : *end;
    }
}

static cf_status make_tracks(cf_tracks *t, cf_error *err)
{
    named *engines = calloc(t->span_count + 1, sizeof *engines);
    if (!engines)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    const cf_status status = name_tracks(t, engines, gather_engines(t, engines), err);
    if (!status)
        find_alone(t);
    free(engines);
    return status;
}

/* ---- rows ---- */

typedef struct row {
    int64_t end_ns;
    int stream;
} row;

typedef enum row_class { ROW_OWN, ROW_RECORDS, ROW_OTHERS } row_class;

typedef struct placed {
    int track;
    row_class class;
    int64_t begin_ns, end_ns;
    size_t at; /* of the span */
} placed;

static int by_track_and_time(const void *left, const void *right)
{
    const placed *x = left;
    const placed *y = right;
    if (x->track != y->track)
        return x->track - y->track;
    if (x->class != y->class)
        return (int)x->class - (int)y->class;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* The free row that its stream used last, or else the first free one, or else a new one. */
static size_t choose_row(const row *rows, size_t count, const cf_record_span *span)
{
    size_t found = count;
    for (size_t i = 0; i < count && i < ROWS_MAX; i++) {
        if (rows[i].end_ns > span->begin_ns)
            continue;
        if (rows[i].stream == span->stream)
            return i;
        found = found == count ? i : found;
    }
    return found;
}

static void count_rows(cf_track *track, row_class class, int rows)
{
    track->rows += rows;
    track->own_rows += class == ROW_OWN ? rows : 0;
    track->record_rows += class == ROW_RECORDS ? rows : 0;
}

/* Rows of one class of one track, from order[from] on. Returns where the next class begins. */
static size_t fill_class(cf_tracks *t, const placed *order, size_t from, row *rows)
{
    size_t count = 0, i = from;
    cf_track *track = &t->tracks[order[from].track];
    for (; i < t->span_count && order[i].track == order[from].track && order[i].class == order[from].class; i++) {
        cf_track_span *s = &t->spans[order[i].at];
        s->row = -1;
        if (s->span->begin_ns == s->span->end_ns)
            continue;
        const size_t at = choose_row(rows, count, s->span);
        rows[at] = (row){s->span->end_ns, s->span->stream};
        count += at == count;
        s->row = track->rows + (int)at;
    }
    count_rows(track, order[from].class, (int)count);
    return i;
}

static row_class class_of(cf_span_kind kind)
{
    return kind == CF_SPAN_OPERATION                        ? ROW_OWN
           : kind == CF_SPAN_RECORD || kind == CF_SPAN_HOLD ? ROW_RECORDS
                                                            : ROW_OTHERS;
}

/* order: by track and begin. Records stand among the operations of a track where no two of them run at once there. */
static void merge_turns(const placed *order, size_t count, bool *turns)
{
    int64_t end_ns[2] = {0, 0}; /* of operations, of records */
    for (size_t i = 0; i < count; i++) {
        const placed *p = &order[i];
        if (i == 0 || p->track != order[i - 1].track)
            end_ns[0] = end_ns[1] = 0;
        if (p->class == ROW_OTHERS || p->begin_ns == p->end_ns)
            continue;
        turns[p->track] &= p->begin_ns >= end_ns[1 - (int)p->class];
        end_ns[p->class] = p->end_ns > end_ns[p->class] ? p->end_ns : end_ns[p->class];
    }
}

static void place_all(cf_tracks *t, placed *order, row *rows, bool *turns)
{
    for (size_t i = 0; i < t->span_count; i++)
        order[i] = (placed){t->spans[i].track, ROW_OWN, t->spans[i].span->begin_ns, t->spans[i].span->end_ns, i};
    qsort(order, t->span_count, sizeof *order, by_track_and_time);
    for (size_t i = 0; i < t->span_count; i++)
        order[i].class = class_of(t->spans[order[i].at].kind);
    for (int i = 0; i < t->track_count; i++)
        turns[i] = true;
    merge_turns(order, t->span_count, turns);
    for (size_t i = 0; i < t->span_count; i++)
        if (order[i].class == ROW_RECORDS && turns[order[i].track])
            order[i].class = ROW_OWN;
    qsort(order, t->span_count, sizeof *order, by_track_and_time);
    for (size_t i = 0; i < t->span_count;)
        i = fill_class(t, order, i, rows);
}

static cf_status make_rows(cf_tracks *t, cf_error *err)
{
    placed *order = calloc(t->span_count + 1, sizeof *order);
    row *rows = calloc(t->span_count + 1, sizeof *rows);
    bool *turns = calloc((size_t)t->track_count + 1, sizeof *turns);
    const bool made = order && rows && turns;
    if (made)
        place_all(t, order, rows, turns);
    free(order);
    free(rows);
    free(turns);
    return made ? CF_OK : cf_error_set(err, CF_MEMORY, "out of memory");
}

/* ---- waits ---- */

/* A copy may be two commands. Steps in flight of one operation each cannot be told from that. */
static bool goes_on(const cf_record *record, const cf_track_span *before, const cf_track_span *s)
{
    const cf_record_job *job = record->variants[s->span->variant].job ? &record->against : &record->job;
    return before && before->span->index == s->span->index &&
           (job->in_flight <= 1 || job->lane[s->span->lane].count > 1);
}

/* Since when its own lane let an operation go: its submission, or the end of the lane's operation before it. */
static void find_since(cf_tracks *t)
{
    int64_t lane_end_ns[2] = {0, 0};
    const cf_track_span *before[2] = {NULL, NULL};
    for (size_t i = 0; i < t->span_count; i++) {
        cf_track_span *s = &t->spans[i];
        s->since_ns = s->span->begin_ns;
        if (s->kind != CF_SPAN_OPERATION)
            continue;
        s->goes_on = goes_on(t->record, before[s->span->lane], s);
        before[s->span->lane] = s;
        int64_t *end_ns = &lane_end_ns[s->span->lane];
        const int64_t queued_ns = s->span->queued_ns;
        const int64_t since_ns = queued_ns > *end_ns ? queued_ns : *end_ns;
        if (queued_ns >= 0 && since_ns < s->span->begin_ns)
            s->since_ns = since_ns;
        if (s->span->end_ns > *end_ns)
            *end_ns = s->span->end_ns;
    }
}

static cf_wait_why why_of(const cf_tracks *t, size_t at, size_t through, size_t origin)
{
    const cf_record_span *span = t->spans[at].span, *other = t->spans[origin].span;
    /* On an engine that runs one command at a time they would have waited without any record. */
    const bool shared = t->spans[at].track == t->spans[origin].track && t->tracks[t->spans[at].track].alone;
    if (shared && span->stream != other->stream)
        return CF_WAIT_WHY_ENGINE;
    if (through != CF_NO_SPAN)
        return t->spans[through].kind == CF_SPAN_HOLD ? CF_WAIT_WHY_HOLD : CF_WAIT_WHY_RECORD;
    if (span->stream == other->stream)
        return CF_WAIT_WHY_STREAM;
    if (t->spans[at].track != t->spans[origin].track)
        return CF_WAIT_WHY_EVENT;
    return other->end_ns > span->begin_ns ? CF_WAIT_WHY_QUEUE : CF_WAIT_WHY_ENGINE;
}

/* Follows what kept an operation to an operation: false where that is none, or one of its own lane. */
static bool find_origin(const cf_tracks *t, size_t at, size_t *ret_through, size_t *ret_origin)
{
    const int lane = t->spans[at].span->lane;
    *ret_through = CF_NO_SPAN;
    size_t link = t->spans[at].cause;
    for (int i = 0; i < CHAIN_MAX && link != CF_NO_SPAN; i++) {
        const cf_track_span *s = &t->spans[link];
        if (s->kind == CF_SPAN_OPERATION) {
            *ret_origin = link;
            return s->span->lane != lane;
        }
        if (*ret_through == CF_NO_SPAN && (s->kind == CF_SPAN_RECORD || s->kind == CF_SPAN_HOLD))
            *ret_through = link;
        link = s->cause;
    }
    return false;
}

static void add_wait(cf_wait_sum *sum, int64_t waited_ns, int64_t longest_ns, size_t at, size_t through, size_t origin)
{
    sum->count++;
    sum->total_ns += waited_ns;
    if (sum->count > 1 && waited_ns <= longest_ns)
        return;
    sum->example = at;
    sum->through = through;
    sum->origin = origin;
}

static int64_t waited_of(const cf_track_span *s)
{
    return s->span->begin_ns - s->since_ns;
}

static void sum_operation(const cf_tracks *t, size_t at, int64_t lane_end_ns, cf_wait_sums *sums)
{
    const cf_track_span *s = &t->spans[at];
    const int lane = s->span->lane;
    size_t through, origin;
    sums->operations[lane] += !s->goes_on;
    if (sums->operations[lane] > 1 && !s->goes_on && s->span->queued_ns > lane_end_ns) {
        sums->host[lane]++;
        sums->host_ns[lane] += s->span->queued_ns - lane_end_ns;
    }
    if (waited_of(s) <= 0 || !find_origin(t, at, &through, &origin))
        return;
    cf_wait_sum *sum = &sums->by[lane][why_of(t, at, through, origin)];
    add_wait(sum, waited_of(s), sum->count ? waited_of(&t->spans[sum->example]) : 0, at, through, origin);
}

void cf_tracks_waits(const cf_tracks *tracks, cf_wait_sums *ret_sums)
{
    *ret_sums = (cf_wait_sums){0};
    int64_t lane_end_ns[2] = {0, 0};
    for (size_t i = 0; i < tracks->span_count; i++) {
        const cf_track_span *s = &tracks->spans[i];
        const int lane = s->span->lane;
        if ((s->kind == CF_SPAN_RECORD || s->kind == CF_SPAN_HOLD) && (lane == 0 || lane == 1))
            ret_sums->records[lane]++;
        if (s->kind != CF_SPAN_OPERATION)
            continue;
        sum_operation(tracks, i, lane_end_ns[lane], ret_sums);
        if (s->span->end_ns > lane_end_ns[lane])
            lane_end_ns[lane] = s->span->end_ns;
    }
}

static cf_status gather(cf_tracks *t, cf_error *err)
{
    const cf_record *record = t->record;
    t->spans = calloc(record->span_count + 1, sizeof *t->spans);
    if (!t->spans)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    for (size_t i = 0; i < record->span_count; i++) {
        const cf_record_span *span = &record->spans[i];
        if (span->variant != t->variant)
            continue;
        cf_track_span *s = &t->spans[t->span_count++];
        s->span = span;
        s->kind = kind_of(record, span);
        t->end_ns = span->end_ns > t->end_ns ? span->end_ns : t->end_ns;
        t->instrumented |= span->instrumented;
    }
    return CF_OK;
}

/* Spans are in order of their begin: each lane's busy time grows at its end, and what both have in common is counted
   when the later of two begins. */
void cf_tracks_overlap(const cf_tracks *tracks, int64_t *ret_both_ns, int64_t *ret_shorter_ns)
{
    int64_t end_ns[2] = {0, 0}, busy_ns[2] = {0, 0}, both_ns = 0;
    for (size_t i = 0; i < tracks->span_count; i++) {
        const cf_track_span *s = &tracks->spans[i];
        if (s->kind != CF_SPAN_OPERATION)
            continue;
        const int lane = s->span->lane;
        const int64_t begin_ns = s->span->begin_ns > end_ns[lane] ? s->span->begin_ns : end_ns[lane];
        if (s->span->end_ns <= begin_ns)
            continue;
        const int64_t common_ns = s->span->end_ns < end_ns[1 - lane] ? s->span->end_ns : end_ns[1 - lane];
        both_ns += common_ns > begin_ns ? common_ns - begin_ns : 0;
        busy_ns[lane] += s->span->end_ns - begin_ns;
        end_ns[lane] = s->span->end_ns;
    }
    *ret_both_ns = both_ns;
    *ret_shorter_ns = busy_ns[0] < busy_ns[1] ? busy_ns[0] : busy_ns[1];
}

cf_status cf_tracks_make(const cf_record *record, int variant, cf_tracks *ret_tracks, cf_error *err)
{
    cf_tracks *t = ret_tracks;
    *t = (cf_tracks){.record = record, .variant = variant};
    cf_status status = gather(t, err);
    if (!status)
        status = link_causes(t, err);
    if (!status)
        status = make_tracks(t, err);
    if (!status)
        status = make_rows(t, err);
    if (!status)
        find_since(t);
    return status;
}

void cf_tracks_done(cf_tracks *tracks)
{
    free(tracks->spans);
    free(tracks->tracks);
    *tracks = (cf_tracks){0};
}
