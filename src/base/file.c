#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "base/text.h"

static cf_status io_error(cf_error *err, const char *path, const char *what)
{
    const int number = errno;
    return cf_error_set(err, number == ENOMEM ? CF_MEMORY : CF_IO, "%s: %s: %s", path, what, strerror(number));
}

/* Reads to the end whatever fstat said: a pipe has no size, and a file may grow. */
static cf_status read_all(int fd, const char *path, size_t max_bytes, size_t expected_bytes, char **ret_data,
                          size_t *ret_bytes, cf_error *err)
{
    size_t capacity_bytes = expected_bytes + 1 > 4096 ? expected_bytes + 1 : 4096;
    size_t used_bytes = 0;
    char *data = malloc(capacity_bytes);
    while (data) {
        const ssize_t got = read(fd, data + used_bytes, capacity_bytes - used_bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            const cf_status status = io_error(err, path, "cannot be read");
            free(data);
            return status;
        }
        used_bytes += (size_t)got;
        if (used_bytes > max_bytes) {
            free(data);
            return cf_error_set(err, CF_INPUT, "%s: too large; at most %zu bytes are accepted", path, max_bytes);
        }
        if (used_bytes == capacity_bytes) {
            capacity_bytes *= 2;
            char *more = realloc(data, capacity_bytes);
            if (!more)
                free(data);
            data = more;
        } else if (got == 0) {
            data[used_bytes] = 0;
            *ret_data = data;
            *ret_bytes = used_bytes;
            return CF_OK;
        }
    }
    return cf_error_set(err, CF_MEMORY, "%s: out of memory while reading", path);
}

cf_status cf_file_read(const char *path, size_t max_bytes, char **ret_data, size_t *ret_bytes, cf_error *err)
{
    if (strcmp(path, "-") == 0)
        return read_all(STDIN_FILENO, "standard input", max_bytes, 0, ret_data, ret_bytes, err);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return io_error(err, path, "cannot be opened");
    struct stat facts;
    cf_status status;
    if (fstat(fd, &facts) != 0)
        status = io_error(err, path, "cannot be read");
    else if (S_ISDIR(facts.st_mode))
        status = cf_error_set(err, CF_IO, "%s: is a folder; a file is accepted", path);
    else if (facts.st_size > 0 && (uintmax_t)facts.st_size > max_bytes)
        status = cf_error_set(err, CF_INPUT, "%s: too large; at most %zu bytes are accepted", path, max_bytes);
    else
        status = read_all(fd, path, max_bytes, (size_t)facts.st_size, ret_data, ret_bytes, err);
    close(fd);
    return status;
}

static bool write_all(int fd, const char *data, size_t size_bytes)
{
    while (size_bytes) {
        const ssize_t put = write(fd, data, size_bytes);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        data += put;
        size_bytes -= (size_t)put;
    }
    return true;
}

/* Devices and pipes cannot be synced, and do not need it. */
static bool sync_file(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}

/* The folder that holds path, "." for a bare name. Caller frees; NULL out of memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return cf_text_dup(".");
    return slash == path ? cf_text_dup("/") : cf_text_format("%.*s", (int)(slash - path), path);
}

/* Where a chain of links ends, also when nothing is there yet. Caller frees; NULL with errno set. */
static char *follow_links(const char *path)
{
    char *at = cf_text_dup(path);
    for (int hops = 0; at && hops < 40; hops++) {
        char target[PATH_MAX];
        const ssize_t length = readlink(at, target, sizeof target - 1);
        if (length < 0)
            return at;
        target[length] = 0;
        char *folder = target[0] == '/' ? NULL : folder_of(at);
        char *next = target[0] == '/' ? cf_text_dup(target) : cf_text_format("%s/%s", folder ? folder : ".", target);
        free(folder);
        free(at);
        at = next;
    }
    free(at);
    errno = at ? ELOOP : ENOMEM;
    return NULL;
}

