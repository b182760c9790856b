#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/spec.h"
#include "cli/value.h"

typedef struct parser {
    cf_options *options;
    cf_error *err;
    int argc, at;
    char **argv;
    uint64_t seen; /* bit set of options given on the command line, by place in the table */
    bool positional_seen;
} parser;

static const char *name_of(cf_command command)
{
    return cf_command_specs[command].name;
}

/* The nearest known word as the end of a message, "" where none is near. */
static const char *hint(const char *const *names, const char *dashes, const char *word, char *buf, size_t buf_bytes)
{
    const char *nearest = cf_text_nearest(names, word);
    buf[0] = '\0';
    if (nearest)
        snprintf(buf, buf_bytes, "; did you mean %s%s?", dashes, nearest);
    return buf;
}

static const cf_option_spec *spec_by_name(cf_command command, const char *name, size_t size_bytes)
{
    for (size_t i = 0; i < cf_option_spec_count; i++) {
        const cf_option_spec *spec = &cf_option_specs[i];
        if (cf_option_taken_by(spec, command) && strlen(spec->name) == size_bytes &&
            !strncmp(spec->name, name, size_bytes))
            return spec;
    }
    return NULL;
}

static const cf_option_spec *spec_by_letter(cf_command command, char letter)
{
    for (size_t i = 0; i < cf_option_spec_count; i++) {
        const cf_option_spec *spec = &cf_option_specs[i];
        if (cf_option_taken_by(spec, command) && spec->letter && spec->letter == letter)
            return spec;
    }
    return NULL;
}

/* The first command that takes an option of that name, CF_COMMAND_COUNT if there is none. */
static cf_command owner_of(const char *name, size_t size_bytes)
{
    for (int command = 0; command < CF_COMMAND_COUNT; command++) {
        if (spec_by_name((cf_command)command, name, size_bytes))
            return (cf_command)command;
    }
    return CF_COMMAND_COUNT;
}

static cf_status unknown_option(cf_command command, const char *name, size_t size_bytes, cf_error *err)
{
    cf_command owner = owner_of(name, size_bytes);
    if (owner < CF_COMMAND_COUNT)
        return cf_error_set(err, CF_INPUT, "%s takes no option --%.*s; %s does", name_of(command), (int)size_bytes,
                            name, name_of(owner));
    const char *names[CF_OPTION_SPEC_MAX + 1];
    size_t count = 0;
    for (size_t i = 0; i < cf_option_spec_count; i++) {
        if (cf_option_taken_by(&cf_option_specs[i], command))
            names[count++] = cf_option_specs[i].name;
    }
    names[count] = NULL;
    char word[64], nearest[96];
    snprintf(word, sizeof word, "%.*s", (int)size_bytes, name);
    hint(names, "--", word, nearest, sizeof nearest);
    if (!nearest[0])
        snprintf(nearest, sizeof nearest, "; 'confound help %s' lists them", name_of(command));
    return cf_error_set(err, CF_INPUT, "%s: unknown option --%.*s%s", name_of(command), (int)size_bytes, name, nearest);
}

static void mark_seen(parser *p, const cf_option_spec *spec)
{
    p->seen |= UINT64_C(1) << (spec - cf_option_specs);
}

static bool was_seen(const parser *p, const cf_option_spec *spec)
{
    return (p->seen >> (spec - cf_option_specs) & 1) != 0;
}

/* value NULL: the next argument. */
static cf_status take(parser *p, const cf_option_spec *spec, const char *source, const char *value)
{
    mark_seen(p, spec);
    if (spec->kind == CF_VALUE_FLAG) {
        *(bool *)cf_option_field(p->options, spec->field) = true;
        return CF_OK;
    }
    if (!value)
        value = spec->alone;
    if (!value && p->at == p->argc)
        return cf_error_set(p->err, CF_INPUT, "%s: it needs a value, %s", source, spec->argument);
    if (!value)
        value = p->argv[p->at++];
    return cf_option_store(p->options, spec, source, value, p->err);
}

static cf_status take_long(parser *p, const char *argument)
{
    const char *name = argument + 2;
    const char *equals = strchr(name, '=');
    size_t size_bytes = equals ? (size_t)(equals - name) : strlen(name);
    const cf_option_spec *spec = spec_by_name(p->options->command, name, size_bytes);
    if (!spec)
        return unknown_option(p->options->command, name, size_bytes, p->err);
    char source[64];
    snprintf(source, sizeof source, "--%s", spec->name);
    if (spec->kind == CF_VALUE_FLAG && equals)
        return cf_error_set(p->err, CF_INPUT, "%s: it takes no value", source);
    return take(p, spec, source, equals ? equals + 1 : NULL);
}

