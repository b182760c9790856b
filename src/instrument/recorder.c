#include "instrument/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "instrument/pass.h"
#include "instrument/seen.h"

typedef struct mark {
    cf_event *event;
    int64_t begin_ns;
    int64_t stamp_ns; /* of the last window */
    bool stamped_before;
    uint32_t index; /* of its operation */
} mark;

/* Where events are an operation's own, the marks of the side before stand for both: begin_ns and stamp_ns are one
   event's. */
typedef struct recorder {
    cf_instrument_config config;
    cf_event_kind kind;
    mark *marks[2][2]; /* [lane][side], capacity of the lane each; NULL where it does not record */
    uint32_t used[2];  /* operations of the lane in this window */
    uint32_t last[2];  /* and in the one that was collected last */
    cf_op_kind ops[2]; /* what the lane's operations are */
    cf_seen_interval *seen[2];
} recorder;

static bool records(const recorder *r, int lane, int side)
{
    if (r->config.on_operations)
        return side == CF_SIDE_BEFORE && (r->config.on & (lane == 0 ? CF_ON_A : CF_ON_B));
    return (r->config.on & (lane == 0 ? CF_ON_A : CF_ON_B)) &&
           (r->config.where & (side == CF_SIDE_BEFORE ? CF_WHERE_BEFORE : CF_WHERE_AFTER));
}

static cf_status record_side(cf_device *device, cf_stream *stream, const cf_op *op, cf_side side, uint32_t at,
                             cf_error *err)
{
    recorder *r = device->state;
    if (r->marks[op->lane][side] == NULL)
        return CF_OK;
    return cf_device_record(device->next, stream, r->marks[op->lane][side][at].event, op, side, err);
}

static cf_status submit(cf_device *device, cf_stream *stream, const cf_op *op, cf_error *err)
{
    recorder *r = device->state;
    uint32_t at = r->used[op->lane];
    if (at >= r->config.capacity[op->lane])
        return cf_error_set(err, CF_UNSUPPORTED, "more operations in a window than the instrument was opened for");
    r->used[op->lane]++;
    r->ops[op->lane] = op->kind;
    if (r->marks[op->lane][CF_SIDE_BEFORE] != NULL)
        r->marks[op->lane][CF_SIDE_BEFORE][at].index = op->index;
    if (r->config.on_operations) {
        cf_op observed = *op;
        if (r->marks[op->lane][CF_SIDE_BEFORE] != NULL)
            observed.observer = r->marks[op->lane][CF_SIDE_BEFORE][at].event;
        return cf_device_submit(device->next, stream, &observed, err);
    }
    cf_status status = record_side(device, stream, op, CF_SIDE_BEFORE, at, err);
    if (status == CF_OK)
        status = cf_device_submit(device->next, stream, op, err);
    return status == CF_OK ? record_side(device, stream, op, CF_SIDE_AFTER, at, err) : status;
}

static cf_status open_stream(cf_device *device, const cf_stream_desc *desc, cf_stream **ret_stream, cf_error *err)
{
    recorder *r = device->state;
    cf_stream_desc wanted = *desc;
    wanted.profiling |= r->kind != CF_EVENT_SYNC;
    return cf_device_stream_open(device->next, &wanted, ret_stream, err);
}

static void close_recorder(cf_device *device)
{
    recorder *r = device->state;
    for (int lane = 0; lane < 2; lane++) {
        for (int side = 0; side < 2; side++) {
            for (uint32_t i = 0; r->marks[lane][side] != NULL && i < r->config.capacity[lane]; i++)
                cf_device_event_free(device->next, r->marks[lane][side][i].event);
            free(r->marks[lane][side]);
        }
        free(r->seen[lane]);
    }
    free(r);
}

static const cf_device_ops ops = {CF_PASS_OPS,
                                  .name = "recorder",
                                  .about = "records events around operations",
                                  .close = close_recorder,
                                  .stream_open = open_stream,
                                  .stream_close = cf_pass_stream_close,
                                  .submit = submit,
                                  .wait = cf_pass_wait};

