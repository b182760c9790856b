/* What the experiment's statistics hold to, by simulation: noisy experiments as records in memory, judged by the code
   of `judge`, against truths that are known because they were put in.

     bench.study [--quick] [--experiments N] [--seed N]      N experiments a setting, 2000 unless given; quick: 200

   Noise, in the order in which the steps run (docs/method.md): every step's wall is multiplied by an iid factor of 2 %,
   by an AR(1) of phi 0.9 and stationary SD 3 %, by 3 with a probability of 5 %, and by a linear drift of 10 % over the
   run. A round is every cell of every variant in random order, a cell one untimed step and three timed ones.

   Exits 1 if a target is missed beyond what chance explains: the 95 % Wilson interval of a rate lies above 1 %, or that
   of a coverage outside 93 to 97 %. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "base/text.h"
#include "bench/study/study.h"

#define ROUNDS          120
#define PROLOGUE_ROUNDS 24
#define INSTRUMENTS_MAX 5
#define VARIANTS_MAX    (INSTRUMENTS_MAX + 3)
#define MARGIN          0.10
#define MISSED_FROM     0.20 /* a difference as large as this must not be missed */
#define LONGER_MS       20.0

enum { NONE, AGAIN, ONE_QUEUE, FIRST_INSTRUMENT };

typedef struct study_setting {
    const char *name;
    double balance; /* shorter lane a / longer lane b */
    double control; /* true O without an instrument */
    int instruments;
    double delta[INSTRUMENTS_MAX]; /* true D of each */
    double slower;                 /* factor on every wall of the instruments; 0 = 1 */
} study_setting;

static const study_setting settings[] = {
    {"overlapping, no effect", 0.8, 1.00, 1, {0}, 0},
    {"overlapping, no effect", 0.8, 1.00, 3, {0}, 0},
    {"overlapping, no effect", 0.8, 1.00, 5, {0}, 0},
    {"half, no effect", 0.8, 0.50, 2, {0}, 0},
    {"serial, no effect", 0.8, 0.00, 2, {0}, 0},
    {"equal lanes, no effect", 1.0, 1.00, 2, {0}, 0},
    {"half a lane, no effect", 0.5, 1.00, 2, {0}, 0},
    {"slower by 1.3, harmless", 0.8, 1.00, 2, {0}, 1.3},
    {"D = -margin", 0.8, 1.00, 1, {-0.1}, 0},
    {"D = -margin", 0.8, 1.00, 5, {-0.1, -0.1, -0.1, -0.1, -0.1}, 0},
    {"D = +margin", 0.8, 0.50, 1, {0.1}, 0},
    {"D = -margin, serial", 0.8, 0.10, 1, {-0.1}, 0},
    {"D = -margin, equal lanes", 1.0, 1.00, 2, {-0.1, -0.1}, 0},
    {"D = -margin, half a lane", 0.5, 1.00, 2, {-0.1, -0.1}, 0},
    {"D = +-margin, both", 0.8, 0.50, 2, {-0.1, 0.1}, 0},
    {"D = -0.2", 0.8, 1.00, 1, {-0.2}, 0},
    {"D = -0.2", 0.8, 1.00, 5, {-0.2, -0.2, -0.2, -0.2, -0.2}, 0},
    {"D = -0.2 beside four of 0", 0.8, 1.00, 5, {-0.2, 0, 0, 0, 0}, 0},
    {"D = +0.2", 0.8, 0.50, 1, {0.2}, 0},
    {"D = -0.2, serial", 0.8, 0.20, 1, {-0.2}, 0},
    {"D = -0.2, equal lanes", 1.0, 1.00, 2, {-0.2, -0.2}, 0},
    {"D = -0.2, half a lane", 0.5, 1.00, 1, {-0.2}, 0},
    {"D = -0.9", 0.8, 1.00, 2, {-0.9, -0.9}, 0},
    {"D = +0.9", 0.8, 0.05, 2, {0.9, 0.9}, 0},
    {"O = 0.30", 0.8, 0.30, 2, {0}, 0},
    {"O = 0.70", 0.8, 0.70, 2, {0}, 0},
    {"O = 0.30, equal lanes", 1.0, 0.30, 2, {0}, 0},
    {"O = 0.70, half a lane", 0.5, 0.70, 2, {0}, 0},
    {"O = 0.30, half a lane", 0.5, 0.30, 2, {0}, 0},
};
#define SETTINGS (sizeof settings / sizeof settings[0])

