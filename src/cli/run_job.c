#include "cli/run_job.h"

#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "record/file.h"

#define JOB_FILE_BYTES ((size_t)1 << 20)

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

/* ---- the job ---- */

static cf_status refuse_job(const char *path, cf_error *err)
{
    const char *names[64] = {NULL};
    for (size_t i = 0; cf_job_builtins[i].name != NULL && i < 63; i++)
        names[i] = cf_job_builtins[i].name;
    const char *near = cf_text_nearest(names, path);
    char safe[160], list[512];
    return cf_error_set(err, CF_INPUT, "there is no job file and no ready job '%s'%s%s%s; accepted: a file, %s",
                        cf_text_safe(path, safe, sizeof safe), near ? " (did you mean '" : "", near ? near : "",
                        near ? "'?)" : "", cf_text_list(names, list, sizeof list));
}

/* A file wins over a ready job of the same name only where its path says that it is one. */
static cf_status load_ini(const char *path, cf_ini *ret_ini, cf_error *err)
{
    const cf_job_builtin *ready = strchr(path, '/') == NULL ? cf_job_builtin_find(path) : NULL;
    if (ready != NULL)
        return cf_ini_parse(path, ready->text, strlen(ready->text), ret_ini, err);
    if (strcmp(path, "-") != 0 && strchr(path, '/') == NULL && strchr(path, '.') == NULL && !cf_file_exists(path))
        return refuse_job(path, err);
    char *data = NULL;
    size_t size_bytes = 0;
    cf_status status = cf_file_read(path, JOB_FILE_BYTES, &data, &size_bytes, err);
    if (status == CF_OK)
        status = cf_ini_parse(path, data, size_bytes, ret_ini, err);
    free(data);
    return status;
}

static cf_status set_format(cf_ini *ini, cf_error *err, const char *fmt, ...) CF_PRINTF(3, 4);
static cf_status set_format(cf_ini *ini, cf_error *err, const char *fmt, ...)
{
    char assignment[512];
    va_list args;
    va_start(args, fmt);
    int length = vsnprintf(assignment, sizeof assignment, fmt, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof assignment)
        return cf_error_set(err, CF_INPUT, "a value of %d bytes is too long; accepted: 400", length);
    return cf_ini_set(ini, assignment, err);
}

/* What the options say in other words than --set. */
static cf_status apply_options(const cf_options *o, cf_ini *ini, cf_error *err)
{
    char number[40];
    cf_status status = CF_OK;
    if (o->device != NULL)
        status = set_format(ini, err, "job.device=%s", o->device);
    if (status == CF_OK && o->model != NULL)
        status = set_format(ini, err, "job.model=%s", o->model);
    if (status == CF_OK && o->instruments != NULL)
        status = set_format(ini, err, "instruments.use=%s", o->instruments);
    if (status == CF_OK && o->rounds.set)
        status = set_format(ini, err, "run.rounds=%llu", (unsigned long long)o->rounds.value);
    if (status == CF_OK && o->min_rounds.set)
        status = set_format(ini, err, "run.min_rounds=%llu", (unsigned long long)o->min_rounds.value);
    if (status == CF_OK && o->margin.set)
        status = set_format(ini, err, "run.margin=%s", cf_text_shortest(o->margin.value, number, sizeof number));
    if (status == CF_OK && o->seed.set)
        status = set_format(ini, err, "run.seed=%llu", (unsigned long long)o->seed.value);
    return status;
}

/* The device is settled before the job is read: what a lane may say depends on it. */
static cf_status settle_device(cf_ini *ini, cf_pick *ret_pick, cf_error *err)
{
    const cf_ini_item *item = cf_ini_find(ini, "job", "device");
    char where[256];
    cf_status status = cf_pick_device(item != NULL ? item->value : NULL, ret_pick, err);
    if (status != CF_OK && item != NULL && item->line > 0 && err != NULL) {
        cf_error why = *err;
        return cf_error_set(err, status, "%s%s", cf_ini_where(ini, item, where, sizeof where), why.text);
    }
    if (status != CF_OK)
        return status;
    return set_format(ini, err, "job.device=%s", ret_pick->name);
}

