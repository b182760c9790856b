#include "verdict/set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "record/file.h"
#include "stats/stats.h"

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory while judging");
}

cf_verdict cf_set_common(const cf_verdict *verdicts, int count, int lacking, cf_set_because *ret_because)
{
    *ret_because = lacking > 0 || count == 0 ? CF_SET_LACKS_MEMBERS : CF_SET_AGREED;
    for (int i = 1; i < count; i++)
        if (verdicts[i] != verdicts[0])
            *ret_because = CF_SET_DISAGREES;
    return *ret_because == CF_SET_AGREED ? verdicts[0] : CF_VERDICT_INCONCLUSIVE;
}

double cf_set_value(const char *text)
{
    uint64_t whole = 0;
    double number = NAN;
    if (cf_text_parse_double(text, -1e300, 1e300, &number))
        return number;
    if (cf_text_parse_bytes(text, UINT64_MAX / 2, &whole) || cf_text_parse_ns(text, UINT64_MAX / 2, &whole))
        return (double)whole;
    return NAN;
}

static bool comes_before(const cf_set *set, int one, int other)
{
    const cf_set_member *a = &set->members[one], *b = &set->members[other];
    return a->group < b->group || (a->group == b->group && a->process < b->process);
}

cf_status cf_set_judgement_init(const cf_set *set, cf_set_judgement *ret, cf_error *err)
{
    *ret = (cf_set_judgement){.set = set, .group_count = (int)set->values.count};
    ret->results = calloc((size_t)set->member_count + 1, sizeof *ret->results);
    ret->groups = calloc(set->values.count + 1, sizeof *ret->groups);
    ret->rows = calloc((size_t)set->member_count + 1, sizeof *ret->rows);
    if (ret->results == NULL || ret->groups == NULL || ret->rows == NULL)
        return no_memory(err);
    for (int i = 0; i < set->member_count; i++) {
        int at = i;
        for (; at > 0 && comes_before(set, i, ret->rows[at - 1]); at--)
            ret->rows[at] = ret->rows[at - 1];
        ret->rows[at] = i;
    }
    for (int g = 0; g < ret->group_count; g++)
        ret->groups[g] = (cf_set_group){.value = set->values.items[g], .number = cf_set_value(set->values.items[g])};
    return CF_OK;
}

static void result_done(cf_set_result *result)
{
    cf_judgement_done(&result->judgement);
    cf_record_done(&result->record);
    *result = (cf_set_result){0};
}

static void drop_rounds(cf_rounds *rounds)
{
    while (rounds->count > 0)
        cf_rounds_drop_last(rounds);
}

void cf_set_judgement_take(cf_set_judgement *judgement, int member, cf_record *record, cf_judgement *judged)
{
    cf_set_result *result = &judgement->results[member];
    result_done(result);
    *result = (cf_set_result){.ok = true, .record = *record, .judgement = *judged};
    drop_rounds(&result->record.prologue);
    drop_rounds(&result->record.warmup);
    drop_rounds(&result->record.rounds);
    *record = (cf_record){0};
    *judged = (cf_judgement){0};
}

/* What the document names is the record that was judged: another one in its place is not taken for it. */
static cf_status check_record(const cf_set_member *member, const char *document, const char *path, const char *sha256,
                              cf_error *err)
{
    static const char prefix[] = "sha256:";
    size_t prefix_bytes = sizeof prefix - 1;
    if (member->record == NULL || !cf_file_exists(path))
        return CF_OK;
    if (strncmp(member->record, prefix, prefix_bytes) == 0 && strcmp(member->record + prefix_bytes, sha256) == 0)
        return CF_OK;
    return cf_error_set(err, CF_INPUT,
                        "%s: has changed since %s was written: it is not the record with the hash that stands there",
                        path, document);
}

