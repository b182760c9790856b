/* What the files of `soft` share. Fields are marked by who writes them: `host` is the submitting thread, `lock` means
   under cf_soft.lock, by any engine thread. The host takes the lock outside the clock only. */
#ifndef CF_DEVICE_SOFT_STATE_H
#define CF_DEVICE_SOFT_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "device/device.h"
#include "device/soft/soft.h"

typedef struct cf_soft cf_soft;
typedef struct cf_soft_stream cf_soft_stream;
typedef struct cf_soft_command cf_soft_command;

/* Work that is left, and the host's wish to be woken. */
typedef struct cf_soft_gate {
    _Atomic uint32_t count;
    _Atomic uint32_t wanted; /* host: wake it when count < wanted; 0 = it does not wait */
} cf_soft_gate;

/* Futex words to wake once the lock is released. */
typedef struct cf_soft_wakes {
    uint32_t count;
    _Atomic uint32_t *words[64];
} cf_soft_wakes;

typedef enum cf_soft_kind {
    CF_SOFT_OP,
    CF_SOFT_RECORD, /* a record lowered to a command */
    CF_SOFT_HOLD,
    CF_SOFT_MARK /* a record lowered to nothing: no command, it rides on the stream's previous one */
} cf_soft_kind;

/* Names a command to people: "kernel b[3]". */
typedef struct cf_soft_label {
    cf_soft_kind kind;
    cf_op_kind op;
    cf_side side;
    int lane;
    uint32_t index;
    uint64_t ticket;
    bool set;
} cf_soft_label;

/* When something was free by plan, and the command that left it so. */
typedef struct cf_soft_past {
    uint64_t at_ns;
    cf_soft_label by;
} cf_soft_past;

/* A slot of the ring in which the host hands over. */
struct cf_soft_command {
    _Atomic uint64_t turn; /* its ticket while it is in flight, 0 = the slot is free */
    /* host, before it is published */
    uint64_t ticket; /* 1, 2, … in submission order */
    cf_soft_kind kind;
    cf_op op; /* what it is or belongs to */
    cf_side side;
    cf_soft_stream *stream;
    int engine;
    uint64_t length_ns, visible_ns;
    uint64_t wait_for; /* ticket, 0 = none */
    bool needs_idle;
    cf_event *event; /* completed by its end; NULL = none */
    /* lock */
    uint64_t place; /* commands of its stream before it */
    cf_soft_command *next, *marks;
    uint64_t ready_ns, begin_plan_ns, end_plan_ns;
    double done_ns; /* under contention: progress at settled_ns */
    uint64_t settled_ns;
    bool stalls;
    cf_soft_label cause; /* what made it ready */
    struct cf_soft_worker *worker;
};

/* The end of an operation, kept for those that wait for it after its slot was used again. */
typedef struct cf_soft_end {
    uint64_t ticket;
    cf_soft_past past;
} cf_soft_end;

typedef struct cf_soft_list {
    cf_soft_command *head, *tail;
} cf_soft_list;

typedef struct cf_soft_queue {
    uint32_t number; /* hardware queue; 0 for a ring */
    cf_soft_list list;
    cf_soft_past head; /* since when the head is head */
} cf_soft_queue;

struct cf_soft_stream {
    uint32_t number;
    uint8_t queue[CF_MODEL_MAX_ENGINES]; /* index among the engine's queues */
    cf_soft_gate pending;
    bool had_kernel;         /* host */
    bool recorded_before;    /* host: timing, before the next operation */
    bool recorded_after;     /* host: timing that is stuck, after the last one */
    uint64_t drained, ended; /* lock: commands */
    cf_soft_command *last;   /* lock: the last one drained, while it has not ended */
    uint64_t end_ns;         /* lock: of the last one ended, and by plan */
    cf_soft_past ended_past;
    cf_soft_stream *next;
};

/* One slot of an engine: a thread. */
typedef struct cf_soft_worker {
    cf_soft *soft;
    int engine;
    pthread_t thread;
    _Atomic uint32_t bell;
    _Atomic uint32_t idle;
    _Atomic(cf_soft_command *) current; /* lock */
    cf_soft_past free;                  /* lock */
} cf_soft_worker;

typedef struct cf_soft_engine {
    const cf_model_engine *model;
    cf_soft_queue queues[CF_SOFT_MAX_STREAMS];
    uint32_t queue_count;
    cf_soft_list issued;
    cf_soft_past last; /* begin */
    uint64_t started;
    cf_soft_worker *workers;
    uint32_t worker_count;
} cf_soft_engine;

typedef struct cf_soft_span {
    uint64_t begin_ns, end_ns, visible_ns;
    cf_soft_label label, cause;
    int engine;
    uint32_t stream;
} cf_soft_span;

/* Rule 9. host. */
typedef struct cf_soft_noise {
    cf_rng rng;
    double level, factor; /* of the AR(1); for this step's operations */
} cf_soft_noise;

