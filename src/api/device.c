#include "api/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/answer.h"

/* Members up to here are in every version. */
#define SIZE_LEAST offsetof(confound_device_ops, now_ns)

typedef struct state {
    const confound_device_ops *ops;
    void *device;
    bool is_open;
    cf_device_info info;
} state;

struct confound_facts {
    cf_pairs *pairs;
};

static state *state_of(const cf_device *device)
{
    return device->state;
}

/* ---- device ---- */

static cf_status check_info(const confound_device_info *told, const char *name, cf_error *err)
{
    if (told->copy_unit != CONFOUND_UNIT_NS && told->copy_unit != CONFOUND_UNIT_BYTES)
        return cf_error_set(err, CF_INPUT, "%s: info: copies in unit %d; accepted: NS or BYTES", name,
                            (int)told->copy_unit);
    if (told->kernel_unit != CONFOUND_UNIT_NS && told->kernel_unit != CONFOUND_UNIT_TRIPS)
        return cf_error_set(err, CF_INPUT, "%s: info: kernels in unit %d; accepted: NS or TRIPS", name,
                            (int)told->kernel_unit);
    if (told->copy_start == 0 || told->kernel_start == 0)
        return cf_error_set(err, CF_INPUT, "%s: info: a length of 0 to begin with; accepted: above 0", name);
    return CF_OK;
}

static void copy_text(char *to, size_t to_bytes, const char *from, size_t from_bytes)
{
    char text[128], safe[128];
    (void)snprintf(text, sizeof text, "%.*s", (int)from_bytes - 1, from);
    (void)snprintf(to, to_bytes, "%s", cf_text_safe(text, safe, sizeof safe));
}

static cf_status take_info(state *s, const char *name, cf_error *err)
{
    confound_device_info told = {.size = sizeof told};
    s->ops->info(s->device, &told);
    cf_status status = check_info(&told, name, err);
    if (status != CF_OK)
        return status;
    cf_device_info *info = &s->info;
    *info = (cf_device_info){
        .simulated = told.simulated != 0,
        .computes = told.computes != 0,
        .moves = told.moves != 0,
        .virtual_clock = s->ops->now_ns != NULL,
        .copy_unit = told.copy_unit == CONFOUND_UNIT_NS ? CF_UNIT_NS : CF_UNIT_BYTES,
        .kernel_unit = told.kernel_unit == CONFOUND_UNIT_NS ? CF_UNIT_NS : CF_UNIT_TRIPS,
        .copy_start = told.copy_start,
        .kernel_start = told.kernel_start,
        .step_target_ns = told.step_target_ns,
        .events_on_operations = told.events_on_operations != 0,
    };
    (void)snprintf(info->backend, sizeof info->backend, "%s", name);
    if (told.name[0] == '\0')
        (void)snprintf(told.name, sizeof told.name, "%s", name);
    copy_text(info->name, sizeof info->name, told.name, sizeof told.name);
    copy_text(info->driver, sizeof info->driver, told.driver, sizeof told.driver);
    if (s->ops->now_ns == NULL || told.clock_name[0] == '\0')
        (void)snprintf(told.clock_name, sizeof told.clock_name, "%s",
                       s->ops->now_ns == NULL ? "CLOCK_MONOTONIC" : "the device's own");
    copy_text(info->clock_name, sizeof info->clock_name, told.clock_name, sizeof told.clock_name);
    return CF_OK;
}

