/* Manual pages in mdoc. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/help.h"
#include "emulator/launcher.h"
#include "gen.h"
#include "report/wrap.h"

#define CLI_TABLE     "src/cli/spec.c"
#define EMULATE_TABLE "emulator/launcher_options.c"

/* One sentence on lines of its own. In mdoc a backslash is "\e", and a dot or an apostrophe at the beginning of a line
   must not be taken for a macro. */
static void add_sentence(cf_text *out, const char *sentence, size_t size_bytes)
{
    cf_text escaped = {0};
    for (size_t i = 0; i < size_bytes; i++) {
        if (sentence[i] == '\\')
            cf_text_add(&escaped, "\\e");
        else
            cf_text_add(&escaped, "%c", sentence[i]);
    }
    if (size_bytes && strchr(".'", sentence[0]))
        cf_text_add(out, "\\&");
    if (size_bytes)
        cf_report_wrap(out, NULL, escaped.data ? escaped.data : "", 78, 0, 0);
    out->failed |= escaped.failed;
    cf_text_done(&escaped);
}

/* Where the sentence at text ends: after a full stop and a blank, or at the end of its paragraph. */
static size_t sentence_bytes(const char *text)
{
    size_t size_bytes = 0;
    while (text[size_bytes] && text[size_bytes] != '\n') {
        bool ends = strchr(".?!", text[size_bytes]) != NULL;
        size_bytes++;
        if (ends && text[size_bytes] == ' ')
            break;
    }
    return size_bytes;
}

static void add_prose(cf_text *out, const char *text)
{
    while (*text) {
        size_t size_bytes = sentence_bytes(text);
        add_sentence(out, text, size_bytes);
        text += size_bytes;
        cf_text_add(out, "%s", *text == '\n' ? ".Pp\n" : "");
        text += *text != '\0';
    }
}

/* A name on a macro line, where a quotation mark would begin a string. */
static void add_quoted(cf_text *out, const char *word)
{
    cf_text_add(out, "\"");
    for (; *word; word++)
        cf_text_add(out, *word == '"' ? "\"\"" : *word == '\\' ? "\\e" : "%c", *word);
    cf_text_add(out, "\"");
}

static void add_head(cf_text *out, const char *table, const char *name, const char *summary, const char *date)
{
    cf_text_add(out, ".\\\" Made from the table of options, %s.\n.Dd %s\n.Dt ", table, date);
    for (const char *at = name; *at; at++)
        cf_text_add(out, "%c", toupper((unsigned char)*at));
    cf_text_add(out, " 1\n.Os\n.Sh NAME\n.Nm %s\n.Nd %.*s\n", name, (int)strcspn(summary, "?"), summary);
}

static void add_variable(cf_text *out, const char *name, const char *meaning)
{
    cf_text_add(out, ".It Ev %s\n", name);
    add_prose(out, meaning);
}

static void add_exits(cf_text *out)
{
    cf_text_add(out, ".Sh EXIT STATUS\n.Bl -tag -width 4n -compact\n");
    for (int code = 0; code < 256; code++) {
        char meaning[256];
        if (!*cf_help_exit_meaning(code, meaning, sizeof meaning))
            continue;
        cf_text_add(out, ".It %d\n", code);
        add_prose(out, meaning);
    }
    cf_text_add(out, ".El\n");
}

static int by_name(const void *left, const void *right)
{
    return strcmp(left, right);
}

/* All pages but the one of this name, in the order of their names. */
static void add_see_also(cf_text *out, const char *but)
{
    char pages[CF_COMMAND_COUNT + 2][64] = {"confound", "confound-emulate"};
    size_t count = 2, others = 0;
    for (int i = 0; cf_command_names[i]; i++)
        snprintf(pages[count++], sizeof pages[0], "confound-%s", cf_command_names[i]);
    qsort(pages, count, sizeof pages[0], by_name);
    cf_text_add(out, ".Sh SEE ALSO\n");
    for (size_t i = 0; i < count; i++)
        if (strcmp(pages[i], but) != 0)
            cf_text_add(out, ".Xr %s 1%s\n", pages[i], ++others + 1 < count ? " ," : "");
}

static void add_environment_note(cf_text *out)
{
    cf_text_add(out, "Each option has a variable, which stands for it where the command line leaves it\nout.\n"
                     ".Bl -tag -width Ds\n");
}

