/* The order of the experiment: prologue, warm-up, rounds; each round is safe on disk before the next. */
#ifndef CF_RUN_SCHEDULE_H
#define CF_RUN_SCHEDULE_H

#include "base/rng.h"
#include "run/rig.h"
#include "run/run.h"

typedef struct cf_schedule {
    cf_rig *rig;
    cf_record *record; /* described: its variants are the rig's */
    const cf_run_callbacks *callbacks;
    const char *part_path; /* NULL = none */
    bool resume;           /* record has rounds of an earlier process */
    int process;
    uint64_t own_seed; /* of this process */
    cf_rng rng[2];     /* of the rounds, and of what goes before them */
} cf_schedule;

/* Sets all but rig, callbacks and part_path. seed: of the whole record. */
void cf_schedule_init(cf_schedule *schedule, cf_record *record, uint64_t seed, bool resume);
/* Progress, outside every clock. */
void cf_schedule_tell(cf_schedule *schedule, cf_phase phase, int64_t done, int64_t most);
/* On failure the record keeps every whole round. */
cf_status cf_schedule_run(cf_schedule *schedule, cf_error *err) CF_MUST_CHECK;

#endif
