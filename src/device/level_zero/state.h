/* What the files of `level-zero` share. All of it belongs to the thread that uses the device. */
#ifndef CF_DEVICE_LEVEL_ZERO_STATE_H
#define CF_DEVICE_LEVEL_ZERO_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/emulated.h"
#include "device/device.h"
#include "device/level_zero/api.h"
#include "device/level_zero/level_zero.h"

#define CF_ZE_STREAMS     3 /* lane a's, lane b's, and the one that they share */
#define CF_ZE_SHARED      2
#define CF_ZE_GROUP_ITEMS 64u             /* of a kernel's group */
#define CF_ZE_CALL_NS     UINT64_C(50000) /* no call that does not block is taken to cost more */
#define CF_ZE_SLOTS       64              /* events of a pool, stamps of a page */
#define CF_ZE_STAGE_BYTES ((uint64_t)64 << 10)

typedef enum cf_ze_stream_kind { CF_ZE_OFFLOAD, CF_ZE_NO_OFFLOAD, CF_ZE_SPLIT, CF_ZE_QUEUES } cf_ze_stream_kind;
typedef enum cf_ze_engine { CF_ZE_COMPUTE, CF_ZE_COPY, CF_ZE_ENGINES } cf_ze_engine; /* groups of queues, by what for */

/* Which of several ways is taken, by what the driver and the loader offer. */
typedef enum cf_ze_order_path { CF_ZE_ORDER_FLAG, CF_ZE_ORDER_BARRIER } cf_ze_order_path;
typedef enum cf_ze_hint_path { CF_ZE_HINT_STRUCT, CF_ZE_HINT_FLAG, CF_ZE_HINT_NONE } cf_ze_hint_path;
typedef enum cf_ze_event_path {
    CF_ZE_EVENT_CORE,
    CF_ZE_EVENT_ZEX,
    CF_ZE_EVENT_POOL,
    CF_ZE_EVENT_PLAIN
} cf_ze_event_path;

typedef cf_ze_result cf_ze_counter_create(cf_ze_context context, cf_ze_device device, const cf_ze_event_desc *desc,
                                          cf_ze_event *ret_event);

typedef struct cf_ze_paths {
    uint32_t version;   /* of the specification that the driver implements */
    bool counter_pools; /* extensions that it lists */
    bool offload_hint;
    bool version_text;
    cf_ze_order_path order;
    cf_ze_hint_path hint;
    cf_ze_event_path event;
    cf_ze_counter_create *zex; /* NULL = none that could be used */
    const char *zex_why;       /* why not */
} cf_ze_paths;

/* Events of one kind and path, or stamps, that were made together. */
typedef struct cf_ze_slab {
    cf_ze_pool pool;
    bool stamped, counter;
    uint64_t used; /* a bit for each slot */
    struct cf_ze_slab *next;
} cf_ze_slab;

typedef struct cf_ze_page { /* of memory that stamps are written to, on the host */
    uint64_t *stamps;       /* CF_ZE_SLOTS, CF_ZE_STAMP_WORDS apart */
    uint64_t used;
    struct cf_ze_page *next;
} cf_ze_page;
#define CF_ZE_STAMP_WORDS 8 /* a line of the cache each */

/* A queue of one engine: an immediate list, or a command queue with the lists that it executes. */
typedef struct cf_ze_track {
    cf_ze_list list;   /* immediate; NULL = regular */
    cf_ze_queue queue; /* regular; NULL = immediate */
    cf_ze_list *lists; /* regular: used in turn, and reset when the device is idle */
    size_t list_count, list_room, list_used;
    cf_event *tail; /* where a list cannot be waited for: the event that ends it */
    bool dirty;     /* something was appended since it was last waited for */
} cf_ze_track;

struct cf_stream {
    bool made;
    uint32_t number;                   /* CF_ZE_SHARED: both lanes' */
    cf_ze_track tracks[CF_ZE_ENGINES]; /* [CF_ZE_COPY] unused where one list takes all */
    bool split;
    int last;                    /* track of the last command; -1 = none */
    cf_ze_kernel kernel, copier; /* of its own: arguments are the kernel object's state */
};

struct cf_block {
    cf_place place;
    uint64_t size_bytes;
    void *data; /* on the host or the device: addresses are one space */
};

struct cf_event {
    cf_event_kind kind;
    cf_ze_event handle;
    cf_ze_slab *slab; /* NULL: counter-based, of no pool */
    int slot;
    bool counter;     /* counter-based: it is never reset */
    cf_ze_page *page; /* timing: where its stamp is written */
    int stamp_slot;
    uint64_t *stamp;
    bool recorded;         /* since it was read: what was not recorded anew proves nothing */
    bool signalled;        /* ever: waiting for one that never was would not wait at all */
    cf_ze_event current;   /* of a dependency: what its last operation signals, its own or its observer's */
    bool needs_reset;      /* signalled since its last reset, and not counter-based */
    struct cf_event *next; /* all events of the device */
};

/* What a step handed out, by address, while commands are told. */
typedef enum cf_ze_note_kind { CF_ZE_NOTE_OP, CF_ZE_NOTE_BEFORE, CF_ZE_NOTE_AFTER } cf_ze_note_kind;
typedef struct cf_ze_note {
    cf_ze_note_kind kind;
    cf_op_kind op;
    int lane, stream;
    uint32_t index;
    uint64_t begin, bytes; /* of an operation's destination, or of a stamp */
} cf_ze_note;
typedef struct cf_ze_notes {
    cf_ze_note *items; /* NULL = nobody wants to be told */
    size_t count;
    cf_span_sink *sink;
    void *user;
} cf_ze_notes;