static cf_status make_marks(cf_device *device, int lane, int side, cf_error *err)
{
    recorder *r = device->state;
    if (!records(r, lane, side) || r->config.capacity[lane] == 0)
        return CF_OK;
    r->marks[lane][side] = calloc(r->config.capacity[lane], sizeof(mark));
    if (r->marks[lane][side] == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    for (uint32_t i = 0; i < r->config.capacity[lane]; i++) {
        cf_status status = cf_device_event_new(device->next, r->kind, &r->marks[lane][side][i].event, err);
        if (status != CF_OK)
            return status;
    }
    return CF_OK;
}

static cf_status make_all(cf_device *device, cf_error *err)
{
    recorder *r = device->state;
    for (int lane = 0; lane < 2; lane++) {
        r->seen[lane] = calloc((size_t)r->config.capacity[lane] + 1, sizeof(cf_seen_interval));
        if (r->seen[lane] == NULL)
            return cf_error_set(err, CF_MEMORY, "out of memory");
        for (int side = 0; side < 2; side++) {
            cf_status status = make_marks(device, lane, side, err);
            if (status != CF_OK)
                return status;
        }
    }
    return CF_OK;
}

static cf_status open_kind(cf_event_kind kind, const cf_instrument_config *config, cf_device *next,
                           cf_device **ret_device, cf_error *err)
{
    recorder *r = calloc(1, sizeof *r);
    if (r == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    *r = (recorder){.config = *config, .kind = kind};
    cf_device *device = NULL;
    cf_status status = cf_device_wrap(next, &ops, r, &device, err);
    if (status != CF_OK) {
        free(r);
        return status;
    }
    status = make_all(device, err);
    if (status != CF_OK) {
        cf_device_close(device);
        return status;
    }
    *ret_device = device;
    return CF_OK;
}

cf_status cf_recorder_open_sync(const cf_instrument_config *config, cf_device *next, cf_device **ret_device,
                                cf_error *err)
{
    return open_kind(CF_EVENT_SYNC, config, next, ret_device, err);
}

cf_status cf_recorder_open_timing(const cf_instrument_config *config, cf_device *next, cf_device **ret_device,
                                  cf_error *err)
{
    return open_kind(CF_EVENT_TIMING, config, next, ret_device, err);
}

cf_status cf_recorder_open_stamped(const cf_instrument_config *config, cf_device *next, cf_device **ret_device,
                                   cf_error *err)
{
    return open_kind(CF_EVENT_STAMPED, config, next, ret_device, err);
}

/* A stamp that equals the last window's has not moved, and proves nothing. */
static cf_status read_mark(cf_device *device, mark *m, bool *ret_proven, cf_error *err)
{
    recorder *r = device->state;
    cf_event_reading reading = {0};
    cf_status status = cf_device_event_read(device->next, m->event, &reading, err);
    if (status != CF_OK)
        return status;
    bool moved = reading.has_stamp && (!m->stamped_before || reading.stamp_ns != m->stamp_ns);
    *ret_proven = reading.completed && (r->kind == CF_EVENT_SYNC || moved);
    m->stamped_before = reading.has_stamp;
    m->begin_ns = reading.begin_ns;
    m->stamp_ns = reading.stamp_ns;
    return CF_OK;
}

static cf_status collect_lane(cf_device *device, int lane, uint64_t *proofs, size_t *ret_intervals, cf_error *err)
{
    recorder *r = device->state;
    size_t intervals = 0;
    for (uint32_t i = 0; i < r->used[lane]; i++) {
        bool proven[2] = {false, false};
        for (int side = 0; side < 2; side++) {
            if (r->marks[lane][side] == NULL)
                continue;
            cf_status status = read_mark(device, &r->marks[lane][side][i], &proven[side], err);
            if (status != CF_OK)
                return status;
            *proofs += proven[side];
        }
        if (proven[0] && r->config.on_operations && r->kind != CF_EVENT_SYNC)
            r->seen[lane][intervals++] =
                (cf_seen_interval){r->marks[lane][0][i].begin_ns, r->marks[lane][0][i].stamp_ns};
        else if (proven[0] && proven[1] && r->kind != CF_EVENT_SYNC)
            r->seen[lane][intervals++] =
                (cf_seen_interval){r->marks[lane][0][i].stamp_ns, r->marks[lane][1][i].stamp_ns};
    }
    *ret_intervals = cf_seen_merge(r->seen[lane], intervals);
    return CF_OK;
}

cf_status cf_recorder_collect(cf_device *device, cf_instrument_reading *ret_reading, cf_error *err)
{
    recorder *r = device->state;
    cf_instrument_reading reading = {0};
    size_t count[2] = {0, 0};
    for (int lane = 0; lane < 2; lane++) {
        cf_status status = collect_lane(device, lane, &reading.proofs, &count[lane], err);
        if (status != CF_OK)
            return status;
    }
    if (count[0] > 0 && count[1] > 0) {
        int64_t a_ns = cf_seen_busy_ns(r->seen[0], count[0]);
        int64_t b_ns = cf_seen_busy_ns(r->seen[1], count[1]);
        reading.shorter_ns = a_ns < b_ns ? a_ns : b_ns;
        reading.overlap_ns = cf_seen_both_ns(r->seen[0], count[0], r->seen[1], count[1]);
    }
    memcpy(r->last, r->used, sizeof r->last);
    memset(r->used, 0, sizeof r->used);
    *ret_reading = reading;
    return CF_OK;
}

/* Operation `at` of the window that was collected, as its two stamps have it; false where one of them is missing or the
   clock went back between them. */
static bool interval_of(const recorder *r, int lane, uint32_t at, cf_seen_interval *ret_interval)
{
    const mark *before = r->marks[lane][CF_SIDE_BEFORE];
    const mark *after = r->config.on_operations ? before : r->marks[lane][CF_SIDE_AFTER];
    if (before == NULL || after == NULL || !before[at].stamped_before || !after[at].stamped_before)
        return false;
    ret_interval->begin_ns = r->config.on_operations ? before[at].begin_ns : before[at].stamp_ns;
    ret_interval->end_ns = after[at].stamp_ns;
    return ret_interval->end_ns >= ret_interval->begin_ns;
}

/* sink NULL: looks for the first stamp alone. False where there is none. */
static bool visit_spans(const recorder *r, int64_t *first_ns, cf_span_sink *sink, void *user)
{
    bool any = false;
    for (int lane = 0; lane < 2; lane++) {
        for (uint32_t i = 0; i < r->last[lane]; i++) {
            cf_seen_interval found;
            if (!interval_of(r, lane, i, &found))
                continue;
            if (sink != NULL)
                cf_seen_tell(sink, user, &found, *first_ns, lane, r->marks[lane][CF_SIDE_BEFORE][i].index,
                             r->ops[lane]);
            else if (!any || found.begin_ns < *first_ns)
                *first_ns = found.begin_ns;
            any = true;
        }
    }
    return any;
}

cf_status cf_recorder_spans(cf_device *device, cf_span_sink *sink, void *user, cf_error *err)
{
    const recorder *r = device->state;
    int64_t first_ns = 0;
    if (!visit_spans(r, &first_ns, NULL, NULL))
        return cf_error_set(err, CF_UNSUPPORTED,
                            "the instrument's timestamps tell no operation's begin and end: record on both sides");
    (void)visit_spans(r, &first_ns, sink, user);
    return CF_OK;
}

uint64_t cf_recorder_owed(const cf_instrument_config *config, const uint64_t submitted[2])
{
    uint64_t sides = ((config->where & CF_WHERE_BEFORE) != 0) + (uint64_t)((config->where & CF_WHERE_AFTER) != 0);
    sides = config->on_operations ? 1 : sides;
    return sides * ((config->on & CF_ON_A ? submitted[0] : 0) + (config->on & CF_ON_B ? submitted[1] : 0));
}
