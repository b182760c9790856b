#include "emulator/space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void cf_emu_space_open(cf_emu_space *space, uint32_t id)
{
    *space = (cf_emu_space){.id = id};
    pthread_rwlock_init(&space->lock, NULL);
}

void cf_emu_space_close(cf_emu_space *space)
{
    free(space->mappings);
    pthread_rwlock_destroy(&space->lock);
}

/* The first mapping that ends after address. */
static size_t first_after(const cf_emu_space *space, uint64_t address)
{
    size_t low = 0, high = space->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (space->mappings[middle].end > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool reserve(cf_emu_space *space, size_t more)
{
    if (space->count + more <= space->capacity)
        return true;
    const size_t capacity = space->capacity ? space->capacity * 2 : 256;
    cf_emu_mapping *larger = realloc(space->mappings, capacity * sizeof *larger);
    if (!larger)
        return false;
    space->mappings = larger;
    space->capacity = capacity;
    return true;
}

static void insert(cf_emu_space *space, size_t at, cf_emu_mapping mapping)
{
    memmove(&space->mappings[at + 1], &space->mappings[at], (space->count++ - at) * sizeof mapping);
    space->mappings[at] = mapping;
}

/* Cuts [begin, end) out of what is there. Room for one mapping more is there. */
static void cut(cf_emu_space *space, uint64_t begin, uint64_t end)
{
    size_t at = first_after(space, begin);
    while (at < space->count && space->mappings[at].begin < end) {
        cf_emu_mapping *one = &space->mappings[at];
        const cf_emu_mapping whole = *one;
        const bool keeps_head = whole.begin<begin, keeps_tail = whole.end> end;
        const cf_emu_mapping tail = {
            .begin = end, .end = whole.end, .host = whole.host ? whole.host + (end - whole.begin) : NULL};
        if (keeps_head)
            one->end = begin;
        else if (keeps_tail)
            *one = tail;
        else
            memmove(one, one + 1, (--space->count - at) * sizeof *one);
        if (keeps_head && keeps_tail)
            insert(space, at + 1, tail);
        at += keeps_head || keeps_tail;
    }
}

static int change(cf_emu_space *space, uint64_t address, uint64_t size_bytes, bool binds, uint8_t *host)
{
    const uint64_t begin = address & CF_EMU_ADDRESS_MASK, end = begin + size_bytes;
    if (!size_bytes || end < begin || end > CF_EMU_ADDRESS_MASK + 1)
        return EINVAL;
    int failure = ENOMEM;
    pthread_rwlock_wrlock(&space->lock);
    if (reserve(space, 2)) {
        cut(space, begin, end);
        if (binds)
            insert(space, first_after(space, begin), (cf_emu_mapping){.begin = begin, .end = end, .host = host});
        failure = 0;
    }
    pthread_rwlock_unlock(&space->lock);
    return failure;
}

int cf_emu_space_bind(cf_emu_space *space, uint64_t address, uint64_t size_bytes, uint8_t *host)
{
    return change(space, address, size_bytes, true, host);
}

int cf_emu_space_unbind(cf_emu_space *space, uint64_t address, uint64_t size_bytes)
{
    return change(space, address, size_bytes, false, NULL);
}

void cf_emu_space_unbind_host(cf_emu_space *space, const uint8_t *host, uint64_t size_bytes)
{
    pthread_rwlock_wrlock(&space->lock);
    size_t kept = 0;
    for (size_t i = 0; i < space->count; i++) {
        const cf_emu_mapping *one = &space->mappings[i];
        if (!one->host || one->host < host || one->host >= host + size_bytes)
            space->mappings[kept++] = *one;
    }
    space->count = kept;
    pthread_rwlock_unlock(&space->lock);
}

static uint8_t *find(const cf_emu_space *space, uint64_t address, uint64_t *ret_bytes)
{
    static uint8_t nothing[4096]; /* what a mapping to nothing reads as */
    address &= CF_EMU_ADDRESS_MASK;
    const size_t at = first_after(space, address);
    if (at == space->count || space->mappings[at].begin > address)
        return NULL;
    const cf_emu_mapping *one = &space->mappings[at];
    *ret_bytes = one->end - address;
    if (one->host)
        return one->host + (address - one->begin);
    if (*ret_bytes > sizeof nothing)
        *ret_bytes = sizeof nothing;
    return nothing;
}

uint8_t *cf_emu_space_find(cf_emu_space *space, uint64_t address, uint64_t *ret_bytes)
{
    pthread_rwlock_rdlock(&space->lock);
    uint8_t *found = find(space, address, ret_bytes);
    pthread_rwlock_unlock(&space->lock);
    return found;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool cf_emu_space_read(cf_emu_space *space, uint64_t address, void *ret_data, uint64_t size_bytes, uint64_t *ret_fault)
{
    for (uint64_t done = 0, bytes; done < size_bytes; done += bytes) {
        const uint8_t *from = cf_emu_space_find(space, address + done, &bytes);
        if (!from) {
            *ret_fault = address + done;
            return false;
        }
        bytes = least(bytes, size_bytes - done);
        memcpy((uint8_t *)ret_data + done, from, bytes);
    }
    return true;
}

static bool all_bound(cf_emu_space *space, uint64_t address, uint64_t size_bytes, uint64_t *ret_fault)
{
    for (uint64_t done = 0, bytes; done < size_bytes; done += bytes)
        if (!cf_emu_space_find(space, address + done, &bytes)) {
            *ret_fault = address + done;
            return false;
        }
    return true;
}

bool cf_emu_space_copy(cf_emu_space *space, uint64_t to, uint64_t from, uint64_t size_bytes, uint64_t *ret_fault)
{
    if (!all_bound(space, to, size_bytes, ret_fault) || !all_bound(space, from, size_bytes, ret_fault))
        return false;
    for (uint64_t done = 0, bytes; done < size_bytes; done += bytes) {
        uint64_t from_bytes;
        uint8_t *target = cf_emu_space_find(space, to + done, &bytes);
        const uint8_t *source = cf_emu_space_find(space, from + done, &from_bytes);
        if (!target || !source) {
            *ret_fault = target ? from + done : to + done;
            return false;
        }
        bytes = least(least(bytes, from_bytes), size_bytes - done);
        memmove(target, source, bytes);
    }
    return true;
}

bool cf_emu_space_fill(cf_emu_space *space, uint64_t to, uint64_t size_bytes, const void *pattern,
                       uint64_t pattern_bytes, uint64_t *ret_fault)
{
    const uint8_t *value = pattern;
    if (!all_bound(space, to, size_bytes, ret_fault))
        return false;
    for (uint64_t done = 0, bytes; done < size_bytes; done += bytes) {
        uint8_t *target = cf_emu_space_find(space, to + done, &bytes);
        if (!target) {
            *ret_fault = to + done;
            return false;
        }
        bytes = least(bytes, size_bytes - done);
        if (pattern_bytes == 1)
            memset(target, value[0], bytes);
        else
            for (uint64_t i = 0; i < bytes; i++)
                target[i] = value[(done + i) % pattern_bytes];
    }
    return true;
}
