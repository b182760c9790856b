#include "toggle/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "toggle/wire.h"

#define PREFIX     "confound-toggle-"
#define LOCK       "lock"
#define PATH_BYTES 4096

static const struct dirent *next_of(DIR *entries)
{
    return readdir(entries); /* cppcheck-suppress readdirCalled ; no two threads share a DIR */
}

/* The lock is there from when it is held, so that nobody takes a folder for a dead one's before. */
cf_status cf_toggled_make(const char *parent, char **ret_folder, int *ret_lock, cf_error *err)
{
    char *folder = cf_text_format("%s/" PREFIX "XXXXXX", parent);
    if (!folder || !mkdtemp(folder)) {
        cf_status status = folder ? cf_error_set(err, CF_IO, "%s: no folder can be made there", folder)
                                  : cf_error_set(err, CF_MEMORY, "out of memory");
        free(folder);
        return status;
    }
    char fresh[4096], path[4096];
    snprintf(fresh, sizeof fresh, "%s/" LOCK ".new", folder);
    snprintf(path, sizeof path, "%s/" LOCK, folder);
    int lock = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (lock >= 0 && (flock(lock, LOCK_EX | LOCK_NB) != 0 || rename(fresh, path) != 0)) {
        close(lock); /* a file system without locks: the folder is then left to whoever cleans up there */
        lock = -1;
    }
    *ret_folder = folder;
    *ret_lock = lock;
    return CF_OK;
}

static void reclaim(const char folder[PATH_BYTES])
{
    struct stat what;
    char path[PATH_BYTES + sizeof "/" LOCK];
    if (lstat(folder, &what) != 0 || !S_ISDIR(what.st_mode) || what.st_uid != getuid())
        return;
    snprintf(path, sizeof path, "%s/" LOCK, folder);
    int lock = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (lock < 0)
        return;
    if (flock(lock, LOCK_EX | LOCK_NB) == 0)
        cf_toggled_remove(folder);
    close(lock);
}

void cf_toggled_reclaim(const char *parent)
{
    DIR *entries = opendir(parent);
    for (const struct dirent *entry = entries ? next_of(entries) : NULL; entry; entry = next_of(entries)) {
        char path[PATH_BYTES];
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", parent, entry->d_name);
        reclaim(path);
    }
    if (entries)
        (void)closedir(entries);
}

/* Of a run: steps, lock, the link to the library. */
static bool is_ours(const char *name)
{
    static const char *const ends[] = {CF_WIRE_SUFFIX, ".so"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (length > strlen(ends[i]) && strcmp(name + length - strlen(ends[i]), ends[i]) == 0)
            return true;
    return strcmp(name, LOCK) == 0 || strcmp(name, LOCK ".new") == 0;
}

void cf_toggled_remove(const char *folder)
{
    struct stat what;
    DIR *entries = lstat(folder, &what) == 0 && S_ISDIR(what.st_mode) ? opendir(folder) : NULL;
    for (const struct dirent *entry = entries ? next_of(entries) : NULL; entry; entry = next_of(entries)) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (is_ours(entry->d_name))
            (void)unlink(path);
    }
    if (entries)
        (void)closedir(entries);
    (void)rmdir(folder);
}

/* ---- beside a record ---- */

/* As the library makes its file: some file systems cannot map one for others to see, and a disk may be full. */
static bool can_hold_steps(const char *folder)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/0" CF_WIRE_SUFFIX, folder);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    void *map = MAP_FAILED;
    if (posix_fallocate(file, 0, (off_t)sizeof(cf_wire)) == 0)
        map = mmap(NULL, sizeof(cf_wire), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map != MAP_FAILED)
        munmap(map, sizeof(cf_wire));
    close(file);
    (void)unlink(path);
    return map != MAP_FAILED;
}

/* Absolute: the program may go to another folder. */
static char *name_beside(const char *record, const char *tail)
{
    char *copy = cf_text_dup(record), *parent = copy ? realpath(dirname(copy), NULL) : NULL;
    const char *slash = strrchr(record, '/');
    char *name = parent ? cf_text_format("%s/%s.%sXXXXXX", parent, slash ? slash + 1 : record, tail) : NULL;
    free(parent);
    free(copy);
    return name;
}

cf_status cf_toggled_make_beside(const char *record, const char *tail, char **ret_folder, cf_error *err)
{
    char *folder = name_beside(record, tail);
    if (!folder || !mkdtemp(folder)) {
        int number = errno;
        free(folder);
        return cf_error_set(err, CF_IO, "%s: no folder can be made beside it: %s", record, strerror(number));
    }
    if (!can_hold_steps(folder)) {
        (void)rmdir(folder);
        free(folder);
        return cf_error_set(err, CF_IO, "%s: no file of steps can be mapped beside it", record);
    }
    *ret_folder = folder;
    return CF_OK;
}
