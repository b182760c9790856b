/* What a set says, in words. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/sentence.h"
#include "report/set.h"
#include "report/view.h"

static const char *safe(const cf_report_style *style, const char *s, char *buf, size_t buf_bytes)
{
    const cf_view view = {.style = *style};
    return cf_view_text(&view, s, buf, buf_bytes);
}

static const char *value_of(const cf_set_judgement *set, int group)
{
    const char *value = set->set->values.items[group];
    return value[0] == '\0' ? "(unset)" : value;
}

static const cf_set_result *first_result(const cf_set_judgement *set)
{
    for (int i = 0; i < set->set->member_count; i++)
        if (set->results[i].ok)
            return &set->results[i];
    return NULL;
}

const char *cf_set_label(const cf_set_judgement *set, int member, char *buf, size_t buf_bytes)
{
    const cf_set_member *m = &set->set->members[member];
    if (set->set->kind == CF_SET_PROCESSES)
        (void)snprintf(buf, buf_bytes, "process %d", m->process);
    else if (set->set->processes > 1)
        (void)snprintf(buf, buf_bytes, "%s #%d", value_of(set, m->group), m->process);
    else
        (void)snprintf(buf, buf_bytes, "%s", value_of(set, m->group));
    return buf;
}

bool cf_set_is_starred(const cf_variant_judgement *judged)
{
    return judged->effect.verdict == CF_EFFECT_CLEAR &&
           cf_view_has_because(&judged->because, CF_BECAUSE_NOTHING_TO_REMOVE);
}

static bool has_star(const cf_set_result *result)
{
    for (int v = 0; result->ok && v < result->judgement.variant_count; v++)
        if (result->record.variants[v].role == CF_ROLE_INSTRUMENT && cf_set_is_starred(&result->judgement.variants[v]))
            return true;
    return false;
}

const char *cf_set_outcome(const cf_set_judgement *set, int member)
{
    switch (set->set->members[member].state) {
    case CF_SET_MISSING:
        return "not measured";
    case CF_SET_INTERRUPTED:
        return "interrupted";
    case CF_SET_FAILED:
        return "FAILED";
    case CF_SET_DONE:
    case CF_SET_STATE_COUNT:
        break;
    }
    if (!set->results[member].ok)
        return "-";
    switch (set->results[member].judgement.verdict) {
    case CF_VERDICT_INVALID:
        return "INVALID";
    case CF_VERDICT_CONFOUNDED:
        return "CONFOUNDED";
    case CF_VERDICT_INCONCLUSIVE:
        return "inconclusive";
    case CF_VERDICT_CLEAR:
        return has_star(&set->results[member]) ? "clear*" : "clear";
    }
    return "-";
}

static void add_lanes(const cf_set_judgement *set, const cf_report_style *style, cf_text *out)
{
    const cf_set_result *first = first_result(set);
    if (first == NULL)
        return;
    char op[2][64];
    const cf_record_lane *lanes = first->record.job.lane;
    cf_text_add(out, ": %lld x %s beside %lld x %s", (long long)lanes[0].count,
                safe(style, cf_record_lane_what(&lanes[0]), op[0], sizeof op[0]), (long long)lanes[1].count,
                safe(style, cf_record_lane_what(&lanes[1]), op[1], sizeof op[1]));
}

void cf_set_sentence_title(const cf_set_judgement *set, const cf_report_style *style, cf_text *out)
{
    const cf_set *s = set->set;
    char key[160], device[96];
    safe(style, s->key, key, sizeof key);
    if (s->kind == CF_SET_PROCESSES)
        cf_text_add(out, "%d process%s", s->member_count, s->member_count == 1 ? "" : "es");
    else if (s->kind == CF_SET_RECORDS) {
        cf_text_add(out, "%d records, each with its own device, driver and day", s->member_count);
        return;
    } else
        cf_text_add(out, "%s %s, %d value%s, %lld process%s each", s->kind == CF_SET_ENV ? "Variable" : "Sweep of", key,
                    set->group_count, set->group_count == 1 ? "" : "s", (long long)s->processes,
                    s->processes == 1 ? "" : "es");
    add_lanes(set, style, out);
    cf_text_add(out, " on %s%s", safe(style, s->device, device, sizeof device), set->simulated ? " (simulated)" : "");
}

/* ---- the answer ---- */

