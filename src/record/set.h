/* A set: runs that belong together, each measured by a fresh process into a record of its own. What they are and where
   they stand; what they say is judged from the records. File format: docs/sets.md, `confound.set/1`. */
#ifndef CF_RECORD_SET_H
#define CF_RECORD_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CF_SET_SCHEMA      "confound.set/1"
#define CF_SET_MEMBERS_MAX 1000

typedef enum cf_set_kind {
    CF_SET_PROCESSES, /* the same run again */
    CF_SET_ENV,       /* under each value of a variable of the environment */
    CF_SET_SWEEP,     /* at each point of a key of the job */
    CF_SET_RECORDS,   /* records that were named one by one: no document holds such a set */
    CF_SET_KIND_COUNT
} cf_set_kind;
extern const char *const cf_set_kind_names[]; /* "processes" "env" "sweep" "records" NULL */

typedef enum cf_set_state {
    CF_SET_MISSING, /* not measured yet */
    CF_SET_DONE,
    CF_SET_INTERRUPTED, /* the user ended it before it was decided; it can go on */
    CF_SET_FAILED,
    CF_SET_STATE_COUNT
} cf_set_state;
extern const char *const cf_set_state_names[]; /* "missing" "done" "interrupted" "failed" NULL */

/* One process and its record. */
typedef struct cf_set_member {
    int group;     /* index of its value */
    int process;   /* 1-based, within its group */
    uint64_t seed; /* of its run, below 2^53 */
    char *path;    /* of the record, seen from the folder of the set's document */
    char *record;  /* "sha256:…" of the record that was judged last; NULL = there was none, or it is measured anew */
    cf_set_state state;
    char *why;       /* FAILED: one line; else NULL */
    int exit_status; /* FAILED: of the process */
} cf_set_member;

typedef struct cf_set_strings {
    char **items;
    size_t count;
} cf_set_strings;

typedef struct cf_set {
    char *tool_version, *created_utc;
    cf_set_kind kind;
    char *key;     /* ENV: the variable; SWEEP: SECTION.KEY; NULL for PROCESSES */
    char *device;  /* that every process is given: "cuda:0" */
    uint64_t seed; /* that order and seeds come from */
    int64_t processes;
    char *job_name;
    char *job_text;         /* of the first group, less its seed; what a later process must agree with */
    cf_set_strings options; /* of the command line, that every process is given */
    cf_set_strings values;  /* one a group, as given; PROCESSES: one, empty. ENV: an empty one is unset */
    int member_count;
    cf_set_member *members; /* in the order in which they are measured */
} cf_set;

void cf_set_done(cf_set *set); /* takes NULL and half-built ones */
cf_status cf_set_strings_add(cf_set_strings *strings, const char *text, cf_error *err) CF_MUST_CHECK;
void cf_set_strings_done(cf_set_strings *strings);

/* True where path is a regular file that begins like a set's document. */
bool cf_set_is_document(const char *path);
/* Reads a document; members' judgements in it are not read, since the records have them. INPUT with "NAME:LINE: …".
   ret_set: caller frees with cf_set_done, also after a failure. */
cf_status cf_set_read(const char *path, cf_set *ret_set, cf_error *err) CF_MUST_CHECK;
/* Where a member's record is, seen from here: path is the document's. Caller owns; NULL only out of memory. */
char *cf_set_member_path(const char *path, const cf_set_member *member);

#endif
