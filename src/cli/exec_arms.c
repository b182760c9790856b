/* confound exec with --arm: plan, measure, write the record, judge it, report. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/exec.h"
#include "cli/exec_plan.h"
#include "cli/run_watch.h"
#include "record/file.h"

/* Goes on from a finished record: the rounds that are there come first. */
static cf_status copy_to_part(const cf_exec_plan *plan, const cf_record *record, cf_error *err)
{
    cf_status status = cf_part_begin(plan->part, record, false, err);
    for (size_t i = 0; !status && i < record->warmup.count; i++)
        status = cf_part_round(plan->part, record, CF_PART_WARMUP, &record->warmup.items[i], err);
    for (size_t i = 0; !status && i < record->rounds.count; i++)
        status = cf_part_round(plan->part, record, CF_PART_ROUNDS, &record->rounds.items[i], err);
    return status;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): cf_exec_run writes through it */
static cf_status measure(const cf_options *options, const cf_exec_plan *plan, cf_record *record, bool *ret_not_started,
                         cf_error *err)
{
    if (plan->resume && !plan->has_part) {
        cf_status status = copy_to_part(plan, record, err);
        if (status != CF_OK)
            return status;
    }
    cf_watch watch;
    cf_watch_begin(&watch, options->quiet, NULL);
    cf_watch_resume("exec", plan->output);
    const cf_exec_options run = {.arms = &plan->arms,
                                 .number = &plan->number,
                                 .part_path = plan->part,
                                 .outputs = plan->outputs,
                                 .resume = plan->resume,
                                 .timeout_ms = record->metric.timeout_ms,
                                 .callbacks = cf_watch_callbacks(&watch),
                                 .ret_not_started = ret_not_started,
                                 .running = cf_watch_group};
    cf_status status = cf_exec_run(&run, record, err);
    cf_watch_end(&watch);
    return status;
}

static int finish(const cf_options *options, const cf_exec_plan *plan, const cf_record *record)
{
    cf_error err = {0};
    char sha256[65] = "";
    cf_judgement judgement = {0};
    cf_status status = cf_record_write(plan->output, record, sha256, &err);
    if (status == CF_OK) /* the record replaces the part file only once it is whole on disk */
        status = cf_file_remove(plan->part, &err);
    if (status == CF_OK)
        status = cf_cli_check_apart(plan->output, options->json, &err);
    if (status == CF_OK)
        status = cf_judge(record, sha256, NULL, &judgement, &err);
    int exit_status = status != CF_OK ? cf_cli_fail(&err) : cf_cli_conclude(options, record, &judgement, plan->output);
    cf_judgement_done(&judgement);
    return exit_status;
}

/* A failure in the middle keeps what was measured, and keeps its own exit status. */
static int finish_failed(const cf_options *options, const cf_exec_plan *plan, const cf_record *record,
                         const cf_error *failure)
{
    if (failure->status == CF_IO && record->rounds.count > 0) {
        cf_cli_note("the whole rounds are safe in %s: go on with --resume %s", plan->part, plan->output);
        return cf_cli_fail(failure);
    }
    int exit_status = cf_cli_fail(failure);
    cf_cli_note("what it printed is in %s", plan->outputs);
    if (record->rounds.count > 0)
        (void)finish(options, plan, record);
    else if (!plan->resume && cf_file_remove(plan->part, NULL) != CF_OK)
        cf_cli_note("%s stays: it could not be removed", plan->part);
    return exit_status;
}

/* A command line with an arm that is no program is a bad one, whatever the others have shown. Returns the exit status.
 */
static int finish_measured(const cf_options *options, const cf_exec_plan *plan, const cf_record *record,
                           const bool *not_started)
{
    const int exit_status = finish(options, plan, record);
    const bool answered = exit_status == cf_status_exit(CF_OK) || exit_status == cf_status_exit(CF_INCONCLUSIVE) ||
                          exit_status == cf_status_exit(CF_GATE);
    bool any = false;
    for (int v = 0; v < record->variant_count; v++) {
        any |= not_started[v];
        if (not_started[v])
            cf_cli_note("--arm %s: %s", record->variants[v].name, record->variants[v].ended);
    }
    return any && answered ? cf_status_exit(CF_INPUT) : exit_status;
}

static bool is_complete(const cf_exec_plan *plan, const cf_record *record)
{
    return plan->resume && !plan->has_part && cf_cli_is_complete(record, record->min_rounds, record->max_rounds);
}

static int run_planned(const cf_options *options, const cf_exec_plan *plan, cf_record *record)
{
    cf_error err = {0};
    if (is_complete(plan, record))
        return cf_cli_show_complete(options, plan->output);
    bool not_started[CF_MAX_VARIANTS] = {false};
    if (measure(options, plan, record, not_started, &err) != CF_OK)
        return finish_failed(options, plan, record, &err);
    return finish_measured(options, plan, record, not_started);
}

int cf_exec_arms(const cf_options *options)
{
    cf_error err = {0};
    cf_exec_plan plan;
    cf_record record;
    cf_status status = cf_exec_plan_make(options, &plan, &record, &err);
    int exit_status = status != CF_OK ? cf_cli_fail(&err) : run_planned(options, &plan, &record);
    cf_record_done(&record);
    cf_exec_plan_done(&plan);
    return exit_status;
}
