/* The order of the experiment: calibrate, prologue, warm-up, rounds; each round is safe on disk before the next. */
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"
#include "record/file.h"
#include "run/calibrate.h"
#include "run/cell.h"
#include "run/facts.h"
#include "run/fill.h"

#define PROLOGUE_ROUNDS 24
#define WARMUP_ROUNDS   3
#define AGAINST_NAME    "against"

typedef struct trial { /* a variant as it is run */
    cf_job_variant variant;
    cf_workload *workload;
    bool stray;
} trial;

typedef struct run {
    const cf_run_options *options;
    cf_record *record;
    cf_bench bench;
    cf_workload *workloads[2];
    trial trials[CF_MAX_VARIANTS];
    int count;
    int process;
    cf_rng rng[2]; /* of the rounds, and of what goes before them */
} run;

static void tell(run *r, cf_phase phase, int64_t done, int64_t most)
{
    const cf_run_callbacks *cb = &r->options->callbacks;
    if (cb->progress != NULL)
        cb->progress(cb->user, &(cf_progress){.phase = phase, .done = done, .most = most}, r->record);
}

static bool cancelled(run *r)
{
    const cf_run_callbacks *cb = &r->options->callbacks;
    if (!r->record->interrupted && cb->cancelled != NULL && cb->cancelled(cb->user))
        r->record->interrupted = true;
    return r->record->interrupted;
}

static cf_status run_one(run *r, cf_round *round, int at, bool proves, cf_error *err)
{
    trial *t = &r->trials[at / CF_CELL_COUNT];
    cf_cell_proof proof = {0};
    cf_seen seen = {0};
    cf_status status = cf_cell_run(&r->bench, t->workload, &t->variant, (cf_cell)(at % CF_CELL_COUNT),
                                   &round->samples[at], &seen, &proof, err);
    if (status != CF_OK)
        (void)cf_error_prefix(err, "%s, cell %s", t->variant.type->name, cf_cell_name((cf_cell)(at % CF_CELL_COUNT)));
    if (status != CF_OK)
        return status;
    if (at % CF_CELL_COUNT == CF_CELL_AB && round->seen != NULL)
        round->seen[at / CF_CELL_COUNT] = seen;
    if (!proves)
        return CF_OK;
    cf_record_variant *v = &r->record->variants[at / CF_CELL_COUNT];
    v->armed_expected += (int64_t)proof.owed;
    v->armed_count += (int64_t)proof.shown;
    t->stray |= proof.stray;
    return CF_OK;
}

