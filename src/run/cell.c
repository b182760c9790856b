#include "run/cell.h"

#include <stdio.h>

#include "base/clock.h"

/* A cell's variant, open: the device on top and the streams that go through it. */
typedef struct stand {
    const cf_job_variant *variant;
    cf_device *top;
    cf_device *instrument; /* NULL where nothing is wrapped */
    cf_stream *streams[2];
    cf_instrument_config config;
} stand;

/* Accounts of the device and the host, read outside the clock on either side of a window. */
typedef struct accounts {
    uint64_t blocked_ns, waited_ns, late_ns;
    int64_t delay_ns;
    bool has_late;
} accounts;

static void close_stand(stand *s)
{
    for (int lane = 0; lane < 2; lane++)
        if (s->streams[lane] != NULL)
            cf_device_stream_close(s->top, s->streams[lane]);
    cf_instrument_close(s->variant->type, s->instrument);
}

static cf_status open_stand(cf_bench *bench, const cf_workload_spec *spec, const cf_job_variant *variant, stand *s,
                            cf_error *err)
{
    *s = (stand){
        .variant = variant,
        .top = bench->device,
        .config = {.where = variant->where, .on = variant->on, .on_operations = bench->info.events_on_operations}};
    for (int lane = 0; lane < 2; lane++)
        s->config.capacity[lane] = spec->lane[lane].count * spec->in_flight;
    cf_status status = CF_OK;
    if (variant->type->open != NULL)
        status = cf_instrument_open(variant->type, &s->config, bench->device, &s->instrument, err);
    if (s->instrument != NULL)
        s->top = s->instrument;
    for (uint32_t lane = 0; lane < 2 && status == CF_OK; lane++)
        status = cf_device_stream_open(s->top, &(cf_stream_desc){.number = lane}, &s->streams[lane], err);
    if (status != CF_OK)
        close_stand(s);
    return status;
}

static void read_accounts(cf_bench *bench, accounts *a)
{
    *a = (accounts){.waited_ns = bench->device->waited_ns, .delay_ns = -1};
    if (!cf_device_blocked_ns(bench->device, &a->blocked_ns))
        a->blocked_ns = 0;
    a->has_late = cf_device_late_ns(bench->device, &a->late_ns);
    if (!bench->info.virtual_clock)
        a->delay_ns = cf_clock_delay_ns();
}

static void store(cf_sample *sample, int at, const uint64_t clock_ns[3], uint64_t waited_ns, const accounts *before,
                  const accounts *after)
{
    int64_t submit_ns = (int64_t)(clock_ns[1] - clock_ns[0]);
    int64_t blocked_ns = (int64_t)(after->blocked_ns - before->blocked_ns + waited_ns - before->waited_ns);
    sample->wall_ns[at] = (int64_t)(clock_ns[2] - clock_ns[0]);
    sample->submit_ns[at] = submit_ns;
    sample->blocked_ns[at] = blocked_ns < submit_ns ? blocked_ns : submit_ns;
    sample->delay_ns[at] = before->delay_ns >= 0 ? after->delay_ns - before->delay_ns : -1;
    sample->late_ns[at] = before->has_late ? (int64_t)(after->late_ns - before->late_ns) : -1;
}

/* Between the first and the last reading of the clock nothing here allocates, prints or locks. */
static cf_status run_window(cf_bench *bench, cf_workload *workload, const stand *s, cf_cell cell, int at,
                            cf_sample *sample, cf_error *err)
{
    accounts before, after;
    uint64_t clock_ns[3] = {0};
    uint64_t lane_ns = 0;
    int lane = (int)(bench->nonce % 2); /* the lane whose own end is seen: the two take turns */
    read_accounts(bench, &before);
    clock_ns[0] = cf_device_now_ns(bench->device);
    cf_status status = cf_workload_submit(workload, s->top, s->streams, cell, err);
    clock_ns[1] = cf_device_now_ns(bench->device);
    uint64_t waited_ns = bench->device->waited_ns;
    if (status == CF_OK && cell == CF_CELL_AB) {
        status = cf_device_wait(s->top, s->streams[lane], bench->wait, err);
        lane_ns = cf_device_now_ns(bench->device);
    }
    if (status == CF_OK)
        status = cf_device_wait(s->top, NULL, bench->wait, err);
    clock_ns[2] = cf_device_now_ns(bench->device);
    read_accounts(bench, &after);
    if (status == CF_OK && at >= 0) {
        store(sample, at, clock_ns, waited_ns, &before, &after);
        int64_t own_ns = cell == CF_CELL_AB ? (int64_t)(lane_ns - clock_ns[0]) : -1;
        sample->lane_a_ns[at] = lane == 0 ? own_ns : -1;
        sample->lane_b_ns[at] = lane == 1 ? own_ns : -1;
    }
    return status;
}

