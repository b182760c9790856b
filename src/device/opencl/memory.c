#include <stdlib.h>
#include <string.h>

#include "device/opencl/state.h"

#define HOST_ALIGN_BYTES 4096u

static cf_status new_pageable(cf_block *b, cf_error *err)
{
    void *host = NULL;
    if (posix_memalign(&host, HOST_ALIGN_BYTES, b->size_bytes) != 0)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    memset(host, 0, b->size_bytes);
    b->host = host;
    b->pageable = true;
    return CF_OK;
}

static cf_status map(cf_opencl *o, cf_block *b, cf_error *err)
{
    cl_int code = CL_SUCCESS;
    b->host = o->cl.clEnqueueMapBuffer(o->side, b->mem, 1, CL_MAP_READ | CL_MAP_WRITE, 0, b->size_bytes, 0, NULL, NULL,
                                       &code);
    return cf_cl_check(code, "clEnqueueMapBuffer", err);
}

static cf_status zero_device(cf_device *device, cf_block *b, cf_error *err)
{
    void *zeros = calloc(1, b->size_bytes);
    if (zeros == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    cf_status status = cf_cl_block_write(device, b, 0, zeros, b->size_bytes, err);
    free(zeros);
    return status;
}

static cf_status fill_block(cf_device *device, cf_block *b, cf_error *err)
{
    cf_opencl *o = device->state;
    if (b->place == CF_PLACE_HOST && o->pageable)
        return new_pageable(b, err);
    cl_int code = CL_SUCCESS;
    cl_bits flags = CL_MEM_READ_WRITE | (b->place == CF_PLACE_HOST ? CL_MEM_ALLOC_HOST_PTR : 0);
    b->mem = o->cl.clCreateBuffer(o->context, flags, b->size_bytes, NULL, &code);
    cf_status status = cf_cl_check(code, "clCreateBuffer", err);
    if (status != CF_OK)
        return status;
    if (b->place == CF_PLACE_DEVICE)
        return zero_device(device, b, err);
    status = map(o, b, err);
    if (status == CF_OK)
        memset(b->host, 0, b->size_bytes);
    return status;
}

cf_status cf_cl_block_new(cf_device *device, cf_place place, uint64_t size_bytes, cf_block **ret_block, cf_error *err)
{
    cf_block *b = calloc(1, sizeof *b);
    if (b == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    b->place = place;
    b->size_bytes = size_bytes;
    cf_status status = fill_block(device, b, err);
    if (status != CF_OK) {
        cf_cl_block_free(device, b);
        return status;
    }
    *ret_block = b;
    return CF_OK;
}

void cf_cl_block_free(cf_device *device, cf_block *b)
{
    cf_opencl *o = device->state;
    if (b->pageable)
        free(b->host);
    else if (b->host != NULL && o->cl.clEnqueueUnmapMemObject(o->side, b->mem, b->host, 0, NULL, NULL) == CL_SUCCESS)
        (void)o->cl.clFinish(o->side);
    if (b->mem != NULL)
        (void)o->cl.clReleaseMemObject(b->mem);
    free(b);
}

cf_status cf_cl_block_write(cf_device *device, cf_block *b, uint64_t offset_bytes, const void *data,
                            uint64_t size_bytes, cf_error *err)
{
    cf_opencl *o = device->state;
    if (b->host != NULL) {
        memcpy(b->host + offset_bytes, data, size_bytes);
        return CF_OK;
    }
    return cf_cl_check(o->cl.clEnqueueWriteBuffer(o->side, b->mem, 1, offset_bytes, size_bytes, data, 0, NULL, NULL),
                       "clEnqueueWriteBuffer", err);
}

cf_status cf_cl_block_read(cf_device *device, cf_block *b, uint64_t offset_bytes, void *ret_data, uint64_t size_bytes,
                           cf_error *err)
{
    cf_opencl *o = device->state;
    if (b->host != NULL) {
        memcpy(ret_data, b->host + offset_bytes, size_bytes);
        return CF_OK;
    }
    return cf_cl_check(o->cl.clEnqueueReadBuffer(o->side, b->mem, 1, offset_bytes, size_bytes, ret_data, 0, NULL, NULL),
                       "clEnqueueReadBuffer", err);
}

cf_status cf_cl_block_give(cf_opencl *o, cf_block *b, cf_error *err)
{
    if (b->pageable)
        return cf_error_set(err, CF_UNSUPPORTED,
                            "a kernel cannot read pageable host memory; accepted for kernel-copy: "
                            "[device] memory = pinned");
    if (b->host == NULL || b->place == CF_PLACE_DEVICE)
        return CF_OK;
    cf_status status = cf_cl_check(o->cl.clEnqueueUnmapMemObject(o->side, b->mem, b->host, 0, NULL, NULL),
                                   "clEnqueueUnmapMemObject", err);
    b->host = NULL;
    return status == CF_OK ? cf_cl_check(o->cl.clFinish(o->side), "clFinish", err) : status;
}
