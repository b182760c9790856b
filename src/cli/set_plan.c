#include "cli/set_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/rng.h"
#include "base/text.h"
#include "cli/run_job.h"
#include "cli/set_options.h"
#include "cli/set_values.h"
#include "cli/value.h"

#define SEED_MASK ((UINT64_C(1) << 53) - 1)

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

static bool asks(const cf_options *o)
{
    return o->processes.set || o->vary_env != NULL || o->sweep != NULL;
}

bool cf_set_is_wanted(const cf_options *options)
{
    return asks(options) || (options->resume != NULL && cf_set_is_document(options->resume));
}

/* ---- the values ---- */

static cf_status read_values(const cf_options *o, cf_set *set, cf_error *err)
{
    if (o->sweep != NULL && o->vary_env != NULL)
        return cf_error_set(err, CF_INPUT, "--sweep and --vary-env exclude each other");
    set->processes = o->processes.set ? (int64_t)o->processes.value : 1;
    if (o->sweep != NULL) {
        set->kind = CF_SET_SWEEP;
        return cf_set_values_sweep(o->sweep, &set->key, &set->values, err);
    }
    if (o->vary_env != NULL && o->record_env != NULL)
        return cf_error_set(err, CF_INPUT, "--vary-env records its variable already: --record-env cannot name another");
    if (o->vary_env != NULL) {
        set->kind = CF_SET_ENV;
        return cf_set_values_env(o->vary_env, &set->key, &set->values, err);
    }
    set->kind = CF_SET_PROCESSES;
    return cf_set_strings_add(&set->values, "", err);
}

/* ---- members ---- */

static int digits_of(int number)
{
    int digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

/* OUT.json -> OUT-001.json, in the folder of the document. */
static char *member_name(const cf_set *set, const char *path, int number)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t length = strlen(name);
    bool json = length > 5 && strcmp(name + length - 5, ".json") == 0;
    int digits = digits_of(set->member_count);
    if (set->kind == CF_SET_SWEEP && digits < 3)
        digits = 3;
    return cf_text_format("%.*s-%0*d%s", (int)(json ? length - 5 : length), name, digits, number, ".json");
}

/* Names follow the values; the order of the measurements is random where values are compared with each other, each
   value once before any comes again. */
static cf_status make_members(cf_set *set, const char *path, cf_error *err)
{
    int groups = (int)set->values.count;
    if (set->values.count * (uint64_t)set->processes > CF_SET_MEMBERS_MAX)
        return cf_error_set(err, CF_INPUT, "%zu values with %lld processes each are more than %d", set->values.count,
                            (long long)set->processes, CF_SET_MEMBERS_MAX);
    set->member_count = groups * (int)set->processes;
    set->members = calloc((size_t)set->member_count, sizeof *set->members);
    int *order = calloc((size_t)groups, sizeof *order);
    if (!set->members || !order) {
        free(order);
        return no_memory(err);
    }
    cf_status status = CF_OK;
    cf_rng places = {.state = ~set->seed}, seeds = {.state = set->seed};
    for (int process = 0; process < set->processes && status == CF_OK; process++) {
        for (int g = 0; g < groups; g++)
            order[g] = g;
        if (set->kind == CF_SET_ENV)
            cf_rng_shuffle(&places, order, (size_t)groups);
        for (int i = 0; i < groups && status == CF_OK; i++) {
            cf_set_member *m = &set->members[process * groups + i];
            *m = (cf_set_member){.group = order[i], .process = process + 1, .seed = cf_rng_next(&seeds) & SEED_MASK};
            m->path = member_name(set, path, order[i] * (int)set->processes + process + 1);
            status = m->path != NULL ? CF_OK : no_memory(err);
        }
    }
    free(order);
    return status;
}

/* ---- what a process would refuse ---- */

/* The seed is each process's own. */
static void drop_seed(char *text)
{
    char *seed = strstr(text, "seed = ");
    while (seed != NULL && seed != text && seed[-1] != '\n')
        seed = strstr(seed + 1, "seed = ");
    if (seed == NULL)
        return;
    size_t length = strcspn(seed, "\n");
    memmove(seed, seed + length + (seed[length] == '\n'), strlen(seed + length + (seed[length] == '\n')) + 1);
    char *run = strstr(text, "[run]\n"); /* that had nothing else */
    if (run != NULL && (run[6] == '\0' || run[6] == '['))
        memmove(run, run + 6, strlen(run + 6) + 1);
}

