/* The file through which the preloaded library (src/inject) tells what it measured: a page of facts and an array of
   steps, mapped by the program that is watched and read after its end, so that nothing is lost when that one, or
   whoever watches it, is killed. One file for each process that made an event, FOLDER/PID.toggle. Both sides are of one
   build; a reader takes every number as hostile all the same. Times are ns of CLOCK_MONOTONIC. */
#ifndef CF_TOGGLE_WIRE_H
#define CF_TOGGLE_WIRE_H

#include <stdint.h>

#define CF_WIRE_MAGIC         0x0033656c67676f74ull   /* "toggle3": another number with each other meaning */
#define CF_WIRE_ENV_AFTER     "CONFOUND_TOGGLE_AFTER" /* ns since the process began, decimal; none = 0 */
#define CF_WIRE_SUFFIX        ".toggle"
#define CF_WIRE_ENV_FOLDER    "CONFOUND_TOGGLE_FOLDER"
#define CF_WIRE_ENV_STEP      "CONFOUND_TOGGLE_STEP"   /* sync, mark or call:NAME */
#define CF_WIRE_ENV_SEED      "CONFOUND_TOGGLE_SEED"   /* decimal */
#define CF_WIRE_ENV_ROUNDS    "CONFOUND_TOGGLE_ROUNDS" /* decimal, at most CF_WIRE_ROUNDS_MAX */
#define CF_WIRE_CALL          "call:"
#define CF_WIRE_WARMUP_ROUNDS 2u
#define CF_WIRE_WARM_MARKS    8u /* marks or calls before the flag is touched */
#define CF_WIRE_ROUNDS_MAX    1000u
#define CF_WIRE_STEPS         16384u
#define CF_WIRE_SITES         32u
#define CF_WIRE_TEXT          192u
#define CF_WIRE_EMULATED      4096u

/* What the flag is in a step. A variant of the experiment is one of these; as shipped is there twice (A/A). */
typedef enum cf_arm { CF_ARM_SHIPPED, CF_ARM_STRIPPED, CF_ARM_ADDED } cf_arm;
#define CF_ARM_COUNT 3u
enum { CF_VARIANT_SHIPPED, CF_VARIANT_AGAIN, CF_VARIANT_STRIPPED, CF_VARIANT_ADDED, CF_VARIANT_COUNT };

static inline cf_arm cf_variant_arm(unsigned variant)
{
    return variant == CF_VARIANT_STRIPPED ? CF_ARM_STRIPPED
           : variant == CF_VARIANT_ADDED  ? CF_ARM_ADDED
                                          : CF_ARM_SHIPPED;
}

typedef enum cf_wire_state {
    CF_WIRE_WARMING,  /* as shipped; looking for what a step is */
    CF_WIRE_TOGGLING, /* from step to step */
    CF_WIRE_DONE      /* as shipped again, to the end */
} cf_wire_state;

/* Counters of a step, and of the whole process: field, what it counts. */
#define CF_WIRE_STEP_COUNTS(X)                                                                                         \
    X(calls, "calls that were intercepted")                                                                            \
    X(timing, "commands that the program asked to be timed")                                                           \
    X(plain, "events, or commands of queues, that it did not ask to be timed")                                         \
    X(toggled, "of both, those that went the other way in this step")                                                  \
    X(answered, "questions for a time that were answered with the last timed value")

/* What could not be toggled, and what else a reader of the result should know: field, one sentence with %llu. */
#define CF_WIRE_NOTES(X)                                                                                               \
    X(captured, "%llu events were recorded while a stream was being captured into a graph: left as they are")          \
    X(pinned, "%llu events are part of a graph: left as they are")                                                     \
    X(shared, "%llu events are shared between processes: left as they are")                                            \
    X(no_twin, "%llu events or queues could not be had with the flag the other way: left as they are")                 \
    X(launch_events, "%llu events were recorded by a kernel launch: left as they are")                                 \
    X(second_driver, "%llu functions came from a second driver in the process: left as they are")                      \
    X(extensions, "%llu functions of an OpenCL extension that take a queue were asked for: queues are left as they "   \
                  "are from then on")                                                                                  \
    X(left, "%llu events are used in a Level Zero list that is recorded before it runs, or in a way that needs the "   \
            "program's own: left as they are")                                                                         \
    X(stamps, "%llu global timestamps were appended to a Level Zero list that is recorded before it runs, or with "    \
              "events to one that is not in order: left as they are")                                                  \
    X(past_us, "%llu events of Level Zero's are of a program that takes functions from the loader's tables or "        \
               "as extensions: left as they are")                                                                      \
    X(undrained, "%llu times a queue was not idle when a step ended: its commands were put in order by a barrier")     \
    X(irregular, "%llu steps were not like the others: measured again")                                                \
    X(anew, "What the program did first recurred, and then no more: those steps are left out, and what a step is was " \
            "seen anew (so often: %llu)")                                                                              \
    X(no_period, "The waits followed no pattern (%llu looked at): a step is one wait")                                 \
    X(other_threads, "%llu waits were made by other threads than the one whose waits delimit the steps")               \
    X(lost, "%llu steps were not on disk any more, or not whole: left out")

