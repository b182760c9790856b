#include "plan/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "plan/walk.h"

#define LOCK_TRIES   200
#define LOCK_WAIT_NS 50000000L

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

/* ---- where the repository is ---------------------------------------------------------------------------------------
 */

static bool holds(const char *folder, const char *name)
{
    char path[PATH_MAX + 32];
    struct stat facts;
    int length = snprintf(path, sizeof path, "%s/%s", strcmp(folder, "/") ? folder : "", name);
    return length > 0 && (size_t)length < sizeof path && stat(path, &facts) == 0;
}

/* The nearest folder from `from` up that holds name; false where none does. found has room for PATH_MAX. */
static bool find_up(const char *from, const char *name, char *found)
{
    snprintf(found, PATH_MAX, "%s", from);
    for (;;) {
        if (holds(found, name))
            return true;
        char *slash = strrchr(found, '/');
        if (!slash || !found[1])
            return false;
        slash[slash == found] = '\0';
    }
}

cf_status cf_plan_place_open(cf_plan_place *ret_place, cf_error *err)
{
    char here[PATH_MAX], found[PATH_MAX];
    *ret_place = (cf_plan_place){.root_fd = -1};
    if (!getcwd(here, sizeof here))
        return cf_error_set(err, CF_IO, "the current folder: %s", strerror(errno));
    bool git = find_up(here, ".git", found);
    if (!git && !find_up(here, CF_PLAN_INDEX, found))
        snprintf(found, sizeof found, "%s", here);
    int fd = open(found, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return cf_error_set(err, CF_IO, "%s: %s", found, strerror(errno));
    char *root = cf_text_dup(found);
    if (!root) {
        close(fd);
        return no_memory(err);
    }
    *ret_place = (cf_plan_place){.root = root, .root_fd = fd, .git = git};
    return CF_OK;
}

void cf_plan_place_done(cf_plan_place *place)
{
    if (!place)
        return;
    if (place->root)
        close(place->root_fd);
    free(place->root);
    *place = (cf_plan_place){.root_fd = -1};
}

/* ---- names
 * ----------------------------------------------------------------------------------------------------------- */

const char *cf_plan_place_why_not(const char *path)
{
    if (!path[0])
        return "the path is empty";
    if (strlen(path) > CF_PLAN_MAX_PATH)
        return "the path is too long";
    if (path[0] == '/')
        return "the path is absolute; one from the repository's root is accepted";
    while (*path) {
        size_t length = strcspn(path, "/");
        if (length == 0 || (length == 1 && path[0] == '.'))
            return "the path has an empty part; one from the repository's root is accepted";
        if (length == 2 && !strncmp(path, "..", 2))
            return "the path leaves the repository";
        if (length == 4 && !strncasecmp(path, ".git", 4))
            return "the path lies in .git";
        path += length;
        if (*path && !*++path)
            return "the path ends in '/'; a file is accepted";
    }
    return NULL;
}

cf_status cf_plan_place_name(const cf_plan_place *place, const char *given, char **ret_path, cf_error *err)
{
    char *real = realpath(given, NULL);
    int number = errno;
    char *root = realpath(place->root, NULL);
    size_t length = root ? strlen(root) : 0;
    cf_status status = CF_OK;
    char *path = NULL;
    if (!real)
        status = cf_error_set(err, CF_INPUT, "%s: %s", given, strerror(number));
    else if (!root)
        status = cf_error_set(err, CF_IO, "%s: %s", place->root, strerror(errno));
    else if (!strcmp(root, "/"))
        path = cf_text_dup(real + 1);
    else if (!strncmp(real, root, length) && real[length] == '/')
        path = cf_text_dup(real + length + 1);
    else if (!strcmp(real, root))
        path = cf_text_dup("");
    else
        status =
            cf_error_set(err, CF_INPUT, "%s: it lies outside of the repository %s; copy it to %s/ and name it there",
                         given, root, CF_PLAN_EVIDENCE);
    free(real);
    free(root);
    if (status)
        return status;
    if (!path)
        return no_memory(err);
    *ret_path = path;
    return CF_OK;
}

/* ---- reading
 * --------------------------------------------------------------------------------------------------------- */

/* A file that grows while it is read is read as long as it was. */
static bool read_exactly(int fd, char *data, size_t *size_bytes)
{
    size_t done = 0;
    while (done < *size_bytes) {
        ssize_t got = read(fd, data + done, *size_bytes - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    *size_bytes = done;
    data[done] = '\0';
    return true;
}

static cf_status refused(cf_plan_found *ret_found, cf_error *err, const char *why)
{
    *ret_found = CF_PLAN_REFUSED;
    cf_error_set(err, CF_OK, "%s", why);
    return CF_OK;
}

static cf_status read_open(int fd, size_t max_bytes, cf_plan_found *ret_found, char **ret_data, size_t *ret_bytes,
                           cf_error *err)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0)
        return refused(ret_found, err, strerror(errno));
    if (!S_ISREG(facts.st_mode))
        return refused(ret_found, err, S_ISDIR(facts.st_mode) ? "it is a folder" : "it is no regular file");
    if ((unsigned long long)facts.st_size > max_bytes) {
        *ret_found = CF_PLAN_REFUSED;
        cf_error_set(err, CF_OK, "too large; at most %zu bytes are accepted", max_bytes);
        return CF_OK;
    }
    size_t size_bytes = (size_t)facts.st_size;
    char *data = malloc(size_bytes + 1);
    if (!data)
        return no_memory(err);
    if (!read_exactly(fd, data, &size_bytes)) {
        free(data);
        return refused(ret_found, err, strerror(errno));
    }
    *ret_found = CF_PLAN_FOUND;
    *ret_data = data;
    *ret_bytes = size_bytes;
    return CF_OK;
}

cf_status cf_plan_place_read(const cf_plan_place *place, const char *path, size_t max_bytes, cf_plan_found *ret_found,
                             char **ret_data, size_t *ret_bytes, cf_error *err)
{
    const char *why = NULL;
    int fd = cf_plan_walk_open(place, path, O_RDONLY, &why);
    *ret_data = NULL;
    *ret_bytes = 0;
    if (fd < 0 && why)
        return refused(ret_found, err, why);
    *ret_found = CF_PLAN_ABSENT;
    if (fd < 0)
        return CF_OK;
    cf_status status = read_open(fd, max_bytes, ret_found, ret_data, ret_bytes, err);
    close(fd);
    return status;
}

/* The type bits of what lies at path, 0 where nothing can be reached there. "" is the root. */
static mode_t type_at(const cf_plan_place *place, const char *path)
{
    struct stat facts;
    const char *name = NULL, *why = NULL;
    if (!path[0])
        return S_IFDIR;
    int folder = cf_plan_walk_parent(place, path, &name, &why);
    if (folder < 0)
        return 0;
    mode_t type = fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 ? facts.st_mode & S_IFMT : 0;
    close(folder);
    return type;
}

bool cf_plan_place_is_folder(const cf_plan_place *place, const char *path)
{
    return type_at(place, path) == S_IFDIR;
}

bool cf_plan_place_is_file(const cf_plan_place *place, const char *path)
{
    return type_at(place, path) == S_IFREG;
}

/* ---- one at a time
 * --------------------------------------------------------------------------------------------------- */

static cf_status lock(int fd, cf_error *err)
{
    for (int tries = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; tries++) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            break; /* a file system without locks: new files are still never written over */
        if (tries == LOCK_TRIES)
            return cf_error_set(err, CF_IO, "%s: another command is changing the plan", CF_PLAN_FOLDER);
        nanosleep(&(struct timespec){.tv_nsec = LOCK_WAIT_NS}, NULL);
    }
    return CF_OK;
}

/* The folder opened; -1 with CF_OK where there is none. */
static cf_status open_plan(const cf_plan_place *place, int *ret_fd, cf_error *err)
{
    const char *why = NULL;
    *ret_fd = cf_plan_walk_open(place, CF_PLAN_FOLDER, O_RDONLY | O_DIRECTORY, &why);
    return *ret_fd < 0 && why ? cf_error_set(err, CF_INPUT, "%s/%s: %s", place->root, CF_PLAN_FOLDER, why) : CF_OK;
}

cf_status cf_plan_place_has_plan(const cf_plan_place *place, bool *ret_there, cf_error *err)
{
    int fd = -1;
    cf_status status = open_plan(place, &fd, err);
    *ret_there = fd >= 0;
    if (fd >= 0)
        close(fd);
    return status;
}

cf_status cf_plan_place_lock(const cf_plan_place *place, int *ret_lock, cf_error *err)
{
    int fd = -1;
    *ret_lock = -1;
    cf_status status = open_plan(place, &fd, err);
    if (!status)
        status = lock(fd, err);
    if (!status)
        *ret_lock = fd;
    else if (fd >= 0)
        close(fd);
    return status;
}

void cf_plan_place_unlock(int held)
{
    if (held >= 0)
        close(held);
}
