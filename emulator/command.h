/* The commands that Intel's driver gives to the engines: one table of what the interpreter knows, and nothing else is
   run. Formats are those of the Xe2 generation, read in public sources:
     NEO   github.com/intel/compute-runtime, shared/source/generated/xe2_hpg_core/hw_cmds_generated_xe2_hpg_core.inl
     PRM   "Intel Arc B-Series Graphics Programmer's Reference Manual", volumes 2a (commands) and 2c (registers)
     Mesa  gitlab.freedesktop.org/mesa/mesa, src/intel/genxml/gen200.xml */
#ifndef CF_EMULATOR_COMMAND_H
#define CF_EMULATOR_COMMAND_H

#include "emulator/stream.h"

typedef struct cf_emu_command cf_emu_command;
typedef cf_emu_step cf_emu_run(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words,
                               uint32_t count);

struct cf_emu_command {
    const char *name;
    uint32_t mask, value; /* a first dword with (dword & mask) == value begins this command */
    uint32_t length_mask; /* bits of the first dword that hold the number of dwords less two; 0 = it is one dword */
    uint32_t least;       /* dwords that are looked at */
    unsigned engines;     /* bits 1 << cf_emu_class */
    cf_emu_run *run;      /* NULL: sets up what nothing here depends on, and is stepped over */
    const char *source;
};

extern const cf_emu_command cf_emu_commands[]; /* ends with a NULL name */
const cf_emu_command *cf_emu_command_find(uint32_t word);
uint32_t cf_emu_command_length(const cf_emu_command *command, uint32_t word);
uint32_t cf_emu_command_opcode(uint32_t word); /* of any dword, for messages */
/* False where MI_SET_PREDICATE turns command into nothing. */
bool cf_emu_command_goes(cf_emu_stream *stream, const cf_emu_command *command);

/* A known command asks for what is not modelled: `what` says for what. */
cf_emu_step cf_emu_refuse(cf_emu_stream *stream, const cf_emu_command *command, uint32_t word, const char *what);

/* A command whose own bit asks for MI_PREDICATE_RESULT: whether it goes. FAILED where nobody wrote that register. */
cf_emu_step cf_emu_command_predicate(cf_emu_stream *stream, bool *ret_goes);

static inline uint32_t cf_emu_bits(uint32_t word, unsigned first, unsigned last)
{
    return word >> first & (uint32_t)((1ull << (last - first + 1)) - 1);
}

static inline uint64_t cf_emu_wide(const uint32_t *words)
{
    return words[0] | (uint64_t)words[1] << 32;
}

/* command_mi.c */
cf_emu_run cf_emu_mi_batch_end, cf_emu_mi_batch_start, cf_emu_mi_set_predicate, cf_emu_mi_semaphore, cf_emu_mi_store,
    cf_emu_mi_load_imm, cf_emu_mi_store_register, cf_emu_mi_load_memory, cf_emu_mi_load_register, cf_emu_mi_flush,
    cf_emu_mi_fence;
/* command_alu.c */
cf_emu_run cf_emu_mi_math, cf_emu_mi_atomic;
/* command_blit.c */
cf_emu_run cf_emu_mem_copy, cf_emu_mem_set, cf_emu_block_copy, cf_emu_fast_color;
/* command_compute.c */
cf_emu_run cf_emu_walker, cf_emu_pipe_control, cf_emu_barrier, cf_emu_base_address;

#endif
