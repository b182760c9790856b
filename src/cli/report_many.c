#include "cli/report_many.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "record/file.h"
#include "report/set.h"

#define WHOLE_MOST 24 /* records that a page shows whole; of the others it has the comparison */

typedef struct many {
    const cf_options *options;
    cf_set set;
    cf_set_judgement judgement;
    cf_report_pages pages;
    cf_report_style style;
    cf_cli_parts parts; /* text: of CSV and JSON what was added so far */
} many;

static cf_format format_of(const cf_options *options)
{
    return options->format.set ? (cf_format)options->format.value : CF_FORMAT_TEXT;
}

/* The file's name without folder and ending, where no other record has the same one. */
static char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = cf_text_dup(slash && slash[1] ? slash + 1 : path);
    size_t size_bytes = name ? strlen(name) : 0;
    if (size_bytes > 5 && !strcmp(name + size_bytes - 5, ".json"))
        name[size_bytes - 5] = '\0';
    return name;
}

static bool is_unique(const cf_option_strings *paths, const char *name)
{
    int count = 0;
    for (size_t i = 0; i < paths->count; i++) {
        char *other = short_name(paths->items[i]);
        count += other && !strcmp(other, name);
        free(other);
    }
    return count == 1;
}

static cf_status add_member(many *m, const char *path, cf_error *err)
{
    cf_set_member *member = &m->set.members[m->set.member_count];
    char *name = short_name(path);
    *member =
        (cf_set_member){.group = m->set.member_count, .process = 1, .state = CF_SET_DONE, .path = cf_text_dup(path)};
    m->set.member_count++;
    cf_status status = name && member->path ? CF_OK : cf_error_set(err, CF_MEMORY, "out of memory");
    if (!status)
        status = cf_set_strings_add(&m->set.values, is_unique(&m->options->records, name) ? name : path, err);
    free(name);
    return status;
}

static cf_status make_set(many *m, cf_error *err)
{
    const cf_option_strings *records = &m->options->records;
    int standard_input = 0;
    if (m->options->explain || m->options->trace)
        return cf_error_set(err, CF_INPUT, "%s: it is of the commands of one record, and %zu were given",
                            m->options->explain ? "--explain" : "--trace", records->count);
    if (records->count > CF_SET_MEMBERS_MAX)
        return cf_error_set(err, CF_INPUT, "%zu records are too many; at most %d are compared", records->count,
                            CF_SET_MEMBERS_MAX);
    m->set.kind = CF_SET_RECORDS;
    m->set.processes = 1;
    m->set.key = cf_text_dup("record");
    m->set.members = calloc(records->count, sizeof *m->set.members);
    if (!m->set.key || !m->set.members)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    for (size_t i = 0; i < records->count; i++) {
        const char *path = records->items[i];
        standard_input += !strcmp(path, "-");
        if (standard_input > 1)
            return cf_error_set(err, CF_INPUT, "- (standard input) can be one record only");
        if (strcmp(path, "-") != 0 && cf_set_is_document(path))
            return cf_error_set(err, CF_INPUT, "%s: it is a set; records are compared, a set is shown alone", path);
        cf_status status = add_member(m, path, err);
        if (status)
            return status;
    }
    return cf_set_judgement_init(&m->set, &m->judgement, err);
}

static cf_status add_json(many *m, const cf_record *record, const cf_judgement *judged, cf_error *err)
{
    cf_text one = {0};
    cf_status status = cf_judgement_print(record, judged, &one, err);
    cf_text_add(&m->parts.text, "%s", m->parts.text.size_bytes ? ",\n" : "[\n");
    cf_text_add_bytes(&m->parts.text, one.data ? one.data : "", one.size_bytes);
    m->parts.text.failed |= one.failed;
    cf_text_done(&one);
    return status;
}

/* What needs a record's rounds is made here; they are not kept. */
static cf_status take(many *m, int member, cf_record *record, cf_judgement *judged, cf_error *err)
{
    cf_status status = CF_OK;
    const char *label = m->set.values.items[member];
    bool wants_text = cf_cli_wants_text(m->options);
    if (record->metric.on)
        return cf_error_set(err, CF_INPUT, "%s: it is of whole programs and has no overlap to compare; show it alone",
                            m->set.members[member].path);
    if (wants_text && format_of(m->options) == CF_FORMAT_CSV)
        status = cf_report_csv_add(record, label, &m->parts.text, err);
    else if (wants_text && format_of(m->options) == CF_FORMAT_JSON)
        status = add_json(m, record, judged, err);
    if (!status && m->options->html && m->pages.count < WHOLE_MOST) {
        cf_report_style style = m->style;
        style.record_path = m->set.members[member].path;
        status = cf_report_pages_add(&m->pages, label, record, judged, &style, err);
    }
    if (!status)
        cf_set_judgement_take(&m->judgement, member, record, judged);
    return status;
}

static cf_status take_all(many *m, cf_error *err)
{
    cf_status status = CF_OK;
    for (int i = 0; i < m->set.member_count && !status; i++) {
        cf_options one = *m->options;
        cf_record record = {0};
        cf_judgement judged = {0};
        one.record_path = m->set.members[i].path;
        status = cf_cli_judge(&one, &record, &judged, err);
        if (!status)
            status = take(m, i, &record, &judged, err);
        cf_judgement_done(&judged);
        cf_record_done(&record);
    }
    return status;
}

static cf_status print(many *m, cf_error *err)
{
    cf_status status = cf_set_judgement_combine(&m->judgement, err);
    if (!status && m->options->html)
        status = cf_report_set_html(&m->judgement, &m->pages, &m->style, &m->parts.page, err);
    if (status || !cf_cli_wants_text(m->options))
        return status;
    switch (format_of(m->options)) {
    case CF_FORMAT_MARKDOWN:
        return cf_report_set_markdown(&m->judgement, &m->style, &m->parts.text, err);
    case CF_FORMAT_JSON:
        cf_text_add(&m->parts.text, "]\n");
        return CF_OK;
    case CF_FORMAT_CSV:
        return CF_OK;
    case CF_FORMAT_TEXT:
        break;
    }
    return cf_report_set_text(&m->judgement, &m->style, &m->parts.text, err);
}

int cf_report_many(const cf_options *options)
{
    cf_error err = {0};
    many m = {.options = options};
    cf_cli_style(options, cf_cli_is_stdout(options->output) ? stdout : NULL, NULL, &m.style);
    cf_status status = cf_cli_check_places(options, &err);
    if (!status)
        status = make_set(&m, &err);
    if (!status)
        status = take_all(&m, &err);
    if (!status)
        status = print(&m, &err);
    if (!status)
        status = cf_cli_write_report(options, &m.parts, &err);
    cf_text_done(&m.parts.text);
    cf_text_done(&m.parts.page);
    cf_report_pages_done(&m.pages);
    cf_set_judgement_done(&m.judgement);
    cf_set_done(&m.set);
    return status ? cf_cli_fail(&err) : cf_status_exit(CF_OK);
}