cf_status cf_set_judgement_load_member(cf_set *set, const char *path, int member, double margin,
                                       cf_set_judgement *judgement, cf_error *err)
{
    cf_set_member *m = &set->members[member];
    char *record_path = cf_set_member_path(path, m);
    if (record_path == NULL)
        return no_memory(err);
    cf_record record;
    cf_judgement judged = {0};
    char sha256[65] = "";
    const cf_judge_settings settings = {.margin = margin};
    cf_error unread = {0};
    cf_record_init(&record);
    cf_status status = cf_record_read(record_path, &record, sha256, &unread);
    cf_status same = status == CF_MEMORY ? CF_OK : check_record(m, path, record_path, sha256, err);
    if (status == CF_OK && same == CF_OK)
        status = cf_judge(&record, sha256, &settings, &judged, &unread);
    if (status == CF_OK && same == CF_OK)
        cf_set_judgement_take(judgement, member, &record, &judged);
    else if (m->state == CF_SET_DONE)
        m->state = CF_SET_MISSING;
    cf_judgement_done(&judged);
    cf_record_done(&record);
    free(record_path);
    return status == CF_MEMORY ? no_memory(err) : same;
}

cf_status cf_set_judgement_load(cf_set *set, const char *path, double margin, cf_set_judgement *judgement,
                                cf_error *err)
{
    cf_status status = CF_OK;
    for (int i = 0; i < set->member_count && status == CF_OK; i++)
        if (set->members[i].state != CF_SET_MISSING)
            status = cf_set_judgement_load_member(set, path, i, margin, judgement, err);
    return status;
}

/* ---- one value ---- */

static const cf_variant_judgement *variant_named(const cf_set_result *result, const char *name)
{
    for (int v = 0; v < result->judgement.variant_count; v++)
        if (strcmp(result->record.variants[v].name, name) == 0)
            return &result->judgement.variants[v];
    return NULL;
}

/* Of each finished process one number. */
typedef double of_variant(const cf_variant_judgement *variant);

static double overlap_of(const cf_variant_judgement *v)
{
    return v->overlap.ok ? v->overlap.median : (double)NAN;
}
static double delta_of(const cf_variant_judgement *v)
{
    return v->effect.verdict != CF_EFFECT_NONE && v->effect.delta.ok ? v->effect.delta.median : (double)NAN;
}
static double ab_of(const cf_variant_judgement *v)
{
    return v->ab_ms;
}
static double exposed_of(const cf_variant_judgement *v)
{
    return v->exposed_ms;
}

static bool counts(const cf_set_judgement *judgement, int member, int group)
{
    const cf_set_member *m = &judgement->set->members[member];
    return m->group == group && m->state == CF_SET_DONE && judgement->results[member].ok;
}

static cf_set_number number_over(const cf_set_judgement *judgement, int group, const char *name, of_variant *get,
                                 double *scratch)
{
    cf_set_number number = {.median = NAN, .least = NAN, .most = NAN};
    size_t n = 0;
    for (int i = 0; i < judgement->set->member_count; i++) {
        if (!counts(judgement, i, group))
            continue;
        const cf_variant_judgement *v = variant_named(&judgement->results[i], name);
        double value = v != NULL ? get(v) : (double)NAN;
        if (!isfinite(value))
            continue;
        number.least = fmin(value, number.least);
        number.most = fmax(value, number.most);
        scratch[n++] = value;
    }
    number.median = cf_stats_median_in_place(scratch, n);
    return number;
}

static bool is_nothing_to_remove(const cf_variant_judgement *variant)
{
    for (int i = 0; i < variant->because.count; i++)
        if (variant->because.items[i] == CF_BECAUSE_NOTHING_TO_REMOVE)
            return true;
    return false;
}

/* What all finished processes of the group say of a variant, else that they do not. */
static void agree(const cf_set_judgement *judgement, int group, cf_set_variant *variant)
{
    bool first = true;
    for (int i = 0; i < judgement->set->member_count; i++) {
        if (!counts(judgement, i, group))
            continue;
        const cf_variant_judgement *v = variant_named(&judgement->results[i], variant->name);
        cf_reading reading = v != NULL ? v->reading : CF_READING_INCONCLUSIVE;
        cf_effect effect = v != NULL ? v->effect.verdict : CF_EFFECT_INCONCLUSIVE;
        if (first) {
            variant->reading = reading;
            variant->effect = effect;
        }
        if (reading != variant->reading)
            variant->reading = CF_READING_INCONCLUSIVE;
        if (effect != variant->effect && variant->effect != CF_EFFECT_NONE)
            variant->effect = CF_EFFECT_INCONCLUSIVE;
        variant->nothing_to_remove = variant->nothing_to_remove || (v != NULL && is_nothing_to_remove(v));
        first = false;
    }
    variant->nothing_to_remove = variant->nothing_to_remove && variant->effect == CF_EFFECT_CLEAR;
}

