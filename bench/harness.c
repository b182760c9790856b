/* What the experiment adds to a step: the control's ab cell as the harness runs it, against the same step in a
   hand-written loop over the device's own table, in alternation, on the soft device. Target: at most 2 %.
   usage: bench.harness [PAIRS]; exit 1 where the target is missed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "device/soft/soft.h"
#include "run/bench.h"
#include "run/cell.h"
#include "stats/stats.h"

enum { COUNT = 16 };
#define OP_NS  190000u
#define TARGET 1.02

typedef struct loop { /* the hand-written one: no harness, no instrument, no dispatch */
    const cf_device_ops *ops;
    cf_device *device;
    cf_stream *streams[2];
    cf_op op[2][COUNT];
} loop;

static void check(cf_status status, const cf_error *err)
{
    if (status == CF_OK)
        return;
    fprintf(stderr, "bench.harness: %s\n", err->text);
    exit(5);
}

static void make_loop(loop *l, cf_device *device)
{
    cf_error err = {0};
    *l = (loop){.ops = device->ops, .device = device};
    for (int lane = 0; lane < 2; lane++) {
        cf_block *results = NULL;
        check(l->ops->block_new(device, CF_PLACE_DEVICE, 4096, &results, &err), &err);
        for (uint32_t i = 0; i < COUNT; i++) {
            cf_op *op = &l->op[lane][i];
            *op = (cf_op){.kind = lane == 0 ? CF_OP_H2D : CF_OP_KERNEL, .lane = lane, .index = i, .ns = OP_NS};
            op->dst = results;
            op->trips = lane == 1 ? 100 : 0;
            check(l->ops->block_new(device, lane == 0 ? CF_PLACE_HOST : CF_PLACE_DEVICE, 32768, &op->src, &err), &err);
            if (lane == 0)
                check(l->ops->block_new(device, CF_PLACE_DEVICE, 32768, &op->dst, &err), &err);
        }
    }
}

static double step_ns(loop *l)
{
    cf_error err = {0};
    uint64_t begin_ns = cf_clock_now_ns();
    for (uint32_t i = 0; i < COUNT; i++)
        for (int lane = 0; lane < 2; lane++)
            check(l->ops->submit(l->device, l->streams[lane], &l->op[lane][i], &err), &err);
    check(l->ops->wait(l->device, NULL, CF_WAIT_BLOCK, &err), &err);
    return (double)(cf_clock_now_ns() - begin_ns);
}

/* As in a cell: streams of its own, one untimed step, three timed ones. */
static double cell_by_hand(loop *l)
{
    cf_error err = {0};
    double walls[CF_STEPS];
    for (uint32_t lane = 0; lane < 2; lane++)
        check(l->ops->stream_open(l->device, &(cf_stream_desc){.number = lane}, &l->streams[lane], &err), &err);
    (void)step_ns(l);
    for (int i = 0; i < CF_STEPS; i++)
        walls[i] = step_ns(l);
    for (int lane = 0; lane < 2; lane++)
        l->ops->stream_close(l->device, l->streams[lane]);
    return cf_stats_median(walls, CF_STEPS);
}

static double cell_by_harness(cf_bench *bench)
{
    cf_error err = {0};
    cf_sample sample;
    cf_seen seen;
    cf_cell_proof proof;
    check(cf_cell_run(&bench->rig, 0, CF_CELL_AB, &sample, &seen, &proof, &err), &err);
    return (double)cf_sample_value_ns(sample.wall_ns);
}

static const char *text_of(const char *name)
{
    for (size_t i = 0; cf_model_builtins[i].name != NULL; i++)
        if (strcmp(cf_model_builtins[i].name, name) == 0)
            return cf_model_builtins[i].text;
    return "";
}

int main(int argc, char **argv)
{
    size_t pairs = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 200;
    cf_error err = {0};
    cf_model model = {0};
    cf_device *device = NULL;
    cf_bench bench;
    loop l;
    const char *text = text_of("copy-offload");
    check(cf_model_parse("copy-offload", text, strlen(text), &model, &err), &err);
    check(cf_device_open(&cf_device_soft, &(cf_device_config){.model = &model}, &device, &err), &err);
    cf_workload_spec spec = {
        .lane = {{.kind = CF_OP_H2D, .count = COUNT, .length = OP_NS},
                 {.kind = CF_OP_KERNEL, .count = COUNT, .length = OP_NS}},
        .batch = 1,
        .in_flight = 1,
    };
    cf_workload *workload = NULL;
    check(cf_workload_new(device, &spec, &workload, &err), &err);
    cf_bench_init(&bench, device, CF_WAIT_BLOCK, 0);
    cf_bench_add(&bench, &(cf_job_variant){.type = cf_instrument_find("none"), .where = 3, .on = 3}, workload);
    make_loop(&l, device);
    double *ratio = calloc(pairs + 1, sizeof *ratio);
    double *wall = calloc(pairs + 1, sizeof *wall);
    if (pairs < 6 || ratio == NULL || wall == NULL) {
        fprintf(stderr, "bench.harness: PAIRS: accepted: 6 or more\n");
        free(ratio);
        free(wall);
        return 2;
    }
    for (size_t i = 0; i < pairs; i++) {
        double harness_ns = i % 2 ? cell_by_harness(&bench) : 0;
        double hand_ns = cell_by_hand(&l);
        harness_ns = i % 2 ? harness_ns : cell_by_harness(&bench);
        ratio[i] = harness_ns / hand_ns;
        wall[i] = hand_ns / 1e6;
    }
    cf_interval ci = cf_stats_median_ci95(ratio, pairs);
    double median = cf_stats_median(ratio, pairs);
    printf("harness / hand-written loop, one step of %d + %d operations (%.3f ms by hand), %zu pairs\n", COUNT, COUNT,
           cf_stats_median(wall, pairs), pairs);
    printf("ratio %.4f [%.4f, %.4f]; target at most %.2f: %s\n", median, ci.low, ci.high, TARGET,
           ci.low <= TARGET ? "met" : "MISSED");
    cf_workload_free(workload);
    cf_device_close(device); /* frees the blocks of the hand-written loop with it */
    cf_model_done(&model);
    free(ratio);
    free(wall);
    return ci.low <= TARGET ? 0 : 1;
}
