/* What an emulated device tells of the commands that it executed: types and names alone, shared by the emulator, which
   exports the functions as C symbols of the object that is loaded before the program, and by the backend on it, which
   finds them with dlsym. docs/write-a-device.md, "Commands as they were executed". */
#ifndef CF_BASE_EMULATOR_SPANS_H
#define CF_BASE_EMULATOR_SPANS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define CF_EMULATOR_SPANS_VERSION 1u

typedef enum cf_emulator_kind {
    CF_EMULATOR_OTHER,
    CF_EMULATOR_COPY,
    CF_EMULATOR_KERNEL,
    CF_EMULATOR_STAMP, /* stores a time */
    CF_EMULATOR_WAIT   /* the engine stands at it until something else has happened */
} cf_emulator_kind;

/* One command, made where it was retired, from what it did. Times: CLOCK_MONOTONIC, by the model's own schedule. Texts
   end with a NUL. */
typedef struct cf_emulator_span {
    uint64_t id;        /* from 1, rising in the order in which the emulator met the commands; never used again */
    uint64_t waits_for; /* id of the command that released it last; 0 = none, or not known */
    uint64_t queued_ns; /* the batch that holds it was visible to the engine */
    uint64_t begin_ns, end_ns;
    uint64_t writes, writes_bytes; /* device address: a copy's destination, where a stamp is stored, a kernel's
                                      post-sync write; 0 = none */
    uint64_t reads, reads_bytes;   /* a copy's source, the address that a wait looks at; 0 = none */
    uint64_t arguments[8];         /* a kernel: the first words of its payload; else 0 */
    uint32_t kind;                 /* cf_emulator_kind */
    uint32_t queue;                /* exec queue */
    char engine[16];               /* "ccs0" */
    char command[32];              /* as the stream has it: "COMPUTE_WALKER" */
} cf_emulator_span;
static_assert(sizeof(cf_emulator_span) == 192, "both sides see the same bytes");

/* CF_EMULATOR_SPANS_VERSION of the object. */
#define CF_EMULATOR_SPANS_VERSION_NAME "confound_emulator_spans_version"
typedef uint32_t cf_emulator_spans_version(void);
/* Forgets what was kept and keeps from now on. 0, or a negative errno. */
#define CF_EMULATOR_SPANS_BEGIN_NAME "confound_emulator_spans_begin"
typedef int cf_emulator_spans_begin(void);
/* Copies at most count of those kept, in order of id, to spans (which may be NULL with 0). Returns how many are kept.
   The device is idle. */
#define CF_EMULATOR_SPANS_READ_NAME "confound_emulator_spans_read"
typedef size_t cf_emulator_spans_read(cf_emulator_span *spans, size_t count);
/* How many were executed since begin and did not fit; room is for at least 65536. */
#define CF_EMULATOR_SPANS_LOST_NAME "confound_emulator_spans_lost"
typedef uint64_t cf_emulator_spans_lost(void);
/* Keeps nothing any more. */
#define CF_EMULATOR_SPANS_END_NAME "confound_emulator_spans_end"
typedef void cf_emulator_spans_end(void);

#endif
