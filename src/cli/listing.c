#include "cli/listing.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "report/wrap.h"

void cf_listing_add(cf_listing *listing, const char *name, const char *text)
{
    if (listing->count == CF_LISTING_MAX)
        return;
    listing->names[listing->count] = name;
    listing->texts[listing->count++] = text;
}

/* Ends buf after its first sentence. */
static void end_after_sentence(char *buf)
{
    for (char *at = buf; *at; at++) {
        if (*at == '.' && (at[1] == ' ' || !at[1])) {
            *at = '\0';
            return;
        }
    }
}

/* A model says it in a key. */
static const char *about_key(const char *text)
{
    static const char key[] = "\nabout = ";
    const char *found = strstr(text, key);
    return found ? found + sizeof key - 1 : NULL;
}

const char *cf_listing_about(const char *text, char *buf, size_t buf_bytes)
{
    size_t used = 0;
    buf[0] = '\0';
    const char *key = about_key(text);
    if (key) {
        snprintf(buf, buf_bytes, "%.*s", (int)strcspn(key, "\n"), key);
        return buf;
    }
    while ((*text == ';' || *text == '#') && used + 1 < buf_bytes) {
        text += 1 + strspn(text + 1, " \t");
        size_t size_bytes = strcspn(text, "\n");
        int length = snprintf(buf + used, buf_bytes - used, "%s%.*s", used ? " " : "", (int)size_bytes, text);
        used += length > 0 ? (size_t)length : 0;
        text += size_bytes + (text[size_bytes] == '\n');
    }
    end_after_sentence(buf);
    return buf;
}

static size_t widest(const cf_listing *listing)
{
    size_t width = 0;
    for (size_t i = 0; i < listing->count; i++) {
        size_t columns = strlen(listing->names[i]);
        width = columns > width ? columns : width;
    }
    return width;
}

static int show_all(const cf_listing *listing)
{
    int indent = (int)widest(listing) + 2;
    cf_text text = {0};
    for (size_t i = 0; i < listing->count; i++) {
        char about[512];
        cf_listing_about(listing->texts[i], about, sizeof about);
        cf_report_wrap(&text, listing->names[i], about, CF_REPORT_COLUMNS, indent, indent);
    }
    cf_text_add(&text, "\n%s\n", listing->print_hint);
    return cf_cli_finish(&text, cf_status_exit(CF_OK));
}

int cf_listing_show(const cf_listing *listing, const char *name)
{
    if (!name)
        return show_all(listing);
    int found = cf_text_find(listing->names, name);
    if (found >= 0) {
        cf_text text = {0};
        cf_text_add(&text, "%s", listing->texts[found]);
        return cf_cli_finish(&text, cf_status_exit(CF_OK));
    }
    cf_error err = {0};
    const char *nearest = cf_text_nearest(listing->names, name);
    char list[512];
    if (nearest)
        cf_error_set(&err, CF_INPUT, "no built-in %s '%s'; did you mean %s?", listing->noun, name, nearest);
    else
        cf_error_set(&err, CF_INPUT, "no built-in %s '%s'; there are %s", listing->noun, name,
                     cf_text_list(listing->names, list, sizeof list));
    return cf_cli_fail(&err);
}