typedef struct cf_wire_counts {
#define X(field, text) uint64_t field;
    CF_WIRE_STEP_COUNTS(X)
#undef X
} cf_wire_counts;

typedef struct cf_wire_notes {
#define X(field, text) uint64_t field;
    CF_WIRE_NOTES(X)
#undef X
} cf_wire_notes;

enum { CF_WIRE_SETTLE = 1, CF_WIRE_WARMUP = 2, CF_WIRE_IRREGULAR = 4 };

typedef struct cf_wire_step {
    uint64_t begin_ns, end_ns;
    uint32_t round;   /* from 0; warm-up rounds are counted on their own */
    uint16_t variant; /* CF_VARIANT_* */
    uint16_t flags;
    cf_wire_counts counts;
    uint64_t seal; /* of all before it */
} cf_wire_step;

static inline uint64_t cf_wire_sealed(uint64_t seal, uint64_t word)
{
    seal = (seal ^ word) * 0x9e3779b97f4a7c15ull;
    return seal ^ (seal >> 32);
}

/* After a power failure some pages of the file are as they were before: a step counts where its seal is right. Never 0,
   as all of a step is that was never on disk. */
static inline uint64_t cf_wire_seal(const cf_wire_step *step)
{
    uint64_t seal = cf_wire_sealed(cf_wire_sealed(1, step->begin_ns), step->end_ns);
    seal = cf_wire_sealed(seal, step->round | (uint64_t)step->variant << 32 | (uint64_t)step->flags << 48);
#define X(field, text) seal = cf_wire_sealed(seal, step->counts.field);
    CF_WIRE_STEP_COUNTS(X)
#undef X
    return seal | 1;
}

#define CF_WIRE_FRAMES 6u

/* A place in the program that has something timed, seen while warming: the innermost calls of the first library that is
   none of the interfaces'. One that was linked into the program itself is told apart by its functions' names. */
typedef struct cf_wire_site {
    uint64_t records;                /* timed commands or records of timing events */
    uint64_t call_ns;                /* host time inside those calls */
    uint64_t frames[CF_WIRE_FRAMES]; /* return addresses from the library's beginning, innermost first; 0 = no more */
    char library[CF_WIRE_TEXT];
} cf_wire_site;

typedef struct cf_wire {
    uint64_t magic;
    uint32_t bytes; /* of this struct */
    uint32_t pid;
    uint32_t state;  /* cf_wire_state */
    uint32_t period; /* waits a step; 1 for marks and calls */
    uint32_t rounds_wanted;
    uint32_t cuda, opencl, level_zero; /* 1: that interface was seen in use */
    uint32_t site_count;
    uint32_t step_count; /* written after the step itself */
    uint32_t site_steps; /* steps over which the sites were counted */
    uint32_t marks;      /* marks, or calls of the one that was named, before there were enough to begin */
    uint64_t seed;
    uint64_t after_ns;              /* since the process began, before steps are looked for */
    uint64_t made_ns;               /* when this file was made: at the first event or queue */
    uint64_t call_ps[CF_ARM_COUNT]; /* what an intercepted call costs more in each, measured at the start */
    cf_wire_counts counts;
    cf_wire_notes notes;
    char command[CF_WIRE_TEXT * 2]; /* of the process, blanks between arguments */
    char device[CF_WIRE_TEXT];      /* "" = not known */
    char driver[CF_WIRE_TEXT];
    char emulated[CF_WIRE_EMULATED]; /* "" = the device is real; else lines NAME=TEXT of what is assumed of it */
    cf_wire_site sites[CF_WIRE_SITES];
    cf_wire_step steps[CF_WIRE_STEPS];
} cf_wire;

#endif
