/* What the files of `sim` share. Private to the folder.

   A track is what is known of one stream. Its entries mirror the solver's commands one for one, and because a stream is
   in order its first entry is always the one that ends next. */
#ifndef CF_DEVICE_SIM_STATE_H
#define CF_DEVICE_SIM_STATE_H

#include "device/device.h"
#include "device/sim/noise.h"
#include "device/sim/ring.h"
#include "device/sim/solve.h"

struct cf_stream {
    uint32_t number;
};

struct cf_event {
    cf_event_kind kind;
    bool recorded;
    bool late;       /* recorded in vain (arm_late_ignored): it has no stamp */
    bool pending;    /* in an entry's list: that command's end stamps it */
    bool orphan;     /* freed by its owner while pending */
    uint32_t stream; /* completes with that stream's command ... */
    uint64_t index;  /* ... of this count, from 1; 0 = was complete from the start */
    uint64_t ticket; /* of the operation that signals it, 0 = none has */
    int engine;      /* whose clock stamps it */
    uint64_t visible_ns, at_ns;
    int lane; /* of the operation that it belongs to */
    uint32_t op_index;
    cf_event *next; /* in the entry's list */
};

/* Names a command to people: "kernel b[3]". */
typedef struct cf_sim_label {
    const char *what; /* static text */
    int lane;
    uint32_t index;
} cf_sim_label;

typedef struct cf_sim_entry {
    cf_sim_label label;
    cf_sim_label waits; /* what NULL = nothing */
    cf_event *events;   /* that its end stamps */
    int engine;
    bool hold;
} cf_sim_entry;

/* The latest command that ended on a stream or an engine; what NULL = none. */
typedef struct cf_sim_latest {
    cf_sim_label label;
    uint64_t end_ns;
} cf_sim_latest;

typedef struct cf_sim_track {
    cf_ring entries; /* of cf_sim_entry: head = ended so far, tail = submitted so far */
    cf_sim_latest latest;
    bool had_kernel;
} cf_sim_track;

typedef struct cf_sim {
    const cf_model *model;
    cf_solver *solver;
    cf_sim_track tracks[CF_SOLVER_MAX_STREAMS];
    cf_sim_noise noise;
    double factor; /* of this step's lengths */
    uint64_t step_ns;
    bool submitted, armed_in_time; /* arm_late_ignored: a timing event existed before the first submission */
    bool stuck;                    /* sticky: a timing record was made */
    cf_sim_label before;           /* operation that has its own timing record before it, submitted next */
    struct {                       /* record after an operation that sticky made: its own takes that one's place */
        cf_sim_label op;
        uint32_t stream;
        uint64_t index;
    } after;
    cf_span_sink *sink;
    void *sink_user;
    cf_sim_latest engines[CF_MODEL_MAX_ENGINES];
} cf_sim;

static inline cf_sim_label cf_sim_label_of(const cf_op *op)
{
    return (cf_sim_label){.what = cf_op_names[op->kind], .lane = op->lane, .index = op->index};
}

static inline cf_sim_entry *cf_sim_entry_at(const cf_sim_track *track, uint64_t count)
{
    return (cf_sim_entry *)track->entries.items + cf_ring_at(&track->entries, count);
}

/* event.c */
cf_status cf_sim_event_new(cf_device *device, cf_event_kind kind, cf_event **ret_event, cf_error *err);
void cf_sim_event_free(cf_device *device, cf_event *event);
cf_status cf_sim_event_read(cf_device *device, cf_event *event, cf_event_reading *ret_reading, cf_error *err);
/* INPUT: the event was recorded and has not completed. */
cf_status cf_sim_event_check(const cf_event *event, const cf_op *op, cf_error *err);
/* The event completes with the stream's command of that count, stamped by engine's clock and not before now. */
void cf_sim_event_attach(cf_sim *sim, cf_event *event, uint32_t stream, uint64_t index, int engine);
/* The entry has ended: its events are stamped. */
void cf_sim_event_stamp(cf_event *events, uint64_t at_ns);
/* Frees what their owners have freed and no end will come for. */
void cf_sim_event_drop(cf_sim_track *track);

/* lower.c */
cf_status cf_sim_submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err);
cf_status cf_sim_record(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                        cf_error *err);

/* span.c */
cf_status cf_sim_spans(cf_device *device, cf_span_sink *sink, void *user, cf_error *err);
/* Tells the sink, if there is one, of a command that ended. latest: of its stream, before this one. */
void cf_sim_span_tell(cf_sim *sim, uint32_t stream, const cf_sim_entry *entry, const cf_sim_latest *latest,
                      uint64_t visible_ns, uint64_t begin_ns, uint64_t end_ns);

#endif
