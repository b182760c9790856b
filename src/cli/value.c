#include "cli/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define BLANKS " \t\n"

cf_status cf_option_strings_add(cf_option_strings *strings, const char *text, size_t size_bytes, cf_error *err)
{
    char **items = realloc(strings->items, (strings->count + 1) * sizeof *items);
    if (!items)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    strings->items = items;
    char *copy = strndup(text, size_bytes);
    if (!copy)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    items[strings->count++] = copy;
    return CF_OK;
}

static cf_status store_u64(const cf_option_spec *spec, const char *source, const char *value, cf_option_u64 *field,
                           cf_error *err)
{
    if (!cf_text_parse_u64(value, spec->min, spec->max, &field->value))
        return cf_error_set(err, CF_INPUT, "%s: '%s' is not a whole number from %llu to %llu", source, value,
                            (unsigned long long)spec->min, (unsigned long long)spec->max);
    field->set = true;
    return CF_OK;
}

static cf_status store_double(const cf_option_spec *spec, const char *source, const char *value,
                              cf_option_double *field, cf_error *err)
{
    if (!cf_text_parse_double(value, spec->low, spec->high, &field->value))
        return cf_error_set(err, CF_INPUT, "%s: '%s' is not a number from %g to %g", source, value, spec->low,
                            spec->high);
    field->set = true;
    return CF_OK;
}

static cf_status store_choice(const cf_option_spec *spec, const char *source, const char *value,
                              cf_option_choice *field, cf_error *err)
{
    int found = cf_text_find(spec->words, value);
    if (found < 0) {
        char list[128];
        return cf_error_set(err, CF_INPUT, "%s: '%s' is not %s", source, value,
                            cf_text_list(spec->words, list, sizeof list));
    }
    *field = (cf_option_choice){.set = true, .value = found};
    return CF_OK;
}

cf_status cf_option_store(cf_options *options, const cf_option_spec *spec, const char *source, const char *value,
                          cf_error *err)
{
    if (!*value)
        return cf_error_set(err, CF_INPUT, "%s: it needs a value, %s", source, spec->argument);
    void *field = cf_option_field(options, spec->field);
    switch (spec->kind) {
    case CF_VALUE_FLAG:
        break;
    case CF_VALUE_STRING:
        *(const char **)field = value;
        break;
    case CF_VALUE_STRINGS:
        return cf_option_strings_add(field, value, strlen(value), err);
    case CF_VALUE_U64:
        return store_u64(spec, source, value, field, err);
    case CF_VALUE_DOUBLE:
        return store_double(spec, source, value, field, err);
    case CF_VALUE_CHOICE:
        return store_choice(spec, source, value, field, err);
    }
    return CF_OK;
}

/* Values separated by ';', which begins a comment in a job and so never stands in a value; they go before those of the
   command line, which wins. */
static cf_status store_variable_strings(cf_option_strings *strings, const char *value, cf_error *err)
{
    cf_option_strings given = *strings;
    *strings = (cf_option_strings){0};
    cf_status status = CF_OK;
    while (!status && *value) {
        size_t size_bytes = strcspn(value, ";");
        const char *begin = value + strspn(value, BLANKS), *end = value + size_bytes;
        while (end > begin && strchr(BLANKS, end[-1]))
            end--;
        if (begin < end)
            status = cf_option_strings_add(strings, begin, (size_t)(end - begin), err);
        value += size_bytes + (value[size_bytes] == ';');
    }
    for (size_t i = 0; i < given.count; i++) {
        if (!status)
            status = cf_option_strings_add(strings, given.items[i], strlen(given.items[i]), err);
        free(given.items[i]);
    }
    free(given.items);
    return status;
}

static cf_status store_variable_flag(const cf_option_spec *spec, const char *value, bool *field, cf_error *err)
{
    if (cf_text_parse_bool(value, field))
        return CF_OK;
    return cf_error_set(err, CF_INPUT, "%s in the environment: '%s' is not yes or no", spec->variable, value);
}

cf_status cf_option_store_variable(cf_options *options, const cf_option_spec *spec, const char *value, cf_error *err)
{
    void *field = cf_option_field(options, spec->field);
    if (spec->kind == CF_VALUE_STRINGS)
        return store_variable_strings(field, value, err);
    if (spec->kind == CF_VALUE_FLAG)
        return store_variable_flag(spec, value, field, err);
    char source[64];
    snprintf(source, sizeof source, "%s in the environment", spec->variable);
    return cf_option_store(options, spec, source, value, err);
}
