#include "run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/object.h"
#include "api/options.h"
#include "base/rng.h"
#include "record/file.h"
#include "verdict/verdict.h"

/* What a run needs to know between rounds. */
typedef struct watcher {
    const confound_options *options;
    bool stop; /* the caller's progress function asked for the end */
} watcher;

static void progress(void *user, const cf_progress *now, const cf_record *record)
{
    static const char *const phases[] = {
        [CF_PHASE_CALIBRATE] = "calibrate",
        [CF_PHASE_PROLOGUE] = "prologue",
        [CF_PHASE_WARMUP] = "warm-up",
        [CF_PHASE_ROUNDS] = "rounds",
    };
    watcher *w = user;
    (void)record;
    if (w->options->progress && w->options->progress(w->options->user, phases[now->phase], now->done, now->most))
        w->stop = true;
}

static bool cancelled(void *user)
{
    const watcher *w = user;
    return w->stop;
}

/* Out of memory settles nothing: the run goes on and meets it again. */
static bool enough(void *user, const cf_record *record)
{
    cf_judge_settings settings = {.margin = (double)NAN};
    cf_judgement judgement;
    (void)user;
    if (cf_judge(record, NULL, &settings, &judgement, NULL) != CF_OK)
        return false;
    bool settled = cf_judgement_settled(record, &judgement);
    cf_judgement_done(&judgement);
    return settled;
}

/* The hash of the file that confound_record_write would write, so that a judgement made before it was written is the
   one made after. */
static cf_status hash(confound_record *record, cf_error *error)
{
    cf_text json = {0};
    cf_status status = cf_record_print(&record->record, &json, error);
    if (status == CF_OK)
        cf_hash_sha256(json.data, json.size_bytes, record->sha256_hex);
    cf_text_done(&json);
    return status;
}

static cf_status measure(const cf_job *job, const confound_options *options, confound_record *record, cf_error *error)
{
    const char *device = job->device ? job->device : "soft";
    watcher w = {.options = options};
    cf_run_options run = {
        .backend = cf_device_backend(device),
        .job = job,
        .part_path = options->part_path,
        .callbacks = {.user = &w, .progress = progress, .enough = enough, .cancelled = cancelled},
    };
    if (!run.backend)
        return cf_error_set(error, CF_NO_DEVICE, "no device \"%s\"", device);
    run.seed = options->has_seed ? options->seed : job->has_seed ? job->seed : cf_rng_seed();
    cf_status status = cf_run(&run, &record->record, error);
    return status == CF_OK ? hash(record, error) : status;
}

static cf_status read_job(const char *job_ini, const confound_options *options, cf_job *ret_job, cf_error *error)
{
    cf_ini ini = {0};
    cf_status status = cf_ini_parse("job", job_ini, strlen(job_ini), &ini, error);
    for (size_t i = 0; status == CF_OK && i < options->count; i++)
        status = cf_ini_set(&ini, options->assignments[i], error);
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
