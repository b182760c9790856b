/* Blocks, dependency events and the two lanes' operations, made once; a step only walks them. */
#include "workload/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

#define WORD                 ((uint64_t)sizeof(uint64_t))
#define MODELLED_BLOCK_BYTES (UINT64_C(32) << 10) /* where a copy's length is time, it still moves this much */
#define MODELLED_LANE_BYTES  (UINT64_C(64) << 20) /* of a lane altogether, so that long lanes stay small */
#define KERNEL_SOURCE_BYTES  (2 * WORD)

typedef struct item {
    cf_op together, alone; /* alone: as in the cells a and b, where there is nothing to wait for */
    uint64_t source_bytes; /* of the block that feeds it, from src_offset_bytes on */
    uint64_t value;        /* the word that it takes in, by the nonce of the window */
    bool chained;          /* in ab it takes in what a[i] put out */
} item;

typedef struct lane {
    item *items; /* [in_flight * count], step after step */
    cf_block **blocks;
    uint32_t block_count;
} lane;

struct cf_workload {
    cf_device *device;
    cf_workload_spec spec;
    cf_device_info info;
    lane lanes[2];
    cf_event **events; /* [in_flight * count of a], only where lanes depend */
    uint32_t event_count;
    cf_workload_turn *turns[CF_CELL_COUNT];
    uint32_t turn_count[CF_CELL_COUNT];
};

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t copy_block_bytes(const cf_workload_spec *spec, int number)
{
    const cf_lane_spec *l = &spec->lane[number];
    if (l->unit == CF_UNIT_BYTES)
        return max_u64(l->length, WORD);
    uint64_t share = MODELLED_LANE_BYTES / ((uint64_t)l->count * spec->in_flight) / WORD * WORD;
    return share < 2 * WORD ? 2 * WORD : share < MODELLED_BLOCK_BYTES ? share : MODELLED_BLOCK_BYTES;
}

static void set_op_length(const cf_workload *w, int number, cf_op *op)
{
    const cf_lane_spec *l = &w->spec.lane[number];
    op->ns = l->unit == CF_UNIT_NS ? l->length : 0;
    op->bytes = l->unit == CF_UNIT_BYTES ? l->length : 0;
    op->trips = l->unit == CF_UNIT_TRIPS ? l->length : 0;
    if (op->kind == CF_OP_KERNEL && l->unit == CF_UNIT_NS)
        op->trips = max_u64(1, l->length / 1000 * w->info.kernel_trips_per_us);
}

static cf_status add_block(cf_workload *w, int number, cf_place place, uint64_t size_bytes, cf_block **ret_block,
                           cf_error *err)
{
    lane *l = &w->lanes[number];
    cf_status status = cf_device_block_new(w->device, place, size_bytes, ret_block, err);
    if (status != CF_OK)
        return status;
    l->blocks[l->block_count++] = *ret_block;
    return CF_OK;
}

static bool chains(const cf_workload *w, int number, uint32_t index)
{
    return w->spec.depends && number == 1 && index < w->spec.lane[0].count;
}

static cf_status give_source(cf_workload *w, int number, uint32_t step, uint32_t index, item *it, cf_error *err)
{
    if (chains(w, number, index)) {
        const item *feeder = &w->lanes[0].items[step * w->spec.lane[0].count + index];
        it->chained = true;
        it->together.src = feeder->together.dst;
        it->together.waits = feeder->together.signals;
        if (feeder->together.kind == CF_OP_KERNEL)
            it->together.src_offset_bytes = index * WORD;
        it->source_bytes = cf_op_is_copy(feeder->together.kind) ? copy_block_bytes(&w->spec, 0) : WORD;
        return CF_OK;
    }
    cf_op_kind kind = it->together.kind;
    it->source_bytes = cf_op_is_copy(kind) ? copy_block_bytes(&w->spec, number) : KERNEL_SOURCE_BYTES;
    cf_place place = cf_op_reads_host(kind) ? CF_PLACE_HOST : CF_PLACE_DEVICE;
    return add_block(w, number, place, it->source_bytes, &it->together.src, err);
}

