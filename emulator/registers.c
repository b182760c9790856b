/* Registers of a command streamer, by their offset in its range of 4 KiB: a driver names them by the engine's own
   addresses or by those of the render engine, which the hardware moves to the engine's (NEO, RegisterOffsets and the
   bits "AddCsMmioStartOffset" and "MmioRemapEnable"; PRM 2c). */
#include "emulator/stream.h"

#define RANGE        0xfffu
#define GENERAL      0x600u /* sixteen of 8 bytes: CS_GPR */
#define GENERAL_END  0x680u
#define TIME         0x358u /* TIMESTAMP */
#define TIME_HIGH    0x35cu
#define CONTEXT      0x3a8u /* CTX_TIMESTAMP: here the same clock, as one context has the engine all the time */
#define CONTEXT_HIGH 0x3acu

bool cf_emu_register_is_time(uint32_t offset)
{
    offset &= RANGE;
    return offset == TIME || offset == TIME_HIGH || offset == CONTEXT || offset == CONTEXT_HIGH;
}

static cf_emu_register *find(cf_emu_stream *stream, uint32_t offset)
{
    for (size_t i = 0; i < stream->register_count; i++)
        if (stream->registers[i].offset == offset)
            return &stream->registers[i];
    return NULL;
}

void cf_emu_register_write(cf_emu_stream *stream, uint32_t offset, uint32_t value)
{
    const uint32_t own = offset & RANGE;
    if (own >= GENERAL && own < GENERAL_END) {
        uint64_t *wide = &stream->registers64[(own - GENERAL) / 8];
        *wide = own & 4 ? (*wide & 0xffffffffu) | (uint64_t)value << 32 : (*wide & ~0xffffffffull) | value;
        return;
    }
    cf_emu_register *one = find(stream, own);
    if (!one && stream->register_count < CF_EMU_REGISTERS)
        one = &stream->registers[stream->register_count++];
    if (one)
        *one = (cf_emu_register){.offset = own, .value = value};
}

cf_emu_step cf_emu_register_read(cf_emu_stream *stream, uint32_t offset, uint32_t *ret_value)
{
    const uint32_t own = offset & RANGE;
    if (cf_emu_register_is_time(own)) {
        const uint64_t time = cf_emu_device_timestamp(stream->device, stream->now_ns);
        *ret_value = (uint32_t)(own & 4 ? time >> 32 : time);
        return CF_EMU_NEXT;
    }
    if (own >= GENERAL && own < GENERAL_END) {
        *ret_value = (uint32_t)(stream->registers64[(own - GENERAL) / 8] >> (own & 4 ? 32 : 0));
        return CF_EMU_NEXT;
    }
    const cf_emu_register *one = find(stream, own);
    if (!one)
        return cf_emu_stream_fail(stream, "register 0x%x is read, which nobody wrote and which is not known", offset);
    *ret_value = one->value;
    return CF_EMU_NEXT;
}
