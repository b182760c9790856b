#include "cli/set_options.h"

#include <stdlib.h>

#include "base/text.h"
#include "cli/spec.h"
#include "cli/value.h"

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

/* ---- the options that every process is given ---- */

/* Those of the set itself, and those of what is shown at its end. */
static bool is_ours(const char *name)
{
    static const char *const names[] = {"output", "json",    "csv",    "expect",    "resume",
                                        "quiet",  "verbose", "color",  "processes", "vary-env",
                                        "sweep",  "seed",    "device", "help",      NULL};
    return cf_text_find(names, name) >= 0;
}

static cf_status add_format(cf_set_strings *to, char *text, cf_error *err)
{
    if (text == NULL)
        return no_memory(err);
    cf_status status = cf_set_strings_add(to, text, err);
    free(text);
    return status;
}

static cf_status add_strings(const cf_option_spec *spec, const cf_option_strings *strings, cf_set_strings *to,
                             cf_error *err)
{
    cf_status status = CF_OK;
    for (size_t i = 0; i < strings->count && status == CF_OK; i++)
        status = add_format(to, cf_text_format("--%s=%s", spec->name, strings->items[i]), err);
    return status;
}

static cf_status add_option(cf_options *o, const cf_option_spec *spec, cf_set_strings *to, cf_error *err)
{
    void *field = cf_option_field(o, spec->field);
    char number[40];
    switch (spec->kind) {
    case CF_VALUE_FLAG:
        return *(const bool *)field ? add_format(to, cf_text_format("--%s", spec->name), err) : CF_OK;
    case CF_VALUE_STRING: {
        const char *text = *(const char *const *)field;
        return text != NULL ? add_format(to, cf_text_format("--%s=%s", spec->name, text), err) : CF_OK;
    }
    case CF_VALUE_STRINGS:
        return add_strings(spec, field, to, err);
    case CF_VALUE_U64: {
        const cf_option_u64 *value = field;
        return value->set
                   ? add_format(to, cf_text_format("--%s=%llu", spec->name, (unsigned long long)value->value), err)
                   : CF_OK;
    }
    case CF_VALUE_DOUBLE: {
        const cf_option_double *value = field;
        return value->set ? add_format(to,
                                       cf_text_format("--%s=%s", spec->name,
                                                      cf_text_shortest(value->value, number, sizeof number)),
                                       err)
                          : CF_OK;
    }
    case CF_VALUE_CHOICE: {
        const cf_option_choice *value = field;
        return value->set ? add_format(to, cf_text_format("--%s=%s", spec->name, spec->words[value->value]), err)
                          : CF_OK;
    }
    }
    return CF_OK;
}

/* Also what came from our variables, which the process does not see. */
cf_status cf_set_options_gather(const cf_options *options, cf_set_strings *to, cf_error *err)
{
    cf_options o = *options;
    cf_status status = o.job_path != NULL ? cf_set_strings_add(to, o.job_path, err) : CF_OK;
    for (size_t i = 0; i < cf_option_spec_count && status == CF_OK; i++) {
        const cf_option_spec *spec = &cf_option_specs[i];
        if (cf_option_taken_by(spec, CF_COMMAND_RUN) && !is_ours(spec->name))
            status = add_option(&o, spec, to, err);
    }
    return status;
}

/* ---- a member's process ---- */

cf_status cf_set_arguments(const cf_set *set, const char *path, const cf_set_member *member, bool goes_on,
                           cf_set_strings *ret_argv, cf_error *err)
{
    char *record = cf_set_member_path(path, member);
    cf_status status = record != NULL ? CF_OK : no_memory(err);
    static const char *const head[] = {"confound", "run"};
    static const char *const tail[] = {"--quiet", "--color=never"};
    for (size_t i = 0; i < 2 && status == CF_OK; i++)
        status = cf_set_strings_add(ret_argv, head[i], err);
    for (size_t i = 0; i < set->options.count && status == CF_OK; i++)
        status = cf_set_strings_add(ret_argv, set->options.items[i], err);
    if (status == CF_OK && set->kind == CF_SET_SWEEP)
        status = add_format(ret_argv, cf_text_format("--set=%s=%s", set->key, set->values.items[member->group]), err);
    if (status == CF_OK && set->kind == CF_SET_ENV)
        status = add_format(ret_argv, cf_text_format("--record-env=%s", set->key), err);
    if (status == CF_OK)
        status = add_format(ret_argv, cf_text_format("--device=%s", set->device), err);
    if (status == CF_OK)
        status = add_format(ret_argv, cf_text_format("--seed=%llu", (unsigned long long)member->seed), err);
    if (status == CF_OK)
        status = add_format(ret_argv, cf_text_format("--output=%s", record), err);
    if (status == CF_OK && goes_on)
        status = add_format(ret_argv, cf_text_format("--resume=%s", record), err);
    for (size_t i = 0; i < 2 && status == CF_OK; i++)
        status = cf_set_strings_add(ret_argv, tail[i], err);
    free(record);
    return status;
}
