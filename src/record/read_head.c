#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "record/metric.h"
#include "record/names.h"
#include "record/read.h"

#define MAX_SPANS 10000000 /* more fit into no file that is accepted */

/* `status = status ? status : next` keeps the first failure without a ladder of ifs. */
#define THEN(status, next) ((status) ? (status) : (next))

static cf_status read_lane(const cf_node *node, cf_record_lane *lane)
{
    cf_status status = cf_node_object(node);
    status = THEN(status, cf_node_get_string(node, "op", &lane->op));
    if (cf_node_exists(node, "label"))
        status = THEN(status, cf_node_get_string_or_null(node, "label", &lane->label));
    status = THEN(status, cf_node_get_int(node, "count", 0, CF_TIME_MAX_NS, &lane->count));
    status = THEN(status, cf_node_get_int(node, "length", 0, CF_TIME_MAX_NS, &lane->length));
    status = THEN(status, cf_node_get_string(node, "unit", &lane->unit));
    return THEN(status, cf_node_get_bool(node, "given", &lane->given));
}

static cf_status read_job(const cf_node *root, const char *key, cf_record_job *job)
{
    cf_node node, lanes;
    cf_status status = cf_node_get_object(root, key, &node);
    status = THEN(status, cf_node_get_string(&node, "name", &job->name));
    status = THEN(status, cf_node_get_string(&node, "text", &job->text));
    status = THEN(status, cf_node_get_array(&node, "lanes", 2, 2, &lanes));
    for (size_t i = 0; !status && i < 2; i++) {
        const cf_node lane = cf_node_element(&lanes, i);
        status = read_lane(&lane, &job->lane[i]);
    }
    status = THEN(status, cf_node_get_bool(&node, "depends", &job->depends));
    status = THEN(status, cf_node_get_int(&node, "in_flight", 0, INT_MAX, &job->in_flight));
    status = THEN(status, cf_node_get_string(&node, "wait", &job->wait));
    status = THEN(status, cf_node_get_string(&node, "submit", &job->submit));
    status = THEN(status, cf_node_get_int(&node, "prefetch", 0, CF_TIME_MAX_NS, &job->prefetch));
    return THEN(status, cf_node_get_int(&node, "batch", 0, CF_TIME_MAX_NS, &job->batch));
}

static cf_status read_armed(const cf_node *object, cf_armed *ret)
{
    const cf_node node = cf_node_member(object, "armed");
    if (!json_is_boolean(node.json) && !json_is_null(node.json))
        return cf_node_refuse(&node, "true, false or null");
    *ret = json_is_null(node.json) ? CF_ARMED_NOTHING : json_is_true(node.json) ? CF_ARMED_YES : CF_ARMED_NO;
    return CF_OK;
}

cf_status cf_read_proof(const cf_node *object, cf_record_variant *variant)
{
    free(variant->armed_how);
    variant->armed_how = NULL;
    cf_status status = read_armed(object, &variant->armed);
    status = THEN(status, cf_node_get_string_or_null(object, "armed_how", &variant->armed_how));
    status = THEN(status, cf_node_get_int(object, "armed_expected", 0, CF_TIME_MAX_NS, &variant->armed_expected));
    return THEN(status, cf_node_get_int(object, "armed_count", 0, CF_TIME_MAX_NS, &variant->armed_count));
}

/* A word of names or null, kept as text. */
static cf_status read_word(const cf_node *object, const char *key, const char *const *names, char **ret)
{
    const cf_node node = cf_node_member(object, key);
    int index;
    if (json_is_null(node.json))
        return CF_OK;
    const cf_status status = cf_node_name(&node, names, &index);
    return THEN(status, cf_node_string(&node, ret));
}

