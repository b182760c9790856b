#include "cli/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
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

/* An earlier run's rounds are never written over. */
cf_status cf_place_check_part(const char *part, const char *output, cf_error *err)
{
    if (!cf_file_exists(part))
        return CF_OK;
    cf_record old;
    cf_record_init(&old);
    cf_status status = cf_part_read(part, &old, NULL);
    size_t rounds = status == CF_OK ? old.prologue.count + old.rounds.count : 0;
    cf_record_done(&old);
    if (rounds == 0)
        return CF_OK;
    return cf_error_set(err, CF_INPUT,
                        "%s holds %zu whole rounds of a run that did not end; go on with --resume %s, or remove it",
                        part, rounds, output);
}
