/* One table of keys; each has a reader of its own. */
#include "run/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "run/job_model.h"
#include "run/job_read.h"

const char *const cf_job_sections[] = {"job", "lane a", "lane b", "order", "instruments", "run", "device", NULL};

static cf_status read_choice(cf_job_reader *r, const char *const *names, int *ret_index)
{
    int found = cf_text_find(names, r->item->value);
    char list[160];
    if (found < 0)
        return cf_job_refuse(r, cf_text_list(names, list, sizeof list));
    *ret_index = found;
    return CF_OK;
}

static cf_status read_count(cf_job_reader *r, uint64_t min, uint64_t max, uint32_t *ret)
{
    uint64_t value = 0;
    if (!cf_text_parse_u64(r->item->value, min, max, &value)) {
        char range[80];
        snprintf(range, sizeof range, "a whole number from %llu to %llu", (unsigned long long)min,
                 (unsigned long long)max);
        return cf_job_refuse(r, range);
    }
    *ret = (uint32_t)value;
    return CF_OK;
}

static cf_status read_device(cf_job_reader *r)
{
    free(r->job->device);
    r->job->device = cf_text_dup(r->item->value);
    return r->job->device != NULL ? CF_OK : cf_error_set(r->err, CF_MEMORY, "out of memory");
}

static cf_status read_nothing(cf_job_reader *r)
{
    (void)r; /* model: read by cf_job_model_read, which needs the whole file */
    return CF_OK;
}

static cf_lane_spec *lane_of(cf_job_reader *r)
{
    return &r->job->spec.lane[r->item->section[strlen("lane ")] == 'a' ? 0 : 1];
}

static cf_status read_op(cf_job_reader *r)
{
    int kind = 0;
    cf_status status = read_choice(r, cf_op_names, &kind);
    if (status == CF_OK)
        lane_of(r)->kind = (cf_op_kind)kind;
    return status;
}

static cf_status read_lane_count(cf_job_reader *r)
{
    return read_count(r, 1, CF_WORKLOAD_MAX_COUNT, &lane_of(r)->count);
}

static cf_status give_length(cf_job_reader *r, cf_unit unit, uint64_t length)
{
    cf_lane_spec *lane = lane_of(r);
    if (lane->given && lane->unit != unit)
        return cf_job_refuse(r, "one of ns, bytes and trips");
    lane->unit = unit;
    lane->length = length;
    lane->given = true;
    return CF_OK;
}

static cf_status read_ns(cf_job_reader *r)
{
    uint64_t ns = 0;
    if (!cf_text_parse_ns(r->item->value, CF_MODEL_MAX_NS, &ns) || ns == 0)
        return cf_job_refuse(r, "a length from 1 ns, such as 1000000, 250us or 1ms");
    return give_length(r, CF_UNIT_NS, ns);
}

/* The length on the virtual clock of a lane that leaves its length out, so that its walls can be worked out by hand. */
static cf_status read_sim_ns(cf_job_reader *r)
{
    bool wanted = !lane_of(r)->given && r->job->device != NULL && strcmp(r->job->device, "sim") == 0;
    uint64_t ns = 0;
    if (!cf_text_parse_ns(r->item->value, CF_MODEL_MAX_NS, &ns) || ns == 0)
        return cf_job_refuse(r, "a length from 1 ns, such as 1000000, 250us or 1ms");
    return wanted ? give_length(r, CF_UNIT_NS, ns) : CF_OK;
}

static cf_status read_bytes(cf_job_reader *r)
{
    uint64_t bytes = 0;
    if (!cf_text_parse_bytes(r->item->value, UINT64_C(1) << 40, &bytes) || bytes < 8)
        return cf_job_refuse(r, "a size from 8 bytes to 1024GiB, such as 65536, 64KiB or 4MiB");
    return give_length(r, CF_UNIT_BYTES, bytes);
}

