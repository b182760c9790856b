#include "cli/exec_toggle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/exec.h"
#include "cli/exec_toggle_kept.h"
#include "record/file.h"
#include "report/metric.h"
#include "toggle/folder.h"
#include "toggle/running.h"

#define BACKEND "exec"

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

/* ---- what is asked ---- */

static cf_status check_step(const char *step, cf_error *err)
{
    char safe[160];
    if (!step || strcmp(step, "sync") == 0 || strcmp(step, "mark") == 0 ||
        (strncmp(step, CF_WIRE_CALL, sizeof CF_WIRE_CALL - 1) == 0 && step[sizeof CF_WIRE_CALL - 1] != '\0'))
        return CF_OK;
    return cf_error_set(err, CF_INPUT, "--step: '%s' is none of sync, mark, call:NAME",
                        cf_text_safe(step, safe, sizeof safe));
}

/* The folder may have been made by the caller, and holds nothing then. */
static cf_status make_keep(const cf_options *o, cf_error *err)
{
    if (!o->keep || mkdir(o->keep, 0777) == 0)
        return CF_OK;
    char *out = cf_text_format("%s/out", o->keep);
    bool taken = !out || cf_file_exists(out);
    free(out);
    struct stat there;
    if (stat(o->keep, &there) != 0 || !S_ISDIR(there.st_mode))
        return cf_error_set(err, CF_IO, "--keep %s: no folder can be made there", o->keep);
    return taken ? cf_error_set(err, CF_INPUT, "--keep %s: it holds an output already, which is not written over",
                                o->keep)
                 : CF_OK;
}

_Static_assert(CF_METRIC_STEP_ROUNDS_MAX == CF_WIRE_ROUNDS_MAX, "what is advised is accepted");

static cf_status check(const cf_options *o, cf_error *err)
{
    if (o->program.count == 0)
        return cf_error_set(err, CF_INPUT, "exec: a program is missing: confound exec --toggle timing -- PROGRAM ARGS");
    if (o->arms.count || o->metric || o->better.set || o->unit)
        return cf_error_set(err, CF_INPUT,
                            "--toggle: --arm, --metric, --better and --unit are for arms that are processes; what is "
                            "compared here is the wall time of a step");
    if (o->rounds.set && o->rounds.value > CF_WIRE_ROUNDS_MAX)
        return cf_error_set(err, CF_INPUT, "--rounds %llu: accepted with --toggle: 1 to %u",
                            (unsigned long long)o->rounds.value, CF_WIRE_ROUNDS_MAX);
    return check_step(o->step, err);
}

/* ---- where things go ---- */

/* What a run that was killed left behind goes first. */
static cf_status make_folder(char **ret, int *ret_lock, cf_error *err)
{
    const char *temporary = getenv("TMPDIR");
    const char *named = temporary && *temporary ? temporary : "/tmp";
    char *parent = realpath(named, NULL); /* the program may go to another folder */
    if (!parent)
        return cf_error_set(err, CF_IO, "%s: %s; TMPDIR names another folder", named, strerror(errno));
    cf_toggled_reclaim(parent);
    cf_status status = cf_toggled_make(parent, ret, ret_lock, err);
    free(parent);
    return status;
}

typedef struct places {
    char *output; /* the record */
    char *part;   /* NULL: nothing outlives a killed confound */
    cf_place_hold hold;
    cf_toggle_kept kept;
    char *temporary; /* a folder of this run's */
    int lock;        /* of that folder; -1 = none */
} places;

static void places_done(places *p)
{
    if (p->temporary)
        cf_toggled_remove(p->temporary);
    if (p->lock >= 0)
        close(p->lock);
    cf_toggle_kept_done(&p->kept);
    cf_place_release(&p->hold);
    free(p->temporary);
    free(p->part);
    free(p->output);
}

/* A device or a pipe has nothing beside it. */
static bool keeps(const cf_options *o)
{
    struct stat there;
    return o->output && (stat(o->output, &there) != 0 || S_ISREG(there.st_mode));
}

static cf_status take_part(places *p, cf_error *err)
{
    p->part = cf_place_part(p->output);
    if (!p->part)
        return no_memory(err);
    cf_status status = cf_place_hold_part(p->part, true, &p->hold, err);
    return status ? status : cf_place_check_part(p->part, p->output, err);
}

