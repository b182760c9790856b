/* What a program can learn of the emulated GPU that it may be running on (emulator/): nothing on real hardware. The
   emulator is a preloaded object, so it is looked for among the symbols of the process. Any thread. */
#ifndef CF_BASE_EMULATED_H
#define CF_BASE_EMULATED_H

#include <stddef.h>
#include <stdint.h>

#define CF_EMULATED_VERSION 1u
#define CF_EMULATED_SYMBOL  "confound_emulated"

/* Kernels are not executed there. A walker whose payload holds this number at an 8-byte boundary lasts as long as the
   number of trips behind it says: two `ulong` arguments, key and trips, in this order. The kernel has to use key, or
   the compiler drops it. */
#define CF_EMULATED_TRIPS_KEY 0xc0f0d5eed0a11ce5ull

/* All strings live as long as the process. */
typedef struct cf_emulated {
    uint32_t version;               /* CF_EMULATED_VERSION */
    const char *model;              /* "bmg" */
    const char *device;             /* "emulated Intel GPU, device id 0xe20b" */
    const char *const *assumptions; /* NULL-terminated: what the model takes for granted and nobody saw on hardware */
    const char *const *taken_away;  /* NULL-terminated: modelled waits that are switched off; usually empty */
    /* How many submissions ended at something that the emulator does not know; the first as one line of text. */
    uint64_t (*failures)(char *text, size_t text_bytes);
    uint64_t (*late_ns)(void); /* ns so far by which an engine fell behind its model for good */
} cf_emulated;

/* NULL where this process does not run on the emulator, or on one of another version. */
const cf_emulated *cf_emulated_find(void);

#endif