static cf_status read_trips(cf_job_reader *r)
{
    uint64_t trips = 0;
    if (!cf_text_parse_u64(r->item->value, 1, UINT64_C(1) << 48, &trips))
        return cf_job_refuse(r, "a whole number from 1");
    return give_length(r, CF_UNIT_TRIPS, trips);
}

static cf_status read_share(cf_job_reader *r)
{
    if (!cf_text_parse_double(r->item->value, 0.0001, 1, &lane_of(r)->share))
        return cf_job_refuse(r, "a part of the device, from 0.0001 to 1");
    return CF_OK;
}

static cf_status read_pieces(cf_job_reader *r)
{
    return read_count(r, 1, CF_WORKLOAD_MAX_COUNT, &lane_of(r)->pieces);
}

static cf_status read_submit(cf_job_reader *r)
{
    int order = 0;
    cf_status status = read_choice(r, cf_submit_names, &order);
    if (status == CF_OK)
        r->job->spec.submit = (cf_submit_order)order;
    return status;
}

static cf_status read_depends(cf_job_reader *r)
{
    static const char *const words[] = {"no", "each", NULL};
    int index = 0;
    cf_status status = read_choice(r, words, &index);
    if (status == CF_OK)
        r->job->spec.depends = index == 1;
    return status;
}

static cf_status read_prefetch(cf_job_reader *r)
{
    return read_count(r, 0, CF_WORKLOAD_MAX_COUNT, &r->job->spec.prefetch);
}

static cf_status read_batch(cf_job_reader *r)
{
    return read_count(r, 1, CF_WORKLOAD_MAX_COUNT, &r->job->spec.batch);
}

static cf_status read_in_flight(cf_job_reader *r)
{
    return read_count(r, 1, CF_WORKLOAD_MAX_IN_FLIGHT, &r->job->spec.in_flight);
}

static cf_status read_wait(cf_job_reader *r)
{
    int how = 0;
    cf_status status = read_choice(r, cf_wait_names, &how);
    if (status == CF_OK)
        r->job->wait = (cf_wait)how;
    return status;
}

static cf_status read_rounds(cf_job_reader *r)
{
    return read_count(r, 1, 1000000, &r->job->max_rounds);
}

static cf_status read_min_rounds(cf_job_reader *r)
{
    return read_count(r, 1, 1000000, &r->job->min_rounds);
}

static cf_status read_margin(cf_job_reader *r)
{
    if (!cf_text_parse_double(r->item->value, 0.001, 0.999, &r->job->margin))
        return cf_job_refuse(r, "a number from 0.001 to 0.999");
    return CF_OK;
}

static cf_status read_seed(cf_job_reader *r)
{
    if (!cf_text_parse_u64(r->item->value, 0, (UINT64_C(1) << 53) - 1, &r->job->seed))
        return cf_job_refuse(r, "a whole number from 0 to 9007199254740991");
    r->job->has_seed = true;
    return CF_OK;
}

static void place_all(cf_job *job, unsigned where, unsigned on)
{
    for (int i = 0; i < job->variant_count; i++) {
        if (where != 0)
            job->variants[i].where = where;
        if (on != 0)
            job->variants[i].on = on;
    }
}

static cf_status read_where(cf_job_reader *r)
{
    int index = 0;
    cf_status status = read_choice(r, cf_where_names, &index);
    if (status == CF_OK)
        place_all(r->job, (unsigned)index + 1, 0);
    return status;
}

static cf_status read_on(cf_job_reader *r)
{
    int index = 0;
    cf_status status = read_choice(r, cf_on_names, &index);
    if (status == CF_OK)
        place_all(r->job, 0, (unsigned)index + 1);
    return status;
}

static bool has_variant(const cf_job *job, const cf_instrument_type *type)
{
    for (int i = 0; i < job->variant_count; i++)
        if (job->variants[i].type == type)
            return true;
    return false;
}