static cf_status name_record(const cf_options *o, places *p, cf_error *err)
{
    p->output = o->output ? cf_text_dup(o->output) : cf_place_fresh(BACKEND);
    if (!p->output)
        return no_memory(err);
    cf_status status = cf_cli_check_apart(p->output, o->json, err);
    if (!status)
        status = cf_file_check_writable(p->output, err);
    return status || !keeps(o) ? status : take_part(p, err);
}

/* Where steps cannot be kept beside the record, they are kept in the temporary folder, and do not outlive us. */
static cf_status begin_kept(places *p, const cf_record *record, cf_error *err)
{
    cf_error why = {0};
    cf_status status = p->part ? cf_toggle_kept_begin(p->part, p->output, record, &p->kept, &why) : CF_OK;
    if (status == CF_IO && !p->kept.part) {
        cf_cli_note("%s: what is measured is lost if confound is killed", why.text);
        return CF_OK;
    }
    return status ? cf_error_set(err, status, "%s", why.text) : CF_OK;
}

/* ---- the run ---- */

static cf_status say_fault(const cf_toggle_end *end, cf_error *err)
{
    if (end->timed_out)
        return cf_error_set(err, CF_DEVICE, "the program was ended: it took longer than --timeout");
    if (end->interrupted || (end->signal == 0 && end->exit_status == 0))
        return CF_OK;
    return end->signal ? cf_error_set(err, CF_DEVICE, "the program was ended by signal %d (%s)", end->signal,
                                      strsignal(end->signal))
                       : cf_error_set(err, CF_DEVICE, "the program ended with exit status %d", end->exit_status);
}

static bool is_whole(const cf_record *record)
{
    return record->rounds.count > 0 && (int64_t)record->rounds.count >= record->max_rounds;
}

/* How the program ended is a fact of the record where its rounds are not all there, or it failed. */
static cf_status add_end(cf_record *record, const cf_toggled *toggled, const cf_toggle_end *end, cf_error *err)
{
    cf_error fault = {0};
    char *text = NULL;
    long long wanted = (long long)record->max_rounds;
    if (say_fault(end, &fault))
        text = cf_text_format("%c%s%s", 'T', fault.text + 1, is_whole(record) ? ", after its last round" : "");
    else if (!is_whole(record) && !end->interrupted)
        text = cf_text_format("The program ended after %lu steps, with %zu of %lld rounds: all of them take about %lld "
                              "steps, after those from which it is seen what a step is",
                              (unsigned long)toggled->wire->step_count, record->rounds.count, wanted,
                              2 * CF_VARIANT_COUNT * (wanted + (long long)CF_WIRE_WARMUP_ROUNDS));
    else
        return CF_OK;
    cf_status status = text ? cf_pairs_add(&record->skipped, "program", text, err) : no_memory(err);
    free(text);
    return status;
}

static cf_status add_kill(cf_record *record, const cf_toggle_end *end, cf_error *err)
{
    return end->unknown ? cf_pairs_add(&record->skipped, "confound",
                                       "How the program ended is not known: confound was killed before it did", err)
                        : CF_OK;
}

/* A program that leaves itself behind in the background, for one. */
static cf_status add_left(cf_record *record, const char *folder, cf_error *err)
{
    const pid_t left = cf_running_writer(folder);
    if (left == 0)
        return CF_OK;
    char *text =
        cf_text_format("Process %ld went on when the program had ended: its steps until then count", (long)left);
    cf_status status = text ? cf_pairs_add(&record->skipped, "behind", text, err) : no_memory(err);
    free(text);
    return status;
}

cf_status cf_toggle_read_steps(const char *folder, const cf_toggle_end *end, cf_record *record, cf_error *err)
{
    cf_toggled toggled;
    cf_status status = cf_toggled_read(folder, &toggled, err);
    if (status)
        return status;
    if (toggled.wire)
        status = cf_toggle_fill(record, &toggled, err);
    else if (end->unknown)
        status = cf_error_set(err, CF_INPUT, "%s: holds no step of the program's: there is nothing to judge", folder);
    else
        status = cf_error_set(err, CF_UNSUPPORTED,
                              "the program made no event of CUDA's, no event or immediate list of Level Zero's, and no "
                              "queue of OpenCL's through a loader that has layers before it ended, or could not make "
                              "its file of steps (a limit on files, another user or root, a full disk): there is "
                              "nothing to toggle (docs/toggle.md)");
    record->interrupted = end->interrupted;
    if (!status)
        status = cf_toggle_add_span(record, toggled.wire, end, err);
    if (!status)
        status = add_left(record, folder, err);
    if (!status)
        status = add_end(record, &toggled, end, err);
    if (!status)
        status = add_kill(record, end, err);
    cf_toggled_done(&toggled);
    return status;
}

