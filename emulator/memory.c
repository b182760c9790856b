#include "emulator/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE   65536ull
#define LOCAL  (1ull << 63) /* of a buffer's size_bytes: it lies in local memory */
#define LENGTH (LOCAL - 1)

int cf_emu_memory_open(cf_emu_memory *memory, uint64_t size_bytes, uint64_t local_limit_bytes)
{
    *memory = (cf_emu_memory){.fd = -1, .size_bytes = size_bytes, .local_limit_bytes = local_limit_bytes};
    memory->barrier_offset = size_bytes - PAGE;
    memory->holes = malloc(sizeof *memory->holes);
    memory->fd = memfd_create("emulated-gpu", MFD_CLOEXEC);
    if (!memory->holes || memory->fd < 0 || ftruncate(memory->fd, (off_t)size_bytes) != 0)
        goto fail;
    memory->base = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory->fd, 0);
    if (memory->base == MAP_FAILED)
        goto fail;
    memory->holes[0] = (cf_emu_extent){.offset = PAGE, .size_bytes = memory->barrier_offset - PAGE};
    memory->hole_count = memory->hole_capacity = 1;
    pthread_mutex_init(&memory->mutex, NULL);
    return 0;
fail:;
    const int failure = errno ? errno : ENOMEM;
    if (memory->fd >= 0)
        close(memory->fd);
    free(memory->holes);
    memory->fd = -1;
    memory->base = NULL;
    memory->holes = NULL;
    return failure;
}

void cf_emu_memory_close(cf_emu_memory *memory)
{
    if (!memory->base)
        return;
    munmap(memory->base, memory->size_bytes);
    close(memory->fd);
    free(memory->holes);
    free(memory->buffers);
    pthread_mutex_destroy(&memory->mutex);
    *memory = (cf_emu_memory){.fd = -1};
}

static bool room_for(void *array, size_t *capacity, size_t wanted, size_t item_bytes)
{
    if (wanted <= *capacity)
        return true;
    const size_t grown = *capacity * 2 > wanted ? *capacity * 2 : wanted + 64;
    void **items = array;
    void *larger = realloc(*items, grown * item_bytes);
    if (!larger)
        return false;
    *items = larger;
    *capacity = grown;
    return true;
}

static bool take(cf_emu_memory *memory, uint64_t size_bytes, uint64_t *ret_offset)
{
    for (size_t i = 0; i < memory->hole_count; i++) {
        cf_emu_extent *hole = &memory->holes[i];
        if (hole->size_bytes < size_bytes)
            continue;
        *ret_offset = hole->offset;
        hole->offset += size_bytes;
        hole->size_bytes -= size_bytes;
        if (!hole->size_bytes)
            memmove(hole, hole + 1, (--memory->hole_count - i) * sizeof *hole);
        return true;
    }
    return false;
}

/* Room for one hole more was made when the buffer was. */
static void give(cf_emu_memory *memory, cf_emu_extent freed)
{
    size_t at = 0;
    while (at < memory->hole_count && memory->holes[at].offset < freed.offset)
        at++;
    const bool joins_next = at < memory->hole_count && freed.offset + freed.size_bytes == memory->holes[at].offset;
    const bool joins_last = at > 0 && memory->holes[at - 1].offset + memory->holes[at - 1].size_bytes == freed.offset;
    if (joins_last && joins_next) {
        memory->holes[at - 1].size_bytes += freed.size_bytes + memory->holes[at].size_bytes;
        memmove(&memory->holes[at], &memory->holes[at + 1], (--memory->hole_count - at) * sizeof *memory->holes);
    } else if (joins_last) {
        memory->holes[at - 1].size_bytes += freed.size_bytes;
    } else if (joins_next) {
        memory->holes[at].offset = freed.offset;
        memory->holes[at].size_bytes += freed.size_bytes;
    } else {
        memmove(&memory->holes[at + 1], &memory->holes[at], (memory->hole_count++ - at) * sizeof *memory->holes);
        memory->holes[at] = freed;
    }
}

static int add(cf_emu_memory *memory, uint64_t size_bytes, bool local, uint32_t *ret_handle)
{
    size_t capacity = memory->buffer_capacity;
    uint32_t handle = 1;
    while (handle < memory->buffer_count && memory->buffers[handle].size_bytes)
        handle++;
    if (!room_for(&memory->buffers, &capacity, handle + 1ull, sizeof *memory->buffers))
        return ENOMEM;
    memory->buffer_capacity = (uint32_t)capacity;
    if (!room_for(&memory->holes, &memory->hole_capacity, memory->buffer_count + 2ull, sizeof *memory->holes))
        return ENOMEM;
    if (local && size_bytes > memory->local_limit_bytes - memory->local_bytes)
        return ENOMEM;
    uint64_t offset;
    if (!take(memory, size_bytes, &offset))
        return ENOMEM;
    if (memory->buffer_count == 0)
        memory->buffers[0] = (cf_emu_extent){0};
    memory->buffers[handle] = (cf_emu_extent){.offset = offset, .size_bytes = size_bytes | (local ? LOCAL : 0)};
    if (handle >= memory->buffer_count)
        memory->buffer_count = handle + 1;
    memory->local_bytes += local ? size_bytes : 0;
    *ret_handle = handle;
    return 0;
}

int cf_emu_memory_new(cf_emu_memory *memory, uint64_t size_bytes, bool local, uint32_t *ret_handle)
{
    if (!size_bytes || size_bytes > memory->size_bytes)
        return size_bytes ? ENOMEM : EINVAL;
    const uint64_t whole_bytes = (size_bytes + PAGE - 1) & ~(PAGE - 1);
    pthread_mutex_lock(&memory->mutex);
    const int failure = add(memory, whole_bytes, local, ret_handle);
    pthread_mutex_unlock(&memory->mutex);
    return failure;
}

int cf_emu_memory_free(cf_emu_memory *memory, uint32_t handle)
{
    pthread_mutex_lock(&memory->mutex);
    const bool known = handle && handle < memory->buffer_count && memory->buffers[handle].size_bytes;
    if (known) {
        const bool local = memory->buffers[handle].size_bytes & LOCAL;
        const cf_emu_extent freed = {.offset = memory->buffers[handle].offset,
                                     .size_bytes = memory->buffers[handle].size_bytes & LENGTH};
        memory->buffers[handle] = (cf_emu_extent){0};
        memory->local_bytes -= local ? freed.size_bytes : 0;
        /* What was freed reads as zero when it is used again. */
        fallocate(memory->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)freed.offset, (off_t)freed.size_bytes);
        give(memory, freed);
    }
    pthread_mutex_unlock(&memory->mutex);
    return known ? 0 : ENOENT;
}

bool cf_emu_memory_find(cf_emu_memory *memory, uint32_t handle, cf_emu_extent *ret_extent)
{
    pthread_mutex_lock(&memory->mutex);
    const bool known = handle && handle < memory->buffer_count && memory->buffers[handle].size_bytes;
    if (known)
        *ret_extent = (cf_emu_extent){.offset = memory->buffers[handle].offset,
                                      .size_bytes = memory->buffers[handle].size_bytes & LENGTH};
    pthread_mutex_unlock(&memory->mutex);
    return known;
}
