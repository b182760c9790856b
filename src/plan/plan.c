/* Reading a plan. */
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

static bool ends_in_md(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && !strcasecmp(path + length - 3, ".md");
}

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

long cf_plan_number(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    return digits && digits < 10 ? strtol(name, NULL, 10) : -1;
}

static bool may_be_claim(const char *path)
{
    return ends_in_md(path) && file_of(path)[0] != '.' && strcasecmp(path, CF_PLAN_INDEX) != 0;
}

cf_status cf_plan_take(cf_plan *plan, cf_plan_claim *claim, cf_error *err)
{
    cf_plan_claim *claims = realloc(plan->claims, (plan->count + 1) * sizeof *claims);
    if (!claims) {
        cf_plan_claim_done(claim);
        return no_memory(err);
    }
    plan->claims = claims;
    size_t at = plan->count++;
    for (; at > 0 && strcmp(claims[at - 1].path, claim->path) > 0; at--)
        claims[at] = claims[at - 1];
    claims[at] = *claim;
    *claim = (cf_plan_claim){0};
    return CF_OK;
}

static cf_status parse_file(cf_plan *plan, const char *path, const char *data, size_t size_bytes, cf_error *err)
{
    cf_plan_claim claim;
    cf_error why = {0};
    int line = 1;
    if (!cf_plan_claim_has_matter(data, size_bytes) && cf_plan_number(file_of(path)) < 0)
        return CF_OK; /* a page beside the claims */
    cf_status status = cf_plan_claim_parse(path, data, size_bytes, &claim, &line, &why);
    if (!status)
        return cf_plan_take(plan, &claim, err);
    cf_plan_claim_done(&claim);
    if (status == CF_MEMORY)
        return no_memory(err);
    cf_plan_find(&plan->unreadable, CF_PLAN_RULE_CLAIM_UNREADABLE, path, line, NULL, "%s", why.text);
    return CF_OK;
}

static cf_status read_file(cf_plan *plan, const char *path, cf_error *err)
{
    cf_plan_found found;
    cf_error why = {0};
    char *data = NULL;
    size_t size_bytes = 0;
    cf_status status = cf_plan_place_read(&plan->place, path, CF_PLAN_MAX_CLAIM, &found, &data, &size_bytes, &why);
    if (status)
        return no_memory(err);
    if (found == CF_PLAN_FOUND)
        status = parse_file(plan, path, data, size_bytes, err);
    else if (found == CF_PLAN_REFUSED)
        cf_plan_find(&plan->unreadable, CF_PLAN_RULE_CLAIM_UNREADABLE, path, 1, NULL, "%s", why.text);
    free(data);
    return status;
}

static cf_status read_all(cf_plan *plan, cf_error *err)
{
    cf_plan_paths paths = {0};
    cf_status status = cf_plan_place_list(&plan->place, CF_PLAN_FOLDER, false, &paths, err);
    for (size_t i = 0; !status && i < paths.count; i++) {
        if (may_be_claim(paths.items[i]))
            status = read_file(plan, paths.items[i], err);
    }
    cf_plan_paths_done(&paths);
    return status;
}

static cf_status need_plan(const cf_plan_place *place, cf_plan_access access, cf_error *err)
{
    bool there = false;
    cf_status status = cf_plan_place_has_plan(place, &there, err);
    if (status || there || access == CF_PLAN_READ_IF_THERE)
        return status;
    return cf_error_set(err, CF_INPUT, "%s: there is no plan here; 'confound plan init' makes one", place->root);
}

cf_status cf_plan_open(cf_plan_access access, cf_plan *ret_plan, cf_error *err)
{
    *ret_plan = (cf_plan){.lock = -1};
    cf_status status = cf_plan_place_open(&ret_plan->place, err);
    int lock = -1;
    if (!status)
        status = need_plan(&ret_plan->place, access, err);
    if (!status && access == CF_PLAN_CHANGE)
        status = cf_plan_place_lock(&ret_plan->place, &lock, err);
    if (status)
        return status;
    ret_plan->lock = lock;
    ret_plan->records.place = &ret_plan->place;
    return read_all(ret_plan, err);
}

void cf_plan_done(cf_plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->count; i++)
        cf_plan_claim_done(&plan->claims[i]);
    free(plan->claims);
    cf_plan_records_done(&plan->records);
    cf_plan_findings_done(&plan->unreadable);
    cf_plan_place_unlock(plan->lock);
    cf_plan_place_done(&plan->place);
    *plan = (cf_plan){.lock = -1};
}

/* ---- which claim is meant
 * -------------------------------------------------------------------------------------------- */

typedef bool is_meant(const cf_plan_claim *claim, const char *name);

static bool is_id(const cf_plan_claim *claim, const char *name)
{
    return !strcmp(claim->id, name);
}

static bool is_file(const cf_plan_claim *claim, const char *name)
{
    const char *file = file_of(claim->path);
    return !strcmp(claim->path, name) || !strcmp(file, name) ||
           (strlen(name) + 3 == strlen(file) && !strncmp(file, name, strlen(name)));
}

static bool is_number(const cf_plan_claim *claim, const char *name)
{
    return name[strspn(name, "0123456789")] == '\0' && cf_plan_number(claim->id) == cf_plan_number(name);
}

static bool begins_so(const cf_plan_claim *claim, const char *name)
{
    return !strncmp(claim->id, name, strlen(name));
}

static cf_status ambiguous(const cf_plan *plan, const char *name, is_meant *meant, cf_error *err)
{
    char list[512];
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < plan->count && used < sizeof list; i++) {
        if (!meant(&plan->claims[i], name))
            continue;
        int length = snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", plan->claims[i].id);
        used += length > 0 ? (size_t)length : 0;
    }
    return cf_error_set(err, CF_INPUT, "'%s' means several claims: %s", name, list);
}

static cf_status unknown(const cf_plan *plan, const char *name, cf_error *err)
{
    for (size_t i = 0; i < plan->unreadable.count; i++) {
        const cf_plan_finding *finding = &plan->unreadable.items[i];
        long number = cf_plan_number(file_of(finding->path));
        if (strstr(finding->path, name) || (number >= 0 && number == cf_plan_number(name)))
            return cf_error_set(err, CF_INPUT, "%s:%d: %s", finding->path, finding->line, finding->text);
    }
    return cf_error_set(err, CF_INPUT, "there is no claim '%s'; 'confound plan show' lists them", name);
}

cf_status cf_plan_lookup(cf_plan *plan, const char *name, cf_plan_claim **ret_claim, cf_error *err)
{
    static is_meant *const ways[] = {is_id, is_file, is_number, begins_so};
    for (size_t way = 0; *name && way < sizeof ways / sizeof ways[0]; way++) {
        cf_plan_claim *found = NULL;
        size_t count = 0;
        for (size_t i = 0; i < plan->count; i++) {
            if (!ways[way](&plan->claims[i], name))
                continue;
            found = &plan->claims[i];
            count++;
        }
        if (count > 1)
            return ambiguous(plan, name, ways[way], err);
        *ret_claim = found;
        if (found)
            return CF_OK;
    }
    return unknown(plan, name, err);
}