static void add_variant(cf_job *job, const cf_instrument_type *type)
{
    if (has_variant(job, type))
        return;
    job->variants[job->variant_count++] =
        (cf_job_variant){.type = type, .where = CF_WHERE_BEFORE | CF_WHERE_AFTER, .on = CF_ON_A | CF_ON_B};
}

/* The variants that every run has stand around those that the job names. */
static void begin_variants(cf_job *job)
{
    job->variant_count = 0;
    add_variant(job, cf_instrument_find("none"));
    add_variant(job, cf_instrument_find("none-again"));
}

static void end_variants(cf_job *job)
{
    add_variant(job, cf_instrument_find("one-queue"));
}

static cf_status add_named(cf_job_reader *r, const char *name)
{
    const cf_instrument_type *type = cf_instrument_find(name);
    bool every_run = type != NULL && type->by_default && type->role != CF_ROLE_INSTRUMENT;
    if (type != NULL && !every_run && has_variant(r->job, type))
        return cf_job_refuse(r, "each instrument once");
    if (type != NULL) {
        if (!every_run)
            add_variant(r->job, type);
        return CF_OK;
    }
    const char *names[32] = {NULL};
    for (size_t i = 0; cf_instruments[i] != NULL && i < 31; i++)
        names[i] = cf_instruments[i]->name;
    const char *near = cf_text_nearest(names, name);
    char where[256], safe[64], list[256];
    return cf_error_set(r->err, CF_INPUT, "%sthere is no instrument '%s'%s%s%s; accepted: %s",
                        cf_ini_where(r->ini, r->item, where, sizeof where), cf_text_safe(name, safe, sizeof safe),
                        near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
                        cf_text_list(names, list, sizeof list));
}

static cf_status read_use(cf_job_reader *r)
{
    begin_variants(r->job);
    char *copy = cf_text_dup(r->item->value);
    if (copy == NULL)
        return cf_error_set(r->err, CF_MEMORY, "out of memory");
    cf_status status = CF_OK;
    char *rest = NULL;
    for (char *name = strtok_r(copy, " ,\t", &rest); name != NULL && status == CF_OK;
         name = strtok_r(NULL, " ,\t", &rest))
        status = add_named(r, name);
    free(copy);
    end_variants(r->job);
    return status;
}

/* `use` stands before `where` and `on`, which place what it names; the pass over the file follows this order. */
static const struct key {
    const char *section, *name;
    cf_status (*read)(cf_job_reader *r);
} keys[] = {
    {"job", "device", read_device},
    {"job", "model", read_nothing},
    {"lane a", "op", read_op},
    {"lane a", "count", read_lane_count},
    {"lane a", "ns", read_ns},
    {"lane a", "bytes", read_bytes},
    {"lane a", "trips", read_trips},
    {"lane a", "sim_ns", read_sim_ns},
    {"lane a", "share", read_share},
    {"lane a", "pieces", read_pieces},
    {"lane b", "op", read_op},
    {"lane b", "count", read_lane_count},
    {"lane b", "ns", read_ns},
    {"lane b", "bytes", read_bytes},
    {"lane b", "trips", read_trips},
    {"lane b", "sim_ns", read_sim_ns},
    {"lane b", "share", read_share},
    {"lane b", "pieces", read_pieces},
    {"order", "submit", read_submit},
    {"order", "depends", read_depends},
    {"order", "prefetch", read_prefetch},
    {"order", "batch", read_batch},
    {"order", "in_flight", read_in_flight},
    {"instruments", "use", read_use},
    {"instruments", "where", read_where},
    {"instruments", "on", read_on},
    {"run", "wait", read_wait},
    {"run", "rounds", read_rounds},
    {"run", "min_rounds", read_min_rounds},
    {"run", "margin", read_margin},
    {"run", "seed", read_seed},
};
enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

