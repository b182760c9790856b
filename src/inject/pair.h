/* An event that the program made, and its twin with the timing flag the other way round. The program holds its own
   event, so that a call that is not known here gets a handle that the driver knows; what was recorded last is the one
   that is waited for. */
#ifndef CF_INJECT_PAIR_H
#define CF_INJECT_PAIR_H

#include "inject/inject.h"
#include "inject/table.h"

typedef struct cf_pair {
    void *own;
    void *twin;         /* NULL: there is none */
    void *_Atomic last; /* which was recorded last; NULL = none yet */
    void *context;
    unsigned flags;       /* of own, as the program asked */
    bool timing;          /* own takes times */
    _Atomic bool pinned;  /* part of something that was given the program's handle: stays with own */
    _Atomic float ms;     /* the time that ended with it, last */
    struct cf_pair *next; /* of those that are free */
} cf_pair;

extern cf_table cf_pairs;
static inline cf_pair *cf_pair_of(const void *event)
{
    return cf_table_get(&cf_pairs, event);
}

/* It can be toggled. */
static inline bool cf_pair_turns(const cf_pair *pair)
{
    return pair->twin && !atomic_load_explicit(&pair->pinned, memory_order_relaxed);
}

/* Which of the two is to be recorded in this step. ret_turns: it can be toggled. The same work in every arm. */
static inline void *cf_pair_pick(const cf_pair *pair, bool *ret_turns)
{
    const cf_arm arm = cf_inject_arm();
    const bool other = arm != CF_ARM_SHIPPED && (arm == CF_ARM_ADDED) != pair->timing;
    *ret_turns = cf_pair_turns(pair);
    return other && *ret_turns ? pair->twin : pair->own;
}

/* Which of the two stands for the event now. */
static inline void *cf_pair_now(const cf_pair *pair)
{
    void *last = atomic_load_explicit(&pair->last, memory_order_acquire);
    return last ? last : pair->own;
}

/* Keeps own, with a twin that is idle where there is one; NULL = no memory. A pair that an event of the same handle had
   is forgotten: that event is gone. may_turn false: it gets no twin. */
cf_pair *cf_pair_add(void *own, void *context, unsigned flags, bool may_turn);
/* Takes the pair of own away. Its twin serves again for the next event of its context with its flags; where there is no
   room for it, it is returned, and the caller destroys it. */
void *cf_pair_remove(void *own);
/* The context is gone, with everything in it; NULL = any. */
void cf_pairs_forget(const void *context);

#endif
