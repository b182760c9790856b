#include "plan/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define MAX_TEXT 1024

static const struct {
    const char *id, *reason;
    cf_plan_level level;
} rules[CF_PLAN_RULE_COUNT] = {
#define X(name, id, level, reason) {id, reason, CF_PLAN_##level},
    CF_PLAN_RULE_TABLE(X)
#undef X
};

const char *cf_plan_rule_id(cf_plan_rule rule)
{
    return rules[rule].id;
}

const char *cf_plan_rule_reason(cf_plan_rule rule)
{
    return rules[rule].reason;
}

cf_plan_level cf_plan_rule_level(cf_plan_rule rule)
{
    return rules[rule].level;
}

static bool reserve(cf_plan_findings *findings)
{
    if (findings->count < findings->capacity)
        return true;
    size_t capacity = findings->capacity ? 2 * findings->capacity : 32;
    cf_plan_finding *items = realloc(findings->items, capacity * sizeof *items);
    if (!items)
        return false;
    findings->items = items;
    findings->capacity = capacity;
    return true;
}

static void finding_free(cf_plan_finding *finding)
{
    free(finding->path);
    free(finding->claim);
    free(finding->text);
    free(finding->justification);
}

void cf_plan_find(cf_plan_findings *findings, cf_plan_rule rule, const char *path, int line, const char *claim,
                  const char *fmt, ...)
{
    char raw[MAX_TEXT], text[MAX_TEXT];
    va_list args;
    va_start(args, fmt);
    vsnprintf(raw, sizeof raw, fmt, args);
    va_end(args);
    cf_plan_finding finding = {
        .rule = rule,
        .level = rules[rule].level,
        .path = cf_text_dup(path),
        .line = line > 0 ? line : 1,
        .claim = claim ? cf_text_dup(claim) : NULL,
        .text = cf_text_dup(cf_text_safe(raw, text, sizeof text)),
    };
    if (!finding.path || !finding.text || (claim && !finding.claim) || !reserve(findings)) {
        finding_free(&finding);
        findings->failed = true;
        return;
    }
    findings->items[findings->count++] = finding;
}

static size_t count_level(const cf_plan_findings *findings, size_t from, cf_plan_level level)
{
    size_t count = 0;
    for (size_t i = from; i < findings->count; i++)
        count += findings->items[i].level == level && !findings->items[i].justification;
    return count;
}

size_t cf_plan_findings_errors(const cf_plan_findings *findings, size_t from)
{
    return count_level(findings, from, CF_PLAN_ERROR);
}

size_t cf_plan_findings_warnings(const cf_plan_findings *findings, size_t from)
{
    return count_level(findings, from, CF_PLAN_WARNING);
}

void cf_plan_findings_suppress(cf_plan_findings *findings, size_t from, const char *justification)
{
    for (size_t i = from; i < findings->count; i++) {
        if (findings->items[i].justification)
            continue;
        findings->items[i].justification = cf_text_dup(justification);
        findings->failed |= !findings->items[i].justification;
    }
}

void cf_plan_findings_lower(cf_plan_findings *findings, size_t from)
{
    for (size_t i = from; i < findings->count; i++)
        findings->items[i].level = CF_PLAN_WARNING;
}

static int by_place(const void *a, const void *b)
{
    const cf_plan_finding *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    if (!order)
        order = (x->line > y->line) - (x->line < y->line);
    if (!order)
        order = (x->rule > y->rule) - (x->rule < y->rule);
    return order ? order : strcmp(x->text, y->text);
}

void cf_plan_findings_sort(cf_plan_findings *findings)
{
    if (findings->count > 1)
        qsort(findings->items, findings->count, sizeof *findings->items, by_place);
}

void cf_plan_findings_done(cf_plan_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        finding_free(&findings->items[i]);
    free(findings->items);
    *findings = (cf_plan_findings){0};
}
