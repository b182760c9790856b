/* plan init, claim, accept, act, retract, quote. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/plan_out.h"
#include "cli/spec.h"
#include "plan/attach.h"
#include "plan/figure.h"

int cf_cmd_plan_init(const cf_options *options)
{
    (void)options;
    cf_error err = {0};
    cf_plan_outcome outcome = {.path = NULL};
    cf_text text = {0};
    bool made = false;
    cf_status status = cf_plan_init(&made, &outcome, &err);
    int exit_status = status ? cf_cli_fail(&err) : cf_status_exit(CF_OK);
    cf_cli_plan_explain(&outcome, status != CF_OK);
    cf_plan_outcome_done(&outcome);
    if (status)
        return exit_status;
    cf_text_add(&text, made ? "%s/: made; add it to git, and records go to %s/\n" : "%s/: it is there\n",
                CF_PLAN_FOLDER, CF_PLAN_EVIDENCE);
    return cf_cli_finish(&text, exit_status);
}

static const char *word_of(const cf_option_choice *choice, const char *const *words)
{
    return choice->set ? words[choice->value] : NULL;
}

static cf_status claim(cf_plan *plan, const cf_options *options, cf_plan_outcome *outcome, cf_error *err)
{
    cf_plan_new request = {
        .sentence = options->sentence,
        .verdict = word_of(&options->reading, cf_plan_reading_names),
        .evidence = options->evidence,
        .variant = options->variant,
        .source = options->source,
        .about = word_of(&options->about, cf_plan_about_names),
        .acted_on = options->acted_on,
        .since = options->since,
    };
    return cf_plan_add(plan, &request, outcome, err);
}

int cf_cmd_plan_claim(const cf_options *options)
{
    return cf_cli_plan_change(options, claim, "");
}

static cf_plan_decision decision_of(const cf_options *options)
{
    return (cf_plan_decision){
        .id = options->id,
        .evidence = options->evidence,
        .variant = options->variant,
        .work = options->work.items,
        .work_count = options->work.count,
        .since = options->since,
        .because = options->because,
        .date = options->date,
    };
}

static cf_status accept_claim(cf_plan *plan, const cf_options *options, cf_plan_outcome *outcome, cf_error *err)
{
    cf_plan_decision decision = decision_of(options);
    return cf_plan_accept(plan, &decision, outcome, err);
}

int cf_cmd_plan_accept(const cf_options *options)
{
    return cf_cli_plan_change(options, accept_claim, "a control bears it out");
}

static cf_status act(cf_plan *plan, const cf_options *options, cf_plan_outcome *outcome, cf_error *err)
{
    cf_plan_decision decision = decision_of(options);
    return cf_plan_act(plan, &decision, outcome, err);
}

int cf_cmd_plan_act(const cf_options *options)
{
    return cf_cli_plan_change(options, act, "acted on");
}

static cf_status retract(cf_plan *plan, const cf_options *options, cf_plan_outcome *outcome, cf_error *err)
{
    cf_plan_decision decision = decision_of(options);
    return cf_plan_retract(plan, &decision, outcome, err);
}

int cf_cmd_plan_retract(const cf_options *options)
{
    return cf_cli_plan_change(options, retract, "retracted; the claim and its first verdict stay");
}

/* A record can be quoted where there is no plan: its path in the marker is from the repository's root all the same. */
static cf_status quote(const cf_options *options, cf_plan *plan, cf_text *out, cf_error *err)
{
    const cf_plan_record *record = NULL;
    const cf_variant_judgement *judged = NULL;
    const char *variant = options->variant ? options->variant : "none";
    char list[128];
    if (!options->figure.set)
        return cf_error_set(err, CF_INPUT, "plan quote: --figure is missing: %s",
                            cf_text_list(cf_plan_figure_names, list, sizeof list));
    cf_status status = cf_plan_place_open(&plan->place, err);
    plan->records.place = &plan->place;
    if (!status)
        status = cf_plan_named_file(plan, options->record_path, true, &record, err);
    if (!status)
        status = cf_plan_named_variant(record, variant, &judged, err);
    return status ? status
                  : cf_plan_quote(record, (cf_plan_figure)options->figure.value, variant, options->as_instrumented, out,
                                  err);
}

int cf_cmd_plan_quote(const cf_options *options)
{
    cf_error err = {0};
    cf_plan plan = {.lock = -1};
    cf_text text = {0};
    cf_status status = quote(options, &plan, &text, &err);
    cf_plan_done(&plan);
    if (!status)
        return cf_cli_finish(&text, cf_status_exit(CF_OK));
    cf_text_done(&text);
    return cf_cli_fail(&err);
}
