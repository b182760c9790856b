/* Bring your own device: implement these operations outside this tree and hand them to a run. The experiment, its
   workload and its instruments then work on your device as they do on ours. docs/write-a-device.md.

       Handles   device, stream, block and event are pointers of yours that the library carries and never follows. A
                 stream, a block and an event are never NULL.
       Results   0, or anything else to end the run: a confound_status, or another number, which stands for
                 CONFOUND_DEVICE. A text in err->text is handed on; err->call and err->native may name a driver's call
                 and its code.
       Threads   All calls come from the thread that calls confound_run_job, one at a time.
       In the clock   submit, record and wait run between readings of the clock: they should allocate, print and lock
                 nothing.
       Versions  `size` is sizeof of the struct that you compiled with; later versions add members at the end, and what
                 your struct has not is as if it were NULL. */
#ifndef CONFOUND_DEVICE_H
#define CONFOUND_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "confound/confound.h"
#include "confound/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum confound_op_kind {
    CONFOUND_OP_H2D = 0,         /* host to device copy */
    CONFOUND_OP_D2H = 1,         /* device to host copy */
    CONFOUND_OP_D2D = 2,         /* copy inside the device */
    CONFOUND_OP_KERNEL = 3,      /* a computation */
    CONFOUND_OP_KERNEL_COPY = 4, /* host to device copy by a kernel, not by a copy engine */
    CONFOUND_OP_BATCH_COPY = 5   /* many small host to device blocks in one call */
} confound_op_kind;
typedef enum confound_place { CONFOUND_PLACE_HOST = 0, CONFOUND_PLACE_DEVICE = 1 } confound_place;
typedef enum confound_wait { CONFOUND_WAIT_BLOCK = 0, CONFOUND_WAIT_POLL = 1, CONFOUND_WAIT_SPIN = 2 } confound_wait;
typedef enum confound_event { CONFOUND_EVENT_SYNC = 0, CONFOUND_EVENT_TIMING = 1 } confound_event;
typedef enum confound_side { CONFOUND_SIDE_BEFORE = 0, CONFOUND_SIDE_AFTER = 1 } confound_side;
/* What a lane's length is counted in. */
typedef enum confound_unit { CONFOUND_UNIT_NS = 0, CONFOUND_UNIT_BYTES = 1, CONFOUND_UNIT_TRIPS = 2 } confound_unit;

/* One operation; borrowed during the call. Its length is the one of ns, bytes and trips that is not 0, in the unit that
   the device asked for or the job gave.
   A copy moves min(bytes of src from src_offset_bytes on, bytes of dst, bytes if not 0) to the beginning of dst; a
   batch copy does it in `pieces` blocks. A kernel reads 8 bytes of src at src_offset_bytes, as a number of this
   machine, and stores confound_kernel_result of it and trips at dst + 8 * index. */
typedef struct confound_op {
    size_t size;
    confound_op_kind kind;
    int lane;       /* 0 = a, 1 = b */
    uint32_t index; /* within the step, from 0 */
    uint64_t ns, bytes, trips;
    void *src, *dst; /* blocks */
    uint64_t src_offset_bytes;
    void *waits;     /* event of the operation that must have ended first; NULL = none */
    void *signals;   /* event that this operation's end completes; NULL = none. The workload's own, in every variant */
    void *observer;  /* an instrument's event, given as the operation's own; NULL = none. Only where info says
                        events_on_operations */
    double share;    /* kernels: part of the device that it fills, in (0, 1]; 0 = yours */
    uint32_t pieces; /* batch copies; else 0 */
} confound_op;

typedef struct confound_event_reading {
    size_t size;
    int completed; /* since the last record */
    int has_stamp; /* a timing event with a timestamp of the device's; it must have moved since the last record */
    int64_t stamp_ns;
    int64_t begin_ns; /* of the operation that it observed as its own; stamp_ns is then its end */
} confound_event_reading;

/* Zeroed but for size when info is called. Texts end with a NUL. */
typedef struct confound_device_info {
    size_t size;
    char name[96], driver[96];            /* driver: name and version, "" = none */
    int simulated;                        /* 1 for anything that is no hardware; every record and report then says so */
    int moves;                            /* 1: copies really move bytes, and are checked */
    int computes;                         /* 1: kernels really compute, and are checked */
    int events_on_operations;             /* 1: events are an operation's own (op->observer), not records beside it */
    confound_unit copy_unit, kernel_unit; /* what calibration stretches: NS or BYTES; NS or TRIPS */
    uint64_t copy_start, kernel_start;    /* a length to begin with, above 0 */
    uint64_t step_target_ns; /* a step should last about this long if that is more than the rule's minimum; 0 = no */
    char clock_name[32];     /* of now_ns, where there is one */
} confound_device_info;

