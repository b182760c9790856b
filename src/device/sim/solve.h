/* The model under a virtual clock: exact, deterministic, O(1) a command, memory bounded by what is in flight. Integer
   arithmetic throughout. Used by the sim device and by bench/; `soft` never calls it. */
#ifndef CF_DEVICE_SIM_SOLVE_H
#define CF_DEVICE_SIM_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/model.h"

#define CF_SOLVER_MAX_STREAMS 64 /* streams are numbered from 0 */

typedef struct cf_solver cf_solver;

/* One command as submitted. */
typedef struct cf_solver_command {
    uint32_t stream;
    int engine;        /* index */
    uint64_t ns;       /* length */
    bool hold;         /* lowering hold: no slot, no time */
    bool needs_idle;   /* first_use_drains: starts only when nothing else runs on the device */
    uint64_t wait_for; /* ticket of the operation that must have ended, 0 = none */
    uint64_t tag;      /* handed to on_end */
} cf_solver_command;

typedef void cf_solver_on_end(void *user, uint64_t tag, uint64_t visible_ns, uint64_t begin_ns, uint64_t end_ns);

cf_status cf_solver_new(const cf_model *model, cf_solver_on_end *on_end, void *user, cf_solver **ret_solver,
                        cf_error *err) CF_MUST_CHECK;
void cf_solver_free(cf_solver *solver);
/* One call of the host: blocks (in virtual time) on queue_depth, costs host_ns, then the command is visible. command
   NULL: a call that is lowered to nothing. `blocking`: the host stays until the command has ended. ret_ticket (may be
   NULL) names the command for wait_for; tickets start at 1. MEMORY; DEVICE: it can never proceed (deadlock). */
cf_status cf_solver_call(cf_solver *solver, const cf_solver_command *command, uint64_t host_ns, bool blocking,
                         uint64_t *ret_ticket, cf_error *err) CF_MUST_CHECK;
/* Until stream's commands (all: stream = UINT32_MAX) have ended; the host's clock follows. */
cf_status cf_solver_wait(cf_solver *solver, uint32_t stream, cf_error *err) CF_MUST_CHECK;
uint64_t cf_solver_now_ns(const cf_solver *solver);     /* the host's virtual clock */
uint64_t cf_solver_blocked_ns(const cf_solver *solver); /* virtual ns spent blocked inside calls so far */
/* End of the stream's latest command so far submitted, which must have ended (0 if there was none). */
uint64_t cf_solver_last_end_ns(const cf_solver *solver, uint32_t stream);

#endif
