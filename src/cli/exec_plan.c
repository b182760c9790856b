#include "cli/exec_plan.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/rng.h"
#include "base/text.h"
#include "cli/exec_toggle_kept.h"
#include "exec/words.h"
#include "record/file.h"

#define BACKEND        "exec"
#define MARGIN_DEFAULT 0.05
#define MOST_FOLDERS   1000

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

void cf_exec_plan_done(cf_exec_plan *plan)
{
    cf_arms_done(&plan->arms);
    cf_number_done(&plan->number);
    free(plan->output);
    free(plan->part);
    free(plan->outputs);
    free(plan->shown);
    cf_place_release(&plan->hold);
    *plan = (cf_exec_plan){.resume = false};
}

/* ---- the record's place ---- */

static cf_status name_record(const cf_options *o, cf_exec_plan *plan, cf_error *err)
{
    if (o->resume)
        plan->output = cf_place_record(o->resume);
    else
        plan->output = o->output ? cf_text_dup(o->output) : cf_place_fresh(BACKEND);
    char *part = plan->output ? cf_place_part(plan->output) : NULL;
    if (!part)
        return no_memory(err);
    plan->part = part;
    if (o->json && strcmp(o->json, plan->output) == 0)
        return cf_error_set(err, CF_INPUT, "-o and --json name the same file, %s: the record would be lost", o->json);
    cf_status status = cf_file_check_writable(plan->output, err);
    if (!status && !cf_place_holds(&plan->hold, plan->part))
        status = cf_place_hold_part(plan->part, true, &plan->hold, err);
    return status || plan->resume ? status : cf_place_check_part(plan->part, plan->output, err);
}

/* ---- outputs ---- */

static bool is_empty_folder(const char *path)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return count >= 0 && count <= 2; /* "." and ".." are always there */
}

static cf_status make_folder(const char *path, bool may_be_used, bool *ret_taken, cf_error *err)
{
    *ret_taken = false;
    if (mkdir(path, 0777) == 0)
        return CF_OK;
    struct stat there;
    if (errno != EEXIST || stat(path, &there) != 0 || !S_ISDIR(there.st_mode))
        return cf_error_set(err, CF_IO, "%s: no folder can be made there: %s", path, strerror(errno));
    *ret_taken = !may_be_used && !is_empty_folder(path);
    return CF_OK;
}

static char *folder_of(const cf_exec_plan *plan, int number)
{
    size_t length = strlen(plan->output);
    if (length > 5 && strcmp(plan->output + length - 5, ".json") == 0)
        length -= 5;
    return number == 1 ? cf_text_format("%.*s.runs", (int)length, plan->output)
                       : cf_text_format("%.*s.runs-%d", (int)length, plan->output, number);
}

/* What an earlier run printed is never written over. */
static cf_status make_fresh_folder(cf_exec_plan *plan, cf_error *err)
{
    bool taken = true;
    cf_status status = CF_OK;
    for (int number = 1; !status && taken && number <= MOST_FOLDERS; number++) {
        free(plan->outputs);
        plan->outputs = folder_of(plan, number);
        status = plan->outputs ? make_folder(plan->outputs, false, &taken, err) : no_memory(err);
    }
    return !status && taken ? cf_error_set(err, CF_INPUT, "%s and those before it are full", plan->outputs) : status;
}

static cf_status make_named_folder(const cf_options *o, cf_exec_plan *plan, cf_error *err)
{
    bool taken;
    plan->outputs = cf_text_dup(o->keep);
    if (!plan->outputs)
        return no_memory(err);
    cf_status status = make_folder(plan->outputs, false, &taken, err);
    if (!status && taken)
        return cf_error_set(err, CF_INPUT, "--keep %s: it holds files already, and they are not written over", o->keep);
    return status;
}

/* Of a path beside the record, what is behind the record's folder. */
static cf_status show_folder(cf_exec_plan *plan, cf_error *err)
{
    const char *slash = strrchr(plan->output, '/');
    const size_t folder = slash ? (size_t)(slash - plan->output) + 1 : 0;
    const bool inside = strncmp(plan->outputs, plan->output, folder) == 0;
    plan->shown = cf_text_dup(plan->outputs + (inside ? folder : 0));
    return plan->shown ? CF_OK : no_memory(err);
}

/* The folder of a record that is gone on with; it may have been moved along with it. */
static cf_status find_old_folder(const cf_options *o, const cf_record *record, cf_exec_plan *plan, cf_error *err)
{
    bool taken;
    const char *shown = record->metric.outputs;
    const char *slash = strrchr(o->resume, '/');
    const int folder = slash && shown[0] != '/' ? (int)(slash - o->resume) + 1 : 0;
    plan->outputs = cf_text_format("%.*s%s", folder, o->resume, shown);
    return plan->outputs ? make_folder(plan->outputs, true, &taken, err) : no_memory(err);
}

static cf_status make_outputs(const cf_options *o, const cf_record *record, cf_exec_plan *plan, cf_error *err)
{
    if (o->resume)
        return find_old_folder(o, record, plan, err);
    cf_status status = o->keep ? make_named_folder(o, plan, err) : make_fresh_folder(plan, err);
    return status ? status : show_folder(plan, err);
}

/* ---- a new record ---- */

static void set_rounds(const cf_options *o, cf_record *record)
{
    if (o->min_rounds.set)
        record->min_rounds = (int64_t)o->min_rounds.value;
    if (o->rounds.set)
        record->max_rounds = (int64_t)o->rounds.value;
}

