/* What preloaded libraries left in a folder: the file of the process that has the most steps, checked. */
#ifndef CF_TOGGLE_READ_H
#define CF_TOGGLE_READ_H

#include <stddef.h>

#include "base/error.h"
#include "toggle/wire.h"

typedef struct cf_toggled {
    cf_wire *wire;    /* every number in range, every text ended; owned */
    size_t processes; /* that made an event or a queue */
    size_t others;    /* of them, those that toggled as well */
} cf_toggled;

/* wire NULL: no process made anything that can be toggled. INPUT: a file is not what the library writes; IO; MEMORY.
   ret: the caller frees with cf_toggled_done. */
cf_status cf_toggled_read(const char *folder, cf_toggled *ret, cf_error *err) CF_MUST_CHECK;
/* Checks and mends one file's bytes in place. INPUT. */
cf_status cf_wire_check(const char *name, cf_wire *wire, size_t bytes, cf_error *err) CF_MUST_CHECK;
void cf_toggled_done(cf_toggled *toggled);

#endif
