/* A Level Zero loader with a driver for machines without one: the entry points that src/device/level_zero uses, over
   threads. Each list in order and each command queue is a thread; a compute ring and a copy ring give their turns in
   the order of submission, as a driver's rings do, so that a timestamp, which is a command of the compute ring, holds
   up what is behind it. Copies move bytes and kernels compute, at a pace that says nothing about any GPU; what is
   measured on it is marked as simulated.

   CONFOUND_STUB_FAIL as in tests/stub/cuda. CONFOUND_STUB_ZE, words separated by blanks, is what the driver offers:
   `api=1.3` (1.17), `no-pools` (no pools of counter-based events), `no-hint`, `no-zex`, `no-core` (of Intel's and of
   the specification's way to make one), `wrapped` (the loader wraps handles), `no-copy` (no queue for copies alone),
   `no-gpu`, `gpus=N`. CONFOUND_STUB_BESIDE names a file to which each process appends, at its end, how many copies
   began while a kernel ran. */
#ifndef CF_STUB_LEVEL_ZERO_H
#define CF_STUB_LEVEL_ZERO_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/level_zero/api.h"
#include "tests/stub/fail.h"

#define ENTRY               __attribute__((visibility("default")))
#define STUB_DEVICE_LOST    0x70000001
#define STUB_INVALID_HANDLE 0x78000005
#define STUB_INVALID_NULL   0x78000007
#define STUB_OUT_OF_MEMORY  0x70000002
#define STUB_INVALID_NAME   0x78000011
#define STUB_OVERLAP        0x7800000b
#define STUB_MOST_WAITS     32
#define STUB_HZ             UINT64_C(100000000)
#define STUB_KERNEL_BITS    32u

typedef enum stub_engine { STUB_CCS, STUB_BCS, STUB_NONE, STUB_ENGINES = STUB_NONE } stub_engine;
typedef enum stub_kind {
    STUB_COPY,
    STUB_FILL,
    STUB_KERNEL,
    STUB_SIGNAL,
    STUB_STAMP,
    STUB_BARRIER,
    STUB_RESET
} stub_kind;

struct cf_ze_pool_st {
    uint32_t count;
    bool stamped, counter;
};

struct cf_ze_event_st {
    bool signalled, stamped, counter, raw; /* raw: a handle of the driver that the loader does not know */
    uint64_t begin, end;                   /* ticks */
    long pending;                          /* commands submitted that signal it */
};

typedef struct stub_command {
    stub_kind kind;
    stub_engine engine;
    uint64_t turn; /* on its engine */
    void *to;
    const void *from;
    size_t bytes;
    uint8_t pattern;
    bool computes; /* a kernel of the recurrence; else it copies */
    uint64_t arguments[4];
    uint64_t length_ns;
    struct cf_ze_event_st *signal, *waits[STUB_MOST_WAITS];
    uint32_t wait_count;
    struct stub_command *next;
} stub_command;

/* What runs commands one after another. */
typedef struct stub_worker {
    pthread_t thread;
    stub_command *first, **last;
    long left;
    bool ends;
} stub_worker;

struct cf_ze_list_st {
    stub_worker *worker; /* immediate; NULL = recorded */
    stub_command *first, **last;
    bool closed, offloads, synchronous, in_order;
    uint32_t ordinal;
};

struct cf_ze_queue_st {
    stub_worker *worker;
    uint32_t ordinal;
};

struct cf_ze_kernel_st {
    bool computes;
    uint32_t items;
    uint64_t arguments[4];
};

/* CONFOUND_STUB_ZE. */
bool stub_word(const char *word);
uint32_t stub_number(const char *name, uint32_t otherwise);
extern _Atomic long stub_alive;      /* objects that were made and not destroyed */
extern _Atomic long stub_appended;   /* commands, by anybody */
extern _Atomic uint32_t stub_groups; /* of the last launch */

/* worker.c */
stub_worker *stub_worker_new(void);
void stub_worker_free(stub_worker *worker);
void stub_worker_push(stub_worker *worker, const stub_command *command);
/* 0 = when idle; NOT_READY after timeout_ns. */
cf_ze_result stub_worker_wait(stub_worker *worker, uint64_t timeout_ns);
cf_ze_result stub_event_wait(struct cf_ze_event_st *event, uint64_t timeout_ns);
bool stub_event_is(struct cf_ze_event_st *event);
void stub_event_clear(struct cf_ze_event_st *event);
uint64_t stub_ticks(void);
/* true: commands are dropped from now on, and none runs when this returns. */
void stub_stop(bool stops);

/* trace.c */
void stub_trace(const char *name, bool enter);

/* What destroys does so all the same; on a device that is lost nothing runs any more. */
#define STUB_END(name, ...)                                                                                            \
    do {                                                                                                               \
        int planned_ = stub_failure(name);                                                                             \
        if (stub_lost())                                                                                               \
            stub_stop(true);                                                                                           \
        __VA_ARGS__;                                                                                                   \
        return planned_;                                                                                               \
    } while (0)

#endif
