/* Where the parts of a report go. */
#include <string.h>

#include "cli/cli.h"

bool cf_cli_wants_text(const cf_options *options)
{
    return !options->html || options->format.set || options->output;
}

cf_status cf_cli_check_places(const cf_options *options, cf_error *err)
{
    cf_status status = CF_OK;
    for (size_t i = 0; i < options->records.count && !status; i++) {
        status = cf_cli_check_apart(options->records.items[i], options->output, err);
        if (!status && options->html)
            status = cf_cli_check_apart(options->records.items[i], options->html, err);
    }
    if (status || !options->html || !cf_cli_wants_text(options))
        return status;
    bool same = options->output && !strcmp(options->output, options->html);
    if (same || (cf_cli_is_stdout(options->html) && cf_cli_is_stdout(options->output)))
        return cf_error_set(err, CF_INPUT, "--html and the report in text both go to %s; choose another name for one",
                            cf_cli_is_stdout(options->html) ? "standard output" : options->html);
    return CF_OK;
}

cf_status cf_cli_write_report(const cf_options *options, const cf_text *text, const cf_text *page, cf_error *err)
{
    cf_status status = CF_OK;
    if (options->html)
        status = cf_cli_write(options->html, page, err);
    if (!status && cf_cli_wants_text(options))
        status = cf_cli_write(options->output, text, err);
    if (!status && options->html && !cf_report_has_charts())
        cf_cli_note("the page has tables and no charts: this program was built without Vega (Debian and Ubuntu: "
                    "libjs-vega)");
    return status;
}