/* Facts for the record's device section: memory, versions, paths taken. */
typedef struct confound_facts confound_facts;
/* Copies. A name stands once; a second value takes the place of the first. CONFOUND_INPUT, CONFOUND_MEMORY. */
CONFOUND_API confound_status confound_facts_add(confound_facts *facts, const char *name, const char *value,
                                                confound_error *err) CONFOUND_MUST_CHECK;

typedef struct confound_device_ops {
    size_t size;      /* sizeof(confound_device_ops) */
    const char *name; /* a word of letters, digits and . _ -, which no device of the library's has */

    /* ---- required ---- */

    /* user: as given with the table. seed: of what the device draws at random, if anything. */
    int (*open)(void *user, uint64_t seed, void **ret_device, confound_error *err);
    /* Waits for what runs and frees. Not called where open failed. */
    void (*close)(void *device);
    void (*info)(void *device, confound_device_info *ret_info);
    /* An in-order queue. lane: 0 or 1; where both lanes must share one queue, both operations go to one stream.
       profiling: 1 = an instrument asks for a queue that takes timestamps, where that is a queue's property. */
    int (*stream_open)(void *device, int lane, int profiling, void **ret_stream, confound_error *err);
    void (*stream_close)(void *device, void *stream);
    /* Memory, zeroed. */
    int (*block_new)(void *device, confound_place place, uint64_t size_bytes, void **ret_block, confound_error *err);
    void (*block_free)(void *device, void *block);
    /* With nothing running; they return when it is done. */
    int (*block_write)(void *device, void *block, uint64_t offset_bytes, const void *data, uint64_t size_bytes,
                       confound_error *err);
    int (*block_read)(void *device, void *block, uint64_t offset_bytes, void *ret_data, uint64_t size_bytes,
                      confound_error *err);
    /* In the clock. Submits, and returns without waiting for the end. */
    int (*submit)(void *device, void *stream, const confound_op *op, confound_error *err);
    /* In the clock. Returns when all work of stream (NULL: of the device) has ended. */
    int (*wait)(void *device, void *stream, confound_wait how, confound_error *err);
    int (*event_new)(void *device, confound_event kind, void **ret_event, confound_error *err);
    void (*event_free)(void *device, void *event);
    /* In the clock. Records event in stream, before op (which is submitted next) or after it (just submitted). An event
       may be recorded again once it has been read. */
    int (*record)(void *device, void *stream, void *event, const confound_op *op, confound_side side,
                  confound_error *err);
    /* After a wait. Zeroed but for size when it is called. */
    int (*event_read)(void *device, void *event, confound_event_reading *ret_reading, confound_error *err);

    /* ---- optional: NULL = not supported, and the report says so ---- */

    /* In the clock. The device's own clock takes the place of the host's. ns. */
    uint64_t (*now_ns)(void *device);
    /* ns so far that the host was blocked inside submit and record. */
    uint64_t (*blocked_ns)(void *device);
    /* ns so far by which a device that is software was late, where that moved later work. */
    uint64_t (*late_ns)(void *device);
    /* With nothing running: a step begins; position in [0, 1] is how far the run is. */
    int (*step_begin)(void *device, double position, confound_error *err);
    /* 1 where stream takes timestamps of what is submitted to it. */
    int (*stream_profiles)(void *device, void *stream);
    /* Once after open. */
    int (*facts)(void *device, confound_facts *facts, confound_error *err);
} confound_device_ops;

/* Runs on that device: it takes the place of the job's, and of one that confound_options_set_device named. The table is
   copied, user is handed to open. CONFOUND_INPUT: a required operation is missing, or the name is no word or taken. */
CONFOUND_API confound_status confound_options_set_custom_device(confound_options *options,
                                                                const confound_device_ops *ops, void *user,
                                                                confound_error *err) CONFOUND_MUST_CHECK;

/* What a kernel of that many trips makes of nonce: trips steps of x = x * 6364136223846793005 + 1442695040888963407,
   from x = nonce, modulo 2^64. Takes no time to speak of, whatever trips is. */
CONFOUND_API uint64_t confound_kernel_result(uint64_t nonce, uint64_t trips);

#ifdef __cplusplus
}
#endif
#endif
