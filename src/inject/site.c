/* Which places of the program have something timed: looked at while warming, and never after. */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "inject/inject.h"

#define LOOKED_AT_MAX 4096u
#define FRAMES        16

static struct {
    const void *address;
    uint64_t records, call_ns;
} sites[CF_WIRE_SITES];
static unsigned site_count, looked_at;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Interfaces are not who asked: the frame above them is. */
static bool is_interface(const void *address)
{
    static const char *const names[] = {"libconfound-inject.so", "libcuda.so", "libcudart", "libOpenCL.so"};
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

static const void *caller_of(void *const *frames, int count)
{
    for (int i = 0; i < count; i++)
        if (!is_interface(frames[i]))
            return frames[i];
    return count > 0 ? frames[count - 1] : NULL;
}

void cf_inject_site(uint64_t call_ns)
{
    void *frames[FRAMES];
    pthread_mutex_lock(&lock);
    bool enough = looked_at == LOOKED_AT_MAX;
    looked_at += !enough;
    pthread_mutex_unlock(&lock);
    if (enough)
        return;
    const void *address = caller_of(frames, backtrace(frames, FRAMES));
    if (!address)
        return;
    pthread_mutex_lock(&lock);
    unsigned i = 0;
    while (i < site_count && sites[i].address != address)
        i++;
    if (i < CF_WIRE_SITES) {
        site_count += i == site_count;
        sites[i].address = address;
        sites[i].records++;
        sites[i].call_ns += call_ns;
    }
    pthread_mutex_unlock(&lock);
}

static void name_site(cf_wire_site *site, const void *address)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname) {
        snprintf(site->symbol, sizeof site->symbol, "%p", address);
        return;
    }
    snprintf(site->library, sizeof site->library, "%s", info.dli_fname);
    if (info.dli_sname)
        snprintf(site->symbol, sizeof site->symbol, "%s", info.dli_sname);
    else
        snprintf(site->symbol, sizeof site->symbol, "+0x%lx",
                 (unsigned long)((const char *)address - (const char *)info.dli_fbase));
}

void cf_inject_sites_write(cf_wire *wire)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < site_count; i++) {
        cf_wire_site *site = &wire->sites[i];
        site->records = sites[i].records;
        site->call_ns = sites[i].call_ns;
        name_site(site, sites[i].address);
    }
    __atomic_store_n(&wire->site_count, site_count, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}
