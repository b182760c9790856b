#include "confound/report.h"

#include <stdlib.h>
#include <string.h>

#include "api/object.h"
#include "base/locale.h"
#include "report/report.h"

confound_status cf_api_text(cf_status status, cf_text *text, char **ret_text, size_t *ret_size_bytes,
                            const cf_error *error, confound_error *err)
{
    cf_text_add_bytes(text, "", 0);
    if (status == CF_OK && (text->failed || !text->data)) {
        cf_text_done(text);
        return cf_api_fail(err, CF_MEMORY, "out of memory");
    }
    if (status != CF_OK) {
        cf_text_done(text);
        return cf_api_status(status, error, err);
    }
    if (ret_size_bytes)
        *ret_size_bytes = text->size_bytes;
    *ret_text = text->data;
    *text = (cf_text){0};
    return CONFOUND_OK;
}

static cf_status print(const confound_record *record, const confound_judgement *judgement, confound_format format,
                       const cf_report_style *style, cf_text *out, cf_error *error)
{
    const cf_record *r = &record->record;
    const cf_judgement *j = &judgement->judgement;
    switch (format) {
    case CONFOUND_FORMAT_TEXT:
        return cf_report_text(r, j, style, out, error);
    case CONFOUND_FORMAT_VERDICT:
        return cf_report_verdict(r, j, style, out, error);
    case CONFOUND_FORMAT_MARKDOWN:
        return cf_report_markdown(r, j, style, out, error);
    case CONFOUND_FORMAT_HTML:
        return cf_report_html(r, j, style, out, error);
    case CONFOUND_FORMAT_CSV:
        return cf_report_csv(r, out, error);
    }
    return cf_error_set(error, CF_INPUT, "no format %d", (int)format);
}

confound_status confound_report(const confound_record *record, const confound_judgement *judgement,
                                confound_format format, int show, int columns, const char *record_path, char **ret_text,
                                size_t *ret_size_bytes, confound_error *err)
{
    if (strcmp(record->sha256_hex, judgement->judgement.record_sha256) != 0)
        return cf_api_fail(err, CF_INPUT, "the judgement is of another record");
    cf_report_style style = {
        .color = (show & CONFOUND_SHOW_COLOR) != 0,
        .utf8 = (show & CONFOUND_SHOW_UTF8) != 0,
        .verbose = (show & CONFOUND_SHOW_VERBOSE) != 0,
        .columns = columns > 0 ? columns : 0,
        .record_path = record_path,
    };
    cf_text text = {0};
    cf_error error = {0};
    const locale_t before = cf_locale_begin();
    cf_status status = print(record, judgement, format, &style, &text, &error);
    cf_locale_end(before);
    return cf_api_text(status, &text, ret_text, ret_size_bytes, &error, err);
}

void confound_text_free(char *text)
{
    free(text);
}