static cf_status open_device(const cf_device_config *config, cf_device *device, cf_error *err)
{
    const cf_custom *custom = (const cf_custom *)device->ops; /* its first member */
    confound_error said;
    state *s = calloc(1, sizeof *s);
    if (s == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    device->state = s;
    s->ops = &custom->outside;
    cf_answer_begin(&said);
    cf_status status = cf_answer(s->ops->open(custom->user, config->seed, &s->device, &said), "open", &said, err);
    if (status != CF_OK)
        return status;
    s->is_open = true;
    return take_info(s, custom->name, err);
}

static void close_device(cf_device *device)
{
    state *s = state_of(device);
    if (s != NULL && s->is_open)
        s->ops->close(s->device);
    free(s);
}

static void info(const cf_device *device, cf_device_info *ret_info)
{
    *ret_info = state_of(device)->info;
}

/* ---- handles ---- */

/* NULL stands for "none" and "all" elsewhere. */
static cf_status check_handle(cf_status status, const void *handle, const char *what, cf_error *err)
{
    if (status == CF_OK && handle == NULL)
        return cf_error_set(err, CF_DEVICE, "%s gave NULL; a handle that is not NULL is accepted", what);
    return status;
}

static cf_status stream_open(cf_device *device, const cf_stream_desc *desc, cf_stream **ret_stream, cf_error *err)
{
    state *s = state_of(device);
    confound_error said;
    void *stream = NULL;
    cf_answer_begin(&said);
    int returned = s->ops->stream_open(s->device, (int)desc->number, desc->profiling, &stream, &said);
    cf_status status = check_handle(cf_answer(returned, "stream_open", &said, err), stream, "stream_open", err);
    if (status == CF_OK)
        *ret_stream = stream;
    return status;
}

static void stream_close(cf_device *device, cf_stream *stream)
{
    state_of(device)->ops->stream_close(state_of(device)->device, stream);
}

static cf_status block_new(cf_device *device, cf_place place, uint64_t size_bytes, cf_block **ret_block, cf_error *err)
{
    state *s = state_of(device);
    confound_error said;
    void *block = NULL;
    cf_answer_begin(&said);
    int returned = s->ops->block_new(s->device, place == CF_PLACE_HOST ? CONFOUND_PLACE_HOST : CONFOUND_PLACE_DEVICE,
                                     size_bytes, &block, &said);
    cf_status status = check_handle(cf_answer(returned, "block_new", &said, err), block, "block_new", err);
    if (status == CF_OK)
        *ret_block = block;
    return status;
}

static void block_free(cf_device *device, cf_block *block)
{
    state_of(device)->ops->block_free(state_of(device)->device, block);
}

static cf_status block_write(cf_device *device, cf_block *block, uint64_t offset_bytes, const void *data,
                             uint64_t size_bytes, cf_error *err)
{
    state *s = state_of(device);
    confound_error said;
    cf_answer_begin(&said);
    return cf_answer(s->ops->block_write(s->device, block, offset_bytes, data, size_bytes, &said), "block_write", &said,
                     err);
}

static cf_status block_read(cf_device *device, cf_block *block, uint64_t offset_bytes, void *ret_data,
                            uint64_t size_bytes, cf_error *err)
{
    state *s = state_of(device);
    confound_error said;
    cf_answer_begin(&said);
    return cf_answer(s->ops->block_read(s->device, block, offset_bytes, ret_data, size_bytes, &said), "block_read",
                     &said, err);
}

static cf_status event_new(cf_device *device, cf_event_kind kind, cf_event **ret_event, cf_error *err)
{
    state *s = state_of(device);
    confound_error said;
    void *event = NULL;
    cf_answer_begin(&said);
    int returned = s->ops->event_new(s->device, kind == CF_EVENT_TIMING ? CONFOUND_EVENT_TIMING : CONFOUND_EVENT_SYNC,
                                     &event, &said);
    cf_status status = check_handle(cf_answer(returned, "event_new", &said, err), event, "event_new", err);
    if (status == CF_OK)
        *ret_event = event;
    return status;
}

static void event_free(cf_device *device, cf_event *event)
{
    state_of(device)->ops->event_free(state_of(device)->device, event);
}

/* ---- in the clock ---- */

static confound_op op_of(const cf_op *op)
{
    static const confound_op_kind kinds[CF_OP_COUNT] = {
        [CF_OP_H2D] = CONFOUND_OP_H2D,
        [CF_OP_D2H] = CONFOUND_OP_D2H,
        [CF_OP_D2D] = CONFOUND_OP_D2D,
        [CF_OP_KERNEL] = CONFOUND_OP_KERNEL,
        [CF_OP_KERNEL_COPY] = CONFOUND_OP_KERNEL_COPY,
        [CF_OP_BATCH_COPY] = CONFOUND_OP_BATCH_COPY,
    };
    return (confound_op){
        .size = sizeof(confound_op),
        .kind = kinds[op->kind],
        .lane = op->lane,
        .index = op->index,
        .ns = op->ns,
        .bytes = op->bytes,
        .trips = op->trips,
        .src = op->src,
        .dst = op->dst,
        .src_offset_bytes = op->src_offset_bytes,
        .waits = op->waits,
        .signals = op->signals,
        .observer = op->observer,
        .share = op->share,
        .pieces = op->pieces,
    };
}

static cf_status refuse_ns(const state *s, const cf_op *op, cf_error *err)
{
    return cf_error_set(err, CF_INPUT, "[lane %c] ns: %s takes no length in ns for a %s; accepted: %s", 'a' + op->lane,
                        s->info.backend, cf_op_names[op->kind], op->kind == CF_OP_KERNEL ? "trips" : "bytes");
}

static cf_status submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    state *s = state_of(device);
    confound_error said;
    if (op->ns != 0 && (op->kind == CF_OP_KERNEL ? s->info.kernel_unit : s->info.copy_unit) != CF_UNIT_NS)
        return refuse_ns(s, op, err);
    confound_op outside = op_of(op);
    cf_answer_begin(&said);
    return cf_answer(s->ops->submit(s->device, stream, &outside, &said), "submit", &said, err);
}

