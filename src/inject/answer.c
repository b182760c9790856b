/* What is told of commands that were not timed: a program that asks in a step without times is answered as it was in
   the same place of a step that had them. A place is which question since which wait of a step, since how many there
   are after a wait may differ from step to step. */
#include "inject/inject.h"

#define WAITS  16u
#define PLACES 256u /* after a wait: questions behind those are answered with the last time of any */
#define VALUES 4u

static _Atomic uint64_t times[WAITS][PLACES][VALUES]; /* 0 = none yet */
static _Atomic unsigned wait_now, place_now;

/* Two threads that ask at once may take one place: what they are told is a time all the same. NULL: none is left. */
static _Atomic uint64_t *take_place(void)
{
    unsigned wait = atomic_load_explicit(&wait_now, memory_order_relaxed);
    unsigned place = atomic_load_explicit(&place_now, memory_order_relaxed);
    atomic_store_explicit(&place_now, place + 1, memory_order_relaxed);
    return wait < WAITS && place < PLACES ? times[wait][place] : NULL;
}

void cf_inject_answers_after(unsigned wait)
{
    atomic_store_explicit(&wait_now, wait, memory_order_relaxed);
    atomic_store_explicit(&place_now, 0, memory_order_relaxed);
}

void cf_inject_answers_forget(void)
{
    for (size_t wait = 0; wait < WAITS; wait++)
        for (size_t place = 0; place < PLACES; place++)
            for (size_t i = 0; i < VALUES; i++)
                atomic_store_explicit(&times[wait][place][i], 0, memory_order_relaxed);
}

void cf_inject_answer_keep(const uint64_t *values, size_t count)
{
    _Atomic uint64_t *place = take_place();
    for (size_t i = 0; place && i < count; i++)
        atomic_store_explicit(&place[i], values[i], memory_order_relaxed);
}

bool cf_inject_answer_find(uint64_t *ret_values, size_t count)
{
    _Atomic uint64_t *place = take_place();
    if (!place || atomic_load_explicit(&place[count - 1], memory_order_relaxed) == 0)
        return false;
    for (size_t i = 0; i < count; i++)
        ret_values[i] = atomic_load_explicit(&place[i], memory_order_relaxed);
    return true;
}
