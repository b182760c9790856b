#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "report/sentence.h"

/* Instruments that have a better name in a sentence than their own. */
static const struct {
    const char *name, *phrase;
} phrases[] = {
    {"sync", "sync-only events"},
    {"timing", "timing events"},
    {"host-sync", "waits of the host after each operation"},
};

static void add_placement(const cf_view *view, const cf_record_variant *variant, char *buf, size_t buf_bytes)
{
    bool partly_where = variant->where && strcmp(variant->where, "both") != 0;
    bool partly_on = variant->where && variant->on && strcmp(variant->on, "both") != 0;
    if (!partly_where && !partly_on)
        return;
    char where[16], on[16];
    size_t used = strlen(buf);
    snprintf(buf + used, buf_bytes - used, " (%s%s%s)",
             partly_where ? cf_view_text(view, variant->where, where, sizeof where) : "on", partly_on ? " lane " : "",
             partly_on ? cf_view_text(view, variant->on, on, sizeof on) : "");
}

void cf_subject_of(const cf_view *view, const cf_variant_judgement *judged, cf_subject *ret_subject)
{
    const cf_record_variant *variant = cf_view_variant(view, judged);
    char name[CF_VIEW_NAME_BYTES];
    *ret_subject = (cf_subject){0};
    snprintf(ret_subject->name, sizeof ret_subject->name, "%s", cf_view_name(view, variant->name, name));
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++) {
        if (strcmp(phrases[i].name, variant->name) != 0)
            continue;
        snprintf(ret_subject->name, sizeof ret_subject->name, "%s", phrases[i].phrase);
        ret_subject->plural = true;
    }
    add_placement(view, variant, ret_subject->name, sizeof ret_subject->name);
    memcpy(ret_subject->begin, ret_subject->name, sizeof ret_subject->begin);
    if (ret_subject->plural) /* a phrase, which is ours */
        ret_subject->begin[0] = (char)toupper((unsigned char)ret_subject->begin[0]);
}
