#include "cli/set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/set_options.h"
#include "cli/set_plan.h"
#include "cli/spawn.h"
#include "record/file.h"
#include "report/set.h"
#include "verdict/set.h"

#define STOPPED 130

/* ---- the end ---- */

static double margin_of(const cf_options *options)
{
    return options->command == CF_COMMAND_JUDGE && options->margin.set ? options->margin.value : (double)NAN;
}

static cf_status write_document(const char *path, const cf_set_judgement *judgement, cf_error *err)
{
    cf_text text = {0};
    cf_status status = cf_set_print(judgement, &text, err);
    if (status == CF_OK)
        status = cf_cli_write(path, &text, err);
    cf_text_done(&text);
    return status;
}

static cf_status write_csv(const char *path, const cf_set_judgement *judgement, cf_error *err)
{
    cf_text text = {0};
    cf_status status = cf_report_set_csv(judgement, &text, err);
    if (status == CF_OK)
        status = cf_cli_write(path, &text, err);
    cf_text_done(&text);
    return status;
}

static cf_status write_text(const cf_options *options, const char *path, const cf_set_judgement *judgement,
                            cf_error *err)
{
    cf_report_style style;
    cf_text text = {0};
    cf_cli_style(options, stdout, path, &style);
    cf_status status = options->quiet ? cf_report_set_verdict(judgement, &style, &text, err)
                                      : cf_report_set_text(judgement, &style, &text, err);
    if (status == CF_OK)
        status = cf_cli_write(NULL, &text, err);
    cf_text_done(&text);
    return status;
}

/* Of processes the common verdict is held against what was expected; of values, each one's. */
static int expect(const cf_options *options, const cf_set_judgement *judgement)
{
    int exit_status = cf_status_exit(CF_OK);
    for (int g = 0; g < judgement->group_count; g++) {
        const cf_judgement common = {.verdict = judgement->groups[g].verdict};
        int now = cf_cli_expect(options, &common);
        /* A decided verdict that is another one outweighs an open one. */
        if (exit_status == cf_status_exit(CF_OK) || now == cf_status_exit(CF_GATE))
            exit_status = now;
    }
    return exit_status;
}

static cf_status conclude(const cf_options *options, const char *path, const cf_set_judgement *judgement, cf_error *err)
{
    bool json_takes = options->json != NULL && cf_cli_is_stdout(options->json);
    bool csv_takes = options->csv != NULL && cf_cli_is_stdout(options->csv);
    if (json_takes && csv_takes)
        return cf_error_set(err, CF_INPUT, "--json - and --csv - both take standard output");
    cf_status status = options->json != NULL ? write_document(options->json, judgement, err) : CF_OK;
    if (status == CF_OK && options->csv != NULL)
        status = write_csv(options->csv, judgement, err);
    if (status == CF_OK && !json_takes && !csv_takes)
        status = write_text(options, path, judgement, err);
    return status;
}

/* ---- the processes ---- */

typedef struct course {
    const cf_options *options;
    cf_set *set;
    const char *path;
    cf_set_judgement judgement;
    int at;
    bool shown; /* a line is kept up to date on standard error */
} course;

static const char *label_of(const course *c, char *buf, size_t buf_bytes)
{
    char label[192], text[192];
    cf_set_label(&c->judgement, c->at, label, sizeof label);
    if (c->set->key != NULL)
        (void)snprintf(text, sizeof text, "%.80s = %.100s", c->set->key, label);
    else
        (void)snprintf(text, sizeof text, "%s", label);
    return cf_text_safe(text, buf, buf_bytes);
}

static void tick(void *user, double seconds)
{
    const course *c = user;
    char label[192];
    if (!c->shown)
        return;
    fprintf(stderr, "\r\033[K%d of %d: %.48s, %.0f s%s", c->at + 1, c->set->member_count,
            label_of(c, label, sizeof label), seconds, cf_spawn_stops() > 0 ? "; ending after this round" : "");
    fflush(stderr);
}

static void say_ended(const course *c)
{
    const cf_set_member *member = &c->set->members[c->at];
    char label[192];
    if (c->shown)
        fputs("\r\033[K", stderr);
    if (c->options->quiet)
        return;
    if (member->state == CF_SET_FAILED)
        cf_cli_note("%d of %d: %s: failed: %s", c->at + 1, c->set->member_count, label_of(c, label, sizeof label),
                    member->why);
    else
        cf_cli_note("%d of %d: %s: %s", c->at + 1, c->set->member_count, label_of(c, label, sizeof label),
                    cf_set_outcome(&c->judgement, c->at));
}

