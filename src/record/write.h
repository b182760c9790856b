/* Pieces of a record as JSON text. The readers' fast way through a round expects exactly what is written here. */
#ifndef CF_RECORD_WRITE_H
#define CF_RECORD_WRITE_H

#include "base/json_out.h"
#include "base/text.h"
#include "record/record.h"

/* Members of the record's object: all before the lists of rounds, and all after them. */
void cf_write_head(cf_json *json, const cf_record *record);
void cf_write_tail(cf_json *json, const cf_record *record);
/* Proofs of one variant: the members armed, armed_how, armed_expected, armed_count. */
void cf_write_proof(cf_json *json, const cf_record_variant *variant);
void cf_write_data_check(cf_json *json, const cf_record *record);
void cf_write_pairs(cf_json *json, const char *key, const cf_pairs *pairs);
/* One round as one line without a newline. variant_count is 1 for a prologue round. */
void cf_write_round(cf_text *out, const cf_round *round, int variant_count);

#endif
