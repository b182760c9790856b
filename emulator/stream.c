#include "emulator/stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emulator/command.h"

void cf_emu_stream_open(cf_emu_stream *stream, cf_emu_device *device, cf_emu_space *space, cf_emu_engine *engine,
                        uint32_t queue)
{
    memset(stream, 0, sizeof *stream);
    stream->device = device;
    stream->space = space;
    stream->engine = engine;
    stream->queue = queue;
}

cf_emu_step cf_emu_stream_fail(cf_emu_stream *stream, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const int length =
        snprintf(stream->failure, sizeof stream->failure, "%s, exec queue %u, at 0x%llx: ", stream->engine->name,
                 stream->queue, (unsigned long long)(stream->pc & CF_EMU_ADDRESS_MASK));
    if (length > 0 && (size_t)length < sizeof stream->failure)
        vsnprintf(stream->failure + length, sizeof stream->failure - (size_t)length, fmt, args);
    va_end(args);
    return CF_EMU_FAILED;
}

uint64_t cf_emu_stream_id(cf_emu_stream *stream)
{
    return atomic_fetch_add(&stream->device->last_id, 1) + 1;
}

cf_emulator_span cf_emu_stream_span(cf_emu_stream *stream, const char *command, cf_emulator_kind kind)
{
    cf_emulator_span span = {.id = cf_emu_stream_id(stream),
                             .waits_for = stream->cause,
                             .queued_ns = stream->queued_ns,
                             .begin_ns = stream->now_ns,
                             .end_ns = stream->now_ns,
                             .kind = kind,
                             .queue = stream->queue};
    snprintf(span.engine, sizeof span.engine, "%s", stream->engine->name);
    snprintf(span.command, sizeof span.command, "%s", command);
    return span;
}

/* ---- work beside the streamer ---- */

static cf_emu_step writable(cf_emu_stream *stream, uint64_t address, unsigned bytes, uint8_t **ret_host)
{
    uint64_t there = 0;
    *ret_host = cf_emu_space_find(stream->space, address, &there);
    if (!*ret_host || there < bytes)
        return cf_emu_stream_fail(stream, "a write to 0x%llx, where nothing is bound", (unsigned long long)address);
    if ((uintptr_t)*ret_host % bytes)
        return cf_emu_stream_fail(stream, "a write of %u bytes to 0x%llx, which is not aligned", bytes,
                                  (unsigned long long)address);
    return CF_EMU_NEXT;
}

static uint32_t word_at(const uint8_t *host)
{
    return __atomic_load_n((const uint32_t *)(const void *)host, __ATOMIC_SEQ_CST);
}

#define TAILS (sizeof((cf_emu_stream *)0)->tails / sizeof *((cf_emu_stream *)0)->tails)

static void look_at_tails(cf_emu_stream *stream)
{
    uint64_t bytes;
    for (size_t i = 0; i < TAILS; i++)
        if (stream->tails[i].address && cf_emu_space_find(stream->space, stream->tails[i].address, &bytes) ==
                                            stream->tails[i].host) /* it is still bound */
            stream->tails[i].seen = word_at(stream->tails[i].host);
    stream->published_ns = cf_emu_clock_now(&stream->device->clock);
}

static cf_emu_step store(cf_emu_stream *stream, uint64_t address, uint64_t value, unsigned bytes, uint64_t at_ns,
                         uint64_t id)
{
    uint8_t *host;
    const cf_emu_step step = writable(stream, address, bytes, &host);
    if (step != CF_EMU_NEXT)
        return step;
    look_at_tails(stream);
    cf_emu_device_store(stream->device, host, value, bytes, at_ns, id);
    return CF_EMU_NEXT;
}