static cf_status fail_member(cf_set_member *member, const cf_spawned *spawned, cf_error *err)
{
    member->state = CF_SET_FAILED;
    /* A signal is no exit status of its own: the device or its driver took the process down. */
    member->exit_status = spawned->by_signal ? cf_status_exit(CF_DEVICE) : spawned->exit_status;
    member->why = spawned->by_signal         ? cf_text_format("ended by signal %d", spawned->exit_status - 128)
                  : spawned->said[0] != '\0' ? cf_text_dup(spawned->said)
                                             : cf_text_format("it said nothing");
    return member->why != NULL ? CF_OK : cf_error_set(err, CF_MEMORY, "out of memory");
}

/* What became of the member, by its process's end and its record. */
static cf_status settle(course *c, const cf_spawned *spawned, cf_error *err)
{
    cf_set_member *member = &c->set->members[c->at];
    bool stopped = cf_spawn_stops() > 0;
    free(member->why);
    member->why = NULL;
    member->exit_status = 0;
    member->state = CF_SET_DONE;
    if (spawned->exit_status != 0 && stopped)
        member->state = CF_SET_INTERRUPTED;
    else if (spawned->exit_status != 0 && fail_member(member, spawned, err) != CF_OK)
        return CF_MEMORY;
    cf_status status = cf_set_judgement_load_member(c->set, c->path, c->at, (double)NAN, &c->judgement, err);
    const cf_set_result *result = &c->judgement.results[c->at];
    if (status == CF_OK && member->state == CF_SET_DONE && result->ok && result->record.interrupted && stopped)
        member->state = CF_SET_INTERRUPTED;
    return status;
}

/* A record that the member's own process wrote after we were gone. */
static bool is_of(const char *path, const cf_set_member *member)
{
    cf_record record;
    cf_record_init(&record);
    bool is = cf_file_exists(path) && cf_record_read(path, &record, NULL, NULL) == CF_OK && record.seed == member->seed;
    cf_record_done(&record);
    return is;
}

static bool goes_on(const course *c)
{
    const cf_set_member *member = &c->set->members[c->at];
    if (c->options->resume == NULL)
        return false;
    char *record = cf_set_member_path(c->path, member);
    char *part = record != NULL ? cf_text_format("%s.part", record) : NULL;
    bool there = part != NULL && (cf_file_exists(part) || is_of(record, member));
    free(part);
    free(record);
    return there;
}

static cf_status keep(course *c, cf_error *err)
{
    cf_status status = cf_set_judgement_combine(&c->judgement, err);
    return status == CF_OK ? write_document(c->path, &c->judgement, err) : status;
}

/* Its process writes a record anew, also after we are gone: the document no longer vouches for the old one. */
static cf_status let_go(course *c, cf_error *err)
{
    cf_set_member *member = &c->set->members[c->at];
    cf_set_result *result = &c->judgement.results[c->at];
    if (member->record == NULL)
        return CF_OK;
    free(member->record);
    member->record = NULL;
    member->state = CF_SET_MISSING;
    cf_judgement_done(&result->judgement);
    cf_record_done(&result->record);
    *result = (cf_set_result){0};
    return keep(c, err);
}

static cf_status measure(course *c, cf_error *err)
{
    const cf_set_member *member = &c->set->members[c->at];
    bool env = c->set->kind == CF_SET_ENV;
    cf_set_strings argv = {0};
    cf_spawned spawned;
    cf_status status = cf_set_arguments(c->set, c->path, member, goes_on(c), &argv, err);
    if (status == CF_OK)
        status = let_go(c, err);
    if (status == CF_OK)
        status = cf_spawn_run(&argv, env ? c->set->key : NULL, env ? c->set->values.items[member->group] : NULL, tick,
                              c, &spawned, err);
    cf_set_strings_done(&argv);
    if (status == CF_OK)
        status = settle(c, &spawned, err);
    if (status == CF_OK)
        say_ended(c);
    return status == CF_OK ? keep(c, err) : status;
}

static cf_status measure_all(course *c, cf_error *err)
{
    cf_status status = keep(c, err);
    cf_spawn_begin();
    for (c->at = 0; c->at < c->set->member_count && status == CF_OK && cf_spawn_stops() == 0; c->at++)
        if (c->set->members[c->at].state != CF_SET_DONE)
            status = measure(c, err);
    cf_spawn_end();
    return status;
}

static int first_failure(const cf_set *set)
{
    for (int i = 0; i < set->member_count; i++)
        if (set->members[i].state == CF_SET_FAILED)
            return set->members[i].exit_status;
    return 0;
}

static int finish(course *c, int stops)
{
    cf_error err = {0};
    if (conclude(c->options, c->path, &c->judgement, &err) != CF_OK)
        return cf_cli_fail(&err);
    if (stops > 1)
        return STOPPED;
    int failed = first_failure(c->set);
    int expected = expect(c->options, &c->judgement);
    return failed != 0 ? failed : expected;
}

