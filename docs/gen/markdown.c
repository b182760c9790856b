/* docs/commands.md. */
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "gen.h"

/* Text in a cell or a paragraph. */
static void add_escaped(cf_text *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n')
            cf_text_add(out, "\n\n");
        else
            cf_text_add(out, "%s%c", strchr("|*_<>[]", *text) ? "\\" : "", *text);
    }
}

static void add_options(cf_text *out, cf_command command)
{
    cf_text_add(out, "| option | variable | what it does |\n|---|---|---|\n");
    for (size_t i = 0; i < cf_option_spec_count; i++) {
        const cf_option_spec *option = &cf_option_specs[i];
        if (!cf_option_taken_by(option, command))
            continue;
        char form[96];
        cf_help_option_form(option, form, sizeof form);
        cf_text_add(out, "| `");
        for (const char *at = form; *at; at++)
            cf_text_add(out, "%s%c", *at == '|' ? "\\" : "", *at); /* also inside code, a bar ends a cell */
        cf_text_add(out, "` | %s%s%s | ", option->variable ? "`" : "", option->variable ? option->variable : "",
                    option->variable ? "`" : "");
        add_escaped(out, option->help);
        cf_text_add(out, " |\n");
    }
    cf_text_add(out, "\n");
}

static void add_instruments(cf_text *out)
{
    cf_text_add(out, "| instrument | what it is |\n|---|---|\n");
    for (const cf_instrument_type *const *type = cf_instruments; *type; type++) {
        cf_text_add(out, "| `%s`%s | ", (*type)->name, cf_help_is_choice(*type) ? "" : ", in every run");
        add_escaped(out, (*type)->about);
        cf_text_add(out, " |\n");
    }
    cf_text_add(out, "\n");
}

static void add_plan_commands(cf_text *out)
{
    cf_text_add(out, "| command | what it does |\n|---|---|\n");
    for (int i = 0; cf_plan_command_names[i]; i++) {
        cf_text_add(out, "| `plan %s` | ", cf_plan_command_names[i]);
        add_escaped(out, cf_command_specs[CF_COMMAND_PLAN_INIT + i].summary);
        cf_text_add(out, " |\n");
    }
    cf_text_add(out, "\n");
}

static void add_command(cf_text *out, cf_command command)
{
    const cf_command_spec *spec = &cf_command_specs[command];
    cf_text_add(out, "## confound %s\n\n    ", spec->name);
    cf_help_synopsis(spec, out);
    cf_text_add(out, "\n\n");
    cf_text_add(out, "%c", spec->summary[0] - 'a' + 'A');
    add_escaped(out, spec->summary + 1);
    cf_text_add(out, ".\n\n");
    add_escaped(out, spec->detail);
    cf_text_add(out, "\n\n");
    add_options(out, command);
    if (command == CF_COMMAND_RUN)
        add_instruments(out);
    if (command == CF_COMMAND_PLAN)
        add_plan_commands(out);
    cf_text_add(out, "Example:\n\n    %s\n\n", spec->example);
}

void gen_markdown(cf_text *out)
{
    cf_text_add(out, "# Commands\n\n<!-- Made from the table of options, src/cli/spec.c, by docs/gen. To renew it: "
                     "ninja -C BUILD docs-renew -->\n\n");
    add_escaped(out, cf_program_detail);
    cf_text_add(out,
                "\n\nLong options take `--name VALUE` and `--name=VALUE`; options and arguments stand in any order; "
                "`--` ends the options. A variable in the environment stands for an option that the command line "
                "leaves out; a flag's is `yes` or `no`, and several values of `CONFOUND_SET` or `CONFOUND_ARM` are "
                "separated by semicolons.\n\n");
    for (int i = 0; cf_command_names[i]; i++) {
        add_command(out, (cf_command)i);
        for (int k = 0; i == CF_COMMAND_PLAN && cf_plan_command_names[k]; k++)
            add_command(out, (cf_command)(CF_COMMAND_PLAN_INIT + k));
    }
    cf_text_add(out, "## Exit status\n\n| status | meaning |\n|---|---|\n");
    for (int code = 0; code < 256; code++) {
        char meaning[256];
        if (*cf_help_exit_meaning(code, meaning, sizeof meaning))
            cf_text_add(out, "| %d | %s |\n", code, meaning);
    }
    cf_text_add(out, "\n## Other variables\n\n| variable | meaning |\n|---|---|\n");
    for (const cf_word_meaning *row = cf_other_environment; row->word; row++)
        cf_text_add(out, "| `%s` | %s |\n", row->word, row->meaning);
}
