#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/object.h"
#include "api/options.h"
#include "api/watcher.h"
#include "base/rng.h"
#include "record/file.h"

#define PART_BEGIN   "{\"head\""
#define RECORD_BYTES ((size_t)1 << 30)

static cf_status set_number(cf_ini *ini, const char *key, double value, cf_error *error)
{
    char number[40], assignment[80];
    (void)snprintf(assignment, sizeof assignment, "run.%s=%s", key, cf_text_shortest(value, number, sizeof number));
    return cf_ini_set(ini, assignment, error);
}

static cf_status set_count(cf_ini *ini, const char *key, int64_t value, cf_error *error)
{
    char assignment[80];
    (void)snprintf(assignment, sizeof assignment, "run.%s=%lld", key, (long long)value);
    return cf_ini_set(ini, assignment, error);
}

static cf_status set_numbers(cf_ini *ini, const confound_options *options, cf_error *error)
{
    cf_status status = CF_OK;
    if (options->margin > 0)
        status = set_number(ini, "margin", options->margin, error);
    if (status == CF_OK && options->max_rounds > 0)
        status = set_count(ini, "rounds", options->max_rounds, error);
    if (status == CF_OK && options->max_rounds > 0)
        status = set_count(ini, "min_rounds", options->min_rounds, error);
    return status;
}

static cf_status set_device(cf_ini *ini, const char *name, cf_error *error)
{
    char assignment[80];
    (void)snprintf(assignment, sizeof assignment, "job.device=%s", name);
    return cf_ini_set(ini, assignment, error);
}

/* Reads a job. only_rounds: nothing of the options but how many, as where a record says the rest. */
static cf_status read_job(const char *name, const char *job_ini, const confound_options *options, bool only_rounds,
                          cf_job *ret_job, cf_error *error)
{
    cf_ini ini = {0};
    cf_status status = cf_ini_parse(name, job_ini, strlen(job_ini), &ini, error);
    for (size_t i = 0; status == CF_OK && !only_rounds && i < options->count; i++)
        status = cf_ini_set(&ini, options->assignments[i], error);
    if (status == CF_OK)
        status = set_numbers(&ini, options, error);
    if (status == CF_OK && !only_rounds && options->custom)
        status = set_device(&ini, options->custom->name, error);
    if (status == CF_OK)
        status = cf_job_from_ini(&ini, NULL, ret_job, error);
    cf_ini_done(&ini);
    return status;
}

/* The second job runs on the first one's device. */
static cf_status read_against(const char *against, const cf_job *job, cf_job *ret_job, cf_error *error)
{
    cf_ini ini = {0};
    cf_status status = cf_ini_parse("against", against, strlen(against), &ini, error);
    if (status == CF_OK && job->device)
        status = set_device(&ini, job->device, error);
    if (status == CF_OK)
        status = cf_job_from_ini(&ini, NULL, ret_job, error);
    cf_ini_done(&ini);
    return status;
}

/* What is to be measured. */
typedef struct plan {
    cf_job job, against;
    bool has_against, resume;
    const char *part_path;
} plan;

static void done(plan *p)
{
    cf_job_done(&p->job);
    cf_job_done(&p->against);
}

/* "NAME" or "NAME:N". */
static cf_status find_device(const char *name, const confound_options *options, cf_run_options *run, cf_error *error)
{
    char backend[32];
    uint64_t index = 0;
    size_t length = strcspn(name, ":");
    bool numbered = name[length] == ':';
    if (options->custom && !strcmp(options->custom->name, name)) {
        run->backend = &options->custom->ops;
        return CF_OK;
    }
    (void)snprintf(backend, sizeof backend, "%.*s", (int)length, name);
    run->backend = length < sizeof backend ? cf_device_backend(backend) : NULL;
    if (!run->backend || (numbered && (!run->backend->list || !cf_text_parse_u64(name + length + 1, 0, 1023, &index))))
        return cf_error_set(error, CF_NO_DEVICE, "no device \"%.60s\"", name);
    run->device_index = (int)index;
    return CF_OK;
}

static cf_status measure(const plan *p, const confound_options *options, confound_record *record, cf_error *error)
{
    const cf_job *job = &p->job;
    cf_watcher watcher = {.options = options};
    cf_run_options run = {
        .job = job,
        .against = p->has_against ? &p->against : NULL,
        .part_path = p->part_path,
        .resume = p->resume,
        .alpha = options->alpha,
        .callbacks = cf_watcher_callbacks(&watcher),
        .agree = options->agree ? cf_watcher_agree : NULL,
        .agree_user = &watcher,
    };
    cf_status status = cf_watcher_check(options, error);
    if (status == CF_OK)
        status = find_device(job->device ? job->device : "soft", options, &run, error);
    if (status == CF_OK)
        status = cf_job_check_device(job, run.backend, error);
    if (status != CF_OK)
        return status;
    run.seed = options->has_seed ? options->seed : job->has_seed ? job->seed : cf_rng_seed();
    status = cf_run(&run, &record->record, error);
    return status == CF_OK ? cf_api_hash(record, error) : status;
}

