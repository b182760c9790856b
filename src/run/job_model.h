/* Which model a job runs on: named, a file, or in the job itself. */
#ifndef CF_RUN_JOB_MODEL_H
#define CF_RUN_JOB_MODEL_H

#include "run/job.h"

/* Reads the job's model: the one that [job] model names (built in, or a file), else the job's own [engine …] sections,
   else `copy-offload`; other sections of a model in the job change it. Checks that the model can run both lanes. */
cf_status cf_job_model_read(const cf_ini *ini, const char *folder, cf_job *job, cf_error *err) CF_MUST_CHECK;

#endif
