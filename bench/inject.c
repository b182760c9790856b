/* What an intercepted CUDA call costs over the plain one: the same calls in a process alone and in one with the library
   preloaded, in alternation, on a driver whose calls cost next to nothing. Target: at most 50 ns a call.
   OpenCL's are in inject_opencl.c.
   usage: bench.inject; exit 1 where the target is missed. Runs itself: bench.inject --cuda. */
#include <dlfcn.h>

#include "bench/inject/process.h"
#include "toggle/folder.h"
#include "toggle/read.h"

#define TARGET_NS 50.0
#define PAIRS     9
#define STEPS     400 /* the arms take turns in them */
#define CALLS     500 /* of each kind in a step */
/* The library looks at the first steps more closely, to find who asks for times, and is done with that before. */
#define WARM_STEPS 60

static void say(const char *name, uint64_t sum_ns, uint64_t calls)
{
    printf("%s %.3f\n", name, (double)sum_ns / (double)calls);
}

/* ---- the measured processes ---- */

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
    for (int step = -WARM_STEPS; step < STEPS; step++) {
        if (step == 0)
            record_ns = plain_ns = query_ns = wait_ns = elapsed_ns = make_ns = 0;
        TIMED(record_ns, CALLS, cuEventRecord(timed[i_ % 2], NULL));
        TIMED(plain_ns, CALLS, cuEventRecord(plain, NULL));
        TIMED(query_ns, CALLS, cuEventQuery(plain));
        TIMED(wait_ns, CALLS, cuStreamWaitEvent(NULL, plain, 0));
        TIMED(elapsed_ns, CALLS, cuEventElapsedTime(&ms, timed[0], timed[1]));
        TIMED(make_ns, CALLS, cuEventCreate(&made, 0) || cuEventDestroy_v2(made));
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

/* ---- the parent ---- */

static bool run(bool ours, times *ret)
{
    char variables[4 * PATH_MAX], preload[PATH_MAX + 16] = "";
    if (ours)
        snprintf(preload, sizeof preload, "LD_PRELOAD='%s'", library);
    snprintf(
        variables, sizeof variables,
        "LD_LIBRARY_PATH='%s' %s CONFOUND_TOGGLE_FOLDER='%s' CONFOUND_TOGGLE_ROUNDS=1000 CONFOUND_TOGGLE_STEP=sync",
        driver_folder, preload, folder);
    return run_self(variables, "cuda", ret);
}

static double least(const times *t, int kind)
{
    double ns = t[0].ns[kind];
    for (int i = 1; i < PAIRS; i++)
        ns = t[i].ns[kind] < ns ? t[i].ns[kind] : ns;
    return ns;
}

/* Returns whether ours keeps to the target. */
static bool compare(void)
{
    static times alone[PAIRS], ours[PAIRS];
    for (int pair = 0; pair < PAIRS; pair++)
        if (!run(false, &alone[pair]) || !run(true, &ours[pair])) {
            printf("cuda: cannot be run here\n");
            return false;
        }
    double worst = 0;
    printf("%-16s %9s %9s %9s\n", "cuda", "alone ns", "with us", "added");
    for (int kind = 0; kind < alone[0].count; kind++) {
        double plain = least(alone, kind), own = least(ours, kind);
        worst = own - plain > worst ? own - plain : worst;
        printf("  %-14s %9.1f %9.1f %9.1f\n", alone[0].names[kind], plain, own, own - plain);
    }
    return worst <= TARGET_NS;
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
    if (argc == 2 && strcmp(argv[1], "--cuda") == 0)
        return measure_cuda();
    if (argc != 1) {
        fprintf(stderr, "usage: bench.inject\n");
        return 2;
    }
    if (!find_parts())
        return 5;
    bool good = compare();
    show_arms();
    cf_toggled_remove(folder);
    printf("target: at most %.0f ns added to a call of the driver's: %s\n", TARGET_NS, good ? "met" : "MISSED");
    return !good;
}
