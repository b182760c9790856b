/* The function that an address in a program's or a library's file belongs to. */
#ifndef CF_TOGGLE_SYMBOL_H
#define CF_TOGGLE_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "toggle/wire.h"

/* offset: from where the file begins in memory. By its own table of symbols, else by the one that it exports. False:
   none holds it, or the file is no program for this machine; buf is "" then. */
bool cf_symbol_find(const char *path, uint64_t offset, char *buf, size_t buf_bytes);
/* "main (+0x1234)": the innermost function of a site that is not the CUDA runtime's, where that was linked into the
   program; without a symbol "+0x1234". A C++ name is written as in the source, without arguments, where the C++ runtime
   is there to do it. Returns buf. */
const char *cf_symbol_of_site(const cf_wire_site *site, char *buf, size_t buf_bytes);

#endif
