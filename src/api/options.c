#include "api/options.h"

#include <stdlib.h>
#include <string.h>

#include "api/object.h"
#include "base/ini.h"
#include "device/device.h"

#define SEED_END    (UINT64_C(1) << 53)
#define ROUNDS_MOST 1000000

confound_status confound_options_new(confound_options **ret_options, confound_error *err)
{
    confound_options *options = calloc(1, sizeof *options);
    if (!options)
        return cf_api_fail(err, CF_MEMORY, "out of memory");
    *ret_options = options;
    return CONFOUND_OK;
}

void confound_options_free(confound_options *options)
{
    if (!options)
        return;
    for (size_t i = 0; i < options->count; i++)
        free(options->assignments[i]);
    free(options->assignments);
    free(options->part_path);
    free(options->against);
    free(options->custom);
    free(options);
}

/* Takes assignment, which may be NULL: out of memory. */
static confound_status add(confound_options *options, char *assignment, confound_error *err)
{
    char **grown = NULL;
    if (assignment)
        grown = realloc(options->assignments, (options->count + 1) * sizeof *grown);
    if (!grown) {
        free(assignment);
        return cf_api_fail(err, CF_MEMORY, "out of memory");
    }
    grown[options->count++] = assignment;
    options->assignments = grown;
    return CONFOUND_OK;
}

confound_status confound_options_set_device(confound_options *options, const char *name, confound_error *err)
{
    const char *names[16] = {NULL};
    char list[256];

    if (!cf_api_given(name, "the device's name", err))
        return CONFOUND_INPUT;
    size_t length = strcspn(name, ":");
    char *backend = cf_text_format("%.*s", (int)length, name);
    bool known = backend && cf_device_backend(backend);
    free(backend);
    if (known)
        return add(options, cf_text_format("job.device=%s", name), err);
    for (size_t i = 0; cf_device_backends[i] && i + 1 < sizeof names / sizeof *names; i++)
        names[i] = cf_device_backends[i]->name;
    return cf_api_fail(err, CF_NO_DEVICE, "no device \"%s\"; there is %s", name,
                       cf_text_list(names, list, sizeof list));
}

confound_status confound_options_set_custom_device(confound_options *options, const confound_device_ops *ops,
                                                   void *user, confound_error *err)
{
    cf_error error = {0};
    cf_custom *custom = malloc(sizeof *custom);
    if (!custom)
        return cf_api_fail(err, CF_MEMORY, "out of memory");
    cf_status status = cf_custom_init(ops, user, custom, &error);
    if (status == CF_OK) {
        free(options->custom);
        options->custom = custom;
    } else
        free(custom);
    return cf_api_status(status, &error, err);
}

/* Tried on an empty job, so that the mistake is told where it was made. */
confound_status confound_options_set_value(confound_options *options, const char *assignment, confound_error *err)
{
    cf_error error = {0};
    cf_ini ini = {0};
    if (!cf_api_given(assignment, "the assignment", err))
        return CONFOUND_INPUT;
    cf_status status = cf_ini_parse("job", "", 0, &ini, &error);
    if (status == CF_OK) {
        status = cf_ini_set(&ini, assignment, &error);
        cf_ini_done(&ini);
    }
    if (status != CF_OK)
        return cf_api_status(status, &error, err);
    return add(options, cf_text_dup(assignment), err);
}

confound_status confound_options_set_seed(confound_options *options, uint64_t seed, confound_error *err)
{
    if (seed >= SEED_END)
        return cf_api_fail(err, CF_INPUT, "seed %llu is not accepted; it is below 2^53", (unsigned long long)seed);
    options->has_seed = true;
    options->seed = seed;
    return CONFOUND_OK;
}

confound_status confound_options_set_margin(confound_options *options, double margin, confound_error *err)
{
    if (!(margin >= 0.001 && margin <= 0.999))
        return cf_api_fail(err, CF_INPUT, "margin %g is not accepted; it is 0.001 to 0.999", margin);
    options->margin = margin;
    return CONFOUND_OK;
}

confound_status confound_options_set_alpha(confound_options *options, double alpha, confound_error *err)
{
    if (!(alpha > 0 && alpha <= 0.5))
        return cf_api_fail(err, CF_INPUT, "alpha %g is not accepted; it is above 0, at most 0.5", alpha);
    options->alpha = alpha;
    return CONFOUND_OK;
}

confound_status confound_options_set_at_least(confound_options *options, double at_least, confound_error *err)
{
    if (!(at_least > 0 && at_least < 1))
        return cf_api_fail(err, CF_INPUT, "at_least %g is not accepted; it is above 0 and below 1", at_least);
    options->at_least = at_least;
    return CONFOUND_OK;
}

confound_status confound_options_set_rounds(confound_options *options, int64_t min_rounds, int64_t max_rounds,
                                            confound_error *err)
{
    if (min_rounds < 1 || max_rounds < min_rounds || max_rounds > ROUNDS_MOST)
        return cf_api_fail(err, CF_INPUT, "%lld to %lld rounds are not accepted; at least 1, and at most %d",
                           (long long)min_rounds, (long long)max_rounds, ROUNDS_MOST);
    options->min_rounds = min_rounds;
    options->max_rounds = max_rounds;
    return CONFOUND_OK;
}

confound_status confound_options_set_part_path(confound_options *options, const char *path, confound_error *err)
{
    char *copy = path ? cf_text_dup(path) : NULL;
    if (path && !copy)
        return cf_api_fail(err, CF_MEMORY, "out of memory");
    free(options->part_path);
    options->part_path = copy;
    return CONFOUND_OK;
}

confound_status confound_options_set_against(confound_options *options, const char *job_ini, confound_error *err)
{
    char *copy = job_ini ? cf_text_dup(job_ini) : NULL;
    if (job_ini && !copy)
        return cf_api_fail(err, CF_MEMORY, "out of memory");
    free(options->against);
    options->against = copy;
    return CONFOUND_OK;
}

void confound_options_set_progress(confound_options *options, confound_progress_fn *progress, void *user)
{
    options->progress = progress;
    options->progress_user = user;
}

void confound_options_set_cancel(confound_options *options, confound_cancel_fn *cancel, void *user)
{
    options->cancel = cancel;
    options->cancel_user = user;
}

void confound_options_set_agree(confound_options *options, confound_agree_fn *agree, void *user)
{
    options->agree = agree;
    options->agree_user = user;
}
