/* A claim: one Markdown file with YAML front matter (docs/plan.md). What is read is borrowed from the file's tree; what
   is changed is changed in the tree, key by key, so that every other byte of the file stays as it was. */
#ifndef CF_PLAN_CLAIM_H
#define CF_PLAN_CLAIM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "plan/yaml.h"
#include "verdict/verdict.h"

#define CF_PLAN_MAX_SENTENCE 1000 /* bytes of a claim or a piece of work */
#define CF_PLAN_MAX_BECAUSE  4000
#define CF_PLAN_MAX_ID       128
#define CF_PLAN_DATE_BYTES   11

#define CF_PLAN_STATUS_TABLE(X)                                                                                        \
    X(PROPOSED, "proposed")                                                                                            \
    X(ACCEPTED, "accepted")                                                                                            \
    X(ACTED_ON, "acted-on")                                                                                            \
    X(RETRACTED, "retracted")                                                                                          \
    X(SUPERSEDED, "superseded")
typedef enum cf_plan_status {
#define X(name, text) CF_PLAN_##name,
    CF_PLAN_STATUS_TABLE(X)
#undef X
        CF_PLAN_STATUS_COUNT
} cf_plan_status;

#define CF_PLAN_ABOUT_TABLE(X)                                                                                         \
    X(OVERLAP, "overlap")                                                                                              \
    X(SERIALISATION, "serialisation")                                                                                  \
    X(SPEED, "speed")                                                                                                  \
    X(OTHER, "other")
typedef enum cf_plan_about {
#define X(name, text) CF_PLAN_ABOUT_##name,
    CF_PLAN_ABOUT_TABLE(X)
#undef X
        CF_PLAN_ABOUT_COUNT
} cf_plan_about;

extern const char *const cf_plan_status_names[];  /* cf_plan_status; NULL-terminated, like the others */
extern const char *const cf_plan_about_names[];   /* cf_plan_about */
extern const char *const cf_plan_reading_names[]; /* cf_plan_verdict */

/* What is claimed: how two lanes run, a cf_reading; or what an arm does to a whole program's number. */
typedef int cf_plan_verdict;
enum { CF_PLAN_SLOWER = CF_READING_COUNT, CF_PLAN_FASTER, CF_PLAN_SAME, CF_PLAN_VERDICT_COUNT };
static inline const char *cf_plan_verdict_name(cf_plan_verdict verdict)
{
    return cf_plan_reading_names[verdict];
}

/* line: 1-based in the file. */
typedef struct cf_plan_evidence {
    bool is_trace;
    const char *path, *sha256;
    const char *variant; /* that the claim was read from; NULL for a trace */
    int line;
} cf_plan_evidence;
typedef struct cf_plan_work {
    const char *what, *since, *state; /* since "YYYY-MM-DD" */
    int line;
} cf_plan_work;
typedef struct cf_plan_fate {
    const char *what, *became;
    int line;
} cf_plan_fate;

typedef struct cf_plan_retraction { /* what is not there is NULL */
    bool present;
    int line;
    const char *date, *earlier_verdict, *because;
    const char *path, *sha256; /* what overturned it */
    cf_plan_fate *fates;
    size_t fate_count;
} cf_plan_retraction;

typedef struct cf_plan_scope { /* none: all NULL and false */
    bool simulated;
    const char *device, *driver;
    int line;
} cf_plan_scope;

typedef struct cf_plan_claim {
    char *path; /* from the repository's root */
    char *text; /* the file, NUL-terminated */
    size_t size_bytes;
    size_t matter_at, matter_bytes; /* the front matter between its fences */
    bool crlf;
    cf_yaml_node *root;

    const char *id, *sentence;
    cf_plan_about about;
    cf_plan_status status;
    cf_plan_verdict verdict;
    int sentence_line, status_line, verdict_line;
    const char *superseded_by; /* an id; NULL = none */
    const char *lanes[2];      /* a, b; NULL = not known */
    int lanes_line;
    cf_plan_scope scope;
    cf_plan_evidence *evidence;
    size_t evidence_count;
    cf_plan_work *work;
    size_t work_count;
    cf_plan_retraction retraction;
} cf_plan_claim;

/* True where text begins as a file with front matter does. */
bool cf_plan_claim_has_matter(const char *text, size_t size_bytes);
/* INPUT: err says what is wrong, ret_line where. Caller frees with cf_plan_claim_done, also after a failure (pass it
   zeroed). */
cf_status cf_plan_claim_parse(const char *path, const char *text, size_t size_bytes, cf_plan_claim *ret_claim,
                              int *ret_line, cf_error *err) CF_MUST_CHECK;
void cf_plan_claim_done(cf_plan_claim *claim);

/* Sets one key of the front matter and reads the file again. value is owned from here on. On failure the claim is as it
   was. */
cf_status cf_plan_claim_set(cf_plan_claim *claim, const char *key, cf_yaml_node *value, cf_error *err) CF_MUST_CHECK;
/* Writes the key again after its value (cf_yaml_get(claim->root, key)) was changed in place. */
cf_status cf_plan_claim_rewrite(cf_plan_claim *claim, const char *key, cf_error *err) CF_MUST_CHECK;

/* "YYYY-MM-DD" that is a day. */
bool cf_plan_is_date(const char *text);
/* Today in UTC, or the day of SOURCE_DATE_EPOCH where that is set. INPUT where it is no number of seconds. */
cf_status cf_plan_today(char ret_date[CF_PLAN_DATE_BYTES], cf_error *err) CF_MUST_CHECK;

#endif
