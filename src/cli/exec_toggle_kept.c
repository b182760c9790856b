#include "cli/exec_toggle_kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/exec_toggle.h"
#include "toggle/folder.h"
#include "toggle/running.h"

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

/* ---- a run that begins ---- */

static void describe(cf_part_steps *steps, const char *folder, const char *tail)
{
    *steps = (cf_part_steps){.pid = 0};
    snprintf(steps->folder, sizeof steps->folder, "%s", folder + strlen(folder) - strlen(tail) - 6);
    cf_running_host(steps->host, sizeof steps->host);
    cf_running_boot(steps->boot, sizeof steps->boot);
}

/* The folder is there before the part file names it: an empty one that nobody names is all that a kill leaves here. */
cf_status cf_toggle_kept_begin(const char *part, const char *output, const cf_record *record, cf_toggle_kept *ret,
                               cf_error *err)
{
    *ret = (cf_toggle_kept){.part = NULL};
    cf_status status = cf_toggled_make_beside(output, CF_PART_STEPS, &ret->folder, err);
    if (status)
        return status;
    describe(&ret->steps, ret->folder, CF_PART_STEPS);
    ret->part = cf_text_dup(part);
    if (!ret->part)
        return no_memory(err);
    status = cf_part_begin(part, record, false, err);
    return status ? status : cf_part_add_steps(part, &ret->steps, err);
}

void cf_toggle_kept_started(void *user, pid_t pid)
{
    cf_toggle_kept *kept = user;
    cf_error err = {0};
    kept->steps.pid = pid;
    kept->steps.start = cf_running_since(pid);
    if (cf_part_add_steps(kept->part, &kept->steps, &err))
        cf_cli_note("%s", err.text);
}

/* The part file first: a folder that nobody names is clutter, a name of nothing would be an unfinished run. */
void cf_toggle_kept_remove(const cf_toggle_kept *kept)
{
    if (kept->part && cf_file_remove(kept->part, NULL) != CF_OK)
        cf_cli_note("%s stays: it could not be removed", kept->part);
    else if (kept->folder)
        cf_toggled_remove(kept->folder);
}

void cf_toggle_kept_done(cf_toggle_kept *kept)
{
    free(kept->part);
    free(kept->folder);
    *kept = (cf_toggle_kept){.part = NULL};
}

/* ---- what a killed one left ---- */

bool cf_toggle_is_of(const cf_record *record)
{
    return record->metric.on && record->metric.source == CF_SOURCE_STEP && record->design == CF_DESIGN_WITHIN;
}

char *cf_toggle_kept_folder(const char *part, const cf_part_steps *steps)
{
    char *record = cf_place_record(part);
    char *folder = record ? cf_text_format("%s.%s", record, steps->folder) : NULL;
    free(record);
    return folder;
}

/* A machine that was started anew keeps its name, and runs nothing of then. */
static bool is_elsewhere(const cf_part_steps *steps, bool *ret_started_anew)
{
    char host[sizeof steps->host], boot[sizeof steps->boot];
    *ret_started_anew = strcmp(cf_running_boot(boot, sizeof boot), steps->boot) != 0;
    return *ret_started_anew && strcmp(cf_running_host(host, sizeof host), steps->host) != 0;
}

static pid_t running(const char *folder, const cf_part_steps *steps)
{
    bool runs = steps->pid > 0 && steps->start > 0 && cf_running_since((pid_t)steps->pid) == steps->start;
    return runs ? (pid_t)steps->pid : cf_running_writer(folder);
}

cf_status cf_toggle_kept_check_ended(const char *part, const char *folder, const cf_part_steps *steps, cf_error *err)
{
    bool started_anew;
    char safe[sizeof steps->host];
    if (is_elsewhere(steps, &started_anew))
        return cf_error_set(err, CF_INPUT,
                            "%s: its program was started on another machine, %s: only there is seen whether it still "
                            "runs; go on with --resume there",
                            part, cf_text_safe(steps->host, safe, sizeof safe));
    pid_t pid = started_anew ? 0 : running(folder, steps);
    if (pid == 0)
        return CF_OK;
    return cf_error_set(
        err, CF_INPUT,
        "%s: its program still runs, as process %ld, and its steps go on being kept; when it has ended, "
        "go on with --resume",
        part, (long)pid);
}

static cf_status check_rounds(const char *part, const char *output, const char *folder, cf_error *err)
{
    cf_toggled toggled;
    cf_error why = {0};
    cf_status status = cf_toggled_read(folder, &toggled, &why);
    if (status)
        return cf_error_set(err, status, "%s: %s; they are of a run that did not end, and are not written over", part,
                            why.text);
    uint32_t rounds = toggled.wire ? cf_toggle_whole_rounds(toggled.wire) : 0;
    cf_toggled_done(&toggled);
    if (rounds == 0)
        return CF_OK;
    return cf_error_set(err, CF_INPUT,
                        "%s is of a run that did not end, with %lu whole rounds in %s; go on with --toggle timing "
                        "--resume %s, or remove both",
                        part, (unsigned long)rounds, folder, output);
}

cf_status cf_toggle_kept_check(const char *part, const char *output, const cf_part_steps *steps, cf_error *err)
{
    char *folder = cf_toggle_kept_folder(part, steps);
    if (!folder)
        return no_memory(err);
    cf_status status = cf_toggle_kept_check_ended(part, folder, steps, err);
    if (!status && cf_file_exists(folder)) {
        status = check_rounds(part, output, folder, err);
        if (!status)
            cf_toggled_remove(folder);
    }
    free(folder);
    return status;
}
