/* A program as others write them, which knows nothing of confound: STEPS times a kernel on each of two streams, between
   two events that take times, joined by one that doesn't; then a wait for the device. It says what it computed, and
   complains where an answer of the driver's is not by its rules.
   A benchmark, which repeats a short kernel as often as the time of a first one says, with events of its own in each
   step (adapts), or more often where it is told the same time again, as by a clock that is stuck (stuck).
     usage: program STEPS KERNEL_US
            [waits|quiet|exit N|graph|capture|threads|fresh|mark|fork|adapts|stuck|tunes|handed|rests]
   Built three times: -DLINKED calls the driver by its names, -DLOADED finds them by dlsym, -DASKED by cuGetProcAddress.
 */
#include <confound/mark.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_TIMING  2u
#define BAD_HANDLE 400
#define NOT_READY  600

#define DRIVER(X)                                                                                                      \
    X(cuInit, (unsigned flags))                                                                                        \
    X(cuStreamCreate, (void **ret, unsigned flags))                                                                    \
    X(cuLaunchKernel,                                                                                                  \
      (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))        \
    X(cuCtxSynchronize, (void))                                                                                        \
    X(cuStreamSynchronize, (void *stream))                                                                             \
    X(cuEventCreate, (void **ret, unsigned flags))                                                                     \
    X(cuEventDestroy_v2, (void *event))                                                                                \
    X(cuEventRecord, (void *event, void *stream))                                                                      \
    X(cuEventQuery, (void *event))                                                                                     \
    X(cuEventSynchronize, (void *event))                                                                               \
    X(cuStreamWaitEvent, (void *stream, void *event, unsigned flags))                                                  \
    X(cuEventElapsedTime, (float *ret_ms, void *begin, void *end))                                                     \
    X(cuGraphCreate, (void **ret, unsigned flags))                                                                     \
    X(cuGraphAddEventRecordNode, (void **ret, void *graph, const void *nodes, size_t count, void *event))              \
    X(cuGraphAddEventWaitNode, (void **ret, void *graph, const void *nodes, size_t count, void *event))                \
    X(cuGraphLaunch, (void *graph, void *stream))                                                                      \
    X(cuGraphDestroy, (void *graph))                                                                                   \
    X(cuStreamBeginCapture_v2, (void *stream, int mode))                                                               \
    X(cuStreamEndCapture, (void *stream, void **ret_graph))                                                            \
    X(cuFutureCall, (void *event, long *ret_calls))

#if defined(LINKED)
#define X(name, parameters) int name parameters;
DRIVER(X)
#undef X
#define CALL(name) name
static void find_driver(void)
{
}
#else
#define X(name, parameters) static int(*name##_at) parameters;
DRIVER(X)
#undef X
#define CALL(name) name##_at

static void *find(void *library, const char *name)
{
#if defined(ASKED)
    static int (*ask)(const char *, void **, int, uint64_t, int *);
    char asked[64];
    void *found = NULL;
    if (!ask)
        *(void **)&ask = dlsym(library, "cuGetProcAddress_v2");
    snprintf(asked, sizeof asked, "%s", name);
    if (strstr(asked, "_v2"))
        *strstr(asked, "_v2") = '\0';
    return ask && ask(asked, &found, 12000, 0, NULL) == 0 ? found : NULL;
#else
    return dlsym(library, name);
#endif
}

static void find_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(77);
    }
