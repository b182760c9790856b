/* git, as a program: an argument vector, never a shell. Nothing is written to the repository. */
#ifndef CF_PLAN_GIT_H
#define CF_PLAN_GIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "plan/place.h"

/* Runs git in the repository's root with the arguments (NULL-terminated, without "git") and input on its standard
   input. ret_out: what it printed, at most max_bytes (INPUT beyond); caller frees. UNSUPPORTED: there is no git.
   ret_exit is its exit status; what it said on standard error is then in err's text, with status OK. */
cf_status cf_plan_git(const cf_plan_place *place, const char *const *arguments, const cf_text *input, size_t max_bytes,
                      cf_text *ret_out, int *ret_exit, cf_error *err) CF_MUST_CHECK;

/* All tracked files as paths from the root; others: also those that are neither tracked nor ignored. ret_known false:
   no git, or no repository of git's. */
cf_status cf_plan_git_files(const cf_plan_place *place, bool others, bool *ret_known, cf_plan_paths *ret_paths,
                            cf_error *err) CF_MUST_CHECK;
/* The hash of the commit that revision names, "" where it is HEAD and nothing was committed yet. INPUT where git does
   not know it. */
cf_status cf_plan_git_commit(const cf_plan_place *place, const char *revision, char ret_hash[65],
                             cf_error *err) CF_MUST_CHECK;

/* Files of a folder in a commit, each with the hash of its content. */
typedef struct cf_plan_blob {
    char *path;
    char hash[65];
    bool is_link;
    unsigned long long size_bytes;
    char *content; /* once loaded: size_bytes and a NUL; owned */
} cf_plan_blob;
typedef struct cf_plan_blobs {
    cf_plan_blob *items;
    size_t count;
} cf_plan_blobs;
cf_status cf_plan_git_tree(const cf_plan_place *place, const char *commit, const char *folder, cf_plan_blobs *ret_blobs,
                           cf_error *err) CF_MUST_CHECK;
/* Loads the content of those that `wanted` picks and that are no larger than max_bytes. */
cf_status cf_plan_git_load(const cf_plan_place *place, cf_plan_blobs *blobs, bool (*wanted)(const cf_plan_blob *blob),
                           size_t max_bytes, cf_error *err) CF_MUST_CHECK;
void cf_plan_blobs_done(cf_plan_blobs *blobs);
/* The hashes that git would give the files' content, as paths of ret_hashes in the order of paths. */
cf_status cf_plan_git_hash(const cf_plan_place *place, const cf_plan_paths *paths, cf_plan_paths *ret_hashes,
                           cf_error *err) CF_MUST_CHECK;

#endif
