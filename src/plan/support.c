/* The rules of evidence. */
#include "plan/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_BYTES 512

static const cf_variant_judgement *control_of(const cf_plan_record *record)
{
    return &record->judgement.variants[0];
}

static const char *reasons(const cf_reasons *because, char buf[WORDS_BYTES])
{
    size_t used = 0;
    buf[0] = '\0';
    for (int i = 0; i < because->count && used < WORDS_BYTES; i++) {
        int length =
            snprintf(buf + used, WORDS_BYTES - used, "%s%s", i ? "; " : "", cf_because_meaning(because->items[i]));
        used += length > 0 ? (size_t)length : 0;
    }
    return buf;
}

static bool have(const cf_reasons *because, cf_because wanted)
{
    for (int i = 0; i < because->count; i++) {
        if (because->items[i] == wanted)
            return true;
    }
    return false;
}

/* ---- files
 * ----------------------------------------------------------------------------------------------------------- */

static void list_variants(const cf_plan_record *record, char buf[WORDS_BYTES])
{
    const char *names[CF_MAX_VARIANTS + 1] = {NULL};
    for (int i = 0; i < record->record.variant_count && i < CF_MAX_VARIANTS; i++)
        names[i] = record->record.variants[i].name;
    cf_text_list(names, buf, WORDS_BYTES);
}

static void check_file(const cf_plan_claim *claim, const cf_plan_evidence *evidence, const cf_plan_record *file,
                       cf_plan_findings *findings)
{
    if (file->found == CF_PLAN_ABSENT)
        cf_plan_find(findings, CF_PLAN_RULE_EVIDENCE_MISSING, claim->path, evidence->line, claim->id, "%s is not there",
                     evidence->path);
    else if (file->found == CF_PLAN_REFUSED)
        cf_plan_find(findings, CF_PLAN_RULE_EVIDENCE_UNREADABLE, claim->path, evidence->line, claim->id, "%s: %s",
                     evidence->path, file->why);
    else if (strcmp(file->sha256, evidence->sha256) != 0)
        cf_plan_find(findings, CF_PLAN_RULE_EVIDENCE_CHANGED, claim->path, evidence->line, claim->id,
                     "%s: its SHA-256 is %.12s…, recorded was %.12s…", evidence->path, file->sha256, evidence->sha256);
    else if (!evidence->is_trace && !file->judged)
        cf_plan_find(findings, CF_PLAN_RULE_EVIDENCE_UNREADABLE, claim->path, evidence->line, claim->id,
                     "%s is no record: %s", evidence->path, file->why);
    else if (!evidence->is_trace && !cf_plan_record_variant(file, evidence->variant, NULL)) {
        char names[WORDS_BYTES];
        list_variants(file, names);
        cf_plan_find(findings, CF_PLAN_RULE_EVIDENCE_UNREADABLE, claim->path, evidence->line, claim->id,
                     "%s has no variant '%s'; it has %s", evidence->path, evidence->variant, names);
    }
}

cf_status cf_plan_check_files(const cf_plan_claim *claim, cf_plan_records *records, cf_plan_findings *findings,
                              cf_error *err)
{
    cf_status status = CF_OK;
    for (size_t i = 0; !status && i < claim->evidence_count; i++) {
        const cf_plan_evidence *evidence = &claim->evidence[i];
        const cf_plan_record *file = NULL;
        status = cf_plan_records_get(records, evidence->path, !evidence->is_trace, &file, err);
        if (!status)
            check_file(claim, evidence, file, findings);
    }
    return status;
}

/* The record of a piece of evidence; NULL where it is a trace, or what check_file finds fault with. */
static cf_status intact_record(const cf_plan_evidence *evidence, cf_plan_records *records,
                               const cf_plan_record **ret_record, cf_error *err)
{
    const cf_plan_record *file = NULL;
    *ret_record = NULL;
    if (evidence->is_trace)
        return CF_OK;
    cf_status status = cf_plan_records_get(records, evidence->path, true, &file, err);
    if (!status && file->judged && !strcmp(file->sha256, evidence->sha256))
        *ret_record = file;
    return status;
}

