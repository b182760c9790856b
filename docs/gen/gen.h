/* What is made from the table of commands and options (src/cli/spec.c) at build time: manual pages, completions,
   docs/commands.md. The page of confound-emulate is made from its own table (emulator/launcher_options.c). */
#ifndef CF_DOCS_GEN_H
#define CF_DOCS_GEN_H

#include "base/text.h"
#include "cli/spec.h"

/* date as mdoc wants it: "November 29, 2026". */
void gen_man_program(cf_text *out, const char *date);
void gen_man_command(cf_text *out, cf_command command, const char *date);
void gen_man_emulate(cf_text *out, const char *date);
void gen_bash(cf_text *out);
void gen_zsh(cf_text *out);
void gen_fish(cf_text *out);
void gen_markdown(cf_text *out);

/* The words that a shell offers, separated by blanks, into buf: those of the option, or the names of devices, models,
   jobs or commands. "" where only files are offered. Returns buf. */
const char *gen_words(cf_complete complete, const char *const *words, char *buf, size_t buf_bytes);
/* True for commands that a person types: all but --version. */
bool gen_is_command(cf_command command);
/* True where files are offered, beside words if there are any. */
bool gen_offers_files(cf_complete complete);

#endif
