/* The repository in which the plan is, and its files. Paths are relative to the repository's root, with '/', and never
   leave it: no "..", no link anywhere on the way. */
#ifndef CF_PLAN_PLACE_H
#define CF_PLAN_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

#define CF_PLAN_FOLDER     "plan"
#define CF_PLAN_EVIDENCE   "plan/evidence"
#define CF_PLAN_INDEX      "plan/README.md"
#define CF_PLAN_MAX_PATH   1024
#define CF_PLAN_MAX_CLAIM  ((size_t)1 << 20)
#define CF_PLAN_MAX_RECORD ((size_t)256 << 20)
#define CF_PLAN_MAX_PAGE   ((size_t)16 << 20)

typedef struct cf_plan_place {
    char *root; /* absolute; owned */
    int root_fd;
    bool git; /* root holds .git */
} cf_plan_place;

/* The nearest folder from the current one up that holds .git; without one, the nearest that holds plan/README.md, else
   the current folder itself. Caller frees with cf_plan_place_done. */
cf_status cf_plan_place_open(cf_plan_place *ret_place, cf_error *err) CF_MUST_CHECK;
void cf_plan_place_done(cf_plan_place *place); /* takes NULL and a zeroed one that was never opened */

/* A path as a person gives it, from the current folder, as a path from the root: links are followed here, once. INPUT
   when it is not there or lies outside. ret_path: caller frees. */
cf_status cf_plan_place_name(const cf_plan_place *place, const char *given, char **ret_path,
                             cf_error *err) CF_MUST_CHECK;
/* Why a path that was read from a file is not accepted; NULL where it is. Static text. Does not look at the disk. */
const char *cf_plan_place_why_not(const char *path);

typedef enum cf_plan_found { CF_PLAN_FOUND, CF_PLAN_ABSENT, CF_PLAN_REFUSED } cf_plan_found;
/* Reads a regular file. OK with ABSENT: nothing is there; OK with REFUSED: a link, a device, too large, no permission
   (ret_why, static or err's text). ret_data is NUL-terminated; caller frees. Other statuses: MEMORY. */
cf_status cf_plan_place_read(const cf_plan_place *place, const char *path, size_t max_bytes, cf_plan_found *ret_found,
                             char **ret_data, size_t *ret_bytes, cf_error *err) CF_MUST_CHECK;

/* What lies at a path, links being neither. What can't be reached is neither. */
bool cf_plan_place_is_folder(const cf_plan_place *place, const char *path);
bool cf_plan_place_is_file(const cf_plan_place *place, const char *path);

/* Writes whole or not at all. No link is followed: a link at path is refused. */
cf_status cf_plan_place_write(const cf_plan_place *place, const char *path, const void *data, size_t size_bytes,
                              cf_error *err) CF_MUST_CHECK;
/* The same, but never over a file that is there: then ret_made is false. */
cf_status cf_plan_place_create(const cf_plan_place *place, const char *path, const void *data, size_t size_bytes,
                               bool *ret_made, cf_error *err) CF_MUST_CHECK;
cf_status cf_plan_place_folder(const cf_plan_place *place, const char *path, cf_error *err) CF_MUST_CHECK;

/* Names in a folder, sorted, as paths from the root. Nothing where there is no such folder; INPUT where it is a link.
   deep: also in the folders below it, but not in those whose name begins with a dot. ret_paths: caller frees with
   cf_plan_paths_done. */
typedef struct cf_plan_paths {
    char **items;
    size_t count, capacity;
} cf_plan_paths;
cf_status cf_plan_place_list(const cf_plan_place *place, const char *folder, bool deep, cf_plan_paths *ret_paths,
                             cf_error *err) CF_MUST_CHECK;
cf_status cf_plan_paths_add(cf_plan_paths *paths, const char *path, cf_error *err) CF_MUST_CHECK;
bool cf_plan_paths_have(const cf_plan_paths *paths, const char *path);
void cf_plan_paths_sort(cf_plan_paths *paths);
void cf_plan_paths_done(cf_plan_paths *paths);

/* One command at a time changes the plan. Waits up to 10 s; IO after that. Released by cf_plan_place_unlock or by the
   process's end. INPUT where there is no plan. */
cf_status cf_plan_place_lock(const cf_plan_place *place, int *ret_lock, cf_error *err) CF_MUST_CHECK;
/* Whether there is a plan; INPUT where a link or a file stands in its place. */
cf_status cf_plan_place_has_plan(const cf_plan_place *place, bool *ret_there, cf_error *err) CF_MUST_CHECK;
void cf_plan_place_unlock(int held); /* takes -1 */

#endif
