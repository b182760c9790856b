/* Which function of Level Zero's loader a hook stands in front of, however it was found. */
#include <dlfcn.h>
#include <string.h>

#include "inject/level_zero_api.h"

typedef struct hook {
    const char *name;
    cf_inject_function own; /* NULL: only used */
} hook;

static const hook hooks[CF_ZE_HOOK_COUNT] = {
#define X(name, ...) {#name, (cf_inject_function)name},
    CF_ZE_HOOKS(X) CF_ZE_APPENDS(X)
#undef X
#define X(name, ...) {#name, NULL},
        CF_ZE_USED(X)
#undef X
};
static cf_inject_function nexts[CF_ZE_HOOK_COUNT];

static int absent(void)
{
    return CF_ZE_UNSUPPORTED;
}

bool cf_inject_ze_own(cf_inject_function found)
{
    for (int i = 0; i < CF_ZE_HOOK_COUNT; i++)
        if (hooks[i].own == found && found)
            return true;
    return false;
}

/* By name in what was loaded after us, else in the loader, which a program may have loaded for itself alone. */
static cf_inject_function look_up(const char *name)
{
    void *found = cf_inject_dl_find(RTLD_NEXT, name);
    if (found)
        return cf_inject_function_at(found);
    void *loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!loader)
        return NULL;
    found = cf_inject_dl_find(loader, name);
    dlclose(loader);
    return cf_inject_ze_own(cf_inject_function_at(found)) ? NULL : cf_inject_function_at(found);
}

static cf_inject_function known(int i)
{
    cf_inject_function next = __atomic_load_n(&nexts[i], __ATOMIC_ACQUIRE), none = NULL;
    if (next)
        return next;
    next = look_up(hooks[i].name);
    if (next)
        __atomic_compare_exchange_n(&nexts[i], &none, next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return __atomic_load_n(&nexts[i], __ATOMIC_ACQUIRE);
}

cf_inject_function cf_ze_next(int i)
{
    cf_inject_function next = __atomic_load_n(&nexts[i], __ATOMIC_ACQUIRE);
    if (__builtin_expect(next != NULL, 1))
        return next;
    next = known(i);
    return next ? next : (cf_inject_function)absent;
}

static bool is_loader(cf_inject_function function)
{
    Dl_info info;
    const char *name = dladdr(cf_inject_address_of(function), &info) ? info.dli_fname : NULL;
    const char *slash = name ? strrchr(name, '/') : NULL;
    return name && strncmp(slash ? slash + 1 : name, "libze_loader.so", 15) == 0;
}

static const void *image_of(cf_inject_function function)
{
    Dl_info info;
    return dladdr(cf_inject_address_of(function), &info) ? info.dli_fbase : NULL;
}

/* Of two loaders in a process, or where a driver's own functions are called beside the loader's, handles would be told
   apart wrongly: nothing is toggled any more. */
static cf_inject_function stand_before(int i, cf_inject_function found)
{
    cf_inject_function next = NULL;
    __atomic_compare_exchange_n(&nexts[i], &next, found, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (!next || next == found || image_of(next) == image_of(found))
        return hooks[i].own;
    CF_INJECT_NOTE(second_driver);
    cf_inject_give_up();
    return found;
}

/* Who takes the loader's tables calls through them, and past us. The loader asks its drivers for theirs. */
static bool is_table(const char *name, cf_inject_function found)
{
    return (strcmp(name, "zeGetEventProcAddrTable") == 0 || strcmp(name, "zeGetCommandListProcAddrTable") == 0) &&
           is_loader(found);
}

cf_inject_function cf_inject_ze_hook(const char *name, cf_inject_function found)
{
    for (int i = 0; i < CF_ZE_HOOK_COUNT; i++) {
        if (!hooks[i].own || strcmp(name, hooks[i].name) != 0)
            continue;
        if (!found)
            return known(i) ? hooks[i].own : NULL;
        return stand_before(i, found);
    }
    if (found && is_table(name, found))
        cf_ze_past_us();
    return found;
}