typedef struct study_result {
    study_effects effects;     /* of the instruments */
    study_rate wrong_reading;  /* readings decided and wrong: control and instruments */
    study_rate set_aside;      /* experiments judged invalid or sticky */
    study_rate covers_overlap; /* the interval of O holds the truth */
} study_result;

/* ---- making an experiment ---- */

typedef struct study_truth {
    double overlap, ms[CF_CELL_COUNT];
} study_truth;

static study_truth truth_of(const study_setting *setting, int variant)
{
    double overlap = setting->control, slower = 1;
    if (variant == ONE_QUEUE)
        overlap = 0;
    if (variant >= FIRST_INSTRUMENT) {
        overlap += setting->delta[variant - FIRST_INSTRUMENT];
        slower = setting->slower > 0 ? setting->slower : 1;
    }
    double a = LONGER_MS * setting->balance * slower, b = LONGER_MS * slower;
    return (study_truth){.overlap = overlap, .ms = {a, b, a + b - overlap * a}};
}

static void run_cell(cf_round *round, int variant, cf_cell cell, const study_truth *truth, study_noise *noise)
{
    cf_sample *sample = &round->samples[variant * CF_CELL_COUNT + (int)cell];
    (void)study_noisy(noise, truth->ms[cell]); /* the untimed step */
    for (int i = 0; i < CF_STEPS; i++)
        sample->wall_ns[i] = llround(study_noisy(noise, truth->ms[cell]) * 1e6);
}

static void run_round(cf_round *round, int variants, const study_truth *truths, study_noise *noise)
{
    for (int i = 0; i < variants * CF_CELL_COUNT; i++)
        round->order[i] = i;
    cf_rng_shuffle(&noise->rng, round->order, (size_t)variants * CF_CELL_COUNT);
    for (int i = 0; i < variants * CF_CELL_COUNT; i++)
        run_cell(round, round->order[i] / CF_CELL_COUNT, (cf_cell)(round->order[i] % CF_CELL_COUNT),
                 &truths[round->order[i] / CF_CELL_COUNT], noise);
}

static void run_experiment(cf_record *record, const study_truth *truths, uint64_t seed)
{
    study_noise noise = {.rng = {.state = seed}};
    for (size_t i = 0; i < record->prologue.count; i++)
        run_round(&record->prologue.items[i], 1, truths, &noise);
    for (size_t i = 0; i < record->rounds.count; i++) {
        noise.drift = 0.1 * (double)i / (double)record->rounds.count;
        run_round(&record->rounds.items[i], record->variant_count, truths, &noise);
    }
}

static bool name_variants(cf_record *record)
{
    static const cf_role roles[] = {
        [NONE] = CF_ROLE_CONTROL, [AGAIN] = CF_ROLE_REPLICA, [ONE_QUEUE] = CF_ROLE_REFERENCE};
    for (int v = 0; v < record->variant_count; v++) {
        cf_record_variant *variant = &record->variants[v];
        variant->name = cf_text_format("variant %d", v);
        variant->role = v < FIRST_INSTRUMENT ? roles[v] : CF_ROLE_INSTRUMENT;
        variant->armed = v <= AGAIN ? CF_ARMED_NO : CF_ARMED_YES;
        if (!variant->name)
            return false;
    }
    return true;
}

/* The record that every experiment of a setting fills anew. */
static bool make_record(cf_record *record, int variants)
{
    cf_record_init(record);
    record->variants = calloc((size_t)variants, sizeof *record->variants);
    if (!record->variants)
        return false;
    record->variant_count = variants;
    record->job.in_flight = 1;
    record->job.lane[0].count = record->job.lane[1].count = 16;
    record->data_check = CF_DATA_OK;
    for (int i = 0; i < PROLOGUE_ROUNDS; i++)
        if (!cf_rounds_add(&record->prologue, 1))
            return false;
    for (int i = 0; i < ROUNDS; i++)
        if (!cf_rounds_add(&record->rounds, variants))
            return false;
    return name_variants(record);
}

/* ---- scoring a judgement ---- */

