/* Bring your own step: the experiment on work of your own, which this library neither knows nor looks into. You submit
   a step of lane a, of lane b or of both, and wait for it; the library interleaves, times, applies the controls, makes
   the reference itself (a, wait, b, wait) and stops when the answer is decided. docs/measure-your-own.md.

       confound_steps *steps;
       confound_steps_new(&steps, &err);
       confound_steps_set_submit(steps, submit, user);
       confound_steps_set_wait(steps, wait, user);
       confound_run_steps(steps, NULL, &record, &err);

   Callbacks   are called from the thread that calls confound_run_steps, one at a time. They get the `user` that was set
               with them. They return 0, or anything else to end the run: a confound_status, or another number, which
               stands for CONFOUND_DEVICE; a text that they write into err->text is handed on. They must not leave by
               longjmp or an exception.
   In the clock  submit, wait and blocked are called between readings of the clock: what they cost is measured as part
   of the step. Everything else is called outside, with nothing of yours running. */
#ifndef CONFOUND_STEP_H
#define CONFOUND_STEP_H

#include <stdint.h>

#include "confound/confound.h"
#include "confound/record.h"
#include "confound/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A caller's own steps; each setter copies the strings it is given. Free with confound_steps_free. */
typedef struct confound_steps confound_steps;

/* Bits of lanes. */
#define CONFOUND_LANE_A  1
#define CONFOUND_LANE_B  2
#define CONFOUND_LANE_AB 3

CONFOUND_API confound_status confound_steps_new(confound_steps **ret_steps, confound_error *err) CONFOUND_MUST_CHECK;
CONFOUND_API void confound_steps_free(confound_steps *steps);

/* ---- the step; both are needed ---- */

/* variant: 0 = with no instrument, else the number that confound_steps_add_instrument gave. The code of the step must
   be the same in every variant but for what the instrument itself does.
   submit: begins one step of lanes and returns without waiting for it. Time spent here is submission: where it takes as
   long as the work, the reading is `host-bound`.
   wait: returns when all that was submitted to lanes has ended. Every submitted lane is waited for once, before the
   next submit of that lane's; with in_flight steps, once for all of them. */
typedef int confound_submit_fn(void *user, int variant, int lanes, confound_error *err);
typedef int confound_wait_fn(void *user, int variant, int lanes, confound_error *err);
CONFOUND_API void confound_steps_set_submit(confound_steps *steps, confound_submit_fn *submit, void *user);
CONFOUND_API void confound_steps_set_wait(confound_steps *steps, confound_wait_fn *wait, void *user);

/* ---- what is on trial ---- */

/* An instrument: something that observes, and may change what it observes. where: it acts "before", "after" or on
   "both" sides of an operation; on: on lane "a", "b" or "both"; NULL = not said. Its number, from 1, is *ret_variant
   (may be NULL). The name is of letters, digits and . _ - and is none of "none", "none-again", "one-queue", "against".
   At most 28. CONFOUND_INPUT. */
CONFOUND_API confound_status confound_steps_add_instrument(confound_steps *steps, const char *name, const char *where,
                                                           const char *on, int *ret_variant,
                                                           confound_error *err) CONFOUND_MUST_CHECK;
/* It must be armed before first use in a process: one process gives no answer, and the report says why. */
CONFOUND_API confound_status confound_steps_set_process_only(confound_steps *steps, int variant, const char *why,
                                                             confound_error *err) CONFOUND_MUST_CHECK;
/* Optional. Arms an instrument before the steps of a cell and disarms it after them; never called for variant 0, which
   is proven to run with nothing armed. */
typedef int confound_arm_fn(void *user, int variant, confound_error *err);
CONFOUND_API void confound_steps_set_arm(confound_steps *steps, confound_arm_fn *arm, confound_arm_fn *disarm,
                                         void *user);

/* What a variant proves after each window of in_flight steps, while it is still armed. */
typedef struct confound_proof confound_proof;
typedef enum confound_armed {
    CONFOUND_ARMED_UNKNOWN = 0, /* can't be told: of variant 0 that makes the run invalid */
    CONFOUND_ARMED_NO = 1,      /* what variant 0 must prove. An instrument that says so once gets no answer */
    CONFOUND_ARMED_YES = 2
} confound_armed;
typedef int confound_prove_fn(void *user, int variant, int lanes, confound_proof *proof, confound_error *err);
/* Optional. Without it an instrument has nothing to prove, and the library's own account speaks for the control. */
CONFOUND_API void confound_steps_set_prove(confound_steps *steps, confound_prove_fn *prove, void *user);
/* how: a phrase, "timestamps moved"; NULL = nothing more to say. */
CONFOUND_API void confound_proof_armed(confound_proof *proof, confound_armed armed, const char *how);
/* Of an instrument: so many proofs were due in this window, so many came, at most 2^29. It is armed when over all
   rounds all came. */
CONFOUND_API void confound_proof_count(confound_proof *proof, int64_t expected, int64_t count);
/* What the instrument's own timestamps show of a step of both lanes: time in which both were busy, and busy time of the
   less busy one. Shown beside the host's clock, never judged. */
CONFOUND_API void confound_proof_seen(confound_proof *proof, int64_t overlap_ns, int64_t shorter_ns);

/* ---- what else is known of the steps; all optional ---- */

