/* Kinds of operation and of event: the words that jobs, models, devices and records share. */
#ifndef CF_MODEL_KIND_H
#define CF_MODEL_KIND_H

#define CF_OP_TABLE(X)                                                                                                 \
    X(H2D, "h2d", "host to device copy")                                                                               \
    X(D2H, "d2h", "device to host copy")                                                                               \
    X(D2D, "d2d", "copy inside the device")                                                                            \
    X(KERNEL, "kernel", "kernel")                                                                                      \
    X(KERNEL_COPY, "kernel-copy", "host to device copy by a kernel, not by a copy engine")                             \
    X(BATCH_COPY, "batch-copy", "many small host to device blocks in one call")
typedef enum cf_op_kind {
#define X(name, text, meaning) CF_OP_##name,
    CF_OP_TABLE(X)
#undef X
        CF_OP_COUNT
} cf_op_kind;

/* Models know two kinds. The third is of devices that have it: an event that is signalled with timestamps. */
typedef enum cf_event_kind {
    CF_EVENT_SYNC,
    CF_EVENT_TIMING,
    CF_EVENT_KIND_COUNT,
    CF_EVENT_STAMPED = CF_EVENT_KIND_COUNT
} cf_event_kind;

/* Host memory is read by h2d, kernel-copy and batch-copy, and written by d2h. All but kernel move bytes. */
static inline int cf_op_is_copy(cf_op_kind kind)
{
    return kind != CF_OP_KERNEL;
}
static inline int cf_op_reads_host(cf_op_kind kind)
{
    return kind == CF_OP_H2D || kind == CF_OP_KERNEL_COPY || kind == CF_OP_BATCH_COPY;
}

extern const char *const cf_op_names[];    /* NULL-terminated, in the order of cf_op_kind */
extern const char *const cf_event_names[]; /* "sync" "timing" NULL */

#endif
