#include "run/calibrate.h"

#define STEP_MIN_NS  2000000.0
#define EMPTY_STEPS  50.0
#define BALANCE      0.8
#define BALANCE_LOW  0.7
#define BALANCE_HIGH 0.9
#define SCALE_MOST   64.0 /* in one try: a first length may be far off, a noisy step must not be believed further */
#define LENGTH_MOST  ((double)(UINT64_C(1) << 48))

void cf_calibrate_begin(const cf_device_info *info, const cf_workload_spec *wanted, cf_workload_spec *ret_spec)
{
    *ret_spec = *wanted;
    for (int i = 0; i < 2; i++) {
        cf_lane_spec *lane = &ret_spec->lane[i];
        if (lane->given)
            continue;
        bool kernel = lane->kind == CF_OP_KERNEL;
        lane->unit = kernel ? info->kernel_unit : info->copy_unit;
        lane->length = kernel ? info->kernel_start : info->copy_start;
    }
}

/* Median of three cells: a length that a busy moment chose would stay for the whole run. */
static cf_status wall_of(cf_bench *bench, cf_workload *workload, const cf_job_variant *control, int lane,
                         double *ret_ns, cf_error *err)
{
    int64_t walls_ns[CF_STEPS];
    for (int i = 0; i < CF_STEPS; i++) {
        cf_sample sample;
        cf_seen seen;
        cf_cell_proof proof;
        cf_cell cell = lane == 0 ? CF_CELL_A : CF_CELL_B;
        cf_status status = cf_cell_run(bench, workload, control, cell, &sample, &seen, &proof, err);
        if (status != CF_OK)
            return status;
        walls_ns[i] = cf_sample_value_ns(sample.wall_ns);
    }
    *ret_ns = (double)cf_sample_value_ns(walls_ns) / cf_workload_spec_of(workload)->in_flight;
    return CF_OK;
}

/* Stretches lane until its step lasts low_ns to high_ns, aiming at aim_ns. ret_wall_ns: of the last length tried. */
static cf_status stretch(cf_bench *bench, cf_workload *workload, const cf_job_variant *control, int lane,
                         const double range_ns[2], double aim_ns, cf_record *record, double *ret_wall_ns, cf_error *err)
{
    double wall_ns = 0;
    cf_status status = wall_of(bench, workload, control, lane, &wall_ns, err);
    record->again_step_ns[lane] = (int64_t)(wall_ns * cf_workload_spec_of(workload)->in_flight);
    for (int i = 0; i < CF_CALIBRATE_TRIES && status == CF_OK; i++) {
        if (wall_ns >= range_ns[0] && wall_ns <= range_ns[1])
            break;
        double scale = wall_ns > 0 ? aim_ns / wall_ns : SCALE_MOST;
        scale = scale > SCALE_MOST ? SCALE_MOST : scale < 1 / SCALE_MOST ? 1 / SCALE_MOST : scale;
        double length = (double)cf_workload_spec_of(workload)->lane[lane].length * scale + 0.5;
        length = length < 1 ? 1 : length > LENGTH_MOST ? LENGTH_MOST : length;
        record->calibration_tries++;
        status = cf_workload_set_length(workload, lane, (uint64_t)length, err);
        if (status == CF_OK)
            status = wall_of(bench, workload, control, lane, &wall_ns, err);
    }
    if (status == CF_OK)
        *ret_wall_ns = wall_ns;
    return status;
}

static double least_ns(const cf_bench *bench, int64_t empty_ns)
{
    double least = EMPTY_STEPS * (double)empty_ns;
    least = least > STEP_MIN_NS ? least : STEP_MIN_NS;
    return least > (double)bench->info.step_target_ns ? least : (double)bench->info.step_target_ns;
}

cf_status cf_calibrate(cf_bench *bench, cf_workload *workload, const cf_job_variant *control, cf_record *record,
                       cf_error *err)
{
    const cf_workload_spec *spec = cf_workload_spec_of(workload);
    double a_ns = 0;
    double b_ns = 0;
    cf_status status = cf_cell_first_ns(bench, workload, control, CF_CELL_A, &record->first_step_ns[0], err);
    if (status == CF_OK)
        status = cf_cell_first_ns(bench, workload, control, CF_CELL_B, &record->first_step_ns[1], err);
    if (status == CF_OK)
        status = cf_cell_empty_ns(bench, &record->empty_step_ns, err);
    if (status != CF_OK || (spec->lane[0].given && spec->lane[1].given))
        return status;
    double least = least_ns(bench, record->empty_step_ns);
    if (spec->lane[1].given) {
        status = wall_of(bench, workload, control, 1, &b_ns, err);
        least = BALANCE * b_ns > least ? BALANCE * b_ns : least;
    }
    if (status == CF_OK && spec->lane[0].given)
        status = wall_of(bench, workload, control, 0, &a_ns, err);
    else if (status == CF_OK)
        status = stretch(bench, workload, control, 0, (const double[]){0.95 * least, 1.15 * least}, 1.02 * least,
                         record, &a_ns, err);
    if (status != CF_OK || spec->lane[1].given)
        return status;
    return stretch(bench, workload, control, 1, (const double[]){a_ns / BALANCE_HIGH, a_ns / BALANCE_LOW},
                   a_ns / BALANCE, record, &b_ns, err);
}