#define X(name, parameters)                                                                                            \
    if (!(*(void **)&name##_at = find(library, #name)))                                                                \
        exit(76);
    DRIVER(X)
#undef X
}
#endif

static int complaints;
static void expect(int is, int wanted, const char *what, int step)
{
    if (is == wanted)
        return;
    complaints++;
    printf("step %d: %s gave %d, not %d\n", step, what, is, wanted);
}
#define TRY(step, name, ...) expect(CALL(name)(__VA_ARGS__), 0, #name, step)

typedef struct lane {
    void *stream, *begin, *end, *joined;
} lane;

static void *kernel;
static int said_times;

static void make_events(lane *l, int step)
{
    TRY(step, cuEventCreate, &l->begin, 0);
    TRY(step, cuEventCreate, &l->end, 1);
    TRY(step, cuEventCreate, &l->joined, NO_TIMING);
}

static void drop_events(const lane *l, int step)
{
    TRY(step, cuEventDestroy_v2, l->begin);
    TRY(step, cuEventDestroy_v2, l->end);
    TRY(step, cuEventDestroy_v2, l->joined);
}

static void submit(const lane *l, int step)
{
    TRY(step, cuEventRecord, l->begin, l->stream);
    TRY(step, cuLaunchKernel, kernel, 1, 1, 1, 1, 1, 1, 0, l->stream, NULL, NULL);
    TRY(step, cuEventRecord, l->end, l->stream);
    TRY(step, cuEventRecord, l->joined, l->stream);
}

/* What was recorded in this step is over, whichever twin it was, and its times can be asked for. */
static void check(const lane *l, int step)
{
    float ms = -1;
    TRY(step, cuEventSynchronize, l->end);
    TRY(step, cuEventQuery, l->end);
    TRY(step, cuEventQuery, l->joined);
    TRY(step, cuEventElapsedTime, &ms, l->begin, l->end);
    said_times += ms > 0;
    if (ms <= 0)
        expect(1, 0, "a time of nothing", step);
    expect(CALL(cuEventElapsedTime)(&ms, l->begin, l->joined), BAD_HANDLE, "a time of an event without", step);
}

/* An event that the second stream waits for holds it: its kernel ends after the first one's. */
static void check_order(lane *lanes, int step)
{
    TRY(step, cuStreamWaitEvent, lanes[1].stream, lanes[0].joined, 0);
    TRY(step, cuEventRecord, lanes[1].joined, lanes[1].stream);
    TRY(step, cuEventSynchronize, lanes[1].joined);
    TRY(step, cuEventQuery, lanes[0].end);
}

static void graph_step(const lane *l, int step)
{
    static void *record, *wait, *node;
    if (!record) {
        TRY(step, cuGraphCreate, &record, 0);
        TRY(step, cuGraphAddEventRecordNode, &node, record, NULL, 0, l->end);
        TRY(step, cuGraphCreate, &wait, 0);
        TRY(step, cuGraphAddEventWaitNode, &node, wait, NULL, 0, l->end);
    }
    TRY(step, cuLaunchKernel, kernel, 1, 1, 1, 1, 1, 1, 0, l->stream, NULL, NULL);
    TRY(step, cuGraphLaunch, record, l->stream);
    expect(CALL(cuEventQuery)(l->end), NOT_READY, "an event of a graph that runs", step);
    TRY(step, cuEventRecord, l->end, l->stream);
    TRY(step, cuGraphLaunch, wait, l[1].stream);
    TRY(step, cuStreamSynchronize, l[1].stream);
    TRY(step, cuEventQuery, l->end);
}

static void capture_step(const lane *lanes, int step)
{
    void *graph = NULL;
    TRY(step, cuStreamBeginCapture_v2, lanes[0].stream, 0);
    TRY(step, cuEventRecord, lanes[0].joined, lanes[0].stream);
    TRY(step, cuStreamWaitEvent, lanes[1].stream, lanes[0].joined, 0);
    TRY(step, cuEventRecord, lanes[1].joined, lanes[1].stream);
    TRY(step, cuStreamWaitEvent, lanes[0].stream, lanes[1].joined, 0);
    TRY(step, cuStreamEndCapture, lanes[0].stream, &graph);
    TRY(step, cuGraphDestroy, graph);
    TRY(step, cuEventRecord, lanes[0].joined, lanes[0].stream);
    TRY(step, cuEventRecord, lanes[1].joined, lanes[1].stream);
}

static void *churn(void *user)
{
    const int *steps = user;
    for (int i = 0; i < *steps * 20; i++) {
        lane own = {0};
        float ms;
        make_events(&own, i);
        TRY(i, cuEventQuery, own.end);
        expect(CALL(cuEventElapsedTime)(&ms, own.begin, own.end), BAD_HANDLE, "a time that was never taken", i);
        TRY(i, cuEventRecord, own.begin, NULL);
        TRY(i, cuEventSynchronize, own.begin);
        drop_events(&own, i);
    }
    return NULL;
}

typedef struct timed {
    void *begin, *end;
} timed;

static void time_kernel(timed *t, void *length, int step)
{
    TRY(step, cuEventRecord, t->begin, NULL);
    TRY(step, cuLaunchKernel, length, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    TRY(step, cuEventRecord, t->end, NULL);
}

static float time_of(const timed *t, int step)
{
    float ms = -1;
    TRY(step, cuEventElapsedTime, &ms, t->begin, t->end);
    said_times += ms > 0;
    return ms;
}

#define FEW  2
#define MANY 12

static int benchmark_step(timed *all, int step, int stuck)
{
    static float last_ms;
    const uintptr_t ns = (uintptr_t)kernel;
    int repeat = FEW;
    time_kernel(&all[0], kernel, step);
    TRY(step, cuEventSynchronize, all[0].end);
    const float ms = time_of(&all[0], step);
    if (stuck ? ms == last_ms : ms * 1e6f < 0.6f * (float)ns)
        repeat = MANY;
    last_ms = ms;
    for (int i = 1; i <= repeat; i++)
        time_kernel(&all[i], (void *)(ns / 8), step); /* NOLINT(performance-no-int-to-ptr) */
    TRY(step, cuCtxSynchronize);
    for (int i = 1; i <= repeat && step % 2 == 0; i++) /* which is another number of questions before the next first */
        (void)time_of(&all[i], step);
    return repeat;
}

static void benchmark(int steps, const char *mode)
{
    timed all[MANY + 1] = {{0}};
    const int stuck = strcmp(mode, "stuck") == 0;
    int repeated = 0;
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i <= MANY && (step == 0 || !stuck); i++) {
            TRY(step, cuEventCreate, &all[i].begin, 0);
            TRY(step, cuEventCreate, &all[i].end, 0);
        }
        repeated += benchmark_step(all, step, stuck);
        for (int i = 0; i <= MANY && !stuck; i++) {
            TRY(step, cuEventDestroy_v2, all[i].begin);
            TRY(step, cuEventDestroy_v2, all[i].end);
        }
    }
    if (!stuck)
        expect(repeated, steps * FEW, "a kernel that was repeated by its time", steps);
    said_times = 0;
}

