/* Where the parts of a report go. */
#include <string.h>

#include "cli/cli.h"

typedef struct place {
    const char *option; /* as a person knows it */
    const char *path;   /* NULL = standard output */
    bool wanted;
} place;

#define PLACES 3

static void find_places(const cf_options *options, place places[PLACES])
{
    places[0] = (place){"--html", options->html, options->html != NULL};
    places[1] = (place){"--trace", options->trace, options->trace != NULL};
    places[2] = (place){"the report in text", options->output, cf_cli_wants_text(options)};
}

bool cf_cli_wants_text(const cf_options *options)
{
    return (!options->html && !options->trace) || options->format.set || options->output || options->explain;
}

static bool are_same(const place *x, const place *y)
{
    if (!x->wanted || !y->wanted)
        return false;
    const bool out = cf_cli_is_stdout(x->path);
    return out == cf_cli_is_stdout(y->path) && (out || strcmp(x->path, y->path) == 0);
}

cf_status cf_cli_check_places(const cf_options *options, cf_error *err)
{
    place places[PLACES];
    find_places(options, places);
    cf_status status = CF_OK;
    for (size_t i = 0; i < options->records.count && !status; i++) {
        for (int k = 0; k < PLACES && !status; k++)
            status = cf_cli_check_apart(options->records.items[i], places[k].path, err);
    }
    for (int k = 1; k < PLACES && !status; k++) {
        for (int i = 0; i < k && !status; i++) {
            if (are_same(&places[i], &places[k]))
                status = cf_error_set(err, CF_INPUT, "%s and %s both go to %s; choose another name for one",
                                      places[i].option, places[k].option,
                                      cf_cli_is_stdout(places[k].path) ? "standard output" : places[k].path);
        }
    }
    return status;
}

cf_status cf_cli_write_report(const cf_options *options, const cf_cli_parts *parts, cf_error *err)
{
    cf_status status = CF_OK;
    if (options->html)
        status = cf_cli_write(options->html, &parts->page, err);
    if (!status && options->trace)
        status = cf_cli_write(options->trace, &parts->trace, err);
    if (!status && cf_cli_wants_text(options))
        status = cf_cli_write(options->output, &parts->text, err);
    if (!status && options->html && !cf_report_has_charts())
        cf_cli_note("the page has tables and no charts: this program was built without Vega (Debian and Ubuntu: "
                    "libjs-vega)");
    return status;
}
