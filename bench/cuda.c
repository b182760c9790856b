/* On a GPU: does the harness get out of the way? In one run, in alternation, on the same streams:
   - the control's h2d rate, 16 copies of 8 MiB as a cell runs them, against one large pinned copy: within 3 %;
   - the control's ab step, 16 such copies beside 16 kernels, against the same step in a hand-written loop over the
     driver's own calls: at most 2 % more an operation. What submission alone costs an operation is shown beside it.
   usage: bench.cuda [PAIRS]; exit 1 where a target is missed, 77 where there is no GPU or only the stub driver. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "device/cuda/state.h"
#include "instrument/instrument.h"
#include "run/bench.h"
#include "run/cell.h"
#include "stats/stats.h"

enum { COUNT = 16 };
#define COPY_BYTES  ((uint64_t)8 << 20)
#define LARGE_BYTES ((uint64_t)512 << 20)
#define STUB_BYTES  ((uint64_t)256 << 10) /* of a copy on the stub driver, which is slow and proves nothing */
#define RATE_LOW    0.97
#define RATE_HIGH   1.03
#define COST_HIGH   1.02
#define STEP_NS     2500000u

typedef struct loop { /* the hand-written one: the driver's calls and nothing else */
    cf_cuda *cuda;
    uint64_t bytes, trips;
    cf_stream *streams[2];
    cf_block *from[COUNT], *to[COUNT], *nonce, *results;
    double submit_ns; /* of the last step, an operation */
} loop;

typedef struct series {
    double *values;
    size_t count;
} series;

static void check(cf_status status, const cf_error *err)
{
    if (status == CF_OK)
        return;
    fprintf(stderr, "bench.cuda: %s\n", err->text);
    exit(5);
}

static void check_call(const cf_cuda *cuda, const char *call, cf_cu_result code)
{
    cf_error err = {0};
    check(cf_cuda_check(&cuda->api, call, code, &err), &err);
}

static cf_block *block(cf_device *device, cf_place place, uint64_t bytes)
{
    cf_error err = {0};
    cf_block *made = NULL;
    check(cf_device_block_new(device, place, bytes, &made, &err), &err);
    return made;
}

static void make_loop(loop *l, cf_device *device, uint64_t bytes, uint64_t trips)
{
    cf_error err = {0};
    *l = (loop){.cuda = device->state, .bytes = bytes, .trips = trips};
    for (uint32_t i = 0; i < 2; i++)
        check(cf_device_stream_open(device, &(cf_stream_desc){.number = i}, &l->streams[i], &err), &err);
    for (int i = 0; i < COUNT; i++) {
        l->from[i] = block(device, CF_PLACE_HOST, bytes);
        l->to[i] = block(device, CF_PLACE_DEVICE, bytes);
    }
    l->nonce = block(device, CF_PLACE_DEVICE, 8);
    l->results = block(device, CF_PLACE_DEVICE, COUNT * 8);
}

static void free_loop(loop *l, cf_device *device)
{
    for (int i = 0; i < COUNT; i++) {
        cf_device_block_free(device, l->from[i]);
        cf_device_block_free(device, l->to[i]);
    }
    cf_device_block_free(device, l->nonce);
    cf_device_block_free(device, l->results);
}

static double step_by_hand(loop *l)
{
    const cf_cuda_api *api = &l->cuda->api;
    unsigned blocks = (unsigned)(l->cuda->full[0] / 4 > 0 ? l->cuda->full[0] / 4 : 1);
    uint64_t begin_ns = cf_clock_now_ns();
    for (int i = 0; i < COUNT; i++) {
        cf_cu_pointer src = l->nonce->device;
        cf_cu_pointer dst = l->results->device + (uint64_t)i * 8;
        uint64_t never = 1;
        void *parameters[] = {&src, &dst, &l->trips, &never};
        cf_cu_result code = api->h2d(l->to[i]->device, l->from[i]->host, l->bytes, l->streams[0]->handle);
        if (code != CF_CU_SUCCESS)
            check_call(l->cuda, "cuMemcpyHtoDAsync", code);
        code = api->launch(l->cuda->kernel, blocks, 1, 1, CF_CUDA_THREADS, 1, 1, 0, l->streams[1]->handle, parameters,
                           NULL);
        if (code != CF_CU_SUCCESS)
            check_call(l->cuda, "cuLaunchKernel", code);
    }
    l->submit_ns = (double)(cf_clock_now_ns() - begin_ns) / (2 * COUNT);
    check_call(l->cuda, "cuCtxSynchronize", api->context_wait());
    return (double)(cf_clock_now_ns() - begin_ns);
}

