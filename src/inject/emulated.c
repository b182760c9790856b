#include "base/emulated.h"

#include <stdio.h>

#include "inject/inject.h"

typedef struct lines {
    char *at;
    size_t left;
} lines;

/* A line that has no room is left out whole. number 0: the name has none. */
static void put_line(lines *to, const char *name, int number, const char *text)
{
    char numbered[32];
    snprintf(numbered, sizeof numbered, number ? "%s-%d" : "%s", name, number);
    const int length = snprintf(to->at, to->left, "%s=%s\n", numbered, text);
    if (length < 0 || (size_t)length >= to->left) {
        *to->at = '\0';
        return;
    }
    to->at += length;
    to->left -= (size_t)length;
}

static void put_list(lines *to, const char *name, const char *const *texts)
{
    for (int i = 0; texts[i]; i++)
        put_line(to, name, i + 1, texts[i]);
}

void cf_inject_describe_emulated(cf_wire *wire)
{
    const cf_emulated *found = cf_emulated_find();
    char about[CF_WIRE_TEXT];
    if (!found)
        return;
    lines to = {wire->emulated, sizeof wire->emulated};
    snprintf(about, sizeof about, "%s: %s", found->model, found->device);
    put_line(&to, "emulated", 0, about);
    put_list(&to, "assumption", found->assumptions);
    put_list(&to, "taken-away", found->taken_away);
}
