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
    uint64_t span;  /* number of the command that signals it, where commands are told; 0 = none */
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
    cf_event *events; /* that its end stamps */
    int engine;
    bool hold, drains;
    uint64_t waits; /* number of the operation that it waits for, where commands are told */
    uint64_t span;  /* its own number there; 0 = it is not told */
} cf_sim_entry;

typedef struct cf_sim_track {
    cf_ring entries;        /* of cf_sim_entry: head = ended so far, tail = submitted so far */
    uint64_t latest_end_ns; /* of the command that ended last */
    bool had_kernel;
} cf_sim_track;

/* A command that is told. Those before it are known by their numbers, 0 = none: in its stream, the operation that it
   waits for, in its engine's queue. */
typedef struct cf_sim_span {
    cf_sim_label label;
    int engine;
    uint32_t stream;
    bool drains, ended;
    uint64_t visible_ns, begin_ns, end_ns;
    uint64_t left_ns; /* at which it let the next one of its queue become head */
    uint64_t before_stream, before_event, before_queue;
} cf_sim_span;

/* Commands since the last delivery. Numbers rise for ever; items[0] has the number first. */
typedef struct cf_sim_log {
    cf_span_sink *sink; /* NULL: nothing is told */
    void *sink_user;
    cf_sim_span *items;
    uint64_t *ended; /* numbers in the order in which they ended */
    size_t count, ended_count, capacity;
    uint64_t first;
    uint64_t last_of_stream[CF_SOLVER_MAX_STREAMS];
    uint64_t last_of_queue[CF_MODEL_MAX_ENGINES][CF_SOLVER_MAX_STREAMS];
} cf_sim_log;

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
    cf_sim_log log;
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
/* A command is submitted: gives its entry a number if commands are told. MEMORY. */
cf_status cf_sim_span_begin(cf_sim *sim, uint32_t stream, cf_sim_entry *entry, cf_error *err);
void cf_sim_span_drop(cf_sim *sim, const cf_sim_entry *entry); /* it was not submitted after all; the last one */
void cf_sim_span_end(cf_sim *sim, const cf_sim_entry *entry, uint64_t visible_ns, uint64_t begin_ns, uint64_t end_ns);
/* To the sink; the device is idle. */
void cf_sim_spans_deliver(cf_sim *sim);

#endif
