/* Which function of the driver's a hook stands in front of, however it was found. */
#include <string.h>

#include "inject/cuda_api.h"
#include "inject/names.h"

static const cf_names_row rows[CF_HOOK_COUNT] = {
#define X(name, asked, version, per_thread, parameters) {#name, (cf_inject_function)name},
    CF_CUDA_HOOKS(X)
#undef X
#define X(name, parameters) {#name, NULL},
        CF_CUDA_USED(X)
#undef X
};
cf_inject_function cf_cuda_nexts[CF_HOOK_COUNT];
static const cf_names driver = {"libcuda.so.1", CF_HOOK_COUNT, rows, cf_cuda_nexts};

/* Of the hooks, in their order: what cuGetProcAddress calls them. */
typedef struct hook {
    const char *asked;
    int version, per_thread;
} hook;

static const hook hooks[] = {
#define X(name, asked, version, per_thread, parameters) {asked, version, per_thread},
    CF_CUDA_HOOKS(X)
#undef X
};
#define HOOKS ((int)(sizeof hooks / sizeof hooks[0]))

static int absent(void)
{
    return CF_CU_NOT_FOUND;
}

cf_inject_function cf_cuda_next_found(int i)
{
    cf_inject_function next = cf_names_known(&driver, i);
    return next ? next : (cf_inject_function)absent;
}

bool cf_inject_cuda_own(cf_inject_function found)
{
    return cf_names_own(&driver, found);
}

cf_inject_function cf_inject_cuda_hook(const char *name, cf_inject_function found)
{
    return cf_names_hook(&driver, name, found);
}

/* The newest that the version asked for may mean. A driver that was asked for an exported name gives that one. */
static int choose(const char *asked, cf_inject_function found, int version, bool per_thread)
{
    int best = -1;
    for (int i = 0; i < HOOKS; i++) {
        if (strcmp(asked, hooks[i].asked) != 0) {
            if (strcmp(asked, rows[i].name) == 0)
                return i;
            continue;
        }
        if (cf_names_known(&driver, i) == found)
            return i;
        if (hooks[i].version <= version && hooks[i].per_thread == per_thread &&
            (best < 0 || hooks[i].version > hooks[best].version))
            best = i;
    }
    return best;
}

/* Functions that have no form of their own for a default stream of each thread are the same for both. */
static bool has_per_thread(const char *asked)
{
    for (int i = 0; i < HOOKS; i++)
        if (hooks[i].per_thread && strcmp(asked, hooks[i].asked) == 0)
            return true;
    return false;
}

void *cf_cuda_hook_of(const char *asked, void *found, int version, uint64_t flags)
{
    if (!asked || !found || cf_inject_cuda_own(cf_inject_function_at(found)))
        return found;
    bool per_thread = (flags & CF_CU_PER_THREAD) != 0 && has_per_thread(asked);
    int i = choose(asked, cf_inject_function_at(found), version, per_thread);
    cf_inject_function hooked =
        i < 0 ? cf_inject_function_at(found) : cf_names_stand_before(&driver, i, cf_inject_function_at(found));
    return cf_inject_address_of(cf_inject_call_wrap(asked, hooked));
}