void gen_man_program(cf_text *out, const char *date)
{
    add_head(out, CLI_TABLE, "confound", cf_program_summary, date);
    cf_text_add(out, ".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar argument\n.Op Ar option ...\n"
                     ".Nm\n.Fl -help\n.Nm\n.Fl -version\n.Sh DESCRIPTION\n");
    add_prose(out, cf_program_detail);
    cf_text_add(out, ".Pp\nThe commands are:\n.Bl -tag -width devices\n");
    for (int i = 0; cf_command_names[i]; i++) {
        cf_text_add(out, ".It Cm %s\n%s:\n.Xr confound-%s 1 .\n", cf_command_names[i], cf_command_specs[i].summary,
                    cf_command_names[i]);
    }
    cf_text_add(out, ".El\n.Sh ENVIRONMENT\n.Bl -tag -width Ds\n");
    for (const cf_word_meaning *row = cf_other_environment; row->word; row++)
        add_variable(out, row->word, row->meaning);
    cf_text_add(out, ".El\n.Pp\nThe variables of options stand on the pages of the commands.\n");
    add_exits(out);
    cf_text_add(out, ".Sh EXAMPLES\n");
    for (int i = 0; cf_command_names[i]; i++)
        cf_text_add(out, ".Dl %s\n", cf_command_specs[i].example);
    add_see_also(out, "confound");
}

/* The positional without the brackets and dots of a synopsis. */
static void argument_of(const cf_command_spec *spec, char *buf, size_t buf_bytes)
{
    snprintf(buf, buf_bytes, "%s", spec->argument ? spec->argument + (spec->argument[0] == '[') : "");
    buf[strcspn(buf, "]")] = '\0';
    char *dots = strstr(buf, "...");
    if (dots)
        *dots = '\0';
}

static void add_option(cf_text *out, const cf_option_spec *option)
{
    cf_text_add(out, ".It ");
    if (option->letter)
        cf_text_add(out, "Fl %c , ", option->letter);
    cf_text_add(out, "Fl -%s", option->name);
    if (option->argument) {
        cf_text_add(out, option->alone ? " Ns Op Ns = Ns Ar " : " Ar ");
        add_quoted(out, option->argument);
    }
    cf_text_add(out, "\n");
    add_prose(out, option->help);
}

/* The commands of plan share its page. */
static void add_plan_command(cf_text *out, cf_command command)
{
    const cf_command_spec *spec = &cf_command_specs[command];
    char argument[64] = "";
    argument_of(spec, argument, sizeof argument);
    cf_text_add(out, ".Ss confound %s%s%s\n", spec->name, *argument ? " " : "", argument);
    cf_text_add(out, "%c%s.\n", toupper((unsigned char)spec->summary[0]), spec->summary + 1);
    add_prose(out, spec->detail);
    bool any = false;
    for (size_t i = 0; i < cf_option_spec_count; i++) {
        const cf_option_spec *option = &cf_option_specs[i];
        if (!cf_option_taken_by(option, command) || !option->variable)
            continue;
        cf_text_add(out, "%s", any ? "" : ".Bl -tag -width Ds\n");
        any = true;
        add_option(out, option);
        cf_text_add(out, ".Pq Ev %s\n", option->variable);
    }
    cf_text_add(out, "%s.Pp\nFor example:\n.Pp\n.Dl %s\n", any ? ".El\n" : "", spec->example);
}

static void add_options(cf_text *out, cf_command command)
{
    cf_text_add(out, ".Pp\nThe options are:\n.Bl -tag -width Ds\n");
    for (size_t i = 0; i < cf_option_spec_count; i++) {
        if (cf_option_taken_by(&cf_option_specs[i], command))
            add_option(out, &cf_option_specs[i]);
    }
    cf_text_add(out, ".El\n");
}

static void add_instruments(cf_text *out)
{
    cf_text_add(out, ".Pp\nThe instruments, beside those of every run, are:\n.Bl -tag -width none-block\n");
    for (const cf_instrument_type *const *type = cf_instruments; *type; type++) {
        if (!cf_help_is_choice(*type))
            continue;
        cf_text_add(out, ".It Cm %s\n", (*type)->name);
        add_prose(out, (*type)->about);
    }
    cf_text_add(out, ".El\n");
}

