/* Libraries that are loaded at run time: by a list of names, and a table of symbols that fills a struct of function
   pointers. A vendor's library is never linked, so that the program runs where it is absent.

   A library that was opened stays in the process until it ends, also after cf_dl_close: drivers have threads of their
   own, and handlers that run at exit. Opening the same one again gives the same library. Any thread. */
#ifndef CF_BASE_DL_H
#define CF_BASE_DL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct cf_dl cf_dl;
typedef void (*cf_dl_function)(void); /* cast to the real type before it is called */

typedef struct cf_dl_symbol {
    const char *names;   /* of one signature, newest first, separated by blanks: "cuMemAlloc_v2 cuMemAlloc" */
    size_t offset_bytes; /* of the function pointer in the caller's struct */
    bool optional;       /* absent: the pointer is NULL */
} cf_dl_symbol;

/* Opens the first of names (NULL-terminated, newest first; one with a '/' is a path, others are looked for as the
   loader does). Where the environment variable `variable` is set and not empty, its value is the only name; NULL =
   there is none. UNSUPPORTED: with every name that was tried and the loader's own reason. Caller frees with
   cf_dl_close. */
cf_status cf_dl_open(const char *variable, const char *const *names, cf_dl **ret_dl, cf_error *err) CF_MUST_CHECK;
/* Fills the struct at functions by table. UNSUPPORTED: a symbol that is not optional is absent; nothing may be called
   then. */
cf_status cf_dl_load(const cf_dl *dl, const cf_dl_symbol *table, size_t count, void *functions,
                     cf_error *err) CF_MUST_CHECK;
/* The first of names that is there, NULL if none. */
cf_dl_function cf_dl_find(const cf_dl *dl, const char *names);
const char *cf_dl_path(const cf_dl *dl); /* of the file that was loaded; borrowed until close */
void cf_dl_close(cf_dl *dl);             /* takes NULL */

#endif
