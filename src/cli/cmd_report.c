#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/explain.h"
#include "cli/report_many.h"
#include "cli/set.h"
#include "record/set.h"

static cf_status print(const cf_options *options, const cf_record *record, const cf_judgement *judgement, cf_text *out,
                       cf_error *err)
{
    cf_report_style style;
    cf_cli_style(options, cf_cli_is_stdout(options->output) ? stdout : NULL, options->record_path, &style);
    return cf_cli_report(options, record, judgement, &style, out, err);
}

/* Timelines are for people. */
static cf_status check_explain(const cf_options *options, cf_error *err)
{
    const int format = options->format.set ? options->format.value : CF_FORMAT_TEXT;
    if (!options->explain || format == CF_FORMAT_TEXT || format == CF_FORMAT_MARKDOWN)
        return CF_OK;
    return cf_error_set(err, CF_INPUT,
                        "--explain goes with --format text or markdown; the spans are in the record itself");
}

static cf_status add_explain(const cf_options *options, const cf_record *record, cf_text *out, cf_error *err)
{
    cf_explain explain;
    cf_report_style style;
    if (!options->explain)
        return CF_OK;
    cf_status status = cf_explain_of_record(options->explain, record, &explain, err);
    if (status)
        return status;
    const bool fenced = options->format.set && options->format.value == CF_FORMAT_MARKDOWN;
    cf_cli_style(options, cf_cli_is_stdout(options->output) ? stdout : NULL, options->record_path, &style);
    style.color = style.color && !fenced;
    style.utf8 = style.utf8 || fenced;
    cf_text_add(out, fenced ? "\n```text\n" : "\n");
    status = cf_report_explain(record, explain.variants, &style, out, err);
    cf_text_add(out, fenced ? "```\n" : "");
    return status;
}

static cf_status print_page(const cf_options *options, const cf_record *record, const cf_judgement *judgement,
                            cf_text *out, cf_error *err)
{
    cf_report_style style;
    cf_cli_style(options, NULL, options->record_path, &style);
    return cf_report_html(record, judgement, &style, out, err);
}

static cf_status print_trace(const cf_record *record, cf_text *out, cf_error *err)
{
    cf_explain explain;
    cf_status status = cf_explain_of_record(CF_EXPLAIN_AUTO, record, &explain, err);
    return status ? status : cf_report_trace(record, out, err);
}

static cf_status print_parts(const cf_options *options, const cf_record *record, const cf_judgement *judgement,
                             cf_cli_parts *parts, cf_error *err)
{
    cf_status status = CF_OK;
    if (options->html)
        status = print_page(options, record, judgement, &parts->page, err);
    if (!status && options->trace)
        status = print_trace(record, &parts->trace, err);
    if (!status && cf_cli_wants_text(options))
        status = print(options, record, judgement, &parts->text, err);
    if (!status && cf_cli_wants_text(options))
        status = add_explain(options, record, &parts->text, err);
    return status;
}

static cf_status report(const cf_options *options, cf_record *record, cf_judgement *judgement, cf_error *err)
{
    cf_cli_parts parts = {0};
    cf_status status = check_explain(options, err);
    if (!status)
        status = cf_cli_check_places(options, err);
    if (!status)
        status = cf_cli_judge(options, record, judgement, err);
    if (!status)
        status = print_parts(options, record, judgement, &parts, err);
    if (!status)
        status = cf_cli_write_report(options, &parts, err);
    cf_text_done(&parts.text);
    cf_text_done(&parts.page);
    cf_text_done(&parts.trace);
    return status;
}

int cf_cmd_report(const cf_options *options)
{
    if (options->records.count > 1)
        return cf_report_many(options);
    if (cf_set_is_document(options->record_path))
        return cf_set_report(options);
    cf_error err = {0};
    cf_record record = {0};
    cf_judgement judgement = {0};
    cf_status status = report(options, &record, &judgement, &err);
    cf_judgement_done(&judgement);
    cf_record_done(&record);
    return status ? cf_cli_fail(&err) : cf_status_exit(CF_OK);
}
