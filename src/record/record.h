/* The record: everything that was measured and nothing that was concluded. The only thing both halves know.
   File format: docs/record.md, `confound.record/1`. All strings are owned by the record. */
#ifndef CF_RECORD_RECORD_H
#define CF_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CF_RECORD_SCHEMA "confound.record/1"
#define CF_STEPS         3 /* timed steps in a cell; its value is their median */
#define CF_MAX_VARIANTS  32
#define CF_TIME_MAX_NS   (INT64_C(1) << 53) /* no time in a record is larger: any JSON reader keeps it exactly */

typedef enum cf_cell { CF_CELL_A, CF_CELL_B, CF_CELL_AB, CF_CELL_COUNT } cf_cell;

#define CF_ROLE_TABLE(X)                                                                                               \
    X(CONTROL, "control")       /* no instrument; the first variant is the one called `none` */                        \
    X(REPLICA, "replica")       /* the control again: the A/A check */                                                 \
    X(INSTRUMENT, "instrument") /* what is on trial */                                                                 \
    X(REFERENCE, "reference")   /* must read as serialising */                                                         \
    X(DESIGN, "design")         /* the control of the job given with --against */
typedef enum cf_role {
#define X(name, text) CF_ROLE_##name,
    CF_ROLE_TABLE(X)
#undef X
        CF_ROLE_COUNT
} cf_role;

/* true, false or null of the file: NOTHING = there is nothing to prove. For a control (and a replica, a design),
   NO is what is wanted: it was proven that nothing was armed. */
typedef enum cf_armed { CF_ARMED_NOTHING, CF_ARMED_NO, CF_ARMED_YES } cf_armed;

typedef enum cf_design { CF_DESIGN_WITHIN, CF_DESIGN_BETWEEN } cf_design;

/* Result of the data check over the whole run. */
typedef enum cf_data_check { CF_DATA_NOT_RUN, CF_DATA_UNSUPPORTED, CF_DATA_OK, CF_DATA_WRONG } cf_data_check;

/* One cell of one round. Times are of one timed window: `in_flight` steps submitted, then waited for. -1 = unsupported
   (delay_ns, late_ns, lane_a_ns, lane_b_ns). Integer ns. */
typedef struct cf_sample {
    int64_t wall_ns[CF_STEPS];    /* before the first call to idle */
    int64_t submit_ns[CF_STEPS];  /* first call to last call returned, blocked time included */
    int64_t blocked_ns[CF_STEPS]; /* of submit_ns, spent blocked inside calls */
    int64_t delay_ns[CF_STEPS];   /* run-queue delay of the submitting thread */
    int64_t lane_a_ns[CF_STEPS];  /* ab: start to idle of lane a, where the host waited for that lane first */
    int64_t lane_b_ns[CF_STEPS];  /* the same of lane b; the two take turns, the other one is -1 */
    int64_t late_ns[CF_STEPS];    /* device that is software: lateness of its engines that moved the wall */
} cf_sample;

/* What the instrument itself saw in one round's ab cell: from its own timestamps. shorter_ns 0 = it saw nothing. */
typedef struct cf_seen {
    int64_t overlap_ns; /* time during which both lanes were busy */
    int64_t shorter_ns; /* busy time of the less busy lane */
} cf_seen;

typedef struct cf_pair { /* a named fact; value NULL = absent */
    char *name, *value;
} cf_pair;
typedef struct cf_pairs {
    cf_pair *items;
    size_t count;
} cf_pairs;

#define CF_OP_OWN "step" /* op of a caller's own work */

typedef struct cf_record_lane {
    char *op;       /* "h2d" "d2h" "d2d" "kernel" … or "step" for an opaque one */
    char *label;    /* what the caller calls an opaque one; NULL = nothing */
    int64_t count;  /* operations in a step */
    int64_t length; /* of one operation, in `unit` */
    char *unit;     /* "ns", "bytes" or "trips"; of an opaque one the caller's word */
    bool given;     /* by the job, not by calibration */
} cf_record_lane;

/* A metric experiment: arms in place of instruments, and one number an arm and round in place of the cells. */
#define CF_BETTER_TABLE(X) X(LOWER, "lower") X(HIGHER, "higher")
typedef enum cf_better {
#define X(name, text) CF_BETTER_##name,
    CF_BETTER_TABLE(X)
#undef X
} cf_better;
/* Where the number comes from. */
#define CF_SOURCE_TABLE(X)                                                                                             \
    X(WALL, "wall")   /* the process's wall time, the host's clock */                                                  \
    X(REGEX, "regex") /* what the program prints */                                                                    \
    X(FILE, "file")   /* a file that the program writes */                                                             \
    X(CPU, "cpu")     /* user and system time of the process and of those that it waited for */                        \
    X(STEP, "step")   /* wall time of a step inside the program, the host's clock */
