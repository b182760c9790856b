/* Memory of the host and of the device, and transfers outside the clock. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device/level_zero/state.h"

#define PAGE_BYTES 4096u

static uint64_t rounded(uint64_t size_bytes, uint64_t to)
{
    return size_bytes == 0 ? to : (size_bytes + to - 1) / to * to;
}

cf_status cf_ze_host_memory(const cf_ze *ze, uint64_t bytes, void **ret_data, cf_error *err)
{
    const cf_ze_flags_desc desc = {.type = CF_ZE_TYPE_HOST_MEMORY};
    cf_status status =
        CF_ZE_TRY(err, "zeMemAllocHost", ze->api.memory_host(ze->context, &desc, bytes, PAGE_BYTES, ret_data));
    if (status == CF_OK)
        memset(*ret_data, 0, bytes);
    return status;
}

static cf_status make_pageable(cf_block *block, cf_error *err)
{
    uint64_t bytes = rounded(block->size_bytes, PAGE_BYTES);
    block->data = aligned_alloc(PAGE_BYTES, bytes);
    if (block->data == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory: %" PRIu64 " bytes on the host", bytes);
    memset(block->data, 0, bytes);
    return CF_OK;
}

static cf_status make_device(const cf_ze *ze, cf_block *block, cf_error *err)
{
    const cf_ze_device_memory_desc desc = {.type = CF_ZE_TYPE_DEVICE_MEMORY};
    const uint8_t zero = 0;
    uint64_t bytes = rounded(block->size_bytes, PAGE_BYTES);
    cf_status status =
        CF_ZE_TRY(err, "zeMemAllocDevice",
                  ze->api.memory_device(ze->context, &desc, bytes, PAGE_BYTES, ze->device, &block->data));
    return status == CF_OK ? CF_ZE_TRY(err, "zeCommandListAppendMemoryFill",
                                       ze->api.append_fill(ze->side, block->data, &zero, 1, bytes, NULL, 0, NULL))
                           : status;
}

/* Level Zero does not wait before it frees. */
static void free_block(const cf_ze *ze, cf_block *block)
{
    if (block->place == CF_PLACE_HOST && ze->pageable)
        free(block->data);
    else if (block->data != NULL)
        (void)ze->api.memory_free(ze->context, block->data);
    free(block);
}

cf_status cf_level_zero_block_new(cf_device *device, cf_place place, uint64_t size_bytes, cf_block **ret_block,
                                  cf_error *err)
{
    cf_ze *ze = device->state;
    cf_block *block = calloc(1, sizeof *block);
    if (block == NULL || size_bytes > SIZE_MAX / 2) {
        free(block);
        return cf_error_set(err, CF_MEMORY, "out of memory");
    }
    *block = (cf_block){.place = place, .size_bytes = size_bytes};
    cf_status status = CF_OK;
    if (place == CF_PLACE_DEVICE)
        status = make_device(ze, block, err);
    else if (ze->pageable)
        status = make_pageable(block, err);
    else
        status = cf_ze_host_memory(ze, rounded(size_bytes, PAGE_BYTES), &block->data, err);
    if (status != CF_OK) {
        free_block(ze, block);
        return status;
    }
    *ret_block = block;
    return CF_OK;
}

void cf_level_zero_block_free(cf_device *device, cf_block *block)
{
    cf_ze_rest(device->state);
    free_block(device->state, block);
}

static cf_status check_range(const cf_block *block, uint64_t offset_bytes, uint64_t size_bytes, cf_error *err)
{
    if (offset_bytes <= block->size_bytes && size_bytes <= block->size_bytes - offset_bytes)
        return CF_OK;
    return cf_error_set(err, CF_INPUT, "%" PRIu64 " bytes at %" PRIu64 " of a block of %" PRIu64, size_bytes,
                        offset_bytes, block->size_bytes);
}

static cf_status move(const cf_ze *ze, void *to, const void *from, uint64_t bytes, cf_error *err)
{
    return CF_ZE_TRY(err, "zeCommandListAppendMemoryCopy",
                     ze->api.append_copy(ze->side, to, from, bytes, NULL, 0, NULL));
}

/* Through pinned memory of our own, so that the caller's may be anywhere. */
cf_status cf_level_zero_block_write(cf_device *device, cf_block *block, uint64_t offset_bytes, const void *data,
                                    uint64_t size_bytes, cf_error *err)
{
    const cf_ze *ze = device->state;
    unsigned char *at = block->data;
    const unsigned char *from = data;
    cf_status status = check_range(block, offset_bytes, size_bytes, err);
    if (status == CF_OK && size_bytes > 0 && block->place == CF_PLACE_HOST)
        memcpy(at + offset_bytes, data, size_bytes);
    for (uint64_t done = 0; status == CF_OK && block->place == CF_PLACE_DEVICE && done < size_bytes;) {
        uint64_t left = size_bytes - done;
        uint64_t bytes = left < CF_ZE_STAGE_BYTES ? left : CF_ZE_STAGE_BYTES;
        memcpy(ze->stage, from + done, bytes);
        status = move(ze, at + offset_bytes + done, ze->stage, bytes, err);
        done += bytes;
    }
    return status;
}

cf_status cf_level_zero_block_read(cf_device *device, cf_block *block, uint64_t offset_bytes, void *ret_data,
                                   uint64_t size_bytes, cf_error *err)
{
    const cf_ze *ze = device->state;
    const unsigned char *at = block->data;
    unsigned char *to = ret_data;
    cf_status status = check_range(block, offset_bytes, size_bytes, err);
    if (status == CF_OK && size_bytes > 0 && block->place == CF_PLACE_HOST)
        memcpy(ret_data, at + offset_bytes, size_bytes);
    for (uint64_t done = 0; status == CF_OK && block->place == CF_PLACE_DEVICE && done < size_bytes;) {
        uint64_t left = size_bytes - done;
        uint64_t bytes = left < CF_ZE_STAGE_BYTES ? left : CF_ZE_STAGE_BYTES;
        status = move(ze, ze->stage, at + offset_bytes + done, bytes, err);
        if (status == CF_OK)
            memcpy(to + done, ze->stage, bytes);
        done += bytes;
    }
    return status;
}
