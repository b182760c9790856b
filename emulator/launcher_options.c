#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "emulator/launcher.h"

static const char usage[] =
    "usage: confound-emulate [--model NAME|FILE] [--set SECTION.KEY=VALUE]... [--drivers DIR]\n"
    "                        [--timeline FILE] [--spans FILE] [--log FILE] [--trace FILE] [--quiet]\n"
    "                        -- PROGRAM [ARGS...]\n"
    "       confound-emulate --help | --help-model | --models | --assumptions | --version\n"
    "\n"
    "Runs PROGRAM with Intel's own drivers on an emulated GPU: no GPU, no root, nothing installed. Kernels take time\n"
    "and are not executed; copies and fills move real bytes. docs/emulator.md has what is modelled and what is "
    "assumed.\n"
    "\n"
    "  --model NAME|FILE        what the GPU is taken to be (bmg)\n"
    "  --set SECTION.KEY=VALUE  change one key of it; --set waits.stall=no takes a modelled wait away\n"
    "  --drivers DIR            the drivers, as `./dev intel` fetches them\n"
    "  --timeline FILE          at the end, what each engine did, as text (- = standard error)\n"
    "  --spans FILE             the same as JSON lines\n"
    "  --log FILE               calls of the drivers that are not answered (- = standard error)\n"
    "  --trace FILE             every command as the engines met it, with its dwords (- = standard error)\n"
    "  --quiet                  no line at the end that says how many kernels were not executed\n"
    "\n"
    "The exit status is PROGRAM's, 128 + N where signal N ended it; 2 bad usage, 4 no drivers, 5 the emulator "
    "failed.\n";

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

/* What is asked for and needs no program. */
static bool answer(const char *option)
{
    if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0)
        fputs(usage, stdout);
    else if (strcmp(option, "--help-model") == 0)
        print_model();
    else if (strcmp(option, "--assumptions") == 0)
        print_assumptions();
    else if (strcmp(option, "--version") == 0)
        puts("confound-emulate " CONFOUND_VERSION);
    else if (strcmp(option, "--models") == 0)
        for (const cf_emu_builtin *one = cf_emu_builtins; one->name; one++)
            puts(one->name);
    else
        return false;
    return true;
}

static int refuse(int *ret_exit, const char *what, const char *option)
{
    fprintf(stderr, "confound-emulate: %s%s; see confound-emulate --help\n", what, option);
    *ret_exit = 2;
    return 1;
}

/* Where an option's value goes; NULL = no such option. */
static const char **place_of(cf_emu_options *options, const char *name, size_t length)
{
    const struct {
        const char *name;
        const char **place;
    } known[] = {{"--model", &options->model}, {"--drivers", &options->drivers}, {"--timeline", &options->timeline},
                 {"--spans", &options->spans}, {"--log", &options->log},         {"--trace", &options->trace}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == length && strncmp(known[i].name, name, length) == 0)
            return known[i].place;
    if (length == 5 && strncmp(name, "--set", 5) == 0)
        for (size_t i = 0; i + 1 < sizeof options->settings / sizeof *options->settings; i++)
            if (!options->settings[i])
                return &options->settings[i];
    return NULL;
}

int cf_emu_options_parse(int argc, char **argv, cf_emu_options *ret_options, int *ret_exit)
{
    *ret_options = (cf_emu_options){.model = "bmg"};
    int at = 1;
    for (; at < argc && argv[at][0] == '-' && strcmp(argv[at], "--") != 0; at++) {
        if (answer(argv[at])) {
            *ret_exit = 0;
            return 1;
        }
        if (strcmp(argv[at], "--quiet") == 0) {
            ret_options->quiet = true;
            continue;
        }
        const size_t length = strcspn(argv[at], "=");
        const char **place = place_of(ret_options, argv[at], length);
        if (!place)
            return refuse(ret_exit, "no option ", argv[at]);
        if (argv[at][length])
            *place = argv[at] + length + 1;
        else if (at + 1 < argc)
            *place = argv[++at];
        else
            return refuse(ret_exit, "no value after ", argv[at]);
    }
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
    if (status != CF_OK)
        return status;
    status = cf_emu_model_parse(name, text, bytes, settings, ret_model, err);
    free(text);
    return status;
}
