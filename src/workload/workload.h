/* What is put on a device: two lanes of operations, in an order, with or without dependencies. The same code for every
   variant; it cannot tell which one it runs in.

   The staging step of a memory layer (what a KV cache or a weight offload does each step) is lane a = h2d, lane b =
   kernel, depends = true, with prefetch, batch, submission order and in_flight as its design choices. */
#ifndef CF_WORKLOAD_WORKLOAD_H
#define CF_WORKLOAD_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "device/device.h"

#define CF_WORKLOAD_MAX_COUNT     65536 /* operations of a lane in a step */
#define CF_WORKLOAD_MAX_IN_FLIGHT 64

typedef enum cf_submit_order {
    CF_SUBMIT_AB,       /* prefetch of a, then {batch of a, batch of b} until both are used up */
    CF_SUBMIT_BA,       /* the same with b first in the braces */
    CF_SUBMIT_A_THEN_B, /* no prefetch, no batch */
    CF_SUBMIT_B_THEN_A,
    CF_SUBMIT_COUNT
} cf_submit_order;
extern const char *const cf_submit_names[]; /* "ab" "ba" "a-then-b" "b-then-a" NULL */

typedef struct cf_lane_spec {
    cf_op_kind kind;
    uint32_t count;  /* operations in a step, at least 1 */
    cf_unit unit;    /* what length is counted in */
    uint64_t length; /* of one operation; 0 = not given */
    bool given;      /* by the job: never changed */
    double share;    /* kernel: part of the device that it fills, in (0, 1]; 0 = the device's default */
    uint32_t pieces; /* batch-copy: blocks in one call */
} cf_lane_spec;

typedef struct cf_workload_spec {
    cf_lane_spec lane[2];
    cf_submit_order submit;
    bool depends; /* each: b[i] waits for a[i] where there is one */
    uint32_t prefetch, batch;
    uint32_t in_flight; /* steps submitted ahead before the wait */
} cf_workload_spec;

typedef struct cf_workload cf_workload;

/* One operation's place in the order of submission. */
typedef struct cf_workload_turn {
    uint32_t lane, index;
} cf_workload_turn;

/* The order in which a step of cell submits; ret_turns has room for count[0] + count[1]. Returns how many. */
uint32_t cf_workload_order(const cf_workload_spec *spec, cf_cell cell, cf_workload_turn *ret_turns);
/* INPUT when it cannot run: a count of 0 or too many, batch 0, prefetch or batch with an order that takes none, or
   some b[i] that would be submitted before its a[i]. */
cf_status cf_workload_check(const cf_workload_spec *spec, cf_error *err) CF_MUST_CHECK;

/* Allocates blocks and dependency events on device (the bottom one; borrowed). Caller frees. */
cf_status cf_workload_new(cf_device *device, const cf_workload_spec *spec, cf_workload **ret_workload,
                          cf_error *err) CF_MUST_CHECK;
void cf_workload_free(cf_workload *workload);
/* Changes the length of a lane's operations; blocks are made anew where they depend on it. Device idle. */
cf_status cf_workload_set_length(cf_workload *workload, int lane, uint64_t length, cf_error *err) CF_MUST_CHECK;
const cf_workload_spec *cf_workload_spec_of(const cf_workload *workload);

/* Outside the clock: gives every operation of the window that comes next a fresh nonce. */
cf_status cf_workload_prepare(cf_workload *workload, cf_cell cell, uint64_t nonce, cf_error *err) CF_MUST_CHECK;
/* In the clock: submits the whole window, in_flight steps of cell, through top. streams[2]: lane a's and lane b's. */
cf_status cf_workload_submit(cf_workload *workload, cf_device *top, cf_stream *const streams[2], cf_cell cell,
                             cf_error *err) CF_MUST_CHECK;
/* Outside the clock, device idle: OK with *ret_right false and a line in text when a result is not what the step's
   nonce makes it. Checks what the device moves and computes; nothing on one that does neither. */
cf_status cf_workload_verify(cf_workload *workload, cf_cell cell, bool *ret_right, char *text, size_t text_bytes,
                             cf_error *err) CF_MUST_CHECK;

#endif
