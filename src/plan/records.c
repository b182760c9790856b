#include "plan/records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "plan/claim.h"
#include "record/file.h"

#define MAX_MARGIN 0.10
#define MAX_SHARE  0.05 /* of a whole program's number */
#define MAX_ALPHA  0.01
#define MIN_ROUNDS 12

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

static int compare_orders(const void *a, const void *b)
{
    const cf_round *const *x = a, *const *y = b;
    int count = (*x)->order_count < (*y)->order_count ? (*x)->order_count : (*y)->order_count;
    for (int i = 0; i < count; i++) {
        if ((*x)->order[i] != (*y)->order[i])
            return (*x)->order[i] < (*y)->order[i] ? -1 : 1;
    }
    return ((*x)->order_count > (*y)->order_count) - ((*x)->order_count < (*y)->order_count);
}

/* How many orders a record of that many rounds must show. Of nine cells there are 9! orders, which hardly ever repeat;
   three arms have 6, and 12 rounds in random order show fewer than three of those in one record of thirty thousand. */
static size_t orders_wanted(const cf_record *record)
{
    const size_t rounds = record->rounds.count;
    size_t orders = 1;
    if (!record->metric.on)
        return rounds / 2 + 1;
    for (size_t v = 2; v <= (size_t)record->variant_count && orders < rounds; v++)
        orders *= v;
    const size_t wanted = (orders < rounds ? orders : rounds) / 3 + 1;
    return wanted < 2 ? 2 : wanted;
}

/* A record whose rounds share their
   order was not interleaved at random, whatever its design says. */
static bool is_interleaved(const cf_record *record, bool *ret_interleaved)
{
    size_t count = record->rounds.count, distinct = 0;
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers is meant */
    const cf_round **rounds = calloc(count + 1, sizeof *rounds);
    if (!rounds)
        return false;
    for (size_t i = 0; i < count; i++)
        rounds[i] = &record->rounds.items[i];
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers is meant */
    qsort(rounds, count, sizeof *rounds, compare_orders);
    for (size_t i = 0; i < count; i++)
        distinct += i == 0 || compare_orders(&rounds[i - 1], &rounds[i]) != 0;
    free(rounds);
    *ret_interleaved = count > 1 && distinct >= orders_wanted(record);
    return true;
}

static void drop_rounds(cf_record *record)
{
    cf_rounds *const lists[] = {&record->prologue, &record->warmup, &record->rounds};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        while (lists[i]->count)
            cf_rounds_drop_last(lists[i]);
    }
}

/* A record may be stricter than the defaults, and not laxer: a margin of 0.9 would clear any instrument, and pass any
   A/A check. */
static void hold_to_defaults(cf_record *record)
{
    record->margin = fmin(record->margin, record->metric.on ? MAX_SHARE : MAX_MARGIN);
    record->alpha = fmin(record->alpha, MAX_ALPHA);
    record->min_rounds = record->min_rounds > MIN_ROUNDS ? record->min_rounds : MIN_ROUNDS;
}

static cf_status judge(cf_plan_record *entry, const char *data, size_t size_bytes, cf_error *err)
{
    cf_error why = {0};
    cf_status status = cf_record_parse(entry->path, data, size_bytes, &entry->record, &why);
    if (!status) {
        hold_to_defaults(&entry->record);
        cf_judge_settings settings = {.margin = (double)NAN};
        status = cf_judge(&entry->record, entry->sha256, &settings, &entry->judgement, &why);
    }
    if (status == CF_MEMORY)
        return no_memory(err);
    if (status) {
        snprintf(entry->why, sizeof entry->why, "%s", why.text);
        return CF_OK;
    }
    entry->judged = true;
    if (!is_interleaved(&entry->record, &entry->interleaved))
        return no_memory(err);
    drop_rounds(&entry->record);
    return CF_OK;
}

static cf_status load(const cf_plan_place *place, bool as_record, cf_plan_record *entry, cf_error *err)
{
    cf_error why = {0};
    char *data = NULL;
    size_t size_bytes = 0;
    cf_status status =
        cf_plan_place_read(place, entry->path, CF_PLAN_MAX_RECORD, &entry->found, &data, &size_bytes, &why);
    if (status)
        return no_memory(err);
    if (entry->found == CF_PLAN_REFUSED)
        snprintf(entry->why, sizeof entry->why, "%s", why.text);
    if (entry->found == CF_PLAN_ABSENT)
        snprintf(entry->why, sizeof entry->why, "it is not there");
    if (entry->found == CF_PLAN_FOUND) {
        cf_hash_sha256(data, size_bytes, entry->sha256);
        if (as_record)
            status = judge(entry, data, size_bytes, err);
    }
    free(data);
    return status;
}

