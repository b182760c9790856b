/* What people read: lists, near misses, text that is safe on a terminal and how wide it is there. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/utf8.h"

#define LONGEST_NAME 63

int cf_text_find(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], name) == 0)
            return i;
    }
    return -1;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST_NAME + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        last[j] = before[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        now[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
        size_t *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[b_length];
}

const char *cf_text_nearest(const char *const *names, const char *name)
{
    const size_t length = strlen(name);
    if (length == 0 || length > LONGEST_NAME)
        return NULL;
    size_t best = least(1 + length / 3, 3) + 1;
    const char *nearest = NULL;
    for (; *names; names++) {
        const size_t other = strlen(*names);
        if (other > LONGEST_NAME)
            continue;
        const size_t edits = distance(name, length, *names, other);
        if (edits < best && edits < length) {
            best = edits;
            nearest = *names;
        }
    }
    return nearest;
}

const char *cf_text_list(const char *const *names, char *buf, size_t buf_bytes)
{
    size_t used = 0;
    if (buf_bytes)
        buf[0] = 0;
    for (size_t i = 0; names[i] && used < buf_bytes; i++) {
        const char *join = i == 0 ? "" : names[i + 1] ? ", " : " or ";
        const int length = snprintf(buf + used, buf_bytes - used, "%s%s", join, names[i]);
        used += length > 0 ? (size_t)length : 0;
    }
    return buf;
}

static bool is_unsafe(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

const char *cf_text_safe(const char *s, char *buf, size_t buf_bytes)
{
    if (!buf_bytes)
        return buf;
    size_t used = 0;
    while (*s) {
        uint32_t code;
        const size_t length = cf_utf8_decode(s, &code);
        const bool shown = length && !is_unsafe(code);
        const size_t out = shown ? length : 1;
        if (used + out >= buf_bytes)
            break;
        if (shown)
            memcpy(buf + used, s, length);
        else
            buf[used] = '?';
        used += out;
        s += length ? length : 1;
    }
    buf[used] = 0;
    return buf;
}

typedef struct range {
    uint32_t first, last;
} range;

/* Blocks of combining marks and of wide characters, after Unicode 15's general category Mn/Me/Cf and East Asian Width
   W/F, whole blocks only. wcwidth() would do, but it answers for the process's locale, which may be "C". */
static const range zero_width[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},   {0x06d6, 0x06dc},
    {0x0900, 0x0902}, {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d}, {0x0e31, 0x0e31},   {0x0e34, 0x0e3a},
    {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x2069},
    {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
};
static const range double_width[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},   {0x25fd, 0x25fe},
    {0x2614, 0x2615},   {0x26a1, 0x26a1},   {0x2705, 0x2705},   {0x274c, 0x274c},   {0x2795, 0x2797},
    {0x2b1b, 0x2b1c},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},
    {0xa000, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
    {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb},
    {0x1f900, 0x1f9ff}, {0x20000, 0x2fffd}, {0x30000, 0x3fffd},
};

static bool is_in(const range *ranges, size_t count, uint32_t code)
{
    size_t low = 0;
    while (low < count) {
        const size_t middle = low + (count - low) / 2;
        if (code > ranges[middle].last)
            low = middle + 1;
        else
            count = middle;
        if (code >= ranges[middle].first && code <= ranges[middle].last)
            return true;
    }
    return false;
}

size_t cf_text_columns(const char *s)
{
    size_t columns = 0;
    while (*s) {
        uint32_t code;
        const size_t length = cf_utf8_decode(s, &code);
        if (!length || code < 0x300)
            columns++; /* a broken byte takes a column: it is shown as '?' */
        else if (!is_in(zero_width, sizeof zero_width / sizeof zero_width[0], code))
            columns += is_in(double_width, sizeof double_width / sizeof double_width[0], code) ? 2 : 1;
        s += length ? length : 1;
    }
    return columns;
}

/* A blank of no width: breaks a mention, a reference and a link without being seen. */
#define NO_LINK "\u200b"

void cf_text_add_markdown(cf_text *text, const char *s)
{
    const char *begin = s;
    while (*s) {
        uint32_t code;
        const size_t length = cf_utf8_decode(s, &code);
        const bool shown = length && !is_unsafe(code);
        cf_text_add(text, "%s", shown && strchr("\\`*_{}[]<>#|&~$", *s) ? "\\" : "");
        cf_text_add_bytes(text, shown ? s : "?", shown ? length : 1);
        const bool www = *s == '.' && s - begin >= 3 && !strncasecmp(s - 3, "www", 3);
        if (*s == '@' || *s == '#' || (*s == ':' && s[1] == '/') || www)
            cf_text_add(text, NO_LINK);
        s += length ? length : 1;
    }
}
