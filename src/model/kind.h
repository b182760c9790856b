/* Kinds of operation and of event: the words that jobs, models, devices and records share. */
#ifndef CF_MODEL_KIND_H
#define CF_MODEL_KIND_H

#define CF_OP_TABLE(X)                                                                                                 \
    X(H2D, "h2d", "host to device copy")                                                                               \
    X(D2H, "d2h", "device to host copy")                                                                               \
    X(D2D, "d2d", "copy inside the device")                                                                            \
    X(KERNEL, "kernel", "kernel")
typedef enum cf_op_kind {
#define X(name, text, meaning) CF_OP_##name,
    CF_OP_TABLE(X)
#undef X
        CF_OP_COUNT
} cf_op_kind;

typedef enum cf_event_kind { CF_EVENT_SYNC, CF_EVENT_TIMING, CF_EVENT_KIND_COUNT } cf_event_kind;

extern const char *const cf_op_names[];    /* NULL-terminated, in the order of cf_op_kind */
extern const char *const cf_event_names[]; /* "sync" "timing" NULL */

#endif