static int run_set(const cf_options *options, cf_set *set, const char *path)
{
    cf_error err = {0};
    course c = {.options = options, .set = set, .path = path, .shown = !options->quiet && isatty(STDERR_FILENO)};
    cf_status status = cf_set_judgement_init(set, &c.judgement, &err);
    if (status == CF_OK)
        status = cf_set_judgement_load(set, path, (double)NAN, &c.judgement, &err);
    if (status == CF_OK)
        status = measure_all(&c, &err);
    int exit_status = status != CF_OK ? cf_cli_fail(&err) : finish(&c, cf_spawn_stops());
    cf_set_judgement_done(&c.judgement);
    return exit_status;
}

int cf_set_run(const cf_options *options)
{
    cf_error err = {0};
    cf_place_hold hold = {0};
    cf_set set;
    char *path = NULL;
    char why[512];
    cf_status status = cf_set_plan(options, &set, &path, &hold, why, &err);
    if (status == CF_OK && why[0] != '\0' && !options->quiet)
        cf_cli_note("%s", why);
    int exit_status = status != CF_OK ? cf_cli_fail(&err) : run_set(options, &set, path);
    cf_place_release(&hold);
    cf_set_done(&set);
    free(path);
    return exit_status;
}

/* ---- judge and report ---- */

static cf_status load(const cf_options *options, cf_set *set, cf_set_judgement *judgement, cf_error *err)
{
    cf_status status = cf_set_read(options->record_path, set, err);
    if (status == CF_OK)
        status = cf_set_judgement_init(set, judgement, err);
    if (status == CF_OK)
        status = cf_set_judgement_load(set, options->record_path, margin_of(options), judgement, err);
    return status == CF_OK ? cf_set_judgement_combine(judgement, err) : status;
}

static cf_status print(const cf_options *options, const cf_set_judgement *judgement, cf_text *out, cf_error *err)
{
    cf_report_style style;
    cf_cli_style(options, cf_cli_is_stdout(options->output) ? stdout : NULL, options->record_path, &style);
    switch (options->format.set ? (cf_format)options->format.value : CF_FORMAT_TEXT) {
    case CF_FORMAT_MARKDOWN:
        return cf_report_set_markdown(judgement, &style, out, err);
    case CF_FORMAT_CSV:
        return cf_report_set_csv(judgement, out, err);
    case CF_FORMAT_JSON:
        return cf_set_print(judgement, out, err);
    case CF_FORMAT_TEXT:
        break;
    }
    return cf_report_set_text(judgement, &style, out, err);
}

int cf_set_judge(const cf_options *options)
{
    cf_error err = {0};
    cf_set set = {0};
    cf_set_judgement judgement = {0};
    cf_status status = cf_cli_check_apart(options->record_path, options->json, &err);
    if (status == CF_OK)
        status = load(options, &set, &judgement, &err);
    if (status == CF_OK)
        status = conclude(options, options->record_path, &judgement, &err);
    int exit_status = status != CF_OK ? cf_cli_fail(&err) : expect(options, &judgement);
    cf_set_judgement_done(&judgement);
    cf_set_done(&set);
    return exit_status;
}

static cf_status check_one_record(const cf_options *options, cf_error *err)
{
    if (!options->explain && !options->trace)
        return CF_OK;
    return cf_error_set(err, CF_INPUT, "%s: %s is a set, and its records have the commands: give one of those",
                        options->explain ? "--explain" : "--trace", options->record_path);
}

int cf_set_report(const cf_options *options)
{
    cf_error err = {0};
    cf_set set = {0};
    cf_set_judgement judgement = {0};
    cf_cli_parts parts = {0};
    cf_report_style style;
    cf_cli_style(options, NULL, options->record_path, &style);
    cf_status status = check_one_record(options, &err);
    if (status == CF_OK)
        status = cf_cli_check_places(options, &err);
    if (status == CF_OK)
        status = load(options, &set, &judgement, &err);
    if (status == CF_OK && options->html != NULL)
        status = cf_report_set_html(&judgement, NULL, &style, &parts.page, &err);
    if (status == CF_OK && cf_cli_wants_text(options))
        status = print(options, &judgement, &parts.text, &err);
    if (status == CF_OK)
        status = cf_cli_write_report(options, &parts, &err);
    cf_text_done(&parts.text);
    cf_text_done(&parts.page);
    cf_set_judgement_done(&judgement);
    cf_set_done(&set);
    return status != CF_OK ? cf_cli_fail(&err) : cf_status_exit(CF_OK);
}
