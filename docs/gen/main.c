/* docgen FOLDER DATE: writes all pages into FOLDER. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "device/device.h"
#include "gen.h"
#include "model/model.h"

static void add_word(char *buf, size_t buf_bytes, const char *word)
{
    size_t used = strlen(buf);
    snprintf(buf + used, buf_bytes - used, "%s%s", used ? " " : "", word);
}

const char *gen_words(cf_complete complete, const char *const *words, char *buf, size_t buf_bytes)
{
    buf[0] = '\0';
    switch (complete) {
    case CF_COMPLETE_WORDS:
        for (; *words; words++)
            add_word(buf, buf_bytes, *words);
        break;
    case CF_COMPLETE_COMMAND:
        for (words = cf_command_names; *words; words++)
            add_word(buf, buf_bytes, *words);
        break;
    case CF_COMPLETE_DEVICE:
        for (const cf_device_ops *const *ops = cf_device_backends; *ops; ops++)
            add_word(buf, buf_bytes, (*ops)->name);
        break;
    case CF_COMPLETE_MODEL:
        for (const cf_model_builtin *model = cf_model_builtins; model->name; model++)
            add_word(buf, buf_bytes, model->name);
        break;
    case CF_COMPLETE_JOB:
        for (const cf_job_builtin *job = cf_job_builtins; job->name; job++)
            add_word(buf, buf_bytes, job->name);
        break;
    case CF_COMPLETE_INSTRUMENT:
        for (const cf_instrument_type *const *type = cf_instruments; *type; type++) {
            if (cf_help_is_choice(*type))
                add_word(buf, buf_bytes, (*type)->name);
        }
        break;
    case CF_COMPLETE_NONE:
    case CF_COMPLETE_FILE:
        break;
    }
    return buf;
}

bool gen_is_command(cf_command command)
{
    return command != CF_COMMAND_VERSION;
}

bool gen_offers_files(cf_complete complete)
{
    return complete == CF_COMPLETE_FILE || complete == CF_COMPLETE_MODEL || complete == CF_COMPLETE_JOB;
}

/* Writes FOLDER/name and frees page; 1 and a line on failure. */
static int save(const char *folder, const char *name, cf_text *page)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    cf_error err = {0};
    cf_status status = page->failed ? cf_error_set(&err, CF_MEMORY, "out of memory")
                                    : cf_file_write_atomic(path, page->data, page->size_bytes, &err);
    cf_text_done(page);
    return status ? cf_cli_fail(&err) : 0;
}

static int save_manual(const char *folder, const char *date)
{
    cf_text page = {0};
    gen_man_program(&page, date);
    int failed = save(folder, "confound.1", &page);
    for (int i = 0; cf_command_names[i] && !failed; i++) {
        char name[64];
        snprintf(name, sizeof name, "confound-%s.1", cf_command_names[i]);
        gen_man_command(&page, (cf_command)i, date);
        failed = save(folder, name, &page);
    }
    if (failed)
        return failed;
    gen_man_emulate(&page, date);
    return save(folder, "confound-emulate.1", &page);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: docgen FOLDER DATE\n");
        return 2;
    }
    static const struct {
        const char *name;
        void (*make)(cf_text *out);
    } pages[] = {{"confound.bash", gen_bash},
                 {"_confound", gen_zsh},
                 {"confound.fish", gen_fish},
                 {"commands.md", gen_markdown}};
    int failed = save_manual(argv[1], argv[2]);
    for (size_t i = 0; i < sizeof pages / sizeof pages[0] && !failed; i++) {
        cf_text page = {0};
        pages[i].make(&page);
        failed = save(argv[1], pages[i].name, &page);
    }
    return failed;
}
