#include "exec/exec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"
#include "exec/process.h"
#include "record/file.h"
#include "run/facts.h"

#define NS_PER_MS 1e6

typedef struct exec {
    const cf_exec_options *options;
    cf_record *record;
    int process;   /* how often it was gone on with */
    cf_rng rng[2]; /* of the rounds; of the warm-up */
    cf_number_unit unit;
} exec;

static bool cancelled(void *user)
{
    const exec *x = user;
    const cf_run_callbacks *callbacks = &x->options->callbacks;
    return callbacks->cancelled && callbacks->cancelled(callbacks->user);
}

static void running(void *user, pid_t pid)
{
    const exec *x = user;
    if (x->options->running)
        x->options->running(x->options->callbacks.user, pid);
}

static void tell(const exec *x, cf_phase phase, int64_t done, int64_t most)
{
    const cf_run_callbacks *callbacks = &x->options->callbacks;
    const cf_progress progress = {.phase = phase, .done = done, .most = most};
    if (callbacks->progress)
        callbacks->progress(callbacks->user, &progress, x->record);
}

static bool is_arm(const exec *x, int arm)
{
    return x->record->variants[arm].role == CF_ROLE_INSTRUMENT;
}

/* ---- one process ---- */

typedef struct paths {
    char *out, *err;
} paths;

static void paths_done(paths *p)
{
    free(p->out);
    free(p->err);
}

static cf_status make_paths(const exec *x, const char *arm, int64_t round, paths *ret, cf_error *err)
{
    char when[64];
    if (round > 0)
        snprintf(when, sizeof when, "round-%03lld", (long long)round);
    else if (x->process > 0)
        snprintf(when, sizeof when, "warm-up-%d", x->process + 1);
    else
        snprintf(when, sizeof when, "warm-up");
    *ret = (paths){.out = cf_text_format("%s/%s.%s.out", x->options->outputs, when, arm),
                   .err = cf_text_format("%s/%s.%s.err", x->options->outputs, when, arm)};
    return ret->out && ret->err ? CF_OK : cf_error_set(err, CF_MEMORY, "out of memory");
}

/* Why a run counts for nothing: GATE. */
static cf_status check_end(const exec *x, const cf_process_end *end, cf_error *err)
{
    char fault[160];
    if (end->timed_out)
        return cf_error_set(err, CF_GATE, "it took more than the %g s that it may take",
                            (double)x->options->timeout_ms / 1000);
    if (end->wants_terminal)
        return cf_error_set(err, CF_GATE, "it wants the terminal, which no run gets");
    if (*cf_process_fault(end, fault, sizeof fault))
        return cf_error_set(err, CF_GATE, "%s", fault);
    return CF_OK;
}

static cf_status find_numbers(exec *x, const paths *p, const cf_process_end *end, const struct stat *before,
                              cf_round *round, int arm, cf_error *err)
{
    cf_numbers numbers = {0};
    const cf_source source = x->options->number->source;
    if (source == CF_SOURCE_WALL || source == CF_SOURCE_CPU) {
        const int64_t cpu_ns = end->facts.user_ns + end->facts.system_ns;
        const double ms = (double)(source == CF_SOURCE_WALL ? end->facts.wall_ns : cpu_ns) / NS_PER_MS;
        if (!(ms > 0))
            return cf_error_set(err, CF_GATE, "the kernel counts no processor time for it");
        return cf_round_set_values(round, arm, &ms, 1, err);
    }
    cf_status status = cf_number_find(x->options->number, p->out, p->err, before, &x->unit, &numbers, err);
    if (!status)
        status = cf_round_set_values(round, arm, numbers.items, numbers.count, err);
    free(numbers.items);
    return status;
}

/* More processes than the one that was waited for disturb the runs that follow: said once an arm. */
static cf_status note_left(const exec *x, int arm, cf_error *err)
{
    char *name = cf_text_format("waiting for all that %s began", x->options->arms->items[arm].name);
    const cf_status status =
        name ? cf_pairs_add(&x->record->skipped, name,
                            "processes that it left behind may have gone on beside the runs that followed", err)
             : cf_error_set(err, CF_MEMORY, "out of memory");
    free(name);
    return status;
}

/* GATE: the run counts for nothing. CANCELLED: it was ended from outside. */
static cf_status run_one(exec *x, cf_round *round, int arm, int64_t number, cf_error *err)
{
    const cf_arm *one = &x->options->arms->items[arm];
    cf_process_end end = {.exit_status = 0};
    struct stat before;
    paths p;
    cf_status status = make_paths(x, one->name, number, &p, err);
    const cf_process_spec spec = {.command = &one->command,
                                  .sets = &one->sets,
                                  .out_path = p.out,
                                  .err_path = p.err,
                                  .timeout_ms = x->options->timeout_ms,
                                  .user = x,
                                  .cancelled = cancelled,
                                  .running = running};
    cf_number_before(x->options->number, &before);
    if (!status)
        status = cf_process_run(&spec, &end, err);
    if (end.not_started && number == 0 && is_arm(x, arm) && x->options->ret_not_started)
        x->options->ret_not_started[arm] = true;
    if (!status && end.cancelled)
        status = cf_error_set(err, CF_CANCELLED, "stopped by the user");
    if (!status)
        status = check_end(x, &end, err);
    if (!status)
        status = find_numbers(x, &p, &end, &before, round, arm, err);
    if (!status) {
        round->facts[arm] = end.facts;
        status = end.left_behind ? note_left(x, arm, err) : CF_OK;
    }
    paths_done(&p);
    return status;
}

/* ---- a round ---- */

/* The control's failure is the program's own: nothing can be measured then. From the beginning, it is no program to
   measure. */
