#include "record/write.h"

#include "base/hash.h"
#include "record/file.h"
#include "record/metric.h"
#include "record/names.h"

/* Strings that the format promises: a record that was only half filled in is still a record that can be read. */
static void promised(cf_json *json, const char *key, const char *value)
{
    cf_json_string(json, key, value ? value : "");
}

void cf_write_pairs(cf_json *json, const char *key, const cf_pairs *pairs)
{
    cf_json_object_begin(json, key, false);
    for (size_t i = 0; i < pairs->count; i++)
        cf_json_string(json, pairs->items[i].name, pairs->items[i].value);
    cf_json_object_end(json);
}

static void write_lane(cf_json *json, const cf_record_lane *lane)
{
    cf_json_object_begin(json, NULL, true);
    promised(json, "op", lane->op);
    if (lane->label)
        cf_json_string(json, "label", lane->label);
    cf_json_int(json, "count", lane->count);
    cf_json_int(json, "length", lane->length);
    promised(json, "unit", lane->unit);
    cf_json_bool(json, "given", lane->given);
    cf_json_object_end(json);
}

static void write_job(cf_json *json, const char *key, const cf_record_job *job)
{
    cf_json_object_begin(json, key, false);
    promised(json, "name", job->name);
    promised(json, "text", job->text);
    cf_json_array_begin(json, "lanes", false);
    write_lane(json, &job->lane[0]);
    write_lane(json, &job->lane[1]);
    cf_json_array_end(json);
    cf_json_bool(json, "depends", job->depends);
    cf_json_int(json, "in_flight", job->in_flight);
    promised(json, "wait", job->wait);
    promised(json, "submit", job->submit);
    cf_json_int(json, "prefetch", job->prefetch);
    cf_json_int(json, "batch", job->batch);
    cf_json_object_end(json);
}

void cf_write_proof(cf_json *json, const cf_record_variant *variant)
{
    if (variant->armed == CF_ARMED_NOTHING)
        cf_json_null(json, "armed");
    else
        cf_json_bool(json, "armed", variant->armed == CF_ARMED_YES);
    cf_json_string(json, "armed_how", variant->armed_how);
    cf_json_int(json, "armed_expected", variant->armed_expected);
    cf_json_int(json, "armed_count", variant->armed_count);
}

static void write_variant(cf_json *json, const cf_record_variant *variant, bool is_arm)
{
    cf_json_object_begin(json, NULL, true);
    promised(json, "name", variant->name);
    cf_json_string(json, "role", cf_role_name(variant->role));
    cf_json_string(json, "where", variant->where);
    cf_json_string(json, "on", variant->on);
    cf_write_proof(json, variant);
    cf_json_int(json, "job", variant->job);
    cf_json_bool(json, "process_only", variant->process_only);
    cf_json_string(json, "process_why", variant->process_why);
    if (is_arm)
        cf_write_arm(json, variant);
    cf_json_object_end(json);
}

void cf_write_data_check(cf_json *json, const cf_record *record)
{
    cf_json_object_begin(json, "data_check", true);
    cf_json_string(json, "result", cf_data_check_names[record->data_check]);
    cf_json_string(json, "text", record->data_check_text);
    cf_json_object_end(json);
}

static void write_place(cf_json *json, const cf_record *record)
{
    cf_json_object_begin(json, "tool", true);
    promised(json, "version", record->tool_version);
    promised(json, "build", record->tool_build);
    cf_json_object_end(json);
    promised(json, "created", record->created_utc);
    cf_json_object_begin(json, "host", false);
    cf_json_int(json, "threads", record->host_threads);
    cf_write_pairs(json, "facts", &record->host);
    cf_json_object_end(json);
    cf_json_object_begin(json, "device", false);
    promised(json, "backend", record->device_backend);
    promised(json, "name", record->device_name);
    cf_json_string(json, "driver", record->driver);
    cf_write_pairs(json, "facts", &record->device);
    cf_json_object_end(json);
    cf_json_bool(json, "simulated", record->simulated);
    cf_json_object_begin(json, "clock", true);
    promised(json, "name", record->clock_name);
    cf_json_int(json, "resolution_ns", record->clock_resolution_ns);
    cf_json_object_end(json);
    cf_write_pairs(json, "environment", &record->environment);
}

static void write_calibration(cf_json *json, const cf_record *record)
{
    cf_json_object_begin(json, "calibration", true);
    cf_json_int(json, "empty_step_ns", record->empty_step_ns);
    cf_json_int(json, "tries", record->calibration_tries);
    cf_json_int(json, "first_a_ns", record->first_step_ns[0]);
    cf_json_int(json, "first_b_ns", record->first_step_ns[1]);
    cf_json_int(json, "again_a_ns", record->again_step_ns[0]);
    cf_json_int(json, "again_b_ns", record->again_step_ns[1]);
    cf_json_object_end(json);
}

