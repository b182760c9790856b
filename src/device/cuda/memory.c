/* Memory of the host and of the device, and transfers outside the clock. */
#include "device/cuda/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES 4096u

/* The device's alignment rules never reach below 8 bytes, and a driver may refuse to give 0. */
static uint64_t rounded(uint64_t size_bytes, uint64_t to)
{
    return size_bytes == 0 ? to : (size_bytes + to - 1) / to * to;
}

static cf_status make_pageable(cf_block *block, cf_error *err)
{
    uint64_t bytes = rounded(block->size_bytes, PAGE_BYTES);
    block->host = aligned_alloc(PAGE_BYTES, bytes);
    if (block->host == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory: %" PRIu64 " bytes on the host", bytes);
    memset(block->host, 0, bytes);
    return CF_OK;
}

static cf_status make_pinned(const cf_cuda_api *api, cf_block *block, cf_error *err)
{
    uint64_t bytes = rounded(block->size_bytes, PAGE_BYTES);
    cf_status status = CF_CUDA_TRY(api, err, "cuMemHostAlloc",
                                   api->host_alloc(&block->host, bytes, CF_CU_HOST_PORTABLE | CF_CU_HOST_DEVICEMAP));
    if (status != CF_OK)
        return status;
    memset(block->host, 0, bytes);
    return CF_CUDA_TRY(api, err, "cuMemHostGetDevicePointer", api->host_mapped(&block->device, block->host, 0));
}

static cf_status make_device(const cf_cuda_api *api, cf_block *block, cf_error *err)
{
    uint64_t bytes = rounded(block->size_bytes, 8);
    cf_status status = CF_CUDA_TRY(api, err, "cuMemAlloc", api->memory_alloc(&block->device, bytes));
    return status == CF_OK ? CF_CUDA_TRY(api, err, "cuMemsetD8", api->memory_set(block->device, 0, bytes)) : status;
}

/* The driver waits for what is queued before it frees, and is done with pageable memory when a copy call returns. */
static void free_block(const cf_cuda *cuda, cf_block *block)
{
    if (block->host != NULL && cuda->pageable)
        free(block->host);
    else if (block->host != NULL)
        (void)cuda->api.host_free(block->host);
    else if (block->device != 0)
        (void)cuda->api.memory_free(block->device);
    free(block);
}

cf_status cf_cuda_block_new(cf_device *device, cf_place place, uint64_t size_bytes, cf_block **ret_block, cf_error *err)
{
    cf_cuda *cuda = device->state;
    cf_status status = cf_cuda_enter(cuda, err);
    if (status != CF_OK)
        return status;
    cf_block *block = calloc(1, sizeof *block);
    if (block == NULL || size_bytes > SIZE_MAX / 2) {
        free(block);
        return cf_error_set(err, CF_MEMORY, "out of memory");
    }
    block->size_bytes = size_bytes;
    if (place == CF_PLACE_DEVICE)
        status = make_device(&cuda->api, block, err);
    else
        status = cuda->pageable ? make_pageable(block, err) : make_pinned(&cuda->api, block, err);
    if (status != CF_OK) {
        free_block(cuda, block);
        return status;
    }
    *ret_block = block;
    return CF_OK;
}

void cf_cuda_block_free(cf_device *device, cf_block *block)
{
    cf_cuda *cuda = device->state;
    (void)cf_cuda_enter(cuda, NULL);
    free_block(cuda, block);
}

static cf_status check_range(const cf_block *block, uint64_t offset_bytes, uint64_t size_bytes, cf_error *err)
{
    if (offset_bytes <= block->size_bytes && size_bytes <= block->size_bytes - offset_bytes)
        return CF_OK;
    return cf_error_set(err, CF_INPUT, "%" PRIu64 " bytes at %" PRIu64 " of a block of %" PRIu64, size_bytes,
                        offset_bytes, block->size_bytes);
}

cf_status cf_cuda_block_write(cf_device *device, cf_block *block, uint64_t offset_bytes, const void *data,
                              uint64_t size_bytes, cf_error *err)
{
    cf_cuda *cuda = device->state;
    cf_status status = check_range(block, offset_bytes, size_bytes, err);
    if (status == CF_OK)
        status = cf_cuda_enter(cuda, err);
    if (status != CF_OK || size_bytes == 0)
        return status;
    if (block->host == NULL)
        return CF_CUDA_TRY(&cuda->api, err, "cuMemcpyHtoD",
                           cuda->api.write(block->device + offset_bytes, data, size_bytes));
    memcpy((char *)block->host + offset_bytes, data, size_bytes);
    return CF_OK;
}

cf_status cf_cuda_block_read(cf_device *device, cf_block *block, uint64_t offset_bytes, void *ret_data,
                             uint64_t size_bytes, cf_error *err)
{
    cf_cuda *cuda = device->state;
    cf_status status = check_range(block, offset_bytes, size_bytes, err);
    if (status == CF_OK)
        status = cf_cuda_enter(cuda, err);
    if (status != CF_OK || size_bytes == 0)
        return status;
    if (block->host == NULL)
        return CF_CUDA_TRY(&cuda->api, err, "cuMemcpyDtoH",
                           cuda->api.read(ret_data, block->device + offset_bytes, size_bytes));
    memcpy(ret_data, (const char *)block->host + offset_bytes, size_bytes);
    return CF_OK;
}
