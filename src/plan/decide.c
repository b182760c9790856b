/* What is decided on a claim: accepted, acted on, retracted. Nothing is written where it is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/attach.h"
#include "plan/support.h"

static cf_status refused(const cf_plan_claim *claim, const char *what, cf_error *err)
{
    return cf_error_set(err, CF_GATE, "%s: %s", claim->id, what);
}

static cf_status check_open(const cf_plan_claim *claim, cf_error *err)
{
    if (claim->status == CF_PLAN_RETRACTED)
        return refused(claim, "it is retracted: a new claim is made for what holds now", err);
    if (claim->status == CF_PLAN_SUPERSEDED)
        return refused(claim, "it is superseded: the claim that replaced it is the one to decide on", err);
    return CF_OK;
}

static cf_status attach_named(cf_plan *plan, cf_plan_claim *claim, const cf_plan_decision *decision,
                              cf_plan_outcome *outcome, cf_error *err)
{
    const cf_plan_record *record = NULL;
    if (!decision->evidence && decision->variant)
        return cf_error_set(err, CF_INPUT, "--variant is one of a record's: name it with --evidence RECORD");
    if (!decision->evidence)
        return CF_OK;
    cf_status status = cf_plan_named_file(plan, decision->evidence, true, &record, err);
    if (!status)
        status = cf_plan_attach(claim, record, decision->variant ? decision->variant : "none", outcome, err);
    if (!status && cf_plan_find_elsewhere(claim, record, claim->status_line, &outcome->findings))
        status = refused(claim, "that evidence is of something else", err);
    return status;
}

/* GATE where the evidence does not bear the claim out. */
static cf_status check_supported(cf_plan *plan, const cf_plan_claim *claim, const char *what, cf_plan_outcome *outcome,
                                 cf_error *err)
{
    cf_status status = cf_plan_check_files(claim, &plan->records, &outcome->findings, err);
    if (!status)
        status = cf_plan_check_support(claim, &plan->records, &outcome->findings, err);
    if (!status && cf_plan_findings_errors(&outcome->findings, 0))
        return refused(claim, what, err);
    return status;
}

static cf_status set_status(cf_plan_claim *claim, cf_plan_status status, cf_error *err)
{
    return cf_plan_claim_set(claim, "status", cf_yaml_plain(cf_plan_status_names[status]), err);
}

cf_status cf_plan_accept(cf_plan *plan, const cf_plan_decision *decision, cf_plan_outcome *outcome, cf_error *err)
{
    cf_plan_claim *claim = NULL;
    cf_status status = cf_plan_lookup(plan, decision->id, &claim, err);
    if (!status)
        status = check_open(claim, err);
    if (!status)
        status = attach_named(plan, claim, decision, outcome, err);
    if (!status)
        status = check_supported(plan, claim, "it can't be accepted", outcome, err);
    if (!status && claim->status == CF_PLAN_PROPOSED)
        status = set_status(claim, CF_PLAN_ACCEPTED, err);
    return status ? status : cf_plan_save(plan, claim, outcome, err);
}

static const cf_plan_work *work_named(const cf_plan_claim *claim, const char *what)
{
    for (size_t i = 0; i < claim->work_count; i++) {
        if (!strcmp(claim->work[i].what, what))
            return &claim->work[i];
    }
    return NULL;
}

static cf_status begin_work(cf_plan_claim *claim, const cf_plan_decision *decision, cf_error *err)
{
    char since[CF_PLAN_DATE_BYTES];
    cf_status status = cf_plan_day("--since", decision->since, since, err);
    for (size_t i = 0; !status && i < decision->work_count; i++) {
        const char *what = decision->work[i];
        status = cf_plan_check_sentence("--work", what, CF_PLAN_MAX_SENTENCE, err);
        if (!status && work_named(claim, what))
            status = cf_error_set(err, CF_INPUT, "--work: '%s' is already begun on this claim", what);
        if (!status)
            status = cf_plan_append(claim, "work", cf_plan_work_node(what, since), err);
    }
    return status;
}

