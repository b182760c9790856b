/* MI_MATH, a small program over the streamer's registers, and MI_ATOMIC. */
#include "emulator/command.h"

/* PRM 2a, "MI_MATH": each dword is an operation (31:20) on two operands (19:10, 9:0). */
enum {
    ALU_NOOP = 0x000,
    ALU_FENCE_READ = 0x001,
    ALU_FENCE_WRITE = 0x002,
    ALU_LOAD = 0x080,
    ALU_LOAD_ZERO = 0x081,
    ALU_LOAD_INVERTED = 0x480,
    ALU_LOAD_ONES = 0x481,
    ALU_ADD = 0x100,
    ALU_SUB = 0x101,
    ALU_AND = 0x102,
    ALU_OR = 0x103,
    ALU_XOR = 0x104,
    ALU_SHIFT_LEFT = 0x105,
    ALU_SHIFT_RIGHT = 0x106,
    ALU_STORE = 0x180,
    ALU_STORE_INVERTED = 0x580,
    ALU_SOURCE_A = 0x20,
    ALU_SOURCE_B = 0x21,
    ALU_RESULT = 0x31,
    ALU_ZERO_FLAG = 0x32,
    ALU_CARRY_FLAG = 0x33
};

typedef struct alu {
    uint64_t a, b, result;
    bool zero, carry;
} alu;

static bool source(const cf_emu_stream *stream, const alu *state, unsigned operand, uint64_t *ret)
{
    if (operand < 16)
        *ret = stream->registers64[operand];
    else if (operand == ALU_RESULT)
        *ret = state->result;
    else if (operand == ALU_ZERO_FLAG)
        *ret = state->zero ? ~0ull : 0;
    else if (operand == ALU_CARRY_FLAG)
        *ret = state->carry ? ~0ull : 0;
    else
        return false;
    return true;
}

static bool load(const cf_emu_stream *stream, alu *state, unsigned operation, unsigned to, unsigned from)
{
    uint64_t value = 0;
    const bool takes = operation == ALU_LOAD || operation == ALU_LOAD_INVERTED;
    if ((to != ALU_SOURCE_A && to != ALU_SOURCE_B) || (takes && !source(stream, state, from, &value)))
        return false;
    if (operation == ALU_LOAD_INVERTED || operation == ALU_LOAD_ONES)
        value = ~value;
    *(to == ALU_SOURCE_A ? &state->a : &state->b) = value;
    return true;
}

static bool store(cf_emu_stream *stream, const alu *state, bool inverted, unsigned to, unsigned from)
{
    uint64_t value;
    if (to >= 16 || from < 16 || !source(stream, state, from, &value))
        return false;
    stream->registers64[to] = inverted ? ~value : value;
    return true;
}

static bool calculate(alu *state, unsigned operation)
{
    const uint64_t a = state->a, b = state->b;
    switch (operation) {
    case ALU_ADD:
        state->result = a + b;
        state->carry = state->result < a;
        break;
    case ALU_SUB:
        state->result = a - b;
        state->carry = a < b;
        break;
    case ALU_AND:
        state->result = a & b;
        break;
    case ALU_OR:
        state->result = a | b;
        break;
    case ALU_XOR:
        state->result = a ^ b;
        break;
    case ALU_SHIFT_LEFT:
        state->result = a << (b & 63);
        break;
    case ALU_SHIFT_RIGHT:
        state->result = a >> (b & 63);
        break;
    default:
        return false;
    }
    state->zero = state->result == 0;
    return true;
}

static bool run_alu(cf_emu_stream *stream, alu *state, uint32_t word)
{
    const unsigned operation = word >> 20, first = cf_emu_bits(word, 10, 19), second = cf_emu_bits(word, 0, 9);
    switch (operation) {
    case ALU_NOOP:
    case ALU_FENCE_READ:
    case ALU_FENCE_WRITE:
        return true;
    case ALU_LOAD:
    case ALU_LOAD_INVERTED:
    case ALU_LOAD_ZERO:
    case ALU_LOAD_ONES:
        return load(stream, state, operation, first, second);
    case ALU_STORE:
    case ALU_STORE_INVERTED:
        return store(stream, state, operation == ALU_STORE_INVERTED, first, second);
    default:
        return calculate(state, operation);
    }
}

cf_emu_step cf_emu_mi_math(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words, uint32_t count)
{
    alu state = {0};
    for (uint32_t i = 1; i < count; i++)
        if (!run_alu(stream, &state, words[i]))
            return cf_emu_refuse(stream, command, words[i], "an operation");
    return CF_EMU_NEXT;
}

/* NEO and PRM 2a, MI_ATOMIC: opcode in 15:8 (bit 5 = 8 bytes). Operands stand in the command (bit 18; the first in
   dwords 3 and 5, the second in 4 and 6) or, without that, in the first two general registers. */
enum { ATOMIC_MOVE = 4, ATOMIC_INCREMENT = 5, ATOMIC_DECREMENT = 6, ATOMIC_ADD = 7, ATOMIC_SWAP_IF = 0xe };

cf_emu_step cf_emu_mi_atomic(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words,
                             uint32_t count)
{
    const unsigned opcode = cf_emu_bits(words[0], 8, 15), bytes = opcode & 0x20 ? 8 : 4;
    const bool inside = cf_emu_bits(words[0], 18, 18);
    const uint64_t address = cf_emu_wide(words + 1) & ~3ull;
    if (cf_emu_bits(words[0], 16, 16) || cf_emu_bits(words[0], 22, 22) || (inside && count < 7))
        return cf_emu_refuse(stream, command, words[0], "a form");
    uint64_t first = inside ? words[3] | (uint64_t)words[5] << 32 : stream->registers64[0];
    const uint64_t second = inside ? words[4] | (uint64_t)words[6] << 32 : stream->registers64[1];
    cf_emulator_span span = cf_emu_stream_span(stream, command->name, CF_EMULATOR_OTHER);
    cf_emu_step step = cf_emu_bits(words[0], 17, 17) ? cf_emu_stream_drain(stream) : CF_EMU_NEXT;
    if (step != CF_EMU_NEXT)
        return step;
    cf_emu_atomic how = CF_EMU_ADD;
    switch (opcode & ~0x20u) {
    case ATOMIC_MOVE:
        how = CF_EMU_MOVE;
        break;
    case ATOMIC_INCREMENT:
        first = 1;
        break;
    case ATOMIC_DECREMENT:
        first = ~0ull;
        break;
    case ATOMIC_ADD:
        break;
    case ATOMIC_SWAP_IF:
        how = CF_EMU_SWAP_IF;
        break;
    default:
        return cf_emu_refuse(stream, command, words[0], "an operation");
    }
    /* Compared is the first operand, written the second. */
    step = how == CF_EMU_SWAP_IF ? cf_emu_stream_change(stream, address, how, second, first, bytes, span.id)
                                 : cf_emu_stream_change(stream, address, how, first, 0, bytes, span.id);
    span.begin_ns = span.end_ns = stream->now_ns;
    span.writes = address;
    span.writes_bytes = bytes;
    if (step == CF_EMU_NEXT)
        cf_emu_spans_add(&stream->device->spans, &span);
    return step;
}
