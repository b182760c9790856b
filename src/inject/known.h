/* What is known of the events that the program has, and what never changes again while an event lives: of which queue
   and which command it is, and that the command is over. It is noted when the command is submitted, and where it is not
   there, when the program first asks. Of many events some are forgotten; then the driver is asked. Any thread.

   All that is known of an event is one word, so that a reader sees all of it or nothing, and nobody waits. Its place is
   that of the event's address times an odd number, of which the upper bits say where, and the word holds the lower
   ones: two events are never taken for each other. */
#ifndef CF_INJECT_KNOWN_H
#define CF_INJECT_KNOWN_H

#include <stdbool.h>

#include "inject/opencl_api.h"

#define CF_KNOWN_PLACE_BITS 13u
#define CF_KNOWN_TAG_BITS   32u
#define CF_KNOWN_SLOT_BITS  12u
#define CF_KNOWN_TYPE_BITS  6u
#define CF_KNOWN_PLACES     ((size_t)1 << CF_KNOWN_PLACE_BITS)
#define CF_KNOWN_SLOTS      (1u << CF_KNOWN_SLOT_BITS)
#define CF_KNOWN_TYPES      (1u << CF_KNOWN_TYPE_BITS)

typedef struct cf_known {
    unsigned slot; /* of the queue: not 0, below CF_KNOWN_SLOTS */
    unsigned type; /* of the command, below CF_KNOWN_TYPES */
    bool twin;     /* it went to the queue's twin */
    bool over;     /* the command ran, and without an error; false: not known */
} cf_known;

extern _Atomic uint64_t cf_known_words[CF_KNOWN_PLACES]; /* 0 = free */

/* Where, and what the word there begins with. NULL: such a handle cannot be noted (48 bits of address, 8 bytes apart,
   are what programs have). */
static inline _Atomic uint64_t *cf_known_place(cf_cl event, uint64_t *ret_tag)
{
    const unsigned bits = CF_KNOWN_PLACE_BITS + CF_KNOWN_TAG_BITS;
    const uint64_t key = (uint64_t)(uintptr_t)event >> 3;
    if (__builtin_expect(((uintptr_t)event & 7) != 0 || key == 0 || key >> bits != 0, 0))
        return NULL;
    const uint64_t mixed = key * 0x9e3779b97f4a7c15ull;
    *ret_tag = mixed << (64 - CF_KNOWN_TAG_BITS);
    return &cf_known_words[(mixed >> CF_KNOWN_TAG_BITS) & (CF_KNOWN_PLACES - 1)];
}

static inline bool cf_known_is(uint64_t word, uint64_t tag)
{
    return word != 0 && ((word ^ tag) >> (64 - CF_KNOWN_TAG_BITS)) == 0;
}

/* False: nothing is known. */
static inline bool cf_known_find(cf_cl event, cf_known *ret)
{
    uint64_t tag = 0;
    _Atomic uint64_t *at = cf_known_place(event, &tag);
    const uint64_t word = at ? atomic_load_explicit(at, memory_order_acquire) : 0;
    if (!cf_known_is(word, tag))
        return false;
    ret->over = word & 1;
    ret->twin = word >> 1 & 1;
    ret->type = (unsigned)(word >> 2) & (CF_KNOWN_TYPES - 1);
    ret->slot = (unsigned)(word >> (2 + CF_KNOWN_TYPE_BITS)) & (CF_KNOWN_SLOTS - 1);
    return true;
}

/* Only for an event that the caller holds a reference to. Slot 0: nothing is noted. */
static inline void cf_known_keep(cf_cl event, cf_known about)
{
    uint64_t tag = 0;
    _Atomic uint64_t *at = cf_known_place(event, &tag);
    if (at && about.slot != 0)
        atomic_store_explicit(at,
                              tag | (uint64_t)about.slot << (2 + CF_KNOWN_TYPE_BITS) | (uint64_t)about.type << 2 |
                                  (uint64_t)about.twin << 1 | about.over,
                              memory_order_release);
}

/* Before each of the program's references to an event is released: after the last the driver may use the handle anew.
   Nobody is just noting this event: who does holds a reference of its own, and that one's release comes here, too. What
   another thread notes of another event in between is forgotten with it. */
static inline void cf_known_forget(cf_cl event)
{
    uint64_t tag = 0;
    _Atomic uint64_t *at = cf_known_place(event, &tag);
    if (at && cf_known_is(atomic_load_explicit(at, memory_order_relaxed), tag))
        atomic_store_explicit(at, 0, memory_order_release);
}

/* A wait for the event came back without an error. */
static inline void cf_known_over(cf_cl event)
{
    cf_known about;
    if (cf_known_find(event, &about) && !about.over) {
        about.over = true;
        cf_known_keep(event, about);
    }
}

#endif
