/* Address spaces (the kernel's VMs): GPU addresses to memory of this process. Each has its own; what is not bound is a
   fault. Any thread. */
#ifndef CF_EMULATOR_SPACE_H
#define CF_EMULATOR_SPACE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The GPU's addresses have 48 bits; the upper 16 repeat the 48th, or are left out. */
#define CF_EMU_ADDRESS_MASK ((1ull << 48) - 1)

typedef struct cf_emu_mapping {
    uint64_t begin, end; /* GPU addresses */
    uint8_t *host;       /* NULL: bound to nothing (reads as zero, writes are lost) */
} cf_emu_mapping;

typedef struct cf_emu_space {
    uint32_t id;
    pthread_rwlock_t lock;
    cf_emu_mapping *mappings; /* by begin, never overlapping */
    size_t count, capacity;
} cf_emu_space;

void cf_emu_space_open(cf_emu_space *space, uint32_t id);
void cf_emu_space_close(cf_emu_space *space);
/* Replaces what was bound there. 0, EINVAL or ENOMEM. */
int cf_emu_space_bind(cf_emu_space *space, uint64_t address, uint64_t size_bytes, uint8_t *host);
/* Takes away what is bound there, and only there. 0 or ENOMEM. */
int cf_emu_space_unbind(cf_emu_space *space, uint64_t address, uint64_t size_bytes);
void cf_emu_space_unbind_host(cf_emu_space *space, const uint8_t *host, uint64_t size_bytes); /* wherever it is bound */
/* Where address lies, and how many bytes from there on lie together; NULL = nothing is bound there. */
uint8_t *cf_emu_space_find(cf_emu_space *space, uint64_t address, uint64_t *ret_bytes);
/* All or nothing: false = a fault, at *ret_fault. */
bool cf_emu_space_read(cf_emu_space *space, uint64_t address, void *ret_data, uint64_t size_bytes, uint64_t *ret_fault);
bool cf_emu_space_copy(cf_emu_space *space, uint64_t to, uint64_t from, uint64_t size_bytes, uint64_t *ret_fault);
bool cf_emu_space_fill(cf_emu_space *space, uint64_t to, uint64_t size_bytes, const void *pattern,
                       uint64_t pattern_bytes, uint64_t *ret_fault);

#endif
