#include "run/job_model.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

#define MODEL_FILE_BYTES ((size_t)1 << 20)

static const char *builtin_text(const char *name)
{
    for (size_t i = 0; cf_model_builtins[i].name != NULL; i++)
        if (strcmp(cf_model_builtins[i].name, name) == 0)
            return cf_model_builtins[i].text;
    return NULL;
}

static cf_status refuse_name(const cf_ini *ini, const cf_ini_item *item, const char *name, cf_error *err)
{
    const char *names[64] = {NULL};
    for (size_t i = 0; cf_model_builtins[i].name != NULL && i < 63; i++)
        names[i] = cf_model_builtins[i].name;
    const char *near = cf_text_nearest(names, name);
    char where[256], safe[160], list[512];
    return cf_error_set(err, CF_INPUT, "%sthere is no model and no file '%s'%s%s%s; accepted: a file, %s",
                        item != NULL ? cf_ini_where(ini, item, where, sizeof where) : "",
                        cf_text_safe(name, safe, sizeof safe), near ? " (did you mean '" : "", near ? near : "",
                        near ? "'?)" : "", cf_text_list(names, list, sizeof list));
}

static cf_status load_file(const char *path, cf_ini *ret_ini, cf_error *err)
{
    char *data = NULL;
    size_t size_bytes = 0;
    cf_status status = cf_file_read(path, MODEL_FILE_BYTES, &data, &size_bytes, err);
    if (status == CF_OK)
        status = cf_ini_parse(path, data, size_bytes, ret_ini, err);
    free(data);
    return status;
}

static cf_status load_named(const cf_ini *ini, const char *folder, const char *name, cf_ini *ret_ini, cf_error *err)
{
    const char *text = builtin_text(name);
    if (text != NULL)
        return cf_ini_parse(name, text, strlen(text), ret_ini, err);
    if (cf_file_exists(name))
        return load_file(name, ret_ini, err);
    char *beside = folder != NULL && name[0] != '/' ? cf_text_format("%s/%s", folder, name) : NULL;
    cf_status status = beside != NULL && cf_file_exists(beside)
                           ? load_file(beside, ret_ini, err)
                           : refuse_name(ini, cf_ini_find(ini, "job", "model"), name, err);
    free(beside);
    return status;
}

/* In the file: an engine that --set touches is one of the named model's. */
static bool has_own_engines(const cf_ini *ini)
{
    for (size_t i = 0; i < ini->count; i++)
        if (ini->items[i].line > 0 && strncmp(ini->items[i].section, "engine ", strlen("engine ")) == 0)
            return true;
    return false;
}

/* Sections of a model in the job change the named one, key by key. */
static cf_status overlay(const cf_ini *ini, cf_ini *model, cf_error *err)
{
    for (size_t i = 0; i < ini->count; i++) {
        const cf_ini_item *item = &ini->items[i];
        if (item->key == NULL || !cf_model_owns_section(item->section))
            continue;
        char *assignment = cf_text_format("%s.%s=%s", item->section, item->key, item->value);
        if (assignment == NULL)
            return cf_error_set(err, CF_MEMORY, "out of memory");
        cf_status status = cf_ini_set(model, assignment, err);
        free(assignment);
        if (status != CF_OK)
            return status;
    }
    return CF_OK;
}

/* The job's own model: its items, with their lines, less what is not a model's. Borrows the strings. */
static cf_status read_own(const cf_ini *ini, cf_model *ret_model, cf_error *err)
{
    cf_ini own = {.name = ini->name, .items = calloc(ini->count, sizeof *own.items)};
    if (own.items == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    for (size_t i = 0; i < ini->count; i++)
        if (cf_model_owns_section(ini->items[i].section))
            own.items[own.count++] = ini->items[i];
    cf_status status = cf_model_from_ini(&own, ret_model, err);
    free(own.items);
    return status;
}

static cf_status read_model(const cf_ini *ini, const char *folder, cf_model *ret_model, cf_error *err)
{
    const cf_ini_item *named = cf_ini_find(ini, "job", "model");
    if (named == NULL && has_own_engines(ini))
        return read_own(ini, ret_model, err);
    cf_ini model = {0};
    cf_status status = load_named(ini, folder, named != NULL ? named->value : "copy-offload", &model, err);
    if (status == CF_OK)
        status = overlay(ini, &model, err);
    if (status == CF_OK)
        status = cf_model_from_ini(&model, ret_model, err);
    cf_ini_done(&model);
    return status;
}

static cf_status check_lane(const cf_ini *ini, const cf_job *job, int number, cf_error *err)
{
    const cf_lane_spec *lane = &job->spec.lane[number];
    const char *section = cf_job_sections[1 + number];
    const cf_ini_item *item = cf_ini_find(ini, section, "op");
    char where[256] = "";
    int engine = cf_model_engine_of(&job->model, lane->kind);
    if (item != NULL)
        cf_ini_where(ini, item, where, sizeof where);
    if (engine < 0)
        return cf_error_set(err, CF_INPUT, "%s[%s] the model '%s' has no engine that runs %s", where, section,
                            job->model.name, cf_op_names[lane->kind]);
    item = cf_ini_find(ini, section, "bytes");
    uint64_t ns = 0;
    if (!lane->given || lane->unit != CF_UNIT_BYTES)
        return CF_OK;
    cf_error why = {0};
    cf_status status = cf_model_length_ns(&job->model, engine, 0, lane->length, &ns, &why);
    if (status == CF_OK)
        return CF_OK;
    return cf_error_set(err, status, "%s[%s] %s", item != NULL ? cf_ini_where(ini, item, where, sizeof where) : "",
                        section, why.text);
}

static bool is_modelled(const char *device)
{
    return device == NULL || strcmp(device, "sim") == 0 || strcmp(device, "soft") == 0;
}

cf_status cf_job_model_read(const cf_ini *ini, const char *folder, cf_job *job, cf_error *err)
{
    cf_status status = read_model(ini, folder, &job->model, err);
    for (int lane = 0; lane < 2 && status == CF_OK && is_modelled(job->device); lane++)
        status = check_lane(ini, job, lane, err);
    return status;
}
