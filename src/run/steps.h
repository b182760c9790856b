/* The rig of a caller's own steps: opaque work in two lanes, which the caller submits and waits for. What is known of
   it is what the caller says; the order, the clock, the controls and the reference are ours. */
#ifndef CF_RUN_STEPS_H
#define CF_RUN_STEPS_H

#include "run/rig.h"
#include "run/run.h"

#define CF_STEPS_HOW_BYTES   160
#define CF_STEPS_MAX_THREADS 64

typedef enum cf_told { CF_TOLD_NOTHING, CF_TOLD_NO_ANSWER, CF_TOLD_NO, CF_TOLD_YES } cf_told;

/* What the caller says of one window of a variant. */
typedef struct cf_steps_proof {
    cf_told armed;
    int64_t expected, count;
    char how[CF_STEPS_HOW_BYTES];
    cf_seen seen;
} cf_steps_proof;

typedef struct cf_steps_lane {
    char *label;    /* NULL = none */
    int64_t count;  /* operations in a step, from 1 */
    char *unit;     /* of length; NULL = none */
    int64_t length; /* of one operation, with which calibration begins; 0 = there is nothing to stretch */
    bool given;     /* length is never changed */
} cf_steps_lane;

typedef struct cf_steps_instrument {
    char *name, *process_why; /* process_why NULL = one process gives an answer */
    unsigned where, on;       /* bits as in cf_where_names and cf_on_names; 0 = not said */
} cf_steps_instrument;

/* variant: 0 = no instrument, n = instruments[n - 1]. lanes: bit 0 = a, bit 1 = b. */
typedef struct cf_steps_calls {
    void *user;
    /* Required. In the clock. submit: one step of the lanes. wait: until all that was submitted to them has ended; once
       for every window and lane. */
    cf_status (*submit)(void *user, int variant, unsigned lanes, cf_error *err);
    cf_status (*wait)(void *user, int variant, unsigned lanes, cf_error *err);
    /* Optional. In the clock: ns so far that the host was blocked inside submit. */
    uint64_t (*blocked_ns)(void *user);
    /* Optional. Before the rounds: a step of both lanes in which nothing is done, submitted and waited for as the
       others are. Lanes that take little more are not known to do anything. */
    cf_status (*empty)(void *user, cf_error *err);
    /* Optional. Outside the clock, with nothing running. Called for instruments alone, around the cells of each. */
    cf_status (*arm)(void *user, int variant, cf_error *err);
    cf_status (*disarm)(void *user, int variant, cf_error *err);
    /* Optional. After each window, while the variant is armed; also of the control. */
    cf_status (*prove)(void *user, int variant, unsigned lanes, cf_steps_proof *ret_proof, cf_error *err);
    /* Optional. After each window: *ret_right false with a line in text when a result is wrong. */
    cf_status (*check)(void *user, int variant, unsigned lanes, bool *ret_right, char *text, size_t text_bytes);
    /* Optional. In the clock: takes the place of the host's clock, for tests. */
    uint64_t (*now_ns)(void *user);
    /* Where a lane may be stretched. */
    cf_status (*set_length)(void *user, int lane, int64_t length, cf_error *err);
} cf_steps_calls;

typedef struct cf_steps cf_steps;
struct cf_steps {
    char *name;                                         /* NULL = "steps" */
    char *device_backend, *device_name, *driver, *wait; /* NULL = not said */
    bool simulated;
    cf_pairs device, environment;
    cf_steps_lane lane[2];
    bool depends;    /* b[i] waits for a[i] */
    bool lane_waits; /* wait can wait for one lane while the other runs */
    uint32_t in_flight;
    int thread_count;
    int64_t threads[CF_STEPS_MAX_THREADS]; /* that do the work: where they had to wait for a core is recorded as late */
    int instrument_count;
    cf_steps_instrument instruments[CF_MAX_VARIANTS];
    cf_steps_calls calls;
    const cf_steps *against; /* another design of the same work, measured with no instrument; NULL = none */
};

#define CF_STEPS_MAX_INSTRUMENTS (CF_MAX_VARIANTS - 4) /* beside none, none-again, one-queue and against */

typedef struct cf_steps_options {
    uint64_t seed; /* below 2^53 */
    double margin, alpha;
    int64_t min_rounds, max_rounds;
    const char *part_path; /* NULL = no part file is kept */
    cf_run_callbacks callbacks;
    cf_agree *agree; /* NULL = this process is alone */
    void *agree_user;
} cf_steps_options;

/* Runs the experiment on the caller's steps. record: initialised, the caller's; on failure it keeps every whole round.
   INPUT: submit or wait is missing. Whatever a call returned, IO (the part file), MEMORY. */
cf_status cf_steps_run(const cf_steps *steps, const cf_steps_options *options, cf_record *record,
                       cf_error *err) CF_MUST_CHECK;

#endif
