/* What an intercepted OpenCL call costs over the plain one: the same calls alone, with the library preloaded (in steps
   as shipped, and in stripped ones), and behind the opencl-intercept-layer, in processes that take turns. Of each
   process and kind of call the least of many batches, because others use the machine, too, and a batch that they
   interrupted says nothing about the calls; what is added is a process's over the plain one of its round. A command of
   a stripped step goes to a queue that is not profiled, and is compared with a plain one there. Targets: at most 50 ns,
   and at most a fifth of what the layer adds. usage: bench.inject_opencl [ROUNDS]
   CONFOUND_INTERCEPT_LAYER=FOLDER: has the layer's libOpenCL.so.1 exit 1 where 50 ns is surely missed, 77 without
   OpenCL. Runs itself: bench.inject_opencl --plain | --unprofiled | --stripped. */
#include <confound/mark.h>
#include <dlfcn.h>

#include "bench/inject/process.h"
#include "stats/stats.h"
#include "toggle/folder.h"

#define TARGET_NS  50.0
#define SHARE      0.2 /* of what the layer adds */
#define ROUNDS     12
#define MAX        200
#define STEPS      40
#define CALLS      400 /* of each kind in a step, but for */
#define EVENTS     200 /* that are asked and released, */
#define COMMANDS   50  /* that wait for a device, and */
#define WARM_CALLS 2000
#define BATCHES    4 /* in a step, so that few wait at a time */

enum { PROFILING = 2 };
enum { EVENT_STATUS = 0x11D3, QUEUE_DEVICE = 0x1091, PROFILE_START = 0x1282, PROFILE_END = 0x1283 };

/* ---- the measured process ---- */

#define MEASURED(X)                                                                                                    \
    X(flush)                                                                                                           \
    X(finish)                                                                                                          \
    X(queue_info)                                                                                                      \
    X(queue_retain_release)                                                                                            \
    X(event_info)                                                                                                      \
    X(profiling_info)                                                                                                  \
    X(event_release)                                                                                                   \
    X(marker)                                                                                                          \
    X(write_4_bytes)                                                                                                   \
    X(kernel)                                                                                                          \
    X(kernel_with_event)                                                                                               \
    X(marker_and_wait)

enum {
#define X(name) name,
    MEASURED(X)
#undef X
        KIND_COUNT,
    FIRST_COMMAND = marker
};

static double least_ns[KIND_COUNT]; /* a call, of the batches so far; 0 = none */

static void keep(int kind, uint64_t batch_ns, int calls)
{
    const double ns = (double)batch_ns / calls;
    if (least_ns[kind] == 0 || ns < least_ns[kind])
        least_ns[kind] = ns;
}

static const char source[] = "kernel void nothing(global uint *to) { to[0] = 1; }";

typedef struct program {
    handle context, device, queue, buffer, kernel;
} program;

static program prepare(void *loader, uint64_t properties)
{
    SYMBOL(loader, clGetPlatformIDs, (unsigned, handle *, unsigned *));
    SYMBOL(loader, clGetDeviceIDs, (handle, uint64_t, unsigned, handle *, unsigned *));
    SYMBOL(loader, clBuildProgram, (handle, unsigned, const handle *, const char *, void *, void *));
    SYMBOL(loader, clSetKernelArg, (handle, unsigned, size_t, const void *));
    handle (*create_context)(const intptr_t *, unsigned, const handle *, void *, void *, int *);
    handle (*create_queue)(handle, handle, uint64_t, int *);
    handle (*create_buffer)(handle, uint64_t, size_t, void *, int *);
    handle (*create_program)(handle, unsigned, const char **, const size_t *, int *);
    handle (*create_kernel)(handle, const char *, int *);
    *(void **)&create_context = dlsym(loader, "clCreateContext");
    *(void **)&create_queue = dlsym(loader, "clCreateCommandQueue");
    *(void **)&create_buffer = dlsym(loader, "clCreateBuffer");
    *(void **)&create_program = dlsym(loader, "clCreateProgramWithSource");
    *(void **)&create_kernel = dlsym(loader, "clCreateKernel");
    program p;
    handle platform, built;
    const char *text = source;
    unsigned count = 0;
    int code;
    if (clGetPlatformIDs(1, &platform, &count) || clGetDeviceIDs(platform, 0xFFFFFFFFu, 1, &p.device, &count))
        exit(77);
    p.context = create_context(NULL, 1, &p.device, NULL, NULL, &code);
    p.queue = create_queue(p.context, p.device, properties, &code);
    p.buffer = create_buffer(p.context, 1, 64, NULL, &code);
    built = create_program(p.context, 1, &text, NULL, &code);
    if (clBuildProgram(built, 1, &p.device, "", NULL, NULL))
        exit(5);
    p.kernel = create_kernel(built, "nothing", &code);
    if (clSetKernelArg(p.kernel, 0, sizeof p.buffer, &p.buffer))
        exit(5);
    return p;
}

