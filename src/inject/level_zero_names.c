/* Which function of Level Zero's loader a hook stands in front of, however it was found. Where a driver's own functions
   are called beside the loader's, that is a second driver. */
#include <dlfcn.h>
#include <string.h>

#include "inject/level_zero_api.h"
#include "inject/names.h"

static const cf_names_row rows[CF_ZE_HOOK_COUNT] = {
#define X(name, ...) {#name, (cf_inject_function)name},
    CF_ZE_HOOKS(X) CF_ZE_APPENDS(X)
#undef X
#define X(name, ...) {#name, NULL},
        CF_ZE_USED(X)
#undef X
};
cf_inject_function cf_ze_nexts[CF_ZE_HOOK_COUNT];
static const cf_names loader = {"libze_loader.so.1", CF_ZE_HOOK_COUNT, rows, cf_ze_nexts};

static int absent(void)
{
    return CF_ZE_UNSUPPORTED;
}

cf_inject_function cf_ze_next_found(int i)
{
    cf_inject_function next = cf_names_known(&loader, i);
    return next ? next : (cf_inject_function)absent;
}

static bool is_loader(cf_inject_function function)
{
    Dl_info info;
    const char *name = dladdr(cf_inject_address_of(function), &info) ? info.dli_fname : NULL;
    const char *slash = name ? strrchr(name, '/') : NULL;
    return name && strncmp(slash ? slash + 1 : name, "libze_loader.so", 15) == 0;
}

/* Who takes the loader's tables calls through them, and past us. The loader asks its drivers for theirs. */
static bool is_table(const char *name, cf_inject_function found)
{
    return (strcmp(name, "zeGetEventProcAddrTable") == 0 || strcmp(name, "zeGetCommandListProcAddrTable") == 0) &&
           is_loader(found);
}

bool cf_inject_ze_own(cf_inject_function found)
{
    return cf_names_own(&loader, found);
}

cf_inject_function cf_inject_ze_hook(const char *name, cf_inject_function found)
{
    const cf_inject_function hooked = cf_names_hook(&loader, name, found);
    if (found && is_table(name, found))
        cf_ze_past_us();
    return hooked;
}