static void add_number(const char *what, const cf_set_number *number, int decimals, cf_text *out)
{
    char median[CF_VIEW_NUMBER_BYTES], least[CF_VIEW_NUMBER_BYTES], most[CF_VIEW_NUMBER_BYTES];
    cf_text_add(out, "%s %s (%s to %s)", what, cf_view_ms(number->median, decimals, median),
                cf_view_ms(number->least, decimals, least), cf_view_ms(number->most, decimals, most));
}

/* The common answer of a value's processes, or what stands in its way. */
static void add_common(const cf_set_judgement *set, const cf_set_group *group, cf_text *out)
{
    bool star = false;
    for (int i = 0; i < set->set->member_count; i++)
        star = star || has_star(&set->results[i]);
    if (group->because == CF_SET_LACKS_MEMBERS)
        cf_text_add(out, "%d of %d processes came to an end, so there is no common answer", group->done,
                    group->members);
    else if (group->because == CF_SET_DISAGREES)
        cf_text_add(out, "the processes do not agree, so what one of them says holds for that process alone");
    else
        cf_text_add(out, "%s %s%s", group->members == 1 ? "the process says" : "all processes say",
                    cf_verdict_name(group->verdict), star && group->verdict == CF_VERDICT_CLEAR ? "*" : "");
}

static void add_instruments(const cf_set_group *group, const cf_report_style *style, cf_text *out)
{
    for (int v = 0; v < group->variant_count; v++) {
        const cf_set_variant *variant = &group->variants[v];
        char name[160];
        if (variant->role != CF_ROLE_INSTRUMENT)
            continue;
        cf_text_add(out, "; %s: %s%s, ", safe(style, variant->name, name, sizeof name), cf_effect_name(variant->effect),
                    variant->nothing_to_remove ? "*" : "");
        add_number("effect", &variant->delta, 2, out);
    }
}

static void answer_processes(const cf_set_judgement *set, const cf_report_style *style, cf_text *out)
{
    const cf_set_group *group = &set->groups[0];
    cf_text sentence = {0};
    add_common(set, group, &sentence);
    if (sentence.data != NULL)
        cf_text_add(out, "%c%s", toupper((unsigned char)sentence.data[0]), sentence.data + 1);
    out->failed |= sentence.failed;
    cf_text_done(&sentence);
    if (group->variant_count > 0) {
        cf_text_add(out, ". Medians over the processes, least to most: ");
        add_number("overlap of none", &group->variants[0].overlap, 2, out);
        add_instruments(group, style, out);
    }
    cf_text_add(out, ".");
}

/* An instrument at a value, where it has that effect; NULL where it has not. */
static const cf_set_variant *variant_with(const cf_set_group *group, const char *name, cf_effect effect)
{
    for (int v = 0; v < group->variant_count; v++)
        if (strcmp(group->variants[v].name, name) == 0 && group->variants[v].effect == effect)
            return &group->variants[v];
    return NULL;
}

static int count_with(const cf_set_judgement *set, const char *name, cf_effect effect)
{
    int count = 0;
    for (int g = 0; g < set->group_count; g++)
        count += variant_with(&set->groups[g], name, effect) != NULL;
    return count;
}

/* Values at which an instrument has that effect, joined; records as a sentence has them, "a, b and c". Returns how
 * many.
 */
static int add_values_with(const cf_set_judgement *set, const char *name, cf_effect effect, cf_text *out)
{
    const int most = count_with(set, name, effect);
    const bool records = set->set->kind == CF_SET_RECORDS;
    int count = 0;
    for (int g = 0; g < set->group_count; g++) {
        const cf_set_variant *variant = variant_with(&set->groups[g], name, effect);
        if (!variant)
            continue;
        const char *between = count == 0 ? "" : records && count + 1 == most ? " and " : ", ";
        cf_text_add(out, "%s%s%s", between, value_of(set, g), variant->nothing_to_remove ? "*" : "");
        count++;
    }
    return count;
}

