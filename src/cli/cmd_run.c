/* confound run: plan, measure, write the record, judge it, report. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/rng.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/run_job.h"
#include "cli/run_watch.h"
#include "cli/set.h"
#include "cli/set_plan.h"
#include "record/file.h"

/* Goes on from a finished record, or in a new place: the rounds that are there come first. */
static cf_status copy_to_part(const cf_run_plan *plan, const cf_record *record, cf_error *err)
{
    const struct {
        cf_part_list which;
        const cf_rounds *rounds;
    } lists[] = {
        {CF_PART_PROLOGUE, &record->prologue}, {CF_PART_WARMUP, &record->warmup}, {CF_PART_ROUNDS, &record->rounds}};
    cf_status status = cf_part_begin(plan->part, record, false, err);
    if (status == CF_OK)
        status = cf_part_proofs(plan->part, record, err);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (size_t k = 0; k < lists[i].rounds->count && status == CF_OK; k++)
            status = cf_part_round(plan->part, record, lists[i].which, &lists[i].rounds->items[k], err);
    return status;
}

static cf_status measure(const cf_options *options, const cf_run_plan *plan, cf_record *record, cf_error *err)
{
    if (plan->resume && !plan->has_part) {
        cf_status status = copy_to_part(plan, record, err);
        if (status != CF_OK)
            return status;
    }
    cf_watch watch;
    cf_watch_begin(&watch, options->quiet, options->explain != NULL ? &plan->explain : NULL);
    cf_watch_resume("run", plan->output);
    cf_run_options run = {
        .backend = plan->pick.backend,
        .device_index = plan->pick.index,
        .job = &plan->job,
        .against = plan->has_against ? &plan->against : NULL,
        .seed = plan->job.has_seed ? plan->job.seed : cf_rng_seed(),
        .part_path = plan->part,
        .resume = plan->resume,
        .record_variable = options->record_env,
        .callbacks = cf_watch_callbacks(&watch),
    };
    cf_status status = cf_run(&run, record, err);
    cf_watch_end(&watch);
    return status;
}

/* The record replaces the part file only once it is whole on disk. */
static cf_status keep(const cf_run_plan *plan, const cf_record *record, char ret_sha256[65], cf_error *err)
{
    cf_status status = cf_record_write(plan->output, record, ret_sha256, err);
    return status == CF_OK ? cf_file_remove(plan->part, err) : status;
}

static int finish(const cf_options *options, const cf_run_plan *plan, const cf_record *record)
{
    cf_error err = {0};
    char sha256[65] = "";
    cf_judgement judgement = {0};
    cf_status status = keep(plan, record, sha256, &err);
    if (status == CF_OK)
        status = cf_cli_check_apart(plan->output, options->json, &err);
    if (status == CF_OK)
        status = cf_judge(record, sha256, NULL, &judgement, &err);
    int exit_status = status != CF_OK ? cf_cli_fail(&err) : cf_cli_conclude(options, record, &judgement, plan->output);
    cf_judgement_done(&judgement);
    return exit_status;
}

/* A failure in the middle keeps what was measured, and keeps its own exit status. */
static int finish_failed(const cf_options *options, const cf_run_plan *plan, const cf_record *record,
                         const cf_error *failure)
{
    if (failure->status == CF_IO && record->rounds.count > 0) {
        cf_error safe = {0};
        cf_error_set(&safe, CF_IO, "%s; the whole rounds are safe in %s: go on with --resume %s", failure->text,
                     plan->part, plan->output);
        return cf_cli_fail(&safe);
    }
    int exit_status = cf_cli_fail(failure);
    if (record->rounds.count > 0)
        (void)finish(options, plan, record);
    else if (!plan->resume && cf_file_remove(plan->part, NULL) != CF_OK)
        cf_cli_note("%s stays: it could not be removed",
                    plan->part); /* a prologue, which is measured anew in any case */
    return exit_status;
}

static bool is_complete(const cf_run_plan *plan, const cf_options *options, const cf_record *record)
{
    return plan->resume && !plan->has_part && strcmp(plan->output, options->resume) == 0 &&
           cf_cli_is_complete(record, plan->job.min_rounds, plan->job.max_rounds);
}

static cf_status check_outputs(const cf_options *options, const cf_run_plan *plan, cf_error *err)
{
    if (options->json != NULL && strcmp(options->json, plan->output) == 0)
        return cf_error_set(err, CF_INPUT, "-o and --json name the same file, %s: the record would be lost",
                            options->json);
    return CF_OK;
}

static int run_planned(const cf_options *options, const cf_run_plan *plan, cf_record *record)
{
    cf_error err = {0};
    if (check_outputs(options, plan, &err) != CF_OK)
        return cf_cli_fail(&err);
    if (is_complete(plan, options, record))
        return cf_cli_show_complete(options, plan->output);
    if (plan->pick.why[0] != '\0' && !options->quiet)
        cf_cli_note("%s", plan->pick.why);
    if (measure(options, plan, record, &err) != CF_OK)
        return finish_failed(options, plan, record, &err);
    return finish(options, plan, record);
}

int cf_cmd_run(const cf_options *options)
{
    if (cf_set_is_wanted(options))
        return cf_set_run(options);
    cf_error err = {0};
    if (options->csv != NULL) {
        cf_error_set(&err, CF_INPUT,
                     "--csv: the table of a set; give --processes, --vary-env or --sweep as well, or "
                     "print a record with confound report RECORD.json --format csv");
        return cf_cli_fail(&err);
    }
    cf_run_plan plan = {0};
    cf_record record;
    cf_status status = cf_run_plan_make(options, &plan, &record, &err);
    int exit_status = status != CF_OK ? cf_cli_fail(&err) : run_planned(options, &plan, &record);
    cf_record_done(&record);
    cf_run_plan_done(&plan);
    return exit_status;
}
