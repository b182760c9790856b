#include "plan/escape.h"

#include <stdlib.h>
#include <string.h>

/* A blank of no width before what would begin a list or a heading. */
#define NO_BLOCK "\u200b"

char *cf_plan_safe(const char *s)
{
    size_t bytes = strlen(s) + 1;
    char *line = cf_text_dup(s), *safe = malloc(bytes);
    for (char *at = line; at && *at; at++) {
        if (strchr("\t\r\n", *at))
            *at = ' ';
    }
    if (line && safe)
        cf_text_safe(line, safe, bytes);
    else
        free(safe);
    bool ok = line && safe;
    free(line);
    return ok ? safe : NULL;
}

void cf_plan_add_safe(cf_text *out, const char *s)
{
    char *safe = cf_plan_safe(s);
    if (safe)
        cf_text_add_bytes(out, safe, strlen(safe));
    out->failed |= !safe;
    free(safe);
}

void cf_plan_add_markdown(cf_text *out, const char *s)
{
    char *safe = cf_plan_safe(s);
    if (safe && *safe && strchr("-+=", *safe))
        cf_text_add(out, NO_BLOCK);
    if (safe)
        cf_text_add_markdown(out, safe);
    out->failed |= !safe;
    free(safe);
}

static bool is_open(const char *s, const char *begin)
{
    static const char open[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._~+@";
    return strchr(open, *s) || (*s == '-' && (s == begin || s[-1] != '-'));
}

void cf_plan_add_encoded(cf_text *out, const char *s)
{
    for (const char *begin = s; *s; s++) {
        if (is_open(s, begin))
            cf_text_add(out, "%c", *s);
        else
            cf_text_add(out, "%%%02X", (unsigned)(unsigned char)*s);
    }
}

static int hex_value(char c)
{
    const char *digits = "0123456789abcdef0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) % 16 : -1;
}

bool cf_plan_decode(char *s)
{
    char *to = s;
    for (; *s; s++) {
        if (*s != '%') {
            *to++ = *s;
            continue;
        }
        int high = hex_value(s[1]), low = high < 0 ? -1 : hex_value(s[2]);
        if (low < 0 || high * 16 + low == 0)
            return false;
        *to++ = (char)(high * 16 + low);
        s += 2;
    }
    *to = '\0';
    return true;
}

void cf_plan_add_github(cf_text *out, const char *s, bool property)
{
    char *safe = cf_plan_safe(s);
    for (const char *at = safe; at && *at; at++) {
        if (strchr(property ? "%\r\n:," : "%\r\n", *at))
            cf_text_add(out, "%%%02X", (unsigned)(unsigned char)*at);
        else
            cf_text_add(out, "%c", *at);
    }
    out->failed |= !safe;
    free(safe);
}

void cf_plan_json_text(cf_json *json, const char *key, const char *s)
{
    char *safe = s ? cf_plan_safe(s) : NULL;
    cf_json_string(json, key, safe);
    json->out->failed |= s && !safe;
    free(safe);
}
