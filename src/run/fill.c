#include "run/fill.h"

#include <stdlib.h>

#include "base/text.h"
#include "run/facts.h"

cf_status cf_fill_job(cf_record_job *record_job, const cf_job *job, const cf_workload_spec *measured, cf_error *err)
{
    cf_status status = cf_text_put_copy(&record_job->name, job->name, err);
    if (status == CF_OK)
        status = cf_text_put_copy(&record_job->text, job->text, err);
    for (int i = 0; i < 2 && status == CF_OK; i++) {
        const cf_lane_spec *lane = &measured->lane[i];
        record_job->lane[i].count = lane->count;
        record_job->lane[i].length = (int64_t)lane->length;
        record_job->lane[i].given = lane->given;
        status = cf_text_put_copy(&record_job->lane[i].op, cf_op_names[lane->kind], err);
        if (status == CF_OK)
            status = cf_text_put_copy(&record_job->lane[i].unit, cf_unit_names[lane->unit], err);
    }
    record_job->depends = measured->depends;
    record_job->in_flight = measured->in_flight;
    record_job->prefetch = measured->prefetch;
    record_job->batch = measured->batch;
    if (status == CF_OK)
        status = cf_text_put_copy(&record_job->wait, cf_wait_names[job->wait], err);
    return status == CF_OK ? cf_text_put_copy(&record_job->submit, cf_submit_names[measured->submit], err) : status;
}

cf_status cf_fill_variants(cf_record *record, const cf_job_variant *variants, int count, const cf_device_info *info,
                           const char *against, cf_error *err)
{
    record->variants = calloc((size_t)count, sizeof *record->variants);
    if (record->variants == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    record->variant_count = count;
    for (int i = 0; i < count; i++) {
        cf_record_variant *v = &record->variants[i];
        const cf_instrument_type *type = variants[i].type;
        bool second = against != NULL && i == count - 1;
        v->role = second ? CF_ROLE_DESIGN : type->role;
        v->job = second;
        v->process_only = type->process_only != NULL;
        cf_status status = cf_text_put_copy(&v->name, second ? against : type->name, err);
        if (status == CF_OK && type->records && !cf_instrument_on_operations(type, info))
            status = cf_text_put_copy(&v->where, cf_where_names[variants[i].where - 1], err);
        if (status == CF_OK && type->records)
            status = cf_text_put_copy(&v->on, cf_on_names[variants[i].on - 1], err);
        if (status == CF_OK && type->process_only != NULL)
            status = cf_text_put_copy(&v->process_why, type->process_only, err);
        if (status != CF_OK)
            return status;
    }
    return CF_OK;
}

static cf_status prove_nothing(cf_record_variant *v, bool stray, bool simulated, cf_error *err)
{
    const char *injection = simulated ? NULL : cf_facts_injection();
    if (stray) {
        v->armed = CF_ARMED_YES;
        return cf_text_put_copy(&v->armed_how, "an instrument object was alive", err);
    }
    if (injection != NULL) {
        v->armed = CF_ARMED_NOTHING;
        return cf_text_put(&v->armed_how, cf_text_format("%s is set: something may be observing", injection), err);
    }
    v->armed = CF_ARMED_NO;
    return cf_text_put_copy(&v->armed_how, "no instrument object alive, no injection variable set", err);
}

cf_status cf_fill_proof(cf_record_variant *v, const cf_job_variant *variant, bool stray, bool simulated, cf_error *err)
{
    if (v->role == CF_ROLE_CONTROL || v->role == CF_ROLE_REPLICA || v->role == CF_ROLE_DESIGN)
        return prove_nothing(v, stray, simulated, err);
    if (variant->type->proof == NULL) {
        v->armed = CF_ARMED_NOTHING;
        return CF_OK;
    }
    v->armed = v->armed_expected > 0 && v->armed_count == v->armed_expected ? CF_ARMED_YES : CF_ARMED_NO;
    return cf_text_put(&v->armed_how,
                       cf_text_format("%lld of %lld %s", (long long)v->armed_count, (long long)v->armed_expected,
                                      variant->type->proof),
                       err);
}

cf_status cf_fill_data_check(cf_record *record, const cf_rig *rig, bool moves, bool computes, cf_error *err)
{
    if (record->data_check == CF_DATA_WRONG)
        return CF_OK; /* of an earlier process */
    if (rig->data_wrong) {
        record->data_check = CF_DATA_WRONG;
        return cf_text_put_copy(&record->data_check_text, rig->data_text, err);
    }
    if (moves && computes) {
        record->data_check = CF_DATA_OK;
        return CF_OK;
    }
    record->data_check = CF_DATA_UNSUPPORTED;
    const char *what = moves ? "kernels are not computed here: only copies were checked"
                             : "nothing is moved or computed here: no results to check";
    return cf_text_put_copy(&record->data_check_text, what, err);
}
