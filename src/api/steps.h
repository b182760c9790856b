/* A caller's own steps, as the caller said. */
#ifndef CF_API_STEPS_H
#define CF_API_STEPS_H

#include "confound/step.h"
#include "run/steps.h"

struct confound_steps {
    cf_steps steps; /* its calls are made for each run */
    confound_submit_fn *submit;
    void *submit_user;
    confound_wait_fn *wait;
    void *wait_user;
    confound_empty_fn *empty;
    void *empty_user;
    confound_blocked_fn *blocked;
    void *blocked_user;
    confound_arm_fn *arm, *disarm;
    void *arm_user;
    confound_prove_fn *prove;
    void *prove_user;
    confound_check_fn *check;
    void *check_user;
    confound_length_fn *set_length[2];
    void *length_user[2];
    const confound_steps *against;
};

struct confound_proof {
    cf_steps_proof proof;
    const char *wrong; /* NULL = nothing */
};

#endif