static cf_status make_item(cf_workload *w, int number, uint32_t step, uint32_t index, cf_block *results, cf_error *err)
{
    const cf_lane_spec *l = &w->spec.lane[number];
    item *it = &w->lanes[number].items[step * l->count + index];
    *it = (item){.together = {.kind = l->kind, .lane = number, .index = index, .dst = results, .share = l->share}};
    it->together.pieces = l->kind == CF_OP_BATCH_COPY ? l->pieces : 0;
    set_op_length(w, number, &it->together);
    if (number == 0 && w->spec.depends && index < w->spec.lane[1].count)
        it->together.signals = w->events[step * l->count + index];
    cf_status status = give_source(w, number, step, index, it, err);
    if (status == CF_OK && cf_op_is_copy(l->kind)) {
        cf_place place = l->kind == CF_OP_D2H ? CF_PLACE_HOST : CF_PLACE_DEVICE;
        status = add_block(w, number, place, copy_block_bytes(&w->spec, number), &it->together.dst, err);
    }
    it->alone = it->together;
    it->alone.waits = NULL;
    return status;
}

static cf_status make_lane(cf_workload *w, int number, cf_error *err)
{
    const cf_lane_spec *l = &w->spec.lane[number];
    size_t total = (size_t)l->count * w->spec.in_flight;
    w->lanes[number].items = calloc(total, sizeof(item));
    w->lanes[number].blocks = calloc(2 * total + w->spec.in_flight, sizeof(cf_block *));
    if (w->lanes[number].items == NULL || w->lanes[number].blocks == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    for (uint32_t step = 0; step < w->spec.in_flight; step++) {
        /* Room after the words, because a chained copy may read a whole block from the last of them on. */
        uint64_t result_bytes = l->count * WORD + copy_block_bytes(&w->spec, 1 - number);
        cf_block *results = NULL;
        cf_status status =
            cf_op_is_copy(l->kind) ? CF_OK : add_block(w, number, CF_PLACE_DEVICE, result_bytes, &results, err);
        for (uint32_t i = 0; status == CF_OK && i < l->count; i++)
            status = make_item(w, number, step, i, results, err);
        if (status != CF_OK)
            return status;
    }
    return CF_OK;
}

static cf_status make_events(cf_workload *w, cf_error *err)
{
    if (!w->spec.depends)
        return CF_OK;
    uint32_t total = w->spec.lane[0].count * w->spec.in_flight;
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers is meant */
    w->events = calloc(total, sizeof *w->events);
    if (w->events == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    for (; w->event_count < total; w->event_count++) {
        cf_status status = cf_device_event_new(w->device, CF_EVENT_SYNC, &w->events[w->event_count], err);
        if (status != CF_OK)
            return status;
    }
    return CF_OK;
}

static void free_lanes(cf_workload *w)
{
    for (int number = 1; number >= 0; number--) {
        lane *l = &w->lanes[number];
        for (uint32_t i = 0; i < l->block_count; i++)
            cf_device_block_free(w->device, l->blocks[i]);
        free(l->blocks);
        free(l->items);
        *l = (lane){0};
    }
    for (uint32_t i = 0; i < w->event_count; i++)
        cf_device_event_free(w->device, w->events[i]);
    free(w->events);
    w->events = NULL;
    w->event_count = 0;
}

static cf_status make_lanes(cf_workload *w, cf_error *err)
{
    cf_status status = make_events(w, err);
    if (status == CF_OK)
        status = make_lane(w, 0, err);
    return status == CF_OK ? make_lane(w, 1, err) : status;
}

cf_status cf_workload_new(cf_device *device, const cf_workload_spec *spec, cf_workload **ret_workload, cf_error *err)
{
    cf_status status = cf_workload_check(spec, err);
    if (status != CF_OK)
        return status;
    cf_workload *w = calloc(1, sizeof *w);
    if (w == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    *w = (cf_workload){.device = device, .spec = *spec};
    cf_device_info_get(device, &w->info);
    for (int cell = 0; cell < CF_CELL_COUNT && status == CF_OK; cell++) {
        w->turns[cell] = calloc((size_t)spec->lane[0].count + spec->lane[1].count, sizeof(cf_workload_turn));
        if (w->turns[cell] == NULL)
            status = cf_error_set(err, CF_MEMORY, "out of memory");
        else
            w->turn_count[cell] = cf_workload_order(spec, (cf_cell)cell, w->turns[cell]);
    }
    if (status == CF_OK)
        status = make_lanes(w, err);
    if (status != CF_OK) {
        cf_workload_free(w);
        return status;
    }
    *ret_workload = w;
    return CF_OK;
}

void cf_workload_free(cf_workload *w)
{
    if (w == NULL)
        return;
    free_lanes(w);
    for (int cell = 0; cell < CF_CELL_COUNT; cell++)
        free(w->turns[cell]);
    free(w);
}

cf_status cf_workload_set_length(cf_workload *w, int number, uint64_t length, cf_error *err)
{
    w->spec.lane[number].length = length;
    if (w->spec.lane[number].unit == CF_UNIT_BYTES) {
        free_lanes(w);
        return make_lanes(w, err);
    }
    size_t total = (size_t)w->spec.lane[number].count * w->spec.in_flight;
    for (size_t i = 0; i < total; i++) {
        item *it = &w->lanes[number].items[i];
        set_op_length(w, number, &it->together);
        set_op_length(w, number, &it->alone);
    }
    return CF_OK;
}

const cf_workload_spec *cf_workload_spec_of(const cf_workload *w)
{
    return &w->spec;
}

static cf_status write_word(cf_workload *w, const item *it, uint64_t at_bytes, cf_error *err)
{
    return cf_device_block_write(w->device, it->together.src, it->together.src_offset_bytes + at_bytes, &it->value,
                                 WORD, err);
}

/* First and last word, so that a copy that stopped short shows. */
static cf_status fill(cf_workload *w, const item *it, cf_error *err)
{
    cf_status status = write_word(w, it, 0, err);
    if (status == CF_OK && it->source_bytes >= 2 * WORD)
        status = write_word(w, it, it->source_bytes - WORD, err);
    return status;
}

static uint64_t output_of(const item *it)
{
    return it->together.kind == CF_OP_KERNEL ? cf_kernel_result(it->value, it->together.trips) : it->value;
}

static cf_status prepare_lane(cf_workload *w, cf_cell cell, int number, uint64_t nonce, cf_error *err)
{
    size_t total = (size_t)w->spec.lane[number].count * w->spec.in_flight;
    uint32_t count = w->spec.lane[number].count;
    cf_rng rng = {.state = nonce + (uint64_t)number};
    for (size_t i = 0; i < total; i++) {
        item *it = &w->lanes[number].items[i];
        if (cell == CF_CELL_AB && it->chained) {
            it->value = output_of(&w->lanes[0].items[i / count * w->spec.lane[0].count + i % count]);
            continue;
        }
        it->value = cf_rng_next(&rng);
        cf_status status = fill(w, it, err);
        if (status != CF_OK)
            return status;
    }
    return CF_OK;
}

static bool has_lane(cf_cell cell, int number)
{
    return cell == CF_CELL_AB || (int)cell == number;
}

cf_status cf_workload_prepare(cf_workload *w, cf_cell cell, uint64_t nonce, cf_error *err)
{
    cf_status status = CF_OK;
    if (!w->info.moves && !w->info.computes)
        return CF_OK;
    for (int number = 0; number < 2 && status == CF_OK; number++)
        if (has_lane(cell, number))
            status = prepare_lane(w, cell, number, nonce, err);
    return status;
}

cf_status cf_workload_submit(cf_workload *w, cf_device *top, cf_stream *const streams[2], cf_cell cell, cf_error *err)
{
    const cf_workload_turn *turns = w->turns[cell];
    uint32_t count = w->turn_count[cell];
    for (uint32_t step = 0; step < w->spec.in_flight; step++) {
        const item *first[2] = {&w->lanes[0].items[(size_t)step * w->spec.lane[0].count],
                                &w->lanes[1].items[(size_t)step * w->spec.lane[1].count]};
        for (uint32_t i = 0; i < count; i++) {
            const item *it = &first[turns[i].lane][turns[i].index];
            const cf_op *op = cell == CF_CELL_AB ? &it->together : &it->alone;
            cf_status status = cf_device_submit(top, streams[turns[i].lane], op, err);
            if (status != CF_OK)
                return status;
        }
    }
    return CF_OK;
}

static cf_status check_word(cf_workload *w, const item *it, uint64_t at_bytes, const char *which, bool *ret_right,
                            char *text, size_t text_bytes, cf_error *err)
{
    uint64_t found = 0;
    uint64_t expected = output_of(it);
    cf_status status = cf_device_block_read(w->device, it->together.dst, at_bytes, &found, WORD, err);
    if (status != CF_OK || found == expected)
        return status;
    *ret_right = false;
    snprintf(text, text_bytes, "%c[%u] (%s): the %s word is %016llx, and this step's nonce makes it %016llx",
             'a' + it->together.lane, it->together.index, cf_op_names[it->together.kind], which,
             (unsigned long long)found, (unsigned long long)expected);
    return CF_OK;
}

static cf_status verify_item(cf_workload *w, int number, const item *it, bool *ret_right, char *text, size_t text_bytes,
                             cf_error *err)
{
    if (it->together.kind == CF_OP_KERNEL)
        return check_word(w, it, it->together.index * WORD, "result", ret_right, text, text_bytes, err);
    uint64_t size = copy_block_bytes(&w->spec, number);
    cf_status status = check_word(w, it, 0, "first", ret_right, text, text_bytes, err);
    if (status == CF_OK && *ret_right && it->source_bytes == size && size >= 2 * WORD)
        status = check_word(w, it, size - WORD, "last", ret_right, text, text_bytes, err);
    return status;
}

static cf_status verify_lane(cf_workload *w, int number, bool *ret_right, char *text, size_t text_bytes, cf_error *err)
{
    size_t total = (size_t)w->spec.lane[number].count * w->spec.in_flight;
    for (size_t i = 0; i < total && *ret_right; i++) {
        cf_status status = verify_item(w, number, &w->lanes[number].items[i], ret_right, text, text_bytes, err);
        if (status != CF_OK)
            return status;
    }
    return CF_OK;
}

static bool by_kernel(const cf_workload *w, int number)
{
    return w->spec.lane[number].kind == CF_OP_KERNEL || w->spec.lane[number].kind == CF_OP_KERNEL_COPY;
}

/* Does the device really do what the lane's results come from? A copy of what a kernel put out is as good as that. */
static bool is_real(const cf_workload *w, cf_cell cell, int number)
{
    bool from_kernel = cell == CF_CELL_AB && w->spec.depends && number == 1 && by_kernel(w, 0);
    if ((by_kernel(w, number) || from_kernel) && !w->info.computes)
        return false;
    return by_kernel(w, number) || w->info.moves;
}

cf_status cf_workload_verify(cf_workload *w, cf_cell cell, bool *ret_right, char *text, size_t text_bytes,
                             cf_error *err)
{
    *ret_right = true;
    cf_status status = CF_OK;
    for (int number = 0; number < 2 && status == CF_OK; number++) {
        if (has_lane(cell, number) && is_real(w, cell, number))
            status = verify_lane(w, number, ret_right, text, text_bytes, err);
    }
    return status;
}
