#include "device/op.h"

#include <inttypes.h>

static cf_status refuse(const cf_op *op, const char *why, cf_error *err)
{
    return cf_error_set(err, CF_UNSUPPORTED, "%c[%" PRIu32 "] (%s): %s", 'a' + op->lane, op->index,
                        cf_op_names[op->kind], why);
}

/* Lanes that depend on each other may have made another pair of blocks than the operation is for. */
static cf_status check_places(const cf_op *op, const cf_op_places *places, cf_error *err)
{
    if (cf_op_reads_host(op->kind) && (!places->from_host || places->to_host))
        return refuse(op, "it copies from the host to the device, and what it is given is elsewhere", err);
    if (op->kind == CF_OP_D2H && (places->from_host || !places->to_host))
        return refuse(op, "it copies from the device to the host, and what it is given is elsewhere", err);
    if (op->kind == CF_OP_D2D && (places->from_host || places->to_host))
        return refuse(op, "it copies inside the device, and what it is given is on the host", err);
    if ((op->kind == CF_OP_KERNEL || op->kind == CF_OP_KERNEL_COPY) && !places->kernel_reaches)
        return refuse(op, "a kernel cannot reach pageable memory; accepted: memory = pinned", err);
    return CF_OK;
}

cf_status cf_op_check(const cf_op *op, const cf_op_places *places, bool signalled, cf_error *err)
{
    if (op->src == NULL || op->dst == NULL)
        return cf_error_set(err, CF_INPUT, "an operation without its source or its destination");
    uint64_t least = op->kind == CF_OP_KERNEL ? CF_OP_WORD : 0;
    if (op->src_offset_bytes % CF_OP_WORD != 0 || places->src_bytes < least ||
        places->src_bytes - least < op->src_offset_bytes)
        return cf_error_set(err, CF_INPUT,
                            "an operation begins at byte %" PRIu64 " of a source of %" PRIu64
                            "; accepted: multiples of 8 inside it",
                            op->src_offset_bytes, places->src_bytes);
    if (op->kind == CF_OP_KERNEL && op->index >= places->dst_bytes / CF_OP_WORD)
        return cf_error_set(err, CF_INPUT,
                            "a kernel's result %" PRIu32 " is beyond the %" PRIu64 " bytes of its destination",
                            op->index, places->dst_bytes);
    if (!signalled)
        return cf_error_set(err, CF_INPUT, "%c[%" PRIu32 "] waits for an event that no operation has signalled",
                            'a' + op->lane, op->index);
    return check_places(op, places, err);
}
