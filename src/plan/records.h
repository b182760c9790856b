/* The records that a plan names, read, hashed and judged once each. A stored judgement is never trusted. */
#ifndef CF_PLAN_RECORDS_H
#define CF_PLAN_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/place.h"
#include "record/record.h"
#include "verdict/verdict.h"

typedef struct cf_plan_record {
    char *path;
    cf_plan_found found;
    char sha256[65]; /* of the file's bytes; "" unless found */
    char why[768];   /* why it can't be read, or is no record; "" where it was judged */
    bool judged;
    cf_record record; /* without its rounds, once it is judged */
    cf_judgement judgement;
    bool interleaved; /* the variants changed places from round to round */
} cf_plan_record;

typedef struct cf_plan_records {
    const cf_plan_place *place;
    cf_plan_record **items;
    size_t count, capacity;
} cf_plan_records;

/* The record at path, from the cache or from the disk. Borrowed until cf_plan_records_done. MEMORY is the only failure:
   what is wrong with the file is in the record. as_record false: only its hash is wanted (a trace). */
cf_status cf_plan_records_get(cf_plan_records *records, const char *path, bool as_record,
                              const cf_plan_record **ret_record, cf_error *err) CF_MUST_CHECK;
void cf_plan_records_done(cf_plan_records *records);

/* NULL where the record has no variant of that name. */
const cf_variant_judgement *cf_plan_record_variant(const cf_plan_record *record, const char *name, cf_role *ret_role);
bool cf_plan_record_has_role(const cf_plan_record *record, cf_role role);
/* No instrument in it: control, replica, and the control of a second design. */
bool cf_plan_role_is_plain(cf_role role);
/* "YYYY-MM-DD" of its making, "" if it does not say. */
const char *cf_plan_record_date(const cf_plan_record *record, char ret_date[11]);
/* "program: ./server --steps 100" of a record of a whole program, cut to CF_PLAN_PROGRAM_BYTES. The caller's to free;
   NULL only out of memory. */
#define CF_PLAN_PROGRAM       "program: "
#define CF_PLAN_PROGRAM_BYTES 400
char *cf_plan_program(const cf_record *record);
/* The same backend, device, model and driver. */
bool cf_plan_record_same_device(const cf_plan_record *a, const cf_plan_record *b);

#endif
