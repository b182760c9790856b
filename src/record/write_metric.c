#include <math.h>

#include "record/metric.h"

void cf_write_metric(cf_json *json, const cf_record_metric *metric)
{
    cf_json_object_begin(json, "metric", false);
    cf_json_string(json, "name", metric->name ? metric->name : "");
    cf_json_string(json, "unit", metric->unit ? metric->unit : "");
    cf_json_string(json, "better", cf_better_names[metric->better]);
    cf_json_string(json, "source", cf_source_names[metric->source]);
    cf_json_string(json, "detail", metric->detail);
    cf_json_array_begin(json, "program", true);
    for (size_t i = 0; i < metric->program.count; i++)
        cf_json_string(json, NULL, metric->program.items[i]);
    cf_json_array_end(json);
    cf_json_string(json, "outputs", metric->outputs);
    cf_json_int(json, "timeout_ms", metric->timeout_ms);
    cf_json_object_end(json);
}

void cf_write_ended(cf_json *json, const cf_record_variant *variant)
{
    if (!variant->ended) {
        cf_json_null(json, "ended");
        return;
    }
    cf_json_object_begin(json, "ended", true);
    cf_json_int(json, "round", variant->ended_round);
    cf_json_string(json, "text", variant->ended);
    cf_json_object_end(json);
}

void cf_write_arm(cf_json *json, const cf_record_variant *variant)
{
    cf_json_string(json, "prefix", variant->prefix);
    if (variant->work_ratio > 0)
        cf_json_double(json, "work_ratio", variant->work_ratio);
    cf_write_ended(json, variant);
}

static void add_numbers(cf_text *out, const cf_values *values)
{
    char number[32];
    if (values->count == 0) {
        cf_text_add(out, "null");
        return;
    }
    for (size_t i = 0; i < values->count; i++)
        cf_text_add(out, "%s%s", i ? "," : "[", cf_text_shortest(values->items[i], number, sizeof number));
    cf_text_add(out, "]");
}

static void add_facts(cf_text *out, const cf_process_facts *facts)
{
    if (!facts->known) {
        cf_text_add(out, "null");
        return;
    }
    cf_text_add(out, "{\"wall_ns\":%lld,\"user_ns\":%lld,\"system_ns\":%lld,\"max_rss_bytes\":%lld,\"delay_ns\":",
                (long long)facts->wall_ns, (long long)facts->user_ns, (long long)facts->system_ns,
                (long long)facts->max_rss_bytes);
    if (facts->delay_ns < 0)
        cf_text_add(out, "null}");
    else
        cf_text_add(out, "%lld}", (long long)facts->delay_ns);
}

/* What follows order in the line of a round. */
void cf_write_metric_round(cf_text *out, const cf_round *round, int variant_count)
{
    bool any = false;
    cf_text_add(out, ",\"values\":[");
    for (int v = 0; v < variant_count; v++) {
        cf_text_add(out, "%s", v ? "," : "");
        add_numbers(out, &round->values[v]);
        any = any || (round->facts && round->facts[v].known);
    }
    cf_text_add(out, "]");
    for (int v = 0; any && v < variant_count; v++) {
        cf_text_add(out, "%s", v ? "," : ",\"runs\":[");
        add_facts(out, &round->facts[v]);
    }
    cf_text_add(out, "%s", any ? "]" : "");
    char number[32];
    if (isfinite(round->load))
        cf_text_add(out, ",\"load\":%s", cf_text_shortest(round->load, number, sizeof number));
}