/* ---- what makes a record's control count
 * ----------------------------------------------------------------------------- */

static void find_missing_roles(const cf_plan_claim *claim, const cf_plan_record *record, int line,
                               cf_plan_findings *findings)
{
    static const struct {
        cf_role role;
        const char *what;
    } needed[] = {{CF_ROLE_CONTROL, "control (none)"},
                  {CF_ROLE_REPLICA, "replica (none-again)"},
                  {CF_ROLE_REFERENCE, "reference (one-queue)"}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (needed[i].role == CF_ROLE_REFERENCE && record->judgement.metric)
            continue; /* of a whole program there is none */
        if (!cf_plan_record_has_role(record, needed[i].role))
            cf_plan_find(findings, CF_PLAN_RULE_CONTROLS_INCOMPLETE, claim->path, line, claim->id, "%s has no %s",
                         record->path, needed[i].what);
    }
}

/* Why the control of a record counts for nothing; false where it counts. */
static bool find_faults(const cf_plan_claim *claim, const cf_plan_record *record, int line, cf_plan_findings *findings)
{
    const cf_judgement *judgement = &record->judgement;
    size_t from = findings->count;
    char words[WORDS_BYTES];
    find_missing_roles(claim, record, line, findings);
    bool only_missing =
        judgement->invalid_because.count == 1 && have(&judgement->invalid_because, CF_BECAUSE_MISSING_CONTROL);
    if (!judgement->valid && !(only_missing && findings->count > from))
        cf_plan_find(findings, CF_PLAN_RULE_RECORD_INVALID, claim->path, line, claim->id, "%s: %s", record->path,
                     reasons(&judgement->invalid_because, words));
    if (judgement->simulated && !claim->scope.simulated)
        cf_plan_find(findings, CF_PLAN_RULE_RECORD_SIMULATED, claim->path, line, claim->id,
                     "%s is of a simulated device, the claim is not", record->path);
    cf_plan_find_elsewhere(claim, record, line, findings);
    if (!record->interleaved)
        cf_plan_find(findings, CF_PLAN_RULE_NOT_INTERLEAVED, claim->path, line, claim->id,
                     "%s: its rounds share their order", record->path);
    bool open = control_of(record)->reading == CF_READING_INCONCLUSIVE; /* then its reference may be, too */
    if (!open && cf_plan_record_has_role(record, CF_ROLE_REFERENCE) && !control_of(record)->reference_ok)
        cf_plan_find(findings, CF_PLAN_RULE_REFERENCE_FAILED, claim->path, line, claim->id,
                     "%s: one in-order queue did not read as serialising", record->path);
    return findings->count > from;
}

/* ---- the instrument that a claim was read from
 * ----------------------------------------------------------------------- */

static bool is_confounded(const cf_plan_record *record, const char *variant)
{
    const cf_variant_judgement *judged = cf_plan_record_variant(record, variant, NULL);
    return judged && judged->effect.verdict == CF_EFFECT_CONFOUNDED;
}

static void check_reading(const cf_plan_claim *claim, const cf_plan_evidence *evidence, const cf_plan_record *record,
                          cf_plan_findings *findings)
{
    cf_role role = CF_ROLE_CONTROL;
    const cf_variant_judgement *judged = cf_plan_record_variant(record, evidence->variant, &role);
    if (!judged || cf_plan_is_about_arm(claim->verdict)) /* what an arm does is the claim itself then */
        return;
    if (role == CF_ROLE_INSTRUMENT && judged->effect.verdict == CF_EFFECT_CONFOUNDED)
        cf_plan_find(findings, CF_PLAN_RULE_READ_FROM_CONFOUNDED, claim->path, evidence->line, claim->id,
                     "it was read from '%s', which is confounded in %s: %s overlap", evidence->variant, record->path,
                     judged->effect.direction > 0 ? "it adds" : "it removes");
}

