#include "run/cell.h"

/* Accounts come from devices and callers of all kinds: one that shrinks is no time. */
static int64_t grown(uint64_t before, uint64_t after)
{
    return after > before && after - before <= (uint64_t)CF_TIME_MAX_NS ? (int64_t)(after - before) : 0;
}

static cf_status check_clock(const uint64_t clock_ns[3], uint64_t lane_ns, cf_error *err)
{
    bool forward = clock_ns[0] <= clock_ns[1] && clock_ns[1] <= clock_ns[2];
    bool lane_forward = lane_ns == 0 || (clock_ns[1] <= lane_ns && lane_ns <= clock_ns[2]);
    if (forward && lane_forward && clock_ns[2] - clock_ns[0] <= (uint64_t)CF_TIME_MAX_NS)
        return CF_OK;
    return cf_error_set(err, CF_DEVICE, "the clock went back, or on by more than 2^53 ns");
}

static void store(cf_sample *sample, int at, const uint64_t clock_ns[3], uint64_t waited_ns, const cf_accounts *before,
                  const cf_accounts *after)
{
    int64_t submit_ns = (int64_t)(clock_ns[1] - clock_ns[0]);
    int64_t blocked_ns = grown(before->blocked_ns, after->blocked_ns) + grown(before->waited_ns, waited_ns);
    sample->wall_ns[at] = (int64_t)(clock_ns[2] - clock_ns[0]);
    sample->submit_ns[at] = submit_ns;
    sample->blocked_ns[at] = blocked_ns < submit_ns ? blocked_ns : submit_ns;
    bool has_delay = before->delay_ns >= 0 && after->delay_ns >= 0;
    sample->delay_ns[at] = has_delay ? grown((uint64_t)before->delay_ns, (uint64_t)after->delay_ns) : -1;
    sample->late_ns[at] = before->has_late && after->has_late ? grown(before->late_ns, after->late_ns) : -1;
}

/* Between the first and the last reading of the clock nothing here allocates, prints or locks. */
static cf_status run_window(cf_rig *rig, cf_cell cell, int at, cf_sample *sample, cf_error *err)
{
    const cf_rig_ops *ops = rig->ops;
    cf_accounts before, after;
    uint64_t clock_ns[3] = {0};
    uint64_t lane_ns = 0;
    int lane = (int)(rig->windows % 2); /* the lane whose own end is seen: the two take turns */
    bool sees_lane = cell == CF_CELL_AB && rig->lane_waits;
    ops->accounts(rig, &before);
    clock_ns[0] = ops->now_ns(rig);
    cf_status status = ops->submit(rig, cell, err);
    clock_ns[1] = ops->now_ns(rig);
    uint64_t waited_ns = ops->waited_ns(rig);
    if (status == CF_OK && sees_lane) {
        status = ops->wait(rig, lane, err);
        lane_ns = ops->now_ns(rig);
    }
    if (status == CF_OK)
        status = ops->wait(rig, CF_RIG_ALL, err);
    clock_ns[2] = ops->now_ns(rig);
    ops->accounts(rig, &after);
    if (status == CF_OK)
        status = check_clock(clock_ns, lane_ns, err);
    if (status == CF_OK && at >= 0) {
        store(sample, at, clock_ns, waited_ns, &before, &after);
        int64_t own_ns = sees_lane ? (int64_t)(lane_ns - clock_ns[0]) : -1;
        sample->lane_a_ns[at] = lane == 0 ? own_ns : -1;
        sample->lane_b_ns[at] = lane == 1 ? own_ns : -1;
    }
    return status;
}

static cf_status run_step(cf_rig *rig, cf_cell cell, int at, cf_sample *sample, cf_seen *seen, cf_cell_proof *proof,
                          cf_error *err)
{
    cf_status status = rig->ops->prepare(rig, cell, err);
    rig->windows++;
    if (status == CF_OK)
        status = run_window(rig, cell, at, sample, err);
    return status == CF_OK ? rig->ops->collect(rig, cell, at >= 0, seen, proof, err) : status;
}

/* Steps first_at to last_at of a cell; those below 0 are not timed. The first failure is the one that is told. */
static cf_status run_steps(cf_rig *rig, int variant, cf_cell cell, int first_at, int last_at, cf_sample *sample,
                           cf_seen *seen, cf_cell_proof *proof, cf_error *err)
{
    cf_status status = rig->ops->open(rig, variant, err);
    if (status != CF_OK)
        return status;
    for (int at = first_at; at <= last_at && status == CF_OK; at++)
        status = run_step(rig, cell, at, sample, seen, proof, err);
    cf_status closed = rig->ops->close(rig, status == CF_OK ? err : NULL);
    return status == CF_OK ? closed : status;
}

cf_status cf_cell_run(cf_rig *rig, int variant, cf_cell cell, cf_sample *ret_sample, cf_seen *ret_seen,
                      cf_cell_proof *ret_proof, cf_error *err)
{
    cf_sample sample = {.wall_ns = {0}};
    cf_seen seen = {0};
    cf_cell_proof proof = {0};
    cf_status status = rig->ops->idle(rig, err);
    if (status == CF_OK)
        status = run_steps(rig, variant, cell, -1, CF_STEPS - 1, &sample, &seen, &proof, err);
    if (status != CF_OK)
        return status;
    *ret_sample = sample;
    *ret_seen = seen;
    *ret_proof = proof;
    return CF_OK;
}

cf_status cf_cell_first_ns(cf_rig *rig, cf_cell cell, int64_t *ret_ns, cf_error *err)
{
    cf_sample sample = {.wall_ns = {0}};
    cf_seen seen = {0};
    cf_cell_proof proof = {0};
    cf_status status = run_steps(rig, 0, cell, 0, 0, &sample, &seen, &proof, err);
    if (status == CF_OK)
        *ret_ns = sample.wall_ns[0];
    return status;
}

cf_status cf_cell_empty_ns(cf_rig *rig, int64_t *ret_ns, cf_error *err)
{
    enum { TRIES = 9 };
    uint64_t walls_ns[TRIES] = {0};
    cf_status (*empty)(cf_rig *, cf_error *) = rig->ops->empty != NULL ? rig->ops->empty : rig->ops->idle;
    for (int i = 0; i < TRIES; i++) {
        uint64_t begin_ns = rig->ops->now_ns(rig);
        cf_status status = empty(rig, err);
        if (status != CF_OK)
            return status;
        uint64_t wall_ns = rig->ops->now_ns(rig) - begin_ns;
        int at = i;
        for (; at > 0 && walls_ns[at - 1] > wall_ns; at--)
            walls_ns[at] = walls_ns[at - 1];
        walls_ns[at] = wall_ns;
    }
    *ret_ns = (int64_t)walls_ns[TRIES / 2];
    return CF_OK;
}