static void combine_variants(const cf_set_judgement *judgement, int group, double *scratch, cf_set_group *ret)
{
    const cf_set_result *first = NULL;
    for (int i = judgement->set->member_count - 1; i >= 0; i--)
        if (counts(judgement, i, group))
            first = &judgement->results[i];
    ret->variant_count = first != NULL ? first->judgement.variant_count : 0;
    for (int v = 0; v < ret->variant_count; v++) {
        cf_set_variant *variant = &ret->variants[v];
        *variant = (cf_set_variant){.name = first->record.variants[v].name, .role = first->record.variants[v].role};
        agree(judgement, group, variant);
        variant->overlap = number_over(judgement, group, variant->name, overlap_of, scratch);
        variant->delta = number_over(judgement, group, variant->name, delta_of, scratch);
        variant->ab_ms = number_over(judgement, group, variant->name, ab_of, scratch);
        variant->exposed_ms = number_over(judgement, group, variant->name, exposed_of, scratch);
    }
}

static void combine_group(const cf_set_judgement *judgement, int group, double *scratch, cf_verdict *verdicts)
{
    cf_set_group *ret = &judgement->groups[group];
    ret->members = ret->done = 0;
    for (int i = 0; i < judgement->set->member_count; i++) {
        ret->members += judgement->set->members[i].group == group;
        if (counts(judgement, i, group))
            verdicts[ret->done++] = judgement->results[i].judgement.verdict;
    }
    ret->verdict = cf_set_common(verdicts, ret->done, ret->members - ret->done, &ret->because);
    combine_variants(judgement, group, scratch, ret);
}

/* ---- along a sweep ---- */

static void reaches_done(cf_set_judgement *judgement)
{
    for (int i = 0; i < judgement->reach_count; i++)
        free(judgement->reaches[i].at);
    free(judgement->reaches);
    judgement->reaches = NULL;
    judgement->reach_count = 0;
}

static const cf_set_variant *group_variant(const cf_set_group *group, const char *name)
{
    for (int v = 0; v < group->variant_count; v++)
        if (strcmp(group->variants[v].name, name) == 0)
            return &group->variants[v];
    return NULL;
}

static void hold(const cf_set_judgement *judgement, cf_set_reach *reach)
{
    reach->undecided = false;
    reach->count = reach->left_out = 0;
    for (int g = 0; g < judgement->group_count; g++) {
        const cf_set_group *group = &judgement->groups[g];
        const cf_set_variant *v = group_variant(group, reach->name[0] != '\0' ? reach->name : "none");
        if (reach->name[0] == '\0') {
            reach->at[g] = v != NULL && v->reading == CF_READING_HOST_BOUND;
            reach->undecided = reach->undecided || v == NULL;
        } else {
            reach->at[g] = v != NULL && v->effect == CF_EFFECT_CONFOUNDED;
            reach->undecided = reach->undecided || v == NULL || v->effect == CF_EFFECT_INCONCLUSIVE;
            reach->left_out += v != NULL && v->nothing_to_remove;
        }
        reach->count += reach->at[g];
    }
    reach->open = reach->undecided || reach->left_out > 0;
}

/* It holds at that point, or the point does not count. */
static bool goes_on(const cf_set_judgement *judgement, int group, const cf_set_reach *reach)
{
    const cf_set_variant *v = group_variant(&judgement->groups[group], reach->name);
    return reach->at[group] || (v != NULL && v->nothing_to_remove);
}

/* order: groups by ascending number. */
static void find_ends(const cf_set_judgement *judgement, const int *order, cf_set_reach *reach)
{
    int last = judgement->group_count - 1;
    reach->from = reach->until = -1;
    for (int i = last; i >= 0 && goes_on(judgement, order[i], reach); i--)
        reach->from = reach->at[order[i]] ? order[i] : reach->from;
    for (int i = 0; i <= last && goes_on(judgement, order[i], reach); i++)
        reach->until = reach->at[order[i]] ? order[i] : reach->until;
}

static bool sort_groups(const cf_set_judgement *judgement, int *order)
{
    for (int g = 0; g < judgement->group_count; g++) {
        double number = judgement->groups[g].number;
        if (isnan(number))
            return false;
        int at = g;
        for (; at > 0 && judgement->groups[order[at - 1]].number > number; at--)
            order[at] = order[at - 1];
        order[at] = g;
    }
    return true;
}

