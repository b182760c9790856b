#include "cli/explain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/tracks.h"
#include "run/run.h"
#include "verdict/verdict.h"

#define NAME_BYTES 96

static cf_status find_name(const char *const *names, const char *name, int *ret_index, cf_error *err)
{
    char list[512], safe[160];
    *ret_index = cf_text_find(names, name);
    if (*ret_index >= 0)
        return CF_OK;
    return cf_error_set(err, CF_INPUT, "--explain: '%s' is no variant here; accepted: %s, or two of them and a comma",
                        cf_text_safe(name, safe, sizeof safe), cf_text_list(names, list, sizeof list));
}

/* "A" is A beside the control, "A,B" is both. */
static cf_status parse(const char *value, const char *const *names, cf_explain *ret_explain, cf_error *err)
{
    *ret_explain = (cf_explain){.variants = {-1, -1}};
    if (strcmp(value, CF_EXPLAIN_AUTO) == 0)
        return CF_OK;
    ret_explain->named = true;
    ret_explain->variants[0] = 0;
    const char *comma = strchr(value, ',');
    char first[NAME_BYTES];
    (void)snprintf(first, sizeof first, "%.*s", (int)(comma ? comma - value : (long)strlen(value)), value);
    int *at = ret_explain->variants;
    cf_status status = find_name(names, first, comma ? &at[0] : &at[1], err);
    if (status == CF_OK && comma)
        status = find_name(names, comma + 1, &at[1], err);
    if (status == CF_OK && at[0] == at[1])
        at[1] = -1;
    return status;
}

cf_status cf_explain_of_job(const char *value, const cf_job *job, bool has_against, cf_explain *ret_explain,
                            cf_error *err)
{
    const char *names[CF_MAX_VARIANTS + 1] = {NULL};
    for (int i = 0; i < job->variant_count; i++)
        names[i] = job->variants[i].type->name;
    if (has_against && job->variant_count < CF_MAX_VARIANTS)
        names[job->variant_count] = CF_RUN_AGAINST_NAME;
    return parse(value, names, ret_explain, err);
}

static double effect_of(const cf_record *record, const cf_judgement *judgement, int variant)
{
    static const double shares[CF_ROLE_COUNT] = {[CF_ROLE_DESIGN] = 1e-6, [CF_ROLE_REFERENCE] = 1e-9};
    const cf_role role = record->variants[variant].role;
    if (role != CF_ROLE_INSTRUMENT)
        return shares[role];
    const cf_estimate *delta = &judgement->variants[variant].effect.delta;
    return 1e-3 + (delta->ok ? fabs(delta->median) : 0);
}

/* Of those that can, less `taken`; what is no instrument comes last. -1 = none. */
static int largest(const cf_record *record, const cf_judgement *judgement, const bool *can, int taken)
{
    int found = -1;
    double most = 0;
    for (int i = 1; i < record->variant_count; i++) {
        const double effect = can[i] && i != taken ? effect_of(record, judgement, i) : 0;
        if (effect > 0 && effect >= most) {
            most = effect;
            found = i;
        }
    }
    return found;
}

void cf_explain_pick(const cf_explain *explain, const cf_record *record, const bool *can, int ret_variants[2])
{
    memcpy(ret_variants, explain->variants, sizeof explain->variants);
    cf_judgement judgement = {0};
    if (explain->named || cf_judge(record, NULL, NULL, &judgement, NULL) != CF_OK)
        return;
    const int first = largest(record, &judgement, can, -1);
    ret_variants[0] = can[0] ? 0 : first;
    ret_variants[1] = can[0] ? first : largest(record, &judgement, can, first);
    cf_judgement_done(&judgement);
}

static cf_status no_spans(const cf_record *record, cf_error *err)
{
    char why[256];
    const char *skipped = cf_pairs_get(&record->skipped, CF_SKIPPED_EXPLAIN);
    if (skipped)
        return cf_error_set(err, CF_UNSUPPORTED, "the record has no spans: %s", cf_text_safe(skipped, why, sizeof why));
    return cf_error_set(err, CF_UNSUPPORTED,
                        "the record has no spans of commands; confound run --explain takes them after the rounds");
}

cf_status cf_explain_of_record(const char *value, const cf_record *record, cf_explain *ret_explain, cf_error *err)
{
    const char *names[CF_MAX_VARIANTS + 1] = {NULL};
    int variants[CF_MAX_VARIANTS];
    int count = 0;
    for (int i = 0; i < record->variant_count; i++) {
        if (!cf_tracks_exist(record, i))
            continue;
        names[count] = record->variants[i].name;
        variants[count++] = i;
    }
    if (count == 0)
        return no_spans(record, err);
    *ret_explain = (cf_explain){.variants = {variants[0], count > 1 ? variants[1] : -1}};
    if (strcmp(value, CF_EXPLAIN_AUTO) == 0)
        return CF_OK;
    cf_explain found;
    const cf_status status = parse(value, names, &found, err);
    if (status)
        return status;
    ret_explain->named = true;
    for (int i = 0; i < 2; i++)
        ret_explain->variants[i] = found.variants[i] >= 0 ? variants[found.variants[i]] : -1;
    return CF_OK;
}

cf_status cf_explain_append(const cf_options *options, const cf_record *record, const cf_report_style *style,
                            cf_text *out, cf_error *err)
{
    cf_explain explain;
    if (cf_explain_of_record(options->explain, record, &explain, NULL) != CF_OK)
        return CF_OK;
    cf_text_add(out, "\n");
    return cf_report_explain(record, explain.variants, style, out, err);
}