/* pick NULL: whatever device the job names, if any. */
static cf_status read_job(const cf_options *o, const char *path, cf_pick *pick, cf_job *ret_job, cf_error *err)
{
    cf_ini ini = {0};
    char *folder = cf_text_dup(path);
    if (folder == NULL)
        return no_memory(err);
    cf_status status = load_ini(path, &ini, err);
    for (size_t i = 0; i < o->sets.count && status == CF_OK; i++)
        status = cf_ini_set(&ini, o->sets.items[i], err);
    if (status == CF_OK)
        status = apply_options(o, &ini, err);
    if (status == CF_OK && pick != NULL)
        status = settle_device(&ini, pick, err);
    if (status == CF_OK)
        status = cf_job_from_ini(&ini, dirname(folder), ret_job, err);
    cf_ini_done(&ini);
    free(folder);
    return status;
}

static cf_status check_against(const cf_run_plan *plan, cf_error *err)
{
    const char *name = plan->against.device;
    if (name == NULL || strcmp(name, plan->pick.name) == 0 || strcmp(name, plan->pick.backend->name) == 0)
        return CF_OK;
    return cf_error_set(err, CF_INPUT, "%s names the device %s and %s runs on %s; accepted: one device for both",
                        plan->against.name, name, plan->job.name, plan->pick.name);
}

/* ---- where the record goes ---- */

static cf_status name_output(const cf_options *o, cf_run_plan *plan, cf_error *err)
{
    if (o->output != NULL)
        plan->output = cf_text_dup(o->output);
    else if (o->resume != NULL)
        plan->output = cf_place_record(o->resume);
    else
        plan->output = cf_place_fresh(plan->pick.backend->name);
    if (plan->output == NULL)
        return no_memory(err);
    char *part = cf_place_part(plan->output);
    if (part == NULL)
        return no_memory(err);
    bool stays = cf_place_holds(&plan->from, part);
    plan->has_part = plan->has_part && stays; /* in a new place the part file is made anew */
    plan->part = part;
    cf_status status = cf_file_check_writable(plan->output, err);
    if (status == CF_OK && !stays)
        status = cf_place_hold_part(plan->part, true, &plan->to, err);
    return status == CF_OK && !plan->resume ? cf_place_check_part(plan->part, plan->output, err) : status;
}

/* ---- resume ---- */

/* A job's text less what may change from one process to the next: how many rounds. Modifies and returns text. */
static char *without_rounds(char *text)
{
    char *to = text;
    for (char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n") + 1;
        if (line[length - 1] == '\0')
            length--;
        bool rounds = strncmp(line, "rounds = ", 9) == 0 || strncmp(line, "min_rounds = ", 13) == 0 ||
                      strncmp(line, "[run]", 5) == 0;
        if (!rounds) {
            memmove(to, line, length);
            to += length;
        }
        line += length;
    }
    *to = '\0';
    return text;
}

/* The same command line with --resume behind it goes on; another job does not. */
static cf_status check_same_job(const cf_options *o, const cf_record *record, cf_error *err)
{
    bool says_job = o->job_path != NULL || o->sets.count > 0 || o->model != NULL || o->seed.set ||
                    o->instruments != NULL || o->margin.set;
    if (!says_job)
        return CF_OK;
    cf_job job = {0};
    cf_pick pick;
    cf_status status = read_job(o, o->job_path != NULL ? o->job_path : "default", &pick, &job, err);
    char *then = cf_text_dup(record->job.text);
    if (status == CF_OK && then == NULL)
        status = no_memory(err);
    if (status == CF_OK && strcmp(without_rounds(then), without_rounds(job.text)) != 0)
        status = cf_error_set(err, CF_INPUT,
                              "%s was measured with another job than this command line says; give --resume alone, or "
                              "the same job and options as then",
                              o->resume);
    free(then);
    cf_job_done(&job);
    return status;
}

/* --against with --resume: the second job as it was, or none is named. */
static cf_status check_same_against(const cf_options *o, const cf_record *record, cf_error *err)
{
    if (o->against == NULL)
        return CF_OK;
    if (!record->has_against)
        return cf_error_set(err, CF_INPUT, "%s has no second job: it cannot be resumed with --against", o->resume);
    cf_options plain = {.device = o->device, .model = o->model};
    cf_job job = {0};
    cf_status status = read_job(&plain, o->against, NULL, &job, err);
    if (status == CF_OK && strcmp(job.text, record->against.text) != 0)
        status = cf_error_set(err, CF_INPUT,
                              "%s was measured against another job than %s; give --resume alone, or the same one",
                              o->resume, o->against);
    cf_job_done(&job);
    return status;
}

