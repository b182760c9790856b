/* A plan begun, and a claim put into it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/attach.h"
#include "plan/escape.h"
#include "plan/support.h"

#define SLUG_BYTES 64
#define MAX_NUMBER 999999

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

void cf_plan_outcome_done(cf_plan_outcome *outcome)
{
    cf_plan_findings_done(&outcome->findings);
    cf_text_done(&outcome->notes);
    free(outcome->path);
    *outcome = (cf_plan_outcome){0};
}

/* ---- init
 * ------------------------------------------------------------------------------------------------------------ */

/* Evidence keeps its bytes whatever git thinks of line ends; two branches that each add a row to the index merge. */
static const char attributes[] = "evidence/** -text\nREADME.md text eol=lf merge=union\n";

static cf_status make_plan(const cf_plan_place *place, bool *ret_made, cf_error *err)
{
    bool made = false;
    cf_status status = cf_plan_place_folder(place, CF_PLAN_FOLDER, err);
    if (!status)
        status = cf_plan_place_folder(place, CF_PLAN_EVIDENCE, err);
    if (!status)
        status = cf_plan_place_create(place, CF_PLAN_FOLDER "/.gitattributes", attributes, sizeof attributes - 1, &made,
                                      err);
    *ret_made = made;
    return status;
}

cf_status cf_plan_init(bool *ret_made, cf_plan_outcome *outcome, cf_error *err)
{
    cf_plan_place place;
    cf_plan plan;
    cf_status status = cf_plan_place_open(&place, err);
    if (!status)
        status = make_plan(&place, ret_made, err);
    if (!status && !place.git)
        cf_text_add(&outcome->notes, "%s is no git repository: what was deleted or edited can't be found here\n",
                    place.root);
    cf_plan_place_done(&place);
    if (status)
        return status;
    status = cf_plan_open(CF_PLAN_CHANGE, &plan, err);
    if (!status)
        status = cf_plan_index_update(&plan, err);
    cf_plan_done(&plan);
    return status;
}

/* ---- a claim's file
 * -------------------------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Lower-case words joined by '-', whole words up to SLUG_BYTES; "claim" where none is left. */
static void slug_of(const char *sentence, char slug[SLUG_BYTES])
{
    size_t used = 0;
    while (*sentence) {
        size_t length = 0;
        while (is_word(sentence[length]))
            length++;
        if (used && used + 1 + length >= SLUG_BYTES)
            break;
        if (length && used)
            slug[used++] = '-';
        for (size_t i = 0; i < length && used < SLUG_BYTES - 1; i++)
            slug[used++] = (char)(sentence[i] >= 'A' && sentence[i] <= 'Z' ? sentence[i] - 'A' + 'a' : sentence[i]);
        sentence += length ? length : 1;
    }
    slug[used] = '\0';
    if (!used)
        snprintf(slug, SLUG_BYTES, "claim");
}

/* One more than any number in use, in an id or in a file's name. */
static long next_number(const cf_plan *plan)
{
    long number = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const char *slash = strrchr(plan->claims[i].path, '/');
        long numbers[] = {cf_plan_number(plan->claims[i].id), cf_plan_number(slash ? slash + 1 : "")};
        for (int k = 0; k < 2; k++)
            number = numbers[k] > number && numbers[k] <= MAX_NUMBER ? numbers[k] : number;
    }
    for (size_t i = 0; i < plan->unreadable.count; i++) {
        const char *slash = strrchr(plan->unreadable.items[i].path, '/');
        long other = cf_plan_number(slash ? slash + 1 : "");
        number = other > number && other <= MAX_NUMBER ? other : number;
    }
    return number + 1;
}

/* Front matter being composed: a failure is kept to the end. */
typedef struct draft {
    cf_text text;
    cf_status status;
    cf_error *err;
} draft;

static void put(draft *d, const char *key, cf_yaml_node *value)
{
    if (!d->status)
        d->status = value ? cf_yaml_print(key, value, false, &d->text, d->err) : no_memory(d->err);
    cf_yaml_free(value);
}

static cf_yaml_node *list_of(cf_yaml_node *const *items, size_t count)
{
    cf_yaml_node *list = cf_yaml_sequence();
    bool failed = !list;
    for (size_t i = 0; i < count; i++) {
        if (failed)
            cf_yaml_free(items[i]);
        else
            failed = cf_yaml_push(list, items[i], NULL) != CF_OK;
    }
    if (!failed)
        return list;
    cf_yaml_free(list);
    return NULL;
}

