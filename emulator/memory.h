/* The emulated GPU's buffers. All lie in one sparse memory file, which is also what the device node opens to, so that a
   program's mmap of a buffer's offset needs no help. Any thread. */
#ifndef CF_EMULATOR_MEMORY_H
#define CF_EMULATOR_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cf_emu_extent {
    uint64_t offset, size_bytes;
} cf_emu_extent;

typedef struct cf_emu_memory {
    int fd;
    uint8_t *base;
    uint64_t size_bytes, barrier_offset; /* the last page stands for the PCI barrier page */
    pthread_mutex_t mutex;
    cf_emu_extent *buffers; /* [handle]; size 0 = none */
    uint32_t buffer_count, buffer_capacity;
    cf_emu_extent *holes; /* free, by offset, never touching each other */
    size_t hole_count, hole_capacity;
    uint64_t local_bytes, local_limit_bytes; /* in use of the local memory */
} cf_emu_memory;

/* 0 or a positive errno. */
int cf_emu_memory_open(cf_emu_memory *memory, uint64_t size_bytes, uint64_t local_limit_bytes);
void cf_emu_memory_close(cf_emu_memory *memory);
/* A zeroed buffer; local counts against the limit. 0 and ret_handle > 0, or ENOMEM. */
int cf_emu_memory_new(cf_emu_memory *memory, uint64_t size_bytes, bool local, uint32_t *ret_handle);
/* ENOENT: no such buffer. */
int cf_emu_memory_free(cf_emu_memory *memory, uint32_t handle);
bool cf_emu_memory_find(cf_emu_memory *memory, uint32_t handle, cf_emu_extent *ret_extent);

#endif
