#include "toggle/period.h"

#include <stdbool.h>

static bool repeats(const uint64_t *tokens, size_t count, size_t p)
{
    size_t needed = CF_PERIOD_REPEATED * p > CF_PERIOD_ENOUGH ? CF_PERIOD_REPEATED * p : CF_PERIOD_ENOUGH;
    if (count < needed)
        return false;
    for (size_t i = count - needed + p; i < count; i++)
        if (tokens[i] != tokens[i - p])
            return false;
    return true;
}

uint32_t cf_period_find(const uint64_t *tokens, size_t count)
{
    for (uint32_t p = 1; p <= CF_PERIOD_MAX; p++)
        if (repeats(tokens, count, p))
            return p;
    return 0;
}

uint32_t cf_period_mostly(const uint64_t *tokens, size_t count)
{
    for (uint32_t p = 1; p <= CF_PERIOD_MAX && CF_PERIOD_REPEATED * p <= count; p++) {
        size_t same = 0;
        for (size_t i = p; i < count; i++)
            same += tokens[i] == tokens[i - p];
        if (same * 10 >= (count - p) * 9)
            return p;
    }
    return 0;
}
