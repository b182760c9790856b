#include "model/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define MAX_RATE  (UINT64_C(1) << 60)
#define MODEL(f)  offsetof(cf_model, f)
#define ENGINE(f) offsetof(cf_model_engine, f)
#define EVENT(f)  offsetof(cf_model_event, f)
#define TIMING(f) MODEL(events[CF_EVENT_TIMING].f)

#define EVENT_KEYS                                                                                                     \
    {"lowering", CF_VALUE_LOWERING, EVENT(lowering), 0, 0}, {"engine", CF_VALUE_ENGINE_OWN, EVENT(engine), 0, 0},      \
        {"cost_ns", CF_VALUE_NS, EVENT(cost_ns), 0, 0},                                                                \
    {                                                                                                                  \
        "host_ns", CF_VALUE_NS, EVENT(host_ns), 0, 0                                                                   \
    }

const cf_model_section cf_model_sections[] = {
    {"model",
     "",
     false,
     CF_BASE_MODEL,
     {{"name", CF_VALUE_NAME, MODEL(name), 0, 0},
      {"about", CF_VALUE_TEXT, MODEL(about), 0, 0},
      {"contention", CF_VALUE_FRACTION, MODEL(contention_p), 0, 0},
      {"queue_depth", CF_VALUE_COUNT, MODEL(queue_depth), 0, 1e9},
      {"blocking_copy", CF_VALUE_BOOL, MODEL(blocking_copy), 0, 0}}},
    {"engine",
     "NAME",
     true,
     CF_BASE_ENGINE,
     {{"order", CF_VALUE_ORDER, ENGINE(ready), 0, 0},
      {"width", CF_VALUE_COUNT32, ENGINE(width), 1, 1e6},
      {"queues", CF_VALUE_COUNT32, ENGINE(queues), 0, 1e6},
      {"runs", CF_VALUE_RUNS, ENGINE(runs), 0, 0},
      {"rate", CF_VALUE_RATE, ENGINE(rate_bytes_per_s), 0, 0},
      {"latency_ns", CF_VALUE_NS, ENGINE(latency_ns), 0, 0}}},
    {"event", "sync", false, CF_BASE_EVENT, {EVENT_KEYS}},
    {"event",
     "timing",
     false,
     CF_BASE_EVENT,
     {EVENT_KEYS,
      {"sticky", CF_VALUE_BOOL, EVENT(sticky), 0, 0},
      {"arm_late_ignored", CF_VALUE_BOOL, EVENT(arm_late_ignored), 0, 0}}},
    {"host",
     "",
     false,
     CF_BASE_MODEL,
     {{"copy_ns", CF_VALUE_NS, MODEL(copy_ns), 0, 0}, {"kernel_ns", CF_VALUE_NS, MODEL(kernel_ns), 0, 0}}},
    {"noise",
     "",
     false,
     CF_BASE_MODEL,
     {{"iid", CF_VALUE_NUMBER, MODEL(noise.iid), 0, 1},
      {"ar", CF_VALUE_NUMBER, MODEL(noise.ar), 0, 1},
      {"phi", CF_VALUE_NUMBER, MODEL(noise.phi), -0.9999, 0.9999},
      {"spike_probability", CF_VALUE_NUMBER, MODEL(noise.spike_probability), 0, 1},
      {"spike_factor", CF_VALUE_NUMBER, MODEL(noise.spike_factor), 0.001, 1000},
      {"drift", CF_VALUE_NUMBER, MODEL(noise.drift), -0.9, 100},
      {"seed", CF_VALUE_COUNT, MODEL(noise.seed), 0, 9007199254740991.0}}},
    {"habits",
     "",
     false,
     CF_BASE_MODEL,
     {{"first_use_ns", CF_VALUE_NS, MODEL(first_use_ns), 0, 0},
      {"first_use_drains", CF_VALUE_BOOL, MODEL(first_use_drains), 0, 0},
      {"sticky", CF_VALUE_BOOL, TIMING(sticky), 0, 0},
      {"arm_late_ignored", CF_VALUE_BOOL, TIMING(arm_late_ignored), 0, 0}}},
    {"timestamps",
     "ENGINE",
     true,
     CF_BASE_ENGINE,
     {{"offset_ns", CF_VALUE_SIGNED_NS, ENGINE(stamp_offset_ns), 0, 0},
      {"rate", CF_VALUE_NUMBER, ENGINE(stamp_rate), 1e-6, 1e6},
      {"wrap_bits", CF_VALUE_COUNT32, ENGINE(stamp_wrap_bits), 0, 63}}},
    {"fault",
     "",
     false,
     CF_BASE_MODEL,
     {{"stall_engine", CF_VALUE_ENGINE_NONE, MODEL(fault.stall_engine), 0, 0},
      {"stall_ns", CF_VALUE_NS, MODEL(fault.stall_ns), 0, 0},
      {"stall_at", CF_VALUE_COUNT, MODEL(fault.stall_at), 0, 1e15},
      {"ignore_waits", CF_VALUE_BOOL, MODEL(fault.ignore_waits), 0, 0},
      {"wrong_engine", CF_VALUE_BOOL, MODEL(fault.wrong_engine), 0, 0}}},
    {NULL, NULL, false, CF_BASE_MODEL, {{NULL, CF_VALUE_NAME, 0, 0, 0}}},
};