static cf_status end_arm(exec *x, int arm, int64_t round, cf_error *failure)
{
    cf_record_variant *variant = &x->record->variants[arm];
    char when[64];
    if (round > 0)
        snprintf(when, sizeof when, "in round %lld", (long long)round);
    else
        snprintf(when, sizeof when, "in its warm-up");
    if (!is_arm(x, arm)) {
        failure->status = round > 0 ? CF_DEVICE : CF_INPUT;
        return cf_error_prefix(failure, "the program fails with no arm around it, %s", when);
    }
    free(variant->ended);
    variant->ended = cf_text_dup(failure->text);
    variant->ended_round = round;
    return variant->ended ? CF_OK : cf_error_set(failure, CF_MEMORY, "out of memory");
}

static double load_average(void)
{
    double load = 0;
    return getloadavg(&load, 1) == 1 ? load : (double)NAN;
}

/* What a dropped round printed goes with it; what an arm printed that ended in it is the reason that it ended. */
static void drop_outputs(const exec *x, int64_t number)
{
    for (int arm = 0; arm < x->record->variant_count; arm++) {
        paths p = {NULL, NULL};
        if (!x->record->variants[arm].ended &&
            make_paths(x, x->record->variants[arm].name, number, &p, NULL) == CF_OK) {
            (void)remove(p.out);
            (void)remove(p.err);
        }
        paths_done(&p);
    }
}

/* Each arm that has not ended, once, in a fresh random order. A round is in the list whole or not at all. */
static cf_status run_round(exec *x, cf_rounds *list, cf_rng *rng, int64_t number, cf_error *err)
{
    cf_round *round = cf_rounds_add_metric(list, x->record->variant_count, true);
    if (!round)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    round->number = (int64_t)list->count;
    round->process = x->process;
    round->load = load_average();
    for (int i = 0; i < round->order_count; i++)
        round->order[i] = i;
    cf_rng_shuffle(rng, round->order, (size_t)round->order_count);
    cf_status status = CF_OK;
    for (int i = 0; i < round->order_count && !status; i++) {
        const int arm = round->order[i];
        if (x->record->variants[arm].ended)
            continue;
        status = run_one(x, round, arm, number, err);
        if (status == CF_GATE)
            status = end_arm(x, arm, number, err);
    }
    if (status == CF_CANCELLED)
        drop_outputs(x, number);
    if (status)
        cf_rounds_drop_last(list);
    return status;
}

static cf_status keep(const exec *x, cf_part_list which, const cf_rounds *list, cf_error *err)
{
    const char *part = x->options->part_path;
    if (!part)
        return CF_OK;
    const cf_status status = cf_part_proofs(part, x->record, err); /* what ended, before the round that lacks it */
    return status ? status : cf_part_round(part, x->record, which, &list->items[list->count - 1], err);
}

static bool any_arm_left(const exec *x)
{
    for (int v = 0; v < x->record->variant_count; v++)
        if (is_arm(x, v) && !x->record->variants[v].ended)
            return true;
    return false;
}

static bool enough(const exec *x)
{
    const cf_run_callbacks *callbacks = &x->options->callbacks;
    if (!any_arm_left(x))
        return true;
    return (int64_t)x->record->rounds.count >= x->record->min_rounds && callbacks->enough &&
           callbacks->enough(callbacks->user, x->record);
}

static cf_status run_warmup(exec *x, cf_error *err)
{
    tell(x, CF_PHASE_WARMUP, 0, 1);
    const cf_status status = run_round(x, &x->record->warmup, &x->rng[1], 0, err);
    return status ? status : keep(x, CF_PART_WARMUP, &x->record->warmup, err);
}

static cf_status run_rounds(exec *x, cf_error *err)
{
    cf_rounds *list = &x->record->rounds;
    cf_status status = CF_OK;
    while (!status && (int64_t)list->count < x->record->max_rounds && !cancelled(x) && !enough(x)) {
        tell(x, CF_PHASE_ROUNDS, (int64_t)list->count, x->record->max_rounds);
        status = run_round(x, list, &x->rng[0], (int64_t)list->count + 1, err);
        if (!status)
            status = keep(x, CF_PART_ROUNDS, list, err);
    }
    return status;
}

/* ---- the whole ---- */

static int next_process(const cf_record *record)
{
    const cf_rounds *const lists[] = {&record->warmup, &record->rounds};
    int next = 0;
    for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++)
        for (size_t i = 0; i < lists[l]->count; i++)
            next = lists[l]->items[i].process >= next ? lists[l]->items[i].process + 1 : next;
    return next;
}

/* The order goes on where it stopped. */
static void skip_orders(exec *x)
{
    int order[CF_MAX_VARIANTS];
    for (size_t i = 0; i < x->record->rounds.count; i++) {
        for (int k = 0; k < x->record->variant_count; k++)
            order[k] = k;
        cf_rng_shuffle(&x->rng[0], order, (size_t)x->record->variant_count);
    }
}

cf_status cf_exec_run(const cf_exec_options *options, cf_record *record, cf_error *err)
{
    exec x = {.options = options, .record = record, .process = options->resume ? next_process(record) : 0};
    x.rng[0].state = record->seed;
    x.rng[1].state = ~record->seed + (uint64_t)x.process;
    record->interrupted = false;
    skip_orders(&x);
    cf_status status = options->part_path ? cf_part_begin(options->part_path, record, options->resume, err) : CF_OK;
    if (!status)
        status = run_warmup(&x, err);
    if (!status)
        status = run_rounds(&x, err);
    record->interrupted = status == CF_CANCELLED || cancelled(&x);
    return status == CF_CANCELLED ? CF_OK : status;
}
