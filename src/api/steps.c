#include "run/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/answer.h"
#include "api/object.h"
#include "api/options.h"
#include "api/steps.h"
#include "api/watcher.h"
#include "base/rng.h"

static cf_status submit(void *user, int variant, unsigned lanes, cf_error *err)
{
    const confound_steps *s = user;
    confound_error said;
    cf_answer_begin(&said);
    return cf_answer(s->submit(s->submit_user, variant, (int)lanes, &said), "submit", &said, err);
}

static cf_status wait_for(void *user, int variant, unsigned lanes, cf_error *err)
{
    const confound_steps *s = user;
    confound_error said;
    cf_answer_begin(&said);
    return cf_answer(s->wait(s->wait_user, variant, (int)lanes, &said), "wait", &said, err);
}

static uint64_t blocked_ns(void *user)
{
    const confound_steps *s = user;
    int64_t ns = s->blocked(s->blocked_user);
    return ns > 0 ? (uint64_t)ns : 0;
}

static cf_status empty(void *user, cf_error *err)
{
    const confound_steps *s = user;
    confound_error said;
    cf_answer_begin(&said);
    return cf_answer(s->empty(s->empty_user, &said), "empty", &said, err);
}

static cf_status arm(void *user, int variant, cf_error *err)
{
    const confound_steps *s = user;
    confound_error said;
    cf_answer_begin(&said);
    return cf_answer(s->arm(s->arm_user, variant, &said), "arm", &said, err);
}

static cf_status disarm(void *user, int variant, cf_error *err)
{
    const confound_steps *s = user;
    confound_error said;
    cf_answer_begin(&said);
    return cf_answer(s->disarm(s->arm_user, variant, &said), "disarm", &said, err);
}

static cf_status prove(void *user, int variant, unsigned lanes, cf_steps_proof *ret_proof, cf_error *err)
{
    const confound_steps *s = user;
    confound_error said;
    confound_proof proof = {.proof = {.armed = CF_TOLD_NOTHING}};
    cf_answer_begin(&said);
    cf_status status = cf_answer(s->prove(s->prove_user, variant, (int)lanes, &proof, &said), "prove", &said, err);
    if (status == CF_OK && proof.wrong)
        return cf_error_set(err, CF_INPUT, "prove: %s", proof.wrong);
    *ret_proof = proof.proof;
    return status;
}

static cf_status check(void *user, int variant, unsigned lanes, bool *ret_right, char *text, size_t text_bytes)
{
    const confound_steps *s = user;
    confound_error said;
    cf_answer_begin(&said);
    *ret_right = s->check(s->check_user, variant, (int)lanes, &said) == 0;
    said.text[sizeof said.text - 1] = '\0';
    if (!*ret_right)
        (void)snprintf(text, text_bytes, "%.*s", (int)text_bytes - 1, said.text);
    return CF_OK;
}

static cf_status set_length(void *user, int lane, int64_t length, cf_error *err)
{
    const confound_steps *s = user;
    confound_error said;
    cf_answer_begin(&said);
    return cf_answer(
        s->set_length[lane](s->length_user[lane], lane == 0 ? CONFOUND_LANE_A : CONFOUND_LANE_B, length, &said),
        "set_length", &said, err);
}

/* What the room below calls: only what the caller set. */
static cf_steps_calls calls_of(confound_steps *s)
{
    return (cf_steps_calls){
        .user = s,
        .submit = s->submit ? submit : NULL,
        .wait = s->wait ? wait_for : NULL,
        .empty = s->empty ? empty : NULL,
        .blocked_ns = s->blocked ? blocked_ns : NULL,
        .arm = s->arm ? arm : NULL,
        .disarm = s->disarm ? disarm : NULL,
        .prove = s->prove ? prove : NULL,
        .check = s->check ? check : NULL,
        .set_length = set_length,
    };
}

static cf_status check_options(const confound_options *options, cf_error *error)
{
    if (options->custom)
        return cf_error_set(error, CF_INPUT,
                            "a device of a job's, and steps have none; what else is in the options is "
                            "accepted");
    if (options->count > 0)
        return cf_error_set(error, CF_INPUT,
                            "%s: a value of a job, and steps have none; what else is in the options "
                            "is accepted",
                            options->assignments[0]);
    if (options->against)
        return cf_error_set(error, CF_INPUT, "a second job, and steps have none; a second design of steps is accepted");
    return cf_watcher_check(options, error);
}

static cf_status run_into(const confound_steps *steps, const confound_options *options, confound_record *record,
                          cf_error *error)
{
    cf_status status = check_options(options, error);
    if (status != CF_OK)
        return status;
    const cf_record *defaults = &record->record;
    cf_watcher watcher = {.options = options};
    cf_steps_options run = {
        .seed = options->has_seed ? options->seed : cf_rng_seed(),
        .margin = options->margin > 0 ? options->margin : defaults->margin,
        .alpha = options->alpha > 0 ? options->alpha : defaults->alpha,
        .min_rounds = options->min_rounds > 0 ? options->min_rounds : defaults->min_rounds,
        .max_rounds = options->max_rounds > 0 ? options->max_rounds : defaults->max_rounds,
        .part_path = options->part_path,
        .callbacks = cf_watcher_callbacks(&watcher),
        .agree = options->agree ? cf_watcher_agree : NULL,
        .agree_user = &watcher,
    };
    /* Copies, so that what the caller may not change through us stays so. */
    confound_steps mine = *steps, others;
    cf_steps other, work = steps->steps;
    work.calls = calls_of(&mine);
    if (steps->against) {
        others = *steps->against;
        other = others.steps;
        other.calls = calls_of(&others);
        work.against = &other;
    }
    return cf_steps_run(&work, &run, &record->record, error);
}

confound_status confound_run_steps(const confound_steps *steps, const confound_options *options,
                                   confound_record **ret_record, confound_error *err)
{
    static const confound_options none = {0};
    cf_error error = {0};
    *ret_record = NULL;
    confound_record *record = calloc(1, sizeof *record);
    if (!record)
        return cf_api_fail(err, CF_MEMORY, "out of memory");
    cf_record_init(&record->record);
    cf_status status = run_into(steps, options ? options : &none, record, &error);
    bool keep = status == CF_OK || record->record.rounds.count > 0;
    cf_error hashing = {0};
    cf_status hashed = keep ? cf_api_hash(record, &hashing) : CF_OK;
    if (keep && hashed == CF_OK)
        *ret_record = record;
    else
        confound_record_free(record);
    return status != CF_OK ? cf_api_status(status, &error, err) : cf_api_status(hashed, &hashing, err);
}
