#include "toggle/read.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"

#define END_TEXT(text) ((text)[sizeof(text) - 1] = '\0')

static cf_status refuse(const char *name, const char *what, cf_error *err)
{
    return cf_error_set(err, CF_INPUT, "%s: %s; accepted: a file of this version's library", name, what);
}

static bool was_never_written(const cf_wire_step *step)
{
    static const cf_wire_step nothing;
    return memcmp(step, &nothing, sizeof nothing) == 0;
}

/* Steps that a power failure took go; so does a last one that was cut. */
static cf_status check_steps(const char *name, cf_wire *wire, cf_error *err)
{
    uint32_t kept = 0, count = wire->step_count;
    for (uint32_t i = 0; i < count; i++) {
        const cf_wire_step *step = &wire->steps[i];
        bool broken = step->seal != cf_wire_seal(step);
        if (broken && (i + 1 == count || was_never_written(step))) {
            wire->notes.lost++;
            continue;
        }
        if (broken)
            return refuse(name, "a step is not as it was written", err);
        if (step->variant >= CF_VARIANT_COUNT || step->end_ns < step->begin_ns || step->round > CF_WIRE_ROUNDS_MAX)
            return refuse(name, "a step is out of range", err);
        if (kept != i)
            wire->steps[kept] = *step;
        kept++;
    }
    wire->step_count = kept;
    return CF_OK;
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
    END_TEXT(wire->emulated);
    for (uint32_t i = 0; i < wire->site_count; i++)
        END_TEXT(wire->sites[i].library);
    return check_steps(name, wire, err);
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

/* Whether it can be read without waiting for somebody at the other end of a pipe. */
static bool is_plain(const char *path)
{
    struct stat what;
    return lstat(path, &what) == 0 && S_ISREG(what.st_mode);
}

static const struct dirent *next_of(DIR *entries)
{
    return readdir(entries); /* cppcheck-suppress readdirCalled ; no two threads share a DIR */
}

static cf_status read_one(const char *path, cf_toggled *ret, cf_error *err)
{
    char *data = NULL;
    size_t bytes = 0;
    if (!is_plain(path))
        return refuse(path, "it is no file of steps", err);
    cf_status status = cf_file_read(path, 2 * sizeof(cf_wire), &data, &bytes, err);
    if (status)
        return status;
    cf_wire *wire = malloc(sizeof *wire);
    if (wire && bytes == sizeof *wire)
        memcpy(wire, data, bytes);
    free(data);
    if (!wire)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    if (bytes == 0 || (bytes == sizeof *wire && wire->magic == 0)) { /* ended before it was begun */
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
