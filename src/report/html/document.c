/* Pages: of one record. */
#include "report/html/html.h"

static void add_title(const cf_view *view, cf_text *out)
{
    cf_text_add(out, "confound: %s, ", cf_verdict_name(view->judgement->verdict));
    cf_view_title(view, out);
}

cf_status cf_report_html(const cf_record *record, const cf_judgement *judgement, const cf_report_style *style,
                         cf_text *out, cf_error *err)
{
    cf_view view;
    cf_view_init(&view, record, judgement, style);
    view.style.utf8 = true;
    char path[1536];
    cf_text body = {0}, data = {0}, title = {0};
    cf_json json = {.out = &data};
    add_title(&view, &title);
    cf_html_record(&view, 0, &body);
    cf_json_object_begin(&json, NULL, false);
    cf_json_array_begin(&json, "records", false);
    cf_status status = cf_html_record_data(&view, &json, err);
    cf_json_array_end(&json);
    cf_json_object_end(&json);
    cf_html_page(out, title.data ? title.data : "confound",
                 style->record_path ? cf_view_text(&view, style->record_path, path, sizeof path) : "", &body, &data);
    out->failed |= title.failed;
    cf_text_done(&title);
    cf_text_done(&body);
    cf_text_done(&data);
    if (status)
        return status;
    return out->failed ? cf_error_set(err, CF_MEMORY, "out of memory") : CF_OK;
}
