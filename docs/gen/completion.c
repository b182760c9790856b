/* Completions for bash, zsh and fish. */
#include <stdio.h>
#include <string.h>

#include "gen.h"

#define WORDS_BYTES 2048
#define MADE        "# Made from the table of options, src/cli/spec.c.\n"

static const char *words_of(const cf_option_spec *option, char buf[WORDS_BYTES])
{
    return gen_words(option->complete, option->words, buf, WORDS_BYTES);
}

/* ---- bash ---- */

/* The options of a command, then the values of each that takes one. */
static void add_bash_values(cf_text *out, cf_command command)
{
    for (size_t i = 0; i < cf_option_spec_count; i++) {
        const cf_option_spec *option = &cf_option_specs[i];
        if (!cf_option_taken_by(option, command) || !option->argument || option->alone)
            continue;
        char words[WORDS_BYTES];
        const char *name = cf_command_specs[command].name;
        cf_text_add(out, "        '%s':--%s", name, option->name);
        if (option->letter)
            cf_text_add(out, "|'%s':-%c", name, option->letter);
        cf_text_add(out, ") words='%s'; files=%d ;;\n", words_of(option, words), gen_offers_files(option->complete));
    }
}

static void add_bash_options(cf_text *out, cf_command command)
{
    const cf_command_spec *spec = &cf_command_specs[command];
    char words[WORDS_BYTES];
    cf_text_add(out, "        '%s') options='", spec->name);
    const char *blank = "";
    for (size_t i = 0; i < cf_option_spec_count; i++) {
        if (!cf_option_taken_by(&cf_option_specs[i], command))
            continue;
        cf_text_add(out, "%s--%s", blank, cf_option_specs[i].name);
        blank = " ";
    }
    cf_text_add(out, "'; words='%s'; files=%d ;;\n", gen_words(spec->complete, NULL, words, sizeof words),
                gen_offers_files(spec->complete));
}

void gen_bash(cf_text *out)
{
    char words[WORDS_BYTES], plan_words[WORDS_BYTES];
    cf_text_add(out,
                MADE "_confound()\n{\n"
                     "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                     "    local command=${COMP_WORDS[1]} options='' words='' files=0\n"
                     "    COMPREPLY=()\n"
                     "    if [[ $cur == '=' ]]; then\n"
                     "        cur=''\n"
                     "    elif [[ $prev == '=' ]]; then\n"
                     "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
                     "    fi\n"
                     "    if ((COMP_CWORD == 1)); then\n"
                     "        mapfile -t COMPREPLY < <(compgen -W '%s --help --version' -- \"$cur\")\n"
                     "        return\n"
                     "    fi\n"
                     "    if [[ $command == plan ]]; then\n"
                     "        if ((COMP_CWORD == 2)); then\n"
                     "            mapfile -t COMPREPLY < <(compgen -W '%s --help' -- \"$cur\")\n"
                     "            return\n"
                     "        fi\n"
                     "        command=\"plan ${COMP_WORDS[2]}\"\n"
                     "    fi\n"
                     "    case $command in\n",
                gen_words(CF_COMPLETE_COMMAND, NULL, words, sizeof words),
                gen_words(CF_COMPLETE_WORDS, cf_plan_command_names, plan_words, sizeof plan_words));
    for (int i = 0; i < CF_COMMAND_COUNT; i++) {
        if (gen_is_command((cf_command)i))
            add_bash_options(out, (cf_command)i);
    }
    cf_text_add(out, "        *) return ;;\n    esac\n    case $command:$prev in\n");
    for (int i = 0; i < CF_COMMAND_COUNT; i++) {
        if (gen_is_command((cf_command)i))
            add_bash_values(out, (cf_command)i);
    }
    cf_text_add(out, "        *) if [[ $cur == -* ]]; then words=$options files=0; fi ;;\n    esac\n"
                     "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
                     "    if ((files)); then\n"
                     "        compopt -o default 2>/dev/null # files, where no word begins so\n"
                     "    fi\n"
                     "}\ncomplete -F _confound confound\n");
}

/* ---- zsh ---- */

/* Inside '…[help]:message:action' of _arguments. */
static void add_zsh_escaped(cf_text *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            cf_text_add(out, "'\\''");
        else
            cf_text_add(out, "%s%c", strchr("[]:\\", *text) ? "\\" : "", *text);
    }
}