typedef struct sources {
    const cf_plan_record *record, *trace; /* NULL = none */
    const char *variant;
    cf_plan_verdict verdict;
    cf_plan_about about;
    char since[CF_PLAN_DATE_BYTES];
} sources;

static cf_yaml_node *evidence_node(const sources *from)
{
    cf_yaml_node *items[2];
    size_t count = 0;
    if (from->trace)
        items[count++] = cf_plan_evidence_node(from->trace, true, NULL);
    if (from->record)
        items[count++] = cf_plan_evidence_node(from->record, false, from->variant);
    return list_of(items, count);
}

static cf_yaml_node *work_node(const cf_plan_new *request, const sources *from)
{
    cf_yaml_node *item = request->acted_on ? cf_plan_work_node(request->acted_on, from->since) : NULL;
    return list_of(&item, request->acted_on ? 1 : 0);
}

static void compose(const cf_plan_new *request, const sources *from, const char *id, draft *d)
{
    cf_text_add(&d->text, "---\n");
    put(d, "id", cf_yaml_word(id));
    put(d, "claim", cf_yaml_prose(request->sentence));
    put(d, "about", cf_yaml_plain(cf_plan_about_names[from->about]));
    put(d, "lanes", from->record ? cf_plan_lanes_node(from->record) : cf_yaml_plain(NULL));
    put(d, "status", cf_yaml_plain(cf_plan_status_names[request->acted_on ? CF_PLAN_ACTED_ON : CF_PLAN_PROPOSED]));
    put(d, "verdict", cf_yaml_plain(cf_plan_verdict_name(from->verdict)));
    put(d, "scope", from->record ? cf_plan_scope_node(from->record) : cf_yaml_plain(NULL));
    put(d, "evidence", evidence_node(from));
    put(d, "work", work_node(request, from));
    put(d, "retraction", cf_yaml_plain(NULL));
    cf_text_add(&d->text, "---\n\n# ");
    cf_plan_add_markdown(&d->text, request->sentence);
    cf_text_add(&d->text, "\n\n## Context\n\n## Decision\n\n## Consequences\n");
    if (!d->status && d->text.failed)
        d->status = no_memory(d->err);
}

/* Takes the next number that no file has, and writes the claim's file. */
static cf_status create(cf_plan *plan, const cf_plan_new *request, const sources *from, cf_plan_claim *ret_claim,
                        cf_error *err)
{
    char slug[SLUG_BYTES], id[CF_PLAN_MAX_ID], path[CF_PLAN_MAX_ID + 16];
    bool made = false;
    cf_status status = CF_OK;
    slug_of(request->sentence, slug);
    for (long number = next_number(plan); !status && !made && number <= MAX_NUMBER; number++) {
        draft d = {.err = err};
        int line = 0;
        snprintf(id, sizeof id, "%04ld-%s", number, slug);
        snprintf(path, sizeof path, "%s/%s.md", CF_PLAN_FOLDER, id);
        compose(request, from, id, &d);
        status = d.status;
        cf_plan_claim_done(ret_claim);
        if (!status)
            status = cf_plan_claim_parse(path, d.text.data, d.text.size_bytes, ret_claim, &line, err);
        if (!status)
            status = cf_plan_place_create(&plan->place, path, d.text.data, d.text.size_bytes, &made, err);
        cf_text_done(&d.text);
    }
    if (!status && !made)
        status = cf_error_set(err, CF_INPUT, "%s: no number is left for a claim", CF_PLAN_FOLDER);
    return status;
}

/* ---- the request
 * ----------------------------------------------------------------------------------------------------- */

static cf_status check_words(const cf_plan_new *request, cf_error *err)
{
    cf_status status = cf_plan_check_sentence("the claim", request->sentence, CF_PLAN_MAX_SENTENCE, err);
    if (!status && request->acted_on)
        status = cf_plan_check_sentence("--acted-on", request->acted_on, CF_PLAN_MAX_SENTENCE, err);
    if (!status && request->since && !request->acted_on)
        status = cf_error_set(err, CF_INPUT, "--since says when work was begun: name it with --acted-on \"WHAT\"");
    if (!status && request->variant && !request->evidence)
        status = cf_error_set(err, CF_INPUT, "--variant is one of a record's: name it with --evidence RECORD");
    if (!status && !request->verdict && !request->evidence)
        status = cf_error_set(err, CF_INPUT,
                              "without a record the verdict is missing: --verdict serialises, partial or "
                              "overlaps, as it was read then");
    return status;
}