static const char *const orders[] = {"ring", "ready", NULL};
static const char *const lowerings[] = {"none", "command", "hold", NULL}; /* in the order of cf_lowering */

int cf_model_engine_named(const cf_model *model, const char *name)
{
    for (size_t i = 0; i < model->engine_count; i++) {
        if (strcmp(model->engines[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

static bool read_name(const char *text, char *ret_name)
{
    const size_t length = strlen(text);
    if (!length || length >= CF_MODEL_NAME_BYTES)
        return false;
    memcpy(ret_name, text, length + 1);
    return true;
}

static bool read_signed_ns(const char *text, int64_t *ret_ns)
{
    const bool negative = text[0] == '-';
    uint64_t ns;
    if (!cf_text_parse_ns(text + (negative || text[0] == '+'), CF_MODEL_MAX_NS, &ns))
        return false;
    *ret_ns = negative ? -(int64_t)ns : (int64_t)ns;
    return true;
}

/* "10GiB/s", "10GiB", "10000000000": the unit of time may be left out. */
static bool read_rate(const char *text, uint64_t *ret_rate)
{
    char size[64];
    size_t length = strlen(text);
    if (length >= 2 && strcmp(text + length - 2, "/s") == 0)
        length -= 2;
    while (length && text[length - 1] == ' ')
        length--;
    if (length >= sizeof size)
        return false;
    memcpy(size, text, length);
    size[length] = 0;
    uint64_t rate;
    if (!cf_text_parse_bytes(size, MAX_RATE, &rate) || !rate)
        return false;
    *ret_rate = rate;
    return true;
}

static unsigned kinds_of(const char *word)
{
    if (strcmp(word, "copy") == 0)
        return 1u << CF_OP_H2D | 1u << CF_OP_D2H | 1u << CF_OP_D2D;
    const int kind = cf_text_find(cf_op_names, word);
    return kind < 0 ? 0 : 1u << kind;
}

/* Words between blanks or commas; each a kind of operation or `copy`. */
static bool read_runs(const char *text, unsigned *ret_runs)
{
    unsigned runs = 0;
    for (text += strspn(text, " \t,"); *text; text += strspn(text, " \t,")) {
        char word[16];
        const size_t length = strcspn(text, " \t,");
        if (length >= sizeof word)
            return false;
        memcpy(word, text, length);
        word[length] = 0;
        if (!kinds_of(word))
            return false;
        runs |= kinds_of(word);
        text += length;
    }
    if (!runs)
        return false;
    *ret_runs = runs;
    return true;
}

static bool read_word(const char *const *words, const char *text, int *ret_index)
{
    const int found = cf_text_find(words, text);
    if (found < 0)
        return false;
    *ret_index = found;
    return true;
}

static bool read_engine(const cf_model *model, const char *text, const char *no_engine, int *ret_engine)
{
    const int engine = cf_model_engine_named(model, text);
    if (engine < 0 && strcmp(text, no_engine) != 0)
        return false;
    *ret_engine = engine;
    return true;
}

static cf_status read_text(const char *text, char **ret_text)
{
    char *copy = cf_text_dup(text);
    if (!copy)
        return CF_MEMORY;
    free(*ret_text);
    *ret_text = copy;
    return CF_OK;
}

static bool read_plain(const cf_model_key *key, const cf_model *model, const char *text, void *to)
{
    uint64_t count;
    int word;
    switch (key->value) {
    case CF_VALUE_NAME:
        return read_name(text, to);
    case CF_VALUE_NS:
        return cf_text_parse_ns(text, CF_MODEL_MAX_NS, to);
    case CF_VALUE_SIGNED_NS:
        return read_signed_ns(text, to);
    case CF_VALUE_COUNT:
        return cf_text_parse_u64(text, (uint64_t)key->min, (uint64_t)key->max, to);
    case CF_VALUE_COUNT32:
        if (!cf_text_parse_u64(text, (uint64_t)key->min, (uint64_t)key->max, &count))
            return false;
        *(uint32_t *)to = (uint32_t)count;
        return true;
    case CF_VALUE_NUMBER:
        return cf_text_parse_double(text, key->min, key->max, to);
    case CF_VALUE_BOOL:
        return cf_text_parse_bool(text, to);
    case CF_VALUE_FRACTION:
        return cf_text_parse_fraction(text, to, (uint32_t *)to + 1);
    case CF_VALUE_RATE:
        return read_rate(text, to);
    case CF_VALUE_ORDER:
        if (!read_word(orders, text, &word))
            return false;
        *(bool *)to = word == 1;
        return true;
    case CF_VALUE_RUNS:
        return read_runs(text, to);
    case CF_VALUE_LOWERING:
        if (!read_word(lowerings, text, &word))
            return false;
        *(cf_lowering *)to = (cf_lowering)word;
        return true;
    case CF_VALUE_ENGINE_OWN:
        return read_engine(model, text, "own", to);
    case CF_VALUE_ENGINE_NONE:
        return read_engine(model, text, "none", to);
    case CF_VALUE_TEXT:
        break;
    }
    return false;
}

cf_status cf_model_key_read(const cf_model_key *key, const cf_model *model, const char *text, void *base)
{
    void *to = (char *)base + key->offset;
    if (key->value == CF_VALUE_TEXT)
        return read_text(text, to);
    return read_plain(key, model, text, to) ? CF_OK : CF_INPUT;
}

static const char *engine_list(const cf_model *model, const char *no_engine, char *buf, size_t buf_bytes)
{
    const char *names[CF_MODEL_MAX_ENGINES + 2] = {no_engine};
    for (size_t i = 0; i < model->engine_count; i++)
        names[i + 1] = model->engines[i].name;
    return cf_text_list(names, buf, buf_bytes);
}

static const char *runs_list(char *buf, size_t buf_bytes)
{
    const char *names[CF_OP_COUNT + 2] = {"copy"};
    for (int kind = 0; kind < CF_OP_COUNT; kind++)
        names[kind + 1] = cf_op_names[kind];
    char list[160];
    snprintf(buf, buf_bytes, "words with blanks or commas between: %s", cf_text_list(names, list, sizeof list));
    return buf;
}

const char *cf_model_key_accepts(const cf_model_key *key, const cf_model *model, char *buf, size_t buf_bytes)
{
    static const char *const fixed[] = {
        [CF_VALUE_NAME] = "a name of 1 to 47 bytes",
        [CF_VALUE_NS] = "a time of at most 2^50 ns, such as 250, 250ns, 2.5us, 1ms or 1s",
        [CF_VALUE_SIGNED_NS] = "a time of at most 2^50 ns to either side, such as -250, 2.5us or 1ms",
        [CF_VALUE_BOOL] = "yes or no",
        [CF_VALUE_FRACTION] = "a decimal above 0 and at most 1, with at most 9 decimals",
        [CF_VALUE_RATE] = "bytes per second from 1 to 2^60, such as 12000000000 or 10GiB/s",
    };
    switch (key->value) {
    case CF_VALUE_COUNT:
    case CF_VALUE_COUNT32:
        snprintf(buf, buf_bytes, "a whole number from %.0f to %.0f", key->min, key->max);
        return buf;
    case CF_VALUE_NUMBER:
        snprintf(buf, buf_bytes, "a number from %.15g to %.15g", key->min, key->max);
        return buf;
    case CF_VALUE_ORDER:
        return cf_text_list(orders, buf, buf_bytes);
    case CF_VALUE_LOWERING:
        return cf_text_list(lowerings, buf, buf_bytes);
    case CF_VALUE_ENGINE_OWN:
        return engine_list(model, "own", buf, buf_bytes);
    case CF_VALUE_ENGINE_NONE:
        return engine_list(model, "none", buf, buf_bytes);
    case CF_VALUE_RUNS:
        return runs_list(buf, buf_bytes);
    default:
        snprintf(buf, buf_bytes, "%s", fixed[key->value]);
        return buf;
    }
}
