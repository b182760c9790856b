#include <math.h>
#include <stdio.h>

#include "base/json_out.h"
#include "verdict/set.h"

static const char *const because_words[] = {
    [CF_SET_AGREED] = "agreed", [CF_SET_LACKS_MEMBERS] = "lacks-members", [CF_SET_DISAGREES] = "disagrees"};

static void print_strings(cf_json *json, const char *key, const cf_set_strings *strings)
{
    cf_json_array_begin(json, key, true);
    for (size_t i = 0; i < strings->count; i++)
        cf_json_string(json, NULL, strings->items[i]);
    cf_json_array_end(json);
}

static void print_number(cf_json *json, const char *key, const cf_set_number *number)
{
    if (isnan(number->median)) {
        cf_json_null(json, key);
        return;
    }
    cf_json_object_begin(json, key, true);
    cf_json_double(json, "median", number->median);
    cf_json_double(json, "least", number->least);
    cf_json_double(json, "most", number->most);
    cf_json_object_end(json);
}

static void print_estimate(cf_json *json, const char *key, const cf_estimate *estimate)
{
    if (!estimate->ok) {
        cf_json_null(json, key);
        return;
    }
    cf_json_object_begin(json, key, true);
    cf_json_double(json, "median", estimate->median);
    cf_json_array_begin(json, "ci95", true);
    cf_json_double(json, NULL, estimate->low);
    cf_json_double(json, NULL, estimate->high);
    cf_json_array_end(json);
    cf_json_object_end(json);
}

static void print_reasons(cf_json *json, const char *key, const cf_reasons *reasons)
{
    cf_json_array_begin(json, key, true);
    for (int i = 0; i < reasons->count; i++)
        cf_json_string(json, NULL, cf_because_word(reasons->items[i]));
    cf_json_array_end(json);
}

static void print_group(cf_json *json, const cf_set_group *group)
{
    cf_json_object_begin(json, NULL, false);
    cf_json_string(json, "value", group->value);
    cf_json_double(json, "number", group->number);
    cf_json_int(json, "members", group->members);
    cf_json_int(json, "done", group->done);
    cf_json_string(json, "verdict", cf_verdict_name(group->verdict));
    cf_json_string(json, "because", because_words[group->because]);
    cf_json_array_begin(json, "variants", false);
    for (int v = 0; v < group->variant_count; v++) {
        const cf_set_variant *variant = &group->variants[v];
        cf_json_object_begin(json, NULL, true);
        cf_json_string(json, "name", variant->name);
        cf_json_string(json, "role", cf_role_name(variant->role));
        cf_json_string(json, "reading", cf_reading_name(variant->reading));
        cf_json_string(json, "effect", cf_effect_name(variant->effect));
        print_number(json, "overlap", &variant->overlap);
        print_number(json, "delta", &variant->delta);
        print_number(json, "ab_ms", &variant->ab_ms);
        print_number(json, "exposed_ms", &variant->exposed_ms);
        cf_json_object_end(json);
    }
    cf_json_array_end(json);
    cf_json_object_end(json);
}

static void print_variant(cf_json *json, const cf_set_result *result, int v)
{
    const cf_variant_judgement *variant = &result->judgement.variants[v];
    cf_json_object_begin(json, NULL, true);
    cf_json_string(json, "name", result->record.variants[v].name);
    cf_json_string(json, "role", cf_role_name(result->record.variants[v].role));
    cf_json_string(json, "reading", cf_reading_name(variant->reading));
    cf_json_string(json, "effect", cf_effect_name(variant->effect.verdict));
    print_reasons(json, "because", &variant->because);
    print_estimate(json, "overlap", &variant->overlap);
    if (variant->effect.verdict == CF_EFFECT_NONE)
        cf_json_null(json, "delta");
    else
        print_estimate(json, "delta", &variant->effect.delta);
    cf_json_double(json, "a_ms", variant->a_ms);
    cf_json_double(json, "b_ms", variant->b_ms);
    cf_json_double(json, "ab_ms", variant->ab_ms);
    cf_json_double(json, "exposed_ms", variant->exposed_ms);
    cf_json_object_end(json);
}

static void print_judged(cf_json *json, const cf_set_result *result)
{
    const cf_judgement *judgement = &result->judgement;
    cf_json_object_begin(json, "judgement", false);
    cf_json_string(json, "verdict", cf_verdict_name(judgement->verdict));
    cf_json_bool(json, "valid", judgement->valid);
    print_reasons(json, "invalid_because", &judgement->invalid_because);
    cf_json_bool(json, "simulated", judgement->simulated);
    cf_json_int(json, "rounds", judgement->rounds);
    cf_json_double(json, "best", judgement->best);
    cf_json_double(json, "missing", judgement->missing);
    cf_json_array_begin(json, "findings", true);
    for (int i = 0; i < judgement->finding_count; i++)
        cf_json_string(json, NULL, cf_finding_word(judgement->findings[i].kind));
    cf_json_array_end(json);
    cf_json_array_begin(json, "variants", false);
    for (int v = 0; v < judgement->variant_count; v++)
        print_variant(json, result, v);
    cf_json_array_end(json);
    cf_json_object_end(json);
}

