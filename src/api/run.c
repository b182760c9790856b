#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/object.h"
#include "api/options.h"
#include "api/watcher.h"
#include "base/rng.h"

static cf_status measure(const cf_job *job, const confound_options *options, confound_record *record, cf_error *error)
{
    const char *device = job->device ? job->device : "soft";
    cf_watcher watcher = {.options = options};
    cf_run_options run = {
        .backend = options->custom ? &options->custom->ops : cf_device_backend(device),
        .job = job,
        .part_path = options->part_path,
        .alpha = options->alpha,
        .callbacks = cf_watcher_callbacks(&watcher),
        .agree = options->agree ? cf_watcher_agree : NULL,
        .agree_user = &watcher,
    };
    if (!run.backend)
        return cf_error_set(error, CF_NO_DEVICE, "no device \"%s\"", device);
    cf_status status = cf_watcher_check(options, error);
    if (status == CF_OK)
        status = cf_job_check_device(job, run.backend, error);
    if (status != CF_OK)
        return status;
    run.seed = options->has_seed ? options->seed : job->has_seed ? job->seed : cf_rng_seed();
    status = cf_run(&run, &record->record, error);
    return status == CF_OK ? cf_api_hash(record, error) : status;
}

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

static cf_status set_custom(cf_ini *ini, const cf_custom *custom, cf_error *error)
{
    char assignment[80];
    (void)snprintf(assignment, sizeof assignment, "job.device=%s", custom->name);
    return cf_ini_set(ini, assignment, error);
}

static cf_status read_job(const char *job_ini, const confound_options *options, cf_job *ret_job, cf_error *error)
{
    cf_ini ini = {0};
    cf_status status = cf_ini_parse("job", job_ini, strlen(job_ini), &ini, error);
    for (size_t i = 0; status == CF_OK && i < options->count; i++)
        status = cf_ini_set(&ini, options->assignments[i], error);
    if (status == CF_OK)
        status = set_numbers(&ini, options, error);
    if (status == CF_OK && options->custom)
        status = set_custom(&ini, options->custom, error);
    if (status == CF_OK)
        status = cf_job_from_ini(&ini, NULL, ret_job, error);
    cf_ini_done(&ini);
    return status;
}

static cf_status run_into(const char *job_ini, const confound_options *options, confound_record *record,
                          cf_error *error)
{
    cf_job job = {0};
    cf_status status = read_job(job_ini, options, &job, error);
    if (status == CF_OK)
        status = measure(&job, options, record, error);
    cf_job_done(&job);
    return status;
}

confound_status confound_run_job(const char *job_ini, const confound_options *options, confound_record **ret_record,
                                 confound_error *err)
{
    static const confound_options none = {0};
    cf_error error = {0};
    confound_record *record = calloc(1, sizeof *record);
    if (!record)
        return cf_api_fail(err, CF_MEMORY, "out of memory");
    cf_record_init(&record->record);
    cf_status status = run_into(job_ini, options ? options : &none, record, &error);
    if (status == CF_OK)
        *ret_record = record;
    else
        confound_record_free(record);
    return cf_api_status(status, &error, err);
}
