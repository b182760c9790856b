#include "inject/names.h"

#include <dlfcn.h>
#include <string.h>

bool cf_names_own(const cf_names *names, cf_inject_function found)
{
    for (int i = 0; i < names->count; i++)
        if (names->rows[i].own == found && found)
            return true;
    return false;
}

/* By name in what was loaded after us, else in the library, which a program may have loaded for itself alone. */
static cf_inject_function look_up(const cf_names *names, const char *name)
{
    void *found = cf_inject_dl_find(RTLD_NEXT, name);
    if (found)
        return cf_inject_function_at(found);
    void *library = dlopen(names->library, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return NULL;
    found = cf_inject_dl_find(library, name);
    dlclose(library);
    return cf_names_own(names, cf_inject_function_at(found)) ? NULL : cf_inject_function_at(found);
}

/* The first that is found for a row stays. Returns what was there before: NULL = found is now. */
static cf_inject_function keep(const cf_names *names, int row, cf_inject_function found)
{
    cf_inject_function before = NULL;
    __atomic_compare_exchange_n(&names->nexts[row], &before, found, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return before;
}

cf_inject_function cf_names_known(const cf_names *names, int row)
{
    cf_inject_function next = __atomic_load_n(&names->nexts[row], __ATOMIC_ACQUIRE);
    if (next)
        return next;
    next = look_up(names, names->rows[row].name);
    cf_inject_function before = next ? keep(names, row, next) : NULL;
    return before ? before : next;
}

static const void *image_of(cf_inject_function function)
{
    Dl_info info;
    return dladdr(cf_inject_address_of(function), &info) ? info.dli_fbase : NULL;
}

cf_inject_function cf_names_stand_before(const cf_names *names, int row, cf_inject_function found)
{
    cf_inject_function next = keep(names, row, found);
    if (!next || next == found || image_of(next) == image_of(found))
        return names->rows[row].own;
    CF_INJECT_NOTE(second_driver);
    cf_inject_give_up();
    return found;
}

cf_inject_function cf_names_hook(const cf_names *names, const char *name, cf_inject_function found)
{
    for (int i = 0; i < names->count; i++) {
        if (!names->rows[i].own || strcmp(name, names->rows[i].name) != 0)
            continue;
        if (!found)
            return cf_names_known(names, i) ? names->rows[i].own : NULL;
        return cf_names_stand_before(names, i, found);
    }
    return found;
}
