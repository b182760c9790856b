/* The rig of a job: a workload on a device, with each variant's instrument around it. */
#ifndef CF_RUN_BENCH_H
#define CF_RUN_BENCH_H

#include "device/device.h"
#include "run/job.h"
#include "run/rig.h"
#include "workload/workload.h"

typedef struct cf_bench_trial { /* a variant as it is run */
    cf_job_variant variant;
    cf_workload *workload; /* borrowed */
} cf_bench_trial;

typedef struct cf_bench {
    cf_rig rig;
    cf_device *device; /* the bottom one; borrowed */
    cf_device_info info;
    cf_wait wait;
    uint64_t nonce; /* of the first window; even */
    int count;
    cf_bench_trial trials[CF_MAX_VARIANTS];
    /* The variant that is open: the device on top and the streams that go through it. */
    int open;
    cf_device *top;
    cf_device *instrument; /* NULL where nothing is wrapped */
    cf_stream *streams[2];
    cf_instrument_config config;
} cf_bench;

/* On an open device. The first trial that is added is the control, and the one that is calibrated. */
void cf_bench_init(cf_bench *bench, cf_device *device, cf_wait wait, uint64_t nonce);
void cf_bench_add(cf_bench *bench, const cf_job_variant *variant, cf_workload *workload);

/* The job's workload with a unit and a first length for every lane that leaves its length out. */
void cf_bench_spec(const cf_device_info *info, const cf_workload_spec *wanted, cf_workload_spec *ret_spec);

#endif
