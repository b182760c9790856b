/* A job on a device: what is measured and described, before the schedule runs it. */
#include "run/run.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "run/bench.h"
#include "run/calibrate.h"
#include "run/facts.h"
#include "run/fill.h"
#include "run/schedule.h"
#include "run/spans.h"

typedef struct run {
    const cf_run_options *options;
    cf_record *record;
    cf_bench bench;
    cf_schedule schedule;
    cf_workload *workloads[2];
} run;

/* The control, added before the others, is what is calibrated. */
static void add_control(run *r)
{
    cf_bench_add(&r->bench, &r->options->job->variants[0], r->workloads[0]);
}

static void add_others(run *r)
{
    const cf_job *job = r->options->job;
    for (int i = 1; i < job->variant_count; i++)
        cf_bench_add(&r->bench, &job->variants[i], r->workloads[0]);
    if (r->workloads[1] != NULL)
        cf_bench_add(&r->bench, &job->variants[0], r->workloads[1]);
}

/* Where the second job leaves a length out, its lane does the first one's work in all: the designs differ, not the
   amount. */
static void share_work(const cf_workload_spec *first, cf_workload_spec *second)
{
    for (int i = 0; i < 2; i++) {
        const cf_lane_spec *from = &first->lane[i];
        cf_lane_spec *to = &second->lane[i];
        if (to->given || to->kind != from->kind)
            continue;
        to->unit = from->unit;
        to->length = from->length * from->count / to->count;
        to->length = to->length > 0 ? to->length : 1;
    }
}

static cf_status make_against(run *r, cf_error *err)
{
    if (r->options->against == NULL)
        return CF_OK;
    cf_workload_spec spec;
    cf_bench_spec(&r->bench.info, &r->options->against->spec, &spec);
    share_work(cf_workload_spec_of(r->workloads[0]), &spec);
    cf_status status = cf_workload_new(r->bench.device, &spec, &r->workloads[1], err);
    if (status != CF_OK)
        (void)cf_error_prefix(err, "%s", r->options->against->name);
    return status;
}

/* A resumed run goes on with the lengths that were measured before. */
static void reuse_lengths(const cf_record_job *job, cf_workload_spec *spec)
{
    for (int i = 0; i < 2; i++) {
        int unit = cf_text_find(cf_unit_names, job->lane[i].unit);
        spec->lane[i].unit = unit >= 0 ? (cf_unit)unit : spec->lane[i].unit;
        spec->lane[i].length = (uint64_t)job->lane[i].length;
    }
}

static cf_status describe(run *r, cf_error *err)
{
    cf_record *record = r->record;
    const cf_run_options *o = r->options;
    cf_status status = cf_fill_job(&record->job, o->job, cf_workload_spec_of(r->workloads[0]), err);
    if (status == CF_OK && o->against != NULL) {
        record->has_against = true;
        status = cf_fill_job(&record->against, o->against, cf_workload_spec_of(r->workloads[1]), err);
    }
    cf_job_variant variants[CF_MAX_VARIANTS];
    for (int i = 0; i < r->bench.count; i++)
        variants[i] = r->bench.trials[i].variant;
    if (status == CF_OK)
        status = cf_fill_variants(record, variants, r->bench.count, &r->bench.info,
                                  o->against != NULL ? CF_RUN_AGAINST_NAME : NULL, err);
    return status;
}

static cf_status fill_facts(run *r, cf_error *err)
{
    cf_record *record = r->record;
    const cf_job *job = r->options->job;
    const cf_device_info *info = &r->bench.info;
    cf_facts_place place = {
        .backend = info->backend,
        .name = info->name,
        .driver = info->driver[0] != '\0' ? info->driver : NULL,
        .clock_name = info->clock_name,
        .clock_resolution_ns = info->virtual_clock ? 1 : (int64_t)cf_clock_resolution_ns(),
        .simulated = info->simulated,
    };
    cf_status status = cf_facts_fill(record, &place, r->options->record_variable, err);
    if (status == CF_OK && (strcmp(info->backend, "sim") == 0 || strcmp(info->backend, "soft") == 0))
        status = cf_pairs_add(&record->device, "model", job->model.name, err);
    for (size_t i = 0; i < job->settings.count && status == CF_OK; i++)
        status = cf_pairs_add(&record->device, job->settings.items[i].name, job->settings.items[i].value, err);
    return status == CF_OK ? cf_device_facts(r->bench.device, &record->device, err) : status;
}

static cf_status begin_new(run *r, cf_error *err)
{
    cf_record *record = r->record;
    const cf_job *job = r->options->job;
    record->seed = r->options->seed;
    record->margin = job->margin;
    if (r->options->alpha > 0)
        record->alpha = r->options->alpha;
    record->min_rounds = job->min_rounds;
    record->max_rounds = job->max_rounds;
    cf_status status = fill_facts(r, err);
    if (status != CF_OK)
        return status;
    cf_workload_spec spec;
    cf_bench_spec(&r->bench.info, &job->spec, &spec);
    status = cf_workload_new(r->bench.device, &spec, &r->workloads[0], err);
    if (status != CF_OK)
        return status;
    add_control(r);
    cf_schedule_tell(&r->schedule, CF_PHASE_CALIBRATE, 0, CF_CALIBRATE_TRIES);
    status = cf_calibrate(&r->bench.rig, record, err);
    if (status == CF_OK)
        status = make_against(r, err);
    if (status != CF_OK)
        return status;
    add_others(r);
    status = describe(r, err);
    return status == CF_OK ? r->bench.rig.ops->prove(&r->bench.rig, record, err) : status;
}