/* Every cell of the first `variants` variants once, in a fresh random order. A round is in the list whole or not. */
static cf_status run_round(run *r, cf_rounds *list, int variants, cf_rng *rng, bool proves, cf_error *err)
{
    cf_round *round = cf_rounds_add(list, variants);
    if (round == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    round->number = (int64_t)list->count;
    round->process = r->process;
    for (int i = 0; i < round->order_count; i++)
        round->order[i] = i;
    cf_rng_shuffle(rng, round->order, (size_t)round->order_count);
    cf_status status = CF_OK;
    for (int i = 0; i < round->order_count && status == CF_OK; i++)
        status = run_one(r, round, round->order[i], proves, err);
    if (status != CF_OK)
        cf_rounds_drop_last(list);
    return status;
}

static cf_status keep_round(run *r, cf_part_list which, const cf_rounds *list, cf_error *err)
{
    if (r->options->part_path == NULL)
        return CF_OK;
    return cf_part_round(r->options->part_path, r->record, which, &list->items[list->count - 1], err);
}

static cf_status run_prologue(run *r, cf_error *err)
{
    cf_rounds *list = &r->record->prologue;
    for (int i = 0; i < PROLOGUE_ROUNDS && !cancelled(r); i++) {
        tell(r, CF_PHASE_PROLOGUE, i, PROLOGUE_ROUNDS);
        cf_status status = run_round(r, list, 1, &r->rng[1], false, err);
        if (status == CF_OK)
            status = keep_round(r, CF_PART_PROLOGUE, list, err);
        if (status != CF_OK)
            return status;
    }
    return CF_OK;
}

/* Only the first is kept: first use is a fact of its own. */
static cf_status run_warmup(run *r, cf_error *err)
{
    cf_rounds *list = &r->record->warmup;
    for (int i = 0; i < WARMUP_ROUNDS && !cancelled(r); i++) {
        tell(r, CF_PHASE_WARMUP, i, WARMUP_ROUNDS);
        cf_status status = run_round(r, list, r->count, &r->rng[1], false, err);
        if (status == CF_OK && i == 0)
            status = keep_round(r, CF_PART_WARMUP, list, err);
        else if (status == CF_OK)
            cf_rounds_drop_last(list);
        if (status != CF_OK)
            return status;
    }
    return CF_OK;
}

/* What every variant has proven so far, into the record. */
static cf_status prove(run *r, cf_error *err)
{
    cf_record *record = r->record;
    for (int i = 0; i < r->count; i++) {
        cf_status status =
            cf_fill_proof(&record->variants[i], &r->trials[i].variant, r->trials[i].stray, record->simulated, err);
        if (status != CF_OK)
            return status;
    }
    return cf_fill_data_check(record, &r->bench, err);
}

/* Proofs before the round that they cover: a round on disk is never better proven than it was. */
static cf_status keep_proofs(run *r, cf_error *err)
{
    return r->options->part_path != NULL ? cf_part_proofs(r->options->part_path, r->record, err) : CF_OK;
}

static bool enough(run *r)
{
    const cf_run_callbacks *cb = &r->options->callbacks;
    return (int64_t)r->record->rounds.count >= r->record->min_rounds && cb->enough != NULL &&
           cb->enough(cb->user, r->record);
}

static cf_status run_rounds(run *r, cf_error *err)
{
    cf_rounds *list = &r->record->rounds;
    int64_t most = r->record->max_rounds;
    /* Wrong results end it: nothing measured with them could be believed. */
    while ((int64_t)list->count < most && !r->bench.data_wrong && !cancelled(r) && !enough(r)) {
        tell(r, CF_PHASE_ROUNDS, (int64_t)list->count, most);
        r->bench.position = (double)list->count / (double)most;
        cf_status status = run_round(r, list, r->count, &r->rng[0], true, err);
        if (status == CF_OK)
            status = cf_device_conditions(r->bench.device, &list->items[list->count - 1].marks, err);
        if (status == CF_OK)
            status = prove(r, err);
        if (status == CF_OK)
            status = keep_proofs(r, err);
        if (status == CF_OK)
            status = keep_round(r, CF_PART_ROUNDS, list, err);
        if (status != CF_OK)
            return status;
    }
    tell(r, CF_PHASE_ROUNDS, (int64_t)list->count, most);
    return CF_OK;
}

static void set_trials(run *r)
{
    const cf_job *job = r->options->job;
    for (int i = 0; i < job->variant_count; i++)
        r->trials[r->count++] = (trial){.variant = job->variants[i], .workload = r->workloads[0]};
    if (r->workloads[1] != NULL)
        r->trials[r->count++] = (trial){.variant = job->variants[0], .workload = r->workloads[1]};
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
    cf_calibrate_begin(&r->bench.info, &r->options->against->spec, &spec);
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
    for (int i = 0; i < r->count; i++)
        variants[i] = r->trials[i].variant;
    if (status == CF_OK)
        status = cf_fill_variants(record, variants, r->count, r->bench.info.events_on_operations,
                                  o->against != NULL ? AGAINST_NAME : NULL, err);
    return status;
}

static cf_status begin_new(run *r, cf_error *err)
{
    cf_record *record = r->record;
    const cf_job *job = r->options->job;
    record->seed = r->options->seed;
    record->margin = job->margin;
    record->min_rounds = job->min_rounds;
    record->max_rounds = job->max_rounds;
    cf_status status = cf_facts_fill(record, r->bench.device, job, r->options->record_variable, err);
    if (status != CF_OK)
        return status;
    cf_workload_spec spec;
    cf_calibrate_begin(&r->bench.info, &job->spec, &spec);
    status = cf_workload_new(r->bench.device, &spec, &r->workloads[0], err);
    if (status != CF_OK)
        return status;
    tell(r, CF_PHASE_CALIBRATE, 0, CF_CALIBRATE_TRIES);
    status = cf_calibrate(&r->bench, r->workloads[0], &job->variants[0], record, err);
    if (status == CF_OK)
        status = make_against(r, err);
    if (status != CF_OK)
        return status;
    set_trials(r);
    status = describe(r, err);
    return status == CF_OK ? prove(r, err) : status;
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
    set_trials(r);
    if (r->count != record->variant_count)
        return cf_error_set(err, CF_INPUT, "the record has %d variants and its job makes %d: it cannot be resumed",
                            record->variant_count, r->count);
    /* The order goes on where it stopped. */
    for (size_t i = 0; i < record->rounds.count; i++) {
        int order[CF_MAX_VARIANTS * CF_CELL_COUNT];
        for (int k = 0; k < r->count * CF_CELL_COUNT; k++)
            order[k] = k;
        cf_rng_shuffle(&r->rng[0], order, (size_t)r->count * CF_CELL_COUNT);
    }
    return CF_OK;
}

static cf_status measure(run *r, cf_error *err)
{
    cf_status status = r->options->resume ? begin_again(r, err) : begin_new(r, err);
    if (status == CF_OK && r->options->part_path != NULL)
        status = cf_part_begin(r->options->part_path, r->record, r->options->resume, err);
    if (status == CF_OK)
        status = run_prologue(r, err);
    if (status == CF_OK && !cancelled(r))
        status = run_warmup(r, err);
    if (status == CF_OK && !cancelled(r))
        status = run_rounds(r, err);
    return status;
}

/* The number of the process that goes on with a record: one more than any that measured a part of it. */
static int next_process(const cf_record *record)
{
    const cf_rounds *lists[] = {&record->prologue, &record->rounds};
    int process = 0;
    for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++)
        for (size_t i = 0; i < lists[l]->count; i++)
            if (lists[l]->items[i].process >= process)
                process = lists[l]->items[i].process + 1;
    return process;
}

