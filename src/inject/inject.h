/* What the parts of the preloaded library share: whether it is at work, in which arm the program runs now, counters.
   Everything here is called inside somebody else's program: nothing prints, nothing exits, errno is left as it was, no
   memory comes from malloc, and whatever cannot be had turns the library off, which then passes every call through.
   Any thread, unless something else is said. */
#ifndef CF_INJECT_INJECT_H
#define CF_INJECT_INJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "toggle/wire.h"

#define CF_INJECT_EXPORT __attribute__((visibility("default")))

typedef void (*cf_inject_function)(void); /* cast to the real type before it is called */
/* ISO C knows no way between the two; dlsym's callers need one. */
static inline cf_inject_function cf_inject_function_at(void *address)
{
    union {
        void *address;
        cf_inject_function function;
    } both = {.address = address};
    return both.function;
}
static inline void *cf_inject_address_of(cf_inject_function function)
{
    union {
        cf_inject_function function;
        void *address;
    } both = {.function = function};
    return both.address;
}

/* The arm of the step that runs now. */
extern _Atomic unsigned cf_inject_arm_now;
static inline cf_arm cf_inject_arm(void)
{
    return (cf_arm)atomic_load_explicit(&cf_inject_arm_now, memory_order_relaxed);
}

/* Of a wire's counts: what one thread's calls added, each to one of these. A thread writes its own alone, since an
   addition that two threads may make at once is what a call would cost most. Those of a thread that ended are another
   one's later, and go on from where they are. */
typedef struct cf_inject_counters {
    _Atomic uint64_t calls;          /* those that are not below */
    _Atomic uint64_t commands[2][2]; /* that can be toggled, [timed as shipped][went the other way] */
    _Atomic uint64_t answered;       /* of the calls */
    _Atomic bool used;               /* by a thread that lives */
    struct cf_inject_counters *next;
} cf_inject_counters;
extern _Thread_local cf_inject_counters *cf_inject_mine; /* NULL: none yet */
cf_inject_counters *cf_inject_counters_take(void);
static inline cf_inject_counters *cf_inject_counters_of_thread(void)
{
    cf_inject_counters *mine = cf_inject_mine;
    return __builtin_expect(mine != NULL, 1) ? mine : cf_inject_counters_take();
}
static inline void cf_inject_add(_Atomic uint64_t *counter)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}
#define CF_INJECT_COUNT(field) cf_inject_add(&cf_inject_counters_of_thread()->field)
cf_wire_counts cf_inject_counts(void); /* so far, of all threads */

/* The process's file, NULL: off. */
extern cf_wire *_Atomic cf_inject_file;
#define CF_INJECT_NOTE(field)                                                                                          \
    do {                                                                                                               \
        cf_wire *wire_ = atomic_load(&cf_inject_file);                                                                 \
        if (wire_)                                                                                                     \
            __atomic_fetch_add(&wire_->notes.field, 1, __ATOMIC_RELAXED);                                              \
    } while (0)

/* True where the library is at work; the first call makes the file. A process that makes no event never calls it. */
bool cf_inject_begin(void);
enum { CF_INJECT_CUDA, CF_INJECT_OPENCL, CF_INJECT_LEVEL_ZERO };
void cf_inject_seen(int api);
/* Part of memory that is never given back, zeroed; NULL = none. */
void *cf_inject_alloc(size_t bytes);
/* What the caller of an interface's function gave in CONFOUND_TOGGLE_STEP. */
typedef enum cf_step_kind { CF_STEP_SYNC, CF_STEP_MARK, CF_STEP_CALL } cf_step_kind;
cf_step_kind cf_inject_step_kind(void);
const char *cf_inject_step_call(void); /* NAME of call:NAME, NULL = another kind */

/* memory.c. The library's locks, those that are taken while another is held behind it. A process that forks takes them
   all: its child has what they guard whole, and free. */