static cf_emu_step store_both(cf_emu_stream *stream, uint64_t address, uint64_t value, uint64_t at_ns, uint64_t id)
{
    const uint64_t values[] = {value, value};
    uint8_t *host, *second;
    cf_emu_step step = writable(stream, address, 8, &host);
    if (step == CF_EMU_NEXT)
        step = writable(stream, address + 8, 8, &second);
    if (step != CF_EMU_NEXT)
        return step;
    if ((uintptr_t)host % 16) {
        step = store(stream, address, value, 8, at_ns, id);
        return step == CF_EMU_NEXT ? store(stream, address + 8, value, 8, at_ns, id) : step;
    }
    look_at_tails(stream);
    cf_emu_device_store_both(stream->device, host, values, at_ns, id);
    return CF_EMU_NEXT;
}

/* Context begin, global begin, context end, global end: 32 bytes, which hardware writes in one go. The driver waits for
   one of the ends, in a list that is in order for whichever it sees first, and then reads all four: the machine may
   hold this thread up between two stores, so the ends come last and together. */
static cf_emu_step store_stamps(cf_emu_stream *stream, const cf_emu_work *work)
{
    const uint64_t at_ns = work->span.end_ns;
    const uint64_t begin = cf_emu_device_timestamp(stream->device, work->span.begin_ns);
    const uint64_t end = cf_emu_device_timestamp(stream->device, at_ns);
    const cf_emu_step step = store_both(stream, work->address, begin, at_ns, work->span.id);
    return step == CF_EMU_NEXT ? store_both(stream, work->address + 16, end, at_ns, work->span.id) : step;
}

static cf_emu_step retire(cf_emu_stream *stream, size_t at)
{
    const cf_emu_work work = stream->works[at];
    memmove(&stream->works[at], &stream->works[at + 1], (--stream->work_count - at) * sizeof work);
    cf_emu_spans_add(&stream->device->spans, &work.span);
    switch (work.post) {
    case CF_EMU_POST_VALUE:
        return store(stream, work.address, work.value, 8, work.span.end_ns, work.span.id);
    case CF_EMU_POST_STAMP:
        return store(stream, work.address, cf_emu_device_timestamp(stream->device, work.span.end_ns), 8,
                     work.span.end_ns, work.span.id);
    case CF_EMU_POST_BEGIN_END:
        return store_stamps(stream, &work);
    case CF_EMU_POST_NONE:
        break;
    }
    return CF_EMU_NEXT;
}

/* The work that ends first; false where none is under way. Of two that end together, the one started first. */
static bool first_to_end(const cf_emu_stream *stream, size_t *ret_at)
{
    if (!stream->work_count)
        return false;
    *ret_at = 0;
    for (size_t i = 1; i < stream->work_count; i++)
        if (stream->works[i].span.end_ns < stream->works[*ret_at].span.end_ns)
            *ret_at = i;
    return true;
}

/* Until the clock shows at_ns: publishes what ends up to then, each at its time. */
static cf_emu_step until(cf_emu_stream *stream, uint64_t at_ns)
{
    cf_emu_clock *clock = &stream->device->clock;
    for (;;) {
        if (atomic_load(&stream->stop))
            return CF_EMU_STOPPED;
        const unsigned seen = cf_emu_clock_seen(clock);
        const uint64_t now_ns = cf_emu_clock_now(clock);
        size_t at = 0;
        const bool any = first_to_end(stream, &at);
        const uint64_t end_ns = any ? stream->works[at].span.end_ns : UINT64_MAX;
        if (end_ns <= at_ns && end_ns <= now_ns) {
            const cf_emu_step step = retire(stream, at);
            if (step != CF_EMU_NEXT)
                return step;
            continue;
        }
        if (now_ns >= at_ns)
            return CF_EMU_NEXT;
        cf_emu_clock_wait(clock, seen, end_ns < at_ns ? end_ns : at_ns);
    }
}

cf_emu_step cf_emu_stream_pace(cf_emu_stream *stream)
{
    return until(stream, stream->now_ns);
}

cf_emu_step cf_emu_stream_drain(cf_emu_stream *stream)
{
    if (stream->busy_until_ns > stream->now_ns) {
        stream->now_ns = stream->busy_until_ns;
        stream->cause = stream->busy_with;
    }
    return cf_emu_stream_pace(stream);
}

