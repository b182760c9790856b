/* A CUDA driver for machines without one: the entry points that src/device/cuda uses, over the embedded device in real
   time. Copies move bytes and kernels compute, at a pace that says nothing about any GPU; what is measured on it is
   marked as simulated. NVML and CUPTI are in the same library.

   CONFOUND_STUB_FAIL=NAME:N:CODE makes the N-th call of the entry point NAME (as it is exported) return CODE, counted
   from when the variable changed; several are separated by commas. NAME:N:CODE:lost makes every call of every entry
   point fail from there on. What destroys does so all the same.
   CONFOUND_STUB_DEVICES=N devices (1), CONFOUND_STUB_REASONS=HEX and CONFOUND_STUB_PROCESSES=N for NVML. */
#ifndef CF_STUB_CUDA_H
#define CF_STUB_CUDA_H

#include <stdbool.h>
#include <stdint.h>

#include "device/cuda/driver.h"
#include "device/soft/state.h"
#include "tests/stub/fail.h"

#define ENTRY                __attribute__((visibility("default")))
#define STUB_INVALID_VALUE   1
#define STUB_OUT_OF_MEMORY   2
#define STUB_INVALID_CONTEXT 201
#define STUB_INVALID_HANDLE  400
#define STUB_NOT_FOUND       500
#define STUB_NOT_READY       600
#define STUB_STREAMS         8
#define STUB_DEFAULT_ID      7 /* of the default stream, to CUPTI */

struct cf_cu_stream_st {
    cf_stream *soft;
    unsigned flags;
    cf_event wait; /* ticket 0 = nothing: what the next operation waits for */
    uint32_t id;
};

struct cf_cu_event_st {
    cf_event *soft;
    unsigned flags;
};

typedef struct stub_memory {
    char *data;
    size_t bytes;
    bool on_host;
    struct stub_memory *next;
} stub_memory;

/* What an operation reads and writes, as the embedded device wants it; kept until the device is idle. */
typedef struct stub_work {
    cf_block src, dst;
    struct stub_work *next;
} stub_work;

typedef struct stub_state {
    cf_model model;
    cf_device *soft; /* NULL: no context */
    bool current;
    struct cf_cu_stream_st *streams[STUB_STREAMS]; /* [0] is the default stream */
    stub_memory *memory;
    stub_work *works;
    unsigned grid; /* of the last launch */
    long alive;    /* objects that were made and not destroyed */
} stub_state;
extern stub_state stub;

/* work.c */
struct cf_cu_stream_st *stub_stream(cf_cu_stream handle); /* NULL if it is none */
bool stub_idle(const struct cf_cu_stream_st *stream);
void stub_wait_all(void);
stub_memory *stub_find(const void *pointer, size_t bytes); /* the allocation that holds all of it */
void stub_works_done(void);

/* cupti.c */
void stub_call(uint32_t cbid, bool enter);
/* Records an operation of length_ns that is about to be submitted; returns the event that its end completes, NULL where
   nobody traces. copy_kind 0 = a kernel. */
cf_event *stub_trace(const struct cf_cu_stream_st *stream, int copy_kind, uint64_t bytes, uint64_t length_ns);
void stub_trace_now(uint32_t stream_id, int copy_kind, uint64_t bytes); /* one that is over */
void stub_traces_done(void);

#endif
