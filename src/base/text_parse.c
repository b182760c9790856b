/* Values with units. Decimals are parsed as integers, so that 0.1us is 100 ns and not 100.00000000000001. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "base/text.h"

#define MAX_DECIMALS 9

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* At least one digit; false on overflow. Moves *s behind them. */
static bool digits_u64(const char **s, uint64_t *ret)
{
    if (!is_digit(**s))
        return false;
    uint64_t value = 0;
    for (; is_digit(**s); (*s)++) {
        if (__builtin_mul_overflow(value, 10u, &value) || __builtin_add_overflow(value, (uint64_t)(**s - '0'), &value))
            return false;
    }
    *ret = value;
    return true;
}

/* "12" or "12.0340" as whole + part / scale, scale a power of ten of at most 10^9 once trailing zeros are gone. */
static bool decimal(const char **s, uint64_t *ret_whole, uint64_t *ret_part, uint64_t *ret_scale)
{
    *ret_part = 0;
    *ret_scale = 1;
    if (!digits_u64(s, ret_whole))
        return false;
    if (**s != '.')
        return true;
    (*s)++;
    const size_t length = strspn(*s, "0123456789");
    size_t significant = length;
    while (significant && (*s)[significant - 1] == '0')
        significant--;
    if (!length || significant > MAX_DECIMALS)
        return false;
    for (size_t i = 0; i < significant; i++) {
        *ret_part = *ret_part * 10 + (uint64_t)((*s)[i] - '0');
        *ret_scale *= 10;
    }
    *s += length;
    return true;
}

typedef struct unit {
    const char *name;
    uint64_t factor; /* at most 2^30, so that part * factor fits */
} unit;

static bool scaled(const char *s, const unit *units, uint64_t max, uint64_t *ret)
{
    uint64_t whole, part, scale;
    if (!s || !decimal(&s, &whole, &part, &scale))
        return false;
    while (units->name && strcmp(units->name, s) != 0)
        units++;
    if (!units->name || part * units->factor % scale != 0)
        return false;
    uint64_t value;
    if (__builtin_mul_overflow(whole, units->factor, &value) ||
        __builtin_add_overflow(value, part * units->factor / scale, &value) || value > max)
        return false;
    *ret = value;
    return true;
}

bool cf_text_parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *ret)
{
    uint64_t value;
    if (!s || !digits_u64(&s, &value) || *s || value < min || value > max)
        return false;
    *ret = value;
    return true;
}

/* [+-] digits [. digits] [e [+-] digits]: strtod alone would take hexadecimal, "inf" and leading white space. */
static bool is_double(const char *s)
{
    s += *s == '-' || *s == '+';
    if (!is_digit(*s))
        return false;
    s += strspn(s, "0123456789");
    if (*s == '.') {
        s++;
        if (!is_digit(*s))
            return false;
        s += strspn(s, "0123456789");
    }
    if (*s == 'e' || *s == 'E') {
        s++;
        s += *s == '-' || *s == '+';
        if (!is_digit(*s))
            return false;
        s += strspn(s, "0123456789");
    }
    return *s == 0;
}

bool cf_text_parse_double(const char *s, double min, double max, double *ret)
{
    if (!s || !is_double(s) || !cf_locale_c())
        return false;
    const double value = strtod_l(s, NULL, cf_locale_c());
    if (!isfinite(value) || !(value >= min) || !(value <= max))
        return false;
    *ret = value;
    return true;
}

bool cf_text_parse_bool(const char *s, bool *ret)
{
    static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1", NULL};
    const int found = s ? cf_text_find(words, s) : -1;
    if (found < 0)
        return false;
    *ret = found % 2 != 0;
    return true;
}

bool cf_text_parse_ns(const char *s, uint64_t max, uint64_t *ret)
{
    static const unit units[] = {{"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {NULL, 0}};
    return scaled(s, units, max, ret);
}

bool cf_text_parse_bytes(const char *s, uint64_t max, uint64_t *ret)
{
    static const unit units[] = {{"", 1}, {"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30}, {NULL, 0}};
    return scaled(s, units, max, ret);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool cf_text_parse_fraction(const char *s, uint32_t *ret_p, uint32_t *ret_q)
{
    uint64_t whole, part, scale;
    if (!s || !decimal(&s, &whole, &part, &scale) || *s)
        return false;
    if (whole > 1 || (whole == 1 && part) || (!whole && !part))
        return false;
    const uint64_t p = whole * scale + part;
    const uint64_t divisor = common_divisor(p, scale);
    *ret_p = (uint32_t)(p / divisor);
    *ret_q = (uint32_t)(scale / divisor);
    return true;
}
