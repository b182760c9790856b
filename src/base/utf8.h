/* UTF-8, one character at a time. */
#ifndef CF_BASE_UTF8_H
#define CF_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length in bytes of the valid character at s (NUL-terminated), its code point in ret_code; 0 at the end of the text
   and on broken bytes (overlong forms, surrogates and what lies above U+10FFFF included). */
static inline size_t cf_utf8_decode(const char *s, uint32_t *ret_code)
{
    const unsigned char *u = (const unsigned char *)s;
    if (u[0] < 0x80) {
        *ret_code = u[0];
        return u[0] != 0;
    }
    const size_t length = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    if (u[0] < 0xc2 || u[0] > 0xf4)
        return 0;
    uint32_t code = u[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((u[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (u[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return 0;
    *ret_code = code;
    return length;
}

#endif
