#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"

static bool reserve(cf_text *text, size_t more_bytes)
{
    if (text->failed)
        return false;
    if (text->capacity_bytes - text->size_bytes > more_bytes) /* one stays for the NUL */
        return true;
    if (more_bytes >= SIZE_MAX / 2 - text->size_bytes) {
        text->failed = true;
        return false;
    }
    size_t capacity_bytes = text->capacity_bytes ? text->capacity_bytes : 128;
    while (capacity_bytes - text->size_bytes <= more_bytes)
        capacity_bytes *= 2;
    char *data = realloc(text->data, capacity_bytes);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity_bytes = capacity_bytes;
    return true;
}

void cf_text_add(cf_text *text, const char *fmt, ...)
{
    if (!reserve(text, 0))
        return;
    const locale_t before = cf_locale_begin();
    for (int attempt = 0; attempt < 2; attempt++) {
        va_list args;
        va_start(args, fmt);
        const size_t room_bytes = text->capacity_bytes - text->size_bytes;
        const int length = vsnprintf(text->data + text->size_bytes, room_bytes, fmt, args);
        va_end(args);
        if (length < 0) {
            text->data[text->size_bytes] = 0;
            text->failed = true;
            break;
        }
        if ((size_t)length < room_bytes) {
            text->size_bytes += (size_t)length;
            break;
        }
        text->data[text->size_bytes] = 0;
        if (!reserve(text, (size_t)length))
            break;
    }
    cf_locale_end(before);
}

void cf_text_add_bytes(cf_text *text, const void *bytes, size_t size_bytes)
{
    if (!reserve(text, size_bytes))
        return;
    if (size_bytes)
        memcpy(text->data + text->size_bytes, bytes, size_bytes);
    text->size_bytes += size_bytes;
    text->data[text->size_bytes] = 0;
}

void cf_text_done(cf_text *text)
{
    if (!text)
        return;
    free(text->data);
    *text = (cf_text){0};
}

/* "d.ddde+dd" of the fewest digits that read back, taken apart. Returns the digit count. */
static int shortest_digits(double value, char digits[18], int *ret_exponent)
{
    char buf[40];
    const locale_t before = cf_locale_begin();
    for (int precision = 0; precision < 17; precision++) {
        snprintf(buf, sizeof buf, "%.*e", precision, value);
        if (strtod(buf, NULL) == value)
            break;
    }
    cf_locale_end(before);
    int count = 0;
    const char *s = buf;
    for (; *s != 'e'; s++) {
        if (*s != '.')
            digits[count++] = *s;
    }
    *ret_exponent = (int)strtol(s + 1, NULL, 10);
    while (count > 1 && digits[count - 1] == '0')
        count--;
    digits[count] = 0;
    return count;
}

const char *cf_text_shortest(double value, char *buf, size_t buf_bytes)
{
    if (!isfinite(value)) {
        snprintf(buf, buf_bytes, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return buf;
    }
    const char *sign = signbit(value) ? "-" : "";
    char digits[18];
    int exponent;
    const int count = shortest_digits(fabs(value), digits, &exponent);
    if (exponent < -4 || exponent >= 16)
        snprintf(buf, buf_bytes, "%s%c%s%se%+03d", sign, digits[0], count > 1 ? "." : "", digits + 1, exponent);
    else if (exponent < 0)
        snprintf(buf, buf_bytes, "%s0.%.*s%s", sign, -exponent - 1, "000", digits);
    else if (count <= exponent + 1)
        snprintf(buf, buf_bytes, "%s%s%.*s.0", sign, digits, exponent + 1 - count, "0000000000000000");
    else
        snprintf(buf, buf_bytes, "%s%.*s.%s", sign, exponent + 1, digits, digits + exponent + 1);
    return buf;
}

char *cf_text_dup(const char *s)
{
    return strdup(s);
}

char *cf_text_format(const char *fmt, ...)
{
    char *text = NULL;
    const locale_t before = cf_locale_begin();
    va_list args;
    va_start(args, fmt);
    const int length = vasprintf(&text, fmt, args);
    va_end(args);
    cf_locale_end(before);
    return length < 0 ? NULL : text;
}

cf_status cf_text_put(char **at, char *own, cf_error *err)
{
    if (!own)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    free(*at);
    *at = own;
    return CF_OK;
}

cf_status cf_text_put_copy(char **at, const char *s, cf_error *err)
{
    if (s)
        return cf_text_put(at, cf_text_dup(s), err);
    free(*at);
    *at = NULL;
    return CF_OK;
}