typedef enum cf_source {
#define X(name, text) CF_SOURCE_##name,
    CF_SOURCE_TABLE(X)
#undef X
} cf_source;

typedef struct cf_strings {
    char **items;
    size_t count;
} cf_strings;

typedef struct cf_record_metric {
    bool on;    /* false: an overlap experiment, and nothing below means anything */
    char *name; /* "wall", "tok/s": what the number is called */
    char *unit; /* "ms"; "" = unknown */
    cf_better better;
    cf_source source;
    char *detail;       /* the expression, the file and key, what a step is; NULL for WALL */
    cf_strings program; /* with its arguments */
    char *outputs;      /* folder with what each process printed; NULL = none */
    int64_t timeout_ms; /* of one process; 0 = none */
} cf_record_metric;

typedef struct cf_record_job {
    char *name; /* file or built-in name */
    char *text; /* the job as INI, with everything that --set changed */
    cf_record_lane lane[2];
    bool depends;      /* each: b[i] waits for a[i] */
    int64_t in_flight; /* steps submitted ahead before the wait */
    char *wait;        /* "block", "poll" or "spin" */
    char *submit;      /* "ab" "ba" "a-then-b" "b-then-a" */
    int64_t prefetch, batch;
} cf_record_job;

typedef struct cf_record_variant {
    char *name; /* "none", "timing", … unique */
    cf_role role;
    char *where; /* "before" "after" "both"; NULL where it records nothing */
    char *on;    /* "a" "b" "both" */
    cf_armed armed;
    char *armed_how; /* how it was proven, or what is missing */
    int64_t armed_expected, armed_count;
    int job;           /* 0 = job, 1 = against */
    bool process_only; /* must be armed before first use: no answer from one process */
    char *process_why;
    char *prefix;        /* metric: what stands before the program, as a shell would read it; NULL = nothing */
    char *ended;         /* metric: why the arm has no number from then on; NULL = it went to the end */
    int64_t ended_round; /* the round that it had no number in; 0 = the warm-up */
    double work_ratio;   /* metric: of its steps' commands to the control's, the median of the rounds; 0 = not known */
} cf_record_variant;

/* A command as it was executed, for one step; optional. Taken in steps of their own, outside every judged cell. */
typedef struct cf_record_span {
    int variant;
    int64_t id;               /* of the command: from 1, unique within its variant, in order of submission; 0 = none */
    int64_t waits_for;        /* id of the command that released it last; 0 = nothing held it, or not known */
    int64_t begin_ns, end_ns; /* from the step's start */
    int64_t queued_ns;        /* became visible; -1 unknown */
    char *engine;             /* track */
    int stream, lane;
    int64_t index;     /* operation it is or belongs to */
    char *what;        /* "h2d", "kernel", "record before", "hold" … */
    char *waited_for;  /* NULL or what kept it */
    bool instrumented; /* from an instrument's timestamps, not from the device's own truth */
} cf_record_span;

/* The numbers of one variant in one round of a metric experiment: its value is their median. */
typedef struct cf_values {
    double *items; /* finite, above 0, in the metric's unit */
    size_t count;  /* 0 = not measured */
} cf_values;

/* What is known of one process. */
typedef struct cf_process_facts {
    bool known;
    int64_t wall_ns;                           /* from before it was started until it was waited for */
    int64_t user_ns, system_ns, max_rss_bytes; /* with the processes that it waited for */
    int64_t delay_ns;                          /* run-queue delay of its main thread; -1 = unsupported */
} cf_process_facts;

/* One round. Arrays are [variant_count][CF_CELL_COUNT] in the order of variants; order holds variant * 3 + cell as they
   were executed. A prologue round has one variant (the first). In a metric experiment values takes the place of samples
   and seen, which are NULL, and order holds variants. */
typedef struct cf_round {
    int64_t number; /* 1-based within its list */
    int process;    /* which process measured it: 0, +1 with each resume */
    unsigned marks; /* bit set of CF_MARK_… */
    int order_count;
    int *order;
    cf_sample *samples;
    cf_seen *seen;           /* [variant_count], NULL if nothing was seen by anyone */
    cf_values *values;       /* metric: [variant_count]; else NULL */
    cf_process_facts *facts; /* metric: [variant_count]; NULL where there is none */
    double load;             /* metric: load average of a minute at its begin; NaN = unknown */
} cf_round;
#define CF_MARK_THROTTLED     1u
#define CF_MARK_SHARED_DEVICE 2u

typedef struct cf_rounds {
    cf_round *items;
    size_t count, capacity;
} cf_rounds;