cf_status cf_plan_check_readings(const cf_plan_claim *claim, cf_plan_records *records, cf_plan_findings *findings,
                                 cf_error *err)
{
    cf_status status = CF_OK;
    for (size_t i = 0; !status && i < claim->evidence_count; i++) {
        const cf_plan_record *record = NULL;
        status = intact_record(&claim->evidence[i], records, &record, err);
        if (record)
            check_reading(claim, &claim->evidence[i], record, findings);
    }
    return status;
}

/* What a reading of an instrument's own variant can't carry, whatever the control says. */
static void check_instrument(const cf_plan_claim *claim, const cf_plan_evidence *evidence, const cf_plan_record *record,
                             cf_plan_findings *findings)
{
    cf_role role = CF_ROLE_CONTROL;
    const cf_variant_judgement *judged = cf_plan_record_variant(record, evidence->variant, &role);
    if (!judged)
        return;
    if (claim->about == CF_PLAN_ABOUT_SPEED && !cf_plan_role_is_plain(role))
        cf_plan_find(findings, CF_PLAN_RULE_SPEED_INSTRUMENTED, claim->path, evidence->line, claim->id,
                     "it is about speed and was read from '%s', which is no control", evidence->variant);
    bool nothing = role == CF_ROLE_INSTRUMENT && judged->effect.verdict == CF_EFFECT_CLEAR &&
                   have(&judged->because, CF_BECAUSE_NOTHING_TO_REMOVE);
    if (claim->about == CF_PLAN_ABOUT_OTHER && nothing)
        cf_plan_find(findings, CF_PLAN_RULE_HARMLESS_UNSUPPORTED, claim->path, evidence->line, claim->id,
                     "'%s' is clear in %s only because the control itself serialises: nothing was left to remove",
                     evidence->variant, record->path);
}

/* ---- support
 * --------------------------------------------------------------------------------------------------------- */

typedef struct support {
    const cf_plan_claim *claim;
    cf_plan_records *records;
    cf_plan_findings *findings;
    size_t record_count, faulty_count, undecided_count;
    const cf_plan_record *deciding; /* the last one that decides */
    const cf_plan_record *undecided;
    const char *deciding_arm, *undecided_arm;
    int deciding_line;
} support;

static cf_plan_answer answer_in(const cf_plan_claim *claim, const cf_plan_record *record, const char *arm)
{
    return cf_plan_answer_of(claim->verdict, cf_plan_says(record, arm));
}

static bool counts(const cf_plan_claim *claim, const cf_plan_record *record)
{
    cf_plan_findings faults = {0};
    bool faulty = find_faults(claim, record, 1, &faults);
    cf_plan_findings_done(&faults);
    return !faulty;
}

static cf_status gather(support *s, cf_error *err)
{
    cf_status status = CF_OK;
    for (size_t i = 0; !status && i < s->claim->evidence_count; i++) {
        const cf_plan_evidence *evidence = &s->claim->evidence[i];
        const cf_plan_record *record = NULL;
        status = intact_record(evidence, s->records, &record, err);
        if (!record)
            continue;
        s->record_count++;
        if (find_faults(s->claim, record, evidence->line, s->findings)) {
            s->faulty_count++;
        } else if (answer_in(s->claim, record, evidence->variant) == CF_PLAN_SAYS_NEITHER) {
            s->undecided_count++;
            s->undecided = record;
            s->undecided_arm = evidence->variant;
        } else {
            s->deciding = record;
            s->deciding_arm = evidence->variant;
            s->deciding_line = evidence->line;
        }
    }
    return status;
}

static void say_missing(const support *s)
{
    const cf_plan_claim *claim = s->claim;
    bool trace = claim->evidence_count > 0 && claim->evidence[0].is_trace;
    const char *what = "there is no record in its evidence";
    if (s->faulty_count)
        what = "no record in its evidence has a control that counts";
    else if (claim->evidence_count && !trace)
        what = "none of the records in its evidence can be read as they were recorded";
    else if (trace)
        what = "its evidence is a trace alone, and a trace is no control";
    cf_plan_find(s->findings, CF_PLAN_RULE_CONTROL_MISSING, claim->path, claim->status_line, claim->id,
                 "%s: the uninstrumented control 'none' is missing (confound run measures it)", what);
}

