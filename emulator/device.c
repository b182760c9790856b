#include "emulator/device.h"

#include <stdio.h>
#include <string.h>

static void add_engines(cf_emu_device *device, cf_emu_class engine_class, const char *name, uint64_t count)
{
    for (unsigned i = 0; i < count && device->engine_count < CF_EMU_ENGINES; i++) {
        cf_emu_engine *engine = &device->engines[device->engine_count++];
        *engine = (cf_emu_engine){.engine_class = engine_class, .instance = i};
        snprintf(engine->name, sizeof engine->name, "%s%u", name, i);
        pthread_mutex_init(&engine->mutex, NULL);
    }
}

int cf_emu_device_open(cf_emu_device *device, const cf_emu_model *model, uint64_t pool_bytes)
{
    memset(device, 0, sizeof *device);
    device->model = *model;
    const int failure = cf_emu_memory_open(&device->memory, pool_bytes, model->memory_bytes);
    if (failure)
        return failure;
    add_engines(device, CF_EMU_RENDER, "rcs", 1);
    add_engines(device, CF_EMU_COPY, "bcs", model->copy_engines);
    add_engines(device, CF_EMU_COMPUTE, "ccs", model->compute_engines);
    pthread_mutex_init(&device->written_mutex, NULL);
    pthread_mutex_init(&device->spans.mutex, NULL);
    pthread_mutex_init(&device->failure_mutex, NULL);
    return 0;
}

void cf_emu_device_close(cf_emu_device *device)
{
    cf_emu_spans_end(&device->spans);
    cf_emu_memory_close(&device->memory);
    for (size_t i = 0; i < device->engine_count; i++)
        pthread_mutex_destroy(&device->engines[i].mutex);
    pthread_mutex_destroy(&device->written_mutex);
    pthread_mutex_destroy(&device->spans.mutex);
    pthread_mutex_destroy(&device->failure_mutex);
}

cf_emu_engine *cf_emu_device_engine(cf_emu_device *device, unsigned engine_class, unsigned instance)
{
    for (size_t i = 0; i < device->engine_count; i++)
        if (device->engines[i].engine_class == engine_class && device->engines[i].instance == instance)
            return &device->engines[i];
    return NULL;
}

uint64_t cf_emu_device_timestamp(const cf_emu_device *device, uint64_t at_ns)
{
    const uint64_t hz = device->model.timestamp_hz, second_ns = 1000000000ull;
    return at_ns / second_ns * hz + at_ns % second_ns * hz / second_ns;
}

uint64_t cf_emu_engine_reserve(cf_emu_engine *engine, uint64_t at_ns, uint64_t duration_ns, uint64_t id, bool shared,
                               uint64_t *ret_kept_by)
{
    pthread_mutex_lock(&engine->mutex);
    const bool kept = !shared && engine->busy_until_ns > at_ns;
    const uint64_t begin_ns = kept ? engine->busy_until_ns : at_ns;
    *ret_kept_by = kept ? engine->last_id : 0;
    if (begin_ns + duration_ns > engine->busy_until_ns) {
        engine->busy_until_ns = begin_ns + duration_ns;
        engine->last_id = id;
    }
    pthread_mutex_unlock(&engine->mutex);
    return begin_ns;
}

static void note(cf_emu_device *device, const uint8_t *host, uint64_t value, uint64_t at_ns, uint64_t id)
{
    device->written[device->written_count++ % CF_EMU_WRITTEN] =
        (cf_emu_written){.host = host, .value = value, .at_ns = at_ns, .id = id};
}

