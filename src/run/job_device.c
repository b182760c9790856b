/* Settings of a device in a job, against the tables of the backends. */
#include <string.h>

#include "base/text.h"
#include "run/job_read.h"

cf_status cf_job_refuse(cf_job_reader *r, const char *accepted)
{
    char where[256];
    char value[80];
    return cf_error_set(r->err, CF_INPUT, "%s[%s] %s = %s; accepted: %s",
                        cf_ini_where(r->ini, r->item, where, sizeof where), r->item->section, r->item->key,
                        cf_text_safe(r->item->value, value, sizeof value), accepted);
}

/* The setting of that name of any backend, from *at on, which moves behind it; NULL if there is no further one. */
static const cf_device_setting *next_setting(const char *name, size_t *at)
{
    for (; cf_device_backends[*at] != NULL; (*at)++)
        for (const cf_device_setting *s = cf_device_backends[*at]->settings; s != NULL && s->name != NULL; s++)
            if (name == NULL || strcmp(s->name, name) == 0) {
                (*at)++;
                return s;
            }
    return NULL;
}

static bool takes(const cf_device_setting *setting, const char *value)
{
    uint64_t number = 0;
    return setting->values != NULL ? cf_text_find(setting->values, value) >= 0
                                   : cf_text_parse_u64(value, 0, UINT32_MAX, &number);
}

static cf_status refuse_setting(cf_job_reader *r)
{
    const char *names[64] = {NULL};
    size_t count = 0;
    for (size_t i = 0; cf_device_backends[i] != NULL; i++)
        for (const cf_device_setting *s = cf_device_backends[i]->settings; s != NULL && s->name != NULL; s++)
            if (count < 63 && cf_text_find(names, s->name) < 0)
                names[count++] = s->name;
    const char *near = cf_text_nearest(names, r->item->key);
    char where[256], key[80], list[256];
    return cf_error_set(r->err, CF_INPUT, "%sno device takes the setting '%s'%s%s%s; accepted: %s",
                        cf_ini_where(r->ini, r->item, where, sizeof where), cf_text_safe(r->item->key, key, sizeof key),
                        near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
                        count > 0 ? cf_text_list(names, list, sizeof list) : "none in this build");
}

/* What the devices accept: "blocking or legacy (cuda); offload or split (level-zero)". */
static cf_status refuse_value(cf_job_reader *r)
{
    cf_text all = {0};
    for (size_t i = 0; cf_device_backends[i] != NULL; i++)
        for (const cf_device_setting *s = cf_device_backends[i]->settings; s != NULL && s->name != NULL; s++) {
            char list[256];
            if (strcmp(s->name, r->item->key) == 0)
                cf_text_add(&all, "%s%s (%s)", all.size_bytes > 0 ? "; " : "",
                            s->values != NULL ? cf_text_list(s->values, list, sizeof list) : "a whole number",
                            cf_device_backends[i]->name);
        }
    const cf_status status = all.failed ? cf_error_set(r->err, CF_MEMORY, "out of memory") : cf_job_refuse(r, all.data);
    cf_text_done(&all);
    return status;
}

cf_status cf_job_read_setting(cf_job_reader *r)
{
    size_t at = 0;
    const cf_device_setting *setting = next_setting(r->item->key, &at);
    if (setting == NULL)
        return refuse_setting(r);
    while (setting != NULL && !takes(setting, r->item->value))
        setting = next_setting(r->item->key, &at);
    if (setting == NULL)
        return refuse_value(r);
    return cf_pairs_add(&r->job->settings, r->item->key, r->item->value, r->err);
}

cf_status cf_job_check_device(const cf_job *job, const cf_device_ops *backend, cf_error *err)
{
    for (int i = 0; i < job->variant_count; i++) {
        const cf_instrument_type *type = job->variants[i].type;
        if (type->backend != NULL && strcmp(type->backend, backend->name) != 0)
            return cf_error_set(err, CF_UNSUPPORTED,
                                "%s: the instrument %s is offered by the device %s alone, not by %s", job->name,
                                type->name, type->backend, backend->name);
    }
    for (size_t i = 0; i < job->settings.count; i++) {
        const cf_pair *pair = &job->settings.items[i];
        const cf_device_setting *s = backend->settings;
        while (s != NULL && s->name != NULL && (strcmp(s->name, pair->name) != 0 || !takes(s, pair->value)))
            s++;
        if (s == NULL || s->name == NULL)
            return cf_error_set(err, CF_INPUT, "%s: the device %s takes no setting '%s = %s'", job->name, backend->name,
                                pair->name, pair->value);
    }
    return CF_OK;
}
