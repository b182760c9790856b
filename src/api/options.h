/* How to run, as the caller asked. */
#ifndef CF_API_OPTIONS_H
#define CF_API_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "confound/run.h"

struct confound_options {
    char **assignments; /* "SECTION.KEY=VALUE", in the order in which they were given */
    size_t count;
    bool has_seed;
    uint64_t seed;
    char *part_path; /* NULL = none */
    confound_progress_fn *progress;
    void *user;
};

#endif
