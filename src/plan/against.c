/* What was recorded in a revision of git against what is there now. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plan/gate.h"

static bool same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* ---- one claim
 * ------------------------------------------------------------------------------------------------------- */

static void compare_evidence(const cf_plan_claim *old, const cf_plan_claim *now, cf_plan_findings *findings)
{
    for (size_t i = 0; i < old->evidence_count; i++) {
        const cf_plan_evidence *was = &old->evidence[i];
        if (i >= now->evidence_count) {
            cf_plan_find(findings, CF_PLAN_RULE_EVIDENCE_EDITED, now->path, now->status_line, now->id,
                         "its evidence %s was taken out", was->path);
            continue;
        }
        const cf_plan_evidence *is = &now->evidence[i]; /* a file may be moved: its hash names it */
        if (was->is_trace != is->is_trace || strcmp(was->sha256, is->sha256) != 0 || !same(was->variant, is->variant))
            cf_plan_find(findings, CF_PLAN_RULE_EVIDENCE_EDITED, now->path, is->line, now->id,
                         "its evidence was %s %s (%.12s…, variant %s), and is %s (%.12s…, variant %s)",
                         was->is_trace ? "trace" : "record", was->path, was->sha256, was->variant ? was->variant : "-",
                         is->path, is->sha256, is->variant ? is->variant : "-");
    }
}

static void compare_work(const cf_plan_claim *old, const cf_plan_claim *now, cf_plan_findings *findings)
{
    for (size_t i = 0; i < old->work_count; i++) {
        const cf_plan_work *was = &old->work[i];
        bool found = false;
        for (size_t k = 0; k < now->work_count && !found; k++)
            found = !strcmp(was->what, now->work[k].what) && !strcmp(was->since, now->work[k].since);
        if (!found)
            cf_plan_find(findings, CF_PLAN_RULE_WORK_EDITED, now->path, now->status_line, now->id,
                         "'%.300s', begun on %s, was taken out or edited", was->what, was->since);
    }
}

static bool same_fates(const cf_plan_retraction *a, const cf_plan_retraction *b)
{
    if (a->fate_count != b->fate_count)
        return false;
    for (size_t i = 0; i < a->fate_count; i++) {
        if (!same(a->fates[i].what, b->fates[i].what) || !same(a->fates[i].became, b->fates[i].became))
            return false;
    }
    return true;
}

static void compare_retraction(const cf_plan_claim *old, const cf_plan_claim *now, cf_plan_findings *findings)
{
    const cf_plan_retraction *was = &old->retraction, *is = &now->retraction;
    if (!was->present)
        return;
    bool unchanged = is->present && same(was->date, is->date) && same(was->earlier_verdict, is->earlier_verdict) &&
                     same(was->because, is->because) && same(was->sha256, is->sha256) && same_fates(was, is);
    if (!unchanged)
        cf_plan_find(findings, CF_PLAN_RULE_RETRACTION_EDITED, now->path, is->present ? is->line : now->status_line,
                     now->id, "its retraction was %s", is->present ? "edited" : "taken out");
}

/* What was not known then may be known now: a command fills it in from the first record. */
static bool filled_or_same(const char *was, const char *is)
{
    return !was || same(was, is);
}

static void compare_lanes(const cf_plan_claim *old, const cf_plan_claim *now, cf_plan_findings *findings)
{
    static const char *const names[] = {"a", "b"};
    for (int i = 0; i < 2; i++) {
        const char *was = old->lanes[i], *is = now->lanes[i];
        if (!filled_or_same(was, is))
            cf_plan_find(findings, CF_PLAN_RULE_CLAIM_EDITED, now->path, now->lanes_line, now->id,
                         "its lane %s was '%.100s', and is '%.100s'", names[i], was, is ? is : "none");
    }
}

static void compare_scope(const cf_plan_claim *old, const cf_plan_claim *now, cf_plan_findings *findings)
{
    const cf_plan_scope *was = &old->scope, *is = &now->scope;
    bool none = !was->simulated && !was->device && !was->driver;
    if (!filled_or_same(was->device, is->device))
        cf_plan_find(findings, CF_PLAN_RULE_CLAIM_EDITED, now->path, is->line, now->id,
                     "its scope was the device '%.100s', and is '%.100s'", was->device,
                     is->device ? is->device : "none");
    if (!filled_or_same(was->driver, is->driver))
        cf_plan_find(findings, CF_PLAN_RULE_CLAIM_EDITED, now->path, is->line, now->id,
                     "its scope was the driver '%.100s', and is '%.100s'", was->driver,
                     is->driver ? is->driver : "none");
    if (!none && was->simulated != is->simulated)
        cf_plan_find(findings, CF_PLAN_RULE_CLAIM_EDITED, now->path, is->line, now->id, "its scope was %s, and is %s",
                     was->simulated ? "simulated" : "real", is->simulated ? "simulated" : "real");
}

