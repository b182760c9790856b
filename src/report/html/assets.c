#include "report/html/assets.h"

#include <stdint.h>

/* The assembler takes the bytes as they are: half a megabyte as an array of C would be slow to compile. */
#define EMBED(symbol, path)                                                                                            \
    __asm__(".pushsection .rodata\n"                                                                                   \
            ".balign 16\n"                                                                                             \
            ".hidden " #symbol "_begin\n"                                                                              \
            ".globl " #symbol "_begin\n" #symbol "_begin:\n"                                                           \
            ".incbin \"" path "\"\n"                                                                                   \
            ".hidden " #symbol "_end\n"                                                                                \
            ".globl " #symbol "_end\n" #symbol "_end:\n"                                                               \
            ".byte 0\n"                                                                                                \
            ".popsection\n")

EMBED(cf_html_vega, CF_HTML_VEGA);
EMBED(cf_html_app, CF_HTML_APP);
EMBED(cf_html_style, CF_HTML_STYLE);

extern const char cf_html_vega_begin[], cf_html_vega_end[];
extern const char cf_html_app_begin[], cf_html_app_end[];
extern const char cf_html_style_begin[], cf_html_style_end[];

static cf_html_asset asset(const char *begin, const char *end)
{
    return (cf_html_asset){.text = begin, .size_bytes = (size_t)((uintptr_t)end - (uintptr_t)begin)};
}

cf_html_asset cf_html_vega(void)
{
    return asset(cf_html_vega_begin, cf_html_vega_end);
}

cf_html_asset cf_html_app(void)
{
    return asset(cf_html_app_begin, cf_html_app_end);
}

cf_html_asset cf_html_style(void)
{
    return asset(cf_html_style_begin, cf_html_style_end);
}