/* As in a cell: one untimed step, three timed ones. */
static double cell_by_hand(loop *l, double *ret_submit_ns)
{
    double walls[CF_STEPS], submits[CF_STEPS];
    (void)step_by_hand(l);
    for (int i = 0; i < CF_STEPS; i++) {
        walls[i] = step_by_hand(l);
        submits[i] = l->submit_ns;
    }
    *ret_submit_ns = cf_stats_median(submits, CF_STEPS);
    return cf_stats_median(walls, CF_STEPS);
}

static double cell_by_harness(cf_bench *bench, cf_cell cell, double *ret_submit_ns)
{
    cf_error err = {0};
    cf_sample sample;
    cf_seen seen;
    cf_cell_proof proof;
    check(cf_cell_run(&bench->rig, 0, cell, &sample, &seen, &proof, &err), &err);
    *ret_submit_ns = (double)cf_sample_value_ns(sample.submit_ns) / (2 * COUNT);
    return (double)cf_sample_value_ns(sample.wall_ns);
}

static double large_copy(const cf_cuda *cuda, const cf_stream *stream, const cf_block *from, const cf_block *to)
{
    double walls[CF_STEPS] = {0};
    for (int i = -1; i < CF_STEPS; i++) {
        uint64_t begin_ns = cf_clock_now_ns();
        check_call(cuda, "cuMemcpyHtoDAsync", cuda->api.h2d(to->device, from->host, from->size_bytes, stream->handle));
        check_call(cuda, "cuCtxSynchronize", cuda->api.context_wait());
        if (i >= 0)
            walls[i] = (double)(cf_clock_now_ns() - begin_ns);
    }
    return cf_stats_median(walls, CF_STEPS);
}

static series make_series(size_t count)
{
    series s = {.values = calloc(count, sizeof(double)), .count = count};
    if (s.values == NULL)
        exit(5);
    return s;
}

static bool show(const char *what, series *s, double low, double high)
{
    cf_interval ci = cf_stats_median_ci95(s->values, s->count);
    double median = cf_stats_median(s->values, s->count);
    bool met = median >= low && median <= high;
    printf("%s: %.4f [%.4f, %.4f]", what, median, ci.low, ci.high);
    if (low > 0)
        printf("; target %.2f to %.2f: %s\n", low, high, met ? "met" : "MISSED");
    else if (high < 1e9)
        printf("; target at most %.2f: %s\n", high, met ? "met" : "MISSED");
    else
        printf("\n");
    free(s->values);
    return met;
}

/* Trips that make a kernel last about a 16th of a step. */
static uint64_t fitting_trips(loop *l)
{
    uint64_t trips = 1000;
    for (int i = 0; i < 12; i++) {
        l->trips = trips;
        (void)step_by_hand(l);
        double wall_ns = step_by_hand(l);
        if (wall_ns > STEP_NS)
            break;
        trips *= 2;
    }
    return trips;
}

/* The rate is the device's: the host spins here, because on one H200 a blocked wait comes back 0.1 ms late, which is 4
   % of a step of 16 copies and nothing of one large copy. */