static cf_status check_variant(const cf_node *node, const cf_record *record, int index)
{
    const cf_record_variant *variant = &record->variants[index];
    const cf_node name = cf_node_member(node, "name");
    if (!variant->name[0])
        return cf_node_refuse(&name, "a name");
    const bool named = record->metric.on || strcmp(variant->name, "none") == 0;
    const bool is_lane_role = variant->role == CF_ROLE_REFERENCE || variant->role == CF_ROLE_DESIGN;
    if (record->metric.on && (is_lane_role || (index == 0 && variant->role != CF_ROLE_CONTROL)))
        return cf_node_fail(node,
                            "is the %s '%.60s'; a control as the first variant of a metric, then controls, "
                            "replicas and instruments are accepted",
                            cf_role_name(variant->role), variant->name);
    if (index == 0 && (variant->role != CF_ROLE_CONTROL || !named))
        return cf_node_fail(node, "is the %s '%.60s'; the control 'none' is accepted as the first variant",
                            cf_role_name(variant->role), variant->name);
    for (int other = 0; other < index; other++) {
        if (strcmp(record->variants[other].name, variant->name) == 0)
            return cf_node_fail(&name, "repeats '%.60s' of variants[%d]; names that differ are accepted", variant->name,
                                other);
    }
    return CF_OK;
}

static cf_status read_variant(const cf_node *node, cf_record *record, int index)
{
    cf_record_variant *variant = &record->variants[index];
    int role;
    int64_t job;
    cf_status status = cf_node_object(node);
    status = THEN(status, cf_node_get_string(node, "name", &variant->name));
    status = THEN(status, cf_node_get_name(node, "role", cf_role_names, &role));
    if (status)
        return status;
    variant->role = (cf_role)role;
    status = check_variant(node, record, index);
    status = THEN(status, read_word(node, "where", cf_where_names, &variant->where));
    status = THEN(status, read_word(node, "on", cf_on_names, &variant->on));
    status = THEN(status, cf_read_proof(node, variant));
    status = THEN(status, cf_node_get_int(node, "job", 0, record->has_against, &job));
    status = THEN(status, cf_node_get_bool(node, "process_only", &variant->process_only));
    status = THEN(status, cf_node_get_string_or_null(node, "process_why", &variant->process_why));
    if (!status)
        variant->job = (int)job;
    return status || !record->metric.on ? status : cf_read_arm(node, variant);
}

static cf_status read_variants(const cf_node *root, cf_record *record)
{
    cf_node list;
    cf_status status = cf_node_get_array(root, "variants", 1, CF_MAX_VARIANTS, &list);
    if (status)
        return status;
    const int count = (int)json_array_size(list.json);
    record->variants = calloc((size_t)count, sizeof *record->variants);
    if (!record->variants)
        return cf_error_set(root->doc->err, CF_MEMORY, "%s: out of memory", root->doc->name);
    record->variant_count = count;
    for (int i = 0; !status && i < count; i++) {
        const cf_node node = cf_node_element(&list, (size_t)i);
        status = read_variant(&node, record, i);
    }
    return status;
}

static cf_status read_queued(const cf_node *node, int64_t *ret)
{
    const cf_node queued = cf_node_member(node, "queued_ns");
    *ret = -1;
    return json_is_null(queued.json) ? CF_OK : cf_node_int(&queued, 0, CF_TIME_MAX_NS, ret);
}

/* A command's number; younger than the format. */
static cf_status read_id(const cf_node *node, const char *key, int64_t *ret)
{
    const cf_node id = cf_node_member(node, key);
    return !id.json || json_is_null(id.json) ? CF_OK : cf_node_int(&id, 1, CF_TIME_MAX_NS, ret);
}

