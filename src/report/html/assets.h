/* The bytes that every page holds, put into the program when it is built. Internal to the room. */
#ifndef CF_REPORT_HTML_ASSETS_H
#define CF_REPORT_HTML_ASSETS_H

#include <stddef.h>

typedef struct cf_html_asset {
    const char *text; /* UTF-8, not NUL-terminated */
    size_t size_bytes;
} cf_html_asset;

cf_html_asset cf_html_vega(void); /* 0 bytes where the program was built without it */
cf_html_asset cf_html_app(void);
cf_html_asset cf_html_style(void);

#endif