typedef struct cf_record {
    char *tool_version, *tool_build, *created_utc;
    cf_pairs host;        /* os, kernel, cpu, cores, … */
    char *device_backend; /* "sim" "soft" … */
    char *device_name;
    cf_pairs device; /* further facts */
    char *driver;    /* name and version; NULL = none */
    bool simulated;
    char *clock_name; /* "CLOCK_MONOTONIC", "virtual", or what a caller's device calls its own */
    int64_t clock_resolution_ns;
    cf_pairs environment;    /* variables that matter, as set */
    cf_record_metric metric; /* where it is on: job is empty text, there is no calibration, and no span */
    cf_record_job job;
    bool has_against;
    cf_record_job against;
    cf_design design;
    uint64_t seed; /* below 2^53 */
    double margin, alpha;
    int64_t min_rounds, max_rounds;
    int64_t empty_step_ns; /* calibration */
    int64_t calibration_tries;
    int64_t first_step_ns[2]; /* the very first step of lane a and of lane b in the process: first use; 0 = not taken */
    int64_t again_step_ns[2]; /* the same step again, at the same length; 0 = not taken: the length was given, and the
                                 rounds have it */
    int64_t host_threads;     /* cores this process may run on */
    cf_data_check data_check;
    char *data_check_text; /* what was wrong or why it is unsupported; NULL if OK */
    int variant_count;
    cf_record_variant *variants; /* [0] is always the control, `none` but in a metric experiment */
    cf_rounds prologue;          /* control only, before any instrument existed */
    cf_rounds warmup;            /* thrown away but for the first, which is shown; the first of each process */
    cf_rounds rounds;
    cf_pairs skipped; /* what was not done, and why */
    cf_record_span *spans;
    size_t span_count;
    char *spans_how;  /* in which steps they were taken, and by whose clock; NULL = not said */
    bool interrupted; /* ended by the user before it was decided */
} cf_record;

#define CF_SKIPPED_EXPLAIN "explain" /* in skipped: why no spans were taken though they were asked for */

void cf_record_init(cf_record *record); /* zeroes, sets defaults of the settings */
void cf_record_done(cf_record *record); /* takes NULL and half-built ones */

/* Adds a zeroed round with room for variant_count variants (samples, seen and order allocated). Borrowed until the
   list grows. NULL only out of memory. */
cf_round *cf_rounds_add(cf_rounds *rounds, int variant_count);
void cf_rounds_drop_last(cf_rounds *rounds);

/* ---- metric experiments ---- */

/* Makes record one: copies what spec has (its `on` is not asked), and leaves the job empty. MEMORY. */
cf_status cf_record_set_metric(cf_record *record, const cf_record_metric *spec, cf_error *err) CF_MUST_CHECK;
/* As cf_rounds_add, with room for values; nothing is measured in it yet. with_facts: and for facts. */
cf_round *cf_rounds_add_metric(cf_rounds *rounds, int variant_count, bool with_facts);
/* Copies x as the numbers of variant; in place of older ones. */
cf_status cf_round_set_values(cf_round *round, int variant, const double *x, size_t count, cf_error *err) CF_MUST_CHECK;
double cf_round_value(const cf_round *round, int variant); /* median; NaN = not measured */
extern const char *const cf_better_names[];                /* cf_better */
extern const char *const cf_source_names[];                /* cf_source */

cf_status cf_pairs_add(cf_pairs *pairs, const char *name, const char *value, cf_error *err) CF_MUST_CHECK;
/* The same with a value that is made; at most 511 bytes of it, with a decimal point in every locale. */
cf_status cf_pairs_add_format(cf_pairs *pairs, cf_error *err, const char *name, const char *fmt, ...)
    CF_PRINTF(4, 5) CF_MUST_CHECK;
void cf_pairs_drop(cf_pairs *pairs, const char *name); /* nothing where it is absent */
void cf_pairs_done(cf_pairs *pairs);
const char *cf_pairs_get(const cf_pairs *pairs, const char *name); /* NULL if absent */

/* Words of a placement, NULL-terminated; index + 1 is a bit set of before and after, of a and b. */
extern const char *const cf_where_names[]; /* "before" "after" "both" */
extern const char *const cf_on_names[];    /* "a" "b" "both" */
const char *cf_cell_name(cf_cell cell);    /* "a" "b" "ab" */
const char *cf_role_name(cf_role role);
/* Begins the name of what was skipped because a caller's step failed: "rounds from 8 on". */
#define CF_SKIPPED_ROUNDS "rounds from "
const char *cf_record_stopped_by(const cf_record *record); /* of one that was interrupted: "the user" or "a failure" */
bool cf_record_is_own(const cf_record *record);            /* a caller's own steps, not a job */
const char *cf_record_lane_what(const cf_record_lane *lane); /* its label where there is one, else its op */
int64_t cf_sample_value_ns(const int64_t times[CF_STEPS]);   /* median of the steps */
static inline const cf_sample *cf_round_sample(const cf_round *round, int variant, cf_cell cell)
{
    return &round->samples[variant * CF_CELL_COUNT + (int)cell];
}

#endif
