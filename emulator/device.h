/* One emulated GPU: its engines, and what the engines write into memory. One for each process. */
#ifndef CF_EMULATOR_DEVICE_H
#define CF_EMULATOR_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/emulator_spans.h"
#include "emulator/clock.h"
#include "emulator/memory.h"
#include "emulator/model.h"
#include "emulator/space.h"

typedef enum cf_emu_class { CF_EMU_RENDER, CF_EMU_COPY, CF_EMU_COMPUTE } cf_emu_class;

typedef struct cf_emu_engine {
    cf_emu_class engine_class;
    unsigned instance;
    char name[16]; /* "ccs0" */
    pthread_mutex_t mutex;
    uint64_t busy_until_ns; /* by the model's schedule */
    uint64_t last_id;       /* command that it is busy with until then */
} cf_emu_engine;
#define CF_EMU_ENGINES 16u

/* What the device wrote last, so that who waits for it learns when, by the model's schedule, it was written. */
typedef struct cf_emu_written {
    const uint8_t *host;
    uint64_t value, at_ns, id;
} cf_emu_written;
#define CF_EMU_WRITTEN 1024u /* power of two */

typedef struct cf_emu_spans {
    atomic_bool keeping;
    pthread_mutex_t mutex;
    cf_emulator_span *items; /* NULL until something is kept */
    size_t count;
    uint64_t lost;
} cf_emu_spans;

typedef struct cf_emu_device {
    cf_emu_model model;
    cf_emu_clock clock;
    cf_emu_memory memory;
    cf_emu_engine engines[CF_EMU_ENGINES];
    size_t engine_count;
    pthread_mutex_t written_mutex;
    cf_emu_written written[CF_EMU_WRITTEN];
    uint64_t written_count;
    atomic_uint_fast64_t last_id; /* of the commands met so far */
    atomic_uint_fast64_t late_ns;
    cf_emu_spans spans;
    pthread_mutex_t failure_mutex;
    uint64_t failure_count;
    char failure[320];                    /* the first */
    void (*on_failure)(const char *text); /* NULL = nobody is told */
    void (*on_command)(const char *text); /* each command as it is met; NULL = nobody is told */
    void (*on_kernel)(void);              /* each kernel without a trip count: it would have computed something */
} cf_emu_device;

/* 0 or a positive errno. pool_bytes: size of the memory file, in which all buffers have to find room. */
int cf_emu_device_open(cf_emu_device *device, const cf_emu_model *model, uint64_t pool_bytes);
void cf_emu_device_close(cf_emu_device *device);
cf_emu_engine *cf_emu_device_engine(cf_emu_device *device, unsigned engine_class, unsigned instance); /* NULL: none */
uint64_t cf_emu_device_timestamp(const cf_emu_device *device, uint64_t at_ns); /* ticks of the engines' clock */

/* Work of duration_ns that may begin at at_ns: when it begins by the model, and the command that kept it (0: none did).
 */
uint64_t cf_emu_engine_reserve(cf_emu_engine *engine, uint64_t at_ns, uint64_t duration_ns, uint64_t id, bool shared,
                               uint64_t *ret_kept_by);

/* Stores 4 or 8 bytes at host, as of at_ns. Atomic. */
void cf_emu_device_store(cf_emu_device *device, uint8_t *host, uint64_t value, unsigned bytes, uint64_t at_ns,
                         uint64_t id);
/* Stores 8 bytes at host and 8 behind them at once: nobody sees one without the other. host: aligned to 16 bytes. */
void cf_emu_device_store_both(cf_emu_device *device, uint8_t *host, const uint64_t values[2], uint64_t at_ns,
                              uint64_t id);
typedef enum cf_emu_atomic { CF_EMU_MOVE, CF_EMU_ADD, CF_EMU_SWAP_IF } cf_emu_atomic;
/* One atomic change of 4 or 8 bytes; SWAP_IF: to value, where it is compared. */
void cf_emu_device_change(cf_emu_device *device, uint8_t *host, cf_emu_atomic how, uint64_t value, uint64_t compared,
                          unsigned bytes, uint64_t at_ns, uint64_t id);
#define CF_EMU_AT_LEAST 1u /* operations up to here (greater, greater or equal) are tests of a counter */
/* When what lies at host (4 bytes) came to satisfy test(value, data), if the device wrote it; false where it was not
   the device. */
bool cf_emu_device_written(cf_emu_device *device, const uint8_t *host, bool (*test)(unsigned, uint64_t, uint64_t),
                           unsigned operation, uint64_t data, uint64_t *ret_at_ns, uint64_t *ret_id);

void cf_emu_device_forget(cf_emu_device *device, const uint8_t *host, uint64_t size_bytes); /* the memory is freed */

void cf_emu_device_fail(cf_emu_device *device, const char *text);

int cf_emu_spans_begin(cf_emu_spans *spans);
void cf_emu_spans_add(cf_emu_spans *spans, const cf_emulator_span *span);
size_t cf_emu_spans_read(cf_emu_spans *spans, cf_emulator_span *ret_spans, size_t count);
void cf_emu_spans_end(cf_emu_spans *spans);

#endif