static cf_status begin_again(run *r, cf_error *err)
{
    cf_record *record = r->record;
    const cf_job *job = r->options->job;
    record->min_rounds = job->min_rounds;
    record->max_rounds = job->max_rounds;
    record->interrupted = false;
    cf_workload_spec spec = job->spec;
    reuse_lengths(&record->job, &spec);
    cf_status status = cf_workload_new(r->bench.device, &spec, &r->workloads[0], err);
    if (status == CF_OK && r->options->against != NULL) {
        spec = r->options->against->spec;
        reuse_lengths(&record->against, &spec);
        status = cf_workload_new(r->bench.device, &spec, &r->workloads[1], err);
    }
    if (status != CF_OK)
        return status;
    add_control(r);
    add_others(r);
    if (r->bench.count != record->variant_count)
        return cf_error_set(err, CF_INPUT, "the record has %d variants and its job makes %d: it cannot be resumed",
                            record->variant_count, r->bench.count);
    return CF_OK;
}

static cf_status cannot_explain(cf_record *record, const char *why, cf_error *err)
{
    return cf_pairs_add(&record->skipped, CF_SKIPPED_EXPLAIN, why, err);
}

static cf_status take_spans(run *r, const int chosen[2], bool by_device, cf_error *err)
{
    cf_status status = CF_OK;
    for (int i = 0; i < 2 && status == CF_OK; i++) {
        cf_schedule_tell(&r->schedule, CF_PHASE_EXPLAIN, i, 2);
        if (chosen[i] >= 0)
            status = cf_spans_take(&r->bench, chosen[i], by_device, r->record, err);
    }
    return status == CF_OK ? cf_spans_finish(r->record, by_device, err) : status;
}

/* What was chosen and cannot be told is no longer chosen, and the record says why. */
static cf_status drop_untold(run *r, const bool *can, const char *why, int chosen[2], cf_error *err)
{
    cf_status status = CF_OK;
    for (int i = 0; i < 2 && status == CF_OK; i++) {
        if (chosen[i] < 0 || can[chosen[i]])
            continue;
        char text[384];
        (void)snprintf(text, sizeof text, "%s, and %.60s takes no timestamps", why,
                       r->record->variants[chosen[i]].name);
        status = cannot_explain(r->record, text, err);
        chosen[i] = -1;
    }
    return status;
}

/* After the last round: nothing that is judged was measured while commands were told. */
static cf_status explain(run *r, cf_error *err)
{
    const cf_run_callbacks *cb = &r->options->callbacks;
    bool can[CF_MAX_VARIANTS] = {false};
    int chosen[2] = {-1, -1};
    char why[256] = "";
    if (cb->explain == NULL)
        return CF_OK;
    cf_pairs_drop(&r->record->skipped, CF_SKIPPED_EXPLAIN); /* of an earlier process */
    if (r->record->interrupted)
        return cannot_explain(r->record, "the run was ended before its last round", err);
    bool by_device = cf_spans_by_device(&r->bench, why, sizeof why);
    for (int i = 0; i < r->bench.count; i++)
        can[i] = by_device || r->bench.trials[i].variant.type->spans != NULL;
    cb->explain(cb->user, r->record, can, chosen);
    if (chosen[0] < 0 && chosen[1] < 0)
        return cannot_explain(r->record, why[0] != '\0' ? why : "there is no variant to explain", err);
    cf_status status = drop_untold(r, can, why, chosen, err);
    if (status != CF_OK)
        return status;
    cf_spans_drop(r->record);
    return take_spans(r, chosen, by_device, err);
}

static cf_status measure(run *r, cf_error *err)
{
    cf_status status = r->options->resume ? begin_again(r, err) : begin_new(r, err);
    if (status == CF_OK)
        status = cf_schedule_run(&r->schedule, err);
    return status == CF_OK ? explain(r, err) : status;
}

cf_status cf_run(const cf_run_options *options, cf_record *record, cf_error *err)
{
    const cf_job *job = options->job;
    if (job->variant_count + (options->against != NULL) > CF_MAX_VARIANTS)
        return cf_error_set(err, CF_INPUT, "more than %d variants", CF_MAX_VARIANTS);
    run r = {.options = options, .record = record};
    cf_schedule_init(&r.schedule, record, options->resume ? record->seed : options->seed, options->resume);
    r.schedule.rig = &r.bench.rig;
    r.schedule.callbacks = &options->callbacks;
    r.schedule.part_path = options->part_path;
    cf_device *device = NULL;
    cf_device_config config = {
        .model = &job->model, .seed = r.schedule.own_seed, .index = options->device_index, .settings = &job->settings};
    cf_status status = cf_device_open(options->backend, &config, &device, err);
    if (status != CF_OK)
        return status;
    cf_bench_init(&r.bench, device, job->wait, r.schedule.own_seed << 8);
    r.bench.rig.agree = options->agree;
    r.bench.rig.agree_user = options->agree_user;
    status = measure(&r, err);
    cf_workload_free(r.workloads[1]);
    cf_workload_free(r.workloads[0]);
    cf_device_close(device);
    return status;
}