static cf_status refuse_section(cf_job_reader *r)
{
    static const char *const models[] = {"model", "host", "noise", "habits", "fault", NULL};
    const char *near = cf_text_nearest(cf_job_sections, r->item->section);
    if (near == NULL)
        near = cf_text_nearest(models, r->item->section);
    char where[256], name[80], list[160];
    return cf_error_set(r->err, CF_INPUT, "%sunknown section [%s]%s%s%s; accepted: %s, and those of a model",
                        cf_ini_where(r->ini, r->item, where, sizeof where),
                        cf_text_safe(r->item->section, name, sizeof name), near ? " (did you mean [" : "",
                        near ? near : "", near ? "]?)" : "", cf_text_list(cf_job_sections, list, sizeof list));
}

static cf_status refuse_key(cf_job_reader *r)
{
    const char *names[KEY_COUNT + 1] = {NULL};
    for (size_t i = 0, n = 0; i < KEY_COUNT; i++)
        if (strcmp(keys[i].section, r->item->section) == 0)
            names[n++] = keys[i].name;
    const char *near = cf_text_nearest(names, r->item->key);
    char where[256], key[80], list[160];
    return cf_error_set(r->err, CF_INPUT, "%sunknown key '%s' in [%s]%s%s%s; accepted: %s",
                        cf_ini_where(r->ini, r->item, where, sizeof where), cf_text_safe(r->item->key, key, sizeof key),
                        r->item->section, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
                        cf_text_list(names, list, sizeof list));
}

static cf_status check_words(cf_job_reader *r)
{
    for (size_t i = 0; i < r->ini->count; i++) {
        r->item = &r->ini->items[i];
        if (cf_model_owns_section(r->item->section))
            continue;
        if (strcmp(r->item->section, "device") == 0) {
            cf_status status = r->item->key != NULL ? cf_job_read_setting(r) : CF_OK;
            if (status != CF_OK)
                return status;
            continue;
        }
        if (cf_text_find(cf_job_sections, r->item->section) < 0)
            return refuse_section(r);
        if (r->item->key == NULL)
            continue;
        bool known = false;
        for (size_t k = 0; k < KEY_COUNT && !known; k++)
            known = strcmp(keys[k].section, r->item->section) == 0 && strcmp(keys[k].name, r->item->key) == 0;
        if (!known)
            return refuse_key(r);
    }
    return CF_OK;
}

static cf_status read_keys(cf_job_reader *r)
{
    for (size_t k = 0; k < KEY_COUNT; k++) {
        r->item = cf_ini_find(r->ini, keys[k].section, keys[k].name);
        if (r->item == NULL)
            continue;
        cf_status status = keys[k].read(r);
        if (status != CF_OK)
            return status;
    }
    return CF_OK;
}

/* "FILE:LINE: " of a key, "FILE: " where it is not there. */
static const char *where_of(const cf_ini *ini, const char *section, const char *key, char *buf, size_t buf_bytes)
{
    const cf_ini_item *item = cf_ini_find(ini, section, key);
    if (item != NULL)
        return cf_ini_where(ini, item, buf, buf_bytes);
    snprintf(buf, buf_bytes, "%s: ", ini->name);
    return buf;
}

static cf_status check_kinds(cf_job_reader *r)
{
    for (int i = 0; i < 2; i++) {
        const cf_lane_spec *lane = &r->job->spec.lane[i];
        bool kernel = lane->kind == CF_OP_KERNEL;
        if (!lane->given || lane->unit == CF_UNIT_NS || (lane->unit == CF_UNIT_TRIPS) == kernel)
            continue;
        char where[256];
        const char *section = cf_job_sections[1 + i];
        return cf_error_set(r->err, CF_INPUT, "%s[%s] a %s takes no %s; accepted: ns or %s",
                            where_of(r->ini, section, cf_unit_names[lane->unit], where, sizeof where), section,
                            cf_op_names[lane->kind], cf_unit_names[lane->unit], kernel ? "trips" : "bytes");
    }
    return CF_OK;
}

