/* confound exec --toggle --resume: the record of a run whose confound was killed. The program is not run again. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/exec_toggle.h"
#include "cli/exec_toggle_kept.h"
#include "record/file.h"

typedef struct resumed {
    char *output;
    cf_place_hold hold;
    cf_toggle_kept kept;
    bool has_part;
} resumed;

static cf_status check_options(const cf_options *o, cf_error *err)
{
    if (o->arms.count || o->metric || o->better.set || o->unit || o->percent.set || o->seed.set || o->timeout_s.set ||
        o->output || o->keep || o->step || o->after_s.set || o->rounds.set || o->min_rounds.set)
        return cf_error_set(err, CF_INPUT,
                            "--toggle: --resume makes the record of what was measured; nothing is run, and program, "
                            "rounds and places are as they were");
    return CF_OK;
}

/* The program may be named again, and another one may not. */
static cf_status check_program(const cf_options *o, const cf_record *record, cf_error *err)
{
    const cf_strings *then = &record->metric.program;
    bool same = o->program.count == 0 || o->program.count == then->count;
    for (size_t i = 0; same && i < o->program.count; i++)
        same = strcmp(o->program.items[i], then->items[i]) == 0;
    if (same)
        return CF_OK;
    return cf_error_set(err, CF_INPUT, "%s is of another program than this command line names; give --resume alone",
                        o->resume);
}

static cf_status check_record(const cf_options *o, const cf_record *record, cf_error *err)
{
    if (!cf_toggle_is_of(record))
        return cf_error_set(err, CF_INPUT, "%s is not of a program that was toggled: --toggle cannot go on with it",
                            o->resume);
    return check_program(o, record, err);
}

/* The steps are as one build writes them. */
static cf_status check_version(const char *part, const cf_record *record, cf_error *err)
{
    char safe[64];
    if (strcmp(record->tool_version, CONFOUND_VERSION) == 0)
        return CF_OK;
    return cf_error_set(err, CF_INPUT,
                        "%s: its steps are of confound %s, and this is " CONFOUND_VERSION "; go on with that one", part,
                        cf_text_safe(record->tool_version, safe, sizeof safe));
}

static cf_status open_kept(const cf_options *o, resumed *r, cf_record *record, cf_error *err)
{
    cf_record_done(record);
    cf_status status = cf_part_read_steps(r->hold.part, record, &r->kept.steps, err);
    if (!status)
        status = check_record(o, record, err);
    if (!status && !r->kept.steps.folder[0])
        return cf_error_set(err, CF_INPUT, "%s: names no folder of steps: nothing was measured; remove it",
                            r->hold.part);
    if (!status)
        status = check_version(r->hold.part, record, err);
    if (status)
        return status;
    r->kept.part = cf_text_dup(r->hold.part);
    r->kept.folder = cf_toggle_kept_folder(r->hold.part, &r->kept.steps);
    if (!r->kept.part || !r->kept.folder)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    return cf_toggle_kept_check_ended(r->kept.part, r->kept.folder, &r->kept.steps, err);
}

static cf_status read_steps(const resumed *r, const cf_toggle_end *end, cf_record *record, cf_error *err)
{
    cf_status status = cf_toggle_read_steps(r->kept.folder, end, record, err);
    return status == CF_INCONCLUSIVE ? cf_error_prefix(err, "%s", r->kept.folder) : status;
}

/* Nothing is removed but what is in the record now. */
static int resume_kept(const cf_options *o, resumed *r, cf_record *record)
{
    const cf_toggle_end end = {.unknown = true};
    cf_error err = {0};
    char sha256[65] = "";
    cf_status status = open_kept(o, r, record, &err);
    if (!status)
        status = read_steps(r, &end, record, &err);
    if (!status)
        status = cf_record_write(r->output, record, sha256, &err);
    if (status)
        return cf_cli_fail(&err);
    cf_toggle_kept_remove(&r->kept);
    return cf_toggle_conclude(o, record, sha256, r->output, &end);
}

/* The run had ended by itself: the record keeps its bytes. */
static int show_record(const cf_options *o, const resumed *r, cf_record *record)
{
    const cf_toggle_end end = {.unknown = true};
    cf_error err = {0};
    char sha256[65] = "";
    cf_record_done(record);
    cf_status status = cf_record_read(o->resume, record, sha256, &err);
    if (!status)
        status = check_record(o, record, &err);
    if (status)
        return cf_cli_fail(&err);
    cf_cli_note("%s is whole: nothing was measured", r->output);
    return cf_toggle_conclude(o, record, sha256, r->output, &end);
}

int cf_toggle_resume(const cf_options *o)
{
    cf_error err = {0};
    cf_record record;
    resumed r = {.output = cf_place_record(o->resume)};
    cf_record_init(&record);
    cf_status status = r.output ? check_options(o, &err) : cf_error_set(&err, CF_MEMORY, "out of memory");
    if (!status)
        status = cf_cli_check_apart(r.output, o->json, &err);
    if (!status)
        status = cf_place_hold_old(o->resume, true, &r.hold, &r.has_part, &err);
    int exit_status = status       ? cf_cli_fail(&err)
                      : r.has_part ? resume_kept(o, &r, &record)
                                   : show_record(o, &r, &record);
    cf_record_done(&record);
    cf_toggle_kept_done(&r.kept);
    cf_place_release(&r.hold);
    free(r.output);
    return exit_status;
}
