/* Commands as the emulated device executed them, told in the job's words. What a command is follows from the addresses
   that it used: never from how many there were, or from what was asked for. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/emulator_spans.h"
#include "device/level_zero/state.h"

#define MOST_NOTES 16384u
#define MOST_STEPS 32 /* from a command back to what it waited for */

typedef struct emulator {
    cf_emulator_spans_version *version;
    cf_emulator_spans_begin *begin;
    cf_emulator_spans_read *read;
    cf_emulator_spans_lost *lost;
    cf_emulator_spans_end *end;
} emulator;

static const cf_dl_symbol symbols[] = {
    {CF_EMULATOR_SPANS_VERSION_NAME, offsetof(emulator, version), false},
    {CF_EMULATOR_SPANS_BEGIN_NAME, offsetof(emulator, begin), false},
    {CF_EMULATOR_SPANS_READ_NAME, offsetof(emulator, read), false},
    {CF_EMULATOR_SPANS_LOST_NAME, offsetof(emulator, lost), false},
    {CF_EMULATOR_SPANS_END_NAME, offsetof(emulator, end), false},
};

/* Words of ours for commands that are no operation and no stamp; others keep their own. */
static const struct {
    const char *command, *what;
} words[] = {{"PIPE_CONTROL", "stall"},
             {"RESOURCE_BARRIER", "barrier"},
             {"MI_FLUSH_DW", "flush"},
             {"MI_STORE_DATA_IMM", "store"},
             {"MEM_SET", "fill"},
             {"COMPUTE_WALKER", "driver's kernel"},
             {"MI_STORE_REGISTER_MEM", "store"},
             {"MEM_COPY", "driver's copy"}};

typedef struct telling { /* of one span */
    cf_record_span span;
    char what[41], label[64], waited_for[80];
} telling;

static cf_status find(emulator *ret, cf_error *err)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = dlsym(RTLD_DEFAULT, symbols[i].names);
        if (symbol == NULL)
            return cf_error_set(err, CF_UNSUPPORTED, "the emulated device has no %s", symbols[i].names);
        memcpy((char *)ret + symbols[i].offset_bytes, &symbol, sizeof symbol);
    }
    uint32_t version = ret->version();
    if (version != CF_EMULATOR_SPANS_VERSION)
        return cf_error_set(err, CF_UNSUPPORTED,
                            "the emulated device tells its commands in version %" PRIu32 ", and this program reads %u",
                            version, CF_EMULATOR_SPANS_VERSION);
    return CF_OK;
}

/* ---- what was handed out in this step ---- */

static void note(cf_ze *ze, const cf_op *op, uint32_t stream, cf_ze_note_kind kind, const void *at, uint64_t bytes)
{
    cf_ze_notes *notes = &ze->notes;
    if (notes->items == NULL || notes->count == MOST_NOTES)
        return;
    notes->items[notes->count++] = (cf_ze_note){.kind = kind,
                                                .op = op->kind,
                                                .lane = op->lane,
                                                .stream = (int)stream,
                                                .index = op->index,
                                                .begin = (uint64_t)(uintptr_t)at,
                                                .bytes = bytes};
}

/* What both lanes share is told as the first. */
static uint32_t number_of(const cf_stream *stream)
{
    return stream->number == CF_ZE_SHARED ? 0 : stream->number;
}

void cf_ze_note_op(cf_ze *ze, const cf_stream *stream, const cf_op *op, uint64_t bytes)
{
    unsigned char *to = op->dst->data;
    if (op->kind == CF_OP_KERNEL)
        to += (uint64_t)op->index * sizeof(uint64_t);
    note(ze, op, number_of(stream), CF_ZE_NOTE_OP, to, op->kind == CF_OP_KERNEL ? sizeof(uint64_t) : bytes);
}

void cf_ze_note_stamp(cf_ze *ze, const cf_stream *stream, const cf_op *op, cf_side side, const uint64_t *stamp)
{
    note(ze, op, number_of(stream), side == CF_SIDE_BEFORE ? CF_ZE_NOTE_BEFORE : CF_ZE_NOTE_AFTER, stamp,
         sizeof *stamp);
}

static const cf_ze_note *note_at(const cf_ze *ze, uint64_t address, bool stamp)
{
    for (size_t i = 0; address != 0 && i < ze->notes.count; i++) {
        const cf_ze_note *n = &ze->notes.items[i];
        if ((n->kind != CF_ZE_NOTE_OP) == stamp && address >= n->begin && address - n->begin < n->bytes)
            return n;
    }
    return NULL;
}

/* A kernel of ours has its destination among its arguments; a copy that the driver made a kernel of has the copy's. */
static const cf_ze_note *note_of_kernel(const cf_ze *ze, const cf_emulator_span *span)
{
    const cf_ze_note *found = NULL;
    for (size_t k = 0; k < sizeof span->arguments / sizeof span->arguments[0]; k++)
        for (size_t i = 0; span->arguments[k] != 0 && i < ze->notes.count; i++) {
            const cf_ze_note *n = &ze->notes.items[i];
            if (n->kind != CF_ZE_NOTE_OP || n->begin != span->arguments[k])
                continue;
            if (n->op == CF_OP_KERNEL || n->op == CF_OP_KERNEL_COPY)
                return n;
            found = n;
        }
    return found;
}

/* ---- telling ---- */

static const char *word_for(const char *command)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].command, command) == 0)
            return words[i].what;
    return command;
}

