/* The queueing model: engines, queues, events and how a driver lowers them. Rules 1-10 of docs/model.md. This room
   describes; `sim` and `soft` each execute it in their own way. */
#ifndef CF_MODEL_MODEL_H
#define CF_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/ini.h"
#include "model/kind.h"

#define CF_MODEL_MAX_ENGINES 16
#define CF_MODEL_NAME_BYTES  48
#define CF_MODEL_MAX_NS      (UINT64_C(1) << 50) /* no length or cost is larger: about 13 days */

typedef enum cf_lowering { CF_LOWER_NONE, CF_LOWER_COMMAND, CF_LOWER_HOLD } cf_lowering;

typedef struct cf_model_engine {
    char name[CF_MODEL_NAME_BYTES];
    bool ready;                /* order = ready (default); false = ring */
    uint32_t width;            /* commands that run at once, at least 1 */
    uint32_t queues;           /* ready: hardware queues; 0 = one per stream */
    unsigned runs;             /* bit set: 1u << cf_op_kind */
    uint64_t rate_bytes_per_s; /* 0 = none given */
    uint64_t latency_ns;
    /* its timestamps: stamp = (t * stamp_rate + stamp_offset_ns) modulo 2^stamp_wrap_bits (0 = no wrap) */
    int64_t stamp_offset_ns;
    double stamp_rate;
    unsigned stamp_wrap_bits;
} cf_model_engine;

typedef struct cf_model_event {
    cf_lowering lowering;
    int engine; /* index, -1 = own: the engine of the operation that it belongs to */
    uint64_t cost_ns, host_ns;
    bool sticky;           /* once armed, the lowering stays for every later variant in the process */
    bool arm_late_ignored; /* armed after the first submission it does nothing and its stamps read 0 */
} cf_model_event;

typedef struct cf_model_noise {
    double iid, ar, phi, spike_probability, spike_factor, drift;
    uint64_t seed; /* 0 = the run's */
    bool on;       /* any of them is not its default */
} cf_model_noise;

/* Deliberate faults of the embedded devices, for testing the controls. */
typedef struct cf_model_fault {
    int stall_engine; /* -1 = none: soft only, stalls that engine's thread in the middle of a command */
    uint64_t stall_ns;
    uint64_t stall_at; /* 1-based number of the command on that engine since the device was opened */
    bool ignore_waits; /* operations start without waiting for what they depend on */
    bool wrong_engine; /* copies run on the first engine that runs kernels */
} cf_model_fault;

typedef struct cf_model {
    char name[CF_MODEL_NAME_BYTES];
    char *about;                         /* the leading comment or [model] about, one line; may be NULL */
    uint32_t contention_p, contention_q; /* rate while two or more commands run, p/q exact, reduced */
    uint64_t queue_depth;                /* 0 = no limit */
    bool blocking_copy;
    size_t engine_count;
    cf_model_engine engines[CF_MODEL_MAX_ENGINES];
    cf_model_event events[CF_EVENT_KIND_COUNT];
    uint64_t copy_ns, kernel_ns; /* what a call costs the host */
    uint64_t first_use_ns;       /* added to a stream's first kernel */
    bool first_use_drains;       /* it waits until the device is idle first */
    cf_model_noise noise;
    cf_model_fault fault;
} cf_model;

/* Reads a model from INI. INPUT with "FILE:LINE: what was wrong; what is accepted". ret_model: caller frees with
   cf_model_done. Sections that are not a model's are refused, with the nearest known one. */
cf_status cf_model_from_ini(const cf_ini *ini, cf_model *ret_model, cf_error *err) CF_MUST_CHECK;
cf_status cf_model_parse(const char *name, const char *text, size_t size_bytes, cf_model *ret_model,
                         cf_error *err) CF_MUST_CHECK;
void cf_model_done(cf_model *model);
/* True for the section names that belong to a model ("model", "engine X", "event X", "host", …). */
bool cf_model_owns_section(const char *section);

/* Engine that runs an operation (the first listed that does), -1 if none. */
int cf_model_engine_of(const cf_model *model, cf_op_kind kind);
/* Length of an operation: ns if not 0, else from bytes. INPUT: bytes given and the engine has no rate, or overflow. */
cf_status cf_model_length_ns(const cf_model *model, int engine, uint64_t ns, uint64_t bytes, uint64_t *ret_ns,
                             cf_error *err) CF_MUST_CHECK;
/* Engine of a record that belongs to an operation on op_engine; meaningless where lowering is none. */
int cf_model_record_engine(const cf_model *model, cf_event_kind kind, int op_engine);
/* Hardware queue of a stream on an engine (ring: 0). */
uint32_t cf_model_queue_of(const cf_model_engine *engine, uint32_t stream);
/* A raw stamp of an engine's clock, and the ns that an instrument makes of it (it unwraps nothing and knows no
   offset: it believes the stamp). */
uint64_t cf_model_stamp(const cf_model_engine *engine, uint64_t at_ns);

/* Built-in models, by name: text embedded from models/ at build time. NULL-terminated. */
typedef struct cf_model_builtin {
    const char *name, *text;
} cf_model_builtin;
extern const cf_model_builtin cf_model_builtins[];

#endif
