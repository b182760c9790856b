/* What the simulation studies share: the noise, how effects are scored, the rates and their table, the command line.

   A study is missed (exit 1) where a target is missed beyond what chance explains: the 95 % Wilson interval of a rate
   lies above 1 %, or that of a coverage outside 93 to 97 %. */
#ifndef BENCH_STUDY_STUDY_H
#define BENCH_STUDY_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "verdict/verdict.h"

#define STUDY_TIE 1e-9 /* of a truth that lies on a threshold */

/* In the order in which things run: an iid factor of 2 %, an AR(1) of phi 0.9 and stationary SD 3 %, 3 with a
   probability of 5 %, and the drift that the caller sets. */
typedef struct study_noise {
    cf_rng rng;
    double ar, drift;
} study_noise;

double study_noisy(study_noise *noise, double value);

typedef struct study_rate {
    long hits, trials;
} study_rate;

void study_count(study_rate *rate, bool hit);

typedef struct study_effects {
    study_rate false_confounded; /* experiments in which an effect of |D| <= margin is confounded */
    study_rate false_clear;      /* experiments in which one of |D| >= margin is clear */
    study_rate missed;           /* effects that must not be missed and are not confounded in the right direction */
    study_rate covers;           /* the interval of D holds the truth */
    study_rate undecided;        /* no target: on the margin it is the right answer */
} study_effects;

/* truths: D of variants first to first + count - 1. missed_from: the least |D| that must not be missed. */
void study_score_effects(study_effects *effects, const cf_judgement *judgement, int first, int count,
                         const double *truths, double margin, double missed_from);
bool study_covers(const cf_estimate *estimate, double truth);

typedef enum study_target { AT_MOST_ONE_PERCENT, ABOUT_95_PERCENT } study_target;

/* "0.15 <0.43": the rate and the upper end of its interval, in percent; a coverage stands alone; "!" = missed. False
   where it is. */
bool study_print_rate(const study_rate *rate, study_target target);
/* The last column. */
void study_print_undecided(const study_rate *rate);

typedef struct study_program {
    const char *name; /* of the program */
    size_t settings;
    void (*print_head)(long experiments, uint64_t seed);
    /* Runs a setting and prints its row. False: out of memory. */
    bool (*run)(size_t setting, long experiments, uint64_t seed, bool *ret_holds);
} study_program;

/* main: --quick, --experiments N, --seed N. The exit status. */
int study_main(const study_program *study, int argc, char **argv);

#endif
