/* Words of the record file, in the order of the enums that they stand for. NULL-terminated. */
#ifndef CF_RECORD_NAMES_H
#define CF_RECORD_NAMES_H

#include "record/record.h"

extern const char *const cf_role_names[];       /* cf_role */
extern const char *const cf_design_names[];     /* cf_design */
extern const char *const cf_data_check_names[]; /* cf_data_check */
extern const char *const cf_mark_names[];       /* bit i of cf_round.marks */
extern const char *const cf_list_names[];       /* cf_part_list */

/* The times of a sample. NULL name at the end. */
typedef struct cf_sample_field {
    const char *name;
    size_t offset;
    bool may_be_unsupported; /* null in the file, -1 in memory */
} cf_sample_field;
extern const cf_sample_field cf_sample_fields[];

static inline cf_rounds *cf_record_list(cf_record *record, int list) /* cf_part_list */
{
    cf_rounds *const lists[] = {&record->prologue, &record->warmup, &record->rounds};
    return lists[list];
}

#define CF_LIST_COUNT 3

#endif
