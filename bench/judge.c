/* Reading and judging a record of about a million raw times, the wide case of `confound judge`.

     bench.judge [RAW_TIMES [RUNS]]      RAW_TIMES: 1000000 unless given; RUNS: 3, the fastest counts

   Six variants, of which half sit on a threshold and stay undecided to the last look. Beside the seconds stands the
   ratio to reading the same file and hashing it, which no reader can do without. Exits 1 if reading and judging the
   default record takes a second or more. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/rng.h"
#include "record/file.h"
#include "verdict/verdict.h"

#define VARIANTS       6
#define TIMES_A_ROUND  ((uint64_t)VARIANTS * CF_CELL_COUNT * CF_STEPS)
#define DEFAULT_TIMES  1000000
#define LIMIT_S        1.0
#define FILE_BYTES_MAX ((size_t)4 << 30)

typedef struct bench_variant {
    const char *name;
    cf_role role;
    double overlap;
} bench_variant;

static const bench_variant variants[VARIANTS] = {
    {"none", CF_ROLE_CONTROL, 0.70},    {"none-again", CF_ROLE_REPLICA, 0.70}, {"one-queue", CF_ROLE_REFERENCE, 0},
    {"sync", CF_ROLE_INSTRUMENT, 0.80}, {"timing", CF_ROLE_INSTRUMENT, 0},     {"profiler", CF_ROLE_INSTRUMENT, 0.60},
};

static void fill_round(cf_round *round, int count, cf_rng *rng)
{
    const double a_ms = 1.6, b_ms = 2.0;
    round->order_count = count * CF_CELL_COUNT;
    for (int i = 0; i < round->order_count; i++)
        round->order[i] = i;
    cf_rng_shuffle(rng, round->order, (size_t)round->order_count);
    for (int i = 0; i < round->order_count; i++) {
        const double ms[CF_CELL_COUNT] = {a_ms, b_ms, a_ms + b_ms - variants[i / CF_CELL_COUNT].overlap * a_ms};
        for (int step = 0; step < CF_STEPS; step++) {
            cf_sample *sample = &round->samples[i];
            double factor = exp(0.03 * cf_rng_normal(rng));
            sample->wall_ns[step] = llround(ms[i % CF_CELL_COUNT] * factor * 1e6);
            sample->submit_ns[step] = 40000 + (int64_t)cf_rng_below(rng, 9000);
            sample->late_ns[step] = -1;
        }
    }
}

static bool name_things(cf_record *record)
{
    for (int v = 0; v < VARIANTS; v++) {
        cf_record_variant *variant = &record->variants[v];
        variant->name = cf_text_dup(variants[v].name);
        variant->role = variants[v].role;
        variant->armed = v < 2 ? CF_ARMED_NO : CF_ARMED_YES;
    }
    for (int lane = 0; lane < 2; lane++) {
        record->job.lane[lane].op = cf_text_dup(lane == 0 ? "h2d" : "kernel");
        record->job.lane[lane].unit = cf_text_dup("ns");
        record->job.lane[lane].count = 16;
        record->job.lane[lane].length = 100000;
    }
    record->job.name = cf_text_dup("bench");
    record->job.text = cf_text_dup("");
    record->job.wait = cf_text_dup("block");
    record->job.submit = cf_text_dup("ab");
    record->job.in_flight = 1;
    record->job.batch = 1;
    record->tool_version = cf_text_dup(CONFOUND_VERSION);
    record->tool_build = cf_text_dup("bench");
    record->created_utc = cf_text_dup("2026-01-01T00:00:00Z");
    record->device_backend = cf_text_dup("soft");
    record->device_name = cf_text_dup("bench");
    record->clock_name = cf_text_dup("CLOCK_MONOTONIC");
    record->simulated = true;
    record->data_check = CF_DATA_OK;
    record->calibration_tries = 1;
    record->host_threads = 2;
    return record->clock_name != NULL;
}

static bool make_record(cf_record *record, uint64_t rounds)
{
    cf_rng rng = {.state = 7};
    cf_record_init(record);
    record->variants = calloc(VARIANTS, sizeof *record->variants);
    if (!record->variants)
        return false;
    record->variant_count = VARIANTS;
    for (uint64_t i = 0; i < 24 + rounds; i++) {
        cf_rounds *list = i < 24 ? &record->prologue : &record->rounds;
        cf_round *round = cf_rounds_add(list, i < 24 ? 1 : VARIANTS);
        if (!round)
            return false;
        round->number = (int64_t)list->count;
        fill_round(round, i < 24 ? 1 : VARIANTS, &rng);
    }
    record->max_rounds = (int64_t)rounds;
    return name_things(record);
}

typedef struct bench_times {
    double bytes_s, read_s, judge_s, print_s;
} bench_times;

static double seconds_since(uint64_t *begin_ns)
{
    uint64_t now_ns = cf_clock_now_ns();
    double seconds = (double)(now_ns - *begin_ns) * 1e-9;
    *begin_ns = now_ns;
    return seconds;
}

static void keep_fastest(bench_times *best, const bench_times *now)
{
    best->bytes_s = fmin(best->bytes_s, now->bytes_s);
    best->read_s = fmin(best->read_s, now->read_s);
    best->judge_s = fmin(best->judge_s, now->judge_s);
    best->print_s = fmin(best->print_s, now->print_s);
}

static cf_status time_bytes(const char *path, bench_times *ret, cf_error *err)
{
    char *data = NULL, hash[CF_HASH_TEXT_BYTES];
    size_t size_bytes = 0;
    uint64_t begin_ns = cf_clock_now_ns();
    cf_status status = cf_file_read(path, FILE_BYTES_MAX, &data, &size_bytes, err);
    if (status == CF_OK)
        cf_hash_sha256(data, size_bytes, hash);
    ret->bytes_s = seconds_since(&begin_ns);
    free(data);
    return status;
}

static cf_status time_judging(const char *path, bench_times *ret, cf_error *err)
{
    cf_record record;
    cf_judgement judgement;
    cf_text text = {0};
    char hash[CF_HASH_TEXT_BYTES];
    uint64_t begin_ns = cf_clock_now_ns();
    cf_status status = cf_record_read(path, &record, hash, err);
    if (status != CF_OK)
        return status;
    ret->read_s = seconds_since(&begin_ns);
    status = cf_judge(&record, hash, NULL, &judgement, err);
    ret->judge_s = seconds_since(&begin_ns);
    if (status == CF_OK) {
        status = cf_judgement_print(&record, &judgement, &text, err);
        ret->print_s = seconds_since(&begin_ns);
        cf_judgement_done(&judgement);
    }
    cf_text_done(&text);
    cf_record_done(&record);
    return status;
}

static cf_status measure(const char *path, uint64_t rounds, uint64_t runs, bench_times *best, cf_error *err)
{
    char hash[CF_HASH_TEXT_BYTES];
    cf_record record;
    cf_status status = make_record(&record, rounds) ? cf_record_write(path, &record, hash, err)
                                                    : cf_error_set(err, CF_MEMORY, "out of memory");
    cf_record_done(&record);
    *best = (bench_times){INFINITY, INFINITY, INFINITY, INFINITY};
    for (uint64_t i = 0; status == CF_OK && i < runs; i++) {
        bench_times now = {0};
        status = time_bytes(path, &now, err);
        if (status == CF_OK)
            status = time_judging(path, &now, err);
        keep_fastest(best, &now);
    }
    return status;
}

int main(int argc, char **argv)
{
    uint64_t times = DEFAULT_TIMES, runs = 3;
    char path[] = "/tmp/bench.judge.XXXXXX";
    bool usable = (argc < 2 || cf_text_parse_u64(argv[1], TIMES_A_ROUND, 100000000, &times)) &&
                  (argc < 3 || cf_text_parse_u64(argv[2], 1, 1000, &runs)) && argc <= 3;
    if (!usable) {
        (void)fprintf(stderr, "usage: bench.judge [RAW_TIMES [RUNS]]\n");
        return 2;
    }
    int file = mkstemp(path);
    if (file < 0) {
        perror(path);
        return 5;
    }
    (void)close(file);
    uint64_t rounds = (times + TIMES_A_ROUND - 1) / TIMES_A_ROUND;
    bench_times best;
    cf_error err = {.status = CF_OK};
    cf_status status = measure(path, rounds, runs, &best, &err);
    (void)unlink(path);
    if (status != CF_OK) {
        (void)fprintf(stderr, "bench.judge: %s\n", err.text);
        return cf_status_exit(status);
    }
    double total_s = best.read_s + best.judge_s + best.print_s;
    printf("%" PRIu64 " raw times in %" PRIu64 " rounds of %d variants\n", rounds * TIMES_A_ROUND, rounds, VARIANTS);
    printf("  bytes and SHA-256   %.3f s\n", best.bytes_s);
    printf("  read the record     %.3f s   (with its SHA-256)\n", best.read_s);
    printf("  judge               %.3f s\n", best.judge_s);
    printf("  print               %.3f s\n", best.print_s);
    printf("  read, judge, print  %.3f s   %.1f times the bytes and their hash\n", total_s, total_s / best.bytes_s);
    return times == DEFAULT_TIMES && total_s >= LIMIT_S ? 1 : 0;
}
