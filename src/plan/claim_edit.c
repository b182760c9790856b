/* Changing a claim: one key's lines are written anew, all other bytes of the file stay. */
#include <stdlib.h>
#include <string.h>

#include "plan/claim.h"

/* Offset in the file of a line of the front matter (1-based); its end for a line after the last. */
static size_t offset_of(const cf_plan_claim *claim, int line)
{
    size_t at = claim->matter_at, end = claim->matter_at + claim->matter_bytes;
    while (--line > 0 && at < end) {
        const char *next = memchr(claim->text + at, '\n', end - at);
        at = next ? (size_t)(next - claim->text) + 1 : end;
    }
    return at;
}

static bool is_blank_or_comment(const char *line, size_t length)
{
    size_t at = 0;
    while (at < length && strchr(" \t\r\n", line[at]))
        at++;
    return at == length || line[0] == '#';
}

/* Moves end back over blank lines and comments before it: they belong to what follows. */
static size_t without_comments(const cf_plan_claim *claim, size_t begin, size_t end)
{
    while (end > begin) {
        size_t line = end - 1;
        while (line > begin && claim->text[line - 1] != '\n')
            line--;
        if (line == begin || !is_blank_or_comment(claim->text + line, end - line))
            break;
        end = line;
    }
    return end;
}

/* The lines of a key; where there is no such key, the empty place at the end of the front matter. */
static void lines_of(const cf_plan_claim *claim, const cf_yaml_node *value, size_t *ret_begin, size_t *ret_end)
{
    *ret_begin = *ret_end = claim->matter_at + claim->matter_bytes;
    for (size_t i = 0; value && i + 1 < claim->root->count; i += 2) {
        if (claim->root->items[i + 1] != value)
            continue;
        bool last = i + 2 >= claim->root->count;
        size_t end = last ? *ret_end : offset_of(claim, claim->root->items[i + 2]->line);
        *ret_begin = offset_of(claim, claim->root->items[i]->line);
        *ret_end = without_comments(claim, *ret_begin, end);
        return;
    }
}

static cf_status splice(const cf_plan_claim *claim, const char *key, const cf_yaml_node *old, const cf_yaml_node *value,
                        cf_text *out, cf_error *err)
{
    size_t begin, end;
    lines_of(claim, old, &begin, &end);
    cf_text_add_bytes(out, claim->text, begin);
    cf_status status = cf_yaml_print(key, value, claim->crlf, out, err);
    cf_text_add_bytes(out, claim->text + end, claim->size_bytes - end);
    if (!status && out->failed)
        status = cf_error_set(err, CF_MEMORY, "out of memory");
    return status;
}

/* What was written is read again: a claim in memory is never other than its file. */
static cf_status replace(cf_plan_claim *claim, const cf_text *text, cf_error *err)
{
    cf_plan_claim fresh;
    int line = 0;
    cf_status status = cf_plan_claim_parse(claim->path, text->data, text->size_bytes, &fresh, &line, err);
    if (status) {
        cf_plan_claim_done(&fresh);
        cf_error_prefix(err, "%s:%d", claim->path, line);
        return status;
    }
    cf_plan_claim_done(claim);
    *claim = fresh;
    return CF_OK;
}

static cf_status write_key(cf_plan_claim *claim, const char *key, const cf_yaml_node *value, cf_error *err)
{
    cf_text text = {0};
    cf_status status = splice(claim, key, cf_yaml_get(claim->root, key), value, &text, err);
    if (!status)
        status = replace(claim, &text, err);
    cf_text_done(&text);
    return status;
}

cf_status cf_plan_claim_set(cf_plan_claim *claim, const char *key, cf_yaml_node *value, cf_error *err)
{
    if (!value)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    cf_status status = write_key(claim, key, value, err);
    cf_yaml_free(value);
    return status;
}

cf_status cf_plan_claim_rewrite(cf_plan_claim *claim, const char *key, cf_error *err)
{
    return write_key(claim, key, cf_yaml_get(claim->root, key), err);
}
