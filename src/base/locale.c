#include "base/locale.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t c_locale;

static void make(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t cf_locale_c(void)
{
    (void)pthread_once(&once, make);
    return c_locale;
}

locale_t cf_locale_begin(void)
{
    return uselocale(cf_locale_c());
}

void cf_locale_end(locale_t before)
{
    uselocale(before);
}
