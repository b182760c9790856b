/* What a run writes into the record beside times: the job, the variants, their proofs, the data check. */
#ifndef CF_RUN_FILL_H
#define CF_RUN_FILL_H

#include "run/job.h"
#include "run/rig.h"
#include "workload/workload.h"

cf_status cf_fill_job(cf_record_job *record_job, const cf_job *job, const cf_workload_spec *measured,
                      cf_error *err) CF_MUST_CHECK;
/* info: of the device that they run on; events that are an operation's own have no side. against: name of the last
 * variant, which is the second job's control; NULL if there is none. */
cf_status cf_fill_variants(cf_record *record, const cf_job_variant *variants, int count, const cf_device_info *info,
                           const char *against, cf_error *err) CF_MUST_CHECK;
/* Sets armed and armed_how from what was owed and shown so far. stray: an instrument was alive in a control's cell. */
cf_status cf_fill_proof(cf_record_variant *record_variant, const cf_job_variant *variant, bool stray, bool simulated,
                        cf_error *err) CF_MUST_CHECK;
/* moves, computes: what of the data was really there to be checked. */
cf_status cf_fill_data_check(cf_record *record, const cf_rig *rig, bool moves, bool computes,
                             cf_error *err) CF_MUST_CHECK;

#endif
