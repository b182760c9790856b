#include "toggle/read.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

#define PREFIX     "confound-toggle-"
#define LOCK       "lock"
#define PATH_BYTES 4096

#define END_TEXT(text) ((text)[sizeof(text) - 1] = '\0')

static cf_status refuse(const char *name, const char *what, cf_error *err)
{
    return cf_error_set(err, CF_INPUT, "%s: %s; accepted: a file of this version's library", name, what);
}

cf_status cf_wire_check(const char *name, cf_wire *wire, size_t bytes, cf_error *err)
{
    if (bytes != sizeof *wire || wire->magic != CF_WIRE_MAGIC || wire->bytes != sizeof *wire)
        return refuse(name, "it is no file of steps", err);
    if (wire->site_count > CF_WIRE_SITES || wire->step_count > CF_WIRE_STEPS || wire->state > CF_WIRE_DONE ||
        wire->rounds_wanted > CF_WIRE_ROUNDS_MAX)
        return refuse(name, "a number is out of range", err);
    END_TEXT(wire->command);
    END_TEXT(wire->device);
    END_TEXT(wire->driver);
    for (uint32_t i = 0; i < wire->site_count; i++)
        END_TEXT(wire->sites[i].library);
    for (uint32_t i = 0; i < wire->step_count; i++) {
        const cf_wire_step *step = &wire->steps[i];
        if (step->variant >= CF_VARIANT_COUNT || step->end_ns < step->begin_ns || step->round > CF_WIRE_ROUNDS_MAX)
            return refuse(name, "a step is out of range", err);
    }
    return CF_OK;
}

static bool is_file_of_steps(const char *name)
{
    size_t length = strlen(name), suffix = sizeof CF_WIRE_SUFFIX - 1;
    return length > suffix && strcmp(name + length - suffix, CF_WIRE_SUFFIX) == 0;
}

static bool is_before(const cf_wire *wire, const cf_wire *other)
{
    if (wire->step_count != other->step_count || wire->step_count == 0)
        return wire->step_count > other->step_count;
    return wire->steps[0].begin_ns < other->steps[0].begin_ns;
}

/* The one with more steps is kept; of several that have all of theirs, the one that began first. */
static void consider(cf_toggled *ret, cf_wire *wire)
{
    bool more = !ret->wire || is_before(wire, ret->wire);
    ret->processes++;
    ret->others += wire->step_count > 0 && ret->wire && ret->wire->step_count > 0;
    free(more ? ret->wire : wire);
    if (more)
        ret->wire = wire;
}

static const struct dirent *next_of(DIR *entries)
{
    return readdir(entries); /* cppcheck-suppress readdirCalled ; no two threads share a DIR */
}

static cf_status read_one(const char *path, cf_toggled *ret, cf_error *err)
{
    char *data = NULL;
    size_t bytes = 0;
    cf_status status = cf_file_read(path, 2 * sizeof(cf_wire), &data, &bytes, err);
    if (status)
        return status;
    cf_wire *wire = malloc(sizeof *wire);
    if (wire && bytes == sizeof *wire)
        memcpy(wire, data, bytes);
    free(data);
    if (!wire)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    if (bytes == sizeof *wire && wire->magic == 0) { /* ended before it was begun */
        free(wire);
        return CF_OK;
    }
    status =
        bytes == sizeof *wire ? cf_wire_check(path, wire, bytes, err) : refuse(path, "it is no file of steps", err);
    if (status)
        free(wire);
    else
        consider(ret, wire);
    return status;
}

cf_status cf_toggled_read(const char *folder, cf_toggled *ret, cf_error *err)
{
    *ret = (cf_toggled){0};
    DIR *entries = opendir(folder);
    if (!entries)
        return cf_error_set(err, CF_IO, "%s: it cannot be read", folder);
    cf_status status = CF_OK;
    for (const struct dirent *entry = next_of(entries); entry && !status; entry = next_of(entries)) {
        char path[4096];
        if (!is_file_of_steps(entry->d_name))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        status = read_one(path, ret, err);
    }
    (void)closedir(entries);
    if (status)
        cf_toggled_done(ret);
    return status;
}

void cf_toggled_done(cf_toggled *toggled)
{
    free(toggled->wire);
    *toggled = (cf_toggled){0};
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

void cf_toggled_remove(const char *folder)
{
    DIR *entries = opendir(folder);
    for (const struct dirent *entry = entries ? next_of(entries) : NULL; entry; entry = next_of(entries)) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlink(path);
    }
    if (entries)
        (void)closedir(entries);
    (void)rmdir(folder);
}
