#include "record/round_in.h"

#include <limits.h>
#include <stdlib.h>

#include "record/metric.h"
#include "record/names.h"

bool cf_round_is_permutation(const int *order, int count)
{
    bool met[CF_MAX_VARIANTS * CF_CELL_COUNT] = {false};
    for (int i = 0; i < count; i++) {
        if (order[i] < 0 || order[i] >= count || met[order[i]])
            return false;
        met[order[i]] = true;
    }
    return true;
}

static cf_status read_marks(const cf_node *node, unsigned *ret)
{
    cf_node marks;
    unsigned bits = 0;
    cf_status status = cf_node_get_array(node, "marks", 0, 32, &marks);
    for (size_t i = 0; !status && i < json_array_size(marks.json); i++) {
        const cf_node mark = cf_node_element(&marks, i);
        int bit = 0;
        status = cf_node_name(&mark, cf_mark_names, &bit);
        bits |= 1u << bit;
    }
    if (!status)
        *ret = bits;
    return status;
}

static cf_status read_order(const cf_node *node, cf_round *round)
{
    cf_node order;
    const size_t cells = (size_t)round->order_count;
    cf_status status = cf_node_get_array(node, "order", cells, cells, &order);
    for (size_t i = 0; !status && i < cells; i++) {
        const cf_node element = cf_node_element(&order, i);
        int64_t cell;
        status = cf_node_int(&element, 0, (int64_t)cells - 1, &cell);
        if (!status)
            round->order[i] = (int)cell;
    }
    if (!status && !cf_round_is_permutation(round->order, round->order_count))
        return cf_node_fail(&order, "names a cell twice; each of 0 to %zu once is accepted", cells - 1);
    return status;
}

static cf_status read_time(const cf_node *node, bool may_be_unsupported, int64_t *ret)
{
    if (may_be_unsupported && json_is_null(node->json)) {
        *ret = -1;
        return CF_OK;
    }
    return cf_node_int(node, 0, CF_TIME_MAX_NS, ret);
}

static int64_t *times_at(cf_round *round, int variant, int cell, size_t offset)
{
    return (int64_t *)(void *)((char *)&round->samples[variant * CF_CELL_COUNT + cell] + offset);
}

static cf_status read_steps(const cf_node *list, bool may_be_unsupported, int64_t *times)
{
    cf_status status = cf_node_array(list, CF_STEPS, CF_STEPS);
    for (size_t i = 0; !status && i < CF_STEPS; i++) {
        const cf_node element = cf_node_element(list, i);
        status = read_time(&element, may_be_unsupported, &times[i]);
    }
    return status;
}

/* A list of steps for each variant, or one value that stands for all. */
static cf_status read_field(const cf_node *cell, int index, const cf_sample_field *field, int variant_count,
                            cf_round *round)
{
    const cf_node node = cf_node_member(cell, field->name);
    if (!json_is_array(node.json)) {
        int64_t value;
        const cf_status status = read_time(&node, field->may_be_unsupported, &value);
        for (int i = 0; !status && i < variant_count * CF_STEPS; i++)
            times_at(round, i / CF_STEPS, index, field->offset)[i % CF_STEPS] = value;
        return status;
    }
    cf_status status = cf_node_array(&node, (size_t)variant_count, (size_t)variant_count);
    for (int variant = 0; !status && variant < variant_count; variant++) {
        const cf_node list = cf_node_element(&node, (size_t)variant);
        status = read_steps(&list, field->may_be_unsupported, times_at(round, variant, index, field->offset));
    }
    return status;
}

static cf_status read_cell(const cf_node *node, int index, int variant_count, cf_round *round)
{
    cf_node cell;
    cf_status status = cf_node_get_object(node, cf_cell_name((cf_cell)index), &cell);
    for (const cf_sample_field *field = cf_sample_fields; !status && field->name; field++)
        status = read_field(&cell, index, field, variant_count, round);
    return status;
}

static cf_status read_seen(const cf_node *node, int variant_count, cf_round *round)
{
    if (!cf_node_exists(node, "seen")) {
        free(round->seen);
        round->seen = NULL;
        return CF_OK;
    }
    cf_node seen;
    cf_status status = cf_node_get_array(node, "seen", (size_t)variant_count, (size_t)variant_count, &seen);
    for (int variant = 0; !status && variant < variant_count; variant++) {
        const cf_node pair = cf_node_element(&seen, (size_t)variant);
        if (json_is_null(pair.json))
            continue;
        status = cf_node_array(&pair, 2, 2);
        if (status)
            break;
        const cf_node overlap = cf_node_element(&pair, 0), shorter = cf_node_element(&pair, 1);
        status = cf_node_int(&overlap, 0, CF_TIME_MAX_NS, &round->seen[variant].overlap_ns);
        if (!status)
            status = cf_node_int(&shorter, 1, CF_TIME_MAX_NS, &round->seen[variant].shorter_ns);
    }
    return status;
}

cf_status cf_round_read(const cf_node *node, int variant_count, cf_round *round)
{
    int64_t process;
    cf_status status = cf_node_object(node);
    if (!status)
        status = cf_node_get_int(node, "round", 1, CF_TIME_MAX_NS, &round->number);
    if (!status)
        status = cf_node_get_int(node, "process", 0, INT_MAX, &process);
    if (status)
        return status;
    round->process = (int)process;
    status = read_marks(node, &round->marks);
    if (!status)
        status = read_order(node, round);
    if (!status && round->values)
        return cf_read_metric_round(node, variant_count, round);
    for (int cell = 0; !status && cell < CF_CELL_COUNT; cell++)
        status = read_cell(node, cell, variant_count, round);
    return status ? status : read_seen(node, variant_count, round);
}
