#include "run/bench.h"

#include <stdio.h>

#include "base/clock.h"
#include "run/fill.h"

static cf_bench *bench_of(cf_rig *rig)
{
    return (cf_bench *)rig; /* its first member */
}

static const cf_bench_trial *trial_of(const cf_bench *bench)
{
    return &bench->trials[bench->open];
}

static cf_status close_trial(cf_rig *rig, cf_error *err)
{
    cf_bench *bench = bench_of(rig);
    (void)err;
    for (int lane = 0; lane < 2; lane++)
        if (bench->streams[lane] != NULL)
            cf_device_stream_close(bench->top, bench->streams[lane]);
    cf_instrument_close(trial_of(bench)->variant.type, bench->instrument);
    return CF_OK;
}

static cf_status open_trial(cf_rig *rig, int variant, cf_error *err)
{
    cf_bench *bench = bench_of(rig);
    const cf_job_variant *v = &bench->trials[variant].variant;
    const cf_workload_spec *spec = cf_workload_spec_of(bench->trials[variant].workload);
    bench->open = variant;
    bench->top = bench->device;
    bench->instrument = NULL;
    bench->streams[0] = bench->streams[1] = NULL;
    bench->config = (cf_instrument_config){
        .where = v->where, .on = v->on, .on_operations = cf_instrument_on_operations(v->type, &bench->info)};
    for (int lane = 0; lane < 2; lane++)
        bench->config.capacity[lane] = spec->lane[lane].count * spec->in_flight;
    cf_status status = CF_OK;
    if (v->type->open != NULL)
        status = cf_instrument_open(v->type, &bench->config, bench->device, &bench->instrument, err);
    if (bench->instrument != NULL)
        bench->top = bench->instrument;
    for (uint32_t lane = 0; lane < 2 && status == CF_OK; lane++)
        status = cf_device_stream_open(bench->top, &(cf_stream_desc){.number = lane}, &bench->streams[lane], err);
    if (status != CF_OK)
        (void)close_trial(rig, NULL);
    return status;
}

static cf_status idle(cf_rig *rig, cf_error *err)
{
    cf_bench *bench = bench_of(rig);
    return cf_device_wait(bench->device, NULL, bench->wait, err);
}

static cf_status prepare(cf_rig *rig, cf_cell cell, cf_error *err)
{
    cf_bench *bench = bench_of(rig);
    cf_status status = cf_workload_prepare(trial_of(bench)->workload, cell, bench->nonce + rig->windows, err);
    return status == CF_OK ? cf_device_step_begin(bench->top, rig->position, err) : status;
}

static uint64_t now_ns(cf_rig *rig)
{
    return cf_device_now_ns(bench_of(rig)->device);
}

static cf_status submit(cf_rig *rig, cf_cell cell, cf_error *err)
{
    cf_bench *bench = bench_of(rig);
    return cf_workload_submit(trial_of(bench)->workload, bench->top, bench->streams, cell, err);
}

static cf_status wait(cf_rig *rig, int lane, cf_error *err)
{
    cf_bench *bench = bench_of(rig);
    return cf_device_wait(bench->top, lane == CF_RIG_ALL ? NULL : bench->streams[lane], bench->wait, err);
}

static uint64_t waited_ns(cf_rig *rig)
{
    return bench_of(rig)->device->waited_ns;
}

static void accounts(cf_rig *rig, cf_accounts *a)
{
    cf_bench *bench = bench_of(rig);
    *a = (cf_accounts){.waited_ns = bench->device->waited_ns, .delay_ns = -1};
    if (!cf_device_blocked_ns(bench->device, &a->blocked_ns))
        a->blocked_ns = 0;
    a->has_late = cf_device_late_ns(bench->device, &a->late_ns);
    if (!bench->info.virtual_clock)
        a->delay_ns = cf_clock_delay_ns();
}

static cf_status check_data(cf_bench *bench, cf_cell cell, cf_error *err)
{
    bool right = true;
    char text[192] = "";
    cf_status status = cf_workload_verify(trial_of(bench)->workload, cell, &right, text, sizeof text, err);
    if (status == CF_OK && !right && !bench->rig.data_wrong) {
        bench->rig.data_wrong = true;
        snprintf(bench->rig.data_text, sizeof bench->rig.data_text, "in %s of %s: %s", cf_cell_name(cell),
                 trial_of(bench)->variant.type->name, text);
    }
    return status;
}

