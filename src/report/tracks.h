/* A record's spans as they are drawn: tracks, rows without overlap, what waited for what. Shared by the text, the page
   and the trace. */
#ifndef CF_REPORT_TRACKS_H
#define CF_REPORT_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "record/record.h"

typedef enum cf_span_kind {
    CF_SPAN_OPERATION, /* of a lane */
    CF_SPAN_RECORD,    /* an instrument's: a command */
    CF_SPAN_HOLD,      /* an instrument's: no work, but it keeps its queue */
    CF_SPAN_WAIT,      /* the engine stands at it */
    CF_SPAN_OTHER      /* the device's own */
} cf_span_kind;

#define CF_NO_SPAN SIZE_MAX

typedef struct cf_track_span {
    const cf_record_span *span; /* borrowed from the record */
    cf_span_kind kind;
    int track;
    int row;          /* of the track, from 0: no two spans of a row overlap; -1 for one of no length */
    size_t cause;     /* index of the span that released it; CF_NO_SPAN where there is none */
    bool goes_on;     /* of an operation that is several commands: not its first */
    int64_t since_ns; /* operations: from then on it was there and its own lane let it go. begin_ns elsewhere */
} cf_track_span;

typedef struct cf_track {
    const char *engine; /* borrowed from the record; hostile */
    bool alone;         /* no two of the record's commands ran there at once, in any variant */
    int rows;           /* 0 where none of its spans has a length */
    int own_rows;       /* the first of them: of operations, and of records where these take turns with operations */
    int record_rows;    /* the next: of records that are there beside operations. The rest: of all others */
} cf_track;

/* One variant's spans, in the record's order. */
typedef struct cf_tracks {
    const cf_record *record; /* borrowed */
    int variant;
    cf_track_span *spans;
    size_t span_count;
    cf_track *tracks; /* those of lane a first, then those of lane b, then the rest by name */
    int track_count;
    int64_t end_ns; /* of the last of them */
    bool instrumented;
} cf_tracks;

/* Any record that was read is accepted, whatever its ids say. MEMORY. ret_tracks: cf_tracks_done, also after a
   failure. */
cf_status cf_tracks_make(const cf_record *record, int variant, cf_tracks *ret_tracks, cf_error *err) CF_MUST_CHECK;
void cf_tracks_done(cf_tracks *tracks);
bool cf_tracks_exist(const cf_record *record, int variant); /* the record has spans of it */

/* Why operations of one lane began later than their own lane would have let them. */
typedef enum cf_wait_why {
    CF_WAIT_WHY_RECORD, /* through a record that is a command */
    CF_WAIT_WHY_HOLD,   /* through a record that keeps a queue */
    CF_WAIT_WHY_STREAM, /* in the one stream that both lanes share */
    CF_WAIT_WHY_ENGINE, /* for the engine that both run on */
    CF_WAIT_WHY_QUEUE,  /* behind it in a queue: it let the next one go when it left, and ran on */
    CF_WAIT_WHY_EVENT,  /* for an operation that it depends on */
    CF_WAIT_WHY_COUNT
} cf_wait_why;

typedef struct cf_wait_sum {
    int64_t count;    /* operations that waited for one of the other lane */
    int64_t total_ns; /* how long, together */
    size_t example;   /* the one that waited longest */
    size_t through;   /* of its chain: the first record or hold; CF_NO_SPAN where there is none */
    size_t origin;    /* of its chain: the operation of the other lane */
} cf_wait_sum;

typedef struct cf_wait_sums {
    cf_wait_sum by[2][CF_WAIT_WHY_COUNT]; /* [lane that waited] */
    int64_t operations[2];
    int64_t records[2];
    int64_t host[2];    /* operations after the first that were submitted when all before them in the lane had ended */
    int64_t host_ns[2]; /* how long, together */
} cf_wait_sums;

void cf_tracks_waits(const cf_tracks *tracks, cf_wait_sums *ret_sums);

/* Time in which operations of both lanes ran, and busy time of the lane that was busy for less. */
void cf_tracks_overlap(const cf_tracks *tracks, int64_t *ret_both_ns, int64_t *ret_shorter_ns);
/* The next link of what kept a span: its cause, CF_NO_SPAN at the end. Chains are never longer than the spans. */
static inline size_t cf_tracks_next(const cf_tracks *tracks, size_t at)
{
    return tracks->spans[at].cause;
}

#endif