static cf_status run_program(const cf_options *o, const cf_record *record, places *p, cf_toggle_end *ret_end,
                             cf_error *err)
{
    char *library = NULL;
    bool beside = p->kept.part != NULL;
    cf_status status = cf_toggle_library(&library, err);
    const cf_toggle_start start = {
        .library = library,
        .folder = beside ? p->kept.folder : p->temporary,
        .links = beside && cf_toggle_can_preload(p->kept.folder) ? p->kept.folder : p->temporary,
        .seed = record->seed,
        .rounds = (uint32_t)record->max_rounds,
        .started = beside ? cf_toggle_kept_started : NULL,
        .user = &p->kept,
    };
    if (!status)
        status = cf_toggle_run(o, &start, ret_end, err);
    free(library);
    return status;
}

/* What the program did wrong is said after what was found. */
int cf_toggle_conclude(const cf_options *o, const cf_record *record, const char *sha256, const char *output,
                       const cf_toggle_end *end)
{
    cf_error err = {0};
    cf_judgement judgement = {0};
    cf_status status = cf_judge(record, sha256, NULL, &judgement, &err);
    int exit_status = status ? cf_cli_fail(&err) : cf_cli_conclude(o, record, &judgement, output);
    cf_judgement_done(&judgement);
    if (say_fault(end, &err) && is_whole(record)) {
        cf_cli_note("%s, after its last round", err.text);
    } else if (err.text[0]) {
        int fault = cf_cli_fail(&err);
        exit_status = exit_status ? exit_status : fault;
    }
    return exit_status;
}

/* What could not be read, or become a record, stays. */
static void drop_kept(const places *p, cf_status status)
{
    bool lost = status != CF_OK && status != CF_UNSUPPORTED && status != CF_INCONCLUSIVE;
    if (p->kept.part && lost)
        cf_cli_note("what was measured is safe in %s: go on with --toggle timing --resume %s", p->kept.folder,
                    p->output);
    else
        cf_toggle_kept_remove(&p->kept);
}

static cf_status measure(const cf_options *o, cf_record *record, places *p, cf_toggle_end *ret_end, char ret_sha256[65],
                         cf_error *err)
{
    cf_status status = make_folder(&p->temporary, &p->lock, err);
    if (!status)
        status = begin_kept(p, record, err);
    if (!status)
        status = run_program(o, record, p, ret_end, err);
    if (status) {
        cf_toggle_kept_remove(&p->kept); /* nothing ran */
        return status;
    }
    status = cf_toggle_read_steps(p->kept.part ? p->kept.folder : p->temporary, ret_end, record, err);
    if (!status)
        status = cf_record_write(p->output, record, ret_sha256, err);
    drop_kept(p, status);
    return status;
}

static int run(const cf_options *o, cf_record *record, places *p)
{
    cf_error err = {0}, fault = {0};
    cf_toggle_end end = {.interrupted = false};
    char sha256[65] = "";
    if (measure(o, record, p, &end, sha256, &err) == CF_OK)
        return cf_toggle_conclude(o, record, sha256, p->output, &end);
    if (say_fault(&end, &fault))
        (void)cf_cli_fail(&fault);
    return cf_cli_fail(&err);
}

static int run_new(const cf_options *o)
{
    cf_error err = {0};
    cf_record record;
    places p = {.lock = -1};
    cf_record_init(&record);
    cf_status status = check(o, &err);
    if (!status)
        status = name_record(o, &p, &err);
    if (!status)
        status = make_keep(o, &err);
    if (!status)
        status = cf_toggle_describe(o, &record, &err);
    int exit_status = status ? cf_cli_fail(&err) : run(o, &record, &p);
    cf_record_done(&record);
    places_done(&p);
    return exit_status;
}

int cf_exec_toggle(const cf_options *o)
{
    return o->resume ? cf_toggle_resume(o) : run_new(o);
}
