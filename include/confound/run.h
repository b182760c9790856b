/* Runs the experiment on a modelled device: a job as INI text (docs/jobs.md) in, a record out. */
#ifndef CONFOUND_RUN_H
#define CONFOUND_RUN_H

#include <stdint.h>

#include "confound/confound.h"
#include "confound/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How to run; each setter copies what it is given. Free with confound_options_free. */
typedef struct confound_options confound_options;

CONFOUND_API confound_status confound_options_new(confound_options **ret_options,
                                                  confound_error *err) CONFOUND_MUST_CHECK;
CONFOUND_API void confound_options_free(confound_options *options);

/* The device, by its name in `confound devices` ("soft", "cuda:0"); takes the place of the job's. CONFOUND_NO_DEVICE,
   CONFOUND_INPUT. */
CONFOUND_API confound_status confound_options_set_device(confound_options *options, const char *name,
                                                         confound_error *err) CONFOUND_MUST_CHECK;
/* One value of the job, "SECTION.KEY=VALUE" ("lane.a.count=4"), applied in the order of the calls. CONFOUND_INPUT for
   what has not that form; whether the job takes it is seen by confound_run_job. */
CONFOUND_API confound_status confound_options_set_value(confound_options *options, const char *assignment,
                                                        confound_error *err) CONFOUND_MUST_CHECK;
/* Seed of the order and of the model's noise, below 2^53; without one, a fresh one is taken. CONFOUND_INPUT. */
CONFOUND_API confound_status confound_options_set_seed(confound_options *options, uint64_t seed,
                                                       confound_error *err) CONFOUND_MUST_CHECK;
/* A file that takes each round as it ends, so that none is lost. The caller removes it. NULL = none. */
CONFOUND_API confound_status confound_options_set_part_path(confound_options *options, const char *path,
                                                            confound_error *err) CONFOUND_MUST_CHECK;

/* A second job, as INI text: another design of the same work, measured on the first one's device with no instrument, as
   the variant `against`; the judgement's member `against` says whether it pays. Lengths that it leaves out are the
   first's. What is wrong with it is seen by confound_run_job. NULL = none. */
CONFOUND_API confound_status confound_options_set_against(confound_options *options, const char *job_ini,
                                                          confound_error *err) CONFOUND_MUST_CHECK;
/* Margin of equivalence, 0.001 to 0.999 (0.10 without one); error rate of a family, above 0 to 0.5 (0.01); rounds that
   are measured at least and at most, 1 to 1000000 (12 and 120). CONFOUND_INPUT. */
CONFOUND_API confound_status confound_options_set_margin(confound_options *options, double margin,
                                                         confound_error *err) CONFOUND_MUST_CHECK;
CONFOUND_API confound_status confound_options_set_alpha(confound_options *options, double alpha,
                                                        confound_error *err) CONFOUND_MUST_CHECK;
CONFOUND_API confound_status confound_options_set_rounds(confound_options *options, int64_t min_rounds,
                                                         int64_t max_rounds, confound_error *err) CONFOUND_MUST_CHECK;

/* What is asked is whether the control's overlap is above this (confound_judge_overlap): the run ends when that and
   every instrument's effect are decided, and does not wait for the readings. Above 0 and below 1. CONFOUND_INPUT. */
CONFOUND_API confound_status confound_options_set_at_least(confound_options *options, double at_least,
                                                           confound_error *err) CONFOUND_MUST_CHECK;

/* Called before each round and after the last, outside every clock, from the thread that runs. phase: "calibrate",
   "prologue", "warm-up" or "rounds", of which done of at most `most` are through. Anything but 0 ends the run when the
   round that begins now is through; the record then holds what there is. */
typedef int confound_progress_fn(void *user, const char *phase, int64_t done, int64_t most);
CONFOUND_API void confound_options_set_progress(confound_options *options, confound_progress_fn *progress, void *user);

/* Asked before each round, outside every clock. Anything but 0 ends the run there; the record then holds what there is.
 */
typedef int confound_cancel_fn(void *user);
CONFOUND_API void confound_options_set_cancel(confound_options *options, confound_cancel_fn *cancel, void *user);

/* Several ranks that must act together. Each runs the experiment with the same seed and the same options, and agree
   makes one number of all the ranks' own: it is called on every rank at the same places, in the same order, outside
   every clock. Returns the common number, or one below 0 to end the run, which the other ranks cannot know. A seed is
   needed. */
typedef enum confound_agree {
    CONFOUND_AGREE_DECIDED = 0, /* 1 = this rank has nothing left to measure for; common: the least */
    CONFOUND_AGREE_END = 1,     /* 1 = this rank must end, as cancel or progress asked; common: the greatest */
    CONFOUND_AGREE_WALL_NS = 2  /* a wall that lengths are calibrated by; common: the greatest */
} confound_agree;
typedef int64_t confound_agree_fn(void *user, confound_agree what, int64_t own);
CONFOUND_API void confound_options_set_agree(confound_options *options, confound_agree_fn *agree, void *user);

/* Runs the job until the verdict is decided or the job's rounds are used up. job_ini: the text of a job file; a model
   that it names is built in, or a file. options: NULL = none. Blocks for as long as that takes (about 10 s on `soft`).
   CONFOUND_INPUT, CONFOUND_NO_DEVICE, CONFOUND_UNSUPPORTED, CONFOUND_DEVICE, CONFOUND_IO (the part file),
   CONFOUND_MEMORY. Free the record with confound_record_free. */
CONFOUND_API confound_status confound_run_job(const char *job_ini, const confound_options *options,
                                              confound_record **ret_record, confound_error *err) CONFOUND_MUST_CHECK;

/* Goes on with a run that ended before it was decided: path is its record, or its part file, which is then written on
   where the options name it too. Prologue and warm-up are measured anew; job, seed and lengths are the record's. Of the
   options rounds, the part file, progress, cancel and a device of one's own count, and anything else is CONFOUND_INPUT.
   A run of steps cannot be resumed. Otherwise as confound_run_job. */
CONFOUND_API confound_status confound_run_resume(const char *path, const confound_options *options,
                                                 confound_record **ret_record, confound_error *err) CONFOUND_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
