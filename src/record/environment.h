/* Environment variables that change the answer or show that somebody observes us, once: the run records them, a report
   names those that are known to matter. */
#ifndef CF_RECORD_ENVIRONMENT_H
#define CF_RECORD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cf_variable {
    const char *name;    /* ends in '*' for a family */
    const char *about;   /* a phrase */
    bool injects;        /* set = something may be observing: the control is then not proven on a real device */
    const char *backend; /* the only device that it bears on; NULL = any that is no simulation */
    const char *matters; /* what it is known to do to the answer, a clause; NULL = nothing that is known */
} cf_variable;

extern const cf_variable cf_variables[]; /* the first that matches counts; ends with a NULL name */

/* The entry of a variable by its name, which ends at NUL or '='. NULL: it is not one that matters. */
const cf_variable *cf_variable_find(const char *name);

#endif
