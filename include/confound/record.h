/* A record: everything that was measured and nothing that was concluded. File format: docs/record.md,
   `confound.record/1`. */
#ifndef CONFOUND_RECORD_H
#define CONFOUND_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "confound/confound.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct confound_record confound_record;

/* Reads a record file. CONFOUND_IO, CONFOUND_INPUT ("PATH:LINE: …"). Free with confound_record_free. */
CONFOUND_API confound_status confound_record_read(const char *path, confound_record **ret_record,
                                                  confound_error *err) CONFOUND_MUST_CHECK;
/* The same from memory; name stands for the file's in errors. json need not end with a NUL. */
CONFOUND_API confound_status confound_record_parse(const char *name, const char *json, size_t size_bytes,
                                                   confound_record **ret_record,
                                                   confound_error *err) CONFOUND_MUST_CHECK;
/* Writes the record file whole, or leaves what is at path intact. CONFOUND_IO. */
CONFOUND_API confound_status confound_record_write(const confound_record *record, const char *path,
                                                   confound_error *err) CONFOUND_MUST_CHECK;
/* The bytes that confound_record_write would write, NUL-terminated. ret_size_bytes, without the NUL, may be NULL. Free
   with confound_text_free of confound/report.h. CONFOUND_MEMORY. */
CONFOUND_API confound_status confound_record_json(const confound_record *record, char **ret_json,
                                                  size_t *ret_size_bytes, confound_error *err) CONFOUND_MUST_CHECK;
CONFOUND_API void confound_record_free(confound_record *record);

/* SHA-256 of the record file's bytes, 64 hex digits. Borrowed. */
CONFOUND_API const char *confound_record_sha256(const confound_record *record);
/* Rounds that were measured, warm-up and prologue not counted. */
CONFOUND_API int64_t confound_record_rounds(const confound_record *record);
/* 1 where the device was simulated, software or emulated: it says nothing about anyone's GPU. */
CONFOUND_API int confound_record_simulated(const confound_record *record);

#ifdef __cplusplus
}
#endif
#endif
