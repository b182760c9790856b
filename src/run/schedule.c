#include "run/schedule.h"

#include "record/file.h"
#include "run/cell.h"

#define PROLOGUE_ROUNDS 24
#define WARMUP_ROUNDS   3

static void tell(cf_schedule *r, cf_phase phase, int64_t done, int64_t most)
{
    const cf_run_callbacks *cb = r->callbacks;
    if (cb->progress != NULL)
        cb->progress(cb->user, &(cf_progress){.phase = phase, .done = done, .most = most}, r->record);
}

/* The common answer where there are ranks: all of them ask at the same places. */
static cf_status agree(cf_schedule *r, cf_agree_what what, bool *answer, cf_error *err)
{
    int64_t value = *answer;
    if (r->rig->agree == NULL)
        return CF_OK;
    cf_status status = r->rig->agree(r->rig->agree_user, what, &value, err);
    *answer = value > 0;
    return status;
}

/* Whether the run ends here. Wrong results end it too: nothing measured with them could be believed. */
static cf_status ends(cf_schedule *r, bool *ret_ends, cf_error *err)
{
    const cf_run_callbacks *cb = r->callbacks;
    *ret_ends = r->record->interrupted || r->rig->data_wrong;
    if (*ret_ends && r->rig->agree == NULL)
        return CF_OK;
    *ret_ends |= cb->cancelled != NULL && cb->cancelled(cb->user);
    cf_status status = agree(r, CF_AGREE_END, ret_ends, err);
    if (status == CF_OK && *ret_ends && !r->rig->data_wrong)
        r->record->interrupted = true;
    return status;
}

static cf_status run_one(cf_schedule *r, cf_round *round, int at, bool proves, cf_error *err)
{
    int variant = at / CF_CELL_COUNT;
    cf_cell cell = (cf_cell)(at % CF_CELL_COUNT);
    cf_record_variant *v = &r->record->variants[variant];
    cf_cell_proof proof = {0};
    cf_seen seen = {0};
    cf_status status = cf_cell_run(r->rig, variant, cell, &round->samples[at], &seen, &proof, err);
    if (status != CF_OK) {
        (void)cf_error_prefix(err, "%s, cell %s", v->name, cf_cell_name(cell));
        return status;
    }
    if (cell == CF_CELL_AB && round->seen != NULL)
        round->seen[variant] = seen;
    if (!proves)
        return CF_OK;
    v->armed_expected += (int64_t)proof.owed;
    v->armed_count += (int64_t)proof.shown;
    r->rig->proof[variant].stray |= proof.stray;
    r->rig->proof[variant].bare |= proof.bare;
    r->rig->proof[variant].mute |= proof.mute;
    return CF_OK;
}

/* Every cell of the first `variants` variants once, in a fresh random order. A round is in the list whole or not. */
static cf_status run_round(cf_schedule *r, cf_rounds *list, int variants, cf_rng *rng, bool proves, cf_error *err)
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

static cf_status keep_round(cf_schedule *r, cf_part_list which, const cf_rounds *list, cf_error *err)
{
    if (r->part_path == NULL)
        return CF_OK;
    return cf_part_round(r->part_path, r->record, which, &list->items[list->count - 1], err);
}

static cf_status run_prologue(cf_schedule *r, bool *ret_ended, cf_error *err)
{
    cf_rounds *list = &r->record->prologue;
    for (int i = 0; i < PROLOGUE_ROUNDS; i++) {
        cf_status status = ends(r, ret_ended, err);
        if (status != CF_OK || *ret_ended)
            return status;
        tell(r, CF_PHASE_PROLOGUE, i, PROLOGUE_ROUNDS);
        status = run_round(r, list, 1, &r->rng[1], false, err);
        if (status == CF_OK)
            status = keep_round(r, CF_PART_PROLOGUE, list, err);
        if (status != CF_OK)
            return status;
    }
    return CF_OK;
}

/* Only the first is kept: first use is a fact of its own. */
static cf_status run_warmup(cf_schedule *r, bool *ret_ended, cf_error *err)
{
    cf_rounds *list = &r->record->warmup;
    for (int i = 0; i < WARMUP_ROUNDS; i++) {
        cf_status status = ends(r, ret_ended, err);
        if (status != CF_OK || *ret_ended)
            return status;
        tell(r, CF_PHASE_WARMUP, i, WARMUP_ROUNDS);
        status = run_round(r, list, r->record->variant_count, &r->rng[1], false, err);
        if (status == CF_OK && i == 0)
            status = keep_round(r, CF_PART_WARMUP, list, err);
        else if (status == CF_OK)
            cf_rounds_drop_last(list);
        if (status != CF_OK)
            return status;
    }
    return CF_OK;
}