static cf_status check_data(cf_bench *bench, cf_workload *workload, cf_cell cell, const char *variant, cf_error *err)
{
    bool right = true;
    char text[192] = "";
    cf_status status = cf_workload_verify(workload, cell, &right, text, sizeof text, err);
    if (status == CF_OK && !right && !bench->data_wrong) {
        bench->data_wrong = true;
        snprintf(bench->data_text, sizeof bench->data_text, "in %s of %s: %s", cf_cell_name(cell), variant, text);
    }
    return status;
}

static cf_status collect(const stand *s, const uint64_t submitted[2], cf_cell cell, bool timed, cf_seen *seen,
                         cf_cell_proof *proof, cf_error *err)
{
    const cf_instrument_type *type = s->variant->type;
    cf_instrument_reading reading = {0};
    proof->stray |= cf_instrument_alive() > (s->instrument != NULL && type->role != CF_ROLE_CONTROL ? 1 : 0);
    if (s->instrument == NULL)
        return CF_OK;
    cf_status status = cf_instrument_collect(type, s->instrument, &reading, err);
    if (status != CF_OK)
        return status;
    if (type->proof != NULL) {
        proof->owed += type->owed != NULL ? type->owed(&s->config, submitted) : 1;
        proof->shown += reading.proofs;
    }
    if (timed && cell == CF_CELL_AB) {
        seen->overlap_ns += reading.overlap_ns;
        seen->shorter_ns += reading.shorter_ns;
    }
    return CF_OK;
}

static cf_status run_step(cf_bench *bench, cf_workload *workload, const stand *s, cf_cell cell, int at,
                          cf_sample *sample, cf_seen *seen, cf_cell_proof *proof, cf_error *err)
{
    const cf_workload_spec *spec = cf_workload_spec_of(workload);
    const uint64_t submitted[2] = {
        cell == CF_CELL_B ? 0 : (uint64_t)spec->lane[0].count * spec->in_flight,
        cell == CF_CELL_A ? 0 : (uint64_t)spec->lane[1].count * spec->in_flight,
    };
    cf_status status = cf_workload_prepare(workload, cell, bench->nonce++, err);
    if (status == CF_OK)
        status = cf_device_step_begin(s->top, bench->position, err);
    if (status == CF_OK)
        status = run_window(bench, workload, s, cell, at, sample, err);
    if (status == CF_OK)
        status = collect(s, submitted, cell, at >= 0, seen, proof, err);
    return status == CF_OK ? check_data(bench, workload, cell, s->variant->type->name, err) : status;
}

cf_status cf_cell_run(cf_bench *bench, cf_workload *workload, const cf_job_variant *variant, cf_cell cell,
                      cf_sample *ret_sample, cf_seen *ret_seen, cf_cell_proof *ret_proof, cf_error *err)
{
    stand s;
    cf_sample sample = {.wall_ns = {0}};
    cf_seen seen = {0};
    cf_cell_proof proof = {0};
    cf_status status = cf_device_wait(bench->device, NULL, bench->wait, err);
    if (status == CF_OK)
        status = open_stand(bench, cf_workload_spec_of(workload), variant, &s, err);
    if (status != CF_OK)
        return status;
    for (int at = -1; at < CF_STEPS && status == CF_OK; at++)
        status = run_step(bench, workload, &s, cell, at, &sample, &seen, &proof, err);
    close_stand(&s);
    if (status != CF_OK)
        return status;
    *ret_sample = sample;
    *ret_seen = seen;
    *ret_proof = proof;
    return CF_OK;
}

cf_status cf_cell_first_ns(cf_bench *bench, cf_workload *workload, const cf_job_variant *variant, cf_cell cell,
                           int64_t *ret_ns, cf_error *err)
{
    stand s;
    cf_sample sample = {.wall_ns = {0}};
    cf_seen seen = {0};
    cf_cell_proof proof = {0};
    cf_status status = open_stand(bench, cf_workload_spec_of(workload), variant, &s, err);
    if (status != CF_OK)
        return status;
    status = run_step(bench, workload, &s, cell, 0, &sample, &seen, &proof, err);
    close_stand(&s);
    if (status == CF_OK)
        *ret_ns = sample.wall_ns[0];
    return status;
}

cf_status cf_cell_empty_ns(cf_bench *bench, int64_t *ret_ns, cf_error *err)
{
    enum { TRIES = 9 };
    uint64_t walls_ns[TRIES] = {0};
    for (int i = 0; i < TRIES; i++) {
        uint64_t begin_ns = cf_device_now_ns(bench->device);
        cf_status status = cf_device_wait(bench->device, NULL, bench->wait, err);
        if (status != CF_OK)
            return status;
        uint64_t wall_ns = cf_device_now_ns(bench->device) - begin_ns;
        int at = i;
        for (; at > 0 && walls_ns[at - 1] > wall_ns; at--)
            walls_ns[at] = walls_ns[at - 1];
        walls_ns[at] = wall_ns;
    }
    *ret_ns = (int64_t)walls_ns[TRIES / 2];
    return CF_OK;
}