static void answer_instrument(const cf_set_judgement *set, const cf_report_style *style, const char *name, cf_text *out)
{
    static const cf_effect effects[] = {CF_EFFECT_CONFOUNDED, CF_EFFECT_CLEAR, CF_EFFECT_INCONCLUSIVE};
    char shown[160], key[160], text[1024];
    bool any = false;
    cf_text_add(out, "%s%s: ", out->size_bytes > 0 ? "\n" : "", safe(style, name, shown, sizeof shown));
    for (size_t i = 0; i < sizeof effects / sizeof effects[0]; i++) {
        cf_text values = {0};
        const bool records = set->set->kind == CF_SET_RECORDS; /* a record is a place, not a value of a variable */
        if (add_values_with(set, name, effects[i], &values) > 0)
            cf_text_add(out, "%s%s %s%s%s%s", any ? "; " : "", cf_effect_name(effects[i]), records ? "in " : "with ",
                        records ? "" : safe(style, set->set->key, key, sizeof key), records ? "" : " = ",
                        safe(style, values.data, text, sizeof text));
        any = any || values.size_bytes > 0;
        out->failed |= values.failed;
        cf_text_done(&values);
    }
    cf_text_add(out, "%s.", any ? "" : "nothing was measured");
}

static void answer_values(const cf_set_judgement *set, const cf_report_style *style, cf_text *out)
{
    for (int i = 0; i < set->instrument_count; i++)
        answer_instrument(set, style, set->instruments[i], out);
    if (out->size_bytes == 0)
        cf_text_add(out, first_result(set) == NULL ? "Nothing was measured." : "No instrument was on trial.");
}

/* ---- records beside each other ---- */

static bool is_same_lane(const cf_record_lane *one, const cf_record_lane *other)
{
    return one->count == other->count && strcmp(one->op ? one->op : "", other->op ? other->op : "") == 0;
}

/* Lengths are calibrated to the device: what is the same work is told by what is done, and how often. */
static bool is_same_work(const cf_set_judgement *set)
{
    const cf_set_result *first = first_result(set);
    for (int i = 0; first != NULL && i < set->set->member_count; i++) {
        const cf_record_job *job = &set->results[i].record.job;
        if (!set->results[i].ok)
            continue;
        if (!is_same_lane(&job->lane[0], &first->record.job.lane[0]) ||
            !is_same_lane(&job->lane[1], &first->record.job.lane[1]) || job->depends != first->record.job.depends)
            return false;
    }
    return true;
}

static void answer_records(const cf_set_judgement *set, const cf_report_style *style, cf_text *out)
{
    for (int clear = 0; clear < 2; clear++) /* what is confounded somewhere is said first */
        for (int i = 0; i < set->instrument_count; i++)
            if ((count_with(set, set->instruments[i], CF_EFFECT_CONFOUNDED) == 0) == (clear == 1))
                answer_instrument(set, style, set->instruments[i], out);
    if (out->size_bytes == 0)
        answer_values(set, style, out);
    if (!is_same_work(set))
        cf_text_add(out, "\nThe records are not of the same work, so what differs between them need not be the device, "
                         "the driver or the day.");
}

static void add_where(const cf_record *record, const cf_report_style *style, cf_text *out)
{
    char device[256], driver[256];
    safe(style, record->device_name != NULL ? record->device_name : record->device_backend, device, sizeof device);
    cf_text_add(out, "%s, %s%s", device, record->driver != NULL ? "driver " : "no driver",
                record->driver != NULL ? safe(style, record->driver, driver, sizeof driver) : "");
}

void cf_set_sentence_record(const cf_set_judgement *set, int member, const cf_report_style *style, cf_text *out)
{
    const cf_set_result *result = &set->results[member];
    char label[192], shown[192], taken[64], op[2][64];
    cf_text_add(out, "%s: ", safe(style, cf_set_label(set, member, label, sizeof label), shown, sizeof shown));
    add_where(&result->record, style, out);
    const cf_record_lane *lanes = result->record.job.lane;
    cf_text_add(out, "; %lld x %s beside %lld x %s; %s; %ld round%s%s", (long long)lanes[0].count,
                safe(style, lanes[0].op, op[0], sizeof op[0]), (long long)lanes[1].count,
                safe(style, lanes[1].op, op[1], sizeof op[1]),
                safe(style, result->record.created_utc, taken, sizeof taken), result->judgement.rounds,
                result->judgement.rounds == 1 ? "" : "s",
                cf_is_emulated(&result->record) ? "; simulated: the vendor's driver on modelled engines"
                : result->record.simulated      ? "; simulated: a self-test"
                                                : "");
}