static cf_status word_of(const char *option, const char *word, const char *const *words, int *ret_index, cf_error *err)
{
    char list[128];
    *ret_index = cf_text_find(words, word);
    return *ret_index >= 0 ? CF_OK
                           : cf_error_set(err, CF_INPUT, "%s: '%s' is not %s", option, word,
                                          cf_text_list(words, list, sizeof list));
}

static cf_status settle_words(const cf_plan_new *request, const cf_variant_judgement *judged, sources *from,
                              cf_error *err)
{
    int verdict = judged ? (int)judged->reading : 0, about = 0;
    if (judged && from->record && from->record->judgement.metric)
        verdict = cf_plan_says(from->record, from->variant);
    cf_status status = CF_OK;
    if (request->verdict)
        status = word_of("--verdict", request->verdict, cf_plan_reading_names, &verdict, err);
    from->verdict = verdict;
    from->about = verdict == CF_READING_SERIALISES ? CF_PLAN_ABOUT_SERIALISATION : CF_PLAN_ABOUT_OVERLAP;
    if (cf_plan_is_about_arm(verdict) || (from->record && from->record->judgement.metric))
        from->about = CF_PLAN_ABOUT_OTHER;
    if (!status && request->about) {
        status = word_of("--about", request->about, cf_plan_about_names, &about, err);
        from->about = (cf_plan_about)about;
    }
    return status;
}

static cf_status settle(cf_plan *plan, const cf_plan_new *request, sources *from, cf_error *err)
{
    const cf_variant_judgement *judged = NULL;
    from->variant = request->variant ? request->variant : "none";
    cf_status status = check_words(request, err);
    if (!status)
        status = cf_plan_day("--since", request->since, from->since, err);
    if (!status && request->source)
        status = cf_plan_named_file(plan, request->source, false, &from->trace, err);
    if (!status && request->evidence)
        status = cf_plan_named_file(plan, request->evidence, true, &from->record, err);
    if (!status && request->evidence)
        status = cf_plan_named_variant(from->record, from->variant, &judged, err);
    if (!status && judged && from->record->judgement.metric && judged->effect.verdict == CF_EFFECT_NONE)
        return cf_error_set(err, CF_INPUT,
                            "%s is of a whole program: name the arm that the claim is about with --variant ARM",
                            from->record->path);
    return status ? status : settle_words(request, judged, from, err);
}

/* What stands between the claim and anyone acting on it, said at once. */
static cf_status note_gaps(cf_plan *plan, const cf_plan_claim *claim, cf_plan_outcome *outcome, cf_error *err)
{
    cf_status status = cf_plan_check_support(claim, &plan->records, &outcome->findings, err);
    if (status || !cf_plan_findings_errors(&outcome->findings, 0))
        return status;
    if (claim->status == CF_PLAN_ACTED_ON)
        cf_text_add(&outcome->notes,
                    "warning: acted on without an uninstrumented control that agrees; it is recorded as "
                    "it was, and 'confound plan check' fails until it is controlled or retracted\n");
    else
        cf_text_add(&outcome->notes, "warning: nobody may act on it yet\n");
    return CF_OK;
}

cf_status cf_plan_add(cf_plan *plan, const cf_plan_new *request, cf_plan_outcome *outcome, cf_error *err)
{
    sources from = {.record = NULL};
    cf_plan_claim claim = {0};
    cf_status status = settle(plan, request, &from, err);
    if (!status)
        status = create(plan, request, &from, &claim, err);
    if (!status && from.record && from.record->record.simulated)
        cf_text_add(&outcome->notes, "%s is of a simulated device: the claim's scope says so\n", from.record->path);
    if (!status)
        status = note_gaps(plan, &claim, outcome, err);
    if (!status && !(outcome->path = cf_text_dup(claim.path)))
        status = no_memory(err);
    if (status) {
        cf_plan_claim_done(&claim);
        return status;
    }
    status = cf_plan_take(plan, &claim, err);
    return status ? status : cf_plan_index_update(plan, err);
}
