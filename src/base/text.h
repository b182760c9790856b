/* Text: numbers with units, names from lists, what may be shown on a terminal. No function here allocates unless
   it says so. */
#ifndef CF_BASE_TEXT_H
#define CF_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Growable text; zero-initialise. data is always NUL-terminated once anything was added; free with cf_text_done. An
   allocation failure sets `failed` and later adds do nothing, so that a caller checks once at the end. */
typedef struct cf_text {
    char *data;
    size_t size_bytes;
    size_t capacity_bytes;
    bool failed;
} cf_text;
void cf_text_add(cf_text *text, const char *fmt, ...) CF_PRINTF(2, 3);
void cf_text_add_bytes(cf_text *text, const void *bytes, size_t size_bytes);
void cf_text_done(cf_text *text);

/* Parsers of one whole trimmed value: false when it is not exactly of the form, is out of [min, max], or overflows.
   ret is written on success only. */
bool cf_text_parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *ret);
bool cf_text_parse_double(const char *s, double min, double max, double *ret); /* finite, '.' only */
bool cf_text_parse_bool(const char *s, bool *ret);                             /* yes no true false on off 1 0 */
bool cf_text_parse_ns(const char *s, uint64_t max, uint64_t *ret);             /* 250, 250ns, 2.5us, 1ms, 1s */
bool cf_text_parse_bytes(const char *s, uint64_t max, uint64_t *ret);          /* 4096, 64KiB, 4MiB, 1GiB */
/* A decimal such as "0.75" as the exact reduced fraction p/q (at most 9 decimals), 0 < p/q <= 1. */
bool cf_text_parse_fraction(const char *s, uint32_t *ret_p, uint32_t *ret_q);

/* Index of name in a NULL-terminated list, -1 if absent. */
int cf_text_find(const char *const *names, const char *name);
/* The nearest of names by edit distance, NULL if none is near enough to be a misspelling. */
const char *cf_text_nearest(const char *const *names, const char *name);
/* "a, b or c" into buf. Returns buf. */
const char *cf_text_list(const char *const *names, char *buf, size_t buf_bytes);

/* Copies s for a terminal or a log: valid UTF-8 stays, control characters (C0, DEL, C1), bidi controls and broken
   bytes become '?'. Returns buf. */
const char *cf_text_safe(const char *s, char *buf, size_t buf_bytes);
/* Columns that valid UTF-8 text takes on a terminal (combining marks 0, wide 2). */
size_t cf_text_columns(const char *s);

/* Adds s as one line of Markdown that reads as it is: no markup, no HTML, no mention of a person, no reference to an
   issue, no link, and '?' for what cf_text_safe replaces. A "-", "+" or "=" at its beginning is left to the caller. */
void cf_text_add_markdown(cf_text *text, const char *s);

/* The shortest decimal that reads back as exactly value (finite); at least 32 bytes of buf. Returns buf. */
const char *cf_text_shortest(double value, char *buf, size_t buf_bytes);

char *cf_text_dup(const char *s);                           /* caller owns; NULL only out of memory */
char *cf_text_format(const char *fmt, ...) CF_PRINTF(1, 2); /* caller owns; NULL only out of memory */

/* Puts own, which was allocated, in place of *at; a copy of s, which may be NULL. MEMORY: own is NULL, and *at as it
 * was.
 */
cf_status cf_text_put(char **at, char *own, cf_error *err) CF_MUST_CHECK;
cf_status cf_text_put_copy(char **at, const char *s, cf_error *err) CF_MUST_CHECK;

#endif