static cf_status read_span(const cf_node *node, const cf_record *record, cf_record_span *span)
{
    int64_t variant, stream, lane;
    cf_status status = cf_node_object(node);
    status = THEN(status, cf_node_get_int(node, "variant", 0, record->variant_count - 1, &variant));
    status = THEN(status, cf_node_get_int(node, "begin_ns", 0, CF_TIME_MAX_NS, &span->begin_ns));
    status = THEN(status, cf_node_get_int(node, "end_ns", span->begin_ns, CF_TIME_MAX_NS, &span->end_ns));
    status = THEN(status, read_queued(node, &span->queued_ns));
    status = THEN(status, cf_node_get_string(node, "engine", &span->engine));
    status = THEN(status, cf_node_get_int(node, "stream", INT_MIN, INT_MAX, &stream));
    status = THEN(status, cf_node_get_int(node, "lane", INT_MIN, INT_MAX, &lane));
    status = THEN(status, cf_node_get_int(node, "index", -CF_TIME_MAX_NS, CF_TIME_MAX_NS, &span->index));
    status = THEN(status, cf_node_get_string(node, "what", &span->what));
    status = THEN(status, cf_node_get_string_or_null(node, "waited_for", &span->waited_for));
    status = THEN(status, cf_node_get_bool(node, "instrumented", &span->instrumented));
    status = THEN(status, read_id(node, "id", &span->id));
    status = THEN(status, read_id(node, "waits_for", &span->waits_for));
    if (status)
        return status;
    span->variant = (int)variant;
    span->stream = (int)stream;
    span->lane = (int)lane;
    return CF_OK;
}

static cf_status read_spans(const cf_node *root, cf_record *record)
{
    cf_status status = CF_OK;
    if (cf_node_exists(root, "spans_how"))
        status = cf_node_get_string_or_null(root, "spans_how", &record->spans_how);
    if (status || !cf_node_exists(root, "spans"))
        return status;
    cf_node list;
    status = cf_node_get_array(root, "spans", 0, MAX_SPANS, &list);
    const size_t count = json_array_size(list.json);
    if (status || count == 0)
        return status;
    record->spans = calloc(count, sizeof *record->spans);
    if (!record->spans)
        return cf_error_set(root->doc->err, CF_MEMORY, "%s: out of memory", root->doc->name);
    record->span_count = count;
    for (size_t i = 0; !status && i < count; i++) {
        const cf_node node = cf_node_element(&list, i);
        status = read_span(&node, record, &record->spans[i]);
    }
    return status;
}

cf_status cf_read_data_check(const cf_node *object, cf_record *record)
{
    cf_node node;
    int result;
    free(record->data_check_text);
    record->data_check_text = NULL;
    cf_status status = cf_node_get_object(object, "data_check", &node);
    status = THEN(status, cf_node_get_name(&node, "result", cf_data_check_names, &result));
    status = THEN(status, cf_node_get_string_or_null(&node, "text", &record->data_check_text));
    if (!status)
        record->data_check = (cf_data_check)result;
    return status;
}

cf_status cf_read_skipped(const cf_node *object, cf_record *record)
{
    return cf_node_get_pairs(object, "skipped", &record->skipped);
}

static cf_status read_place(const cf_node *root, cf_record *record)
{
    cf_node tool, host, device, clock;
    cf_status status = cf_node_get_object(root, "tool", &tool);
    status = THEN(status, cf_node_get_string(&tool, "version", &record->tool_version));
    status = THEN(status, cf_node_get_string(&tool, "build", &record->tool_build));
    status = THEN(status, cf_node_get_string(root, "created", &record->created_utc));
    status = THEN(status, cf_node_get_object(root, "host", &host));
    status = THEN(status, cf_node_get_int(&host, "threads", 0, CF_TIME_MAX_NS, &record->host_threads));
    status = THEN(status, cf_node_get_pairs(&host, "facts", &record->host));
    status = THEN(status, cf_node_get_object(root, "device", &device));
    status = THEN(status, cf_node_get_string(&device, "backend", &record->device_backend));
    status = THEN(status, cf_node_get_string(&device, "name", &record->device_name));
    status = THEN(status, cf_node_get_string_or_null(&device, "driver", &record->driver));
    status = THEN(status, cf_node_get_pairs(&device, "facts", &record->device));
    status = THEN(status, cf_node_get_bool(root, "simulated", &record->simulated));
    status = THEN(status, cf_node_get_object(root, "clock", &clock));
    status = THEN(status, cf_node_get_string(&clock, "name", &record->clock_name));
    status = THEN(status, cf_node_get_int(&clock, "resolution_ns", 0, CF_TIME_MAX_NS, &record->clock_resolution_ns));
    return THEN(status, cf_node_get_pairs(root, "environment", &record->environment));
}

