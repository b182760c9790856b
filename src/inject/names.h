/* The functions of one library that hooks stand in front of, or that are called past them: which is whose, however it
   was found. Any thread. */
#ifndef CF_INJECT_NAMES_H
#define CF_INJECT_NAMES_H

#include "inject/inject.h"

typedef struct cf_names_row {
    const char *name;       /* exported */
    cf_inject_function own; /* the hook; NULL: only used */
} cf_names_row;

typedef struct cf_names {
    const char *library; /* where a function is that nothing loaded after us has */
    int count;
    const cf_names_row *rows;
    cf_inject_function *nexts; /* of each row, once known: the library's own */
} cf_names;

/* found is one of the hooks. */
bool cf_names_own(const cf_names *names, cf_inject_function found);
/* The library's own function; NULL: there is none. */
cf_inject_function cf_names_known(const cf_names *names, int row);
/* The hook of this row for somebody who would have got found. A function of another library than the one that we go on
   to is a second driver, or somebody else who stands in front of it: handles that went through one of them only would
   be told apart wrongly, so nothing is toggled any more, and found is handed out. */
cf_inject_function cf_names_stand_before(const cf_names *names, int row, cf_inject_function found);
/* What to hand out for a function that was looked up by its exported name: its hook, or found where it has none. found
   NULL: the library that is loaded is asked; NULL = there is none, or it has no such function. */
cf_inject_function cf_names_hook(const cf_names *names, const char *name, cf_inject_function found);

#endif
