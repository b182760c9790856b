/* What is asked of git: which files are tracked, and what a commit holds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/git.h"

#define MAX_LIST_BYTES ((size_t)256 << 20)

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

cf_status cf_plan_git_files(const cf_plan_place *place, bool others, bool *ret_known, cf_plan_paths *ret_paths,
                            cf_error *err)
{
    const char *const arguments[] = {"ls-files", "-z", "--cached", "--exclude-standard", others ? "--others" : NULL,
                                     NULL};
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

/* Owns nothing of blob but copies its path. */
static cf_status add_blob(cf_plan_blobs *blobs, const cf_plan_blob *blob, const char *path, cf_error *err)
{
    if ((blobs->count & (blobs->count - 1)) == 0) { /* a power of two, or none */
        cf_plan_blob *items = realloc(blobs->items, (blobs->count ? 2 * blobs->count : 1) * sizeof *items);
        if (!items)
            return no_memory(err);
        blobs->items = items;
    }
    blobs->items[blobs->count] = *blob;
    blobs->items[blobs->count].path = cf_text_dup(path);
    if (!blobs->items[blobs->count].path)
        return no_memory(err);
    blobs->count++;
    return CF_OK;
}

/* "MODE TYPE HASH SIZE\tPATH"; what is no blob has no size. */
static cf_status take_line(const char *line, cf_plan_blobs *blobs, cf_error *err)
{
    char mode[8], type[8], size[24];
    cf_plan_blob blob = {.path = NULL};
    uint64_t size_bytes = 0;
    const char *tab = strchr(line, '\t');
    if (!tab || sscanf(line, "%7s %7s %64s %23s", mode, type, blob.hash, size) != 4)
        return cf_error_set(err, CF_IO, "git ls-tree: a line that is not understood");
    if (strcmp(type, "blob") != 0 || !cf_text_parse_u64(size, 0, UINT64_MAX, &size_bytes))
        return CF_OK;
    blob.is_link = !strcmp(mode, "120000");
    blob.size_bytes = size_bytes;
    return add_blob(blobs, &blob, tab + 1, err);
}

cf_status cf_plan_git_tree(const cf_plan_place *place, const char *commit, const char *folder, cf_plan_blobs *ret_blobs,
                           cf_error *err)
{
    const char *const arguments[] = {"ls-tree", "-r", "-z", "-l", commit, "--", folder, NULL};
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
    for (size_t i = 0; i < blobs->count; i++) {
        free(blobs->items[i].path);
        free(blobs->items[i].content);
    }
    free(blobs->items);
    *blobs = (cf_plan_blobs){0};
}

/* "HASH blob SIZE\nCONTENT\n" from offset *at on. */
static cf_status take_content(const cf_text *out, size_t *at, cf_plan_blob *blob, cf_error *err)
{
    size_t left = out->size_bytes - *at, size_bytes = (size_t)blob->size_bytes;
    const char *head = out->data ? out->data + *at : "", *end = memchr(head, '\n', left);
    size_t hash_bytes = strlen(blob->hash);
    bool whole = end && !strncmp(head, blob->hash, hash_bytes) && !strncmp(head + hash_bytes, " blob ", 6) &&
                 left - (size_t)(end + 1 - head) > size_bytes;
    if (!whole)
        return cf_error_set(err, CF_IO, "git cat-file: %s can't be read", blob->path);
    blob->content = malloc(size_bytes + 1);
    if (!blob->content)
        return no_memory(err);
    memcpy(blob->content, end + 1, size_bytes);
    blob->content[size_bytes] = '\0';
    *at += (size_t)(end + 1 - head) + size_bytes + 1;
    return CF_OK;
}

cf_status cf_plan_git_load(const cf_plan_place *place, cf_plan_blobs *blobs, bool (*wanted)(const cf_plan_blob *blob),
                           size_t max_bytes, cf_error *err)
{
    static const char *const arguments[] = {"cat-file", "--batch", NULL};
    cf_text input = {0}, out = {0};
    int exit_status = 0;
    size_t at = 0;
    for (size_t i = 0; i < blobs->count; i++) {
        if (wanted(&blobs->items[i]) && blobs->items[i].size_bytes <= max_bytes)
            cf_text_add(&input, "%s\n", blobs->items[i].hash);
    }
    cf_status status = input.failed ? no_memory(err) : CF_OK;
    if (!status)
        status = cf_plan_git(place, arguments, &input, MAX_LIST_BYTES, &out, &exit_status, err);
    if (!status && exit_status)
        status = cf_error_set(err, CF_INPUT, "%s", err ? err->text : "");
    for (size_t i = 0; !status && i < blobs->count; i++) {
        if (wanted(&blobs->items[i]) && blobs->items[i].size_bytes <= max_bytes)
            status = take_content(&out, &at, &blobs->items[i], err);
    }
    cf_text_done(&input);
    cf_text_done(&out);
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