/* -q, -qv, -o FILE, -oFILE. */
static cf_status take_letters(parser *p, const char *argument)
{
    for (const char *letter = argument + 1; *letter; letter++) {
        const cf_option_spec *spec = spec_by_letter(p->options->command, *letter);
        if (!spec)
            return cf_error_set(p->err, CF_INPUT, "%s: unknown option '%s'; 'confound help %s' lists them",
                                name_of(p->options->command), argument, name_of(p->options->command));
        char source[] = {'-', *letter, '\0'};
        bool is_flag = spec->kind == CF_VALUE_FLAG;
        cf_status status = take(p, spec, source, !is_flag && letter[1] ? letter + 1 : NULL);
        if (status || !is_flag)
            return status;
    }
    return CF_OK;
}

/* The second word of `help plan COMMAND`; false where it is none. */
static bool take_subname(const parser *p, const char *argument)
{
    cf_options *options = p->options;
    if (options->command != CF_COMMAND_HELP || !p->positional_seen || options->subname ||
        strcmp(options->name, "plan") != 0)
        return false;
    options->subname = argument;
    return true;
}

static cf_status take_positional(parser *p, const char *argument)
{
    const cf_command_spec *spec = &cf_command_specs[p->options->command];
    if (take_subname(p, argument))
        return CF_OK;
    if (!spec->argument)
        return cf_error_set(p->err, CF_INPUT, "%s takes no argument, but '%s' was given", spec->name, argument);
    if (p->positional_seen && !spec->many)
        return cf_error_set(p->err, CF_INPUT, "%s takes one argument, %s, but '%s' was given as well", spec->name,
                            spec->argument, argument);
    if (!*argument && !(spec->rest && p->positional_seen))
        return cf_error_set(p->err, CF_INPUT, "%s: the argument %s is empty", spec->name, spec->argument);
    p->positional_seen = true;
    if (spec->many)
        return cf_option_strings_add(cf_option_field(p->options, spec->field), argument, strlen(argument), p->err);
    *(const char **)cf_option_field(p->options, spec->field) = argument;
    return CF_OK;
}

static cf_status take_one(parser *p, const char *argument)
{
    if (argument[0] != '-' || !argument[1]) /* "-" alone is standard input */
        return take_positional(p, argument);
    return argument[1] == '-' ? take_long(p, argument) : take_letters(p, argument);
}

static cf_status take_arguments(parser *p)
{
    cf_status status = CF_OK;
    bool options_ended = false;
    while (!status && p->at < p->argc) {
        const char *argument = p->argv[p->at++];
        options_ended = options_ended || (cf_command_specs[p->options->command].rest && p->positional_seen);
        if (options_ended)
            status = take_positional(p, argument);
        else if (!strcmp(argument, "--"))
            options_ended = true;
        else
            status = take_one(p, argument);
    }
    return status;
}

/* What stands before a command: --help and --version, and nothing else. */
static cf_status take_program_option(parser *p, const char *argument)
{
    if (!strcmp(argument, "--version")) {
        p->options->command = CF_COMMAND_VERSION;
        return CF_OK;
    }
    if (!strcmp(argument, "--help") || !strcmp(argument, "-h")) {
        p->options->command = CF_COMMAND_HELP;
        return CF_OK;
    }
    size_t size_bytes = strcspn(argument, "=");
    bool is_long = size_bytes > 2 && argument[1] == '-';
    cf_command owner = is_long ? owner_of(argument + 2, size_bytes - 2) : CF_COMMAND_COUNT;
    if (owner < CF_COMMAND_COUNT)
        return cf_error_set(p->err, CF_INPUT, "%s stands after its command: confound %s %s", argument, name_of(owner),
                            argument);
    static const char *const names[] = {"help", "version", NULL};
    char word[64], nearest[96];
    snprintf(word, sizeof word, "%s", is_long ? argument + 2 : "");
    return cf_error_set(p->err, CF_INPUT, "unknown option %s before a command%s", argument,
                        hint(names, "--", word, nearest, sizeof nearest));
}

/* The word after `plan`; an option there is plan's own. */
static cf_status take_plan_command(parser *p)
{
    char list[128], nearest[96];
    if (p->at < p->argc && p->argv[p->at][0] == '-')
        return CF_OK;
    if (p->at == p->argc)
        return cf_error_set(p->err, CF_INPUT, "plan: a command is missing: %s",
                            cf_text_list(cf_plan_command_names, list, sizeof list));
    const char *word = p->argv[p->at++];
    int found = cf_text_find(cf_plan_command_names, word);
    if (found >= 0) {
        p->options->command = (cf_command)(CF_COMMAND_PLAN_INIT + found);
        return CF_OK;
    }
    hint(cf_plan_command_names, "", word, nearest, sizeof nearest);
    if (nearest[0])
        return cf_error_set(p->err, CF_INPUT, "plan: unknown command '%s'%s", word, nearest);
    return cf_error_set(p->err, CF_INPUT, "plan: unknown command '%s'; commands are %s", word,
                        cf_text_list(cf_plan_command_names, list, sizeof list));
}

