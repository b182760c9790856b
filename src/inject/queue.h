/* A queue that the program made, and its twin that is profiled if it is not, and is not if it is. The program holds its
   own; its commands go to one of the two, and change over between steps in the order in which they were submitted. */
#ifndef CF_INJECT_QUEUE_H
#define CF_INJECT_QUEUE_H

#include <pthread.h>

#include "inject/opencl_api.h"
#include "inject/table.h"

#define CF_QUEUE_TYPES 64u /* of commands: 0x11F0 and on */

typedef struct cf_queue {
    cf_cl own, twin; /* no twin: NULL */
    bool profiled;   /* own is */
    bool in_order;
    _Atomic uint32_t users;                                        /* the program's references */
    cf_cl _Atomic active;                                          /* gets the commands */
    _Atomic bool pinned;                                           /* to own */
    _Atomic uint64_t submitted;                                    /* commands so far */
    _Atomic uint64_t drained;                                      /* of them, those that are known to be over */
    _Atomic uint64_t times[CF_QUEUE_TYPES][CF_CL_PROFILING_COUNT]; /* the last that were taken, for each type */
    pthread_mutex_t lock;
    struct cf_queue *next_free;
} cf_queue;

/* What is kept of a queue, of the program's or a twin; NULL = it is not ours. */
cf_queue *cf_queue_of(cf_cl queue);
cf_queue *cf_queue_add(cf_cl own, cf_cl twin, bool profiled, bool in_order);
void cf_queue_remove(cf_queue *queue);
/* The queue that the next command goes to. */
cf_cl cf_queue_route(cf_queue *queue);
/* To be called before and after a wait that leaves nothing in the queue. */
uint64_t cf_queue_submitted(cf_queue *queue);
void cf_queue_drained(cf_queue *queue, uint64_t submitted);
/* To own, from here on. */
void cf_queue_pin(cf_queue *queue);
void cf_queues_pin(void); /* all of them, and those that are made later */

#endif
