#include "cli/place.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/exec_toggle_kept.h"
#include "record/file.h"

#define PART_SUFFIX ".part"

bool cf_place_is_part(const char *path)
{
    size_t length = strlen(path), tail = strlen(PART_SUFFIX);
    return length > tail && strcmp(path + length - tail, PART_SUFFIX) == 0;
}

char *cf_place_part(const char *output)
{
    return cf_text_format("%s" PART_SUFFIX, output);
}

char *cf_place_record(const char *path)
{
    size_t length = strlen(path) - (cf_place_is_part(path) ? strlen(PART_SUFFIX) : 0);
    return cf_text_format("%.*s", (int)length, path);
}

char *cf_place_fresh(const char *backend)
{
    char utc[32];
    char stamp[32];
    size_t n = 0;
    cf_clock_utc(utc, sizeof utc);
    for (const char *c = utc; *c != '\0'; c++)
        if (*c != '-' && *c != ':')
            stamp[n++] = *c;
    stamp[n] = '\0';
    char *name = cf_text_format("confound-%s-%s.json", backend, stamp);
    for (int i = 2; name != NULL && i < 1000; i++) {
        char *part = cf_place_part(name);
        bool taken = cf_file_exists(name) || (part != NULL && cf_file_exists(part));
        free(part);
        if (!taken)
            break;
        free(name);
        name = cf_text_format("confound-%s-%s-%d.json", backend, stamp, i);
    }
    return name;
}

/* ---- one run at a time ---- */

cf_status cf_place_hold_part(const char *part, bool create, cf_place_hold *ret, cf_error *err)
{
    cf_error why = {0};
    int fd = -1;
    cf_status status = cf_file_hold(part, create, &fd, &why);
    if (status == CF_INPUT)
        return cf_error_set(err, status, "%s: a run that goes on keeps its rounds there, and one record is one run's",
                            why.text);
    if (status != CF_OK)
        return cf_error_set(err, status, "%s", why.text);
    *ret = (cf_place_hold){.part = cf_text_dup(part), .fd = fd, .made = create};
    if (ret->part == NULL) {
        close(fd);
        return cf_error_set(err, CF_MEMORY, "out of memory");
    }
    return CF_OK;
}

static bool holds_something(const char *part)
{
    struct stat facts;
    return stat(part, &facts) == 0 && facts.st_size > 0;
}

cf_status cf_place_hold_old(const char *resume, bool stays, cf_place_hold *ret, bool *ret_has_part, cf_error *err)
{
    bool is_part = cf_place_is_part(resume), create = !is_part && stays && cf_file_exists(resume);
    char *part = is_part ? cf_text_dup(resume) : cf_place_part(resume);
    if (part == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    cf_status status = CF_OK;
    if (is_part || create || cf_file_exists(part))
        status = cf_place_hold_part(part, create, ret, err);
    *ret_has_part = is_part || holds_something(part);
    free(part);
    return status;
}

bool cf_place_holds(const cf_place_hold *hold, const char *part)
{
    return hold->part != NULL && cf_file_is_held(part, hold->fd);
}

void cf_place_release(cf_place_hold *hold)
{
    if (hold->part == NULL)
        return;
    if (hold->made && cf_place_holds(hold, hold->part) && !holds_something(hold->part))
        (void)unlink(hold->part);
    close(hold->fd);
    free(hold->part);
    *hold = (cf_place_hold){0};
}

/* ---- what an earlier run left ---- */

/* Its first line is written whole before anything is measured. */
static bool has_line(const char *part)
{
    char *data = NULL;
    size_t size_bytes = 0;
    if (cf_file_read(part, SIZE_MAX / 4, &data, &size_bytes, NULL) != CF_OK)
        return true;
    bool has = memchr(data, '\n', size_bytes) != NULL;
    free(data);
    return has;
}

static cf_status check_rounds(const char *part, const char *output, cf_error *err)
{
    cf_error why = {0};
    cf_record old;
    cf_part_steps steps = {.pid = 0};
    cf_record_init(&old);
    cf_status status = cf_part_read_steps(part, &old, &steps, &why);
    size_t rounds = status == CF_OK ? old.prologue.count + old.rounds.count : 0;
    cf_record_done(&old);
    if (status != CF_OK)
        return cf_error_set(err, status, "%s; it is of a run that did not end, and is not written over: remove it",
                            why.text);
    if (steps.folder[0])
        return cf_toggle_kept_check(part, output, &steps, err);
    if (rounds == 0)
        return CF_OK;
    return cf_error_set(err, CF_INPUT,
                        "%s holds %zu whole rounds of a run that did not end; go on with --resume %s, or remove it",
                        part, rounds, output);
}

/* An earlier run's rounds are never written over. */
cf_status cf_place_check_part(const char *part, const char *output, cf_error *err)
{
    return holds_something(part) && has_line(part) ? check_rounds(part, output, err) : CF_OK;
}
