/* Writing beneath the root: a temporary file beside its place, synced, then renamed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "plan/walk.h"

static cf_status failed(const char *path, const char *why, cf_error *err)
{
    return cf_error_set(err, CF_IO, "%s: cannot be written: %s", path, why);
}

static bool write_all(int fd, const char *data, size_t size_bytes)
{
    while (size_bytes) {
        ssize_t put = write(fd, data, size_bytes);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        data += put;
        size_bytes -= (size_t)put;
    }
    return true;
}

/* A new file beside its place with all data on the disk, its name in temporary; false with errno set. */
static bool write_temporary(int folder, const void *data, size_t size_bytes, mode_t mode, char temporary[64])
{
    snprintf(temporary, 64, ".confound-%016llx.tmp", (unsigned long long)cf_rng_seed());
    int fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    bool ok = (!mode || fchmod(fd, mode) == 0) && write_all(fd, data, size_bytes) &&
              (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP);
    int number = errno;
    if (close(fd) != 0 && ok) {
        number = errno;
        ok = false;
    }
    if (!ok)
        unlinkat(folder, temporary, 0);
    errno = number;
    return ok;
}

/* Over nothing that is there. */
static bool place_new(int folder, const char *temporary, const char *name)
{
    if (renameat2(folder, temporary, folder, name, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    if (linkat(folder, temporary, folder, name, 0) != 0)
        return false;
    unlinkat(folder, temporary, 0);
    return true;
}

/* Mode of the regular file at name, 0 where there is none; false where something else is there. */
static bool mode_of(int folder, const char *name, mode_t *ret_mode)
{
    struct stat facts;
    *ret_mode = 0;
    if (fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT;
    *ret_mode = facts.st_mode & 07777;
    return S_ISREG(facts.st_mode);
}

static cf_status put(const cf_plan_place *place, const char *path, const void *data, size_t size_bytes, bool replace,
                     bool *ret_made, cf_error *err)
{
    const char *name = NULL, *why = NULL;
    char temporary[64];
    mode_t mode = 0;
    int folder = cf_plan_walk_parent(place, path, &name, &why);
    if (folder < 0)
        return failed(path, why ? why : "its folder is not there", err);
    cf_status status = CF_OK;
    if (!mode_of(folder, name, &mode))
        status = failed(path, "it is a link, or no regular file", err);
    else if (!replace && mode)
        *ret_made = false;
    else if (!write_temporary(folder, data, size_bytes, mode, temporary))
        status = failed(path, strerror(errno), err);
    else if (replace ? renameat(folder, temporary, folder, name) == 0 : place_new(folder, temporary, name))
        *ret_made = true;
    else {
        *ret_made = false;
        if (replace || errno != EEXIST)
            status = failed(path, strerror(errno), err);
        unlinkat(folder, temporary, 0);
    }
    (void)fsync(folder);
    close(folder);
    return status;
}

cf_status cf_plan_place_write(const cf_plan_place *place, const char *path, const void *data, size_t size_bytes,
                              cf_error *err)
{
    bool made = false;
    return put(place, path, data, size_bytes, true, &made, err);
}

cf_status cf_plan_place_create(const cf_plan_place *place, const char *path, const void *data, size_t size_bytes,
                               bool *ret_made, cf_error *err)
{
    return put(place, path, data, size_bytes, false, ret_made, err);
}

cf_status cf_plan_place_folder(const cf_plan_place *place, const char *path, cf_error *err)
{
    const char *name = NULL, *why = NULL;
    int parent = cf_plan_walk_parent(place, path, &name, &why);
    if (parent < 0)
        return failed(path, why ? why : "its folder is not there", err);
    struct stat facts;
    cf_status status = CF_OK;
    if (mkdirat(parent, name, 0777) != 0 && errno != EEXIST)
        status = failed(path, strerror(errno), err);
    else if (fstatat(parent, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(facts.st_mode))
        status = failed(path, "it is a link, or no folder", err);
    close(parent);
    return status;
}

/* ---- listing
 * --------------------------------------------------------------------------------------------------------- */

cf_status cf_plan_paths_add(cf_plan_paths *paths, const char *path, cf_error *err)
{
    if (paths->count == paths->capacity) {
        size_t capacity = paths->capacity ? 2 * paths->capacity : 16;
        char **items = realloc(paths->items, capacity * sizeof *items);
        if (!items)
            return cf_error_set(err, CF_MEMORY, "out of memory");
        paths->items = items;
        paths->capacity = capacity;
    }
    char *copy = cf_text_dup(path);
    if (!copy)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    paths->items[paths->count++] = copy;
    return CF_OK;
}

bool cf_plan_paths_have(const cf_plan_paths *paths, const char *path)
{
    for (size_t i = 0; i < paths->count; i++) {
        if (!strcmp(paths->items[i], path))
            return true;
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void cf_plan_paths_sort(cf_plan_paths *paths)
{
    if (paths->count > 1)
        qsort(paths->items, paths->count, sizeof *paths->items, by_name);
}

void cf_plan_paths_done(cf_plan_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->items[i]);
    free(paths->items);
    *paths = (cf_plan_paths){0};
}

static bool is_folder(DIR *dir, const struct dirent *entry)
{
    struct stat facts;
    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    return fstatat(dirfd(dir), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(facts.st_mode);
}

static const struct dirent *next(DIR *dir)
{
    return readdir(dir); /* cppcheck-suppress readdirCalled ; no two threads share a DIR */
}

static cf_status list_into(const cf_plan_place *place, const char *folder, bool deep, cf_plan_paths *paths,
                           cf_error *err);

static cf_status list_entry(const cf_plan_place *place, const char *folder, bool deep, DIR *dir,
                            const struct dirent *entry, cf_plan_paths *paths, cf_error *err)
{
    char *path = cf_text_format("%s%s%s", folder, folder[0] ? "/" : "", entry->d_name);
    if (!path)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    cf_status status = CF_OK;
    if (!is_folder(dir, entry))
        status = cf_plan_paths_add(paths, path, err);
    else if (deep && entry->d_name[0] != '.' && strlen(path) < CF_PLAN_MAX_PATH)
        status = list_into(place, path, true, paths, err);
    free(path);
    return status;
}

static cf_status list_into(const cf_plan_place *place, const char *folder, bool deep, cf_plan_paths *paths,
                           cf_error *err)
{
    const char *why = NULL;
    int fd = folder[0] ? cf_plan_walk_open(place, folder, O_RDONLY | O_DIRECTORY, &why)
                       : openat(place->root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && !why)
        return CF_OK;
    if (fd < 0)
        return cf_error_set(err, CF_INPUT, "%s: %s", folder, why);
    DIR *dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return cf_error_set(err, CF_MEMORY, "out of memory");
    }
    cf_status status = CF_OK;
    for (const struct dirent *entry = next(dir); entry && !status; entry = next(dir)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            status = list_entry(place, folder, deep, dir, entry, paths, err);
    }
    closedir(dir);
    return status;
}

cf_status cf_plan_place_list(const cf_plan_place *place, const char *folder, bool deep, cf_plan_paths *ret_paths,
                             cf_error *err)
{
    *ret_paths = (cf_plan_paths){0};
    cf_status status = list_into(place, folder, deep, ret_paths, err);
    if (status)
        cf_plan_paths_done(ret_paths);
    else
        cf_plan_paths_sort(ret_paths);
    return status;
}
