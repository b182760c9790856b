/* Numbers are read and written in the C locale, whatever locale the embedding program has set. */
#ifndef CF_BASE_LOCALE_H
#define CF_BASE_LOCALE_H

#include <locale.h>

locale_t cf_locale_c(void); /* any thread; never freed; (locale_t)0 only out of memory */
/* The C locale for the calling thread, and back: pass begin's result to end. */
locale_t cf_locale_begin(void);
void cf_locale_end(locale_t before);

#endif