static bool is_known(const cf_set_judgement *judgement, const char *name)
{
    for (int i = 0; i < judgement->instrument_count; i++)
        if (strcmp(judgement->instruments[i], name) == 0)
            return true;
    return false;
}

/* Points need not have the same ones on trial. */
static cf_status gather_instruments(cf_set_judgement *judgement, cf_error *err)
{
    size_t most = 1;
    for (int i = 0; i < judgement->set->member_count; i++)
        most += (size_t)judgement->results[i].judgement.variant_count;
    free(judgement->instruments);
    judgement->instrument_count = 0;
    judgement->instruments = calloc(most, sizeof *judgement->instruments);
    if (judgement->instruments == NULL)
        return no_memory(err);
    for (int i = 0; i < judgement->set->member_count; i++) {
        const cf_set_result *result = &judgement->results[judgement->rows[i]];
        for (int v = 0; v < result->judgement.variant_count; v++) {
            const cf_record_variant *variant = &result->record.variants[v];
            if (variant->role == CF_ROLE_INSTRUMENT && !is_known(judgement, variant->name))
                judgement->instruments[judgement->instrument_count++] = variant->name;
        }
    }
    return CF_OK;
}

static cf_status add_reach(cf_set_judgement *judgement, const int *order, const char *name, cf_error *err)
{
    cf_set_reach *reach = &judgement->reaches[judgement->reach_count];
    *reach = (cf_set_reach){.at = calloc((size_t)judgement->group_count, sizeof *reach->at)};
    if (reach->at == NULL)
        return no_memory(err);
    judgement->reach_count++;
    (void)snprintf(reach->name, sizeof reach->name, "%s", name);
    hold(judgement, reach);
    find_ends(judgement, order, reach);
    return CF_OK;
}

static cf_status find_reaches(cf_set_judgement *judgement, cf_error *err)
{
    reaches_done(judgement);
    judgement->ordered = false;
    bool any = false;
    for (int g = 0; g < judgement->group_count; g++)
        any = any || judgement->groups[g].variant_count > 0;
    if (judgement->set->kind != CF_SET_SWEEP || !any)
        return CF_OK;
    int *order = calloc((size_t)judgement->group_count, sizeof *order);
    judgement->reaches = calloc((size_t)judgement->instrument_count + 1, sizeof *judgement->reaches);
    cf_status status = order != NULL && judgement->reaches != NULL ? CF_OK : no_memory(err);
    if (status == CF_OK)
        judgement->ordered = sort_groups(judgement, order);
    for (int i = 0; status == CF_OK && judgement->ordered && i < judgement->instrument_count; i++)
        status = add_reach(judgement, order, judgement->instruments[i], err);
    if (status == CF_OK && judgement->ordered)
        status = add_reach(judgement, order, "", err);
    free(order);
    return status;
}

cf_status cf_set_judgement_combine(cf_set_judgement *judgement, cf_error *err)
{
    size_t count = (size_t)judgement->set->member_count + 1;
    double *scratch = calloc(count, sizeof *scratch);
    cf_verdict *verdicts = calloc(count, sizeof *verdicts);
    cf_status status = scratch != NULL && verdicts != NULL ? CF_OK : no_memory(err);
    judgement->complete = true;
    judgement->simulated = false;
    for (int g = 0; status == CF_OK && g < judgement->group_count; g++) {
        combine_group(judgement, g, scratch, verdicts);
        judgement->complete = judgement->complete && judgement->groups[g].done == judgement->groups[g].members;
    }
    for (int i = 0; i < judgement->set->member_count; i++)
        judgement->simulated |= judgement->results[i].ok && judgement->results[i].judgement.simulated;
    judgement->verdict = judgement->groups[0].verdict;
    judgement->because = judgement->groups[0].because;
    free(scratch);
    free(verdicts);
    if (status == CF_OK)
        status = gather_instruments(judgement, err);
    return status == CF_OK ? find_reaches(judgement, err) : status;
}

void cf_set_judgement_done(cf_set_judgement *judgement)
{
    if (judgement == NULL)
        return;
    for (int i = 0; judgement->results != NULL && i < judgement->set->member_count; i++)
        result_done(&judgement->results[i]);
    reaches_done(judgement);
    free(judgement->results);
    free(judgement->rows);
    free(judgement->groups);
    free(judgement->instruments);
    *judgement = (cf_set_judgement){0};
}
