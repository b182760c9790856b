/* A device: one const table of operations per backend. Only device.c calls through the table; everybody else calls the
   functions below, which count what passes. Instruments are devices that wrap another one (`next`), so a workload
   cannot tell which variant it runs in.

   Threads: all calls on one device and its wrappers are made from one thread at a time.
   In the clock: submit, record and wait are called between the two clock readings; they must not allocate, print or
   (in our own code) lock. Everything else is called outside. */
#ifndef CF_DEVICE_DEVICE_H
#define CF_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/kind.h"
#include "model/model.h"
#include "record/record.h"

typedef struct cf_device cf_device;
typedef struct cf_stream cf_stream; /* backend's own */
typedef struct cf_block cf_block;   /* backend's own: memory on the host or the device */
typedef struct cf_event cf_event;   /* backend's own */

typedef enum cf_wait { CF_WAIT_BLOCK, CF_WAIT_POLL, CF_WAIT_SPIN, CF_WAIT_COUNT } cf_wait;
extern const char *const cf_wait_names[]; /* "block" "poll" "spin" NULL */
typedef enum cf_place { CF_PLACE_HOST, CF_PLACE_DEVICE } cf_place;
typedef enum cf_side { CF_SIDE_BEFORE, CF_SIDE_AFTER } cf_side;
typedef enum cf_unit { CF_UNIT_NS, CF_UNIT_BYTES, CF_UNIT_TRIPS } cf_unit; /* what a lane's length is counted in */
extern const char *const cf_unit_names[];                                  /* "ns" "bytes" "trips" NULL */

/* One operation. Lengths: ns where the device is modelled and ns != 0; else bytes for copies, trips for kernels.
   A kernel reads 8 bytes of src at src_offset_bytes (a little-endian nonce), runs cf_kernel_result's recurrence and
   stores the 8-byte result at dst + index * 8. A copy moves min(bytes of src, bytes of dst, bytes if not 0). */
typedef struct cf_op {
    cf_op_kind kind;
    int lane;       /* 0 = a, 1 = b */
    uint32_t index; /* within the step, from 0 */
    uint64_t ns, bytes, trips;
    cf_block *src, *dst;
    uint64_t src_offset_bytes; /* where in src a kernel finds its nonce, or a copy begins */
    cf_event *waits;           /* sync event of the operation that must have ended first; NULL = none */
    cf_event *signals; /* sync event that this operation's end completes; NULL = none. Part of the workload: the same in
                          every variant, and never a command in the model */
    cf_event *observer; /* an instrument's event, given as the operation's own signal event; NULL = none. Only where
                           info says so */
    double share;       /* kernels: part of the device that it fills, in (0, 1]; 0 = the backend's default */
    uint32_t pieces;    /* batch-copy: blocks of bytes / pieces each in one call; 0 elsewhere */
} cf_op;

/* 64-bit result of a kernel of that many trips on that nonce: trips steps of x = x * 6364136223846793005 +
   1442695040888963407 from x = nonce. O(log trips), so that the check is cheap for any length. */
uint64_t cf_kernel_result(uint64_t nonce, uint64_t trips);

typedef struct cf_stream_desc {
    uint32_t number; /* 0 = lane a's, 1 = lane b's; streams of one number are one stream on a modelled device */
    bool profiling;  /* an instrument asks for a queue that takes timestamps, where that is a queue's property */
    bool shared;     /* both lanes' operations come to this stream: it has to be one queue */
} cf_stream_desc;

typedef struct cf_event_reading {
    bool completed; /* since the last record */
    bool has_stamp; /* a timing event with a timestamp that moved */
    int64_t stamp_ns;
    int64_t begin_ns; /* of the operation that it observed: its own begin; stamp_ns is then its end */
} cf_event_reading;

typedef struct cf_device_info {
    char backend[16], name[96], driver[96]; /* driver "" = none */
    bool simulated;
    bool computes;                     /* kernels really run: their results can be checked */
    bool moves;                        /* copies really move bytes */
    bool virtual_clock;                /* now_ns is the device's own */
    cf_unit copy_unit, kernel_unit;    /* what calibration stretches */
    uint64_t copy_start, kernel_start; /* a length to begin calibration with, in those units */
    uint64_t step_target_ns;           /* calibrate lane a to about this wall if it is more than the rule's minimum */
    uint64_t kernel_trips_per_us; /* modelled devices: arithmetic done per paced microsecond; 0 = length is trips */
    char clock_name[32];
    bool events_on_operations; /* sync and timing events are an operation's own (cf_op.observer), not records beside it
                                */
    bool sync_on_operations;   /* … sync events alone */
    bool stamped_events;       /* there are events of the kind CF_EVENT_STAMPED, as an operation's own or recorded */
} cf_device_info;

