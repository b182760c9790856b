/* The index in plan/README.md. It is made from the front matter alone, so that it is the same on every machine. */
#include <stdlib.h>
#include <string.h>

#include "plan/escape.h"
#include "plan/plan.h"

#define BEGIN "<!-- confound plan: index, made by confound plan show -->"
#define END   "<!-- confound plan: end of index -->"

static const char opening[] =
    "# The plan\n\n"
    "Claims about how the lanes of GPU work run, one file each: what was claimed and from what, what was decided, and\n"
    "which claims were wrong, with what was begun on them. No claim about overlap or serialisation is acted on "
    "without\n"
    "an uninstrumented control, and no instrumented run is quoted as product speed: `confound plan check` holds to "
    "that.\n"
    "Claims are retracted, never deleted.\n\n";

static void add_link(const cf_plan_claim *claim, cf_text *out)
{
    const char *slash = strrchr(claim->path, '/');
    cf_text_add(out, "[");
    cf_plan_add_markdown(out, claim->id);
    cf_text_add(out, "](");
    cf_plan_add_encoded(out, slash ? slash + 1 : claim->path);
    cf_text_add(out, ")");
}

static void add_status(const cf_plan_claim *claim, cf_text *out)
{
    cf_text_add(out, "%s", cf_plan_status_names[claim->status]);
    if (claim->status == CF_PLAN_SUPERSEDED && claim->superseded_by) {
        cf_text_add(out, " by ");
        cf_plan_add_markdown(out, claim->superseded_by);
    }
    if (claim->status != CF_PLAN_RETRACTED)
        return;
    if (claim->retraction.date)
        cf_text_add(out, " %s", claim->retraction.date);
    if (claim->retraction.because) {
        cf_text_add(out, ": ");
        cf_plan_add_markdown(out, claim->retraction.because);
    }
}

static void add_row(const cf_plan_claim *claim, cf_text *out)
{
    const char *strike = claim->status == CF_PLAN_RETRACTED ? "~~" : "";
    cf_text_add(out, "| ");
    add_link(claim, out);
    cf_text_add(out, " | %s", strike);
    cf_plan_add_markdown(out, claim->sentence);
    cf_text_add(out, "%s | %s%s%s%s | ", strike, strike, cf_plan_verdict_name(claim->verdict), strike,
                claim->scope.simulated ? " (simulated)" : "");
    add_status(claim, out);
    cf_text_add(out, " |\n");
}

static void add_index(const cf_plan *plan, cf_text *out)
{
    /* The head is there without a row too, so that branches that each add the first one merge. */
    cf_text_add(out, "%s\n\n| claim | what was claimed | read as | status |\n|---|---|---|---|\n", BEGIN);
    for (size_t i = 0; i < plan->count; i++)
        add_row(&plan->claims[i], out);
    cf_text_add(out, "\n%s\n", END);
}

/* Where the index stands in text, from the first byte of its first marker to the line after its last one. */
static bool find_index(const char *text, size_t *ret_begin, size_t *ret_end)
{
    const char *end = text ? strstr(text, END) : NULL, *begin = NULL;
    for (const char *at = end ? strstr(text, BEGIN) : NULL; at && at < end; at = strstr(at + 1, BEGIN))
        begin = at; /* the last one: what stands before it is not ours */
    if (!begin)
        return false;
    end += strlen(END);
    end += *end == '\r';
    end += *end == '\n';
    *ret_begin = (size_t)(begin - text);
    *ret_end = (size_t)(end - text);
    return true;
}

cf_status cf_plan_index_print(const cf_plan *plan, const char *current, cf_text *out, cf_error *err)
{
    size_t begin = 0, end = 0;
    bool found = find_index(current, &begin, &end);
    if (found)
        cf_text_add_bytes(out, current, begin);
    else
        cf_text_add(out, "%s%s", current ? current : opening, current && *current ? "\n" : "");
    add_index(plan, out);
    if (found)
        cf_text_add(out, "%s", current + end);
    return out->failed ? cf_error_set(err, CF_MEMORY, "out of memory") : CF_OK;
}

/* ret_current: the file, NULL where it is not there. IO where it can't be read. */
static cf_status read_current(const cf_plan *plan, char **ret_current, cf_error *err)
{
    cf_plan_found found;
    cf_error why = {0};
    size_t size_bytes = 0;
    cf_status status =
        cf_plan_place_read(&plan->place, CF_PLAN_INDEX, CF_PLAN_MAX_PAGE, &found, ret_current, &size_bytes, &why);
    if (status)
        return cf_error_set(err, status, "%s", why.text);
    if (found == CF_PLAN_REFUSED)
        return cf_error_set(err, CF_IO, "%s: %s", CF_PLAN_INDEX, why.text);
    if (found == CF_PLAN_FOUND && strlen(*ret_current) != size_bytes) {
        free(*ret_current);
        *ret_current = NULL;
        return cf_error_set(err, CF_INPUT, "%s: it holds a NUL", CF_PLAN_INDEX);
    }
    return CF_OK;
}

cf_status cf_plan_index_update(const cf_plan *plan, cf_error *err)
{
    char *current = NULL;
    cf_text text = {0};
    cf_status status = read_current(plan, &current, err);
    if (!status)
        status = cf_plan_index_print(plan, current, &text, err);
    if (!status && (!current || strcmp(current, text.data) != 0))
        status = cf_plan_place_write(&plan->place, CF_PLAN_INDEX, text.data, text.size_bytes, err);
    cf_text_done(&text);
    free(current);
    return status;
}

cf_status cf_plan_index_is_current(const cf_plan *plan, bool *ret_current, int *ret_line, cf_error *err)
{
    char *current = NULL;
    cf_text text = {0};
    size_t begin = 0, end = 0;
    cf_status status = read_current(plan, &current, err);
    if (!status)
        status = cf_plan_index_print(plan, current, &text, err);
    *ret_current = !status && current && !strcmp(current, text.data);
    *ret_line = 1;
    bool found = find_index(current, &begin, &end);
    for (size_t i = 0; found && current && i < begin; i++)
        *ret_line += current[i] == '\n';
    cf_text_done(&text);
    free(current);
    return status;
}
