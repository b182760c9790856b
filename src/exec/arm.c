#include "exec/arm.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "exec/words.h"

#define NAME_BYTES 40

void cf_arms_done(cf_arms *arms)
{
    for (int i = 0; i < arms->count; i++) {
        free(arms->items[i].name);
        free(arms->items[i].prefix);
        cf_words_done(&arms->items[i].sets);
        cf_words_done(&arms->items[i].command);
    }
    *arms = (cf_arms){.count = 0};
}

/* What may stand in a file's name, too: outputs are kept under it. */
static bool is_name(const char *name, size_t size_bytes)
{
    if (size_bytes == 0 || size_bytes > NAME_BYTES || !isalnum((unsigned char)name[0]))
        return false;
    for (size_t i = 0; i < size_bytes; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("._+-", name[i]))
            return false;
    return true;
}

/* "VAR=value", as env would take it. */
static bool is_set(const char *word)
{
    const char *equals = strchr(word, '=');
    if (!equals || equals == word || isdigit((unsigned char)word[0]))
        return false;
    for (const char *at = word; at < equals; at++)
        if (!isalnum((unsigned char)*at) && *at != '_')
            return false;
    return true;
}

static cf_status fill(cf_arm *arm, const cf_strings *program, cf_error *err)
{
    cf_strings words = {0};
    size_t sets = 0;
    cf_status status = arm->prefix ? cf_words_split(arm->name, arm->prefix, &words, err) : CF_OK;
    while (!status && sets < words.count && is_set(words.items[sets]))
        sets++;
    if (!status)
        status = cf_words_copy(words.items, sets, &arm->sets, err);
    const size_t own = words.count - sets;
    char **all = calloc(own + program->count + 1, sizeof *all);
    if (!status && !all)
        status = cf_error_set(err, CF_MEMORY, "out of memory");
    for (size_t i = 0; !status && i < own + program->count; i++)
        all[i] = i < own ? words.items[sets + i] : program->items[i - own];
    if (!status)
        status = cf_words_copy(all, own + program->count, &arm->command, err);
    free(all);
    cf_words_done(&words);
    return status;
}

static cf_status add(cf_arms *arms, const char *name, size_t name_bytes, const char *prefix, const cf_strings *program,
                     cf_error *err)
{
    if (arms->count == CF_MAX_VARIANTS)
        return cf_error_set(err, CF_INPUT, "--arm: at most %d arms are accepted", CF_MAX_VARIANTS - 2);
    cf_arm *arm = &arms->items[arms->count++];
    *arm = (cf_arm){.name = cf_text_format("%.*s", (int)name_bytes, name)};
    if (prefix && prefix[strspn(prefix, " \t\n")])
        arm->prefix = cf_text_dup(prefix);
    if (!arm->name || (prefix && prefix[0] && prefix[strspn(prefix, " \t\n")] && !arm->prefix))
        return cf_error_set(err, CF_MEMORY, "out of memory");
    return fill(arm, program, err);
}

static bool is_control(const char *given, size_t name_bytes)
{
    return name_bytes == strlen(CF_ARM_CONTROL) && strncmp(given, CF_ARM_CONTROL, name_bytes) == 0;
}

static cf_status check(const cf_arms *arms, const char *given, cf_error *err)
{
    const char *equals = strchr(given, '=');
    const size_t name_bytes = equals ? (size_t)(equals - given) : 0;
    if (!equals || !is_name(given, name_bytes))
        return cf_error_set(err, CF_INPUT,
                            "--arm '%.100s': NAME=PREFIX is accepted, NAME of letters, digits and . _ + -, at most %d",
                            given, NAME_BYTES);
    const bool empty = !equals[1 + strspn(equals + 1, " \t\n")];
    if (is_control(given, name_bytes) && !empty)
        return cf_error_set(err, CF_INPUT, "--arm '%.100s': none is the program as it is, nothing stands before it",
                            given);
    if (!is_control(given, name_bytes) && empty)
        return cf_error_set(err, CF_INPUT, "--arm '%.100s': nothing stands behind '='; only none is empty", given);
    for (int i = 0; i < arms->count; i++)
        if (i != 0 && strlen(arms->items[i].name) == name_bytes && strncmp(arms->items[i].name, given, name_bytes) == 0)
            return cf_error_set(err, CF_INPUT, "--arm '%.100s': there is an arm of that name", given);
    return CF_OK;
}

cf_status cf_arms_read(char *const *given, size_t count, const cf_strings *program, cf_arms *ret, cf_error *err)
{
    *ret = (cf_arms){.count = 0};
    cf_status status = add(ret, CF_ARM_CONTROL, strlen(CF_ARM_CONTROL), NULL, program, err);
    if (!status)
        status = add(ret, CF_ARM_AGAIN, strlen(CF_ARM_AGAIN), NULL, program, err);
    for (size_t i = 0; !status && i < count; i++) {
        status = check(ret, given[i], err);
        if (status || is_control(given[i], strcspn(given[i], "=")))
            continue;
        const size_t name_bytes = strcspn(given[i], "=");
        status = add(ret, given[i], name_bytes, given[i] + name_bytes + 1, program, err);
    }
    if (!status && ret->count == 2)
        return cf_error_set(err, CF_INPUT,
                            "exec: an arm is missing: --arm NAME=PREFIX, what stands before the program");
    return status;
}

cf_status cf_arms_of_record(const cf_record *record, cf_arms *ret, cf_error *err)
{
    cf_status status = CF_OK;
    *ret = (cf_arms){.count = 0};
    for (int v = 0; !status && v < record->variant_count; v++)
        status = add(ret, record->variants[v].name, strlen(record->variants[v].name), record->variants[v].prefix,
                     &record->metric.program, err);
    return status;
}