/* From, to: what was decided goes on, or is retracted or superseded. */
static bool may_follow(cf_plan_status was, cf_plan_status is)
{
    if (was == is || was == CF_PLAN_PROPOSED)
        return true;
    if (is == CF_PLAN_RETRACTED)
        return true;
    if (was == CF_PLAN_RETRACTED || was == CF_PLAN_SUPERSEDED)
        return false;
    return is == CF_PLAN_SUPERSEDED || (was == CF_PLAN_ACCEPTED && is == CF_PLAN_ACTED_ON);
}

void cf_plan_compare_claims(const cf_plan_claim *old, const cf_plan_claim *now, cf_plan_findings *findings)
{
    if (strcmp(old->sentence, now->sentence) != 0)
        cf_plan_find(findings, CF_PLAN_RULE_CLAIM_EDITED, now->path, now->sentence_line, now->id, "it claimed '%.300s'",
                     old->sentence);
    if (old->about != now->about)
        cf_plan_find(findings, CF_PLAN_RULE_CLAIM_EDITED, now->path, now->sentence_line, now->id,
                     "it was about '%s', and is about '%s'", cf_plan_about_names[old->about],
                     cf_plan_about_names[now->about]);
    compare_lanes(old, now, findings);
    compare_scope(old, now, findings);
    if (old->verdict != now->verdict)
        cf_plan_find(findings, CF_PLAN_RULE_VERDICT_EDITED, now->path, now->verdict_line, now->id,
                     "its first verdict was '%s', and is '%s'", cf_plan_verdict_name(old->verdict),
                     cf_plan_verdict_name(now->verdict));
    if (!may_follow(old->status, now->status))
        cf_plan_find(findings, CF_PLAN_RULE_STATUS_UNDONE, now->path, now->status_line, now->id, "it was %s, and is %s",
                     cf_plan_status_names[old->status], cf_plan_status_names[now->status]);
    compare_evidence(old, now, findings);
    compare_work(old, now, findings);
    compare_retraction(old, now, findings);
}

/* What there was and what there is. */
typedef struct comparison {
    const cf_plan *plan;
    const char *revision;
    bool tracked_known;
    cf_plan_paths tracked;
    cf_plan_findings *findings;
} comparison;

/* What is on the disk but no longer in git is gone for everyone else. */
static bool is_kept(const comparison *c, const char *path)
{
    return !c->tracked_known || cf_plan_paths_have(&c->tracked, path);
}

/* ---- all claims of the revision
 * -------------------------------------------------------------------------------------- */

static bool may_be_claim(const cf_plan_blob *blob)
{
    const char *path = blob->path, *name = path + strlen(CF_PLAN_FOLDER "/");
    size_t length = strlen(name);
    return !blob->is_link && !strchr(name, '/') && name[0] != '.' && length > 3 &&
           !strcasecmp(name + length - 3, ".md") && strcasecmp(path, CF_PLAN_INDEX) != 0;
}

static bool is_unreadable_now(const cf_plan *plan, const char *path)
{
    for (size_t i = 0; i < plan->unreadable.count; i++) {
        if (!strcmp(plan->unreadable.items[i].path, path))
            return true;
    }
    return false;
}

/* A file that can't be read now is a finding of its own already. */
static void compare_claim(const comparison *c, const cf_plan_claim *old)
{
    const cf_plan_claim *now = cf_plan_by_id(c->plan, old->id);
    if (now && !is_kept(c, now->path))
        cf_plan_find(c->findings, CF_PLAN_RULE_CLAIM_DELETED, now->path, 1, now->id,
                     "the claim '%s' was in %s, and its file is not in git", old->id, c->revision);
    if (now)
        cf_plan_compare_claims(old, now, c->findings);
    else if (!is_unreadable_now(c->plan, old->path))
        cf_plan_find(c->findings, CF_PLAN_RULE_CLAIM_DELETED, old->path, 1, old->id,
                     "the claim '%s' (%s: %.200s) was in %s, and is gone", old->id, cf_plan_status_names[old->status],
                     old->sentence, c->revision);
}

static cf_status parse_old(const cf_plan_blob *blob, cf_plan_claim *ret_old, bool *ret_page, cf_error *err)
{
    int line = 0;
    size_t size_bytes = (size_t)blob->size_bytes;
    const char *name = blob->path + strlen(CF_PLAN_FOLDER "/");
    if (!blob->content)
        return cf_error_set(err, CF_INPUT, "it is too large");
    *ret_page = !cf_plan_claim_has_matter(blob->content, size_bytes) && cf_plan_number(name) < 0;
    return *ret_page ? CF_OK : cf_plan_claim_parse(blob->path, blob->content, size_bytes, ret_old, &line, err);
}