static void print_member(cf_json *json, const cf_set *set, const cf_set_member *member, const cf_set_result *result)
{
    char sha256[sizeof "sha256:" + 64] = "";
    if (result->ok)
        (void)snprintf(sha256, sizeof sha256, "sha256:%s", result->judgement.record_sha256);
    cf_json_object_begin(json, NULL, false);
    cf_json_int(json, "group", member->group);
    cf_json_string(json, "value", set->values.items[member->group]);
    cf_json_int(json, "process", member->process);
    cf_json_uint(json, "seed", member->seed);
    cf_json_string(json, "path", member->path);
    cf_json_string(json, "record", result->ok ? sha256 : NULL);
    cf_json_string(json, "state", cf_set_state_names[member->state]);
    cf_json_string(json, "why", member->why);
    cf_json_int(json, "exit_status", member->exit_status);
    if (result->ok)
        print_judged(json, result);
    else
        cf_json_null(json, "judgement");
    cf_json_object_end(json);
}

static void print_reach(cf_json *json, const cf_set_judgement *judgement, const cf_set_reach *reach, const char *key)
{
    cf_json_object_begin(json, key, true);
    if (reach->name[0] != '\0')
        cf_json_string(json, "name", reach->name);
    cf_json_array_begin(json, "at", true);
    for (int g = 0; g < judgement->group_count; g++)
        if (reach->at[g])
            cf_json_string(json, NULL, judgement->groups[g].value);
    cf_json_array_end(json);
    cf_json_string(json, "from", reach->from >= 0 ? judgement->groups[reach->from].value : NULL);
    cf_json_string(json, "until", reach->until >= 0 ? judgement->groups[reach->until].value : NULL);
    cf_json_bool(json, "open", reach->open);
    cf_json_object_end(json);
}

static void print_reaches(cf_json *json, const cf_set_judgement *judgement)
{
    if (!judgement->ordered) {
        cf_json_null(json, "matters");
        cf_json_null(json, "host_limit");
        return;
    }
    cf_json_array_begin(json, "matters", false);
    for (int i = 0; i < judgement->reach_count - 1; i++)
        print_reach(json, judgement, &judgement->reaches[i], NULL);
    cf_json_array_end(json);
    print_reach(json, judgement, &judgement->reaches[judgement->reach_count - 1], "host_limit");
}

static void print_head(cf_json *json, const cf_set_judgement *judgement)
{
    const cf_set *set = judgement->set;
    cf_json_string(json, "schema", CF_SET_SCHEMA);
    cf_json_string(json, "kind", cf_set_kind_names[set->kind]);
    cf_json_string(json, "key", set->key);
    cf_json_object_begin(json, "tool", true);
    cf_json_string(json, "version", set->tool_version);
    cf_json_object_end(json);
    cf_json_string(json, "created", set->created_utc);
    cf_json_string(json, "device", set->device);
    cf_json_bool(json, "simulated", judgement->simulated);
    cf_json_uint(json, "seed", set->seed);
    cf_json_int(json, "processes", set->processes);
    cf_json_object_begin(json, "job", false);
    cf_json_string(json, "name", set->job_name);
    cf_json_string(json, "text", set->job_text);
    cf_json_object_end(json);
    print_strings(json, "options", &set->options);
    print_strings(json, "values", &set->values);
    cf_json_bool(json, "complete", judgement->complete);
    bool one = set->kind == CF_SET_PROCESSES;
    cf_json_string(json, "verdict", one ? cf_verdict_name(judgement->verdict) : NULL);
    cf_json_string(json, "because", one ? because_words[judgement->because] : NULL);
}

cf_status cf_set_print(const cf_set_judgement *judgement, cf_text *ret_json, cf_error *err)
{
    const cf_set *set = judgement->set;
    cf_json json = {.out = ret_json};
    cf_json_object_begin(&json, NULL, false);
    print_head(&json, judgement);
    cf_json_array_begin(&json, "groups", false);
    for (int g = 0; g < judgement->group_count; g++)
        print_group(&json, &judgement->groups[g]);
    cf_json_array_end(&json);
    print_reaches(&json, judgement);
    cf_json_array_begin(&json, "members", false);
    for (int i = 0; i < set->member_count; i++)
        print_member(&json, set, &set->members[i], &judgement->results[i]);
    cf_json_array_end(&json);
    cf_json_object_end(&json);
    return ret_json->failed ? cf_error_set(err, CF_MEMORY, "out of memory while printing the set") : CF_OK;
}
