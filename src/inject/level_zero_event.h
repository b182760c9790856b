/* An event of Level Zero's that the program made, and its twin with the timing flag the other way round. Which of the
   two stands for it is chosen when something is to signal it, or before, when something is made to wait for that: the
   waiter and the signal have to meet. Any thread. */
#ifndef CF_INJECT_LEVEL_ZERO_EVENT_H
#define CF_INJECT_LEVEL_ZERO_EVENT_H

#include "inject/level_zero_api.h"

typedef struct cf_ze_event {
    void *own, *twin;
    bool timed;   /* own is */
    bool counter; /* it counts, and is never reset: who waits for it waits for what was to signal it so far */
    _Atomic uint32_t state;
    _Atomic bool has_times;
    _Atomic uint64_t times[4]; /* the last that were taken */
    struct cf_ze_event *next;  /* of those that are free */
} cf_ze_event;

cf_ze_event *cf_ze_event_of(const void *event); /* NULL = it is not known */
cf_ze_event *cf_ze_event_add(void *own, void *twin, bool timed, bool counter);
void *cf_ze_event_remove(void *own); /* its twin, NULL = none */
bool cf_ze_event_turns(const cf_ze_event *e);

/* Which one is to be signalled, waited for, asked. */
void *cf_ze_event_signal(cf_ze_event *e);
void *cf_ze_event_wait(cf_ze_event *e);
void *cf_ze_event_now(const cf_ze_event *e);
/* Which ones are to be reset: as many of ret. */
unsigned cf_ze_event_reset(cf_ze_event *e, void *ret[2]);
/* To own, from here on. True: until now it was the twin, and was to be signalled. */
bool cf_ze_event_pin(cf_ze_event *e);
/* A wait before its signal is for own from here on: what signals it may be recorded in a list. */
void cf_ze_events_expect_lists(void);
/* All of them, and those that are made later, from their next signal on. How many there are, the first time. */
size_t cf_ze_events_pin(void);

#endif