static const char *what_of(const cf_emulator_span *span, const cf_ze_note *n)
{
    if (span->kind == CF_EMULATOR_STAMP)
        return n == NULL ? "record" : n->kind == CF_ZE_NOTE_BEFORE ? "record before" : "record after";
    if (span->kind == CF_EMULATOR_WAIT)
        return "wait";
    return n != NULL ? cf_op_names[n->op] : word_for(span->command);
}

static const cf_ze_note *note_for(const cf_ze *ze, const cf_emulator_span *span)
{
    switch (span->kind) {
    case CF_EMULATOR_COPY:
        return note_at(ze, span->writes, false);
    case CF_EMULATOR_KERNEL:
        return note_of_kernel(ze, span);
    case CF_EMULATOR_STAMP:
        return note_at(ze, span->writes, true);
    default:
        return NULL;
    }
}

static void describe(const cf_ze *ze, const cf_emulator_span *span, telling *t)
{
    const cf_ze_note *n = note_for(ze, span);
    snprintf(t->what, sizeof t->what, "%.40s", what_of(span, n));
    t->span =
        (cf_record_span){.begin_ns = (int64_t)(span->begin_ns - ze->step_ns),
                         .end_ns = (int64_t)(span->end_ns - ze->step_ns),
                         .queued_ns = span->queued_ns >= ze->step_ns ? (int64_t)(span->queued_ns - ze->step_ns) : -1,
                         .engine = (char *)span->engine,
                         .stream = n != NULL ? n->stream : -1,
                         .lane = n != NULL ? n->lane : -1,
                         .index = n != NULL ? (int64_t)n->index : -1,
                         .what = t->what};
    if (n != NULL)
        snprintf(t->label, sizeof t->label, "%s %c[%" PRIu32 "]", t->what, 'a' + n->lane, n->index);
    else
        snprintf(t->label, sizeof t->label, "%s on %.15s", t->what, span->engine);
}

static size_t place_of(const cf_emulator_span *spans, size_t count, uint64_t id)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spans[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && spans[low].id == id ? low : count;
}

/* What released the command at i: past a wait, which began before it was released, to what ended that. */
static size_t cause_of(const cf_emulator_span *spans, size_t count, size_t i)
{
    size_t at = spans[i].waits_for != 0 ? place_of(spans, count, spans[i].waits_for) : count;
    if (at == count || spans[at].kind != CF_EMULATOR_WAIT || spans[at].waits_for == 0)
        return at;
    size_t behind = place_of(spans, count, spans[at].waits_for);
    return behind < count && spans[behind].begin_ns <= spans[i].begin_ns ? behind : at;
}

/* In words: the operation or the record at the head of it, which stores and barriers only pass on. */
static void name_cause(const cf_ze *ze, const cf_emulator_span *spans, size_t count, size_t at, telling *ret)
{
    telling t = {.what = ""};
    describe(ze, &spans[at], ret);
    for (int steps = 0; steps < MOST_STEPS && at < count; steps++) {
        describe(ze, &spans[at], &t);
        if (t.span.lane >= 0) {
            *ret = t;
            return;
        }
        at = cause_of(spans, count, at);
    }
}

/* Numbers are those of this delivery; a cause that was not told, or that began later, has none. */
static void tell(cf_ze *ze, const cf_emulator_span *spans, size_t count)
{
    size_t first = 0;
    while (first < count && spans[first].begin_ns < ze->step_ns)
        first++;
    for (size_t i = first; i < count; i++) {
        telling own = {.what = ""}, cause = {.what = ""};
        if (spans[i].begin_ns < ze->step_ns)
            continue;
        describe(ze, &spans[i], &own);
        own.span.id = (int64_t)(i - first + 1);
        size_t at = cause_of(spans, count, i);
        if (at < count && at >= first && spans[at].begin_ns >= ze->step_ns) {
            name_cause(ze, spans, count, at, &cause);
            snprintf(own.waited_for, sizeof own.waited_for, "%s", cause.label);
            own.span.waited_for = own.waited_for;
            own.span.waits_for = spans[at].begin_ns <= spans[i].begin_ns ? (int64_t)(at - first + 1) : 0;
        }
        ze->notes.sink(ze->notes.user, &own.span);
    }
}

static cf_status deliver(cf_ze *ze, const emulator *e, cf_error *err)
{
    size_t count = e->read(NULL, 0);
    cf_emulator_span *spans = calloc(count + 1, sizeof *spans);
    if (spans == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    size_t got = e->read(spans, count);
    if (e->lost() > 0) {
        free(spans);
        return cf_error_set(err, CF_DEVICE, "the emulated device could not keep all commands of the step");
    }
    tell(ze, spans, got < count ? got : count);
    free(spans);
    return CF_OK;
}

cf_status cf_level_zero_spans(cf_device *device, cf_span_sink *sink, void *user, cf_error *err)
{
    cf_ze *ze = device->state;
    emulator e = {0};
    if (ze->emulated == NULL)
        return cf_error_set(err, CF_UNSUPPORTED,
                            "level-zero cannot tell when its commands ran: only an emulated device can");
    cf_status status = find(&e, err);
    if (status != CF_OK)
        return status;
    if (sink == NULL) {
        status = ze->notes.sink != NULL ? deliver(ze, &e, err) : CF_OK;
        e.end();
        free(ze->notes.items);
        ze->notes = (cf_ze_notes){0};
        return status;
    }
    if (ze->notes.items == NULL)
        ze->notes.items = calloc(MOST_NOTES, sizeof *ze->notes.items);
    if (ze->notes.items == NULL || e.begin() != 0)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    ze->notes.sink = sink;
    ze->notes.user = user;
    ze->notes.count = 0;
    ze->step_ns = cf_clock_now_ns();
    return CF_OK;
}
