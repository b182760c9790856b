/* How to run, as the caller asked. */
#ifndef CF_API_OPTIONS_H
#define CF_API_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "api/device.h"
#include "confound/run.h"

struct confound_options {
    char **assignments; /* "SECTION.KEY=VALUE", in the order in which they were given */
    size_t count;
    bool has_seed;
    uint64_t seed;
    double margin, alpha, at_least; /* 0 = not set */
    int64_t min_rounds, max_rounds; /* 0 = not set */
    cf_custom *custom;              /* NULL = a device of the library's */
    char *part_path;                /* NULL = none */
    char *against;                  /* text of a second job; NULL = none */
    confound_progress_fn *progress;
    void *progress_user;
    confound_cancel_fn *cancel;
    void *cancel_user;
    confound_agree_fn *agree;
    void *agree_user;
};

#endif
