#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "record/metric.h"

#define MAX_WORDS          4096
#define THEN(status, next) ((status) ? (status) : (next))

static cf_status read_program(const cf_node *node, cf_strings *ret)
{
    cf_node list;
    cf_status status = cf_node_get_array(node, "program", 0, MAX_WORDS, &list);
    if (status || json_array_size(list.json) == 0)
        return status;
    ret->items = calloc(json_array_size(list.json), sizeof *ret->items);
    if (!ret->items)
        return cf_error_set(node->doc->err, CF_MEMORY, "%s: out of memory", node->doc->name);
    for (size_t i = 0; !status && i < json_array_size(list.json); i++) {
        const cf_node word = cf_node_element(&list, i);
        status = cf_node_string(&word, &ret->items[i]);
        ret->count = i + 1;
    }
    return status;
}

cf_status cf_read_metric(const cf_node *root, cf_record *record)
{
    cf_record_metric *metric = &record->metric;
    cf_node node;
    int better = 0, source = 0;
    cf_status status = cf_node_get_object(root, "metric", &node);
    metric->on = true;
    status = THEN(status, cf_node_get_string(&node, "name", &metric->name));
    status = THEN(status, cf_node_get_string(&node, "unit", &metric->unit));
    status = THEN(status, cf_node_get_name(&node, "better", cf_better_names, &better));
    status = THEN(status, cf_node_get_name(&node, "source", cf_source_names, &source));
    status = THEN(status, cf_node_get_string_or_null(&node, "detail", &metric->detail));
    status = THEN(status, read_program(&node, &metric->program));
    status = THEN(status, cf_node_get_string_or_null(&node, "outputs", &metric->outputs));
    status = THEN(status, cf_node_get_int(&node, "timeout_ms", 0, CF_TIME_MAX_NS, &metric->timeout_ms));
    metric->better = (cf_better)better;
    metric->source = (cf_source)source;
    return THEN(status, cf_record_blank_job(record, root->doc->err));
}

cf_status cf_read_ended(const cf_node *object, cf_record_variant *variant)
{
    cf_node ended = cf_node_member(object, "ended");
    free(variant->ended);
    variant->ended = NULL;
    variant->ended_round = 0;
    if (json_is_null(ended.json))
        return CF_OK;
    cf_status status = cf_node_get_object(object, "ended", &ended);
    status = THEN(status, cf_node_get_int(&ended, "round", 0, INT_MAX, &variant->ended_round));
    return THEN(status, cf_node_get_string(&ended, "text", &variant->ended));
}

cf_status cf_read_arm(const cf_node *object, cf_record_variant *variant)
{
    cf_status status = cf_node_get_string_or_null(object, "prefix", &variant->prefix);
    if (cf_node_exists(object, "work_ratio"))
        status = THEN(status, cf_node_get_double(object, "work_ratio", 0, 1e18, &variant->work_ratio));
    return THEN(status, cf_read_ended(object, variant));
}

static cf_status read_numbers(const cf_node *node, int variant, cf_round *round)
{
    if (json_is_null(node->json))
        return CF_OK;
    cf_status status = cf_node_array(node, 1, CF_VALUES_MAX);
    const size_t count = status ? 0 : json_array_size(node->json);
    double *numbers = count ? malloc(count * sizeof *numbers) : NULL;
    if (count && !numbers)
        return cf_error_set(node->doc->err, CF_MEMORY, "%s: out of memory", node->doc->name);
    for (size_t i = 0; !status && i < count; i++) {
        const cf_node element = cf_node_element(node, i);
        numbers[i] = json_number_value(element.json);
        if (!json_is_number(element.json) || !(numbers[i] > 0) || numbers[i] > DBL_MAX)
            status = cf_node_refuse(&element, "a number above 0");
    }
    if (!status)
        status = cf_round_set_values(round, variant, numbers, count, node->doc->err);
    free(numbers);
    return status;
}

static cf_status read_facts(const cf_node *node, int variant, cf_round *round)
{
    cf_process_facts *facts = &round->facts[variant];
    if (json_is_null(node->json))
        return CF_OK;
    cf_status status = cf_node_object(node);
    facts->known = true;
    facts->delay_ns = -1;
    status = THEN(status, cf_node_get_int(node, "wall_ns", 0, CF_TIME_MAX_NS, &facts->wall_ns));
    status = THEN(status, cf_node_get_int(node, "user_ns", 0, CF_TIME_MAX_NS, &facts->user_ns));
    status = THEN(status, cf_node_get_int(node, "system_ns", 0, CF_TIME_MAX_NS, &facts->system_ns));
    status = THEN(status, cf_node_get_int(node, "max_rss_bytes", 0, CF_TIME_MAX_NS, &facts->max_rss_bytes));
    const cf_node delay = cf_node_member(node, "delay_ns");
    return status || json_is_null(delay.json) ? status : cf_node_int(&delay, 0, CF_TIME_MAX_NS, &facts->delay_ns);
}

/* One element a variant, in their order. */
static cf_status read_list(const cf_node *node, const char *key, int variant_count, cf_round *round,
                           cf_status (*read)(const cf_node *node, int variant, cf_round *round))
{
    cf_node list;
    cf_status status = cf_node_get_array(node, key, (size_t)variant_count, (size_t)variant_count, &list);
    for (int v = 0; !status && v < variant_count; v++) {
        const cf_node element = cf_node_element(&list, (size_t)v);
        status = read(&element, v, round);
    }
    return status;
}

cf_status cf_read_metric_round(const cf_node *node, int variant_count, cf_round *round)
{
    cf_status status = read_list(node, "values", variant_count, round, read_numbers);
    if (status)
        return status;
    if (cf_node_exists(node, "runs")) {
        status = read_list(node, "runs", variant_count, round, read_facts);
    } else {
        free(round->facts);
        round->facts = NULL;
    }
    if (!status && cf_node_exists(node, "load"))
        status = cf_node_get_double(node, "load", -1, 1e9, &round->load);
    return status;
}
