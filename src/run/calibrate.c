#include "run/calibrate.h"

#define STEP_MIN_NS  2000000.0
#define EMPTY_STEPS  50.0
#define BALANCE      0.8
#define BALANCE_LOW  0.7
#define BALANCE_HIGH 0.9
#define SCALE_MOST   64.0 /* in one try: a first length may be far off, a noisy step must not be believed further */
#define LENGTH_MOST  ((double)(UINT64_C(1) << 48))

/* Ranks stretch alike: they take the same walls for theirs. */
static cf_status agree(cf_rig *rig, int64_t *wall_ns, cf_error *err)
{
    return rig->agree != NULL ? rig->agree(rig->agree_user, CF_AGREE_WALL_NS, wall_ns, err) : CF_OK;
}

/* Median of three cells: a length that a busy moment chose would stay for the whole run. */
static cf_status wall_of(cf_rig *rig, int lane, double *ret_ns, cf_error *err)
{
    int64_t walls_ns[CF_STEPS];
    for (int i = 0; i < CF_STEPS; i++) {
        cf_sample sample;
        cf_seen seen;
        cf_cell_proof proof;
        cf_cell cell = lane == 0 ? CF_CELL_A : CF_CELL_B;
        cf_status status = cf_cell_run(rig, 0, cell, &sample, &seen, &proof, err);
        if (status != CF_OK)
            return status;
        walls_ns[i] = cf_sample_value_ns(sample.wall_ns);
    }
    int64_t wall_ns = cf_sample_value_ns(walls_ns);
    cf_status status = agree(rig, &wall_ns, err);
    *ret_ns = (double)wall_ns / rig->in_flight;
    return status;
}

/* Stretches lane until its step lasts low_ns to high_ns, aiming at aim_ns. ret_wall_ns: of the last length tried. */
static cf_status stretch(cf_rig *rig, int lane, const double range_ns[2], double aim_ns, cf_record *record,
                         double *ret_wall_ns, cf_error *err)
{
    double wall_ns = 0;
    cf_status status = wall_of(rig, lane, &wall_ns, err);
    record->again_step_ns[lane] = (int64_t)(wall_ns * rig->in_flight);
    for (int i = 0; i < CF_CALIBRATE_TRIES && status == CF_OK; i++) {
        if (wall_ns >= range_ns[0] && wall_ns <= range_ns[1])
            break;
        double scale = wall_ns > 0 ? aim_ns / wall_ns : SCALE_MOST;
        scale = scale > SCALE_MOST ? SCALE_MOST : scale < 1 / SCALE_MOST ? 1 / SCALE_MOST : scale;
        double length = (double)rig->lane[lane].length * scale + 0.5;
        length = length < 1 ? 1 : length > LENGTH_MOST ? LENGTH_MOST : length;
        record->calibration_tries++;
        status = rig->ops->set_length(rig, lane, (uint64_t)length, err);
        if (status != CF_OK)
            break;
        rig->lane[lane].length = (uint64_t)length;
        status = wall_of(rig, lane, &wall_ns, err);
    }
    if (status == CF_OK)
        *ret_wall_ns = wall_ns;
    return status;
}

static double least_ns(const cf_rig *rig, int64_t empty_ns)
{
    double least = EMPTY_STEPS * (double)empty_ns;
    least = least > STEP_MIN_NS ? least : STEP_MIN_NS;
    return least > (double)rig->step_target_ns ? least : (double)rig->step_target_ns;
}

cf_status cf_calibrate(cf_rig *rig, cf_record *record, cf_error *err)
{
    double a_ns = 0;
    double b_ns = 0;
    cf_status status = cf_cell_first_ns(rig, CF_CELL_A, &record->first_step_ns[0], err);
    if (status == CF_OK)
        status = cf_cell_first_ns(rig, CF_CELL_B, &record->first_step_ns[1], err);
    if (status == CF_OK)
        status = cf_cell_empty_ns(rig, &record->empty_step_ns, err);
    if (status == CF_OK)
        status = agree(rig, &record->empty_step_ns, err);
    if (status != CF_OK || (rig->lane[0].given && rig->lane[1].given))
        return status;
    double least = least_ns(rig, record->empty_step_ns);
    if (rig->lane[1].given) {
        status = wall_of(rig, 1, &b_ns, err);
        least = BALANCE * b_ns > least ? BALANCE * b_ns : least;
    }
    if (status == CF_OK && rig->lane[0].given)
        status = wall_of(rig, 0, &a_ns, err);
    else if (status == CF_OK)
        status = stretch(rig, 0, (const double[]){0.95 * least, 1.15 * least}, 1.02 * least, record, &a_ns, err);
    if (status != CF_OK || rig->lane[1].given)
        return status;
    return stretch(rig, 1, (const double[]){a_ns / BALANCE_HIGH, a_ns / BALANCE_LOW}, a_ns / BALANCE, record, &b_ns,
                   err);
}
