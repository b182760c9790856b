#include "run/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "run/calibrate.h"
#include "run/facts.h"
#include "run/schedule.h"
#include "run/steps_fill.h"

static const unsigned cell_lanes[CF_CELL_COUNT] = {[CF_CELL_A] = 1, [CF_CELL_B] = 2, [CF_CELL_AB] = 3};

static cf_steps_rig *rig_of(cf_rig *rig)
{
    return (cf_steps_rig *)rig; /* its first member */
}

static cf_status arm(cf_rig *rig, int index, cf_error *err)
{
    cf_steps_rig *r = rig_of(rig);
    r->open = index;
    r->now = cf_steps_role(r->steps, index) == CF_ROLE_DESIGN ? r->steps->against : r->steps;
    r->variant = cf_steps_variant(r->steps, index);
    if (r->variant == 0 || r->now->calls.arm == NULL)
        return CF_OK;
    return r->now->calls.arm(r->now->calls.user, r->variant, err);
}

static cf_status disarm(cf_rig *rig, cf_error *err)
{
    cf_steps_rig *r = rig_of(rig);
    if (r->variant == 0 || r->now->calls.disarm == NULL)
        return CF_OK;
    return r->now->calls.disarm(r->now->calls.user, r->variant, err);
}

/* Every window ends with its wait: nothing is left that could run. */
static cf_status idle(cf_rig *rig, cf_error *err)
{
    (void)rig;
    (void)err;
    return CF_OK;
}

static cf_status empty(cf_rig *rig, cf_error *err)
{
    const cf_steps_calls *calls = &rig_of(rig)->now->calls;
    return calls->empty != NULL ? calls->empty(calls->user, err) : idle(rig, err);
}

static bool in_order(const cf_steps_rig *r)
{
    return r->cell == CF_CELL_AB && cf_steps_role(r->steps, r->open) == CF_ROLE_REFERENCE;
}

static cf_status prepare(cf_rig *rig, cf_cell cell, cf_error *err)
{
    cf_steps_rig *r = rig_of(rig);
    (void)err;
    r->cell = cell;
    rig->lane_waits = r->now->lane_waits && !in_order(r);
    r->lanes_left = cell_lanes[cell];
    return CF_OK;
}

static uint64_t now_ns(cf_rig *rig)
{
    const cf_steps_calls *calls = &rig_of(rig)->now->calls;
    return calls->now_ns != NULL ? calls->now_ns(calls->user) : cf_clock_now_ns();
}

static cf_status call_wait(cf_steps_rig *r, unsigned lanes, cf_error *err)
{
    r->lanes_left &= ~lanes;
    return r->now->calls.wait(r->now->calls.user, r->variant, lanes, err);
}

static cf_status wait_inside(cf_steps_rig *r, unsigned lanes, cf_error *err)
{
    uint64_t begin_ns = now_ns(&r->rig);
    cf_status status = call_wait(r, lanes, err);
    r->waited_ns += now_ns(&r->rig) - begin_ns;
    return status;
}

/* The reference: a, wait, b, wait. The last wait is the window's own. */
static cf_status submit_in_order(cf_steps_rig *r, cf_error *err)
{
    const cf_steps_calls *calls = &r->now->calls;
    cf_status status = CF_OK;
    for (uint32_t i = 0; i < r->now->in_flight && status == CF_OK; i++) {
        if (i > 0)
            status = wait_inside(r, 2, err);
        if (status == CF_OK)
            status = calls->submit(calls->user, r->variant, 1, err);
        if (status == CF_OK)
            status = wait_inside(r, 1, err);
        if (status == CF_OK)
            status = calls->submit(calls->user, r->variant, 2, err);
    }
    r->lanes_left = 2;
    return status;
}

static cf_status submit(cf_rig *rig, cf_cell cell, cf_error *err)
{
    cf_steps_rig *r = rig_of(rig);
    const cf_steps_calls *calls = &r->now->calls;
    if (in_order(r))
        return submit_in_order(r, err);
    cf_status status = CF_OK;
    for (uint32_t i = 0; i < r->now->in_flight && status == CF_OK; i++)
        status = calls->submit(calls->user, r->variant, cell_lanes[cell], err);
    return status;
}

static cf_status wait_for(cf_rig *rig, int lane, cf_error *err)
{
    cf_steps_rig *r = rig_of(rig);
    return call_wait(r, lane == CF_RIG_ALL ? r->lanes_left : 1u << lane, err);
}

static uint64_t waited_ns(cf_rig *rig)
{
    return rig_of(rig)->waited_ns;
}

