/* What bench/inject.c and bench/inject_opencl.c share: they run themselves as processes that measure, and read what
   those print, a name and nanoseconds a line. */
#ifndef BENCH_INJECT_PROCESS_H
#define BENCH_INJECT_PROCESS_H

#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define KINDS 16

typedef void *handle;
typedef struct times {
    char names[KINDS][32];
    double ns[KINDS]; /* a call */
    int count;
} times;

#define SYMBOL(library, name, parameters)                                                                              \
    int(*name) parameters;                                                                                             \
    *(void **)&name = dlsym(library, #name);                                                                           \
    if (!name)                                                                                                         \
    exit(77)

/* Adds to sum what `calls` calls took; i_ is which of them. */
#define TIMED(sum, calls, call)                                                                                        \
    do {                                                                                                               \
        uint64_t begin_ns_ = cf_clock_now_ns();                                                                        \
        for (int i_ = 0; i_ < (calls); i_++)                                                                           \
            (void)(call);                                                                                              \
        (sum) += cf_clock_now_ns() - begin_ns_;                                                                        \
    } while (0)

static char self[PATH_MAX], library[PATH_MAX], driver_folder[PATH_MAX], folder[] = "/tmp/confound-bench-XXXXXX";

/* False: no folder to write to. */
static bool find_parts(void)
{
    char copy[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    snprintf(copy, sizeof copy, "%s", self);
    const char *place = dirname(copy);
    snprintf(library, sizeof library, "%s/libconfound-inject.so", place);
    snprintf(driver_folder, sizeof driver_folder, "%s/bench-inject", place);
    return mkdtemp(folder) != NULL;
}

/* One process of this program: `env VARIABLES self --what`. False: it failed, or printed nothing. */
static bool run_self(const char *variables, const char *what, times *ret)
{
    char command[8 * PATH_MAX], name[32];
    double ns;
    snprintf(command, sizeof command, "exec env %s '%s' --%s", variables, self, what);
    FILE *output = popen(command, "re"); /* NOLINT(cert-env33-c): our own words, and paths in quotes */
    if (!output)
        return false;
    ret->count = 0;
    while (ret->count < KINDS &&
           fscanf(output, "%31s %lf", name, &ns) == 2) { /* NOLINT(cert-err34-c): our own output */
        snprintf(ret->names[ret->count], sizeof ret->names[0], "%s", name);
        ret->ns[ret->count++] = ns;
    }
    return pclose(output) == 0 && ret->count > 0;
}

#endif
