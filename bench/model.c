/* Commands per second of the model on one core, by the thread's own time, and that it stays linear and small.

     bench.model [COMMANDS [RUNS]]      COMMANDS: the longest row, 10000000 unless given, 100000000 for all of them

   Two streams of copy-offload with queue_depth 1024, every kernel waiting for its copy, timing records on both sides of
   each: the wide case of what an experiment submits. Each row is the fastest of RUNS runs (default 3); the memory is
   the process's peak after the row, so a row that keeps more than what is in flight shows. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "device/sim/solve.h"

static const char model_text[] = "[model]\nname = bench\nqueue_depth = 1024\n"
                                 "[engine ccs]\norder = ring\nruns = kernel\n"
                                 "[engine bcs]\norder = ring\nruns = copy\n"
                                 "[event timing]\nlowering = command\nengine = ccs\ncost_ns = 2000\n";
static const char plain_text[] = "[model]\nname = bench\nqueue_depth = 1024\ncontention = 0.75\n"
                                 "[engine compute]\nruns = kernel\nwidth = 8\n"
                                 "[engine copy]\nruns = copy\n";

typedef struct load {
    const char *name, *model;
    bool records;
} load;

static const load loads[] = {{"rings, records", model_text, true}, {"ready, contention", plain_text, false}};

static void count_end(void *user, uint64_t tag, uint64_t visible_ns, uint64_t begin_ns, uint64_t end_ns)
{
    (void)visible_ns;
    (void)begin_ns;
    (void)end_ns;
    *(uint64_t *)user += tag;
}

static uint64_t thread_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * CF_NS_PER_S + (uint64_t)now.tv_nsec;
}

static long peak_kib(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? -1 : usage.ru_maxrss;
}

/* One operation with its records: copy on stream 0, kernel on stream 1. Returns commands submitted, 0 = failed. */
static uint64_t submit(cf_solver *solver, const load *what, bool kernel, uint64_t *copied, cf_error *err)
{
    const cf_solver_command record = {.stream = kernel, .engine = 0, .ns = 2000, .tag = 1};
    const cf_solver_command op = {
        .stream = kernel, .engine = !kernel, .ns = 1000000, .tag = 1, .wait_for = kernel ? *copied : 0};
    if (what->records && cf_solver_call(solver, &record, 0, false, NULL, err))
        return 0;
    if (cf_solver_call(solver, &op, 0, false, kernel ? NULL : copied, err))
        return 0;
    if (what->records && cf_solver_call(solver, &record, 0, false, NULL, err))
        return 0;
    return what->records ? 3 : 1;
}

static cf_status run(const cf_model *model, const load *what, uint64_t commands, uint64_t *ret_spent_ns, cf_error *err)
{
    uint64_t ended = 0, submitted = 0, copied = 0;
    cf_solver *solver;
    cf_status status = cf_solver_new(model, count_end, &ended, &solver, err);
    if (status)
        return status;
    const uint64_t begin_ns = thread_ns();
    for (bool kernel = false; submitted < commands; kernel = !kernel) {
        const uint64_t more = submit(solver, what, kernel, &copied, err);
        if (!more) {
            cf_solver_free(solver);
            return err->status;
        }
        submitted += more;
    }
    status = cf_solver_wait(solver, UINT32_MAX, err);
    *ret_spent_ns = thread_ns() - begin_ns;
    cf_solver_free(solver);
    if (!status && ended != submitted)
        status =
            cf_error_set(err, CF_DEVICE, "%" PRIu64 " commands were submitted and %" PRIu64 " ended", submitted, ended);
    return status;
}

static cf_status print_rows(const load *what, uint64_t longest, uint64_t runs, cf_error *err)
{
    cf_model model;
    cf_status status = cf_model_parse("bench", what->model, strlen(what->model), &model, err);
    double first = 0;
    for (uint64_t commands = 1000000; !status && commands <= longest; commands *= 10) {
        uint64_t best_ns = UINT64_MAX;
        for (uint64_t i = 0; !status && i < runs; i++) {
            uint64_t spent_ns = 0;
            status = run(&model, what, commands, &spent_ns, err);
            best_ns = !status && spent_ns < best_ns ? spent_ns : best_ns;
        }
        if (status)
            break;
        const double each = (double)best_ns / (double)commands;
        first = first > 0 ? first : each;
        printf("%-18s %11" PRIu64 " %9.1f %12.1f %10.2f %10ld\n", what->name, commands, each, 1e3 / each, each / first,
               peak_kib());
    }
    if (status != CF_OK || longest >= 1000000)
        cf_model_done(&model);
    return status;
}

int main(int argc, char **argv)
{
    uint64_t longest = 10000000, runs = 3;
    if (argc > 3 || (argc > 1 && !cf_text_parse_u64(argv[1], 1000000, 1000000000, &longest)) ||
        (argc > 2 && !cf_text_parse_u64(argv[2], 1, 100, &runs))) {
        fprintf(stderr, "usage: bench.model [COMMANDS [RUNS]]; COMMANDS from 1000000, RUNS from 1 to 100\n");
        return 2;
    }
    printf("%-18s %11s %9s %12s %10s %10s\n", "load", "commands", "ns each", "million/s", "to first", "peak KiB");
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        cf_error err = {0};
        if (print_rows(&loads[i], longest, runs, &err)) {
            fprintf(stderr, "bench.model: %s\n", err.text);
            return 1;
        }
    }
    return 0;
}
