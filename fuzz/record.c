/* The record's reader: no text breaks it, and what it takes prints as JSON that it takes again, by the fast way and by
   the slow one, to the same bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

static cf_text print(cf_record *record)
{
    cf_text text = {0};
    if (cf_record_print(record, &text, NULL) != CF_OK)
        abort();
    cf_record_done(record);
    return text;
}

/* A blank in each round keeps the fast way from taking it. Within a string the quotes would be escaped. */
static cf_text slow_form(const cf_text *text)
{
    cf_text out = {0};
    const char *from = text->data;
    for (const char *at = strstr(from, "{\"round\":"); at; at = strstr(from, "{\"round\":")) {
        cf_text_add_bytes(&out, from, (size_t)(at - from) + 1);
        cf_text_add_bytes(&out, " ", 1);
        from = at + 1;
    }
    cf_text_add_bytes(&out, from, strlen(from));
    return out;
}

static void must_print_as(const cf_text *json, const cf_text *expected)
{
    cf_record record;
    if (cf_record_parse("again", json->data, json->size_bytes, &record, NULL) != CF_OK)
        abort();
    cf_text again = print(&record);
    if (again.size_bytes != expected->size_bytes || memcmp(again.data, expected->data, again.size_bytes) != 0)
        abort();
    cf_text_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    cf_record record;
    cf_error err = {0};
    const cf_status status = cf_record_parse("fuzz", (const char *)data, size_bytes, &record, &err);
    if (status != CF_OK) {
        if (status != CF_INPUT || strncmp(err.text, "fuzz:", 5) != 0)
            abort();
        return 0;
    }
    cf_text text = print(&record);
    cf_text slow = slow_form(&text);
    must_print_as(&text, &text);
    must_print_as(&slow, &text);
    cf_text_done(&slow);
    cf_text_done(&text);
    return 0;
}
