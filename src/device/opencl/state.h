/* What the files of this backend share. */
#ifndef CF_DEVICE_OPENCL_STATE_H
#define CF_DEVICE_OPENCL_STATE_H

#include "base/emulated.h"
#include "device/device.h"
#include "device/opencl/api.h"

#define CF_CL_MAX_STREAMS 64

struct cf_stream {
    cl_queue queue;
    cl_kernel kernel, copier; /* of its own: arguments are the kernel object's state */
};

struct cf_event {
    cl_event handle; /* of the last operation that took it; NULL = none */
    bool fresh;      /* taken since it was read */
    cf_event_kind kind;
};

struct cf_block {
    cf_place place;
    uint64_t size_bytes;
    cl_mem mem;          /* NULL: pageable host memory */
    unsigned char *host; /* mapped or allocated; NULL: on the device, or given to a kernel */
    bool pageable;
};

typedef struct cf_opencl {
    cf_cl cl;
    cf_dl *dl;
    cl_platform platform;
    cl_device device;
    cl_context context;
    cl_program program;
    cl_queue side; /* for what happens outside the clock */
    cf_stream *streams[CF_CL_MAX_STREAMS];
    size_t stream_count;
    bool pageable;   /* [device] memory */
    bool flush_each; /* [device] flush */
    cl_uint units;   /* compute units */
    bool is_cpu;
    char name[96], driver[96];
    const cf_emulated *emulated; /* NULL on a real device; borrowed for the process's life */
} cf_opencl;

/* memory.c */
cf_status cf_cl_block_new(cf_device *device, cf_place place, uint64_t size_bytes, cf_block **ret_block, cf_error *err);
void cf_cl_block_free(cf_device *device, cf_block *block);
cf_status cf_cl_block_write(cf_device *device, cf_block *block, uint64_t offset_bytes, const void *data,
                            uint64_t size_bytes, cf_error *err);
cf_status cf_cl_block_read(cf_device *device, cf_block *block, uint64_t offset_bytes, void *ret_data,
                           uint64_t size_bytes, cf_error *err);
/* Gives pinned memory to a kernel: unmaps it once. UNSUPPORTED for pageable memory. */
cf_status cf_cl_block_give(cf_opencl *o, cf_block *block, cf_error *err) CF_MUST_CHECK;

/* queue.c */
cf_status cf_cl_stream_open(cf_device *device, const cf_stream_desc *desc, cf_stream **ret_stream, cf_error *err);
void cf_cl_stream_close(cf_device *device, cf_stream *stream);
bool cf_cl_stream_profiles(cf_device *device, cf_stream *stream);
cf_status cf_cl_submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err);
cf_status cf_cl_wait(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err);
cf_status cf_cl_event_new(cf_device *device, cf_event_kind kind, cf_event **ret_event, cf_error *err);
void cf_cl_event_free(cf_device *device, cf_event *event);
cf_status cf_cl_record(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                       cf_error *err);
cf_status cf_cl_event_read(cf_device *device, cf_event *event, cf_event_reading *ret_reading, cf_error *err);

#endif