typedef struct cf_device_config {
    const cf_model *model;    /* sim, soft; borrowed until close */
    uint64_t seed;            /* of the model's noise */
    int index;                /* which of the backend's devices, from 0 */
    const cf_pairs *settings; /* the job's [device] section, already checked against ops->settings; NULL = none */
} cf_device_config;

/* A setting that a backend takes in the job's [device] section. */
typedef struct cf_device_setting {
    const char *name, *about;
    const char *const *values; /* accepted, the default first; NULL-terminated. NULL = a whole number */
} cf_device_setting;

/* One device as `confound devices` and `auto` see it. Borrowed during the call. */
typedef struct cf_device_listing {
    int index; /* cuda:INDEX */
    const char *name, *driver;
    const char *kind;    /* "gpu" "cpu" "accelerator" "software" */
    const char *engines; /* what runs at once, in words; NULL = not known */
    const char *memory;  /* kinds of host memory, "pinned pageable"; NULL = not known */
} cf_device_listing;
typedef void cf_device_lister(void *user, const cf_device_listing *listing);

/* What passed through the handle's functions since it was opened; a wrapper's calls to its next count there. */
typedef struct cf_device_counts {
    uint64_t submits[2];    /* [lane] */
    uint64_t records[2][2]; /* [lane][side] */
    uint64_t waits;
} cf_device_counts;

/* Where a device reports commands as executed: `variant` and `instrumented` are not set. Called outside the clock; the
   span and its strings are borrowed during the call. */
typedef void cf_span_sink(void *user, const cf_record_span *span);

typedef struct cf_device_ops {
    const char *name;  /* "sim" */
    const char *about; /* one line */
    /* Required. Opens a device; owner: the caller, by close. NO_DEVICE, UNSUPPORTED, DEVICE. May block. */
    cf_status (*open)(const cf_device_config *config, cf_device *device, cf_error *err);
    /* Required. Frees device->state; waits for what is running. Takes half-opened ones. */
    void (*close)(cf_device *device);
    /* Required. Never blocks. */
    void (*info)(const cf_device *device, cf_device_info *ret_info);
    /* Required. Owner: the caller, by stream_close. */
    cf_status (*stream_open)(cf_device *device, const cf_stream_desc *desc, cf_stream **ret_stream, cf_error *err);
    void (*stream_close)(cf_device *device, cf_stream *stream);
    /* Required. Memory of size_bytes, zeroed; owner: the caller, by block_free. */
    cf_status (*block_new)(cf_device *device, cf_place place, uint64_t size_bytes, cf_block **ret_block, cf_error *err);
    void (*block_free)(cf_device *device, cf_block *block);
    /* Required. Blocking transfers outside the clock, device idle. */
    cf_status (*block_write)(cf_device *device, cf_block *block, uint64_t offset_bytes, const void *data,
                             uint64_t size_bytes, cf_error *err);
    cf_status (*block_read)(cf_device *device, cf_block *block, uint64_t offset_bytes, void *ret_data,
                            uint64_t size_bytes, cf_error *err);
    /* Required. In the clock. Submits to stream; may block as the device's rules say (and counts that as blocked). */
    cf_status (*submit)(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err);
    /* Required. In the clock. Returns when all work of stream (NULL: of the device) has ended. */
    cf_status (*wait)(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err);
    /* Required. Owner: the caller, by event_free. An event may be recorded again once it has been read. */
    cf_status (*event_new)(cf_device *device, cf_event_kind kind, cf_event **ret_event, cf_error *err);
    void (*event_free)(cf_device *device, cf_event *event);
    /* Required. In the clock. Records event before or after op (which the caller submits next or has just submitted).
     */
    cf_status (*record)(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                        cf_error *err);
    /* Required. Outside the clock, after a wait. */
    cf_status (*event_read)(cf_device *device, cf_event *event, cf_event_reading *ret_reading, cf_error *err);
    /* Optional: the device's own clock replaces the host's (virtual time). ns. */
    uint64_t (*now_ns)(cf_device *device);
    /* Optional: ns so far that the host was blocked inside submit and record. NULL = not known. */
    uint64_t (*blocked_ns)(cf_device *device);
    /* Optional: ns so far by which the device's own engines were late in a way that moved later work; UINT64_MAX = not
       known. */
    uint64_t (*late_ns)(cf_device *device);
    /* Optional. Outside the clock, device idle: a step of the run begins; position in [0, 1] is how far the run is. */
    cf_status (*step_begin)(cf_device *device, double position, cf_error *err);
    /* Optional. True where stream takes timestamps of what is submitted to it (the property, read back). */
    bool (*stream_profiles)(cf_device *device, cf_stream *stream);
    /* Optional: accepted in [device]; ends with a NULL name. */
    const cf_device_setting *settings;
    /* Optional; without it there is one device. Tells every device that is there. NO_DEVICE with the reason why the
       backend is absent (library not found, no device, driver too old). Takes no device handle. */
    cf_status (*list)(cf_device_lister *lister, void *user, cf_error *err);
    /* Optional. Adds facts to the record's device section, once after open: paths taken, versions, memory, nodes. */
    cf_status (*facts)(cf_device *device, cf_pairs *facts, cf_error *err);
    /* Optional. Outside the clock, between rounds: CF_MARK_… bits that hold now (throttled, shared device). */
    cf_status (*conditions)(cf_device *device, unsigned *ret_marks, cf_error *err);
    /* Optional. Outside the clock, device idle: sends every command that ends from now on to sink (NULL = stop), each
       by the next step_begin or the next call of this at the latest, with ids from 1 in order of submission. Where
       there is an id, waits_for is one of the same delivery or 0. UNSUPPORTED where it cannot; DEVICE: some were lost.
     */
    cf_status (*spans)(cf_device *device, cf_span_sink *sink, void *user, cf_error *err);
} cf_device_ops;

