/* A device in virtual time with one stream, and a command buffer that a test writes byte by byte. */
#ifndef TESTS_EMULATOR_RIG_H
#define TESTS_EMULATOR_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/command.h"

#define CODE       0x10000ull        /* GPU address of the command buffer */
#define SECOND     0x18000ull        /* a second one */
#define DATA       0x20000ull        /* and of 64 KiB of data */
#define HIGH       0x800000000000ull /* general state, where payloads lie */
#define CODE_BYTES 0x8000u
#define DATA_BYTES 0x10000u

typedef struct rig {
    cf_emu_device device;
    cf_emu_space space;
    cf_emu_stream stream;
    uint32_t *code;
    size_t used; /* dwords */
    uint8_t *data, *high;
} rig;

static inline void rig_open(rig *r, unsigned engine_class)
{
    cf_emu_model model;
    memset(r, 0, sizeof *r);
    cf_emu_model_standard(&model);
    model.copy_rate = 4000000000; /* 4 bytes a ns */
    assert_int_equal(cf_emu_device_open(&r->device, &model, 1u << 20), 0);
    r->device.clock.virtual_time = true;
    r->device.clock.virtual_ns = 1000000;
    cf_emu_space_open(&r->space, 1);
    r->code = calloc(1, 2 * CODE_BYTES);
    r->data = calloc(1, DATA_BYTES);
    r->high = calloc(1, DATA_BYTES);
    assert_true(r->code && r->data && r->high);
    assert_int_equal(cf_emu_space_bind(&r->space, CODE, 2 * CODE_BYTES, (uint8_t *)r->code), 0);
    assert_int_equal(cf_emu_space_bind(&r->space, DATA, DATA_BYTES, r->data), 0);
    assert_int_equal(cf_emu_space_bind(&r->space, HIGH, DATA_BYTES, r->high), 0);
    cf_emu_stream_open(&r->stream, &r->device, &r->space, cf_emu_device_engine(&r->device, engine_class, 0), 7);
    assert_non_null(r->stream.engine);
    assert_int_equal(cf_emu_spans_begin(&r->device.spans), 0);
}

static inline void rig_close(rig *r)
{
    cf_emu_space_close(&r->space);
    cf_emu_device_close(&r->device);
    free(r->code);
    free(r->data);
    free(r->high);
}

/* Adds a command; its first dword has to be read as name. */
static inline void emit(rig *r, const char *name, size_t count, const uint32_t *words)
{
    const cf_emu_command *command = cf_emu_command_find(words[0]);
    assert_non_null(command);
    assert_string_equal(command->name, name);
    assert_int_equal(cf_emu_command_length(command, words[0]), count);
    memcpy(r->code + r->used, words, count * 4);
    r->used += count;
}
#define EMIT(r, name, ...) emit(r, name, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (const uint32_t[]){__VA_ARGS__})

#define END_WORD 0x05000000u /* MI_BATCH_BUFFER_END */

static inline void end_batch(rig *r)
{
    EMIT(r, "MI_BATCH_BUFFER_END", END_WORD);
}

/* Runs what was emitted, from the clock's now on, and begins anew. */
static inline cf_emu_step rig_run(rig *r)
{
    const cf_emu_step step = cf_emu_stream_run(&r->stream, CODE, cf_emu_clock_now(&r->device.clock));
    r->used = 0;
    return step;
}

static inline void rig_ends(rig *r)
{
    end_batch(r);
    if (rig_run(r) != CF_EMU_ENDED)
        fail_msg("%s", r->stream.failure);
}

/* The batch is refused, and says so with these words. */
static inline void rig_fails(rig *r, const char *words)
{
    end_batch(r);
    assert_int_equal(rig_run(r), CF_EMU_FAILED);
    if (!strstr(r->stream.failure, words))
        fail_msg("'%s' lacks '%s'", r->stream.failure, words);
}

static inline uint32_t low(uint64_t value)
{
    return (uint32_t)value;
}

static inline uint32_t high(uint64_t value)
{
    return (uint32_t)(value >> 32);
}

static inline uint32_t word_at(const rig *r, size_t offset)
{
    uint32_t value;
    memcpy(&value, r->data + offset, 4);
    return value;
}

static inline uint64_t wide_at(const rig *r, size_t offset)
{
    uint64_t value;
    memcpy(&value, r->data + offset, 8);
    return value;
}

/* When the device stored value at that place of the data, counted in writes: it did so once. */
static inline uint64_t write_of(const rig *r, size_t offset, uint64_t value)
{
    uint64_t found = UINT64_MAX;
    for (uint64_t i = 0; i < r->device.written_count; i++)
        if (r->device.written[i].host == r->data + offset) {
            assert_int_equal(found, UINT64_MAX);
            assert_int_equal(r->device.written[i].value, value);
            found = i;
        }
    assert_int_not_equal(found, UINT64_MAX);
    return found;
}

/* The only span with that command. */
static inline cf_emulator_span span_of(rig *r, const char *command)
{
    static cf_emulator_span spans[512];
    const cf_emulator_span *found = NULL;
    const size_t count = cf_emu_spans_read(&r->device.spans, spans, 512);
    for (size_t i = 0; i < count && i < 512; i++)
        if (strcmp(spans[i].command, command) == 0) {
            assert_null(found);
            found = &spans[i];
        }
    assert_non_null(found);
    return *found;
}

#endif
