/* A locale with a decimal comma: one that is installed, or made for the test where its source is. */
#ifndef TESTS_COMMA_LOCALE_H
#define TESTS_COMMA_LOCALE_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* False: there is none. Undone by comma_locale_end. */
static inline bool comma_locale_begin(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ru_RU.UTF-8", "da_DK.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (setlocale(LC_ALL, names[i]))
            return true;
    char folder[] = "/tmp/confound-locale-XXXXXX", command[160];
    if (!mkdtemp(folder))
        return false;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    bool made = system(command) == 0; /* NOLINT(cert-env33-c): a fixed command of a test */
    setenv("LOCPATH", folder, 1);
    made = made && setlocale(LC_ALL, "de_DE.UTF-8");
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 && made; /* NOLINT(cert-env33-c): as above */
}

static inline void comma_locale_end(void)
{
    setlocale(LC_ALL, "C");
}

#endif
