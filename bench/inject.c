/* What an intercepted call costs over the plain one: the same calls in a process alone and in one with the library
   preloaded, in alternation, on a driver whose calls cost next to nothing, and on the installed OpenCL. Target: at most
   50 ns a call.
   usage: bench.inject [--loader FOLDER]   FOLDER: has another libOpenCL.so.1, one that intercepts calls
   exit 1 where the target is missed. Runs itself: bench.inject --cuda | --opencl. */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "toggle/read.h"

#define TARGET_NS 50.0
#define PAIRS     9
#define KINDS     8
#define STEPS     400 /* the arms take turns in them */
#define CALLS     500 /* of each kind in a step */

typedef void *handle;
typedef struct times {
    char names[KINDS][32];
    double ns[KINDS]; /* a call */
    int count;
} times;

static void say(const char *name, uint64_t sum_ns, uint64_t calls)
{
    printf("%s %.3f\n", name, (double)sum_ns / (double)calls);
}

/* ---- the measured processes ---- */

#define SYMBOL(library, name, parameters)                                                                              \
    int(*name) parameters;                                                                                             \
    *(void **)&name = dlsym(library, #name);                                                                           \
    if (!name)                                                                                                         \
    exit(77)

#define TIMED(sum, call)                                                                                               \
    do {                                                                                                               \
        uint64_t begin_ns_ = cf_clock_now_ns();                                                                        \
        for (int i_ = 0; i_ < CALLS; i_++)                                                                             \
            (void)(call);                                                                                              \
        (sum) += cf_clock_now_ns() - begin_ns_;                                                                        \
    } while (0)

/* The library looks at the first calls more closely, to find who asks for times, and is done with that before. */
#define WARM_CALLS 2000

static int measure_cuda(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver)
        return 77;
    SYMBOL(driver, cuEventCreate, (handle *, unsigned));
    SYMBOL(driver, cuEventDestroy_v2, (handle));
    SYMBOL(driver, cuEventRecord, (handle, handle));
    SYMBOL(driver, cuEventQuery, (handle));
    SYMBOL(driver, cuStreamWaitEvent, (handle, handle, unsigned));
    SYMBOL(driver, cuEventElapsedTime, (float *, handle, handle));
    SYMBOL(driver, cuCtxSynchronize, (void));
    handle timed[2], plain, made;
    uint64_t record_ns = 0, plain_ns = 0, query_ns = 0, wait_ns = 0, elapsed_ns = 0, make_ns = 0;
    float ms;
    cuEventCreate(&timed[0], 0);
    cuEventCreate(&timed[1], 0);
    cuEventCreate(&plain, 2);
    for (int i = 0; i < WARM_CALLS; i++)
        cuEventRecord(timed[0], NULL);
    for (int step = 0; step < STEPS; step++) {
        TIMED(record_ns, cuEventRecord(timed[i_ % 2], NULL));
        TIMED(plain_ns, cuEventRecord(plain, NULL));
        TIMED(query_ns, cuEventQuery(plain));
        TIMED(wait_ns, cuStreamWaitEvent(NULL, plain, 0));
        TIMED(elapsed_ns, cuEventElapsedTime(&ms, timed[0], timed[1]));
        TIMED(make_ns, cuEventCreate(&made, 0) || cuEventDestroy_v2(made));
        cuCtxSynchronize();
    }
    const uint64_t calls = (uint64_t)STEPS * CALLS;
    say("record,timed", record_ns, calls);
    say("record,plain", plain_ns, calls);
    say("query", query_ns, calls);
    say("stream-wait", wait_ns, calls);
    say("elapsed", elapsed_ns, calls);
    say("create,destroy", make_ns, 2 * calls);
    return 0;
}

