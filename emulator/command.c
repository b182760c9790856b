#include "emulator/command.h"

#define ALL     (1u << CF_EMU_RENDER | 1u << CF_EMU_COPY | 1u << CF_EMU_COMPUTE)
#define BLIT    (1u << CF_EMU_COPY)
#define COMPUTE (1u << CF_EMU_RENDER | 1u << CF_EMU_COMPUTE)

/* First dwords: bits 31:29 are the command's type. MI_ (type 0) has its opcode in 28:23, the copy engine's (2) in
   28:22, the 3D and compute ones (3) a subtype in 28:27, an opcode in 26:24 and one more in 23:16, or 23:18 for the
   walker. */
#define MI(opcode)          0xff800000u, (uint32_t)(opcode) << 23
#define XY(opcode)          0xffc00000u, 0x40000000u | (uint32_t)(opcode) << 22
#define STATE(first)        0xffff0000u, (uint32_t)(first) << 16
#define WALKER(subopcode)   0xfffc0000u, 0x72000000u | (uint32_t)(subopcode) << 18
#define GFX_EXEC(subopcode) 0xfc000000u, 0xa0000000u | (uint32_t)(subopcode) << 26

#define NEO_MI "NEO MI_*; PRM 2a, MI commands"
#define NEO_3D "NEO; PRM 2a, 3DSTATE and STATE commands"

const cf_emu_command cf_emu_commands[] = {
    {"MI_NOOP", MI(0x00), 0, 1, ALL, NULL, NEO_MI},
    {"MI_SET_PREDICATE", MI(0x01), 0, 1, ALL, cf_emu_mi_set_predicate, NEO_MI},
    {"MI_USER_INTERRUPT", MI(0x02), 0, 1, ALL, NULL, NEO_MI},
    {"MI_ARB_CHECK", MI(0x05), 0, 1, ALL, NULL, NEO_MI},
    {"MI_MEM_FENCE", MI(0x09), 0, 1, ALL, cf_emu_mi_fence, NEO_MI},
    {"MI_BATCH_BUFFER_END", MI(0x0a), 0, 1, ALL, cf_emu_mi_batch_end, NEO_MI},
    {"MI_MATH", MI(0x1a), 0xff, 2, ALL, cf_emu_mi_math, "NEO MI_MATH; PRM 2a, MI_MATH and its ALU programming"},
    {"MI_SEMAPHORE_WAIT", MI(0x1c), 0xff, 4, ALL, cf_emu_mi_semaphore, NEO_MI},
    {"MI_STORE_DATA_IMM", MI(0x20), 0x3ff, 4, ALL, cf_emu_mi_store, NEO_MI},
    {"MI_LOAD_REGISTER_IMM", MI(0x22), 0xff, 3, ALL, cf_emu_mi_load_imm, NEO_MI},
    {"MI_STORE_REGISTER_MEM", MI(0x24), 0xff, 4, ALL, cf_emu_mi_store_register, NEO_MI},
    {"MI_FLUSH_DW", MI(0x26), 0x3f, 5, BLIT, cf_emu_mi_flush, NEO_MI},
    {"MI_LOAD_REGISTER_MEM", MI(0x29), 0xff, 4, ALL, cf_emu_mi_load_memory, NEO_MI},
    {"MI_LOAD_REGISTER_REG", MI(0x2a), 0xff, 3, ALL, cf_emu_mi_load_register, NEO_MI},
    {"MI_ATOMIC", MI(0x2f), 0xff, 3, ALL, cf_emu_mi_atomic, NEO_MI},
    {"MI_BATCH_BUFFER_START", MI(0x31), 0xff, 3, ALL, cf_emu_mi_batch_start, NEO_MI},

    {"XY_BLOCK_COPY_BLT", XY(0x41), 0xff, 12, BLIT, cf_emu_block_copy, "NEO XY_BLOCK_COPY_BLT; Mesa"},
    {"XY_FAST_COLOR_BLT", XY(0x44), 0xff, 11, BLIT, cf_emu_fast_color, "NEO XY_FAST_COLOR_BLT; Mesa"},
    {"MEM_COPY", XY(0x5a), 0xff, 10, BLIT, cf_emu_mem_copy, "NEO MEM_COPY; PRM 2a"},
    {"MEM_SET", XY(0x5b), 0xff, 7, BLIT, cf_emu_mem_set, "NEO MEM_SET; PRM 2a"},

    {"STATE_BASE_ADDRESS", STATE(0x6101), 0xff, 3, COMPUTE, cf_emu_base_address, NEO_3D},
    {"STATE_SIP", STATE(0x6102), 0xff, 3, COMPUTE, NULL, NEO_3D},
    {"STATE_COMPUTE_MODE", STATE(0x6105), 0xff, 2, COMPUTE, NULL, NEO_3D},
    {"3DSTATE_BTD", STATE(0x6106), 0xff, 2, COMPUTE, NULL, NEO_3D},
    {"STATE_SYSTEM_MEM_FENCE_ADDRESS", STATE(0x6109), 0xff, 3, ALL, NULL, NEO_3D},
    {"STATE_CONTEXT_DATA_BASE_ADDRESS", STATE(0x610b), 0xff, 3, COMPUTE, NULL, NEO_3D},
    {"STATE_PREFETCH", STATE(0x6003), 0xff, 2, COMPUTE, NULL, NEO_3D},
    {"PIPELINE_SELECT", STATE(0x6904), 0, 1, COMPUTE, NULL, NEO_3D},
    {"3DSTATE_BINDING_TABLE_POOL_ALLOC", STATE(0x7919), 0xff, 4, COMPUTE, NULL, NEO_3D},
    {"PIPE_CONTROL", STATE(0x7a00), 0xff, 6, COMPUTE, cf_emu_pipe_control, "NEO PIPE_CONTROL; PRM 2a"},
    {"CFE_STATE", WALKER(0x00), 0xff, 2, COMPUTE, NULL, "NEO CFE_STATE"},
    {"COMPUTE_WALKER", WALKER(0x02), 0xff, 40, COMPUTE, cf_emu_walker, "NEO COMPUTE_WALKER; Mesa"},
    {"RESOURCE_BARRIER", GFX_EXEC(0x03), 0xff, 5, COMPUTE, cf_emu_barrier, "NEO RESOURCE_BARRIER; Mesa"},
    {NULL, 0, 0, 0, 0, 0, NULL, NULL},
};