static void say_undecided(const support *s)
{
    char words[WORDS_BYTES], subject[WORDS_BYTES];
    const char *why = reasons(cf_plan_says_because(s->undecided, s->undecided_arm), words);
    cf_plan_find(s->findings, CF_PLAN_RULE_CONTROL_UNDECIDED, s->claim->path, s->claim->status_line, s->claim->id,
                 "%s %s%s%s: it neither supports nor contradicts '%s'",
                 cf_plan_says_subject(s->undecided, s->undecided_arm, subject, sizeof subject),
                 cf_plan_verdict_name(cf_plan_says(s->undecided, s->undecided_arm)), *why ? ", because " : "", why,
                 cf_plan_verdict_name(s->claim->verdict));
}

/* ", and 'timing', from which it was read, is confounded" */
static cf_status name_confounded(const support *s, char buf[WORDS_BYTES], cf_error *err)
{
    buf[0] = '\0';
    for (size_t i = 0; i < s->claim->evidence_count; i++) {
        const cf_plan_evidence *evidence = &s->claim->evidence[i];
        const cf_plan_record *record = NULL;
        cf_status status = intact_record(evidence, s->records, &record, err);
        if (status)
            return status;
        if (record && is_confounded(record, evidence->variant)) {
            snprintf(buf, WORDS_BYTES, "; it was read from '%.100s', which is confounded", evidence->variant);
            return CF_OK;
        }
    }
    return CF_OK;
}

static cf_status say_contradicted(const support *s, const cf_plan_record *record, const char *arm, int line,
                                  cf_error *err)
{
    char confounded[WORDS_BYTES] = "", subject[WORDS_BYTES];
    cf_status status = record->judgement.metric ? CF_OK : name_confounded(s, confounded, err);
    cf_plan_find(s->findings, CF_PLAN_RULE_CONTROL_CONTRADICTS, s->claim->path, line, s->claim->id,
                 "%s '%s', the claim says '%s'%s", cf_plan_says_subject(record, arm, subject, sizeof subject),
                 cf_plan_verdict_name(cf_plan_says(record, arm)), cf_plan_verdict_name(s->claim->verdict), confounded);
    return status;
}

/* Controls of one claim that contradict each other: on one device that is no support; from another device it is a fact
   to know. */
static cf_status check_others(const support *s, cf_error *err)
{
    cf_status status = CF_OK;
    for (size_t i = 0; !status && i < s->claim->evidence_count; i++) {
        const cf_plan_evidence *evidence = &s->claim->evidence[i];
        const cf_plan_record *record = NULL;
        status = intact_record(evidence, s->records, &record, err);
        if (!record || record == s->deciding || !counts(s->claim, record) ||
            answer_in(s->claim, record, evidence->variant) != CF_PLAN_CONTRADICTS)
            continue;
        if (cf_plan_record_same_device(record, s->deciding))
            status = say_contradicted(s, record, evidence->variant, evidence->line, err);
        else
            cf_plan_find(s->findings, CF_PLAN_RULE_CONTROLS_DISAGREE, s->claim->path, evidence->line, s->claim->id,
                         "on %s the control of %s reads '%s'", record->record.device_name, record->path,
                         cf_plan_verdict_name(cf_plan_says(record, evidence->variant)));
    }
    return status;
}

/* The day of the first control that agrees, "" where there is none. */
static cf_status first_control(const support *s, char ret_date[11], cf_error *err)
{
    ret_date[0] = '\0';
    for (size_t i = 0; i < s->claim->evidence_count; i++) {
        const cf_plan_record *record = NULL;
        char date[11];
        cf_status status = intact_record(&s->claim->evidence[i], s->records, &record, err);
        if (status)
            return status;
        bool agrees = record && counts(s->claim, record) &&
                      answer_in(s->claim, record, s->claim->evidence[i].variant) == CF_PLAN_AGREES;
        if (agrees && *cf_plan_record_date(record, date) && (!ret_date[0] || strcmp(date, ret_date) < 0))
            memcpy(ret_date, date, sizeof date);
    }
    return CF_OK;
}

