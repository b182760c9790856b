/* The compute engine's commands. A walker is not executed: it lasts as the model says, and leaves its post-sync write.
 */
#include <string.h>

#include "base/emulated.h"
#include "emulator/command.h"

#define INLINE_BYTES   32u
#define INDIRECT_BYTES 4096u /* of the payload that are looked at */

typedef struct payload {
    uint64_t words[(INLINE_BYTES + INDIRECT_BYTES) / 8];
    size_t count;
} payload;

/* A kernel's arguments: the first 32 bytes stand in the command, the rest behind general state's base. */
static bool read_payload(const cf_emu_stream *stream, const uint32_t *words, payload *ret, uint64_t *ret_fault)
{
    uint64_t bytes = cf_emu_bits(words[2], 0, 16);
    bytes = bytes > INDIRECT_BYTES ? INDIRECT_BYTES : bytes & ~7ull;
    memcpy(ret->words, words + 32, INLINE_BYTES);
    ret->count = (INLINE_BYTES + bytes) / 8;
    return cf_emu_space_read(stream->space, stream->general_base + (words[3] & ~63u), ret->words + INLINE_BYTES / 8,
                             bytes, ret_fault);
}

static bool find_trips(const payload *found, uint64_t *ret_trips)
{
    for (size_t i = 0; i + 1 < found->count; i++)
        if (found->words[i] == CF_EMULATED_TRIPS_KEY) {
            *ret_trips = found->words[i + 1];
            return true;
        }
    return false;
}

#define LONGEST_NS 3600e9 /* an hour: arithmetic stays far from its ends */

/* trips: NULL = it says none. */
static uint64_t kernel_ns(const cf_emu_model *model, const uint64_t *trips, uint64_t groups)
{
    double ns = (double)model->kernel_base_ns;
    if (trips) {
        const uint64_t waves = (groups + model->groups_at_once - 1) / model->groups_at_once;
        ns += (double)waves * (double)*trips * (double)model->trip_ps / 1000;
    } else {
        ns += (double)groups * (double)model->group_ns;
    }
    return (uint64_t)(ns < LONGEST_NS ? ns : LONGEST_NS);
}

#define DISPATCH_X 0x500u /* GPGPU_DISPATCHDIMX, Y and Z follow (PRM 2c) */

static cf_emu_step groups_of(cf_emu_stream *stream, const uint32_t *words, uint64_t *ret_groups)
{
    uint32_t sizes[3] = {words[7], words[8], words[9]};
    if (cf_emu_bits(words[0], 10, 10)) /* indirect: the sizes stand in registers */
        for (uint32_t i = 0; i < 3; i++) {
            const cf_emu_step step = cf_emu_register_read(stream, DISPATCH_X + i * 4, &sizes[i]);
            if (step != CF_EMU_NEXT)
                return step;
        }
    *ret_groups = (uint64_t)sizes[0] * sizes[1] * sizes[2];
    return CF_EMU_NEXT;
}

cf_emu_step cf_emu_walker(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words, uint32_t count)
{
    (void)count;
    const unsigned post = cf_emu_bits(words[27], 0, 1);
    uint64_t groups = 0, fault = 0;
    payload arguments;
    if (cf_emu_bits(words[0], 9, 9) || cf_emu_bits(words[0], 15, 17) || post == 2)
        return cf_emu_refuse(stream, command, words[0], "a form of walk or of post-sync operation");
    bool goes = true;
    cf_emu_step step = cf_emu_bits(words[0], 8, 8) ? cf_emu_command_predicate(stream, &goes) : CF_EMU_NEXT;
    if (step == CF_EMU_NEXT && goes)
        step = groups_of(stream, words, &groups);
    if (step != CF_EMU_NEXT || !goes)
        return step;
    if (!read_payload(stream, words, &arguments, &fault))
        return cf_emu_stream_fail(stream, "%s: its payload at 0x%llx, where nothing is bound", command->name,
                                  (unsigned long long)fault);
    static const cf_emu_post posts[4] = {CF_EMU_POST_NONE, CF_EMU_POST_VALUE, CF_EMU_POST_NONE, CF_EMU_POST_BEGIN_END};
    cf_emu_work work = {.span = cf_emu_stream_span(stream, command->name, CF_EMULATOR_KERNEL),
                        .post = posts[post],
                        .address = cf_emu_wide(words + 28) & ~7ull,
                        .value = cf_emu_wide(words + 30)};
    if (work.post != CF_EMU_POST_NONE) {
        work.span.writes = work.address;
        work.span.writes_bytes = work.post == CF_EMU_POST_VALUE ? 8 : 32;
    }
    const size_t kept = sizeof work.span.arguments / 8;
    memcpy(work.span.arguments, arguments.words, (arguments.count < kept ? arguments.count : kept) * 8);
    uint64_t trips;
    const bool timed = find_trips(&arguments, &trips);
    if (!timed && stream->device->on_kernel)
        stream->device->on_kernel();
    return cf_emu_stream_start(stream, &work, kernel_ns(&stream->device->model, timed ? &trips : NULL, groups),
                               !stream->device->model.wait_walker);
}