/* One that can't be told leaves all of them unknown. */
static bool threads_late_ns(const cf_steps *steps, uint64_t *ret_ns)
{
    *ret_ns = 0;
    for (int i = 0; i < steps->thread_count; i++) {
        int64_t ns = cf_clock_thread_delay_ns(steps->threads[i]);
        if (ns < 0)
            return false;
        *ret_ns += (uint64_t)ns;
    }
    return steps->thread_count > 0;
}

static void accounts(cf_rig *rig, cf_accounts *a)
{
    cf_steps_rig *r = rig_of(rig);
    const cf_steps_calls *calls = &r->now->calls;
    *a = (cf_accounts){.waited_ns = r->waited_ns, .delay_ns = cf_clock_delay_ns()};
    a->has_late = threads_late_ns(r->now, &a->late_ns);
    if (calls->blocked_ns != NULL)
        a->blocked_ns = calls->blocked_ns(calls->user);
}

static cf_status check_lanes(cf_steps_rig *r, cf_cell cell, unsigned lanes)
{
    const cf_steps_calls *calls = &r->now->calls;
    bool right = true;
    char text[192] = "";
    cf_status status = calls->check(calls->user, r->variant, lanes, &right, text, sizeof text);
    if (status == CF_OK && !right && !r->rig.data_wrong) {
        r->rig.data_wrong = true;
        snprintf(r->rig.data_text, sizeof r->rig.data_text, "in %s of %s: %s", cf_cell_name(cell),
                 cf_steps_variant_name(r->steps, r->open), text[0] != '\0' ? text : "the caller found a wrong result");
    }
    return status;
}

/* The reference ran its lanes one by one, and so they are checked. */
static cf_status check_data(cf_steps_rig *r, cf_cell cell)
{
    if (r->now->calls.check == NULL)
        return CF_OK;
    if (!in_order(r))
        return check_lanes(r, cell, cell_lanes[cell]);
    cf_status status = check_lanes(r, cell, cell_lanes[CF_CELL_A]);
    return status == CF_OK ? check_lanes(r, cell, cell_lanes[CF_CELL_B]) : status;
}

static cf_status collect_proof(cf_steps_rig *r, cf_cell cell, bool timed, cf_seen *seen, cf_cell_proof *proof,
                               cf_error *err)
{
    const cf_steps_calls *calls = &r->now->calls;
    cf_steps_proof told = {.armed = CF_TOLD_NOTHING};
    if (calls->prove == NULL)
        return CF_OK;
    cf_status status = calls->prove(calls->user, r->variant, cell_lanes[cell], &told, err);
    if (status != CF_OK)
        return status;
    bool control = r->variant == 0;
    proof->stray |= told.armed == CF_TOLD_YES;
    proof->bare |= told.armed == CF_TOLD_NO;
    proof->mute |= told.armed == CF_TOLD_NO_ANSWER || (told.armed == CF_TOLD_NOTHING && !control && told.expected == 0);
    if (!control) {
        proof->owed += (uint64_t)told.expected;
        proof->shown += (uint64_t)told.count;
    }
    if (told.how[0] != '\0')
        memcpy(r->how[r->open], told.how, sizeof told.how);
    if (timed && cell == CF_CELL_AB) {
        seen->overlap_ns += told.seen.overlap_ns;
        seen->shorter_ns += told.seen.shorter_ns;
    }
    return CF_OK;
}

static cf_status collect(cf_rig *rig, cf_cell cell, bool timed, cf_seen *seen, cf_cell_proof *proof, cf_error *err)
{
    cf_steps_rig *r = rig_of(rig);
    cf_status status = collect_proof(r, cell, timed, seen, proof, err);
    return status == CF_OK ? check_data(r, cell) : status;
}

static cf_status set_length(cf_rig *rig, int lane, uint64_t length, cf_error *err)
{
    const cf_steps_calls *calls = &rig_of(rig)->now->calls;
    return calls->set_length(calls->user, lane, (int64_t)length, err);
}

static cf_status prove(cf_rig *rig, cf_record *record, cf_error *err)
{
    return cf_steps_fill_proofs(rig_of(rig), record, err);
}

static const cf_rig_ops ops = {
    .open = arm,
    .close = disarm,
    .idle = idle,
    .empty = empty,
    .prepare = prepare,
    .now_ns = now_ns,
    .submit = submit,
    .wait = wait_for,
    .waited_ns = waited_ns,
    .accounts = accounts,
    .collect = collect,
    .set_length = set_length,
    .prove = prove,
};