static void add_variables(cf_text *out, cf_command command)
{
    bool any = false;
    for (size_t i = 0; i < cf_option_spec_count; i++) {
        const cf_option_spec *option = &cf_option_specs[i];
        if (!cf_option_taken_by(option, command) || !option->variable)
            continue;
        if (!any) {
            cf_text_add(out, ".Sh ENVIRONMENT\n");
            add_environment_note(out);
        }
        any = true;
        cf_text_add(out, ".It Ev %s\nstands for\n.Fl -%s .\n", option->variable, option->name);
        if (option->kind == CF_VALUE_STRINGS)
            cf_text_add(out, "Several values are separated by semicolons.\n");
        if (option->kind == CF_VALUE_FLAG)
            cf_text_add(out, "Its value is yes or no.\n");
    }
    cf_text_add(out, "%s", any ? ".El\n" : "");
}

void gen_man_command(cf_text *out, cf_command command, const char *date)
{
    const cf_command_spec *spec = &cf_command_specs[command];
    char name[64];
    snprintf(name, sizeof name, "confound-%s", spec->name);
    add_head(out, CLI_TABLE, name, spec->summary, date);
    cf_text_add(out, ".Sh SYNOPSIS\n.Nm confound %s\n", spec->name);
    if (spec->rest) {
        cf_text_add(out, ".Op Ar option ...\n.Op Fl -\n.Ar program\n.Op Ar arg ...\n");
    } else if (spec->argument) {
        char argument[64];
        argument_of(spec, argument, sizeof argument);
        cf_text_add(out, spec->required ? ".Ar %s\n" : ".Op Ar %s\n", argument);
    }
    cf_text_add(out, "%s.Sh DESCRIPTION\n", spec->rest ? "" : ".Op Ar option ...\n");
    add_prose(out, spec->detail);
    add_options(out, command);
    if (command == CF_COMMAND_RUN)
        add_instruments(out);
    for (int i = 0; command == CF_COMMAND_PLAN && cf_plan_command_names[i]; i++)
        add_plan_command(out, (cf_command)(CF_COMMAND_PLAN_INIT + i));
    add_variables(out, command);
    add_exits(out);
    cf_text_add(out, ".Sh EXAMPLES\n.Dl %s\n", spec->example);
    add_see_also(out, name);
}

/* As a sentence. */
static void add_phrase(cf_text *out, const char *phrase)
{
    cf_text_add(out, "%c", toupper((unsigned char)phrase[0]));
    add_prose(out, phrase + 1);
    cf_text_add(out, ".\n");
}

static void add_emulate_options(cf_text *out)
{
    for (const cf_emu_option *option = cf_emu_option_list; option->name; option++) {
        cf_text_add(out, ".It Fl %s", option->name + 1);
        if (option->argument) {
            cf_text_add(out, " Ar ");
            add_quoted(out, option->argument);
        }
        cf_text_add(out, "\n");
        add_phrase(out, option->about);
    }
}

void gen_man_emulate(cf_text *out, const char *date)
{
    add_head(out, EMULATE_TABLE, "confound-emulate", cf_emu_summary, date);
    cf_text_add(out, ".Sh SYNOPSIS\n.Nm\n.Op Ar option ...\n.Op Fl -\n.Ar program\n.Op Ar arg ...\n"
                     ".Nm confound-emulate-fetch\n.Op Ar folder\n.Sh DESCRIPTION\n");
    add_prose(out, cf_emu_detail);
    cf_text_add(out, ".Pp\n.Nm confound-emulate-fetch\nfetches the drivers from Debian into a folder for\n.Fl -drivers ,\n"
                     "or to where they are looked for,\n.Pa ~/.local/share/confound/intel .\n"
                     "Its\n.Fl -help\nsays what it needs.\n.Pp\nThe options are:\n.Bl -tag -width Ds\n");
    add_emulate_options(out);
    cf_text_add(out, ".El\n.Sh EXIT STATUS\n");
    add_prose(out, cf_emu_exits);
    cf_text_add(out, ".Sh EXAMPLES\n.Dl confound-emulate-fetch\n.Dl confound-emulate clinfo\n"
                     ".Dl confound-emulate --timeline - python3 script.py\n");
    add_see_also(out, "confound-emulate");
}
