#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "emulator/launcher.h"

static void print_help(void);
static void print_model(void);
static void print_models(void);
static void print_assumptions(void);
static void print_version(void);

#define PLACE(field) .place = offsetof(cf_emu_options, field)

const cf_emu_option cf_emu_option_list[] = {
    {"--model", "NAME|FILE", "what the GPU is taken to be (bmg)", PLACE(model)},
    {"--set", "SECTION.KEY=VALUE", "change one key of it; --set waits.stall=no takes a modelled wait away",
     PLACE(settings)},
    {"--drivers", "DIR", "the drivers, as confound-emulate-fetch DIR fetches them", PLACE(drivers)},
    {"--timeline", "FILE", "at the end, what each engine did, as text (- = standard error)", PLACE(timeline)},
    {"--spans", "FILE", "the same as JSON lines", PLACE(spans)},
    {"--log", "FILE", "calls of the drivers that are not answered (- = standard error)", PLACE(log)},
    {"--trace", "FILE", "every command as the engines met it, with its dwords (- = standard error)", PLACE(trace)},
    {"--quiet", NULL, "no line at the end that says how many kernels were not executed", PLACE(quiet)},
    {"--help", NULL, "print these lines", .answer = print_help},
    {"--help-model", NULL, "print every key of a model, with its standard value and its range", .answer = print_model},
    {"--models", NULL, "print the models that are built in", .answer = print_models},
    {"--assumptions", NULL, "print what is assumed of the hardware; it was never checked there",
     .answer = print_assumptions},
    {"--version", NULL, "print the version", .answer = print_version},
    {.name = NULL},
};

const char cf_emu_summary[] = "run a program with Intel's own drivers on an emulated GPU";
const char cf_emu_detail[] =
    "No GPU, no root, nothing installed. Kernels take time and are not executed; copies and fills move real bytes.\n"
    "docs/emulator.md has what is modelled and what is assumed.";
const char cf_emu_exits[] = "The exit status is the program's, 128 + N where signal N ended it; 2 bad usage, "
                            "4 no drivers, 5 the emulator failed.";

static void print_help(void)
{
    printf("confound-emulate: %s\n\nusage: confound-emulate [OPTION]... [--] PROGRAM [ARG]...\n\n%s\n\n",
           cf_emu_summary, cf_emu_detail);
    for (const cf_emu_option *option = cf_emu_option_list; option->name; option++) {
        char form[64];
        snprintf(form, sizeof form, "%s %s", option->name, option->argument ? option->argument : "");
        printf("  %-24s %s\n", form, option->about);
    }
    printf("\n%s\n", cf_emu_exits);
}

static void print_model(void)
{
    const char *section = "";
    cf_emu_model standard;
    cf_emu_model_standard(&standard);
    for (const cf_emu_key *key = cf_emu_keys; key->name; key++) {
        if (strcmp(section, key->section) != 0)
            printf("[%s]\n", section = key->section);
        if (key->unit == CF_EMU_FLAG)
            printf("%s = %s  ; %s\n", key->name, key->standard ? "yes" : "no", key->about);
        else
            printf("%s = %llu  ; %s; from %llu to %llu\n", key->name, (unsigned long long)key->standard, key->about,
                   (unsigned long long)key->min, (unsigned long long)key->max);
    }
}

static void print_assumptions(void)
{
    for (const cf_emu_key *key = cf_emu_keys; key->name; key++)
        if (key->assumption)
            printf("%s.%s: %s\n", key->section, key->name, key->assumption);
    for (size_t i = 0; cf_emu_assumptions[i]; i++)
        printf("always: %s\n", cf_emu_assumptions[i]);
}

static void print_models(void)
{
    for (const cf_emu_builtin *one = cf_emu_builtins; one->name; one++)
        puts(one->name);
}

static void print_version(void)
{
    puts("confound-emulate " CONFOUND_VERSION);
}

static int refuse(int *ret_exit, const char *what, const char *option)
{
    fprintf(stderr, "confound-emulate: %s%s; see confound-emulate --help\n", what, option);
    *ret_exit = 2;
    return 1;
}

static const cf_emu_option *find(const char *word, size_t length)
{
    for (const cf_emu_option *option = cf_emu_option_list; option->name; option++)
        if (strlen(option->name) == length && strncmp(option->name, word, length) == 0)
            return option;
    return NULL;
}

/* False: one setting too many. */
static bool put(cf_emu_options *options, const cf_emu_option *option, const char *value)
{
    const char **at = (const char **)((char *)options + option->place);
    if (at == options->settings)
        while (*at)
            at++;
    if (at == &options->settings[sizeof options->settings / sizeof *options->settings - 1])
        return false;
    *at = value;
    return true;
}

/* Takes the option at argv[*at], and its value. 0 = go on; else end with *ret_exit. */
static int take(int argc, char **argv, int *at, cf_emu_options *options, int *ret_exit)
{
    const char *word = argv[*at];
    const size_t length = strcspn(word, "=");
    const cf_emu_option *option = strcmp(word, "-h") == 0 ? find("--help", 6) : find(word, length);
    if (!option || (word[length] && !option->argument))
        return refuse(ret_exit, "no option ", word);
    if (option->answer) {
        option->answer();
        *ret_exit = 0;
        return 1;
    }
    if (!option->argument) {
        *(bool *)((char *)options + option->place) = true;
        return 0;
    }
    if (!word[length] && *at + 1 >= argc)
        return refuse(ret_exit, "no value after ", word);
    if (!put(options, option, word[length] ? word + length + 1 : argv[++*at]))
        return refuse(ret_exit, "too many of ", option->name);
    return 0;
}

int cf_emu_options_parse(int argc, char **argv, cf_emu_options *ret_options, int *ret_exit)
{
    *ret_options = (cf_emu_options){.model = "bmg"};
    int at = 1;
    for (; at < argc && argv[at][0] == '-' && strcmp(argv[at], "--") != 0; at++)
        if (take(argc, argv, &at, ret_options, ret_exit) != 0)
            return 1;
    if (at < argc && strcmp(argv[at], "--") == 0)
        at++;
    if (at >= argc)
        return refuse(ret_exit, "no program to run", "");
    ret_options->program = argv + at;
    return 0;
}

#define MODEL_BYTES (1u << 20)

cf_status cf_emu_model_find(const char *name, const char *const *settings, cf_emu_model *ret_model, cf_error *err)
{
    char names[256] = "";
    for (const cf_emu_builtin *one = cf_emu_builtins; one->name; one++) {
        if (strcmp(one->name, name) == 0)
            return cf_emu_model_parse(name, one->text, strlen(one->text), settings, ret_model, err);
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", one->name);
    }
    if (!strchr(name, '/') && !strstr(name, ".ini"))
        return cf_error_set(err, CF_INPUT, "no model '%s'; there are %s, or a file", name, names);
    char *text;
    size_t bytes;
    cf_status status = cf_file_read(name, MODEL_BYTES, &text, &bytes, err);
    if (status == CF_IO) /* bad usage; CF_IO is what the emulator itself could not do */
        err->status = status = CF_INPUT;
    if (status != CF_OK)
        return status;
    status = cf_emu_model_parse(name, text, bytes, settings, ret_model, err);
    free(text);
    return status;
}