static cf_status run_job(const char *job_ini, const confound_options *options, confound_record *record, cf_error *error)
{
    plan p = {.part_path = options->part_path};
    cf_status status = read_job("job", job_ini, options, false, &p.job, error);
    if (status == CF_OK && options->against) {
        p.has_against = true;
        status = read_against(options->against, &p.job, &p.against, error);
    }
    if (status == CF_OK)
        status = measure(&p, options, record, error);
    done(&p);
    return status;
}

/* ---- going on with a record ---- */

static cf_status check_resume_options(const char *path, const confound_options *o, cf_error *error)
{
    if (o->count > 0 || o->against || o->has_seed || o->margin > 0 || o->alpha > 0 || o->agree)
        return cf_error_set(error, CF_INPUT,
                            "%s says what is measured; of the options rounds, the part file, progress, cancel and a "
                            "device of one's own are accepted",
                            path);
    if (o->part_path && strcmp(o->part_path, path) != 0 && cf_file_exists(o->part_path))
        return cf_error_set(error, CF_INPUT,
                            "%s is there already; the part file to go on with, or a new place, is "
                            "accepted",
                            o->part_path);
    return CF_OK;
}

/* Of a part file the first line is {"head": …}. */
static cf_status read_either(const char *path, cf_record *ret_record, cf_error *error)
{
    char *data = NULL;
    size_t size_bytes = 0;
    cf_status status = cf_file_read(path, RECORD_BYTES, &data, &size_bytes, error);
    if (status != CF_OK)
        return status;
    bool is_part = size_bytes >= strlen(PART_BEGIN) && !memcmp(data, PART_BEGIN, strlen(PART_BEGIN));
    free(data);
    cf_record_done(ret_record);
    cf_record_init(ret_record);
    return is_part ? cf_part_read(path, ret_record, error) : cf_record_read(path, ret_record, NULL, error);
}

static cf_status check_record(const char *path, const cf_record *record, cf_error *error)
{
    const char *what = cf_record_is_own(record)             ? "holds steps of a caller's own, which it can't run"
                       : record->metric.on                  ? "is no run of a job"
                       : record->design != CF_DESIGN_WITHIN ? "is a comparison of processes"
                                                            : NULL;
    return what ? cf_error_set(error, CF_INPUT, "%s %s: it cannot be resumed", path, what) : CF_OK;
}

static cf_status resume(const char *path, const confound_options *options, confound_record *record, cf_error *error)
{
    plan p = {.resume = true, .part_path = options->part_path};
    cf_status status = check_resume_options(path, options, error);
    if (status == CF_OK)
        status = read_either(path, &record->record, error);
    if (status == CF_OK)
        status = check_record(path, &record->record, error);
    if (status == CF_OK)
        status = read_job(record->record.job.name, record->record.job.text, options, true, &p.job, error);
    if (status == CF_OK && record->record.has_against) {
        p.has_against = true;
        status = read_job(record->record.against.name, record->record.against.text, options, true, &p.against, error);
    }
    if (status == CF_OK)
        status = measure(&p, options, record, error);
    done(&p);
    return status;
}

typedef cf_status run_fn(const char *what, const confound_options *options, confound_record *record, cf_error *error);

static confound_status hand_out(run_fn *run, const char *what, const confound_options *options,
                                confound_record **ret_record, confound_error *err)
{
    static const confound_options none = {0};
    cf_error error = {0};
    confound_record *record = calloc(1, sizeof *record);
    if (!record)
        return cf_api_fail(err, CF_MEMORY, "out of memory");
    cf_record_init(&record->record);
    cf_status status = run(what, options ? options : &none, record, &error);
    if (status == CF_OK)
        *ret_record = record;
    else
        confound_record_free(record);
    return cf_api_status(status, &error, err);
}

confound_status confound_run_job(const char *job_ini, const confound_options *options, confound_record **ret_record,
                                 confound_error *err)
{
    if (!cf_api_given(job_ini, "the job", err))
        return CONFOUND_INPUT;
    return hand_out(run_job, job_ini, options, ret_record, err);
}

confound_status confound_run_resume(const char *path, const confound_options *options, confound_record **ret_record,
                                    confound_error *err)
{
    if (!cf_api_given(path, "the record's path", err))
        return CONFOUND_INPUT;
    return hand_out(resume, path, options, ret_record, err);
}