static cf_status check_old_claim(const comparison *c, const cf_plan_blob *blob, cf_error *err)
{
    cf_plan_claim old = {0};
    cf_error why = {0};
    bool page = false;
    cf_status status = parse_old(blob, &old, &page, &why);
    if (!status && !page)
        compare_claim(c, &old);
    else if (status && status != CF_MEMORY)
        cf_plan_find(c->findings, CF_PLAN_RULE_NOT_COMPARED, blob->path, 1, NULL, "in %s it can't be read: %s",
                     c->revision, why.text);
    cf_plan_claim_done(&old);
    return status == CF_MEMORY ? cf_error_set(err, CF_MEMORY, "out of memory") : CF_OK;
}

/* ---- evidence that no claim names
 * ------------------------------------------------------------------------------------ */

static bool is_evidence_path(const char *path)
{
    const char *folder = CF_PLAN_EVIDENCE "/";
    const char *name = strrchr(path, '/') + 1;
    return !strncmp(path, folder, strlen(folder)) && name[0] != '.';
}

/* Regular files of plan/evidence, and what claims name elsewhere: where evidence may have been moved to. Names with
   line ends can't be put to git. */
static cf_status list_files(const comparison *c, cf_plan_paths *ret_paths, cf_error *err)
{
    const cf_plan *plan = c->plan;
    cf_plan_paths found = {0};
    cf_status status = cf_plan_place_list(&plan->place, CF_PLAN_EVIDENCE, true, &found, err);
    for (size_t i = 0; !status && i < plan->count; i++) {
        for (size_t k = 0; !status && k < plan->claims[i].evidence_count; k++)
            status = cf_plan_paths_add(&found, plan->claims[i].evidence[k].path, err);
    }
    for (size_t i = 0; !status && i < found.count; i++) {
        const char *path = found.items[i];
        bool wanted = is_kept(c, path) && !strpbrk(path, "\"\n\r") && !cf_plan_paths_have(ret_paths, path);
        if (wanted && cf_plan_place_is_file(&plan->place, path))
            status = cf_plan_paths_add(ret_paths, path, err);
    }
    cf_plan_paths_done(&found);
    return status;
}

static cf_status check_old_files(const comparison *c, const cf_plan_blobs *blobs, cf_error *err)
{
    cf_plan_paths paths = {0}, hashes = {0};
    cf_status status = list_files(c, &paths, err);
    if (!status && paths.count)
        status = cf_plan_git_hash(&c->plan->place, &paths, &hashes, err);
    for (size_t i = 0; !status && i < blobs->count; i++) {
        const cf_plan_blob *blob = &blobs->items[i];
        if (!is_evidence_path(blob->path) || cf_plan_paths_have(&hashes, blob->hash))
            continue;
        cf_plan_find(c->findings, CF_PLAN_RULE_EVIDENCE_DELETED, blob->path, 1, NULL, "it was in %s, and %s",
                     c->revision,
                     cf_plan_paths_have(&paths, blob->path) ? "has another content now" : "is gone, or not in git");
    }
    cf_plan_paths_done(&paths);
    cf_plan_paths_done(&hashes);
    return status;
}

static cf_status check_blobs(const comparison *c, const cf_plan_blobs *blobs, cf_error *err)
{
    cf_status status = CF_OK;
    for (size_t i = 0; !status && i < blobs->count; i++) {
        if (may_be_claim(&blobs->items[i]))
            status = check_old_claim(c, &blobs->items[i], err);
    }
    return status ? status : check_old_files(c, blobs, err);
}

static cf_status compare(comparison *c, const char *commit, cf_error *err)
{
    cf_plan_blobs blobs = {0};
    cf_status status = cf_plan_git_files(&c->plan->place, false, &c->tracked_known, &c->tracked, err);
    if (!status)
        status = cf_plan_git_tree(&c->plan->place, commit, CF_PLAN_FOLDER, &blobs, err);
    if (!status)
        status = cf_plan_git_load(&c->plan->place, &blobs, may_be_claim, CF_PLAN_MAX_CLAIM, err);
    if (!status)
        status = check_blobs(c, &blobs, err);
    cf_plan_blobs_done(&blobs);
    cf_plan_paths_done(&c->tracked);
    return status;
}

cf_status cf_plan_check_against(cf_plan *plan, const char *revision, cf_plan_findings *findings, cf_error *err)
{
    char commit[65];
    comparison c = {.plan = plan, .revision = revision, .findings = findings};
    if (!plan->place.git)
        return cf_error_set(err, CF_INPUT, "--against: %s is no git repository", plan->place.root);
    cf_status status = cf_plan_git_commit(&plan->place, revision, commit, err);
    if (!status && commit[0]) /* else nothing was committed yet */
        status = compare(&c, commit, err);
    if (status == CF_UNSUPPORTED)
        return cf_error_set(err, CF_IO, "--against: git was not found in PATH");
    return status;
}
