#include <math.h>

#include "cli/cli.h"
#include "cli/explain.h"
#include "record/file.h"

cf_status cf_cli_judge(const cf_options *options, cf_record *ret_record, cf_judgement *ret_judgement, cf_error *err)
{
    char sha256_hex[65];
    cf_status status = cf_record_read(options->record_path, ret_record, sha256_hex, err);
    if (status)
        return status;
    cf_judge_settings settings = {.margin = options->margin.set ? options->margin.value : (double)NAN};
    return cf_judge(ret_record, sha256_hex, &settings, ret_judgement, err);
}

static cf_verdict expected_verdict(cf_expect expect)
{
    static const cf_verdict verdicts[] = {
        [CF_EXPECT_CLEAR] = CF_VERDICT_CLEAR,
        [CF_EXPECT_CONFOUNDED] = CF_VERDICT_CONFOUNDED,
        [CF_EXPECT_INCONCLUSIVE] = CF_VERDICT_INCONCLUSIVE,
    };
    return verdicts[expect];
}

int cf_cli_expect(const cf_options *options, const cf_judgement *judgement)
{
    if (!options->expect.set)
        return cf_status_exit(CF_OK);
    cf_verdict expected = expected_verdict((cf_expect)options->expect.value);
    if (judgement->verdict == expected)
        return cf_status_exit(CF_OK);
    cf_cli_note("expected %s, found %s", cf_verdict_name(expected), cf_verdict_name(judgement->verdict));
    return cf_status_exit(judgement->verdict == CF_VERDICT_INCONCLUSIVE ? CF_INCONCLUSIVE : CF_GATE);
}

static cf_status write_json(const cf_options *options, const cf_record *record, const cf_judgement *judgement,
                            cf_error *err)
{
    cf_text json = {0};
    cf_status status = cf_judgement_print(record, judgement, &json, err);
    if (!status)
        status = cf_cli_write(options->json, &json, err);
    cf_text_done(&json);
    return status;
}

cf_status cf_cli_report(const cf_options *options, const cf_record *record, const cf_judgement *judgement,
                        const cf_report_style *style, cf_text *out, cf_error *err)
{
    switch (options->format.set ? (cf_format)options->format.value : CF_FORMAT_TEXT) {
    case CF_FORMAT_MARKDOWN:
        return cf_report_markdown(record, judgement, style, out, err);
    case CF_FORMAT_CSV:
        return cf_report_csv(record, out, err);
    case CF_FORMAT_JSON:
        return cf_judgement_print(record, judgement, out, err);
    case CF_FORMAT_TEXT:
        break;
    }
    return cf_report_text(record, judgement, style, out, err);
}

static cf_status write_text(const cf_options *options, const cf_record *record, const cf_judgement *judgement,
                            const char *record_path, cf_error *err)
{
    cf_report_style style;
    cf_cli_style(options, stdout, record_path, &style);
    cf_text text = {0};
    cf_status status = options->quiet ? cf_report_verdict(record, judgement, &style, &text, err)
                                      : cf_cli_report(options, record, judgement, &style, &text, err);
    if (!status && options->explain && !options->quiet)
        status = cf_explain_append(options, record, &style, &text, err);
    if (!status)
        status = cf_cli_write(NULL, &text, err);
    cf_text_done(&text);
    return status;
}

int cf_cli_conclude(const cf_options *options, const cf_record *record, const cf_judgement *judgement,
                    const char *record_path)
{
    cf_error err = {0};
    cf_status status = CF_OK;
    if (options->json)
        status = write_json(options, record, judgement, &err);
    bool stdout_taken = options->json && cf_cli_is_stdout(options->json);
    if (!status && !stdout_taken)
        status = write_text(options, record, judgement, record_path, &err);
    return status ? cf_cli_fail(&err) : cf_cli_expect(options, judgement);
}

bool cf_cli_is_complete(const cf_record *record, int64_t min_rounds, int64_t max_rounds)
{
    cf_judgement judgement = {0};
    if ((int64_t)record->rounds.count < min_rounds || cf_judge(record, NULL, NULL, &judgement, NULL) != CF_OK)
        return false;
    bool complete = (int64_t)record->rounds.count >= max_rounds || cf_judgement_settled(record, &judgement);
    cf_judgement_done(&judgement);
    return complete;
}

int cf_cli_show_complete(const cf_options *options, const char *path)
{
    cf_options judged = *options;
    judged.record_path = path;
    cf_error err = {0};
    cf_record record = {0};
    cf_judgement judgement = {0};
    cf_cli_note("%s is decided, or has all its rounds: nothing was measured", path);
    cf_status status = cf_cli_judge(&judged, &record, &judgement, &err);
    int exit_status = status ? cf_cli_fail(&err) : cf_cli_conclude(&judged, &record, &judgement, path);
    cf_judgement_done(&judgement);
    cf_record_done(&record);
    return exit_status;
}
