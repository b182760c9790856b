#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/locale.h"
#include "base/text.h"

static const struct {
    const char *name;
    int exit_status;
    const char *meaning;
} statuses[] = {
#define X(name, exit_status, meaning) {#name, exit_status, meaning},
    CF_STATUS_TABLE(X)
#undef X
};

static void put(cf_error *err, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));

/* Through a buffer of its own, because an argument may be err's own text. */
static void put(cf_error *err, const char *fmt, va_list args)
{
    char raw[2 * sizeof err->text];
    const locale_t before = cf_locale_begin();
    const int length = vsnprintf(raw, sizeof raw, fmt, args);
    cf_locale_end(before);
    if (length < 0)
        raw[0] = 0;
    cf_text_safe(raw, err->text, sizeof err->text);
}

cf_status(cf_error_set)(cf_error *err, cf_status status, const char *fmt, ...)
{
    if (!err)
        return status;
    va_list args;
    va_start(args, fmt);
    put(err, fmt, args);
    va_end(args);
    err->status = status;
    err->call[0] = 0;
    err->native = 0;
    return status;
}

cf_status(cf_error_set_call)(cf_error *err, cf_status status, const char *call, int64_t native, const char *fmt, ...)
{
    if (!err)
        return status;
    va_list args;
    va_start(args, fmt);
    put(err, fmt, args);
    va_end(args);
    err->status = status;
    cf_text_safe(call ? call : "", err->call, sizeof err->call);
    err->native = native;
    return status;
}

cf_status cf_error_prefix(cf_error *err, const char *fmt, ...)
{
    if (!err)
        return CF_OK;
    char old[sizeof err->text];
    memcpy(old, err->text, sizeof old);
    va_list args;
    va_start(args, fmt);
    put(err, fmt, args);
    va_end(args);
    const size_t length = strlen(err->text);
    snprintf(err->text + length, sizeof err->text - length, ": %s", old);
    char whole[sizeof err->text];
    memcpy(whole, err->text, sizeof whole);
    cf_text_safe(whole, err->text, sizeof err->text); /* the cut may have split a character */
    return err->status;
}

const char *cf_status_name(cf_status status)
{
    return (unsigned)status < CF_STATUS_COUNT ? statuses[status].name : "?";
}

const char *cf_status_meaning(cf_status status)
{
    return (unsigned)status < CF_STATUS_COUNT ? statuses[status].meaning : "unknown status";
}

int cf_status_exit(cf_status status)
{
    return (unsigned)status < CF_STATUS_COUNT ? statuses[status].exit_status : 5;
}