static void entry_free(cf_plan_record *entry)
{
    if (!entry)
        return;
    cf_judgement_done(&entry->judgement);
    cf_record_done(&entry->record);
    free(entry->path);
    free(entry);
}

static cf_status add(cf_plan_records *records, cf_plan_record *entry, cf_error *err)
{
    if (records->count == records->capacity) {
        size_t capacity = records->capacity ? 2 * records->capacity : 16;
        /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers is meant */
        cf_plan_record **items = realloc(records->items, capacity * sizeof *items);
        if (!items)
            return no_memory(err);
        records->items = items;
        records->capacity = capacity;
    }
    records->items[records->count++] = entry;
    return CF_OK;
}

cf_status cf_plan_records_get(cf_plan_records *records, const char *path, bool as_record,
                              const cf_plan_record **ret_record, cf_error *err)
{
    for (size_t i = 0; i < records->count; i++) {
        const cf_plan_record *entry = records->items[i];
        if (!strcmp(entry->path, path) && (entry->judged || entry->why[0] || !as_record)) {
            *ret_record = entry;
            return CF_OK;
        }
    }
    cf_plan_record *entry = calloc(1, sizeof *entry);
    if (!entry || !(entry->path = cf_text_dup(path))) {
        entry_free(entry);
        return no_memory(err);
    }
    cf_status status = load(records->place, as_record, entry, err);
    if (!status)
        status = add(records, entry, err);
    if (status)
        entry_free(entry);
    else
        *ret_record = entry;
    return status;
}

void cf_plan_records_done(cf_plan_records *records)
{
    for (size_t i = 0; i < records->count; i++)
        entry_free(records->items[i]);
    free(records->items);
    *records = (cf_plan_records){0};
}

const cf_variant_judgement *cf_plan_record_variant(const cf_plan_record *record, const char *name, cf_role *ret_role)
{
    for (int i = 0; record->judged && i < record->judgement.variant_count; i++) {
        const cf_variant_judgement *judged = &record->judgement.variants[i];
        const cf_record_variant *variant = &record->record.variants[judged->variant];
        if (strcmp(variant->name, name) != 0)
            continue;
        if (ret_role)
            *ret_role = variant->role;
        return judged;
    }
    return NULL;
}

bool cf_plan_record_has_role(const cf_plan_record *record, cf_role role)
{
    for (int i = 0; i < record->record.variant_count; i++) {
        if (record->record.variants[i].role == role)
            return true;
    }
    return false;
}

bool cf_plan_role_is_plain(cf_role role)
{
    return role == CF_ROLE_CONTROL || role == CF_ROLE_REPLICA || role == CF_ROLE_DESIGN;
}

const char *cf_plan_record_date(const cf_plan_record *record, char ret_date[11])
{
    snprintf(ret_date, 11, "%.10s", record->record.created_utc ? record->record.created_utc : "");
    if (!cf_plan_is_date(ret_date))
        ret_date[0] = '\0';
    return ret_date;
}

char *cf_plan_program(const cf_record *record)
{
    cf_text line = {0};
    cf_text_add(&line, CF_PLAN_PROGRAM);
    for (size_t i = 0; i < record->metric.program.count && line.size_bytes < CF_PLAN_PROGRAM_BYTES; i++)
        cf_text_add(&line, "%s%s", i ? " " : "", record->metric.program.items[i]);
    if (line.failed) {
        cf_text_done(&line);
        return NULL;
    }
    char safe[CF_PLAN_PROGRAM_BYTES];
    cf_text_safe(line.data, safe, sizeof safe);
    cf_text_done(&line);
    return cf_text_dup(safe);
}

static bool same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

bool cf_plan_record_same_device(const cf_plan_record *a, const cf_plan_record *b)
{
    return same(a->record.device_backend, b->record.device_backend) &&
           same(a->record.device_name, b->record.device_name) && same(a->record.driver, b->record.driver) &&
           same(cf_pairs_get(&a->record.device, "model"), cf_pairs_get(&b->record.device, "model"));
}