static cf_emu_step make_room(cf_emu_stream *stream)
{
    size_t at = 0;
    while (stream->work_count == CF_EMU_WORKS && first_to_end(stream, &at)) {
        if (stream->works[at].span.end_ns > stream->now_ns)
            stream->now_ns = stream->works[at].span.end_ns;
        const cf_emu_step step = cf_emu_stream_pace(stream);
        if (step != CF_EMU_NEXT)
            return step;
    }
    return CF_EMU_NEXT;
}

static void add(cf_emu_stream *stream, const cf_emu_work *work)
{
    stream->works[stream->work_count++] = *work;
    if (work->span.end_ns >= stream->busy_until_ns) {
        stream->busy_until_ns = work->span.end_ns;
        stream->busy_with = work->span.id;
    }
}

static cf_emu_engine *engine_for(const cf_emu_stream *stream, const cf_emu_work *work)
{
    const bool planted = stream->device->model.fault_copies_on_compute && work->span.kind == CF_EMULATOR_COPY;
    cf_emu_engine *other = planted ? cf_emu_device_engine(stream->device, CF_EMU_COMPUTE, 0) : NULL;
    return other ? other : stream->engine;
}

cf_emu_step cf_emu_stream_start(cf_emu_stream *stream, cf_emu_work *work, uint64_t duration_ns, bool shared)
{
    const cf_emu_step step = make_room(stream);
    if (step != CF_EMU_NEXT)
        return step;
    uint64_t kept_by;
    cf_emu_engine *engine = engine_for(stream, work);
    snprintf(work->span.engine, sizeof work->span.engine, "%s", engine->name);
    work->span.begin_ns = cf_emu_engine_reserve(engine, stream->now_ns, duration_ns, work->span.id, shared, &kept_by);
    work->span.end_ns = work->span.begin_ns + duration_ns;
    if (kept_by)
        work->span.waits_for = kept_by;
    add(stream, work);
    return CF_EMU_NEXT;
}

cf_emu_step cf_emu_stream_after(cf_emu_stream *stream, cf_emu_work *work)
{
    const cf_emu_step step = make_room(stream);
    if (step != CF_EMU_NEXT)
        return step;
    if (stream->busy_until_ns > work->span.end_ns) {
        work->span.begin_ns = work->span.end_ns = stream->busy_until_ns;
        work->span.waits_for = stream->busy_with;
    }
    add(stream, work);
    return CF_EMU_NEXT;
}

/* ---- memory ---- */

cf_emu_step cf_emu_stream_store(cf_emu_stream *stream, uint64_t address, uint64_t value, unsigned bytes, uint64_t id)
{
    const cf_emu_step step = cf_emu_stream_pace(stream);
    return step == CF_EMU_NEXT ? store(stream, address, value, bytes, stream->now_ns, id) : step;
}

cf_emu_step cf_emu_stream_change(cf_emu_stream *stream, uint64_t address, cf_emu_atomic how, uint64_t value,
                                 uint64_t compared, unsigned bytes, uint64_t id)
{
    uint8_t *host;
    cf_emu_step step = cf_emu_stream_pace(stream);
    if (step == CF_EMU_NEXT)
        step = writable(stream, address, bytes, &host);
    if (step == CF_EMU_NEXT)
        cf_emu_device_change(stream->device, host, how, value, compared, bytes, stream->now_ns, id);
    return step;
}

static const uint8_t *readable(cf_emu_stream *stream, uint64_t address, unsigned bytes)
{
    uint64_t there = 0;
    const uint8_t *host = cf_emu_space_find(stream->space, address, &there);
    return host && there >= bytes && (uintptr_t)host % bytes == 0 ? host : NULL;
}

cf_emu_step cf_emu_stream_load(cf_emu_stream *stream, uint64_t address, unsigned bytes, uint64_t *ret_value)
{
    const cf_emu_step step = cf_emu_stream_pace(stream);
    if (step != CF_EMU_NEXT)
        return step;
    const uint8_t *host = readable(stream, address, bytes);
    if (!host)
        return cf_emu_stream_fail(stream, "a read of 0x%llx, where nothing is bound", (unsigned long long)address);
    *ret_value = bytes == 8 ? __atomic_load_n((const uint64_t *)(const void *)host, __ATOMIC_SEQ_CST)
                            : __atomic_load_n((const uint32_t *)(const void *)host, __ATOMIC_SEQ_CST);
    return CF_EMU_NEXT;
}

