/* The part file's reader, from memory: for tests and fuzzing. */
#ifndef CF_RECORD_PART_H
#define CF_RECORD_PART_H

#include "record/file.h"

/* As cf_part_read, of text that was read already. */
cf_status cf_part_parse(const char *name, const char *text, size_t size_bytes, cf_record *ret_record,
                        cf_error *err) CF_MUST_CHECK;

#endif
