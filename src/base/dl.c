#include "base/dl.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct cf_dl {
    void *handle;
    char *path;
};

_Static_assert(sizeof(cf_dl_function) == sizeof(void *), "dlsym's pointer is a function's");

static const char *path_of(void *handle, const char *name)
{
    struct link_map *map = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == NULL || map->l_name == NULL || map->l_name[0] == '\0')
        return name;
    return map->l_name;
}

static cf_status keep(void *handle, const char *name, cf_dl **ret_dl, cf_error *err)
{
    cf_dl *dl = calloc(1, sizeof *dl);
    char *path = cf_text_dup(path_of(handle, name));
    if (dl == NULL || path == NULL) {
        free(dl);
        free(path);
        dlclose(handle);
        return cf_error_set(err, CF_MEMORY, "out of memory");
    }
    *dl = (cf_dl){.handle = handle, .path = path};
    *ret_dl = dl;
    return CF_OK;
}

/* A file that is there and does not load says more than one that is absent. */
static void remember(char *why, size_t why_bytes, const char *reason)
{
    static const char absent[] = "No such file";
    if (reason != NULL && (why[0] == '\0' || (strstr(why, absent) != NULL && strstr(reason, absent) == NULL)))
        snprintf(why, why_bytes, "%s", reason);
}

cf_status cf_dl_open(const char *variable, const char *const *names, cf_dl **ret_dl, cf_error *err)
{
    const char *given = variable != NULL ? getenv(variable) : NULL;
    const char *const only[] = {given, NULL};
    bool forced = given != NULL && given[0] != '\0';
    char tried[384] = "";
    char why[256] = "";
    size_t length = 0;
    for (const char *const *name = forced ? only : names; *name != NULL; name++) {
        void *handle = dlopen(*name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (handle != NULL)
            return keep(handle, *name, ret_dl, err);
        remember(why, sizeof why, dlerror());
        if (length < sizeof tried)
            length += (size_t)snprintf(tried + length, sizeof tried - length, "%s%s", length != 0 ? ", " : "", *name);
    }
    return cf_error_set(err, CF_UNSUPPORTED, "%s%s not found%s%s (%s)", tried, length >= sizeof tried ? " ..." : "",
                        forced ? ", which is what is set by " : "", forced ? variable : "", why);
}

cf_dl_function cf_dl_find(const cf_dl *dl, const char *names)
{
    while (*names != '\0') {
        char name[96];
        size_t length = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        void *symbol = length < sizeof name ? dlsym(dl->handle, name) : NULL;
        if (symbol != NULL) {
            cf_dl_function function;
            memcpy(&function, &symbol, sizeof function);
            return function;
        }
        names += length;
        names += strspn(names, " ");
    }
    return NULL;
}

cf_status cf_dl_load(const cf_dl *dl, const cf_dl_symbol *table, size_t count, void *functions, cf_error *err)
{
    for (size_t i = 0; i < count; i++) {
        cf_dl_function function = cf_dl_find(dl, table[i].names);
        if (function == NULL && !table[i].optional)
            return cf_error_set(err, CF_UNSUPPORTED, "%s has no %s: it is too old for this program", dl->path,
                                table[i].names);
        memcpy((char *)functions + table[i].offset_bytes, &function, sizeof function);
    }
    return CF_OK;
}

const char *cf_dl_path(const cf_dl *dl)
{
    return dl->path;
}

void cf_dl_close(cf_dl *dl)
{
    if (dl == NULL)
        return;
    dlclose(dl->handle);
    free(dl->path);
    free(dl);
}
