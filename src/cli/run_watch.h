/* What a person sees while a run goes on, and how they end it. */
#ifndef CF_CLI_RUN_WATCH_H
#define CF_CLI_RUN_WATCH_H

#include <sys/types.h>

#include "cli/explain.h"
#include "run/run.h"

typedef struct cf_watch {
    bool shown; /* a line is kept up to date on standard error */
    bool utf8;
    char undecided[160]; /* of the last look: variants that are, "" before the first */
    long more_rounds;
    const cf_explain *explain; /* NULL: nobody asked */
} cf_watch;

/* Takes SIGINT and SIGTERM: the first ends the run after the current round, a second one ends the program at once. */
void cf_watch_begin(cf_watch *watch, bool quiet, const cf_explain *explain);
/* What a second signal says before it ends the program: with which command it goes on ("run", "exec"; path: the
   record). Between begin and end; nothing is said without it. */
void cf_watch_resume(const char *command, const char *path);
void cf_watch_end(cf_watch *watch); /* clears the line, gives the signals back */
/* While a process group is named (0 = none), a second signal ends it, too. user is the watch. */
void cf_watch_group(void *user, pid_t group);
/* The callbacks of a run; user is the watch. */
cf_run_callbacks cf_watch_callbacks(cf_watch *watch);

#endif