static cf_status wait_for(cf_device *device, cf_stream *stream, cf_wait how, cf_error *err)
{
    static const confound_wait ways[CF_WAIT_COUNT] = {
        [CF_WAIT_BLOCK] = CONFOUND_WAIT_BLOCK,
        [CF_WAIT_POLL] = CONFOUND_WAIT_POLL,
        [CF_WAIT_SPIN] = CONFOUND_WAIT_SPIN,
    };
    state *s = state_of(device);
    confound_error said;
    cf_answer_begin(&said);
    return cf_answer(s->ops->wait(s->device, stream, ways[how], &said), "wait", &said, err);
}

static cf_status record(cf_device *device, cf_stream *stream, cf_event *event, const cf_op *op, cf_side side,
                        cf_error *err)
{
    state *s = state_of(device);
    confound_error said;
    confound_op outside = op_of(op);
    cf_answer_begin(&said);
    int returned = s->ops->record(s->device, stream, event, &outside,
                                  side == CF_SIDE_BEFORE ? CONFOUND_SIDE_BEFORE : CONFOUND_SIDE_AFTER, &said);
    return cf_answer(returned, "record", &said, err);
}

static cf_status event_read(cf_device *device, cf_event *event, cf_event_reading *ret_reading, cf_error *err)
{
    state *s = state_of(device);
    confound_error said;
    confound_event_reading told = {.size = sizeof told};
    cf_answer_begin(&said);
    cf_status status = cf_answer(s->ops->event_read(s->device, event, &told, &said), "event_read", &said, err);
    if (status == CF_OK)
        *ret_reading = (cf_event_reading){
            .completed = told.completed != 0,
            .has_stamp = told.has_stamp != 0,
            .stamp_ns = told.stamp_ns,
            .begin_ns = told.begin_ns,
        };
    return status;
}

/* ---- optional ---- */

static uint64_t now_ns(cf_device *device)
{
    return state_of(device)->ops->now_ns(state_of(device)->device);
}

static uint64_t blocked_ns(cf_device *device)
{
    return state_of(device)->ops->blocked_ns(state_of(device)->device);
}

static uint64_t late_ns(cf_device *device)
{
    return state_of(device)->ops->late_ns(state_of(device)->device);
}

static cf_status step_begin(cf_device *device, double position, cf_error *err)
{
    state *s = state_of(device);
    confound_error said;
    cf_answer_begin(&said);
    return cf_answer(s->ops->step_begin(s->device, position, &said), "step_begin", &said, err);
}

static bool stream_profiles(cf_device *device, cf_stream *stream)
{
    return state_of(device)->ops->stream_profiles(state_of(device)->device, stream) != 0;
}

static cf_status facts(cf_device *device, cf_pairs *pairs, cf_error *err)
{
    state *s = state_of(device);
    confound_error said;
    confound_facts outside = {.pairs = pairs};
    cf_answer_begin(&said);
    return cf_answer(s->ops->facts(s->device, &outside, &said), "facts", &said, err);
}

