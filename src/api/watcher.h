/* The caller's functions between rounds, as a run calls them; and when there is nothing left to measure for. */
#ifndef CF_API_WATCHER_H
#define CF_API_WATCHER_H

#include "api/options.h"
#include "run/run.h"

typedef struct cf_watcher {
    const confound_options *options;
    bool stop; /* progress asked for the end */
} cf_watcher;

cf_run_callbacks cf_watcher_callbacks(cf_watcher *watcher);
/* user: a cf_watcher whose options have an agree. */
cf_status cf_watcher_agree(void *user, cf_agree_what what, int64_t *value, cf_error *err);
/* INPUT: what cannot go together. */
cf_status cf_watcher_check(const confound_options *options, cf_error *err) CF_MUST_CHECK;

#endif