static cf_status read_settings(const cf_node *root, cf_record *record)
{
    cf_node settings, calibration;
    cf_status status = cf_node_get_object(root, "settings", &settings);
    status = THEN(status, cf_node_get_double(&settings, "margin", 0, 1000, &record->margin));
    status = THEN(status, cf_node_get_double(&settings, "alpha", 0, 0.5, &record->alpha));
    status = THEN(status, cf_node_get_int(&settings, "min_rounds", 1, INT_MAX, &record->min_rounds));
    status = THEN(status, cf_node_get_int(&settings, "max_rounds", 1, INT_MAX, &record->max_rounds));
    if (status || record->metric.on)
        return status;
    status = cf_node_get_object(root, "calibration", &calibration);
    status = THEN(status, cf_node_get_int(&calibration, "empty_step_ns", 0, CF_TIME_MAX_NS, &record->empty_step_ns));
    status = THEN(status, cf_node_get_int(&calibration, "tries", 0, INT_MAX, &record->calibration_tries));
    status = THEN(status, cf_node_get_int(&calibration, "first_a_ns", 0, CF_TIME_MAX_NS, &record->first_step_ns[0]));
    status = THEN(status, cf_node_get_int(&calibration, "first_b_ns", 0, CF_TIME_MAX_NS, &record->first_step_ns[1]));
    static const char *const again[] = {"again_a_ns", "again_b_ns"}; /* younger than the format */
    for (int lane = 0; lane < 2; lane++)
        if (status == CF_OK && cf_node_exists(&calibration, again[lane]))
            status = cf_node_get_int(&calibration, again[lane], 0, CF_TIME_MAX_NS, &record->again_step_ns[lane]);
    return status;
}

static cf_status check_schema(const cf_node *root)
{
    const cf_node schema = cf_node_member(root, "schema");
    const char *value = json_string_value(schema.json);
    if (!value || strcmp(value, CF_RECORD_SCHEMA) != 0)
        return cf_node_refuse(&schema, "'" CF_RECORD_SCHEMA "'");
    return CF_OK;
}

static cf_status read_design(const cf_node *root, cf_record *record)
{
    int design;
    int64_t seed;
    cf_status status = cf_node_get_name(root, "design", cf_design_names, &design);
    status = THEN(status, cf_node_get_int(root, "seed", 0, CF_TIME_MAX_NS, &seed));
    if (!status) {
        record->design = (cf_design)design;
        record->seed = (uint64_t)seed;
    }
    return status;
}

cf_status cf_read_head(const cf_node *root, cf_record *record)
{
    cf_status status = cf_node_object(root);
    status = THEN(status, check_schema(root));
    status = THEN(status, read_place(root, record));
    if (!status && cf_node_exists(root, "metric"))
        status = cf_read_metric(root, record);
    else
        status = THEN(status, read_job(root, "job", &record->job));
    record->has_against = !record->metric.on && cf_node_exists(root, "against");
    if (record->has_against)
        status = THEN(status, read_job(root, "against", &record->against));
    status = THEN(status, read_design(root, record));
    status = THEN(status, read_settings(root, record));
    status = THEN(status, cf_read_data_check(root, record));
    status = THEN(status, read_variants(root, record));
    status = THEN(status, cf_read_skipped(root, record));
    status = THEN(status, read_spans(root, record));
    return THEN(status, cf_node_get_bool(root, "interrupted", &record->interrupted));
}