confound_status confound_facts_add(confound_facts *added, const char *name, const char *value, confound_error *err)
{
    cf_error error = {0};
    if (!name || name[0] == '\0')
        return cf_api_fail(err, CF_INPUT, "a fact without a name is not accepted");
    for (size_t i = 0; i < added->pairs->count; i++) {
        cf_pair *pair = &added->pairs->items[i];
        if (strcmp(pair->name, name) != 0)
            continue;
        char *copy = value ? cf_text_dup(value) : NULL;
        if (value && !copy)
            return cf_api_fail(err, CF_MEMORY, "out of memory");
        free(pair->value);
        pair->value = copy;
        return CONFOUND_OK;
    }
    return cf_api_status(cf_pairs_add(added->pairs, name, value, &error), &error, err);
}

/* ---- the table ---- */

static const char *missing(const confound_device_ops *o)
{
    const struct {
        bool there;
        const char *name;
    } required[] = {
        {o->open != NULL, "open"},
        {o->close != NULL, "close"},
        {o->info != NULL, "info"},
        {o->stream_open != NULL, "stream_open"},
        {o->stream_close != NULL, "stream_close"},
        {o->block_new != NULL, "block_new"},
        {o->block_free != NULL, "block_free"},
        {o->block_write != NULL, "block_write"},
        {o->block_read != NULL, "block_read"},
        {o->submit != NULL, "submit"},
        {o->wait != NULL, "wait"},
        {o->event_new != NULL, "event_new"},
        {o->event_free != NULL, "event_free"},
        {o->record != NULL, "record"},
        {o->event_read != NULL, "event_read"},
    };
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++)
        if (!required[i].there)
            return required[i].name;
    return NULL;
}

static cf_status check_name(const char *name, cf_error *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t length = name ? strlen(name) : 0;
    if (length == 0 || length >= sizeof((cf_custom *)0)->name || strspn(name, letters) != length)
        return cf_error_set(err, CF_INPUT,
                            "a device called \"%.60s\" is not accepted; 1 to %zu of letters, digits, . _ - are",
                            name ? name : "", sizeof((cf_custom *)0)->name - 1);
    if (cf_device_backend(name) != NULL)
        return cf_error_set(err, CF_INPUT, "there is a device called \"%s\" already; another name is accepted", name);
    return CF_OK;
}

cf_status cf_custom_init(const confound_device_ops *outside, void *user, cf_custom *custom, cf_error *err)
{
    confound_device_ops known = {.size = 0};
    if (outside->size < SIZE_LEAST)
        return cf_error_set(err, CF_INPUT, "a table of %zu bytes is not accepted; size is sizeof(confound_device_ops)",
                            outside->size);
    memcpy(&known, outside, outside->size < sizeof known ? outside->size : sizeof known);
    const char *lacks = missing(&known);
    if (lacks != NULL)
        return cf_error_set(err, CF_INPUT, "the device has no %s, which is required", lacks);
    cf_status status = check_name(known.name, err);
    if (status != CF_OK)
        return status;
    *custom = (cf_custom){.outside = known, .user = user};
    (void)snprintf(custom->name, sizeof custom->name, "%s", known.name);
    custom->outside.name = NULL; /* the caller's, which may go */
    custom->ops = (cf_device_ops){
        .name = custom->name,
        .about = "a device outside this library",
        .open = open_device,
        .close = close_device,
        .info = info,
        .stream_open = stream_open,
        .stream_close = stream_close,
        .block_new = block_new,
        .block_free = block_free,
        .block_write = block_write,
        .block_read = block_read,
        .submit = submit,
        .wait = wait_for,
        .event_new = event_new,
        .event_free = event_free,
        .record = record,
        .event_read = event_read,
        .now_ns = known.now_ns != NULL ? now_ns : NULL,
        .blocked_ns = known.blocked_ns != NULL ? blocked_ns : NULL,
        .late_ns = known.late_ns != NULL ? late_ns : NULL,
        .step_begin = known.step_begin != NULL ? step_begin : NULL,
        .stream_profiles = known.stream_profiles != NULL ? stream_profiles : NULL,
        .facts = known.facts != NULL ? facts : NULL,
    };
    return CF_OK;
}

uint64_t confound_kernel_result(uint64_t nonce, uint64_t trips)
{
    return cf_kernel_result(nonce, trips);
}
