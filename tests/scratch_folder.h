/* A folder of a test's own that it stands in: setup and teardown of a cmocka test. */
#ifndef TESTS_SCRATCH_FOLDER_H
#define TESTS_SCRATCH_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char scratch_folder[64];

static inline int enter_folder(void **state)
{
    (void)state;
    snprintf(scratch_folder, sizeof scratch_folder, "/tmp/confound-test-XXXXXX");
    return mkdtemp(scratch_folder) && chdir(scratch_folder) == 0 ? 0 : -1;
}

static inline int leave_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch_folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

#endif