/* options with the point of a group on top; `sets` is the caller's to free. */
static cf_status with_point(const cf_options *options, const cf_set *set, int group, cf_options *ret, cf_error *err)
{
    *ret = *options;
    ret->sets = (cf_option_strings){0};
    cf_status status = CF_OK;
    for (size_t i = 0; i < options->sets.count && status == CF_OK; i++)
        status = cf_option_strings_add(&ret->sets, options->sets.items[i], strlen(options->sets.items[i]), err);
    if (status != CF_OK || set->kind != CF_SET_SWEEP)
        return status;
    char *point = cf_text_format("%s=%s", set->key, set->values.items[group]);
    status = point != NULL ? cf_option_strings_add(&ret->sets, point, strlen(point), err) : no_memory(err);
    free(point);
    return status;
}

static void strings_done(cf_option_strings *strings)
{
    for (size_t i = 0; i < strings->count; i++)
        free(strings->items[i]);
    free(strings->items);
}

/* Makes the plan of a group's first process and takes the job's text from it, less its seed. */
static cf_status try_group(const cf_options *options, const cf_set *set, const char *path, int group, cf_run_plan *plan,
                           cf_error *err)
{
    cf_options o;
    cf_record record;
    char *output = NULL;
    for (int i = 0; i < set->member_count && output == NULL; i++)
        if (set->members[i].group == group)
            output = cf_set_member_path(path, &set->members[i]);
    cf_status status = output != NULL ? with_point(options, set, group, &o, err) : no_memory(err);
    if (output == NULL)
        return status;
    o.output = output;
    o.resume = NULL;
    if (set->device != NULL)
        o.device = set->device;
    cf_record_init(&record);
    if (status == CF_OK)
        status = cf_run_plan_make(&o, plan, &record, err);
    cf_record_done(&record);
    strings_done(&o.sets);
    free(output);
    if (status == CF_OK)
        drop_seed(plan->job.text);
    return status;
}

static cf_status refuse_same(const cf_set *set, int group, cf_error *err)
{
    return cf_error_set(err, CF_INPUT,
                        "--sweep %s: the job is the same at %s as at %s: another option says what the key says",
                        set->key, set->values.items[group], set->values.items[group - 1]);
}

/* The first group settles the device, which all processes then share, and the job that they go by. */
static cf_status try_first(const cf_options *options, cf_set *set, const char *path, char *why, cf_error *err)
{
    cf_run_plan plan = {0};
    cf_status status = try_group(options, set, path, 0, &plan, err);
    if (status == CF_OK) {
        (void)snprintf(why, sizeof plan.pick.why, "%s", plan.pick.why);
        if (plan.job.has_seed && !options->seed.set && set->job_text == NULL)
            set->seed = plan.job.seed;
        set->device = cf_text_dup(plan.pick.name);
        set->job_name = cf_text_dup(plan.job.name);
        set->job_text = cf_text_dup(plan.job.text);
        if (set->device == NULL || set->job_name == NULL || set->job_text == NULL)
            status = no_memory(err);
    }
    cf_run_plan_done(&plan);
    return status;
}

static cf_status try_others(const cf_options *options, const cf_set *set, const char *path, cf_error *err)
{
    char *before = cf_text_dup(set->job_text);
    cf_status status = before != NULL ? CF_OK : no_memory(err);
    for (int g = 1; set->kind == CF_SET_SWEEP && g < (int)set->values.count && status == CF_OK; g++) {
        cf_run_plan plan = {0};
        status = try_group(options, set, path, g, &plan, err);
        if (status == CF_OK && strcmp(plan.job.text, before) == 0)
            status = refuse_same(set, g, err);
        free(before);
        before = status == CF_OK ? cf_text_dup(plan.job.text) : NULL;
        if (status == CF_OK && before == NULL)
            status = no_memory(err);
        cf_run_plan_done(&plan);
    }
    free(before);
    return status;
}

/* ---- a new set ---- */