/* In a stripped step each new command's time is the last one that was taken. Returns whether one came. */
static bool reach_stripped(void *loader, handle queue)
{
    SYMBOL(loader, clFinish, (handle));
    SYMBOL(loader, clGetEventProfilingInfo, (handle, unsigned, size_t, void *, size_t *));
    SYMBOL(loader, clEnqueueMarkerWithWaitList, (handle, unsigned, const handle *, handle *));
    SYMBOL(loader, clReleaseEvent, (handle));
    uint64_t last = 0;
    for (int i = 0; i < 400; i++) {
        uint64_t same = 0, time_ns = 0;
        for (int k = 0; k < 3; k++) {
            handle event = NULL;
            clEnqueueMarkerWithWaitList(queue, 0, NULL, &event);
            clFinish(queue);
            if (clGetEventProfilingInfo(event, PROFILE_END, sizeof time_ns, &time_ns, NULL))
                return false;
            clReleaseEvent(event);
            same += time_ns == last;
            last = time_ns;
        }
        if (same == 3)
            return true;
        confound_step();
    }
    return false;
}

/* They wait for a user's event until all are there, so that no device works beside the calls. */
#define COMMANDS_OF(kind, call)                                                                                        \
    do {                                                                                                               \
        for (int batch_ = 0; batch_ < BATCHES; batch_++) {                                                             \
            handle gate_ = create_user_event(p.context, NULL);                                                         \
            clEnqueueMarkerWithWaitList(p.queue, 1, &gate_, NULL);                                                     \
            CALLS_OF(kind, COMMANDS, call);                                                                            \
            clSetUserEventStatus(gate_, 0);                                                                            \
            clFinish(p.queue);                                                                                         \
            clReleaseEvent(gate_);                                                                                     \
        }                                                                                                              \
    } while (0)
/* With the wait for them, in which the layer reads the times that it takes. */
#define DRAINED_OF(kind, call)                                                                                         \
    do {                                                                                                               \
        for (int batch_ = 0; batch_ < BATCHES; batch_++) {                                                             \
            uint64_t begin_of_ns_ = cf_clock_now_ns();                                                                 \
            for (int i_ = 0; i_ < COMMANDS; i_++)                                                                      \
                (void)(call);                                                                                          \
            clFinish(p.queue);                                                                                         \
            keep(kind, cf_clock_now_ns() - begin_of_ns_, COMMANDS);                                                    \
        }                                                                                                              \
    } while (0)
#define CALLS_OF(kind, calls, call)                                                                                    \
    do {                                                                                                               \
        uint64_t sum_ns_ = 0;                                                                                          \
        TIMED(sum_ns_, calls, call);                                                                                   \
        keep(kind, sum_ns_, calls);                                                                                    \
    } while (0)