static bool compare_rates(cf_bench *bench, loop *l, size_t pairs, uint64_t large_bytes)
{
    cf_wait asked = bench->wait;
    bench->wait = CF_WAIT_SPIN;
    series rate = make_series(pairs);
    cf_block *from = block(bench->device, CF_PLACE_HOST, large_bytes);
    cf_block *to = block(bench->device, CF_PLACE_DEVICE, large_bytes);
    double submit_ns, large_ns = 0;
    for (size_t i = 0; i < pairs; i++) {
        double cell_ns = i % 2 ? cell_by_harness(bench, CF_CELL_A, &submit_ns) : 0;
        large_ns = large_copy(l->cuda, l->streams[0], from, to);
        cell_ns = i % 2 ? cell_ns : cell_by_harness(bench, CF_CELL_A, &submit_ns);
        rate.values[i] = (double)(COUNT * l->bytes) / cell_ns / ((double)large_bytes / large_ns);
    }
    printf("one pinned copy of %.0f MiB: %.2f GB/s\n", (double)large_bytes / 1048576, (double)large_bytes / large_ns);
    cf_device_block_free(bench->device, from);
    cf_device_block_free(bench->device, to);
    bench->wait = asked;
    return show("h2d rate of the control / of one large copy", &rate, RATE_LOW, RATE_HIGH);
}

static bool compare_steps(cf_bench *bench, loop *l, size_t pairs)
{
    series cost = make_series(pairs);
    series submit = make_series(pairs);
    double harness_submit_ns = 0, hand_submit_ns = 0, hand_ns = 0;
    for (size_t i = 0; i < pairs; i++) {
        double harness_ns = i % 2 ? cell_by_harness(bench, CF_CELL_AB, &harness_submit_ns) : 0;
        hand_ns = cell_by_hand(l, &hand_submit_ns);
        harness_ns = i % 2 ? harness_ns : cell_by_harness(bench, CF_CELL_AB, &harness_submit_ns);
        cost.values[i] = harness_ns / hand_ns;
        submit.values[i] = harness_submit_ns / hand_submit_ns;
    }
    printf(
        "one step of %d copies and %d kernels: %.3f ms by hand; submission of an operation %.0f ns by hand, %.0f ns by "
        "the harness\n",
        COUNT, COUNT, hand_ns / 1e6, hand_submit_ns, harness_submit_ns);
    bool met = show("an operation, harness / hand-written loop", &cost, 0, COST_HIGH);
    (void)show("submission alone, harness / hand-written loop", &submit, 0, 1e9);
    return met;
}

static void open_device(cf_bench *bench)
{
    cf_error err = {0};
    cf_device *device = NULL;
    cf_status status = cf_device_open(&cf_device_cuda, &(cf_device_config){.index = 0}, &device, &err);
    if (status == CF_NO_DEVICE) {
        printf("bench.cuda: skipped: %s\n", err.text);
        exit(77);
    }
    check(status, &err);
    cf_bench_init(bench, device, CF_WAIT_BLOCK, 0);
    printf("%s, %s\n", bench->info.name, bench->info.driver);
}

int main(int argc, char **argv)
{
    size_t pairs = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 60;
    if (pairs < 6) {
        fprintf(stderr, "bench.cuda: PAIRS: accepted: 6 or more\n");
        return 2;
    }
    cf_error err = {0};
    cf_bench bench;
    loop l;
    open_device(&bench);
    uint64_t bytes = bench.info.simulated ? STUB_BYTES : COPY_BYTES;
    make_loop(&l, bench.device, bytes, 0);
    l.trips = bench.info.simulated ? 2000 : fitting_trips(&l);
    cf_workload_spec spec = {.lane = {{.kind = CF_OP_H2D, .count = COUNT, .unit = CF_UNIT_BYTES, .length = bytes},
                                      {.kind = CF_OP_KERNEL, .count = COUNT, .unit = CF_UNIT_TRIPS, .length = l.trips}},
                             .batch = 1,
                             .in_flight = 1};
    cf_workload *workload = NULL;
    check(cf_workload_new(bench.device, &spec, &workload, &err), &err);
    cf_bench_add(&bench, &(cf_job_variant){.type = cf_instrument_find("none"), .where = 3, .on = 3}, workload);
    bool met = compare_rates(&bench, &l, pairs, bench.info.simulated ? 32 * STUB_BYTES : LARGE_BYTES);
    met = compare_steps(&bench, &l, pairs) && met;
    cf_workload_free(workload);
    free_loop(&l, bench.device);
    bool simulated = bench.info.simulated;
    cf_device_close(bench.device);
    if (simulated)
        printf("bench.cuda: skipped: the stub driver's figures say nothing\n");
    return simulated ? 77 : met ? 0 : 1;
}