/* Tries one kernel alone, as often as it takes to look like all that there is. */
static void tune(const lane *l)
{
    for (int i = 0; i < 18; i++) {
        submit(l, -1);
        TRY(-1, cuEventSynchronize, l->joined);
    }
}

static void run(int steps, const char *mode)
{
    lane lanes[2] = {{0}};
    pthread_t threads[3] = {0};
    int fresh = strcmp(mode, "fresh") == 0, waits = strcmp(mode, "waits") == 0;
    for (int i = 0; i < 2; i++) {
        TRY(-1, cuStreamCreate, &lanes[i].stream, 1);
        make_events(&lanes[i], -1);
    }
    if (strcmp(mode, "tunes") == 0)
        tune(&lanes[0]);
    for (int i = 0; strcmp(mode, "threads") == 0 && i < 3; i++)
        pthread_create(&threads[i], NULL, churn, &steps);
    for (int step = 0; step < steps; step++) {
        if (strcmp(mode, "mark") == 0)
            confound_step();
        for (int i = 0; fresh && i < 2; i++) {
            drop_events(&lanes[i], step);
            make_events(&lanes[i], step);
        }
        for (int i = 0; i < 2; i++)
            submit(&lanes[i], step);
        if (waits)
            for (int i = 0; i < 2; i++)
                TRY(step, cuStreamSynchronize, lanes[i].stream);
        TRY(step, cuCtxSynchronize);
        for (int i = 0; i < 2; i++)
            check(&lanes[i], step);
        if (strcmp(mode, "order") == 0)
            check_order(lanes, step);
        if (strcmp(mode, "graph") == 0)
            graph_step(lanes, step);
        if (strcmp(mode, "capture") == 0 && step % 3 == 0)
            capture_step(lanes, step);
        long calls = 0;
        TRY(step, cuFutureCall, lanes[0].end, &calls);
        expect((int)calls, step + 1, "a call that nobody knows", step);
    }
    for (int i = 0; strcmp(mode, "threads") == 0 && i < 3; i++)
        pthread_join(threads[i], NULL);
    TRY(-1, cuCtxSynchronize);
}

static void *run_on(void *user)
{
    run(*(const int *)user, "");
    return NULL;
}

/* What the first thread tries, another one goes on with. */
static void run_on_another_thread(int steps)
{
    pthread_t other;
    run(20, "");
    if (pthread_create(&other, NULL, run_on, &steps) == 0)
        pthread_join(other, NULL);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 10;
    const char *mode = argc > 3 ? argv[3] : "";
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): a kernel is how long it runs */
    kernel = (void *)((uintptr_t)(argc > 2 ? (int)strtol(argv[2], NULL, 10) : 100) * 1000);
    if (strcmp(mode, "fork") == 0) {
        int status = 0;
        pid_t child = fork();
        if (child > 0 && waitpid(child, &status, 0) == child)
            printf("child ended with %d\n", WEXITSTATUS(status));
    }
    find_driver();
    TRY(-1, cuInit, 0);
    if (strcmp(mode, "adapts") == 0 || strcmp(mode, "stuck") == 0)
        benchmark(steps, mode);
    else if (strcmp(mode, "handed") == 0)
        run_on_another_thread(steps);
    else
        run(steps, mode);
    if (strcmp(mode, "rests") == 0)
        sleep(5);
    printf("%d steps, %d times, %d complaints\n", steps, said_times, complaints);
    fprintf(stderr, "on standard error\n");
    return complaints > 0 ? 1 : strcmp(mode, "exit") == 0 ? (int)strtol(argv[4], NULL, 10) : 0;
}