static cf_status read_record(const cf_options *o, cf_run_plan *plan, cf_record *record, cf_error *err)
{
    bool stays = o->output == NULL || strcmp(o->output, o->resume) == 0;
    cf_status status = cf_place_hold_old(o->resume, stays, &plan->from, &plan->has_part, err);
    if (status != CF_OK)
        return status;
    cf_record_done(record);
    return plan->has_part ? cf_part_read(plan->from.part, record, err) : cf_record_read(o->resume, record, NULL, err);
}

static cf_status job_again(const cf_options *o, const cf_record_job *from, cf_job *ret_job, cf_error *err)
{
    cf_ini ini = {0};
    cf_options rounds_only = {.rounds = o->rounds, .min_rounds = o->min_rounds};
    cf_status status = cf_ini_parse(from->name, from->text, strlen(from->text), &ini, err);
    if (status == CF_OK)
        status = apply_options(&rounds_only, &ini, err);
    if (status == CF_OK)
        status = cf_job_from_ini(&ini, NULL, ret_job, err);
    cf_ini_done(&ini);
    return status;
}

static cf_status plan_resume(const cf_options *o, cf_run_plan *plan, cf_record *record, cf_error *err)
{
    plan->resume = true;
    cf_status status = read_record(o, plan, record, err);
    if (status == CF_OK && cf_record_is_own(record))
        status = cf_error_set(err, CF_INPUT,
                              "%s holds steps of a program's own, which only that program can go on with", o->resume);
    if (status == CF_OK && record->metric.on)
        status = cf_error_set(err, CF_INPUT, "%s is of a whole program: confound exec goes on with it", o->resume);
    if (status == CF_OK)
        status = check_same_job(o, record, err);
    if (status == CF_OK)
        status = check_same_against(o, record, err);
    if (status == CF_OK && record->design != CF_DESIGN_WITHIN)
        status = cf_error_set(err, CF_INPUT, "%s is a comparison of processes: it cannot be resumed", o->resume);
    if (status == CF_OK)
        status = job_again(o, &record->job, &plan->job, err);
    if (status == CF_OK && record->has_against) {
        plan->has_against = true;
        status = job_again(o, &record->against, &plan->against, err);
    }
    if (status == CF_OK)
        status = cf_pick_device(plan->job.device != NULL ? plan->job.device : record->device_backend, &plan->pick, err);
    cf_pick named;
    if (status != CF_OK || o->device == NULL)
        return status;
    status = cf_pick_device(o->device, &named, err);
    if (status == CF_OK && (named.backend != plan->pick.backend || named.index != plan->pick.index))
        status = cf_error_set(err, CF_INPUT, "%s was measured on %s: it cannot go on with --device %s", o->resume,
                              plan->pick.name, o->device);
    return status;
}

static cf_status plan_new(const cf_options *o, cf_run_plan *plan, cf_error *err)
{
    cf_status status = read_job(o, o->job_path != NULL ? o->job_path : "default", &plan->pick, &plan->job, err);
    if (status == CF_OK)
        status = cf_job_check_device(&plan->job, plan->pick.backend, err);
    if (status == CF_OK && o->against != NULL) {
        cf_options plain = {.device = o->device, .model = o->model};
        plan->has_against = true;
        status = read_job(&plain, o->against, NULL, &plan->against, err);
        if (status == CF_OK)
            status = check_against(plan, err);
    }
    return status;
}

cf_status cf_run_plan_make(const cf_options *options, cf_run_plan *ret_plan, cf_record *ret_record, cf_error *err)
{
    *ret_plan = (cf_run_plan){0};
    cf_record_init(ret_record);
    cf_status status =
        options->resume != NULL ? plan_resume(options, ret_plan, ret_record, err) : plan_new(options, ret_plan, err);
    if (status == CF_OK && options->explain != NULL)
        status = cf_explain_of_job(options->explain, &ret_plan->job, ret_plan->has_against, &ret_plan->explain, err);
    return status == CF_OK ? name_output(options, ret_plan, err) : status;
}

void cf_run_plan_done(cf_run_plan *plan)
{
    cf_job_done(&plan->job);
    cf_job_done(&plan->against);
    free(plan->output);
    free(plan->part);
    cf_place_release(&plan->to);
    cf_place_release(&plan->from);
    *plan = (cf_run_plan){0};
}