/* Name of the whole, in records and reports. Without one, "steps". */
CONFOUND_API confound_status confound_steps_set_name(confound_steps *steps, const char *name,
                                                     confound_error *err) CONFOUND_MUST_CHECK;
/* lane: CONFOUND_LANE_A or CONFOUND_LANE_B. label: what it does, "h2d copies" (NULL = nothing). operations: how many a
   step has, from 1; only lanes that depend on each other need it. */
CONFOUND_API confound_status confound_steps_set_lane(confound_steps *steps, int lane, const char *label,
                                                     int64_t operations, confound_error *err) CONFOUND_MUST_CHECK;
/* A knob (set_length NULL: none): the library may change length, which begins at `first` (above 0), so that the lanes'
   steps are long enough and alike. A lane without a knob is never stretched; imbalance is reported. unit: what length
   counts, "bytes". */
typedef int confound_length_fn(void *user, int lane, int64_t length, confound_error *err);
CONFOUND_API confound_status confound_steps_set_knob(confound_steps *steps, int lane, confound_length_fn *set_length,
                                                     void *user, int64_t first, const char *unit,
                                                     confound_error *err) CONFOUND_MUST_CHECK;
/* 1: operation i of lane b needs operation i of lane a, so that not all of a step can overlap. */
CONFOUND_API void confound_steps_set_depends(confound_steps *steps, int depends);
/* Steps that are submitted before the wait, 1 to 64. CONFOUND_INPUT. */
CONFOUND_API confound_status confound_steps_set_in_flight(confound_steps *steps, int in_flight,
                                                          confound_error *err) CONFOUND_MUST_CHECK;
/* 1: wait may be called for one lane while the other still runs. The record then has each lane's own end. */
CONFOUND_API void confound_steps_set_lane_waits(confound_steps *steps, int lane_waits);
/* How the host waits, a word for the record. Without one, "block". */
CONFOUND_API confound_status confound_steps_set_wait_name(confound_steps *steps, const char *name,
                                                          confound_error *err) CONFOUND_MUST_CHECK;
/* A thread that does the steps' work, as confound_thread_id gives it inside the thread; at most 64. Where the machine
   keeps it from a core, a variant is inconclusive, because `host-starved`, and not misread. The thread that runs the
   experiment is looked after in any case. CONFOUND_INPUT. */
CONFOUND_API confound_status confound_steps_add_thread(confound_steps *steps, int64_t thread_id,
                                                       confound_error *err) CONFOUND_MUST_CHECK;
/* One step of both lanes in which nothing is done, submitted and waited for as the others are; called a few times
   before the rounds. Of steps that are handed to threads of the caller's it is the hand-over: lanes that take little
   more are not known to do anything, and the reading is `host-bound`, because `too-short`. */
typedef int confound_empty_fn(void *user, confound_error *err);
CONFOUND_API void confound_steps_set_empty(confound_steps *steps, confound_empty_fn *empty, void *user);
/* In the clock. ns so far that submit was blocked (a full queue, a copy that waits), which is no work of the host. */
typedef int64_t confound_blocked_fn(void *user);
CONFOUND_API void confound_steps_set_blocked(confound_steps *steps, confound_blocked_fn *blocked, void *user);
/* After each window: anything but 0 says that a result is wrong, and err->text what. The run ends, and is invalid. The
   reference submitted its lanes one by one: it is checked with lane a, then with lane b. */
typedef int confound_check_fn(void *user, int variant, int lanes, confound_error *err);
CONFOUND_API void confound_steps_set_check(confound_steps *steps, confound_check_fn *check, void *user);

/* Another design of the same work, with steps of its own: does it pay? It is measured beside the first with no
   instrument, as the variant `against`; the judgement's member `against` has the answer. Its instruments and its device
   are not used; where both have a knob, it gets the first one's lengths. Borrowed until the run ends; NULL = none. */
CONFOUND_API void confound_steps_set_against(confound_steps *steps, const confound_steps *other);

/* ---- where they run, for the record ---- */

/* backend: a word, as "steps" is, which stands without it. name: of the device. driver: name and version; NULL = none.
   simulated: 1 where it says nothing about anyone's device. */
CONFOUND_API confound_status confound_steps_set_device(confound_steps *steps, const char *backend, const char *name,
                                                       const char *driver, int simulated,
                                                       confound_error *err) CONFOUND_MUST_CHECK;
/* Further facts of the device, and of the environment beside the variables that are recorded in any case. A name stands
   once. */
CONFOUND_API confound_status confound_steps_add_device_fact(confound_steps *steps, const char *name, const char *value,
                                                            confound_error *err) CONFOUND_MUST_CHECK;
CONFOUND_API confound_status confound_steps_add_environment(confound_steps *steps, const char *name, const char *value,
                                                            confound_error *err) CONFOUND_MUST_CHECK;

/* ---- the run ---- */

/* Measures until the verdict is decided or the rounds are used up. options: NULL = none; a device or a job's values
   have no place in them. Of a run that failed *ret_record holds the whole rounds before it, marked as interrupted,
   where there are any, and is NULL otherwise: unlike elsewhere it is always written. Free it with confound_record_free.
   CONFOUND_INPUT, CONFOUND_IO (the part file), CONFOUND_MEMORY, and whatever a callback returned. */
CONFOUND_API confound_status confound_run_steps(const confound_steps *steps, const confound_options *options,
                                                confound_record **ret_record, confound_error *err) CONFOUND_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