void cf_write_head(cf_json *json, const cf_record *record)
{
    cf_json_string(json, "schema", CF_RECORD_SCHEMA);
    write_place(json, record);
    if (record->metric.on)
        cf_write_metric(json, &record->metric);
    else
        write_job(json, "job", &record->job);
    if (record->has_against)
        write_job(json, "against", &record->against);
    cf_json_string(json, "design", cf_design_names[record->design]);
    cf_json_uint(json, "seed", record->seed);
    cf_json_object_begin(json, "settings", true);
    cf_json_double(json, "margin", record->margin);
    cf_json_double(json, "alpha", record->alpha);
    cf_json_int(json, "min_rounds", record->min_rounds);
    cf_json_int(json, "max_rounds", record->max_rounds);
    cf_json_object_end(json);
    if (!record->metric.on)
        write_calibration(json, record);
    cf_write_data_check(json, record);
    cf_json_array_begin(json, "variants", false);
    for (int i = 0; i < record->variant_count; i++)
        write_variant(json, &record->variants[i], record->metric.on);
    cf_json_array_end(json);
}

static void write_span(cf_json *json, const cf_record_span *span)
{
    cf_json_object_begin(json, NULL, true);
    cf_json_int(json, "variant", span->variant);
    cf_json_int(json, "begin_ns", span->begin_ns);
    cf_json_int(json, "end_ns", span->end_ns);
    if (span->queued_ns < 0)
        cf_json_null(json, "queued_ns");
    else
        cf_json_int(json, "queued_ns", span->queued_ns);
    promised(json, "engine", span->engine);
    cf_json_int(json, "stream", span->stream);
    cf_json_int(json, "lane", span->lane);
    cf_json_int(json, "index", span->index);
    promised(json, "what", span->what);
    cf_json_string(json, "waited_for", span->waited_for);
    cf_json_bool(json, "instrumented", span->instrumented);
    if (span->id > 0)
        cf_json_int(json, "id", span->id);
    if (span->waits_for > 0)
        cf_json_int(json, "waits_for", span->waits_for);
    cf_json_object_end(json);
}

void cf_write_tail(cf_json *json, const cf_record *record)
{
    cf_write_pairs(json, "skipped", &record->skipped);
    if (record->span_count) {
        cf_json_array_begin(json, "spans", false);
        for (size_t i = 0; i < record->span_count; i++)
            write_span(json, &record->spans[i]);
        cf_json_array_end(json);
    }
    if (record->spans_how)
        cf_json_string(json, "spans_how", record->spans_how);
    cf_json_bool(json, "interrupted", record->interrupted);
}

static void write_list(cf_json *json, const char *key, const cf_rounds *rounds, int variant_count)
{
    cf_text line = {0};
    cf_json_array_begin(json, key, false);
    for (size_t i = 0; i < rounds->count; i++) {
        line.size_bytes = 0;
        cf_write_round(&line, &rounds->items[i], variant_count);
        cf_json_raw(json, NULL, line.data, line.size_bytes);
    }
    cf_json_array_end(json);
    if (line.failed)
        json->out->failed = true;
    cf_text_done(&line);
}

cf_status cf_record_print(const cf_record *record, cf_text *ret_json, cf_error *err)
{
    cf_text out = {0};
    cf_json json = {.out = &out};
    cf_json_object_begin(&json, NULL, false);
    cf_write_head(&json, record);
    write_list(&json, "prologue", &record->prologue, 1);
    write_list(&json, "warmup", &record->warmup, record->variant_count);
    write_list(&json, "rounds", &record->rounds, record->variant_count);
    cf_write_tail(&json, record);
    cf_json_object_end(&json);
    if (out.failed) {
        cf_text_done(&out);
        return cf_error_set(err, CF_MEMORY, "out of memory while printing the record");
    }
    *ret_json = out;
    return CF_OK;
}

cf_status cf_record_write(const char *path, const cf_record *record, char ret_sha256_hex[65], cf_error *err)
{
    cf_text out = {0};
    cf_status status = cf_record_print(record, &out, err);
    if (status)
        return status;
    status = cf_file_write_atomic(path, out.data, out.size_bytes, err);
    if (!status && ret_sha256_hex)
        cf_hash_sha256(out.data, out.size_bytes, ret_sha256_hex);
    cf_text_done(&out);
    return status;
}