/* On a threshold every decided reading is wrong. */
static bool is_wrong(cf_reading reading, double overlap)
{
    switch (reading) {
    case CF_READING_SERIALISES:
        return overlap > 0.3 - STUDY_TIE;
    case CF_READING_PARTIAL:
        return overlap < 0.3 + STUDY_TIE || overlap > 0.7 - STUDY_TIE;
    case CF_READING_OVERLAPS:
        return overlap < 0.7 + STUDY_TIE;
    default:
        return false;
    }
}

static void score(study_result *result, const study_setting *setting, const study_truth *truths,
                  const cf_judgement *judgement)
{
    study_count(&result->set_aside, !judgement->valid || judgement->sticky);
    for (int v = 0; v < judgement->variant_count; v++) {
        if (v == AGAIN || v == ONE_QUEUE)
            continue;
        study_count(&result->wrong_reading, is_wrong(judgement->variants[v].reading, truths[v].overlap));
        study_count(&result->covers_overlap, study_covers(&judgement->variants[v].overlap, truths[v].overlap));
    }
    study_score_effects(&result->effects, judgement, FIRST_INSTRUMENT, setting->instruments, setting->delta, MARGIN,
                        MISSED_FROM);
}

static bool run_setting(const study_setting *setting, long experiments, uint64_t seed, study_result *result)
{
    int variants = FIRST_INSTRUMENT + setting->instruments;
    study_truth truths[VARIANTS_MAX] = {{0}};
    cf_rng seeds = {.state = seed};
    cf_record record;
    cf_error err = {.status = CF_OK};
    bool ready = make_record(&record, variants);
    for (int v = 0; v < variants; v++)
        truths[v] = truth_of(setting, v);
    for (long i = 0; ready && i < experiments; i++) {
        cf_judgement judgement;
        run_experiment(&record, truths, cf_rng_next(&seeds));
        ready = cf_judge(&record, NULL, NULL, &judgement, &err) == CF_OK;
        if (ready) {
            score(result, setting, truths, &judgement);
            cf_judgement_done(&judgement);
        }
    }
    cf_record_done(&record);
    return ready;
}

/* ---- the table ---- */

static bool print_row(const study_setting *setting, const study_result *result)
{
    bool ok = true;
    printf("%-26s %d", setting->name, setting->instruments);
    ok &= study_print_rate(&result->effects.false_confounded, AT_MOST_ONE_PERCENT);
    ok &= study_print_rate(&result->effects.false_clear, AT_MOST_ONE_PERCENT);
    ok &= study_print_rate(&result->effects.missed, AT_MOST_ONE_PERCENT);
    ok &= study_print_rate(&result->wrong_reading, AT_MOST_ONE_PERCENT);
    ok &= study_print_rate(&result->set_aside, AT_MOST_ONE_PERCENT);
    ok &= study_print_rate(&result->covers_overlap, ABOUT_95_PERCENT);
    ok &= study_print_rate(&result->effects.covers, ABOUT_95_PERCENT);
    study_print_undecided(&result->effects.undecided);
    return ok;
}

static void print_head(long experiments, uint64_t seed)
{
    printf("%ld experiments a setting, %d rounds each, seed %llu; percent, and the upper end of the 95 %% interval\n",
           experiments, ROUNDS, (unsigned long long)seed);
    printf("targets: rates at most 1, coverage 93 to 97; a rate missed beyond chance carries a !\n\n");
    printf("%-26s m  %11s  %11s  %11s  %11s  %11s  %6s  %6s  %5s\n", "setting", "false", "false", "missed", "wrong",
           "invalid", "covers", "covers", "un-");
    printf("%-26s    %11s  %11s  %11s  %11s  %11s  %6s  %6s  %5s\n", "", "confounded", "clear", "", "reading",
           "or sticky", "O", "D", "dec.");
}

static bool run(size_t setting, long experiments, uint64_t seed, bool *ret_holds)
{
    study_result result = {.wrong_reading = {0}};
    if (!run_setting(&settings[setting], experiments, seed, &result))
        return false;
    *ret_holds = print_row(&settings[setting], &result);
    return true;
}

int main(int argc, char **argv)
{
    static const study_program lanes = {"bench.study", SETTINGS, print_head, run};
    return study_main(&lanes, argc, argv);
}
