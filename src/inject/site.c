/* Which places of the program have something timed: looked at in steps as shipped of the rounds that are thrown away,
   and never else. */
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "inject/inject.h"

#define LOOKED_AT_MAX 1024u /* from which on no further step is looked at */
#define STACK         24

typedef struct site {
    const void *frames[CF_WIRE_FRAMES];
    uint64_t records, call_ns;         /* of the steps that counted */
    uint64_t now_records, now_call_ns; /* of the step that runs now */
} site;

static site sites[CF_WIRE_SITES];
static unsigned site_count;
static _Atomic unsigned looked_at;

/* Interfaces are not who asked: the frame above them is. */
static bool is_interface(const void *address)
{
    static const char *const names[] = {"libconfound-inject.so", "libcuda.so", "libcudart", "libOpenCL.so",
                                        "libze_loader.so",       "libasan.so", "libtsan.so"};
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    const char *base = slash ? slash + 1 : info.dli_fname;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(base, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The calls of the first library that is none. */
static void find_frames(site *ret)
{
    void *stack[STACK];
    Dl_info first = {0}, info;
    int count = backtrace(stack, STACK), from = 0, n = 0;
    while (from < count && is_interface(stack[from]))
        from++;
    if (from == count || !dladdr(stack[from], &first))
        return;
    for (int i = from; i < count && n < (int)CF_WIRE_FRAMES; i++) {
        if (!dladdr(stack[i], &info) || info.dli_fbase != first.dli_fbase)
            break;
        ret->frames[n++] = stack[i];
    }
}

void cf_inject_site(uint64_t call_ns)
{
    site found = {.records = 0};
    atomic_fetch_add(&looked_at, 1);
    find_frames(&found);
    if (!found.frames[0])
        return;
    cf_inject_lock_take(CF_LOCK_SITES);
    unsigned i = 0;
    while (i < site_count && memcmp(sites[i].frames, found.frames, sizeof found.frames) != 0)
        i++;
    if (i < CF_WIRE_SITES) {
        site_count += i == site_count;
        memcpy(sites[i].frames, found.frames, sizeof found.frames);
        sites[i].now_records++;
        sites[i].now_call_ns += call_ns;
    }
    cf_inject_lock_give(CF_LOCK_SITES);
}

static void write_site(cf_wire_site *to, const site *from)
{
    Dl_info info;
    to->records = from->records;
    to->call_ns = from->call_ns;
    if (!dladdr(from->frames[0], &info) || !info.dli_fname)
        return;
    /* a program is known to the loader by the name that it was called with */
    if (info.dli_fname[0] == '/' || readlink("/proc/self/exe", to->library, sizeof to->library - 1) < 0)
        snprintf(to->library, sizeof to->library, "%s", info.dli_fname);
    for (unsigned i = 0; i < CF_WIRE_FRAMES && from->frames[i]; i++)
        to->frames[i] = (uint64_t)((const char *)from->frames[i] - (const char *)info.dli_fbase);
}

bool cf_inject_sites_wanted(void)
{
    return atomic_load_explicit(&looked_at, memory_order_relaxed) < LOOKED_AT_MAX;
}

void cf_inject_sites_end_step(cf_wire *wire, bool counts)
{
    cf_inject_lock_take(CF_LOCK_SITES);
    for (unsigned i = 0; i < site_count; i++) {
        sites[i].records += counts ? sites[i].now_records : 0;
        sites[i].call_ns += counts ? sites[i].now_call_ns : 0;
        sites[i].now_records = sites[i].now_call_ns = 0;
        write_site(&wire->sites[i], &sites[i]);
    }
    wire->site_steps += counts;
    __atomic_store_n(&wire->site_count, site_count, __ATOMIC_RELEASE);
    cf_inject_lock_give(CF_LOCK_SITES);
}

void cf_inject_sites_forget(cf_wire *wire)
{
    cf_inject_lock_take(CF_LOCK_SITES);
    __atomic_store_n(&wire->site_count, 0, __ATOMIC_RELEASE);
    wire->site_steps = 0;
    memset(wire->sites, 0, sizeof wire->sites);
    memset(sites, 0, sizeof sites);
    site_count = 0;
    atomic_store(&looked_at, 0);
    cf_inject_lock_give(CF_LOCK_SITES);
}
