/* A job: what runs on which device, under which instruments, with which settings. INI; docs/jobs.md has every key. */
#ifndef CF_RUN_JOB_H
#define CF_RUN_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/ini.h"
#include "device/device.h"
#include "instrument/instrument.h"
#include "model/model.h"
#include "workload/workload.h"

typedef struct cf_job_variant {
    const cf_instrument_type *type;
    unsigned where, on; /* CF_WHERE_…, CF_ON_… */
} cf_job_variant;

typedef struct cf_job {
    char *name;        /* of the file, or built-in */
    char *text;        /* INI again, with all that was set on the command line */
    char *device;      /* NULL = not named */
    cf_pairs settings; /* of [device]: known to some backend; cf_job_check_device asks the one that is chosen */
    cf_model model;
    cf_workload_spec spec; /* a lane's length is 0 where it was left out, and its unit is then the device's */
    cf_wait wait;
    int variant_count; /* none first, the reference last */
    cf_job_variant variants[CF_MAX_VARIANTS];
    double margin;
    uint32_t min_rounds, max_rounds;
    bool has_seed;
    uint64_t seed;
} cf_job;

/* Reads a job. folder is where a model's file is looked for after the current one; may be NULL. INPUT with
   "FILE:LINE: what was wrong; what is accepted". ret_job: the caller frees with cf_job_done, also after a failure. */
cf_status cf_job_from_ini(const cf_ini *ini, const char *folder, cf_job *ret_job, cf_error *err) CF_MUST_CHECK;
void cf_job_done(cf_job *job);
/* INPUT when backend does not take one of the job's [device] settings; UNSUPPORTED when it does not offer one of the
   instruments. */
cf_status cf_job_check_device(const cf_job *job, const cf_device_ops *backend, cf_error *err) CF_MUST_CHECK;

/* The sections of a job that are not a model's, NULL-terminated; for messages. */
extern const char *const cf_job_sections[];

#endif
