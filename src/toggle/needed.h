/* What a program needs to be loaded before anything else. */
#ifndef CF_TOGGLE_NEEDED_H
#define CF_TOGGLE_NEEDED_H

#include <stddef.h>

/* Name of AddressSanitizer's library as the program at path needs it ("libasan.so.8"): it refuses to run where another
   one is loaded before it. "" where the program needs none, or is no program for this machine. Returns buf. */
const char *cf_needed_sanitizer(const char *path, char *buf, size_t buf_bytes);
/* The file that a program's name stands for, as the shell finds it in PATH; name itself where there is none. */
const char *cf_needed_find(const char *name, char *buf, size_t buf_bytes);

#endif
