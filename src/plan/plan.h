/* The plan: the claims of a repository, what may be done to them, and the gate (docs/plan.md). */
#ifndef CF_PLAN_PLAN_H
#define CF_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/claim.h"
#include "plan/finding.h"
#include "plan/place.h"
#include "plan/records.h"

typedef struct cf_plan {
    cf_plan_place place;
    int lock; /* -1 = only read */
    cf_plan_records records;
    cf_plan_claim *claims; /* by path */
    size_t count;
    cf_plan_findings unreadable; /* CLAIM_UNREADABLE */
} cf_plan;

typedef enum cf_plan_access {
    CF_PLAN_READ,
    CF_PLAN_READ_IF_THERE, /* no plan is a plan without claims: all may have been deleted */
    CF_PLAN_CHANGE         /* holds the plan's lock until cf_plan_done */
} cf_plan_access;

/* Reads all claims of the repository around the current folder. INPUT where there is no plan. What can't be read is in
   `unreadable`. Caller frees with cf_plan_done, also after a failure. */
cf_status cf_plan_open(cf_plan_access access, cf_plan *ret_plan, cf_error *err) CF_MUST_CHECK;
void cf_plan_done(cf_plan *plan);

/* Puts a claim into the plan in memory; owns it from here on, also on failure. Borrowed claims move. */
cf_status cf_plan_take(cf_plan *plan, cf_plan_claim *claim, cf_error *err) CF_MUST_CHECK;

/* The claim that `name` means: its id, the beginning of it, its number, or its file. INPUT where none or several are
   meant. Borrowed. */
cf_status cf_plan_lookup(cf_plan *plan, const char *name, cf_plan_claim **ret_claim, cf_error *err) CF_MUST_CHECK;
/* The number that an id or a file's name begins with, -1 where it begins with none. */
long cf_plan_number(const char *name);

/* ---- the index, plan/README.md: everything outside its markers is the user's own */

/* The whole file as it should be. current may be NULL. MEMORY is the only failure. */
cf_status cf_plan_index_print(const cf_plan *plan, const char *current, cf_text *out, cf_error *err) CF_MUST_CHECK;
/* Writes it where it differs. */
cf_status cf_plan_index_update(const cf_plan *plan, cf_error *err) CF_MUST_CHECK;
/* ret_line: of the index in the file, 1 where there is none. */
cf_status cf_plan_index_is_current(const cf_plan *plan, bool *ret_current, int *ret_line, cf_error *err) CF_MUST_CHECK;

/* ---- what people do */

/* What a command did, beside its status: GATE where it was refused, and then the errors among findings say why. Zeroed
   by its user, freed with cf_plan_outcome_done. */
typedef struct cf_plan_outcome {
    cf_plan_findings findings;
    cf_text notes; /* lines that a person should read */
    char *path;    /* of the claim */
} cf_plan_outcome;
void cf_plan_outcome_done(cf_plan_outcome *outcome);

/* Makes plan/ with its index. ret_made false: it was there. */
cf_status cf_plan_init(bool *ret_made, cf_plan_outcome *outcome, cf_error *err) CF_MUST_CHECK;

/* Paths as a person gives them, from the current folder; NULL = not given. */
typedef struct cf_plan_new {
    const char *sentence;
    const char *verdict; /* a reading's word */
    const char *evidence, *variant, *source;
    const char *about;
    const char *acted_on, *since;
} cf_plan_new;
cf_status cf_plan_add(cf_plan *plan, const cf_plan_new *request, cf_plan_outcome *outcome, cf_error *err) CF_MUST_CHECK;

typedef struct cf_plan_decision {
    const char *id;
    const char *evidence, *variant; /* to be added before it is decided */
    char *const *work;              /* act: what is begun; retract: "WHAT: what became of it" */
    size_t work_count;
    const char *since;   /* act */
    const char *because; /* retract */
    const char *date;    /* retract */
} cf_plan_decision;
cf_status cf_plan_accept(cf_plan *plan, const cf_plan_decision *decision, cf_plan_outcome *outcome,
                         cf_error *err) CF_MUST_CHECK;
cf_status cf_plan_act(cf_plan *plan, const cf_plan_decision *decision, cf_plan_outcome *outcome,
                      cf_error *err) CF_MUST_CHECK;
cf_status cf_plan_retract(cf_plan *plan, const cf_plan_decision *decision, cf_plan_outcome *outcome,
                          cf_error *err) CF_MUST_CHECK;

/* ---- what people read */

/* only: one claim, NULL = all. MEMORY is the only failure. */
cf_status cf_plan_show_markdown(const cf_plan *plan, const cf_plan_claim *only, cf_text *out,
                                cf_error *err) CF_MUST_CHECK;
cf_status cf_plan_show_json(const cf_plan *plan, const cf_plan_claim *only, cf_text *out, cf_error *err) CF_MUST_CHECK;

/* ---- the gate */

typedef struct cf_plan_check_request {
    const char *against; /* a revision of git; NULL = none */
    char *const *paths;  /* documents, or folders of them, as given; none = all Markdown but what git ignores */
    size_t path_count;
} cf_plan_check_request;
typedef struct cf_plan_check_result {
    cf_plan_findings findings;
    size_t documents, figures; /* looked at */
} cf_plan_check_result;
/* Findings are no failure: INPUT for what can't be checked (a revision or a path that is not there). */
cf_status cf_plan_check(cf_plan *plan, const cf_plan_check_request *request, cf_plan_check_result *ret_result,
                        cf_error *err) CF_MUST_CHECK;

typedef struct cf_plan_summary {
    size_t claims, documents, figures;
} cf_plan_summary;
void cf_plan_findings_text(const cf_plan_findings *findings, const cf_plan_summary *summary, cf_text *out);
void cf_plan_findings_json(const cf_plan_findings *findings, const cf_plan_summary *summary, cf_text *out);
void cf_plan_findings_sarif(const cf_plan_findings *findings, cf_text *out);
void cf_plan_findings_github(const cf_plan_findings *findings, const cf_plan_summary *summary, cf_text *out);

#endif
