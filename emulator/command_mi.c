/* MI_ commands: the streamer's own. */
#include "emulator/command.h"

cf_emu_step cf_emu_refuse(cf_emu_stream *stream, const cf_emu_command *command, uint32_t word, const char *what)
{
    return cf_emu_stream_fail(stream, "%s (dword 0x%08x) with %s, which is not known", command->name, word, what);
}

cf_emu_step cf_emu_mi_batch_end(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words,
                                uint32_t count)
{
    (void)count;
    if (cf_emu_bits(words[0], 15, 15))
        return cf_emu_refuse(stream, command, words[0], "a predicate");
    if (!stream->depth)
        return CF_EMU_ENDED;
    stream->pc = stream->returns[--stream->depth];
    return CF_EMU_JUMPED;
}

cf_emu_step cf_emu_mi_batch_start(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words,
                                  uint32_t count)
{
    if (cf_emu_bits(words[0], 18, 18))
        return cf_emu_refuse(stream, command, words[0], "an indirect address");
    if (cf_emu_bits(words[0], 22, 22)) { /* a batch of the next level, which returns */
        if (stream->depth == sizeof stream->returns / sizeof *stream->returns)
            return cf_emu_refuse(stream, command, words[0], "more levels than there are");
        stream->returns[stream->depth++] = stream->pc + count * 4ull;
    }
    stream->pc = cf_emu_wide(words + 1) & ~3ull;
    return CF_EMU_JUMPED;
}

cf_emu_step cf_emu_mi_set_predicate(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words,
                                    uint32_t count)
{
    (void)count;
    const uint32_t wanted = cf_emu_bits(words[0], 0, 3);
    if (cf_emu_bits(words[0], 4, 5) || (wanted > 4 && wanted != 15))
        return cf_emu_refuse(stream, command, words[0], "a condition");
    stream->predicate = wanted;
    return CF_EMU_NEXT;
}

/* Fences order accesses to memory; here they are made in order anyway. */
cf_emu_step cf_emu_mi_fence(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words, uint32_t count)
{
    (void)count;
    return cf_emu_bits(words[0], 17, 22) ? cf_emu_refuse(stream, command, words[0], "a sub-opcode") : CF_EMU_NEXT;
}

cf_emu_step cf_emu_mi_semaphore(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words,
                                uint32_t count)
{
    (void)count;
    const uint64_t address = cf_emu_wide(words + 2) & ~3ull;
    const unsigned operation = cf_emu_bits(words[0], 12, 14);
    uint32_t data = words[1];
    if (cf_emu_bits(words[0], 16, 16))
        return cf_emu_refuse(stream, command, words[0], "polling of a register");
    if (operation > 5)
        return cf_emu_refuse(stream, command, words[0], "a comparison");
    if (cf_emu_bits(words[0], 17, 17)) /* the data comes from the first general register */
        data = (uint32_t)stream->registers64[0];
    cf_emulator_span span = cf_emu_stream_span(stream, command->name, CF_EMULATOR_WAIT);
    span.reads = address;
    span.reads_bytes = 4;
    const cf_emu_step step = cf_emu_stream_wait(stream, address, operation, data);
    if (step != CF_EMU_NEXT || stream->now_ns == span.begin_ns || !stream->cause)
        return step;
    span.end_ns = stream->now_ns;
    span.waits_for = stream->cause;
    stream->cause = span.id;
    cf_emu_spans_add(&stream->device->spans, &span);
    return CF_EMU_NEXT;
}

cf_emu_step cf_emu_mi_store(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words, uint32_t count)
{
    const bool wide = cf_emu_bits(words[0], 21, 21);
    if (count != (wide ? 5u : 4u))
        return cf_emu_refuse(stream, command, words[0], "a length");
    if (cf_emu_bits(words[0], 22, 22))
        return cf_emu_refuse(stream, command, words[0], "the global address space");
    const uint64_t address = cf_emu_wide(words + 1) & ~3ull;
    cf_emulator_span span = cf_emu_stream_span(stream, command->name, CF_EMULATOR_OTHER);
    span.writes = address;
    span.writes_bytes = wide ? 8 : 4;
    const cf_emu_step step = wide ? cf_emu_stream_store(stream, address, cf_emu_wide(words + 3), 8, span.id)
                                  : cf_emu_stream_store(stream, address, words[3], 4, span.id);
    if (step == CF_EMU_NEXT)
        cf_emu_spans_add(&stream->device->spans, &span);
    return step;
}

cf_emu_step cf_emu_mi_load_imm(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words,
                               uint32_t count)
{
    if (count % 2 == 0)
        return cf_emu_refuse(stream, command, words[0], "a length");
    for (uint32_t i = 1; i + 1 < count; i += 2)
        cf_emu_register_write(stream, words[i], words[i + 1]);
    return CF_EMU_NEXT;
}

