/* Record files: RECORD.json, written whole, and RECORD.json.part, one line a finished round. */
#ifndef CF_RECORD_FILE_H
#define CF_RECORD_FILE_H

#include "base/file.h"
#include "base/text.h"
#include "record/record.h"

/* Parses a record. Everything that the judging half relies on is checked here: schema, types, ranges, array lengths,
   orders being permutations, unique variant names, the control first. INPUT with "NAME:LINE: …" otherwise.
   ret_record: caller frees with cf_record_done. */
cf_status cf_record_parse(const char *name, const char *json, size_t size_bytes, cf_record *ret_record,
                          cf_error *err) CF_MUST_CHECK;
/* Reads and parses; ret_sha256_hex (may be NULL) is the hash of the file's bytes. */
cf_status cf_record_read(const char *path, cf_record *ret_record, char ret_sha256_hex[65], cf_error *err) CF_MUST_CHECK;
/* The record as JSON text: one line a round. MEMORY is the only failure. */
cf_status cf_record_print(const cf_record *record, cf_text *ret_json, cf_error *err) CF_MUST_CHECK;
/* Prints and writes atomically; ret_sha256_hex as above. */
cf_status cf_record_write(const char *path, const cf_record *record, char ret_sha256_hex[65],
                          cf_error *err) CF_MUST_CHECK;

/* The part file. Its first line is the record's head (all but rounds), then one line a round, each with the list it
   belongs to (prologue, warmup, rounds), then, when armed proofs or the data check change, a line that says so.
   begin: writes the head alone, replacing an old part file. With `resume` a line "process N" follows what is there, a
   torn last line is cut off before it, and where nothing whole is there the head and record's rounds are written. */
cf_status cf_part_begin(const char *path, const cf_record *record, bool resume, cf_error *err) CF_MUST_CHECK;
typedef enum cf_part_list { CF_PART_PROLOGUE, CF_PART_WARMUP, CF_PART_ROUNDS } cf_part_list;
cf_status cf_part_round(const char *path, const cf_record *record, cf_part_list list, const cf_round *round,
                        cf_error *err) CF_MUST_CHECK;
/* Appends the current proofs (armed, data check) of all variants. */
cf_status cf_part_proofs(const char *path, const cf_record *record, cf_error *err) CF_MUST_CHECK;
/* What an experiment inside one process adds to its part file: its rounds are not there, but with the steps that a
   library keeps while the program runs. Each line replaces the one before. */
#define CF_PART_STEPS "steps-"
typedef struct cf_part_steps {
    char folder[64]; /* CF_PART_STEPS and some letters: the folder is RECORD.json.FOLDER */
    char host[256];  /* where the program runs, */
    char boot[64];   /* since which start of that machine, */
    int64_t pid;     /* as which process; 0 = not started, or not known */
    int64_t start;   /* and when that began, as the kernel counts */
} cf_part_steps;
cf_status cf_part_add_steps(const char *path, const cf_part_steps *steps, cf_error *err) CF_MUST_CHECK;
/* As cf_part_read; folder is "" where no line says anything of steps. */
cf_status cf_part_read_steps(const char *path, cf_record *ret_record, cf_part_steps *ret, cf_error *err) CF_MUST_CHECK;
/* Reads a part file; a last line cut short by a crash is dropped, any other broken line is INPUT with its number. */
cf_status cf_part_read(const char *path, cf_record *ret_record, cf_error *err) CF_MUST_CHECK;

#endif
