/* What is asked of git: which files are tracked, and what a commit holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/git.h"

#define MAX_LIST_BYTES ((size_t)256 << 20)

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

cf_status cf_plan_git_tracked(const cf_plan_place *place, bool *ret_known, cf_plan_paths *ret_paths, cf_error *err)
{
    static const char *const arguments[] = {"ls-files", "-z", NULL};
    cf_text out = {0};
    int exit_status = 0;
    *ret_known = false;
    *ret_paths = (cf_plan_paths){0};
    if (!place->git)
        return CF_OK;
    cf_status status = cf_plan_git(place, arguments, NULL, MAX_LIST_BYTES, &out, &exit_status, err);
    if (status == CF_UNSUPPORTED)
        return CF_OK;
    *ret_known = !status && exit_status == 0;
    for (size_t at = 0; !status && *ret_known && at < out.size_bytes; at += strlen(out.data + at) + 1)
        status = cf_plan_paths_add(ret_paths, out.data + at, err);
    cf_text_done(&out);
    if (status)
        cf_plan_paths_done(ret_paths);
    return status;
}

static bool nothing_committed(const cf_plan_place *place, const char *revision)
{
    static const char *const arguments[] = {"rev-list", "-n", "1", "--all", NULL};
    cf_text out = {0};
    int exit_status = 0;
    cf_error ignored;
    if (strcmp(revision, "HEAD") != 0 || cf_plan_git(place, arguments, NULL, 4096, &out, &exit_status, &ignored))
        return false;
    bool empty = exit_status == 0 && out.size_bytes == 0;
    cf_text_done(&out);
    return empty;
}

cf_status cf_plan_git_commit(const cf_plan_place *place, const char *revision, char ret_hash[65], cf_error *err)
{
    if (revision[0] == '-')
        return cf_error_set(err, CF_INPUT, "'%s' names no commit", revision);
    char *commit = cf_text_format("%s^{commit}", revision);
    if (!commit)
        return no_memory(err);
    const char *const arguments[] = {"rev-parse", "--verify", "--quiet", commit, NULL};
    cf_text out = {0};
    int exit_status = 0;
    cf_error said = {0};
    cf_status status = cf_plan_git(place, arguments, NULL, 4096, &out, &exit_status, &said);
    free(commit);
    ret_hash[0] = '\0';
    if (status && err)
        *err = said;
    if (status)
        return status;
    size_t length = out.data ? strcspn(out.data, "\n") : 0;
    if (exit_status == 0 && length < 65)
        snprintf(ret_hash, 65, "%.*s", (int)length, out.data);
    cf_text_done(&out);
    if (ret_hash[0] || nothing_committed(place, revision))
        return CF_OK;
    if (exit_status > 1 && strncmp(said.text, "git: it failed without", 22) != 0)
        return cf_error_set(err, CF_INPUT, "%s", said.text); /* no repository, or one that git does not trust */
    return cf_error_set(err, CF_INPUT,
                        "'%s' names no commit here (a shallow clone has only its last one: fetch more of its history)",
                        revision);
}

static cf_status add_blob(cf_plan_blobs *blobs, const char *hash, const char *path, bool is_link, cf_error *err)
{
    if ((blobs->count & (blobs->count - 1)) == 0) { /* a power of two, or none */
        cf_plan_blob *items = realloc(blobs->items, (blobs->count ? 2 * blobs->count : 1) * sizeof *items);
        if (!items)
            return no_memory(err);
        blobs->items = items;
    }
    cf_plan_blob *blob = &blobs->items[blobs->count];
    *blob = (cf_plan_blob){.path = cf_text_dup(path), .is_link = is_link};
    if (!blob->path)
        return no_memory(err);
    snprintf(blob->hash, sizeof blob->hash, "%s", hash);
    blobs->count++;
    return CF_OK;
}

/* "MODE TYPE HASH\tPATH" */
static cf_status take_line(const char *line, cf_plan_blobs *blobs, cf_error *err)
{
    char mode[8], type[8], hash[65];
    const char *tab = strchr(line, '\t');
    if (!tab || sscanf(line, "%7s %7s %64s", mode, type, hash) != 3)
        return cf_error_set(err, CF_IO, "git ls-tree: a line that is not understood");
    return strcmp(type, "blob") != 0 ? CF_OK : add_blob(blobs, hash, tab + 1, !strcmp(mode, "120000"), err);
}

cf_status cf_plan_git_tree(const cf_plan_place *place, const char *commit, const char *folder, cf_plan_blobs *ret_blobs,
                           cf_error *err)
{
    const char *const arguments[] = {"ls-tree", "-r", "-z", commit, "--", folder, NULL};
    cf_text out = {0};
    int exit_status = 0;
    *ret_blobs = (cf_plan_blobs){0};
    cf_status status = cf_plan_git(place, arguments, NULL, MAX_LIST_BYTES, &out, &exit_status, err);
    if (!status && exit_status)
        status = cf_error_set(err, CF_INPUT, "%s", err ? err->text : "");
    for (size_t at = 0; !status && at < out.size_bytes; at += strlen(out.data + at) + 1)
        status = take_line(out.data + at, ret_blobs, err);
    cf_text_done(&out);
    if (status)
        cf_plan_blobs_done(ret_blobs);
    return status;
}

void cf_plan_blobs_done(cf_plan_blobs *blobs)
{
    for (size_t i = 0; i < blobs->count; i++)
        free(blobs->items[i].path);
    free(blobs->items);
    *blobs = (cf_plan_blobs){0};
}

cf_status cf_plan_git_blob(const cf_plan_place *place, const cf_plan_blob *blob, size_t max_bytes, cf_text *ret_content,
                           cf_error *err)
{
    const char *const arguments[] = {"cat-file", "blob", blob->hash, NULL};
    int exit_status = 0;
    cf_status status = cf_plan_git(place, arguments, NULL, max_bytes, ret_content, &exit_status, err);
    if (!status && exit_status) {
        cf_text_done(ret_content);
        status = cf_error_set(err, CF_INPUT, "%s", err ? err->text : "");
    }
    return status;
}

cf_status cf_plan_git_hash(const cf_plan_place *place, const cf_plan_paths *paths, cf_plan_paths *ret_hashes,
                           cf_error *err)
{
    static const char *const arguments[] = {"hash-object", "--stdin-paths", NULL};
    cf_text input = {0}, out = {0};
    int exit_status = 0;
    *ret_hashes = (cf_plan_paths){0};
    for (size_t i = 0; i < paths->count; i++)
        cf_text_add(&input, "%s\n", paths->items[i]);
    cf_status status = input.failed ? no_memory(err) : CF_OK;
    if (!status)
        status = cf_plan_git(place, arguments, &input, MAX_LIST_BYTES, &out, &exit_status, err);
    if (!status && exit_status)
        status = cf_error_set(err, CF_INPUT, "%s", err ? err->text : "");
    for (char *line = out.data; !status && line && *line;) {
        size_t length = strcspn(line, "\n");
        bool more = line[length] != '\0';
        line[length] = '\0';
        status = cf_plan_paths_add(ret_hashes, line, err);
        line += length + more;
    }
    cf_text_done(&input);
    cf_text_done(&out);
    if (status)
        cf_plan_paths_done(ret_hashes);
    return status;
}