/* ---- along a sweep ---- */

static void add_points(const cf_set_judgement *set, const cf_set_reach *reach, cf_text *out)
{
    int said = 0;
    for (int g = 0; g < set->group_count; g++)
        if (reach->at[g])
            cf_text_add(out, "%s%s", said++ > 0 ? ", " : "", value_of(set, g));
}

static void add_left_out(const cf_set_judgement *set, const cf_set_reach *reach, const char *key, cf_text *out)
{
    int said = 0;
    cf_text_add(out, " Not counted is %s = ", key);
    for (int g = 0; g < set->group_count; g++)
        for (int v = 0; v < set->groups[g].variant_count; v++) {
            const cf_set_variant *variant = &set->groups[g].variants[v];
            if (variant->nothing_to_remove && strcmp(variant->name, reach->name) == 0)
                cf_text_add(out, "%s%s", said++ > 0 ? ", " : "", value_of(set, g));
        }
    cf_text_add(out, ": clear*.");
}

static void say_matters(const cf_set_judgement *set, const cf_report_style *style, const cf_set_reach *reach,
                        cf_text *out)
{
    char name[160], key[160];
    const char *open = reach->undecided ? "; at some other point it is undecided" : "";
    const char *counted = reach->left_out > 0 ? " that counts" : "";
    safe(style, reach->name, name, sizeof name);
    safe(style, set->set->key, key, sizeof key);
    if (reach->left_out == set->group_count)
        cf_text_add(out, "%s: clear* at every point of %s.", name, key);
    else if (reach->count == 0 && reach->undecided)
        cf_text_add(out, "%s: confounded at no point of %s, but undecided at some.", name, key);
    else if (reach->count == 0)
        cf_text_add(out, "%s: clear at every point of %s%s.", name, key, counted);
    else if (reach->count + reach->left_out == set->group_count) {
        cf_text_add(out, "%s: confounded at every point of %s%s%s", name, key, counted, *counted != '\0' ? ": " : "");
        if (*counted != '\0')
            add_points(set, reach, out);
        cf_text_add(out, ".");
    } else if (reach->from >= 0 && reach->until < 0)
        cf_text_add(out, "%s starts to matter at %s = %s, and is confounded from there on%s.", name, key,
                    value_of(set, reach->from), open);
    else if (reach->until >= 0 && reach->from < 0)
        cf_text_add(out, "%s: confounded up to %s = %s, and not above%s.", name, key, value_of(set, reach->until),
                    open);
    else {
        cf_text_add(out, "%s: confounded at %s = ", name, key);
        add_points(set, reach, out);
        cf_text_add(out, "%s.", open);
    }
    if (reach->left_out > 0 && reach->left_out < set->group_count)
        add_left_out(set, reach, key, out);
}

static void say_host(const cf_set_judgement *set, const cf_report_style *style, const cf_set_reach *reach, cf_text *out)
{
    char key[160];
    safe(style, set->set->key, key, sizeof key);
    if (reach->count == 0)
        cf_text_add(out, "The host is the limit at no point of %s%s.", key, reach->open ? " that was measured" : "");
    else if (reach->count == set->group_count)
        cf_text_add(out, "The host is the limit at every point of %s: submitting takes as long as the work.", key);
    else if (reach->until >= 0 && reach->from < 0)
        cf_text_add(out, "Up to %s = %s the host is the limit: submitting takes as long as the work.", key,
                    value_of(set, reach->until));
    else {
        cf_text_add(out, "The host is the limit at %s = ", key);
        add_points(set, reach, out);
        cf_text_add(out, ".");
    }
}

static void answer_sweep(const cf_set_judgement *set, const cf_report_style *style, cf_text *out)
{
    for (int i = 0; i < set->reach_count; i++) {
        if (i > 0)
            cf_text_add(out, "\n");
        if (set->reaches[i].name[0] != '\0')
            say_matters(set, style, &set->reaches[i], out);
        else
            say_host(set, style, &set->reaches[i], out);
    }
}

static void add_star(const cf_set_judgement *set, cf_text *out)
{
    for (int i = 0; i < set->set->member_count; i++) {
        if (!has_star(&set->results[i]))
            continue;
        cf_text_add(out, "\n* There was nothing to remove: the control itself serialises. This is no evidence of "
                         "harmlessness.");
        return;
    }
}