struct cf_soft {
    cf_model model; /* borrowed texts */
    pthread_mutex_t lock;
    bool lock_made;
    _Atomic bool stop;
    cf_soft_gate pending; /* commands in flight, of all streams */
    _Atomic uint64_t late_ns;
    /* hand-over */
    cf_soft_command *ring; /* [CF_SOFT_COMMANDS] */
    cf_soft_end *ends;     /* [CF_SOFT_COMMANDS], lock */
    uint64_t submitted;    /* host */
    _Atomic uint64_t drained;
    uint64_t blocked_ns; /* host */
    cf_soft_noise noise;
    bool worked;        /* host: an operation was submitted */
    bool armed_in_time; /* host: a timing event existed before (arm_late_ignored) */
    bool stuck;         /* host: timing was recorded, and is sticky */
    cf_soft_stream *streams;
    uint32_t stream_count;
    /* engines */
    cf_soft_engine engines[CF_MODEL_MAX_ENGINES];
    cf_soft_worker *workers;
    uint32_t worker_count, started_count;
    cf_soft_command *running[CF_MODEL_MAX_ENGINES * CF_SOFT_MAX_WIDTH]; /* lock */
    uint32_t running_count;
    cf_soft_past idle; /* lock: latest planned end so far */
    /* spans, lock */
    cf_span_sink *sink;
    void *sink_user;
    cf_soft_span *spans;
    uint32_t span_count;
    uint64_t spans_lost;
    uint64_t step_ns;  /* when the step began: spans count from here */
    uint64_t step_end; /* the last ticket before it: ids count from here */
};

struct cf_stream {
    cf_soft_stream *state;
};

struct cf_block {
    uint64_t size_bytes, words;
    uint64_t *data; /* read and written by words, atomically: a broken dependency must be wrong, not undefined */
};

struct cf_event {
    cf_event_kind kind;
    bool ignored;       /* armed too late: does nothing */
    uint64_t ticket;    /* host: of what completes it, 0 = never recorded */
    uint64_t completed; /* lock: the last ticket that completed it */
    uint64_t stamp_raw; /* lock */
};

/* wake.c: futexes, gates, and the threads' place among others. Any thread. */
void cf_soft_futex_wait(_Atomic uint32_t *word, uint32_t value);
void cf_soft_futex_wait_until(_Atomic uint32_t *word, uint32_t value, uint64_t at_ns); /* at most until then */
void cf_soft_futex_wake(_Atomic uint32_t *word);
void cf_soft_wakes_add(cf_soft_wakes *wakes, _Atomic uint32_t *word);
void cf_soft_wakes_send(cf_soft_wakes *wakes); /* and empties it */
void cf_soft_gate_down(cf_soft_gate *gate, cf_soft_wakes *wakes);
void cf_soft_gate_wait(cf_soft_gate *gate, uint32_t at_most, cf_wait how); /* host */
void cf_soft_worker_ring(cf_soft_worker *worker);
void cf_soft_thread_prepare(const char *engine_name); /* of the calling thread; best effort */

/* queue.c: the discipline. Under the lock. */
void cf_soft_queue_advance(cf_soft *soft, const cf_soft_worker *self, cf_soft_wakes *wakes);
/* c has run on worker and ends now. */
void cf_soft_queue_finish(cf_soft *soft, cf_soft_worker *worker, cf_soft_command *c, uint64_t begin_ns,
                          cf_soft_wakes *wakes);
bool cf_soft_queue_waiting(cf_soft *soft); /* something is published and not drained; any thread, no lock */

/* pace.c: planned progress. Under the lock; when_ns without it where the model has no contention. */
void cf_soft_pace_begin(cf_soft *soft, cf_soft_command *c);
uint64_t cf_soft_pace_when_ns(cf_soft *soft, const cf_soft_command *c, uint64_t part, uint64_t parts);
void cf_soft_pace_end(cf_soft *soft, cf_soft_command *c, cf_soft_wakes *wakes); /* end_plan_ns is final */
void cf_soft_late_add(cf_soft *soft, uint64_t ns);
uint64_t cf_soft_share(uint64_t total, uint64_t part, uint64_t parts); /* floor(total * part / parts), exact */

/* noise.c */
void cf_soft_noise_begin(cf_soft_noise *noise, const cf_model_noise *model, uint64_t seed);
void cf_soft_noise_step(cf_soft_noise *noise, const cf_model_noise *model, double position); /* position in [0, 1] */
uint64_t cf_soft_noise_apply(const cf_soft_noise *noise, uint64_t ns);

/* engine.c */
cf_status cf_soft_engines_start(cf_soft *soft, cf_error *err);
void cf_soft_engines_stop(cf_soft *soft);

/* span.c */
cf_soft_label cf_soft_label_of(const cf_soft_command *c);
void cf_soft_span_add(cf_soft *soft, const cf_soft_command *c, uint64_t begin_ns, uint64_t end_ns); /* lock */
cf_status cf_soft_spans_deliver(cf_soft *soft, cf_error *err);                                      /* host, no lock */
cf_status cf_soft_spans(cf_device *device, cf_span_sink *sink, void *user, cf_error *err);

/* host.c */
cf_status cf_soft_submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err);
cf_status cf_soft_record(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                         cf_error *err);
cf_status cf_soft_wait(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err);

#endif
