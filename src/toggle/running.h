/* Whether a program whose confound was killed still runs, as seen from the machine, and the container, that it ran in.
 */
#ifndef CF_TOGGLE_RUNNING_H
#define CF_TOGGLE_RUNNING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Name of this machine, and which of its starts this is; "" = not known. Return buf. */
const char *cf_running_host(char *buf, size_t buf_bytes);
const char *cf_running_boot(char *buf, size_t buf_bytes);
/* When the process began, in the kernel's own unit, which no later one with its number has; 0 = there is none, or it
   has ended and was not waited for. */
int64_t cf_running_since(pid_t pid);
/* A process that still writes a file of steps in folder; 0 = none. One of this user's that cannot be looked into counts
   as writing. */
pid_t cf_running_writer(const char *folder);

#endif
