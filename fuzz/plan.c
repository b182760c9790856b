/* The readers of the plan. A claim: no text breaks the reader, and one that is taken can be changed, with every byte
   outside of the changed key as it was. A document: no text breaks the search for markers, and what is printed for a
   marker's path reads back as that path. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plan/claim.h"
#include "plan/escape.h"
#include "plan/figure.h"
#include "plan/place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void prose_of(const cf_plan_claim *claim, cf_text *out)
{
    size_t end = claim->matter_at + claim->matter_bytes;
    cf_text_add_bytes(out, claim->text + end, claim->size_bytes - end);
}

/* Every value of the front matter but that of `status`, as text. */
static void others_of(const cf_plan_claim *claim, cf_text *out)
{
    for (size_t i = 0; i < claim->root->count; i += 2) {
        if (claim->root->items[i + 1] != cf_yaml_get(claim->root, "status"))
            must(cf_yaml_print(claim->root->items[i]->text, claim->root->items[i + 1], false, out, NULL) == CF_OK);
    }
}

static void must_be_same(cf_text *a, cf_text *b)
{
    must(!a->failed && !b->failed && a->size_bytes == b->size_bytes);
    must(a->size_bytes == 0 || !memcmp(a->data, b->data, a->size_bytes));
    cf_text_done(a);
    cf_text_done(b);
}

static void change(cf_plan_claim *claim)
{
    cf_text prose[2] = {{0}, {0}}, others[2] = {{0}, {0}};
    prose_of(claim, &prose[0]);
    others_of(claim, &others[0]);
    must(cf_plan_claim_set(claim, "status", cf_yaml_plain("superseded"), NULL) == CF_OK);
    must(claim->status == CF_PLAN_SUPERSEDED);
    prose_of(claim, &prose[1]);
    others_of(claim, &others[1]);
    must_be_same(&prose[0], &prose[1]);
    must_be_same(&others[0], &others[1]);
    must(cf_plan_claim_set(claim, "superseded-by", cf_yaml_word("0002-x"), NULL) == CF_OK);
    must(!strcmp(claim->superseded_by, "0002-x"));
}

static void read_claim(const char *text, size_t size_bytes)
{
    cf_plan_claim claim;
    cf_error err = {0};
    int line = 0;
    cf_status status = cf_plan_claim_parse("plan/0001-x.md", text, size_bytes, &claim, &line, &err);
    must(status == CF_OK || (status == CF_INPUT && err.text[0] && line >= 1));
    if (status == CF_OK && size_bytes < CF_YAML_MAX_BYTES / 2)
        change(&claim);
    cf_plan_claim_done(&claim);
}

static void read_path(const char *path)
{
    cf_text text = {0};
    cf_plan_add_encoded(&text, path);
    must(!text.failed && !strstr(text.data, "--") && cf_plan_decode(text.data) && !strcmp(text.data, path));
    cf_text_done(&text);
}

static void read_line(const char *line, size_t bytes)
{
    size_t at = 0, before = 0, inside_bytes = 0;
    const char *inside = NULL;
    while (cf_plan_marker_next(line, bytes, &at, &before, &inside, &inside_bytes)) {
        cf_plan_marker marker;
        must(before < at && at <= bytes);
        if (inside_bytes != SIZE_MAX && !cf_plan_marker_parse(inside, inside_bytes, &marker))
            read_path(marker.record);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    const char *text = (const char *)data;
    read_claim(text, size_bytes);
    read_line(text, size_bytes);
    return 0;
}
