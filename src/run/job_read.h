/* What the readers of a job's keys share. */
#ifndef CF_RUN_JOB_READ_H
#define CF_RUN_JOB_READ_H

#include "run/job.h"

typedef struct cf_job_reader {
    const cf_ini *ini;
    const cf_ini_item *item; /* being read */
    cf_job *job;
    cf_error *err;
} cf_job_reader;

/* "FILE:LINE: [section] key = value; accepted: …", INPUT. */
cf_status cf_job_refuse(cf_job_reader *r, const char *accepted);
/* The item of [device] at hand: some backend must know it and take its value; which one runs the job is not settled
   yet. */
cf_status cf_job_read_setting(cf_job_reader *r) CF_MUST_CHECK;

#endif