/* NOLINTNEXTLINE(readability-function-size): the list of what is measured */
static int measure(uint64_t properties, bool stripped)
{
    void *loader = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!loader)
        return 77;
    const program p = prepare(loader, properties);
    SYMBOL(loader, clFinish, (handle));
    SYMBOL(loader, clFlush, (handle));
    SYMBOL(loader, clRetainCommandQueue, (handle));
    SYMBOL(loader, clReleaseCommandQueue, (handle));
    SYMBOL(loader, clReleaseEvent, (handle));
    SYMBOL(loader, clSetUserEventStatus, (handle, int));
    handle (*create_user_event)(handle, int *);
    *(void **)&create_user_event = dlsym(loader, "clCreateUserEvent");
    SYMBOL(loader, clGetCommandQueueInfo, (handle, unsigned, size_t, void *, size_t *));
    SYMBOL(loader, clGetEventInfo, (handle, unsigned, size_t, void *, size_t *));
    SYMBOL(loader, clGetEventProfilingInfo, (handle, unsigned, size_t, void *, size_t *));
    SYMBOL(loader, clEnqueueMarkerWithWaitList, (handle, unsigned, const handle *, handle *));
    SYMBOL(loader, clEnqueueWriteBuffer,
           (handle, handle, unsigned, size_t, size_t, const void *, unsigned, const handle *, handle *));
    SYMBOL(
        loader, clEnqueueNDRangeKernel,
        (handle, handle, unsigned, const size_t *, const size_t *, const size_t *, unsigned, const handle *, handle *));
    static handle events[EVENTS], commands[BATCHES * COMMANDS];
    const size_t one = 1;
    const uint32_t word = 7;
    uint64_t value;
    for (int i = 0; i < WARM_CALLS; i++) {
        clEnqueueMarkerWithWaitList(p.queue, 0, NULL, NULL);
        if (i % 100 == 0)
            clFinish(p.queue);
    }
    clFinish(p.queue);
    if (stripped && !reach_stripped(loader, p.queue))
        return 5;
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < EVENTS; i++)
            clEnqueueMarkerWithWaitList(p.queue, 0, NULL, &events[i]);
        clFinish(p.queue);
        CALLS_OF(flush, CALLS, clFlush(p.queue));
        CALLS_OF(finish, CALLS, clFinish(p.queue));
        CALLS_OF(queue_info, CALLS, clGetCommandQueueInfo(p.queue, QUEUE_DEVICE, sizeof value, &value, NULL));
        CALLS_OF(queue_retain_release, CALLS, clRetainCommandQueue(p.queue) || clReleaseCommandQueue(p.queue));
        CALLS_OF(event_info, EVENTS, clGetEventInfo(events[i_], EVENT_STATUS, sizeof value, &value, NULL));
        /* as programs do: two questions for each event */
        CALLS_OF(
            profiling_info, 2 * EVENTS,
            clGetEventProfilingInfo(events[i_ / 2], i_ % 2 ? PROFILE_END : PROFILE_START, sizeof value, &value, NULL));
        CALLS_OF(event_release, EVENTS, clReleaseEvent(events[i_]));
        COMMANDS_OF(marker, clEnqueueMarkerWithWaitList(p.queue, 0, NULL, NULL));
        COMMANDS_OF(write_4_bytes, clEnqueueWriteBuffer(p.queue, p.buffer, 0, 0, sizeof word, &word, 0, NULL, NULL));
        COMMANDS_OF(kernel, clEnqueueNDRangeKernel(p.queue, p.kernel, 1, NULL, &one, &one, 0, NULL, NULL));
        COMMANDS_OF(kernel_with_event, clEnqueueNDRangeKernel(p.queue, p.kernel, 1, NULL, &one, &one, 0, NULL,
                                                              &commands[batch_ * COMMANDS + i_]));
        for (int i = 0; i < BATCHES * COMMANDS; i++)
            clReleaseEvent(commands[i]);
        DRAINED_OF(marker_and_wait, clEnqueueMarkerWithWaitList(p.queue, 0, NULL, NULL));
    }
#define X(name) printf("%s %.3f\n", #name, least_ns[name]);
    MEASURED(X)
#undef X
    return 0;
}

/* ---- the parent ---- */

/* The layer's modes that have a comparable job: it reads the times of every command, or the host's around every call.
 */
#define LAYER(controls) "CLI_SuppressLogging=1 " controls
static const struct {
    const char *name, *variables;
    bool layer;
    const char *process;
} ways[] = {
    {"plain", "", false, "plain"},
    {"plain, not profiled", "", false, "unprofiled"},
    {"as-shipped", "", false, "plain"},
    {"stripped", "", false, "stripped"},
    {"layer", LAYER(""), true, "plain"},
    {"layer, host times", LAYER("CLI_HostPerformanceTiming=1"), true, "plain"},
    {"layer, device times", LAYER("CLI_DevicePerformanceTiming=1"), true, "plain"},
};
enum { PLAIN, UNPROFILED, SHIPPED, STRIPPED, FIRST_LAYER, WAYS = sizeof ways / sizeof ways[0] };

static times measured[WAYS][MAX];

static bool run_way(int way, const char *layer, times *ret)
{
    char variables[6 * PATH_MAX];
    if (ways[way].layer)
        snprintf(variables, sizeof variables, "LD_LIBRARY_PATH='%s' CLI_DumpDir='%s' %s", layer, folder,
                 ways[way].variables);
    else if (way < SHIPPED)
        snprintf(variables, sizeof variables, "-u LD_PRELOAD -u OPENCL_LAYERS");
    else
        snprintf(variables, sizeof variables,
                 "LD_PRELOAD='%s' OPENCL_LAYERS='%s' CONFOUND_TOGGLE_FOLDER='%s' CONFOUND_TOGGLE_ROUNDS=1000 "
                 "CONFOUND_TOGGLE_STEP=mark",
                 library, library, folder);
    return run_self(variables, ways[way].process, ret);
}

/* Each round begins elsewhere. False: something cannot be run. */
static bool run_all(int count, int rounds, const char *layer)
{
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++) {
            int way = (i + round) % count;
            if (run_way(way, layer, &measured[way][round]) && measured[way][round].count == KIND_COUNT)
                continue;
            printf("%s: cannot be run here\n", ways[way].name);
            return false;
        }
    return true;
}