static cf_status check_work(const support *s, cf_error *err)
{
    char date[11];
    cf_status status = first_control(s, date, err);
    for (size_t i = 0; !status && i < s->claim->work_count; i++) {
        const cf_plan_work *work = &s->claim->work[i];
        if (!date[0])
            cf_plan_find(s->findings, CF_PLAN_RULE_WORK_BEFORE_CONTROL, s->claim->path, work->line, s->claim->id,
                         "'%.200s' was begun on %s, and there is no control that agrees", work->what, work->since);
        else if (strcmp(work->since, date) < 0)
            cf_plan_find(s->findings, CF_PLAN_RULE_WORK_BEFORE_CONTROL, s->claim->path, work->line, s->claim->id,
                         "'%.200s' was begun on %s, the control is of %s", work->what, work->since, date);
    }
    return status;
}

static cf_status check_instruments(const support *s, cf_error *err)
{
    cf_status status = CF_OK;
    for (size_t i = 0; !status && i < s->claim->evidence_count; i++) {
        const cf_plan_record *record = NULL;
        status = intact_record(&s->claim->evidence[i], s->records, &record, err);
        if (record)
            check_instrument(s->claim, &s->claim->evidence[i], record, s->findings);
    }
    return status;
}

cf_status cf_plan_check_support(const cf_plan_claim *claim, cf_plan_records *records, cf_plan_findings *findings,
                                cf_error *err)
{
    support s = {.claim = claim, .records = records, .findings = findings};
    size_t from = findings->count;
    cf_status status = gather(&s, err);
    if (status)
        return status;
    bool agrees = s.deciding && answer_in(claim, s.deciding, s.deciding_arm) == CF_PLAN_AGREES;
    if (agrees)
        cf_plan_findings_lower(findings, from); /* faults of records that are not needed */
    if (!s.deciding && s.undecided)
        say_undecided(&s);
    else if (!s.deciding)
        say_missing(&s);
    else
        status =
            agrees ? check_others(&s, err) : say_contradicted(&s, s.deciding, s.deciding_arm, claim->verdict_line, err);
    if (!status)
        status = check_instruments(&s, err);
    if (!status)
        status = cf_plan_check_readings(claim, records, findings, err);
    return status ? status : check_work(&s, err);
}

cf_status cf_plan_check_overturned(const cf_plan_claim *claim, const char *path, const char *sha256,
                                   cf_plan_records *records, cf_plan_findings *findings, cf_error *err)
{
    const cf_plan_record *record = NULL;
    int line = claim->retraction.present ? claim->retraction.line : claim->status_line;
    cf_status status = cf_plan_records_get(records, path, true, &record, err);
    if (status)
        return status;
    if (!record->judged || strcmp(record->sha256, sha256) != 0) {
        cf_plan_find(findings, CF_PLAN_RULE_RETRACTION_UNSUPPORTED, claim->path, line, claim->id,
                     "%s, which overturned it, %s%s", path,
                     record->judged ? "is not the file that was recorded" : "can't be read: ",
                     record->judged ? "" : record->why);
        return CF_OK;
    }
    if (find_faults(claim, record, line, findings)) {
        cf_plan_find(findings, CF_PLAN_RULE_RETRACTION_UNSUPPORTED, claim->path, line, claim->id,
                     "the control of %s does not count", path);
    } else if (answer_in(claim, record, cf_plan_arm_of(claim)) != CF_PLAN_CONTRADICTS) {
        char subject[WORDS_BYTES];
        cf_plan_find(findings, CF_PLAN_RULE_RETRACTION_UNSUPPORTED, claim->path, line, claim->id,
                     "%s '%s', which does not contradict '%s'",
                     cf_plan_says_subject(record, cf_plan_arm_of(claim), subject, sizeof subject),
                     cf_plan_verdict_name(cf_plan_says(record, cf_plan_arm_of(claim))),
                     cf_plan_verdict_name(claim->verdict));
    }
    return CF_OK;
}