/* Words and files at once need a function of their own. */
static const char *zsh_function(cf_complete complete)
{
    return complete == CF_COMPLETE_MODEL ? "_confound_models" : complete == CF_COMPLETE_JOB ? "_confound_jobs" : NULL;
}

static void add_zsh_function(cf_text *out, cf_complete complete)
{
    char words[WORDS_BYTES];
    cf_text_add(out, "%s()\n{\n    _alternative 'names:name:(%s)' 'files:file:_files'\n}\n", zsh_function(complete),
                gen_words(complete, NULL, words, sizeof words));
}

static void add_zsh_action(cf_text *out, cf_complete complete, const char *words)
{
    if (zsh_function(complete))
        cf_text_add(out, "%s", zsh_function(complete));
    else if (*words)
        cf_text_add(out, "(%s)", words);
    else
        cf_text_add(out, "%s", gen_offers_files(complete) ? "_files" : " ");
}

static void add_zsh_option(cf_text *out, const cf_option_spec *option)
{
    char words[WORDS_BYTES];
    const char *equals = option->alone ? "=-" : option->argument ? "=" : "";
    cf_text_add(out, "                ");
    if (option->kind == CF_VALUE_STRINGS)
        cf_text_add(out, "'*--%s%s[", option->name, equals);
    else if (option->letter)
        cf_text_add(out, "'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name, option->letter,
                    option->argument ? "+" : "", option->name, equals);
    else
        cf_text_add(out, "'--%s%s[", option->name, equals);
    add_zsh_escaped(out, option->help);
    cf_text_add(out, "]");
    if (option->argument) {
        cf_text_add(out, option->alone ? "::" : ":");
        add_zsh_escaped(out, option->argument);
        cf_text_add(out, ":");
        add_zsh_action(out, option->complete, words_of(option, words));
    }
    cf_text_add(out, "' \\\n");
}

/* name: of the command in its `case`. */
static void add_zsh_command(cf_text *out, cf_command command, const char *name)
{
    const cf_command_spec *spec = &cf_command_specs[command];
    char words[WORDS_BYTES];
    cf_text_add(out, "        %s)\n            _arguments -s \\\n", name);
    for (size_t i = 0; i < cf_option_spec_count; i++) {
        if (cf_option_taken_by(&cf_option_specs[i], command))
            add_zsh_option(out, &cf_option_specs[i]);
    }
    if (spec->argument) {
        cf_text_add(out, "                '%s:%s:", spec->many ? "*" : "1", spec->what);
        add_zsh_action(out, spec->complete, gen_words(spec->complete, NULL, words, sizeof words));
        cf_text_add(out, "'\n            ;;\n");
    } else {
        cf_text_add(out, "                && return\n            ;;\n");
    }
}

/* A function of its own: the words of `plan COMMAND …` without `plan`. */
static void add_zsh_plan(cf_text *out)
{
    cf_text_add(out, "_confound_plan()\n{\n    local -a commands=(\n");
    for (int i = 0; cf_plan_command_names[i]; i++) {
        cf_text_add(out, "        '%s:", cf_plan_command_names[i]);
        add_zsh_escaped(out, cf_command_specs[CF_COMMAND_PLAN_INIT + i].summary);
        cf_text_add(out, "'\n");
    }
    cf_text_add(out, "    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n"
                     "    fi\n    shift words\n    ((CURRENT--))\n    case $words[1] in\n");
    for (int i = 0; cf_plan_command_names[i]; i++)
        add_zsh_command(out, (cf_command)(CF_COMMAND_PLAN_INIT + i), cf_plan_command_names[i]);
    cf_text_add(out, "    esac\n}\n");
}

void gen_zsh(cf_text *out)
{
    cf_text_add(out, "#compdef confound\n" MADE);
    add_zsh_function(out, CF_COMPLETE_MODEL);
    add_zsh_function(out, CF_COMPLETE_JOB);
    add_zsh_plan(out);
    cf_text_add(out, "_confound()\n{\n"
                     "    local context state state_descr line\n    typeset -A opt_args\n"
                     "    local -a commands=(\n");
    for (int i = 0; cf_command_names[i]; i++) {
        cf_text_add(out, "        '%s:", cf_command_names[i]);
        add_zsh_escaped(out, cf_command_specs[i].summary);
        cf_text_add(out, "'\n");
    }
    cf_text_add(out,
                "    )\n    _arguments -C \\\n        '(- *)'{-h,--help}'[explain the program]' \\\n"
                "        '(- *)--version[print the version]' \\\n"
                "        '1:command:->command' \\\n        '*::argument:->argument' && return\n"
                "    if [[ $state == command ]]; then\n        _describe command commands\n        return\n    fi\n"
                "    case $words[1] in\n");
    for (int i = 0; cf_command_names[i]; i++) {
        if (i == CF_COMMAND_PLAN)
            cf_text_add(out, "        plan) _confound_plan ;;\n");
        else
            add_zsh_command(out, (cf_command)i, cf_command_names[i]);
    }
    cf_text_add(out, "    esac\n}\n_confound \"$@\"\n");
}

