/* A fresh process of ourselves: /proc/self/exe with explicit arguments, its standard output dropped, its last line on
   standard error kept. Ctrl-C is passed on, so that the process ends after its round and we stay. */
#ifndef CF_CLI_SPAWN_H
#define CF_CLI_SPAWN_H

#include <stdbool.h>

#include "base/error.h"
#include "record/set.h"

typedef struct cf_spawned {
    int exit_status; /* 128 + number where a signal ended it */
    bool by_signal;
    char said[640]; /* its last line on standard error, without "confound: "; "" = none */
} cf_spawned;

/* Takes SIGINT and SIGTERM until done: each is passed on to the process that runs now; a third one ends us at once. */
void cf_spawn_begin(void);
void cf_spawn_end(void);
int cf_spawn_stops(void); /* how many came since begin */

/* Runs argv ("confound", "run", …; argv[0] first) with our environment less every CONFOUND_ variable and with name set
   to value (NULL name: none; NULL or empty value: unset). tick (may be NULL) is called about twice a second from the
   thread that waits. IO where no process could be started. */
typedef void cf_spawn_tick(void *user, double seconds);
cf_status cf_spawn_run(const cf_set_strings *argv, const char *name, const char *value, cf_spawn_tick *tick, void *user,
                       cf_spawned *ret, cf_error *err) CF_MUST_CHECK;

#endif
