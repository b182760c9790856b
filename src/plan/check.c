/* The gate: claims, what was recorded before, documents, the index. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plan/figure.h"
#include "plan/gate.h"

/* ---- documents
 * ------------------------------------------------------------------------------------------------------- */

static bool is_markdown(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcasecmp(dot, ".md") || !strcasecmp(dot, ".markdown"));
}

static cf_status add_markdown_of(const cf_plan_paths *paths, cf_plan_paths *documents, cf_error *err)
{
    cf_status status = CF_OK;
    for (size_t i = 0; !status && i < paths->count; i++) {
        if (is_markdown(paths->items[i]))
            status = cf_plan_paths_add(documents, paths->items[i], err);
    }
    return status;
}

static cf_status add_folder(const cf_plan_place *place, const char *folder, cf_plan_paths *documents, cf_error *err)
{
    cf_plan_paths below = {0};
    cf_status status = cf_plan_place_list(place, folder, true, &below, err);
    if (!status)
        status = add_markdown_of(&below, documents, err);
    cf_plan_paths_done(&below);
    return status;
}

/* A document that was asked for has to be there. */
static cf_status add_given(const cf_plan_place *place, const char *given, cf_plan_paths *documents, cf_error *err)
{
    char *path = NULL;
    cf_status status = cf_plan_place_name(place, given, &path, err);
    if (!status && cf_plan_place_is_folder(place, path))
        status = add_folder(place, path, documents, err);
    else if (!status)
        status = cf_plan_paths_add(documents, path, err);
    free(path);
    return status;
}

static cf_status all_documents(const cf_plan *plan, cf_plan_paths *documents, cf_error *err)
{
    cf_plan_paths files = {0};
    bool known = false;
    cf_status status = cf_plan_git_files(&plan->place, true, &known, &files, err);
    if (!status)
        status = known ? add_markdown_of(&files, documents, err) : add_folder(&plan->place, "", documents, err);
    cf_plan_paths_done(&files);
    return status;
}

static cf_status check_document(cf_plan *plan, const char *path, bool asked, cf_plan_check_result *result,
                                cf_error *err)
{
    cf_plan_found found;
    cf_error why = {0};
    char *data = NULL;
    size_t size_bytes = 0;
    cf_status status = cf_plan_place_read(&plan->place, path, CF_PLAN_MAX_PAGE, &found, &data, &size_bytes, &why);
    if (status)
        return cf_error_set(err, status, "%s", why.text);
    if (found == CF_PLAN_FOUND) {
        result->documents++;
        status = cf_plan_check_document(plan, path, data, size_bytes, &result->figures, &result->findings, err);
    } else if (asked) {
        status = cf_error_set(err, CF_INPUT, "%s: %s", path, found == CF_PLAN_ABSENT ? "it is not there" : why.text);
    } else if (found == CF_PLAN_REFUSED) {
        cf_plan_find(&result->findings, CF_PLAN_RULE_NOT_COMPARED, path, 1, NULL, "it was not looked at: %s", why.text);
    }
    free(data);
    return status;
}

static cf_status check_documents(cf_plan *plan, const cf_plan_check_request *request, cf_plan_check_result *result,
                                 cf_error *err)
{
    cf_plan_paths documents = {0};
    cf_status status = CF_OK;
    for (size_t i = 0; !status && i < request->path_count; i++)
        status = add_given(&plan->place, request->paths[i], &documents, err);
    if (!status && !request->path_count)
        status = all_documents(plan, &documents, err);
    cf_plan_paths_sort(&documents);
    for (size_t i = 0; !status && i < documents.count; i++) {
        bool again = i && !strcmp(documents.items[i], documents.items[i - 1]);
        if (!again)
            status = check_document(plan, documents.items[i], request->path_count > 0, result, err);
    }
    cf_plan_paths_done(&documents);
    return status;
}

/* ---- all of it
 * ------------------------------------------------------------------------------------------------------- */

static void take_unreadable(const cf_plan *plan, cf_plan_findings *findings)
{
    for (size_t i = 0; i < plan->unreadable.count; i++) {
        const cf_plan_finding *finding = &plan->unreadable.items[i];
        cf_plan_find(findings, finding->rule, finding->path, finding->line, NULL, "%s", finding->text);
    }
}

static cf_status check_index(const cf_plan *plan, cf_plan_findings *findings, cf_error *err)
{
    bool current = false;
    int line = 1;
    cf_error why = {0};
    cf_status status = cf_plan_index_is_current(plan, &current, &line, &why);
    if (status == CF_MEMORY)
        return cf_error_set(err, status, "%s", why.text);
    if (status || !current)
        cf_plan_find(findings, CF_PLAN_RULE_INDEX_STALE, CF_PLAN_INDEX, line, NULL, "%s",
                     status ? why.text : "the index differs from the claims");
    return CF_OK;
}

cf_status cf_plan_check(cf_plan *plan, const cf_plan_check_request *request, cf_plan_check_result *ret_result,
                        cf_error *err)
{
    *ret_result = (cf_plan_check_result){.documents = 0};
    take_unreadable(plan, &ret_result->findings);
    cf_status status = cf_plan_check_claims(plan, &ret_result->findings, err);
    if (!status && request->against)
        status = cf_plan_check_against(plan, request->against, &ret_result->findings, err);
    if (!status)
        status = check_documents(plan, request, ret_result, err);
    if (!status)
        status = check_index(plan, &ret_result->findings, err);
    if (!status && ret_result->findings.failed)
        status = cf_error_set(err, CF_MEMORY, "out of memory");
    if (status) {
        cf_plan_findings_done(&ret_result->findings);
        return status;
    }
    cf_plan_findings_sort(&ret_result->findings);
    return CF_OK;
}