/* ---- fish ---- */

static void add_fish_string(cf_text *out, const char *text)
{
    cf_text_add(out, "'");
    for (; *text; text++)
        cf_text_add(out, "%s%c", strchr("'\\", *text) ? "\\" : "", *text);
    cf_text_add(out, "'");
}

/* -x: a value and no files; -r -F: a value, and files beside the words. */
static void add_fish_values(cf_text *out, bool is_option, cf_complete complete, const char *words)
{
    bool files = gen_offers_files(complete);
    if (is_option)
        cf_text_add(out, files ? " -r -F" : " -x");
    else if (files)
        cf_text_add(out, " -F");
    if (*words) {
        cf_text_add(out, " -a ");
        add_fish_string(out, words);
    }
}

static void add_fish_option(cf_text *out, const cf_option_spec *option, const char *condition)
{
    char words[WORDS_BYTES];
    cf_text_add(out, "complete -c confound -n '%s' -l %s", condition, option->name);
    if (option->letter)
        cf_text_add(out, " -s %c", option->letter);
    if (option->argument && !option->alone)
        add_fish_values(out, true, option->complete, words_of(option, words));
    cf_text_add(out, " -d ");
    add_fish_string(out, option->help);
    cf_text_add(out, "\n");
}

/* name: the command's own word. offered: the condition under which that word is; used: that under which its options
   are. */
static void add_fish_command(cf_text *out, cf_command command, const char *name, const char *offered, const char *used)
{
    const cf_command_spec *spec = &cf_command_specs[command];
    char words[WORDS_BYTES];
    cf_text_add(out, "\ncomplete -c confound -n '%s' -a %s -d ", offered, name);
    add_fish_string(out, spec->summary);
    cf_text_add(out, "\n");
    if (spec->complete != CF_COMPLETE_NONE) {
        cf_text_add(out, "complete -c confound -n '%s'", used);
        add_fish_values(out, false, spec->complete, gen_words(spec->complete, NULL, words, sizeof words));
        cf_text_add(out, "\n");
    }
    for (size_t i = 0; i < cf_option_spec_count; i++) {
        if (cf_option_taken_by(&cf_option_specs[i], command))
            add_fish_option(out, &cf_option_specs[i], used);
    }
}

static void add_fish_commands(cf_text *out)
{
    for (int i = 0; cf_command_names[i]; i++) {
        char used[128];
        snprintf(used, sizeof used, "__fish_seen_subcommand_from %s%s", cf_command_names[i],
                 i == CF_COMMAND_PLAN ? "" : "; and not __fish_seen_subcommand_from plan");
        add_fish_command(out, (cf_command)i, cf_command_names[i], "__fish_use_subcommand", used);
    }
}

static void add_fish_plan(cf_text *out)
{
    char words[WORDS_BYTES], offered[WORDS_BYTES + 128];
    gen_words(CF_COMPLETE_WORDS, cf_plan_command_names, words, sizeof words);
    snprintf(offered, sizeof offered, "__fish_seen_subcommand_from plan; and not __fish_seen_subcommand_from %s",
             words);
    for (int i = 0; cf_plan_command_names[i]; i++) {
        char used[128];
        snprintf(used, sizeof used, "__fish_seen_subcommand_from plan; and __fish_seen_subcommand_from %s",
                 cf_plan_command_names[i]);
        add_fish_command(out, (cf_command)(CF_COMMAND_PLAN_INIT + i), cf_plan_command_names[i], offered, used);
    }
}

void gen_fish(cf_text *out)
{
    cf_text_add(out, MADE "complete -c confound -f\n"
                          "complete -c confound -n __fish_use_subcommand -s h -l help -d 'explain the program'\n"
                          "complete -c confound -n __fish_use_subcommand -l version -d 'print the version'\n");
    add_fish_commands(out);
    add_fish_plan(out);
}