static cf_status collect_instrument(cf_bench *bench, cf_cell cell, bool timed, cf_seen *seen, cf_cell_proof *proof,
                                    cf_error *err)
{
    const cf_instrument_type *type = trial_of(bench)->variant.type;
    const cf_workload_spec *spec = cf_workload_spec_of(trial_of(bench)->workload);
    const uint64_t submitted[2] = {
        cell == CF_CELL_B ? 0 : (uint64_t)spec->lane[0].count * spec->in_flight,
        cell == CF_CELL_A ? 0 : (uint64_t)spec->lane[1].count * spec->in_flight,
    };
    cf_instrument_reading reading = {0};
    proof->stray |= cf_instrument_alive() > (bench->instrument != NULL && type->role != CF_ROLE_CONTROL ? 1 : 0);
    if (bench->instrument == NULL)
        return CF_OK;
    cf_status status = cf_instrument_collect(type, bench->instrument, &reading, err);
    if (status != CF_OK)
        return status;
    if (type->proof != NULL) {
        proof->owed += type->owed != NULL ? type->owed(&bench->config, submitted) : 1;
        proof->shown += reading.proofs;
    }
    if (timed && cell == CF_CELL_AB) {
        seen->overlap_ns += reading.overlap_ns;
        seen->shorter_ns += reading.shorter_ns;
    }
    return CF_OK;
}

static cf_status collect(cf_rig *rig, cf_cell cell, bool timed, cf_seen *seen, cf_cell_proof *proof, cf_error *err)
{
    cf_bench *bench = bench_of(rig);
    cf_status status = collect_instrument(bench, cell, timed, seen, proof, err);
    return status == CF_OK ? check_data(bench, cell, err) : status;
}

static cf_status set_length(cf_rig *rig, int lane, uint64_t length, cf_error *err)
{
    return cf_workload_set_length(bench_of(rig)->trials[0].workload, lane, length, err);
}

static cf_status conditions(cf_rig *rig, unsigned *ret_marks, cf_error *err)
{
    return cf_device_conditions(bench_of(rig)->device, ret_marks, err);
}

static cf_status prove(cf_rig *rig, cf_record *record, cf_error *err)
{
    cf_bench *bench = bench_of(rig);
    for (int i = 0; i < bench->count; i++) {
        cf_status status =
            cf_fill_proof(&record->variants[i], &bench->trials[i].variant, rig->proof[i].stray, record->simulated, err);
        if (status != CF_OK)
            return status;
    }
    return cf_fill_data_check(record, rig, bench->info.moves, bench->info.computes, err);
}

static const cf_rig_ops ops = {
    .open = open_trial,
    .close = close_trial,
    .idle = idle,
    .prepare = prepare,
    .now_ns = now_ns,
    .submit = submit,
    .wait = wait,
    .waited_ns = waited_ns,
    .accounts = accounts,
    .collect = collect,
    .set_length = set_length,
    .conditions = conditions,
    .prove = prove,
};

void cf_bench_init(cf_bench *bench, cf_device *device, cf_wait wait_how, uint64_t nonce)
{
    *bench = (cf_bench){.device = device, .wait = wait_how, .nonce = nonce};
    cf_device_info_get(device, &bench->info);
    bench->rig.ops = &ops;
    bench->rig.lane_waits = true;
    bench->rig.step_target_ns = bench->info.step_target_ns;
}

void cf_bench_add(cf_bench *bench, const cf_job_variant *variant, cf_workload *workload)
{
    bench->trials[bench->count] = (cf_bench_trial){.variant = *variant, .workload = workload};
    if (bench->count++ > 0)
        return;
    const cf_workload_spec *spec = cf_workload_spec_of(workload);
    bench->rig.in_flight = spec->in_flight;
    for (int lane = 0; lane < 2; lane++) {
        bench->rig.lane[lane].given = spec->lane[lane].given;
        bench->rig.lane[lane].length = spec->lane[lane].length;
    }
}

void cf_bench_spec(const cf_device_info *info, const cf_workload_spec *wanted, cf_workload_spec *ret_spec)
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