static char *fresh_path(cf_set_kind kind)
{
    char utc[32], stamp[32];
    size_t n = 0;
    (void)cf_clock_utc(utc, sizeof utc);
    for (const char *c = utc; *c != '\0'; c++)
        if (*c != '-' && *c != ':')
            stamp[n++] = *c;
    stamp[n] = '\0';
    char *path = cf_text_format("confound-%s-%s.json", cf_set_kind_names[kind], stamp);
    for (int i = 2; path != NULL && i < 1000 && cf_file_exists(path); i++) {
        free(path);
        path = cf_text_format("confound-%s-%s-%d.json", cf_set_kind_names[kind], stamp, i);
    }
    return path;
}

/* The records' names are made from the document's, and belong beside a file alone. A set that lacks members is not
   written over. */
static cf_status check_old(const char *path, cf_error *err)
{
    cf_set old;
    struct stat facts;
    int done = 0;
    bool there = stat(path, &facts) == 0;
    if (strcmp(path, "-") == 0 || (there && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)))
        return cf_error_set(
            err, CF_INPUT, "%s: is no regular file; a set's records stand beside its document: accepted: a file", path);
    if (!cf_set_is_document(path))
        return cf_file_check_writable(path, err);
    if (cf_set_read(path, &old, NULL) == CF_OK)
        for (int i = 0; i < old.member_count; i++)
            done += old.members[i].state == CF_SET_DONE;
    int count = old.member_count;
    cf_set_done(&old);
    if (done == 0 || done == count)
        return cf_file_check_writable(path, err);
    return cf_error_set(err, CF_INPUT,
                        "%s holds %d of %d records of a set that did not end; go on with --resume %s, or remove it",
                        path, done, count, path);
}

static cf_status begin_set(const cf_options *options, cf_set *set, cf_error *err)
{
    char utc[32];
    if (options->job_path != NULL && strcmp(options->job_path, "-") == 0)
        return cf_error_set(err, CF_INPUT, "a set reads its job once for each process; accepted: a file, not '-'");
    set->seed = options->seed.set ? options->seed.value : cf_rng_seed();
    set->tool_version = cf_text_dup(CONFOUND_VERSION);
    set->created_utc = cf_text_dup(cf_clock_utc(utc, sizeof utc));
    if (set->tool_version == NULL || set->created_utc == NULL)
        return no_memory(err);
    cf_status status = read_values(options, set, err);
    return status == CF_OK ? cf_set_options_gather(options, &set->options, err) : status;
}

/* A set has no rounds of its own: its name is held as a record's is, so that no two write the same members. */
static cf_status hold_place(const char *path, cf_place_hold *ret, cf_error *err)
{
    char *part = cf_place_part(path);
    cf_status status = part != NULL ? cf_place_hold_part(part, true, ret, err) : no_memory(err);
    free(part);
    return status;
}

/* What is there is looked at before, since a file is made beside it, and once more when nobody else writes it. */
static cf_status take_place(const char *path, cf_place_hold *ret, cf_error *err)
{
    cf_status status = check_old(path, err);
    if (status == CF_OK)
        status = hold_place(path, ret, err);
    return status == CF_OK ? check_old(path, err) : status;
}

static cf_status plan_new(const cf_options *options, cf_set *set, char **ret_path, cf_place_hold *ret_hold, char *why,
                          cf_error *err)
{
    cf_status status = begin_set(options, set, err);
    if (status != CF_OK)
        return status;
    *ret_path = options->output != NULL ? cf_text_dup(options->output) : fresh_path(set->kind);
    if (*ret_path == NULL)
        return no_memory(err);
    status = take_place(*ret_path, ret_hold, err);
    if (status == CF_OK)
        status = make_members(set, *ret_path, err);
    uint64_t seed = set->seed;
    if (status == CF_OK)
        status = try_first(options, set, *ret_path, why, err);
    if (status == CF_OK && set->seed != seed) { /* the job's own: everything that is drawn is drawn from it */
        for (int i = 0; i < set->member_count; i++)
            free(set->members[i].path);
        free(set->members);
        set->members = NULL;
        set->member_count = 0;
        status = make_members(set, *ret_path, err);
    }
    return status == CF_OK ? try_others(options, set, *ret_path, err) : status;
}

/* ---- a set that goes on ---- */