bool cf_emu_compare(unsigned operation, uint64_t memory, uint64_t data)
{
    switch (operation) {
    case 0:
        return memory > data;
    case 1:
        return memory >= data;
    case 2:
        return memory < data;
    case 3:
        return memory <= data;
    case 4:
        return memory == data;
    default:
        return memory != data;
    }
}

/* Whether the host had written it already when this streamer last published something. Remembers the word. */
static bool was_there_before(cf_emu_stream *stream, uint64_t address, const uint8_t *host, unsigned operation,
                             uint32_t data)
{
    for (size_t i = 0; i < TAILS; i++)
        if (stream->tails[i].address == address && stream->tails[i].host == host)
            return cf_emu_compare(operation, stream->tails[i].seen, data);
    stream->tails[stream->next_tail].address = address;
    stream->tails[stream->next_tail].host = host;
    stream->tails[stream->next_tail].seen = word_at(host);
    stream->next_tail = (stream->next_tail + 1) % TAILS;
    return false;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The streamer was released: by the device, which knows when by its schedule, or by the host. What the host wrote
   before a streamer came that the machine had held up, it wrote at a time that nobody saw. */
static void released(cf_emu_stream *stream, uint64_t address, const uint8_t *host, unsigned operation, uint32_t data,
                     bool waited)
{
    uint64_t at_ns, id;
    if (cf_emu_device_written(stream->device, host, cf_emu_compare, operation, data, &at_ns, &id)) {
        if (at_ns > stream->now_ns || waited) {
            stream->now_ns = later(stream->now_ns, at_ns);
            stream->cause = id;
        }
        return;
    }
    const uint64_t clock_ns = cf_emu_clock_now(&stream->device->clock);
    const uint64_t catch_up_ns = stream->device->model.catch_up_ns;
    const bool before = was_there_before(stream, address, host, operation, data);
    const uint64_t limit_ns = clock_ns > catch_up_ns ? clock_ns - catch_up_ns : 0;
    const uint64_t least_ns = waited ? clock_ns : later(limit_ns, before ? 0 : stream->published_ns);
    if (least_ns > stream->now_ns) {
        if (!waited && before)
            atomic_fetch_add(&stream->device->late_ns, least_ns - stream->now_ns);
        stream->now_ns = least_ns;
        stream->cause = 0;
        stream->queued_ns = least_ns;
    }
}

cf_emu_step cf_emu_stream_wait(cf_emu_stream *stream, uint64_t address, unsigned operation, uint32_t data)
{
    cf_emu_clock *clock = &stream->device->clock;
    cf_emu_step step = cf_emu_stream_pace(stream);
    const uint64_t since_ns = cf_emu_clock_now(clock);
    for (bool waited = false; step == CF_EMU_NEXT; waited = true) {
        const unsigned seen = cf_emu_clock_seen(clock);
        const uint8_t *host = readable(stream, address, 4);
        if (!host)
            return cf_emu_stream_fail(stream, "a semaphore at 0x%llx, where nothing is bound",
                                      (unsigned long long)address);
        if (cf_emu_compare(operation, word_at(host), data)) {
            released(stream, address, host, operation, data, waited);
            return CF_EMU_NEXT;
        }
        if (atomic_load(&stream->stop) || (clock->virtual_time && !stream->work_count))
            return CF_EMU_STOPPED;
        const uint64_t now_ns = cf_emu_clock_now(clock);
        size_t at = 0;
        uint64_t next_ns = now_ns + cf_emu_clock_pause_ns(now_ns - since_ns);
        if (first_to_end(stream, &at) && (clock->virtual_time || stream->works[at].span.end_ns < next_ns))
            next_ns = stream->works[at].span.end_ns;
        if (next_ns > now_ns)
            cf_emu_clock_wait(clock, seen, next_ns);
        step = until(stream, cf_emu_clock_now(clock));
    }
    return step;
}

cf_emu_step cf_emu_stream_publish(cf_emu_stream *stream, unsigned seen)
{
    const cf_emu_step step = until(stream, cf_emu_clock_now(&stream->device->clock));
    size_t at = 0;
    if (step == CF_EMU_NEXT && first_to_end(stream, &at))
        cf_emu_clock_wait(&stream->device->clock, seen, stream->works[at].span.end_ns);
    return step;
}

/* ---- the walk ---- */

/* A command of this many dwords is longer than any that is known. */
#define LONGEST 300u

static void tell(const cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words, uint32_t count)
{
    char text[512];
    int used =
        snprintf(text, sizeof text, "%.3f us %s queue %u 0x%llx %s", (double)stream->now_ns / 1e3, stream->engine->name,
                 stream->queue, (unsigned long long)(stream->pc & CF_EMU_ADDRESS_MASK), command->name);
    for (uint32_t i = 0; i < count && used > 0 && (size_t)used + 10 < sizeof text; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %08x", words[i]);
    stream->device->on_command(text);
}

static cf_emu_step one(cf_emu_stream *stream)
{
    uint32_t words[LONGEST];
    uint64_t fault;
    if (!cf_emu_space_read(stream->space, stream->pc, words, 4, &fault))
        return cf_emu_stream_fail(stream, "no command buffer is bound there");
    const cf_emu_command *command = cf_emu_command_find(words[0]);
    if (!command)
        return cf_emu_stream_fail(stream, "unknown command, opcode 0x%x, dword 0x%08x", cf_emu_command_opcode(words[0]),
                                  words[0]);
    const uint32_t count = cf_emu_command_length(command, words[0]);
    if (count < command->least || count > LONGEST)
        return cf_emu_stream_fail(stream, "%s of %u dwords (dword 0x%08x): from %u on are known", command->name, count,
                                  words[0], command->least);
    if (!(command->engines & 1u << stream->engine->engine_class))
        return cf_emu_stream_fail(stream, "%s (dword 0x%08x) on an engine that has no such command", command->name,
                                  words[0]);
    if (!cf_emu_space_read(stream->space, stream->pc, words, count * 4ull, &fault))
        return cf_emu_stream_fail(stream, "%s reaches to where nothing is bound", command->name);
    if (stream->predicate && !cf_emu_command_goes(stream, command)) {
        stream->pc += count * 4ull;
        return CF_EMU_NEXT;
    }
    if (stream->device->on_command)
        tell(stream, command, words, count);
    const cf_emu_step step = command->run ? command->run(stream, command, words, count) : CF_EMU_NEXT;
    if (step == CF_EMU_NEXT)
        stream->pc += count * 4ull;
    return step == CF_EMU_JUMPED ? CF_EMU_NEXT : step;
}

cf_emu_step cf_emu_stream_run(cf_emu_stream *stream, uint64_t address, uint64_t at_ns)
{
    stream->pc = address;
    stream->depth = 0;
    stream->predicate = 0;
    stream->half_address = 0;
    if (at_ns > stream->now_ns) {
        stream->now_ns = at_ns;
        stream->cause = 0;
    }
    stream->queued_ns = at_ns;
    cf_emu_step step = CF_EMU_NEXT;
    while (step == CF_EMU_NEXT) {
        step = stream->work_count ? until(stream, cf_emu_clock_now(&stream->device->clock)) : CF_EMU_NEXT;
        if (step == CF_EMU_NEXT)
            step = one(stream);
        if (atomic_load(&stream->stop) || (stream->limit && --stream->limit == 0))
            step = CF_EMU_STOPPED;
    }
    if (step == CF_EMU_ENDED && stream->device->model.wait_batch) {
        const cf_emu_step drained = cf_emu_stream_drain(stream);
        step = drained == CF_EMU_NEXT ? CF_EMU_ENDED : drained;
    }
    if (step == CF_EMU_FAILED)
        cf_emu_device_fail(stream->device, stream->failure);
    return step;
}