const cf_emu_command *cf_emu_command_find(uint32_t word)
{
    for (const cf_emu_command *command = cf_emu_commands; command->name; command++)
        if ((word & command->mask) == command->value)
            return command;
    return NULL;
}

uint32_t cf_emu_command_length(const cf_emu_command *command, uint32_t word)
{
    return command->length_mask ? (word & command->length_mask) + 2 : 1;
}

uint32_t cf_emu_command_opcode(uint32_t word)
{
    switch (word >> 29) {
    case 0:
        return cf_emu_bits(word, 23, 28);
    case 2:
        return cf_emu_bits(word, 22, 28);
    default:
        return word >> 16;
    }
}

#define PREDICATE_RESULT_2 0x3bc
#define PREDICATE_RESULT   0x418

/* PRM 2a, MI_SET_PREDICATE: commands become MI_NOOP 1 = where MI_PREDICATE_RESULT_2 is clear, 2 = is set, 3 = where
   MI_PREDICATE_RESULT is clear, 4 = is set, 15 = always; MI_SET_PREDICATE itself never does. */
bool cf_emu_command_goes(cf_emu_stream *stream, const cf_emu_command *command)
{
    uint32_t result = 0;
    if (command->run == cf_emu_mi_set_predicate)
        return true;
    switch (stream->predicate) {
    case 1:
    case 2:
        if (cf_emu_register_read(stream, PREDICATE_RESULT_2, &result) != CF_EMU_NEXT)
            return true;
        return (result & 1) == (stream->predicate == 1);
    case 3:
    case 4:
        if (cf_emu_register_read(stream, PREDICATE_RESULT, &result) != CF_EMU_NEXT)
            return true;
        return (result & 1) == (stream->predicate == 3);
    default:
        return false;
    }
}

cf_emu_step cf_emu_command_predicate(cf_emu_stream *stream, bool *ret_goes)
{
    uint32_t result;
    const cf_emu_step step = cf_emu_register_read(stream, PREDICATE_RESULT, &result);
    if (step == CF_EMU_NEXT)
        *ret_goes = result & 1;
    return step;
}