/* The key of [order] that makes a job one that cannot run. */
static const char *to_blame(const cf_job *job)
{
    const cf_workload_spec *spec = &job->spec;
    bool whole = spec->submit == CF_SUBMIT_A_THEN_B || spec->submit == CF_SUBMIT_B_THEN_A;
    if (whole && spec->prefetch != 0)
        return "prefetch";
    return whole && spec->batch != 1 ? "batch" : "submit";
}

static cf_status check_whole(cf_job_reader *r)
{
    cf_job *job = r->job;
    char where[256];
    cf_status status = check_kinds(r);
    cf_error err = {0};
    if (status != CF_OK)
        return status;
    status = cf_workload_check(&job->spec, &err);
    if (status != CF_OK)
        return cf_error_set(r->err, status, "%s%s", where_of(r->ini, "order", to_blame(job), where, sizeof where),
                            err.text);
    if (job->min_rounds > job->max_rounds && cf_ini_find(r->ini, "run", "min_rounds") != NULL &&
        cf_ini_find(r->ini, "run", "rounds") != NULL)
        return cf_error_set(r->err, CF_INPUT, "%s[run] min_rounds = %u is more than rounds = %u",
                            where_of(r->ini, "run", "min_rounds", where, sizeof where), job->min_rounds,
                            job->max_rounds);
    if (job->min_rounds > job->max_rounds) {
        if (cf_ini_find(r->ini, "run", "rounds") != NULL)
            job->min_rounds = job->max_rounds;
        else
            job->max_rounds = job->min_rounds;
    }
    return CF_OK;
}

static char *text_of(const cf_ini *ini)
{
    cf_text text = {0};
    const char *section = "";
    for (size_t i = 0; i < ini->count; i++) {
        const cf_ini_item *item = &ini->items[i];
        if (item->key == NULL)
            continue;
        if (strcmp(item->section, section) != 0)
            cf_text_add(&text, "[%s]\n", item->section);
        section = item->section;
        cf_text_add(&text, "%s = %s\n", item->key, item->value);
    }
    if (text.failed) {
        cf_text_done(&text);
        return NULL;
    }
    return text.data != NULL ? text.data : cf_text_dup("");
}

static void set_defaults(cf_job *job)
{
    *job = (cf_job){
        .spec = {.lane = {{.kind = CF_OP_H2D, .count = 16, .pieces = 64},
                          {.kind = CF_OP_KERNEL, .count = 16, .pieces = 64}},
                 .batch = 1,
                 .in_flight = 1},
        .margin = 0.10,
        .min_rounds = 12,
        .max_rounds = 120,
    };
    begin_variants(job);
    for (size_t i = 0; cf_instruments[i] != NULL; i++)
        if (cf_instruments[i]->by_default && cf_instruments[i]->role == CF_ROLE_INSTRUMENT)
            add_variant(job, cf_instruments[i]);
    end_variants(job);
}

cf_status cf_job_from_ini(const cf_ini *ini, const char *folder, cf_job *ret_job, cf_error *err)
{
    set_defaults(ret_job);
    cf_job_reader r = {.ini = ini, .job = ret_job, .err = err};
    ret_job->name = cf_text_dup(ini->name);
    ret_job->text = text_of(ini);
    if (ret_job->name == NULL || ret_job->text == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    cf_status status = check_words(&r);
    if (status == CF_OK)
        status = read_keys(&r);
    if (status == CF_OK)
        status = check_whole(&r);
    return status == CF_OK ? cf_job_model_read(ini, folder, ret_job, err) : status;
}

void cf_job_done(cf_job *job)
{
    if (job == NULL)
        return;
    free(job->name);
    free(job->text);
    free(job->device);
    cf_pairs_done(&job->settings);
    cf_model_done(&job->model);
    *job = (cf_job){0};
}