static int open_temporary(const char *real, char **ret_name)
{
    for (int attempt = 0; attempt < 16; attempt++) {
        char *name = cf_text_format("%s.%08x.tmp", real, (unsigned)(cf_rng_seed() & 0xffffffffu));
        if (!name) {
            errno = ENOMEM;
            return -1;
        }
        const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            *ret_name = name;
            return fd;
        }
        free(name);
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

/* A rename is only safe on the disk once its folder is. Some file systems refuse; the data itself is synced. */
static void sync_folder(const char *real)
{
    char *folder = folder_of(real);
    const int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(folder);
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

static cf_status replace(const char *path, const char *real, const struct stat *old, const void *data,
                         size_t size_bytes, cf_error *err)
{
    char *name = NULL;
    const int fd = open_temporary(real, &name);
    if (fd < 0)
        return io_error(err, path, "cannot be written");
    bool written = (!old || fchmod(fd, old->st_mode & 07777) == 0) && write_all(fd, data, size_bytes) && sync_file(fd);
    int number = errno;
    if (close(fd) != 0 && written) {
        number = errno;
        written = false;
    }
    if (written && rename(name, real) == 0) {
        sync_folder(real);
        free(name);
        return CF_OK;
    }
    if (written)
        number = errno;
    (void)unlink(name);
    free(name);
    errno = number;
    return io_error(err, path, "cannot be written");
}

/* What is not a regular file (a terminal, /dev/null, a pipe) is written to: a rename would replace the device. */
static cf_status write_through(const char *path, const void *data, size_t size_bytes, cf_error *err)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return io_error(err, path, "cannot be opened");
    const bool written = write_all(fd, data, size_bytes);
    const cf_status status = written ? CF_OK : io_error(err, path, "cannot be written");
    close(fd);
    return status;
}

cf_status cf_file_write_atomic(const char *path, const void *data, size_t size_bytes, cf_error *err)
{
    struct stat old;
    const bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return cf_error_set(err, CF_IO, "%s: is a folder; a file is accepted", path);
    if (exists && !S_ISREG(old.st_mode))
        return write_through(path, data, size_bytes, err);
    char *real = follow_links(path);
    if (!real)
        return io_error(err, path, "cannot be written");
    const cf_status status = replace(path, real, exists ? &old : NULL, data, size_bytes, err);
    free(real);
    return status;
}

cf_status cf_file_append(const char *path, const void *data, size_t size_bytes, cf_error *err)
{
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return io_error(err, path, "cannot be opened");
    struct stat before;
    if (fstat(fd, &before) != 0) {
        const cf_status status = io_error(err, path, "cannot be written");
        close(fd);
        return status;
    }
    ssize_t put;
    do
        put = write(fd, data, size_bytes);
    while (put < 0 && errno == EINTR);
    if (put >= 0 && (size_t)put < size_bytes)
        errno = ENOSPC; /* a regular file is written short only when there is no more room */
    cf_status status = CF_OK;
    if (put < 0 || (size_t)put < size_bytes || !sync_file(fd)) {
        status = io_error(err, path, "cannot be written");
        if (S_ISREG(before.st_mode) && ftruncate(fd, before.st_size) != 0)
            cf_error_prefix(err, "a line cut short is left behind");
    }
    if (!status && before.st_size == 0)
        sync_folder(path); /* it may have been made just now */
    close(fd);
    return status;
}

static cf_status check_folder(const char *path, const char *real, cf_error *err)
{
    char *folder = folder_of(real);
    if (!folder)
        return cf_error_set(err, CF_MEMORY, "%s: out of memory", path);
    struct stat facts;
    cf_status status = CF_OK;
    if (stat(folder, &facts) != 0)
        status = io_error(err, path, "its folder cannot be used");
    else if (!S_ISDIR(facts.st_mode))
        status = cf_error_set(err, CF_IO, "%s: '%s' is not a folder", path, folder);
    else if (access(folder, W_OK | X_OK) != 0)
        status = io_error(err, path, "its folder cannot be written to");
    free(folder);
    return status;
}

cf_status cf_file_check_writable(const char *path, cf_error *err)
{
    if (!path[0])
        return cf_error_set(err, CF_INPUT, "the name of the file is empty; a path is accepted");
    if (path[strlen(path) - 1] == '/')
        return cf_error_set(err, CF_INPUT, "%s: names a folder; a file is accepted", path);
    struct stat facts;
    if (stat(path, &facts) == 0) {
        if (S_ISDIR(facts.st_mode))
            return cf_error_set(err, CF_INPUT, "%s: is a folder; a file is accepted", path);
        if (access(path, W_OK) != 0)
            return io_error(err, path, "cannot be written");
        if (!S_ISREG(facts.st_mode))
            return CF_OK;
    }
    char *real = follow_links(path);
    if (!real)
        return io_error(err, path, "cannot be written");
    const cf_status status = check_folder(path, real, err);
    free(real);
    return status;
}

bool cf_file_exists(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0;
}

cf_status cf_file_remove(const char *path, cf_error *err)
{
    if (unlink(path) == 0 || errno == ENOENT)
        return CF_OK;
    return io_error(err, path, "cannot be removed");
}

/* ---- one at a time ---- */

bool cf_file_is_held(const char *path, int fd)
{
    struct stat named, open_one;
    return fd >= 0 && stat(path, &named) == 0 && fstat(fd, &open_one) == 0 && named.st_dev == open_one.st_dev &&
           named.st_ino == open_one.st_ino;
}

/* Not blocking: what stands there may be a pipe. */
static cf_status open_to_hold(const char *path, bool create, int *ret_fd, cf_error *err)
{
    struct stat facts;
    const int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | (create ? O_CREAT : 0), 0666);
    if (fd < 0)
        return io_error(err, path, create ? "cannot be written" : "cannot be opened");
    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        close(fd);
        return cf_error_set(err, CF_IO, "%s: is no regular file; one is accepted", path);
    }
    *ret_fd = fd;
    return CF_OK;
}

cf_status cf_file_hold(const char *path, bool create, int *ret_fd, cf_error *err)
{
    for (int attempt = 0; attempt < 16; attempt++) {
        int fd = -1;
        const cf_status status = open_to_hold(path, create, &fd, err);
        if (status)
            return status;
        const bool taken = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!taken && cf_file_is_held(path, fd)) { /* else it was removed by whoever had it, between the two calls */
            *ret_fd = fd;
            return CF_OK;
        }
        close(fd);
        if (taken)
            break;
    }
    return cf_error_set(err, CF_INPUT, "%s: another process holds it", path);
}
