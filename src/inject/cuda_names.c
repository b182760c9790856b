/* Which function of the driver's a hook stands in front of, however it was found. */
#include <dlfcn.h>
#include <string.h>

#include "inject/cuda_api.h"

typedef struct hook {
    const char *name, *asked;
    int version, per_thread;
    cf_inject_function own; /* NULL: only used */
} hook;

static const hook hooks[CF_HOOK_COUNT] = {
#define X(name, asked, version, per_thread, parameters) {#name, asked, version, per_thread, (cf_inject_function)name},
    CF_CUDA_HOOKS(X)
#undef X
#define X(name, parameters) {#name, #name, 0, 0, NULL},
        CF_CUDA_USED(X)
#undef X
};
static cf_inject_function nexts[CF_HOOK_COUNT];

static int absent(void)
{
    return CF_CU_NOT_FOUND;
}

bool cf_inject_cuda_own(cf_inject_function found)
{
    for (int i = 0; i < CF_HOOK_COUNT; i++)
        if (hooks[i].own == found && found)
            return true;
    return false;
}

/* By name in what was loaded after us, else in the driver, which a program may have loaded for itself alone. */
static cf_inject_function look_up(const char *name)
{
    void *found = cf_inject_dl_find(RTLD_NEXT, name);
    if (found)
        return cf_inject_function_at(found);
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!driver)
        return NULL;
    found = cf_inject_dl_find(driver, name);
    dlclose(driver);
    return cf_inject_cuda_own(cf_inject_function_at(found)) ? NULL : cf_inject_function_at(found);
}

static cf_inject_function known(int i)
{
    cf_inject_function next = __atomic_load_n(&nexts[i], __ATOMIC_ACQUIRE);
    if (next)
        return next;
    next = look_up(hooks[i].name);
    cf_inject_function none = NULL;
    if (next)
        __atomic_compare_exchange_n(&nexts[i], &none, next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return __atomic_load_n(&nexts[i], __ATOMIC_ACQUIRE);
}

cf_inject_function cf_cuda_next(int i)
{
    cf_inject_function next = __atomic_load_n(&nexts[i], __ATOMIC_ACQUIRE);
    if (__builtin_expect(next != NULL, 1))
        return next;
    next = known(i);
    return next ? next : (cf_inject_function)absent;
}

static const void *image_of(cf_inject_function function)
{
    Dl_info info;
    return dladdr(cf_inject_address_of(function), &info) ? info.dli_fbase : NULL;
}

/* A function of another library than the one we go on to is a second driver, or somebody else who stands in front of
   it: handles that went through one of them only would be told apart wrongly, so nothing is toggled any more. */
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

cf_inject_function cf_inject_cuda_hook(const char *name, cf_inject_function found)
{
    for (int i = 0; i < CF_HOOK_COUNT; i++) {
        if (!hooks[i].own || strcmp(name, hooks[i].name) != 0)
            continue;
        if (!found)
            return known(i) ? hooks[i].own : NULL;
        return stand_before(i, found);
    }
    return found;
}

/* The newest that the version asked for may mean. A driver that was asked for an exported name gives that one. */
static int choose(const char *asked, cf_inject_function found, int version, bool per_thread)
{
    int best = -1;
    for (int i = 0; i < CF_HOOK_COUNT; i++) {
        if (!hooks[i].own)
            continue;
        if (strcmp(asked, hooks[i].asked) != 0) {
            if (strcmp(asked, hooks[i].name) == 0)
                return i;
            continue;
        }
        if (known(i) == found)
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
    for (int i = 0; i < CF_HOOK_COUNT; i++)
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
    cf_inject_function hooked = i < 0 ? cf_inject_function_at(found) : stand_before(i, cf_inject_function_at(found));
    return cf_inject_address_of(cf_inject_call_wrap(asked, hooked));
}
