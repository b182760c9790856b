#include "cli/pick.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"

typedef struct search {
    cf_pick *pick;
    const cf_device_ops *backend; /* whose list is being told */
    bool gpus_only;
} search;

static void set(cf_pick *pick, const cf_device_ops *backend, int index)
{
    pick->backend = backend;
    pick->index = index;
    if (backend->list != NULL)
        snprintf(pick->name, sizeof pick->name, "%s:%d", backend->name, index);
    else
        snprintf(pick->name, sizeof pick->name, "%s", backend->name);
}

static cf_status refuse(const char *wanted, cf_error *err)
{
    const char *names[17] = {"auto"};
    for (size_t i = 0; cf_device_backends[i] != NULL && i < 15; i++)
        names[i + 1] = cf_device_backends[i]->name;
    const char *near = cf_text_nearest(names, wanted);
    char safe[80], list[160];
    return cf_error_set(err, CF_NO_DEVICE, "there is no device '%s' in this build%s%s%s; accepted: %s",
                        cf_text_safe(wanted, safe, sizeof safe), near ? " (did you mean '" : "", near ? near : "",
                        near ? "'?)" : "", cf_text_list(names, list, sizeof list));
}

static cf_status pick_named(const char *wanted, cf_pick *pick, cf_error *err)
{
    char backend[32];
    uint64_t index = 0;
    const char *colon = strchr(wanted, ':');
    size_t length = colon != NULL ? (size_t)(colon - wanted) : strlen(wanted);
    snprintf(backend, sizeof backend, "%.*s", (int)(length < sizeof backend ? length : sizeof backend - 1), wanted);
    const cf_device_ops *ops = cf_device_backend(backend);
    if (ops == NULL)
        return refuse(wanted, err);
    if (colon != NULL && ops->list == NULL)
        return cf_error_set(err, CF_NO_DEVICE, "there is one %s, and it takes no number; accepted: %s", ops->name,
                            ops->name);
    if (colon != NULL && !cf_text_parse_u64(colon + 1, 0, 1023, &index))
        return cf_error_set(err, CF_NO_DEVICE, "'%s' names no device; accepted: %s:0, %s:1, …", backend, ops->name,
                            ops->name);
    set(pick, ops, (int)index);
    pick->by_name = true;
    return CF_OK;
}

/* An emulated GPU is taken by name alone: it is a model, and so is the device that is taken where there is no GPU. */
static void consider(void *user, const cf_device_listing *listing)
{
    search *s = user;
    if (s->pick->backend != NULL || (s->gpus_only && strcmp(listing->kind, "gpu") != 0) ||
        strcmp(listing->kind, "emulated") == 0)
        return;
    char name[120];
    set(s->pick, s->backend, listing->index);
    snprintf(s->pick->why, sizeof s->pick->why, "no device was named: using %s (%s), the first %s found", s->pick->name,
             cf_text_safe(listing->name, name, sizeof name), s->gpus_only ? "GPU" : "OpenCL device");
}

/* Asks every backend that can list; those that are absent leave their reason in pick->why. */
static void look(cf_pick *pick, bool gpus_only)
{
    search s = {.pick = pick, .gpus_only = gpus_only};
    char absent[512] = "";
    for (size_t i = 0; cf_device_backends[i] != NULL && pick->backend == NULL; i++) {
        s.backend = cf_device_backends[i];
        if (s.backend->list == NULL || (!gpus_only && strcmp(s.backend->name, "opencl") != 0))
            continue;
        cf_error err = {0};
        size_t used = strlen(absent);
        if (s.backend->list(consider, &s, &err) != CF_OK && used + 8 < sizeof absent)
            snprintf(absent + used, sizeof absent - used, "%s%s: %.160s", used > 0 ? "; " : "", s.backend->name,
                     err.text);
    }
    if (pick->backend == NULL && gpus_only)
        snprintf(pick->why, sizeof pick->why, "%s", absent);
}

static void pick_best(cf_pick *pick)
{
    look(pick, true);
    char absent[256];
    snprintf(absent, sizeof absent, "%.250s", pick->why);
    if (pick->backend == NULL)
        look(pick, false);
    if (pick->backend != NULL)
        return;
    set(pick, cf_device_backend(CF_CLI_DEVICE_DEFAULT), 0);
    snprintf(pick->why, sizeof pick->why,
             "no device was named and no GPU was found%s%s%s: using %s, the embedded software device. This is a "
             "self-test; it says nothing about anyone's GPU",
             absent[0] != '\0' ? " (" : "", absent, absent[0] != '\0' ? ")" : "", CF_CLI_DEVICE_DEFAULT);
}

cf_status cf_pick_device(const char *wanted, cf_pick *ret_pick, cf_error *err)
{
    *ret_pick = (cf_pick){0};
    if (wanted != NULL && strcmp(wanted, "auto") != 0)
        return pick_named(wanted, ret_pick, err);
    pick_best(ret_pick);
    return CF_OK;
}