/* Proofs before the round that they cover: a round on disk is never better proven than it was. */
static cf_status keep_proofs(cf_schedule *r, cf_error *err)
{
    return r->part_path != NULL ? cf_part_proofs(r->part_path, r->record, err) : CF_OK;
}

static cf_status decided(cf_schedule *r, bool *ret_decided, cf_error *err)
{
    const cf_run_callbacks *cb = r->callbacks;
    *ret_decided = false;
    if ((int64_t)r->record->rounds.count < r->record->min_rounds)
        return CF_OK;
    *ret_decided = cb->enough != NULL && cb->enough(cb->user, r->record);
    return agree(r, CF_AGREE_DECIDED, ret_decided, err);
}

static cf_status conditions(cf_schedule *r, unsigned *ret_marks, cf_error *err)
{
    return r->rig->ops->conditions != NULL ? r->rig->ops->conditions(r->rig, ret_marks, err) : CF_OK;
}

static cf_status run_judged_round(cf_schedule *r, cf_error *err)
{
    cf_rounds *list = &r->record->rounds;
    cf_status status = run_round(r, list, r->record->variant_count, &r->rng[0], true, err);
    if (status == CF_OK)
        status = conditions(r, &list->items[list->count - 1].marks, err);
    if (status == CF_OK)
        status = r->rig->ops->prove(r->rig, r->record, err);
    if (status == CF_OK)
        status = keep_proofs(r, err);
    return status == CF_OK ? keep_round(r, CF_PART_ROUNDS, list, err) : status;
}

static cf_status run_rounds(cf_schedule *r, cf_error *err)
{
    cf_rounds *list = &r->record->rounds;
    int64_t most = r->record->max_rounds;
    while ((int64_t)list->count < most) {
        bool done = false;
        cf_status status = ends(r, &done, err);
        if (status == CF_OK && !done)
            status = decided(r, &done, err);
        if (status != CF_OK)
            return status;
        if (done)
            break;
        tell(r, CF_PHASE_ROUNDS, (int64_t)list->count, most);
        r->rig->position = (double)list->count / (double)most;
        status = run_judged_round(r, err);
        if (status != CF_OK)
            return status;
    }
    tell(r, CF_PHASE_ROUNDS, (int64_t)list->count, most);
    return CF_OK;
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

void cf_schedule_init(cf_schedule *schedule, cf_record *record, uint64_t seed, bool resume)
{
    int process = resume ? next_process(record) : 0;
    /* Each process draws its own: what an earlier one drew is in the record already. */
    cf_rng own = {.state = ~seed + (uint64_t)process};
    uint64_t own_seed = process == 0 ? seed : cf_rng_next(&own);
    *schedule = (cf_schedule){
        .record = record,
        .resume = resume,
        .process = process,
        .own_seed = own_seed,
        .rng = {{.state = seed}, {.state = ~own_seed}},
    };
}

/* The order goes on where it stopped. */
static void skip_orders(cf_schedule *r)
{
    int order[CF_MAX_VARIANTS * CF_CELL_COUNT];
    int count = r->record->variant_count * CF_CELL_COUNT;
    for (size_t i = 0; i < r->record->rounds.count; i++) {
        for (int k = 0; k < count; k++)
            order[k] = k;
        cf_rng_shuffle(&r->rng[0], order, (size_t)count);
    }
}

cf_status cf_schedule_run(cf_schedule *r, cf_error *err)
{
    cf_status status = CF_OK;
    if (r->resume)
        skip_orders(r);
    if (r->part_path != NULL)
        status = cf_part_begin(r->part_path, r->record, r->resume, err);
    bool ended = false;
    if (status == CF_OK)
        status = run_prologue(r, &ended, err);
    if (status == CF_OK && !ended)
        status = run_warmup(r, &ended, err);
    if (status == CF_OK && !ended)
        status = run_rounds(r, err);
    /* Found before the first round it would not be told: a round tells it otherwise. */
    if (status == CF_OK && r->rig->data_wrong)
        status = r->rig->ops->prove(r->rig, r->record, err);
    return status == CF_OK && r->rig->data_wrong ? keep_proofs(r, err) : status;
}

void cf_schedule_tell(cf_schedule *schedule, cf_phase phase, int64_t done, int64_t most)
{
    tell(schedule, phase, done, most);
}