struct cf_device {
    const cf_device_ops *ops;
    cf_device *next; /* what an instrument wraps; NULL at the bottom */
    void *state;     /* the backend's or the instrument's own */
    cf_device_counts counts;
    uint64_t waited_ns; /* ns spent inside wait calls made on this handle */
};

/* The registry: listed by hand, NULL-terminated. */
extern const cf_device_ops *const cf_device_backends[];
const cf_device_ops *cf_device_backend(const char *name); /* NULL if unknown */

cf_status cf_device_open(const cf_device_ops *ops, const cf_device_config *config, cf_device **ret_device,
                         cf_error *err) CF_MUST_CHECK;
/* Makes a wrapper around next (borrowed) with the given ops and state; its ops->open is not called. */
cf_status cf_device_wrap(cf_device *next, const cf_device_ops *ops, void *state, cf_device **ret_device,
                         cf_error *err) CF_MUST_CHECK;
void cf_device_close(cf_device *device); /* this handle only, not next; takes NULL */
cf_device *cf_device_bottom(cf_device *device);

void cf_device_info_get(const cf_device *device, cf_device_info *ret_info);
cf_status cf_device_stream_open(cf_device *device, const cf_stream_desc *desc, cf_stream **ret_stream,
                                cf_error *err) CF_MUST_CHECK;
void cf_device_stream_close(cf_device *device, cf_stream *stream);
bool cf_device_stream_profiles(cf_device *device, cf_stream *stream); /* false where the device cannot tell */
cf_status cf_device_block_new(cf_device *device, cf_place place, uint64_t size_bytes, cf_block **ret_block,
                              cf_error *err) CF_MUST_CHECK;
void cf_device_block_free(cf_device *device, cf_block *block);
cf_status cf_device_block_write(cf_device *device, cf_block *block, uint64_t offset_bytes, const void *data,
                                uint64_t size_bytes, cf_error *err) CF_MUST_CHECK;
cf_status cf_device_block_read(cf_device *device, cf_block *block, uint64_t offset_bytes, void *ret_data,
                               uint64_t size_bytes, cf_error *err) CF_MUST_CHECK;
cf_status cf_device_submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err) CF_MUST_CHECK;
cf_status cf_device_wait(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err) CF_MUST_CHECK;
cf_status cf_device_event_new(cf_device *device, cf_event_kind kind, cf_event **ret_event, cf_error *err) CF_MUST_CHECK;
void cf_device_event_free(cf_device *device, cf_event *event);
cf_status cf_device_record(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                           cf_error *err) CF_MUST_CHECK;
cf_status cf_device_event_read(cf_device *device, cf_event *event, cf_event_reading *ret_reading,
                               cf_error *err) CF_MUST_CHECK;
uint64_t cf_device_now_ns(cf_device *device);                   /* the host's clock unless the device has its own */
bool cf_device_blocked_ns(cf_device *device, uint64_t *ret_ns); /* false = not known */
bool cf_device_late_ns(cf_device *device, uint64_t *ret_ns);    /* false = not known */
cf_status cf_device_step_begin(cf_device *device, double position, cf_error *err) CF_MUST_CHECK;
cf_status cf_device_facts(cf_device *device, cf_pairs *facts, cf_error *err) CF_MUST_CHECK;
/* 0 where the device cannot tell. */
cf_status cf_device_conditions(cf_device *device, unsigned *ret_marks, cf_error *err) CF_MUST_CHECK;
cf_status cf_device_spans(cf_device *device, cf_span_sink *sink, void *user, cf_error *err) CF_MUST_CHECK;

#endif