/* Whether the next command stores the upper half of the register, right behind the lower. Who waits for the lower half
   reads both. On hardware nanoseconds lie in between; here a machine that holds the thread up makes any time of it. */
static bool upper_half_follows(const cf_emu_stream *stream, const uint32_t *words, uint64_t address)
{
    uint32_t next[4];
    uint64_t fault;
    return address && address % 8 == 0 && words[1] % 8 == 0 &&
           cf_emu_space_read(stream->space, stream->pc + sizeof next, next, sizeof next, &fault) &&
           next[0] == words[0] && next[1] == words[1] + 4 && cf_emu_wide(next + 2) == cf_emu_wide(words + 2) + 4;
}

static cf_emu_step store_register(cf_emu_stream *stream, const uint32_t *words, uint64_t address, uint64_t id)
{
    uint32_t value;
    const uint64_t half_address = stream->half_address;
    const cf_emu_step step = cf_emu_register_read(stream, words[1], &value);
    if (step != CF_EMU_NEXT)
        return step;
    stream->half_address = 0;
    if (half_address && half_address + 4 == address)
        return cf_emu_stream_store(stream, half_address, (uint64_t)value << 32 | stream->half, 8, id);
    if (!upper_half_follows(stream, words, address))
        return cf_emu_stream_store(stream, address, value, 4, id);
    stream->half_address = address;
    stream->half = value;
    return CF_EMU_NEXT;
}

cf_emu_step cf_emu_mi_store_register(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words,
                                     uint32_t count)
{
    (void)count;
    if (cf_emu_bits(words[0], 21, 21))
        return cf_emu_refuse(stream, command, words[0], "a predicate");
    const uint64_t address = cf_emu_wide(words + 2) & ~3ull;
    const bool is_time = cf_emu_register_is_time(words[1]);
    cf_emulator_span span = cf_emu_stream_span(stream, command->name, is_time ? CF_EMULATOR_STAMP : CF_EMULATOR_OTHER);
    span.writes = address;
    span.writes_bytes = 4;
    const cf_emu_step step = store_register(stream, words, address, span.id);
    if (step == CF_EMU_NEXT && is_time)
        cf_emu_spans_add(&stream->device->spans, &span);
    return step;
}

cf_emu_step cf_emu_mi_load_memory(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words,
                                  uint32_t count)
{
    (void)command, (void)count;
    uint64_t value;
    const cf_emu_step step = cf_emu_stream_load(stream, cf_emu_wide(words + 2) & ~3ull, 4, &value);
    if (step == CF_EMU_NEXT)
        cf_emu_register_write(stream, words[1], (uint32_t)value);
    return step;
}

cf_emu_step cf_emu_mi_load_register(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words,
                                    uint32_t count)
{
    (void)command, (void)count;
    uint32_t value;
    const cf_emu_step step = cf_emu_register_read(stream, words[1], &value);
    if (step == CF_EMU_NEXT)
        cf_emu_register_write(stream, words[2], value);
    return step;
}

/* The post-sync write of a flush: 1 = 8 bytes of data, 3 = the time. */
cf_emu_step cf_emu_mi_flush(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words, uint32_t count)
{
    (void)count;
    const unsigned post = cf_emu_bits(words[0], 14, 15);
    const uint64_t address = cf_emu_wide(words + 1) & CF_EMU_ADDRESS_MASK & ~7ull;
    if (post == 2 || cf_emu_bits(words[0], 21, 21) || (post && cf_emu_bits(words[1], 2, 2)))
        return cf_emu_refuse(stream, command, words[0], "a post-sync operation");
    cf_emulator_span span =
        cf_emu_stream_span(stream, command->name, post == 3 ? CF_EMULATOR_STAMP : CF_EMULATOR_OTHER);
    cf_emu_step step = stream->device->model.wait_flush ? cf_emu_stream_drain(stream) : CF_EMU_NEXT;
    if (step != CF_EMU_NEXT)
        return step;
    span.end_ns = stream->now_ns;
    span.waits_for = stream->cause;
    stream->cause = span.id;
    if (post) {
        span.writes = address;
        span.writes_bytes = 8;
        const uint64_t stamp = cf_emu_device_timestamp(stream->device, stream->now_ns);
        step = cf_emu_stream_store(stream, address, post == 3 ? stamp : cf_emu_wide(words + 3), 8, span.id);
    }
    if (step == CF_EMU_NEXT)
        cf_emu_spans_add(&stream->device->spans, &span);
    return step;
}