cf_status cf_run(const cf_run_options *options, cf_record *record, cf_error *err)
{
    const cf_job *job = options->job;
    if (job->variant_count + (options->against != NULL) > CF_MAX_VARIANTS)
        return cf_error_set(err, CF_INPUT, "more than %d variants", CF_MAX_VARIANTS);
    uint64_t seed = options->resume ? record->seed : options->seed;
    int process = options->resume ? next_process(record) : 0;
    /* Each process draws its own: what an earlier one drew is in the record already. */
    cf_rng own = {.state = ~seed + (uint64_t)process};
    uint64_t own_seed = process == 0 ? seed : cf_rng_next(&own);
    run r = {
        .options = options,
        .record = record,
        .bench = {.wait = job->wait},
        .process = process,
        .rng = {{.state = seed}, {.state = ~own_seed}},
    };
    r.bench.nonce = own_seed << 8;
    cf_device_config config = {
        .model = &job->model, .seed = own_seed, .index = options->device_index, .settings = &job->settings};
    cf_status status = cf_device_open(options->backend, &config, &r.bench.device, err);
    if (status != CF_OK)
        return status;
    cf_device_info_get(r.bench.device, &r.bench.info);
    status = measure(&r, err);
    cf_workload_free(r.workloads[1]);
    cf_workload_free(r.workloads[0]);
    cf_device_close(r.bench.device);
    return status;
}
