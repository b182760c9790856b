/* What the emulated GPU is taken to be: numbers and waits, read from an INI file by the launcher and handed to the
   preloaded object as these bytes. One table has every key; parser, help, docs and the assumptions that stand in a
   record come from it. */
#ifndef CF_EMULATOR_MODEL_H
#define CF_EMULATOR_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CF_EMU_MODEL_MAGIC 0x31756d6566630000ull

typedef struct cf_emu_model {
    uint64_t magic; /* CF_EMU_MODEL_MAGIC + sizeof: a file of another build is not read */
    char name[32];
    /* [device] */
    uint64_t device_id, revision, ip_major, ip_minor, ip_release;
    uint64_t slices, subslices_per_slice, eus_per_subslice, threads_per_eu;
    uint64_t compute_engines, copy_engines;
    uint64_t memory_bytes, timestamp_hz;
    /* [time] */
    uint64_t copy_rate, copy_base_ns; /* rate: bytes/s */
    uint64_t fill_rate, fill_base_ns;
    uint64_t kernel_base_ns, group_ns, groups_at_once, trip_ps;
    uint64_t catch_up_ns;
    /* [waits] 0 = taken away */
    uint64_t wait_stall, wait_barrier, wait_flush, wait_batch, wait_walker;
    /* [faults] planted mistakes; 0 = none */
    uint64_t fault_copies_on_compute;
} cf_emu_model;

typedef enum cf_emu_unit { CF_EMU_COUNT, CF_EMU_BYTES, CF_EMU_NS, CF_EMU_FLAG } cf_emu_unit;

typedef struct cf_emu_key {
    const char *section, *name;
    size_t offset; /* of the uint64_t in cf_emu_model */
    cf_emu_unit unit;
    uint64_t min, max, standard;
    const char *about;
    const char *assumption; /* a sentence: what is taken for granted and not verified on hardware; NULL = nothing */
} cf_emu_key;

extern const cf_emu_key cf_emu_keys[]; /* ends with a NULL name */

/* What is taken for granted and no key changes; NULL-terminated. */
extern const char *const cf_emu_assumptions[];

void cf_emu_model_standard(cf_emu_model *ret_model);
/* A model file's text over the standard values. INPUT with file and line. settings: "SECTION.KEY=VALUE", NULL-ended. */
cf_status cf_emu_model_parse(const char *name, const char *text, size_t size_bytes, const char *const *settings,
                             cf_emu_model *ret_model, cf_error *err) CF_MUST_CHECK;
bool cf_emu_model_valid(const cf_emu_model *model, size_t size_bytes);

#endif
