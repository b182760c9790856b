/* The emulated GPU's interpreter: any bytes as a command buffer, on an engine that the first byte chooses. What it
   refuses it has to name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/stream.h"

#define CODE  0x10000ull
#define DATA  0x20000ull
#define BYTES 0x8000u

static cf_emu_device device;
static cf_emu_space space;
static uint8_t *memory; /* the command buffer, then data */

static void begin(void)
{
    cf_emu_model model;
    cf_emu_model_standard(&model);
    memory = calloc(2, BYTES);
    if (!memory || cf_emu_device_open(&device, &model, 1u << 20) != 0)
        abort();
    device.clock.virtual_time = true;
    cf_emu_space_open(&space, 1);
    if (cf_emu_space_bind(&space, CODE, BYTES, memory) != 0 ||
        cf_emu_space_bind(&space, DATA, BYTES, memory + BYTES) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cf_emu_stream stream;
    if (!memory)
        begin();
    if (size < 1)
        return 0;
    const size_t bytes = size - 1 < BYTES ? size - 1 : BYTES;
    memset(memory, 0, 2 * (size_t)BYTES);
    memcpy(memory, data + 1, bytes);
    cf_emu_stream_open(&stream, &device, &space, cf_emu_device_engine(&device, data[0] % 3, 0), 1);
    stream.limit = 2000;
    const cf_emu_step step = cf_emu_stream_run(&stream, CODE, device.clock.virtual_ns);
    if (step != CF_EMU_ENDED && step != CF_EMU_FAILED && step != CF_EMU_STOPPED)
        abort();
    if (step == CF_EMU_FAILED && !stream.failure[0])
        abort();
    return 0;
}
