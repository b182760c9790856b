/* dlsym as this library exports it (entry.S): a function of the CUDA driver's or of Level Zero's loader that is looked
   up by name, as the CUDA runtime and whoever loads them at run time does, is found as our hook. Every other lookup,
   and those that go by the caller, reach the C library as if nobody stood between.

   Why not an auditing library (LD_AUDIT), which is told of every binding: before glibc 2.35 it is not told of programs
   that are bound at once (-z now), it lives beside the program with a C library of its own, and every call through a
   table of the program's costs more. */
#include <dlfcn.h>
#include <string.h>

#include "inject/inject.h"

#define HIDDEN __attribute__((visibility("hidden")))

typedef void *lookup(void *handle, const char *name);
typedef struct answer { /* in two registers */
    void *found;
    uint64_t decided; /* 0: go on to the real one, from the caller's own place */
} answer;

HIDDEN answer cf_inject_dlsym(void *handle, const char *name);
HIDDEN lookup *cf_inject_real_dlsym; /* entry.S goes on there */

/* dlvsym is not exported here, and so finds what comes after us. Newest first: one that is kept for old programs goes
   by their rules. */
static lookup *real(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    lookup *found = __atomic_load_n(&cf_inject_real_dlsym, __ATOMIC_ACQUIRE);
    for (size_t i = 0; !found && i < sizeof versions / sizeof versions[0]; i++) {
        found = (lookup *)cf_inject_function_at(dlvsym(RTLD_NEXT, "dlsym", versions[i]));
        __atomic_store_n(&cf_inject_real_dlsym, found, __ATOMIC_RELEASE);
    }
    return found;
}

void *cf_inject_dl_find(void *handle, const char *name)
{
    return real()(handle, name);
}

answer cf_inject_dlsym(void *handle, const char *name)
{
    const answer undecided = {NULL, 0};
    lookup *find = real();
    const char *call = cf_inject_step_call();
    if (call)
        cf_inject_call_patch();
    bool is_call = call && name && strcmp(call, name) == 0;
    bool is_ze = name && name[0] == 'z' && name[1] == 'e';
    if (!name || handle == RTLD_NEXT || (!is_call && !is_ze && (name[0] != 'c' || name[1] != 'u')))
        return undecided;
    cf_inject_function found = cf_inject_function_at(find(handle, name));
    if (!found)
        return undecided; /* once more, for its own words in dlerror */
    /* who looks through the whole program finds us, and is not to find a driver that isn't there */
    if (is_ze)
        found = cf_inject_ze_hook(name, cf_inject_ze_own(found) ? NULL : found);
    else
        found = cf_inject_cuda_hook(name, cf_inject_cuda_own(found) ? NULL : found);
    if (!found)
        return (answer){find(RTLD_NEXT, name), 1};
    return (answer){cf_inject_address_of(is_call ? cf_inject_call_wrap(name, found) : found), 1};
}
