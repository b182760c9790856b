/* INI by inih (libinih), with file and line on every item. */
#ifndef CF_BASE_INI_H
#define CF_BASE_INI_H

#include <stddef.h>

#include "base/error.h"

typedef struct cf_ini_item {
    char *section; /* "lane a", "" before the first header; inner white space squeezed to one blank */
    char *key;     /* NULL: the header line itself, so that an empty section is seen */
    char *value;   /* trimmed; "" allowed; NULL with key */
    int line;      /* 1-based; 0 = given on the command line */
} cf_ini_item;

typedef struct cf_ini {
    char *name; /* the file's name for messages */
    cf_ini_item *items;
    size_t count;
} cf_ini;

/* Parses text (size_bytes long; NUL inside is an error). Duplicate keys in a section, lines that are neither header,
   comment nor key = value, lines over 198 bytes: INPUT with "name:line: what was wrong; what is accepted". A section
   may be opened twice. ret_ini: caller frees with cf_ini_done. */
cf_status cf_ini_parse(const char *name, const char *text, size_t size_bytes, cf_ini *ret_ini,
                       cf_error *err) CF_MUST_CHECK;
/* Sets or replaces one value from "SECTION.KEY=VALUE" (dots in SECTION stand for blanks: lane.a.count=4). The item's
   line is 0. */
cf_status cf_ini_set(cf_ini *ini, const char *assignment, cf_error *err) CF_MUST_CHECK;
/* The last item of that section and key, NULL if absent. */
const cf_ini_item *cf_ini_find(const cf_ini *ini, const char *section, const char *key);
void cf_ini_done(cf_ini *ini);

/* "FILE:LINE: " or "--set SECTION.KEY: " for an item, for messages. Returns buf. */
const char *cf_ini_where(const cf_ini *ini, const cf_ini_item *item, char *buf, size_t buf_bytes);

#endif
