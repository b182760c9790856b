/* What every device with memory of its own asks of an operation before it submits it. In the clock: no allocation. */
#ifndef CF_DEVICE_OP_H
#define CF_DEVICE_OP_H

#include "device/device.h"

#define CF_OP_WORD 8u /* bytes that a kernel reads and stores */

typedef struct cf_op_places { /* of the blocks of an operation */
    uint64_t src_bytes, dst_bytes;
    bool from_host, to_host;
    bool kernel_reaches; /* both of them */
} cf_op_places;

/* INPUT: its source, its destination or its event cannot be; UNSUPPORTED: a block is where the operation cannot reach
   it. places: not read where op has no source or no destination. signalled: op waits for nothing, or for what was. */
cf_status cf_op_check(const cf_op *op, const cf_op_places *places, bool signalled, cf_error *err) CF_MUST_CHECK;

static inline uint64_t cf_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How many bytes a copy moves: what is left of its source, at most its destination, at most its own length. */
static inline uint64_t cf_op_copy_bytes(const cf_op *op, uint64_t src_bytes, uint64_t dst_bytes)
{
    uint64_t bytes = cf_min_u64(src_bytes - op->src_offset_bytes, dst_bytes);
    return op->bytes != 0 ? cf_min_u64(bytes, op->bytes) : bytes;
}

#endif