void cf_emu_device_store(cf_emu_device *device, uint8_t *host, uint64_t value, unsigned bytes, uint64_t at_ns,
                         uint64_t id)
{
    pthread_mutex_lock(&device->written_mutex);
    note(device, host, value, at_ns, id);
    if (bytes == 8)
        __atomic_store_n((uint64_t *)(void *)host, value, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n((uint32_t *)(void *)host, (uint32_t)value, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&device->written_mutex);
    cf_emu_clock_changed(&device->clock);
}

/* One instruction (cmake/emulator.cmake asks for it): what libatomic does may be a lock, which no driver takes. */
static void store_16(uint8_t *host, const uint64_t values[2])
{
    __extension__ typedef unsigned __int128 word;
    word *to = (word *)(void *)host;
    const word now = (word)values[1] << 64 | values[0];
    word old = __sync_val_compare_and_swap(to, now, now), seen;
    while ((seen = __sync_val_compare_and_swap(to, old, now)) != old)
        old = seen;
}

void cf_emu_device_store_both(cf_emu_device *device, uint8_t *host, const uint64_t values[2], uint64_t at_ns,
                              uint64_t id)
{
    pthread_mutex_lock(&device->written_mutex);
    note(device, host, values[0], at_ns, id);
    note(device, host + 8, values[1], at_ns, id);
    store_16(host, values);
    pthread_mutex_unlock(&device->written_mutex);
    cf_emu_clock_changed(&device->clock);
}

static uint64_t changed(cf_emu_atomic how, uint64_t old, uint64_t value, uint64_t compared)
{
    return how == CF_EMU_MOVE ? value : how == CF_EMU_ADD ? old + value : old == compared ? value : old;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): it is written, atomically */
static uint64_t change_4(uint32_t *host, cf_emu_atomic how, uint64_t value, uint64_t compared)
{
    uint32_t old = __atomic_load_n(host, __ATOMIC_SEQ_CST), now;
    do
        now = (uint32_t)changed(how, old, value, (uint32_t)compared);
    while (!__atomic_compare_exchange_n(host, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return now;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): it is written, atomically */
static uint64_t change_8(uint64_t *host, cf_emu_atomic how, uint64_t value, uint64_t compared)
{
    uint64_t old = __atomic_load_n(host, __ATOMIC_SEQ_CST), now;
    do
        now = changed(how, old, value, compared);
    while (!__atomic_compare_exchange_n(host, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return now;
}

/* The host may change the same word, so holding the mutex alone is not enough. */
void cf_emu_device_change(cf_emu_device *device, uint8_t *host, cf_emu_atomic how, uint64_t value, uint64_t compared,
                          unsigned bytes, uint64_t at_ns, uint64_t id)
{
    pthread_mutex_lock(&device->written_mutex);
    const uint64_t now = bytes == 8 ? change_8((uint64_t *)(void *)host, how, value, compared)
                                    : change_4((uint32_t *)(void *)host, how, value, compared);
    note(device, host, now, at_ns, id);
    pthread_mutex_unlock(&device->written_mutex);
    cf_emu_clock_changed(&device->clock);
}

/* The newest write says whether it was the device that wrote last. Of a counter, which only rises, older writes say
   since when the test has held; anything else may have been reset by the host in between, which nobody saw. */
bool cf_emu_device_written(cf_emu_device *device, const uint8_t *host, bool (*test)(unsigned, uint64_t, uint64_t),
                           unsigned operation, uint64_t data, uint64_t *ret_at_ns, uint64_t *ret_id)
{
    const bool counts = operation <= CF_EMU_AT_LEAST;
    uint64_t newer = UINT64_MAX;
    bool found = false;
    pthread_mutex_lock(&device->written_mutex);
    const uint32_t now = __atomic_load_n((const uint32_t *)(const void *)host, __ATOMIC_SEQ_CST);
    const uint64_t kept = device->written_count < CF_EMU_WRITTEN ? device->written_count : CF_EMU_WRITTEN;
    for (uint64_t back = 1; back <= kept && (counts || !found); back++) {
        const cf_emu_written *one = &device->written[(device->written_count - back) % CF_EMU_WRITTEN];
        const uint64_t value = (uint32_t)one->value;
        if (one->host != host)
            continue;
        if ((!found && value != now) || value > newer || !test(operation, value, data))
            break;
        found = true;
        newer = value;
        *ret_at_ns = one->at_ns;
        *ret_id = one->id;
    }
    pthread_mutex_unlock(&device->written_mutex);
    return found;
}

void cf_emu_device_forget(cf_emu_device *device, const uint8_t *host, uint64_t size_bytes)
{
    pthread_mutex_lock(&device->written_mutex);
    for (size_t i = 0; i < CF_EMU_WRITTEN; i++)
        if (device->written[i].host >= host && device->written[i].host < host + size_bytes)
            device->written[i].host = NULL;
    pthread_mutex_unlock(&device->written_mutex);
}

void cf_emu_device_fail(cf_emu_device *device, const char *text)
{
    pthread_mutex_lock(&device->failure_mutex);
    if (device->failure_count++ == 0)
        snprintf(device->failure, sizeof device->failure, "%s", text);
    pthread_mutex_unlock(&device->failure_mutex);
    if (device->on_failure)
        device->on_failure(text);
}