typedef enum cf_inject_lock {
    CF_LOCK_STATE,
    CF_LOCK_STEPS,
    CF_LOCK_SITES,
    CF_LOCK_PAIRS,
    CF_LOCK_QUEUES,
    CF_LOCK_ZE_LISTS,
    CF_LOCK_ZE_EVENTS,
    CF_LOCK_MEMORY,
    CF_LOCK_COUNT
} cf_inject_lock;
void cf_inject_lock_take(cf_inject_lock lock);
void cf_inject_lock_give(cf_inject_lock lock);

/* step.c */
typedef enum cf_wait_kind { /* a step ends with the last of its waits that drains most */
                            CF_WAIT_COPY,
                            CF_WAIT_EVENT,
                            CF_WAIT_QUEUE,
                            CF_WAIT_DEVICE
} cf_wait_kind;
/* Once, from cf_inject_begin. after_ns: steps are looked for from then on, by the host's clock; 0 = at once. */
void cf_inject_step_begin(cf_wire *wire, cf_step_kind kind, uint64_t seed, uint64_t after_ns);
/* A wait of the program's returned. object: the stream or queue, NULL where it says nothing; from: where it was called.
 */
void cf_inject_waited(cf_wait_kind kind, const void *object, const void *from);
/* A mark, or the named call, was passed. */
void cf_inject_marked(void);
/* True in steps in which sites are looked at: none of them is judged. */
bool cf_inject_looking(void);
/* As shipped from here on. */
void cf_inject_give_up(void);
void cf_inject_step_forked(void);

/* site.c: a timed command or record was made by the caller, and took ns of the host's time; while looking. */
void cf_inject_site(uint64_t call_ns);
bool cf_inject_sites_wanted(void); /* enough have not been seen yet */
/* A step that was looked at ends; counts: it was like the others. Writes the sites into the file. */
void cf_inject_sites_end_step(cf_wire *wire, bool counts);
/* As if none had been seen. */
void cf_inject_sites_forget(cf_wire *wire);

/* answer.c: times by the place in the step in which they are asked for; each call takes the next one. One to four
   values a question. */
void cf_inject_answers_after(unsigned wait);                      /* so many waits of the step are over; 0: it begins */
void cf_inject_answers_forget(void);                              /* what a step is will be seen anew */
void cf_inject_answer_keep(const uint64_t *values, size_t count); /* the driver's own answer */
bool cf_inject_answer_find(uint64_t *ret_values, size_t count);   /* false: none was kept in this place */

/* call.c */
void cf_inject_call_patch(void); /* the libraries that are loaded now; cheap where none is new */
/* The function to hand out in place of found, which was looked up by name. */
cf_inject_function cf_inject_call_wrap(const char *name, cf_inject_function found);

/* cost.c: what an intercepted call costs more than the plain one, in each arm, in ps. Only before there is anything
   that could be toggled: it goes through the arms. */
void cf_inject_cost_ps(uint64_t ret[CF_ARM_COUNT]);

/* dl_hooks.c: the C library's own dlsym. */
void *cf_inject_dl_find(void *handle, const char *name);

/* cuda_names.c: cf_names_hook of the driver, cf_names_own (names.h). */
cf_inject_function cf_inject_cuda_hook(const char *name, cf_inject_function found);
bool cf_inject_cuda_own(cf_inject_function found);
/* Writes which device and driver the calling thread uses, where it does. */
void cf_cuda_describe(cf_wire *wire);

/* level_zero_names.c, level_zero.c: the same for Level Zero's loader. */
cf_inject_function cf_inject_ze_hook(const char *name, cf_inject_function found);
bool cf_inject_ze_own(cf_inject_function found);
void cf_ze_describe(cf_wire *wire);

/* emulated.c. The device is Intel's GPU: writes what is assumed of it, where it is the emulated one. */
void cf_inject_describe_emulated(cf_wire *wire);

#endif