static void init(cf_steps_rig *r, const cf_steps *steps, const cf_steps_options *options)
{
    *r = (cf_steps_rig){.steps = steps, .now = steps};
    r->rig.ops = &ops;
    r->rig.in_flight = steps->in_flight;
    r->rig.agree = options->agree;
    r->rig.agree_user = options->agree_user;
    for (int lane = 0; lane < 2; lane++) {
        r->rig.lane[lane].given = steps->lane[lane].given || steps->lane[lane].length == 0;
        r->rig.lane[lane].length = (uint64_t)steps->lane[lane].length;
    }
}

/* Lengths are the caller's until it is told otherwise: it hears the first one too. */
static cf_status set_first_lengths(cf_steps_rig *r, cf_error *err)
{
    cf_status status = CF_OK;
    for (int lane = 0; lane < 2 && status == CF_OK; lane++)
        if (!r->rig.lane[lane].given)
            status = set_length(&r->rig, lane, r->rig.lane[lane].length, err);
    return status;
}

/* The designs differ, not the amount of work: where the second one has a knob too, its lane does the first one's work
   in all. */
static cf_status share_work(cf_steps_rig *r, cf_error *err)
{
    const cf_steps *other = r->steps->against;
    cf_status status = CF_OK;
    for (int lane = 0; lane < 2 && other != NULL && status == CF_OK; lane++) {
        int64_t length = other->lane[lane].length;
        if (length == 0)
            continue;
        if (r->rig.lane[lane].length > 0)
            length = (int64_t)r->rig.lane[lane].length * r->steps->lane[lane].count / other->lane[lane].count;
        r->against_length[lane] = length > 0 ? length : 1;
        status = other->calls.set_length(other->calls.user, lane, r->against_length[lane], err);
    }
    return status;
}

static cf_status begin(cf_steps_rig *r, cf_schedule *schedule, const cf_steps_options *options, cf_error *err)
{
    cf_record *record = schedule->record;
    record->seed = options->seed;
    record->margin = options->margin;
    record->alpha = options->alpha;
    record->min_rounds = options->min_rounds;
    record->max_rounds = options->max_rounds;
    cf_status status = cf_steps_fill_place(r->steps, record, err);
    if (status == CF_OK)
        status = set_first_lengths(r, err);
    if (status != CF_OK)
        return status;
    cf_schedule_tell(schedule, CF_PHASE_CALIBRATE, 0, CF_CALIBRATE_TRIES);
    status = cf_calibrate(&r->rig, record, err);
    if (status == CF_OK)
        status = share_work(r, err);
    if (status == CF_OK)
        status = cf_steps_fill_job(r, record, err);
    return status == CF_OK ? cf_steps_fill_proofs(r, record, err) : status;
}

/* A run that failed has the rounds before it, and says why there are no more. */
static void note_failure(cf_record *record, const cf_error *why)
{
    char name[64];
    snprintf(name, sizeof name, CF_SKIPPED_ROUNDS "%zu on", record->rounds.count + 1);
    record->interrupted = true;
    cf_status noted = cf_pairs_add(&record->skipped, name, why->text, NULL);
    (void)noted; /* out of memory: it is still marked */
}

static cf_status check(const cf_steps *steps, cf_error *err)
{
    if (steps->calls.submit != NULL && steps->calls.wait != NULL)
        return CF_OK;
    return cf_error_set(err, CF_INPUT, "no %s: both submit and wait are needed",
                        steps->calls.submit == NULL ? "submit" : "wait");
}

cf_status cf_steps_run(const cf_steps *steps, const cf_steps_options *options, cf_record *record, cf_error *err)
{
    cf_status status = check(steps, err);
    if (status == CF_OK && steps->against != NULL && (status = check(steps->against, err)) != CF_OK)
        (void)cf_error_prefix(err, CF_STEPS_AGAINST);
    if (status != CF_OK)
        return status;
    cf_steps_rig *rig = malloc(sizeof *rig);
    if (rig == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    init(rig, steps, options);
    cf_schedule schedule;
    cf_schedule_init(&schedule, record, options->seed, false);
    schedule.rig = &rig->rig;
    schedule.callbacks = &options->callbacks;
    schedule.part_path = options->part_path;
    cf_error why = {0};
    status = begin(rig, &schedule, options, &why);
    if (status == CF_OK)
        status = cf_schedule_run(&schedule, &why);
    free(rig);
    if (status == CF_OK)
        return CF_OK;
    note_failure(record, &why);
    if (err != NULL)
        *err = why;
    return status;
}
