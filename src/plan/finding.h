/* What the gate finds, by rule. The table of rules is the only one: docs/plan.md, SARIF's rules and the messages are
   made from it or checked against it. */
#ifndef CF_PLAN_FINDING_H
#define CF_PLAN_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef enum cf_plan_level { CF_PLAN_ERROR, CF_PLAN_WARNING } cf_plan_level;

/* name, id, level, reason */
#define CF_PLAN_RULE_TABLE(X)                                                                                          \
    X(CLAIM_UNREADABLE, "claim-unreadable", ERROR, "a claim that can't be read can't be checked")                      \
    X(ID_TWICE, "id-twice", ERROR, "one id names one claim")                                                           \
    X(CONTROL_MISSING, "control-missing", ERROR,                                                                       \
      "no claim is acted on without an uninstrumented control; a trace is none")                                       \
    X(CONTROL_CONTRADICTS, "control-contradicts", ERROR, "the control is what counts, and it reads otherwise")         \
    X(CONTROL_UNDECIDED, "control-undecided", ERROR, "a control that decides nothing supports nothing")                \
    X(CONTROLS_INCOMPLETE, "controls-incomplete", ERROR,                                                               \
      "control, replica and reference stand in the same record, or its answer is not to be trusted")                   \
    X(RECORD_INVALID, "record-invalid", ERROR, "no answer can be taken from an invalid record")                        \
    X(RECORD_SIMULATED, "record-simulated", ERROR,                                                                     \
      "a simulated device says nothing about a real one, unless the claim's scope says simulated")                     \
    X(LANES_DIFFER, "lanes-differ", ERROR, "a control of other lanes neither bears out nor contradicts")               \
    X(DEVICE_DIFFERS, "device-differs", ERROR, "a control on another device neither bears out nor contradicts")        \
    X(NOT_INTERLEAVED, "not-interleaved", ERROR,                                                                       \
      "variants that were not interleaved differ by what changed meanwhile")                                           \
    X(REFERENCE_FAILED, "reference-failed", ERROR, "a set-up that can't see serialisation can't rule it out")          \
    X(EVIDENCE_MISSING, "evidence-missing", ERROR, "a claim stands on its evidence, which is not there")               \
    X(EVIDENCE_CHANGED, "evidence-changed", ERROR, "the file is not the one that was recorded")                        \
    X(EVIDENCE_UNREADABLE, "evidence-unreadable", ERROR, "evidence is a file of the repository that can be read")      \
    X(HARMLESS_UNSUPPORTED, "harmless-unsupported", ERROR,                                                             \
      "clear because nothing was left to remove is no evidence that an instrument is harmless")                        \
    X(SPEED_INSTRUMENTED, "speed-instrumented", ERROR, "an instrumented run is not product speed")                     \
    X(RETRACTION_INCOMPLETE, "retraction-incomplete", ERROR,                                                           \
      "a retraction says when, what was believed, what overturned it, why, and what became of the work")               \
    X(RETRACTION_UNSUPPORTED, "retraction-unsupported", ERROR,                                                         \
      "a claim is overturned by a valid control that contradicts it")                                                  \
    X(SUPERSEDED_BY_NOTHING, "superseded-by-nothing", ERROR, "a superseded claim names the claim that replaced it")    \
    X(CLAIM_DELETED, "claim-deleted", ERROR, "a wrong turn stays visible: claims are retracted, not deleted")          \
    X(CLAIM_EDITED, "claim-edited", ERROR, "what was claimed stays as it was recorded")                                \
    X(VERDICT_EDITED, "verdict-edited", ERROR, "the first verdict stays as it was recorded")                           \
    X(STATUS_UNDONE, "status-undone", ERROR, "what was decided is retracted or superseded, not undone")                \
    X(EVIDENCE_EDITED, "evidence-edited", ERROR, "evidence is added to, not edited")                                   \
    X(EVIDENCE_DELETED, "evidence-deleted", ERROR, "evidence that was recorded is kept")                               \
    X(WORK_EDITED, "work-edited", ERROR, "work that was begun on a claim stays named")                                 \
    X(RETRACTION_EDITED, "retraction-edited", ERROR, "a retraction stays as it was recorded")                          \
    X(FIGURE_DIFFERS, "figure-differs", ERROR, "a quoted figure is the record's own")                                  \
    X(FIGURE_INSTRUMENTED, "figure-instrumented", ERROR, "an instrumented run is not quoted as product speed")         \
    X(FIGURE_UNSUPPORTED, "figure-unsupported", ERROR, "a quoted figure has a record that bears it out")               \
    X(FIGURE_MALFORMED, "figure-malformed", ERROR, "a marker that can't be read checks nothing")                       \
    X(READ_FROM_CONFOUNDED, "read-from-confounded", WARNING, "what a confounded instrument shows is its own doing")    \
    X(CONTROLS_DISAGREE, "controls-disagree", WARNING, "another control of the same claim reads otherwise")            \
    X(WORK_BEFORE_CONTROL, "work-before-control", WARNING, "work was begun before there was a control")                \
    X(STALE, "stale", WARNING, "the device or its driver changed since")                                               \
    X(EVIDENCE_UNTRACKED, "evidence-untracked", WARNING, "evidence that is not in git is lost to the others")          \
    X(NUMBER_SHARED, "number-shared", WARNING, "two claims share a number; only their whole ids tell them apart")      \
    X(INDEX_STALE, "index-stale", WARNING, "the index is made from the claims: confound plan show")                    \
    X(NOT_COMPARED, "not-compared", WARNING, "what could not be read then can't be compared now")

typedef enum cf_plan_rule {
#define X(name, id, level, reason) CF_PLAN_RULE_##name,
    CF_PLAN_RULE_TABLE(X)
#undef X
        CF_PLAN_RULE_COUNT
} cf_plan_rule;

const char *cf_plan_rule_id(cf_plan_rule rule);
const char *cf_plan_rule_reason(cf_plan_rule rule);
cf_plan_level cf_plan_rule_level(cf_plan_rule rule);

/* All strings are owned by the list. */
typedef struct cf_plan_finding {
    cf_plan_rule rule;
    cf_plan_level level; /* the rule's, unless it was lowered */
    char *path;          /* from the repository's root */
    int line;            /* 1-based */
    char *claim;         /* id; NULL = none */
    char *text;          /* one line, without control characters */
    char *justification; /* NULL = it counts; else it is suppressed, and this is why */
} cf_plan_finding;

typedef struct cf_plan_findings {
    cf_plan_finding *items;
    size_t count, capacity;
    bool failed; /* out of memory: the list is not whole */
} cf_plan_findings;

/* A failure of memory is kept in the list, to be asked for once at the end. */
void cf_plan_find(cf_plan_findings *findings, cf_plan_rule rule, const char *path, int line, const char *claim,
                  const char *fmt, ...) CF_PRINTF(6, 7);
/* Errors that count from item `from` on. */
size_t cf_plan_findings_errors(const cf_plan_findings *findings, size_t from);
size_t cf_plan_findings_warnings(const cf_plan_findings *findings, size_t from);
/* Suppresses all from item `from` on; lowers all errors from item `from` on to warnings. */
void cf_plan_findings_suppress(cf_plan_findings *findings, size_t from, const char *justification);
void cf_plan_findings_lower(cf_plan_findings *findings, size_t from);
/* By file, line, rule. */
void cf_plan_findings_sort(cf_plan_findings *findings);
void cf_plan_findings_done(cf_plan_findings *findings);

#endif