cf_status cf_plan_act(cf_plan *plan, const cf_plan_decision *decision, cf_plan_outcome *outcome, cf_error *err)
{
    cf_plan_claim *claim = NULL;
    if (!decision->work_count)
        return cf_error_set(err, CF_INPUT, "plan act: what is begun is missing: --work \"WHAT\"");
    cf_status status = cf_plan_lookup(plan, decision->id, &claim, err);
    if (!status)
        status = check_open(claim, err);
    if (!status)
        status = attach_named(plan, claim, decision, outcome, err);
    if (!status)
        status = check_supported(plan, claim, "it can't be acted on", outcome, err);
    if (!status)
        status = begin_work(claim, decision, err);
    if (!status && claim->status != CF_PLAN_ACTED_ON)
        status = set_status(claim, CF_PLAN_ACTED_ON, err);
    return status ? status : cf_plan_save(plan, claim, outcome, err);
}

/* ---- retract
 * --------------------------------------------------------------------------------------------------------- */

/* `became` below is what became of each piece of work, in the order of the claim's; NULL = not said. */

/* "WHAT: became" against one piece of work: the text after the colon, NULL where it is about another one. */
static const char *became_of(const char *given, const char *what)
{
    size_t length = strlen(what);
    if (strncmp(given, what, length) != 0)
        return NULL;
    const char *rest = given + length + strspn(given + length, " \t");
    return *rest == ':' ? rest + 1 + strspn(rest + 1, " \t") : NULL;
}

static cf_status unknown_work(const cf_plan_claim *claim, const char *given, cf_error *err)
{
    if (!claim->work_count)
        return cf_error_set(err, CF_INPUT, "--work: '%s': nothing was begun on this claim", given);
    char list[512];
    size_t used = 0;
    for (size_t i = 0; i < claim->work_count && used < sizeof list; i++) {
        int length = snprintf(list + used, sizeof list - used, "%s'%s'", i ? ", " : "", claim->work[i].what);
        used += length > 0 ? (size_t)length : 0;
    }
    return cf_error_set(err, CF_INPUT, "--work: '%s' is not \"WHAT: what became of it\"; WHAT is %s", given, list);
}

/* The longest WHAT that fits: one may begin as another does. */
static cf_status take_fate(const cf_plan_claim *claim, const char *given, const char **became, cf_error *err)
{
    size_t best = claim->work_count, best_length = 0;
    for (size_t i = 0; i < claim->work_count; i++) {
        size_t length = strlen(claim->work[i].what);
        if (became_of(given, claim->work[i].what) && length >= best_length) {
            best = i;
            best_length = length;
        }
    }
    if (best == claim->work_count)
        return unknown_work(claim, given, err);
    if (became[best])
        return cf_error_set(err, CF_INPUT, "--work: '%s' is named twice", claim->work[best].what);
    for (size_t i = 0; i < claim->work_count; i++) {
        if (!strcmp(claim->work[i].what, claim->work[best].what))
            became[i] = became_of(given, claim->work[i].what);
    }
    return cf_plan_check_sentence("--work: what became of it", became[best], CF_PLAN_MAX_SENTENCE, err);
}

static cf_status take_fates(const cf_plan_claim *claim, const cf_plan_decision *decision, const char **became,
                            cf_plan_outcome *outcome, cf_error *err)
{
    cf_status status = CF_OK;
    for (size_t i = 0; !status && i < decision->work_count; i++)
        status = take_fate(claim, decision->work[i], became, err);
    for (size_t i = 0; !status && i < claim->work_count; i++) {
        if (!became[i])
            cf_plan_find(&outcome->findings, CF_PLAN_RULE_RETRACTION_INCOMPLETE, claim->path, claim->work[i].line,
                         claim->id, "what becomes of '%.300s'? --work \"%.300s: withdrawn\"", claim->work[i].what,
                         claim->work[i].what);
    }
    return status;
}

static cf_yaml_node *fate_nodes(const cf_plan_claim *claim, const char **became)
{
    cf_yaml_node *list = cf_yaml_sequence();
    for (size_t i = 0; list && i < claim->work_count; i++) {
        cf_yaml_node *item = cf_yaml_mapping();
        bool ok = item && !cf_yaml_put(item, "what", cf_yaml_prose(claim->work[i].what), NULL) &&
                  !cf_yaml_put(item, "became", cf_yaml_prose(became[i]), NULL);
        if (!ok) {
            cf_yaml_free(item);
            item = NULL;
        }
        if (cf_yaml_push(list, item, NULL)) {
            cf_yaml_free(list);
            list = NULL;
        }
    }
    return list;
}

