#include "report/wrap.h"

#include <string.h>

#include "base/utf8.h"

static size_t width_of(const char *s, size_t size_bytes)
{
    char piece[8];
    size_t columns = 0;
    for (size_t at = 0; at < size_bytes;) {
        uint32_t code;
        size_t length = cf_utf8_decode(s + at, &code);
        length = length ? length : 1;
        memcpy(piece, s + at, length);
        piece[length] = '\0';
        columns += cf_text_columns(piece);
        at += length;
    }
    return columns;
}

size_t cf_report_fit(const char *s, size_t columns)
{
    size_t at = 0, used = 0;
    while (s[at]) {
        uint32_t code;
        size_t length = cf_utf8_decode(s + at, &code);
        length = length ? length : 1;
        used += width_of(s + at, length);
        if (used > columns)
            break;
        at += length;
    }
    return at;
}

static void pad(cf_text *out, size_t columns)
{
    cf_text_add(out, "%*s", (int)columns, "");
}

void cf_report_cell(cf_text *out, const char *s, size_t columns, bool utf8)
{
    size_t width = cf_text_columns(s);
    if (width > columns) {
        size_t fits = cf_report_fit(s, columns - 1);
        cf_text_add_bytes(out, s, fits);
        cf_text_add(out, "%s", utf8 ? "\u2026" : "~");
        width = width_of(s, fits) + 1;
    } else {
        cf_text_add(out, "%s", s);
    }
    pad(out, columns - width);
}

typedef struct line {
    cf_text *out;
    size_t columns, rest; /* width of a line, indent of all but the first */
    size_t used;          /* of the current line */
    bool fresh;           /* nothing but the indent is on it */
} line;

static void line_break(line *l)
{
    cf_text_add(l->out, "\n");
    pad(l->out, l->rest);
    l->used = l->rest;
    l->fresh = true;
}

static void line_word(line *l, const char *word, size_t size_bytes)
{
    size_t width = width_of(word, size_bytes);
    if (!l->fresh && l->used + 1 + width > l->columns)
        line_break(l);
    if (!l->fresh) {
        cf_text_add(l->out, " ");
        l->used++;
    }
    while (l->used + width > l->columns) { /* alone on its line and still too long */
        size_t fits = cf_report_fit(word, l->columns - l->used);
        fits = fits ? fits : size_bytes;
        cf_text_add_bytes(l->out, word, fits);
        word += fits;
        size_bytes -= fits;
        width = width_of(word, size_bytes);
        if (size_bytes)
            line_break(l);
    }
    cf_text_add_bytes(l->out, word, size_bytes);
    l->used += width;
    l->fresh = false;
}

void cf_report_wrap(cf_text *out, const char *before, const char *text, int columns, int first, int rest)
{
    line l = {.out = out, .columns = (size_t)columns, .rest = (size_t)rest};
    size_t begun = before ? cf_text_columns(before) : 0;
    cf_text_add(out, "%s", before ? before : "");
    if (begun >= (size_t)first && begun > 0) {
        line_break(&l);
    } else {
        pad(out, (size_t)first - begun);
        l.used = (size_t)first;
        l.fresh = true;
    }
    while (*text) {
        size_t size_bytes = strcspn(text, " \n");
        if (size_bytes)
            line_word(&l, text, size_bytes);
        text += size_bytes;
        if (*text == '\n') {
            cf_text_add(out, "\n");
            pad(out, (size_t)first);
            l.used = (size_t)first;
            l.fresh = true;
        }
        text += *text != '\0';
    }
    cf_text_add(out, "\n");
}

typedef struct spelling {
    uint32_t code;
    const char *ascii;
} spelling;

static const char *spell(uint32_t code)
{
    static const spelling spellings[] = {
        {0x2013, "-"},  {0x2014, "-"}, {0x2018, "'"}, {0x2019, "'"}, {0x201c, "\""},
        {0x201d, "\""}, {0x2026, "~"}, {0x2212, "-"}, {0xd7, "x"},
    };
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        if (spellings[i].code == code)
            return spellings[i].ascii;
    }
    return "?";
}

const char *cf_report_ascii(const char *s, char *buf, size_t buf_bytes)
{
    size_t used = 0;
    while (*s && used + 1 < buf_bytes) {
        uint32_t code = 0;
        size_t length = cf_utf8_decode(s, &code);
        buf[used++] = length == 1 ? *s : *spell(code);
        s += length ? length : 1;
    }
    buf[used] = '\0';
    return buf;
}