static bool same_strings(const cf_set_strings *one, const cf_set_strings *other)
{
    if (one->count != other->count)
        return false;
    for (size_t i = 0; i < one->count; i++)
        if (strcmp(one->items[i], other->items[i]) != 0)
            return false;
    return true;
}

static bool same_key(const cf_set *one, const cf_set *other)
{
    if (one->key == NULL || other->key == NULL)
        return one->key == other->key;
    return strcmp(one->key, other->key) == 0;
}

/* --resume alone goes on; so does the command line of then. */
static cf_status check_same(const cf_options *options, const cf_set *set, cf_error *err)
{
    cf_set now = {0};
    cf_status status =
        asks(options) ? begin_set(options, &now, err) : cf_set_options_gather(options, &now.options, err);
    bool same = same_strings(&now.options, &set->options);
    if (asks(options))
        same = same && now.kind == set->kind && now.processes == set->processes && same_key(&now, set) &&
               same_strings(&now.values, &set->values);
    else
        same = same || now.options.count == 0;
    same = same && (!options->seed.set || options->seed.value == set->seed) &&
           (options->device == NULL || strcmp(options->device, set->device) == 0);
    cf_set_done(&now);
    if (status != CF_OK || same)
        return status;
    return cf_error_set(err, CF_INPUT,
                        "%s was begun with other options than this command line says; give --resume alone, or the same "
                        "options as then",
                        options->resume);
}

static const char *no_environment(const char *name)
{
    (void)name;
    return NULL;
}

/* The options of then as if they had been given now. ret: the caller frees with cf_options_done; words is what its
   strings are borrowed from. */
static cf_status options_again(const cf_set *set, char **words, cf_options *ret, cf_error *err)
{
    size_t n = 0;
    words[n++] = (char *)"confound";
    words[n++] = (char *)"run";
    for (size_t i = 0; i < set->options.count; i++)
        words[n++] = set->options.items[i];
    return cf_options_parse((int)n, words, no_environment, ret, err);
}

static cf_status check_job(const cf_options *again, cf_set *set, const char *path, cf_error *err)
{
    cf_run_plan plan = {0};
    cf_error why = {0};
    cf_status status = try_group(again, set, path, 0, &plan, &why);
    bool changed = status == CF_OK && strcmp(plan.job.text, set->job_text) != 0;
    cf_run_plan_done(&plan);
    if (changed)
        return cf_error_set(err, CF_INPUT, "%s: the job %s has changed since the set was begun", path, set->job_name);
    /* A part file of an earlier process is what is gone on with. */
    return status == CF_OK || strstr(why.text, "--resume") != NULL ? CF_OK : cf_error_set(err, status, "%s", why.text);
}

static cf_status plan_again(const cf_options *options, cf_set *set, char **ret_path, cf_place_hold *ret_hold,
                            cf_error *err)
{
    if (options->output != NULL && strcmp(options->output, options->resume) != 0)
        return cf_error_set(err, CF_INPUT, "a set goes on in its own place: %s, not %s", options->resume,
                            options->output);
    *ret_path = cf_text_dup(options->resume);
    if (*ret_path == NULL)
        return no_memory(err);
    cf_status status = hold_place(*ret_path, ret_hold, err);
    if (status == CF_OK)
        status = cf_set_read(*ret_path, set, err);
    if (status == CF_OK)
        status = check_same(options, set, err);
    char **words = calloc(set->options.count + 3, sizeof *words);
    if (words == NULL)
        return status == CF_OK ? no_memory(err) : status;
    cf_options again = {0};
    if (status == CF_OK)
        status = options_again(set, words, &again, err);
    if (status == CF_OK)
        status = check_job(&again, set, *ret_path, err);
    cf_options_done(&again);
    free(words);
    return status;
}

cf_status cf_set_plan(const cf_options *options, cf_set *ret_set, char **ret_path, cf_place_hold *ret_hold, char *why,
                      cf_error *err)
{
    *ret_set = (cf_set){0};
    *ret_path = NULL;
    why[0] = '\0';
    if (options->resume == NULL)
        return plan_new(options, ret_set, ret_path, ret_hold, why, err);
    if (!cf_set_is_document(options->resume))
        return cf_error_set(err, CF_INPUT, "%s is no set's document: --resume goes on with a set that was begun",
                            options->resume);
    return plan_again(options, ret_set, ret_path, ret_hold, err);
}
