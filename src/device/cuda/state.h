/* What the files of `cuda` share. All of it belongs to the thread that uses the device. */
#ifndef CF_DEVICE_CUDA_STATE_H
#define CF_DEVICE_CUDA_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "device/cuda/cuda.h"
#include "device/cuda/driver.h"
#include "device/cuda/nvml.h"
#include "device/device.h"

#define CF_CUDA_STREAMS 2               /* by number: lane a's and lane b's */
#define CF_CUDA_CALL_NS UINT64_C(20000) /* no call that does not block is taken to cost more */
#define CF_CUDA_THREADS 1024            /* of a kernel's block: two blocks fill a multiprocessor, on most devices */

typedef enum cf_cuda_stream_kind { CF_CUDA_NON_BLOCKING, CF_CUDA_BLOCKING, CF_CUDA_LEGACY } cf_cuda_stream_kind;

struct cf_stream {
    cf_cu_stream handle; /* NULL = not made yet */
    uint32_t number;
    bool is_default; /* the default stream: it is never made and never destroyed */
};

struct cf_block {
    uint64_t size_bytes;
    void *host;           /* NULL: memory of the device */
    cf_cu_pointer device; /* 0: the device cannot reach it (pageable) */
};

struct cf_event {
    cf_event_kind kind;
    cf_cu_event handle;
    bool recorded;  /* since it was read: what was not recorded anew proves nothing */
    bool signalled; /* ever: waiting for one that never was would not wait at all */
};

/* Room for the arguments of a batch, made outside the clock as far as it is known. */
typedef struct cf_cuda_batch {
    cf_cu_pointer *to, *from;
    size_t *bytes;
    size_t capacity;
} cf_cuda_batch;

typedef struct cf_cuda {
    cf_cuda_api api;
    cf_cuda_nvml nvml;
    uint64_t serial; /* of this opening, for cf_cuda_enter */
    int index;
    cf_cu_device device;
    cf_cu_context context;
    cf_cu_module module;
    cf_cu_function kernel, copy;
    char name[96], driver[96], pci[32];
    int sms, engines, major, minor;
    int full[2];     /* blocks of `kernel` and of `copy` that the device holds at once */
    int least, most; /* range of stream priorities: most urgent is the smaller number */
    bool pageable;
    cf_cuda_stream_kind stream_kind;
    uint64_t urgency[CF_CUDA_STREAMS]; /* as asked for */
    int priority[CF_CUDA_STREAMS];     /* as given to the driver */
    cf_stream streams[CF_CUDA_STREAMS];
    cf_cu_event base[2]; /* which timestamps count from: [at] is recorded, the other one is next */
    int base_at;
    bool base_recorded;
    int64_t base_ns;        /* of base[base_at], from the first one on */
    uint32_t timing_events; /* alive */
    cf_cuda_batch batch;
    uint64_t call_ns; /* the shortest call so far: what one costs the host that does not block */
    uint64_t blocked_ns;
} cf_cuda;

/* Makes the device's context the calling thread's: at the head of every operation of the table. Cheap when it is. */
cf_status cf_cuda_enter(cf_cuda *cuda, cf_error *err);

/* memory.c */
cf_status cf_cuda_block_new(cf_device *device, cf_place place, uint64_t size_bytes, cf_block **ret_block,
                            cf_error *err);
void cf_cuda_block_free(cf_device *device, cf_block *block);
cf_status cf_cuda_block_write(cf_device *device, cf_block *block, uint64_t offset_bytes, const void *data,
                              uint64_t size_bytes, cf_error *err);
cf_status cf_cuda_block_read(cf_device *device, cf_block *block, uint64_t offset_bytes, void *ret_data,
                             uint64_t size_bytes, cf_error *err);

/* stream.c */
cf_status cf_cuda_stream_open(cf_device *device, const cf_stream_desc *desc, cf_stream **ret_stream, cf_error *err);
void cf_cuda_stream_close(cf_device *device, cf_stream *stream);
void cf_cuda_streams_done(cf_cuda *cuda);
cf_status cf_cuda_wait(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err);

/* event.c */
cf_status cf_cuda_event_new(cf_device *device, cf_event_kind kind, cf_event **ret_event, cf_error *err);
void cf_cuda_event_free(cf_device *device, cf_event *event);
cf_status cf_cuda_record(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                         cf_error *err);
cf_status cf_cuda_event_read(cf_device *device, cf_event *event, cf_event_reading *ret_reading, cf_error *err);
cf_status cf_cuda_step_begin(cf_device *device, double position, cf_error *err);
void cf_cuda_base_done(cf_cuda *cuda);

/* submit.c */
cf_status cf_cuda_submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err);
bool cf_cuda_batches(const cf_cuda *cuda); /* the driver takes many copies in one call */
cf_status cf_cuda_batch_make(cf_cuda_batch *batch, size_t pieces, cf_error *err);
void cf_cuda_batch_done(cf_cuda_batch *batch);

/* facts.c */
cf_status cf_cuda_facts(cf_device *device, cf_pairs *facts, cf_error *err);

#endif
