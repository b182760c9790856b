/* The job reader: no text breaks it, every refusal is one line, and the text of a job that it takes (which goes into
   the record) is read again as a job with the same lanes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "run/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

static void need(bool condition)
{
    if (!condition)
        abort();
}

static cf_status read_job(const char *text, size_t size_bytes, cf_job *ret_job, cf_error *err)
{
    cf_ini ini = {0};
    cf_status status = cf_ini_parse("fuzz", text, size_bytes, &ini, err);
    if (status == CF_OK) {
        status = cf_job_from_ini(&ini, "/nonexistent", ret_job, err);
        cf_ini_done(&ini);
    }
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    cf_job job = {0}, again = {0};
    cf_error err = {0};
    const cf_status status = read_job((const char *)data, size_bytes, &job, &err);
    if (status != CF_OK) {
        need(err.text[0] && !strchr(err.text, '\n') && err.status == status);
        cf_job_done(&job);
        return 0;
    }
    need(job.variant_count > 0 && job.variant_count <= CF_MAX_VARIANTS);
    need(read_job(job.text, strlen(job.text), &again, &err) == CF_OK);
    need(again.variant_count == job.variant_count);
    for (int i = 0; i < 2; i++) {
        need(again.spec.lane[i].kind == job.spec.lane[i].kind && again.spec.lane[i].count == job.spec.lane[i].count);
        need(again.spec.lane[i].length == job.spec.lane[i].length);
    }
    cf_job_done(&again);
    cf_job_done(&job);
    return 0;
}