typedef struct cf_ze {
    cf_ze_api api;
    const cf_emulated *emulated; /* NULL: real hardware */
    int index;
    cf_ze_driver driver;
    cf_ze_device device;
    cf_ze_context context;
    cf_ze_module module;
    char name[96], driver_text[96], version[64];
    cf_ze_device_properties properties;
    cf_ze_group_properties groups[CF_ZE_ENGINES];
    int ordinals[CF_ZE_ENGINES]; /* -1 = there is none */
    cf_ze_paths paths;
    cf_ze_stream_kind stream_kind;
    bool pageable;
    bool plain_events; /* [device] events = pool */
    uint32_t full;     /* groups that fill the device */
    cf_stream streams[CF_ZE_STREAMS];
    cf_ze_list side; /* for transfers outside the clock: each call returns when it is done */
    unsigned char *stage;
    cf_ze_slab *slabs;
    cf_ze_page *pages;
    cf_event *events;
    uint64_t call_ns; /* the shortest call so far: what one costs the host that does not block */
    uint64_t blocked_ns;
    uint64_t step_ns; /* when the last step began */
    cf_ze_notes notes;
} cf_ze;

/* paths.c */
/* What the driver lists, and its version in its own words where it has a function for them: what `confound devices`
   shows is what a record has. */
cf_status cf_ze_driver_find(cf_ze *ze, cf_error *err);
/* What the driver offers; asked once, after the device is known and before anything is made of it. */
cf_status cf_ze_paths_find(cf_ze *ze, cf_error *err);
/* The same, of which only a try tells; the context is there. */
cf_status cf_ze_paths_try(cf_ze *ze, cf_error *err);
cf_status cf_level_zero_facts(cf_device *device, cf_pairs *facts, cf_error *err);
const char *cf_ze_event_path_name(const cf_ze *ze); /* of the events that are made */
bool cf_ze_counts(const cf_ze *ze);                 /* they are counter-based */
extern const char *const cf_ze_stream_names[];      /* by cf_ze_stream_kind; NULL-terminated */

/* memory.c */
cf_status cf_level_zero_block_new(cf_device *device, cf_place place, uint64_t size_bytes, cf_block **ret_block,
                                  cf_error *err);
void cf_level_zero_block_free(cf_device *device, cf_block *block);
cf_status cf_level_zero_block_write(cf_device *device, cf_block *block, uint64_t offset_bytes, const void *data,
                                    uint64_t size_bytes, cf_error *err);
cf_status cf_level_zero_block_read(cf_device *device, cf_block *block, uint64_t offset_bytes, void *ret_data,
                                   uint64_t size_bytes, cf_error *err);
/* Host memory that the device reaches. */
cf_status cf_ze_host_memory(const cf_ze *ze, uint64_t bytes, void **ret_data, cf_error *err);

/* stream.c */
cf_status cf_level_zero_stream_open(cf_device *device, const cf_stream_desc *desc, cf_stream **ret_stream,
                                    cf_error *err);
void cf_level_zero_stream_close(cf_device *device, cf_stream *stream);
void cf_ze_streams_done(cf_ze *ze);
cf_status cf_level_zero_wait(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err);
/* Before something is freed that commands may still use: what was submitted and not waited for, as after a failure. */
void cf_ze_rest(cf_ze *ze);
/* Outside the clock, device idle: lists that were executed can be recorded anew. */
cf_status cf_ze_streams_reset(cf_ze *ze, cf_error *err);
/* The list that the stream's next command of that kind is appended to; cf_ze_list_end afterwards. */
cf_status cf_ze_list_begin(cf_ze *ze, cf_stream *stream, cf_op_kind kind, cf_ze_list *ret_list, cf_error *err);
cf_status cf_ze_list_end(cf_ze *ze, cf_stream *stream, cf_ze_list list, cf_error *err);
/* Is nothing left to do on the track of the last command? false where that is not known. */
cf_status cf_ze_stream_idle(const cf_ze *ze, const cf_stream *stream, bool *ret_idle, cf_error *err);

/* event.c */
cf_status cf_level_zero_event_new(cf_device *device, cf_event_kind kind, cf_event **ret_event, cf_error *err);
void cf_level_zero_event_free(cf_device *device, cf_event *event);
cf_status cf_level_zero_record(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                               cf_error *err);
cf_status cf_level_zero_event_read(cf_device *device, cf_event *event, cf_event_reading *ret_reading, cf_error *err);
cf_status cf_level_zero_step_begin(cf_device *device, double position, cf_error *err);
void cf_ze_events_done(cf_ze *ze);
cf_status cf_ze_tail_make(cf_ze *ze, cf_event **ret_tail, cf_error *err);
void cf_ze_tail_end(cf_ze *ze, cf_event *tail); /* takes NULL */
void cf_ze_event_given(cf_event *event);        /* an append that signals it has succeeded */
/* A counter-based event of no pool, to find out whether there are any. */
cf_ze_result cf_ze_event_counter(const cf_ze *ze, cf_ze_event_path path, bool stamped, cf_ze_event *ret_event);

/* spans.c */
cf_status cf_level_zero_spans(cf_device *device, cf_span_sink *sink, void *user, cf_error *err);
void cf_ze_note_op(cf_ze *ze, const cf_stream *stream, const cf_op *op, uint64_t bytes);
void cf_ze_note_stamp(cf_ze *ze, const cf_stream *stream, const cf_op *op, cf_side side, const uint64_t *stamp);

/* submit.c */
cf_status cf_level_zero_submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err);
cf_status cf_ze_barrier(const cf_ze *ze, cf_ze_list list, cf_error *err); /* where a list has no order of its own */

#endif