static int measure_opencl(void)
{
    void *loader = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!loader)
        return 77;
    SYMBOL(loader, clGetPlatformIDs, (unsigned, handle *, unsigned *));
    SYMBOL(loader, clGetDeviceIDs, (handle, uint64_t, unsigned, handle *, unsigned *));
    SYMBOL(loader, clFinish, (handle));
    SYMBOL(loader, clFlush, (handle));
    SYMBOL(loader, clGetEventInfo, (handle, unsigned, size_t, void *, size_t *));
    SYMBOL(loader, clGetEventProfilingInfo, (handle, unsigned, size_t, void *, size_t *));
    SYMBOL(loader, clEnqueueMarkerWithWaitList, (handle, unsigned, const handle *, handle *));
    SYMBOL(loader, clReleaseEvent, (handle));
    handle (*create_context)(const intptr_t *, unsigned, const handle *, void *, void *, int *);
    handle (*create_queue)(handle, handle, uint64_t, int *);
    *(void **)&create_context = dlsym(loader, "clCreateContext");
    *(void **)&create_queue = dlsym(loader, "clCreateCommandQueue");
    handle platform, device, event = NULL;
    unsigned count = 0;
    int code;
    if (clGetPlatformIDs(1, &platform, &count) || clGetDeviceIDs(platform, 0xFFFFFFFFu, 1, &device, &count))
        return 77; /* cppcheck-suppress resourceLeak ; the process ends */
    handle context = create_context(NULL, 1, &device, NULL, NULL, &code);
    handle queue = create_queue(context, device, 2, &code);
    for (int i = 0; i < WARM_CALLS; i++) {
        clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL);
        if (i % 100 == 0)
            clFinish(queue);
    }
    uint64_t flush_ns = 0, info_ns = 0, time_ns = 0, finish_ns = 0, marker_ns = 0, value;
    for (int step = 0; step < STEPS / 4; step++) {
        if (event)
            clReleaseEvent(event);
        clEnqueueMarkerWithWaitList(queue, 0, NULL, &event);
        clFinish(queue);
        TIMED(flush_ns, clFlush(queue));
        TIMED(info_ns, clGetEventInfo(event, 0x11D3, sizeof value, &value, NULL));
        TIMED(time_ns, clGetEventProfilingInfo(event, 0x1283, sizeof value, &value, NULL));
        for (int batch = 0; batch < 5; batch++) { /* few at a time: what they make the device do is not counted */
            uint64_t begin_ns = cf_clock_now_ns();
            for (int i = 0; i < CALLS / 5; i++)
                clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL);
            marker_ns += cf_clock_now_ns() - begin_ns;
            clFinish(queue);
        }
        TIMED(finish_ns, clFinish(queue));
    }
    const uint64_t calls = (uint64_t)(STEPS / 4) * CALLS;
    say("flush", flush_ns, calls);
    say("event-info", info_ns, calls);
    say("profiling-info", time_ns, calls);
    say("marker", marker_ns, calls);
    say("finish", finish_ns, calls);
    return 0;
}

/* ---- the parent ---- */

static char self[PATH_MAX], library[PATH_MAX], driver_folder[PATH_MAX], folder[] = "/tmp/confound-bench-XXXXXX";

