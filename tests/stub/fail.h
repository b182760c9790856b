/* Calls of a stub that fail on demand. CONFOUND_STUB_FAIL=NAME:N:CODE[:lost],… : the Nth call of NAME returns CODE, and
   all that follow where the device is lost. */
#ifndef TESTS_STUB_FAIL_H
#define TESTS_STUB_FAIL_H

#include <stdbool.h>

/* The code that the call of name is to return, 0 = it goes on. Every entry point begins with STUB_BEGIN. */
int stub_failure(const char *name);
bool stub_lost(void);
#define STUB_BEGIN(name)                                                                                               \
    do {                                                                                                               \
        int planned_ = stub_failure(name);                                                                             \
        if (planned_ != 0)                                                                                             \
            return planned_;                                                                                           \
    } while (0)

#endif
