/* The copy engine's commands. Bytes are moved when the command is met; when it ends, the model says. */
#include "emulator/command.h"

typedef struct area {
    uint64_t address, pitch_bytes;
} area;

static cf_emu_step start(cf_emu_stream *stream, const cf_emu_command *command, cf_emu_work *work, uint64_t bytes)
{
    const cf_emu_model *model = &stream->device->model;
    const bool copies = work->span.reads_bytes != 0;
    const uint64_t rate = copies ? model->copy_rate : model->fill_rate;
    const uint64_t base_ns = copies ? model->copy_base_ns : model->fill_base_ns;
    (void)command;
    work->span.writes_bytes = bytes;
    return cf_emu_stream_start(stream, work, base_ns + (uint64_t)((double)bytes * 1e9 / (double)rate), false);
}

static cf_emu_step copy(cf_emu_stream *stream, const cf_emu_command *command, area to, area from, uint64_t row_bytes,
                        uint64_t rows)
{
    uint64_t fault;
    cf_emu_work work = {.span = cf_emu_stream_span(stream, command->name, CF_EMULATOR_COPY)};
    const cf_emu_step step = cf_emu_stream_pace(stream);
    if (step != CF_EMU_NEXT)
        return step;
    for (uint64_t row = 0; row < rows; row++)
        if (!cf_emu_space_copy(stream->space, to.address + row * to.pitch_bytes, from.address + row * from.pitch_bytes,
                               row_bytes, &fault))
            return cf_emu_stream_fail(stream, "%s at 0x%llx, where nothing is bound", command->name,
                                      (unsigned long long)fault);
    work.span.writes = to.address;
    work.span.reads = from.address;
    work.span.reads_bytes = row_bytes * rows;
    return start(stream, command, &work, row_bytes * rows);
}

static cf_emu_step fill(cf_emu_stream *stream, const cf_emu_command *command, area to, uint64_t row_bytes,
                        uint64_t rows, const void *pattern, uint64_t pattern_bytes)
{
    uint64_t fault;
    cf_emu_work work = {.span = cf_emu_stream_span(stream, command->name, CF_EMULATOR_OTHER)};
    const cf_emu_step step = cf_emu_stream_pace(stream);
    if (step != CF_EMU_NEXT)
        return step;
    for (uint64_t row = 0; row < rows; row++)
        if (!cf_emu_space_fill(stream->space, to.address + row * to.pitch_bytes, row_bytes, pattern, pattern_bytes,
                               &fault))
            return cf_emu_stream_fail(stream, "%s at 0x%llx, where nothing is bound", command->name,
                                      (unsigned long long)fault);
    work.span.writes = to.address;
    return start(stream, command, &work, row_bytes * rows);
}

/* Widths, heights and pitches are one less than what is meant. A linear copy has no height. */
cf_emu_step cf_emu_mem_copy(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words, uint32_t count)
{
    (void)count;
    const unsigned type = cf_emu_bits(words[0], 17, 18);
    if (cf_emu_bits(words[0], 19, 19) || type > 1)
        return cf_emu_refuse(stream, command, words[0], "a mode of copying");
    const area from = {.address = cf_emu_wide(words + 5), .pitch_bytes = cf_emu_bits(words[3], 0, 17) + 1ull};
    const area to = {.address = cf_emu_wide(words + 7), .pitch_bytes = cf_emu_bits(words[4], 0, 17) + 1ull};
    return copy(stream, command, to, from, cf_emu_bits(words[1], 0, 23) + 1ull,
                type ? cf_emu_bits(words[2], 0, 17) + 1ull : 1);
}

cf_emu_step cf_emu_mem_set(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words, uint32_t count)
{
    (void)count;
    const unsigned type = cf_emu_bits(words[0], 17, 18);
    if (cf_emu_bits(words[0], 19, 20) || type > 1)
        return cf_emu_refuse(stream, command, words[0], "a mode of filling");
    const area to = {.address = cf_emu_wide(words + 4), .pitch_bytes = cf_emu_bits(words[3], 0, 17) + 1ull};
    const uint8_t value = (uint8_t)cf_emu_bits(words[6], 24, 31);
    return fill(stream, command, to, cf_emu_bits(words[1], 0, 23) + 1ull,
                type ? cf_emu_bits(words[2], 0, 17) + 1ull : 1, &value, 1);
}

/* Bytes of a pixel by ColorDepth; 0 = no such depth. */
static uint64_t pixel_bytes(uint32_t word)
{
    static const uint8_t bytes[8] = {1, 2, 4, 8, 12, 16, 0, 0};
    return bytes[cf_emu_bits(word, 19, 21)];
}

static uint64_t x_of(uint32_t word)
{
    return cf_emu_bits(word, 0, 15);
}

static uint64_t y_of(uint32_t word)
{
    return cf_emu_bits(word, 16, 31);
}

/* A surface's corner. Pitches of linear surfaces are in bytes. */
static area corner(uint64_t base, uint32_t pitch_word, uint32_t corner_word, uint64_t depth_bytes)
{
    const uint64_t pitch_bytes = cf_emu_bits(pitch_word, 0, 17) + 1ull;
    return (area){.address = base + x_of(corner_word) * depth_bytes + y_of(corner_word) * pitch_bytes,
                  .pitch_bytes = pitch_bytes};
}

#define TILING(word) cf_emu_bits(word, 30, 31)

cf_emu_step cf_emu_block_copy(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words,
                              uint32_t count)
{
    (void)count;
    const uint64_t depth_bytes = pixel_bytes(words[0]);
    if (!depth_bytes || x_of(words[3]) <= x_of(words[2]) || y_of(words[3]) <= y_of(words[2]))
        return cf_emu_refuse(stream, command, words[0], "an empty area or a colour depth");
    if (TILING(words[1]) || TILING(words[8]) || cf_emu_bits(words[0], 9, 13))
        return cf_emu_refuse(stream, command, words[0], "a tiled or multisampled surface");
    if ((words[6] & 0x3fff3fffu) || (words[11] & 0x3fff3fffu))
        return cf_emu_refuse(stream, command, words[0], "an offset of a surface");
    return copy(stream, command, corner(cf_emu_wide(words + 4), words[1], words[2], depth_bytes),
                corner(cf_emu_wide(words + 9), words[8], words[7], depth_bytes),
                (x_of(words[3]) - x_of(words[2])) * depth_bytes, y_of(words[3]) - y_of(words[2]));
}

cf_emu_step cf_emu_fast_color(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words,
                              uint32_t count)
{
    (void)count;
    const uint64_t depth_bytes = pixel_bytes(words[0]);
    if (!depth_bytes || x_of(words[3]) <= x_of(words[2]) || y_of(words[3]) <= y_of(words[2]))
        return cf_emu_refuse(stream, command, words[0], "an empty area or a colour depth");
    if (TILING(words[1]) || cf_emu_bits(words[0], 9, 13) || (words[6] & 0x3fff3fffu))
        return cf_emu_refuse(stream, command, words[0], "a tiled or multisampled surface");
    return fill(stream, command, corner(cf_emu_wide(words + 4), words[1], words[2], depth_bytes),
                (x_of(words[3]) - x_of(words[2])) * depth_bytes, y_of(words[3]) - y_of(words[2]), words + 7,
                depth_bytes);
}
