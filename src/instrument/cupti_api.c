#include "instrument/cupti_api.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/cuda.h"

#define MOST_NAMES 64

static const cf_dl_symbol symbols[] = {
#define X(field, names, optional, parameters) {names, offsetof(cf_cupti, field), optional},
    CF_CUPTI_API_TABLE(X)
#undef X
};

static const struct {
    int major; /* of the CUDA version that it comes with; 0 = not told by its name */
    const char *name;
} names[] = {{14, "libcupti.so.14"},   {13, "libcupti.so.13"},   {12, "libcupti.so.12"},   {11, "libcupti.so.11.8"},
             {11, "libcupti.so.11.7"}, {11, "libcupti.so.11.6"}, {11, "libcupti.so.11.5"}, {11, "libcupti.so.11.4"},
             {11, "libcupti.so.11.3"}, {11, "libcupti.so.11.2"}, {11, "libcupti.so.11.1"}, {11, "libcupti.so.11.0"},
             {10, "libcupti.so.10.2"}, {10, "libcupti.so.10.1"}, {10, "libcupti.so.10.0"}, {0, "libcupti.so"}};

/* Where toolkits put it; the two variables come first, and of several versions the last in order. */
static const char *const roots[] = {"$CUDA_HOME", "$CUDA_PATH", "/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda"};
static const char *const folders[] = {"extras/CUPTI/lib64", "lib64", "lib", "targets/*/lib"};

/* CUPTI_ERROR_… that say that it does not work here, whatever we do. */
static const int unsupported[] = {11, 14, 27, 33, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45};

static cf_cupti loaded;

static void look_in(const char *root, const char *folder, glob_t *found)
{
    char pattern[512];
    const char *base = root[0] == '$' ? getenv(root + 1) : root;
    if (base == NULL || base[0] == '\0')
        return;
    int length = snprintf(pattern, sizeof pattern, "%s/%s/libcupti.so*", base, folder);
    if (length > 0 && (size_t)length < sizeof pattern)
        (void)glob(pattern, GLOB_APPEND, NULL, found);
}

static cf_status try_names(int driver_version, cf_dl **ret_dl, cf_error *err)
{
    const char *list[MOST_NAMES + 1] = {NULL};
    glob_t found = {0};
    size_t count = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].major <= driver_version / 1000)
            list[count++] = names[i].name;
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
        for (size_t j = 0; j < sizeof folders / sizeof folders[0]; j++)
            look_in(roots[i], folders[j], &found);
    for (size_t i = 0; i < found.gl_pathc && count < MOST_NAMES; i++)
        list[count++] = found.gl_pathv[i];
    cf_status status = cf_dl_open("CONFOUND_CUPTI_LIBRARY", list, ret_dl, err);
    globfree(&found);
    return status;
}

static cf_status load(int driver_version, cf_error *err)
{
    cf_cupti cupti = {0};
    cf_status status = try_names(driver_version, &cupti.dl, err);
    if (status != CF_OK) {
        (void)cf_error_prefix(err, "no CUPTI, also under CUDA_HOME, CUDA_PATH, /usr/local/cuda* and /opt/cuda");
        return status;
    }
    status = cf_dl_load(cupti.dl, symbols, sizeof symbols / sizeof symbols[0], &cupti, err);
    if (status == CF_OK)
        status = cf_cupti_check(&cupti, "cuptiGetVersion", cupti.version_of(&cupti.version), err);
    if (status != CF_OK) {
        cf_dl_close(cupti.dl);
        return status;
    }
    loaded = cupti;
    return CF_OK;
}

cf_status cf_cupti_for(cf_device *next, const cf_cupti **ret_cupti, cf_error *err)
{
    const cf_device *bottom = cf_device_bottom(next);
    if (strcmp(bottom->ops->name, cf_device_cuda.name) != 0)
        return cf_error_set(err, CF_UNSUPPORTED, "CUPTI observes the device cuda alone, not %s", bottom->ops->name);
    cf_status status = loaded.dl != NULL ? CF_OK : load(cf_cuda_driver_version(bottom), err);
    if (status == CF_OK)
        *ret_cupti = &loaded;
    return status;
}

const char *cf_cupti_path(void)
{
    return loaded.dl != NULL ? cf_dl_path(loaded.dl) : NULL;
}

uint32_t cf_cupti_version(void)
{
    return loaded.version;
}

cf_status cf_cupti_failed(const cf_cupti *cupti, const char *call, int code, cf_error *err)
{
    const char *text = NULL;
    cf_status status = CF_DEVICE;
    for (size_t i = 0; i < sizeof unsupported / sizeof unsupported[0]; i++)
        status = code == unsupported[i] ? CF_UNSUPPORTED : status;
    if (cupti->result_string(code, &text) != 0 || text == NULL)
        text = "a code without a name";
    return cf_error_set_call(err, status, call, code, "CUPTI answered %s", text);
}