static void find_parts(void)
{
    char copy[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    snprintf(copy, sizeof copy, "%s", self);
    const char *place = dirname(copy);
    snprintf(library, sizeof library, "%s/libconfound-inject.so", place);
    snprintf(driver_folder, sizeof driver_folder, "%s/bench-inject", place);
}

static bool read_times(FILE *from, times *ret)
{
    char name[32];
    double ns;
    ret->count = 0;
    while (ret->count < KINDS && fscanf(from, "%31s %lf", name, &ns) == 2) { /* NOLINT(cert-err34-c): our own output */
        snprintf(ret->names[ret->count], sizeof ret->names[0], "%s", name);
        ret->ns[ret->count++] = ns;
    }
    return ret->count > 0;
}

typedef enum with { ALONE, OURS, OTHER } with;

/* One process. */
static bool run(const char *what, with who, const char *other, times *ret)
{
    char command[8 * PATH_MAX], ours[3 * PATH_MAX] = "";
    if (who == OURS)
        snprintf(ours, sizeof ours, "LD_PRELOAD='%s' OPENCL_LAYERS='%s'", library, library);
    snprintf(command, sizeof command,
             "exec env LD_LIBRARY_PATH='%s%s%s' %s CONFOUND_TOGGLE_FOLDER='%s' CONFOUND_TOGGLE_ROUNDS=1000 "
             "CONFOUND_TOGGLE_STEP=%s '%s' --%s",
             who == OTHER ? other : "", who == OTHER ? ":" : "", driver_folder, ours, folder,
             strcmp(what, "cuda") == 0 ? "sync" : "mark", self, what);
    FILE *output = popen(command, "re"); /* NOLINT(cert-env33-c): our own words, and paths in quotes */
    if (!output)
        return false;
    bool good = read_times(output, ret);
    return pclose(output) == 0 && good;
}

static double least(const times *t, int kind)
{
    double ns = t[0].ns[kind];
    for (int i = 1; i < PAIRS; i++)
        ns = t[i].ns[kind] < ns ? t[i].ns[kind] : ns;
    return ns;
}

/* Returns whether ours keeps to the target; other NULL = there is none. */
static bool compare(const char *what, const char *other)
{
    static times alone[PAIRS], ours[PAIRS], others[PAIRS];
    for (int pair = 0; pair < PAIRS; pair++)
        if (!run(what, ALONE, NULL, &alone[pair]) || !run(what, OURS, NULL, &ours[pair]) ||
            (other && !run(what, OTHER, other, &others[pair]))) {
            printf("%s: not here\n", what);
            return true;
        }
    double worst = 0;
    printf("%-16s %9s %9s %9s%s\n", what, "alone ns", "with us", "added", other ? "  with the other     added" : "");
    for (int kind = 0; kind < alone[0].count; kind++) {
        double plain = least(alone, kind), own = least(ours, kind);
        worst = own - plain > worst ? own - plain : worst;
        printf("  %-14s %9.1f %9.1f %9.1f", alone[0].names[kind], plain, own, own - plain);
        if (other)
            printf("  %14.1f %9.1f", least(others, kind), least(others, kind) - plain);
        printf("\n");
    }
    return worst <= TARGET_NS || strcmp(what, "cuda") != 0;
}

static int by_size(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

/* The same steps in every arm: medians, by the library's own record of the last process. */
static void show_arms(void)
{
    static const char *const names[] = {"as-shipped", "as-shipped-again", "stripped", "added"};
    static double a_call[CF_VARIANT_COUNT][CF_WIRE_STEPS];
    size_t counts[CF_VARIANT_COUNT] = {0};
    cf_toggled toggled;
    cf_error err = {0};
    if (cf_toggled_read(folder, &toggled, &err) != CF_OK || !toggled.wire)
        return;
    for (uint32_t i = 0; i < toggled.wire->step_count; i++) {
        const cf_wire_step *step = &toggled.wire->steps[i];
        if (!step->flags && step->counts.calls)
            a_call[step->variant][counts[step->variant]++] =
                (double)(step->end_ns - step->begin_ns) / (double)step->counts.calls;
    }
    printf("a call in the steps of each arm, ns:");
    for (int v = 0; v < CF_VARIANT_COUNT; v++) {
        qsort(a_call[v], counts[v], sizeof a_call[v][0], by_size);
        printf(" %s %.1f", names[v], counts[v] ? a_call[v][counts[v] / 2] : 0);
    }
    printf("\n");
    cf_toggled_done(&toggled);
}

int main(int argc, char **argv)
{
    const char *other = NULL;
    if (argc == 2 && strcmp(argv[1], "--cuda") == 0)
        return measure_cuda();
    if (argc == 2 && strcmp(argv[1], "--opencl") == 0)
        return measure_opencl();
    if (argc == 3 && strcmp(argv[1], "--loader") == 0)
        other = argv[2];
    else if (argc != 1) {
        fprintf(stderr, "usage: bench.inject [--loader FOLDER]\n");
        return 2;
    }
    find_parts();
    if (!mkdtemp(folder))
        return 5;
    bool good = compare("cuda", NULL);
    show_arms();
    good = compare("opencl", other) && good;
    cf_toggled_remove(folder);
    printf("target: at most %.0f ns added to a call of the driver's: %s\n", TARGET_NS, good ? "met" : "MISSED");
    return !good;
}
