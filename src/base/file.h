/* Files: read whole, written whole or not at all, appended a line at a time. */
#ifndef CF_BASE_FILE_H
#define CF_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Reads path ("-" = standard input) whole; ret_data is NUL-terminated one past its size, caller frees.
   IO: cannot be read or is a folder; INPUT: larger than max_bytes. */
cf_status cf_file_read(const char *path, size_t max_bytes, char **ret_data, size_t *ret_bytes,
                       cf_error *err) CF_MUST_CHECK;
/* Writes a temporary file beside path, syncs it, renames it over path: the old file is intact on any failure. A link
   is followed. Keeps the old file's mode. */
cf_status cf_file_write_atomic(const char *path, const void *data, size_t size_bytes, cf_error *err) CF_MUST_CHECK;
/* Appends data in one write and syncs. A short write (full disk) is undone by truncating back to the old length. */
cf_status cf_file_append(const char *path, const void *data, size_t size_bytes, cf_error *err) CF_MUST_CHECK;
/* INPUT/IO with a clear reason when a file at path could not be created (folder absent, no permission, is a folder). */
cf_status cf_file_check_writable(const char *path, cf_error *err) CF_MUST_CHECK;
bool cf_file_exists(const char *path);
/* Takes the one lock that there is on the file at path for as long as ret_fd is open, made empty where there is none
   and create says so. No child gets it. INPUT: another process has it. IO: no file can be opened there. On a file
   system without locks it is open and not locked. */
cf_status cf_file_hold(const char *path, bool create, int *ret_fd, cf_error *err) CF_MUST_CHECK;
bool cf_file_is_held(const char *path, int fd);                          /* path is the very file that fd is */
cf_status cf_file_remove(const char *path, cf_error *err) CF_MUST_CHECK; /* absent is fine */

#endif