static cf_status take_command(parser *p)
{
    char list[128];
    if (p->at == p->argc)
        return cf_error_set(p->err, CF_INPUT, "a command is missing: %s",
                            cf_text_list(cf_command_names, list, sizeof list));
    const char *word = p->argv[p->at++];
    if (word[0] == '-')
        return take_program_option(p, word);
    int found = cf_text_find(cf_command_names, word);
    if (found >= 0) {
        p->options->command = (cf_command)found;
        return found == CF_COMMAND_PLAN ? take_plan_command(p) : CF_OK;
    }
    char nearest[96];
    hint(cf_command_names, "", word, nearest, sizeof nearest);
    if (nearest[0])
        return cf_error_set(p->err, CF_INPUT, "unknown command '%s'%s", word, nearest);
    return cf_error_set(p->err, CF_INPUT, "unknown command '%s'; commands are %s", word,
                        cf_text_list(cf_command_names, list, sizeof list));
}

static cf_status take_environment(parser *p, cf_environ_lookup *lookup)
{
    for (size_t i = 0; i < cf_option_spec_count; i++) {
        const cf_option_spec *spec = &cf_option_specs[i];
        if (!spec->variable || !cf_option_taken_by(spec, p->options->command))
            continue;
        const char *value = lookup(spec->variable);
        if (!value || !*value)
            continue;
        cf_status status = CF_OK;
        if (!was_seen(p, spec) || spec->kind == CF_VALUE_STRINGS)
            status = cf_option_store_variable(p->options, spec, value, p->err);
        if (status)
            return status;
    }
    return CF_OK;
}

/* --quiet beside a CONFOUND_VERBOSE of the environment is no contradiction: the command line wins. */
static cf_status settle_loudness(parser *p)
{
    cf_options *options = p->options;
    if (!options->quiet || !options->verbose)
        return CF_OK;
    bool quiet_seen = was_seen(p, spec_by_name(CF_COMMAND_RUN, "quiet", 5));
    bool verbose_seen = was_seen(p, spec_by_name(CF_COMMAND_RUN, "verbose", 7));
    if (quiet_seen == verbose_seen)
        return cf_error_set(p->err, CF_INPUT, "quiet and verbose exclude each other");
    options->quiet = quiet_seen;
    options->verbose = verbose_seen;
    return CF_OK;
}

static cf_status check(parser *p)
{
    const cf_options *options = p->options;
    const cf_command_spec *spec = &cf_command_specs[options->command];
    if (spec->required && !p->positional_seen)
        return cf_error_set(p->err, CF_INPUT, "%s: %s is missing: confound %s %s", spec->name, spec->what, spec->name,
                            spec->argument);
    if (options->rounds.set && options->min_rounds.set && options->min_rounds.value > options->rounds.value)
        return cf_error_set(p->err, CF_INPUT, "--min-rounds %llu is more than --rounds %llu",
                            (unsigned long long)options->min_rounds.value, (unsigned long long)options->rounds.value);
    if (options->records.count > 0)
        p->options->record_path = options->records.items[0];
    return settle_loudness(p);
}

static const char *process_environment(const char *name)
{
    return getenv(name);
}

cf_status cf_options_parse(int argc, char **argv, cf_environ_lookup *environ_lookup, cf_options *ret_options,
                           cf_error *err)
{
    *ret_options = (cf_options){0};
    parser p = {.options = ret_options, .err = err, .argc = argc, .at = argc > 0 ? 1 : 0, .argv = argv};
    cf_status status = take_command(&p);
    if (!status)
        status = take_arguments(&p);
    if (status || ret_options->help)
        return status;
    status = take_environment(&p, environ_lookup ? environ_lookup : process_environment);
    return status ? status : check(&p);
}

static void strings_done(cf_option_strings *strings)
{
    for (size_t i = 0; i < strings->count; i++)
        free(strings->items[i]);
    free(strings->items);
}

void cf_options_done(cf_options *options)
{
    if (!options)
        return;
    strings_done(&options->sets);
    strings_done(&options->records);
    strings_done(&options->program);
    strings_done(&options->arms);
    strings_done(&options->paths);
    strings_done(&options->work);
    *options = (cf_options){0};
}
