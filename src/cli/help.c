#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "report/wrap.h"

#define COLUMNS       80
#define OPTION_INDENT 28
#define WORD_INDENT   11

const char *cf_help_option_form(const cf_option_spec *option, char *buf, size_t buf_bytes)
{
    char letter[8] = "";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    const char *before = option->alone ? "[=" : option->argument ? " " : "";
    snprintf(buf, buf_bytes, "%s--%s%s%s%s", letter, option->name, before, option->argument ? option->argument : "",
             option->alone ? "]" : "");
    return buf;
}

void cf_help_synopsis(const cf_command_spec *spec, cf_text *out)
{
    cf_text_add(out, "confound %s%s%s%s%s", spec->name, spec->rest ? " [options]" : "", spec->argument ? " " : "",
                spec->argument ? spec->argument : "", spec->rest ? "" : " [options]");
}

const char *cf_help_exit_meaning(int code, char *buf, size_t buf_bytes)
{
    size_t used = 0;
    buf[0] = '\0';
    for (int status = 0; status < CF_STATUS_COUNT && used < buf_bytes; status++) {
        if (cf_status_exit((cf_status)status) != code)
            continue;
        int length =
            snprintf(buf + used, buf_bytes - used, "%s%s", used ? "; " : "", cf_status_meaning((cf_status)status));
        used += length > 0 ? (size_t)length : 0;
    }
    return buf;
}

static void add_exits(cf_text *out)
{
    cf_text_add(out, "\nExit status\n");
    for (int code = 0; code < 256; code++) {
        char meaning[256], before[16];
        if (!*cf_help_exit_meaning(code, meaning, sizeof meaning))
            continue;
        snprintf(before, sizeof before, "  %d", code);
        cf_report_wrap(out, before, meaning, COLUMNS, WORD_INDENT, WORD_INDENT);
    }
}

void cf_help_program(cf_text *out)
{
    cf_text_add(out, "confound %s\n", CONFOUND_VERSION);
    cf_report_wrap(out, NULL, cf_program_summary, COLUMNS, 2, 2);
    cf_text_add(out, "\n");
    cf_report_wrap(out, NULL, cf_program_detail, COLUMNS, 0, 0);
    cf_text_add(out, "\nCommands\n");
    for (int i = 0; cf_command_names[i]; i++) {
        char before[32];
        snprintf(before, sizeof before, "  %s", cf_command_names[i]);
        cf_report_wrap(out, before, cf_command_specs[i].summary, COLUMNS, WORD_INDENT, WORD_INDENT);
    }
    cf_text_add(out, "\nStart here\n  confound run                 the ready job on the best device here\n"
                     "  confound help run            its options\n");
    add_exits(out);
}

static void add_options(cf_command command, cf_text *out)
{
    cf_text_add(out, "\nOptions\n");
    for (size_t i = 0; i < cf_option_spec_count; i++) {
        const cf_option_spec *option = &cf_option_specs[i];
        if (!cf_option_taken_by(option, command))
            continue;
        char form[64], before[80];
        snprintf(before, sizeof before, "  %s", cf_help_option_form(option, form, sizeof form));
        cf_report_wrap(out, before, option->help, COLUMNS, OPTION_INDENT, OPTION_INDENT);
    }
}

static void add_variables(cf_command command, cf_text *out)
{
    cf_text names = {0};
    for (size_t i = 0; i < cf_option_spec_count; i++) {
        const cf_option_spec *option = &cf_option_specs[i];
        if (cf_option_taken_by(option, command) && option->variable)
            cf_text_add(&names, "%s ", option->variable);
    }
    if (names.size_bytes) {
        cf_text_add(out, "\nEnvironment, one variable an option\n");
        cf_report_wrap(out, NULL, names.data, COLUMNS, 2, 2);
    }
    out->failed |= names.failed;
    cf_text_done(&names);
}

bool cf_help_is_choice(const cf_instrument_type *type)
{
    bool is_other_control = type->role == CF_ROLE_CONTROL && type != cf_instruments[0];
    return type->role == CF_ROLE_INSTRUMENT || is_other_control;
}

static void add_instruments(cf_text *out)
{
    cf_text_add(out, "\nInstruments, beside those of every run (none, none-again, one-queue)\n");
    for (const cf_instrument_type *const *type = cf_instruments; *type; type++) {
        char before[64];
        if (!cf_help_is_choice(*type))
            continue;
        snprintf(before, sizeof before, "  %s", (*type)->name);
        cf_report_wrap(out, before, (*type)->about, COLUMNS, 14, 14);
    }
}

static void add_plan_commands(cf_text *out)
{
    cf_text_add(out, "\nCommands, each with a help of its own: confound help plan COMMAND\n");
    for (int i = 0; cf_plan_command_names[i]; i++) {
        char before[32];
        snprintf(before, sizeof before, "  %s", cf_plan_command_names[i]);
        cf_report_wrap(out, before, cf_command_specs[CF_COMMAND_PLAN_INIT + i].summary, COLUMNS, WORD_INDENT,
                       WORD_INDENT);
    }
}

void cf_help_command(cf_command command, cf_text *out)
{
    const cf_command_spec *spec = &cf_command_specs[command];
    cf_help_synopsis(spec, out);
    cf_text_add(out, "\n\n");
    cf_report_wrap(out, NULL, spec->summary, COLUMNS, 2, 2);
    cf_text_add(out, "\n");
    cf_report_wrap(out, NULL, spec->detail, COLUMNS, 0, 0);
    if (command == CF_COMMAND_PLAN)
        add_plan_commands(out);
    add_options(command, out);
    if (command == CF_COMMAND_RUN)
        add_instruments(out);
    add_variables(command, out);
    cf_text_add(out, "\nExample\n  %s\n", spec->example);
}