static cf_exec_options options_of(const cf_options *o, const cf_exec_plan *plan)
{
    return (cf_exec_options){.arms = &plan->arms,
                             .number = &plan->number,
                             .timeout_ms = o->timeout_s.set ? (int64_t)(o->timeout_s.value * 1000) : 0};
}

static bool is_time(const cf_number *number)
{
    return number->source == CF_SOURCE_WALL || number->source == CF_SOURCE_CPU;
}

static cf_status read_number(const cf_options *o, cf_exec_plan *plan, cf_error *err)
{
    cf_status status = cf_number_parse(o->metric ? o->metric : "wall", &plan->number, err);
    const bool higher = o->better.set && o->better.value == CF_EXEC_HIGHER;
    if (!status && is_time(&plan->number) && (o->unit || higher))
        return cf_error_set(err, CF_INPUT,
                            "--%s: a time is in ms, and lower is better; it goes with a number of the program's own",
                            o->unit ? "unit" : "better");
    return status;
}

static cf_status describe(const cf_options *o, const cf_exec_plan *plan, cf_record *record, cf_error *err)
{
    const char *unit = is_time(&plan->number) ? "ms" : o->unit ? o->unit : "";
    const char *name = plan->number.source == CF_SOURCE_REGEX && o->unit ? o->unit : cf_number_name(&plan->number);
    const bool higher = o->better.set && o->better.value == CF_EXEC_HIGHER;
    cf_record_metric spec = {.name = cf_text_dup(name),
                             .unit = cf_text_dup(unit),
                             .better = higher ? CF_BETTER_HIGHER : CF_BETTER_LOWER,
                             .program = {.items = o->program.items, .count = o->program.count},
                             .outputs = plan->shown};
    const cf_exec_options options = options_of(o, plan);
    record->seed = o->seed.set ? o->seed.value : cf_rng_seed();
    record->margin = o->percent.set ? o->percent.value / 100 : MARGIN_DEFAULT;
    set_rounds(o, record);
    const cf_status status = spec.name && spec.unit ? cf_exec_describe(record, &options, &spec, err) : no_memory(err);
    free(spec.name);
    free(spec.unit);
    return status;
}

static cf_status plan_new(const cf_options *o, cf_exec_plan *plan, cf_record *record, cf_error *err)
{
    const cf_strings program = {.items = o->program.items, .count = o->program.count};
    if (program.count == 0)
        return cf_error_set(err, CF_INPUT,
                            "exec: a program is missing: confound exec --arm NAME=PREFIX -- PROGRAM ARGS");
    cf_status status = read_number(o, plan, err);
    if (!status)
        status = cf_arms_read(o->arms.items, o->arms.count, &program, &plan->arms, err);
    if (!status)
        status = name_record(o, plan, err);
    if (!status)
        status = make_outputs(o, record, plan, err);
    return status ? status : describe(o, plan, record, err);
}

/* ---- an old record ---- */

static cf_status read_record(const cf_options *o, cf_exec_plan *plan, cf_record *record, cf_error *err)
{
    const cf_status status = cf_place_hold_old(o->resume, true, &plan->hold, &plan->has_part, err);
    if (status)
        return status;
    return plan->has_part ? cf_part_read(plan->hold.part, record, err) : cf_record_read(o->resume, record, NULL, err);
}

static cf_status check_resume(const cf_options *o, const cf_record *record, cf_error *err)
{
    if (cf_toggle_is_of(record))
        return cf_error_set(err, CF_INPUT,
                            "%s is of a program that was toggled: confound exec --toggle timing --resume %s", o->resume,
                            o->resume);
    const bool between = record->metric.on && record->design == CF_DESIGN_BETWEEN && record->metric.outputs;
    if (!between)
        return cf_error_set(err, CF_INPUT, "%s is no record of arms: exec cannot go on with it", o->resume);
    if (o->program.count || o->arms.count || o->metric || o->better.set || o->unit || o->percent.set || o->seed.set ||
        o->timeout_s.set || o->output || o->keep)
        return cf_error_set(err, CF_INPUT,
                            "--resume: program, arms, what they are judged by and where outputs go are in the record, "
                            "which keeps its place; only --rounds and --min-rounds may change");
    return CF_OK;
}

static cf_status plan_resume(const cf_options *o, cf_exec_plan *plan, cf_record *record, cf_error *err)
{
    plan->resume = true;
    cf_status status = read_record(o, plan, record, err);
    if (!status)
        status = check_resume(o, record, err);
    if (!status)
        status = cf_number_of_record(&record->metric, &plan->number, err);
    if (!status)
        status = cf_arms_of_record(record, &plan->arms, err);
    if (!status)
        status = name_record(o, plan, err);
    if (!status)
        set_rounds(o, record);
    return status ? status : make_outputs(o, record, plan, err);
}

cf_status cf_exec_plan_make(const cf_options *options, cf_exec_plan *ret_plan, cf_record *ret_record, cf_error *err)
{
    *ret_plan = (cf_exec_plan){.resume = false};
    cf_record_init(ret_record);
    if (options->step)
        return cf_error_set(err, CF_INPUT,
                            "--step: it says where a step ends inside one process, and goes with --toggle timing; arms "
                            "are compared by whole processes, or by numbers that they print (--metric)");
    if (options->after_s.set)
        return cf_error_set(
            err, CF_INPUT,
            "--after: it says from when on steps are looked for inside one process, and goes with --toggle "
            "timing");
    return options->resume ? plan_resume(options, ret_plan, ret_record, err)
                           : plan_new(options, ret_plan, ret_record, err);
}