/* Post-sync: 1 = 8 bytes of data, 3 = the time. Without a stall the streamer goes on, and the write comes when all
   before it has ended. */
cf_emu_step cf_emu_pipe_control(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words,
                                uint32_t count)
{
    (void)count;
    const unsigned post = cf_emu_bits(words[1], 14, 15);
    const bool stalls = cf_emu_bits(words[1], 20, 20), waits = stream->device->model.wait_stall;
    if (cf_emu_bits(words[0], 8, 8))
        return cf_emu_refuse(stream, command, words[0], "a predicate");
    if (post == 2 || cf_emu_bits(words[1], 23, 23) || (post && (words[1] & (1u << 21 | 1u << 24))))
        return cf_emu_refuse(stream, command, words[1], "a post-sync operation");
    if (!stalls && !post)
        return CF_EMU_NEXT;
    cf_emu_work work = {
        .span = cf_emu_stream_span(stream, command->name, post == 3 ? CF_EMULATOR_STAMP : CF_EMULATOR_OTHER),
        .post = post == 3 ? CF_EMU_POST_STAMP : CF_EMU_POST_VALUE,
        .address = cf_emu_wide(words + 2) & ~7ull,
        .value = cf_emu_wide(words + 4)};
    if (post) {
        work.span.writes = work.address;
        work.span.writes_bytes = 8;
    }
    if (!stalls && waits)
        return cf_emu_stream_after(stream, &work);
    cf_emu_step step = waits ? cf_emu_stream_drain(stream) : CF_EMU_NEXT;
    if (step != CF_EMU_NEXT)
        return step;
    work.span.end_ns = stream->now_ns;
    work.span.waits_for = stream->cause;
    stream->cause = work.span.id;
    if (post)
        step = cf_emu_stream_store(stream, work.address,
                                   post == 3 ? cf_emu_device_timestamp(stream->device, stream->now_ns) : work.value, 8,
                                   work.span.id);
    if (step == CF_EMU_NEXT)
        cf_emu_spans_add(&stream->device->spans, &work.span);
    return step;
}

cf_emu_step cf_emu_barrier(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words, uint32_t count)
{
    (void)count;
    if (cf_emu_bits(words[0], 24, 24) || cf_emu_bits(words[1], 30, 31))
        return cf_emu_refuse(stream, command, words[1], "a kind of barrier");
    if (!cf_emu_bits(words[1], 0, 11)) /* signals only */
        return CF_EMU_NEXT;
    cf_emulator_span span = cf_emu_stream_span(stream, command->name, CF_EMULATOR_OTHER);
    const cf_emu_step step = stream->device->model.wait_barrier ? cf_emu_stream_drain(stream) : CF_EMU_NEXT;
    if (step != CF_EMU_NEXT)
        return step;
    span.end_ns = stream->now_ns;
    span.waits_for = stream->cause;
    stream->cause = span.id;
    cf_emu_spans_add(&stream->device->spans, &span);
    return CF_EMU_NEXT;
}

cf_emu_step cf_emu_base_address(cf_emu_stream *stream, const cf_emu_command *command, const uint32_t *words,
                                uint32_t count)
{
    (void)command, (void)count;
    if (words[1] & 1)
        stream->general_base = cf_emu_wide(words + 1) & ~0xfffull;
    return CF_EMU_NEXT;
}