static cf_interval added(int way, int kind, int rounds, double *ret_median)
{
    double ns[MAX] = {0};
    const int over = way == STRIPPED && kind >= FIRST_COMMAND ? UNPROFILED : PLAIN;
    for (int round = 0; round < rounds; round++)
        ns[round] = measured[way][round].ns[kind] - measured[over][round].ns[kind];
    *ret_median = cf_stats_median(ns, (size_t)rounds);
    return cf_stats_median_ci95(ns, (size_t)rounds);
}

static double middle(int way, int kind, int rounds)
{
    double ns[MAX] = {0};
    for (int round = 0; round < rounds; round++)
        ns[round] = measured[way][round].ns[kind];
    return cf_stats_median(ns, (size_t)rounds);
}

/* Returns whether one of ours surely adds more than the target. */
static bool show(int count, int rounds)
{
    bool missed = false;
    printf("ns a call, medians of %d processes each, of the least of each; added [95 %%]\n%-21s %8s", rounds, "",
           "plain");
    for (int way = SHIPPED; way < count; way++)
        printf("  %-20s", ways[way].name);
    printf("\n");
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        printf("%-21s %8.1f %12.1f", measured[PLAIN][0].names[kind], middle(PLAIN, kind, rounds),
               middle(UNPROFILED, kind, rounds));
        for (int way = SHIPPED; way < count; way++) {
            char text[64];
            double median;
            cf_interval ci = added(way, kind, rounds, &median);
            snprintf(text, sizeof text, "%+.1f [%.1f, %.1f]", median, ci.low, ci.high);
            printf("  %-20s", text);
            /* the last is more than a call: the device works beside it */
            missed = missed || (way < FIRST_LAYER && kind != marker_and_wait && ci.low > TARGET_NS);
        }
        printf("\n");
    }
    return missed;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Whether this library, in the dearer of its two kinds of step, adds at most a fifth of what the layer does. */
static const char *share(int way, int kind, int rounds)
{
    double median;
    cf_interval shipped = added(SHIPPED, kind, rounds, &median), stripped = added(STRIPPED, kind, rounds, &median);
    cf_interval theirs = added(way, kind, rounds, &median);
    if (larger(shipped.high, stripped.high) <= SHARE * theirs.low)
        return "yes";
    return larger(shipped.low, stripped.low) > SHARE * theirs.high ? "no" : "undecided";
}

static void show_shares(int count, int rounds)
{
    static const char *const answers[] = {"yes", "no", "undecided"};
    for (int way = FIRST_LAYER; way < count; way++) {
        printf("at most %.0f %% of what '%s' adds, by the intervals\n", 100 * SHARE, ways[way].name);
        for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
            int found = 0;
            printf("  %-10s", answers[i]);
            for (int kind = 0; kind < KIND_COUNT; kind++)
                if (strcmp(share(way, kind, rounds), answers[i]) == 0)
                    printf("%s%s", found++ ? ", " : " ", measured[PLAIN][0].names[kind]);
            printf("%s\n", found ? "" : " none");
        }
    }
}

/* Without it, the loader would be found that is plain. */
static bool has_loader(const char *layer)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/libOpenCL.so.1", layer);
    if (access(path, R_OK) == 0)
        return true;
    fprintf(stderr, "CONFOUND_INTERCEPT_LAYER: %s cannot be read\n", path);
    return false;
}

int main(int argc, char **argv)
{
    if (argc == 2 && (strcmp(argv[1], "--plain") == 0 || strcmp(argv[1], "--stripped") == 0))
        return measure(PROFILING, strcmp(argv[1], "--stripped") == 0);
    if (argc == 2 && strcmp(argv[1], "--unprofiled") == 0)
        return measure(0, false);
    char *end = NULL;
    long rounds = argc > 1 ? strtol(argv[1], &end, 10) : ROUNDS;
    if (argc > 2 || (end && *end) || rounds < 6 || rounds > MAX) {
        fprintf(stderr, "usage: bench.inject_opencl [ROUNDS]   accepted: 6 to %d\n", MAX);
        return 2;
    }
    const char *layer = getenv("CONFOUND_INTERCEPT_LAYER");
    int count = layer && *layer ? WAYS : FIRST_LAYER;
    if (count == WAYS && !has_loader(layer))
        return 2;
    if (!find_parts())
        return 5;
    if (count < WAYS)
        printf("without the opencl-intercept-layer: CONFOUND_INTERCEPT_LAYER=FOLDER with its libOpenCL.so.1 compares "
               "it\n");
    bool ran = run_all(count, (int)rounds, layer), missed = ran && show(count, (int)rounds);
    if (ran)
        show_shares(count, (int)rounds);
    cf_toggled_remove(folder);
    if (!ran)
        return 77;
    printf("target: at most %.0f ns added to a call: %s\n", TARGET_NS, missed ? "MISSED" : "met");
    return missed;
}
