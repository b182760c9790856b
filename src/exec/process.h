/* One process: started, timed by the host's clock, waited for. Nothing of ours goes along: its standard input is
   /dev/null, its output goes into files, signals and their mask are as we found them, the environment is the user's
   with what the arm sets. It has a process group of its own, so that a signal reaches what it started, too. */
#ifndef CF_EXEC_PROCESS_H
#define CF_EXEC_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "record/record.h"

typedef struct cf_process_spec {
    const cf_strings *command; /* looked for in PATH */
    const cf_strings *sets;    /* VAR=value */
    const char *out_path, *err_path;
    int64_t timeout_ms; /* 0 = none */
    void *user;
    bool (*cancelled)(void *user);          /* asked a few times a second; true = end it */
    void (*running)(void *user, pid_t pid); /* the group that a second Ctrl-C has to end; 0 = none */
} cf_process_spec;

typedef struct cf_process_end {
    bool not_started; /* there is no such program, or it is none */
    bool timed_out, cancelled;
    bool wants_terminal; /* it was stopped for reading from it or setting it, and ended */
    int exit_status;     /* where no signal ended it */
    int signal;          /* 0 = none */
    bool left_behind;    /* processes of its group go on */
    cf_process_facts facts;
} cf_process_end;

/* Runs it to its end. On a timeout, where it wants the terminal, or cancelled, its whole group gets SIGTERM, and
   SIGKILL after two seconds. GATE: it could not be started; the text says why. IO: a file of its output could not be
   made. Blocks SIGCHLD in the calling thread while it waits; other threads must not wait for children. */
cf_status cf_process_run(const cf_process_spec *spec, cf_process_end *ret, cf_error *err) CF_MUST_CHECK;

/* "exit status 3", "ended by signal 11 (Segmentation fault)"; "" for a good end. Returns buf. */
const char *cf_process_fault(const cf_process_end *end, char *buf, size_t buf_bytes);

#endif