static cf_yaml_node *retraction_node(const cf_plan_claim *claim, const cf_plan_record *record, const char *date,
                                     const char *because, const char **became)
{
    cf_yaml_node *node = cf_yaml_mapping();
    bool ok = node && !cf_yaml_put(node, "date", cf_yaml_plain(date), NULL) &&
              !cf_yaml_put(node, "earlier-verdict", cf_yaml_plain(cf_plan_verdict_name(claim->verdict)), NULL) &&
              !cf_yaml_put(node, "overturned-by", cf_plan_file_node(record), NULL) &&
              !cf_yaml_put(node, "because", cf_yaml_prose(because), NULL) &&
              !cf_yaml_put(node, "work", fate_nodes(claim, became), NULL);
    if (ok)
        return node;
    cf_yaml_free(node);
    return NULL;
}

/* The state of each piece of work follows its fate. */
static cf_status close_work(cf_plan_claim *claim, const char **became, cf_error *err)
{
    cf_yaml_node *list = cf_yaml_get(claim->root, "work");
    cf_status status = CF_OK;
    if (!claim->work_count)
        return CF_OK;
    for (size_t i = 0; !status && i < claim->work_count; i++)
        status = cf_yaml_put(list->items[i], "state", cf_yaml_prose(became[i]), err);
    return status ? status : cf_plan_claim_rewrite(claim, "work", err);
}

static cf_status write_retraction(cf_plan *plan, cf_plan_claim *claim, const cf_plan_decision *decision,
                                  const cf_plan_record *record, const char **became, cf_plan_outcome *outcome,
                                  cf_error *err)
{
    char date[CF_PLAN_DATE_BYTES];
    cf_status status = cf_plan_day("--date", decision->date, date, err);
    if (!status)
        status = cf_plan_claim_set(claim, "retraction", retraction_node(claim, record, date, decision->because, became),
                                   err);
    if (!status)
        status = close_work(claim, became, err);
    if (!status)
        status = set_status(claim, CF_PLAN_RETRACTED, err);
    return status ? status : cf_plan_save(plan, claim, outcome, err);
}

static cf_status retract(cf_plan *plan, cf_plan_claim *claim, const cf_plan_decision *decision,
                         const cf_plan_record *record, const char **became, cf_plan_outcome *outcome, cf_error *err)
{
    cf_status status = take_fates(claim, decision, became, outcome, err);
    if (!status)
        status = cf_plan_attach(claim, record, decision->variant ? decision->variant : "none", outcome, err);
    if (!status)
        status = cf_plan_check_overturned(claim, record->path, record->sha256, &plan->records, &outcome->findings, err);
    if (!status && cf_plan_findings_errors(&outcome->findings, 0))
        status = refused(claim, "it can't be retracted so", err);
    return status ? status : write_retraction(plan, claim, decision, record, became, outcome, err);
}

static cf_status check_given(const cf_plan_decision *decision, cf_error *err)
{
    if (!decision->evidence)
        return cf_error_set(err, CF_INPUT, "plan retract: what overturns the claim is missing: --evidence RECORD");
    if (!decision->because)
        return cf_error_set(err, CF_INPUT, "plan retract: the reason is missing: --because \"WHY\"");
    return cf_plan_check_sentence("--because", decision->because, CF_PLAN_MAX_BECAUSE, err);
}

cf_status cf_plan_retract(cf_plan *plan, const cf_plan_decision *decision, cf_plan_outcome *outcome, cf_error *err)
{
    cf_plan_claim *claim = NULL;
    const cf_plan_record *record = NULL;
    cf_status status = check_given(decision, err);
    if (!status)
        status = cf_plan_lookup(plan, decision->id, &claim, err);
    if (!status && claim->status == CF_PLAN_RETRACTED)
        status = refused(claim, "it is retracted already", err);
    if (!status)
        status = cf_plan_named_file(plan, decision->evidence, true, &record, err);
    if (status)
        return status;
    const char **became = calloc(claim->work_count + 1, sizeof *became);
    if (!became)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    status = retract(plan, claim, decision, record, became, outcome, err);
    free(became);
    return status;
}