void cf_set_sentence_answer(const cf_set_judgement *set, const cf_report_style *style, cf_text *out)
{
    if (set->set->kind == CF_SET_PROCESSES)
        answer_processes(set, style, out);
    else if (set->set->kind == CF_SET_SWEEP && set->ordered)
        answer_sweep(set, style, out);
    else if (set->set->kind == CF_SET_RECORDS)
        answer_records(set, style, out);
    else
        answer_values(set, style, out);
    add_star(set, out);
    for (int i = 0; i < set->set->member_count; i++) {
        const cf_set_member *member = &set->set->members[i];
        char label[160], shown[192], why[640];
        if (member->state != CF_SET_FAILED)
            continue;
        cf_text_add(out, "\n%s failed (exit %d): %s.",
                    safe(style, cf_set_label(set, i, label, sizeof label), shown, sizeof shown), member->exit_status,
                    safe(style, member->why, why, sizeof why));
    }
}

static void add_scope_of_records(const cf_set_judgement *set, cf_text *out)
{
    int emulated = 0, tests = 0;
    for (int i = 0; i < set->set->member_count; i++) {
        const cf_set_result *result = &set->results[i];
        emulated += result->ok && cf_is_emulated(&result->record);
        tests += result->ok && result->record.simulated && !cf_is_emulated(&result->record);
    }
    cf_text_add(out, "Each record holds for its own process, device and driver.");
    if (tests > 0)
        cf_text_add(out, " %s, and says nothing about anyone's GPU.",
                    emulated > 0 ? "A model without a driver is a self-test" : "What is simulated is a self-test");
    if (emulated > 0)
        cf_text_add(out, " Where the GPU is emulated, the driver is the vendor's own, the engines are modelled.");
}

void cf_set_sentence_scope(const cf_set_judgement *set, const cf_report_style *style, cf_text *out)
{
    const cf_set_result *first = first_result(set);
    char device[256], driver[256];
    if (first == NULL)
        return;
    const cf_record *record = &first->record;
    if (set->set->kind == CF_SET_RECORDS) {
        add_scope_of_records(set, out);
        return;
    }
    cf_text_add(
        out, "%s, this device (%s), %s%s.", "These processes",
        safe(style, record->device_name != NULL ? record->device_name : record->device_backend, device, sizeof device),
        record->driver != NULL ? "this driver: " : "no driver",
        record->driver != NULL ? safe(style, record->driver, driver, sizeof driver) : "");
    if (!cf_sentence_emulated(record, out) && set->simulated)
        cf_text_add(out, " Simulated: a self-test. A device built to show the effect proves that the tool can see it, "
                         "and says nothing about anyone's GPU.");
}

static bool is_told(const cf_set_judgement *set, int before, const char *value)
{
    for (int i = 0; i < before; i++)
        for (size_t k = 0; set->results[i].ok && k < set->results[i].record.device.count; k++) {
            const char *other = set->results[i].record.device.items[k].value;
            if (other != NULL && strcmp(other, value) == 0)
                return true;
        }
    return false;
}

/* What the records' devices say under that name, each once; how many. */
static int join_facts(const cf_set_judgement *set, const cf_report_style *style, const char *begin, const char *before,
                      cf_text *out)
{
    int count = 0;
    for (int i = 0; i < set->set->member_count; i++) {
        const cf_pairs *facts = &set->results[i].record.device;
        for (size_t k = 0; set->results[i].ok && k < facts->count; k++) {
            const char *value = facts->items[k].value;
            char shown[640];
            if (strncmp(facts->items[k].name, begin, strlen(begin)) != 0 || value == NULL || is_told(set, i, value))
                continue;
            cf_text_add(out, "%s%s", count++ > 0 ? "; " : before, safe(style, value, shown, sizeof shown));
        }
    }
    return count;
}

void cf_set_sentence_assumed(const cf_set_judgement *set, const cf_report_style *style, cf_text *out)
{
    if (join_facts(set, style, "assumption-", "Not verified on hardware: ", out) > 0)
        cf_text_add(out, ".");
}

void cf_set_sentence_taken_away(const cf_set_judgement *set, const cf_report_style *style, cf_text *out)
{
    if (join_facts(set, style, "taken-away-", "Modelled waits that were taken away: ", out) > 0)
        cf_text_add(out, ".");
}
